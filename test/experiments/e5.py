#!/usr/bin/env python3
"""E5, epoll or io_uring: one echo server on each, 512-byte messages, one in flight each."""
import argparse
import pathlib
import random
import signal
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.console import machine
from bench.document import Document
from bench.load import Point, run
from bench.ratio import LEGEND, ROUNDS_MIN, median_interval
from bench.servers import BASELINES, KINDS, Server, placement
from bench.table import Table

# What any server here answers in a second, even with others on the machine.
RATE_MIN_HZ = 1000

PUBLISHED = (
    '\npublished  epoll 33,243 requests/s, io_uring 43,305 requests/s, "+30 %"\n'
    'wrong      a thread for each connection at the client, one recv taken for a whole reply, failures counted without '
    'a lock, no latency, no processor time, client and server on the same cores, one run')


def measure(options, kinds, point):
    """The runs of both backends at a point."""
    server_cpus, client_cpus = placement(point.threads)

    def once(kind):
        with Server(kind, options.build, server_cpus, point.threads) as server:
            one, host = run(options.build, server, point, client_cpus, ['-n', str(options.requests)],
                            options.requests / RATE_MIN_HZ)
        return one | {'host': host}

    runs = []
    for number, name, one in rounds.take(kinds, once, random.Random(), lambda number: number >= options.rounds,
                                         str(point)):
        if 'failed' in one:
            sys.exit(f"e5.py: {name}: {one['failed']}")
        runs.append(one | {'point': str(point), 'server': name, 'round': number})
    return runs


def print_runs(runs):
    table = Table(('backend', '<8'), ('requests/s', '<30'), ('CPU us/request', '<19'), ('p50 us', '>7.0f'),
                  ('p99 us', '>7.0f'))
    for point, placed, backends in rounds.groups(runs):
        print(f'{rounds.heading(point, placed, backends)}\n{table.head()}')
        for name in [name for name in BASELINES if name in backends]:
            own = backends[name]
            percentiles = [statistics.median(rounds.values(own, figure)) / 1000 for figure in ('p50_ns', 'p99_ns')]
            print(table.row(name, median_interval(rounds.values(own, 'qps')).text(0),
                            median_interval(rounds.values(own, rounds.COST)).text(2), *percentiles))
        epoll, uring = (backends.get(name, []) for name in BASELINES)
        for figure, what in (('qps', 'requests/s'), (rounds.COST, 'server CPU per request')):
            ratio = rounds.ratio(uring, epoll, figure)
            print(f"  uring against epoll, round by round: {what} {f'x {ratio.text(2)}' if ratio else 'n/a'}",
                  flush=True)
        print(f"  {rounds.sentence(backends, 'uring', 'epoll', words='server CPU per request')}", flush=True)


def publish(document, runs):
    """What was published beside ours; it does not say how many connections it had, ours are those of a point."""
    wanted = [group for group in rounds.groups(runs) if group[0] == str(Point(512, 100))]
    for point, _, backends in wanted[:1]:
        for name, published in (('epoll', 33243), ('uring', 43305)):
            document.publish(f'requests/s, {point}', name, published,
                             median_interval(rounds.values(backends.get(name, []), 'qps')))
        document.publish('requests/s of io_uring, epoll being 1', 'uring', 1.3,
                         rounds.ratio(backends.get('uring', []), backends.get('epoll', []), 'qps'))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--requests', type=int, default=200000, metavar='N',
                        help='of each run (%(default)s)')
    parser.add_argument('--rounds', type=int, default=ROUNDS_MIN, metavar='N', help='(%(default)s)')
    parser.add_argument('--points', default='512x1,512x100,512x1000,512x100t2', metavar='LIST',
                        help='SIZExCONNECTIONS[tTHREADS] (%(default)s)')
    parser.add_argument('--json', metavar='FILE', help='write every run to FILE, for netreport')
    parser.add_argument('--full', action='store_true',
                        help=f'the original size: 1,000,000 requests, in {ROUNDS_MIN} rounds')
    options = parser.parse_args(arguments)
    if options.full:
        options.requests, options.rounds = 1_000_000, ROUNDS_MIN
    try:
        points = [Point.parse(text) for text in options.points.split(',')]
    except ValueError as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    kinds = {kind.name: kind for kind in KINDS if kind.name in BASELINES}
    with Document('E5', options.json, BASELINES[0]) as document:
        host, all_runs = None, []
        for point in points:
            runs = measure(options, kinds, point)
            print_runs(runs)
            for one in runs:
                document.add(one)
            host = runs[0]['host']
            all_runs += runs
        publish(document, all_runs)
        print(PUBLISHED)
        print(f'\n{options.requests:,} requests a run, {options.rounds} rounds in turn, one in flight on each '
              f'connection, every reply compared\nfigures  {LEGEND}\nmachine  {machine(host)}')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

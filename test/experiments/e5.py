#!/usr/bin/env python3
"""E5, epoll or io_uring: one echo server on each, 512-byte messages, one in flight each."""
import argparse
import json
import pathlib
import signal
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'peers'))

from load import PATIENCE_S, Point, command
from report import machine, progress
from servers import BASELINES, KINDS, Server, as_child, placement

PUBLISHED = """
published: epoll 33,243 requests/s, io_uring 43,305 requests/s, "+30 %"
wrong in the original: a thread for each connection at the client, one recv taken for a whole
           reply, failures counted without a lock, no latency, no processor time, client and
           server on the same cores, one run"""


def once(options, kind, point):
    server_cpus, client_cpus = placement(point.threads)
    more = ['-n', str(options.requests)]
    if client_cpus:
        more += ['--cpus', ','.join(map(str, client_cpus))]
    with Server(kind, options.build, server_cpus, point.threads) as server:
        done = subprocess.run(command(options.build, server, point, *more), capture_output=True,
                              text=True, timeout=options.requests / 1000 + PATIENCE_S, check=False,
                              preexec_fn=as_child())
    if done.returncode != 0:
        sys.exit(f'e5.py: netload exits with {done.returncode}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def measure(options, kinds, point):
    done = {kind.name: [] for kind in kinds}
    for number in range(options.rounds):
        for kind in kinds if number % 2 == 0 else kinds[::-1]:
            progress(f'{point}: round {number + 1} of {options.rounds}, {kind.name}')
            done[kind.name].append(once(options, kind, point))
    progress('')
    return done


def median_and_spread(values, digits=0):
    low, high = min(values), max(values)
    return f'{statistics.median(values):,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})'


def print_point(point, done):
    print(f'\n{point}\n  {"backend":<8} {"requests/s":<30} {"server CPU us/request":<24} {"p50 us":>8} {"p99 us":>8}')
    for name, rounds in done.items():
        latency = [dict(map(tuple, one['latency_ns']['percentiles'])) for one in rounds]
        p50, p99 = (statistics.median(one[percent] for one in latency) / 1000 for percent in (50, 99))
        print(f"  {name:<8} {median_and_spread([one['totals']['qps'] for one in rounds]):<30} "
              f"{median_and_spread([one['server_us_cpu_per_message'] for one in rounds], 2):<24} "
              f'{p50:>8.0f} {p99:>8.0f}')
    first, second = ([one['totals']['qps'] for one in rounds] for rounds in done.values())
    ratios = [theirs / ours for ours, theirs in zip(first, second)]
    print(f'  uring against epoll, round by round: requests/s x {median_and_spread(ratios, 2)}', flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--requests', type=int, default=200000, metavar='N',
                        help='of each run (%(default)s)')
    parser.add_argument('--rounds', type=int, default=3, metavar='N', help='(%(default)s)')
    parser.add_argument('--points', default='512x1,512x100,512x1000,512x100t2', metavar='LIST',
                        help='SIZExCONNECTIONS[tTHREADS] (%(default)s)')
    parser.add_argument('--full', action='store_true',
                        help='the original size: 1,000,000 requests, in 5 rounds')
    options = parser.parse_args(arguments)
    if options.full:
        options.requests, options.rounds = 1_000_000, 5
    try:
        points = [Point.parse(text) for text in options.points.split(',')]
    except ValueError as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    kinds = [kind for kind in KINDS if kind.name in BASELINES]
    for point in points:
        done = measure(options, kinds, point)
        print_point(point, done)
    print(PUBLISHED)
    print(f'\n{options.requests:,} requests a run, {options.rounds} rounds in turn, one in flight on each '
          f"connection, every reply compared\nmachine  {machine(done['epoll'][0]['host'])}")
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

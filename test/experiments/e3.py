#!/usr/bin/env python3
"""E3, muduo's ping-pong: bytes bounce between client and server, and the figure is MiB/s.

asio, libevent and libuv stand beside our backends, as their author asked.
"""
import argparse
import pathlib
import random
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.console import machine, print_servers
from bench.document import Document
from bench.load import Point, lasting, run
from bench.ratio import LEGEND, ROUNDS_MIN, median_interval
from bench.servers import BASELINES, KINDS, Server, placement
from bench.table import Table

SIZES = (16384, 4096)
CONNECTIONS = (1, 10, 100, 1000, 10000)
# The original's tests with more threads.
THREADED = (100, 1000)
PEERS = ('epoll', 'uring', 'asio', 'asio-uring', 'event', 'bufferevent', 'uv')

PUBLISHED = (
    '\npublished  muduo ahead of asio 1.4 by 15 %, of libevent 2.0.6 by 18 % at 4 KiB and 70 % at 16 KiB, because '
    'libevent read at most 4,096 bytes at a time (bufferevent here, to this day)\n'
    'wrong      one run of each and no processor time, so a busy machine or a busy client could not be told from a '
    'slow server')


def points(options):
    for size in SIZES:
        for threads in options.threads:
            for connections in CONNECTIONS:
                if threads == 1 or connections in THREADED:
                    yield Point(size, connections, 1, threads)


def kinds_here(options):
    chosen = [kind for kind in KINDS if kind.name in PEERS]
    for kind in chosen:
        if not kind.built(options.build):
            print(f'{kind.name} is not built: it needs {kind.needs}')
    return {kind.name: kind for kind in chosen if kind.built(options.build)}


def measure(options, kinds, point):
    """The runs of every server at a point."""
    server_cpus, client_cpus = placement(point.threads)

    def once(kind):
        with Server(kind, options.build, server_cpus, point.threads) as server:
            one, host = run(options.build, server, point, client_cpus,
                            lasting(options.duration, options.duration / 4), 1.25 * options.duration)
        return one | {'host': host}

    return [one | {'point': str(point), 'server': name, 'round': number}
            for number, name, one in rounds.take(kinds, once, random.Random(), lambda number: number >= options.rounds,
                                                 str(point))]


def print_runs(size, runs):
    table = Table(('server', '<12'), ('MiB/s', '<26'), ('CPU us/message', '<20'))
    for point, placed, servers in rounds.groups([one for one in runs if 'failed' not in one]):
        print(f'{rounds.heading(point, placed, servers)}\n{table.head()}')
        for name in [name for name in PEERS if name in servers]:
            own = servers[name]
            rate = median_interval([one['qps'] * size / (1 << 20) for one in own])
            print(table.row(name, rate.text(0), median_interval(rounds.values(own, rounds.COST)).text(2)), flush=True)
        peer = rounds.nearest(servers, BASELINES)
        for ours in [name for name in BASELINES if peer and name in servers]:
            print(f'  {rounds.sentence(servers, ours, peer)}', flush=True)
    for one in runs:
        if 'failed' in one:
            print(f"  {one['server']} failed: {one['failed']}", flush=True)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--rounds', type=int, default=ROUNDS_MIN, metavar='N', help='(%(default)s)')
    parser.add_argument('--duration', type=float, default=0.2, metavar='S',
                        help='seconds of a run (%(default)s)')
    parser.add_argument('--threads', default='1,2', metavar='LIST', help='at both ends (%(default)s)')
    parser.add_argument('--points', metavar='LIST', help='these only, such as 16kx100,4kx1000t2')
    parser.add_argument('--json', metavar='FILE', help='write every run to FILE, for netreport')
    parser.add_argument('--full', action='store_true',
                        help=f'the original size: 1 to 4 threads, {ROUNDS_MIN} rounds of 10 s')
    options = parser.parse_args(arguments)
    if options.full:
        options.threads, options.rounds, options.duration = '1,2,3,4', ROUNDS_MIN, 10
    try:
        options.threads = [int(text) for text in options.threads.split(',')]
        options.points = [Point.parse(text) for text in (options.points or '').split(',') if text]
    except ValueError as error:
        parser.error(str(error))
    return options


def publish(document, runs):
    """muduo's lead, as published, beside that of our epoll over the same libraries of today."""
    published = {('asio', 16384): 1.15, ('asio', 4096): 1.15, ('bufferevent', 16384): 1.7, ('bufferevent', 4096): 1.18}
    servers = {point: servers for point, _, servers in rounds.groups([one for one in runs if 'failed' not in one])}
    for (peer, size), lead in published.items():
        here = servers.get(str(Point(size, 100)), {})
        if here.get(peer) and here.get('epoll'):
            document.publish('MiB/s of muduo, and here of our epoll, the other library being 1',
                             f'{"libevent" if peer == "bufferevent" else peer}, {size // 1024} KiB', lead,
                             rounds.ratio(here['epoll'], here[peer], 'qps'))


def run_all(options, document):
    """Every point, and whether a run failed."""
    kinds = kinds_here(options)
    print_servers({kind.name: kind.version(options.build) for kind in kinds.values()})
    host, failed, all_runs = None, False, []
    for point in options.points or points(options):
        obstacle = point.obstacle()
        if obstacle:
            print(f'\n{point}: skipped, {obstacle}')
            continue
        runs = measure(options, kinds, point)
        print_runs(point.size, runs)
        for one in runs:
            document.add(one)
        all_runs += runs
        host = next((one['host'] for one in runs if 'host' in one), host)
        failed |= any('failed' in one for one in runs)
    publish(document, all_runs)
    print(PUBLISHED)
    print(f'\n{options.rounds} rounds of {options.duration:g} s in turn, loopback, every byte compared\n'
          f'figures  {LEGEND}\nmachine  {machine(host)}')
    return failed


def main(arguments):
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Document('E3', options.json, BASELINES[0]) as document:
        failed = run_all(options, document)
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

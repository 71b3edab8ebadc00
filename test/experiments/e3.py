#!/usr/bin/env python3
"""E3, muduo's ping-pong: bytes bounce between client and server, and the figure is MiB/s.

asio, libevent and libuv stand beside our backends, as their author asked.
"""
import argparse
import pathlib
import signal
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'peers'))

from load import Point, run
from report import machine, print_servers, progress
from rounds import COST
from servers import KINDS, Server, placement

SIZES = (16384, 4096)
CONNECTIONS = (1, 10, 100, 1000, 10000)
# The original's tests with more threads.
THREADED = (100, 1000)
PEERS = ('epoll', 'uring', 'asio', 'asio-uring', 'event', 'bufferevent', 'uv')

PUBLISHED = """
published: muduo ahead of asio 1.4 by 15 %, of libevent 2.0.6 by 18 % at 4 KiB and 70 % at 16 KiB,
           because libevent read at most 4,096 bytes at a time (bufferevent here, to this day)
wrong in the original: one run of each and no processor time, so a busy machine or a busy client
           could not be told from a slow server"""


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
    return [kind for kind in chosen if kind.built(options.build)]


def measure(options, kinds, point):
    """The rounds of every server at a point, in turn; and the host."""
    server_cpus, client_cpus = placement(point.threads)
    done, host = {kind.name: [] for kind in kinds}, None
    for number in range(options.rounds):
        first = number % len(kinds)
        for kind in kinds[first:] + kinds[:first]:
            progress(f'{point}: round {number + 1} of {options.rounds}, {kind.name}')
            with Server(kind, options.build, server_cpus, point.threads) as server:
                one, seen = run(options.build, server, point, options.duration,
                                options.duration / 4, client_cpus)
            host = seen or host
            done[kind.name].append(one)
    progress('')
    return done, host


def print_point(point, done):
    print(f'\n{point}\n  {"server":<12} {"MiB/s (least..most)":<26} {"CPU us/message":>14}')
    for name, rounds in done.items():
        failed = [one['failed'] for one in rounds if 'failed' in one]
        if failed:
            print(f'  {name:<12} failed: {failed[0]}')
            continue
        rates = [one['qps'] * point.size / (1 << 20) for one in rounds]
        print(f'  {name:<12} {statistics.median(rates):>8,.0f} ({min(rates):,.0f}..{max(rates):,.0f})'.ljust(42)
              + f'{statistics.median(one[COST] for one in rounds):>14.2f}', flush=True)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--rounds', type=int, default=3, metavar='N', help='(%(default)s)')
    parser.add_argument('--duration', type=float, default=0.3, metavar='S',
                        help='seconds of a run (%(default)s)')
    parser.add_argument('--threads', default='1,2', metavar='LIST', help='at both ends (%(default)s)')
    parser.add_argument('--points', metavar='LIST', help='these only, such as 16kx100,4kx1000t2')
    parser.add_argument('--full', action='store_true',
                        help='the original size: 1 to 4 threads, 5 rounds of 10 s')
    options = parser.parse_args(arguments)
    if options.full:
        options.threads, options.rounds, options.duration = '1,2,3,4', 5, 10
    try:
        options.threads = [int(text) for text in options.threads.split(',')]
        options.points = [Point.parse(text) for text in (options.points or '').split(',') if text]
    except ValueError as error:
        parser.error(str(error))
    return options


def main(arguments):
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    kinds = kinds_here(options)
    print_servers({kind.name: kind.version(options.build) for kind in kinds})
    host, failed = None, False
    for point in options.points or points(options):
        obstacle = point.obstacle()
        if obstacle:
            print(f'\n{point}: skipped, {obstacle}')
            continue
        done, seen = measure(options, kinds, point)
        host = seen or host
        print_point(point, done)
        failed |= any('failed' in one for rounds in done.values() for one in rounds)
    print(PUBLISHED)
    print(f'\n{options.rounds} rounds of {options.duration:g} s in turn, loopback, every byte compared\n'
          f'machine  {machine(host)}')
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""Every echo server at every point, interleaved: what a message costs ours and theirs."""
import argparse
import datetime
import json
import signal
import sys
import time

import memory
import report
from load import Point, run
from servers import BASELINES, KINDS, Server, placement

QUICK = '64x100 512x1 512x100 512x1000 16kx100 64x100p16'
SIZES = ('64', '512', '4k', '16k')
CONNECTIONS = (1, 10, 100, 1000, 10000)
SCHEMA = 'wiremark.peers/1'


def points_of(options):
    """The points asked for, in the order in which they run."""
    if options.points:
        return [Point.parse(text) for text in options.points.replace(',', ' ').split()]
    if options.quick:
        return [Point.parse(text) for text in QUICK.split()]
    grid = [f'{size}x{connections}' for size in SIZES for connections in CONNECTIONS]
    grid += [f'64x{connections}p16' for connections in CONNECTIONS]
    threads = ('', 't2') if options.full else ('',)
    return [Point.parse(text + many) for many in threads for text in grid]


def chosen(options):
    """The servers to run: those named, or all that are built. What is left out is said."""
    names = options.only.split(',') if options.only else [kind.name for kind in KINDS]
    unknown = set(names) - {kind.name for kind in KINDS}
    if unknown:
        sys.exit(f'compare.py: no server is called {", ".join(sorted(unknown))}')
    missing = {}
    for kind in KINDS:
        if kind.name in names and not kind.built(options.build):
            missing[kind.name] = f'not built: it needs {kind.needs}'
            print(f'{kind.name} is {missing[kind.name]}')
    kinds = [kind for kind in KINDS if kind.name in names and kind.name not in missing]
    if not kinds:
        sys.exit('compare.py: there is no server to run')
    return kinds, missing


def measure(options, kinds, point):
    """All rounds of one point. A server whose run fails is asked no more, and says why."""
    server_cpus, client_cpus = placement(point.threads)
    measured = {kind.name: {'rounds': []} for kind in kinds}
    host = None
    for number in range(options.rounds):
        # The order turns with the round, so that none always follows the same one.
        first = number % len(kinds)
        for kind in kinds[first:] + kinds[:first]:
            mine = measured[kind.name]
            if 'failed' in mine:
                continue
            report.progress(f'{point}: round {number + 1} of {options.rounds}, {kind.name}')
            try:
                with Server(kind, options.build, server_cpus, point.threads) as server:
                    one, seen = run(options.build, server, point, options.duration,
                                    options.warmup, client_cpus)
            except RuntimeError as error:
                one, seen = {'failed': str(error)}, None
            host = seen or host
            if 'failed' in one:
                mine['failed'] = one['failed']
            else:
                mine['rounds'].append(one)
    report.progress('')
    return {'point': str(point), 'size': point.size, 'connections': point.connections,
            'pipeline': point.pipeline, 'threads': point.threads,
            'server_cpus': server_cpus, 'client_cpus': client_cpus, 'servers': measured}, host


def compare(options, kinds):
    """Runs and prints the points one by one; returns them with the host they ran on."""
    done, host = [], None
    for point in points_of(options):
        obstacle = point.obstacle()
        if obstacle:
            print(f'\n{point}: skipped, {obstacle}', flush=True)
            done.append({'point': str(point), 'skipped': obstacle})
            continue
        measured, seen = measure(options, kinds, point)
        host = seen or host
        done.append(measured)
        report.print_point(measured)
    report.print_summary(done)
    return done, host


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description='Runs netecho on both backends and every built peer under the same load, '
                    'round by round, and prints what a message costs each server.',
        epilog=f'Servers: {", ".join(kind.name for kind in KINDS)}. '
               'Points: SIZExCONNECTIONS[pPIPELINE][tTHREADS], such as 64x100p16.')
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help=f'under 3 minutes: {QUICK}, runs of 0.4 s')
    parser.add_argument('--full', action='store_true', help='each point with 2 threads too')
    parser.add_argument('--points', metavar='LIST', help='these points instead')
    parser.add_argument('--only', metavar='NAMES', help='these servers only, with commas')
    parser.add_argument('--rounds', type=int, metavar='N', help='rounds of each point (5)')
    parser.add_argument('--duration', type=float, metavar='S', help='seconds of a run (1)')
    parser.add_argument('--warmup', type=float, metavar='S', help='seconds left out before it')
    parser.add_argument('--json', metavar='FILE', help='write every round to FILE')
    parser.add_argument('--memory', action='store_true',
                        help='instead: user memory per idle connection of each server')
    parser.add_argument('--connections', type=int, metavar='N', default=10000,
                        help='idle connections with --memory (%(default)s)')
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or 5
    options.duration = options.duration or (0.4 if options.quick else 1.0)
    options.warmup = options.warmup or options.duration / 4
    try:
        points_of(options)
    except ValueError as error:
        parser.error(str(error))
    return options


def main(arguments):
    options = parse_arguments(arguments)
    started = datetime.datetime.now(datetime.timezone.utc)
    begin = time.monotonic()
    # As an exception, so that every server under way is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    kinds, missing = chosen(options)
    versions = {kind.name: kind.version(options.build) for kind in kinds}
    report.print_servers(versions)
    document = {'schema': SCHEMA, 'started': started.isoformat(timespec='seconds'),
                'argv': sys.argv, 'versions': versions, 'missing': missing}
    if options.memory:
        document['memory'] = memory.compare(options.build, kinds, options.connections)
    else:
        document['points'], document['host'] = compare(options, kinds)
        report.print_conditions(document, options)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump(document, file, indent=1)
    print(f'took {time.monotonic() - begin:.0f} s')
    if options.memory:
        return 0
    ran = [point for point in document['points'] if 'servers' in point]
    failed = any('failed' in one for point in ran for name, one in point['servers'].items()
                 if name in BASELINES)
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""Load generators beside one another, each against one and the same reactor of ours: what they
cost, and how well they keep a schedule."""
import argparse
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.console import progress
from bench.document import Document
from bench.load import distance_ns, placed
from bench.ratio import LEGEND, ROUNDS_MIN, median_interval
from bench.servers import BASELINES, Kind, Server, Solo, placement
from bench.table import Table
import generators
from generators import CLOSED, missing
import paced
import real_servers_beside
import targets

LISTS = ('closed', 'paced', 'ramp', 'servers', 'stall', 'failed')
CONNECTIONS = 100
# A floor's processor time per request over netload's, at least: netload is within 5 % of it.
FLOOR_MIN = 1 / 1.05
PARTS = ('closed', 'paced', 'ramp')


def closed_server(generator, backend):
    if generator.http:
        return Solo('http_server', '--backend', backend)
    return Kind(backend, 'netecho', 'wiremark', '--backend', backend)


def closed_once(options, generator, backend, size):
    """One run of a generator against a fresh server: the figures, or {"failed": why}."""
    server_cpus, client_cpus = placement(1)
    with (Server(closed_server(generator, backend), options.build, server_cpus) as server,
          tempfile.TemporaryDirectory(prefix='clients-') as folder):
        before_ns = distance_ns(options.build)
        done = generators.execute(
            generator.command(options.build, server.port, CONNECTIONS, options.duration, size),
            client_cpus, options.duration + generators.PATIENCE_S, folder)
        after_ns = distance_ns(options.build)
    if done.code != 0:
        return {'failed': f'exit code {done.code}: {(done.err or done.out)[-200:].strip()}'}
    requests = generator.requests(done.out)
    if requests == 0:
        return {'failed': 'no request was answered'}
    return {rounds.COST: 1e6 * done.cpu_s / requests, 'qps': requests / options.duration,
            'rss_bytes': done.rss_bytes, 'placed': placed(before_ns, after_ns),
            'distance_ns': [before_ns, after_ns]}


def print_closed(runs):
    table = Table(('client', '<14'), ('CPU us/request', '<20'), ('k/s', '<20'), ('x netload epoll', '<20'))
    for point, placed_at, clients in rounds.groups(runs):
        print(f'{rounds.heading(point, placed_at, clients)}\n{table.head()}')
        epoll = clients.get('netload epoll', [])
        for name in [generator.name for generator in CLOSED if generator.name in clients]:
            own = clients[name]
            ratio = None if own is epoll else rounds.ratio(own, epoll)
            thousands = median_interval([run['qps'] / 1000 for run in own])
            cost = median_interval(rounds.values(own, rounds.COST))
            print(table.row(name, cost.text(2), thousands.text(0), ratio.text(2) if ratio else '-'))
        ours = [name for name in clients if name.startswith(('netload', 'floor'))]
        other = rounds.nearest(clients, ours)
        if other and epoll:
            print(f"  {rounds.sentence(clients, 'netload epoll', other, words='client CPU per request')}")


def floor_verdicts(runs):
    """Of each point: (point, placement, floor, netload, wanted, the ratio)."""
    floors = {one.name: one.floor_of for one in CLOSED if one.floor_of}
    for point, placed_at, clients in rounds.groups(runs):
        for floor, ours in floors.items():
            if floor in clients and ours in clients:
                yield point, placed_at, floor, ours, FLOOR_MIN, rounds.ratio(clients[floor], clients[ours])


def aim(what, value, most):
    """A line that says by how much an aim is met or missed."""
    percent = 100 * (most / value - 1) if value else 0
    verdict = f'met by {percent:.0f} %' if value <= most else f'MISSED by {-percent:.0f} %'
    return f'  aim: {what} <= {most:g}: {value:.3g}, {verdict}'


def closed(options, document):
    """Every generator against every backend with each of its sizes, in turn, order shuffled."""
    runs = {f'{generator.name} against {backend}, {size} B': (generator, backend, size)
            for backend in BASELINES for generator in CLOSED if not left_out(document, generator.name)
            for size in generator.sizes}
    for number, name, one in rounds.take(runs, lambda run: closed_once(options, *run), options.order,
                                         lambda number: number >= options.rounds, 'closed loop'):
        generator, backend, size = runs[name]
        one |= {'point': f'closed loop, {CONNECTIONS} connections, {size} B each way, server on {backend}',
                'server': generator.name, 'round': f"{document['started'][-1]} {number}"}
        keep(document, 'closed', name, one)
    print_closed(document['closed'])
    print(f'{LEGEND}\n'
          'CPU of the whole client process by its requests, from its start to its end. netload '
          'and the floors compare every byte; wrk and h2load ask an HTTP server on the same reactor')
    if options.targets:
        targets.show_all('a floor\'s CPU per request over netload\'s, at least',
                         floor_verdicts(document['closed']))


def keep(document, part, name, one):
    """Adds a run to its part of the document, or to those that failed."""
    if 'failed' in one:
        print(f"{name} failed: {one['failed']}")
        document['failed'].append(one)
    elif part != 'closed' or one['placed'] != 'moved':
        document[part].append(one)


def left_out(document, name):
    reason = missing(name)
    if reason and name not in document['missing']:
        print(f'{name} is {reason}')
        document['missing'][name] = reason
    return reason


def paced_part(options, document):
    """Every open loop that there is, one after the other, in rounds."""
    loops = {loop.name: loop for loop in paced.loops() if not left_out(document, loop.name)}
    for number, name, one in rounds.take(loops, lambda loop: paced.once(options, loop), options.order,
                                    lambda number: number >= options.rounds, 'open loop'):
        keep(document, 'paced', name, one | {'name': name, 'round': number})
    paced.show(document['paced'], aim)


def ramp_part(options, document):
    ramps = [(rate, connections, backend)
             for rate, connections, times in (paced.RAMPS_QUICK if options.quick else paced.RAMPS)
             for _ in range(times) for backend in BASELINES]
    for rate, connections, backend in ramps:
        progress(f'ramp, {rate}/s, netload on {backend}')
        keep(document, 'ramp', f'ramp at {rate}/s on {backend}',
             paced.ramp_once(options, backend, rate, connections))
    progress('')
    paced.show_ramps(document['ramp'], aim)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description='Runs netload on both backends, wrk and h2load in a closed loop, netload and '
                    'sockperf on a schedule, and watches netload open connections at a rate.',
        epilog='wrk and h2load speak HTTP: they ask an HTTP server on our reactors. sockperf '
               'takes a reply only where a mark was cleared, which the server does for it. socat '
               'and nc have no loop that waits for replies.')
    parser.add_argument('parts', nargs='*', metavar='PART', help=f'of {", ".join(PARTS)} (all)')
    parser.add_argument('--servers', action='store_true',
                        help='in place of the parts: netload on Redis, nginx and memcached, beside '
                             'redis-benchmark, wrk and h2load')
    parser.add_argument('--stall-requests', type=int, default=600_000, metavar='N',
                        help='of redis-benchmark, so that it runs for five seconds (%(default)s)')
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--targets', action='store_true',
                        help='say which promises of the closed loop are met: the aims are ratios to a floor')
    parser.add_argument('--quick', action='store_true', help='under 2 minutes')
    parser.add_argument('--rounds', type=int, metavar='N', help=f'of each part ({ROUNDS_MIN}; 1 if quick)')
    parser.add_argument('--duration', type=int, metavar='S', help='seconds of a closed loop (1)')
    parser.add_argument('--seed', type=int, metavar='N', help='of the shuffled orders (random)')
    parser.add_argument('--json', metavar='FILE', help='write every run to FILE')
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f'no part is called {", ".join(sorted(unknown))}')
    options.build = pathlib.Path(options.build).resolve()
    options.rounds = options.rounds or (1 if options.quick else ROUNDS_MIN)
    options.duration = options.duration or 1
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    options.order = random.Random(options.seed)
    return options


def main(arguments):
    options = parse_arguments(arguments)
    began = time.monotonic()
    sys.stdout.reconfigure(line_buffering=True)  # Seen as it comes, in a pipe too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    document = {'argv': sys.argv, 'seed': options.seed, 'missing': {},
                'started': [time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())],
                'closed': [], 'paced': [], 'ramp': [], 'servers': [], 'stall': [], 'failed': []}
    parts = {'closed': closed, 'paced': paced_part, 'ramp': ramp_part}
    with Document('clients', options.json, f'netload {BASELINES[0]}') as file:
        print(f'seed {options.seed}')
        try:
            if options.servers:
                real_servers_beside.run(options, document)
            for name in options.parts or (() if options.servers else PARTS):
                parts[name](options, document)
        finally:  # What was measured is kept, interrupted or not.
            file.take(document, LISTS)
        print(f'took {time.monotonic() - began:.0f} s')
    return 1 if any('netload' in str(one) for one in document['failed']) else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

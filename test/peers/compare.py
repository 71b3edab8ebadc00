"""Every echo server at every point, interleaved: what a message costs ours and theirs."""
import argparse
import datetime
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.console import print_servers
from bench.document import Document, state_of
from bench.load import Point, lasting, run
from bench.ratio import ROUNDS_MIN
from bench.servers import BASELINES, KINDS, Server, placement
import ending
import memory
import report
import targets

QUICK = '64x100 512x1 512x100 512x1000 16kx100 64x100p16'
USUAL = QUICK + ' 512x10 512x10k 4kx100 4kx1000 16kx1000 512x1000p16 512x100t2 64kx10 1mx10'
SIZES = ('64', '512', '4k', '16k', '64k', '1m')
CONNECTIONS = (1, 10, 100, 1000, 10000)
LISTS = ('runs', 'failed')
# A run is repeated on the spot, up to so many times, when the processors moved in it, the host
# stole more of the machine, or a server with a processor of its own waited longer for it: percent.
REPEATS_MAX = 2
STEAL_MAX_PCT = 2.0
WAITED_MAX_PCT = 3.0
# Further rounds begin only as long as this many seconds have not passed: --quick promises 180.
QUICK_S = 165


def points_of(options):
    """The points asked for, in the order in which they run."""
    texts = QUICK if options.quick else USUAL
    if options.full:
        texts = ' '.join(f'{size}x{connections}{pipeline}{threads}' for threads in ('', 't2')
                         for pipeline in ('', 'p16') for size in SIZES
                         for connections in CONNECTIONS)
    if options.points:
        texts = options.points.replace(',', ' ')
    return [Point.parse(text) for text in texts.split()]


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


class Comparison:
    """The runs of one or several calls, and the document in which they are kept."""

    def __init__(self, options, kinds, document):
        self.options, self.kinds, self.document = options, kinds, document
        self.begin = time.monotonic()
        self.order = random.Random(options.seed)

    def once(self, kind, point):
        """One run that can be believed, or the last of those that cannot."""
        server_cpus, client_cpus = placement(point.threads)
        for _ in range(1 + REPEATS_MAX):
            with Server(kind, self.options.build, server_cpus, point.threads) as server:
                one, self.document['host'] = run(self.options.build, server, point, client_cpus,
                                                 lasting(self.options.duration, self.options.warmup),
                                                 self.options.duration + self.options.warmup)
            one['pinned'] = server_cpus is not None
            # The threads of the baseline wait for one another.
            alone = one['pinned'] and not kind.baseline
            if (one['placed'] != 'moved' and one['steal_pct'] <= STEAL_MAX_PCT and
                    not (alone and one['waited_pct'] > WAITED_MAX_PCT)):
                return one
            self.document['repeated'] += 1
        return one

    def enough(self, point, number):
        """Whether a placement of the processors has its rounds; they end after twice as many."""
        options = self.options
        if number < options.rounds:
            return False
        mine = rounds.points(self.document['runs']).get(str(point), {})
        full = any(rounds.fullness(servers) >= options.rounds for servers in mine.values())
        late = options.quick and time.monotonic() - self.begin > QUICK_S
        return full or late or number >= 2 * options.rounds

    def measure(self, point):
        """All rounds of one point. What fails is kept with why."""
        taken = rounds.take({kind.name: kind for kind in self.kinds}, lambda kind: self.once(kind, point),
                            self.order, lambda number: self.enough(point, number), str(point))
        for number, name, one in taken:
            one |= {'point': str(point), 'server': name,
                    'round': f"{self.document['started'][-1]} {number}"}
            if 'failed' in one:
                self.document['failed'].append(one)
                print(f"{point}: {name} failed: {one['failed']}")
            elif one['placed'] != 'moved':
                self.document['runs'].append(one)

    def all_points(self):
        for point in points_of(self.options):
            obstacle = point.obstacle()
            if obstacle:
                print(f'\n{point}: skipped, {obstacle}')
                self.document['skipped'][str(point)] = obstacle
                continue
            self.measure(point)
            if not self.options.append:
                report.print_points([one for one in self.document['runs']
                                     if one['point'] == str(point)])


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description='Runs netecho on both backends and every built peer under the same load, '
                    'round by round, and prints what a message costs each server.',
        epilog=f'Servers: {", ".join(kind.name for kind in KINDS)}. '
               'Points: SIZExCONNECTIONS[pPIPELINE][tTHREADS], such as 64x100p16. The client is '
               'netload: no package has one that waits for raw echoes over many connections.')
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help=f'under 3 minutes: {QUICK}, at least {ROUNDS_MIN} rounds')
    parser.add_argument('--full', action='store_true',
                        help='every size, connections, pipeline and threads: over an hour')
    parser.add_argument('--points', metavar='LIST', help=f'these points instead ({USUAL})')
    parser.add_argument('--only', metavar='NAMES', help='these servers only, with commas')
    parser.add_argument('--targets', action='store_true',
                        help='print by how much each promised ratio is met or missed')
    parser.add_argument('--rounds', type=int, metavar='N',
                        help='rounds of each point; up to twice as many where the host moves the '
                             f'processors (10; {ROUNDS_MIN} with --quick)')
    parser.add_argument('--duration', type=float, metavar='S', default=0.25,
                        help='seconds of a run: short, since the processors may move in it '
                             '(%(default)s)')
    parser.add_argument('--warmup', type=float, metavar='S', help='seconds left out before it')
    parser.add_argument('--seed', type=int, metavar='N', help='of the shuffled orders (random)')
    parser.add_argument('--json', metavar='FILE', help='write every run to FILE')
    parser.add_argument('--append', action='store_true',
                        help='add to the runs that are in the FILE of --json, and report them all')
    parser.add_argument('--report', action='store_true', help='report that FILE, run nothing')
    parser.add_argument('--memory', action='store_true',
                        help='instead: user memory per idle connection of each server')
    parser.add_argument('--ending', action='store_true',
                        help='instead: how long up to 15,000 connections take to end, at both ends')
    parser.add_argument('--connections', type=int, metavar='N', default=10000,
                        help='idle connections with --memory (%(default)s)')
    options = parser.parse_args(arguments)
    options.rounds = (ROUNDS_MIN if options.quick else 10) if options.rounds is None else options.rounds
    options.warmup = options.warmup or options.duration / 3
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    if (options.append or options.report) and not options.json:
        parser.error('--append and --report need --json FILE')
    if options.rounds < 1:
        parser.error('--rounds needs 1 or more')
    try:
        points_of(options)
    except ValueError as error:
        parser.error(str(error))
    return options


def new_document(options):
    """An empty one, or with what the file already has."""
    if options.report or (options.append and pathlib.Path(options.json).exists()):
        try:
            return state_of(options.json, LISTS)
        except (OSError, ValueError) as error:
            sys.exit(f'compare.py: {options.json}: {error}')
    return {'started': [], 'argv': [], 'seeds': [], 'lengths': [], 'versions': {}, 'missing': {},
            'skipped': {}, 'failed': [], 'repeated': 0, 'runs': []}


def begin(options, document):
    """Notes who runs, when and how long; returns the servers."""
    kinds, missing = chosen(options)
    document['versions'] |= {kind.name: kind.version(options.build) for kind in kinds}
    document['missing'] |= missing
    now = datetime.datetime.now(datetime.timezone.utc)
    document['started'].append(now.isoformat(timespec='seconds'))
    document['argv'].append(sys.argv)
    document['seeds'].append(options.seed)
    length = f'{options.duration:g} s after {options.warmup:.2g} s'
    if length not in document['lengths']:
        document['lengths'].append(length)
    print_servers(document['versions'])
    print(f'seed {options.seed}')
    return kinds


def finish(options, document):
    if options.append or options.report:
        report.print_points(document['runs'])
    report.print_noise(document['runs'])
    if options.targets:
        targets.show(document['runs'])
    report.print_conditions(document)


def main(arguments):
    options = parse_arguments(arguments)
    began = time.monotonic()
    sys.stdout.reconfigure(line_buffering=True)  # Seen as it comes, in a pipe too.
    # As an exception, so that every server under way is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    document = new_document(options)
    if options.report:
        finish(options, document)
        return 0
    with Document('peers', options.json, BASELINES[0]) as file:
        try:
            kinds = begin(options, document)
            if options.memory:
                document.setdefault('memory', {}).update(
                    memory.compare(options.build, kinds, options.connections))
            elif options.ending:
                document['ending'] = ending.compare(options.build, kinds, options.rounds, options.seed)
            else:
                Comparison(options, kinds, document).all_points()
                finish(options, document)
        finally:  # What was measured is kept, interrupted or not.
            file.take(document, LISTS)
        print(f'took {time.monotonic() - began:.0f} s')
    return 1 if any(one['server'] in BASELINES for one in document['failed']) else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

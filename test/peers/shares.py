"""One load by several netloads that share it: the gaps between messages, as their server sees them,
beside those of one netload of the whole size, and of several that know nothing of one another."""
import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.document import Document
from bench.load import lasting, netload
from bench.ratio import ROUNDS_MIN, paired_ratio, what_it_takes
from bench.servers import Server, Solo, as_child
from bench.table import Table
from generators import PATIENCE_S
import schedules

SIZE = 64
SECONDS, WARMUP_S = 2, 1
# Until the common start: for processes to start and connections to open on a busy machine.
AHEAD_S = 2
# A message each 500 us, and each 125 us. Each of 25 us would find one processor, which all these
# netloads may have to share, busy with the message before.
LOADS = ('1000x2', '4000x2')
ARRIVALS = ('even', 'poisson')
# The lowest real-time priority, as netload --realtime has it: what else runs here makes gaps too.
FIRST = ['chrt', '--fifo', '1']
PERCENTILES = range(1, 100)
SHOWN = (1, 10, 50, 90, 99)
ONE, AGAIN, SHARES, STRANGERS = 'one', 'one again', 'shares', 'strangers'
# What the gaps of shares may differ from those of one, as a part of what those of strangers do.
STRANGE_MAX = 0.1
# What bursts are off at least where the server sees them. Of four even strangers three gaps in four
# are nothing and the fourth is four times the mean: 0.75 x 100 % + 0.25 x 300 % = 150 %.
BURSTS_MIN_PCT = 50


@dataclasses.dataclass(frozen=True)
class Load:
    connections: int
    rate_hz: int
    arrival: str
    parts: int
    seconds: float = SECONDS
    warmup_s: float = WARMUP_S
    first: tuple = ()  # What every command begins with.

    def mean_ns(self):
        return schedules.NS / self.connections / self.rate_hz

    def __str__(self):
        return f'{self.arrival}, {self.connections:,} connections x {self.rate_hz}/s'


class Witness(Solo):
    """As a server is started, with what comes first."""

    def __init__(self, first, log):
        super().__init__('witness', '--size', str(SIZE), '--log', log)
        self.first = first

    def command(self, build, port_file, threads):
        return [*self.first, *super().command(build, port_file, threads)]


def commands(name, build, port, load):
    """The netloads that are this load."""
    number = load.parts if name in (SHARES, STRANGERS) else 1
    own = load.connections // load.parts if name == STRANGERS else load.connections
    common = [*load.first, netload(build), f'127.0.0.1:{port}', '-c', own, '-r', load.rate_hz, '-s', SIZE,
              *lasting(load.seconds, load.warmup_s), '--arrival', load.arrival, '--seed', 1,
              '--start-at', f'{time.time() + AHEAD_S:.6f}', '--json', '--quiet']
    return [common + (['--share', f'{index}/{number}'] if name == SHARES else [])
            for index in range(number)]


def processors():
    """Of the server, and of all netloads: apart where there are two."""
    cpus = sorted(os.sched_getaffinity(0))
    return (cpus[-1:], cpus[:-1]) if len(cpus) > 1 else (None, None)


def together(these, cpus, limit_s):
    """Runs all at once: the results, or RuntimeError with the words of one that failed."""
    with contextlib.ExitStack() as running:
        processes = []
        for command in these:
            process = running.enter_context(subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, preexec_fn=as_child(cpus)))
            running.callback(process.kill)
            processes.append(process)
        results, until = [], time.monotonic() + limit_s
        for process in processes:
            try:
                out, err = process.communicate(timeout=max(0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise RuntimeError(f'netload took longer than {limit_s:.0f} s') from None
            if process.returncode != 0:
                raise RuntimeError(f'exit code {process.returncode}: {err[-200:].strip()}')
            results.append(json.loads(out))
        return results


def once(name, build, load):
    """One run: the percentiles of its gaps. RuntimeError says why there are none."""
    server_cpus, client_cpus = processors()
    with tempfile.TemporaryDirectory(prefix='shares-') as folder:
        log = pathlib.Path(folder) / 'log'
        with Server(Witness(load.first, log), build, server_cpus) as server:
            results = together(commands(name, build, server.port, load), client_cpus,
                               AHEAD_S + load.warmup_s + load.seconds + PATIENCE_S)
        if server.exit_code() != 0:
            raise RuntimeError(f'the witness ended: {server.last_words()}')
        arrived = schedules.arrived(log)
    begins = [result['measured_from'] for result in results]
    first = min(moments[0] for moments in arrived.values())
    gaps = schedules.gaps(arrived, first + load.warmup_s * schedules.NS)
    return {'server': name, 'point': str(load), 'messages': sum(map(len, arrived.values())),
            'gaps_ns': [schedules.percentile(gaps, at) for at in PERCENTILES], 'mean_ns': load.mean_ns(),
            'close_pct': 100 * sum(gap < load.mean_ns() / 10 for gap in gaps) / len(gaps),
            'skew_us': 1e6 * (max(begins) - min(begins))}


def differences(runs, name):
    """How far the gaps of this load were from those of one, round by round: the mean distance of
    their percentiles, in percent of the mean gap."""
    ones = {run['round']: run for run in runs[ONE]}
    return {run['round']: 100 * statistics.mean(
        abs(gap - other) for gap, other in zip(run['gaps_ns'], ones[run['round']]['gaps_ns'])) / run['mean_ns']
            for run in runs.get(name, []) if run['round'] in ones}


def show(load, runs):
    """The table of one load, and what it says."""
    print(f'\n{load}, one message each {load.mean_ns() / 1000:g} us: gaps at the server, us')
    table = Table(('load', '<10'), ('rounds', '>6'), ('messages', '>9,.0f'), *((f'p{at}', '>8.1f') for at in SHOWN),
                  ('close %', '>8.1f'), ('off %', '>8.1f'), ('skew us', '>8.1f'))
    print(table.head())
    off = {name: differences(runs, name) for name in runs}
    for name, own in runs.items():
        middle = [statistics.median(run['gaps_ns'][PERCENTILES.index(at)] / 1000 for run in own) for at in SHOWN]
        print(table.row(name, len(own), statistics.median(rounds.values(own, 'messages')), *middle,
                        statistics.median(rounds.values(own, 'close_pct')),
                        '-' if name == ONE else statistics.median(off[name].values()),
                        statistics.median(rounds.values(own, 'skew_us'))))
    for name in (AGAIN, STRANGERS):
        known = paired_ratio([(off[SHARES][number], off[name][number]) for number in off[SHARES]])
        print(f'  off one, shares / {name}: {known.words()}')
    print(f'  {verdict(known, statistics.median(off[STRANGERS].values()), load.parts)}')


def verdict(known, strangers_pct, parts):
    """What the ratio of shares to strangers says, where those are as far off as bursts should be."""
    if strangers_pct < BURSTS_MIN_PCT:
        return (f'cannot tell whether the gaps of {parts} shares are like those of one: those of strangers are off '
                f'{strangers_pct:.0f} %,\n  and bursts {BURSTS_MIN_PCT} % or more; the rate is too much for '
                'these processors')
    side = known.side(STRANGE_MAX)
    said = ('are like those of one' if side < 0 else 'are NOT like those of one' if side > 0 else
            f'may be like those of one or not: {what_it_takes(known, STRANGE_MAX)}')
    return f'the gaps of {parts} shares {said} (line: {STRANGE_MAX:g} of what strangers are off)'


def came_first():
    """What a command begins with to run before others, and why it does not."""
    try:
        tried = subprocess.run([*FIRST, 'true'], capture_output=True, text=True, check=False)
    except OSError as error:
        return (), str(error)
    return ((), tried.stderr.strip()) if tried.returncode else (tuple(FIRST), '')


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description='Runs a load as one netload, as one again to see what chance does, as shares of '
                    'it (--share), and as strangers: as many netloads, each of a part of the size, that '
                    'begin at the same moment and know nothing of one another.')
    parser.add_argument('loads', nargs='*', metavar='LOAD',
                        help=f'connections x messages a second of each ({", ".join(LOADS)})')
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--parts', type=int, default=4, metavar='N', help='netloads that share (%(default)s)')
    parser.add_argument('--rounds', type=int, default=ROUNDS_MIN, metavar='N', help='of each load (%(default)s)')
    parser.add_argument('--seed', type=int, metavar='N', help='of the shuffled orders (random)')
    parser.add_argument('--json', metavar='FILE', help='write every run to FILE')
    options = parser.parse_args(arguments)
    for text in options.loads:
        if not re.fullmatch(r'[1-9]\d*x[1-9]\d*', text):
            parser.error(f"'{text}' is not a load such as {LOADS[0]}")
    options.build = pathlib.Path(options.build).resolve()
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    return options


def measure(load, options, order, file):
    """All rounds of one load. Returns whether none failed and shares sent as many messages as one."""
    runs = {name: [] for name in (ONE, AGAIN, SHARES, STRANGERS)}
    failed = False
    for number, name, run in rounds.take({name: name for name in runs}, lambda name: once(name, options.build, load),
                                         order, lambda number: number >= options.rounds, str(load)):
        if 'failed' in run:
            print(f"{load}: {name} failed: {run['failed']}")
            failed = True
            continue
        runs[name].append(run | {'round': str(number)})
        file.add(runs[name][-1])
    if not all(runs.values()) or failed:
        return False
    show(load, runs)
    counts = {run['messages'] for name in (ONE, AGAIN, SHARES) for run in runs[name]}
    if len(counts) > 1:
        print(f'  shares and one do NOT send the same: {sorted(counts)} messages')
    return len(counts) == 1


def main(arguments):
    options = parse_arguments(arguments)
    sys.stdout.reconfigure(line_buffering=True)  # Seen as it comes, in a pipe too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    order, whole = random.Random(options.seed), True
    first, why = came_first()
    with Document('shares', options.json) as file:
        print(f'seed {options.seed}')
        if why:
            print(f'what else runs here makes gaps too: {why}')
        for text, arrival in itertools.product(options.loads or LOADS, ARRIVALS):
            connections, rate_hz = map(int, text.split('x'))
            whole &= measure(Load(connections, rate_hz, arrival, options.parts, first=first), options, order, file)
        print('medians of the rounds. close: gaps under a tenth of the mean. off: the mean distance of percentiles 1 '
              'to 99 from those of one in the same round, in percent of the mean gap. skew: how far apart they began')
    return 0 if whole else 1


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

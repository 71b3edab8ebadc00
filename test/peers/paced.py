"""Open loops and ramps, as the witness of them sees their schedule."""
import json
import pathlib
import re
import statistics
import tempfile

from bench import rounds
from bench.load import distance_ns, netload, placed
from bench.servers import Server, Solo, placement
from bench.table import Table
from generators import PATIENCE_S, execute
import schedules

CONNECTIONS, RATE_HZ, SIZE = 10000, 10, 112
SECONDS, WARMUP_S = 4, 1
# Connections a second, how many, and how often: p99 of fewer than 100 is their maximum.
RAMPS = ((5, 60, 1), (1000, 3000, 5))
RAMPS_QUICK = ((5, 20, 1), (1000, 3000, 1))
RAMP_P99_MAX_MS = 0.2
# What each loop aims at: (figure, what it is called, at most).
AIMS = {
    'netload spin': (('p50_ms', 'p50 ms', 0.1), ('pacing_p50_us', 'pacing error p50 us', 25),
                     ('pacing_p99_us', 'pacing error p99 us', 5000)),
    'netload economy': (('cost_us', 'CPU us/message', 6.5), ('rss_mib', 'RSS MiB', 25)),
}


class NetloadLoop:
    """netload on a schedule; its latency counts from the plan."""
    answer, listen = 'echo', '127.0.0.1:0'

    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments

    def command(self, build, port, _):
        return [netload(build), f'127.0.0.1:{port}', '-c', CONNECTIONS, '-r', RATE_HZ, '-s', SIZE,
                '-d', f'{SECONDS}s', '-w', f'{WARMUP_S}s', '--json', '--quiet', *self.arguments]

    def latency_ms(self, out):
        result = json.loads(out)
        percentiles = dict((at, ns / 1e6) for at, ns in result['latency_ns']['percentiles'])
        return percentiles[50], percentiles[99]


class SockperfLoop:
    """sockperf under-load. It takes an address once: each connection has one of 127.1.0.0/16."""
    name, answer, listen = 'sockperf under-load', 'sockperf', '0.0.0.0:0'

    def command(self, _, port, folder):
        feed = pathlib.Path(folder) / 'feed'
        feed.write_text(''.join(f'T:127.1.{i // 250}.{i % 250 + 1}:{port}\n'
                                for i in range(CONNECTIONS)), encoding='ascii')
        return ['sockperf', 'under-load', '-f', feed, '-F', 'epoll', '-m', SIZE,
                '--mps', CONNECTIONS * RATE_HZ, '--reply-every', 1, '--full-rtt',
                '-t', SECONDS + WARMUP_S]

    def latency_ms(self, out):
        found = [re.search(rf'percentile {at}\s*=\s*([\d.]+)', out) for at in ('50.000', '99.000')]
        return tuple(float(one[1]) / 1000 if one else None for one in found)


def loops():
    """The open loops that are compared."""
    return [NetloadLoop('netload spin', '--wait', 'spin'), NetloadLoop('netload block'),
            NetloadLoop('netload economy', '--wait', 'batch'), SockperfLoop()]


def witnessed(options, loop_command, answer, listen, limit_s):
    """Runs a command against a witness. Returns what it did, when connections and messages came,
    and where the processors were."""
    server_cpus, client_cpus = placement(1)
    with tempfile.TemporaryDirectory(prefix='clients-') as folder:
        log = pathlib.Path(folder) / 'log'
        witness = Solo('witness', '--size', str(SIZE), '--log', log, '--answer', answer,
                       '--listen', listen)
        with Server(witness, options.build, server_cpus) as server:
            before_ns = distance_ns(options.build)
            done = execute(loop_command(options.build, server.port, folder), client_cpus, limit_s,
                           folder)
            after_ns = distance_ns(options.build)
        if server.exit_code() != 0:
            raise RuntimeError(f'the witness ended: {server.last_words()}')
        return (done, schedules.opened(log), schedules.arrived(log),
                placed(before_ns, after_ns))


def once(options, loop):
    """One open loop: its figures, or {"failed": why}."""
    try:
        done, opened, arrived, where = witnessed(options, loop.command, loop.answer, loop.listen,
                                                 SECONDS + WARMUP_S + PATIENCE_S)
    except RuntimeError as error:
        return {'failed': str(error)}
    messages = sum(map(len, arrived.values()))
    if done.code != 0 or messages == 0:
        return {'failed': f'exit code {done.code}: {(done.err or done.out)[-200:].strip()}'}
    first = min(moments[0] for moments in arrived.values())
    errors = schedules.pacing_errors(arrived, schedules.NS // RATE_HZ,
                                     first + WARMUP_S * schedules.NS)
    p50_ms, p99_ms = loop.latency_ms(done.out)
    return {'connections': len(opened), 'messages': messages, 'placed': where,
            'p50_ms': p50_ms, 'p99_ms': p99_ms, 'cost_us': 1e6 * done.cpu_s / messages,
            'pacing_p50_us': schedules.percentile(errors, 50) / 1000,
            'pacing_p99_us': schedules.percentile(errors, 99) / 1000,
            'rss_mib': done.rss_bytes / (1 << 20)}


def show(runs, aim):
    print(f'\nopen loop, {CONNECTIONS:,} connections x {RATE_HZ}/s x {SIZE} B for '
          f'{SECONDS + WARMUP_S} s, client on one processor: median of the rounds')
    table = Table(('client', '<20'), ('of', '>2'), ('messages', '>9,.0f'), ('p50 ms', '>7.3f'),
                  ('p99 ms', '>7.3f'), ('CPU us', '>6.2f'), ('MiB', '>4.0f'), ('off us', '>6.1f'),
                  ('p99', '>7.1f'))
    print(table.head())
    by_name = {}
    for run in runs:
        by_name.setdefault(run['name'], []).append(run)
    for name, own in by_name.items():
        middle = {figure: statistics.median(run[figure] for run in own if run[figure] is not None)
                  for figure in own[0] if isinstance(own[0][figure], (int, float))}
        places = ', '.join(sorted({str(run['placed']) for run in own}))
        shown = ('messages', 'p50_ms', 'p99_ms', 'cost_us', 'rss_mib', 'pacing_p50_us', 'pacing_p99_us')
        print(table.row(name, str(len(own)), *(middle[figure] for figure in shown)))
        print(f"    {middle['connections']:,.0f} connections, processors {places}")
        for figure, what, most in AIMS.get(name, ()):
            print(aim(f'{name}, {what}', middle[figure], most))
    for name in by_name:
        if name != SockperfLoop.name and SockperfLoop.name in by_name:
            print('  ' + rounds.sentence(by_name, name, SockperfLoop.name, 'cost_us', 'client CPU per message'))
    print('latency from the plan (netload) or the send (sockperf). CPU of the whole client process by all messages '
          'that the server had. of: rounds. off us, and its p99: how far a message came from its place in the even '
          'schedule of its connection, as its server saw it')


def ramp_once(options, backend, rate, connections):
    """One ramp of netload: how far each accept was from its place in the schedule."""
    def command(build, port, _):
        return [netload(build), f'127.0.0.1:{port}', '-b', backend, '-c', connections,
                '--connect-rate', rate, '-R', 10, '-s', SIZE, '-d', '100ms', '--json', '--quiet']

    about = {'name': f'netload {backend}', 'rate_hz': rate}
    try:
        done, opened, _, where = witnessed(options, command, 'echo', '127.0.0.1:0',
                                           connections / rate + PATIENCE_S)
    except RuntimeError as error:
        return about | {'failed': str(error)}
    if done.code != 0 or len(opened) != connections:
        return about | {'failed': f'exit code {done.code}, {len(opened)} connections: '
                                  f'{done.err[-200:].strip()}'}
    off = sorted(schedules.deviations(opened, schedules.NS / rate))
    return about | {'connections': connections, 'placed': where,
                    'p50_ms': schedules.percentile(off, 50) / 1e6,
                    'p99_ms': schedules.percentile(off, 99) / 1e6, 'max_ms': off[-1] / 1e6}


def show_ramps(runs, aim):
    """Of several rounds the one with the median p99."""
    print('\nramp, as the server accepts: distance of each connection from its place in an even '
          'schedule; of several rounds (of) the one in the middle')
    table = Table(('client', '<13'), ('rate', '>8'), ('opened', '>6,'), ('of', '>2'), ('p50 ms', '>7.3f'),
                  ('p99 ms', '>7.3f'), ('max ms', '>7.3f'), (' p99 of all rounds', '<18'))
    print(table.head())
    ramps = {}
    for run in runs:
        ramps.setdefault((run['rate_hz'], run['name']), []).append(run)
    for (rate, name), own in ramps.items():
        own.sort(key=lambda run: run['p99_ms'])
        middle = own[(len(own) - 1) // 2]
        print(table.row(name, f'{rate}/s', middle['connections'], str(len(own)), middle['p50_ms'], middle['p99_ms'],
                        middle['max_ms'], f" {own[0]['p99_ms']:.3f} to {own[-1]['p99_ms']:.3f}"))
        print(aim(f'{name} at {rate}/s, p99 ms', middle['p99_ms'], RAMP_P99_MAX_MS))

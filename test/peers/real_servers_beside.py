"""netload beside redis-benchmark, wrk and h2load on Redis, nginx and memcached: what the client costs
for each request, and what it shows of a server that stands still for a second."""
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))

from bench import rounds
from bench.load import netload
from bench.ratio import conclusion, median_interval, paired_ratio
from bench.servers import placement
from bench.table import Table
import case
import generators
import real_servers

CONNECTIONS = 100
# Of redis-benchmark's requests: it takes no time, and this is one to three seconds.
REQUESTS = 200_000
# The most of a client's CPU per request that netload's may be, on each backend: `auto` takes uring.
AIMS = {'redis-benchmark': 0.5, 'wrk': 0.7}
PACKAGES = {'redis-benchmark': 'redis-tools', 'wrk': 'wrk', 'h2load': 'nghttp2-client',
            'memtier_benchmark': 'none of Debian 12'}
STALL_RATE, STALL_SECONDS, STALL_AT_S = 10_000, 5, 2


class Ours:
    """netload on one backend, and how it waits there: as by default, or for replies to gather."""

    def __init__(self, build, backend, wait, scheme, *flags):
        self.name, self._build, self._scheme = f'netload {backend}', build, scheme
        self._flags = ['-b', backend, '--quiet', '--json', *flags]
        if wait:
            self.name += f', {wait}'
            self._flags += ['--wait', wait]

    def command(self, port, seconds):
        target = self._scheme.format(f'127.0.0.1:{port}')
        return [netload(self._build), target, '-c', CONNECTIONS, '-d', f'{seconds}s', *self._flags]

    @staticmethod
    def requests(out):
        result = json.loads(out)
        if result['totals']['errors']:
            raise RuntimeError(f"errors: {result['totals']['errors']}")
        return result['outcome']['answered']


class Theirs:
    """Another generator: its command, with {port} and {seconds} in it, and how it tells its requests."""

    def __init__(self, *command, requests):
        self.name, self._command, self._requests = command[0], command, requests

    def command(self, port, seconds):
        return [str(word).format(port=port, seconds=seconds) for word in self._command]

    def requests(self, out):
        return self._requests(out)


class Floor(generators.Floor):
    """The same request by system calls alone; its replies are counted by their size, and not read."""

    def __init__(self, build, backend, path):
        super().__init__(backend)
        self._build, self._path = build, path

    def command(self, port, seconds):
        request = f'GET /{self._path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'
        with socket.create_connection(('127.0.0.1', port), timeout=10) as asked:
            asked.sendall(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n').encode())
            reply = b''.join(iter(lambda: asked.recv(1 << 16), b''))
        # "keep-alive" where this one said "close".
        size = len(reply) + len('keep-alive') - len('close')
        return super().command(self._build, port, CONNECTIONS, seconds, size, request)


def redis_benchmark(test):
    return Theirs('redis-benchmark', '-p', '{port}', '-c', CONNECTIONS, '-n', REQUESTS, '-t', test,
                  '--csv', requests=lambda out: REQUESTS)


def web(build, path):
    url = f'http://127.0.0.1:{{port}}/{path}'
    return [Floor(build, 'epoll', path), Floor(build, 'uring', path),
            Theirs('wrk', '-t', 1, '-c', CONNECTIONS, '-d', '{seconds}s', url,
                   requests=lambda out: int(re.search(r'(\d+) requests in', out)[1])),
            Theirs('h2load', '--h1', '-t', 1, '-c', CONNECTIONS, '-D', '{seconds}', url,
                   requests=lambda out: int(re.search(r', (\d+) succeeded', out)[1]))]


def points(build):
    """(what is asked, the server, the generators)."""
    def ours(scheme, *flags):
        ways = [('epoll', None), ('uring', None), ('uring', 'batch:200us')]
        return [Ours(build, *way, scheme, *flags) for way in ways]
    memtier = Theirs('memtier_benchmark', '-P', 'memcache_text', '-p', '{port}', '-c', CONNECTIONS, '-t', 1,
                     '--ratio=0:1', '--test-time={seconds}', '--hide-histogram',
                     requests=lambda out: int(float(re.search(r'Totals\s+([\d.]+)', out)[1])))
    return [
        ('redis PING', real_servers.redis, [*ours('redis://{}'), redis_benchmark('ping_mbulk')]),
        ('redis GET', real_servers.redis, [*ours('redis://{}', '--send', 'GET key', '--expect', '$-1'),
                                           redis_benchmark('get')]),
        ('nginx, 34 bytes', real_servers.nginx, [*ours('http://{}/34', '--expect', 'same'), *web(build, '34')]),
        ('nginx, 16 KiB', real_servers.nginx, [*ours('http://{}/long', '--expect', 'same'), *web(build, 'long')]),
        ('memcached get', real_servers.memcached, [*ours('memcached://{}', '--send', 'get key', '--expect', 'END'),
                                                   memtier]),
    ]


def pin(pid, cpus):
    """Every thread of a process that runs."""
    for thread in os.listdir(f'/proc/{pid}/task') if cpus else []:
        os.sched_setaffinity(int(thread), cpus)


def once(server, generator, seconds):
    server_cpus, client_cpus = placement(1)
    with server() as running, tempfile.TemporaryDirectory(prefix='beside-') as folder:
        pin(running.pid, server_cpus)
        done = generators.execute(generator.command(running.port, seconds), client_cpus,
                                  seconds + generators.PATIENCE_S, folder)
    if done.code != 0:
        return {'failed': f'exit code {done.code}: {(done.err or done.out)[-200:].strip()}'}
    requests = generator.requests(done.out)
    return {rounds.COST: 1e6 * done.cpu_s / requests, 'qps': requests / seconds}


def installed(generator):
    package = PACKAGES.get(generator.name)
    if not package or shutil.which(generator.name):
        return True
    print(f'  {generator.name} is not installed: it is in {package}')
    return False


def judged(ratio, aim):
    side = ratio.side(aim)
    return 'undecided' if side == 0 else 'met' if side < 0 else 'missed'


def show_point(runs):
    """What each client costs, and what part that is of the cost of the one that an aim names."""
    other = next((name for name in runs if name in AIMS), None)
    aim = AIMS.get(other)
    table = Table(('client', '<26'), ('CPU us/request', '<20'), (f"of {other}'s" if other else '', '<20'),
                  (f'<= {aim}' if other else '', '<9'))
    print(table.head())
    conclusions = []
    for name, of_one in runs.items():
        share = verdict = ''
        ratio = paired_ratio([(run[rounds.COST], runs[other][number][rounds.COST])
                              for number, run in of_one.items() if number in runs.get(other, {})])
        if ratio and name != other:
            share = ratio.text(2)
            if name.startswith('netload'):
                verdict = judged(ratio, aim)
                conclusions.append(conclusion(ratio, name, other, 'client CPU per request'))
        print(table.row(name, median_interval([run[rounds.COST] for run in of_one.values()]).text(2), share, verdict))
    for sentence in conclusions:
        print(f'  {sentence}')


def costs_of(options, document):
    for point, server, all_generators in points(options.build):
        print(f'\n{point}, {CONNECTIONS} connections, closed loop')
        subjects = {one.name: one for one in all_generators if installed(one)}
        runs = {name: {} for name in subjects}
        try:
            for number, name, run in rounds.take(
                    subjects, lambda generator, server=server: once(server, generator, options.duration),
                    options.order, lambda number: number >= options.rounds, point):
                if 'failed' in run:
                    print(f"  {name} failed: {run['failed']}")
                    document['failed'].append(run | {'point': point, 'server': name})
                else:
                    runs[name][number] = run
                    document['servers'].append(run | {'point': point, 'client': name, 'round': number})
        except case.Skip as reason:
            print(f'  {reason}')
            continue
        show_point({name: of_one for name, of_one in runs.items() if of_one})


def stalled(command, server, at_s):
    """What a generator says of a server that stands still for a second, `at_s` seconds into its run."""
    stop = threading.Timer(at_s, server.signal, [signal.SIGSTOP])
    resume = threading.Timer(at_s + 1, server.signal, [signal.SIGCONT])
    stop.start()
    resume.start()
    with tempfile.TemporaryDirectory(prefix='beside-') as folder:
        done = generators.execute(command, placement(1)[1], 60, folder)
    for timer in (stop, resume):
        timer.join()
    return done.out


def stall_of(options, document):
    print(f'\nredis stands still for 1 s of {STALL_SECONDS}: of all who come at any time, one in 100 waits 0.95 s or '
          'more')
    table = Table(('client', '<34'), ('p50', '>10'), ('p99', '>10'), ('longest', '>10'))
    print(table.head())
    ways = {f'netload -R {STALL_RATE}': lambda port: [
        netload(options.build), f'redis://127.0.0.1:{port}', '-c', CONNECTIONS, '-R', STALL_RATE, '-d',
        f'{STALL_SECONDS}s', '--timeout', '10s', '--json', '--quiet', '-P', 200]}
    if shutil.which('redis-benchmark'):
        ways['redis-benchmark, closed loop'] = lambda port: [
            'redis-benchmark', '-p', port, '-c', CONNECTIONS, '-n', options.stall_requests, '-t', 'ping_mbulk', '--csv']
    for name, command in ways.items():
        with real_servers.redis() as server:
            pin(server.pid, placement(1)[0])
            out = stalled(command(server.port), server, STALL_AT_S)
        if name.startswith('netload'):
            result = json.loads(out)['latency_ns']
            percentiles = {p: ns / 1e6 for p, ns in result['percentiles']}
            ms = percentiles[50.0], percentiles[99.0], result['max'] / 1e6
        else:
            row = next(csv.DictReader(out.splitlines()))
            ms = tuple(float(row[f'{key}_latency_ms']) for key in ('p50', 'p99', 'max'))
        document['stall'].append({'client': name, 'p50_ms': ms[0], 'p99_ms': ms[1], 'max_ms': ms[2]})
        print(table.row(name, *(f'{one:,.1f} ms' for one in ms)))


def run(options, document):
    document |= {'servers': [], 'stall': []}
    costs_of(options, document)
    try:
        stall_of(options, document)
    except case.Skip as reason:
        print(f'  {reason}')

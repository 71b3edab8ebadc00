"""netload as the runner uses it: one point of the comparison, one run, and what is kept of it."""
import dataclasses
import json
import pathlib
import re
import resource
import subprocess
import time

from bench.rounds import COST
from bench.servers import as_child

# What a run may take besides its own time: 10,000 connections, a busy machine.
PATIENCE_S = 60
SPARE_DESCRIPTORS = 64
# Between 60 and 100 ns where two processors share a cache, from 350 ns on where they do not.
NEAR_MAX_NS = 160
UNITS = {'': 1, 'k': 1 << 10, 'm': 1 << 20}


@dataclasses.dataclass(frozen=True)
class Point:
    """A load: messages of `size` bytes, `pipeline` of each connection in flight, server threads."""
    size: int
    connections: int
    pipeline: int = 1
    threads: int = 1

    @staticmethod
    def parse(text):
        """Reads "64x100", "4kx1000", "1mx10", "64x100p16" and "512x1000t2"."""
        match = re.fullmatch(r'(\d+)([km]?)x(\d+)(k?)(?:p(\d+))?(?:t(\d+))?', text.strip())
        if not match:
            raise ValueError(f"'{text}' is not a point such as 64x100, 4kx1000p16 or 512x10t2")
        size, unit, connections, thousand, pipeline, threads = match.groups()
        point = Point(int(size) * UNITS[unit],
                      int(connections) * (1000 if thousand else 1),
                      int(pipeline or 1), int(threads or 1))
        if 0 in dataclasses.astuple(point):
            raise ValueError(f"'{text}': every number of a point is 1 or more")
        return point

    def __str__(self):
        size = f'{self.size} B' if self.size < 1024 else f'{self.size / 1024:g} KiB'
        return (f'{size} x {self.connections:,}, {self.pipeline} in flight, '
                f'{self.threads} server thread{"s" if self.threads > 1 else ""}')

    def obstacle(self):
        """Why this machine cannot run the point, or None."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < self.connections + SPARE_DESCRIPTORS:
            return f'the hard limit of descriptors is {hard}: ulimit -Hn {self.connections + 1000}'
        return None


def distance_ns(build):
    """What a cache line takes from one processor to another and back, or None where there is one.

    The processors of a virtual machine move between cores of the host that share a cache and others
    that do not. A message then costs up to three times as much, at both ends and for every program.
    """
    done = subprocess.run([pathlib.Path(build) / 'test/peers/distance'], capture_output=True,
                          text=True, timeout=60, check=True)
    return int(done.stdout) or None


def placed(before_ns, after_ns):
    """"near" or "far" by the distance around a run, "moved" where it changed, None if unknown."""
    if before_ns is None or after_ns is None:
        return None
    before, after = ('near' if ns < NEAR_MAX_NS else 'far' for ns in (before_ns, after_ns))
    return before if before == after else 'moved'


def netload(build):
    return pathlib.Path(build) / 'tools' / 'netload'


def command(build, server, point, *more):
    return [netload(build), f'127.0.0.1:{server.port}', '--server-pid', str(server.pid), '--json',
            '--quiet', '-c', str(point.connections), '-s', str(point.size),
            '-P', str(point.pipeline), '-t', str(point.threads), *more]


def lasting(duration_s, warmup_s):
    """The options of a run of this length."""
    return ['-d', f'{duration_s * 1000:.0f}ms', '-w', f'{warmup_s * 1000:.0f}ms']


def result_of(arguments, limit_s):
    """What a run of netload prints; RuntimeError says why it prints nothing."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=limit_s, check=False,
                              preexec_fn=as_child())
    except subprocess.TimeoutExpired:
        raise RuntimeError(f'netload took longer than {limit_s:.0f} s') from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ['']
        raise RuntimeError(f'netload exits with {done.returncode}: {said[-1]}')
    return json.loads(done.stdout)


def run(build, server, point, cpus, length, seconds):
    """One run of `point`, with the options of its length, which takes so many seconds: the figures
    that are kept, and the host. RuntimeError says why there are none."""
    more = length + (['--cpus', ','.join(map(str, cpus))] if cpus else [])
    before_ns, begin, waited_s = distance_ns(build), time.monotonic(), server.waited_s()
    try:
        result = result_of(command(build, server, point, *more), seconds + PATIENCE_S)
    finally:
        if not server.running():
            raise RuntimeError(f'the server ended: {server.last_words()}')
    waited_pct = 100 * (server.waited_s() - waited_s) / (time.monotonic() - begin)
    after_ns = distance_ns(build)
    if not result['totals']['messages'] or not result.get('server_us_cpu_per_message'):
        raise RuntimeError('no message was measured')
    where = {'placed': placed(before_ns, after_ns), 'distance_ns': [before_ns, after_ns],
             'waited_pct': waited_pct}
    return figures(result) | where, result['host']


def figures(result):
    """What is kept of a result of netload; see schemas/result.schema.json for the whole."""
    totals, cpu = result['totals'], result['cpu']
    percentiles = dict(map(tuple, result['latency_ns']['percentiles']))
    return {
        COST: result['server_us_cpu_per_message'],
        'client_us_cpu_per_message': result['us_cpu_per_message'],
        'qps': totals['qps'],
        'messages': totals['messages'],
        'seconds': totals['seconds'],
        'p50_ns': percentiles[50],
        'p99_ns': percentiles[99],
        'server_cpu_pct': cpu['server']['pct'],
        'client_cpu_pct': cpu['process']['pct'],
        'steal_pct': cpu['machine']['steal_pct'],
    }

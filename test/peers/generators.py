"""Load generators, ours and packaged ones: how each is started, and what it says it did."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from bench.load import netload
from bench.servers import as_child

# HTTP requests are padded to the size of the answer, so that all move the same bytes.
REQUEST_SIZE = 512
SIZES = (64, REQUEST_SIZE, 16 << 10)
PATIENCE_S = 60
LOOK_S = 0.1


@dataclasses.dataclass
class Done:
    """What a process did, as seen from outside: its words, processor time and memory."""
    code: int
    out: str
    err: str
    cpu_s: float
    rss_bytes: int


def rss_of(pid):
    """The most memory it ever had, or 0 when it is gone. (rusage would add ours before exec.)"""
    try:
        status = pathlib.Path(f'/proc/{pid}/status').read_text(encoding='ascii')
    except OSError:
        return 0
    found = re.search(r'^VmHWM:\s+(\d+) kB', status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def execute(command, cpus, limit_s, folder):
    """Runs a generator to its end; kills it after `limit_s`."""
    out, err = (pathlib.Path(folder) / name for name in ('stdout', 'stderr'))
    with open(out, 'wb') as to, open(err, 'wb') as complaints:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=to,
                                   stderr=complaints, preexec_fn=as_child(cpus), cwd=folder)
    until, rss = time.monotonic() + limit_s, 0
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            rss = max(rss, rss_of(process.pid))
            if time.monotonic() > until:
                process.send_signal(signal.SIGKILL)
            time.sleep(LOOK_S)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return Done(process.returncode, out.read_text(encoding='utf-8', errors='replace'),
                err.read_text(encoding='utf-8', errors='replace'),
                usage.ru_utime + usage.ru_stime, rss)


def padding(port, others):
    """A header that fills a request with these others up to its size."""
    host = f'Host: 127.0.0.1:{port}'
    fixed = sum(len(line) + 2 for line in ('GET / HTTP/1.1', host, *others, 'X-Padding: ', ''))
    return 'X-Padding: ' + 'x' * (REQUEST_SIZE - fixed)


class Netload:
    """A closed loop by netload on one backend, against netecho. Every reply is verified."""
    http, sizes, floor_of = False, SIZES, None

    def __init__(self, backend):
        self.name, self.backend = f'netload {backend}', backend

    def command(self, build, port, connections, seconds, size):
        return [netload(build), f'127.0.0.1:{port}', '-b', self.backend, '-c', connections,
                '-s', size, '-d', f'{seconds}s', '--quiet', '--json']

    def requests(self, out):
        return json.loads(out)['totals']['messages']


class Floor:
    """The same by system calls alone, which is what a client costs at the least: no latency, no plan,
    but every byte compared."""
    http, sizes = False, SIZES

    def __init__(self, backend):
        self.name, self.backend = f'floor {backend}', backend
        self.floor_of = f'netload {backend}'

    def command(self, build, port, connections, seconds, size, *request):
        return [pathlib.Path(build) / 'test/peers' / f'floor_client_{self.backend}', port, connections, size,
                seconds, *request]

    def requests(self, out):
        return int(out)


class Wrk:
    """wrk: HTTP, one thread, epoll."""
    name, http, sizes, floor_of = 'wrk', True, (REQUEST_SIZE,), None

    def command(self, _, port, connections, seconds, __):
        return ['wrk', '-t', 1, '-c', connections, '-d', f'{seconds}s',
                '-H', padding(port, ()), f'http://127.0.0.1:{port}/']

    def requests(self, out):
        return int(re.search(r'(\d+) requests in', out)[1])


class H2load:
    """h2load of nghttp2-client: HTTP/1.1, one thread, libev."""
    name, http, sizes, floor_of = 'h2load', True, (REQUEST_SIZE,), None

    def command(self, _, port, connections, seconds, __):
        said = subprocess.run(['h2load', '--version'], capture_output=True, text=True, check=True)
        others = (f'user-agent: {said.stdout.strip()}',)
        return ['h2load', '--h1', '-t', 1, '-c', connections, '-D', seconds,
                '-H', padding(port, others), f'http://127.0.0.1:{port}/']

    def requests(self, out):
        # "requests: 9 total, 9 started, 9 done, 9 succeeded, ..."
        return int(re.search(r', (\d+) succeeded', out)[1])


CLOSED = [Netload('epoll'), Netload('uring'), Floor('epoll'), Floor('uring'), Wrk(), H2load()]
PACKAGES = {'wrk': 'wrk', 'h2load': 'nghttp2-client', 'sockperf': 'sockperf'}


def missing(name):
    """Why this generator cannot run, or None."""
    program = name.split()[0]
    if program in PACKAGES and not shutil.which(program):
        return f'not installed: it is in the package {PACKAGES[program]}'
    return None

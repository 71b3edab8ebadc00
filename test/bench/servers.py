"""Servers that echo, ours and the peers: which are built, and their life from start to end."""
import ctypes
import os
import pathlib
import resource
import select
import signal
import subprocess
import tempfile
import time

READY_S = 5.0
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


class Kind:
    """A server program; `needs` names the package without which it is not built."""

    def __init__(self, name, program, needs, *arguments, baseline=False, floor_of=None):
        self.name, self.program, self.needs, self.arguments = name, program, needs, arguments
        # Of which of ours it shows the least that a message can cost.
        self.floor_of = floor_of
        # Shown beside the others, but no peer: it has no loop that could be compared.
        self.baseline = baseline

    @property
    def ours(self):
        return self.program == 'netecho'

    def path(self, build):
        folder = 'tools' if self.ours else 'test/peers'
        return pathlib.Path(build) / folder / self.program

    def command(self, build, port_file, threads):
        """As it is started; it writes its port to `port_file` when it is ready."""
        own = ['127.0.0.1:0', '--quiet'] if self.ours else []
        return [self.path(build), '--port-file', port_file, '--threads', str(threads),
                *self.arguments, *own]

    def built(self, build):
        return os.access(self.path(build), os.X_OK)

    def version(self, build):
        """What runs, in one line: "libuv 1.44.2"."""
        said = subprocess.run([self.path(build), '--version'], capture_output=True, text=True,
                              timeout=10, check=False)
        return (said.stdout.splitlines() or ['unknown'])[0]


class Solo(Kind):
    """A server for load generators: one of our reactors, on one thread."""

    def __init__(self, program, *arguments):
        super().__init__(program, program, 'the tests (-Dtests=true)', *arguments)

    def command(self, build, port_file, threads):
        return [self.path(build), '--port-file', port_file, *self.arguments]


KINDS = [
    Kind('epoll', 'netecho', 'wiremark', '--backend', 'epoll'),
    Kind('uring', 'netecho', 'wiremark', '--backend', 'uring'),
    Kind('floor-epoll', 'floor_epoll', 'the tests (-Dtests=true)', floor_of='epoll'),
    Kind('floor-uring', 'floor_uring', 'the tests (-Dtests=true)', floor_of='uring'),
    Kind('asio', 'peer_asio', 'libasio-dev'),
    Kind('asio-uring', 'peer_asio_uring', 'libasio-dev 1.21 with liburing-dev'),
    Kind('event', 'peer_event', 'libevent-dev'),
    Kind('bufferevent', 'peer_bufferevent', 'libevent-dev'),
    Kind('uv', 'peer_uv', 'libuv1-dev'),
    Kind('threads', 'peer_threads', 'the tests (-Dtests=true)', baseline=True),
]
BASELINES = ('epoll', 'uring')


def as_child(cpus=None):
    """What a child does before it runs: it dies with us, may open all it can, and is pinned."""
    def prepare():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        if cpus:
            os.sched_setaffinity(0, cpus)
    return prepare


class Server:
    """A running server on a free port of 127.0.0.1, as a context: it is ended by pid at exit."""

    def __init__(self, kind, build, cpus=None, threads=1):
        self.kind = kind
        self.port = None
        self.said = ''
        self._folder = tempfile.TemporaryDirectory(prefix='peers-')
        self._port_file = pathlib.Path(self._folder.name) / 'port'
        command = kind.command(build, self._port_file, threads)
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         text=True, preexec_fn=as_child(cpus))

    @property
    def name(self):
        return self.kind.name

    @property
    def pid(self):
        return self._process.pid

    def running(self):
        return self._process.poll() is None

    def wait(self, limit_s):
        """Until it has ended by itself; RuntimeError where that takes too long."""
        # Not wait() with a limit, which looks every 50 ms.
        ended = os.pidfd_open(self.pid)
        try:
            waiting = select.poll()
            waiting.register(ended, select.POLLIN)
            if not waiting.poll(1000 * limit_s):
                raise RuntimeError(f'{self.name} has not ended after {limit_s} s')
        finally:
            os.close(ended)

    def exit_code(self):
        return self._process.returncode

    def last_words(self):
        """What a server that has ended said last on stderr, or else its exit code."""
        if not self._process.stderr.closed:
            self.said = self._process.stderr.read().strip()
        return self.said.splitlines()[-1] if self.said else f'exit code {self.exit_code()}'

    def waited_s(self):
        """How long its threads were ready to run and had no processor, since their start."""
        total_ns = 0
        for stat in pathlib.Path(f'/proc/{self.pid}/task').glob('*/schedstat'):
            try:
                total_ns += int(stat.read_text(encoding='ascii').split()[1])
            except OSError:  # The thread has just ended.
                pass
        return total_ns / 1e9

    def __enter__(self):
        until = time.monotonic() + READY_S
        while not self._port_file.exists() and self.running() and time.monotonic() < until:
            time.sleep(0.005)
        if not self._port_file.exists():
            reason = 'is not ready in time' if self.running() else self.last_words()
            self.__exit__()
            raise RuntimeError(f'{self.name} does not start: {reason}')
        self.port = int(self._port_file.read_text(encoding='ascii'))
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.last_words()
        self._process.stderr.close()
        self._folder.cleanup()


def placement(threads):
    """Which processors the server and the client get: apart where there are enough, else all."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 * threads:
        return None, None
    return cpus[-threads:], cpus[:threads]

"""The programs under test as processes that can neither hang nor outlive a case.

The environment names them: NETECHO, NETLOAD and DENY_URING; BACKEND, where it is set, is asked
of both tools.
"""

import contextlib
import json
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile

from case import Skip, Unexpected, equal, expect, wait_until

SECONDS_AT_MOST = 90

# Tests run by nohup(1) ignore SIGHUP, and so would the programs: what is handled is not inherited.
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)


# A test that is told to end, as one that takes too long is, still takes away what it made.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))


class Process:
    """A running program whose output goes to files, so that it never waits for its reader."""

    def __init__(self, *argv, descriptors=None, pass_fds=()):
        self.argv = [str(argument) for argument in argv]
        self._out = tempfile.TemporaryFile("w+b")
        self._err = tempfile.TemporaryFile("w+b")

        def lower_limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err, pass_fds=pass_fds,
            preexec_fn=lower_limit if descriptors else None)

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process.poll() is None

    @staticmethod
    def _text(file):
        size = os.fstat(file.fileno()).st_size
        return os.pread(file.fileno(), size, 0).decode()

    @property
    def out(self):
        return self._text(self._out)

    @property
    def err(self):
        return self._text(self._err)

    @property
    def code(self):
        return self.process.returncode

    def signal(self, number):
        self.process.send_signal(number)

    def pause(self):
        pause(self.pid)

    def sockets(self):
        """How many it has open."""
        count = 0
        folder = f"/proc/{self.pid}/fd"
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # Closed since the list was made.
                count += os.readlink(os.path.join(folder, name)).startswith("socket:")
        return count

    def finish(self, seconds=SECONDS_AT_MOST):
        """Waits for the end; a program that does not end in time is killed and fails the case."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Unexpected(f"{' '.join(self.argv)} still ran after {seconds} s; it had said:\n"
                             f"{self.out}{self.err}") from None
        return self

    def stop(self):
        """Asks for a graceful end and waits for it."""
        self.signal(signal.SIGTERM)
        return self.finish()

    def kill(self):
        if self.running:
            self.process.kill()
            self.process.wait()

    def ended_with(self, code, what=""):
        expect(self.code == code,
               f"{what or ' '.join(self.argv)}: exit {self.code} instead of {code}\n{self.out}{self.err}")
        return self

    def json(self):
        """Standard output, which must be exactly one JSON document."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise Unexpected(f"standard output is not one JSON document ({error}):\n{self.out}") from None

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            line = next(line for line in status if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def pause(pid):
    """Stops a process, and returns when every thread of it stands still."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: {state_of(thread) for thread in os.listdir(f"/proc/{pid}/task")} == {"T"}, "it stopped")


def interrupt_twice(pid):
    """While it stands still: where it goes on it has the second signal before it runs a line of its own."""
    pause(pid)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGCONT]:
        os.kill(pid, number)


def ends_at_once(running):
    """That a second signal ends a tool: it prints nothing more, and leaves no process that it started."""
    running.pause()
    printed, started = (running.out, running.err), children_of(running.pid)
    interrupt_twice(running.pid)
    running.finish().ended_with(130)
    equal((running.out, running.err), printed, "what it had printed")
    wait_until(lambda: all(map(has_ended, started)), "what it had started was ended")


def lines_of(process):
    """The documents of --json-lines that it has printed until now."""
    return [json.loads(line) for line in process.out.split("\n")[:-1]]


def tells_of_an_answer(text):
    """Whether an interval in it, as people read them, had one: with no answers there are lines, too."""
    return re.search(r" [1-9][\d.]*( k| M)? qps ", text) is not None


def stat_of(pid):
    """What proc(5) has of a process or a thread from its state on: state, parent and so on; nothing where it has
    ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def state_of(pid):
    """R, S, T and so on; None when it has ended."""
    return next(iter(stat_of(pid)), None)


def cpu_seconds(pid):
    """Of all its threads; 0 when it has ended."""
    return sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def has_ended(pid):
    """Also where its parent has not asked for its exit code yet."""
    return state_of(pid) in (None, "Z")


def children_of(pid):
    """The processes that it started, by their ids."""
    return {int(entry) for entry in os.listdir("/proc") if entry.isdigit() and stat_of(entry)[1:2] == [str(pid)]}


def has_signal(pid, number, *sets):
    """Whether the signal is in one of these sets of a process, named as in proc(5)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        found = [int(line.split()[1], 16) for line in status if line.partition(":")[0] in sets]
    return any(signals >> (number - 1) & 1 for signals in found)


def handles(pid, number):
    """Whether a process has installed a handler for the signal, and so survives it."""
    return has_signal(pid, number, "SigCgt")


def is_pending(pid, number):
    """Whether a signal was sent to a process and is not delivered yet."""
    return has_signal(pid, number, "SigPnd", "ShdPnd")


def program(name):
    path = os.environ.get(name)
    if not path:
        raise Skip(f"{name} is not set; run the tests with meson test")
    return path


def backend_flags():
    backend = os.environ.get("BACKEND")
    return ["--backend", backend] if backend else []


def run_program(*argv, seconds=SECONDS_AT_MOST, descriptors=None):
    with Process(*argv, descriptors=descriptors) as process:
        return process.finish(seconds)


def netload(*flags, **limits):
    return run_program(program("NETLOAD"), *backend_flags(), *flags, **limits)


def start_netload(*flags, **limits):
    return Process(program("NETLOAD"), *backend_flags(), *flags, **limits)


def netecho(*flags, **limits):
    return run_program(program("NETECHO"), *backend_flags(), *flags, **limits)


class Echo(Process):
    """A netecho that is ready to accept; `address` is what netload takes as TARGET."""

    def __init__(self, *flags, listen=("127.0.0.1:0",), before=(), path=None, descriptors=None):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "port")
            super().__init__(*before, path or program("NETECHO"), *backend_flags(), *listen, "--port-file", file,
                             *flags, descriptors=descriptors)
            wait_until(lambda: os.path.exists(file) or not self.running, "netecho was ready")
            if not os.path.exists(file):
                self.ended_with(None, "netecho before it was ready")
            with open(file, encoding="utf-8") as text:
                self.port = text.read().strip()
        host = listen[0].rpartition(":")[0]
        self.address = listen[0] if host == "unix" else f"{host}:{self.port}"

    def connect(self):
        return connect(self.address)

    def listening(self):
        """The addresses it said it listens on."""
        lines = [line for line in self.err.splitlines() if "listening on " in line]
        return [line.split("listening on ")[1].split()[0] for line in lines]


def connect(address):
    """A blocking client socket that gives up rather than hang."""
    if address.startswith("unix:"):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(SECONDS_AT_MOST)
        client.connect(address[5:])
        return client
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_AT_MOST)


def receive(client, size):
    """Exactly `size` bytes, fewer only when the peer ends."""
    got = bytearray()
    while len(got) < size:
        part = client.recv(size - len(got))
        if not part:
            break
        got += part
    return bytes(got)


def check_echo(client, message=b"one message"):
    client.sendall(message)
    equal(receive(client, len(message)), message, "the echo")


def check_never_reading(server, turns):
    """The server stops reading a client that never reads; its memory stays bounded and others are served. Once
    the client reads, it gets every byte. Sending counts as stopped after it failed `turns` times, with an echo
    to another client in between."""
    with server.connect() as greedy, server.connect() as other:
        check_echo(other)
        before = server.resident_bytes()
        greedy.setblocking(False)
        chunk = os.urandom(1 << 16)
        sent = idle = 0
        while sent < 64 << 20 and idle < turns:
            try:
                sent += greedy.send(chunk[sent % len(chunk):])
                idle = 0
            except BlockingIOError:
                idle += 1
                check_echo(other)
        check_echo(other, os.urandom(100_000))
        grown = server.resident_bytes() - before
        expect(grown < 24 << 20, f"{grown} bytes more after {sent} bytes that nobody reads")
        expect(sent < 64 << 20, "it was read from until the end: nothing held it back")
        greedy.setblocking(True)
        greedy.settimeout(60)
        got = 0
        while got < sent:
            part = greedy.recv(min(1 << 16, sent - got))
            expect(part, f"it ended after {got} of {sent} bytes")
            expect((chunk + chunk)[got % len(chunk):].startswith(part), f"wrong bytes from {got} on")
            got += len(part)


def require_backend():
    """Skips a whole file where the backend asked for cannot run."""
    backend = os.environ.get("BACKEND")
    if backend != "uring":
        return
    tried = netecho("127.0.0.1:0", "-d", "1ms")
    if tried.code == 3 and "io_uring" in tried.err:
        print(f"SKIP: {tried.err.strip()}")
        raise SystemExit(77)


def require_ipv6():
    try:
        with contextlib.closing(socket.socket(socket.AF_INET6)) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        raise Skip(f"no IPv6 loopback: {error}") from None


def free_port():
    """A port on which nobody listens, outside the range from which the kernel gives any port (ip(7))."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        lowest = int(file.read().split()[0])
    for port in random.sample(range(1024, lowest), min(100, lowest - 1024)):
        with contextlib.suppress(OSError), contextlib.closing(socket.create_server(("127.0.0.1", port))):
            return port
    raise Skip(f"no port from 1,024 to {lowest:,} was free")

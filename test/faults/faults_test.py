#!/usr/bin/env python3
"""Every call that a tool makes fails once, with every error that it can have: none of them crashes it, holds it up, or
goes into a result unseen.

FAIL_CALL runs a tool of which one call fails. Each case is one run: a tool, a backend, a call, an error, and which of
the calls of that kind. With arguments only those calls are tried, and every outcome is printed:

  faults_test.py [TOOL [CALL [ERROR [N]]]]
  faults_test.py CALL          of all tools
  faults_test.py --deciding    all but what the noise of a machine can turn red
  faults_test.py ... --only TOOL [CALL [ERROR [N]]]    whatever stands before that
"""

import concurrent.futures
import contextlib
import dataclasses
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from case import asked_for
from errors import CANNOT_FAIL, ERRORS
from process import Echo, backend_flags, program

# Calls whose faults the noise of a machine can turn red; test/realtime.txt says why.
REALTIME = {"getrandom"}
CALLS_OF_A_KIND = 5
# What stays so: a filter denies a call, or a limit is reached.
LASTING = {"EPERM", "ENOSYS", "EMFILE", "ENFILE", "ENOMEM"}
# For these clients wait until it is over, which is told.
WAITED_FOR = {"accept4", "op:accept"}
MESSAGES = 200
SIZE = 64
# Over UDP one that is lost takes a whole timeout.
DATAGRAMS = 40
# What datagrams need, beside what the streams have tried.
OF_DATAGRAMS = re.compile(r"(send|recv).*msg|op:|bind|connect|socket|epoll|io_uring_enter")
# How long accepting pauses after an accept that failed, at least.
ACCEPT_PAUSE_S = 0.1
SECONDS_AT_MOST = 20
# What the tools answer with besides being killed: done, an objective missed, no use, cannot, errors, interrupted.
EXITS = {0, 1, 2, 3, 4}
REFUSED = {2, 3}
# Words in place of the name of a call, in a message about it.
ALSO = {
    "brk": "memory", "clone": "pthread_create|fork", "clone3": "pthread_create", "fcntl": "descriptor",
    "getsockopt": "connect", "io_uring_enter": "io_uring", "mmap": "memory|pthread_create|io_uring_setup",
    "mprotect": "memory|pthread_create", "mremap": "memory", "newfstatat": "netecho|fstat", "openat": "open",
    "prlimit64": "rlimit", "readlink": "netecho", "sched_setaffinity": "pin|processor", "write": "standard output",
    "writev": "write",
}


@dataclasses.dataclass
class Ended:
    code: int | None
    out: str
    err: str
    failed: bool
    broken: bool = False
    silent: bool = False
    answered: int = 0

    def document(self):
        return json.loads(self.out)


class Tool:
    """A tool behind fail_call, whose output goes to files."""

    def __init__(self, folder, fault, *argv):
        self.folder = folder
        self.report = os.path.join(folder, "report")
        how = ["--list", self.report] if fault is None else [self.report, *map(str, fault)]
        with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "wb") as err:
            self.process = subprocess.Popen([program("FAIL_CALL"), *how, *map(str, argv)], stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=err, cwd=folder)

    def text(self, name):
        with contextlib.suppress(FileNotFoundError), open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()
        return ""

    def end(self):
        try:
            code = self.process.wait(SECONDS_AT_MOST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        return Ended(code, self.text("out"), self.text("err"), "failed" in self.text("report"))


class Netload:
    """netload against a netecho that stays."""

    name = "netload"
    flags = ["-c", 2, "-n", MESSAGES, "-s", SIZE, "--timeout", "2s", "--json", "--quiet"]
    files = ["--csv", "rows.csv", "--hgrm", "latency.hgrm", "--hdr-log", "latency.hlog"]

    def __init__(self, server):
        self.server = server

    def run(self, folder, fault):
        target = [self.server.address, "--server-pid", self.server.pid]
        return Tool(folder, fault, program("NETLOAD"), *backend_flags(), *target, *self.flags, *self.files).end()

    def wrong_in(self, ended):
        if ended.code in REFUSED:
            return None
        totals = ended.document()["totals"]
        lost = sum(totals["errors"].values())
        if (ended.code == 4) != (lost > 0):
            return f"exit {ended.code} with errors {totals['errors']}"
        sizes = (totals["messages"] * SIZE, totals["bytes_in"])
        if lost == 0 and sizes != (MESSAGES * SIZE, MESSAGES * SIZE):
            return f"{totals['messages']} messages of {totals['bytes_in']} bytes and no error"
        return None


class NetloadAlone(Netload):
    """netload that starts its own netecho."""

    name = "netload that starts netecho"

    def run(self, folder, fault):
        return Tool(folder, fault, program("NETLOAD"), *backend_flags(), *self.flags).end()


class Netecho:
    """netecho, with a client of our own."""

    name = "netecho"
    listen = "127.0.0.1:0"

    def run(self, folder, fault):
        flags = [self.listen, "--port-file", "port", "--json", "--quiet"]
        tool = Tool(folder, fault, program("NETECHO"), *backend_flags(), *flags)
        end = time.monotonic() + SECONDS_AT_MOST
        while not (port := tool.text("port")) and tool.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        broken = silent = False
        if port:
            try:
                broken = self.breaks(int(port))
            except TimeoutError:
                silent = True
        tool.process.send_signal(signal.SIGTERM)
        return dataclasses.replace(tool.end(), broken=broken, silent=silent)

    def breaks(self, port):
        """Whether a connection broke, of two that have all messages between them."""
        message = os.urandom(SIZE)
        with contextlib.ExitStack() as stack:
            try:
                clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS_AT_MOST))
                           for _ in range(2)]
            except ConnectionError:
                return True
            alive = set(clients)
            for client in clients * (MESSAGES // 2):
                with contextlib.suppress(ConnectionError):
                    if client in alive:
                        client.sendall(message)
                        if client.recv(SIZE, socket.MSG_WAITALL) == message:
                            continue
                alive.discard(client)
            return len(alive) < len(clients)

    def wrong_in(self, ended):
        if ended.code in REFUSED:
            return None
        if ended.silent:
            return "a client waits for ever"
        totals = ended.document()["totals"]
        if ended.code != 0:
            return f"exit {ended.code}"
        if ended.broken:
            return None if totals["errors"] else "a client lost its connection, and there is no error"
        if (totals["messages"], totals["bytes_in"]) != (MESSAGES, MESSAGES * SIZE):
            return f"{totals['messages']} messages of {totals['bytes_in']} bytes"
        return None


class NetloadDatagrams(Netload):
    """netload over UDP, where no answer is no error but a message that was lost."""

    name = "netload over UDP"
    flags = ["-c", 2, "-n", DATAGRAMS, "-s", SIZE, "--timeout", "50ms", "--json", "--quiet"]
    files = []

    def wrong_in(self, ended):
        if ended.code in REFUSED:
            return None
        result = ended.document()
        totals, outcome = result["totals"], result["outcome"]
        if (ended.code == 4) != (sum(totals["errors"].values()) > 0):
            return f"exit {ended.code} with errors {totals['errors']}"
        if outcome["answered"] + outcome["lost"] != outcome["sent"] or totals["messages"] != outcome["answered"]:
            return f"it does not add up: {outcome}, {totals['messages']} messages"
        if totals["bytes_in"] != outcome["answered"] * SIZE:
            return f"{outcome['answered']} answers of {totals['bytes_in']} bytes"
        if outcome["answered"] < DATAGRAMS and not result["verdict"]["reasons"]:
            return f"{outcome['answered']} of {DATAGRAMS} answers, and it is VALID"
        return None


class NetechoDatagrams(Netecho):
    """netecho over UDP, with a client of our own that goes on where an answer is lost."""

    name = "netecho over UDP"
    listen = "udp:127.0.0.1:0"
    LOST_AT_MOST = 10

    def breaks(self, port):
        """Sends all messages, and takes what is answered. A server that answers none any more is not silent: that is
        known from its result."""
        self.client.connect(("127.0.0.1", port))
        self.client.settimeout(0.1)
        for sent in range(1, DATAGRAMS + 1):
            with contextlib.suppress(TimeoutError, ConnectionError):
                self.client.send(os.urandom(SIZE))
                self.take()
            if sent - self.answered > self.LOST_AT_MOST:
                break
        return False

    def take(self):
        self.answered += len(self.client.recv(2 * SIZE)) == SIZE

    def run(self, folder, fault):
        mine = type(self)()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mine.client:
            ended = Netecho.run(mine, folder, fault)
            mine.client.settimeout(0)
            with contextlib.suppress(BlockingIOError):  # It has ended: what was late is there by now.
                while True:
                    with contextlib.suppress(ConnectionError):
                        mine.take()
        return dataclasses.replace(ended, answered=mine.answered)

    answered = 0

    def wrong_in(self, ended):
        if ended.code in REFUSED:
            return None
        if ended.code != 0:
            return f"exit {ended.code}"
        totals = ended.document()["totals"]
        messages, unsent = totals["messages"], totals["datagrams"]["unsent"]
        if not ended.answered <= messages <= ended.answered + unsent:
            return f"{ended.answered} answers, {messages} messages and {unsent} unsent"
        return None


class NetechoAcceptsNone(Netecho):
    """netecho whose accept fails for good. It says so, and tries again without haste."""

    name = "netecho that accepts none"

    def run(self, folder, fault):
        tool = Tool(folder, fault, program("NETECHO"), *backend_flags(), "127.0.0.1:0", "--port-file", "port",
                    "-d", "2s", "--json", "--quiet")
        while not (port := tool.text("port")) and tool.process.poll() is None:
            time.sleep(0.005)
        with contextlib.ExitStack() as stack:
            if port:
                stack.enter_context(socket.create_connection(("127.0.0.1", int(port)), SECONDS_AT_MOST))
            return tool.end()

    def wrong_in(self, ended):
        if ended.code in REFUSED:
            return None
        if ended.code != 0:
            return f"exit {ended.code}"
        totals = ended.document()["totals"]
        failed = sum(totals["errors"].values())
        if totals["messages"] or totals["connections"]:
            return f"{totals['connections']} connections, {totals['messages']} messages"
        if not 1 <= failed <= totals["seconds"] / ACCEPT_PAUSE_S + 1:
            return f"{failed} errors in {totals['seconds']:.1f} s: {totals['errors']}"
        return None


def names_it(call, ended):
    """Whether the message of a tool that cannot go on tells the call that failed."""
    words = re.escape(call.removeprefix("op:").rstrip("0123456789"))
    if call in ALSO:
        words += "|" + ALSO[call]
    return re.search(words, ended.err) is not None


def wrong_with(tool, fault, ended):
    """What is wrong with an outcome, or None."""
    call, _, _ = fault
    if ended.code is None:
        return "it hangs"
    if ended.code not in EXITS:
        return f"exit {ended.code}"
    try:
        wrong = tool.wrong_in(ended)
    except ValueError:
        return f"exit {ended.code}, and standard output is not a result: {ended.out[:200]!r}"
    if wrong is None and ended.code in REFUSED and not names_it(call, ended):
        return "the message does not name the call"
    return wrong


def calls_of(tool):
    """How often the tool makes each call, where nothing fails."""
    with tempfile.TemporaryDirectory() as folder:
        ended = tool.run(folder, None)
        if ended.code == 77:
            print(f"SKIP: {ended.err.strip()}")
            sys.exit(77)
        if ended.code != 0 or tool.wrong_in(ended):
            sys.exit(f"{tool.name}, where nothing fails: exit {ended.code}, {tool.wrong_in(ended)}\n{ended.err}")
        with open(os.path.join(folder, "report"), encoding="utf-8") as report:
            counts = {name: int(count) for name, count in map(str.split, report)}
    unknown = counts.keys() - ERRORS.keys() - CANNOT_FAIL
    if unknown:
        sys.exit(f"failed: {tool.name} calls {', '.join(sorted(unknown))}: add it to errors.py, with its errors")
    return {name: count for name, count in counts.items() if name in ERRORS}


class Wanted:
    """What of all faults the command line asks for."""

    def __init__(self, arguments):
        arguments = asked_for(arguments)
        self.deciding = arguments[:1] == ["--deciding"]
        arguments = arguments[self.deciding:]
        self.tool = arguments[0] if arguments and arguments[0] not in ERRORS else None
        self.fault = arguments[self.tool is not None:]

    def has_tool(self, tool):
        return self.tool in (None, tool.name)

    def has_fault(self, call, error, nth):
        return (all(str(one) == want for one, want in zip((call, error, nth), self.fault))
                and not (self.deciding and call in REALTIME))


def faults_of(counts, wanted):
    for call, count in sorted(counts.items()):
        for error in ERRORS[call]:
            which = [*range(1, min(count, CALLS_OF_A_KIND) + 1)]
            if error in LASTING and call not in WAITED_FOR:
                which.append("1+")
            for nth in which:
                if wanted.has_fault(call, error, nth):
                    yield call, error, nth


def attempt(tool, fault):
    with tempfile.TemporaryDirectory() as folder:
        ended = tool.run(folder, fault)
    return tool, fault, ended, wrong_with(tool, fault, ended)


def faults_of_datagrams(pool, udp_server, wanted):
    runs = []
    for tool in filter(wanted.has_tool, (NetloadDatagrams(udp_server), NetechoDatagrams())):
        counts = {call: count for call, count in calls_of(tool).items() if OF_DATAGRAMS.match(call)}
        runs += [pool.submit(attempt, tool, fault) for fault in faults_of(counts, wanted)]
    return runs


def lasting_accepts(pool, wanted):
    tool = NetechoAcceptsNone()
    if not wanted.has_tool(tool):
        return []
    call = "op:accept" if "uring" in backend_flags() else "accept4"
    return [pool.submit(attempt, tool, (call, error, "1+")) for error in ERRORS[call]
            if wanted.has_fault(call, error, "1+")]


def main():
    wanted = Wanted(sys.argv[1:])
    if "-fsanitize" in subprocess.run([program("NETLOAD"), "--version"], capture_output=True, text=True,
                                      check=True).stdout:
        print("skipped: the runtime of a sanitizer makes calls of its own, and aborts when one fails")
        sys.exit(77)
    failures = came = 0
    cpus = sorted(os.sched_getaffinity(0))
    places = itertools.cycle(cpus)  # A tool on one processor does not measure how far it is to the other.
    with Echo() as server, Echo(listen=("udp:127.0.0.1:0",)) as udp_server, concurrent.futures.ThreadPoolExecutor(
            2 * len(cpus), initializer=lambda: os.sched_setaffinity(0, {next(places)})) as pool:
        known, runs = set(), []
        for tool in filter(wanted.has_tool, (Netload(server), Netecho(), NetloadAlone(server))):
            counts = calls_of(tool)
            if isinstance(tool, NetloadAlone):
                counts = {call: count for call, count in counts.items() if call not in known}
            known |= counts.keys()
            runs += [pool.submit(attempt, tool, fault) for fault in faults_of(counts, wanted)]
        runs += faults_of_datagrams(pool, udp_server, wanted)
        runs += lasting_accepts(pool, wanted)
        for done in runs:
            tool, fault, ended, wrong = done.result()
            failures += wrong is not None
            came += ended.failed
            if wrong or wanted.fault:
                outcome = f"FAILED: {wrong}" if wrong else f"exit {ended.code}"
                print(f"{tool.name}, {' '.join(map(str, fault))}: {outcome}"
                      f"{'' if ended.failed else ' (it did not come to that call)'}")
                print("".join(f"    {line}\n" for line in ended.err.splitlines()[-3:]), end="", flush=True)
    print(f"{len(runs)} faults, {failures} failed, {came} came")
    sys.exit(failures > 0)


main()

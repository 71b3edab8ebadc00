#!/usr/bin/env python3
"""A second SIGINT or SIGTERM ends a tool at once, whatever it does: it prints nothing more, and leaves no process
that it started."""

import fcntl
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from case import case, equal, expect, run, wait_until
from process import (Echo, Process, backend_flags, children_of, ends_at_once, handles, is_pending, program,
                     require_backend, start_netload, tells_of_an_answer)

SECONDS = 60
COMPARISON = str(pathlib.Path(__file__).resolve().parent.parent / "report/data/comparison.json")
# ThreadSanitizer calls a thread that nobody joined leaked; to end at once is to join none.
os.environ["TSAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("TSAN_OPTIONS"), "report_thread_leaks=0"]))


def handles_both(pid):
    return handles(pid, signal.SIGINT) and handles(pid, signal.SIGTERM)


@case
def netecho_that_serves():
    for flags in [], ["-d", "60s"], ["-t", "2"]:
        with Echo(*flags) as server, server.connect():
            ends_at_once(server)


@case
def netload_that_connects():
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        for load in [], ["-r", "10"]:
            with start_netload(address, "-c", "20", *load, "--timeout", "60s") as running:
                wait_until(lambda: running.sockets() >= 20, "it was connecting")
                ends_at_once(running)


@case
def netload_that_waits_for_its_start():
    with Echo() as server:
        before = server.sockets()
        with start_netload(server.address, "-c", "2", "-r", "10", "--start-at", str(time.time() + 600)) as running:
            wait_until(lambda: server.sockets() == before + 2, "it had connected")
            ends_at_once(running)


@case
def netload_that_sends():
    for load in [], ["-r", "100"], ["-t", "2"]:
        with start_netload("-c", "2", *load, "-d", "60s", "-i", "20ms", "--json") as running:
            wait_until(lambda: tells_of_an_answer(running.err), "there were answers")
            expect(children_of(running.pid), "it has no server of its own")
            ends_at_once(running)


@case
def netload_that_waits_for_replies():
    """Its planned time is over, and the server never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with start_netload(address, "-c", "1", "-n", "1", "-s", "100", "--timeout", "60s") as running:
            with listener.accept()[0] as client:
                equal(len(client.recv(200)), 100, "bytes of the request")
                ends_at_once(running)


@case
def netload_whose_server_does_not_come():
    """It waits for a netecho that is started and says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        own = shutil.copy(program("NETLOAD"), folder)
        server = os.path.join(folder, "netecho")
        with open(server, "w", encoding="ascii") as script:
            script.write("#!/bin/sh\nexec sleep 60\n")
        os.chmod(server, 0o755)
        with Process(own, *backend_flags(), "-n", "1") as running:
            wait_until(lambda: children_of(running.pid), "it had started one")
            ends_at_once(running)


@case
def netload_that_makes_several_runs():
    for study, servers in (["--compare", "epoll,epoll"], 2), (["--find-max", "--slo", "p99<1s"], 1):
        with start_netload(*study, "-d", "60s") as running:
            wait_until(lambda: len(children_of(running.pid)) == servers, f"{study[0]} had started its servers")
            ends_at_once(running)


@case
def codecbench_that_prepares_or_measures():
    for threads in "1", "2":
        argv = [program("CODECBENCH"), "-w", "packet", "-f", "bytes", "-t", threads, "-d", "60m", "--progress", "on"]
        for has_begun in (lambda one: handles_both(one.pid)), (lambda one: "%" in one.err):
            with Process(*argv) as running:
                wait_until(lambda: has_begun(running), "it had begun")
                ends_at_once(running)


class Unread:
    """A tool whose standard output is a pipe that is full, and that nobody reads."""

    def __init__(self, name, *flags):
        self.reader, writer = os.pipe()
        try:
            size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
            os.write(writer, bytes(size))
            self.process = subprocess.Popen([program(name), *flags], stdin=subprocess.DEVNULL, stdout=writer,
                                            stderr=subprocess.DEVNULL)
        finally:
            os.close(writer)

    def takes(self, number):
        """Sends a signal, and returns when it is delivered."""
        self.process.send_signal(number)
        wait_until(lambda: not is_pending(self.process.pid, number), f"signal {number} was delivered")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.reader)


@case
def a_result_that_nobody_reads():
    """The first signal does not end what is being printed, and the second does."""
    with Echo() as server:
        for name, *flags in (("NETECHO", "127.0.0.1:0", "-d", "1ms"), ("NETLOAD", server.address, "-n", "1"),
                             ("NETLOAD", server.address, "-n", "1", "--json"),
                             ("CODECBENCH", "-w", "packet", "-f", "bytes", "-n", "20", "--repeat", "1")):
            for first, second in itertools.product([signal.SIGINT, signal.SIGTERM], repeat=2):
                with Unread(name, *flags) as running:
                    wait_until(lambda: handles_both(running.process.pid), f"{name} handled signals")
                    running.takes(first)
                    equal(running.process.poll(), None, f"exit of {name} at the first signal")
                    running.process.send_signal(second)
                    equal(running.process.wait(SECONDS), 130, f"exit of {name} at the second")


@case
def tools_that_measure_nothing_end_at_the_first():
    for number in signal.SIGINT, signal.SIGTERM:
        for name, *flags in ("NETPROBE",), ("NETREPORT", COMPARISON):
            with Unread(name, *flags) as running:
                running.process.send_signal(number)
                equal(running.process.wait(SECONDS), -number, f"exit of {name}")


require_backend()
run()

#!/usr/bin/env python3
"""Standard streams that are full, closed, or no longer read: the tools say so and end, never with 0."""

import contextlib
import json
import os
import pty
import shlex
import subprocess
import tempfile

from case import case, contains, equal, expect, run, wait_until
from process import Echo, program

SECONDS = 60

CODECS = ["-f", "bytes", "-w", "packet", "-d", "1ms", "--hot"]
SHORT = {
    "NETLOAD": [["-d", "100ms"], ["-d", "100ms", "--json"], ["-d", "100ms", "-i", "20ms", "--json-lines"], ["--help"],
                ["--version"], ["--completion", "bash"], ["--compare", "epoll", "--rounds", "1", "-d", "20ms"],
                ["--compare", "epoll", "--rounds", "1", "-d", "20ms", "--json"],
                ["--find-max", "-d", "20ms", "-c", "1"], ["--find-max", "-d", "20ms", "-c", "1", "--json"]],
    "NETECHO": [["127.0.0.1:0", "-d", "50ms"], ["127.0.0.1:0", "-d", "50ms", "--json"],
                ["127.0.0.1:0", "-d", "60s", "-i", "20ms"], ["--help"]],
    "CODECBENCH": [CODECS, [*CODECS, "--json"], ["--help"]],
    "NETREPORT": [["RESULT"], ["RESULT", "--json"], ["--help"]],
}


def every_form():
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        subprocess.run([program("NETLOAD"), "-c", "1", "-n", "10", f"--json={result}"], stdout=subprocess.DEVNULL,
                       check=True, timeout=SECONDS)
        for tool, forms in SHORT.items():
            for flags in forms:
                yield [program(tool), *(result if flag == "RESULT" else flag for flag in flags)]


def ended(argv, **streams):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False, **streams)


@case
def output_that_is_full():
    with open("/dev/full", "wb") as full:
        for argv in every_form():
            said = ended(argv, stdout=full, stderr=subprocess.PIPE)
            equal(said.returncode, 3, f"exit of {argv}: {said.stderr}")
            contains(said.stderr.decode(), "standard output: No space left", f"what {argv} says")


@case
def output_that_is_closed():
    """No socket gets the number of standard output, or a peer would get the result."""
    for argv in every_form():
        said = ended(["sh", "-c", 'exec "$@" >&-', "sh", *argv], stderr=subprocess.PIPE)
        equal(said.returncode, 3, f"exit of {argv}: {said.stderr}")
        contains(said.stderr.decode(), "standard output: Bad file descriptor", f"what {argv} says")


@case
def messages_that_nobody_can_hear():
    with open("/dev/full", "wb") as full, Echo() as server:
        for tool, argv in [("NETLOAD", [server.address, "-c", "2", "-n", "100", "--json", "--progress", "on"]),
                           ("NETECHO", ["127.0.0.1:0", "-d", "50ms", "--json"]),
                           ("CODECBENCH", [*CODECS, "--progress", "on", "--json"])]:
            for streams in [{"stderr": full}, {}]:
                command = [program(tool), *argv]
                if not streams:
                    command = ["sh", "-c", 'exec "$@" 2>&- <&-', "sh", *command]
                said = ended(command, stdout=subprocess.PIPE, **streams)
                equal(said.returncode, 0, f"exit of {command}")
                contains(said.stdout.decode(), '"schema"', f"what {command} prints")
        for argv in [["--frobnicate"], ["-c", "0"]]:
            equal(ended([program("NETLOAD"), *argv], stderr=full).returncode, 2, f"exit of {argv}")


def on_a_terminal(kind, *argv):
    """What a tool shows on both streams on a terminal of that kind."""
    mine, its = os.openpty()
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=its, stderr=its, env={**os.environ, "TERM": kind}) as process:
        os.close(its)
        shown = b""
        with contextlib.suppress(OSError), open(mine, "rb", buffering=0) as terminal:  # EIO is its end.
            while part := terminal.read(4096):
                shown += part
        equal(process.wait(), 0, f"exit of {argv}")
    return shown.decode()


@case
def a_dumb_terminal_gets_no_escapes():
    with Echo() as server:
        for argv in [[program("NETLOAD"), server.address, "-c", "1", "-n", "10"],
                     [program("CODECBENCH"), *CODECS],
                     [program("CODECBENCH"), *CODECS, "--progress", "on"]]:
            contains(on_a_terminal("xterm", *argv), "\033[", f"what {argv} shows")
            expect("\033" not in on_a_terminal("dumb", *argv), f"an escape on a dumb terminal from {argv}")


@case
def a_reader_that_goes():
    """As with head(1), or an interrupted jq: the run ends, and what goes to a file is complete."""
    with tempfile.TemporaryDirectory() as folder, Echo() as server:
        file = os.path.join(folder, "result.json")
        own = f"--json={file}"
        for argv in [[program("NETLOAD"), server.address, "-c", "2", "-d", "300s", "-i", "20ms", own],
                     [program("NETLOAD"), server.address, "-c", "2", "-r", "10", "-d", "300s", "-i", "20ms",
                      "--json-lines"],
                     [program("NETECHO"), "127.0.0.1:0", "-d", "300s", "-i", "20ms", own],
                     [program("NETLOAD"), "--find-max", "-d", "20ms", "--slo", "errors<1", own]]:
            with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as writer:
                expect(writer.stdout.readline(), f"{argv} printed nothing")
                writer.stdout.close()
                try:
                    said = writer.stderr.read().decode()
                    equal(writer.wait(SECONDS), 3, f"exit of {argv}: {said}")
                finally:
                    writer.kill()
            contains(said, "standard output: Broken pipe", f"what {argv} says")
            if own in argv:
                with open(file, encoding="utf-8") as written:
                    equal(json.load(written)["interrupted"], True, f"whether {argv} was interrupted")


@case
def a_terminal_that_is_closed():
    """Its shell sends SIGHUP and the kernel sends another: the result is printed all the same."""
    with tempfile.TemporaryDirectory() as folder:
        for tool, argv in [("NETLOAD", ["-c", "2", "-d", "300s"]), ("NETECHO", ["127.0.0.1:0", "-d", "300s"])]:
            file = os.path.join(folder, tool)
            line = shlex.join([program(tool), *argv, "-i", "20ms", f"--json={file}"])
            shell, terminal = pty.fork()
            if shell == 0:
                os.execvp("bash", ["bash", "--norc", "-ic", f"{line}; exit"])
            seen = b""
            while seen.count(b"qps") < 5:
                seen += os.read(terminal, 4096)
            os.close(terminal)
            os.waitpid(shell, 0)
            wait_until(lambda: os.path.exists(file) and os.path.getsize(file) > 0, f"{tool} wrote its result")
            with open(file, encoding="utf-8") as written:
                contains(written.read(), '"interrupted": true', f"the result of {tool}")


run()

#!/usr/bin/env python3
"""What hold_up.py does to its command, and what it leaves alone."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

from case import case, equal, expect, run, wait_until
from cgroup import ControlGroup
from process import pause, state_of

HOLD_UP = pathlib.Path(__file__).resolve().parent / "hold_up.py"
# Prints its pid, and then the longest time between two looks at the clock, until its standard input ends.
WATCHES = """
import os, select, sys, time
print(os.getpid(), flush=True)
longest, last = 0, time.monotonic()
while not select.select([sys.stdin], [], [], 0.001)[0]:
    now = time.monotonic()
    longest, last = max(longest, now - last), now
print(longest)
"""


def held_up(*argv):
    with ControlGroup("freezer"):  # Skips where there can be none.
        return subprocess.Popen([sys.executable, HOLD_UP, *argv], text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)


class Watch:
    """The process that watches itself, below the command: that itself is never frozen. It ends with the case."""

    def __init__(self):
        self.process = held_up("sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", WATCHES)
        self.pid = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.go_on()
        with self.process as process:
            process.stdin.close()  # Which ends it.
            process.stdout.read()

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)

    def frozen(self):
        with open(f"/proc/{self.pid}/cgroup", encoding="ascii") as file:
            return "/wiremark-" in file.read()

    def wait_for_a_stop(self):
        """Until it is frozen, and until it no longer is."""
        wait_until(self.frozen, "it was frozen")
        wait_until(lambda: not self.frozen(), "it was thawed")

    def longest_s(self):
        self.process.stdin.close()
        longest = self.process.stdout.readline()
        equal(self.process.wait(), 0, "the exit code")
        return float(longest)


@case
def the_exit_code_is_the_commands():
    for script, code in (("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 128 + 9)):
        with held_up("sh", "-c", script) as process:
            process.communicate()
        equal(process.returncode, code, script)


@case
def what_the_command_started_stands_still_again_and_again():
    with Watch() as watch:
        for _ in range(3):
            watch.wait_for_a_stop()
        longest_s = watch.longest_s()
    expect(longest_s >= 0.02, f"it stood still for {longest_s} s at the longest")


@case
def what_a_test_has_stopped_stays_stopped():
    with Watch() as watch:
        pause(watch.pid)
        for _ in range(2):
            watch.wait_for_a_stop()
            # It may be frozen again before its state is read; had it gone on, it would not be stopped ever again.
            wait_until(lambda: state_of(watch.pid) == "T", "it was seen as stopped after it was thawed")
        watch.go_on()
        watch.longest_s()


run()

#!/usr/bin/env python3
"""Runs a command on a machine that holds it up, as busy machines do: what decides must not see that.

usage: hold_up.py COMMAND [ARGUMENT...]

On each processor a loop that never waits takes its share, and one process after the other of those that
the command has started, all of them by chance alike, stands still for 20 to 200 ms. They are frozen by a
cgroup, which is no signal: who was stopped by a test stays stopped, and who is told to go on or to end
does so when it is thawed. The exit code is that of the command, 128 and its number after a signal. Needs
root, and says last how often and for how long it froze. The seed of the choices is WIREMARK_SEED, or
made and printed.
"""
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cli"))

from case import Skip
from cgroup import ControlGroup
from quiet_meter import adopt_orphans, ended, fields_of, processes_below, started

SHORTEST_S, LONGEST_S = 0.02, 0.2
PAUSE_S = 0.02  # From one stop to the next.


class Freezer(ControlGroup):
    """Holds the processes that stand still."""

    def __init__(self):
        super().__init__("freezer")
        self.home = self.group_of(os.getpid())
        self.times, self.seconds = 0, 0.0

    def group_of(self, pid):
        """The cgroup of a process in this hierarchy; None when it has ended."""
        for line in fields_of(f"/proc/{pid}/cgroup"):
            _, controllers, group = line.split(":", 2)
            if ("freezer" in controllers.split(",")) if self.old else not controllers:
                return group
        return None

    def set(self, frozen):
        if self.old:
            self.write("freezer.state", "FROZEN" if frozen else "THAWED")
        else:
            self.write("cgroup.freeze", int(frozen))

    def hold(self, pid, seconds):
        """Freezes a process, unless it has ended or a test has put it into a cgroup of its own."""
        if self.group_of(pid) != self.home:
            return
        with contextlib.suppress(ProcessLookupError):
            self.write("cgroup.procs", pid)
        try:
            self.set(frozen=True)
            begin = time.monotonic()
            time.sleep(seconds)
            self.times += 1
            self.seconds += time.monotonic() - begin
        finally:
            for one in self.processes():  # Also what it started before it was frozen. Each is thawed by this.
                with contextlib.suppress(ProcessLookupError):
                    pathlib.Path(f"{self.place}{self.home}/cgroup.procs").write_text(str(one), encoding="ascii")
            self.set(frozen=False)


@contextlib.contextmanager
def busy_loops():
    """One on each processor."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"],
                              preexec_fn=lambda one=one: os.sched_setaffinity(0, {one}))
             for one in os.sched_getaffinity(0)]
    try:
        yield {loop.pid for loop in loops}
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main(command):
    if not command:
        sys.exit(__doc__)
    seed = int(os.environ.get("WIREMARK_SEED") or random.randrange(1 << 32))
    chance = random.Random(seed)
    for number in (signal.SIGTERM, signal.SIGINT):  # The command gets it too, and is waited for.
        signal.signal(number, lambda *_: None)
    adopt_orphans()  # They stay below this process, and are held up like the others.
    try:
        freezer = Freezer()
    except Skip as lacking:
        sys.exit(f"hold_up.py: {lacking}")
    with freezer, busy_loops() as loops:
        child = started(command)
        while (code := ended(child)) is None:
            found = [pid for pid in processes_below(os.getpid()) if pid not in loops and pid != child]
            if found:
                freezer.hold(chance.choice(found), chance.uniform(SHORTEST_S, LONGEST_S))
            time.sleep(PAUSE_S)
    print(f"held up by {len(loops)} busy loops and {freezer.times} stops of {freezer.seconds:.0f} s in all, "
          f"seed {seed}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

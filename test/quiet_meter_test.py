#!/usr/bin/env python3
"""What the quiet meter says of a test."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from case import case, equal, expect, run, wait_until

METER = pathlib.Path(__file__).resolve().parent / "quiet_meter.py"
sys.path.insert(0, str(METER.parent))

from quiet_meter import LOOK_EACH, Reading

STAYS = "import sys; print(flush=True); sys.stdin.read()"  # Until its standard input ends.
WORK_S = 0.3
# Prints which processes took them over.
ORPHANS = f"""
import os, time
read, write = os.pipe()
for _ in os.sched_getaffinity(0):
    if not os.fork():
        parent = os.getpid()
        if not os.fork():
            while time.process_time() < {WORK_S} or os.getppid() == parent:
                pass
            os.write(write, b"%d %d " % (os.getpid(), os.getppid()))
        os._exit(0)
    os.wait()
os.close(write)
words = open(read).read().split()  # To its end, when they have ended.
while any(os.path.exists(f"/proc/{{orphan}}") for orphan in words[::2]):
    time.sleep(0.01)
print(*words[1::2])
"""
QUIET = Reading(late_ms=19.9, others=0.5, waited_ms=19, steal_ms=10, steal_percent=1.0)


@contextlib.contextmanager
def metered(script):
    """A Python script under the meter, after its first line. It ends by itself where nothing ends it."""
    with subprocess.Popen([sys.executable, METER, sys.executable, "-c", f"import signal; signal.alarm(60)\n{script}"],
                          text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            process.first = process.stdout.readline()
            yield process
        finally:
            process.kill()


def reading(process):
    """Lets the script end; gives the last line of all, and its figures in order."""
    process.stdin.close()
    line = process.stdout.read().rstrip("\n").split("\n")[-1]
    equal(process.wait(), 0, "the exit code")
    return line, figures(line)


def figures(line):
    expect(line.startswith("quiet meter: "), f"the last line is {line!r}")
    return [float(figure) for figure in re.findall(r"[\d.]+", line.split(": ")[-1])]


def expect_own(spent_s, begin, line):
    """That the processor time which a test spent since `begin`, or more, is not counted as that of others."""
    most = os.cpu_count() - spent_s / (time.monotonic() - begin)
    expect(figures(line)[1] <= most + 0.1, f"others had {most:.2f} processors at most: {line}")


@contextlib.contextmanager
def burning(processors):
    """A process on each of them that never waits."""
    script = "import os; os.sched_setaffinity(0, {%d})\nwhile True: pass"
    started = [subprocess.Popen([sys.executable, "-c", script % processor]) for processor in processors]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def used_s(processes):
    """The processor time of processes with one thread (schedstat, Documentation/scheduler/sched-stats.rst)."""
    files = [pathlib.Path(f"/proc/{process.pid}/schedstat") for process in processes]
    return sum(int(file.read_text(encoding="ascii").split()[0]) for file in files) / 1e9


def sleeps(process):
    """How often it has slept since it began."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE)[1])


@case
def the_output_and_the_exit_code_are_the_commands():
    for script, code in (("echo one; exit 0", 0), ("echo one; exit 77", 77), ("echo one; exit 3", 3),
                         ("echo one; kill -9 $$", 128 + 9), ("echo one; kill -11 $$", 128 + 11)):
        done = subprocess.run([METER, "sh", "-c", script], capture_output=True, text=True, check=False)
        equal(done.returncode, code, script)
        equal(done.stdout.splitlines()[0], "one", "the output")
        expect(re.match(r"quiet meter: .*steal [\d.]+ %$", done.stdout.splitlines()[1]), f"the end: {done.stdout}")


@case
def a_command_that_is_not_there_is_an_error():
    done = subprocess.run([METER, "/no/such/test"], capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (1, "quiet_meter.py: /no/such/test: No such file or directory\n"), "the end")


@case
def each_figure_has_a_limit():
    for change, ms in (({}, 0), ({"late_ms": 20}, 20), ({"waited_ms": 20}, 20), ({"waited_ms": 900, "others": 0.49}, 0),
                       ({"steal_ms": 20}, 20), ({"steal_ms": 900, "steal_percent": 0.9}, 0),
                       ({"late_ms": 30, "waited_ms": 50, "steal_ms": 40}, 50)):
        equal(Reading(**{**vars(QUIET), **change}).held_up_ms(), ms, f"held up with {change}")
    equal(str(QUIET), "quiet meter: quiet: late 19.9 ms, others 0.50 processors, waited 19 ms, steal 1.0 %", "the line")
    equal(str(Reading(140.2, 0, 7, 0, 0)),
          "quiet meter: held up 140 ms: late 140.2 ms, others 0.00 processors, waited 7 ms, steal 0.0 %", "the line")


@case
def what_stands_still_is_late():
    with metered(STAYS) as test:
        test.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, test.pid, os.WSTOPPED)
        time.sleep(0.1)
        test.send_signal(signal.SIGCONT)
        line, (late_ms, *_) = reading(test)
    expect(line.startswith("quiet meter: held up ") and late_ms >= 90, f"a stop of 100 ms: {line}")


@case
def what_runs_beside_it_is_counted():
    begin = time.monotonic()
    with burning(os.sched_getaffinity(0)) as others:
        with metered(STAYS) as test:
            before = used_s(others)
            wait_until(lambda: used_s(others) >= before + 0.5, "the others had worked")
            beside = used_s(others) - before
            line, (_, seen, _, steal_percent) = reading(test)
        least = beside / (time.monotonic() - begin)
    # What the hypervisor takes while a program runs is time of that program too.
    expect(seen + os.cpu_count() * steal_percent / 100 >= 0.9 * least, f"others had {least:.2f} processors: {line}")


@case
def orphans_are_waited_for_and_are_its_own():
    begin = time.monotonic()
    with metered(ORPHANS) as test:
        equal(set(test.first.split()), {str(test.pid)}, "who took them over")
        line, _ = reading(test)
    expect_own(len(os.sched_getaffinity(0)) * WORK_S, begin, line)


@case
def a_thread_that_waits_for_a_processor_is_seen():
    one = min(os.sched_getaffinity(0))
    with burning([one]), metered(f"import os, sys, time; os.sched_setaffinity(0, {{{one}}})\n"
                                 "while time.process_time() < 0.2: pass\n"
                                 "print(open('/proc/self/schedstat').read().split()[1], flush=True)\n"
                                 "sys.stdin.read()") as test:
        waited_ms = int(test.first) / 1e6
        asleep = sleeps(test)
        wait_until(lambda: sleeps(test) > asleep + 2 * LOOK_EACH, "the meter has looked")
        line, (_, _, seen, *_) = reading(test)
    expect(waited_ms > 1, "two on one processor did not wait for one another")
    expect(seen >= int(waited_ms), f"it waited {waited_ms} ms: {line}")


@case
def one_that_is_told_to_end_says_so_first_and_waits():
    begin = time.monotonic()
    processes = len(os.sched_getaffinity(0))
    with metered(f"import os, time\nfor _ in range({processes} - 1):\n  if not os.fork(): break\n"
                 f"while time.process_time() < {WORK_S}: pass\n{STAYS}") as test:
        for _ in range(processes - 1):
            test.stdout.readline()
        test.send_signal(signal.SIGTERM)  # To the meter alone: meson tells both.
        line = test.stdout.readline()
        expect_own(processes * WORK_S, begin, line)
        equal(test.poll(), None, "the exit code before the test has ended")
        test.stdin.close()
        equal((test.wait(), test.stdout.read()), (0, ""), "the end")


run()

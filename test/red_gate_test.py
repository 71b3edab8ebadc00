#!/usr/bin/env python3
"""What a gate says of the tests that failed in it, and what it keeps. GATE is the folder of its scripts."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from case import Skip, case, contains, equal, expect, run, wait_until

HERE = pathlib.Path(__file__).resolve().parent
GATE = pathlib.Path(os.environ["GATE"])
sys.path.insert(0, str(HERE))

from quiet_meter import Reading

QUIET = Reading(late_ms=19.9, others=0.5, waited_ms=19, steal_ms=10, steal_percent=1.0)
STOP = Reading(late_ms=140.2, others=0, waited_ms=7, steal_ms=0, steal_percent=0)
STEAL = Reading(late_ms=3, others=0, waited_ms=7, steal_ms=30, steal_percent=2.13)
DOCTEST = "=" * 79 + "\n../a_test.cpp:{line}:\nTEST CASE:  {name}\n\n../a_test.cpp:9: {said}\n\n"
# A project with one test, which has arguments of its own; one of its cases fails.
PROJECT = """project('p')
test('some cases', find_program('python3'), args: [files('cases.py'), '--deciding', '--without', 'lacking'],
     env: {{'PYTHONPATH': '{cases}'}})
add_test_setup('metered', exe_wrapper: '{meter}')
"""
OWN_CASES = """from case import case, equal, run

@case
def lacking():
    equal(1, 1, "it")

@case
def right():
    equal(1, 1, "it")

@case
def wrong():
    equal(1, 2, "it")

run()
"""
UNITTEST_CASES = """import sys, unittest

class It(unittest.TestCase):
    def test_right(self):
        self.assertEqual(1, 1)

    def test_wrong(self):
        self.assertEqual(1, 2, "it")

del sys.argv[1:4]
unittest.main(verbosity=2)
"""


# A system in which setup tells what it is asked for and where, and waits until the other one is asked, too. It says
# where the thread sanitizer comes before the release is built, or what the release measures before that is over.
SYSTEM = """#!/bin/bash
told=${0%/*}/../told
await() { # COMMAND...
  for ((i = 0; i < 3000; ++i)); do
    ! "$@" || return 0
    sleep 0.01
  done
  echo "never so beside $word: $*"
  exit 1
}
too_early() {
  echo "$word: too early"
}
word=$3
echo "$word $1 ${SYSTEM:-anew} $$" >>"$told"
declare -A other=([build]=address [address]=build [thread]=test [test]=thread)
await grep -q "^${other[$word]} " "$told"
build=${SYSTEM:+$SYSTEM/wiremark/build}
case $word in
  build) mkdir -p "$build"; touch "$told-built" ;;
  thread)
    [[ -e $told-built ]] || too_early
    await test -e "$told-beside"
    touch "$told-over" ;;
  test)
    [[ -z $build ]] || ! flock --nonblock "$build" true || too_early
    touch "$told-beside"
    [[ -z $build ]] || await flock --nonblock "$build" true
    [[ -z $build || -e $told-over ]] || too_early ;;
esac
"""


def tally(build, *arguments):
    done = subprocess.run([sys.executable, GATE / "tally.py", build, *arguments], capture_output=True, text=True,
                          check=False)
    equal(done.stderr, "", "what the tally complains of")
    return done


def told(*arguments, **results):
    """What the tally says of tests, each with its result and output."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "meson-logs", "testlog-metered.json")
        log.parent.mkdir()
        log.write_text("".join(json.dumps({"name": f"w:cli / {name}", "result": result, "stdout": out,
                                           "duration": 1}) + "\n"
                               for name, (result, out) in results.items()), encoding="utf-8")
        return tally(folder, *arguments).stdout.replace(folder, "build").splitlines()


@case
def what_does_not_decide_is_told_apart():
    equal(told("--realtime", one=("OK", f"{STOP}\n"), two=("OK", f"{QUIET}\n")),
          ["realtime: 2 held, 0 skipped, 0 undecided, 0 failed on a quiet machine"], "two that held")
    equal(told("--realtime", held=("OK", f"{QUIET}\n"), lacking=("SKIP", f"x (0.0 s): SKIP: no socat\n{QUIET}\n"),
               stopped=("FAIL", f"x (0.1 s): FAILED in line 3: late\n{STOP}\n"),
               stolen=("TIMEOUT", f"x (0.1 s): FAILED in line 4: late\n{STEAL}\n"),
               quiet=("FAIL", f"x (0.1 s): FAILED in line 5: wrong\n{QUIET}\n"), killed=("TIMEOUT", "ERROR x\n")),
          [f"realtime undecided w:cli / stopped: FAIL: x (0.1 s): FAILED in line 3: late ({STOP})",
           f"realtime undecided w:cli / stolen: TIMEOUT: x (0.1 s): FAILED in line 4: late ({STEAL})",
           f"realtime failed w:cli / quiet: FAIL: x (0.1 s): FAILED in line 5: wrong ({QUIET})",
           "realtime failed w:cli / killed: TIMEOUT: ERROR x (quiet meter: nothing, it was killed)",
           "realtime skipped w:cli / lacking: x (0.0 s): SKIP: no socat",
           "realtime: 1 held, 1 skipped, 2 undecided (held up 140 ms, steal 2.1 %), "
           "2 failed on a quiet machine: quiet, killed"], "some of each")


@case
def what_decides_is_named_with_what_runs_it_alone():
    units = (DOCTEST.format(line=1, name="only tells, something", said="MESSAGE: x")
             + DOCTEST.format(line=2, name="it's \"one\", of two", said="ERROR: CHECK( x ) is NOT correct!")
             + DOCTEST.format(line=3, name="the other", said="FATAL ERROR: test case CRASHED: SIGABRT"))
    said = told(**{"cli stopped": ("FAIL", f"x (0.1 s): ok\ny (0.1 s): FAILED in line 3: late\n{STOP}\n"),
                   "net": ("FAIL", f"{units}{QUIET}\n"),
                   "faults": ("FAIL", f"netload over UDP, op:recv ECONNRESET 1+: FAILED: it hangs\n{QUIET}\n"),
                   "killed": ("TIMEOUT", "x (0.1 s): ok\n"), "lacking": ("SKIP", f"no socat\n{QUIET}\n")})
    equal(said[:said.index("skipped w:cli / lacking: no socat")],
          ["failed cli stopped: FAIL: y (0.1 s): FAILED in line 3: late",
           f"  decides; {STOP}",
           "  alone: meson test -C build 'cli stopped' --test-args=\"--only y\"",
           "failed net: it's \"one\", of two: the other: FAIL: ../a_test.cpp:9: ERROR: CHECK( x ) is NOT correct! | "
           "../a_test.cpp:9: FATAL ERROR: test case CRASHED: SIGABRT",
           f"  decides; {QUIET}",
           "  alone: meson test -C build net --test-args=\"'--test-case=it?s ?one?? of two,the other'\"",
           "failed faults: FAIL: netload over UDP, op:recv ECONNRESET 1+: FAILED: it hangs",
           f"  decides; {QUIET}",
           "  alone: meson test -C build faults --test-args=\"--only 'netload over UDP' op:recv ECONNRESET 1+\"",
           "failed killed: TIMEOUT: x (0.1 s): ok",
           "  decides; quiet meter: nothing, it was killed",
           "  alone: meson test -C build killed"], "four that failed")
    equal(said[-1], "tests of build: 0 passed, 4 failed, 1 skipped", "the totals")


@case
def the_command_runs_that_case_alone():
    again = told_and_run_alone(OWN_CASES, "wrong (")
    contains(again, "s): FAILED in line 13: it: expected 2, got 1")
    expect("right (" not in again, f"others ran, too:\n{again}")
    again = told_and_run_alone(UNITTEST_CASES, "test_wrong: FAIL: AssertionError: 1 != 2 : it | FAILED (failures=1)")
    contains(again, "FAIL: test_wrong (")
    expect("test_right" not in again, f"others ran, too:\n{again}")


def told_and_run_alone(cases, words):
    """What the command that a gate names says, of a test with one that fails; the gate has these words of that."""
    with tempfile.TemporaryDirectory() as folder:
        source, build = pathlib.Path(folder), pathlib.Path(folder, "build")
        (source / "meson.build").write_text(PROJECT.format(cases=HERE / "cli", meter=HERE / "quiet_meter.py"))
        (source / "cases.py").write_text(cases)
        subprocess.run(["meson", "setup", build, source], check=True, capture_output=True)
        failed = subprocess.run(["meson", "test", "-C", build, "--setup", "metered"], check=False, capture_output=True)
        equal(failed.returncode, 1, "the exit code of a test that fails")
        first, _, line = tally(build).stdout.splitlines()[:3]
        contains(first, f": {words}")
        expect(line.startswith("  alone: "), f"the third line: {line}")
        return subprocess.run(line.removeprefix("  alone: ") + " --verbose", shell=True, check=False,
                              capture_output=True, text=True).stdout


@contextlib.contextmanager
def project(programs):
    """A folder with a gate's scripts, and these programs instead of those that it has or calls."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(GATE, pathlib.Path(folder, ".ci"))
        for path, script in programs.items():
            program = pathlib.Path(folder, path)
            program.write_text(script, encoding="utf-8")
            program.chmod(0o755)
        yield folder


def begin_gate(folder, *words, **variables):
    """A gate, which a gate around it does not help."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("CCACHE_", "CACHE"))}
    return subprocess.Popen(["bash", ".ci/run", *words], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**outside, **variables})


def gate(setup, cache, **variables):
    """What a gate of one step says, in which setup is this script, and how it ends."""
    with project({"setup": f"#!/bin/sh\n{setup}\n"}) as folder:
        process = begin_gate(folder, "host", XDG_CACHE_HOME=cache, **variables)
        return process.communicate()[0], process.returncode


def last_lines_of_a_gate(said, code, green=False):
    """Of one that keeps nothing, in which setup says this and ends with that."""
    out, ended = gate(f"cat <<'TEXT'\n{said}TEXT\nexit {code}", cache="/dev/null")
    equal(ended, int(not green), "the exit code of the gate")
    return out.splitlines()[-10:]


def failures(count):
    return [f"failed test {one}: FAIL: x (0.1 s): FAILED in line 3: late\n  decides; {STOP}\n"
            f"  alone: meson test -C build 'test {one}' --test-args=\"--only x\"\n" for one in range(1, count + 1)]


@case
def the_last_ten_lines_of_a_red_gate_say_what_is_red():
    step = "this machine: "
    one, *others = failures(4)
    skipped = "skipped w:cli / lacking: no socat\n"
    equal(last_lines_of_a_gate(f"{skipped}tests of build: 9 passed, 0 failed, 1 skipped\n", 0, green=True)[-3:],
          [f"{step}skipped w:cli / lacking: no socat", "1 skipped, for the reasons above", "9 passed, 0 failed"],
          "a green one")
    equal(last_lines_of_a_gate(f"{one}{skipped}tests of build: 9 passed, 1 failed, 1 skipped\n", 1)[-5:],
          ["1 skipped, for the reasons above", *f"{step}{one}".splitlines(), "9 passed, 1 failed"], "one that is red")
    equal(last_lines_of_a_gate("".join([one, *others]) + "tests of build: 9 passed, 4 failed, 0 skipped\n", 1),
          [*f"{others[0]}{step}{others[1]}{step}{others[2]}".splitlines()[1:], "red: test 1, test 2, test 3, test 4",
           "9 passed, 4 failed"], "more than ten lines")
    said = last_lines_of_a_gate("setup: building\na.cpp:1:2: error: no such thing\nsetup: the build failed\n", 1)
    equal(said[-3:], [f"{step}ended with '1', and no test of it is red: a.cpp:1:2: error: no such thing",
                      "  again: bash .ci/run host", "0 passed, 1 failed"], "a build that fails")
    said = last_lines_of_a_gate("nothing\n", 0)
    equal(said[-3:], [f"{step}ended with 'no tests', and no test of it is red: nothing",
                      "  again: bash .ci/run host", "0 passed, 1 failed"], "a step without tests")


@case
def a_gate_keeps_what_compilers_made_where_it_can():
    says = 'echo "kept in ${CCACHE_DIR:-nothing}${CCACHE_DISABLE:+: off}"\necho "tests of build: 1 passed, 0 failed"'
    with tempfile.TemporaryDirectory() as folder:
        programs, cache = pathlib.Path(folder, "bin"), pathlib.Path(folder, "cache")
        programs.mkdir()
        (programs / "ccache").write_text("#!/bin/sh\n")
        (programs / "ccache").chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        contains(gate(says, cache=str(cache), PATH=path)[0], f"kept in {cache}/wiremark/ccache\n")
        contains(gate(says, cache="/dev/null", PATH=path)[0], "kept in nothing: off\n")


def in_systems(rest):
    """What a gate says, in whose systems setup ends with this; the release and the system of each word of setup."""
    nothing = "#!/bin/sh\necho tests of build: 0 passed, 0 failed\n"  # Of this machine, where it is no Debian 12.
    with project({".ci/chroot": SYSTEM + rest, "setup": nothing}) as folder:
        said, _ = begin_gate(folder, XDG_CACHE_HOME="/dev/null", TMPDIR=folder).communicate()
        equal(list(pathlib.Path(folder).glob("wiremark-*")), [], "the systems that are left")
        equal(re.findall(r"\w+: too early", said), [], "what comes too early")
        return said.splitlines(), {word: (release, system) for word, release, system, _ in words_told(folder)}


def words_told(folder):
    return [line.split() for line in pathlib.Path(folder, "told").read_text(encoding="utf-8").splitlines()]


def only_where_systems_can_be_made():
    with project({".ci/chroot": "#!/bin/sh\necho tests of it: 1 passed, 0 failed\n"}) as folder:
        said, _ = begin_gate(folder, "debian12", XDG_CACHE_HOME="/dev/null").communicate()
        if "it needs root on a Debian" in said:
            raise Skip("no empty system can be made here: that needs root on a Debian, and namespaces")


@case
def what_decides_runs_together_in_two_systems():
    only_where_systems_can_be_made()
    said, asked = in_systems('echo "tests of build-$3: 3 passed, 0 failed, 1 skipped"\n')
    equal(said[-2:], ["3 skipped, for the reasons above", "9 passed, 0 failed"], "the last lines")
    equal({word: release for word, (release, _) in asked.items()},
          {"build": "bookworm", "address": "trixie", "thread": "trixie", "test": "bookworm"}, "the releases")
    equal(asked["thread"], asked["address"], "where the thread sanitizer runs")
    equal(asked["test"], asked["build"], "where the tests of the release run")

    said, asked = in_systems('[[ $3 != build ]] || exit 1\necho "tests of build-$3: 3 passed, 0 failed"\n')
    equal(asked["test"], ("bookworm", "anew"), "where the tests run of a release that could not be built ahead")
    equal(said[-1], "9 passed, 0 failed", "the last line")

    said, _ = in_systems('echo "tests of build-$3: 3 passed, 0 failed"\n[[ $3 != thread ]] || exit 7\n')
    step = "thread, empty Debian 13: "
    equal(said[-3:], [f"{step}ended with '7', and no test of it is red: tests of build-thread: 3 passed, 0 failed",
                      "  again: bash .ci/run sanitize", "9 passed, 1 failed"], "a thread sanitizer that fails")


@case
def a_gate_that_is_ended_leaves_nothing():
    only_where_systems_can_be_made()
    ends_slowly = "trap 'kill $!; sleep 0.3; exit 130' TERM\nsleep 60 &\nwait\n"
    with project({".ci/chroot": SYSTEM + ends_slowly}) as folder:
        process = begin_gate(folder, XDG_CACHE_HOME="/dev/null", TMPDIR=folder)
        told = pathlib.Path(folder, "told")
        wait_until(lambda: told.exists() and len(words_told(folder)) == 2, "both systems are in use")
        process.send_signal(signal.SIGTERM)
        equal(process.wait(), -signal.SIGTERM, "how it ended")
        for word, _, _, pid in words_told(folder):
            expect(not pathlib.Path("/proc", pid).exists(), f"what was asked for {word} goes on")
        equal(list(pathlib.Path(folder).glob("wiremark-*")), [], "the systems that are left")


run()

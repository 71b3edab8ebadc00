#!/usr/bin/env python3
"""What ./setup builds and says, on a machine with a fake compiler and package manager.

The environment names the script as SETUP.
"""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile

from case import case, contains, equal, expect, run

PRETENDED = ["meson", "ninja", "pkg-config", "flatc", "protoc", "c++", "apt-get", "sudo", "sleep"]


class Machine:
    """A folder with setup in it, and programs that come before those of the real machine."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = os.path.join(folder, "bin")
        os.mkdir(self.bin)
        shutil.copy(os.environ["SETUP"], folder)
        for name in PRETENDED:
            self.program(name, "exit 0")
        self.program("sleep", 'exec /bin/sleep 0.01')
        self.program("sudo", 'exec "$@"')
        self.program("meson", "touch build/build.ninja")

    def program(self, name, script):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)

    def setup(self, *words, **variables):
        environment = {"PATH": self.bin + ":" + os.environ["PATH"], "HOME": self.folder, **variables}
        return subprocess.Popen([os.path.join(self.folder, "setup"), *words], env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def output(self, *words, **variables):
        with self.setup(*words, **variables) as process:
            out = process.communicate(timeout=60)[0]
        return process.returncode, out


def on_a_machine(body):
    def function():
        with tempfile.TemporaryDirectory() as folder:
            body(Machine(folder))
    function.__name__ = body.__name__
    return case(function)


def read_until(process, part):
    """The output up to the line that holds `part`."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if part in line:
            return lines
    expect(False, f"it ended without {part!r}: {lines}")


@on_a_machine
def run_builds_only_what_its_table_needs(machine):
    os.makedirs(machine.folder + "/build/tools")
    machine.program("ninja", 'echo "$*" >>asked')
    machine.program("../build/tools/netprobe", 'echo "$*" >probed')
    machine.program("../build/tools/netload", 'echo "the table of $*"; echo page >"${3#--html=}"')
    code, out = machine.output("run")
    equal(code, 0, f"the exit code of {out}")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        equal(file.read(), "-C build tools/netprobe\n-C build tools/netload tools/netecho\n",
              "what ninja was asked for")
    with open(machine.folder + "/probed", encoding="ascii") as file:
        equal(file.read(), "--for netload --compare epoll,uring\n", "what netprobe was asked")
    contains(out, "the table of --compare epoll,uring")
    contains(out, "setup: the same as pictures, for a browser: build/report.html\n")
    machine.program("../build/tools/netload", "exit 3")
    code, out = machine.output("run")
    equal(code, 3, f"the exit code of {out}")
    expect("for a browser" not in out, f"the page of an earlier run: {out}")


@on_a_machine
def static_builds_two_tools_without_tests(machine):
    machine.program("meson", 'echo "$*" >configured; mkdir -p build-static; touch build-static/build.ninja')
    machine.program("ninja", 'echo "$*" >asked')
    machine.program("c++", "echo /usr/lib/libsimdjson.a")
    code, out = machine.output("static", "-Dstrict=true")
    equal(code, 0, f"the exit code of {out}")
    with open(machine.folder + "/configured", encoding="ascii") as file:
        equal(file.read(), "setup build-static -Dbuildtype=release -Dprefer_static=true -Dtests=false -Dstrict=true\n",
              "what meson was asked for")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        equal(file.read(), "-C build-static tools/netecho tools/netload\n", "what ninja was asked for")


def asked_of_meson(machine, *words, **variables):
    """What meson is asked for under these words, a line each, with the compiler in front."""
    machine.program("meson", 'echo "$CXX $*" >>asked; [ "$1" != setup ] || { mkdir "$2"; touch "$2/build.ninja"; }')
    machine.program("ninja", 'echo "ninja $*" >>asked')
    for name in ("clang++-19", "python3", "ccache"):
        machine.program(name, "exit 0")
    code, out = machine.output(*words, "-Dstrict=true", **variables)
    equal(code, 0, f"the exit code of {out}")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        return file.read().splitlines()


def chosen_tests(line):
    """The options of a `meson test` that choose tests."""
    return " ".join(re.findall(r"--(?:no-)?suite \S+", line))


@on_a_machine
def a_sanitizer_runs_what_it_can_judge(machine):
    asked = asked_of_meson(machine, "address")
    expect(asked[0].startswith("ccache clang++-19 setup build-address "), asked[0])
    expect(asked[0].endswith(" -Db_sanitize=address,undefined -Dfuzzers=auto -Dfuzz_seconds=5 -Dstrict=true"), asked[0])
    equal(asked[1], "ninja -C build-address", "what is built")
    contains(asked[2], "ccache clang++-19 test -C build-address ")
    equal(chosen_tests(asked[2]), "--no-suite realtime --no-suite once", "the tests")


@on_a_machine
def fuzz_targets_have_a_minute_in_the_address_build(machine):
    asked = asked_of_meson(machine, "fuzz")
    expect(asked[0].startswith("ccache clang++-19 setup build-address "), asked[0])
    expect(asked[0].endswith(" -Db_sanitize=address,undefined -Dfuzzers=enabled -Dfuzz_seconds=60 -Dstrict=true"),
           asked[0])
    equal(asked[1], "ninja -C build-address fuzz", "what is built")
    equal(chosen_tests(asked[2]), "--no-suite realtime --suite fuzz", "the tests")


@on_a_machine
def the_thread_sanitizer_runs_what_threads_do(machine):
    asked = asked_of_meson(machine, "thread")
    expect(asked[0].endswith(" -Db_sanitize=thread -Dstrict=true"), asked[0])
    equal(asked[1], "ninja -C build-thread threads", "what is built")
    equal(chosen_tests(asked[2]), "--no-suite realtime --suite threads", "the tests")


def runs_of_tests(asked):
    """Build directory and chosen tests of each."""
    return [(line.split(" test -C ")[1].split()[0], chosen_tests(line)) for line in asked if " test -C " in line]


@on_a_machine
def both_sanitizers_run_what_they_can_judge(machine):
    equal(runs_of_tests(asked_of_meson(machine, "sanitize")),
          [("build-address", "--no-suite realtime --no-suite once"),
           ("build-thread", "--no-suite realtime --suite threads")], "what runs")


@on_a_machine
def both_sanitizers_run_all_that_they_can(machine):
    equal(runs_of_tests(asked_of_meson(machine, "sanitize", "--full")),
          [("build-address", "--no-suite realtime"),
           ("build-thread", "--no-suite realtime --suite threads --suite same-threads")], "what runs")


@on_a_machine
def a_chosen_compiler_is_taken_as_it_is(machine):
    machine.program("g++-12", "exit 0")
    asked = asked_of_meson(machine, "address", CXX="g++-12")
    expect(asked[0].startswith("g++-12 setup build-address "), asked[0])


@on_a_machine
def clang_is_installed_where_it_is_to_be_had(machine):
    """That of the fake machine works once both of its packages are there."""
    machine.program("ls", "exit 0")
    machine.program("apt-cache", 'echo "$2"')
    machine.program("dpkg-query", "exit 1")
    machine.program("python3", "exit 0")
    machine.program("clang++-19", 'grep -q "clang-19.* libclang-rt-19-dev" installed')
    machine.program("apt-get", '[ "$1" = update ] || echo "$*" >>installed')
    machine.program("meson", 'echo "$CXX" >>compiler; mkdir -p "$2"; touch "$2/build.ninja"')
    machine.output("fuzz")
    with open(machine.folder + "/compiler", encoding="ascii") as file:
        expect(file.readline().endswith("clang++-19\n"), "another compiler is taken")


@on_a_machine
def packages_have_their_options_in_their_rules(machine):
    machine.program("dpkg-buildpackage", "touch built")
    code, out = machine.output("deb", "-Dstrict=true")
    equal(code, 2, f"the exit code of {out}")
    contains(out, "packaging/debian/rules")
    expect(not os.path.exists(machine.folder + "/built"), "packages were built all the same")


@on_a_machine
def a_table_that_cannot_come_is_not_built(machine):
    """Only what netprobe says is impossible ends it; a netprobe that fails otherwise does not."""
    os.makedirs(machine.folder + "/build/tools")
    machine.program("ninja", 'echo "$*" >>asked')
    machine.program("../build/tools/netload", 'echo "the table"')
    machine.program("../build/tools/netprobe", 'echo "netprobe: it cannot run: 132 open files" >&2; exit 3')
    code, out = machine.output("run")
    equal(code, 3, f"the exit code of {out}")
    contains(out, "it cannot run: 132 open files")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        equal(file.read(), "-C build tools/netprobe\n", "what ninja was asked for")
    machine.program("../build/tools/netprobe", "exit 1")
    code, out = machine.output("run")
    equal(code, 0, f"the exit code of {out}")
    contains(out, "the table")


@on_a_machine
def a_build_that_is_piped_says_how_far_it_is(machine):
    os.mkfifo(machine.folder + "/seen")
    machine.program("ninja", 'echo "[120 of 269] Compiling"; echo "a warning of three"; read -r line <seen')
    with machine.setup("build") as process:
        read_until(process, "setup: building in build/: 120 of 269, ")
        with open(machine.folder + "/seen", "w", encoding="ascii") as file:
            file.write("on\n")
        contains(process.communicate(timeout=60)[0], "setup: done")
        equal(process.returncode, 0, "the exit code")


@on_a_machine
def packages_that_are_installed_are_told(machine):
    """The compiler is missing until apt-get installs it, when the test allows that."""
    os.mkfifo(machine.folder + "/seen")
    machine.program("c++", "test -e installed")
    machine.program("apt-get", '[ "$1" = install ] || exit 0; echo "Unpacking g++"; read -r line <seen; touch installed')
    with machine.setup("build") as process:
        out = "".join(read_until(process, "setup: installing packages: Unpacking g++, "))
        contains(out, "setup: missing here: g++ ")
        with open(machine.folder + "/seen", "w", encoding="ascii") as file:
            file.write("on\n")
        contains(process.communicate(timeout=60)[0], "setup: done")


@on_a_machine
def options_bring_what_they_need(machine):
    """The headers of asio are missing, which only the peers use."""
    machine.program("c++", "! grep -q asio.hpp")
    for name in ("python3", "apt-cache"):
        machine.program(name, "exit 0")
    machine.program("apt-get", 'echo "$*" >>asked')
    machine.output("build", "-Dpeers=auto")
    expect(not os.path.exists(machine.folder + "/asked"), "what may be missing is installed")
    for option in ["peers", "mpi", "rivals"]:
        machine.output("build", f"-D{option}=enabled")
        with open(machine.folder + "/asked", encoding="ascii") as file:
            contains(file.read(), " libasio-dev")
        os.remove(machine.folder + "/asked")


@on_a_machine
def a_tree_that_was_built_is_tested_with_the_modules_that_come_after(machine):
    """Meson is asked anew, since the python that it found has not the modules."""
    machine.program("meson", 'echo "$1 $2" >>asked; touch build/build.ninja')
    machine.program("python3", """case $* in
      '-m venv '*) mkdir -p build/venv/bin; printf '#!/bin/sh\\nexit 0\\n' >build/venv/bin/python3
                   chmod 755 build/venv/bin/python3 ;;
      *hdrh*) exit 1 ;;
      esac""")
    for word in ["build", "test", "test"]:
        code, out = machine.output(word)
        equal(code, 0, f"the exit code of {word}: {out}")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        equal(file.read().splitlines(), ["setup build", "setup --reconfigure", *["test -C"] * 4],
              "what meson was asked for")


@on_a_machine
def what_measures_waits_for_what_runs_beside(machine):
    """Whoever runs something beside the tests has the lock of their build directory."""
    machine.program("meson", 'echo " $*" >>asked; touch build/build.ninja')
    machine.program("python3", "exit 0")
    deciding, measuring = ("build", "--no-suite realtime"), ("build", "--suite realtime")

    def tested():
        with open(machine.folder + "/asked", encoding="ascii") as file:
            return runs_of_tests(file.read().splitlines())

    os.mkdir(machine.folder + "/build")
    lock = os.open(machine.folder + "/build", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with machine.setup("test") as process:
        read_until(process, "setup: waiting for what runs beside, ")
        equal(tested(), [deciding], "what ran beside")
        os.close(lock)
        process.communicate(timeout=60)
        equal(process.returncode, 0, "the exit code")
    equal(tested(), [deciding, measuring], "what ran then")
    expect("waiting" not in machine.output("test")[1], "it waits where it need not")


@on_a_machine
def what_a_release_does_not_have_is_not_asked_for(machine):
    """Only its lists tell, and they come on the way."""
    machine.program("ls", "test -e lists")
    machine.program("apt-cache", "echo libupb-dev")
    machine.program("dpkg-query", "exit 1")
    machine.program("python3", "exit 0")
    machine.program("apt-get", 'case $1 in update) touch lists ;; *) echo "$*" >>asked ;; esac')
    out = machine.output("test", "-Dpeers=enabled")[1]
    contains(out, "setup: missing here: ")
    contains(out, " libyyjson-dev ")
    with open(machine.folder + "/asked", encoding="ascii") as file:
        asked = file.read().split()
    expect("libupb-dev" in asked and "libyyjson-dev" not in asked, f"what apt-get was asked for: {asked}")
    contains(out, "setup: going on without: ")
    expect("libyyjson-dev" not in out.split("setup: going on without: ")[1].split("\n")[0],
           f"it is missed where it cannot be had: {out}")


@on_a_machine
def a_step_that_fails_shows_the_end_of_its_log(machine):
    machine.program("ninja", 'echo "[3 of 9] Compiling"; echo "error: no such thing"; exit 1')
    code, out = machine.output("build")
    equal(code, 1, "the exit code")
    contains(out, "setup: the build in build/ failed")
    contains(out, "error: no such thing")


@on_a_machine
def what_tells_how_far_it_is_ends_with_setup(machine):
    """If it lived on, a pipe that it writes to would stay open for ever."""
    os.mkfifo(machine.folder + "/seen")
    machine.program("ninja", 'echo "[1 of 2] Compiling"; read -r line <seen')
    with machine.setup("build") as process:
        read_until(process, "1 of 2")
        process.kill()
        process.wait(timeout=60)
        process.stdout.read()
        with open(machine.folder + "/seen", "w", encoding="ascii") as file:
            file.write("on\n")


run()

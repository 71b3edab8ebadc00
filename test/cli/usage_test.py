#!/usr/bin/env python3
"""What netecho and netload say to command lines that are wrong, and to questions about themselves.

The environment names the man pages' folder as MAN and, beside what process.py reads, nothing else.
"""

import contextlib
import itertools
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile

from case import Skip, case, contains, equal, expect, run
from foul import FOUL_ARGUMENT, SHOWN_ARGUMENT, shown_as_letters
from process import Echo, free_port, netecho, netload, program, run_program

def netreport(*flags):
    return run_program(program("NETREPORT"), *flags)


def codecbench(*flags):
    return run_program(program("CODECBENCH"), *flags)


COMPARISON = pathlib.Path(__file__).resolve().parent.parent / "report/data/comparison.json"
BOTH = [netecho, netload]
ALL = ["netecho", "netload", "netreport", "netprobe", "codecbench"]
ALL += ["netload-mpi"] if os.environ.get("NETLOAD_MPI") else []  # It is built where there is an MPI.


def named(name):
    return program(name.upper().replace("-", "_"))


def expect_usage(run_tool, flags, *parts):
    """Exit 2, nothing on standard output, and a line on standard error with all the parts."""
    ended = run_tool(*flags)
    ended.ended_with(2)
    equal(ended.out, "", "standard output of a usage error")
    line = ended.err.splitlines()[0]
    for part in parts:
        contains(line, part, f"the answer to {flags}")
    contains(ended.err, "--help", f"the answer to {flags}")


@case
def files_that_cannot_be_written():
    """They are refused before any work, and what is there stays."""
    latency = ["--json=", "--html=", "--csv=", "--hgrm=", "--hdr-log="]
    run_tools = {netload: latency, netreport: latency, netecho: ["--json=", "--html=", "--csv=", "--port-file="],
                 codecbench: ["--json=", "--csv="]}
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/rows", "w", encoding="ascii") as rows:
            rows.write("other,columns\n")
        for tool, flags in run_tools.items():
            for flag in flags:
                expect_usage(tool, [f"{flag}{folder}/none/file"], flag[:-1], "the folder must be there")
                expect_usage(tool, [f"{flag}{folder}"], flag[:-1], "Is a directory")
            expect_usage(tool, [f"--csv={folder}/rows"], "has other columns")
        equal(os.listdir(folder), ["rows"], "files afterwards")


# The ways in which each tool names a file that it reads, and those that it writes.
INPUTS = [(netreport, ["{}"]), (netreport, ["--against", "{}", "{new}"]), (netreport, ["{new}", "{}"]),
          (netload, ["--send", "@{}"]), (netload, ["--send", "PING", "--send=@{}"]), (netload, ["--send-lines", "@{}"]),
          (netload, ["--send-lines", "{}"]), (netload, ["--send", "PING", "--expect", "@{}"]),
          (netload, ["http://127.0.0.1:1/", "--body", "@{}"]), (netload, ["-f", "bytes", "--input", "{}"]),
          (codecbench, ["--baseline", "{}"]), (codecbench, ["--input", "{}"])]
OUTPUTS = {netreport: ["--json=", "--html=", "--hgrm=", "--hdr-log="],
           netload: ["--json=", "--html=", "--hgrm=", "--hdr-log="], codecbench: ["--json=", "--html="]}


@case
def no_file_that_is_read_is_written():
    """By no spelling of its name: the run is refused, and the file stays."""
    with tempfile.TemporaryDirectory() as folder:
        read = f"{folder}/read"
        with open(read, "w", encoding="ascii") as file:
            file.write("what is read\n")
        os.symlink("read", f"{folder}/link")
        os.symlink("link", f"{folder}/link_to_link")
        os.link(read, f"{folder}/other_name")
        spellings = [read, os.path.relpath(read), f"{folder}/.//read", f"{folder}/link", f"{folder}/link_to_link",
                     f"{folder}/other_name"]
        for tool, flags in INPUTS:
            flags = [flag.replace("{new}", f"{folder}/new") for flag in flags]
            for output, (i, spelling) in itertools.product(OUTPUTS[tool], enumerate(spellings)):
                named_as = [flag.replace("{}", read if i % 2 else f"{folder}/link") for flag in flags]
                expect_usage(tool, [*named_as, output + spelling], output[:-1], "is the file that is read as",
                             "name another")
        with open(read, encoding="ascii") as file:
            equal(file.read(), "what is read\n", "the file afterwards")
        equal(sorted(os.listdir(folder)), ["link", "link_to_link", "other_name", "read"], "files afterwards")


@case
def two_outputs_are_two_files():
    """Else the second would take the place of the first. That holds for standard output in a file too."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink("new", f"{folder}/link")
        both = ["--json=", "--html=", "--csv="]
        tools = {netload: [*both, "--hgrm=", "--hdr-log="], netreport: [*both, "--hgrm=", "--hdr-log="],
                 netecho: [*both, "--port-file="], codecbench: both}
        for tool, flags in tools.items():
            for one, other in itertools.combinations(flags, 2):
                operand = ["x"] if tool == netreport else []
                expect_usage(tool, [f"{one}{folder}/new", f"{other}{folder}/link", *operand], one[:-1], other[:-1],
                             "are one file (name two)")
        equal(os.listdir(folder), ["link"], "files afterwards")
        shown = f"{folder}/shown"

        def refusal_with_output_to_that(*command):
            with open(shown, "w", encoding="ascii") as out:
                ended = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
            equal(ended.returncode, 2, f"exit code of {command}")
            return ended.stderr

        for tool in ALL:
            operand = ["x"] if tool == "netreport" else []
            contains(refusal_with_output_to_that(named(tool), f"--json={shown}", *operand),
                     f"standard output and --json {shown} are one file", tool)
        contains(refusal_with_output_to_that(named("netreport"), shown),
                 f"standard output is the file that is read as {shown}")
        # /dev/stdout is written to behind the text, and a device keeps what others write.
        with open(shown, "w", encoding="ascii") as out:
            subprocess.run([named("netreport"), COMPARISON, "--json=/dev/stdout"], stdout=out, check=True, timeout=60)
        with open(shown, encoding="utf-8") as both:
            equal(both.read(), netreport(COMPARISON).out + netreport(COMPARISON, "--json").out, "text and document")
        equal(netreport("--json=/dev/null", "--html=/dev/null", "/dev/null").ended_with(3).out, "", "/dev/null thrice")


@case
def wrong_values_of_both_tools():
    for tool in BOTH:
        expect_usage(tool, ["--backend", "foo"], "--backend", "foo", "auto, epoll, uring or xdp")
        expect_usage(tool, ["-b", "io"], "--backend", "auto, epoll, uring or xdp")
        expect_usage(tool, ["-d", "5x"], "--duration", "5x", "time such as")
        expect_usage(tool, ["-d", "0"], "--duration", "'0'", "1s is a second")
        expect_usage(tool, ["--duration=-1s"], "--duration", "time such as")
        expect_usage(tool, ["-i", "soon"], "--interval", "time such as")
        expect_usage(tool, ["--cpus", "9-1"], "--cpus", "9-1", "list of processors")
        expect_usage(tool, ["-t", "0"], "--threads", "whole number from 1")
        expect_usage(tool, ["--wait", "nap"], "--wait", "block, spin")
        expect_usage(tool, ["--wait", "adaptive:x"], "--wait", "time such as")
        expect_usage(tool, ["--wait", "batch:1s"], "--wait", "100ms")
        expect_usage(tool, ["--uring", "fast"], "--uring", "'fast'", "direct, bundle")
        expect_usage(tool, ["--uring", "zc=0"], "--uring", "size of 1")
        expect_usage(tool, ["--backend", "epoll", "--uring", "zc"], "--uring", "--backend is epoll")
        expect_usage(tool, ["--buffers", "100"], "--buffers", "power of two")
        expect_usage(tool, ["--buffer-size", "1"], "--buffer-size", "from 64")
        expect_usage(tool, ["--sndbuf", "0"], "--sndbuf", "size from 1")
        expect_usage(tool, ["--format", "xml"], "--format", "xml", "raw, bytes, protobuf, json, flatbuffers")
        expect_usage(tool, ["-f", ""], "--format", "raw")
        expect_usage(tool, ["--max-frame", "63"], "--max-frame", "from 64 to 16M")
        expect_usage(tool, ["--completion", "tcsh"], "--completion", "tcsh", "bash")
        expect_usage(tool, ["--frobnicate"], "--frobnicate")
        expect_usage(tool, ["-Z"], "-Z")
        expect_usage(tool, ["--threads"], "--threads")


@case
def a_foul_argument_is_shown_as_letters():
    for name in ALL:
        for form in ["{}", "--{}", "--completion={}", "--json={}/file"]:
            ended = run_program(named(name), form.format(FOUL_ARGUMENT))
            expect(ended.code in (2, 3), f"{name} ended with {ended.code}")
            contains(ended.err, SHOWN_ARGUMENT, f"what {name} says of {form}")
            shown_as_letters(ended.out + ended.err, f"{name} {form}")
    for flags in [["--cpus"], ["--source-ip"], ["--slo"], ["--compare"], ["--send=a", "--reply"]]:
        line = netload(*flags, FOUL_ARGUMENT, "127.0.0.1:1").ended_with(2).err
        contains(line, SHOWN_ARGUMENT, f"the answer to {flags}")
        shown_as_letters(line, flags)


@case
def wrong_values_of_netload():
    for text in ["abc", "0", "-5", "1.5", "10q", "99999999999999999999"]:
        expect_usage(netload, [f"--connections={text}"], "--connections", "whole number from 1")
    expect_usage(netload, ["-c", "abc"], "--connections", "abc")
    expect_usage(netload, ["-r", "-3"], "--rate", "number such as")
    expect_usage(netload, ["-R", "fast"], "--total-rate", "number such as")
    expect_usage(netload, ["-r", "5", "-R", "5"], "--rate", "--total-rate")
    expect_usage(netload, ["-n", "-1"], "--requests", "number")
    expect_usage(netload, ["-n", "0.5"], "--requests", "whole number")
    for text in ["0", "10-5", "-1", "x", "1-", "17M"]:
        expect_usage(netload, [f"--size={text}"], "--size", "64-1k")
    expect_usage(netload, ["-P", "0"], "--pipeline", "whole number from 1")
    expect_usage(netload, ["--timeout", "x"], "--timeout", "time such as")
    expect_usage(netload, ["--warmup", "x"], "--warmup", "time such as")
    expect_usage(netload, ["--latency-from", "moon", "-r", "1"], "--latency-from", "schedule or send")
    for text in ["x", "127.0.0.9-127.0.0.2", "127.0.0.1,::1", "127.0.0.1:80"]:
        expect_usage(netload, ["--source-ip", text], "--source-ip", "address")
    expect_usage(netload, ["--seed", "x"], "--seed", "whole number")
    expect_usage(netload, ["--server-pid", "me"], "--server-pid", "whole number")


@case
def flags_that_do_not_go_together():
    expect_usage(netload, ["--compare", "epoll", "127.0.0.1:7"], "--compare", "TARGET")
    expect_usage(netload, ["--compare", "epoll,foo"], "--compare", "foo")
    expect_usage(netload, ["--arrival", "poisson"], "--arrival", "rate")
    expect_usage(netload, ["--arrival", "never", "-r", "1"], "--arrival", "even or poisson")
    expect_usage(netload, ["--churn", "0"], "--churn", "whole number from 1")
    expect_usage(netload, ["--latency-from", "send"], "--latency-from", "rate")
    expect_usage(netload, ["-f", "sockperf"], "--format", "sockperf")
    expect_usage(netload, ["-f", "json", "-s", "64"], "--size", "contents")
    expect_usage(netload, ["--input", __file__], "--input", "format")
    expect_usage(netload, ["-f", "json", "--input", "/nowhere"], "--input", "/nowhere")
    expect_usage(netload, ["--rounds", "3", "127.0.0.1:7"], "--rounds", "--compare")
    expect_usage(netload, ["--server-cpus", "0", "127.0.0.1:7"], "--server-cpus", "TARGET")
    expect_usage(netload, ["--server-pid", "1"], "--server-pid", "TARGET")
    expect_usage(netload, ["unix:/tmp/none", "--source-ip", "127.0.0.2"], "--source-ip", "Unix")
    expect_usage(netload, ["127.0.0.1:7", "127.0.0.1:8"], "127.0.0.1:8")
    for flags in [["-6"], ["-4", "--compare", "epoll,uring"], ["-6", "--bypass"], ["-4", "unix:/tmp/none"],
                  ["-6", "--compare", "unix:/tmp/none,:7"]]:
        expect_usage(netload, flags, "-4 and -6", "TARGET")
    for tool in BOTH:
        expect_usage(tool, ["-4", "-6", "localhost:7"], "--ipv4", "--ipv6")
        contains(tool("-6", "127.0.0.1:7").ended_with(3).err, "of IPv6, as asked")
        contains(tool("-4", "[::1]:7").ended_with(3).err, "of IPv4, as asked")
    for target in [":0", "127.0.0.1:0", "[::1]:0", "udp:127.0.0.1:0"]:
        expect_usage(netload, [target], "port 0", "the port that it took")


@case
def malformed_addresses():
    for text in ["nowhere", "127.0.0.1:70000", "127.0.0.1:", "::1:7007", "[::1", "unix:", "1.2.3.4:-1"]:
        expect_usage(netload, [text], "TARGET", text)
        expect_usage(netecho, [text], "LISTEN", text)
    expect_usage(netecho, ["127.0.0.1:0", "nowhere"], "LISTEN", "nowhere")
    expect_usage(netload, ["unix:/" + "x" * 200], "TARGET", "107 bytes")


@case
def names_that_resolve_to_nothing():
    for tool in BOTH:
        ended = tool("nobody.invalid:7007").ended_with(3)
        contains(ended.err, "nobody.invalid")


@case
def port_in_use():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        for threads in ["1", "2"]:
            ended = netecho(f"127.0.0.1:{port}", "-t", threads, "-d", "5s").ended_with(3)
            contains(ended.err, f"127.0.0.1:{port}")
            contains(ended.err, "in use")
            contains(ended.err, "port 0", "the fix")
            equal(len(ended.err.splitlines()), 1, "lines on standard error")
    with Echo() as first:
        netecho(first.address, "-d", "5s").ended_with(3)


@case
def address_of_another_machine():
    ended = netecho("192.0.2.1:7007", "-d", "5s").ended_with(3)
    contains(ended.err, "192.0.2.1:7007")


@case
def target_down():
    port = free_port()
    ended = netload(f"127.0.0.1:{port}", "-c", "20", "-d", "5s").ended_with(3)
    contains(ended.err, f"127.0.0.1:{port}")
    contains(ended.err, "refused")
    contains(ended.err, f"netecho 127.0.0.1:{port}", "the fix")
    with tempfile.TemporaryDirectory() as folder:
        ended = netload(f"unix:{folder}/none", "-c", "2", "-d", "5s").ended_with(3)
        contains(ended.err, "No such file")
        contains(ended.err, f"netecho unix:{folder}/none", "the fix")


@case
def processors_that_are_not_there():
    allowed = min(os.sched_getaffinity(0))
    for tool, target in [(netecho, "127.0.0.1:0"), (netload, "127.0.0.1:7")]:
        ended = tool(target, "--cpus", "1023", "-d", "1s").ended_with(3)
        expect(re.search(rf"cpu 1023 \(allowed here: {allowed}[-,)]", ended.err), f"the processors: {ended.err}")


@case
def threads_that_the_machine_does_not_give():
    """A stack of 20 TiB is more than the kernel promises memory for."""
    for argv in [[program("NETECHO"), "127.0.0.1:0", "-t", "16"], [program("NETECHO"), "127.0.0.1:0", "--model", "staged"],
                 [program("NETLOAD"), "127.0.0.1:7", "-t", "16"], [program("CODECBENCH"), "-t", "16"]]:
        ended = run_program("sh", "-c", 'ulimit -s 20000000000 && exec "$@"', "sh", *argv, "-d", "1s")
        if "ThreadSanitizer" in ended.err:
            raise Skip("ThreadSanitizer does not start with such stacks")
        contains(ended.ended_with(3).err, "pthread_create")
        contains(ended.err, "fewer threads", "the fix")


@case
def memory_that_the_machine_does_not_give():
    with tempfile.NamedTemporaryFile() as lines:
        lines.truncate(1 << 30)
        argv = [program("CODECBENCH"), "--input", lines.name]
        ended = run_program("sh", "-c", 'ulimit -v 400000 && exec "$@"', "sh", *argv)
    if "Sanitizer" in ended.err:
        raise Skip("a sanitizer does not start with so little")
    contains(ended.ended_with(3).err, "codecbench: out of memory: ask for fewer")


@case
def threads_by_the_thousand():
    """They would take the machine's memory one by one, until the kernel kills the tool without a word."""
    processors = len(os.sched_getaffinity(0))
    most = max(64, 4 * processors)
    for argv in [[program("NETECHO"), "127.0.0.1:0"], [program("NETLOAD"), "127.0.0.1:7"], [program("CODECBENCH")]]:
        for threads in [str(most + 1), "10000", "1000M"]:
            ended = run_program(*argv, "-t", threads, "-d", "1ms").ended_with(2)
            contains(ended.err, f"'{threads}' are too many for {processors} processor", "the bound")
            contains(ended.err, f"take at most {most}\n", "the fix")


@case
def more_than_there_is_room_for():
    for flags, part in [(["-c", "10000", "-r", "100000", "-d", "60m", "--arrival", "poisson"], "--arrival even"),
                        (["-R", "100k", "-d", "600m", "--arrival", "poisson"], "--arrival even"),
                        (["-R", "100k", "-n", "2000M", "--arrival", "poisson"], "--arrival even"),
                        (["-c", "1", "-r", "1M", "-d", "90m"], "more connections"),
                        (["-c", "10000", "-P", "100k"], "--pipeline, such as 6710"),
                        (["-P", "1000M"], "--pipeline, such as 671088")]:
        contains(netload("127.0.0.1:7", *flags).ended_with(3).err, part, f"the answer to {flags}")
    netload("127.0.0.1:7", "-P", "671088", "-d", "1s").ended_with(3)


@case
def version():
    with open("/proc/sys/kernel/osrelease", encoding="ascii") as file:
        kernel = file.read().strip()
    for name in ALL:
        for flag in ["-V", "--version"]:
            out = run_program(named(name), flag).ended_with(0).out
            expect(re.fullmatch(rf"{name} \d+\.\d+\.\d+ \((g\+\+|clang) \d\S*, liburing \d\S*, Linux \S+\)\n"
                                r"built with -O\d .*\n(slower than a release: .*\n)*", out),
                   f"a version of another shape: {out}")
            contains(out, f"Linux {kernel})")


def long_options(text):
    """The long options that a help text offers, from its own column of names."""
    names = set()
    for line in text.splitlines():
        if re.match(r"  -", line):
            names |= set(re.findall(r"--[a-z][a-z0-9-]+", re.split(r"\s{2,}| Excludes", line.strip())[0]))
    return names


def help_of(tool):
    out = tool("--help").ended_with(0).out
    names = long_options(out)
    expect({"--help", "--version", "--backend", "--json"} <= names, f"help without its options: {names}")
    return out, names


@case
def help_teaches():
    for tool, name in [(netecho, "netecho"), (netload, "netload")]:
        out, _ = help_of(tool)
        for part in ["Examples:", "Usage:", f"  {name} "]:
            contains(out, part)
        expect(all(line == line.rstrip() for line in out.splitlines()), "spaces at the end of a line")
        equal(tool("-h").ended_with(0).out, out, "-h")


@case
def help_fits_eighty_columns():
    for name in ALL:
        for line in run_program(named(name), "--help").ended_with(0).out.splitlines():
            expect(len(line) <= 80, f"a line of {len(line)} columns in the help of {name}: {line}")


@case
def mistyped_options_are_answered_with_the_nearest():
    for name, flags, meant in [("netload", ["--conections", "5"], "--connections"),
                               ("netload", ["-c", "5", "--tiemout=3s"], "--timeout"),
                               ("netload", ["--conn", "many"], "--connections"),
                               ("netecho", ["--formt", "json"], "--format"),
                               ("netreport", ["--hgram=x"], "--hgrm"),
                               ("codecbench", ["--basline", "x"], "--baseline")]:
        expect_usage(lambda *argv: run_program(named(name), *argv), flags,
                     f"there is no option {flags[-2 if '=' not in flags[-1] else -1].split('=')[0]}; did you mean {meant}?")
    expect("did you mean" not in netload("--frobnicate").err, "a suggestion for what is near nothing")


def script_of(tool, shell):
    return tool("--completion", shell).ended_with(0).out


@case
def completions_hold_every_option():
    for tool in BOTH:
        _, names = help_of(tool)
        for shell in ["bash", "zsh", "fish"]:
            script = script_of(tool, shell)
            for name in names:
                form = rf"-l {name[2:]}\b" if shell == "fish" else rf"{name}(?![a-z-])"
                expect(re.search(form, script), f"{shell} completion lacks {name}:\n{script}")


@case
def completions_tell_which_options_take_a_value():
    for tool in BOTH:
        for name, takes in [("duration", True), ("threads", True), ("version", False), ("quiet", False)]:
            zsh, fish = (next(line for line in script_of(tool, shell).splitlines() if form + name in line)
                         for shell, form in [("zsh", "'--"), ("fish", "-l ")])
            equal([":value:_files" in zsh, " -r" in fish], [takes, takes], f"--{name} takes a value")


@case
def bash_completes():
    for tool, name in [(netecho, "netecho"), (netload, "netload")]:
        script = script_of(tool, "bash")
        ended = run_program("bash", "-n", "-c", script).ended_with(0)
        equal(ended.err, "", "bash -n")
        asked = script + f"COMP_WORDS=({name} --du); COMP_CWORD=1; _{name}; echo \"${{COMPREPLY[*]}}\""
        equal(run_program("bash", "-c", asked).ended_with(0).out.strip(), "--duration", "what bash completes")


def check_syntax(shell):
    if not shutil.which(shell):
        raise Skip(f"{shell} is not installed")
    for tool in BOTH:
        with tempfile.NamedTemporaryFile("w", suffix="." + shell) as file:
            file.write(script_of(tool, shell))
            file.flush()
            equal(run_program(shell, "-n", file.name).ended_with(0).err, "", f"{shell} -n")


@case
def zsh_reads_its_completion():
    check_syntax("zsh")


@case
def fish_reads_its_completion():
    check_syntax("fish")


def check_man_page(tool, name):
    """Every long option of the help is in the man page, which may write - as \\-."""
    page = os.path.join(program("MAN"), name + ".1")
    if not os.path.exists(page):
        raise Skip(f"there is no {name}.1 yet")
    _, names = help_of(tool)
    if shutil.which("mandoc"):
        text = subprocess.run(["mandoc", "-T", "ascii", page], capture_output=True, check=True).stdout.decode()
        text = re.sub(".\b", "", text)
    else:
        with open(page, encoding="utf-8") as file:
            text = file.read().replace("\\-", "-")
        text = re.sub(r"\bFl -(?=[a-z])", "--", text)
    missing = [option for option in sorted(names) if not re.search(rf"{option}(?![a-z-])", text)]
    expect(not missing, f"{name}.1 lacks {', '.join(missing)}")


@case
def man_page_of_netecho():
    check_man_page(netecho, "netecho")


@case
def man_page_of_netload():
    check_man_page(netload, "netload")


run()

#!/usr/bin/env python3
"""netprobe as root, as nobody, under a filter, in a user namespace and with lowered limits."""

import json
import os
import resource
import subprocess
import tempfile

from case import Skip, case, contains, equal, expect, run
from document import keeps_to_the_schema
from foul import FOUL_ARGUMENT, SHOWN_ARGUMENT, shown_as_letters
from process import netload, program, run_program

NO_DEVICE = "nothing is polled"


def netprobe(*flags, before=()):
    return run_program(*before, program("NETPROBE"), *flags)


def findings(*flags, before=()):
    """Each line by what it is about."""
    document = netprobe("--json", *flags, before=before).ended_with(0).json()
    return {one["what"]: one for one in document["findings"]}


def expect_answer(found, what, *answers):
    expect(what in found, f"no line for {what}: {sorted(found)}")
    expect(found[what]["answer"] in answers, f"{what}: expected {answers}, got {found[what]}")
    return found[what]


def limited(*limits):
    """Arguments before a command that lower limits of it."""
    return ["prlimit", *[f"--{name}={value}" for name, value in limits]]


def as_nobody():
    tried = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x",
                            program("NETPROBE")], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"the program cannot be run as nobody: {tried.stderr.strip()}")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def tried_in(before):
    tried = subprocess.run([*before, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"{' '.join(before)}: {tried.stderr.strip()}")
    return before


@case
def every_line_has_evidence_in_eighty_columns():
    ended = netprobe().ended_with(0)
    for line in ended.out.splitlines():
        expect(len(line) <= 80, f"longer than 80 columns: {line}")
    equal(ended.err, "", "standard error")
    for name, one in findings().items():
        expect(one["evidence"], f"{name} has no evidence")
        if one["answer"] == "no effect":
            expect(one["change"], f"{name} does not say what would change it")


@case
def sends_without_copies_are_copied_over_loopback():
    """The kernel accepts both and copies all the same; its notifications say so."""
    found = findings()
    line = expect_answer(found, "MSG_ZEROCOPY saves the copy", "no effect", "no", "not tried")
    if line["answer"] == "no effect":
        contains(line["evidence"], "4 sends, of which 100 % were copied", "the notifications")
    if found["io_uring"]["answer"] != "yes":
        raise Skip(f"io_uring: {found['io_uring']['evidence']}")
    line = expect_answer(found, "SEND_ZC saves the copy", "no effect", "no")
    if line["answer"] == "no effect":
        contains(line["evidence"], "4 sends, of which 100 % were copied", "the notifications")


@case
def busy_polling_polls_nothing_on_loopback():
    """Each of the four is accepted, or refused with a reason, and none is said to work."""
    found = findings()
    names = ["SO_BUSY_POLL polls", "SO_PREFER_BUSY_POLL polls", "EPIOCSPARAMS polls"]
    if found["io_uring"]["answer"] == "yes":
        names.append("REGISTER_NAPI polls")
    for name in names:
        line = expect_answer(found, name, "no effect", "no")
        if line["answer"] == "no effect":
            contains(line["evidence"], NO_DEVICE, name)


@case
def xdp_without_a_driver_is_no_effect():
    """Auto mode takes the generic program and copies, and says neither; a namespace shows both."""
    if os.geteuid() != 0:
        raise Skip("attaching a program needs root")
    found = findings()
    for name, why in [("XDP program, auto mode", "generic mode"), ("XDP zero-copy, auto mode", "copied")]:
        line = expect_answer(found, name, "no effect", "no", "not tried")
        if line["answer"] != "no effect":
            raise Skip(f"{name}: {line['evidence']}")
        contains(line["evidence"], why, name)


@case
def datagrams_are_cut_and_gathered():
    found = findings()
    if expect_answer(found, "UDP_SEGMENT (GSO)", "yes", "no")["answer"] == "yes":
        contains(found["UDP_SEGMENT (GSO)"]["evidence"], "16 datagrams of 64 bytes")
        contains(expect_answer(found, "UDP_GRO", "yes", "no", "no effect")["evidence"], "of 16 datagrams")


@case
def as_nobody_it_says_what_it_may_not():
    if os.geteuid() != 0:
        raise Skip("becoming nobody needs root")
    before = as_nobody()
    found = findings(before=before)
    for name in ["AF_XDP socket, UMEM", "XSKMAP", "XDP program, auto mode"]:
        line = expect_answer(found, name, "no", "not tried")
        contains(line["evidence"], "Operation not permitted", name)
        contains(line["change"], "cap_", f"what changes {name}")
    equal(netprobe(before=before).ended_with(0).err, "", "standard error as nobody")


@case
def in_a_user_namespace_it_tries_what_it_may():
    """Root of it may open the socket of a network namespace of its own, and load no program."""
    found = findings(before=tried_in(["unshare", "--user", "--map-root-user", "--net"]))
    expect_answer(found, "XDP program, auto mode", "no")
    contains(found["XDP program, auto mode"]["evidence"], "Operation not permitted")
    expect_answer(found, "AF_XDP socket, UMEM", "yes", "no")
    expect_answer(found, "XDP zero-copy, auto mode", "no effect", "no")


@case
def a_filter_is_named():
    ended = netprobe("--json", before=[program("DENY_URING")])
    if ended.code == 77:
        raise Skip(ended.err.strip())
    found = {one["what"]: one for one in ended.ended_with(0).json()["findings"]}
    line = expect_answer(found, "io_uring", "no")
    contains(line["evidence"], "io_uring_setup: Operation not permitted")
    contains(line["evidence"], "seccomp")
    contains(line["change"], "--security-opt seccomp=PROFILE")
    expect_answer(found, "no seccomp filter", "no")
    uring = ["--for", "netload --backend uring"]
    ended = netprobe(*uring, before=[program("DENY_URING")]).ended_with(3)
    contains(ended.err, "only epoll can run, and another is asked")
    both = ["--for", "netload --compare epoll,uring"]
    contains(netprobe(*both, before=[program("DENY_URING")]).ended_with(0).out, "only epoll can run")


@case
def lowered_limits_are_the_ones_that_are_named():
    before = tried_in(limited(("nofile", "200:200"), ("memlock", "65536:65536")))
    found = findings(before=before)
    contains(expect_answer(found, "10,000 open files", "no")["change"], "ulimit -Hn")
    if os.geteuid() != 0:
        contains(expect_answer(found, "16 MiB of locked memory", "no")["change"], "ulimit -l")
    ended = netprobe("--for", "netload -c 50000", before=before).ended_with(3)
    contains(ended.err, "50,020 open files are needed and 200 allowed")
    contains(ended.out, "ulimit -Hn 50020")
    netprobe("--for", "netload -c 100", before=before).ended_with(0)


@case
def locked_memory_of_nobody_is_limited():
    if os.geteuid() != 0:
        raise Skip("becoming nobody needs root")
    before = tried_in(limited(("memlock", "65536:65536"))) + as_nobody()
    contains(expect_answer(findings(before=before), "16 MiB of locked memory", "no")["evidence"], "64.0 KiB")


@case
def a_soft_limit_is_raised():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 10_000:
        raise Skip(f"the hard limit on open files is {hard}")
    before = tried_in(limited(("nofile", "256:")))
    contains(expect_answer(findings(before=before), "10,000 open files", "yes")["evidence"], "soft limit 256")
    contains(netprobe("--for", "netload -c 5000", before=before).ended_with(0).out, "5,020 needed")


@case
def a_flag_of_netload_takes_nothing_behind_it():
    script = netload("--completion", "zsh").ended_with(0).out
    flags = [line.split("[")[0].strip(" '") for line in script.splitlines() if "[" in line and ":value:" not in line]
    expect({"--realtime", "--find-max", "-6", "-q"} <= set(flags), f"not all flags of netload: {flags}")
    for flag in flags:
        contains(netprobe("--for", f"netload {flag} -c 5000").out, "5,020 needed", f"what is said of {flag}")


@case
def what_is_asked_about_is_a_command_of_netload():
    for command in ["wrk -c 100", "netload -c many", "netload -c"]:
        ended = netprobe("--for", command).ended_with(2)
        equal(ended.out, "", "standard output of a usage error")
        contains(ended.err, "--help")
    contains(netprobe("--frob").ended_with(2).err, "--frob")


@case
def its_document_is_written_to_a_file():
    with tempfile.TemporaryDirectory() as folder:
        ended = netprobe(f"--json={folder}/found.json", "--for", "netload -c 10").ended_with(0)
        contains(ended.out, "a core for each thread")
        with open(f"{folder}/found.json", encoding="utf-8") as file:
            document = json.load(file)
        equal(document["command"], "netload -c 10", "the command")
        equal(document["can_run"], True, "whether it can run")
        contains(netprobe(f"--json={folder}/none/file").ended_with(2).err, "the folder must be there")


@case
def a_result_carries_the_same_evidence():
    host = run_program(program("NETLOAD"), "-c", "1", "-n", "10", "--json").ended_with(0).json()["host"]
    names = [line.partition(":")[0] for line in host["evidence"]]
    found = findings()
    expect(names, "no evidence in the host of a result")
    for line, name in zip(host["evidence"], names):
        expect(name in found, f"netprobe has no line for {name}")
        answer = line.partition(": ")[2].partition(",")[0]
        expect(answer in ("yes", "no", "not tried"), f"no answer in {line}")


@case
def it_keeps_to_its_schema():
    for flags in [[], ["--for", "netload -c 10"], ["--for", "netload -c 100M"]]:
        with tempfile.TemporaryDirectory() as folder:
            netprobe(f"--json={folder}/it", *flags)
            with open(f"{folder}/it", encoding="utf-8") as file:
                keeps_to_the_schema(json.load(file))


@case
def a_foul_command_is_shown_as_letters():
    command = "netload " + FOUL_ARGUMENT
    text = netprobe("--for", command).ended_with(0).out
    shown_as_letters(text, "the text")
    contains(text.replace("\n  ", ""), r"\x1b[2J\xc2\x9b31m\xe2\x80\xae\nVALID:")
    equal(netprobe("--json", "--for", command).ended_with(0).json()["command"],
          "netload " + SHOWN_ARGUMENT, "the command in the document")


run()

#!/usr/bin/env python3
"""netecho and netload where the kernel denies io_uring, as containers' filters do."""

import errno

from case import Skip, case, contains, equal, run
from process import Echo, check_echo, program, run_program


def denied(name, *flags):
    """The program under the filter; the filter itself may be denied."""
    ended = run_program(program("DENY_URING"), program(name), *flags)
    if ended.code == 77:
        raise Skip(ended.err.strip())
    return ended


def expect_one_note(text, tool):
    """One line that says which backend runs instead, and why."""
    notes = [line for line in text.splitlines() if "io_uring" in line]
    equal(len(notes), 1, f"notes about io_uring in {text!r}")
    contains(notes[0], f"{tool}: using epoll")
    contains(notes[0], "seccomp", "the note, which names the fix")


@case
def asked_by_name_it_ends():
    for name, flags in [("NETECHO", ["127.0.0.1:0"]), ("NETLOAD", ["-d", "5s"])]:
        ended = denied(name, "--backend", "uring", *flags).ended_with(3)
        equal(ended.out, "", "standard output")
        equal(len(ended.err.splitlines()), 1, f"lines on standard error, {ended.err!r}")
        contains(ended.err, "io_uring")
        contains(ended.err, "seccomp", "the fix")
        contains(ended.err, "--backend epoll", "the fix")


@case
def a_filter_that_denies_its_existence_is_told_from_an_old_kernel():
    ended = run_program(program("DENY_URING"), str(errno.ENOSYS), program("NETECHO"), "-b", "uring", "127.0.0.1:0")
    if ended.code == 77:
        raise Skip(ended.err.strip())
    contains(ended.ended_with(3).err, "seccomp", "the fix")


@case
def auto_falls_back_in_netecho():
    denied("NETECHO", "127.0.0.1:0", "-d", "1ms").ended_with(0)
    with Echo("--json", before=[program("DENY_URING")]) as server:
        with server.connect() as client:
            check_echo(client)
        server.stop().ended_with(0)
        expect_one_note(server.err, "netecho")
        equal(server.json()["path"]["requested"], "auto", "path requested")
        equal(server.json()["path"]["active"], "epoll", "path active")


@case
def auto_falls_back_in_netload():
    denied("NETECHO", "127.0.0.1:0", "-d", "1ms").ended_with(0)
    with Echo("--backend", "epoll") as server:
        ended = denied("NETLOAD", server.address, "-c", "2", "-n", "100", "--json").ended_with(0)
        expect_one_note(ended.err, "netload")
        equal(ended.json()["path"]["active"], "epoll", "path active")
        equal(ended.json()["totals"]["messages"], 100, "messages")


@case
def netload_starts_its_own_server():
    ended = denied("NETLOAD", "-c", "2", "-n", "100").ended_with(0)
    expect_one_note(ended.err, "netload")


@case
def a_comparison_leaves_out_what_cannot_run():
    flags = ["-c", "2", "-n", "50", "--rounds", "1"]
    ended = denied("NETLOAD", "--compare", "epoll,uring", *flags).ended_with(0)
    rows = [line.split()[0] for line in ended.out.splitlines() if "VALID" in line and "round" not in line]
    equal(rows, ["epoll"], "rows of the table")
    notes = [line for line in ended.err.splitlines() if "io_uring" in line]
    equal(len(notes), 1, f"notes about io_uring in {ended.err!r}")
    contains(notes[0], "no row for what cannot run here")
    contains(notes[0], "seccomp", "the note, which names the fix")
    ended = denied("NETLOAD", "--compare", "epoll,uring", "--json", *flags).ended_with(0)
    equal([one["backend"] for one in ended.json()["backends"]], ["epoll"], "backends of the document")
    contains(denied("NETLOAD", "--compare", "uring", *flags).ended_with(3).err, "seccomp")


@case
def quiet_does_not_hide_the_end():
    contains(denied("NETECHO", "-q", "-b", "uring").ended_with(3).err, "io_uring")


run()

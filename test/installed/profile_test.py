#!/usr/bin/env python3
"""The tools below packaging/seccomp.json, as a container engine applies it.

usage: profile_test.py PROFILE COMPILER...
"""

import ctypes
import errno
import json
import os
import re
import struct
import subprocess
import sys

PROFILE, *COMPILER = sys.argv[1:]
URING = {"io_uring_setup", "io_uring_enter", "io_uring_register"}


def be_filtered(numbers, error):
    """Allows this process and its children those system calls; any other fails with `error`."""
    load, equals, end = 0x20, 0x15, 0x06  # BPF_LD+W+ABS, BPF_JMP+JEQ+K, BPF_RET+K
    allow, fail = 0x7FFF0000, 0x00050000 | error  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
    code = [(load, 0, 0, 0)]
    for number in numbers:
        code += [(equals, 0, 1, number), (end, 0, 0, allow)]
    code.append((end, 0, 0, fail))
    filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters)))
    set_no_new_privs, set_seccomp, filter_mode = 38, 22, 2
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(set_no_new_privs, 1, 0, 0, 0) != 0 or prctl(set_seccomp, filter_mode, program) != 0:
        print(os.strerror(ctypes.get_errno()), file=sys.stderr)
        sys.exit(77)


if PROFILE == "--under":
    be_filtered([int(number) for number in COMPILER[1].split(",")], int(COMPILER[0]))
    os.execv(COMPILER[2], COMPILER[2:])

del sys.argv[1:]

# pylint: disable=wrong-import-position
from case import Skip, case, contains, equal, expect, run
from process import program, run_program

with open(PROFILE, encoding="utf-8") as profile_file:
    profile = json.load(profile_file)
allowed = [name for rule in profile["syscalls"] for name in rule["names"]]
macros = subprocess.run([*COMPILER, "-E", "-dM", "-x", "c++", "-include", "sys/syscall.h", os.devnull], check=True,
                        capture_output=True, text=True).stdout
# Other processors lack some of the older calls.
numbers_of = {name: number for name, number in re.findall(r"#define __NR_(\w+) (\d+)\n", macros)}


def below(names, tool, *flags):
    numbers = ",".join(numbers_of[name] for name in names if name in numbers_of)
    ended = run_program(sys.executable, __file__, "--under", str(profile["defaultErrnoRet"]), numbers, program(tool),
                        *flags)
    if ended.code == 77:
        raise Skip(f"no filter can be set here: {ended.err.strip()}")
    return ended


@case
def it_is_a_list_of_what_is_allowed():
    equal(profile["defaultAction"], "SCMP_ACT_ERRNO", "what becomes of all else")
    equal(profile["defaultErrnoRet"], errno.ENOSYS, "what glibc falls back for")
    equal({rule["action"] for rule in profile["syscalls"]}, {"SCMP_ACT_ALLOW"}, "actions")
    equal(len(allowed), len(set(allowed)), "names, each once")
    harmful = {"mount", "ptrace", "bpf", "unshare", "setns", "init_module", "kexec_load", "perf_event_open"}
    equal(harmful & set(allowed), set(), "names that reach out of a container")


@case
def the_tools_work_on_both_backends():
    for backend in ["epoll", "uring"]:
        for more in [["-t", "2"], ["-s", "200k", "-c", "2"], ["-f", "json"]]:
            ended = below(allowed, "NETLOAD", "--backend", backend, "-n", "500", *more, "--json").ended_with(0)
            equal(ended.json()["path"]["active"], backend, "the backend")
            equal(ended.json()["outcome"]["answered"], 500, "messages answered")


@case
def the_others_work():
    contains(below(allowed, "CODECBENCH", "--format", "json", "-d", "1ms").ended_with(0).out, "json")
    contains(below(allowed, "NETPROBE").ended_with(0).out, "seccomp")


@case
def without_the_three_names_uring_is_said_to_be_denied():
    names = [name for name in allowed if name not in URING]
    equal(len(allowed) - len(names), len(URING), "names of io_uring")
    contains(below(names, "NETECHO", "--backend", "uring", "127.0.0.1:0").ended_with(3).err, "seccomp")
    ended = below(names, "NETLOAD", "-n", "100", "--json").ended_with(0)
    equal(ended.json()["path"]["active"], "epoll", "the backend that runs instead")
    expect("seccomp" in ended.err, f"why: {ended.err}")


run()

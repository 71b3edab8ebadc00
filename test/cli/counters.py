"""Hardware counters: why this machine has none of them for a thread, and a process to which they are denied."""
import ctypes
import errno
import os
import platform
import struct

SYS_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}[platform.machine()]
INSTRUCTIONS, CYCLES = 1, 0  # PERF_COUNT_HW_* of the type PERF_TYPE_HARDWARE, which is 0.
USER_MODE_ONLY = 1 << 5 | 1 << 6  # exclude_kernel and exclude_hv
ATTRIBUTES_SIZE = 64  # PERF_ATTR_SIZE_VER0

libc = ctypes.CDLL(None, use_errno=True)


def why_not_counted():
    """Empty where instructions and cycles of a thread are counted as one group (perf_event_open(2))."""
    opened = []
    try:
        for event in (INSTRUCTIONS, CYCLES):
            attributes = struct.pack("IIQQQQQ16x", 0, ATTRIBUTES_SIZE, event, 0, 0, 0, USER_MODE_ONLY)
            leader = opened[0] if opened else -1
            counter = libc.syscall(SYS_PERF_EVENT_OPEN, attributes, 0, -1, leader, 0)
            if counter < 0:
                return f"perf_event_open: {os.strerror(ctypes.get_errno())}"
            opened.append(counter)
        counts = [int.from_bytes(os.read(counter, 8), "little") for counter in opened]
        return "" if all(counts) else "the kernel did not let them run"
    finally:
        for counter in opened:
            os.close(counter)


def deny_counters():
    """Has the kernel refuse perf_event_open(2) with EACCES to this process, as a container's filter does."""
    load_number, equal, give = 0x20, 0x15, 0x06  # BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JEQ | BPF_K, BPF_RET | BPF_K
    refuse, allow = 0x00050000 | errno.EACCES, 0x7fff0000  # SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW
    steps = [(load_number, 0, 0, 0), (equal, 0, 1, SYS_PERF_EVENT_OPEN), (give, 0, 0, refuse), (give, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    no_new_privileges, set_filter, filter_mode = 38, 22, 2  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    for arguments in ((no_new_privileges, 1, 0, 0, 0), (set_filter, filter_mode, program)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")

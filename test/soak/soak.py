#!/usr/bin/env python3
"""A load that lasts: no error, and the memory and descriptors of both ends stay what they were.

Prints each figure at the start, once it has settled, at the end, and how it went up or down in between.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from case import Skip, Unexpected, expect, wait_until  # noqa: E402
from process import Echo, start_netload  # noqa: E402

SAMPLES = 240
SETTLED = 60  # Seconds, or a tenth of a shorter run.
OTHER_DESCRIPTORS = 200  # Of a process, beside its connections.
# What the allocator and a connection in the midst of its end may move; a leak of one connection in a hundred that are
# replaced is far more within twenty minutes.
MEMORY_SWAY = 0.05
MEMORY_SWAY_BYTES = 2 << 20
DESCRIPTORS_SWAY = 0.02


def descriptors_of(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def sample(server, load):
    return {"netecho memory": server.resident_bytes(), "netload memory": load.resident_bytes(),
            "netecho descriptors": descriptors_of(server), "netload descriptors": descriptors_of(load)}


def watch(server, load, connections, seconds):
    """Samples, each with its second, from when all connections are open to shortly before the end."""
    wait_until(lambda: not load.running or descriptors_of(server) >= connections, "all connections were open", 60)
    began = time.monotonic()
    rows = []
    pause = seconds / SAMPLES
    while load.running and time.monotonic() - began < seconds - 4 * pause:
        rows.append((time.monotonic() - began, sample(server, load)))
        time.sleep(pause)
    expect(load.running and len(rows) > 2, f"netload ended early, with {load.code}:\n{load.err}")
    return rows


def report_flat(rows, seconds):
    """Prints the table, and returns what grew. Less is not a leak: connections that wait to be accepted, for one."""
    settled = [row for row in rows if row[0] >= min(SETTLED, seconds / 10)]
    marks = [rows[0], settled[0], settled[len(settled) // 3], settled[2 * len(settled) // 3], settled[-1]]
    # A busy machine's bursts touch more and more of the buffers there are, until they have touched them all.
    settled = settled[len(settled) // 3:]
    wrong = []
    print(f"{'at second':20}" + "".join(f"{at:11,.0f}" for at, _ in marks) + "   a minute")
    for name in rows[0][1]:
        times, figures = [at for at, _ in settled], [one[name] for _, one in settled]
        slope = statistics.linear_regression(times, figures).slope * 60
        is_memory = name.endswith("memory")
        unit = 1024 if is_memory else 1
        print(f"{name:20}" + "".join(f"{one[name] / unit:11,.0f}" for _, one in marks)
              + f"{slope / unit:+11.2f}{' KiB' if is_memory else ''}")
        allowed = MEMORY_SWAY * figures[0] + MEMORY_SWAY_BYTES if is_memory else 1 + DESCRIPTORS_SWAY * figures[0]
        if min(slope * seconds / 60, figures[-1] - figures[0]) > allowed:
            wrong.append(f"{name} grows")
    return wrong


def check_counts(server, load, planned):
    """What was lost or refused, at either end. A machine that has other work may send less than was planned."""
    totals = {"netload": load.json()["totals"], "netecho": server.json()["totals"]}
    for name, total in totals.items():
        print(f"{name}: {total['messages']:,} messages over {total['connections']:,} connections, "
              f"{total['bytes_in']:,} bytes in, {total['bytes_out']:,} out, errors {json.dumps(total['errors'])}")
    print(f"planned: {planned:,} messages")
    wrong = [f"{name} has errors" for name, total in totals.items() if total["errors"]]
    # Totals are of the asked time, and what was due shortly before its end is answered behind it.
    outcome, size = load.json()["outcome"], int(load.json()["config"]["size"])
    print(f"of these {outcome['sent']:,} were sent and {outcome['answered']:,} answered")
    moved = {outcome["answered"] * size, totals["netecho"]["bytes_in"], totals["netecho"]["bytes_out"]}
    if outcome["sent"] != outcome["answered"] or len(moved) > 1:
        wrong.append("the ends do not agree about the bytes")
    return wrong


def soak(arguments):
    connections, rate, seconds = arguments.connections, arguments.rate, round(60 * arguments.minutes)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < connections + OTHER_DESCRIPTORS:
        raise Skip(f"the hard limit of descriptors is {hard}, and {connections + OTHER_DESCRIPTORS} are needed")
    flags = ["-c", connections, "-r", rate, "-d", f"{seconds}s", "--json", "--quiet"]
    if arguments.churn:
        flags += ["--churn", arguments.churn]
    with Echo("--json", "--wait", arguments.wait) as server, \
            start_netload(server.address, *flags, "--wait", arguments.wait) as load:
        rows = watch(server, load, connections, seconds)
        load.finish(60 + seconds)
        server.stop()
        print(f"{os.environ.get('BACKEND', 'auto')}, --wait {arguments.wait}: {connections:,} connections x {rate}/s, "
              f"churn {arguments.churn}, {arguments.minutes} min, load average {os.getloadavg()[0]:.1f}")
        wrong = report_flat(rows, seconds)
        wrong += check_counts(server, load, connections * rate * seconds)
        for end in (load, server):
            end.ended_with(0)
        for warning in load.json()["warnings"]:
            print(f"netload says: {warning}")
    expect(not wrong, "; ".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--rate", type=int, default=10, help="messages a second, of each connection")
    parser.add_argument("--churn", type=int, default=0, help="messages of a connection before another takes its place")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--wait", default="block")
    try:
        soak(parser.parse_args())
    except Skip as reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    except Unexpected as unmet:
        sys.exit(f"failed: {unmet}")


main()

#!/usr/bin/env python3
"""netload in a cgroup with a quota says that it was throttled, and what that leaves. Needs root and cgroups."""

import os

from case import Skip, contains, equal, expect, realtime, run
from process import backend_flags, program, require_backend, run_program

PERIOD_US = 100_000
QUOTA_US = 10_000


def mounted_hierarchy():
    """Where cgroups with quotas are made, and whether that is version 1."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            fields, _, rest = line.partition(" - ")
            kind, _, options = rest.split()[:3]
            place = fields.split()[4]
            if kind == "cgroup" and "cpu" in options.split(","):
                return place, True
            if kind == "cgroup2":
                with open(f"{place}/cgroup.subtree_control", encoding="utf-8") as enabled:
                    if "cpu" in enabled.read().split():
                        return place, False
    raise Skip("no cgroup hierarchy here has the cpu controller")


class Quota:
    """A cgroup of its own, which gets a tenth of one processor."""

    def __init__(self):
        if os.geteuid() != 0:
            raise Skip("a cgroup needs root")
        place, old = mounted_hierarchy()
        self.name = f"/wiremark-{os.getpid()}"
        self.folder = place + self.name
        try:
            os.mkdir(self.folder)
        except OSError as error:
            raise Skip(f"no cgroup can be made in {place}: {error.strerror}") from error
        if old:
            self.write("cpu.cfs_period_us", PERIOD_US)
            self.write("cpu.cfs_quota_us", QUOTA_US)
        else:
            self.write("cpu.max", f"{QUOTA_US} {PERIOD_US}")

    def write(self, file, value):
        with open(f"{self.folder}/{file}", "w", encoding="utf-8") as out:
            out.write(str(value))

    def inside(self, *argv):
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh", *argv]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.rmdir(self.folder)


@realtime
def a_quota_that_was_used_up_is_named():
    with Quota() as quota:
        flags = [*backend_flags(), "-c", "10", "-d", "2s", "--json"]
        result = run_program(*quota.inside(program("NETLOAD"), *flags)).ended_with(0).json()
        stop = result["processor_wait"]["throttled"]
        equal(stop["cgroup"], quota.name, "the cgroup")
        expect(stop["times"] > 0 and stop["seconds"] > 0, f"throttled: {stop}")
    reasons = result["verdict"]["reasons"]
    contains(" ".join(reasons), f"the generator was throttled by its cgroup {quota.name} ")
    contains(" ".join(reasons), "(nr_throttled ")
    # Both are in the same cgroup, and the generator used the quota too.
    contains(" ".join(reasons), f"the server was throttled by its cgroup {quota.name} ")
    # Which percentiles it moves is tested in simulated time. What else a machine does has reasons of its own.
    hit = [figure["name"] for figure in result["verdict"]["figures"] if "throttled" in " ".join(figure["reasons"])]
    expect("rate" in hit and "cost" not in hit, f"what the quota speaks against: {hit}")


require_backend()
run()

#!/usr/bin/env python3
"""netload in a cgroup with a quota says that it was throttled, and what that leaves. Needs root and cgroups."""

from case import case, contains, equal, expect, run
from cgroup import ControlGroup
from process import backend_flags, program, require_backend, run_program

PERIOD_US = 100_000
QUOTA_US = 10_000


class Quota(ControlGroup):
    """A cgroup of its own, which gets a tenth of one processor."""

    def __init__(self):
        super().__init__("cpu")
        if self.old:
            self.write("cpu.cfs_period_us", PERIOD_US)
            self.write("cpu.cfs_quota_us", QUOTA_US)
        else:
            self.write("cpu.max", f"{QUOTA_US} {PERIOD_US}")


@case
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

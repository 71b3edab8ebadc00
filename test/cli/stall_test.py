#!/usr/bin/env python3
"""The stall gate: 10 connections x 100/s for 10 s, and one end asleep for 1 s.

Every message planned meanwhile waits for the rest of that second, so a tenth of all latencies are spread
evenly from 0 to 1 s: p95 is 500 ms, p99 900 and p99.9 990, and the mean 50. A tool that counts from the
send sees ten slow messages in 10,000. Which end slept makes no difference to the figures; it does to
whom the tool blames.
"""

import json
import signal
import time

from case import Skip, case, equal, expect, run
from process import Echo, require_backend, start_netload

TRIES = 5


def figures(result):
    """In milliseconds."""
    latency = result["latency_ns"]
    return {f"p{percent:g}": ns / 1e6 for percent, ns in latency["percentiles"]} | {"mean": latency["mean"] / 1e6}


def slept_through(stop):
    """A run in which stop(server, running) names who sleeps: (result, seconds slept)."""
    with Echo() as server:
        with start_netload(server.address, "-c", "10", "-r", "100", "-d", "10s", "--percentiles",
                           "50,95,99,99.9", "--json") as running:
            time.sleep(4)
            sleeper = stop(server, running)
            sleeper.signal(signal.SIGSTOP)
            start = time.monotonic()
            time.sleep(1)
            sleeper.signal(signal.SIGCONT)
            slept = time.monotonic() - start
            return running.finish().ended_with(0).json(), slept


def missed(result, slept):
    """The figures that lie outside the gate for a sleep of `slept` seconds."""
    seen = figures(result)
    ms = 1000 * slept
    gate = {"p95": (ms - 500, 10), "p99": (ms - 100, 10), "p99.9": (ms - 10, 10), "mean": (slept * ms / 20, 1.5),
            "p50": (0, 0.25)}
    return [f"{name} is {seen[name]:.3f} ms, not {wanted:.1f} within {tolerance}"
            for name, (wanted, tolerance) in gate.items() if abs(seen[name] - wanted) > tolerance]


def disturbed(result):
    """What the result itself says of other work on the machine."""
    return [warning for warning in result["warnings"] if "steal" in warning or "other processes" in warning]


def gate(stop, check):
    for _ in range(TRIES):
        result, slept = slept_through(stop)
        outcome = result["outcome"]
        equal([outcome[part] for part in ["planned", "sent", "answered", "lost"]], [10_000, 10_000, 10_000, 0], "outcome")
        equal(result["latency_ns"]["count"], 10_000, "latencies")
        equal(result["totals"]["errors"], {}, "errors")
        # The shape, whatever else the machine does: nothing can make a wait shorter.
        seen = figures(result)
        expect(seen["p95"] > 400 and seen["p99"] > 800 and seen["mean"] > 45, f"the second is hidden: {seen}")
        check(result)
        wrong = missed(result, slept)
        if not wrong:
            return
        expect(disturbed(result), f"{wrong}; {json.dumps(result['cpu']['machine'])}, {result['warnings']}")
    raise Skip(f"the machine was never idle for 10 s: {wrong}, {disturbed(result)}")


def says_generator(result):
    return any("by the generator itself" in warning for warning in result["warnings"])


@case
def the_server_sleeps():
    gate(lambda server, running: server,
         lambda result: expect(not says_generator(result) or disturbed(result),
                               f"it blames itself: {result['warnings']}"))


@case
def the_generator_sleeps():
    gate(lambda server, running: running,
         lambda result: expect(says_generator(result), f"it does not blame itself: {result['warnings']}"))


require_backend()
run()

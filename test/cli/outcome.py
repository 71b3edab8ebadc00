"""What must hold of the outcome of any run, whatever it sent through and however it ended."""

from case import equal, expect


def not_opened(errors):
    """How many of the errors are connections that did not open."""
    return sum(count for kind, count in errors.items() if kind.startswith("connect: "))


def expect_outcome(result):
    """Every message must be counted exactly once; returns the outcome."""
    outcome = result["outcome"]
    equal(outcome["sent"] + outcome["unsent"], outcome["planned"], f"sent and unsent of {outcome}")
    equal(outcome["answered"] + outcome["lost"], outcome["sent"], f"answered and lost of {outcome}")
    expect(outcome["late"] <= outcome["lost"], f"late and lost of {outcome}")
    in_time = result["totals"]["messages"]
    drained = result["totals"].get("drain", {"messages": 0})["messages"]
    if result["config"]["warmup"] == "0ns":
        equal(in_time + drained, outcome["answered"], "messages in time and after it")
    # Messages that were under way at the end of a warm-up may have been answered in time.
    expect(in_time + drained >= outcome["answered"], f"{in_time} messages in time, {drained} after it")
    equal("pacing" in result, result["config"]["loop"] == "open", "whether there is a pacing")
    if "pacing" not in result:
        equal(outcome["planned"], outcome["sent"], "planned in a closed loop")
    return outcome

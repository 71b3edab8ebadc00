"""What must hold of the outcome of any run, whatever it sent through and however it ended."""

from case import equal, expect


def expect_outcome(result):
    """Every message is in one place, and none in two; returns the outcome."""
    outcome = result["outcome"]
    equal(outcome["sent"] + outcome["unsent"], outcome["planned"], f"sent and unsent of {outcome}")
    equal(outcome["answered"] + outcome["lost"], outcome["sent"], f"answered and lost of {outcome}")
    expect(outcome["late"] <= outcome["lost"], f"late and lost of {outcome}")
    equal(result["totals"]["messages"], outcome["answered"], "messages")
    equal("pacing" in result, result["config"]["loop"] == "open", "whether there is a pacing")
    if "pacing" not in result:
        equal(outcome["planned"], outcome["sent"], "planned in a closed loop")
    return outcome

"""A run in whose midst one end stands still, however busy the machine is: the run waits for it."""

import os
import signal
import time

from case import equal, wait_until
from process import lines_of, pause

# For netload: it goes on until it is told to end, and says each 20 ms what was answered.
UNTIL_TOLD = ["-d", "60s", "-i", "20ms", "--json-lines"]


def answered_in(lines):
    return sum(line["messages"] for line in lines)


def over_s(line):
    """When an interval was over, from the start of the run on."""
    return line["start_s"] + line["seconds"]


def stood_still(load, who, seconds, rate=0, after=1):
    """The result of a run that was started with UNTIL_TOLD. The process `who` stands still once there were answers,
    for `seconds` or a little more. The run is told to end when `after` messages were answered in intervals that began
    after that, and, with a plan of `rate` messages a second, as many as had come due when it went on."""
    wait_until(lambda: answered_in(lines_of(load)) > 0 or not load.running, "it ran")
    pause(who)
    time.sleep(seconds)
    seen = len(lines_of(load))
    os.kill(who, signal.SIGCONT)

    def caught_up():
        lines = lines_of(load)
        return len(lines) > seen and (answered_in(lines[seen + 1:]) >= after
                                      and answered_in(lines) >= rate * over_s(lines[seen]))
    wait_until(lambda: caught_up() or not load.running, "it went on")
    load.signal(signal.SIGINT)
    result = lines_of(load.finish().ended_with(130))[-1]
    equal(result["interrupted"], True, "interrupted")
    return result

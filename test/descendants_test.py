#!/usr/bin/env python3
"""What descendants.py ends of what a test started, and what it leaves alone."""

import os
import tempfile

from case import case, equal, expect, run
from descendants import Descendants
from process import Process, state_of

# Its child and its grandchild outlive it, and their ids are in the file $0 before it ends.
LEAVES_TWO = 'sh -c "sleep 1000 & echo \\$\\$ \\$! >$0; sleep 1000; true" & while ! test -s "$0"; do :; done'


@case
def what_is_left_running_ends():
    with tempfile.TemporaryDirectory() as folder, Process("sleep", 1000) as earlier:
        descendants = Descendants()
        file = os.path.join(folder, "left")
        Process("sh", "-c", LEAVES_TWO, file).finish().ended_with(0)
        with open(file, encoding="ascii") as text:
            left = text.read().split()
        equal(len(left), 2, "those that are left")
        expect(None not in map(state_of, left), "one ended by itself")
        descendants.end()
        equal([*map(state_of, left)], [None, None], "their states")
        expect(earlier.running, "one that had been started before is killed")


run()

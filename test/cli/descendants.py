"""The processes that a test starts, and those that these start: none outlives the test, nor writes in a folder that
it takes away."""

import os
import pathlib
import signal
import sys

from process import children_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from quiet_meter import adopt_orphans


class Descendants:
    """From now on. One whose parent ends becomes a child of this process, by which it is found."""

    def __init__(self):
        adopt_orphans()
        self.others = children_of(os.getpid())

    def end(self):
        """Kills those that are left; returns when the last has ended."""
        # What a killed one had started is a child of this process before the wait for it returns.
        while left := children_of(os.getpid()) - self.others:
            for child in left:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

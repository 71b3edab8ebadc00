"""The processes that a test starts, and those that these start: none outlives the test, nor writes in a folder that
it takes away."""

import ctypes
import os
import signal

from process import children_of

PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


class Descendants:
    """From now on. One whose parent ends becomes a child of this process, by which it is found."""

    def __init__(self):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.others = children_of(os.getpid())

    def end(self):
        """Kills those that are left; returns when the last has ended."""
        # What a killed one had started is a child of this process before the wait for it returns.
        while left := children_of(os.getpid()) - self.others:
            for child in left:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

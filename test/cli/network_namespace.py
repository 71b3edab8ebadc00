"""A network namespace of a test's own; skips the case where none can be made or entered."""

import os
import shutil
import subprocess

from case import Skip


def ip(*arguments):
    """Runs ip(8); what the machine refuses skips the case."""
    _try(["ip", *arguments])


def _try(argv):
    tried = subprocess.run(argv, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"{' '.join(argv)}: {tried.stderr.strip()}")


class NetworkNamespace:
    """As a context: made on entry, gone on exit. `inside` is what a command line in it begins with."""

    def __init__(self):
        if os.geteuid() != 0 or not shutil.which("ip"):
            raise Skip("a network namespace needs root and ip(8)")
        self.name = f"wiremark-{os.getpid()}"
        self.inside = ["ip", "netns", "exec", self.name]

    def run(self, *argv):
        _try([*self.inside, *argv])

    def prepare(self):
        """What is to be so inside; the least is that it can be entered, which takes more rights than making it."""
        self.run("true")

    def __enter__(self):
        ip("netns", "add", self.name)
        try:
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)

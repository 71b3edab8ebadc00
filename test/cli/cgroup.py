"""A cgroup of a test's own, for the processes that it starts inside; skips the case where none can be made."""

import os

from case import Skip, wait_until

WITHOUT_ONE = ("cpuacct", "freezer")  # What version 2 does without a controller.


def hierarchy(controller):
    """Where cgroups with this controller are made, and whether that is version 1. Version 2 accounts for processor
    time, and freezes, without one (cpu.stat and cgroup.freeze, Documentation/admin-guide/cgroup-v2.rst)."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            fields, _, rest = line.partition(" - ")
            kind, _, options = rest.split()[:3]
            place = fields.split()[4]
            if kind == "cgroup" and controller in options.split(","):
                return place, True
            if kind == "cgroup2":
                with open(f"{place}/cgroup.subtree_control", encoding="utf-8") as enabled:
                    if controller in WITHOUT_ONE or controller in enabled.read().split():
                        return place, False
    raise Skip(f"no cgroup hierarchy here has {controller}")


class ControlGroup:
    """Empty at first, and removed when what ran inside has ended."""

    made = 0

    def __init__(self, controller):
        if os.geteuid() != 0:
            raise Skip("a cgroup needs root")
        self.place, self.old = hierarchy(controller)
        ControlGroup.made += 1
        self.name = f"/wiremark-{os.getpid()}-{ControlGroup.made}"
        self.folder = self.place + self.name
        try:
            os.mkdir(self.folder)
        except OSError as error:
            raise Skip(f"no cgroup can be made in {self.place}: {error.strerror}") from error

    def write(self, file, value):
        with open(f"{self.folder}/{file}", "w", encoding="utf-8") as out:
            out.write(str(value))

    def read(self, file):
        with open(f"{self.folder}/{file}", encoding="utf-8") as text:
            return text.read()

    def inside(self, *argv):
        """The command that runs `argv` inside."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh", *map(str, argv)]

    def processes(self):
        return set(map(int, self.read("cgroup.procs").split()))

    def spent_s(self):
        """The processor time of all that has ever run inside, ended or not."""
        if self.old:
            return int(self.read("cpuacct.usage")) / 1e9
        return int(next(line.split()[1] for line in self.read("cpu.stat").splitlines()
                        if line.startswith("usage_usec "))) / 1e6

    def __enter__(self):
        return self

    def __exit__(self, *_):
        wait_until(lambda: not self.processes(), "all that ran in the cgroup had ended")
        os.rmdir(self.folder)

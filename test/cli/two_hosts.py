"""Two network namespaces as hosts, reached by a stand-in for ssh, and a third with a netecho."""

import os
import shutil
import subprocess
import tempfile

from case import Skip
from descendants import Descendants
from network_namespace import ip
from process import Echo

# ip-netns(8) gives a command mounts of its own, so memory that is shared on a machine is not between hosts, and
# the folder own/a is on host a alone.
STAND_IN = """#!/bin/sh
# Where ssh would go to another host, this goes to a network namespace.
host=$1; shift
test -e /run/netns/{prefix}-$host || {{ echo "ssh: could not resolve hostname $host" >&2; exit 255; }}
export TMPDIR={folder}/$host
mkdir -p $TMPDIR {folder}/own
exec ip netns exec {prefix}-$host unshare --uts sh -c "hostname $host; mount -t tmpfs none /dev/shm
mount -t tmpfs none {folder}/own; mkdir {folder}/own/$host; $*"
"""


class TwoHosts:
    """Namespaces a and b as hosts, on a bridge of the namespace s, which has the server.

    The server has an address of its own, to which a host can lose its route and still be told so. As a context:
    made on entry, gone on exit.
    """

    NET, SERVER = "10.213.77", "10.213.78.1"

    def __enter__(self):
        if os.geteuid() != 0 or not shutil.which("ip"):
            raise Skip("network namespaces as hosts need root and ip(8)")
        self.name = f"wiremark-{os.getpid()}"
        self.folder = tempfile.TemporaryDirectory()
        self.descendants = Descendants()
        self.server = None
        self.beside_server = ["ip", "netns", "exec", f"{self.name}-s"]
        try:
            self.connect()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def inside(self, name, *argv):
        ip("-n", f"{self.name}-{name}", *argv)

    def connect(self):
        for name in "sab":
            ip("netns", "add", f"{self.name}-{name}")
            self.inside(name, "link", "set", "lo", "up")
        ip("netns", "exec", f"{self.name}-s", "true")  # Entering one takes more rights than making it.
        self.inside("s", "link", "add", "bridge", "type", "bridge")
        self.inside("s", "addr", "add", f"{self.NET}.1/24", "dev", "bridge")
        self.inside("s", "addr", "add", f"{self.SERVER}/32", "dev", "bridge")
        self.inside("s", "link", "set", "bridge", "up")
        for number, name in enumerate("ab", 2):
            self.inside("s", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "net", "netns",
                        f"{self.name}-{name}")
            self.inside("s", "link", "set", f"to-{name}", "master", "bridge", "up")
            self.inside(name, "addr", "add", f"{self.NET}.{number}/24", "dev", "net")
            self.inside(name, "link", "set", "net", "up")
            self.inside(name, "route", "add", self.SERVER, "via", f"{self.NET}.1")

    def prepare(self):
        """The server, and `ssh`: the stand-in."""
        # Not called ssh: mpirun would add options of that.
        self.ssh = self.file("to-namespace", STAND_IN.format(prefix=self.name, folder=self.folder.name))
        os.chmod(self.ssh, 0o755)
        self.server = Echo(listen=(f"{self.SERVER}:0",), before=self.beside_server)
        self.target = self.server.address

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def __exit__(self, *_):
        if self.server:
            self.server.kill()
        self.descendants.end()
        for name in "sab":
            subprocess.run(["ip", "netns", "del", f"{self.name}-{name}"], capture_output=True, check=False)
        self.folder.cleanup()

#!/usr/bin/env python3
"""What netload and netecho do under one kernel, booted in an emulated machine.

usage: kernels_test.py VERSION KERNEL TOOLS   e.g. 5.11 /boot/vmlinuz-5.11.0-22-generic build-static/tools

The version says what must hold: loads over TCP, UDP and Unix sockets between all backends that this kernel
has, with every reply compared; of a backend that it has not, the kernel which it needs; and that netprobe knows.
TOOLS is a folder with netecho, netload and netprobe, linked statically.
"""

import itertools
import json
import pathlib
import sys
import tempfile

from case import Unexpected, contains, equal, expect
from guest import boot
from outcome import expect_outcome

# The first kernel of each backend, how the tools name it before, and what netprobe calls what is missing.
SINCE = {"epoll": ((5, 11), "(needs Linux 5.11)", "netload's epoll"),
         "uring": ((6, 1), "(needs Linux 6.1 with io_uring; use --backend epoll)", "netload's ring")}
ADDRESSES = {"tcp": "127.0.0.1:7007", "udp": "udp:127.0.0.1:7007", "unix": "unix:/run/echo"}
# Way, messages, bytes of each, and connections. The long ones leave and come in parts.
LOADS = [("tcp", 2000, 512, 20), ("tcp", 100, 300_000, 4), ("udp", 1000, 512, 20), ("unix", 1000, 512, 20)]
COMPARED = {"name": "verify", "passed": True, "detail": "every byte of every reply compared with what was sent"}
REFUSED = 3
TOOLS = ["netecho", "netload", "netprobe"]


def load_name(server, client, load):
    way, _, size, _ = load
    return f"{client}-at-{server}-{way}-{size}"


def server_name(backend, way):
    return f"server-{backend}-{way}"


def script(backends):
    """What the kernel is to do, in the words of `init`."""
    lines = []
    for server in backends:
        lines += [f"serve {server_name(server, way)} netecho --backend {server} {address}"
                  for way, address in ADDRESSES.items()]
        for client, load in itertools.product(backends, LOADS):
            way, messages, size, connections = load
            lines.append(f"run {load_name(server, client, load)} netload --backend {client} --json "
                         f"-n {messages} -s {size} -c {connections} {ADDRESSES[way]}")
        lines.append("stop")
    for backend in SINCE:
        lines.append(f"run netprobe-{backend} netprobe --for 'netload --backend {backend}'")
        if backend not in backends:
            lines += [f"run {tool}-{backend} {tool} --backend {backend}" for tool in ["netload", "netecho"]]
    lines += ["run netprobe netprobe --json", "run auto netload -c 10 -n 1000 --json"]
    return "\n".join(lines) + "\n"


class Kernel:
    """A kernel, what came of the commands under it, and how often that was what it should be."""

    def __init__(self, version, image):
        number = tuple(map(int, version.split(".")))
        self.version, self.image = version, pathlib.Path(image)
        self.release = self.image.name.removeprefix("vmlinuz-")
        self.backends = [backend for backend, (since, *_) in SINCE.items() if number >= since]
        self.left = {}
        self.passed = self.failed = 0

    def holds(self, what, check, *arguments):
        try:
            check(*arguments)
        except (Unexpected, KeyError, ValueError) as error:
            self.failed += 1
            said = str(error) if isinstance(error, Unexpected) else repr(error)
            print(f"failed Linux {self.version}: {what}: {' | '.join(said.split(chr(10)))}")
            print("  decides; the machine is emulated, and nothing here rests on a time")
            print(f"  alone: .ci/kernels {self.version}", flush=True)
        else:
            self.passed += 1
            print(f"ok: Linux {self.version}: {what}", flush=True)

    def run(self, programs):
        expect(self.release.startswith(self.version + "."), f"{self.image} is not of that version")
        with tempfile.TemporaryDirectory() as folder:
            self.left = boot(self.image, programs, script(self.backends), pathlib.Path(folder))

    def ended(self, name, code):
        """What a command, which must have ended so, printed on standard output and standard error."""
        out, err, ended = (self.left[f"{name}.{part}"] for part in ["out", "err", "code"])
        equal(ended.strip(), str(code), f"the exit code, with {err!r}")
        return out, err

    def result(self, name):
        return json.loads(self.ended(name, 0)[0])

    def load(self, name, messages, backend):
        """A run of netload: the kernel, the path of its bytes, and that each message was answered."""
        result = self.result(name)
        equal(result["host"]["kernel"], self.release, "the kernel")
        equal(result["path"]["active"], backend, "the backend")
        outcome = expect_outcome(result)
        counts = [outcome[part] for part in ["planned", "sent", "answered"]]
        equal(counts, [messages] * 3, "planned, sent and answered")
        equal(result["totals"]["errors"], {}, "errors")
        equal(result["checks"], [COMPARED], "what was checked")

    def server(self, backend, way):
        """A netecho echoed all that came over one way, and nothing broke."""
        result = json.loads(self.left[server_name(backend, way) + ".json"])
        equal(result["path"]["active"], backend, "the backend")
        wanted = len(self.backends) * sum(messages * size for over, messages, size, _ in LOADS if over == way)
        totals = result["totals"]
        equal([totals["bytes_in"], totals["bytes_out"]], [wanted] * 2, "bytes in and out")
        equal(totals["errors"], {}, "errors")

    def refusal(self, name, backend):
        contains(self.ended(name, REFUSED)[1], SINCE[backend][1], "what it says")

    def probed(self, backend):
        """netprobe knows beforehand whether such a load can run, and which kernel it needs."""
        since, _, called = SINCE[backend]
        there = backend in self.backends
        self.ended(f"netprobe-{backend}", 0 if there else REFUSED)
        found = {one["what"]: one for one in self.result("netprobe")["findings"]}[called]
        change = "" if there else "Linux " + ".".join(map(str, since))
        equal([found["answer"], found["change"]], ["yes" if there else "no", change], called)

    def automatic(self):
        """Without a choice the best backend serves, and the result says which."""
        if not self.backends:
            self.refusal("auto", "epoll")
            return
        self.load("auto", 1000, self.backends[-1])
        equal(self.result("auto")["path"]["requested"], "auto", "what was asked for")
        said = self.left["auto.err"]
        falls_back = "netload: using epoll, because io_uring cannot run here" in said
        equal(falls_back, "uring" not in self.backends, f"whether it says that it falls back: {said}")

    def judge(self):
        for server in self.backends:
            for client, load in itertools.product(self.backends, LOADS):
                way, messages, size, _ = load
                self.holds(f"{client} at {server}, {way}, {messages} messages of {size} bytes",
                           self.load, load_name(server, client, load), messages, client)
            for way in ADDRESSES:
                self.holds(f"the server on {server}, {way}", self.server, server, way)
        for backend in SINCE:
            self.holds(f"netprobe about {backend}", self.probed, backend)
            for tool in ["netload", "netecho"] if backend not in self.backends else []:
                self.holds(f"{tool} on {backend} says what it needs", self.refusal, f"{tool}-{backend}", backend)
        self.holds("netload chooses its backend", self.automatic)


def main(version, image, tools):
    kernel = Kernel(version, image)
    kernel.holds("boots, and comes to the end", kernel.run, [f"{tools}/{tool}" for tool in TOOLS])
    if kernel.left:
        kernel.judge()
    print(f"tests of Linux {version}: {kernel.passed} passed, {kernel.failed} failed, 0 skipped")
    return 1 if kernel.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

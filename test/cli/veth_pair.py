"""Two network namespaces, a server's and a client's, joined by veth; netecho in one of them."""

import ctypes
import os
import signal
import socket
import struct
import subprocess

from case import equal, expect, wait_until
from network_namespace import NetworkNamespace, ip
from process import Process, program

SERVER, CLIENT = "10.99.0.1", "10.99.0.2"
SERVER6, CLIENT6 = "fd99::1", "fd99::2"
PORT = 7300


class Pair(NetworkNamespace):
    """The server's namespace and the client's, joined by veth with as many queues."""

    def __init__(self, queues=1):
        super().__init__()
        self.queues = ["numrxqueues", str(queues), "numtxqueues", str(queues)]
        self.started = []
        self.other = self.name + "-client"
        self.outside = ["ip", "netns", "exec", self.other]

    def prepare(self):
        super().prepare()
        ip("netns", "add", self.other)
        ip("link", "add", "v0", "netns", self.name, *self.queues, "type", "veth", "peer", "name",
           "v1", "netns", self.other, *self.queues)
        for name, link, host, host6 in ((self.name, "v0", SERVER, SERVER6),
                                        (self.other, "v1", CLIENT, CLIENT6)):
            ip("-n", name, "address", "add", host + "/24", "dev", link)
            ip("-n", name, "address", "add", host6 + "/64", "dev", link, "nodad")
            ip("-n", name, "link", "set", link, "up")

    def __exit__(self, *_):
        for process in self.started:
            process.kill()
        super().__exit__()
        subprocess.run(["ip", "netns", "del", self.other], capture_output=True, check=False)

    def client(self, host=SERVER, kind=socket.SOCK_DGRAM, protocol=0):
        """A socket of the client's namespace, connected to the server."""
        here = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.other}", os.O_RDONLY)
        ctypes.CDLL(None).setns(there, 0)
        try:
            made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind, protocol)
        finally:
            ctypes.CDLL(None).setns(here, 0)
            os.close(here)
            os.close(there)
        made.settimeout(30)
        made.connect((host, PORT))
        return made

    def start(self, *argv):
        """A process that does not outlive the namespaces."""
        self.started.append(Process(*argv))
        return self.started[-1]

    def serve(self, *arguments, at=f"udp:{SERVER}:{PORT}", backend="xdp"):
        """A netecho that listens."""
        server = self.start(*self.inside, program("NETECHO"), "--backend", backend, at, "--json",
                            *arguments)
        wait_until(lambda: not server.running or "listening" in server.err, "it listens")
        expect(server.running, server.err)
        return server

    def refusal(self, *arguments):
        refused = Process(*self.inside, program("NETECHO"), "--backend", "xdp", *arguments)
        return refused.finish().ended_with(3).err

    def load(self, *arguments, at=f"udp:{SERVER}:{PORT}", backend="xdp"):
        """A netload in the client's namespace."""
        return self.start(*self.outside, program("NETLOAD"), "--backend", backend, at, "--json",
                          *arguments)


def result_of(server):
    server.process.send_signal(signal.SIGINT)
    return server.finish().ended_with(0).json()


def check_echo(client, size):
    message = os.urandom(size)
    client.send(message)
    equal(client.recv(65536), message, f"{size} bytes")


def check_ping(pair):
    with pair.client(kind=socket.SOCK_RAW, protocol=socket.IPPROTO_ICMP) as raw:
        raw.send(struct.pack("!BBHHH", 8, 0, 0xf7fd, 1, 1))  # An echo request; ~(0x800 + 1 + 1).
        equal(raw.recv(2048)[20], 0, "the type of the answer")

#!/usr/bin/env python3
"""netecho over AF_XDP, between two network namespaces with a pair of veth."""

import ctypes
import os
import signal
import socket
import struct
import subprocess

from case import case, contains, equal, expect, run, wait_until
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

    def serve(self, *arguments, at=f"udp:{SERVER}:{PORT}"):
        """A netecho that listens."""
        server = self.start(*self.inside, program("NETECHO"), "--backend", "xdp", at, "--json",
                            *arguments)
        wait_until(lambda: not server.running or "listening" in server.err, "it listens")
        expect(server.running, server.err)
        return server

    def refusal(self, *arguments):
        refused = Process(*self.inside, program("NETECHO"), "--backend", "xdp", *arguments)
        return refused.finish().ended_with(3).err


def check_echo(client, size):
    message = os.urandom(size)
    client.send(message)
    equal(client.recv(65536), message, f"{size} bytes")


def result_of(server):
    server.process.send_signal(signal.SIGINT)
    return server.finish().ended_with(0).json()


def check_load(pair, server, target=f"udp:{SERVER}:{PORT}"):
    load = Process(*pair.outside, program("NETLOAD"), "--backend", "epoll", "-c", "64", "-n",
                   "20000", target, "--json").finish().ended_with(0).json()
    equal(load["totals"]["messages"], 20000, "replies")
    result = result_of(server)
    equal(result["path"]["active"], "xdp", "the backend that ran")
    expect(result["totals"]["datagrams"]["in"] >= 20000, "what the server counted")
    return result


@case
def sixty_four_flows_over_one_queue():
    with Pair() as pair:
        path = check_load(pair, pair.serve("--xdp", "native"))["path"]["evidence"]
        equal(path[0], "AF_XDP on v0, native, copied, 1 receive queue", "the path")


@case
def sixty_four_flows_over_two_queues():
    with Pair(2) as pair:
        path = check_load(pair, pair.serve("--xdp", "generic"))["path"]["evidence"]
        equal(path[0], "AF_XDP on v0, generic, copied, 2 receive queues", "the path")


@case
def each_way_to_wait():
    with Pair() as pair:
        for how in ("block", "spin", "adaptive", "batch:1ms"):
            server = pair.serve("--wait", how)
            with pair.client() as client:
                for size in (0, 1, 64, 1472):
                    check_echo(client, size)
            equal(result_of(server)["totals"]["datagrams"]["out"], 4, f"answers with --wait {how}")


@case
def ipv6():
    with Pair(2) as pair:
        server = pair.serve(at=f"udp:[{SERVER6}]:{PORT}")
        with pair.client(host=SERVER6) as client:
            for size in (0, 1, 1452, 4000):
                check_echo(client, size)
        equal(result_of(server)["totals"]["datagrams"]["out"], 4, "answers")


@case
def fragments_and_tcp_and_ping_pass_to_the_kernel():
    with Pair(2) as pair:
        server = pair.serve()
        beside = pair.start(*pair.inside, program("NETECHO"), "--backend", "epoll",
                            f"{SERVER}:{PORT}")
        wait_until(lambda: "listening" in beside.err, "TCP is served on the same port")
        with pair.client() as client, pair.client(kind=socket.SOCK_STREAM) as stream:
            for size in (1473, 20000, 64):
                check_echo(client, size)
            check_echo(stream, 64)
        check_ping(pair)
        beside.process.send_signal(signal.SIGINT)
        beside.finish().ended_with(0)
        equal(result_of(server)["totals"]["datagrams"]["out"], 3, "answers")


def check_ping(pair):
    with pair.client(kind=socket.SOCK_RAW, protocol=socket.IPPROTO_ICMP) as raw:
        raw.send(struct.pack("!BBHHH", 8, 0, 0xf7fd, 1, 1))  # An echo request; ~(0x800 + 1 + 1).
        equal(raw.recv(2048)[20], 0, "the type of the answer")


@case
def killed_it_is_started_again_at_once():
    with Pair() as pair:
        with pair.client() as client:
            for _ in range(3):
                server = pair.serve()
                check_echo(client, 64)
                server.process.kill()
                server.process.wait()
            server = pair.serve()
            check_echo(client, 64)
            result_of(server)


@case
def a_second_server_of_the_interface_is_told_who_has_it():
    with Pair() as pair:
        server = pair.serve()
        contains(pair.refusal(f"udp:{SERVER}:{PORT + 1}"), "another program has this interface")
        with pair.client() as client:
            check_echo(client, 64)
        result_of(server)


@case
def a_frame_too_small_for_the_mtu_is_refused():
    with Pair() as pair:
        pair.run("ip", "link", "set", "v0", "mtu", "9000")
        error = pair.refusal(f"udp:{SERVER}:{PORT}")
        contains(error, "its MTU is 9000 and a frame holds 3826")


@case
def what_stops_is_counted_as_lost():
    with Pair() as pair:
        server = pair.serve()
        with pair.client() as client:
            check_echo(client, 64)
            server.pause()
            for _ in range(6000):
                client.send(b"lost or not")
            server.signal(signal.SIGCONT)
            client.recv(64)
        datagrams = result_of(server)["totals"]["datagrams"]
        expect(datagrams["dropped"] > 0, f"nothing was dropped: {datagrams}")


@case
def what_it_cannot_do_is_refused_with_the_fix():
    with Pair() as pair:
        pair.run("ip", "link", "set", "lo", "up")
        for arguments, fix in (((f"{SERVER}:{PORT}",), "udp: addresses"),
                               (("udp:127.0.0.1:0",), "the loopback device drops"),
                               (("udp:0.0.0.0:0",), "name one address"),
                               ((f"udp:{SERVER}:0", "-t", "2"), "leave --threads out"),
                               ((f"udp:{SERVER}:0", f"udp:{SERVER}:0"), "one address")):
            contains(pair.refusal(*arguments), fix)
        load = Process(*pair.inside, program("NETLOAD"), "--backend", "xdp", f"udp:{SERVER}:{PORT}")
        contains(load.finish().ended_with(3).err, "udp: addresses of netecho")
        denied = Process("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--reuid",
                         "65534", "--clear-groups", program("NETECHO"), "--backend", "xdp",
                         "udp:127.0.0.1:0")
        contains(denied.finish().ended_with(3).err, "setcap cap_net_raw")


run()

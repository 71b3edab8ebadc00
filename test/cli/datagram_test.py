#!/usr/bin/env python3
"""netecho over UDP: who is answered, what is counted, and what is refused."""

import ctypes
import os
import signal
import socket

from case import Skip, case, contains, equal, expect, run, wait_until
from process import SECONDS_AT_MOST, Echo, check_echo, connect, netecho, require_backend, require_ipv6

LOOPBACK = ["udp:127.0.0.1:0"]
# Datagrams sent to a stopped server: more than 4 KiB hold, and fewer than the queue of a processor holds
# (net.core.netdev_max_backlog, 1,000 packets), whose drops no socket counts.
SENT = 200


def peer(server, family=socket.AF_INET, host="127.0.0.1"):
    """A connected socket, which takes datagrams from the server's address only."""
    client = socket.socket(family, socket.SOCK_DGRAM)
    client.settimeout(SECONDS_AT_MOST)
    client.connect((host, int(server.port)))
    return client


def check_datagram(client, message):
    client.send(message)
    equal(client.recv(65536), message, "the datagram that came back")


def catch_up(client):
    """Reads all answers, up to that to a message that it sends itself, again if that is dropped. Returns how
    many it sent, and the numbers of answers to those and to others.
    """
    client.settimeout(1)
    answered = 0
    for sent in range(1, int(SECONDS_AT_MOST) + 1):
        newest = b"message %d" % sent
        client.send(newest)
        try:
            while (answer := client.recv(65536)) is not None:
                answered += 1
                if answer == newest:
                    return sent, answered
        except TimeoutError:
            pass
    raise AssertionError(f"no answer to {sent} messages")


@case
def every_datagram_is_counted():
    with Echo("--json", listen=LOOPBACK) as server:
        equal(server.listening(), [f"udp:127.0.0.1:{server.port}"], "where it says it listens")
        sizes = [0, 1, 64, 1472, 1473, 20000, 65507]
        with peer(server) as one, peer(server) as other:
            for size in sizes:
                check_datagram(one, os.urandom(size))
                check_datagram(other, os.urandom(size))
        result = server.stop().ended_with(0).json()
        totals = result["totals"]
        equal(totals["datagrams"], {"in": 14, "out": 14, "unsent": 0, "dropped": 0}, "datagrams")
        equal(totals["messages"], 14, "messages")
        equal(totals["bytes_in"], 2 * sum(sizes), "bytes in")
        equal(totals["bytes_out"], 2 * sum(sizes), "bytes out")
        equal(totals["connections"], 0, "connections")
        expect(any("UDP" in line for line in result["path"]["evidence"]), "the path does not name UDP")


def socket_of(server):
    """The server's own UDP socket, for which no raw one is needed to forge its address (pidfd_getfd(2))."""
    pidfd = os.pidfd_open(server.pid)
    folder = f"/proc/{server.pid}/fd"
    numbers = [int(name) for name in os.listdir(folder) if os.readlink(f"{folder}/{name}").startswith("socket:")]
    number = ctypes.CDLL(None, use_errno=True).syscall(438, pidfd, numbers[0], 0)
    os.close(pidfd)
    if number < 0:
        raise Skip(f"pidfd_getfd: {os.strerror(ctypes.get_errno())}")
    return socket.socket(fileno=number)


@case
def one_forged_datagram_makes_no_loop():
    with Echo("--json", listen=LOOPBACK) as one, Echo("--json", listen=LOOPBACK) as two:
        addresses = [("127.0.0.1", int(server.port)) for server in [one, two]]
        with socket_of(one) as forged:
            for address in addresses:
                forged.sendto(b"round and round", address)
        for _ in range(300):  # A datagram that goes round would be as fast as these.
            for server in [one, two]:
                with peer(server) as client:
                    check_datagram(client, b"x")
        totals = [server.stop().ended_with(0).json()["totals"] for server in [one, two]]
    refused = totals[0]["errors"].get("datagrams whose answers might go round for ever")
    expect(refused in (1, 2), f"refused by the one that was to answer itself, and may be the last of two: {refused}")
    came = sum(total["datagrams"]["in"] for total in totals)
    expect(came <= 2 * 300 + 1 + 255, f"they went on and on: {came} datagrams came in")


@case
def ipv6():
    require_ipv6()
    with Echo(listen=["udp:[::1]:0"]) as server:
        with peer(server, socket.AF_INET6, "::1") as client:
            check_datagram(client, b"one message")
        equal(server.listening(), [f"udp:[::1]:{server.port}"], "where it says it listens")


@case
def threads_share_the_port():
    with Echo("-t", "2", "--json", listen=LOOPBACK) as server:
        clients = [peer(server) for _ in range(64)]
        for client in clients:
            check_datagram(client, b"one message")
            client.close()
        equal(server.stop().ended_with(0).json()["totals"]["datagrams"]["in"], 64, "datagrams")


@case
def streams_beside_datagrams():
    with Echo("--json", listen=["127.0.0.1:0", "udp:127.0.0.1:0"]) as server:
        stream, datagrams = server.listening()
        host, _, port = datagrams.removeprefix("udp:").rpartition(":")
        with connect(stream) as client, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.settimeout(SECONDS_AT_MOST)
            other.connect((host, int(port)))
            check_echo(client)
            check_datagram(other, b"beside it")
        totals = server.stop().ended_with(0).json()["totals"]
        equal(totals["connections"], 1, "connections")
        equal(totals["datagrams"]["in"], 1, "datagrams")
        equal(totals["bytes_in"], len(b"one message") + len(b"beside it"), "bytes in")


@case
def what_a_stopped_server_has_no_room_for():
    with Echo("--rcvbuf", "4k", "--json", listen=LOOPBACK) as server:
        with peer(server) as client:
            check_datagram(client, b"before")
            server.pause()
            for _ in range(SENT):
                client.send(bytes(100))
            server.signal(signal.SIGCONT)
            more, answered = catch_up(client)
        ended = server.stop().ended_with(0)
        datagrams = ended.json()["totals"]["datagrams"]
        equal(datagrams["in"], 1 + answered, "datagrams that came in")
        equal(datagrams["dropped"], SENT + more - answered, "dropped datagrams")
        expect(datagrams["dropped"] > 0, "none was dropped")
        contains(ended.err, "--rcvbuf gives them more", "the warning")


@case
def a_datagram_is_one_message_of_a_format():
    with Echo("-f", "sockperf", "--json", listen=LOOPBACK) as server:
        header = bytes(8) + b"\0\3" + (20).to_bytes(4, "big")
        message = header + b"inside"
        with peer(server) as client:
            for malformed in [b"", message[:10], message[:19], message + b"more"]:
                client.send(malformed)
            client.send(message)
            equal(client.recv(65536), message[:9] + b"\2" + message[10:], "the answer")
        result = server.stop().ended_with(0).json()
        equal(result["totals"]["datagrams"]["in"], 5, "datagrams in")
        equal(result["totals"]["datagrams"]["out"], 1, "datagrams out")
        equal(sum(result["totals"]["errors"].values()), 4, "malformed messages")


@case
def a_port_that_is_taken():
    with Echo(listen=LOOPBACK) as server:
        ended = netecho(f"udp:127.0.0.1:{server.port}", "-d", "5s").ended_with(3)
        contains(ended.err, f"udp:127.0.0.1:{server.port}", "what a second server says")
        contains(ended.err, "take port 0", "what a second server says")


@case
def what_does_not_go_with_datagrams():
    ended = netecho("udp:127.0.0.1:0", "--model", "staged").ended_with(2)
    contains(ended.err, "leave udp: or --model out", "the usage error")
    for wrong in ["udp:", "udp:127.0.0.1", "udp:::1:7007", "udp:127.0.0.1:70000"]:
        contains(netecho(wrong).ended_with(2).err, f"'{wrong}'", "the usage error")


@case
def the_interval_lines_count_datagrams():
    with Echo("-i", "100ms", listen=LOOPBACK) as server:
        with peer(server) as client:
            check_datagram(client, b"one message")
            wait_until(lambda: " p50 " in server.out, "a live line was printed")
        contains(server.stop().ended_with(0).out, "datagrams")


require_backend()
run()

#!/usr/bin/env python3
"""netecho --model staged: nothing is lost between its threads when rings fill or connections end or break."""

import os
import resource
import socket
import struct

from case import Skip, case, contains, equal, expect, run, wait_until
from process import Echo, check_echo, check_never_reading, netecho, netload, receive, require_backend
from socket_table import OPEN, leads_to, received, tcp_sockets_at

FORMATS = ["raw", "bytes", "protobuf", "json", "flatbuffers", "y3"]
STAGED = ("--model", "staged")


def frame(content, guid=1):
    """A message of the format bytes."""
    return struct.pack("<Iii", len(content), 567, guid) + content


def unread_by_the_server(client):
    """Bytes of this connection that wait in the kernel.

    Both of its ports say which it is: connect(2) gives one port to sockets with different targets.
    """
    here, there = client.getsockname()[1], client.getpeername()[1]
    return sum(received(row) for row in tcp_sockets_at(there, OPEN) if leads_to(row, here))


@case
def every_format_is_answered():
    for name in FORMATS:
        with Echo(*STAGED, "--tick", "2ms", "-f", name, "--json") as server:
            flags = ["-f", name, "-c", "50", "-P", "4", "-n", "5000", "--json"]
            sent = netload(server.address, *flags).ended_with(0).json()
            served = server.stop().ended_with(0).json()
        equal(sent["totals"]["messages"], 5000, f"{name}: messages")
        equal([sent["totals"]["errors"], served["totals"]["errors"]], [{}, {}], f"{name}: errors")
        equal(served["totals"]["bytes_in"], sent["totals"]["bytes_out"], f"{name}: bytes")
        equal(served["totals"]["bytes_out"], sent["totals"]["bytes_in"], f"{name}: bytes back")
        equal(served["config"]["model"], "staged", "model")
        stages = served["stages"]
        expect(stages["tick_ns"]["count"] > 0, "no tick was counted")
        expect(stages["backlog_found_bytes"]["max"] > 0, f"{name}: no tick found anything: {stages}")
        equal(served["cpu"]["process"]["threads"], 3, "threads")
        if name != "raw":
            equal(served["totals"]["messages"], 5000, f"{name}: messages that the server saw")


@case
def the_text_shows_ticks_and_backlog():
    with Echo(*STAGED, "--tick", "1ms") as server:
        with server.connect() as client:
            check_echo(client)
        result = server.stop().ended_with(0)
        for part in ["backlog", "found by a tick", "left by a tick", " tick", "sendmsg"]:
            contains(result.out, part)


@case
def a_message_in_pieces_over_many_ticks():
    message = frame(b"in pieces")
    with Echo(*STAGED, "--tick", "1ms", "-f", "bytes", "--json") as server:
        with server.connect() as client:
            for at in range(len(message)):
                client.sendall(message[at:at + 1])
                wait_until(lambda: unread_by_the_server(client) == 0, "it was read")
            equal(receive(client, len(message)), message, "the answer")
        served = server.stop().ended_with(0).json()
        equal(served["totals"]["messages"], 1, "messages")
        expect(served["stages"]["backlog_left_bytes"]["max"] < len(message), "more was left than a part")


@case
def malformed_ends_one_connection():
    with Echo(*STAGED, "--tick", "1ms", "-f", "json", "--json") as server:
        text = b'{"head":1,"guid":2,"content":"x"}'
        good = struct.pack("<I", len(text)) + text
        with server.connect() as one, server.connect() as other:
            one.sendall(good + struct.pack("<I", 3) + b"{[}" + good)
            equal(receive(one, len(good) + 1), good, "what comes before the malformed message, and the end")
            check_echo(other, good)
        served = server.stop().ended_with(0).json()
        equal(sum(served["totals"]["errors"].values()), 1, f"errors: {served['totals']['errors']}")
        contains(" ".join(served["warnings"]), "first malformed message")


@case
def longer_than_a_ring():
    with Echo(*STAGED, "--tick", "1ms", "-f", "bytes", "--ring-size", "512", "--json") as server:
        with server.connect() as client:
            check_echo(client, frame(b"f" * 400))
            client.sendall(frame(b"l" * 600))
            equal(receive(client, 1), b"", "the answer to a message longer than the ring")
        errors = server.stop().ended_with(0).json()["totals"]["errors"]
        equal(errors, {"bytes: too_large": 1}, "errors")


@case
def half_closed_peer_gets_the_rest():
    messages = b"".join(frame(os.urandom(200), guid) for guid in range(200))
    with Echo(*STAGED, "--tick", "5ms", "-f", "bytes", "--ring-size", "4k", "--json") as server:
        with server.connect() as client:
            client.sendall(messages)
            client.shutdown(socket.SHUT_WR)
            equal(receive(client, len(messages) + 1), messages, "the answers and then the end")
        served = server.stop().ended_with(0).json()["totals"]
        equal([served["messages"], served["errors"]], [200, {}], "messages and errors")


@case
def a_client_that_never_reads():
    with Echo(*STAGED, "--tick", "1ms", "--json") as server:
        check_never_reading(server, turns=300)
        result = server.stop().ended_with(0).json()
        contains(" ".join(result["path"]["evidence"]), "reading paused")


@case
def what_was_received_is_answered_after_the_stop():
    # More than the ring holds, and no tick comes before the stop.
    sent = os.urandom(100_000)
    with Echo(*STAGED, "--tick", "10m", "--json") as server:
        clients = [server.connect() for _ in range(20)]
        for client in clients:
            client.sendall(sent[:5_000])
        clients[0].sendall(sent[5_000:30_000])
        for client in clients:
            wait_until(lambda: unread_by_the_server(client) == 0, "it was read")
        for client in clients[1:]:
            equal(unread_by_the_server(client), 0, "unread")
        server.signal(15)
        equal(receive(clients[0], 30_001), sent[:30_000], "what comes back, and then the end")
        for client in clients[1:]:
            equal(receive(client, 5_001), sent[:5_000], "what comes back, and then the end")
        served = server.finish().ended_with(0).json()
        equal(served["totals"]["bytes_out"], 19 * 5_000 + 30_000, "bytes returned")
        equal(served["stages"]["tick_ns"]["count"], 0, "ticks before the stop")


@case
def a_peer_that_never_reads_does_not_hold_the_stop():
    with Echo(*STAGED, "--tick", "1ms") as server, server.connect() as greedy:
        greedy.setblocking(False)
        try:
            while True:
                greedy.send(bytes(1 << 16))
        except BlockingIOError:
            pass
        server.stop().ended_with(0)


@case
def connections_come_and_go():
    with Echo(*STAGED, "--tick", "1ms", "--json") as server:
        for _ in range(5):
            for client in [server.connect() for _ in range(40)]:
                check_echo(client)
                client.close()
        with server.connect() as client:
            check_echo(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        served = server.stop().ended_with(0).json()["totals"]
        equal(served["connections"], 201, "connections")
        equal(served["bytes_out"], 201 * len(b"one message"), "bytes returned")
        expect(set(served["errors"]) <= {"Connection reset by peer"}, f"errors: {served['errors']}")


@case
def what_does_not_fit_is_refused():
    for flags, said in [(["-t", "2", *STAGED], "three threads"), (["--tick", "1s"], "--model"),
                        (["--ring-size", "4k"], "--model"), (["--model", "other"], "loop or staged"),
                        ([*STAGED, "--ring-size", "1000"], "power of two"), ([*STAGED, "--tick", "x"], "x"),
                        ([*STAGED, "--uring", "direct"], "--uring")]:
        contains(netecho("127.0.0.1:0", *flags).ended_with(2).err, said)


@case
def ten_thousand_connections():
    needed = 10_100
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise Skip(f"the hard limit of descriptors is {hard}, and {needed} are needed")
    with Echo(*STAGED, "--tick", "50ms", "-f", "json", "--json") as server:
        flags = ["-f", "json", "-c", "10000", "-r", "10", "-d", "1s", "--timeout", "60s", "--json"]
        result = netload(server.address, *flags, seconds=400).ended_with(0).json()
        served = server.stop().ended_with(0).json()
    equal(result["outcome"]["answered"], 100_000, "answered")
    equal([result["totals"]["errors"], served["totals"]["errors"]], [{}, {}], "errors")
    equal(served["totals"]["messages"], 100_000, "messages that the server saw")
    equal(served["totals"]["connections"], 10_000, "connections")
    expect(served["stages"]["backlog_found_bytes"]["looks"] >= 10_000, "no walk over all connections")


require_backend()
run()

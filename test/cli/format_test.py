#!/usr/bin/env python3
"""netecho and netload with messages in every format, against bytes that wiremark did not make."""

import contextlib
import json
import os
import socket
import tempfile
import time

from bad_server import TIMEOUT, BadServer, echo
from case import case, contains, equal, expect, run
from messages import FOREIGN, FORMATS, frame, frame_of_size, prefixed
from process import Echo, check_echo, netload, receive, require_backend, start_netload

# The name of the format in malformed.json, where it differs.
NAME_IN_VECTORS = {"bytes": "bytestream"}

SEVERAL = [(567, 15, b"abc"), (0, 0, b""), (-1, -70_000, "Zürich".encode()), (2**31 - 1, -2**31, b"x" * 3000)]


def stream_of(name, messages):
    return b"".join(frame(name, *message) for message in messages)


def expect_end(client, before=b""):
    """Expects `before`, and then the end of the connection."""
    got = bytearray()
    try:
        while part := client.recv(1 << 16):
            got += part
    except ConnectionResetError:  # The peer closed with unread bytes.
        pass
    expect(got == before, f"{len(got)} other bytes than the {len(before)} expected: {bytes(got[:200])}")


def errors_of(server):
    return server.stop().ended_with(0).json()["totals"]["errors"]


def each_format(function):
    """Registers a case that runs for every format, each with a server of its own."""
    def for_all():
        for name in FORMATS:
            with Echo("-f", name, "--json") as server:
                function(server, name)
    for_all.__name__ = function.__name__
    for_all.__doc__ = function.__doc__
    return case(for_all)


@each_format
def every_message_is_answered(server, name):
    with server.connect() as client:
        for message in SEVERAL:
            client.sendall(frame(name, *message))
            equal(receive(client, len(frame(name, *message))), frame(name, *message), f"the answer in {name}")
    result = server.stop().ended_with(0).json()
    equal(result["totals"]["messages"], len(SEVERAL), "messages")
    equal(result["totals"]["bytes_in"], len(stream_of(name, SEVERAL)), "bytes")
    equal(result["totals"]["errors"], {}, "errors")
    equal(result["config"]["format"], name, "the format in the configuration")


@each_format
def an_answer_is_encoded_anew(server, name):
    """Whatever way a message was written, the answer is what wiremark writes."""
    with server.connect() as client:
        for foreign in FOREIGN[name]:
            client.sendall(foreign)
            equal(receive(client, len(frame(name))), frame(name), f"the answer to {foreign.hex()} in {name}")
    equal(errors_of(server), {}, "errors")


@each_format
def many_at_once_are_answered_in_order(server, name):
    stream = b"".join(frame(name, 567, number, b"y" * (number % 150)) for number in range(3000))
    with server.connect() as client:
        sender = socket.socket(fileno=os.dup(client.fileno()))
        with sender:
            sender.setblocking(False)
            sent, got = 0, bytearray()
            while len(got) < len(stream):  # Both ways at once: neither end holds all of it.
                if sent < len(stream):
                    try:
                        sent += sender.send(stream[sent:])
                    except BlockingIOError:
                        pass
                sender.setblocking(True)
                part = client.recv(1 << 16)
                expect(part, f"it ended after {len(got)} of {len(stream)} bytes of {name}")
                got += part
                sender.setblocking(sent == len(stream))
        equal(bytes(got), stream, f"the answers in {name}")
    result = server.stop().ended_with(0).json()
    equal(result["totals"]["messages"], 3000, "messages")
    equal(result["totals"]["errors"], {}, "errors")


@each_format
def a_message_may_come_in_two_parts(server, name):
    stream = frame(name) + frame(name, -5, 6, b"and another")
    with server.connect() as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for cut in range(len(stream) + 1):
            client.sendall(stream[:cut])
            time.sleep(0.001)  # The parts are to arrive one by one; a late server still must be right.
            client.sendall(stream[cut:])
            equal(receive(client, len(stream)), stream, f"the answers in {name}, cut at {cut}")
        for place in range(len(stream)):
            client.sendall(stream[place:place + 1])
        equal(receive(client, len(stream)), stream, f"the answers in {name}, byte by byte")
    equal(errors_of(server), {}, "errors")


def malformed_packets(name):
    """Payloads that the format does not allow, and the error of each."""
    path = os.path.join(os.path.dirname(__file__), "..", "wire", "data", "malformed.json")
    with open(path, encoding="utf-8") as file:
        packets = json.load(file)["packets"]
    for packet in packets:
        kind = packet["expected"].split()[0].rstrip(",")
        if packet["format"] == NAME_IN_VECTORS.get(name, name) and kind not in ["ok", "need_more_data"]:
            yield packet["name"], bytes.fromhex(packet["hex"]), kind


@each_format
def a_malformed_message_ends_its_connection_alone(server, name):
    counts = {}
    with server.connect() as other:
        other.sendall(frame(name)[:7])
        for what, packet, kind in malformed_packets(name):
            with server.connect() as client:
                client.sendall(frame(name) + (packet if name == "bytes" else prefixed(packet)))
                expect_end(client, frame(name))
            counts[f"{name}: {kind}"] = counts.get(f"{name}: {kind}", 0) + 1
        other.sendall(frame(name)[7:])
        equal(receive(other, len(frame(name))), frame(name), "what another connection gets")
    expect(counts, f"no malformed packet of {name}")
    result = server.stop().ended_with(0).json()
    equal(result["totals"]["errors"], counts, "errors")
    equal(result["totals"]["messages"], sum(counts.values()) + 1, "messages answered")
    first = [warning for warning in result["warnings"] if warning.startswith("first malformed message: ")]
    equal(len(first), 1, "warnings about malformed messages")
    contains(first[0], f"expected a {name} frame, got ")


@case
def a_message_over_the_limit_is_refused_at_its_length():
    for name in FORMATS:
        with Echo("-f", name, "--max-frame", "100k", "--json") as server:
            longest = frame_of_size(name, 100 << 10)
            with server.connect() as client:
                client.sendall(longest)
                equal(receive(client, len(longest)), longest, f"the longest message in {name}")
                client.sendall((100 << 10 | 1).to_bytes(4, "little"))
                expect_end(client)
            equal(errors_of(server), {f"{name}: too_large": 1}, "errors")


@each_format
def a_client_that_ends_its_half_gets_every_answer(server, name):
    stream = stream_of(name, SEVERAL)
    for rest in [b"", frame(name)[:3], frame(name)[:-1]]:
        with server.connect() as client:
            client.sendall(stream + rest)
            client.shutdown(socket.SHUT_WR)
            expect_end(client, stream)
    equal(errors_of(server), {f"{name}: need_more_data": 2}, "errors")


@case
def netload_checks_the_answers_of_a_foreign_echo():
    with BadServer(lambda connection, number: echo(connection)) as server:
        for name in FORMATS:
            ended = netload(server.address, "-f", name, "-c", "5", "-n", "2000", "-P", "7", "--json").ended_with(0)
            result = ended.json()
            equal(result["totals"]["messages"], 2000, f"messages in {name}")
            equal(result["checks"][0]["passed"], True, "every answer checked")
            contains(result["checks"][0]["detail"], "guid")
            equal(result["config"]["format"], name, "the format in the configuration")
            contains(result["config"]["input"], "22 texts, 79.5 bytes")


def first_message(connection, name):
    """The content of the first message of netload, read without wiremark, and all its bytes."""
    header = receive(connection, 4)
    rest = int.from_bytes(header, "little") + (8 if name == "bytes" else 0)
    return header + receive(connection, rest)


@case
def netload_names_what_is_wrong_with_an_answer():
    def again(connection, number):
        """Sends the first message back in answer to every one."""
        message = first_message(connection, name)
        connection.sendall(message)
        while connection.recv(1 << 16):
            connection.sendall(message)

    for name in FORMATS:
        with BadServer(again) as server:
            ended = netload(server.address, "-f", name, "-c", "1", "-n", "5", "--json").ended_with(1)
        result = ended.json()
        equal(result["totals"]["errors"], {f"{name}: wrong guid": 1}, "errors")
        contains(result["checks"][0]["detail"], f"a {name} answer has head 567, guid ")
        equal(result["totals"]["messages"], 1, "messages before it")


@case
def a_server_of_another_format_is_named():
    """The server answers in one format and the client asked in another."""
    for name in FORMATS:
        other = "protobuf" if name == "json" else "json"

        def answer(connection, number):
            connection.recv(1 << 16)
            connection.sendall(frame(other, 567, 15, b"one that is long enough") * 9)
            connection.recv(1 << 16)

        with BadServer(answer) as server:
            ended = netload(server.address, "-f", name, "-c", "1", "-n", "5", "--json").ended_with(1)
        result = ended.json()
        kinds = list(result["totals"]["errors"])
        expect(len(kinds) == 1 and kinds[0].startswith(f"{name}: "), f"errors: {kinds}")
        detail = result["checks"][0]["detail"]
        if name == "bytes":  # Whatever has the right length is one of its messages.
            contains(detail, "a bytes answer has head")
        else:
            contains(detail, f"expected a {name} frame, got ")
            contains(detail, f"(looks like {other})")


@case
def both_ends_say_that_their_formats_differ():
    with contextlib.ExitStack() as stack:  # All at once, since each waits for its timeout.
        started = []
        for client in FORMATS:
            server_format = "json" if client == "protobuf" else "protobuf"
            server = stack.enter_context(Echo("-f", server_format, "--json"))
            load = start_netload(server.address, "-f", client, "-c", "3", "-d", "20s", *TIMEOUT)
            started.append((client, server_format, server, stack.enter_context(load)))
        for client, server_format, server, load in started:
            ended = load.finish().ended_with(4)
            said = " ".join(ended.out.split())
            contains(said, "without a byte in reply")
            contains(said, f"does it speak {client}, as netecho -f {client} does?")
            result = server.stop().ended_with(0).json()
            errors = result["totals"]["errors"]
            expect(errors and all(kind.startswith(f"{server_format}: ") for kind in errors), f"errors: {errors}")
            warning = next(warning for warning in result["warnings"] if warning.startswith("first malformed"))
            contains(warning, f"expected a {server_format} frame, got ")
            contains(warning, f"(looks like {client})")


@case
def contents_come_from_a_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines")
        lines = [b"first", b"", "Grüße".encode(), b'"quoted"\\']
        with open(path, "wb") as file:
            file.write(b"\n".join(lines) + b"\n")
        seen = []

        def watch(connection, number):
            while message := first_message(connection, "bytes"):
                seen.append(message[12:])
                connection.sendall(message)

        with BadServer(watch) as server:
            netload(server.address, "-f", "bytes", "--input", path, "-c", "1", "-n", "8").ended_with(0)
        equal(sorted(seen), sorted(lines * 2), "contents sent")
        for name in FORMATS:
            netload("-f", name, "--input", path, "-c", "2", "-n", "50").ended_with(0)
        with open(path, "ab") as file:
            file.write(b"not \xff UTF-8\n")
        for name in FORMATS:
            ended = netload("-f", name, "--input", path, "-c", "2", "-n", "50")
            if name in ["protobuf", "json"]:
                contains(ended.ended_with(3).err, f"line 5 of {path} cannot be sent: {name}: invalid_utf8")
            else:
                ended.ended_with(0)
        with open(path, "wb") as file:
            file.write(b"z" * (1 << 20) + b"zz\n")
        contains(netload("-f", "y3", "--input", path, "-n", "5").ended_with(3).err, "raise --max-frame")
        netload("-f", "y3", "--input", path, "--max-frame", "2M", "-c", "2", "-n", "50").ended_with(0)


@case
def netload_starts_a_netecho_of_its_format():
    for name in FORMATS:
        result = netload("-f", name, "-c", "10", "-n", "1000", "--json").ended_with(0).json()
        equal(result["totals"]["messages"], 1000, "messages")
    ended = netload("--compare", "epoll,epoll", "-f", "json", "-c", "5", "-n", "100", "--rounds", "1").ended_with(0)
    contains(ended.out, "messages in json")


@case
def a_client_that_does_not_read_is_not_read_from():
    """Answers wait in bounded memory, and come when the client reads again."""
    with Echo("-f", "json", "--json") as server:
        message = frame("json", content=b"q" * 50_000)
        with server.connect() as client, server.connect() as other:
            client.setblocking(False)
            sent = idle = 0
            while idle < 20:
                try:
                    sent += client.send(message[sent % len(message):])
                    idle = 0
                except BlockingIOError:
                    idle += 1
                    check_echo(other, frame("json"))
            expect(server.resident_bytes() < 64 << 20, f"it holds {server.resident_bytes()} bytes")
            client.settimeout(60)
            whole = sent // len(message) * len(message)
            equal(receive(client, whole), message * (whole // len(message)), "what was kept for it")


require_backend()
run()

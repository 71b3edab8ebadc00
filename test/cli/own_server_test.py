#!/usr/bin/env python3
"""netload against servers of a few lines: every form of --reply, and what a newcomer does wrong."""

import contextlib
import itertools
import json
import os
import signal
import socket
import ssl
import struct
import tempfile
import threading

from bad_server import PAGE, TIMEOUT, BadServer, answer_and_close
from case import case, contains, equal, expect, run, wait_until
from document import keeps_to_the_schema
from foul import shown_as_letters
from outcome import expect_outcome
from process import free_port, netload, program, receive, require_backend, run_program, start_netload

SHORT = ["-c", "4", "-n", "400", "--json"]


def answers(request_size, answer):
    """Reads requests of one size, and sends answer(request) to each."""
    def behave(connection, _):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while request := receive(connection, request_size):
            connection.sendall(answer(request))
    return BadServer(behave)


def works(server, *flags):
    result = netload(server.address, *SHORT, *flags).ended_with(0).json()
    expect_outcome(result)
    equal(result["outcome"]["answered"], 400, "answered")
    equal(result["totals"]["errors"], {}, "errors")
    return result


def fails(server, *flags, codes=(1, 3, 4)):
    """What a run says that cannot go well."""
    ended = netload(server.address, "-c", "2", "-n", "100", *flags)
    expect(ended.code in codes, f"exit {ended.code}: {ended.out}{ended.err}")
    return ended.out + ended.err


@case
def every_form_of_reply():
    forms = {"size:6": b"sixsix", "line": b"a line\n", r"until:\r\n.\r\n": b"one\r\n..\r\n\r\n.\r\n", "u8": b"\3abc",
             "u16le": b"\3\0abc", "u32be@0-4": b"\0\0\0\7abc", "u32@4": b"head\0\0\0\2ok",
             "u64le+1": struct.pack("<Q", 1) + b"ab",
             "varint": b"\x80\1" + b"x" * 128, "http": PAGE,
             "resp": b"*2\r\n$1\r\na\r\n:5\r\n", "memcached": b"VALUE k 0 1\r\nv\r\nEND\r\n",
             "dns": b"\0\x0cid\x81\x80" + bytes(8)}
    for form, reply in forms.items():
        with answers(4, lambda _, reply=reply: reply) as server:
            result = works(server, "--send", "ping", "--reply", form, "-P", "4")
            equal(result["checks"], [{"name": "replies", "passed": True, "detail":
                                      f"framed ({form}), not compared: --expect says with what"}], "checks")
            works(server, "--send", "ping", "--reply", form, "--expect", "same")


@case
def what_was_sent_comes_back():
    with answers(30, lambda request: request) as server:
        result = works(server, "--send", "%{n} %{random:8} %{conn}")
        equal(result["checks"][0]["name"], "verify", "check")
        works(server, "--send", "%{n} %{random:8} %{conn}", "-R", "2000")


@case
def fields_are_filled_in():
    seen = []
    with answers(23, lambda request: seen.append(request) or b"\n") as server:
        netload(server.address, "--send", r"%{n} %{conn}\r\n", "--reply", "line", "-c", "1", "-n", "3").ended_with(0)
    equal(seen, [b"%010d 0000000000\r\n" % n for n in range(3)], "requests")


@case
def files_are_sent_and_expected():
    with tempfile.TemporaryDirectory() as folder, answers(5, lambda _: b"%{n}\n") as server:
        for name, content in (("request", b"%{n}\0"), ("reply", b"%{n}\n"), ("other", b"x\n")):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
        works(server, "--send", f"@{folder}/request", "--reply", "line", "--expect", f"@{folder}/reply")
        said = fails(server, "--send", f"@{folder}/request", "--reply", "line", "--expect", f"@{folder}/other",
                     codes=(1,))
        contains(said, r'got "%{n}\n" where "x\n" was expected')
        ended = netload(server.address, "--send", f"@{folder}/none", "--reply", "line").ended_with(3)
        contains(ended.err, f"{folder}/none")


@case
def requests_over_a_unix_socket():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/socket")
        listener.listen(16)

        def serve(connection):
            with connection:
                while receive(connection, 4):
                    connection.sendall(b"\3abc")

        def accept():
            with contextlib.suppress(OSError):
                while True:  # netload looks who listens, by a connection of its own.
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        thread = threading.Thread(target=accept)
        thread.start()
        ended = netload(f"unix:{folder}/socket", *SHORT, "--send", "ping", "--reply", "u8")
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()  # Its descriptor is another's then.
        equal(ended.ended_with(0).json()["outcome"]["answered"], 400, "answered")


@case
def two_replies_to_one_request():
    with answers(4, lambda _: b"+OK\r\n+OK\r\n") as server:
        contains(fails(server, "--send", "ping", "--reply", "resp", codes=(1,)),
                 r'"+OK\r\n" came at byte 5 of a connection, and no request was unanswered; does the server send two')


@case
def a_server_that_speaks_first():
    def behave(connection, _):
        connection.sendall(b"220 here\r\n")
        while receive(connection, 6):
            connection.sendall(b"250 fine\r\n")
    with BadServer(behave) as server:
        contains(fails(server, "--send", r"NOOP\r\n", "--reply", "size:10", "--expect", "250"), "--greeting line")
        result = works(server, "--send", r"NOOP\r\n", "--reply", "line", "--expect", "250", "--greeting", "line")
        equal(result["connect_ns"]["count"], 4, "connections")


@case
def a_server_that_does_not_greet():
    with answers(4, lambda _: b"x") as server:
        said = netload(server.address, "--send", "ping", "--reply", "size:1", "--greeting", "line", "-c", "2",
                       "-n", "10", *TIMEOUT).ended_with(3).err
        contains(said, "does the server speak first, and does it end as --greeting says?")


@case
def a_server_that_accepts_nobody_is_not_said_to_greet():
    """A backlog that is full: the kernel of the server leaves the SYN without an answer."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, socket.socket() as first:
        first.connect(listener.getsockname())
        said = netload(f"127.0.0.1:{listener.getsockname()[1]}", "--send", "ping", "--reply", "line", "--greeting",
                       "line", "-c", "1", "-n", "1", "--timeout", "500ms").ended_with(3).err
        contains(said, "does the server accept?")


@case
def a_port_with_tls():
    alert = b"\x15\x03\x03\0\2\2\x46"
    with BadServer(lambda connection, _: connection.recv(100) and connection.sendall(alert)) as server:
        said = netload(f"http://{server.address}", "-c", "2", "-n", "10").ended_with(1)
        contains(said.out, r'got "\x15\x03\x03\x00\x02\x02F", which is no reply as --reply')
        contains(said.out, "looks like TLS")
    with answers(1, lambda _: b"") as server:
        contains(netload(f"https://{server.address}").ended_with(2).err, "it has no TLS")


def serves_tls(connection, _):
    """As servers do: it closes where plain text comes, and tells a client whose ciphers it has not in TLS."""
    with contextlib.suppress(ssl.SSLError):
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).wrap_socket(connection, server_side=True)


def unanswered(server, *flags, code=4):
    """What a run says, in lines as long as they are, that sends a request by each of two connections."""
    said = netload(*flags, "-c", "2", "-n", "2", "--json").ended_with(code)
    return " ".join(said.json()["warnings"])


@case
def a_port_that_closes_on_plain_text():
    """Whether it speaks TLS it is asked; it may have closed for any other reason."""
    def echoes_a_hello(connection, _):
        received = connection.recv(1000)
        connection.sendall(received if received[0] == 0x16 else b"")
    ways = [["http://{}"], ["redis://{}"], ["{}"], ["{}", "-f", "json"], ["{}", "--send", r"ping\n", "--reply", "line"]]
    behaviours = [(serves_tls, True), (lambda connection, _: connection.recv(1), False), (echoes_a_hello, False)]
    for behave, speaks in behaviours:
        with BadServer(behave) as server:
            for target, *flags in ways:
                said = unanswered(server, target.format(server.address), *flags)
                contains(said, "the server closed 2 connections without a byte in reply")
                equal("speaks TLS (it answered a ClientHello)" in said, speaks, f"TLS in {said}")


@case
def a_port_with_tls_that_got_too_little_to_close():
    """The head of a record has five bytes."""
    with BadServer(serves_tls) as server:
        said = unanswered(server, server.address, "--send", "ping", "--reply", "line", *TIMEOUT)
        contains(said, "--timeout) without a byte in reply; the port speaks TLS")


@case
def a_port_with_tls_that_answers_400():
    """As nginx and Go do. A page that names TLS is no proof of it."""
    page = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 40\r\n\r\nplain HTTP request was sent to HTTPS port"
    for speaks in (True, False):
        def behave(connection, _):
            while received := connection.recv(1000):
                connection.sendall(b"\x15\x03\x03\0\2\2\x28" if speaks and received[0] == 0x16 else page[:-1])
        with BadServer(behave) as server:
            said = unanswered(server, f"http://{server.address}")
            equal("the port speaks TLS" in said, speaks, f"TLS in {said}")


@case
def a_server_that_is_slower_than_the_timeout():
    """Nothing came, and nothing else is known: no word of TLS, and none of an end that the request has."""
    with BadServer(lambda connection, _: receive(connection, 1 << 20)) as server:
        said = unanswered(server, f"http://{server.address}", "--timeout", "200ms")
        contains(said, "2 connections waited 200ms (--timeout) without a byte in reply; a server that takes longer")
        expect("TLS" not in said and "may wait" not in said, said)
        unanswered(server, f"http://{server.address}", "--timeout", "200ms", "--max-errors", "2", code=4)
        said = unanswered(server, server.address, "--send", "ping", "--reply", "line", "--timeout", "200ms")
        contains(said, '"ping" has no line end, for which a server may wait')


@case
def a_server_that_closes_in_the_midst_of_its_first_reply():
    """What had come is shown, and nothing is said that would be of a server that sent nothing."""
    def behave(connection, _):
        connection.recv(1)
        connection.sendall(b"HTTP/1.1 200 O")
    with BadServer(behave) as server:
        said = unanswered(server, f"http://{server.address}")
        contains(said, '14 bytes of a reply had come that did not end as --reply \'http\' has it: "HTTP/1.1 200 O"')
        expect("without a byte" not in said, said)
        contains(unanswered(server, server.address, "--no-verify"), "14 bytes of a reply had come, and not the rest")


@case
def a_port_with_another_protocol():
    with BadServer(lambda connection, _: connection.recv(100) and connection.sendall(b"-ERR unknown\r\n")) as server:
        said = netload(f"http://{server.address}", "-c", "1", "-n", "1").ended_with(1).out
        contains(said, "looks like RESP: --reply resp")


@case
def a_reply_that_never_ends():
    with answers(4, lambda _: b"no end") as server:
        said = fails(server, "--send", "ping", "--reply", "line", *TIMEOUT, codes=(4,))
        contains(said, "no reply within the timeout")
        contains(said, '6 bytes of a reply had come that did not end as --reply \'line\' has it: "no end"')
    with answers(4, lambda _: b"x" * 5000) as server:
        said = fails(server, "--send", "ping", "--reply", "line", "--max-frame", "4k", codes=(1,))
        contains(said, "a reply longer than --max-frame")


@case
def a_length_that_is_none():
    with answers(4, lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
        said = fails(server, "--send", "ping", "--reply", "u32", codes=(1,))
        contains(said, "would have 1213486164 bytes or more, and --max-frame is 1048576")
        contains(said, "this looks like HTTP: --reply http")


def take_request(connection):
    """A request of HTTP without a body, of which nothing is left unread."""
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        part = connection.recv(1 << 16)
        if not part:
            raise ConnectionError
        request += part


@case
def a_body_until_the_server_closes():
    def behave(connection, _):
        take_request(connection)
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nthe ")
        connection.sendall(b"body")
    with BadServer(behave) as server:
        ended = netload(f"http://{server.address}", "-c", "2", "-n", "50", "--expect", "the body", "--json")
        result = ended.ended_with(0).json()
        equal(result["outcome"]["answered"], 50, "answered")
        equal(result["totals"]["errors"], {}, "errors")


def closes_behind(every):
    """Ends each connection behind that many answers, and does not say so."""
    def behave(connection, _):
        for _ in range(every - 1):
            take_request(connection)
            connection.sendall(PAGE)
        take_request(connection)
        answer_and_close(connection, PAGE)
    return BadServer(behave)


@case
def a_connection_that_is_closed_behind_an_answer():
    """With a rate nothing is under way then, or a request that comes too late; without, that always is."""
    for every, load in itertools.product([1, 5], [["-r", "20"], []]):
        with closes_behind(every) as server:
            ended = netload(f"http://{server.address}", "-c", "1", *load, "-n", "20", "--json").ended_with(0)
            result = ended.json()
            outcome = expect_outcome(result)
            what = f"of {outcome} and {result['totals']} with {load}"
            equal([outcome["planned"], outcome["answered"]], [20, 20], f"planned and answered {what}")
            equal(result["totals"]["errors"], {}, f"errors {what}")
            # Each connection has its share of answers, and none is opened behind the last.
            again = 20 // every - 1
            opened = [result["totals"][part] for part in ["connections", "opened_again"]]
            equal(opened, [1, again], f"connections {what}")
            if load:
                expect(outcome["repeated"] <= again, f"repeated {what}")
            else:
                equal(outcome["repeated"], again, f"repeated {what}")


@case
def what_may_not_be_repeated_is_an_error_of_its_name():
    with closes_behind(1) as server:
        ended = netload(f"http://{server.address}", "-c", "1", "-n", "20", "--method", "POST", "--json").ended_with(4)
        result = ended.json()
        outcome = expect_outcome(result)
        # The request behind each answer.
        equal([outcome[part] for part in ["answered", "lost", "repeated"]], [10, 10, 0], f"outcome: {outcome}")
        equal(result["totals"]["errors"], {"closed by the server before it took the request": 10}, "errors")


@case
def what_the_server_took_is_not_repeated():
    """It reads every second request, and closes in place of an answer."""
    def behave(connection, _):
        take_request(connection)
        connection.sendall(PAGE)
        take_request(connection)
    with BadServer(behave) as server:
        ended = netload(f"http://{server.address}", "-c", "1", "-n", "20", "--json").ended_with(4)
        outcome = expect_outcome(ended.json())
        equal([outcome[part] for part in ["answered", "lost", "repeated"]], [10, 10, 0], f"outcome: {outcome}")
        equal(ended.json()["totals"]["errors"], {"closed by the server": 10}, "errors")


@case
def a_close_in_the_midst_of_a_reply():
    def behave(connection, _):
        receive(connection, 4)
        connection.sendall(b"\5abc")
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "2", "-n", "10", "--send", "ping", "--reply", "u8", "--json")
        result = ended.ended_with(4).json()
        equal(result["totals"]["errors"], {"closed by the server": 2}, "errors")
        equal(result["outcome"]["answered"], 0, "answered")


@contextlib.contextmanager
def datagrams(answers):
    """A server that sends answers(request), several datagrams, back to who asked; yields it as a TARGET."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def serve():
            while (request := server.recvfrom(2000))[0] != b"stop":
                for answer in answers(request[0]):
                    server.sendto(answer, request[1])

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"udp:127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.sendto(b"stop", server.getsockname())
            thread.join()


@case
def datagrams_have_one_reply_each():
    with datagrams(lambda request: [b"re: " + request]) as target:
        flags = ["--send", "question", "--expect", "re: ", "--timeout", "30s"]
        equal(netload(target, *SHORT, *flags).ended_with(0).json()["outcome"]["answered"], 400, "answered")
        # The id stands where the request has it, so a reply that has moved it is none of ours.
        result = netload(target, "-c", "2", "-n", "4", "--json", "--send", "a%{id}b", "-P", "2", *TIMEOUT)
        equal(result.ended_with(1).json()["outcome"]["answered"], 0, "answered")
        equal(result.json()["delivery"]["wrong"], 4, "wrong")
        contains(netload(target, "--send", "x", "-P", "2").ended_with(2).err, "%{id}")


@case
def several_replies_to_one_datagram_are_told_apart_by_an_id_alone():
    # So slow that the second reply is there before the next message leaves: each is seen to be too many.
    slowly = ["-c", "1", "-R", "50", "-n", "10", "--json"]
    for copies in (2, 3):
        with datagrams(lambda request, copies=copies: [request] * copies) as target:
            result = netload(target, "--send", "ping", *slowly).ended_with(0).json()
            expect(result["delivery"]["duplicated"] > 0, f"duplicated of {result['delivery']}")
            equal(result["delivery"]["without_ids"], True, "without ids")
            expect(not any(figure["valid"] for figure in result["verdict"]["figures"]), f"valid: {result['verdict']}")
            contains(" ".join(result["verdict"]["reasons"]), "came beyond one for each message")
            result = netload(target, "--send", "%{id}", *slowly).ended_with(0).json()
            expect("without_ids" not in result["delivery"], f"{result['delivery']}")
            expect("beyond one" not in str(result["warnings"]), f"{result['warnings']}")


@case
def fields_are_left_out_of_what_is_expected():
    # As DNS answers: the id, and what follows the flags.
    with datagrams(lambda request: [request[:2] + b"\x81" + request[3:]]) as target:
        for fields in ("%{id}", "%{id}. %{n} %{conn} %{random:9}"):
            for expected in ("same", r"..\x81"):
                result = netload(target, *SHORT, "--send", fields + "\\0", "--expect", expected, "--timeout", "30s")
                equal(result.ended_with(0).json()["outcome"]["answered"], 400, f"answered to {fields}")
    with answers(22, lambda request: b"got %b" % request) as server:
        works(server, "--send", r"%{n} %{conn}\n", "--reply", "line", "--expect", "same")
    with answers(11, lambda request: b"%010d\n" % (int(request) // 2)) as server:
        contains(fails(server, "--send", r"%{n}\n", "--reply", "line", "--expect", "same", codes=(1,)), "differ from byte")


@case
def answers_of_dns_are_counted_by_rcode():
    question = r"%{id}\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01"

    def asked(answer, code):
        with datagrams(lambda request: [request[:2] + answer + request[4:]]) as target:
            result = netload(target, *SHORT, "--send", question, "--timeout", "30s").ended_with(code).json()
            return result["answers"], result["totals"]["errors"], " ".join(result["warnings"])
    equal(asked(b"\x81\x80", 0)[:2], ({"NOERROR": 400}, {}), "answers")
    found, errors, warnings = asked(b"\x81\x82", 4)
    equal((found, errors), ({"SERVFAIL": 400}, {"DNS SERVFAIL": 400}), "answers")
    contains(warnings, "no answer was NOERROR (SERVFAIL 400)")
    found, errors, warnings = asked(b"\x81\x83", 0)
    equal((found, errors), ({"NXDOMAIN": 400}, {}), "answers")
    contains(warnings, "no answer was NOERROR (NXDOMAIN 400)")


class Sink:
    """Takes what comes on each connection, and says nothing."""

    def __init__(self):
        self.sizes = []

    def __call__(self, connection, _):
        size = 0
        while data := connection.recv(1 << 20):
            size += len(data)
        self.sizes.append(size)


@case
def messages_without_replies_arrive():
    sink = Sink()
    with BadServer(sink) as server:
        for flags in [["-n", "4000"], ["-n", "4000", "-P", "5"], ["-R", "4000", "-d", "1s"],
                      ["-n", "4000", "--churn", "50", "-R", "8000"]]:
            sink.sizes.clear()
            result = netload(server.address, "-c", "4", *flags, "--json", "--send", "%{random:93} line\\n",
                             "--reply", "none").ended_with(0).json()
            expect_outcome(result)
            equal(result["outcome"]["answered"], 4000, f"answered with {flags}")
            wait_until(lambda: sum(sink.sizes) >= 4000 * 99, f"the bytes arrived with {flags}")
            equal(sum(sink.sizes), 4000 * 99, f"bytes that arrived with {flags}")
            # One that was still opening when the load was over is not counted.
            expect(len(sink.sizes) >= result["totals"]["connections"], f"{len(sink.sizes)} connections ended")
            equal(result["checks"], [], "checks")
            contains(" ".join(result["warnings"]), "that it arrived nobody knows")


@case
def a_server_that_does_not_read_holds_messages_up():
    def behave(connection, _):
        server.ended.wait()
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "1", "-d", "20s", *TIMEOUT, "--sndbuf", "4096", "--json",
                        "--send", "%{random:1000}", "--reply", "none")
        totals = ended.ended_with(4).json()["totals"]
        equal(totals["errors"], {"no room for a message within the timeout": 1}, "errors")
        expect_outcome(ended.json())


@case
def what_a_server_says_all_the_same_is_not_looked_at():
    with answers(5, lambda request: request * 2) as server:
        result = netload(server.address, *SHORT, "--send", "12345", "--reply", "none").ended_with(0).json()
        equal(result["outcome"]["answered"], 400, "messages")


@case
def datagrams_without_replies_arrive():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        server.bind(("127.0.0.1", 0))
        target = f"udp:127.0.0.1:{server.getsockname()[1]}"
        for flags in [["-n", "100"], ["-R", "400", "-n", "100"], ["-n", "100", "-P", "8"]]:
            result = netload(target, "-c", "4", *flags, "--json", "--send", "%{n}", "--reply", "none")
            equal(result.ended_with(0).json()["outcome"]["answered"], 100, f"messages with {flags}")
            for _ in range(100):
                server.recv(100)
        netload(f"udp:127.0.0.1:{free_port()}", "-n", "100", "--send", "x", "--reply", "none").ended_with(3)


LINES = ["--send", "ping", "--reply", "line", "-c", "2"]


@case
def two_servers_are_compared_round_by_round():
    with answers(4, lambda _: b"+OK\r\n") as one, answers(4, lambda _: b"-no\r\n") as other:
        flags = [*LINES, "-n", "50", "--rounds", "3", "--progress", "off"]
        compared = netload("--compare", f"{one.address},{other.address}", *flags).ended_with(0)
        contains(compared.out, "replies framed as line, closed loop, 3 rounds of 50 messages each in turn")
        contains(compared.out, f"\n  {one.address} ")
        contains(compared.out, f"{other.address} against {one.address}, round by round:")
        study = netload("--compare", f"{one.address},{other.address}", *flags, "--json").ended_with(0).json()
        equal([row["backend"] for row in study["backends"]], [one.address, other.address], "targets")
        equal([len(row["rounds"]) for row in study["backends"]], [3, 3], "rounds")


def as_it_ended(ended, file):
    """The study of a run whose server went, which netreport prints as the run did."""
    ended.ended_with(3)
    equal(run_program(program("NETREPORT"), file).ended_with(0).out, ended.out, "the text from the document")
    with open(file, encoding="utf-8") as text:
        study = json.load(text)
    keeps_to_the_schema(study)
    return study


@case
def a_round_that_fails_loses_none_before_it():
    with answers(4, lambda _: b"+OK\r\n") as stays, answers(4, lambda _: b"+OK\r\n") as goes, \
            tempfile.TemporaryDirectory() as folder:
        targets = [stays.address, goes.address]
        file = os.path.join(folder, "study.json")
        with start_netload("--compare", ",".join(targets), *LINES, "-n", "50", "--rounds", "1000", "--progress", "on",
                           f"--json={file}") as running:
            wait_until(lambda: "round 2 of 1000: " in running.err, "the second round began")
            goes.refuse_others()
            ended = running.finish()
        study = as_it_ended(ended, file)
        failed = study["failed"]
        expect(failed["name"] == goes.address and failed["round"] >= 2, f"this failed: {failed}")
        # The order rotates: in every second round the last target is the first.
        came_before = failed["round"] % 2
        equal([(row["backend"], len(row["rounds"])) for row in study["backends"]],
              [(stays.address, failed["round"] - 1 + came_before), (goes.address, failed["round"] - 1)], "rounds")
        contains(failed["reason"], f"of 2 connections to {goes.address} opened; ")
        words = f"round {failed['round']} of {goes.address}: {failed['reason']}"
        contains(" ".join(ended.out.split()), f"FAILED {words}", "the text")
        contains(ended.err, f"netload: {words}")


@case
def a_first_round_that_fails_leaves_the_rows_before_it():
    nobody = f"127.0.0.1:{free_port()}"
    with answers(4, lambda _: b"+OK\r\n") as server, tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "study.json")
        ended = netload("--compare", f"{server.address},{nobody}", *LINES, "-n", "50", f"--json={file}")
        study = as_it_ended(ended, file)
        equal([(row["backend"], len(row["rounds"])) for row in study["backends"]], [(server.address, 1)], "rounds")
        equal((study["failed"]["name"], study["failed"]["round"]), (nobody, 1), "what failed")
        ended = netload("--compare", f"{nobody},{server.address}", *LINES, "-n", "50").ended_with(3)
        equal(ended.out, "", "what was measured before the first run")
        contains(ended.err, f"netload: round 1 of {nobody}: 0 of 2 connections")


@case
def a_comparison_that_is_interrupted_in_its_first_round_has_what_was_measured():
    answered = threading.Event()

    def answer(_):
        answered.set()
        return b"+OK\r\n"
    with answers(4, answer) as one, answers(4, answer) as other:
        with start_netload("--compare", f"{one.address},{other.address}", *LINES, "-d", "60s", "--json") as running:
            expect(answered.wait(60), "no message came")
            running.signal(signal.SIGINT)
            ended = running.finish().ended_with(130)
        rows = ended.json()["backends"]
        equal([(row["backend"], [round["interrupted"] for round in row["rounds"]]) for row in rows],
              [(one.address, [True])], "rows")
        contains(ended.err, f"netload: no row for {other.address}: it had no round yet")


@case
def a_search_whose_server_goes_has_its_probes():
    def behave(connection, number):
        if number == 1:  # Both connections of the first probe are there.
            server.refuse_others()
        while receive(connection, 4):
            connection.sendall(b"+OK\r\n")

    with BadServer(behave) as server, tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "study.json")
        ended = netload("--find-max", server.address, *LINES, "-d", "100ms", "--slo", "errors<1", f"--json={file}")
        study = as_it_ended(ended, file)
        equal(len(study["probes"]), 1, "probes")
        equal(study["failed"]["rate_hz"], 2000 if study["probes"][0]["kept"] else 1000, "the rate that failed")
        words = f"messages/s: 0 of 2 connections to {server.address} opened; connect: Connection refused"
        contains(" ".join(ended.out.split()), words, "the text")
        contains(ended.err, words)
    ended = netload("--find-max", f"127.0.0.1:{free_port()}", *LINES, "-d", "100ms").ended_with(3)
    contains(ended.err, "netload: 0 of 2 connections")


@case
def servers_of_different_protocols_are_compared():
    web = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with answers(6, lambda _: b"+PONG\r\n") as cache, BadServer(lambda connection, _: http(connection, web)) as server:
        compared = netload("--compare", f"redis://{cache.address},http://{server.address}", "-c", "2", "-n", "50",
                           "--rounds", "2", "--progress", "off").ended_with(0)
        contains(compared.out, "each in its own protocol")
        contains(compared.out, f"http://{server.address} against redis://{cache.address}, round by round:")


def http(connection, *responses):
    """Answers the requests with these in turn until the client ends."""
    received = b""
    in_turn = itertools.cycle(responses)
    while data := connection.recv(1000):
        received += data
        while b"\r\n\r\n" in received:
            received = received.partition(b"\r\n\r\n")[2]
            connection.sendall(next(in_turn))


def statuses(*codes, body=b"hello"):
    """A web server that answers the requests of each connection with these statuses in turn."""
    responses = [b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (code, len(body), body) for code in codes]
    return BadServer(lambda connection, _: http(connection, *responses))


def answered(server, *flags, code):
    """The answers to one connection by status, and the errors."""
    result = netload(f"http://{server.address}", "-c", "1", "-n", "400", "--json", *flags).ended_with(code).json()
    expect_outcome(result)
    equal(sum(result["answers"].values()), result["outcome"]["answered"], "answers of all statuses")
    return result["answers"], result["totals"]["errors"]


@case
def answers_are_counted_by_status():
    with statuses(200, 302, 404, 503) as server:
        quarters = dict.fromkeys(["200", "302", "404", "503"], 100)
        equal(answered(server, code=4), (quarters, {"HTTP 404": 100, "HTTP 503": 100}), "answers")
        equal(answered(server, "-P", "4", "-R", "4000", "--max-errors", "200", code=0)[0], quarters, "in an open loop")
        said = netload(f"http://{server.address}", "-c", "1", "-n", "400").ended_with(4).out
        contains(said, "answers     200 100, 302 100, 404 100, 503 100\n")
        # What came in the warm-up is among the answers as little as among the messages.
        answered(server, "-R", "400", "-w", "100ms", "--max-errors", "1M", code=0)
        equal(answered(server, "--expect-status", "2xx,3xx,404", code=4)[1], {"HTTP 503": 100}, "unwanted")
    with answers(4, lambda _: b"+OK\r\n") as server:
        expect("answers" not in works(server, "--send", "ping", "--reply", "resp"), "answers of no kind are counted")


@case
def a_server_that_words_each_error_anew():
    """The first words have names, the others a sum; what is printed fits a screen, and so does the document."""
    words = itertools.count()
    with answers(6, lambda _: b"-E%d each is another\r\n" % next(words)) as server:
        flags = ["-c", "2", "-n", "2000", "--send", "PING\\r\\n", "--reply", "resp", "--json"]
        ended = netload(server.address, *flags).ended_with(4)
        errors = ended.json()["totals"]["errors"]
        equal(len(errors), 33, f"kinds of {errors}")
        equal((errors["errors of other kinds"], sum(errors.values())), (2000 - 32, 2000), "errors")
        said = netload(server.address, *flags[:-1]).ended_with(4).out
        contains(said, "1,992 of other kinds")
        expect(len(said.splitlines()) < 70, said)


@case
def a_server_with_foul_words_is_shown_as_letters():
    words = b"-\x1b[2J\x1b[31mVALID\xff\x9b no\r\n"
    with answers(6, lambda _: words) as server, tempfile.TemporaryDirectory() as folder:
        rows, page = f"{folder}/rows", f"{folder}/page"
        flags = [server.address, "-c", "2", "-n", "200", "--send", "PING\\r\\n", "--reply", "resp"]
        shown = r"RESP -\x1b[2J\x1b[31mVALID\xff\x9b"
        ended = netload(*flags, "--csv", rows, f"--html={page}", "-i", "10ms", "--progress", "on").ended_with(4)
        contains(ended.out, f"{shown} 200")
        shown_as_letters(ended.out + ended.err, "the text")
        for file in rows, page:
            with open(file, encoding="utf-8") as text:
                shown_as_letters(text.read(), file)
        equal(netload(*flags, "--json").ended_with(4).json()["totals"]["errors"], {shown: 200}, "errors")


@case
def the_status_decides_whatever_the_body_is():
    with statuses(500) as server, tempfile.NamedTemporaryFile() as file:
        file.write(b"hello")
        file.flush()
        every = ({"500": 400}, {"HTTP 500": 400})
        for expected in ("hello", "", "same", f"@{file.name}"):
            equal(answered(server, "--expect", expected, code=4), every, f"--expect {expected!r}")
            equal(answered(server, "--expect", expected, "--expect-status", "500", code=0), ({"500": 400}, {}),
                  f"--expect {expected!r} --expect-status 500")
    with statuses(200) as server:
        equal(answered(server, "--expect-status", "404", code=4), ({"200": 400}, {"HTTP 200": 400}), "not wanted")


@case
def redirects_alone_are_told():
    with statuses(302) as server:
        web = [f"http://{server.address}", *SHORT]
        told = "no answer had a status of 2xx (302 400): --expect-status names those that are wanted"
        contains("\n".join(netload(*web).ended_with(0).json()["warnings"]), told)
        expect(told not in netload(*web, "--expect-status", "302").ended_with(0).json()["warnings"], "it is wanted")


@case
def redirects_are_compared_with_no_pages():
    with statuses(200) as pages, statuses(302) as redirects, tempfile.TemporaryDirectory() as folder:
        one, other = (f"http://{server.address}" for server in (pages, redirects))
        flags = ["-c", "2", "-n", "200", "--progress", "off"]
        compared = netload("--compare", f"{one},{other}", *flags, "--rounds", "2").ended_with(0)
        contains(" ".join(compared.out.split()), f"cannot tell {other} and {one} apart: 100 % of the answers of "
                                                 f"{other} were 302, and 0 % of {one}")
        before, now = (os.path.join(folder, name) for name in ("before.json", "now.json"))
        header = ["--header", "Host: here"]
        netload(one, *flags, *header, f"--json={before}").ended_with(0)
        netload(other, *flags, *header, f"--json={now}").ended_with(0)
        contains(run_program(program("NETREPORT"), now, "--against", before).ended_with(3).err,
                 "200 was 100 % of the answers and is 0 %")


@case
def a_rate_is_not_kept_by_redirects():
    with statuses(302, 200) as server:
        search = ["--find-max", f"http://{server.address}", "-c", "1", "-d", "50ms", "-R", "40", "--slo", "errors<1"]
        contains(netload(*search).ended_with(1).out, "had a status of 3xx (302 ")
        expect("status of 3xx" not in netload(*search, "--expect-status", "2xx,302").out, "redirects are wanted")


@case
def reads_are_counted_as_hits_and_misses():
    def kept(reply, read, write, written, hit, miss):
        with answers(7, lambda request: hit if request[:3] == read else written) as server:
            flags = ["--reply", reply, "--send", f"{read.decode()} k\\r\\n", "--send", f"{write} k\\r\\n"]
            result = netload(server.address, "-c", "1", "-n", "400", "--json", *flags).ended_with(0).json()
            equal(result["answers"], {"hit": 200}, "answers")
        with answers(7, lambda _: miss) as server:
            flags = ["--reply", reply, "--send", f"{read.decode()} k\\r\\n"]
            result = works(server, *flags)
            equal(result["answers"], {"miss": 400}, "answers")
            contains(" ".join(result["warnings"]), "not one of 400 reads found what it asked for")
            contains(netload(server.address, *SHORT[:-1], *flags).ended_with(0).out, "answers     miss 400\n")
    kept("resp", b"GET", "SET", b"+OK\r\n", b"$1\r\nv\r\n", b"$-1\r\n")
    kept("memcached", b"get", "add", b"STORED\r\n", b"VALUE k 0 1\r\nv\r\nEND\r\n", b"END\r\n")


@case
def what_is_wrong_with_a_command_line():
    port = f":{free_port()}"
    for flags, fix in ((["--reply", "resp", port], "--send TEXT"),
                       (["--send", "x", "--reply", "resp"], "name your server"),
                       (["--send", r"\q", port], "escape"), (["--send", "%{m}", port], "%{random:N}"),
                       (["--send", "x", "--reply", "smtp", port], "until:TEXT"),
                       (["--send", "x", "-f", "json", port], "leave them out"),
                       (["--send", "x", "--expect", "y", "--reply", "line", "--no-verify", port],
                        "leave it or --expect out"),
                       (["--send", "x", "--expect", "y", "--reply", "none", port], "leave --expect out"),
                       (["ftp://localhost"], "redis://"),
                       (["redis://localhost/2"], "leave it out, which means /0"),
                       (["--send", "x", "--expect-status", "404", port], "--reply http"),
                       (["http://localhost", "--expect-status", "teapot"], "such as 404"),
                       (["--method", "PUT", "--send", "x", port], "--reply http"),
                       (["--method", "GET /x", "http://localhost"], "'GET /x' is not a method"),
                       (["--header", "Accept", "http://localhost"], "'Accept: text/html'"),
                       (["--header", "A: b\r\nC: d", "http://localhost"], "'A: b\\r\\nC: d' is more than one line"),
                       (["--header", r"A: b\r\nC: d", "http://localhost"], "more than one line"),
                       (["--bypass", "--send", "x"], "leave --send out"),
                       (["--compare", f"epoll,{port}"], "name those of one kind"),
                       (["--compare", f"{port},http:x"], "http:x"),
                       (["--compare", f"{port},{port}", port], "leave TARGET out"),
                       (["--compare", f"{port},{port}", "--reply", "resp"], "--send TEXT")):
        contains(netload(*flags).ended_with(2).err, fix, f"what is said of {flags}")


@case
def an_echo_of_our_own_takes_requests():
    result = netload("--send", "%{random:100}", *SHORT).ended_with(0).json()
    equal(result["checks"][0]["detail"], "every reply compared with its request", "check")


require_backend()
run()

#!/usr/bin/env python3
"""netload against servers that answer wrongly, late, half or not at all: it says so and ends."""

import contextlib
import os
import signal
import socket
import threading
import time

from bad_server import TIMEOUT, BadServer, echo, echo_messages, one_misbehaves, reset
from case import case, contains, equal, expect, run, wait_until
from document import count_from
from outcome import expect_outcome, not_opened
from process import Echo, Process, handles, lines_of, netload, receive, require_backend, start_netload
from standstill import UNTIL_TOLD, answered_in, over_s

# No run takes this long, even on a slow machine, unless it waits for something that never comes.
SECONDS = 60
# Bytes of a message, for servers that count messages.
SIZE = 100


def wrong_byte_in(place):
    """Echoes 20 messages, then one with a byte that is wrong."""
    def behave(connection, number):
        echo_messages(connection, 20, SIZE)
        data = bytearray(receive(connection, SIZE))
        data[place] ^= 1
        connection.sendall(data)
        echo(connection)
    return behave


def errors_of(ended):
    return ended.json()["totals"]["errors"]


def not_again(connections):
    """The error of connections that a server ended, and that found nobody when they were opened again."""
    return {"connect: Connection refused": connections}


@case
def a_wrong_byte_is_seen():
    for place in [0, SIZE // 2, SIZE - 1]:
        with BadServer(wrong_byte_in(place)) as server:
            ended = netload(server.address, "-c", "1", "-s", SIZE, "-d", "30s", "--json", seconds=SECONDS)
            ended.ended_with(1)
            equal(errors_of(ended), {"wrong reply": 1}, "errors")
            checks = ended.json()["checks"]
            equal([check["passed"] for check in checks], [False], "checks passed")
            outcome = expect_outcome(ended.json())
            equal([outcome["answered"], outcome["lost"]], [20, 1], "messages before it, and itself")
    with BadServer(wrong_byte_in(3)) as server:
        text = netload(server.address, "-c", "1", "-s", SIZE, "-d", "30s", seconds=SECONDS).ended_with(1).out
        contains(text, "wrong reply")
        contains(text, "differed")


@case
def a_wrong_byte_passes_where_nobody_looks():
    with BadServer(wrong_byte_in(3)) as server:
        netload(server.address, "-c", "1", "-s", SIZE, "-n", "50", "--no-verify", seconds=SECONDS).ended_with(0)


@case
def replies_in_another_order_are_wrong():
    def behave(connection, number):
        data = receive(connection, 2 * SIZE)
        connection.sendall(data[SIZE:] + data[:SIZE])
        echo(connection)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "1", "-s", SIZE, "-P", "2", "-d", "30s", "--json", seconds=SECONDS)
        equal(errors_of(ended.ended_with(1)), {"wrong reply": 1}, "errors")


@case
def a_short_reply_and_the_end():
    def behave(connection, number):
        echo_messages(connection, 5, SIZE)
        server.refuse_others()
        connection.sendall(receive(connection, SIZE)[:40])
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "1", "-s", SIZE, "-d", "30s", "--json", seconds=SECONDS)
        equal(errors_of(ended.ended_with(4)), {"closed by the server": 1, **not_again(1)}, "errors")
        equal(ended.json()["totals"]["messages"], 5, "messages: the short one is none")


@case
def more_than_was_sent():
    def behave(connection, number):
        echo_messages(connection, 5, SIZE)
        connection.sendall(receive(connection, SIZE) + b"x")
        echo(connection)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "1", "-s", SIZE, "-r", "50", "-d", "1s", "--json", seconds=SECONDS)
        expect(ended.code in (1, 4), f"exit {ended.code}: {ended.err}")
        # The next message may be under way when it comes: then it is the start of a wrong reply.
        expect(errors_of(ended) in ({"more bytes came back than were sent": 1}, {"wrong reply": 1}),
               f"errors: {errors_of(ended)}")


@case
def bytes_before_anything_was_sent():
    def behave(connection, number):
        connection.sendall(b"220 welcome\r\n")
        echo(connection)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "2", "-s", SIZE, "-d", "30s", seconds=SECONDS)
        expect(ended.code in (1, 3, 4), f"exit {ended.code}: {ended.out}{ended.err}")
        said = ended.out + ended.err
        expect("more bytes came back" in said or "wrong reply" in said, said)


@case
def one_is_closed_and_the_others_go_on():
    for name, misbehave in [("closed by the server", lambda connection: connection.close()),
                            ("Connection reset by peer", reset)]:
        with BadServer(one_misbehaves(misbehave, SIZE)) as server:
            ended = netload(server.address, "-c", "4", "-n", "2000", "-s", SIZE, "--json", seconds=SECONDS)
            ended.ended_with(4)
            expect(len(errors_of(ended)) == 1, f"errors: {errors_of(ended)}")
            # A close with unread bytes is a reset too.
            expect(set(errors_of(ended)) <= {name, "Connection reset by peer"}, f"errors: {errors_of(ended)}")
            expect(ended.json()["totals"]["messages"] >= 1999, f"the others stopped: {ended.json()['totals']}")
            contains(" ".join(ended.json()["warnings"]), "error")
        with BadServer(one_misbehaves(misbehave, SIZE)) as server:
            netload(server.address, "-c", "4", "-n", "2000", "-s", SIZE, "--max-errors", "1",
                    seconds=SECONDS).ended_with(0)


@case
def one_is_closed_under_a_schedule():
    with BadServer(one_misbehaves(reset, SIZE)) as server:
        ended = netload(server.address, "-c", "4", "-r", "100", "-d", "500ms", "-s", SIZE, "--json", seconds=SECONDS)
        equal(sum(errors_of(ended.ended_with(4)).values()), 1, "errors")
        outcome = expect_outcome(ended.json())
        equal([outcome["planned"], outcome["unsent"]], [200, 0], f"planned and unsent of {outcome}")
        expect(1 <= outcome["lost"] <= 16, f"lost of {outcome}")
        equal([ended.json()["totals"][part] for part in ["connections", "opened_again"]], [4, 1], "connections")


@contextlib.contextmanager
def beside_one_another(loads):
    """Runs that were started together, since most of each is a wait: TARGET and flags of each."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(start_netload(*load, "--json")) for load in loads]


@case
def no_answer_ends_with_the_timeout():
    def behave(connection, number):
        for _ in range(3):
            connection.sendall(receive(connection, 512))
        server.ended.wait()
    flags = ["-c", "3", *TIMEOUT, "--slo", "max<1000s"]
    loads = [["-d", "20s"], ["-n", "1000"], ["-r", "50", "-d", "20s"]]
    with BadServer(behave) as server, \
            beside_one_another([server.address, *flags, *load] for load in loads) as started:
        for load, running in zip(loads, started):
            ended = running.finish(SECONDS).ended_with(1)
            equal(errors_of(ended), {"no reply within the timeout": 3}, f"errors with {load}")
            slo = ended.json()["checks"][-1]
            equal(slo["passed"], False, "an objective that a lost message breaks")
            contains(slo["detail"], "never answered in time")
            outcome = expect_outcome(ended.json())
            equal(outcome["answered"], 9, "answered")
            expect(outcome["lost"] >= 3, f"lost of {outcome}")


@case
def half_an_answer_is_none():
    def behave(connection, number):
        connection.sendall(receive(connection, SIZE)[:50])
        server.ended.wait()
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "2", "-s", SIZE, "-d", "1s", *TIMEOUT, "--json", seconds=SECONDS)
        equal(errors_of(ended.ended_with(4)), {"no reply within the timeout": 2}, "errors")
        equal(ended.json()["totals"]["messages"], 0, "messages")


@case
def a_server_that_reads_nothing():
    with BadServer(lambda connection, number: server.ended.wait()) as server:
        ended = netload(server.address, "-c", "2", "-s", "1M", "-P", "8", "-d", "1s", *TIMEOUT, "--json",
                        seconds=SECONDS)
        equal(errors_of(ended.ended_with(4)), {"no reply within the timeout": 2}, "errors")


@case
def one_byte_at_a_time():
    def behave(connection, number):
        while data := connection.recv(1 << 16):
            for byte in data:
                connection.sendall(bytes([byte]))
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "2", "-s", "20-60", "-n", "60", "--json", seconds=SECONDS).ended_with(0)
        equal(ended.json()["totals"]["messages"], 60, "messages")


@case
def nobody_accepts():
    """The kernel puts the connections into the backlog; no server ever accepts them."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        ended = netload(address, "-c", "8", "-d", "1s", *TIMEOUT, "--json", seconds=SECONDS)
        equal(errors_of(ended.ended_with(4)), {"no reply within the timeout": 8}, "errors")


@case
def a_backlog_that_is_full():
    """The last connections are never established: SYNs are dropped, and connect(2) waits for minutes."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        ended = netload(address, "-c", "20", "-d", "1s", *TIMEOUT, seconds=SECONDS).ended_with(3)
        contains(ended.err, "of 20 connections")
        contains(ended.err, "timeout")


@case
def the_server_dies():
    with Echo() as server:
        with start_netload(server.address, "-c", "4", "-d", "30s", "-i", "50ms", "--json") as running:
            wait_until(lambda: running.err.count("qps") > 1, "it ran")
            server.kill()
            errors = errors_of(running.finish(SECONDS).ended_with(4))
            equal(not_opened(errors), 4, f"connections that did not open again: {errors}")
            expect(sum(errors.values()) >= 4 + 4, f"connections that broke with a message under way: {errors}")


@case
def all_die_early_and_the_rest_of_the_plan_is_unsent():
    def behave(connection, number):
        echo_messages(connection, 10, SIZE)
        receive(connection, SIZE)  # Sent when the tenth answer was read, with one message under way.
        all_there.wait()
        server.refuse_others()
        all_there.wait()
        reset(connection)
    all_there = threading.Barrier(4)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "4", "-r", "100", "-P", "1", "-d", "20s", "-s", SIZE, "--json",
                        seconds=SECONDS)
        outcome = expect_outcome(ended.ended_with(4).json())
        equal([outcome[part] for part in ["planned", "answered", "lost", "unsent"]], [8000, 40, 4, 8000 - 44], "outcome")
        equal(errors_of(ended), {"Connection reset by peer": 4, **not_again(4)}, "errors")


@case
def closed_in_the_midst_of_a_message():
    """The server takes half of a large message and resets."""
    def behave(connection, number):
        connection.recv(1 << 16)
        reset(connection)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "2", "-s", "4M", "-d", "20s", "--json", seconds=SECONDS).ended_with(4)
        equal(sum(errors_of(ended).values()), 2, "errors")
        expect(set(errors_of(ended)) <= {"Connection reset by peer", "Broken pipe"}, f"errors: {errors_of(ended)}")
        equal(ended.json()["totals"]["messages"], 0, "messages")


@case
def half_closed():
    """The server ends its own side and goes on reading."""
    def behave(connection, number):
        echo_messages(connection, 10, SIZE)
        receive(connection, SIZE)
        all_there.wait()
        server.refuse_others()
        all_there.wait()
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    all_there = threading.Barrier(3)
    for load in [["-d", "20s"], ["-r", "100", "-P", "1", "-d", "20s"]]:
        with BadServer(behave) as server:
            ended = netload(server.address, "-c", "3", *load, "-s", SIZE, "--json", seconds=SECONDS).ended_with(4)
            equal(errors_of(ended), {"closed by the server": 3, **not_again(3)}, f"errors with {load}")
            equal(ended.json()["totals"]["messages"], 30, "messages")


@case
def one_breaks_without_an_answer_and_is_opened_again():
    """The others have been answered: the server lives."""
    answered = threading.Event()

    def behave(connection, number):
        if number == 2:
            receive(connection, SIZE)
            answered.wait()
            reset(connection)
        else:
            echo_messages(connection, 1, SIZE)
            second = receive(connection, SIZE)
            answered.set()  # The first answer has been read, with one message under way at a time.
            connection.sendall(second)
            echo(connection)
    with BadServer(behave) as server:
        ended = netload(server.address, "-c", "4", "-r", "200", "-d", "500ms", "-P", "1", "-s", SIZE, "--json",
                        seconds=SECONDS)
    result = ended.ended_with(4).json()
    equal(errors_of(ended), {"Connection reset by peer": 1}, "errors")
    outcome = expect_outcome(result)
    equal([outcome[part] for part in ["planned", "answered", "lost"]], [400, 399, 1], "outcome")
    equal([result["totals"][part] for part in ["connections", "opened_again"]], [4, 1], "connections")


@case
def the_server_dies_and_comes_back():
    """All that came due while nobody listened is answered in the end, and its wait is in its latency."""
    # An address of its own: nobody who asks the kernel for any port gets the one that is free meanwhile.
    own = f"127.78.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 1}:0"
    with Echo(listen=[own]) as first:
        with start_netload(first.address, "-c", "4", "-r", "100", *UNTIL_TOLD, "--reconnect") as running:
            wait_until(lambda: answered_in(lines_of(running)) > 0, "it ran")
            first.kill()
            left = over_s(lines_of(running)[-1])
            wait_until(lambda: over_s(lines_of(running)[-1]) > left + 0.5, "half a second was without a server")
            with Echo(listen=[first.address]):
                due = 400 * over_s(lines_of(running)[-1])
                # Up to 16 of each connection were under way.
                wait_until(lambda: answered_in(lines_of(running)) > due - 4 * 16, "what had come due was answered")
                running.signal(signal.SIGINT)
                result = lines_of(running.finish(SECONDS).ended_with(130))[-1]
    expect_outcome(result)
    errors = result["totals"]["errors"]
    expect(any("refused" in kind for kind in errors), f"errors: {errors}")
    # Half a second without a server shows in every message planned meanwhile, not in four. 0.4 s of 400 a second.
    slow = count_from(result["latency_ns"], 100e6)
    expect(slow > 160 - 4 * 16, f"{slow} messages waited for over 100 ms: the wait for the server is hidden")


@case
def the_server_dies_and_stays_away():
    loads = [["-d", "20s"], ["-n", "100000000"], ["-r", "100", "-d", "20s"]]
    flags = ["-c", "4", "-i", "50ms", "--reconnect", *TIMEOUT]
    with Echo() as server, beside_one_another([server.address, *flags, *load] for load in loads) as started:
        wait_until(lambda: all("qps" in running.err for running in started), "they ran")
        server.kill()
        for load, running in zip(loads, started):
            ended = running.finish(SECONDS).ended_with(4)
            expect(any("refused" in kind for kind in errors_of(ended)), f"errors with {load}: {errors_of(ended)}")
            outcome = expect_outcome(ended.json())
            if "pacing" in ended.json():
                equal(outcome["planned"], 8000, "planned")


def interrupted(running, result_of=Process.json):
    running.signal(signal.SIGINT)
    result = result_of(running.finish(SECONDS).ended_with(130))
    equal(result["interrupted"], True, "interrupted")
    expect_outcome(result)
    return result


@case
def interrupted_while_it_connects():
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        for load in [[], ["-r", "10"]]:
            with start_netload(address, "-c", "20", "-d", "60s", *load, "--timeout", "60s", "--json") as running:
                wait_until(lambda: handles(running.pid, signal.SIGINT), "it took the signal")
                equal(interrupted(running)["totals"]["messages"], 0, "messages")


@case
def interrupted_in_the_warm_up():
    with Echo() as server:
        before = server.sockets()
        for load in [[], ["-r", "10"]]:
            wait_until(lambda: server.sockets() == before, "the last connections had ended")
            with start_netload(server.address, "-c", "4", "-w", "60s", "-d", "60s", *load, "--json") as running:
                wait_until(lambda: server.sockets() == before + 4, "it had connected")
                equal(interrupted(running)["totals"]["messages"], 0, "messages")


@case
def interrupted_in_the_run():
    with Echo() as server:
        with start_netload(server.address, "-c", "4", "-r", "100", "-d", "60s", "-i", "50ms", "--json") as running:
            wait_until(lambda: running.err.count("qps") > 5, "it ran")
            outcome = interrupted(running)["outcome"]
            expect(100 < outcome["planned"] < 24_000, f"planned is what had come due: {outcome}")


@case
def interrupted_while_it_awaits_the_last_replies():
    def behave(connection, number):
        for _ in range(2):
            connection.sendall(receive(connection, 512))
        third = receive(connection, 512)
        asked.append(number)
        wait_until(lambda: counted or server.ended.is_set(), "the answers before it were counted")
        connection.sendall(third)
        server.ended.wait()
    for load, lost in [(["-n", "12"], 3), (["-r", "50", "-n", "30"], 21), (["-r", "50", "-d", "200ms"], 21)]:
        asked, counted = [], []
        with BadServer(behave) as server:
            with start_netload(server.address, "-c", "3", "--timeout", "0", *load, "-i", "50ms",
                               "--json-lines") as running:
                wait_until(lambda: len(asked) == 3, "it had two answers on each connection")
                seen = len(lines_of(running))
                wait_until(lambda: len(lines_of(running)) > seen + 1, "lines had told of them")
                told = answered_in(lines_of(running))
                counted.append(True)
                wait_until(lambda: answered_in(lines_of(running)) == told + 3, "the third ones had come")
                wait_until(lambda: over_s(lines_of(running)[-1]) > 0.2, "all had come due by its own clock")
                outcome = interrupted(running, lambda ended: lines_of(ended)[-1])["outcome"]
                equal([outcome[name] for name in ["planned", "answered", "lost"]], [9 + lost, 9, lost], "outcome")


@case
def a_slow_last_answer_takes_nothing_from_the_rate():
    """One of 20 connections gets its answer when the others have long ended."""
    def behave(connection, number):
        if number != 7:
            return echo(connection)
        data = receive(connection, SIZE)
        wait_until(lambda: echoed_last[0] + 1.5 < time.monotonic(), "the others had ended for long")
        connection.sendall(data)
        echo(connection)

    def echo(connection):
        while data := connection.recv(1 << 16):
            echoed_last[0] = time.monotonic()
            connection.sendall(data)
    for load in [], ["-r", "100"]:
        echoed_last = [time.monotonic()]
        with BadServer(behave) as server:
            result = netload(server.address, "-c", "20", "-s", SIZE, "-d", "500ms", *load, "--timeout", "60s",
                             "--json", seconds=SECONDS).ended_with(0).json()
            totals, outcome = result["totals"], expect_outcome(result)
            equal(totals["seconds"], 0.5, "the asked time")
            equal(totals["qps"], totals["messages"] / 0.5, "the rate")
            expect(totals["drain"]["seconds"] > 1, f"drain {totals['drain']}")
            # How many answers come within the asked time is the machine's business.
            expect(outcome["answered"] >= 20, "a connection without an answer")
            equal(totals["messages"] + totals["drain"]["messages"], outcome["answered"], "answered")


@case
def too_few_descriptors():
    with Echo() as server:
        ended = netload(server.address, "-c", "100", "-d", "5s", descriptors=50, seconds=SECONDS).ended_with(3)
        contains(ended.err, "hard limit is 50")
        contains(ended.err, "ulimit -Hn", "the fix")


require_backend()
run()

#!/usr/bin/env python3
"""netload against netecho: it sends what it was told to, and counts what it sent."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from bad_server import BadServer
from case import case, contains, equal, expect, fits_a_terminal, realtime, run, wait_until
from outcome import expect_outcome
from process import (Echo, Process, backend_flags, children_of, free_port, handles, has_ended, netload,
                     program, require_backend, start_netload, state_of, tells_of_an_answer)

SO_TIMESTAMPNS = 35  # Of asm-generic/socket.h; python has no name for it.


def document(server, *flags, code=0):
    return netload(server.address, *flags, "--json").ended_with(code).json()


def all_well(planned):
    return {"planned": planned, "sent": planned, "answered": planned, "lost": 0, "late": 0, "unsent": 0, "repeated": 0}


def expect_plan(result, planned):
    """With a rate, everything planned was sent and answered."""
    expect("pacing" in result, "no pacing of a run with a rate")
    equal(expect_outcome(result), all_well(planned), "outcome")
    equal(result["latency_ns"]["count"], planned, "latencies")
    equal(result["totals"]["errors"], {}, "errors")


@case
def count_is_exact():
    with Echo("--json") as server:
        for count, flags in [(1000, ["-c", "7"]), (1, ["-c", "20"]), (1, ["-c", "20", "-t", "2"]),
                             (1001, ["-c", "3", "-t", "2"]), (501, ["-c", "4", "-P", "5"])]:
            result = document(server, "-n", str(count), "-s", "64", *flags)
            equal(expect_outcome(result), all_well(count), f"outcome with {flags}")
            equal(result["latency_ns"]["count"], count, f"latencies with {flags}")
            equal(result["totals"]["bytes_in"], count * 64, f"bytes in with {flags}")
            equal(result["totals"]["bytes_out"], count * 64, f"bytes out with {flags}")
        served = server.stop().ended_with(0).json()["totals"]
        equal(served["bytes_in"], (1000 + 1 + 1 + 1001 + 501) * 64, "bytes that the server received")
        equal(served["bytes_out"], served["bytes_in"], "bytes that the server sent")


@case
def duration():
    with Echo() as server:
        ended = netload(server.address, "-c", "4", "-d", "200ms", "--json")
        result = ended.json()
        outcome = expect_outcome(result)
        # A generator that is held up for as long as that has no message to measure, and names the gap.
        held_up = result["loop"]["gap_max_ns"] > 0.15e9
        expect(outcome["answered"] >= 4 or held_up, f"no message of a connection: {outcome}")
        ended.ended_with(0 if outcome["answered"] else 4)
        equal(result["totals"]["connections"], 4, "connections")
        equal(result["totals"]["seconds"], 0.2, "the asked time")
        equal(result["latency_ns"]["count"], outcome["answered"], "latencies")
        equal(result["latency_ns"]["from"], "send", "where latency counts from")


@case
def rate_of_each_connection():
    with Echo() as server:
        expect_plan(document(server, "-c", "20", "-r", "50", "-d", "500ms"), 500)
        expect_plan(document(server, "-c", "3", "-r", "2.5", "-d", "800ms"), 6)
        expect_plan(document(server, "-c", "20", "-r", "50", "-d", "500ms", "-t", "2"), 500)
        expect_plan(document(server, "-c", "5", "-r", "100", "-n", "77"), 77)


@case
def rate_of_all_together():
    with Echo() as server:
        expect_plan(document(server, "-c", "7", "-R", "100", "-d", "500ms"), 50)
        expect_plan(document(server, "-c", "3", "-R", "7.5", "-d", "400ms"), 3)
        expect_plan(document(server, "-c", "100", "-R", "100", "-d", "500ms"), 50)


@case
def rate_of_zero_is_a_closed_loop():
    with Echo() as server:
        result = document(server, "-c", "2", "-r", "0", "-n", "100")
        equal(expect_outcome(result), all_well(100), "outcome")
        expect("pacing" not in result, "a pacing without a rate")


@case
def latency_counts_from_what_was_asked():
    with Echo() as server:
        flags = ["-c", "2", "-r", "50", "-d", "200ms"]
        equal(document(server, *flags)["latency_ns"]["from"], "schedule", "by default")
        result = document(server, *flags, "--latency-from", "send")
        equal(result["latency_ns"]["from"], "send", "as asked")
        expect_plan(result, 20)


@case
def a_rate_that_nothing_can_keep_ends():
    """Hours of messages would be left; the count stays exact, over threads that share the connections unevenly."""
    with Echo() as server:
        for flags in [["-c", "7", "-t", "3"], ["-c", "7", "-t", "3", "-w", "10ms"], ["-c", "2", "-P", "1"]]:
            ended = netload(server.address, "-R", "1000M", "-d", "100ms", "--timeout", "2s", "--json", *flags)
            outcome = expect_outcome(ended.json())
            ended.ended_with(0 if outcome["answered"] > 0 else 4)  # 2 s may not be enough for the warm-up's.
            equal(outcome["planned"], 100_000_000, f"planned with {flags}")
            expect(outcome["unsent"] > 0, f"unsent of {outcome}")
            equal(outcome["answered"], outcome["sent"], f"answered of {outcome}")


@case
def poisson_arrivals():
    with Echo() as server:
        flags = ["-c", "7", "-R", "4000", "--arrival", "poisson", "-d", "250ms", "--seed"]
        counts = [expect_outcome(document(server, *flags, seed)) for seed in ["5", "5", "6"]]
        for outcome in counts:
            equal(outcome, all_well(outcome["planned"]), "outcome")
            # A count of 1,000 expected has a deviation of 32.
            expect(800 < outcome["planned"] < 1200, f"planned: {outcome}")
        equal(counts[0]["planned"], counts[1]["planned"], "planned with the same seed")
        expect(counts[0]["planned"] != counts[2]["planned"], "another seed plans the same")
        expect_plan(document(server, "-c", "5", "-r", "100", "--arrival", "poisson", "-n", "77"), 77)
        expect_plan(document(server, "-c", "5", "-r", "100", "--arrival", "poisson", "-n", "77", "-w", "300ms", "-t", "2"),
                    77)


@case
def churn():
    with Echo("--json") as server:
        result = document(server, "-c", "3", "-n", "300", "--churn", "5", "-t", "1")
        equal(result["totals"]["messages"], 300, "messages")
        equal(result["totals"]["connections"], 3, "connections")
        # The one that answers the last message may be due to close, and then opens another.
        expect(55 <= result["totals"]["opened_again"] <= 63, f"connections: {result['totals']}")
        equal(result["connect_ns"]["count"], 3 + result["totals"]["opened_again"], "connects measured")
        expect_plan(document(server, "-c", "4", "-r", "100", "-d", "500ms", "--churn", "1"), 200)
        expect_plan(document(server, "-c", "4", "-r", "200", "-d", "500ms", "--churn", "7", "-P", "3", "-t", "2"), 400)
        served = server.stop().ended_with(0).json()["totals"]
        equal(served["bytes_out"], (300 + 200 + 400) * 512, "bytes that the server sent")


@case
def churn_on_a_unix_path():
    with tempfile.TemporaryDirectory() as folder, Echo(listen=[f"unix:{folder}/echo"]) as server:
        result = document(server, "-c", "4", "-n", "400", "--churn", "10")
        equal(result["totals"]["messages"], 400, "messages")
        expect(result["totals"]["opened_again"] >= 33, f"connections: {result['totals']}")
        expect_plan(document(server, "-c", "4", "-r", "100", "-d", "300ms", "--arrival", "poisson", "--churn", "3",
                             "-n", "90"), 90)


@case
def pipeline():
    with Echo() as server:
        for flags in [["-n", "2000"], ["-R", "2k", "-d", "500ms"]]:
            result = document(server, "-c", "2", "-P", "8", *flags)
            equal(result["config"]["pipeline"], "8", "pipeline")
            equal(result["outcome"]["answered"], 2000 if "-n" in flags else 1000, "answered")


@case
def sizes():
    with Echo() as server:
        for size, least, most in [("1", 1, 1), ("16k", 16384, 16384), ("1-3", 1, 3), ("64-1k", 64, 1024),
                                  ("1M", 1 << 20, 1 << 20)]:
            count = 20 if size == "1M" else 300
            totals = document(server, "-c", "3", "-n", str(count), "-s", size)["totals"]
            equal(totals["messages"], count, f"messages of size {size}")
            expect(count * least <= totals["bytes_in"] <= count * most, f"bytes of size {size}: {totals}")
            equal(totals["bytes_out"], totals["bytes_in"], f"bytes of size {size}")
            if least != most:
                expect(count * least < totals["bytes_in"] < count * most, f"sizes of {size} do not vary: {totals}")


@case
def more_under_way_than_the_sockets_hold():
    """Neither end may stop reading until the other has read: both would, for ever."""
    for flags in [["-s", "16M", "-n", "6"], ["-s", "1M", "-P", "16", "-n", "100"],
                  ["-s", "1M", "-P", "32", "-r", "20", "-d", "1s"]]:
        with Echo() as server:
            result = document(server, "-c", "2", "-w", "1ms", "--timeout", "20s", *flags)
            equal(result["totals"]["errors"], {}, f"errors of {flags}")


@case
def seed_decides_the_sizes():
    with Echo() as server:
        flags = ["-c", "1", "-n", "100", "-s", "1-1k", "--seed"]
        one, same, other = (document(server, *flags, seed)["totals"]["bytes_out"] for seed in ["5", "5", "6"])
        equal(one, same, "bytes with the same seed")
        expect(one != other, "another seed sends the same")


@case
def unix_path():
    with tempfile.TemporaryDirectory() as folder, Echo(listen=[f"unix:{folder}/echo"]) as server:
        result = document(server, "-c", "4", "-n", "400")
        equal(expect_outcome(result), all_well(400), "outcome")
        expect("server" in result["cpu"], "the server's CPU was not found")


@case
def warm_up_is_left_out():
    with Echo() as server:
        expect_plan(document(server, "-c", "2", "-r", "100", "-w", "500ms", "-d", "500ms"), 100)
    with Echo("--json") as server:
        result = document(server, "-c", "2", "-n", "100", "-w", "500ms", "-s", "64")
        equal(result["totals"]["messages"], 100, "messages")
        equal(result["totals"]["bytes_in"], 6400, "bytes in")
        warm = server.stop().ended_with(0).json()["totals"]["bytes_in"] // 64 - 100
        expect(warm > 0, "nothing was sent to warm up")
        # Each message of the warm-up takes a call or more, and would be in these; a loop that has nothing to do looks
        # around every 10 ms, which is a call too.
        calls = 100 * next(float(line.split()[0]) for line in result["path"]["evidence"] if "system calls" in line)
        expect(calls < max(2000, warm / 2), f"{calls} system calls for 100 messages, behind {warm} of the warm-up")


@case
def connect_rate():
    with Echo() as server:
        start = time.monotonic()
        result = document(server, "-c", "21", "--connect-rate", "50", "-n", "21")
        expect(time.monotonic() - start >= 0.4, "21 connections at 50/s took less than 400 ms")
        equal(result["connect_ns"]["count"], 21, "connects measured")


@case
def slow_connect_rate_is_not_a_timeout():
    """The last connection begins after 3 s, and its own time has not."""
    with Echo() as server:
        result = document(server, "-c", "4", "--connect-rate", "1", "--timeout", "2s", "-n", "4")
        equal(result["connect_ns"]["count"], 4, "connections")


@realtime
def cpu_of_the_server():
    with Echo() as server:
        result = document(server, "-c", "4", "-n", "5000")
        expect(result["cpu"]["server"]["user_s"] + result["cpu"]["server"]["sys_s"] > 0, "it spent nothing")
        expect(result["server_us_cpu_per_message"] > 0, "no cost per message")
        expect(result["rss_bytes"]["server"] > 1 << 20, "no memory of the server")
        result = document(server, "-c", "4", "-n", "100", "--server-pid", str(server.pid))
        expect("server" in result["cpu"], "the process named was not asked")
        text = netload(server.address, "-c", "4", "-n", "5000").ended_with(0).out
        contains(text, "server")
        contains(text, "per message")


@case
def starts_its_own_server():
    result = netload("-c", "4", "-n", "500", "--json").ended_with(0).json()
    equal(result["totals"]["messages"], 500, "messages")
    expect("server" in result["cpu"], "no CPU of the server")


@case
def its_own_server_does_not_outlive_it():
    for number in [signal.SIGINT, signal.SIGKILL]:
        with start_netload("-c", "2", "-d", "60s", "-q") as running:
            wait_until(lambda: children_of(running.pid), "a server was started")
            servers = children_of(running.pid)
            wait_until(lambda: handles(running.pid, signal.SIGINT), "it took the signal")
            running.signal(number)
            running.finish()
            wait_until(lambda: all(map(has_ended, servers)), "the server ended")


@case
def interrupt_prints_what_there_is():
    with Echo() as server:
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with start_netload(server.address, "-c", "2", "-d", "60s", "-i", "50ms", "--json") as running:
                wait_until(lambda: tells_of_an_answer(running.err), "there were answers")
                running.signal(number)
                result = running.finish().ended_with(130).json()
            equal(result["interrupted"], True, "interrupted")
            expect(result["totals"]["messages"] > 0, "no message in the partial result")
            equal(result["totals"]["errors"], {}, "errors")
        with start_netload(server.address, "-c", "2", "-d", "60s", "-i", "50ms") as running:
            wait_until(lambda: running.out.count("qps") > 2, "it ran")
            running.signal(signal.SIGINT)
            contains(running.finish().ended_with(130).out, "interrupted")


@case
def hangup_stays_ignored_under_nohup():
    """Both netload and the server that it starts ignore it."""
    argv = [program("NETLOAD"), *backend_flags(), "-c", "2", "-d", "60s", "-i", "50ms", "--json"]
    with Process("nohup", *argv) as running:
        wait_until(lambda: running.err.count("qps") > 2, "it ran")
        for pid in [running.pid, *children_of(running.pid)]:
            os.kill(pid, signal.SIGHUP)
        seen = running.err.count("qps")
        wait_until(lambda: running.err.count("qps") > seen + 4, "it ran on")
        running.signal(signal.SIGTERM)
        result = running.finish().ended_with(130).json()
        equal(result["totals"]["errors"], {}, "errors")


@case
def a_snapshot_asked_for_in_the_warm_up_comes_after_it():
    with Echo() as server:
        before = server.sockets()
        with start_netload(server.address, "-c", "2", "-w", "1s", "-d", "60s") as running:
            wait_until(lambda: server.sockets() == before + 2, "it had connected")
            running.signal(signal.SIGUSR1)
            wait_until(lambda: running.out.count("qps") == 1, "a snapshot was there")
            running.signal(signal.SIGINT)
            running.finish().ended_with(130)


@case
def user_signal_prints_a_snapshot():
    with Echo() as server, start_netload(server.address, "-c", "2", "-d", "60s") as running:
        wait_until(lambda: handles(running.pid, signal.SIGUSR1), "it took the signal")
        for count in [1, 2]:
            running.signal(signal.SIGUSR1)
            wait_until(lambda: running.out.count("qps") == count, f"{count} snapshots were there")
        running.signal(signal.SIGINT)
        running.finish().ended_with(130)


@case
def an_interrupt_from_a_terminal_spares_its_own_server():
    """Ctrl-C goes to every process in the foreground, and the server's end must not look like an error."""
    for flags in [["-r", "100"], ["-c", "1000", "-r", "1"]]:
        with tempfile.TemporaryFile() as out:
            argv = [program("NETLOAD"), *backend_flags(), "-d", "60s", "-i", "20ms", "--json-lines", *flags]
            running = subprocess.Popen(argv, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                wait_until(lambda: os.fstat(out.fileno()).st_size > 2000, "it ran")
                os.killpg(running.pid, signal.SIGINT)
                equal(running.wait(60), 130, "exit")
            finally:
                running.kill()
            out.seek(0)
            result = json.loads(out.read().splitlines()[-1])
            equal(result["totals"]["errors"], {}, f"errors with {flags}")


@case
def csv_rows():
    with Echo() as server, tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            netload(server.address, "-n", "10", "-c", "1", "--csv", f"{folder}/rows").ended_with(0)
        with open(f"{folder}/rows", encoding="utf-8") as file:
            equal(len(file.read().splitlines()), 3, "a header and two rows")


@case
def every_way_to_wait():
    with Echo() as server:
        for wait in ["block", "spin", "adaptive:20us", "batch:1ms"]:
            expect_plan(document(server, "-c", "2", "-r", "50", "-d", "200ms", "--wait", wait), 20)


@case
def a_batch_sends_what_came_due_together():
    with Echo() as server:
        result = document(server, "-c", "50", "-R", "5k", "-d", "500ms", "--wait", "batch:20ms")
        expect_plan(result, 2500)
        # A message waits for half of the time in the mean, and none is sent before its own.
        expect(result["lateness_ns"]["mean"] > 3e6, f"sent one by one: {result['lateness_ns']['mean']} ns late")
        expect(result["latency_ns"]["mean"] > result["service_ns"]["mean"], "latency does not count from the plan")
        contains(" ".join(result["path"]["evidence"]), "waits up to 20ms")
        contains(" ".join(result["path"]["evidence"]), "sent every 20ms")


@contextlib.contextmanager
def kernel_stamps():
    """Makes the kernel stamp packets, from a while after the first socket asks until the last one closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as one, \
            listener.accept()[0] as other:
        other.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

        def stamped():
            one.sendall(b"x")
            return other.recvmsg(1, 64)[1]

        wait_until(stamped, "the kernel stamped what it received")
        yield


@case
def a_batch_asks_for_receive_timestamps_by_itself():
    with Echo() as server, kernel_stamps():
        flags = ["-c", "20", "-r", "10", "-d", "200ms", "--wait", "batch:100ms"]
        for more, asked, said in [(["--receive-timestamps", "off"], "off", "timed when they are read, up to 100ms later"),
                                  ([], "on", "timed when the kernel received them")]:
            result = document(server, *flags, *more)
            expect_plan(result, 40)
            contains(" ".join(result["path"]["evidence"]), said)
            equal(result["config"]["receive-timestamps"], asked, "asked for")


@case
def receive_timestamps_go_with_every_wait():
    with Echo() as server, kernel_stamps():
        for wait in ["block", "spin"]:
            result = document(server, "-c", "5", "-r", "50", "-n", "50", "--wait", wait, "--receive-timestamps", "on")
            expect_plan(result, 50)
            contains(" ".join(result["path"]["evidence"]), "timed when the kernel received them")
        closed = document(server, "-c", "5", "-n", "500", "--receive-timestamps", "on")
        equal(closed["latency_ns"]["count"], 500, "answers in a closed loop")
        expect("receive timestamps" not in " ".join(document(server, "-n", "5")["path"]["evidence"]), "nobody asked")


@case
def receive_timestamps_that_are_none_have_their_reason():
    def timing(server, code=0):
        result = document(server, "-c", "1", "-n", "1", "--receive-timestamps", "on", code=code)
        return next(line for line in result["path"]["evidence"] if line.startswith("receive timestamps: "))
    with tempfile.TemporaryDirectory() as folder:
        for listen in f"unix:{folder}/socket", "udp:127.0.0.1:0":
            with Echo(listen=[listen]) as server:
                contains(timing(server), "none from this kind of socket")
    with BadServer(lambda connection, _: connection.recv(1)) as server:  # It closes, and has answered nothing.
        contains(timing(server, code=4), "none, for nothing came")


# A round of so many messages has them, however long the machine holds it up.
COMPARE = ["--compare", "epoll,uring", "--rounds", "2", "-n", "2000", "-c", "10"]


@case
def compare_as_a_table():
    out = netload(*COMPARE).ended_with(0).out
    for part in ["p50", "p99.9", "server CPU", "client CPU", "us/message", "uring against epoll", "server CPU per message x",
                 "conclusion cannot tell uring and epoll apart",  # Two rounds are never sure.
                 "machine", "not shown", "every reply verified"]:
        contains(out, part)
    fits_a_terminal(out)
    rows = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and line.split()]
    equal([rows.count("epoll"), rows.count("uring")], [2, 3], "two rows of each backend, and the comparison")


@case
def compare_as_json():
    ended = netload(*COMPARE, "--json").ended_with(0)
    result = ended.json()
    equal([one["backend"] for one in result["backends"]], ["epoll", "uring"], "backends")
    for one in result["backends"]:
        equal(len(one["rounds"]), 2, "rounds")
        expect(one["server_us_cpu_per_message"]["min"] > 0, "no CPU of the server")
        expect(one["qps"]["min"] <= one["qps"]["median"] <= one["qps"]["max"], f"spread: {one['qps']}")
        for part in one["rounds"]:
            equal(part["schema"], "wiremark.result/3", "schema of a round")
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--rounds", "1", "-c", "1", "-n", "50", f"--json={folder}/both"]
        out = netload("--compare", "epoll", *flags).ended_with(0).out
        contains(out, "us/message")
        with open(f"{folder}/both", encoding="utf-8") as file:
            equal(len(json.load(file)["backends"]), 1, "backends in the file")


def stopped_servers(running):
    return sum(state_of(pid) == "T" for pid in children_of(running.pid))


@case
def only_one_server_of_a_comparison_runs_at_a_time():
    with start_netload("--compare", "epoll,epoll,epoll", "--rounds", "100", "-d", "500ms", "-c", "2", "--wait", "spin") as running:
        wait_until(lambda: len(children_of(running.pid)) == 3, "three servers were started")
        wait_until(lambda: stopped_servers(running) == 2, "two of them were stopped")
        servers = children_of(running.pid)
        running.signal(signal.SIGKILL)
        running.finish()
        wait_until(lambda: all(map(has_ended, servers)), "stopped servers ended")


@case
def one_of_a_kind_is_singular():
    """It holds in headings, tables and messages."""
    with Echo() as server:
        said = [netload("--compare", "epoll", "--rounds", "1", "-c", "1", "-s", "1", "-n", "1").ended_with(0).out,
                netload("--find-max", server.address, "-c", "1", "-d", "50ms", "--slo", "p99<1ns").ended_with(1).out,
                netload(server.address, "-c", "1", "-n", "1", "--slo", "errors<0").ended_with(1).out,
                netload(f"127.0.0.1:{free_port()}", "-c", "1", "-n", "1").ended_with(3).err]
    for text, parts in zip(said, [["1 connection, 1 byte, closed loop, 1 round of 1 message each"],
                                  ["1 connection, probes"], ["1 connection to", "1 of 1 value:"],
                                  ["0 of 1 connection to"]]):
        for part in parts:
            contains(text, part)
        plural = re.search(r"(?<![\d.,])1 [a-z]{3,}s\b", text)
        expect(not plural, f"{plural and plural.group()!r} in\n{text}")


@case
def compare_can_be_interrupted():
    with start_netload("--compare", "epoll,epoll", "--rounds", "100", "-d", "300ms", "-c", "2") as running:
        wait_until(lambda: stopped_servers(running) == 1, "a round was under way")
        running.signal(signal.SIGINT)
        running.finish().ended_with(130)


require_backend()
run()

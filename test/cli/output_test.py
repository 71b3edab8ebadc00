#!/usr/bin/env python3
"""What netload makes of a run: verdicts, objectives, lines, documents, and the search for a maximum."""

import itertools
import json
import os
import re
import select
import signal
import socket
import sys
import tempfile
import threading
import time

from bad_server import BadServer, echo, one_misbehaves
from case import Skip, case, contains, equal, expect, run, wait_until
from document import buckets_of, keeps_to_the_schema
from process import Echo, Process, children_of, lines_of, netload, pause, program, receive, run_program, start_netload
from standstill import UNTIL_TOLD, answered_in, over_s, stood_still

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))


def first_line(text):
    return text.splitlines()[0]


@case
def a_verdict_comes_first():
    with Echo() as server:
        ended = netload(server.address, "-c", "2", "-n", "20").ended_with(0)
        expect(not first_line(ended.out).startswith("VALID:"), f"20 messages are too few: {first_line(ended.out)}")
        head = ended.out.split("throughput")[0]
        contains(head, "p90 rests on 2 of 20 values", "the head")
        contains(head, "rate and cost rest on 20 messages", "the head")
        with tempfile.TemporaryDirectory() as folder:
            ended = netload(server.address, "-c", "2", "-n", "20", "--json", "--csv", f"{folder}/rows").ended_with(0)
            with open(f"{folder}/rows", encoding="utf-8") as file:
                contains(file.read(), "VALID")
        verdict = ended.json()["verdict"]
        equal(verdict["valid"], False, "valid")
        contains(" ".join(verdict["reasons"]), "p90 rests on")
        equal([figure["name"] for figure in verdict["figures"]],
              ["rate", "p50", "p90", "p99", "p99.9", "cost"], "figures")
        for figure in verdict["figures"]:
            equal(figure["valid"], not figure["reasons"], f"valid of {figure['name']}")
            expect(set(figure["reasons"]) <= set(verdict["reasons"]), f"reasons of {figure['name']}")
        equal(ended.json()["warnings"][:len(verdict["reasons"])], verdict["reasons"], "the first warnings")
        contains(ended.err, ": not p90, p99, p99.9: p90 rests on")


@case
def strict_wants_all_figures():
    with Echo() as server:
        netload(server.address, "-c", "2", "-n", "20").ended_with(0)
        netload(server.address, "-c", "2", "-n", "20", "--strict").ended_with(1)
    netload("--compare", "epoll", "--rounds", "1", "-c", "2", "-n", "20", "--strict").ended_with(1)


@case
def a_run_that_gives_up_says_so():
    """The server is gone for good once the run is under way, and a connection has two seconds to open again."""
    with Echo() as server, start_netload(server.address, "-c", "4", "-d", "60s", "-i", "50ms", "--reconnect",
                                         "--timeout", "2s", "--max-errors", "1000000", "--json") as running:
        wait_until(lambda: "qps" in running.err or not running.running, "it ran")
        server.kill()
        result = running.finish().ended_with(0).json()
    expect(0 < result["loop"]["given_up_s"] < 58, f"loop: {result['loop']}")
    contains(" ".join(result["verdict"]["reasons"]), "was given up")
    expect(not any(figure["valid"] for figure in result["verdict"]["figures"]), f"valid: {result['verdict']}")


@case
def an_output_that_cannot_be_written_takes_no_other_with_it():
    outputs = ["--json", "--html", "--csv", "--hgrm", "--hdr-log"]
    with Echo() as server, tempfile.TemporaryDirectory() as folder:
        def each(full):
            """The flags, with those in `full` on a device that is full."""
            return [f"{flag}=/dev/full" if flag in full else f"{flag}={folder}/{flag}" for flag in outputs]

        def leaves_the_others(ended, full):
            contains(ended.ended_with(3).out, "qps", "the text")
            for flag in full:
                contains(ended.err, "/dev/full: No space left on device")
            equal(ended.err.count("/dev/full"), len(full), f"failures named in {ended.err}")
            for flag in set(outputs) - set(full):
                with open(f"{folder}/{flag}", encoding="utf-8") as file:
                    expect(file.read(), f"{flag} has nothing")
                os.remove(f"{folder}/{flag}")

        run = netload(server.address, "-c", "2", "-n", "50", f"--json={folder}/run").ended_with(0)
        equal(run.err, "", "what it said")
        for full in [[flag] for flag in outputs] + [["--json", "--hdr-log"]]:
            leaves_the_others(netload(server.address, "-c", "2", "-n", "50", *each(full)), full)
            leaves_the_others(run_program(program("NETREPORT"), f"{folder}/run", *each(full)), full)


@case
def errors_invalidate_unless_allowed():
    for flags, code, valid in [([], 4, False), (["--max-errors", "1"], 0, True)]:
        with BadServer(one_misbehaves(lambda connection: connection.close(), 512)) as server:
            ended = netload(server.address, "-c", "4", "-n", "4000", "--json", *flags).ended_with(code)
            reasons = [reason for reason in ended.json()["verdict"]["reasons"] if "error" in reason]
            equal(not reasons, valid, f"reasons with {flags}: {ended.json()['verdict']}")
            contains(" ".join(ended.json()["warnings"]), "1 error (")


# How long one end stands still, while 1,000 messages a second come due: what is tested is that this is told.
STILL_S = 0.4


@case
def a_stopped_generator_is_named():
    """Asleep for 400 ms, netload finds 100 messages of each connection overdue. Its processor was not what it
    lacked: others would not have helped."""
    with Echo() as server, start_netload(server.address, "-c", "4", "-r", "250", *UNTIL_TOLD) as running:
        result = stood_still(running, running.pid, STILL_S, rate=1000)
    expect(result["pacing"]["overdue"] > 300, f"pacing: {result['pacing']}")
    contains(" ".join(result["verdict"]["reasons"]), "behind time by the generator itself")
    equal([text for text in result["warnings"] if "is full" in text], [], "advice")


@case
def a_full_generator_is_told_how_to_share():
    """No machine sends 50 M messages a second over 16 connections."""
    with Echo() as server, start_netload(server.address, "-c", "16", "-R", "50M", *UNTIL_TOLD) as running:
        wait_until(lambda: len(lines_of(running)) > 20 or not running.running, "it ran")
        running.signal(signal.SIGINT)
        result = lines_of(running.finish().ended_with(130))[-1]
    spent = result["cpu"]["process"]
    busy = spent["pct"] / min(spent["threads"], result["host"]["cores"])
    advice = [text for text in result["warnings"] if text.startswith("one generator is full")]
    equal(len(advice), 1 if busy > 90 else 0, f"advice, {busy} % busy: {result['warnings']}")


@case
def a_stopped_generator_is_named_without_a_plan_too():
    """A closed loop has no plan to be behind of; its loop knows by its heartbeat that it stood still."""
    with Echo() as server, start_netload(server.address, "-c", "20", *UNTIL_TOLD) as running:
        result = stood_still(running, running.pid, STILL_S)
    expect(result["loop"]["gap_max_ns"] > 0.8e9 * STILL_S, f"loop: {result['loop']}")
    contains(" ".join(result["verdict"]["reasons"]), "the generator did not listen for")


@case
def an_own_server_that_is_stopped_is_named():
    """The netecho that netload started says how long it stood still; nobody else knows of a stop by a signal."""
    for backend in ("epoll", "uring"):
        with start_netload("--backend", backend, "-c", "20", *UNTIL_TOLD) as running:
            wait_until(lambda: lines_of(running) or not running.running, "it ran")
            (server,) = children_of(running.pid)
            result = stood_still(running, server, STILL_S)
        loop = result["server_loop"]
        expect(loop["gap_max_ns"] > 0.8e9 * STILL_S, f"loop: {loop}")
        expect(0.8 * STILL_S < loop["away_s"] <= loop["held_up_s"], f"loop: {loop}")
        contains(" ".join(result["verdict"]["reasons"]), "the server stood still for")


@case
def a_stop_that_outlasts_the_run_is_named():
    """Either end stands still from the midst of two seconds until they are over, for both backends."""
    ends = {"generator": ("loop", "held_up_s", "process", "the generator did not listen for"),
            "server": ("server_loop", "away_s", "server", "the server stood still for")}
    for backend, end in itertools.product(("epoll", "uring"), ends):
        part, figure, side, sentence = ends[end]
        began = time.monotonic()
        with start_netload("--backend", backend, "-c", "4", "-d", "2s", "-i", "20ms", "--json-lines") as running:
            wait_until(lambda: answered_in(lines_of(running)) > 0 or not running.running, "it ran")
            (stopped,) = {running.pid} if end == "generator" else children_of(running.pid)
            pause(stopped)
            still_s = 2 - (time.monotonic() - began)  # At least so long of the two seconds.
            time.sleep(2.2)
            os.kill(stopped, signal.SIGCONT)
            result = lines_of(running.finish().ended_with(0))[-1]
        stood_s, threads = result[part][figure], result["cpu"][side]["threads"]
        expect(still_s <= stood_s <= 2 * threads, f"of {still_s} s the {end} stood still: {result[part]}")
        rate = next(figure for figure in result["verdict"]["figures"] if figure["name"] == "rate")
        named = sentence in " ".join(rate["reasons"])
        equal(named, stood_s > 0.1 * 2 * threads, f"whether {rate} tells of {stood_s} s")


@case
def a_stopped_server_does_not_invalidate():
    with Echo() as server, start_netload(server.address, "-c", "4", "-r", "250", "-P", "1", *UNTIL_TOLD) as running:
        result = stood_still(running, server.pid, STILL_S, rate=1000)
    pacing = result["pacing"]
    # How many exactly is tested in simulated time, where no machine is busy.
    expect(pacing["behind"] > pacing["overdue"], f"pacing: {pacing}")
    contains(" ".join(result["warnings"]), "waited for the server")
    expect("waited for the server" not in " ".join(result["verdict"]["reasons"]), "it was made a reason")


@case
def objectives():
    with Echo() as server:
        flags = [server.address, "-c", "2", "-n", "200"]
        ended = netload(*flags, "--slo", "p99<20s,max<=20s", "--slo", "errors<1", "--json").ended_with(0)
        checks = {check["name"]: check["passed"] for check in ended.json()["checks"]}
        equal(checks, {"verify": True, "slo p99<20s": True, "slo max<=20s": True, "slo errors<1": True}, "checks")
        ended = netload(*flags, "--slo", "p50<1ns,mean<20s").ended_with(1)
        contains(ended.out, "slo p50<1ns FAILED: ")
        contains(ended.out, "slo mean<20s passed: ")
        netload("--compare", "epoll", "--rounds", "1", "-c", "1", "-n", "50", "--slo", "p50<1ns").ended_with(1)


@case
def objectives_that_are_none():
    for text in ["p99", "p99>2ms", "q99<2ms", "p101<2ms", "errors<2ms", ""]:
        ended = netload("--slo", text).ended_with(2)
        contains(ended.err, "--slo")
        contains(ended.err, "p99<2ms", "an example")


@case
def what_does_not_go_together():
    for flags, part in [(["--find-max", "--compare", "epoll"], "--find-max"), (["--find-max", "-n", "5"], "-d"),
                        (["--find-max", "--json-lines"], "--json-lines"),
                        (["--compare", "epoll", "--hgrm", "x"], "--hgrm"),
                        (["--compare", "epoll", "--hdr-log", "x"], "--hdr-log"),
                        (["--json", "--json-lines"], "--json"),
                        (["--percentiles", "0"], "percentiles"), (["--percentiles", "50,x"], "percentiles"),
                        (["--color", "red"], "--color"), (["--progress", "maybe"], "--progress"),
                        (["--start-at", "5"], "--start-at"), (["--start-at", str(int(time.time()) * 1000)], "--start-at")]:
        ended = netload(*flags).ended_with(2)
        contains(ended.err, part, f"the answer to {flags}")
        equal(ended.out, "", "standard output of a usage error")


@case
def lines_of_json():
    """At both ends each interval is a line, no sooner than was asked, and the last line is the result, with the
    intervals in it."""
    with Echo("--json-lines", "-i", "100ms") as server:
        flags = ["-c", "2", "-r", "100", "-d", "500ms", "-i", "100ms", "--json-lines"]
        load = netload(server.address, *flags).ended_with(0)
        wait_until(lambda: lines_of(server), "the server had told one")
        for end in load, server.stop().ended_with(0):
            *intervals, result = lines_of(end)
            equal({line["schema"] for line in intervals}, {"wiremark.interval/1"}, f"schemas of {end.argv[0]}")
            equal(result["schema"], "wiremark.result/3", "the last")
            for line in intervals[0], result:
                keeps_to_the_schema(line)
            equal([{"schema": "wiremark.interval/1"} | line for line in result["intervals"]], intervals, "intervals")
            early = [line for i, line in enumerate(intervals[:-1]) if over_s(line) < 0.1 * (i + 1)]
            equal(early, [], "lines sooner than was asked")
            drained = result["totals"].get("drain", {"messages": 0})["messages"]
            told, total = answered_in(intervals), result["totals"]["messages"] + drained
            expect(0 < told <= total, f"{told} messages in the lines, {total} in all")


@case
def documents_keep_to_their_schemas():
    with Echo() as server:
        keeps_to_the_schema(netload(server.address, "-c", "2", "-r", "50", "-d", "200ms", "-i", "100ms", "--json",
                                    "--slo", "p99<1ns").ended_with(1).json())
    keeps_to_the_schema(netload("--compare", "epoll,epoll", "--rounds", "2", "-c", "2", "-n", "200", "--json")
                        .ended_with(0).json())


@case
def the_table_tells_the_verdict():
    out = netload("--compare", "epoll", "--rounds", "2", "-c", "2", "-n", "50").ended_with(0).out
    expect(re.search(r"  epoll   (VALID FOR|INVALID) ", out), f"no verdict of a row in\n{out}")
    # A busy machine may make one of the two INVALID, which stands by itself.
    rounds = re.findall(r" (\d) of 2 rounds of epoll: not p90, p99, p99\.9: p90 rests on", out)
    equal(sum(map(int, rounds)), 2, "rounds in which p90 rests on too little")
    contains(out, "?          behind a figure: not to be trusted")


@case
def percentiles_as_asked():
    with Echo() as server:
        ended = netload(server.address, "-c", "2", "-n", "200", "--percentiles", "99,25,99,75", "--json").ended_with(0)
        equal([percent for percent, _ in ended.json()["latency_ns"]["percentiles"]], [25, 75, 99], "percentiles")


@case
def colours_only_where_they_are_wanted():
    with Echo() as server:
        flags = [server.address, "-c", "1", "-n", "10"]
        contains(netload(*flags, "--color", "always").out, "\033[1;31mINVALID:\033[0m")
        for more in [[], ["--color", "never"], ["--color", "auto"]]:
            expect("\033" not in netload(*flags, *more).out, f"an escape with {more}")


@case
def progress_on_standard_error():
    with Echo() as server:
        with start_netload(server.address, "-c", "1", "-d", "60s", "--progress", "on") as running:
            wait_until(lambda: re.search(r"\b\d+ s of 1 min, ", running.err), "the progress was drawn")
            running.signal(signal.SIGINT)
            running.finish().ended_with(130)
        ended = netload(server.address, "-c", "1", "-r", "10", "-d", "1100ms", "--progress", "off").ended_with(0)
        equal(ended.err, "", "standard error without progress")


def began_at(result, at):
    """The first messages came due at `at`, a moment of time(2), or when the generator listened again."""
    late_s = result["measured_from"] - at
    # The moment is converted between the clocks, and one may wake up late.
    most = result["loop"]["gap_max_ns"] / 1e9 + 0.005
    expect(-0.001 < late_s <= most, f"it began {late_s:.6f} s after it should, and did not listen for {most} s")


@case
def starts_at_a_time():
    with Echo() as server:
        at = time.time() + 4  # More than it takes to open two connections, and less than for 20 at 4 a second.
        early = ["-c", "2", "-r", "100", "-d", "200ms", "--json"]
        late = ["-c", "20", "--connect-rate", "4", "-n", "1"]
        with start_netload(server.address, *early, "--start-at", f"{at:.6f}") as one, \
                start_netload(server.address, *late, "--start-at", f"{at:.6f}") as other:
            result = one.finish().ended_with(0).json()
            expect(time.time() >= at + 0.2, "it ended before its start and its duration had passed")
            equal(result["outcome"]["answered"], 40, "messages")
            began_at(result, at)
            contains(other.finish().ended_with(3).err, "choose a later time")


class Launched(Process):
    """A netload that a launcher starts, with the launcher's end of the socket; its connections are open."""

    def __init__(self, server, *flags):
        listening = server.sockets()
        self.socket, theirs = socket.socketpair()
        with theirs:
            super().__init__(program("NETLOAD"), server.address, "-c", "3", "-r", "100", *flags, "--start-fd", theirs.fileno(),
                             pass_fds=[theirs.fileno()])
        self.socket.settimeout(30)
        self.words = self.socket.makefile("r")
        try:
            self.hears("ready")
            wait_until(lambda: server.sockets() == listening + 3, "it had accepted the connections")
        except BaseException:
            self.__exit__()
            raise

    def tell(self, line):
        self.socket.sendall(f"{line}\n".encode())

    def hears(self, word):
        equal(self.words.readline(), f"{word}\n", "what it says to its launcher")

    def leave(self):
        """The launcher's end is closed."""
        self.words.close()
        self.socket.close()

    def __exit__(self, *_):
        super().__exit__()
        self.leave()


@case
def a_launcher_says_when_to_start():
    with Echo() as server, Launched(server, "-d", "100ms", "--json") as launched:
        launched.tell(1)
        launched.hears("late")
        launched.tell(f"{time.time() + 3600:.6f}")
        launched.hears("set")
        at = time.time() + 2  # It has only to be told.
        launched.tell(f"{at:.6f}")
        launched.hears("set")
        launched.hears("begun")
        expect(time.time() >= at - 0.01, "it began long before it should")
        result = launched.finish().ended_with(0).json()
        equal(result["outcome"]["answered"], 30, "messages")
        began_at(result, at)


@case
def a_launcher_that_goes_away_has_said_when():
    for hears_all in (True, False):  # What it leaves unread makes its end an error of our socket.
        with Echo() as server, Launched(server, "-n", "3") as launched:
            launched.tell(f"{time.time() + 2:.6f}")  # It has only to be told.
            if hears_all:
                launched.hears("set")
            else:
                wait_until(lambda: select.select([launched.socket], [], [], 0)[0], "it had answered")
            launched.leave()
            launched.finish().ended_with(0)


@case
def a_launcher_that_does_not_say_when_is_an_error():
    def goes_away(one):
        one.socket.shutdown(socket.SHUT_WR)

    def comes_late(one):
        one.tell(time.time() - 5)
        one.hears("late")
        goes_away(one)

    for what, code, said in [(goes_away, 3, "ended before it said when"), (comes_late, 3, "choose a later time"),
                             (lambda one: one.tell("soon"), 3, "said 'soon'"), (lambda one: one.tell("inf"), 3, "said 'inf'"),
                             (lambda one: one.tell("1 2"), 3, "said '1 2'"), (lambda one: one.tell(-1), 3, "said '-1'"),
                             (lambda one: one.signal(signal.SIGINT), 130, "")]:
        with Echo() as server, Launched(server, "-n", "3") as launched:
            what(launched)
            contains(launched.finish().ended_with(code).err, said)


def hdr_of(path):
    try:
        import hdr_files
    except ImportError as lacking:
        raise Skip(str(lacking)) from None
    if hdr_files.HdrHistogram is None:
        raise Skip("python3 has no module hdrh (pip install hdrhistogram)")
    return hdr_files, hdr_files.read_log(path)


@case
def the_log_adds_up_to_the_result():
    """Every interval of every kind, decoded by HdrHistogram and added, is the histogram of the result."""
    with Echo() as server, tempfile.TemporaryDirectory() as folder:
        for more in ["-i", "100ms"], []:
            before = time.time()
            result = netload(server.address, "-c", "5", "-r", "400", "-w", "100ms", "-d", "500ms", "--json",
                             "--hdr-log", f"{folder}/log", *more).ended_with(0).json()
            files, (found, start) = hdr_of(f"{folder}/log")
            equal(set(found), {"latency", "service", "lateness"}, "tags")
            expect(before < start < time.time(), f"it starts at {start}")
            intervals = {(f"{one['start_s']:.3f}", f"{one['seconds']:.3f}") for one in result["intervals"]}
            end = sum(result["intervals"][-1][part] for part in ["start_s", "seconds"]) if intervals else 0
            with open(f"{folder}/log", encoding="ascii") as file:
                lines = [line.split(",") for line in file if line.startswith("Tag=")]
            for tag, histograms in found.items():
                # An interval in which nothing came has none.
                spans = [(start, seconds) for its, start, seconds, *_ in lines if its == f"Tag={tag}"]
                equal(len(spans), len(histograms), f"lines of {tag}")
                equal(len(set(spans)), len(spans), f"lines of {tag}, each of another time")
                others = [float(start) for start, seconds in spans if (start, seconds) not in intervals]
                expect(len(others) <= 1, f"lines of {tag} that are of no interval: {others} of {spans}")
                expect(all(abs(start - end) <= 0.001 for start in others), f"{others} is not from the last, {end}")
                whole = files.HdrHistogram(1, files.HIGHEST, 3)
                for histogram in histograms:
                    whole.add(histogram)
                ours = result[f"{tag}_ns"]
                figures = {"count": ours["count"], "buckets": list(map(list, buckets_of(ours))),
                           "percentiles": [pair for pair in ours["percentiles"] if pair[0] < 100]}
                equal(list(files.differences_of(whole, figures)), [], f"differences of {tag}")


@case
def the_distribution_is_that_of_the_result():
    with Echo() as server, tempfile.TemporaryDirectory() as folder:
        result = netload(server.address, "-c", "5", "-n", "2000", "--json", "--hgrm", f"{folder}/hgrm").ended_with(0).json()
        with open(f"{folder}/hgrm", encoding="ascii") as file:
            text = file.read()
        rows = [line.split() for line in text.splitlines()[2:] if not line.startswith("#")]
        equal(rows[-1][2], "2000", "the count of the last row")
        p50 = next(ns for percent, ns in result["latency_ns"]["percentiles"] if percent == 50)
        equal(next(row[0] for row in rows if row[1] == "0.500000000000"), f"{p50 / 1000:.3f}", "p50 in us")
        contains(text, "Total count    =         2000]")
        for flag in ["--hgrm", "--hdr-log"]:
            contains(netload(server.address, "-c", "1", "-n", "5", flag, "/nowhere/file").ended_with(2).err, "/nowhere/file")


SEARCH = ["--find-max", "-d", "300ms", "-c", "4"]


@case
def the_highest_rate_is_found():
    """The search itself is tested without a server. Here: the result is not above what the server can do, and the
    document, the lines and the exit code tell the same, whatever was found. No connection of this server is answered
    more than 200 times a second, and at 950 more than a tenth of the messages of 300 ms would wait for over 30 ms."""
    def behave(connection, number):
        while message := receive(connection, 64):
            connection.sendall(message)
            time.sleep(0.005)
    with BadServer(behave) as server, tempfile.TemporaryDirectory() as folder:
        ended = netload(server.address, *SEARCH, "-s", "64", "-R", "200", "--slo", "p90<30ms", f"--json={folder}/found",
                        seconds=180)
        with open(f"{folder}/found", encoding="utf-8") as file:
            found = json.load(file)
        keeps_to_the_schema(found)
        most = found["max_rate_hz"]  # None where a busy machine keeps not even the lowest.
        ended.ended_with(0 if most else 1)
        expect(most is None or 0 < most < 950, f"maximum {most}")
        tried = [probe for probe in found["probes"] if probe["rate_hz"] == most]
        kept = sum(probe["kept"] for probe in tried)
        equal(kept > 0, most is not None, "whether a probe kept the maximum")
        edge = [probe for probe in found["probes"] if probe["rate_hz"] == found["next"]["rate_hz"] and not probe["kept"]]
        equal(found["next"]["reason"], edge[-1]["reason"], "why the next rate was not kept")
        of_the_generator = {"the generator, not the server, is the limit": ["generator"],
                            "the generator stood still or had no processor": ["machine"]}
        equal(found["next"]["reason"] in of_the_generator, edge[-1]["generator_was_limit"], "whether it is named")
        limits = of_the_generator.get(found["next"]["reason"], ["server", "machine"])
        expect(found["limit"] in limits, f"the limit: {found['limit']}")
        lines = [line for line in ended.out.splitlines() if re.match(r" +\d+ ", line)]
        equal([" kept" in line for line in lines], [probe["kept"] for probe in found["probes"]], "lines of probes")
        if most:
            contains(ended.out, f"messages/s, kept in {kept} of {len(tried)} probe")
        contains(ended.out, "at most 40 or 24.0 s")


@case
def no_rate_keeps_what_nothing_can():
    with Echo() as server:
        ended = netload(server.address, *SEARCH, "-R", "4", "--slo", "max<1ns", "--json").ended_with(1)
        equal(ended.json()["max_rate_hz"], None, "the maximum")
        expect(ended.json()["next"]["rate_hz"] <= 4, "the lowest that failed")
        keeps_to_the_schema(ended.json())
        contains(ended.err, "slo max<1ns: ", "the lines of the probes")


@case
def a_search_can_be_interrupted():
    with Echo() as server, start_netload(server.address, "--find-max", "-d", "200ms", "-c", "2", "--json") as running:
        wait_until(lambda: running.err.count("kept") > 1, "two probes were there")
        running.signal(signal.SIGINT)
        ended = running.finish().ended_with(130)
        equal(ended.json()["interrupted"], True, "interrupted")
        keeps_to_the_schema(ended.json())


@case
def a_closed_loop_has_no_plan_to_share():
    """One that is as full as can be: nobody could help it to keep what it does not promise."""
    with Echo() as server:
        warnings = netload(server.address, "-c", "50", "-s", "16k", "-d", "200ms", "--json").json()["warnings"]
        equal([text for text in warnings if "--share" in text], [], "advice without a plan")


@case
def the_generator_is_named_as_the_limit():
    """Each connection, at its third message, stops the generator for 20 ms: for that long no message of the plan,
    300 ms at 200 messages/s or more, goes out in time."""
    started = threading.Event()
    one_at_a_time = threading.Lock()

    def behave(connection, number):
        for _ in range(3):
            connection.sendall(receive(connection, 64))
        started.wait()
        with one_at_a_time:
            running.pause()
            time.sleep(0.02)
            running.signal(signal.SIGCONT)
        echo(connection)

    with BadServer(behave) as server, start_netload(server.address, "--find-max", "-d", "300ms", "-c", "4", "-s", "64",
                                                    "-R", "400", "--slo", "p99<10s", "--json") as running:
        started.set()
        running.finish(seconds=180)
    # The search goes down to rates at which no connection comes to its third message.
    tried = [probe for probe in running.json()["probes"] if probe["rate_hz"] >= 200]
    expect(tried, f"no probe of 200 messages/s or more: {running.err}")
    for probe in tried:
        equal((probe["generator_was_limit"], probe["kept"], probe["reason"]),
              (True, False, "the generator stood still or had no processor"), "the limit, kept, and why not")


run()

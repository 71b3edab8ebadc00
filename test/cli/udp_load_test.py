#!/usr/bin/env python3
"""netload over UDP: every message is answered or lost, and the counts are those of the network."""

import csv
import itertools
import json
import os
import re
import signal
import tempfile

from case import case, contains, equal, expect, run, wait_until
from outcome import expect_outcome
from process import (Echo, free_port, lines_of, netload, program, require_backend, require_ipv6, run_program,
                     start_netload, tells_of_an_answer)
from relay import Relay
from standstill import UNTIL_TOLD, answered_in

LOOPBACK = ["udp:127.0.0.1:0"]
# Where all must be answered, what is under way fits into one socket's 208 KiB, in which a short datagram takes up to
# 1 KiB, and into the queue of a processor (net.core.netdev_max_backlog, 1,000 packets): then nothing is dropped,
# however long either end is kept waiting. No answer is given up before.
NEVER_LATE = ["--timeout", "30s"]


def delivery(document):
    """What became of the messages of a result, after a look at what must hold for any run."""
    expect_outcome(document)
    counts = {**document["outcome"], **document["delivery"]}
    waited = counts.pop("lost_wait_s", None)  # None in an open loop, which waits for nothing.
    if waited is not None:  # Nothing is sent behind the last that are lost, and nothing waits for them.
        expect(waited == 0 or counts["lost"] > 0, f"{waited} s were waited, and none was lost")
        totals = document["totals"]
        expect(waited <= totals["seconds"] * totals["connections"], f"{waited} s were waited of {totals}")
    return counts


def fate(sent, duplicated=0, wrong=0):
    """The outcome when all messages were sent and answered in order."""
    return {"planned": sent, "sent": sent, "answered": sent, "lost": 0, "late": 0, "unsent": 0, "reordered": 0,
            "duplicated": duplicated, "wrong": wrong}


@case
def a_closed_loop_adds_up_at_both_ends():
    for size, connections in [("16", 20), ("64", 20), ("16-1400", 20), ("65507", 2)]:
        with Echo("--json", listen=LOOPBACK) as server:
            ended = netload(server.address, "-c", connections, "-n", "2000", "-s", size, *NEVER_LATE,
                            "--json").ended_with(0)
            result, served = ended.json(), server.stop().ended_with(0).json()
            equal(delivery(ended.json()), fate(2000), f"the delivery of {size} bytes")
            equal(result["totals"]["datagrams"], {"in": 2000, "out": 2000, "unsent": 0, "dropped": 0}, "datagrams")
            equal(served["totals"]["datagrams"], {"in": 2000, "out": 2000, "unsent": 0, "dropped": 0}, "the server's")
            equal(result["totals"]["bytes_out"], served["totals"]["bytes_in"], "bytes sent")
            equal(result["totals"]["bytes_in"], served["totals"]["bytes_out"], "bytes answered")
            equal(result["checks"][0]["passed"], True, "the check of the replies")
            expect("server" in result["cpu"], "the server's CPU time was not found")
            expect("connect_ns" not in result, "UDP connects nothing")


@case
def an_open_loop_sends_its_plan():
    for flags in [[], ["--arrival", "poisson"], ["-t", "2"], ["--wait", "batch"]]:
        with Echo("-t", "2", "--json", listen=LOOPBACK) as server:
            ended = netload(server.address, "-c", "50", "-P", "4", "-r", "80", "-d", "500ms", "-s", "64", *NEVER_LATE,
                            "--json", *flags).ended_with(0)
            served = server.stop().ended_with(0).json()["totals"]["datagrams"]
        counts = delivery(ended.json())
        equal(counts["wrong"], 0, f"answers that are wrong with {flags}")
        equal(counts["lost"], 0, f"messages lost with {flags}")
        equal(served, {"in": counts["planned"], "out": counts["planned"], "unsent": 0, "dropped": 0},
              f"the server's datagrams with {flags}")
        equal(counts["sent"], counts["planned"], "messages sent")
        if "poisson" not in flags:
            equal(counts["planned"], 2000, "messages planned")


@case
def ipv6():
    require_ipv6()
    with Echo(listen=["udp:[::1]:0"]) as server:
        ended = netload(server.address, "-c", "4", "-n", "200", *NEVER_LATE, "--json").ended_with(0)
        equal(delivery(ended.json()), fate(200), "the delivery")


@case
def a_pipeline_and_a_warm_up():
    with Echo(listen=LOOPBACK) as server:
        ended = netload(server.address, "-c", "5", "-P", "16", "-n", "3000", "-w", "100ms", "--json").ended_with(0)
        equal(delivery(ended.json())["sent"], 3000, "messages sent after the warm-up")
        ended = netload(server.address, "-c", "5", "-n", "3000", "-w", "100ms", "--no-verify", "--json").ended_with(0)
        expect(delivery(ended.json())["answered"] > 0, "no message")


def gathered(ended):
    """How many datagrams a send and a receive carried; None where neither carries several."""
    lines = [line for line in ended.json()["path"]["evidence"] if "GSO" in line]
    equal(len(lines), 1, "lines about GSO")
    if lines == ["UDP: GSO and GRO are off"]:
        return None
    numbers = re.fullmatch(r"GSO: (\d+\.\d) datagrams a send; GRO: (\d+\.\d) a receive", lines[0])
    expect(numbers, f"the path says {lines}")
    return [float(number) for number in numbers.groups()]


@case
def what_was_gathered_is_in_the_path():
    """All is under way at once, so that what goes out together does not depend on who runs when."""
    for flags, format in [([], "raw"), ([], "json"), (["--udp-offload", "off"], "raw")]:
        with Echo("--json", "--rcvbuf", "4M", "-f", format, *flags, listen=LOOPBACK) as server:
            ended = netload(server.address, "-c", "1", "-P", "64", "-n", "64", "-f", format, "--rcvbuf", "4M",
                            *NEVER_LATE, "--json", *flags).ended_with(0)
            ends = [ended, server.stop().ended_with(0)]
        equal(delivery(ended.json()), fate(64), f"the delivery of {format} with {flags}")
        for end in ends:
            equal(end.json()["totals"]["datagrams"]["in"], 64, "datagrams")
            numbers = gathered(end)
            if flags:
                equal(numbers, None, "what was gathered")
            else:
                expect(min(numbers) > 1, f"gathered of {format}: {numbers}")


@case
def one_in_flight_waits_for_no_other():
    with Echo("--json", listen=LOOPBACK) as server:
        ended = netload(server.address, "-c", "5", "-P", "1", "-n", "500", *NEVER_LATE, "--json").ended_with(0)
        for end in [ended, server.stop().ended_with(0)]:
            equal(gathered(end)[1], 1.0, "datagrams a receive")


@case
def every_copy_is_counted():
    """Three copies of an answer go ahead of the next one, since the last one ends the run."""
    answers = {}  # The newest of each connection.

    def back(connection, _, datagram):
        copies = [answers[connection]] * 3 if connection in answers else []
        answers[connection] = datagram
        return [*copies, datagram]

    with Echo(listen=LOOPBACK) as server, Relay(server.address, back) as network:
        ended = netload(network.address, "-c", "5", "-n", "100", *NEVER_LATE, "--json").ended_with(0)
        equal(delivery(ended.json()), fate(100, duplicated=3 * (100 - 5)), "the delivery")


@case
def what_comes_back_wrong_answers_nothing():
    """The right answer follows each wrong one, and does not count as a copy."""
    def back(_, sequence, datagram):
        spoilt = {1: datagram[:-1], 2: datagram + b"x", 3: b"", 4: datagram[:15], 5: datagram[:40] + b"\xff\xfe\xfd" +
                  datagram[43:], 6: b"\xff" * 4 + datagram[4:], 7: datagram[:8] + b"\xff\xff\xff\xff" + datagram[12:],
                  8: datagram[:12] + b"\x0f\x0f\0\0" + datagram[16:]}
        return [spoilt[sequence], datagram] if sequence in spoilt else [datagram]

    with Echo(listen=LOOPBACK) as server, Relay(server.address, back) as network:
        ended = netload(network.address, "-c", "2", "-r", "100", "-n", "40", "-s", "64", *NEVER_LATE,
                        "--json").ended_with(1)
        equal(delivery(ended.json()), fate(40, wrong=16), "the delivery")
        equal(ended.json()["checks"][0]["passed"], False, "the check of the replies")


@case
def what_is_lost_takes_its_wait_from_the_others():
    """Of 40 messages of two connections the first is lost, the last, or both: 200 ms each."""
    for lost in [{1}, {40}, {1, 40}]:
        sent = itertools.count(1)

        def back(_connection, _sequence, datagram, lost=lost, sent=sent):
            return [] if next(sent) in lost else [datagram]

        with Echo(listen=LOOPBACK) as server, Relay(server.address, back) as network:
            ended = netload(network.address, "-c", "2", "-n", "40", "--timeout", "200ms", "--json").ended_with(0)
        equal(delivery(ended.json())["lost"], len(lost), f"lost of {lost}")
        if 1 in lost:  # While its connection waited, the other one was answered.
            expect(ended.json()["delivery"]["lost_wait_s"] > 0, "nothing was waited")
        reasons = " ".join(ended.json()["verdict"]["reasons"])
        (share,) = re.findall(r"connections waited ([\d.]+) % of the time", reasons)
        expect(float(share) <= 100, reasons)


@case
def a_run_that_measured_nothing_is_no_success():
    with Echo(listen=LOOPBACK) as server, Relay(server.address, lambda *_: []) as network:
        for flags in [["-n", "4"], ["-r", "100", "-n", "40"]]:
            load = [network.address, "-c", "2", "--timeout", "50ms", "--json", *flags]
            ended = netload(*load).ended_with(4)
            equal(delivery(ended.json())["answered"], 0, "answered")
            equal(ended.json()["checks"], [], "what is said of replies of which none came")
            ended = netload(*load, "--slo", "errors<1,errors<1M,p50<1m").ended_with(1)
            equal([(check["passed"], check["detail"]) for check in ended.json()["checks"]],
                  [(False, "no message was measured")] * 3, "the objectives")


@case
def files_of_histograms_tell_what_was_lost():
    """Each fourth answer is lost. Readers of a log take a line of no values for one of times of 0: there is none, though
    nothing comes while the lost are waited for."""
    def back(_connection, sequence, datagram):
        return [] if sequence % 4 == 3 else [datagram]

    with (Echo(listen=LOOPBACK) as server, Relay(server.address, back) as network,
          tempfile.TemporaryDirectory() as folder):
        def files_of(name):
            return ["--hgrm", f"{folder}/{name}.hgrm", "--hdr-log", f"{folder}/{name}.hlog"]

        def text_of(name):
            with open(f"{folder}/{name}", encoding="ascii") as file:
                return file.read()
        ended = netload(network.address, "-c", "2", "-r", "100", "-n", "40", "--timeout", "1s", "-i", "50ms",
                        f"--json={folder}/json", *files_of("netload")).ended_with(0)
        run_program(program("NETREPORT"), f"{folder}/json", *files_of("netreport")).ended_with(0)
        answered = json.loads(text_of("json"))["outcome"]["answered"]
        said = f"{40 - answered} of 40 messages were never answered in time"
        for figure, value in [("max", "never"), ("mean", "-"), ("stddev", "-")]:
            expect(re.search(rf"\n  {figure} +{value} ", ended.out), f"no {figure} in\n{ended.out}")
        hgrm = text_of("netload.hgrm")
        equal(hgrm, text_of("netreport.hgrm"), "the distribution by netreport")
        rows = [line.split() for line in hgrm.splitlines()[2:] if not line.startswith("#")]
        equal(int(rows[-1][2]), answered, "the count of the last row")
        expect(float(rows[-1][1]) <= answered / 40, f"a percentile of messages without an answer: {rows[-1]}")
        for part in [said, "#[Mean    =            -,", "#[Max     =        never, Total count    =           40]"]:
            contains(hgrm, part)
        for name in ["netload.hlog", "netreport.hlog"]:
            log = text_of(name)
            for tag in ["latency", "service"]:
                contains(log, f"#[{tag}: {said}, and no histogram counts them]\n")
            nothing = [line for line in log.splitlines() if re.match("Tag=(latency|service),.*,0.000,HIST", line)]
            equal(nothing, [], f"lines of nothing in {name}")


@case
def comparisons_count_what_was_lost():
    """One server loses each fourth answer, and one all: of neither is there a figure of the answered alone, or a 0."""
    def fourth(_connection, sequence, datagram):
        return [] if sequence % 4 == 3 else [datagram]

    with (Echo(listen=LOOPBACK) as server, Relay(server.address, fourth) as some,
          Relay(server.address, lambda *_: []) as none, tempfile.TemporaryDirectory() as folder):
        names = [relay.address.removeprefix("udp:") for relay in (some, none)]
        ended = netload("--compare", f"{some.address},{none.address}", "-c", "2", "-r", "200", "-n", "40", "--rounds",
                        "2", "--timeout", "1s", f"--json={folder}/json", f"--html={folder}/page").ended_with(4)
        for text in [ended.out, run_program(program("NETREPORT"), f"{folder}/json").ended_with(0).out]:
            for name, p50 in zip(names, [r"\S+s", "never"]):
                expect(re.search(rf"{name} .* {p50}\?? +never\? +never\?\n", text), f"no such row of {name} in\n{text}")
            expect(re.search(rf"{names[1]} +n/a\? +n/a\?\n", text), f"a cost of {names[1]} in\n{text}")
        with open(f"{folder}/json", encoding="utf-8") as file:
            lost = json.load(file)["backends"][1]
        equal([lost["us_cpu_per_message"], lost["rounds"][0]["us_cpu_per_message"]], [None, None], "costs")
        with open(f"{folder}/page", encoding="utf-8") as file:
            contains(file.read(), "<td>unanswered</td><td>unanswered</td><td>unanswered</td><td>-</td><td>-</td>")


@case
def nobody_listens():
    port = free_port()
    for flags in [["-d", "20s"], ["-r", "10", "-d", "20s"]]:
        ended = netload(f"udp:127.0.0.1:{port}", "-c", "5", *flags).ended_with(3)
        contains(ended.err, f"nobody listens on udp:127.0.0.1:{port}", "what it says")
        contains(ended.err, f"netecho udp:127.0.0.1:{port}", "the fix")


@case
def the_server_ends_in_mid_run():
    with Echo("--json", listen=LOOPBACK) as server:
        with start_netload(server.address, "-c", "10", "-r", "200", *UNTIL_TOLD) as load:
            wait_until(lambda: answered_in(lines_of(load)) > 0, "the run was under way")
            answered = server.stop().ended_with(0).json()["totals"]["datagrams"]["out"]
            wait_until(lambda: sum(line["errors"] for line in lines_of(load)) > 10, "it was told that nobody listens")
            load.signal(signal.SIGINT)
            result = lines_of(load.finish().ended_with(130))[-1]
        counts = delivery(result)
        expect(0 < counts["answered"] <= answered, f"{counts['answered']} answers from {answered}")
        waited = [line for line in result["path"]["evidence"] if "waited for room" in line]
        equal(waited, [], "messages that lost ones held up")
        errors = result["totals"]["errors"]
        expect(errors["port unreachable: nobody listens there"] > 10, f"errors {errors}")


@case
def a_server_that_is_stopped():
    """Both ends count the same datagrams as lost, those for which it has no room: it stands still from before the load
    on. All that is sent fits into the queue of a processor, whose drops neither end would see. A busy machine makes the
    load late, and the kernel counts those that would leave together as one that it dropped."""
    with Echo("--rcvbuf", "4k", "--json", listen=LOOPBACK) as server:
        server.pause()
        with start_netload(server.address, "-c", "10", "-r", "40", "-d", "2s", "-i", "50ms", "--udp-offload", "off",
                           "--json") as load:
            wait_until(lambda: load.err.count(" qps ") >= 3, "the run was under way")
            server.signal(signal.SIGCONT)
            ended = load.finish()
        datagrams = server.stop().ended_with(0).json()["totals"]["datagrams"]
        counts = delivery(ended.json())
        ended.ended_with(0 if counts["answered"] > 0 else 4)
        equal(counts["sent"], 800, "messages sent")
        equal(datagrams["in"] + datagrams["dropped"], 800, f"what came to the server: {datagrams}")
        expect(datagrams["dropped"] > 0, "the server dropped none")
        equal(counts["lost"], datagrams["dropped"] + counts["late"], "lost messages")


@case
def stopped_by_a_signal():
    with Echo(listen=LOOPBACK) as server:
        with start_netload(server.address, "-c", "10", "-i", "100ms", "--json") as load:
            wait_until(lambda: tells_of_an_answer(load.err), "there were answers")
            load.signal(signal.SIGINT)
            ended = load.finish().ended_with(130)
        expect(delivery(ended.json())["answered"] > 0, "no message")


@case
def a_datagram_is_one_message_of_a_format():
    for name in ["bytes", "protobuf", "json", "flatbuffers", "y3"]:
        with Echo("-f", name, listen=LOOPBACK) as server:
            ended = netload(server.address, "-f", name, "-c", "5", "-n", "1000", *NEVER_LATE, "--json").ended_with(0)
            equal(delivery(ended.json()), fate(1000), f"the delivery of {name}")
            contains(ended.json()["checks"][0]["detail"], "head, guid and content", "the check")
    with Echo("-f", "json", listen=LOOPBACK) as server, tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "long"), "w", encoding="ascii") as contents:
            contents.write("x" * 70_000)
        ended = netload(server.address, "-f", "json", "--input", contents.name).ended_with(3)
        contains(ended.err, "line 1 of", "the error of a content that no datagram holds")
        contains(ended.err, "no datagram is longer", "the same")


@case
def what_does_not_go_over_udp():
    for flags, part in [(["--churn", "5"], "--churn is of connections"), (["--reconnect"], "--reconnect is of connections"),
                        (["--connect-rate", "5"], "--connect-rate is of connections"),
                        (["--timeout", "0"], "--timeout 0 would wait"), (["-s", "15"], "from 16"),
                        (["-s", "65508"], "to 65507"), (["-s", "1-100"], "from 16"), (["-s", "64k"], "to 65507"),
                        (["--compare", "epoll,uring"], "leave TARGET out")]:
        contains(netload("udp:127.0.0.1:7007", *flags).ended_with(2).err, part, f"the error of {flags}")


@case
def every_output_has_it():
    with Echo(listen=LOOPBACK) as server, tempfile.TemporaryDirectory() as folder:
        def file(name):
            return os.path.join(folder, name)

        for i in range(2):
            ended = netload(server.address, "-c", "4", "-n", "1000", *NEVER_LATE, f"--json={file(str(i))}", "--csv",
                            file("csv")).ended_with(0)
        contains(ended.out, "datagrams            1,000 in   1,000 out   (0 unsent, 0 dropped)")
        contains(ended.out, "  outcome     1,000 planned, sent and answered\n")
        contains(ended.out, "  delivery    0 reordered, 0 duplicated, 0 wrong")
        with open(file("csv"), encoding="utf-8") as rows:
            rows = list(csv.DictReader(rows))
        equal([row["outcome_answered"] for row in rows], ["1000", "1000"], "the column outcome_answered")
        equal(rows[0]["datagrams_out"], "1000", "the column datagrams_out")
        merged = run_program(program("NETREPORT"), "--in-turn", file("0"), file("1"), "--json").ended_with(0)
        equal(delivery(merged.json()), fate(2000), "the merged delivery")


require_backend()
run()

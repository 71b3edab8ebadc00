#!/usr/bin/env python3
"""netload --bypass: the ways that it measures, and the differences between them."""

import dataclasses
import functools
import json
import os
import signal
import statistics
import tempfile

from case import Skip, case, contains, equal, expect, run, wait_until
from document import keeps_to_the_schema
from process import Process, children_of, ends_at_once, netload, program, run_program, start_netload

PARTS = ["sleep_and_wake", "tcp_and_ip", "system_calls_and_sockets", "shared_memory"]


def require_two_processors():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("--bypass needs two processors")


# The messages of each way. A count, not a time: beside others, a time may be over before one is answered.
MESSAGES = 10
EACH = ["-n", str(MESSAGES)]


def bypass(*flags):
    require_two_processors()
    return netload("--bypass", *EACH, *flags).ended_with(0)


@dataclasses.dataclass
class Measured:
    text: str
    document: dict
    from_document: str  # The text that netreport makes of it.
    left: list  # What is left of the servers' folders.


@functools.cache
def measured():
    """Two rounds; they take seconds, so that several cases look at the same."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as servers:
        os.environ["TMPDIR"] = servers
        try:
            out = bypass("--rounds", "2", "-c", "10", "-s", "100", "--backend", "epoll", f"--json={folder}/bypass.json").out
        finally:
            del os.environ["TMPDIR"]
        equal(os.listdir(folder), ["bypass.json"], "files")
        again = run_program(program("NETREPORT"), f"{folder}/bypass.json").ended_with(0).out
        with open(f"{folder}/bypass.json", encoding="utf-8") as file:
            return Measured(out, json.load(file), again, os.listdir(servers))


@functools.cache
def one_of_each():
    """The text of one round with one connection and one byte."""
    return bypass("--rounds", "1", "-c", "1", "-s", "1").out


def p50(result):
    return dict(result["latency_ns"]["percentiles"])[50]


@case
def each_way_is_what_it_is_called():
    document = measured().document
    asleep, spinning, unix, *udp, load = document["ways"]
    equal("not_tried" in document, not udp, "a reason where UDP was not measured")
    for way, wait, connections in [(asleep, "block", 1), (spinning, "spin", 1), (unix, "spin", 1), (load, "block", 10)]:
        equal(way["connections"], connections, f"connections of {way['name']}")
        equal(len(way["rounds"]), 2, f"rounds of {way['name']}")
        for result in way["rounds"]:
            equal(result["config"]["wait"], wait, f"how the client of {way['name']} waits")
            equal(result["config"]["target"].startswith("unix:"), way is unix, f"a Unix socket of {way['name']}")
            equal(result["totals"]["connections"], connections, f"connections of {way['name']}")
            equal(result["totals"]["errors"], {}, f"errors of {way['name']}")
            equal(result["totals"]["messages"], MESSAGES, f"messages of {way['name']}")
            equal(result["totals"]["bytes_out"], 100 * MESSAGES, f"bytes of {way['name']}")
            expect("server" in result["cpu"], f"the server of {way['name']} is not known")


@case
def the_parts_are_the_differences_of_the_ways():
    document = measured().document
    trips = [[p50(result) for result in way["rounds"]] for way in document["ways"][:3]]
    memory = document["parts_ns"]["shared_memory"]
    expect(memory["median"] > 0, "shared memory takes no time")
    equal(memory["rounds"], 2, "rounds of shared memory")
    for part, longer, shorter in [("sleep_and_wake", 0, 1), ("tcp_and_ip", 1, 2)]:
        wanted = statistics.median(max(0, a - b) for a, b in zip(trips[longer], trips[shorter]))
        equal(document["parts_ns"][part]["median"], wanted, part)
    kernel = document["parts_ns"]["system_calls_and_sockets"]
    # Beside other programs two processors may meet too seldom for shared memory to be fast.
    expect(kernel["max"] <= max(0, max(trips[2]) - memory["min"]), "more than the whole way")
    expect(kernel["min"] >= min(trips[2]) - memory["max"], "less than the whole way less shared memory")


UDP = ["UDP, asleep in between", "UDP, spinning", "AF_XDP, spinning", "UDP, 64 flows, asleep",
       "AF_XDP, 64 flows, asleep", "UDP, GSO, 256 in flight"]


@case
def udp_goes_through_the_kernel_and_past_it_where_it_may():
    document = measured().document
    if "not_tried" in document:
        raise Skip(document["not_tried"])
    ways = document["ways"][3:-1]
    equal([way["name"] for way in ways], UDP, "the ways of UDP")
    for way in ways:
        for result in way["rounds"]:
            equal(result["path"]["active"] == "xdp", way["name"].startswith("AF_XDP"),
                  f"what {way['name']} ran on")
            equal(result["config"]["wait"], "spin" if "spinning" in way["name"] else "block",
                  f"how {way['name']} waits")
            equal(result["totals"]["connections"], way["connections"], f"flows of {way['name']}")
            equal(way["connections"], 64 if "64 flows" in way["name"] else 1, f"flows of {way['name']}")
            equal(result["outcome"]["sent"], MESSAGES, f"messages of {way['name']}")
            expect("server" in result["cpu"], f"the server of {way['name']} is not known")


@case
def where_it_may_not_measure_udp_it_says_what_is_missing():
    contains(one_of_each(), "not tried past the kernel: --size over UDP is from", "the text for one byte")
    contains(bypass("--rounds", "1", "-s", "1473").out, "is longer than a frame", "the text for 1,473 bytes")
    if os.geteuid() != 0:
        raise Skip("only root can take its rights away")
    nobody = run_program("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--reuid", "65534",
                         "--clear-groups", program("NETLOAD"), "--bypass", "--rounds", "1", *EACH, "--json")
    contains(nobody.ended_with(0).json()["not_tried"], "setcap cap_net_raw", "what is missing")


@case
def it_keeps_to_its_schema():
    contains(measured().text, "there and back", "the text beside the file")
    equal(measured().from_document, measured().text, "what netreport says")
    keeps_to_the_schema(measured().document)


@case
def the_text_names_what_a_bypass_saves():
    out = measured().text
    for part in ["100 bytes there and back", "TCP, asleep in between", "TCP, spinning", "Unix socket, spinning",
                 "shared memory, spinning", "10 connections", "machine", "epoll, edge-triggered"]:
        contains(out, part, "the text")
    # A server that is still at its few messages has spent nothing that the kernel tells yet.
    known = measured().document["ways"][-1]["server_us_cpu_per_message"] is not None
    contains(" ".join(out.split()), "of it in the kernel: a bypass saves that part at most" if known else
             "what the server's processor spends per message is not known of each round", "the text")
    # Beside other programs one way may take longer than the next, and the parts say nothing.
    parts = ["INVALID", "not ours alone"] if "INVALID    " in out.split("under load")[0] else \
            ["--wait spin saves that", "a bypass saves that"]
    for part in parts:
        contains(out, part, "the text")


@case
def one_of_a_kind_is_singular():
    for part in ["1 byte there and back", "1 round of", "1 connection in"]:
        contains(one_of_each(), part, "the text")


@case
def a_way_whose_server_goes_loses_none_before_it():
    require_two_processors()
    with start_netload("--bypass", *EACH, "--rounds", "1000", "-c", "2", "--progress", "on", "--json") as running:
        wait_until(lambda: "round 2 of 1000: " in running.err, "the second round began")
        os.kill(max(children_of(running.pid)), signal.SIGKILL)  # That of the load is the youngest.
        ended = running.finish().ended_with(3)
    study = ended.json()
    keeps_to_the_schema(study)
    equal(study["failed"]["name"], "load", "the way that failed")
    failed = study["failed"]["round"]
    expect(failed >= 2, f"round {failed} failed")
    expect([way["name"] for way in study["ways"]][-1] == "load" and len(study["ways"]) == 4, "not the four ways")
    for way in study["ways"]:
        expect(len(way["rounds"]) in (failed - 1, failed), f"{way['name']} has {len(way['rounds'])} of {failed} rounds")
    contains(study["not_tried"], "a round failed before")
    contains(ended.err, f"netload: round {failed} of load: ")


@case
def nothing_is_left_behind():
    equal(measured().left, [], "what is left of the servers' folders")


@case
def what_it_cannot_take_is_a_usage_error():
    for flags, *parts in [(["127.0.0.1:7"], "TARGET"), (["-r", "5"], "rate"), (["-R", "5"], "rate"), (["-f", "json"], "-f"),
                          (["-s", "1-2"], "--size"), (["-P", "2"], "--pipeline"), (["--churn", "5"], "--churn"),
                          (["-t", "2"], "-t"), (["--wait", "spin"], "--wait"),
                          (["--compare", "epoll"], "--compare"), (["--find-max"], "--find-max"),
                          (["--cpus", "0"], "--server-cpus"),
                          (["--cpus", "0", "--server-cpus", "0"], "processor for each end")]:
        ended = netload("--bypass", *flags).ended_with(2)
        equal(ended.out, "", f"standard output with {flags}")
        for part in ["--bypass"] + parts:
            contains(ended.err, part, f"the answer to {flags}")


@case
def a_second_signal_ends_it_at_once():
    require_two_processors()
    with tempfile.TemporaryDirectory() as folder:  # That of a server on a Unix socket stays.
        with Process("env", f"TMPDIR={folder}", program("NETLOAD"), "--bypass", "-d", "60s") as running:
            wait_until(lambda: children_of(running.pid), "a server was started")
            ends_at_once(running)


run()

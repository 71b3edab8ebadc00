#!/usr/bin/env python3
"""netreport adds what netload wrote: without loss, and only what belongs together."""

import json
import os
import shutil
import tempfile

from case import case, contains, equal, expect, run
from document import keeps_to_the_schema
from process import Echo, netload, program, run_program


def netreport(*flags, **limits):
    return run_program(program("NETREPORT"), *flags, **limits)


class Runs:
    """Results of netload against one netecho, as files that end with the case."""

    def __init__(self, *flags_of_runs):
        self._folder = tempfile.TemporaryDirectory()
        self.files = []
        with Echo() as server:
            for number, flags in enumerate(flags_of_runs):
                self.files.append(self.path(f"{number}.json"))
                netload(server.address, *flags, f"--json={self.files[-1]}").ended_with(0)

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def document(self, number):
        with open(self.files[number], encoding="utf-8") as file:
            return json.load(file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()


OPEN = ["-c", "3", "-r", "100", "-d", "300ms"]


@case
def one_file_is_the_same_again():
    with Runs(OPEN) as runs:
        equal(netreport(runs.files[0], "--json").ended_with(0).json(), runs.document(0), "the document")
        text = netreport(runs.files[0]).ended_with(0).out
        contains(text, "VALID: netload ")
        contains(text, "  outcome     90 planned, sent and answered\n")


@case
def histograms_are_added_without_loss():
    with Runs(OPEN, [*OPEN, "-s", "2k"], ["-c", "2", "-r", "100", "-d", "300ms"]) as runs:
        merged = netreport(*runs.files, "--json").ended_with(0).json()
        keeps_to_the_schema(merged)
        parts = [runs.document(number) for number in range(3)]
        for name in ["latency_ns", "service_ns", "lateness_ns", "connect_ns"]:
            counts = {}
            for part in parts:
                for index, count in part[name]["histogram"]["counts"]:
                    counts[index] = counts.get(index, 0) + count
            equal(dict(map(tuple, merged[name]["histogram"]["counts"])), counts, f"buckets of {name}")
            equal(merged[name]["min"], min(part[name]["min"] for part in parts), f"min of {name}")
            equal(merged[name]["max"], max(part[name]["max"] for part in parts), f"max of {name}")
        equal(merged["outcome"]["answered"], 240, "answered")
        equal(merged["totals"]["messages"], 240, "messages")
        equal(merged["totals"]["seconds"], max(part["totals"]["seconds"] for part in parts), "seconds")
        equal(merged["config"]["size"], "512, 2048", "sizes")
        in_turn = netreport("--in-turn", *runs.files, "--json").ended_with(0).json()
        expect(abs(in_turn["totals"]["seconds"] - sum(part["totals"]["seconds"] for part in parts)) < 1e-9, "seconds in turn")


@case
def every_form():
    with Runs(OPEN, OPEN) as runs:
        out, rows, hgrm, log = (runs.path(name) for name in ["out.json", "rows", "hgrm", "log"])
        ended = netreport(*runs.files, f"--json={out}", "--csv", rows, "--hgrm", hgrm, "--hdr-log", log,
                          "--percentiles", "50,75").ended_with(0)
        contains(ended.out, "180 messages")
        contains(ended.out, "p75")
        expect("\n  p90 " not in ended.out, f"a percentile nobody asked for:\n{ended.out}")
        with open(out, encoding="utf-8") as file:
            equal(json.load(file)["totals"]["messages"], 180, "messages in the file")
        with open(rows, encoding="utf-8") as file:
            equal(len(file.read().splitlines()), 2, "lines of the CSV")
        with open(hgrm, encoding="ascii") as file:
            contains(file.read(), "Total count    =          180]")
        with open(log, encoding="ascii") as file:
            tags = [line.split(",")[0] for line in file if line.startswith("Tag=")]
        equal(tags, ["Tag=latency", "Tag=service", "Tag=lateness"], "tags")
        contains(netreport(runs.files[0], "--color", "always").ended_with(0).out, "\033[1;3")


@case
def what_cannot_be_added():
    with Runs(OPEN, ["-c", "2", "-n", "50"], [*OPEN, "--latency-from", "send"]) as runs:
        ended = netreport(runs.files[0], runs.files[1]).ended_with(3)
        contains(ended.err, "run 2 cannot be added to run 1")
        equal(ended.out, "", "standard output")
        contains(netreport(runs.files[1], runs.files[2]).ended_with(3).err, "one has a rate")
        contains(netreport(runs.files[0], runs.files[2]).ended_with(3).err, "counts from the send")
        half = runs.path("half.json")
        with open(runs.files[0], encoding="utf-8") as whole, open(half, "w", encoding="utf-8") as file:
            file.write(whole.read()[:2000])
        contains(netreport(half).ended_with(3).err, f"{half}: no JSON document")
        contains(netreport(*runs.files, runs.files[1]).ended_with(3).err, "count twice")
        copy = runs.path("copy.json")
        shutil.copy(runs.files[0], copy)
        contains(netreport(runs.files[0], copy).ended_with(3).err, f"{copy}: the same result as {runs.files[0]}")
        empty = runs.path("empty.json")
        with open(empty, "w", encoding="utf-8"):
            pass
        contains(netreport(empty).ended_with(3).err, f"{empty}: no JSON document")
        other = runs.path("other.json")
        with open(other, "w", encoding="utf-8") as file:
            json.dump({**runs.document(0), "schema": "wiremark.result/3"}, file)
        contains(netreport(runs.files[0], other).ended_with(3).err, "wiremark.result/3")
    contains(netreport("/nowhere/file").ended_with(3).err, "/nowhere/file")
    contains(netreport("/").ended_with(3).err, "/")
    contains(netreport().ended_with(2).err, "FILE")
    contains(netreport("--frobnicate", "x").ended_with(2).err, "--frobnicate")


@case
def a_result_of_the_schema_before():
    """As netload wrote it then, with a rate and without."""
    with Runs(OPEN, ["-c", "2", "-n", "50"]) as runs:
        for number, counts in [(0, 90), (1, 50)]:
            document = runs.document(number)
            outcome, pacing = document.pop("outcome"), document.pop("pacing", None)
            equal(outcome["answered"], counts, "answered")
            if pacing:
                del outcome["late"]
                document["plan"] = {**outcome, "late": pacing["behind"], "overdue": pacing["overdue"]}
            before = runs.path("before.json")
            with open(before, "w", encoding="utf-8") as file:
                json.dump({**document, "schema": "wiremark.result/1"}, file)
            now = netreport(before, "--json").ended_with(0).json()
            keeps_to_the_schema(now)
            wanted = runs.document(number)
            if not pacing:
                del wanted["outcome"]  # It did not say what it had sent.
            equal(now, wanted, "the document")


def told_again(folder, *flags, code=0):
    """What netload says of a study is what netreport makes of the study's document."""
    file = os.path.join(folder, "study.json")
    told = netload(*flags, f"--json={file}").ended_with(code).out
    equal(netreport(file).ended_with(0).out, told, "the text")
    with open(file, encoding="utf-8") as text:
        equal(netreport(file, "--json").ended_with(0).out, text.read(), "the document")
    return file


@case
def a_study_is_printed_as_the_tool_printed_it():
    with tempfile.TemporaryDirectory() as folder:
        told_again(folder, "--find-max", "-d", "50ms", "-c", "1", "-R", "100", "--slo", "p99<1ns", code=1)
        file = told_again(folder, "--compare", "epoll,epoll", "-c", "2", "-n", "50", "--rounds", "2")
        contains(netreport(file, file).ended_with(3).err, "name it alone")
        contains(netreport(file, "--csv", os.path.join(folder, "rows")).ended_with(3).err, "leave out --csv")


@case
def what_is_no_result():
    with Runs(OPEN) as runs:
        def changed(name, change):
            document = runs.document(0)
            change(document)
            with open(runs.path(name), "w", encoding="utf-8") as file:
                json.dump(document, file)
            return runs.path(name)

        def said(name, change):
            ended = netreport(changed(name, change), "--json").ended_with(3)
            equal(ended.out, "", "standard output")
            return ended.err

        busy = said("busy.json", lambda document: document["cpu"]["machine"].update(busy_pct=250))
        contains(busy, f"{runs.path('busy.json')}: /cpu/machine/busy_pct is 250, and must be a number from 0 to 100")
        tail = said("tail.json", lambda document: document["latency_ns"]["percentiles"].append([500, 1]))
        contains(tail, "/0 is 500, and must be a number from 0 to 100")
        rate = said("rate.json", lambda document: document["totals"].update(qps=1))
        contains(rate, "/totals/qps is 1, and the rest of the document makes it ")
        most = changed("most.json", lambda document: document["totals"].update(bytes_in=2**53 - 1))
        netreport(most).ended_with(0)
        sum_of_both = netreport(runs.files[0], most).ended_with(3)
        contains(sum_of_both.err, "the sum: /totals/bytes_in is 9007199254")
        equal(sum_of_both.out, "", "standard output")


@case
def it_explains_itself():
    out = netreport("--help").ended_with(0).out
    for part in ["Usage:", "Examples:", "--in-turn", "--hdr-log"]:
        contains(out, part)
    contains(netreport("--version").ended_with(0).out, "netreport ")
    for shell in ["bash", "zsh", "fish"]:
        contains(netreport("--completion", shell).ended_with(0).out, "in-turn")


run()

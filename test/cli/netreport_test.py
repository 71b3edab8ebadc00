#!/usr/bin/env python3
"""netreport adds what netload wrote: without loss, and only what belongs together."""

import contextlib
import csv
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
from xml.etree import ElementTree

from case import case, contains, equal, expect, fits_a_terminal, run
from document import buckets_of, keeps_to_the_schema
from foul import FOUL, SHOWN, shown_as_letters
from process import Echo, netload, program, run_program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.document import Document, runs_of, state_of

DOCUMENTS = pathlib.Path(__file__).resolve().parent.parent / "report/data"


def netreport(*flags, **limits):
    return run_program(program("NETREPORT"), *flags, **limits)


class Runs:
    """Results of netload against one netecho, as files that end with the case. They are made one after
    the other; at_once() makes them say something else."""

    def __init__(self, *flags_of_runs):
        self._folder = tempfile.TemporaryDirectory()
        self.files = []
        with Echo() as server:
            for number, flags in enumerate(flags_of_runs):
                self.files.append(self.path(f"{number}.json"))
                netload(server.address, *flags, f"--json={self.files[-1]}").ended_with(0)

    def at_once(self):
        """Names of copies that were all measured from the same moment on."""
        names = []
        for number in range(len(self.files)):
            names.append(self.path(f"at_once_{number}.json"))
            with open(names[-1], "w", encoding="utf-8") as file:
                json.dump(self.document(number) | {"measured_from": self.document(0)["measured_from"]}, file)
        return names

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def document(self, number):
        with open(self.files[number], encoding="utf-8") as file:
            return json.load(file)

    def messages(self):
        """How many were answered in the asked time: on a busy machine, not all."""
        return sum(self.document(number)["totals"]["messages"] for number in range(len(self.files)))

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
        contains(text.splitlines()[0], "VALID")
        contains(text.splitlines()[0], ": netload ")
        contains(text, "  outcome     90 planned, sent and answered\n")


@case
def histograms_are_added_without_loss():
    with Runs(OPEN, [*OPEN, "-s", "2k"], ["-c", "2", "-r", "100", "-d", "300ms"]) as runs:
        merged = netreport(*runs.at_once(), "--json").ended_with(0).json()
        keeps_to_the_schema(merged)
        parts = [runs.document(number) for number in range(3)]
        for name in ["latency_ns", "service_ns", "lateness_ns", "connect_ns"]:
            counts = {}
            for part in parts:
                for index, count in buckets_of(part[name]):
                    counts[index] = counts.get(index, 0) + count
            equal(dict(buckets_of(merged[name])), counts, f"buckets of {name}")
            equal(merged[name]["min"], min(part[name]["min"] for part in parts), f"min of {name}")
            equal(merged[name]["max"], max(part[name]["max"] for part in parts), f"max of {name}")
        equal(merged["outcome"]["answered"], 240, "answered")
        equal(merged["totals"]["messages"], runs.messages(), "messages")
        equal(merged["totals"]["seconds"], max(part["totals"]["seconds"] for part in parts), "seconds")
        equal(merged["config"]["size"], "512, 2048", "sizes")
        in_turn = netreport("--in-turn", *runs.files, "--json").ended_with(0).json()
        expect(abs(in_turn["totals"]["seconds"] - sum(part["totals"]["seconds"] for part in parts)) < 1e-9, "seconds in turn")


@case
def every_form():
    with Runs(OPEN, OPEN) as runs:
        out, rows, hgrm, log = (runs.path(name) for name in ["out.json", "rows", "hgrm", "log"])
        ended = netreport(*runs.at_once(), f"--json={out}", "--csv", rows, "--hgrm", hgrm, "--hdr-log", log,
                          "--percentiles", "50,75").ended_with(0)
        contains(ended.out, f"{runs.messages()} messages")
        contains(ended.out, "p75")
        fits_a_terminal(ended.out)
        expect("\n  p90 " not in ended.out, f"a percentile nobody asked for:\n{ended.out}")
        with open(out, encoding="utf-8") as file:
            equal(json.load(file)["totals"]["messages"], runs.messages(), "messages in the file")
        with open(rows, encoding="utf-8") as file:
            equal(len(file.read().splitlines()), 2, "lines of the CSV")
        with open(hgrm, encoding="ascii") as file:
            contains(file.read(), "Total count    =          180]")
        with open(log, encoding="ascii") as file:
            tags = [line.split(",")[0] for line in file if line.startswith("Tag=")]
        equal(tags, ["Tag=latency", "Tag=service", "Tag=lateness"], "tags")
        contains(netreport(runs.files[0], "--color", "always").ended_with(0).out, "\033[1;3")


def pictures(text):
    """The titles of the pictures of a page, which must be XML."""
    return [title.text for title in ElementTree.fromstring(text).iterfind(".//{*}svg/{*}title")]


@case
def pages():
    with Runs(OPEN, ["-c", "2", "-r", "100", "-d", "300ms", "-i", "100ms"]) as runs:
        ended = netreport(runs.files[0], "--html").ended_with(0)
        equal(pictures(ended.out), ["Latency by percentile", "Processor time per message"], "pictures")
        page = runs.path("page.html")
        ended = netreport(runs.files[1], f"--html={page}").ended_with(0)
        contains(ended.out, " netload ")
        with open(page, encoding="utf-8") as file:
            contains(pictures(file.read()), "Messages per second over time")
        # They could not be added up.
        equal(netreport(*runs.files, f"--html={page}").ended_with(0).out, "", "standard output")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        contains(text, "2 runs of netload beside each other")
        for name in ["<td>0</td>", "<td>1</td>"]:  # Their files, 0.json and 1.json.
            contains(text, name)
        contains(netreport(*runs.files, "--html", "--json=/dev/null").ended_with(3).err, "leave out --json")
        nine = [runs.path(f"copy{number}.json") for number in range(9)]
        for number, copy in enumerate(nine):
            with open(copy, "w", encoding="utf-8") as file:
                json.dump({**runs.document(0), "started": f"2026-11-21T00:00:0{number}Z"}, file)
        contains(netreport(*nine, "--html").ended_with(3).err, "name fewer")
        contains(netreport(runs.files[0], "--html", "--json").ended_with(2).err, "--html=FILE writes a file")


@case
def pages_of_the_tools_themselves():
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")

        def shown():
            with open(page, encoding="utf-8") as file:
                return pictures(file.read())

        out = netload("-c", "2", "-R", "100", "-d", "300ms", f"--html={page}").ended_with(0).out
        contains(out, "30 planned, sent and answered")
        expect(" s " not in out.splitlines()[0], f"a line of an interval that nobody asked for:\n{out}")
        contains(shown(), "Messages per second over time")
        contains(pictures(netload("-c", "2", "-n", "50", "--html").ended_with(0).out), "Latency by percentile")
        netload("--compare", "epoll,epoll", "-c", "2", "-n", "50", "--rounds", "2", f"--html={page}").ended_with(0)
        equal(shown()[0], "Ratio to epoll", "the first picture")
        netload("--find-max", "-d", "50ms", "-c", "1", "-R", "100", "--slo", "p99<1ns", f"--html={page}").ended_with(1)
        equal(shown(), ["Probes"], "pictures")
        run_program(program("NETECHO"), "127.0.0.1:0", "-q", "-d", "300ms", f"--html={page}").ended_with(0)
        contains(shown(), "Messages per second over time")


@case
def runs_that_followed_one_another():
    with Runs(OPEN, OPEN) as runs:
        ended = netreport(*runs.files).ended_with(3)
        for words in runs.files[0], runs.files[1], "for 300 ms", "did not run at once", "--in-turn":
            contains(ended.err, words)
        messages = runs.messages()
        contains(netreport("--in-turn", *runs.files).ended_with(0).out,
                 f"{messages / 0.6:.3g} qps   {messages} messages")
        contains(netreport("--in-turn", *runs.at_once()).ended_with(3).err, "leave out --in-turn")


@case
def parts_of_one_load():
    with tempfile.TemporaryDirectory() as folder, Echo() as server:
        files = []
        for part in range(3):
            files.append(os.path.join(folder, f"{part}.json"))
            netload(server.address, "-c", "7", "-n", "100", "-R", "1k", "--share", f"{part}/3",
                    f"--json={files[-1]}").ended_with(0)
        results = []
        for file in files:
            with open(file, encoding="utf-8") as text:
                results.append(json.load(text))
        equal([result["totals"]["messages"] for result in results], [43, 29, 28], "messages")
        equal([result["totals"]["connections"] for result in results], [3, 2, 2], "connections")

        def begun(*offsets):
            for file, result, offset in zip(files, results, offsets):
                moments = {"measured_from": results[0]["measured_from"] + offset}
                with open(file, "w", encoding="utf-8") as text:
                    json.dump(result | moments, text)

        begun(0, 0.002, 0.001)
        whole = netreport(*files, "--expect", "3", "--json").ended_with(0)
        contains(whole.err, "3 of 3 parts, begun 2.00 ms apart")
        equal(whole.json()["totals"]["messages"], 100, "messages of the sum")
        contains(netreport(*files[:2], "--expect", "3").ended_with(3).err,
                 "2 of 3 parts, which are no whole; missing: 2/3")
        contains(netreport(*files, "--expect", "3", "--max-skew", "1ms").ended_with(3).err,
                 "1.json began 2.00 ms after")
        begun(0, 2, 0)
        contains(netreport(*files, "--expect", "3", "--max-skew", "2m").ended_with(3).err,
                 "did not run at once")


@case
def parts_have_every_option_in_common():
    """Each of those that make the load: the part that differs in one is refused, and the option named."""
    raw = {"-c": "4", "-n": "8", "-R": "4k"}
    sent = {"-c": "4", "-n": "8", "--reply": "echo", "--send": f"{'x' * 100}1"}
    names = {"-R": "rate", "-c": "connections", "-n": "requests", "-s": "size", "-P": "pipeline", "-d": "duration",
             "-w": "warmup", "-t": "threads", "--no-verify": "verify", "--send-lines": "send", "--reply": "format"}
    allowed = str(min(os.sched_getaffinity(0)))
    with Echo() as server, Echo() as other, tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/texts", "w", encoding="ascii") as texts:
            texts.write("a text\n")

        def part(name, share, flags, target=server.address):
            line = [word for flag, value in flags.items() for word in (flag, value) if word is not None]
            netload(target, *line, "--share", share, f"--json={folder}/{name}").ended_with(0)
            return f"{folder}/{name}"

        def told(flags, target=server.address):
            two = part("two", "1/2", flags, target=target)
            ended = netreport(f"{folder}/one", two, "--expect", "2", "--max-skew", "10m", "--json").ended_with(3)
            equal(ended.out, "", "standard output")
            return ended.err

        def refused(option, flags, **where):
            contains(told(flags, **where), f"are not parts of one load: the option {option} is '",
                     f"what {flags} differ in")

        part("one", "0/2", raw)
        refused("target", raw, target=other.address)
        refused("loop", {"-c": "4", "-n": "8"})
        for flag, value in {
                "-R": "2k", "-c": "5", "-n": "9", "-s": "9", "-P": "2", "-d": "1s", "-w": "1ms", "-t": "2",
                "--arrival": "poisson", "--churn": "1", "--reconnect": None, "--timeout": "4s", "--no-verify": None,
                "--seed": "2", "--latency-from": "send", "--receive-timestamps": "on", "--connect-rate": "1k",
                "--source-ip": "127.0.0.9", "--max-errors": "1", "--cpus": allowed, "--wait": "spin", "--buffers": "64",
                "--buffer-size": "8k", "--read-size": "8k", "--sndbuf": "64k", "--rcvbuf": "64k"}.items():
            refused(names.get(flag, flag.removeprefix("--")), raw | {flag: value})
        # What is not of the load may differ: the next thing that is wrong with these runs is told.
        free = {"-q": None, "--percentiles": "50", "--slo": "max<10s", "--csv": f"{folder}/rows"}
        contains(told(raw | free), "did not run at once")
        part("one", "0/2", sent)
        for flag, value in {"--send": "y", "--send-lines": f"@{folder}/texts", "--max-frame": "2k",
                            "--reply": "size:101"}.items():
            refused(names.get(flag, flag.removeprefix("--")), sent | {flag: value})
        refused("digest", sent | {"--send": f"{'x' * 100}2"})


@case
def what_cannot_be_added():
    with Runs(OPEN, ["-c", "2", "-n", "50"], [*OPEN, "--latency-from", "send"]) as runs:
        ended = netreport(runs.files[0], runs.files[1]).ended_with(3)
        contains(ended.err, f"{runs.files[1]} cannot be added to {runs.files[0]}")
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
            json.dump({**runs.document(0), "schema": "wiremark.result/9"}, file)
        contains(netreport(runs.files[0], other).ended_with(3).err, "wiremark.result/9")
    contains(netreport("/nowhere/file").ended_with(3).err, "/nowhere/file")
    contains(netreport("/").ended_with(3).err, "/")
    contains(netreport().ended_with(2).err, "FILE")
    contains(netreport("--frobnicate", "x").ended_with(2).err, "--frobnicate")


def with_buckets(document):
    """Its histograms as they were written before there were runs."""
    for name, part in document.items():
        if isinstance(part, dict) and "histogram" in part:
            histogram = {**part["histogram"], "counts": buckets_of(part)}
            del histogram["runs"]
            document = {**document, name: {**part, "histogram": histogram}}
    return document


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
                json.dump(with_buckets({**document, "schema": "wiremark.result/1"}), file)
            now = netreport(before, "--json").ended_with(0).json()
            keeps_to_the_schema(now)
            wanted = runs.document(number)
            if not pacing:
                del wanted["outcome"]  # It did not say what it had sent.
            equal(now, wanted, "the document")
            with open(before, "w", encoding="utf-8") as file:
                json.dump(with_buckets({**runs.document(number), "schema": "wiremark.result/2"}), file)
            equal(netreport(before, "--json").ended_with(0).json(), runs.document(number), "the other document")


def told_again(folder, *flags, code=0):
    """What netload says of a study is what netreport makes of the study's document."""
    file = os.path.join(folder, "study.json")
    told = netload(*flags, f"--json={file}").ended_with(code).out
    fits_a_terminal(told)
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
        equal(pictures(netreport(file, "--html").ended_with(0).out)[0], "Ratio to epoll", "the first picture")
        contains(netreport(file, "--hgrm", os.path.join(folder, "hgrm")).ended_with(3).err, "leave out --hgrm")
        rows = rows_of(folder, file)
        equal([row["backend"] for row in rows], ["epoll"] * 4, "the backend of each round")
        equal([row["messages"] for row in rows], ["50"] * 4, "the messages of each round")


def valid_run():
    """A run that was VALID, whatever this machine does meanwhile."""
    return json.loads((DOCUMENTS / "valid.json").read_text(encoding="utf-8"))


def comparison_of(run):
    """The run as the one round of a comparison."""

    def figure(value):
        return value if value is None else {"median": value, "min": value, "max": value, "rounds": 1}

    costs = {name: figure(run.get(name)) for name in ["server_us_cpu_per_message", "us_cpu_per_message"]}
    ratios = {"server_cpu_ratio": costs["server_us_cpu_per_message"] and figure(1.0), "qps_ratio": figure(1.0)}
    backend = {"backend": "uring", "valid_rounds": 1, "qps": figure(run["totals"]["qps"]), **costs, **ratios}
    return {"schema": "wiremark.comparison/1", "about": "one round", "processors": "client on 0", "rounds_left_out": 0,
            "backends": [{**backend, "rounds": [run]}]}


def search_of(run):
    """The run as the one probe of a search for the highest rate."""
    probe = {"rate_hz": 1e4, "kept": True, "reason": "", "generator_was_limit": False, "result": run}
    return {"schema": "wiremark.find-max/1", "about": "one probe", "objectives": ["p99<10ms"], "max_rate_hz": 1e4,
            "reached_hz": None, "p99_ns": None, "next": None, "limit": "none", "interrupted": False, "probes": [probe]}


@contextlib.contextmanager
def strictly():
    """A function that writes a document, and has netreport --strict end with a code for it."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "document.json")

        def ended(document, code, *flags):
            with open(file, "w", encoding="utf-8") as text:
                json.dump(document, text)
            return netreport(*flags, file, "--strict").ended_with(code).out

        yield ended


@case
def a_study_of_which_a_round_failed_is_not_valid():
    compared, searched = comparison_of(valid_run()), search_of(valid_run())
    with strictly() as ended:
        for study, failed in [(compared, {"name": "epoll", "round": 2}), (searched, {"rate_hz": 7})]:
            ended(study, 0)
            contains(ended({**study, "failed": {**failed, "reason": "it is gone"}}, 1), "it is gone", "the text")


@case
def a_verdict_that_was_set_by_hand_is_passed_again():
    free = valid_run()
    free["cpu"]["server"] |= {"user_s": 0, "sys_s": 0, "pct": 0}
    del free["server_us_cpu_per_message"]
    reason = "the server spent 0 ns on "
    with strictly() as ended:
        equal(json.loads(ended(valid_run(), 0, "--json")), valid_run(), "what is VALID")
        for document in free, comparison_of(free), search_of(free):
            ended(document, 1)
            contains(ended(document, 1, "--json"), f'"reasons":["{reason}', "the verdict")
        text = ended(free, 1)
        expect(text.startswith("VALID FOR rate, p50, p90, p99, p99.9: "), text)
        contains(text, reason)
        contains(ended(free, 1, "--csv=-"), reason)
        contains(ended(free, 1, "--html=-"), reason)
        contains(ended(comparison_of(free), 1), f"not cost: {reason}")
        for document, code in [(valid_run(), 0), (free, 1)]:
            ended(document, code, "--against", DOCUMENTS / "valid.json")
        # A result whose verdict was taken out is judged, too.
        for document, code in [(valid_run(), 0), (free, 1)]:
            del document["verdict"]
            ended(document, code)


def rows_of(folder, file):
    """What netreport makes of a document as CSV."""
    table = os.path.join(folder, "rows.csv")
    netreport(file, "--csv", table).ended_with(0)
    with open(table, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


@case
def codecs_are_rows_and_refused_where_they_are_wrong():
    """That they are printed as codecbench printed them is shown where codecbench runs."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "codecs.json")
        run_program(program("CODECBENCH"), "-w", "packet", "-f", "bytes", "-n", "20", "--repeat", "1",
                    f"--json={file}").ended_with(0)
        keys = [cell["key"] for cell in netreport(file, "--json").json()["cells"]]
        equal([row["key"] for row in rows_of(folder, file)], keys, "a row for each cell")
        with open(file, encoding="utf-8") as text:
            document = json.load(text)
        document["cells"][0]["ns_p50"] = "fast"
        with open(file, "w", encoding="utf-8") as text:
            json.dump(document, text)
        contains(netreport(file).ended_with(3).err, '/cells/0/ns_p50 is "fast", and must be a number')


@case
def an_experiment_is_printed_as_its_script_printed_it():
    with tempfile.TemporaryDirectory() as folder, Echo() as server:
        load = netload(server.address, "-c", "1", "-n", "50", "--json", "--quiet").ended_with(0).json()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            document = Document("E0", os.path.join(folder, "e0.json"))
            with document:
                print("\nserver   qps")
                document.add({"point": "512x1", "server": "epoll", "pinned": True, "qps": 12.5,
                              "distance_ns": [62, None], "placed": None})
                document.add({"point": "512x1", "server": "uv", "failed": "it is not there"})
                document.add({"model": "loop", "load": load, "host": load["host"]})
                print("epoll   12.5")
        equal(printed.getvalue(), "\nserver   qps\nepoll   12.5\n", "what the script printed")
        equal(netreport(document.path).ended_with(0).out, printed.getvalue(), "what netreport prints")
        with open(document.path, encoding="utf-8") as text:
            equal(netreport(document.path, "--json").ended_with(0).json(), json.load(text), "the document")
        keeps_to_the_schema(netreport(document.path, "--json").json())
        rows = rows_of(folder, document.path)
        equal([row["labels"] for row in rows],
              ["point=512x1 server=epoll placed=", "point=512x1 server=uv", "model=loop"], "labels")
        equal(rows[1]["failed"], "it is not there", "why a run failed")
        equal(rows[2]["load_messages"], "50", "messages of the third")
        equal(runs_of(document.path)[0],
              {"point": "512x1", "server": "epoll", "pinned": 1, "qps": 12.5, "distance_ns": [62, 0],
               "placed": None}, "a run again")
        state = {"seeds": [7], "runs": [{"server": "uv", "qps": 2}], "failed": []}
        with contextlib.redirect_stdout(io.StringIO()), document:
            document.content["runs"] = []
            document.take(state, ["runs", "failed"])
        equal(state_of(document.path, ["runs", "failed"]), state, "what a script needs to go on")
        netreport(document.path).ended_with(0)


@case
def an_experiment_is_a_page_with_its_ratios():
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            with Document("E0", os.path.join(folder, "e0.json"), "epoll") as document:
                print("both were there")
                for number in range(1, 8):
                    for server, cost_us in (("uv", 3), ("epoll", 2)):
                        document.add({"point": "64 B x 1", "server": server, "round": number, "placed": None,
                                      "cost_us": cost_us * number, "qps": 1000.0})
        page = ElementTree.fromstring(netreport(document.path, "--html").ended_with(0).out)
        html = "{http://www.w3.org/1999/xhtml}"
        equal([one.text for one in page.iter(f"{html}h2")], ["64 B x 1: ratio to epoll"], "pictures")
        rows = [[cell.text for cell in row] for row in page.iter(f"{html}tr")]
        expect(["uv, CPU per message", "1.500", "1.500", "1.500", "98.4 %", "7"] in rows, f"rows: {rows}")
        expect(["uv, messages/s", "1.000", "1.000", "1.000", "98.4 %", "7"] in rows, f"rows: {rows}")
        contains(page.find(f".//{html}pre").text, "both were there")
        equal(netreport(document.path, "--json").ended_with(0).json()["base"], "epoll", "what the others stand beside")


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
def a_foul_document_is_shown_as_letters():
    """Whoever wrote it, and whatever its file is called."""
    with tempfile.TemporaryDirectory() as folder:
        file, rows = os.path.join(folder, FOUL), os.path.join(folder, f"rows {FOUL}")
        document = json.loads((DOCUMENTS / "open_loop.json").read_text(encoding="utf-8"))
        document["argv"].append(FOUL)
        document["host"]["cpu"] += FOUL
        document["config"]["target"] = FOUL
        document["totals"]["errors"] = {FOUL: 1}
        with open(file, "w", encoding="utf-8") as text:
            json.dump(document, text)
        for flags in [], ["--json"], ["--html"], ["--csv", rows], ["--against", file]:
            ended = netreport(file, *flags).ended_with(0)
            shown_as_letters(ended.out + ended.err, f"netreport {flags}")
            if "--against" not in flags:
                contains(ended.out, SHOWN.replace("\\", "\\\\") if "--json" in flags else SHOWN)
        with open(rows, encoding="utf-8") as text:
            shown_as_letters(text.read(), "the CSV")
        page = netreport(file, os.fspath(DOCUMENTS / "closed_loop.json"), "--html").ended_with(0).out
        contains(page, f"<td>{SHOWN}</td>")
        shown_as_letters(page, "the page")
        document["schema"] = FOUL
        with open(file, "w", encoding="utf-8") as text:
            json.dump(document, text)
        shown_as_letters(netreport(file).ended_with(3).err, "what is said of another schema")


@case
def it_explains_itself():
    out = netreport("--help").ended_with(0).out
    for part in ["Usage:", "Examples:", "--in-turn", "--hdr-log"]:
        contains(out, part)
    contains(netreport("--version").ended_with(0).out, "netreport ")
    for shell in ["bash", "zsh", "fish"]:
        contains(netreport("--completion", shell).ended_with(0).out, "in-turn")


@case
def strict_wants_a_valid_sum():
    with Runs(["-c", "2", "-n", "20"], ["-c", "2", "-n", "20"]) as runs:
        netreport(*runs.files, "--in-turn").ended_with(0)
        netreport(runs.files[0], "--strict").ended_with(1)
        netreport(*runs.files, "--in-turn", "--strict").ended_with(1)


@case
def against_an_earlier_result():
    with Runs(*[["-c", "3", "-n", "30"]] * 12) as runs:
        before, after = runs.files[0::2], runs.files[1::2]  # In turn, one of each in a round.

        def compared(*flags, files=after):
            return netreport(*[flag for file in before for flag in ("--against", file)], *flags, *files)

        def rewrite(files, change):
            names = []
            for name in files:
                with open(name, encoding="utf-8") as file:
                    document = json.load(file)
                change(document)
                names.append(runs.path(f"{change.__name__}_{os.path.basename(name)}"))
                with open(names[-1], "w", encoding="utf-8") as file:
                    json.dump(document, file)
            return names

        out = compared("--tolerance", "1000").ended_with(0).out
        contains(out.splitlines()[0], "now / then, round by round, tolerance 1000 %")
        contains(out, "\nconclusion  ")

        def other_machine(document):
            document["host"]["cores"] = 64

        refused = compared(files=rewrite(after, other_machine)).ended_with(3)
        contains(refused.err, "the machine's number of processors was '")

        def with_errors(document):
            document["totals"]["errors"] = {"HTTP 500": 30}

        failed = compared("--tolerance", "1000", files=rewrite(after, with_errors)).ended_with(1).out
        contains(failed, "\n  worse     errors                         180 (100 %), 0 (0 %) then\n")
        contains(failed, "\nconclusion  worse: errors come to 100 % of all messages and came to 0 %\n")

        compared("--tolerance", "1000", "--strict").ended_with(1)  # Of 30 messages is nothing VALID.

        def valid(document):
            document.update(valid_run() | {"measured_from": document["measured_from"]})

        def doubted(document):
            document["totals"]["connections"] -= 1

        before, after = rewrite(before, valid), rewrite(after, valid)
        compared("--strict", files=after).ended_with(0)
        compared("--strict", files=[*after[1:], *rewrite(after[:1], doubted)]).ended_with(1)
        before[:1] = rewrite(before[:1], doubted)
        compared("--strict", files=after).ended_with(1)
        for flag in ["--json", "--html", "--in-turn"]:
            contains(compared(flag).ended_with(2).err, f"leave {flag} out")
        contains(netreport("--tolerance", "3", after[0]).ended_with(2).err, "requires --against")
        contains(netreport("--against", before[0], "--tolerance", "much", after[0]).ended_with(2).err, "is not a share such as 5%")


@case
def a_table_of_codecbench_that_is_slower_ends_with_1():
    with tempfile.TemporaryDirectory() as folder:
        with open(DOCUMENTS / "codecs_before.json", encoding="utf-8") as file:
            document = json.load(file)
        names = []
        for side, factor in [("before", 1), ("after", 2)]:
            for cell in document["cells"]:
                if "repeats_ns" in cell:
                    cell["repeats_ns"] = [factor * (100 + number) for number in range(9)]
            names.append(os.path.join(folder, side))
            with open(names[-1], "w", encoding="utf-8") as file:
                json.dump(document, file)
        worse = netreport("--against", *names).ended_with(1)
        contains(worse.out, "  slower ")
        contains(worse.out.splitlines()[-1], "slower, 0 faster, 0 level, 0 undecided")
        contains(netreport("--against", *names[::-1]).ended_with(0).out.splitlines()[-1], "0 slower, ")
        contains(netreport("--against", names[0], DOCUMENTS / "comparison.json").ended_with(3).err, "on both sides")


run()

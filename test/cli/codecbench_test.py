# Drives codecbench as a user does: exit codes, bad flags, documents, baselines, odd input files.
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from case import Skip, wait_until
from counters import deny_counters, why_not_counted
from document import keeps_to_the_schema
from process import handles

CODECBENCH = sys.argv.pop(1)
NETREPORT = sys.argv.pop(1)
QUICK = ["-w", "packet", "-n", "2000", "--repeat", "2"]
ASCII = [*QUICK, "--contents", "ascii"]
ALL_TABLES = ["-f", "all", "--impl", "all", "-w", "all", "--pairs", "3", "--sizes", "20", "-n", "20", "--repeat", "1"]


def run(*args, **more):
    return subprocess.run([CODECBENCH, *args], capture_output=True, text=True, **{"timeout": 120, **more})


def document(*args):
    done = run(*args, "--json")
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def unfolded(text):
    """The text with each line whole: how many figures fit into one depends on how large they are."""
    return re.sub(r"\n {10,}", " ", text)


class CommandLine(unittest.TestCase):
    def refuses(self, *args, says):
        done = run(*args)
        self.assertEqual(done.returncode, 2, (args, done.stdout, done.stderr))
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_help_names_every_flag_of_the_manual(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for flag in ("--format", "--impl", "--workload", "--op", "--pairs", "--sizes", "--input", "--contents",
                     "--repeat", "--hot", "--cold", "--threads", "--cpus", "--seed", "--json", "--html",
                     "--csv", "--baseline", "--tolerance", "--progress", "--experiment",
                     "--completion", "--version"):
            self.assertIn(flag, done.stdout)

    def test_version_names_the_compiler(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^codecbench \d+\.\d+\.\d+ \(")

    def test_an_unknown_format_is_answered_with_the_valid_ones(self):
        done = run("-f", "xml")
        self.assertEqual(done.returncode, 2)
        for name in ("all", "bytes", "protobuf", "flatbuffers"):
            self.assertIn(name, done.stderr)

    def test_usage_errors(self):
        self.refuses("--no-such-flag", says="--no-such-flag")
        self.refuses("-w", "nothing", says="packet")
        self.refuses("-o", "sing", says="encode")
        self.refuses("--pairs", "64", says="63")
        self.refuses("--pairs", "3,,16", says="number")
        self.refuses("--sizes", "0", says="whole number")
        self.refuses("-t", "0", says="whole number")
        self.refuses("-n", "-5", says="")
        self.refuses("-d", "soon", says="soon")
        self.refuses("--tolerance", "much", says="much")
        self.refuses("--cpus", "a", says="a")
        self.refuses("--impl", "none", says="own")
        self.refuses("--contents", "latin", says="escapes")
        self.refuses("--input", "/does/not/exist", says="/does/not/exist")
        self.refuses("--experiment", "e9", says="e2")
        self.refuses("stray", says="stray")
        self.refuses("-w", "packet", "-o", "take", says="no row")

    def test_a_processor_that_is_not_there(self):
        done = run(*QUICK, "--cpus", "1023")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("1023", done.stderr)

    def test_completion_is_valid_shell(self):
        for shell in ("bash", "zsh", "fish"):
            script = run("--completion", shell)
            self.assertEqual(script.returncode, 0, script.stderr)
            self.assertIn("baseline", script.stdout)
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n"], input=script.stdout, text=True,
                                         capture_output=True)
                self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertEqual(run("--completion", "tcsh").returncode, 2)


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def printed_again(self, *args):
        """A run within 80 columns, and which netreport prints from its document as codecbench did."""
        path = self.path / "codecs.json"
        done = run(*args, "--color", "never", f"--json={path}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [])
        for flags, told in (([], done.stdout), (["--json"], path.read_text(encoding="utf-8"))):
            again = subprocess.run([NETREPORT, str(path), *flags], capture_output=True, text=True, timeout=60)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(again.stdout, told)
        return done


class Output(WithFolder):
    def test_every_table_is_printed_again(self):
        for flags in ([*ALL_TABLES, "--hot"], ["-f", "bytes", "-w", "packet", "-v", "-n", "20", "--repeat", "1"]):
            self.printed_again(*flags)

    def test_the_result_is_a_page_too(self):
        done = run(*ASCII, "--format", "y3", "--html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>"))
        self.assertIn("<svg ", done.stdout)

    def test_the_document_has_every_cell_with_every_figure(self):
        cells = document(*QUICK, "-f", "all", "-o", "encode,decode,roundtrip")["cells"]
        keys = {cell["key"] for cell in cells}
        for form in ("bytes", "protobuf", "json", "flatbuffers", "y3", "y3-nvar"):
            for contents in ("ascii", "text", "escapes"):
                for row in ("own", "own-called"):
                    for op in ("encode", "decode", "roundtrip"):
                        for access in ("hot", "cold"):
                            self.assertIn(f"packet/{contents}/{form}:{row}/{op}/{access}", keys)
        self.assertEqual(len(keys), len(cells))
        for cell in cells:
            self.assertLessEqual(0, cell["ns_min"])
            self.assertLessEqual(cell["ns_min"], cell["ns_p50"])
            self.assertLessEqual(cell["ns_p50"], cell["ns_p99"])
            for figure in ("qps", "mb_per_s", "wire_bytes", "operations", "batches"):
                self.assertGreater(cell[figure], 0, (cell["key"], figure))
            self.assertEqual(len(cell["repeats_ns"]), 2, cell["key"])
            for figure in ("spread_pct", "cpu_user_ns", "cpu_sys_ns"):
                self.assertGreaterEqual(cell[figure], 0, (cell["key"], figure))
            self.assertIn("instructions", cell)
            self.assertIn(cell["labels"]["result"], ("view", "copy"))

    def test_the_document_has_the_frame_of_all_tools(self):
        whole = document(*QUICK, "-f", "bytes", "--seed", "77")
        self.assertEqual(whole["schema"], "wiremark.codecs/1")
        self.assertEqual(whole["run"]["tool"], "codecbench")
        self.assertEqual(whole["run"]["config"]["seed"], "77")
        self.assertTrue(whole["run"]["host"]["kernel"])
        self.assertFalse(whole["run"]["interrupted"])

    def test_the_document_follows_the_schema(self):
        for flags in (["-f", "all", "--impl", "all", "--hot"], ["-f", "bytes", "--cold"]):
            try:
                keeps_to_the_schema(document(*QUICK, *flags))
            except Skip as skip:
                self.skipTest(str(skip))

    def test_own_codecs_do_not_allocate(self):
        for cell in document(*QUICK, "-f", "all")["cells"]:
            if cell["implementation"].startswith("own") and cell["allocations"] is not None:
                self.assertEqual(cell["allocations"], 0, cell["key"])

    def test_operations_are_those_asked_for(self):
        for cell in document("-f", "bytes", "-w", "packet", "-n", "10k", "--repeat", "5")["cells"]:
            self.assertGreaterEqual(cell["operations"], 10_000)

    def test_wire_bytes_count_the_frame(self):
        lines = self.path / "lines"
        lines.write_text("12345678\n")
        cells = document(*QUICK, "-f", "bytes", "--hot", "--input", str(lines))["cells"]
        sizes = {cell["implementation"]: cell["wire_bytes"] for cell in cells}
        self.assertEqual(sizes, {"memcpy": 8, "own": 20, "own-called": 20})

    def test_files_of_results(self):
        target, table = self.path / "out.json", self.path / "out.csv"
        for _ in range(2):
            done = run(*QUICK, "-f", "bytes", f"--json={target}", "--csv", str(table))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("packet, ascii, hot: head 567 and guid 15 in each", done.stdout)
            self.assertIn("packet, text, cold: numbers of every length and sign", done.stdout)
        cells = json.loads(target.read_text())["cells"]
        with table.open() as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), 2 * len(cells))
        self.assertEqual({row["format"] for row in rows}, {"bytes"})
        self.assertTrue(all(float(row["ns_p50"]) > 0 for row in rows))
        for row in rows:  # What changes the speed of a codec stands beside its figures.
            self.assertRegex(row["run_build"], r"^-O\S")
        other = self.path / "other.csv"
        other.write_text("started,version\n")
        done = run(*QUICK, "-f", "bytes", "--csv", str(other))
        self.assertEqual(done.returncode, 2)
        self.assertIn("other columns than this version", done.stderr)
        done = run(*QUICK, "-f", "bytes", f"--json={self.path}/no/folder")
        self.assertEqual(done.returncode, 2)

    def test_the_text_names_machine_and_method(self):
        done = run(*QUICK, "--progress", "on", "--color", "never")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("machine ", "built ", "method ", "seed 1"):
            self.assertIn(word, done.stdout)
        self.assertIn("%", done.stderr)
        self.assertNotIn("\033", done.stdout)
        self.assertIn("\033[1m", run(*QUICK, "--color", "always").stdout)

    def check_counters(self, why_not, **more):
        target = self.path / "counted.json"
        done = run(*ASCII, "-v", f"--json={target}", "--color", "never", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        cells = json.loads(target.read_text())["cells"]
        rows = re.findall(r"\n\S+:\S+ (?:en|de)code .* (\S+) +(\S+)(?=\n)", done.stdout)
        self.assertEqual(len(rows), len(cells))
        for row in rows:
            for count in row:
                self.assertEqual(count == "n/a", bool(why_not), row)
                self.assertTrue(why_not or float(count) > 0, row)
        for cell in cells:
            for figure in ("instructions", "cycles"):
                self.assertEqual(cell[figure] is None, bool(why_not), cell["key"])
        notes = [line for line in unfolded(done.stdout).splitlines() if line.startswith("counters ")]
        self.assertEqual(notes, [f"counters  instructions and cycles n/a ({why_not})"] if why_not else [])

    def test_instructions_and_cycles_stand_where_the_machine_counts_them(self):
        self.check_counters(why_not_counted())

    def test_where_counters_are_denied_the_text_says_why(self):
        self.check_counters("perf_event_open: Permission denied", preexec_fn=deny_counters)

    def test_a_baseline_tells_slower_from_faster(self):
        repeated = ["-w", "packet", "-n", "2000", "--repeat", "7", "--contents", "ascii"]
        fresh = document(*repeated, "-f", "bytes")
        slow_past, fast_past, torn_past = (self.path / name for name in ("slow.json", "fast.json", "torn.json"))
        for path, factors in ((slow_past, [1e5]), (fast_past, [1e-5]), (torn_past, [1e5, 1e-5])):
            for cell in fresh["cells"]:
                self.assertEqual(len(cell["repeats_ns"]), 7, cell["key"])
                cell["repeats_ns"] = [10 * factors[i % len(factors)] for i in range(7)]
            path.write_text(json.dumps(fresh))
        faster = run(*repeated, "-f", "bytes", "--baseline", str(slow_past))
        self.assertEqual(faster.returncode, 0, faster.stdout)
        self.assertIn("of 10 rows 0 slower, 10 faster, 0 level, 0 undecided", faster.stdout)
        slower = run(*repeated, "-f", "bytes", "--baseline", str(fast_past), "--tolerance", "50%")
        self.assertEqual(slower.returncode, 1)
        self.assertIn("of 10 rows 10 slower", slower.stdout)
        self.assertRegex(unfolded(slower.stdout), r"slower +[\d.]+ \([\d.]+ to [\d.]+\) +packet/ascii/bytes:own/decode/hot\n")
        self.assertIn("tolerance 50%, each 96.9 % sure\n", slower.stdout)
        torn = run(*repeated, "-f", "bytes", "--baseline", str(torn_past))
        self.assertEqual(torn.returncode, 0, torn.stdout)
        self.assertIn("10 undecided (more --repeat", torn.stdout)
        self.assertEqual([line for line in slower.stdout.splitlines() if len(line) > 80], [])
        self.assertNotRegex(unfolded(torn.stdout), "undecided .* packet")
        told = run(*repeated, "-f", "bytes", "-v", "--baseline", str(torn_past)).stdout
        self.assertRegex(unfolded(told), "undecided .* packet")
        added = run(*repeated, "-f", "bytes,protobuf", "--baseline", str(slow_past))
        self.assertIn("new        packet/ascii/protobuf:own/decode/hot", added.stdout)
        other = run(*repeated, "-f", "protobuf", "--baseline", str(slow_past))
        self.assertEqual(other.returncode, 1, other.stdout)  # Nothing was compared.
        self.assertIn("no row of this run", other.stdout)

    def test_too_few_repeats_are_refused_before_anything_is_timed(self):
        few, enough = self.path / "few.json", self.path / "enough.json"
        for path, repeats in ((few, "6"), (enough, "7")):
            done = run("-w", "packet", "-n", "20", "-f", "bytes", "--hot", "--repeat", repeats, f"--json={path}")
            self.assertEqual(done.returncode, 0, done.stderr)
        for path, repeat, says in ((few, "7", "it has 6 repeats of a row"), (enough, "6", "needs --repeat 7")):
            refused = run("-d", "10m", "-f", "bytes", "--repeat", repeat, "--baseline", str(path), timeout=30)
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(says, refused.stderr)

    def test_what_is_no_baseline_is_refused_before_anything_is_timed(self):
        own = document("-w", "packet", "-n", "20", "-f", "bytes", "--hot", "--repeat", "7")
        path = self.path / "baseline.json"
        for text in ("", "[]", "{}", "no json", json.dumps(own)[:-1], json.dumps(own | {"cells": []}),
                     json.dumps(own | {"cells": [{}]}), json.dumps(own | {"schema": "wiremark.codecs/0"}), json.dumps(own["run"]),
                     json.dumps(own | {"schema": 5}), '{"x": ' + 500_000 * "[" + 500_000 * "]" + ', "y": 1, "z": 1}'):
            path.write_text(text)
            broken = run("-d", "10m", "-f", "bytes", "--baseline", str(path), timeout=30)
            self.assertEqual(broken.returncode, 2, (text, broken.stderr))
            self.assertIn("baseline.json", broken.stderr)

    def test_one_library_can_be_named(self):
        done = document(*ASCII, "-f", "json:jansson", "-o", "decode", "--hot")
        self.assertEqual([c["key"] for c in done["cells"]], ["packet/ascii/json:jansson/decode/hot"])
        self.assertTrue(all(c["allocations"] is None or c["allocations"] > 1
                            for c in done["cells"]))

    def test_a_library_that_this_build_lacks_is_named_with_its_package(self):
        all_rows = document("-f", "json,protobuf", "--impl", "all", "--pairs", "5", "-w", "packet,take", "--hot",
                            "-n", "20", "--repeat", "1")
        for form, name, package in (("json", "yyjson", "libyyjson-dev"),
                                    ("json", "rapidjson", "rapidjson-dev"), ("protobuf", "upb", "libupb-dev"),
                                    ("protobuf", "upb-utf8", "libupb-dev")):
            here = {cell["workload"] for cell in all_rows["cells"] if cell["implementation"] == name}
            said = [warning for warning in all_rows["run"]["warnings"] if f"{form}:{name}:" in warning]
            one = run(*ASCII, "-f", f"{form}:{name}", "--hot")
            self.assertEqual(run(*ASCII, "--impl", name, "-f", form, "--hot").returncode, one.returncode)
            if here:
                self.assertEqual(here, {"packet", "take"})
                self.assertEqual(said, [])
                self.assertEqual(one.returncode, 0, one.stderr)
            else:
                self.assertEqual(len(said), 1, all_rows["run"]["warnings"])
                self.assertIn(package, said[0])
                self.assertEqual(one.returncode, 2)
                self.assertIn(f"{name} is not in this build, which was made without {package}", one.stderr)

    def test_every_workload_has_rows_of_the_formats_it_is_about(self):
        cells = document("-f", "all", "--pairs", "5", "--sizes", "30", "-n", "20",
                         "--repeat", "1")["cells"]
        rows = {(c["workload"], c["format"]) for c in cells}
        for form in ("bytes", "protobuf", "json", "flatbuffers", "y3", "y3-nvar"):
            self.assertIn(("packet", form), rows)
        for form in ("protobuf", "json", "flatbuffers", "y3"):
            self.assertIn(("take", form), rows)
        for form in ("protobuf", "flatbuffers", "y3"):
            self.assertIn(("envelope", form), rows)
        self.assertEqual([c["key"] for c in cells if "refused" in c], [])

    def test_threads_add_up(self):
        cells = document(*QUICK, "-f", "bytes", "-t", "2")["cells"]
        for cell in cells:
            self.assertGreaterEqual(cell["operations"], 2 * 2000)

    def test_an_interrupted_run_prints_what_it_has(self):
        # Also in the middle of a long cell, here of an hour or of a thousand million operations.
        for length, number in ((["-d", "60m"], signal.SIGINT), (["-d", "60m"], signal.SIGHUP),
                               (["-n", "1000M", "-f", "json:nlohmann"], signal.SIGINT)):
            with subprocess.Popen([CODECBENCH, "-w", "packet", "-f", "bytes", *length, "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                try:
                    wait_until(lambda: handles(child.pid, number), "it took the signal")
                    child.send_signal(number)
                    out, _ = child.communicate(timeout=30)
                finally:
                    child.kill()
                self.assertEqual(child.returncode, 130)
                self.assertTrue(json.loads(out)["run"]["interrupted"])


class Cold(WithFolder):
    """What runs the cold rows of every library, whose preparing takes long: all tables, --experiment and --targets."""

    def test_every_table_has_its_cold_rows_printed_again(self):
        self.assertIn("packet, ascii, cold:", self.printed_again(*ALL_TABLES).stdout)

    def test_experiments_stand_beside_what_was_published(self):
        for name, words in (("e2", ("json:jansson", "tv_usec")), ("e4", ("9471", "route")),
                            ("e6", ("2077", "parallel", "json:simdjson-partial"))):
            done = self.printed_again("--experiment", name, "-n", "20", "--repeat", "1")
            for word in words + ("What the original got wrong", "machine "):
                self.assertIn(word, done.stdout)

    def test_every_promise_has_its_rows(self):
        done = self.printed_again("--targets", "-n", "20", "--repeat", "1")
        self.assertNotRegex(done.stdout, r"no row\b")
        self.assertRegex(done.stdout, r"bytes decode/memcpy .* undecided\n")  # One repeat decides nothing.
        self.assertRegex(done.stdout, r"allocations: (0 in \d+ rows, met|MISSED)|n/a")


class Input(unittest.TestCase):
    def setUp(self):
        self.file = tempfile.NamedTemporaryFile(suffix=".txt")

    def tearDown(self):
        self.file.close()

    def cells_of(self, content, *formats):
        pathlib.Path(self.file.name).write_bytes(content)
        return document(*QUICK, "--hot", "-f", *formats, "--input", self.file.name)["cells"]

    def test_an_empty_file_is_refused(self):
        done = run(*QUICK, "--input", self.file.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no line", done.stderr)

    def test_a_file_that_is_too_long_is_refused(self):
        os.truncate(self.file.name, 300 << 20)
        done = run(*QUICK, "-f", "bytes", "--input", self.file.name)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("256 MiB", done.stderr)

    def test_a_folder_is_refused(self):
        self.assertEqual(run(*QUICK, "--input", os.path.dirname(self.file.name)).returncode, 2)

    def test_the_last_line_needs_no_newline(self):
        with_end = self.cells_of(b"one\nfour\n", "bytes")
        without = self.cells_of(b"one\nfour", "bytes")
        self.assertEqual([c["wire_bytes"] for c in with_end], [c["wire_bytes"] for c in without])

    def test_an_empty_line_is_an_empty_content(self):
        own = [c for c in self.cells_of(b"\n", "bytes") if c["implementation"] == "own"]
        self.assertEqual([c["wire_bytes"] for c in own], [12, 12])

    def test_the_lines_are_the_text(self):
        cells = self.cells_of("зима\n".encode(), "bytes:own")
        self.assertEqual({c["key"] for c in cells}, {f"packet/text/bytes:own/{op}/hot" for op in ("encode", "decode")})
        both = document(*QUICK, "--hot", "-f", "bytes:own", "--contents", "ascii,text", "--input", self.file.name)
        self.assertEqual({c["shape"]: c["wire_bytes"] for c in both["cells"] if c["shape"] == "text"}, {"text": 20})
        self.assertEqual({c["shape"] for c in both["cells"]}, {"ascii", "text"})

    def test_texts_of_one_script_are_contents_of_their_own(self):
        cells = document(*QUICK, "--hot", "-f", "bytes:own", "-o", "decode",
                         "--contents", "chinese,russian")["cells"]
        self.assertEqual({c["key"] for c in cells},
                         {f"packet/{script}/bytes:own/decode/hot" for script in ("chinese", "russian")})

    def test_escapes_are_those_of_other_writers(self):
        cells = document(*QUICK, "--hot", "-f", "json:own", "--contents", "text,escapes")["cells"]
        size = {(c["shape"], c["op"]): c["wire_bytes"] for c in cells}
        self.assertEqual(size["text", "decode"], size["text", "encode"])
        self.assertGreater(size["escapes", "decode"], 1.2 * size["escapes", "encode"])

    def test_bytes_carry_anything_and_protobuf_says_what_it_cannot(self):
        cells = self.cells_of(b"fine\n\xff\x00\xfe\n", "bytes,protobuf")
        for cell in cells:
            if cell["format"] == "bytes":
                self.assertNotIn("refused", cell)
            elif cell["op"] == "decode":
                self.assertIn("invalid_utf8", cell["refused"])
        done = run(*QUICK, "--hot", "-f", "protobuf", "--input", self.file.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("refused: decode of content 2: invalid_utf8", done.stdout)

    def test_a_line_over_the_limit_is_named(self):
        cells = self.cells_of(b"x" * (2 << 20), "bytes")
        refused = [c["refused"] for c in cells if c["implementation"] == "own"]
        self.assertTrue(all("too_large" in why for why in refused), refused)


def load_tests(_loader, classes, _pattern):
    """What runs where no class is named: all but Cold, which is a test of its own."""
    return unittest.TestSuite(each for each in classes if not any(isinstance(case, Cold) for case in each))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Opens our files of HdrHistogram with PyPI's hdrhistogram and compares them with it.

hdr_files.py FIGURES FILES   FIGURES is hdr_figures, FILES is hdr_files: the same
values go to both, and what the files hold must be what the figures say; exit 77 without the package
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../measure"))

from hdr_oracle import HIGHEST, HdrHistogram, cases

if HdrHistogram is not None:
    from hdrh.log import HistogramLogReader


def fed(program, text, *arguments):
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=True).stdout


def read_log(path):
    """Each tag's histograms in the order of the file."""
    reader = HistogramLogReader(path, HdrHistogram(1, HIGHEST, 3))
    found = {}
    while (histogram := reader.get_next_interval_histogram()) is not None:
        found.setdefault(histogram.get_tag(), []).append(histogram)
    reader.close()
    return found, reader.get_start_time_sec()


def differences_of(histogram, figures):
    """What a decoded histogram has otherwise than `figures` say."""
    if histogram.get_total_count() != figures["count"]:
        yield f"count {histogram.get_total_count()} instead of {figures['count']}"
    for percent, value in figures["percentiles"]:
        if histogram.get_value_at_percentile(percent) != value:
            yield f"p{percent} {histogram.get_value_at_percentile(percent)} instead of {value}"
    buckets = [[i, n] for i in range(histogram.counts_len) if (n := histogram.get_count_at_index(i))]
    if buckets != figures["buckets"]:
        yield "buckets differ"


def levels():
    """Five to each halving of what is left to 100: 0, 10, .. 50, 55, .. 75, 77.5, .. and so on."""
    level, step, left = 0.0, 10.0, 50.0
    while True:
        yield level
        level += step
        if 100 - level <= left + 1e-9:
            step, left = step / 2, left / 2


def distribution_differences(text, figures):
    """Where the rows are not those that HdrHistogram's definition asks for, by the oracle's buckets."""
    rows = [line.split() for line in text.splitlines()[2:] if not line.startswith("#[")]
    if not figures["count"]:
        if rows:
            yield "rows of nothing"
        return
    ends, total = [], 0
    for index, count in figures["buckets"]:
        total += count
        ends.append((highest_of(index), total))
    for place, (row, level) in enumerate(zip(rows, levels())):
        value, percentile, count = float(row[0]), float(row[1]), int(row[2])
        last = place == len(rows) - 1
        wanted = 100.0 if last else level
        if abs(100 * percentile - wanted) > 1e-7:
            yield f"row {place} is of {100 * percentile} instead of {wanted}"
        highest, passed = next(end for end in ends if 100 * end[1] / total >= wanted - 1e-9)
        if count != passed or abs(value - highest / 1000) > 1e-6:
            yield f"row {place}, {row}, instead of {highest / 1000} and {passed}"
    if int(rows[-1][2]) != total:
        yield f"the last row counts {rows[-1][2]} of {total}"


def highest_of(index):
    exponent = 0 if index < 2048 else index // 1024 - 1
    return ((index - 1024 * exponent + 1) << exponent) - 1


def check(figures_program, files_program, folder):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    for name, parts in cases(draws=3000, seed=seed):
        text = "\n".join("".join(f"{value} {count}\n" for value, count in part) for part in parts)
        figures = json.loads(fed(figures_program, text))
        log, hgrm = os.path.join(folder, "log"), os.path.join(folder, "hgrm")
        fed(files_program, text, log, hgrm)
        found, start = read_log(log)
        if not figures["count"]:
            if found:
                yield f"{name}: the log holds {found} of nothing"
            continue
        if sorted(found) != ["all"] or len(found["all"]) != 1 or start != 1_795_300_000.25:
            yield f"{name}: the log holds {found} from {start} on"
            continue
        histogram = found["all"][0]
        yield from (f"{name}: {difference}" for difference in differences_of(histogram, figures))
        with open(hgrm, encoding="ascii") as file:
            ours = file.read()
        yield from (f"{name}: {difference}" for difference in distribution_differences(ours, figures))
        if not ours.splitlines()[-2].endswith(f"Total count    = {figures['count']:12}]"):
            yield f"{name}: the total stands otherwise in:\n{ours[-300:]}"


def main():
    if HdrHistogram is None:
        print("skipped: python3 has no module hdrh (pip install hdrhistogram)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        wrong = list(check(sys.argv[1], sys.argv[2], folder))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

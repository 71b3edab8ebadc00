#!/usr/bin/env python3
"""Asks PyPI's hdrhistogram what our histogram should say.

hdr_oracle.py --write FILE     writes the golden file the unit test reads
hdr_oracle.py --check PROGRAM  feeds PROGRAM (hdr_figures) and compares; exit 77 without the package
"""

import argparse
import json
import math
import random
import subprocess
import sys

try:
    from hdrh.histogram import HdrHistogram
except ImportError:
    HdrHistogram = None

HIGHEST = 3_600_000_000_000
PERCENTILES = [0, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100]


def edges():
    values = {0, 1, 2, 1023, 1024, 1025, 2046, 2047, 2048, 2049, HIGHEST - 1, HIGHEST}
    for power in range(1, 42):
        values.update({2**power - 1, 2**power, 2**power + 1})
    return sorted(value for value in values if value <= HIGHEST)


def cases(draws, seed):
    """Name and parts; each part is a list of (value, count), and the parts are merged."""
    rng = random.Random(seed)

    def drawn(draw):
        return [(min(HIGHEST, max(0, int(draw()))), 1) for _ in range(draws)]

    yield "empty", [[]]
    yield "zero", [[(0, 3)]]
    yield "one", [[(1, 1)]]
    yield "hour", [[(HIGHEST, 2)]]
    yield "constant", [[(84_211, 1000)]]
    yield "edges", [[(value, 1) for value in edges()]]
    yield "weighted edges", [[(value, 1 + place % 7) for place, value in enumerate(edges())]]
    yield "below two buckets", [drawn(lambda: rng.randrange(4096))]
    yield "uniform", [drawn(lambda: rng.uniform(0, 5e6))]
    yield "lognormal", [drawn(lambda: rng.lognormvariate(math.log(84e3), 1.2))]
    yield "bimodal", [drawn(lambda: rng.gauss(*rng.choice([(20e3, 2e3), (4e7, 1e6)])))]
    yield "heavy tail", [drawn(lambda: 1e4 * rng.paretovariate(0.5))]
    yield "merged", [drawn(lambda: rng.uniform(0, 1e5)), [], drawn(lambda: rng.uniform(1e9, 1e12))]
    yield "merged edges", [[(value, 2)] for value in edges()[::8]]


def figures_of(parts):
    histogram = HdrHistogram(1, HIGHEST, 3)
    for part in parts:
        one = HdrHistogram(1, HIGHEST, 3)
        for value, count in part:
            if not one.record_value(value, count):
                raise ValueError(f"the oracle refused {value}")
        if part:
            histogram.add(one)
    counts = ((index, histogram.get_count_at_index(index)) for index in range(histogram.counts_len))
    return {
        "count": histogram.get_total_count(),
        "min": histogram.get_min_value() if histogram.get_total_count() else 0,
        "max": histogram.get_max_value(),
        "mean": histogram.get_mean_value(),
        "stddev": histogram.get_stddev(),
        "percentiles": [[p, histogram.get_value_at_percentile(p)] for p in PERCENTILES],
        "buckets": [[index, count] for index, count in counts if count],
    }


def write(path):
    lines = []
    for name, parts in cases(draws=250, seed=1):
        lines.append(json.dumps({"name": name, "parts": parts, "expected": figures_of(parts)}))
    with open(path, "w", encoding="ascii") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


def differences(ours, oracle):
    for name, expected in oracle.items():
        actual = ours.get(name)
        if isinstance(expected, float) and isinstance(actual, (int, float)):
            if math.isclose(actual, expected, rel_tol=1e-9):
                continue
        elif actual == expected:
            continue
        yield f"{name}: {actual} instead of {expected}"


def check(program):
    wrong = 0
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    for name, parts in cases(draws=5000, seed=seed):
        text = "\n".join("".join(f"{value} {count}\n" for value, count in part) for part in parts)
        printed = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
        for difference in differences(json.loads(printed.stdout), figures_of(parts)):
            print(f"{name}: {difference}"[:2000])
            wrong += 1
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", metavar="FILE")
    action.add_argument("--check", metavar="PROGRAM")
    options = parser.parse_args()
    if HdrHistogram is None:
        print("skipped: python3 has no module hdrh (pip install hdrhistogram)")
        return 77
    if options.check:
        return check(options.check)
    write(options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())

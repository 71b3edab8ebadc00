"""The packet of codecbench through codecs of crates.io, beside our own rows and their libraries.

usage: python3 test/peers/codecs.py CODECBENCH [FILE]

FILE has the contents, one per line, in UTF-8; by default the texts that codecbench calls text.
Needs cargo, which fetches prost, quick-protobuf and sonic-rs. All rows are hot, and the fastest
batch counts. They are built for this processor, as sonic-rs asks. The peers check UTF-8, as our
codecs do; prost makes a string of its own.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bench.ratio import conclusion, paired_ratio

TEXTS = HERE.parent.parent / "lib" / "wire" / "script_texts.h"


def shipped_lines():
    """The texts of kScriptTexts, which hold nothing that C++ escapes."""
    array = TEXTS.read_text(encoding="utf-8").split("kScriptTexts = {")[1].split("};")[0]
    return "".join(line + "\n" for line in re.findall(r'"(.*)",', array))


def peers_of(lines, target):
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target,
                    "--manifest-path", HERE / "rust" / "Cargo.toml"], check=True,
                   env=os.environ | {"RUSTFLAGS": "-C target-cpu=native"})
    done = subprocess.run([target / "release" / "peers", lines], check=True, capture_output=True,
                          text=True)
    rows = {}
    for line in done.stdout.splitlines():
        name, op, ns = line.split()
        rows[op, name] = float(ns)
    return rows


def own_rows(codecbench, lines):
    done = subprocess.run([codecbench, "-w", "packet", "-f", "protobuf,json", "--impl", "all",
                           "-o", "encode,decode", "--hot", "--contents", "text", "--input", lines,
                           "--progress", "off", "--json"], check=True, capture_output=True,
                          text=True)
    return {(cell["op"], f'{cell["format"]}:{cell["implementation"]}'): cell["ns_min"]
            for cell in json.loads(done.stdout)["cells"]}


def conclusions(rows):
    """Of each format and operation our codec beside the fastest other one. All ran once, which is no round."""
    for op, name in sorted(rows):
        if not name.endswith(":own"):
            continue
        others = {other: ns for (its, other), ns in rows.items()
                  if its == op and other != name and other.split(":")[0] == name.split(":")[0]}
        if others:
            fastest = min(others, key=others.get)
            yield conclusion(paired_ratio([(rows[op, name], others[fastest])]), name, fastest, f"time to {op}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder) / "lines"
        lines.write_text(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
                         if len(sys.argv) == 3 else shipped_lines(), encoding="utf-8")
        rows = own_rows(sys.argv[1], lines) | peers_of(lines, pathlib.Path(folder) / "target")
    print(f'{"row":<28} {"op":<8} {"min ns":>8} {"/ own":>8}')
    for (op, name), ns in sorted(rows.items(), key=lambda row: (row[0][0], row[1])):
        own = rows[op, name.split(":")[0] + ":own"]
        print(f"{name:<28} {op:<8} {ns:8.1f} {ns / own:8.2f}")
    for line in conclusions(rows):
        print(line)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes docs/stall.svg: a server that stands still for a second, as a closed eye and as a plan sees it.

draw.py BUILD      BUILD is the build directory, such as build; takes 20 s, on a quiet machine
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 8
STALL_AFTER_S = 3
STALL_S = 1
LOAD = ["-c", "10", "-R", "500", "-s", "64", "-d", f"{SECONDS}s", "-q"]


def measure(tools, folder, name, *flags):
    """A run of netload against a netecho that is stopped in the middle; returns its result's file."""
    port_file, result = folder / f"{name}.port", folder / f"{name}.json"
    with subprocess.Popen([tools / "netecho", ":0", "-q", "--port-file", port_file], stdout=subprocess.DEVNULL) as server:
        while not port_file.exists():
            time.sleep(0.01)
        address = f"127.0.0.1:{port_file.read_text(encoding='ascii').strip()}"
        with subprocess.Popen([tools / "netload", *LOAD, *flags, f"--json={result}", address],
                              stdout=subprocess.DEVNULL) as load:
            time.sleep(STALL_AFTER_S)
            server.send_signal(signal.SIGSTOP)
            time.sleep(STALL_S)
            server.send_signal(signal.SIGCONT)
            load.wait()
        server.terminate()
    verdict = json.loads(result.read_text(encoding="utf-8"))["verdict"]
    print(f"{name}: {'valid' if verdict['valid'] else verdict['reasons']}")
    return result


def standalone(page):
    """The first picture of a page, with the style that it needs."""
    style = re.search(r"<style>\n(.*?)body\{", page, re.DOTALL)[1]
    picture = re.search(r"<svg .*?</svg>\n", page, re.DOTALL)[0]
    paper = '<rect width="100%" height="100%" style="fill:var(--paper)"/>'
    return re.sub(r"(</desc>\n)", rf"\1<style>\n{style}</style>\n{paper}\n", picture, count=1)


def main():
    tools = Path(sys.argv[1]) / "tools"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        results = [measure(tools, folder, "from the plan"),
                   measure(tools, folder, "from the send", "--latency-from", "send")]
        page = subprocess.run([tools / "netreport", *results, "--html"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    Path(__file__).with_name("stall.svg").write_text(standalone(page), encoding="utf-8")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()

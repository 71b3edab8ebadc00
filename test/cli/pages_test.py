#!/usr/bin/env python3
"""README.md and docs/: what they point at is there, and the options they show exist.

The environment names the folder of the project as PROJECT, and the tools as process.py reads them.
"""

import functools
import os
import re
from pathlib import Path

from case import case, expect, run
from process import program, run_program

PROJECT = Path(os.environ["PROJECT"])
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").glob("*.md"))]
SCREEN_LINES = 75
TOOLS = ["netecho", "netload", "netreport", "codecbench"]


@functools.cache
def options_of(tool):
    return set(re.findall(r"--[a-z][a-z-]+", run_program(program(tool.upper()), "--help").ended_with(0).out))


@case
def links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            expect((page.parent / target).exists(), f"{page.name} links to {target}, which is not there")


@case
def the_read_me_is_one_screen_and_leads_to_every_page():
    text = PAGES[0].read_text(encoding="utf-8")
    expect(len(text.splitlines()) <= SCREEN_LINES, f"{len(text.splitlines())} lines in README.md")
    for page in PAGES[1:]:
        expect(str(page.relative_to(PROJECT)) in text, f"README.md does not lead to {page.name}")


@case
def commands_have_the_options_they_show():
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            for tool, arguments in re.findall(rf"(?:^    |\$ |`)({'|'.join(TOOLS)}) ([^`#|]*)", line):
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", arguments):
                    expect(option in options_of(tool), f"{page.name} shows {tool} {option}, which there is not")


@case
def programs_they_run_are_there():
    for page in PAGES:
        for file in re.findall(r"(?:python3|bash|man -l) ([a-z./]+\.[a-z0-9]+|\.ci/run)", page.read_text(encoding="utf-8")):
            expect((PROJECT / file).exists(), f"{page.name} runs {file}, which is not there")


run()

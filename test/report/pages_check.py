#!/usr/bin/env python3
"""The pages that PROGRAM (print_pages) writes: well-formed, small, complete, and inert.

pages_check.py PROGRAM
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

SIZE_MAX = 300_000
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
# What runs, or fetches.
FORBIDDEN_ELEMENTS = {"script", "img", "iframe", "link", "object", "embed", "base", "form", "use", "image", "a"}
FORBIDDEN_ATTRIBUTES = {"src", "href", "style", "action"}


def faults(text):
    if len(text.encode()) > SIZE_MAX:
        yield f"{len(text.encode())} bytes"
    page = ElementTree.fromstring(text)
    for element in page.iter():
        name = element.tag.split("}")[1]
        if name in FORBIDDEN_ELEMENTS:
            yield f"it has <{name}>"
        for attribute in element.attrib:
            if attribute in FORBIDDEN_ATTRIBUTES or attribute.startswith("on"):
                yield f"<{name}> has {attribute}"
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    if len(ids) != len(set(ids)):
        yield "an id is there twice"
    if len(page.findall(f".//{HTML}h1")) != 1 or not page.findtext(f".//{HTML}title"):
        yield "it has no title"
    for figure in page.iter(f"{HTML}figure"):
        yield from faults_of(figure, ids)
    if len(page.findall(f".//{SVG}svg")) != len(page.findall(f".//{HTML}figure")):
        yield "a picture is no figure"


def faults_of(figure, ids):
    """What a figure lacks for those who do not see it."""
    (svg,) = figure.findall(f".//{SVG}svg")
    title = svg.findtext(f"{SVG}title")
    if not title or not svg.findtext(f"{SVG}desc"):
        yield f"{title}: a picture without title or desc"
    if svg.get("role") != "img" or not set(svg.get("aria-labelledby").split()) <= set(ids):
        yield f"{title}: it is not named by them"
    table = figure.find(f".//{HTML}table")
    rows = [] if table is None else table.findall(f".//{HTML}tr")
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        yield f"{title}: no table, or one whose rows differ in length"


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        pages = sorted(Path(folder).glob("*.html"))
        for page in pages:
            text = page.read_text(encoding="utf-8")
            print(f"{page.stem}: {len(text.encode())} bytes")
            wrong += [f"{page.stem}: {fault}" for fault in faults(text)]
    print("\n".join(wrong))
    return 1 if wrong or len(pages) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())

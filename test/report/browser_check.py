#!/usr/bin/env python3
"""The pages that PROGRAM (print_pages) writes, in a browser: two widths, in the light and in the dark.

browser_check.py PROGRAM FOLDER; leaves a screenshot of each in FOLDER. Exit 77 without Chromium.
"""

import html
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
# Width, and whether in the dark.
VIEWS = [(1300, False), (1300, True), (500, False), (500, True)]
CONTRAST_MIN = 4.5  # WCAG 2.1, 1.4.3.
# A page has no script of its own; this one looks at it, and leaves what it saw in its place.
MEASURING = """<script><![CDATA[
const errors = [];
addEventListener('error', event => errors.push(String(event.message)));
addEventListener('load', () => {
  document.querySelectorAll('details').forEach(each => { each.open = true; });
  const boxOf = element => { const b = element.getBoundingClientRect();
                             return [b.left, b.top, b.right, b.bottom]; };
  const pictures = [...document.querySelectorAll('svg')].map(svg => ({
    title: svg.querySelector('title').textContent, box: boxOf(svg),
    texts: [...svg.querySelectorAll('text')].map(text => ({
      text: text.textContent, box: boxOf(text), colour: getComputedStyle(text).fill})),
  }));
  const seen = {errors, pictures, title: document.title,
    width: document.documentElement.scrollWidth, room: innerWidth, height: document.body.scrollHeight,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    dark: matchMedia('(prefers-color-scheme: dark)').matches};
  const report = document.createElement('pre');
  report.id = 'seen';
  report.textContent = JSON.stringify(seen);
  document.body.replaceChildren(report);
});
]]></script>"""


def find_browser():
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    print("skipped: no Chromium here (chromium of Debian)")
    sys.exit(77)


def run_browser(browser, *flags):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        return subprocess.run([browser, *FLAGS, f"--user-data-dir={profile}", *flags], check=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def look(browser, page, width, dark):
    """What the browser sees of a page, and its flags for a screenshot of it."""
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    # As XHTML, so that what is not well-formed is seen too.
    measured = page.with_suffix(".xhtml")
    measured.write_text(text.replace("</body>", MEASURING + "</body>"), encoding="utf-8")
    flags = ["--blink-settings=preferredColorScheme=" + ("0" if dark else "1")]
    dom = run_browser(browser, *flags, f"--window-size={width},900", "--dump-dom", measured.as_uri())
    found = re.search('<pre[^>]* id="seen"[^>]*>(.*?)</pre>|<pre id="seen">(.*?)</pre>', dom, re.DOTALL)
    if not found:
        raise RuntimeError(f"{page.stem}: the browser shows no page: {dom[:500]}")
    return json.loads(html.unescape(found[1] or found[2])), flags


def luminance(colour):
    """Of rgb(r, g, b), as WCAG 2.1 has it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def overlap(one, other):
    # Half a pixel of the empty rim of two lines is not seen.
    return (one[0] < other[2] - 0.5 and other[0] < one[2] - 0.5 and
            one[1] < other[3] - 0.5 and other[1] < one[3] - 0.5)


def outside(box, room):
    return box[0] < room[0] - 1 or box[1] < room[1] - 1 or box[2] > room[2] + 1 or box[3] > room[3] + 1


def faults(seen, dark):
    yield from (f"script: {error}" for error in seen["errors"])
    if seen["title"] == "attacked":
        yield "a name in the result ran as a script"
    if seen["dark"] != dark:
        yield "the browser did not take the colour scheme"
    if (luminance(seen["paper"]) < 0.2) != dark:
        yield f"the paper is {seen['paper']}"
    if seen["width"] > seen["room"]:
        yield f"the page is {seen['width']} wide, in a window of {seen['room']}"
    if contrast(seen["paper"], seen["ink"]) < CONTRAST_MIN:
        yield f"the text is hard to see: {seen['ink']} on {seen['paper']}"
    for picture in seen["pictures"]:
        name, texts = picture["title"], picture["texts"]
        yield from (f"{name}: '{text['text']}' is outside" for text in texts if outside(text["box"], picture["box"]))
        yield from (f"{name}: '{text['text']}' is hard to see" for text in texts
                    if contrast(seen["paper"], text["colour"]) < CONTRAST_MIN)
        yield from (f"{name}: '{one['text']}' lies over '{other['text']}'"
                    for one, other in itertools.combinations(texts, 2) if overlap(one["box"], other["box"]))


def main():
    browser = find_browser()
    shots = Path(sys.argv[2])
    shots.mkdir(parents=True, exist_ok=True)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        pages = sorted(Path(folder).glob("*.html"))
        for page, (width, dark) in itertools.product(pages, VIEWS):
            name = f"{page.stem}-{width}{'-dark' if dark else ''}"
            seen, flags = look(browser, page, width, dark)
            found = [f"{name}: {fault}" for fault in faults(seen, dark)]
            print("\n".join(found or [f"{name}: {len(seen['pictures'])} pictures"]), flush=True)
            wrong += found
            run_browser(browser, *flags, f"--window-size={width},3000", f"--screenshot={shots / name}.png", page.as_uri())
    return 1 if wrong or not pages else 0


sys.exit(main())

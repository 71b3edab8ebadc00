"""Takes a protocol from CONTRIBUTING.md as it is printed there: its header, and the lines that name it in forms.h.

as_printed.py CONTRIBUTING.md forms.h NEW_HEADER NEW_FORMS
"""

import re
import sys
import textwrap

guide, forms, new_header, new_forms = sys.argv[1:]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def printed_behind(sentence, text):
    """The code that stands behind the line which ends with `sentence`."""
    _, rest = re.split(re.escape(sentence) + r"\n\n", text)
    return textwrap.dedent(re.match(r"(?:    .*\n|\n)+", rest)[0]).strip("\n")


def named(line, text):
    """`text` with a line of the recipe in it: an include before the first, anything else for what it replaces."""
    if line.startswith("#include"):
        return re.sub(r"^#include", line + "\n#include", text, count=1, flags=re.MULTILINE)
    begin = line[:line.index("=") + 1]
    there = re.findall(rf"^{re.escape(begin)}.*$", text, re.MULTILINE)
    if len(there) != 1 or not line.startswith(there[0].rstrip(">;")):
        sys.exit(f"{guide} prints {line!r}, which adds to none of the lines that {forms} has: {there}")
    return text.replace(there[0], line)


recipe = text_of(guide)
header = printed_behind(f"such as `lib/load/exchange/{new_header.rsplit('/', 1)[1]}`:", recipe)
with open(new_header, "w", encoding="utf-8") as file:
    file.write(header + "\n")
extended = text_of(forms)
for line in printed_behind("Include it in `forms.h`, and name it there:", recipe).splitlines():
    extended = named(line, extended)
with open(new_forms, "w", encoding="utf-8") as file:
    file.write(extended)

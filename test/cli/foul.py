"""Text that does something to a terminal or a page, and whether all of it is shown as letters."""

import os

from case import expect

# Clears the screen, turns the line around, and begins one of its own.
FOUL = "\x1b[2J\x9b31m\u202e\nVALID: all\n\t\x7f"
# As an argument; its last byte is no UTF-8.
FOUL_ARGUMENT = os.fsdecode(FOUL.encode() + b"\xff")
SHOWN = r"\x1b[2J\xc2\x9b31m\xe2\x80\xae\nVALID: all\n\t\x7f"
SHOWN_ARGUMENT = SHOWN + r"\xff"


def shown_as_letters(text, what):
    for line in text.split("\n"):
        expect(line.isprintable() and not line.startswith("VALID: all"), f"{what}: a line {line!r}")

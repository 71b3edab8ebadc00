"""Cases of a test file: what they may expect, and the program that runs them.

A file calls run() at its end. With names as arguments only those cases run, with `--without` before
them all others; with `--deciding` before that, none of those that are `@realtime`. What stands behind
`--only` is chosen in place of all that: it can follow the arguments which a test has already. The exit
code is 1 when a case failed, 77 when one was skipped and none failed, and 0 otherwise.
"""

import re
import sys
import time
import traceback


class Skip(Exception):
    """Raised by a case for what this machine lacks."""


class Unexpected(Exception):
    """An expectation that was not met."""


cases = []
apart = set()  # Those of them that do not decide.


def case(function):
    """Registers a function without arguments as a case."""
    cases.append(function)
    return function


def realtime(function):
    """A case that the noise of a machine can turn red; test/realtime.txt has each of them, and why."""
    apart.add(function)
    return case(function)


def expect(condition, message):
    if not condition:
        raise Unexpected(message)


def equal(actual, wanted, what):
    expect(actual == wanted, f"{what}: expected {wanted!r}, got {actual!r}")


def contains(text, part, what="the output"):
    """Also where the text was folded to the width of a terminal."""
    expect(part in text or re.sub(r"\s+", " ", part) in re.sub(r"\s+", " ", text), f"{what} lacks {part!r}:\n{text}")


def fits_a_terminal(text):
    wide = [line for line in text.splitlines() if len(line) > 80]
    expect(not wide, f"wider than 80 columns: {wide}")


def wait_until(condition, what, seconds=30):
    """Waits for a condition; fails when it does not come true in a time that any machine keeps."""
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"waited {seconds} s in vain until {what}")
        time.sleep(0.01)


def asked_for(arguments):
    """Those behind `--only`, where there is one."""
    return arguments[arguments.index("--only") + 1:] if "--only" in arguments else arguments


def chosen(arguments):
    arguments = asked_for(arguments)
    deciding = arguments[:1] == ["--deciding"]
    arguments = arguments[deciding:]
    without = arguments[:1] == ["--without"]
    names = arguments[without:]
    unknown = set(names) - {function.__name__ for function in cases}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    found = [function for function in cases if (not names or (function.__name__ in names) != without)
             and not (deciding and function in apart)]
    if not found:
        sys.exit("no case is left")
    return found


def run():
    failed = skipped = False
    for function in chosen(sys.argv[1:]):
        start = time.monotonic()
        try:
            function()
            outcome = "ok"
        except Skip as reason:
            skipped = True
            outcome = f"SKIP: {reason}"
        except Unexpected as unmet:
            failed = True
            at = traceback.extract_tb(unmet.__traceback__)
            line = next(frame.lineno for frame in reversed(at) if frame.filename != __file__)
            outcome = f"FAILED in line {line}: {unmet}"
        except Exception as error:
            failed = True
            outcome = f"FAILED: {error!r}\n{traceback.format_exc()}"
        seconds = time.monotonic() - start
        print(f"{function.__name__} ({seconds:.1f} s): {outcome}", flush=True)
    sys.exit(1 if failed else 77 if skipped else 0)

"""Prints which tests of a build directory failed or were skipped, and why, the slowest, and totals.

usage: tally.py BUILD              of those that decide; the exit code is 1 when one failed
       tally.py BUILD --realtime   of those that are told apart (test/realtime.txt), whatever they were

Of one that decides and failed there are three lines: which case and what it said, how far the machine held
it up, and the command that runs it alone.
"""
import json
import pathlib
import re
import shlex
import sys

# The line of test/quiet_meter.py, which runs each of them: how long it was held up, and what was stolen.
METER = re.compile(r'^quiet meter: (?:quiet|held up (?P<ms>\d+) ms): .* steal (?P<steal>[\d.]+) %$', re.MULTILINE)
UNMETERED = 'quiet meter: nothing, it was killed'
# How programs of test/cli/case.py, test/faults, unittest and doctest name a failed case.
CASE = re.compile(r'^(\w+) \([\d.]+ s\): FAILED', re.MULTILINE)
FAULT = re.compile(r'^(.+), (\S+) (\S+) (\S+): FAILED', re.MULTILINE)
METHOD = re.compile(r'^(?:FAIL|ERROR): (\w+) \(', re.MULTILINE)
UNIT_CASE = re.compile(r'^TEST CASE:  (.+)$', re.MULTILINE)
PASSED = {'OK', 'EXPECTEDFAIL'}
SLOWEST = 8


def reason(run):
    """The line in which a skipped test says why: one with the word skip, else its last one."""
    lines = said(run)
    saying = [line for line in lines if 'skip' in line.lower()] or lines[-1:]
    return saying[0] if saying else 'it gave no reason'


def said(run):
    """The lines of a test's output, without that of the quiet meter."""
    lines = map(str.strip, (run.get('stdout', '') + '\n' + run.get('stderr', '')).splitlines())
    return [line for line in lines if line and not METER.match(line)]


def complaints(run):
    """The lines in which a failed test says what was wrong, else its last ones."""
    lines = [line[:300] for line in said(run)]
    saying = [line for line in lines if any(word in line for word in ('FAILED', 'ERROR', 'SUMMARY', 'AssertionError'))]
    return (saying or lines)[-3:]


def short(run):
    """The name of a test without its suites."""
    return run['name'].split(' / ')[-1]


def metered(run):
    """The line of the quiet meter, if it came to that."""
    seen = METER.search(run.get('stdout', ''))
    return seen[0] if seen else UNMETERED


def failed_cases(run):
    """The names of the cases that failed, as far as the test names any, and the arguments that choose them."""
    output = run.get('stdout', '')
    if names := CASE.findall(output):
        return names, ['--only', *names]
    if fault := FAULT.search(output):
        return [fault[0].rpartition(':')[0]], ['--only', *fault.groups()]
    if names := METHOD.findall(run.get('stderr', '')):
        return names, [part for name in names for part in ('-k', f'*.{name}')]
    blocks = re.split('^={60,}$', output, flags=re.MULTILINE)  # One that only tells something says no ERROR.
    names = list(dict.fromkeys(name for block in blocks if 'ERROR:' in block for name in UNIT_CASE.findall(block)))
    # A comma would end a name, and a quote the argument; a question mark stands for any letter.
    patterns = ','.join(re.sub(r'[,\'"\\$`]', '?', name) for name in names)
    return names, [f'--test-case={patterns}'] if names else []


def tell_failed(build_dir, run):
    """Which case and what it said; how far the machine held it up; what runs it alone."""
    names, arguments = failed_cases(run)
    words = complaints(run)
    unsaid = [name for name in names if not any(line.startswith(name) for line in words)]
    print(f'failed {short(run)}: {": ".join([*unsaid, run["result"], " | ".join(words)])}')
    print(f'  decides; {metered(run)}')
    command = shlex.join(['meson', 'test', '-C', build_dir, short(run)])
    chosen = f' --test-args="{shlex.join(arguments)}"' if arguments else ''
    print(f'  alone: {command}{chosen}')


def tell_apart(runs, failed, skipped):
    """What the noise of a machine can turn red, of which nothing is counted: undecided where the machine held it up."""
    undecided, defects = [], []
    for run in failed:
        seen = METER.search(run.get('stdout', ''))
        if seen and seen['ms']:
            word = 'undecided'
            undecided.append(seen)
        else:
            word = 'failed'
            defects.append(short(run))
        print(f'realtime {word} {run["name"]}: {run["result"]}: {" | ".join(complaints(run))} ({metered(run)})')
    for run in skipped:
        print(f'realtime skipped {run["name"]}: {reason(run)}')
    held_up = ''
    if undecided:
        held_up = (f' (held up {max(int(seen["ms"]) for seen in undecided)} ms, '
                   f'steal {max(float(seen["steal"]) for seen in undecided)} %)')
    names = ', '.join(defects)
    print(f'realtime: {len(runs) - len(failed) - len(skipped)} held, {len(skipped)} skipped, '
          f'{len(undecided)} undecided{held_up}, {len(defects)} failed on a quiet machine{names and ": " + names}')
    return 0


def main(build_dir, apart=''):
    log = pathlib.Path(build_dir) / 'meson-logs' / 'testlog-metered.json'
    runs = [json.loads(line) for line in log.read_text(encoding='utf-8').splitlines()] if log.exists() else []
    if not runs:
        sys.exit(f'tests of {build_dir}: no test ran')
    skipped = [run for run in runs if run['result'] == 'SKIP']
    failed = [run for run in runs if run['result'] not in PASSED | {'SKIP'}]
    if apart:
        return tell_apart(runs, failed, skipped)
    for run in failed:
        tell_failed(build_dir, run)
    for run in skipped:
        print(f'skipped {run["name"]}: {reason(run)}')
    for run in sorted(runs, key=lambda run: -run['duration'])[:SLOWEST]:
        print(f'slow {run["duration"]:.0f} s {run["name"]}')
    passed = len(runs) - len(failed) - len(skipped)
    print(f'tests of {build_dir}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped')
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

"""Prints which tests of a build directory failed or were skipped, and why, the slowest, and totals.

usage: tally.py BUILD              of those that decide; the exit code is 1 when one failed
       tally.py BUILD --realtime   of those that are told apart (test/realtime.txt), whatever they were
"""
import json
import pathlib
import re
import sys

# The line of test/quiet_meter.py, which runs each of them: how long it was held up, and what was stolen.
METER = re.compile(r'^quiet meter: (?:quiet|held up (?P<ms>\d+) ms): .* steal (?P<steal>[\d.]+) %$', re.MULTILINE)
PASSED = {'OK', 'EXPECTEDFAIL'}
SLOWEST = 8


def reason(run):
    """The line in which a skipped test says why: one with the word skip, else its last one."""
    output = run.get('stdout', '') + '\n' + run.get('stderr', '')
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    saying = [line for line in lines if 'skip' in line.lower()] or lines[-1:]
    return saying[0] if saying else 'it gave no reason'


def complaints(run):
    """The lines in which a failed test says what was wrong, else its last ones."""
    output = run.get('stdout', '') + '\n' + run.get('stderr', '')
    lines = [line.strip()[:300] for line in output.splitlines() if line.strip()]
    saying = [line for line in lines if any(word in line for word in ('FAILED', 'ERROR', 'SUMMARY'))]
    return (saying or lines)[-3:]


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
            defects.append(run['name'].split(' / ')[-1])
        said = seen[0] if seen else 'quiet meter: nothing, it was killed'
        print(f'realtime {word} {run["name"]}: {run["result"]}: {" | ".join(complaints(run))} ({said})')
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
    log = pathlib.Path(build_dir) / 'meson-logs' / f'testlog{apart and "-realtime"}.json'
    runs = [json.loads(line) for line in log.read_text(encoding='utf-8').splitlines()] if log.exists() else []
    if not runs:
        sys.exit(f'tests of {build_dir}: no test ran')
    skipped = [run for run in runs if run['result'] == 'SKIP']
    failed = [run for run in runs if run['result'] not in PASSED | {'SKIP'}]
    if apart:
        return tell_apart(runs, failed, skipped)
    for run in failed:
        print(f'failed {run["name"]}: {run["result"]}: {" | ".join(complaints(run))}')
    for run in skipped:
        print(f'skipped {run["name"]}: {reason(run)}')
    for run in sorted(runs, key=lambda run: -run['duration'])[:SLOWEST]:
        print(f'slow {run["duration"]:.0f} s {run["name"]}')
    passed = len(runs) - len(failed) - len(skipped)
    print(f'tests of {build_dir}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped')
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

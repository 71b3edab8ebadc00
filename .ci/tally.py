"""Prints which tests of a build directory failed or were skipped, and why, and their totals.

With --failed it prints the names of those to try again by themselves, a line each: none where so
many failed that it is no matter of load, and none in which a sanitizer or a fuzzer found something.
One that failed and passed then is named as unsteady.
"""
import json
import pathlib
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
TRIED_AGAIN_MAX = 4
FINDINGS = ('Sanitizer', 'libFuzzer')


def output(run):
    return run.get('stdout', '') + '\n' + run.get('stderr', '')


def reason(run):
    """The line in which a skipped test says why: one with the word skip, else its last one."""
    lines = [line.strip() for line in output(run).splitlines() if line.strip()]
    saying = [line for line in lines if 'skip' in line.lower()] or lines[-1:]
    return saying[0] if saying else 'it gave no reason'


def read(log):
    return [json.loads(line) for line in log.read_text(encoding='utf-8').splitlines()] if log.exists() else []


def has_failed(run):
    return run['result'] not in PASSED | {'SKIP'}


def print_failed(logs):
    failed = [run for run in read(logs / 'testlog.json') if has_failed(run)]
    for run in failed if len(failed) <= TRIED_AGAIN_MAX else []:
        if not any(finding in output(run) for finding in FINDINGS):
            print(run['name'].rpartition(' / ')[2])


def print_totals(build_dir, logs):
    first = read(logs / 'testlog.json')
    if not first:
        sys.exit(f'tests of {build_dir}: no test ran')
    again = {run['name']: run for run in read(logs / 'again.json')}
    runs = [again.get(run['name'], run) for run in first]
    skipped = [run for run in runs if run['result'] == 'SKIP']
    failed = [run for run in runs if has_failed(run)]
    for run in failed:
        print(f'failed {run["name"]}: {run["result"]}')
    for run in first:
        if has_failed(run) and not has_failed(again.get(run['name'], run)):
            print(f'unsteady {run["name"]}: {run["result"]} among the others, passed by itself')
    for run in skipped:
        print(f'skipped {run["name"]}: {reason(run)}')
    passed = len(runs) - len(failed) - len(skipped)
    print(f'tests of {build_dir}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped')
    return 1 if failed else 0


def main(arguments):
    *flags, build_dir = arguments
    logs = pathlib.Path(build_dir) / 'meson-logs'
    return print_failed(logs) if flags == ['--failed'] else print_totals(build_dir, logs)


sys.exit(main(sys.argv[1:]))

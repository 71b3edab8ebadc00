"""Fails where realtime.txt and the tree differ in which cases do not decide.

usage: realtime_check.py BUILD
"""
import json
import pathlib
import re
import sys

TEST = pathlib.Path(__file__).resolve().parent
MARKS = {'.py': [r'@realtime\n *def (\w+)\(', r'^REALTIME = (\{.*\})'],
         '.cpp': [r'\("([^"]+)" \*\s+doctest::test_suite\("realtime"\)']}


def listed():
    """FILE and CASE of each line, in order."""
    rows = [line.split(' | ') for line in (TEST / 'realtime.txt').read_text(encoding='utf-8').splitlines()
            if line and not line.startswith('#')]
    for row in rows:
        if len(row) != 3 or not all(row):
            sys.exit(f'realtime.txt: not FILE | CASE | why: {" | ".join(row)}')
    return [tuple(row[:2]) for row in rows]


def marked():
    """FILE and CASE of each mark in the tree."""
    for file in sorted(TEST.rglob('*')):
        text = file.read_text(encoding='utf-8') if file.suffix in MARKS and file != pathlib.Path(__file__) else ''
        for form in MARKS.get(file.suffix, []):
            for name in re.findall(form, text, re.MULTILINE):
                for one in re.findall(r'"([^"]+)"', name) if name.startswith('{') else [name]:
                    yield str(file.relative_to(TEST)), one


def told_apart(build):
    """The names of the tests that do not decide."""
    tests = json.loads((build / 'meson-info' / 'intro-tests.json').read_text(encoding='utf-8'))
    return [test['name'] for test in tests if any(suite.endswith(':realtime') for suite in test['suite'])]


def main(build):
    wrong = []
    names, marks = listed(), list(marked())
    wrong += [f'listed twice: {" ".join(one)}' for one in set(names) if names.count(one) > 1]
    wrong += [f'listed, and not marked in its file: {" ".join(one)}' for one in sorted(set(names) - set(marks))]
    wrong += [f'marked in its file, and not listed: {" ".join(one)}' for one in sorted(set(marks) - set(names))]
    tests = told_apart(pathlib.Path(build))
    allowed = {' '.join((*one, *backend)): one for one in names for backend in ([], ['epoll'], ['uring'])}
    wrong += [f'in the suite realtime, and not listed: {name}' for name in tests if name not in allowed]
    run = {allowed.get(name) for name in tests}
    wrong += [f'listed, and no test runs it: {" ".join(one)}' for one in names if one not in run]
    print('\n'.join(wrong) or f'{len(names)} cases do not decide, in {len(tests)} tests')
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))

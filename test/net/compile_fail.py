"""Compiles each case of compile_fail/ twice: the right variant compiles, the wrong one does not, and
the error names the concept that it violates. Takes the build directory, whose compiler and flags
are used. What all cases include, which is most of the work, is compiled once."""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
CASES = sorted((pathlib.Path(__file__).parent / 'compile_fail').glob('*.cpp'))
SHARED = pathlib.Path(__file__).parent.resolve() / 'compile_fail' / 'cases.h'
NEIGHBOURS = 'test/net/net_test.p/'


def command():
    """What the build compiles the tests of this folder with, its files left out, and where."""
    entries = json.loads((BUILD / 'compile_commands.json').read_text())
    entry = next(entry for entry in entries if entry['output'].startswith(NEIGHBOURS))
    words = shlex.split(entry['command'])
    for flag in ('-o', '-MQ', '-MF'):
        place = words.index(flag)
        del words[place:place + 2]
    words = [word for word in words if word not in ('-c', '-MD') and word != entry['file']]
    return words + ['-fdiagnostics-color=never'], entry['directory']


def run_compiler(*arguments):
    words, directory = command()
    return subprocess.run(words + list(arguments), cwd=directory, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def precompile(folder):
    """The flags that put what the cases share in front of one, compiled."""
    header = pathlib.Path(folder) / 'shared.h'
    header.write_text(f'#include "{SHARED}"\n')
    compiled_header = f'{header}.gch'
    made = run_compiler('-x', 'c++-header', str(header), '-o', compiled_header)
    if made.returncode != 0:
        raise AssertionError(made.stdout)
    is_clang = 'clang' in run_compiler('--version').stdout
    return ('-include-pch', compiled_header) if is_clang else ('-include', str(header))


@functools.cache
def compiled():
    jobs = [(case, wrong) for case in CASES for wrong in (0, 1)]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        shared = precompile(folder)
        results = pool.map(lambda job: run_compiler('-fsyntax-only', *shared, f'-DWRONG={job[1]}',
                                                    '-x', 'c++', str(job[0])), jobs)
        return dict(zip(jobs, results))


class CompileFail(unittest.TestCase):
    def test_each_concept_has_a_case(self):
        text = ''.join(case.read_text() for case in CASES)
        for concept in ('Handler', 'StreamHandler', 'DatagramServer', 'DatagramClient', 'Reactor',
                        'Streams', 'Servers', 'Datagrams'):
            self.assertIn(f'// Violates: {concept}\n', text)

    def test_the_right_variant_compiles(self):
        for case in CASES:
            with self.subTest(case=case.stem):
                right = compiled()[case, 0]
                self.assertEqual(right.returncode, 0, right.stdout)

    def test_the_wrong_variant_does_not_and_the_error_names_the_concept(self):
        for case in CASES:
            with self.subTest(case=case.stem):
                concept = re.search(r'// Violates: (\w+)', case.read_text())[1]
                wrong = compiled()[case, 1]
                self.assertNotEqual(wrong.returncode, 0)
                self.assertRegex(wrong.stdout, rf"satisf\w+ (of )?['‘]?{concept}\b")


if __name__ == '__main__':
    unittest.main()

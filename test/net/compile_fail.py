"""Compiles each case of compile_fail/ twice: the right variant compiles, the wrong one does not, and
the error names the concept that it violates. Takes the build directory, whose compiler and flags
are used."""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
CASES = sorted((pathlib.Path(__file__).parent / 'compile_fail').glob('*.cpp'))
NEIGHBOUR = 'test/net/conn_test.cpp'


def command():
    """What the build compiles a test of this folder with, its files left out, and where."""
    entries = json.loads((BUILD / 'compile_commands.json').read_text())
    [entry] = [entry for entry in entries if entry['file'].endswith(NEIGHBOUR)]
    words = shlex.split(entry['command'])
    for flag in ('-o', '-MQ', '-MF'):
        place = words.index(flag)
        del words[place:place + 2]
    words = [word for word in words if word not in ('-c', '-MD') and not word.endswith(NEIGHBOUR)]
    return words + ['-fsyntax-only', '-fdiagnostics-color=never'], entry['directory']


def compile_variant(job):
    case, wrong = job
    words, directory = command()
    return subprocess.run(words + [f'-DWRONG={wrong}', str(case)], cwd=directory, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@functools.cache
def compiled():
    jobs = [(case, wrong) for case in CASES for wrong in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(jobs, pool.map(compile_variant, jobs)))


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

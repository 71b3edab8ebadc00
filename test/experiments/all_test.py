#!/usr/bin/env python3
"""The page of several experiments is well-formed and complete, and says which did not run.

all_test.py NETREPORT DOCUMENTS
"""
import pathlib
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'report')]

import all as experiments
import pages_check

NETREPORT, DOCUMENTS = (pathlib.Path(one).resolve() for one in sys.argv[1:3])


class Page(unittest.TestCase):
    def test_two_documents_and_one_that_failed_are_one_page(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / 'tools').mkdir()
            (build / 'tools/netreport').symlink_to(NETREPORT)
            options = types.SimpleNamespace(build=build, full=False)
            # Both have pictures, of which each counts its own names from 1.
            documents = {'E1': DOCUMENTS / 'comparison.json', 'E5': DOCUMENTS / 'comparison.json',
                         'E2': DOCUMENTS / 'codecs_before.json'}
            page = experiments.page_of(options, documents, {'E3': 'exit code 77: no room'})
        self.assertEqual(list(pages_check.faults(page)), [])
        self.assertGreater(page.count('xmlns="http://www.w3.org/2000/svg"'), 3)
        self.assertEqual(page.count('<svg '), page.count('xmlns="http://www.w3.org/2000/svg"'))
        self.assertLess(page.index('<h2>E1: '), page.index('<h2>E2: '))
        self.assertIn('It did not run: exit code 77: no room', page)
        self.assertNotIn('<h2>E4: ', page)
        self.assertIn('2,077 / 1,361', experiments.page_of(options, {}, {'E6': 'it was left out'}))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])

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
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / 'report')]

import all as experiments
import e1_report
import e5
import pages_check
from bench.document import Document

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


class E1(unittest.TestCase):
    @staticmethod
    def rows(**packets):
        """A cell for each figure of a format, in segments a second in each direction."""
        return [{'format': name, 'model': f'staged:{cell}ms', 'client': 'open',
                 'load': {'totals': {'messages': 1, 'seconds': 1, 'packets': {'in': figure, 'out': figure}}}}
                for name, figures in packets.items() for cell, figure in enumerate(figures)]

    def test_what_was_published_stands_beside_ours(self):
        rows = [{'format': name, 'model': 'staged:500ms', 'client': client,
                 'load': {'totals': {'messages': 1, 'seconds': 2, 'bytes_in': 0, 'bytes_out': 0,
                                     'packets': {'in': 8, 'out': 4}}}}
                for name in ('bytes', 'json') for client in ('open', 'blocking')]
        document = Document('E1', None)
        e1_report.publish(document, rows)
        published = {(one['picture'], one['row']): one for one in document.content['published']}
        self.assertEqual(len(published), 8)
        self.assertEqual(published['packets/s, clients that do not wait', 'json'],
                         {'picture': 'packets/s, clients that do not wait', 'row': 'json', 'low': 150_000,
                          'high': 200_000, 'ours': 3})

    def test_it_ends_in_a_sentence_for_each_other_format(self):
        few = list(e1_report.conclusions(self.rows(bytes=[100, 200], json=[100, 300])))
        self.assertEqual(len(few), 1)
        self.assertTrue(few[0].startswith('cannot tell json and bytes apart by packets/s: '), few[0])
        many = list(e1_report.conclusions(self.rows(bytes=[100] * 6, protobuf=[201] * 6, json=[50] * 6)))
        self.assertEqual([said[:34] for said in many],
                         ["protobuf has 2.01 (2.01 to 2.01, 9", "json has 0.50 (0.50 to 0.50, 96.9 "])
        self.assertEqual(list(e1_report.conclusions([{'failed': 'no'}])), [])


class E5(unittest.TestCase):
    def test_what_was_published_stands_beside_ours(self):
        document = Document('E5', None)
        runs = [{'point': str(e5.Point(512, 100)), 'placed': '0 and 1', 'server': name, 'round': number,
                 'distance_ns': [], 'qps': qps * number, 'server_cpu_pct': 50, 'client_cpu_pct': 50, 'cost_us': 1}
                for name, qps in (('epoll', 100), ('uring', 200)) for number in range(1, 7)]
        e5.publish(document, runs)
        epoll, uring, ratio = document.content['published']
        self.assertEqual((epoll['low'], epoll['high'], epoll['ours']), (33243, 33243, 350))
        self.assertEqual((uring['row'], uring['ours_low'], uring['ours_high']), ('uring', 200, 1200))
        self.assertEqual((ratio['low'], ratio['ours']), (1.3, 2))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])

"""What is promised of the lines of a report."""
import io
import pathlib
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.console import COLUMNS, folded
from bench.document import Document
from bench.table import Table


class Lines(unittest.TestCase):
    def test_what_fits_is_as_it_was(self):
        for line in ('', '  a  b' + 'x' * (COLUMNS - 6)):
            self.assertEqual(folded(line), line)

    def test_what_follows_a_label_stands_below_its_text(self):
        self.assertEqual(folded('machine  ' + 'word ' * 20),
                         'machine  ' + 'word ' * 13 + 'word\n         ' + 'word ' * 5 + 'word')

    def test_what_follows_a_sentence_is_indented(self):
        self.assertEqual(folded('  ' + 'sentence ' * 9), '  ' + 'sentence ' * 7 + 'sentence\n    sentence')

    def test_a_word_is_never_broken(self):
        self.assertEqual(folded('it lies in ' + '/x' * 50), 'it lies in\n  ' + '/x' * 50)

    def test_a_document_keeps_what_was_printed(self):
        with unittest.mock.patch('sys.stdout', io.StringIO()) as out:
            with Document('E0', None) as document:
                print('figures ', end='')
                print(' ' + 'word ' * 20)
                print('end', end='')
        self.assertEqual(out.getvalue().splitlines(), document.content['text'])
        self.assertEqual([len(line) <= COLUMNS for line in document.content['text']], [True] * 3)

    def test_a_table_is_no_wider(self):
        Table(('a', '<38'), ('b', '>39.1f'))
        with self.assertRaises(ValueError):
            Table(('a', '<39'), ('b', '>39.1f'))


if __name__ == '__main__':
    unittest.main()

"""A table that is printed row by row, as its rows come."""
import re

from bench.console import COLUMNS


class Table:
    """Each column is a heading and how its cells are formatted, such as '<12' or '>9,.1f'. A cell
    that is text already keeps the width and leaves the digits out."""

    def __init__(self, *columns):
        self.columns = columns
        if len(self._line('x' * int(self._place(spec)[1:]) for _, spec in columns)) > COLUMNS:
            raise ValueError(f'a table of more than {COLUMNS} columns')

    @staticmethod
    def _place(spec):
        """Alignment and width alone: '>9' of '>9,.1f'."""
        return re.match(r'.\d+', spec)[0]

    def _line(self, cells):
        return '  ' + ' '.join(cells).rstrip()

    def head(self):
        return self._line(format(heading, self._place(spec)) for heading, spec in self.columns)

    def row(self, *cells):
        if len(cells) != len(self.columns):
            raise ValueError(f'{len(cells)} cells in {len(self.columns)} columns')
        return self._line(format(cell, self._place(spec) if isinstance(cell, str) else spec)
                          for cell, (_, spec) in zip(cells, self.columns))

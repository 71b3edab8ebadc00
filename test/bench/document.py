"""What a script prints and measures, as a document that netreport prints, adds to a CSV and checks."""
import json
import pathlib
import sys
import time

from bench.console import folded
from bench.ratio import Interval

SCHEMA = 'wiremark.experiment/1'


class Told:
    """Standard output that folds its lines and remembers them."""

    def __init__(self, out):
        self.out, self.lines, self.begun = out, [], ''

    def write(self, text):
        *whole, self.begun = (self.begun + text).split('\n')
        for line in whole:
            self.lines += folded(line).split('\n')
            self.out.write(folded(line) + '\n')
        return len(text)

    def __getattr__(self, name):
        return getattr(self.out, name)


def trial(run):
    """A run as the document has it: words and numbers apart, the results of our tools whole. None is
    no word, and among numbers 0, as our tools write what they could not measure."""
    kept = {'labels': {}, 'figures': {}}
    for name, value in run.items():
        if name == 'failed' or (isinstance(value, dict) and name in ('load', 'server')):
            kept[name] = value
        elif isinstance(value, list):
            kept['figures'] |= {f'{name}/{place}': number or 0 for place, number in enumerate(value)}
        elif isinstance(value, (str, type(None))):
            kept['labels'][name] = value or ''
        elif not isinstance(value, dict):  # Such as the host, which is the same in each.
            kept['figures'][name] = int(value) if isinstance(value, bool) else value
    return kept


def read(path):
    """The document in a file. Raises ValueError where it is none."""
    document = json.loads(pathlib.Path(path).read_text(encoding='utf-8'))
    if not isinstance(document, dict) or document.get('schema') != SCHEMA:
        raise ValueError(f'{path} is no {SCHEMA}')
    return document


def runs_of(path):
    """The runs of a document as they were added."""
    runs = []
    for one in read(path)['runs']:
        run = {name: word or None for name, word in one['labels'].items()}
        run |= {name: one[name] for name in ('failed', 'load', 'server') if name in one}
        for name, number in one['figures'].items():
            name, _, place = name.partition('/')
            if place:
                run.setdefault(name, []).append(number)
            else:
                run[name] = number
        runs.append(run)
    return runs


def state_of(path, lists):
    """What Document.take() was given."""
    state = {name: json.loads(text) for name, text in read(path)['kept'].items()} | {name: [] for name in lists}
    for run in runs_of(path):
        state[run.pop('part')].append(run)
    return state


class Document:
    """`with Document(name, path) as document` keeps what is printed and added meanwhile in that file,
    if there is one, also of a script that is broken off. With `base` netreport draws what the other
    servers of a point cost against the one of that name: what pairs the runs are their labels
    'server' and 'round', and all other labels are the same."""

    def __init__(self, name, path, base=None):
        self.path = path
        self.content = {'schema': SCHEMA, 'name': name,
                        'started': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()),
                        'argv': [str(one) for one in sys.argv], 'text': [], 'kept': {}, 'runs': []}
        if base:
            self.content['base'] = base
        self.told = None

    def add(self, run):
        self.content['runs'].append(trial(run))

    def publish(self, picture, row, published, ours):
        """A published figure, or its lowest and highest, and ours: a number, an Interval, or None. Rows of one
        picture, whose name has the unit, are drawn together."""
        low, high = published if isinstance(published, tuple) else (published, published)
        one = {'picture': picture, 'row': row, 'low': low, 'high': high}
        if isinstance(ours, Interval):
            one |= {'ours': ours.median, 'ours_low': ours.lower, 'ours_high': ours.upper}
        elif ours is not None:
            one['ours'] = ours
        self.content.setdefault('published', []).append(one)

    def take(self, state, lists):
        """All of a script's dict `state`: its `lists` of runs, and what it needs to go on later."""
        for name in lists:
            for run in state[name]:
                self.add({'part': name} | run)
        self.content['kept'] = {name: json.dumps(value) for name, value in state.items() if name not in lists}

    def __enter__(self):
        self.told = sys.stdout = Told(sys.stdout)
        return self

    def __exit__(self, *_):
        if self.told.begun:
            self.told.write('\n')
        sys.stdout = self.told.out
        self.content['text'] = self.told.lines
        if self.path:
            pathlib.Path(self.path).write_text(json.dumps(self.content), encoding='utf-8')

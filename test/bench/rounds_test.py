"""How rounds are taken, which of them are compared, and how a table of them is printed."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench import rounds
from bench.load import Point, placed
from bench.table import Table


def run(server, number, cost, where='near', point='512x1000'):
    return {'point': str(Point.parse(point)), 'server': server, 'round': number, 'placed': where,
            rounds.COST: cost}


class Taken(unittest.TestCase):
    def test_each_round_has_every_subject_once_until_there_are_enough(self):
        taken = list(rounds.take({'a': 1, 'b': 2}, lambda subject: {'figure': subject}, random.Random(1),
                                 lambda number: number >= 3, ''))
        self.assertEqual(sorted((number, name) for number, name, _ in taken),
                         [(number, name) for number in (1, 2, 3) for name in 'ab'])
        self.assertTrue(all(one == {'figure': 'ab'.index(name) + 1} for _, name, one in taken))

    def test_one_whose_run_fails_is_asked_no_more(self):
        def once(subject):
            if subject == 'raises':
                raise RuntimeError('why')
            return {'failed': 'so'} if subject == 'fails' else {}
        taken = list(rounds.take({name: name for name in ('raises', 'fails', 'works')}, once,
                                 random.Random(1), lambda number: number >= 2, ''))
        self.assertEqual(sorted((name, one.get('failed')) for _, name, one in taken if one),
                         [('fails', 'so'), ('raises', 'why')])
        self.assertEqual(sum(name == 'works' for _, name, _ in taken), 2)


class Compared(unittest.TestCase):
    def test_a_run_that_the_processors_left_is_of_no_placement(self):
        self.assertEqual(placed(63.0, 70.0), 'near')
        self.assertEqual(placed(400.0, 350.0), 'far')
        self.assertEqual(placed(63.0, 400.0), 'moved')
        self.assertIsNone(placed(None, None))

    def test_only_runs_of_one_round_and_placement_are_compared(self):
        runs = [run('epoll', n, n + 1, 'far' if n == 2 else 'near') for n in range(7)]
        runs += [run('asio', n, 1.5 * (n + 1)) for n in range(7)]
        [(_, where, servers)] = rounds.groups(runs)
        self.assertEqual(where, 'near')
        ratio = rounds.ratio(servers['asio'], servers['epoll'])
        self.assertEqual((ratio.lower, ratio.upper, ratio.rounds), (1.5, 1.5, 6))

    def test_runs_bound_at_opposite_ends_are_not_compared(self):
        def bound(server, server_pct, client_pct):
            return run(server, 0, 1.0) | {'server_cpu_pct': server_pct,
                                          'client_cpu_pct': client_pct}
        ours = [bound('epoll', 100, 80)]
        self.assertIsNone(rounds.ratio([bound('uv', 75, 100)], ours))
        self.assertEqual(rounds.ratio([bound('uv', 98, 100)], ours).rounds, 1)
        self.assertEqual(rounds.ratio([bound('uv', 100, 50)], ours).rounds, 1)

    def test_a_placement_with_rounds_enough_is_a_group_of_its_own(self):
        runs = [run('epoll', n, 1.0) for n in range(7)]
        runs += [run('epoll', n, 4.0, 'far') for n in range(7, 13)]
        self.assertEqual([group[1] for group in rounds.groups(runs)], ['near', 'far'])
        self.assertEqual([group[1] for group in rounds.groups(runs[:-1])], ['near'])

    def test_a_group_ends_in_a_sentence_or_in_why_there_is_none(self):
        servers = {'epoll': [run('epoll', n, 2.0) for n in range(6)], 'uv': [run('uv', n, 3.0) for n in range(6)],
                   'asio': [run('asio', 9, 4.0)]}
        self.assertEqual(rounds.nearest(servers, ['epoll']), 'uv')
        self.assertIsNone(rounds.nearest({'epoll': []}, ['epoll']))
        self.assertTrue(rounds.sentence(servers, 'epoll', 'uv').startswith('epoll has 0.67 (0.67 to 0.67, 96.9 % '))
        self.assertIn('cannot tell epoll and asio apart by', rounds.sentence(servers, 'epoll', 'asio'))


class Printed(unittest.TestCase):
    def test_cells_stand_under_their_headings(self):
        table = Table(('name', '<6'), ('qps', '>9,.0f'), ('us', '>6.2f'), ('ratio', '<5'))
        self.assertEqual([table.head(), table.row('epoll', 12345.6, 1.234, ''),
                          table.row('uring', 'failed', '-', 'x 2')],
                         ['  name         qps     us ratio',
                          '  epoll     12,346   1.23',
                          '  uring     failed      - x 2'])
        with self.assertRaises(ValueError):
            table.row('too', 'few')


if __name__ == '__main__':
    unittest.main()

"""What is promised of a comparison, and what its rounds say of it."""
import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.load import Point
from bench.ratio import median_interval
from bench.rounds import COST
import report
import targets


class Targets(unittest.TestCase):
    def test_each_peer_has_the_promise_of_its_point(self):
        at = str(Point.parse('512x1000'))
        self.assertEqual(targets.wanted_of(at, 'asio'), 1.2)
        self.assertEqual(targets.wanted_of(at, 'bufferevent'), 1.8)
        self.assertEqual(targets.wanted_of(str(Point.parse('512x10')), 'asio'), 0.97)

    def test_a_miss_is_told_from_noise(self):
        self.assertIn('met by 25 %', targets.line('asio', 'epoll', 1.2, median_interval([1.5] * 6)))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, median_interval([1.08] * 6)).endswith('MISSED by 10 %'))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, median_interval([1.1] * 3 + [1.3] * 3))
                        .endswith('noise: the interval holds the promise'))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, median_interval([1.5] * 5))
                        .endswith('noise: 5 rounds'))

    def test_a_promise_that_no_round_can_judge_is_neither_met_nor_missed(self):
        self.assertTrue(targets.line('uv', 'epoll', 1.1, None).endswith('n/a'))

    def test_both_backends_are_judged_and_a_baseline_is_not(self):
        runs = [{'point': str(Point.parse('512x1000')), 'server': name, 'round': n, 'placed': 'near', COST: 1.0}
                for n in range(6) for name in ('epoll', 'uring', 'asio', 'threads')]
        self.assertEqual([verdict[2:4] for verdict in targets.verdicts(runs)],
                         [('asio', 'epoll'), ('asio', 'uring')])

    def test_a_floor_is_judged_against_what_it_is_the_floor_of(self):
        runs = [{'point': str(Point.parse(point)), 'server': name, 'round': n, 'placed': 'near', COST: 1.0}
                for n in range(6) for name in ('epoll', 'uring', 'floor-epoll', 'floor-uring')
                for point in ('16kx10', '1mx10')]
        self.assertEqual([verdict[0::2][:3] for verdict in targets.verdicts(runs)],
                         [(str(Point.parse('16kx10')), 'floor-epoll', 0.97),
                          (str(Point.parse('16kx10')), 'floor-uring', 0.97)])
        self.assertEqual([verdict[2:4] for verdict in targets.verdicts(runs)],
                         [('floor-epoll', 'epoll'), ('floor-uring', 'uring')])


class Tables(unittest.TestCase):
    def test_a_point_ends_in_a_sentence_about_the_nearest_peer(self):
        figures = {'qps': 1e5, 'server_cpu_pct': 99, 'client_cpu_pct': 50, report.CLIENT_COST: 1.0, 'steal_pct': 0,
                   'waited_pct': 0, 'distance_ns': [60, 60]}
        runs = [{'point': str(Point.parse('512x1000')), 'server': name, 'round': n, 'placed': 'near', COST: cost,
                 **figures} for n in range(6) for name, cost in (('epoll', 1.0), ('asio', 1.5), ('uv', 1.25))]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            report.print_points(runs)
        self.assertIn('  epoll has 0.80 (0.80 to 0.80, 96.9 % confidence, 6 rounds) of uv\'s server CPU per message\n',
                      printed.getvalue())
        self.assertNotIn('asio\'s', printed.getvalue())


if __name__ == '__main__':
    unittest.main()

"""What is promised of a comparison, and what its rounds say of it."""
import contextlib
import io
import pathlib
import runpy
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.load import Point
from bench.ratio import median_interval
from bench.rounds import COST
import ending
import memory
import paced
import real_servers_beside
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
                        .endswith('noise: the interval holds the promise; not even 1000 rounds might'))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, median_interval([1.5] * 5))
                        .endswith('noise: 5 rounds; 6 rounds might'))

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


def printed(show, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        show(*arguments)
    return out.getvalue()


class Conclusions(unittest.TestCase):
    def test_a_client_beside_those_of_a_real_server_ends_in_a_sentence(self):
        runs = {name: {n: {COST: cost} for n in range(6)}
                for name, cost in (('netload epoll', 1.0), ('netload uring', 0.5), ('wrk', 0.8), ('h2load', 2.0))}
        out = printed(real_servers_beside.show_point, runs)
        self.assertRegex(out, r"netload epoll +1\.00 .* 1\.25 .* missed\n")
        self.assertRegex(out, r"netload uring +0\.50 .* 0\.62 .* met\n")
        self.assertIn("  netload epoll has 1.25 (1.25 to 1.25, 96.9 % confidence, 6 rounds) of wrk's client CPU per "
                      'request\n', out)
        self.assertNotIn('h2load has', out)
        out = printed(real_servers_beside.show_point, {'netload epoll': {n: {COST: 1.0} for n in range(6)}})
        self.assertRegex(out, r'netload epoll +1\.00 \(1\.00 to 1\.00\)\n')

    def test_an_open_loop_ends_in_a_sentence_about_each_of_ours(self):
        figures = {'connections': 1, 'messages': 1, 'placed': 'near', 'p50_ms': 1, 'p99_ms': 1, 'pacing_p50_us': 1,
                   'pacing_p99_us': 1, 'rss_mib': 1}
        runs = [figures | {'name': name, 'round': n, 'cost_us': cost} for n in range(6)
                for name, cost in (('netload block', 2), ('sockperf under-load', 4))]
        self.assertIn("  netload block has 0.50 (0.50 to 0.50, 96.9 % confidence, 6 rounds) of sockperf under-load's "
                      'client CPU per message\n', printed(paced.show, runs, None))

    def test_what_was_measured_once_cannot_tell_and_says_what_might(self):
        measured = {'epoll': {'spoken_bytes': 100}, 'uv': {'spoken_bytes': 400}, 'asio': {'spoken_bytes': 200},
                    'event': {'spoken_bytes': None}}
        self.assertEqual(memory.against_nearest(measured, 'epoll', {'epoll', 'uring'}),
                         'cannot tell epoll and asio apart by memory per connection: 0.50 (0.50 to 0.50, 0.0 % '
                         'confidence, 1 round); 6 rounds might')
        self.assertIn('was not measured', memory.against_nearest(measured, 'uring', {'epoll', 'uring'}))
        # Python has a module of that name already.
        conclusions = runpy.run_path(str(pathlib.Path(__file__).with_name('codecs.py')))['conclusions']
        rows = {('decode', 'json:own'): 10.0, ('decode', 'json:sonic-rs'): 8.0, ('decode', 'json:simdjson'): 9.0,
                ('decode', 'protobuf:own'): 10.0}
        self.assertEqual(list(conclusions(rows)),
                         ['cannot tell json:own and json:sonic-rs apart by time to decode: 1.25 (1.25 to 1.25, 0.0 % '
                          'confidence, 1 round); 6 rounds might'])

    def test_what_ends_undecided_says_what_it_takes(self):
        self.assertTrue(ending.judged('exit', median_interval([1.4, 1.6] * 3)).endswith('cannot tell; not even 1000 '
                                                                                       'rounds might'))
        self.assertTrue(ending.judged('exit', median_interval([1.0] * 5)).endswith('cannot tell; 6 rounds might'))


if __name__ == '__main__':
    unittest.main()

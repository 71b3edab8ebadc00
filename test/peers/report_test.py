"""What the rounds of a comparison are taken to say."""
import unittest

import rounds
import targets
from load import Point, placed


def run(server, number, cost, where='near', point='512x1000'):
    return {'point': str(Point.parse(point)), 'server': server, 'round': number, 'placed': where,
            rounds.COST: cost}


class Rounds(unittest.TestCase):
    def test_a_run_that_the_processors_left_is_of_no_placement(self):
        self.assertEqual(placed(63.0, 70.0), 'near')
        self.assertEqual(placed(400.0, 350.0), 'far')
        self.assertEqual(placed(63.0, 400.0), 'moved')
        self.assertIsNone(placed(None, None))

    def test_only_runs_of_one_round_and_placement_are_compared(self):
        runs = [run('epoll', n, 1.0) for n in range(5)] + [run('asio', n, 1.5) for n in range(5)]
        runs += [run('epoll', 5, 4.0, 'far'), run('asio', 5, 1.5)]
        [(_, where, servers)] = rounds.groups(runs)
        self.assertEqual(where, 'near')
        self.assertEqual(rounds.ratios(servers['asio'], servers['epoll']), [1.5] * 5)

    def test_runs_bound_at_opposite_ends_are_not_compared(self):
        def bound(server, server_pct, client_pct):
            return run(server, 0, 1.0) | {'server_cpu_pct': server_pct,
                                          'client_cpu_pct': client_pct}
        ours = [bound('epoll', 100, 80)]
        self.assertEqual(rounds.ratios([bound('uv', 75, 100)], ours), [])
        self.assertEqual(rounds.ratios([bound('uv', 98, 100)], ours), [1.0])
        self.assertEqual(rounds.ratios([bound('uv', 100, 50)], ours), [1.0])

    def test_a_placement_with_rounds_enough_is_a_group_of_its_own(self):
        runs = [run('epoll', n, 1.0) for n in range(6)]
        runs += [run('epoll', n, 4.0, 'far') for n in range(6, 11)]
        self.assertEqual([group[1] for group in rounds.groups(runs)], ['near', 'far'])
        self.assertEqual([group[1] for group in rounds.groups(runs[:-1])], ['near'])

    def test_rounds_settle_a_ratio_by_agreeing(self):
        self.assertTrue(rounds.settled([1.1] * 5))
        self.assertFalse(rounds.settled([1.1] * 4))
        self.assertFalse(rounds.settled([1.1] * 4 + [0.9]))
        self.assertTrue(rounds.settled([1.1] * 9 + [0.9]))
        self.assertFalse(rounds.settled([1.1] * 4 + [1.3], wanted=1.2))


class Targets(unittest.TestCase):
    def test_each_peer_has_the_promise_of_its_point(self):
        at = str(Point.parse('512x1000'))
        self.assertEqual(targets.wanted_of(at, 'asio'), 1.2)
        self.assertEqual(targets.wanted_of(at, 'bufferevent'), 1.8)
        self.assertEqual(targets.wanted_of(str(Point.parse('512x10')), 'asio'), 0.97)

    def test_a_miss_is_told_from_noise(self):
        self.assertIn('met by 25 %', targets.line('asio', 'epoll', 1.2, [1.5] * 5))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, [1.08] * 5).endswith('MISSED by 10 %'))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, [1.1] * 3 + [1.3] * 2)
                        .endswith('noise: the rounds disagree'))
        self.assertTrue(targets.line('asio', 'epoll', 1.2, [1.5] * 4).endswith('noise: 4 rounds'))

    def test_a_promise_that_no_round_can_judge_is_neither_met_nor_missed(self):
        self.assertTrue(targets.line('uv', 'epoll', 1.1, []).endswith('n/a'))

    def test_both_backends_are_judged_and_a_baseline_is_not(self):
        runs = [run(name, n, 1.0) for n in range(5)
                for name in ('epoll', 'uring', 'asio', 'threads')]
        self.assertEqual([verdict[2:4] for verdict in targets.verdicts(runs)],
                         [('asio', 'epoll'), ('asio', 'uring')])


if __name__ == '__main__':
    unittest.main()

"""Shares are run as one load, and what is said of their gaps follows from the gaps."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.ratio import paired_ratio
import schedules
import shares

BUILD = sys.argv.pop(1)


def run(number, *gaps):
    return {'round': number, 'gaps_ns': gaps, 'mean_ns': 10}


class Gaps(unittest.TestCase):
    def test_gaps_are_those_of_all_connections_together(self):
        self.assertEqual(schedules.gaps({0: [100, 120, 140], 1: [111, 131]}, 0), [9, 9, 11, 11])
        self.assertEqual(schedules.gaps({0: [100, 120, 140], 1: [111, 131]}, 115), [9, 11])

    def test_a_run_differs_from_one_in_the_same_round(self):
        runs = {shares.ONE: [run('1', 8, 10, 12), run('2', 5, 10, 15)],
                shares.SHARES: [run('2', 5, 10, 15), run('1', 0, 10, 19)]}
        self.assertEqual(shares.differences(runs, shares.SHARES), {'2': 0, '1': 50})

    def test_they_are_like_those_of_one_where_strangers_are_far_more_off(self):
        def said(off):
            return shares.verdict(paired_ratio([(off, 100)] * 6), 100, 4)
        self.assertIn('4 shares are like', said(5))
        self.assertIn('are NOT like', said(20))
        self.assertIn('6 rounds might', shares.verdict(paired_ratio([(5, 100)] * 5), 100, 4))

    def test_nothing_is_concluded_where_bursts_are_not_seen(self):
        self.assertIn('cannot tell', shares.verdict(paired_ratio([(20, 14)] * 6), 14, 4))


class Run(unittest.TestCase):
    def test_shares_send_what_one_would_and_strangers_a_part_each(self):
        load = shares.Load(connections=42, rate_hz=50, arrival='even', parts=4, seconds=0.4, warmup_s=0.2)
        for name, messages in ((shares.SHARES, 42 * 30), (shares.STRANGERS, 4 * 10 * 30)):
            one = shares.once(name, BUILD, load)
            self.assertEqual(one['messages'], messages, name)
            self.assertEqual(len(one['gaps_ns']), 99)


if __name__ == '__main__':
    unittest.main(verbosity=2)

"""The interval of a median has the ranks and the confidence of test/measure/ratio_test.cpp."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.ratio import CONFIDENCE, ROUNDS_MIN, conclusion, median_interval, paired_ratio

# Rounds, rank of the lower end, confidence: 1 - 2 (C(n,0) + ... + C(n,k-1)) / 2^n.
KNOWN = ((1, 1, 0), (2, 1, 0.5), (4, 1, 0.875), (5, 1, 0.9375), (6, 1, 0.96875), (8, 1, 0.9921875),
         (9, 2, 0.9609375), (12, 3, 0.96142578125), (20, 6, 0.9586105346679688),
         (100, 40, 0.9647997997822952), (2000, 956, 0.9534471795082162))

# As in test/measure/conclusion_test.cpp.
SENTENCES = (
    ([0.91, 0.92, 0.93, 0.95, 0.96, 0.97], "uring has 0.94 (0.91 to 0.97, 96.9 % confidence, 6 rounds) of epoll's CPU"),
    ([0.88, 0.9, 0.94, 0.96, 0.97, 1.02],
     'cannot tell uring and epoll apart by CPU: 0.95 (0.88 to 1.02, 96.9 % confidence, 6 rounds); 12 rounds might'),
    ([0.5] * 5, 'cannot tell uring and epoll apart by CPU: 0.50 (0.50 to 0.50, 93.8 % confidence, 5 rounds); 6 rounds might'),
    ([0.5], 'cannot tell uring and epoll apart by CPU: 0.50 (0.50 to 0.50, 0.0 % confidence, 1 round); 6 rounds might'),
    ([1.0] * 6, 'cannot tell uring and epoll apart by CPU: 1.00 (1.00 to 1.00, 96.9 % confidence, 6 rounds); '
                'not even 1000 rounds might'))


def ranks(n):
    figures = list(range(1, n + 1))
    random.Random(n).shuffle(figures)
    return figures


class Ratio(unittest.TestCase):
    def test_ranks_and_confidence_are_those_of_the_binomial(self):
        for rounds, lower, confidence in KNOWN:
            with self.subTest(rounds):
                interval = median_interval(ranks(rounds))
                self.assertEqual((interval.lower, interval.upper), (lower, rounds + 1 - lower))
                self.assertEqual(interval.median, (rounds + 1) / 2)
                self.assertAlmostEqual(interval.confidence, confidence, 9)
                self.assertEqual(interval.rounds, rounds)
        self.assertIsNone(median_interval([]))

    def test_fewer_rounds_than_the_least_conclude_nothing(self):
        self.assertGreaterEqual(median_interval(ranks(ROUNDS_MIN)).confidence, CONFIDENCE)
        self.assertLess(median_interval(ranks(ROUNDS_MIN - 1)).confidence, CONFIDENCE)
        self.assertEqual(median_interval([2] * ROUNDS_MIN).side(1), 1)
        self.assertEqual(median_interval([2] * (ROUNDS_MIN - 1)).side(1), 0)

    def test_a_side_is_taken_when_all_of_the_interval_is_on_it(self):
        interval = median_interval(ranks(9))  # 2 to 8
        self.assertEqual([interval.side(line) for line in (1.9, 2, 5, 8, 8.1)], [1, 0, 0, 0, -1])

    def test_ratios_are_taken_before_the_median(self):
        ratio = paired_ratio([(2, 1), (100, 100), (30, 10), (0, 5), (5, 0)])
        self.assertEqual((ratio.lower, ratio.median, ratio.upper, ratio.rounds), (1, 2, 3, 3))
        self.assertIsNone(paired_ratio([(0, 1)]))

    def test_an_interval_stands_in_the_words_of_netload(self):
        self.assertEqual(median_interval([1.489, 1.38, 1.591]).text(2), '1.49 (1.38 to 1.59)')

    def test_a_conclusion_is_one_sentence_in_the_words_of_the_tools(self):
        for ratios, sentence in SENTENCES:
            with self.subTest(sentence):
                self.assertEqual(conclusion(median_interval(ratios), 'uring', 'epoll', 'CPU'), sentence)


if __name__ == '__main__':
    unittest.main()

"""Ratios of paired rounds, and how well a few rounds know them: the rule of lib/measure/ratio.h."""
import dataclasses
import math
import statistics

# What is asked of an interval before something is concluded from it, and the rounds it takes.
CONFIDENCE = 0.95
ROUNDS_MIN = 6
# What Interval.text() shows, for those who read a table.
LEGEND = (f'median (interval that holds the true one with {100 * CONFIDENCE:.0f} %; least to most of fewer than '
          f'{ROUNDS_MIN} rounds)')


@dataclasses.dataclass(frozen=True)
class Interval:
    """A median, and the interval that holds the true one with this confidence."""
    median: float
    lower: float
    upper: float
    confidence: float
    rounds: int

    def text(self, digits):
        return f'{self.median:,.{digits}f} ({self.lower:,.{digits}f} to {self.upper:,.{digits}f})'

    def side(self, line):
        """1 where all of the interval is above `line`, -1 below it, 0 where that is not sure."""
        if self.confidence < CONFIDENCE:
            return 0
        return (self.lower > line) - (self.upper < line)


def median_interval(figures):
    """From the k-th lowest to the k-th highest figure, k as high as CONFIDENCE allows; the lowest to
    the highest of too few rounds. None without figures."""
    if not figures:
        return None
    ordered, n = sorted(figures), len(figures)
    k, missed = 1, 2  # Of 2 ** n ways to lie below and above the true median, all as likely.
    while 2 * (k + 1) <= n and (more := missed + 2 * math.comb(n, k)) / 2 ** n <= 1 - CONFIDENCE:
        k, missed = k + 1, more
    return Interval(statistics.median(ordered), ordered[k - 1], ordered[n - k], 1 - missed / 2 ** n, n)


def paired_ratio(pairs):
    """Of first / second, round by round: what slows the machine slows both runs of a round."""
    return median_interval([first / second for first, second in pairs if first > 0 and second > 0])

"""Ratios of paired rounds, and how well a few rounds know them: the rule of lib/measure/ratio.h."""
import dataclasses
import math
import statistics

# What is asked of an interval before something is concluded from it, and the rounds it takes.
CONFIDENCE = 0.95
ROUNDS_MIN = 6
# More rounds than this are not worth asking for: what takes them is level.
ROUNDS_WORTH_MAX = 1000
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

    def words(self):
        return (f'{self.median:.2f} ({self.lower:.2f} to {self.upper:.2f}, {100 * self.confidence:.1f} % '
                f'confidence, {self.rounds} round{"" if self.rounds == 1 else "s"})')

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


def rounds_that_might(ratio, line):
    """How many rounds might put the interval on one side of `line`; 0: too many to ask for."""
    distance = abs(math.log(ratio.median / line))
    reach = math.log(ratio.median / ratio.lower if ratio.median > line else ratio.upper / ratio.median)
    needed = ratio.rounds * (reach / distance) ** 2 if distance else math.inf
    return 0 if needed > ROUNDS_WORTH_MAX else max(math.ceil(needed), ratio.rounds + 1, ROUNDS_MIN)


def what_it_takes(ratio, line):
    """What might put an undecided ratio on one side of `line`."""
    rounds = rounds_that_might(ratio, line)
    return f'{rounds} rounds might' if rounds else f'not even {ROUNDS_WORTH_MAX} rounds might'


def conclusion(ratio, one, other, figure):
    """What a ratio lets be concluded, in the words of lib/measure/conclusion.h."""
    if ratio.side(1):
        return f"{one} has {ratio.words()} of {other}'s {figure}"
    return f'cannot tell {one} and {other} apart by {figure}: {ratio.words()}; {what_it_takes(ratio, 1)}'

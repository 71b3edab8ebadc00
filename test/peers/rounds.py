"""Runs grouped by point and placement, and what their rounds say about two servers."""
import statistics

# What is compared: processor time in us, of the server or of the client, per message.
COST = 'cost_us'
# Fewer agree by chance too often: five rounds in one case of sixteen.
ROUNDS_MIN = 5


def points(runs):
    """{point: {placement: {server: its runs}}}, in the order in which they ran."""
    grouped = {}
    for run in runs:
        placements = grouped.setdefault(run['point'], {})
        placements.setdefault(run['placed'], {}).setdefault(run['server'], []).append(run)
    return grouped


def fullness(servers):
    """How many rounds the servers of a group have, by their median: some may have failed."""
    return statistics.median_low([len(runs) for runs in servers.values()])


def groups(runs):
    """Of every point the fullest group, and all others with enough rounds: (point, placement,
    {server: its runs}). The rest has too few rounds for a word."""
    for point, placements in points(runs).items():
        fullest = max(placements, key=lambda placed: fullness(placements[placed]))
        for placed, servers in placements.items():
            if placed == fullest or fullness(servers) >= ROUNDS_MIN:
                yield point, placed, servers


def values(runs, figure):
    return [run[figure] for run in runs]


def ratios(peers, ours):
    """Of the cost, round by round: what happens to the machine happens to both of a round."""
    our_cost = {run['round']: run[COST] for run in ours}
    return [run[COST] / our_cost[run['round']] for run in peers if run['round'] in our_cost]


def settled(of_rounds, wanted=1.0):
    """Whether the rounds agree on which side of `wanted` they are: all of up to 9, nine in ten of
    more."""
    above = sum(ratio >= wanted for ratio in of_rounds)
    return (max(above, len(of_rounds) - above) >= 0.9 * len(of_rounds) and
            len(of_rounds) >= ROUNDS_MIN)


def spread(numbers, digits):
    middle = statistics.median(numbers)
    return f'{middle:.{digits}f} ({min(numbers):.{digits}f}..{max(numbers):.{digits}f})'

"""Runs grouped by point and placement, and what their rounds say about two servers."""
import statistics

# What is compared: processor time in us, of the server or of the client, per message.
COST = 'cost_us'
# Fewer agree by chance too often: five rounds in one case of sixteen.
ROUNDS_MIN = 5
# Shares of a processor that differ by less are those of two ends that were both busy.
BOTH_BUSY_PCT = 5


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


def bound_at(run):
    """The end that was busier by far, "server" or "client"; None where both were, or unknown."""
    ahead_pct = run.get('server_cpu_pct', 0) - run.get('client_cpu_pct', 0)
    if abs(ahead_pct) <= BOTH_BUSY_PCT:
        return None
    return 'server' if ahead_pct > 0 else 'client'


def opposed(one, other):
    """Whether the client was the bottleneck of one run and the server that of the other. The two
    cannot be compared: messages queue before the bottleneck, leave its caches meanwhile, and cost
    it up to 1.4 times as much, and the other end as much less."""
    return {bound_at(one), bound_at(other)} == {'server', 'client'}


def pairs(peers, ours):
    """(peer's run, our run) of each round."""
    our_run = {run['round']: run for run in ours}
    return [(run, our_run[run['round']]) for run in peers if run['round'] in our_run]


def ratios(peers, ours):
    """Of the cost, round by round: what happens to the machine happens to both of a round."""
    return [theirs[COST] / our[COST] for theirs, our in pairs(peers, ours)
            if not opposed(theirs, our)]


def settled(of_rounds, wanted=1.0):
    """Whether the rounds agree on which side of `wanted` they are: all of up to 9, nine in ten of
    more."""
    above = sum(ratio >= wanted for ratio in of_rounds)
    return (max(above, len(of_rounds) - above) >= 0.9 * len(of_rounds) and
            len(of_rounds) >= ROUNDS_MIN)


def spread(numbers, digits):
    middle = statistics.median(numbers)
    return f'{middle:.{digits}f} ({min(numbers):.{digits}f}..{max(numbers):.{digits}f})'

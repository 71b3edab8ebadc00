"""Runs taken in turn, round by round; and the rounds grouped by what makes them comparable."""
import statistics

from bench.console import progress
from bench.ratio import ROUNDS_MIN, conclusion, paired_ratio

# What is compared if nothing else is said: processor time in us, of server or client, per message.
COST = 'cost_us'
# Shares of a processor that differ by less are those of two ends that were both busy.
BOTH_BUSY_PCT = 5


def take(subjects, once, order, enough, what):
    """Runs once(subject) for each of {name: subject} in every round, in the shuffled order of
    `order`, until enough(number of rounds). Yields (round, name, run); a run that failed, which says
    why in 'failed', is the last of its subject."""
    live, number = list(subjects), 0
    while live and not enough(number):
        number += 1
        order.shuffle(live)
        for name in list(live):
            progress(f'{what}, round {number}: {name}')
            try:
                run = once(subjects[name])
            except RuntimeError as error:
                run = {'failed': str(error)}
            if 'failed' in run:
                live.remove(name)
            yield number, name, run
    progress('')


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
    {server: its runs}). Nothing is concluded from the rest, which has too few rounds."""
    for point, placements in points(runs).items():
        fullest = max(placements, key=lambda placed: fullness(placements[placed]))
        for placed, servers in placements.items():
            if placed == fullest or fullness(servers) >= ROUNDS_MIN:
                yield point, placed, servers


def heading(point, placed, servers):
    """The line above the table of a group: its point, and how far apart its processors were."""
    trips = [ns for runs in servers.values() for run in runs for ns in run['distance_ns'] if ns]
    if not trips:
        return f'\n{point}'
    return f'\n{point}; processors {placed}: a cache line there and back {statistics.median(trips):.0f} ns'


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


def ratio(peers, ours, figure=COST):
    """The interval of a figure's ratio, or None where no round can be compared."""
    return paired_ratio([(theirs[figure], our[figure]) for theirs, our in pairs(peers, ours)
                         if not opposed(theirs, our)])


def sentence(servers, one, other, figure=COST, words='server CPU per message'):
    """What a group concludes about two of its servers."""
    known = ratio(servers.get(one, []), servers.get(other, []), figure)
    if not known:
        return f'cannot tell {one} and {other} apart by {words}: no round has both, with the same bottleneck'
    return conclusion(known, one, other, words)


def nearest(servers, ours, figure=COST):
    """The one of the others that needs least; None where there is none."""
    others = [name for name in servers if name not in ours]
    return min(others, key=lambda name: statistics.median(values(servers[name], figure)), default=None)

"""Medians, spreads and ratios of the rounds, and the tables that show them."""
import statistics
import sys

from servers import BASELINES

COST = 'server_us_cpu_per_message'
# A peer that is ahead by less is called even: the aim is no point behind by more.
AHEAD_BY = 1.03
# From which on a point's figures are called disturbed: steal in percent of the machine, and what
# other processes had, in percent of one core.
STEAL_MAX_PCT = 1.0
OTHERS_MAX_PCT = 20.0


def progress(text):
    if sys.stderr.isatty():
        print(f'\r{text}\033[K', end='', file=sys.stderr, flush=True)


def values(one, figure):
    return [done[figure] for done in one['rounds']]


def ratios(peer, ours):
    """Of the cost, round by round: what happens to the machine happens to both of a round."""
    pairs = zip(values(peer, COST), values(ours, COST))
    return [theirs / our for theirs, our in pairs]


def settled(of_rounds):
    """Whether the rounds agree which of the two is ahead: all of up to 9, nine in ten of more.

    By chance alone five rounds agree in one case of sixteen.
    """
    above = sum(ratio > 1 for ratio in of_rounds)
    return max(above, len(of_rounds) - above) >= 0.9 * len(of_rounds) and len(of_rounds) >= 5


def spread(numbers, digits):
    middle = statistics.median(numbers)
    return f'{middle:.{digits}f} ({min(numbers):.{digits}f}..{max(numbers):.{digits}f})'


def ratio_cell(one, ours):
    if ours is None or one is ours or not ours['rounds']:
        return '-'
    of_rounds = ratios(one, ours)
    if not of_rounds:
        return '-'
    return spread(of_rounds, 2) + ('' if settled(of_rounds) else ' ~')


def print_servers(versions):
    for name, version in versions.items():
        print(f'{name:<12} {version}')


def print_disturbance(all_rounds):
    steal = [done['steal_pct'] for done in all_rounds]
    others = statistics.median(done['others_cpu_pct'] for done in all_rounds)
    disturbed = statistics.median(steal) > STEAL_MAX_PCT or others > OTHERS_MAX_PCT
    print(f'  steal {statistics.median(steal):.2f} % (to {max(steal):.2f} %), other processes '
          f'{others:.0f} % of a core{": disturbed, not to be trusted" if disturbed else ""}')


def print_point(point):
    servers = point['servers']
    all_rounds = [done for one in servers.values() for done in one['rounds']]
    print(f"\n{point['point']}")
    if all_rounds:
        print(f"  {'server':<12} {'CPU us/message':<22} {'qps':>9} {'server':>7} {'client':>7}  "
              f"{'x our epoll':<21} x our uring")
    for name, one in servers.items():
        if one['rounds']:
            cells = [ratio_cell(one, servers.get(ours)) for ours in BASELINES]
            print(f"  {name:<12} {spread(values(one, COST), 2):<22} "
                  f"{statistics.median(values(one, 'qps')):>9,.0f} "
                  f"{statistics.median(values(one, 'server_cpu_pct')):>6.0f}% "
                  f"{statistics.median(values(one, 'client_cpu_pct')):>6.0f}%  "
                  f"{cells[0]:<21} {cells[1]}")
        if 'failed' in one:
            print(f"  {name:<12} failed: {one['failed']}")
    if all_rounds:
        print_disturbance(all_rounds)
    sys.stdout.flush()


def verdicts(points):
    """For each peer and backend at each point: (point, peer, backend, ratio, is it settled)."""
    for point in points:
        servers = point.get('servers', {})
        for ours in BASELINES:
            for name, one in servers.items():
                if name in BASELINES or ours not in servers:
                    continue
                of_rounds = ratios(one, servers[ours])
                if of_rounds:
                    yield (point['point'], name, ours, statistics.median(of_rounds),
                           settled(of_rounds))


def print_summary(points):
    all_of_them = list(verdicts(points))
    if not all_of_them:
        return
    noise = [verdict for verdict in all_of_them if not verdict[4]]
    behind = [verdict for verdict in all_of_them if verdict[3] < 1 / AHEAD_BY]
    print(f'\nof {len(all_of_them)} ratios, {len(noise)} are noise (~): the rounds disagree who '
          'is ahead, or are fewer than 5')
    for text, peer, ours, ratio, sure in behind:
        doubt = '' if sure else ' (noise)'
        print(f'behind: our {ours} at {text}: {peer} needs x {ratio:.2f}{doubt}')
    if not behind:
        print(f'no peer is ahead of either backend by more than {AHEAD_BY - 1:.0%}')


def machine(host):
    if not host:
        return 'unknown: no run succeeded'
    virtual = host['hypervisor'] or 'bare metal'
    return (f"{host['system']} {host['kernel']} {host['architecture']}, {host['cpu']}, "
            f"{host['cores']} cores, {virtual}, {host['compiler']}, {', '.join(host['libraries'])}")


def print_conditions(document, options):
    pinned = any(point.get('server_cpus') for point in document['points'])
    placed = ('server and client pinned apart where there are enough' if pinned else
              'not pinned: there are too few')
    print(f"""
rounds   {options.rounds} of {options.duration:g} s after {options.warmup:g} s, in turn, order rotated, each a fresh server
figures  median (least..most); CPU of the whole server process, per message that netload had back;
         ratios round by round: above 1 the peer needs more than ours
cpus     {placed}; loopback only, every reply verified
machine  {machine(document['host'])}""")

"""The tables of a comparison: medians, spreads and ratios of the rounds."""
import statistics
import sys

import rounds
from servers import BASELINES, KINDS

CLIENT_COST = 'client_us_cpu_per_message'


def progress(text):
    if sys.stderr.isatty():
        print(f'\r{text}\033[K', end='', file=sys.stderr, flush=True)


def ratio_cell(runs, ours):
    if ours is None or runs is ours:
        return '-'
    of_rounds = rounds.ratios(runs, ours)
    if not of_rounds:
        return '-'
    return rounds.spread(of_rounds, 2) + ('' if rounds.settled(of_rounds) else ' ~')


def print_servers(versions):
    for name, version in versions.items():
        print(f'{name:<12} {version}')


def print_group(point, placed, servers):
    every = [run for runs in servers.values() for run in runs]
    where = ''
    if placed:
        trips = [ns for run in every for ns in run['distance_ns']]
        where = (f'; processors {placed}: a cache line there and back '
                 f'{statistics.median(trips):.0f} ns')
    print(f"\n{point}{where}\n  {'server':<12} {'CPU us/message':<20} {'qps':<27} {'server':>6} "
          f"{'client':>6} {'both us':>8}  {'x our epoll':<19} x our uring")
    for name in [kind.name for kind in KINDS if kind.name in servers]:
        runs = servers[name]
        cells = [ratio_cell(runs, servers.get(ours)) for ours in BASELINES]
        thousands = [run['qps'] / 1000 for run in runs]
        costs = rounds.values(runs, rounds.COST)
        digits = 2 if statistics.median(costs) >= 1 else 3
        print(f"  {name:<12} {rounds.spread(costs, digits):<20} "
              f"{rounds.spread(thousands, 1) + ' k':<27} "
              f"{statistics.median(rounds.values(runs, 'server_cpu_pct')):>5.0f}% "
              f"{statistics.median(rounds.values(runs, 'client_cpu_pct')):>5.0f}% "
              f"{statistics.median(run[rounds.COST] + run[CLIENT_COST] for run in runs):>8.2f}  "
              f"{cells[0]:<19} {cells[1]}")
    opposed = sum(rounds.opposed(*pair) for ours in BASELINES for runs in servers.values()
                  for pair in rounds.pairs(runs, servers.get(ours, [])))
    waited = statistics.median(run['waited_pct'] for run in every)
    print(f"  rounds: {rounds.fullness(servers)}, steal up to "
          f"{max(run['steal_pct'] for run in every):.1f} %, servers waited for a processor "
          f'{waited:.1f} % of the time' + (
              f';\n  {opposed} pairs not compared: opposite ends were the bottleneck'
              if opposed else ''))


def print_points(runs):
    """Each point's table, for each placement of the processors that has rounds enough."""
    shown = []
    for point, placed, servers in rounds.groups(runs):
        print_group(point, placed, servers)
        shown.append((point, placed))
    for point, placements in rounds.points(runs).items():
        for placed, servers in placements.items():
            if (point, placed) not in shown:
                print(f'\n{point}; processors {placed}: only {rounds.fullness(servers)} of its '
                      'rounds')


def print_noise(runs):
    """Which ratios are noise, point by point."""
    total, noisy = 0, {}
    for point, placed, servers in rounds.groups(runs):
        for ours in BASELINES:
            for name, own in servers.items():
                of_rounds = rounds.ratios(own, servers.get(ours, []))
                if name in BASELINES or not of_rounds:
                    continue
                total += 1
                if not rounds.settled(of_rounds):
                    where = f'{point}{f", {placed}" if placed else ""}'
                    noisy.setdefault(where, []).append(f'{name}/{ours}')
    count = sum(map(len, noisy.values()))
    print(f'\nof {total} ratios, {count} are noise (~): the rounds disagree who is ahead, or are '
          f'fewer than {rounds.ROUNDS_MIN}')
    for where, names in noisy.items():
        print(f'  {where}: {", ".join(names)}')


def machine(host):
    if not host:
        return 'unknown: no run succeeded'
    virtual = host['hypervisor'] or 'bare metal'
    return (f"{host['system']} {host['kernel']} {host['architecture']}, {host['cpu']}, "
            f"{host['cores']} cores, {virtual}, {host['compiler']}, {', '.join(host['libraries'])}")


def print_conditions(document):
    pinned = any(run['pinned'] for run in document['runs'])
    apart = ('server and client pinned apart where there are enough' if pinned else
             'not pinned: there are too few')
    print(f"""
rounds   of {', '.join(document['lengths'])}, order shuffled in each, each run a fresh server
figures  median (least..most); CPU of the whole server process, per message that netload had back;
         how busy server and client were; what both ends together spent on a message;
         ratios round by round: above 1 the peer needs more than ours
near far the host places our processors: only runs of one placement are compared;
         {document['repeated']} runs were repeated: the processors moved, or others had them
cpus     {apart}; loopback only, every reply verified
machine  {machine(document.get('host'))}""")

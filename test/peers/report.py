"""The tables of a comparison: medians of the rounds, their intervals and ratios."""
import statistics

from bench import rounds
from bench.console import machine
from bench.ratio import LEGEND, ROUNDS_MIN, median_interval
from bench.servers import BASELINES, KINDS
from bench.table import Table

CLIENT_COST = 'client_us_cpu_per_message'


def cell(interval, digits):
    """An interval as text; '~' where it does not say which of the two is ahead."""
    if interval is None:
        return '-'
    return interval.text(digits) + ('' if interval.side(1) else ' ~')


def print_group(point, placed, servers):
    every = [run for runs in servers.values() for run in runs]
    table = Table(('server', '<12'), ('CPU us/message', '<21'), ('x our epoll', '<21'), ('x our uring', '<21'))
    besides = Table(('server', '<12'), ('k/s', '<30'), ('both us', '>8.2f'), ('server busy', '>11'),
                    ('client busy', '>11'))
    print(f'{rounds.heading(point, placed, servers)}\n{table.head()}')
    rows_besides = []
    for name in [kind.name for kind in KINDS if kind.name in servers]:
        runs = servers[name]
        thousands = median_interval([run['qps'] / 1000 for run in runs])
        cost = median_interval(rounds.values(runs, rounds.COST))
        busy = [f'{statistics.median(rounds.values(runs, f"{end}_cpu_pct")):.0f}%' for end in ('server', 'client')]
        ratios = ['-' if runs is servers.get(ours) else cell(rounds.ratio(runs, servers.get(ours, [])), 2)
                  for ours in BASELINES]
        print(table.row(name, cost.text(2 if cost.median >= 1 else 3), *ratios))
        rows_besides.append(besides.row(name, thousands.text(1), statistics.median(
            run[rounds.COST] + run[CLIENT_COST] for run in runs), *busy))
    print('\n'.join([besides.head(), *rows_besides]))
    opposed = sum(rounds.opposed(*pair) for ours in BASELINES for runs in servers.values()
                  for pair in rounds.pairs(runs, servers.get(ours, [])))
    waited = statistics.median(run['waited_pct'] for run in every)
    print(f"  rounds: {rounds.fullness(servers)}, steal up to "
          f"{max(run['steal_pct'] for run in every):.1f} %, servers waited for a processor "
          f'{waited:.1f} % of the time' + (
              f';\n  {opposed} pairs not compared: opposite ends were the bottleneck'
              if opposed else ''))
    peer = rounds.nearest(servers, BASELINES)
    for ours in BASELINES:
        if peer and ours in servers:
            print(f'  {rounds.sentence(servers, ours, peer)}')


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
                ratio = rounds.ratio(own, servers.get(ours, []))
                if name in BASELINES or not ratio:
                    continue
                total += 1
                if not ratio.side(1):
                    where = f'{point}{f", {placed}" if placed else ""}'
                    noisy.setdefault(where, []).append(f'{name}/{ours}')
    count = sum(map(len, noisy.values()))
    print(f'\nof {total} ratios, {count} are noise (~): the interval holds 1, or rests on fewer than '
          f'{ROUNDS_MIN} rounds')
    for where, names in noisy.items():
        print(f'  {where}: {", ".join(names)}')


def print_conditions(document):
    pinned = any(run['pinned'] for run in document['runs'])
    apart = ('server and client pinned apart where there are enough' if pinned else
             'not pinned: there are too few')
    print(f"""
rounds   of {', '.join(document['lengths'])}, order shuffled in each, each run a fresh server
figures  {LEGEND}; CPU of the whole server process, per message that netload had back; ratios round by round: \
above 1 the peer needs more than ours; what both ends together spent on a message; how busy server and client were
placing  near, far: the host places our processors, so only runs of one placement are compared; \
{document['repeated']} runs were repeated: the processors moved, or others had them
cpus     {apart}; loopback only, every reply verified
machine  {machine(document.get('host'))}""")

"""The ratios this project promises, and how far the runs are from them."""
import statistics

import rounds
from load import Point
from servers import BASELINES, KINDS

PEERS = [kind.name for kind in KINDS if not kind.ours and not kind.baseline]
EVEN = {peer: 1.0 for peer in PEERS}
# A peer's cost over ours, at least.
PROMISES = {
    '512x1000': {'asio': 1.20, 'asio-uring': 1.20, 'uv': 1.10, 'event': 1.05, 'bufferevent': 1.80},
    '16kx100': {'asio': 1.25, 'asio-uring': 1.25, 'uv': 1.0, 'bufferevent': 4.0},
    '16kx1000': {'asio': 1.25, 'asio-uring': 1.25, 'uv': 1.0, 'bufferevent': 4.0},
    '64x100': EVEN,
    '64x100p16': EVEN,
}
# Wherever nothing else is promised: no peer is ahead of either backend by more than this.
AHEAD_MAX = 0.03


def wanted_of(point, peer):
    """The least ratio promised for this peer at this point, as report.py writes points."""
    for text, promised in PROMISES.items():
        if point == str(Point.parse(text)) and peer in promised:
            return promised[peer]
    return 1 - AHEAD_MAX


def judge(of_rounds, wanted):
    """(median ratio, by how many percent it is over or under `wanted`, do the rounds agree)."""
    ratio = statistics.median(of_rounds)
    return ratio, 100 * (ratio / wanted - 1), rounds.settled(of_rounds, wanted)


def verdicts(runs):
    """Every promise that the runs can judge: (point, placement, peer, ours, wanted, its rounds)."""
    for point, placed, servers in rounds.groups(runs):
        for peer in PEERS:
            for ours in BASELINES:
                if peer in servers and ours in servers:
                    yield (point, placed, peer, ours, wanted_of(point, peer),
                           rounds.ratios(servers[peer], servers[ours]))


def line(peer, ours, wanted, of_rounds):
    promise = f'  {peer:<12} / {ours:<6} >= {wanted:.2f}'
    if not of_rounds:
        return f'{promise}  opposite ends were the bottleneck: n/a'
    _, percent, sure = judge(of_rounds, wanted)
    said = f'met by {percent:.0f} %' if percent >= 0 else f'MISSED by {-percent:.0f} %'
    doubt = '' if sure else ', noise: the rounds disagree' if (
        len(of_rounds) >= rounds.ROUNDS_MIN) else f', noise: {len(of_rounds)} rounds'
    return f'{promise}  {rounds.spread(of_rounds, 2):<21} {said}{doubt}'


def show(runs):
    """Prints every promise by point, and a last line that counts them."""
    print('\npromised: a peer\'s CPU per message over ours, at least; where nothing is promised, '
          f'{1 - AHEAD_MAX:.2f}')
    before, met, missed, noise = None, 0, 0, 0
    for point, placed, peer, ours, wanted, of_rounds in verdicts(runs):
        if (point, placed) != before:
            print(f'{point}{f", processors {placed}" if placed else ""}')
            before = point, placed
        print(line(peer, ours, wanted, of_rounds))
        if not of_rounds:
            continue
        _, percent, sure = judge(of_rounds, wanted)
        met += sure and percent >= 0
        missed += sure and percent < 0
        noise += not sure
    print(f'{met} met, {missed} missed, {noise} noise')

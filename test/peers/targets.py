"""The ratios this project promises, and how far the runs are from them."""
from bench import rounds
from bench.load import Point
from bench.ratio import ROUNDS_MIN, what_it_takes
from bench.servers import BASELINES, KINDS

PEERS = {kind.name: kind for kind in KINDS if not kind.ours and not kind.baseline}
EVEN = {name: 1.0 for name, kind in PEERS.items() if not kind.floor_of}
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
# A floor has nothing but system calls, which decide what larger messages than these cost.
FLOOR_SIZE_MAX = 16 << 10


def size_of(point):
    """The bytes of a message, as report.py writes points."""
    number, unit = point.split()[:2]
    return float(number) * (1024 if unit == 'KiB' else 1)


def judged(kind, ours, point):
    """Whether that server's cost over ours is promised at this point."""
    return not kind.floor_of or (kind.floor_of == ours and size_of(point) <= FLOOR_SIZE_MAX)


def wanted_of(point, peer):
    """The least ratio promised for this peer at this point, as report.py writes points."""
    for text, promised in PROMISES.items():
        if point == str(Point.parse(text)) and peer in promised:
            return promised[peer]
    return 1 - AHEAD_MAX


def verdicts(runs):
    """Every promise that the runs can judge: (point, placement, peer, ours, wanted, the ratio)."""
    for point, placed, servers in rounds.groups(runs):
        for peer, kind in PEERS.items():
            for ours in BASELINES:
                if peer in servers and ours in servers and judged(kind, ours, point):
                    yield (point, placed, peer, ours, wanted_of(point, peer),
                           rounds.ratio(servers[peer], servers[ours]))


def line(peer, ours, wanted, ratio):
    promise = f'  {peer:<12} / {ours:<6} >= {wanted:.2f}'
    if ratio is None:
        return f'{promise}  opposite ends were the bottleneck: n/a'
    percent = 100 * (ratio.median / wanted - 1)
    said = f'met by {percent:.0f} %' if percent >= 0 else f'MISSED by {-percent:.0f} %'
    doubt = ''
    if not ratio.side(wanted):
        doubt = ', noise: ' + (f'{ratio.rounds} rounds' if ratio.rounds < ROUNDS_MIN else
                               'the interval holds the promise') + f'; {what_it_takes(ratio, wanted)}'
    return f'{promise}  {ratio.text(2):<22} {said}{doubt}'


def show(runs):
    """Prints what is promised of servers."""
    show_all('a peer\'s CPU per message over ours, at least; where nothing is promised, '
             f'{1 - AHEAD_MAX:.2f}', verdicts(runs))


def show_all(what, judged_runs):
    """Prints every promise by point, and a last line that counts them."""
    print(f'\npromised: {what}')
    before, met, missed, noise = None, 0, 0, 0
    for point, placed, peer, ours, wanted, ratio in judged_runs:
        if (point, placed) != before:
            print(f'{point}{f", processors {placed}" if placed else ""}')
            before = point, placed
        print(line(peer, ours, wanted, ratio))
        side = ratio.side(wanted) if ratio else None
        met += side == 1
        missed += side == -1
        noise += side == 0
    print(f'{met} met, {missed} missed, {noise} noise')

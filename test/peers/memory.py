"""User memory per idle connection: how much a server's resident set grows with open connections."""
import pathlib
import subprocess
import time

from bench.load import Point, command
from bench.ratio import conclusion, paired_ratio
from bench.servers import Server, as_child
from bench.table import Table

HELD_S = 60
STEADY_S = 0.5
# Of all connections together: few enough that nearly all stay idle. netload needs some rate.
IDLE_RATE_HZ = 1
# Every connection sends its one message within the first 4 s.
SPOKEN_RATE_HZ = 0.25
SPOKEN_S = 5
STATE_ESTABLISHED = '01'


def resident(pid):
    """Bytes of anonymous and shared memory of the process: neither code nor kernel memory."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text(encoding='ascii')
    fields = dict(line.split(':', 1) for line in status.splitlines())
    return sum(int(fields[name].split()[0]) * 1024 for name in ('RssAnon', 'RssShmem'))


def established(port):
    """How many connections the listener's port of 127.0.0.1 has."""
    local = f'0100007F:{port:04X}'
    with open('/proc/net/tcp', encoding='ascii') as table:
        return sum(line.split(None, 4)[1] == local and line.split(None, 4)[3] == STATE_ESTABLISHED
                   for line in table)


def steady(pid):
    """The resident set once it has stopped to grow."""
    last = -1
    while (now := resident(pid)) != last:
        last = now
        time.sleep(STEADY_S)
    return now


def growth(build, kind, connections, rate, settle_s):
    """Bytes per connection, with each sending by `rate` (netload's options)."""
    with Server(kind, build) as server:
        before = steady(server.pid)
        arguments = command(build, server, Point(64, connections), '-d', f'{HELD_S}s', *rate)
        load = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, preexec_fn=as_child())
        try:
            until = time.monotonic() + HELD_S / 2
            while established(server.port) < connections:
                if time.monotonic() > until or load.poll() is not None or not server.running():
                    return None
                time.sleep(0.2)
            time.sleep(settle_s)
            return (steady(server.pid) - before) / connections
        finally:
            load.terminate()
            load.wait()


def against_nearest(measured, ours, not_peers):
    """What one of our servers needs of the peer's that needs least. Each was measured once, which is no round."""
    spoken = {name: one['spoken_bytes'] for name, one in measured.items() if one['spoken_bytes']}
    peer = min((name for name in spoken if name not in not_peers), key=spoken.get, default=None)
    ratio = paired_ratio([(spoken[ours], spoken[peer])]) if peer and ours in spoken else None
    if not ratio:
        return f'cannot tell what {ours} needs beside others: one of them was not measured'
    return conclusion(ratio, ours, peer, 'memory per connection')


def compare(build, kinds, connections):
    """Prints and returns the bytes per connection of each server, before and after a message."""
    obstacle = Point(64, connections).obstacle()
    if obstacle:
        print(f'skipped, {obstacle}')
        return {'skipped': obstacle}
    table = Table(('server', '<12'), ('never spoken', '>13,.0f'), ('after 64 B', '>13,.0f'))
    print(f'\nbytes of user memory per connection, {connections:,} open\n{table.head()}')
    measured = {}
    for kind in kinds:
        idle = growth(build, kind, connections, ('-R', f'{IDLE_RATE_HZ}'), 0)
        spoken = growth(build, kind, connections, ('-r', f'{SPOKEN_RATE_HZ}'), SPOKEN_S)
        measured[kind.name] = {'idle_bytes': idle, 'spoken_bytes': spoken}
        print(table.row(kind.name, *('failed' if cell is None else cell for cell in (idle, spoken))), flush=True)
    for ours in (kind.name for kind in kinds if kind.ours):
        print(f'  {against_nearest(measured, ours, {kind.name for kind in kinds if kind.ours})}')
    print('growth of RssAnon + RssShmem of the server process since before the first connection;\n'
          'the kernel\'s sockets, and a ring\'s memory in the kernel, are not in it.\n'
          f'never spoken: {IDLE_RATE_HZ} message/s over all; after 64 B: each was answered once')
    return measured

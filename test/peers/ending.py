"""How long many connections take to end: a server from SIGINT to its exit, and a load's system time."""
import contextlib
import os
import random
import resource
import signal
import socket
import time

from bench import rounds
from bench.load import Point, command, result_of
from bench.ratio import median_interval, paired_ratio, what_it_takes
from bench.servers import KINDS, Server
from bench.table import Table

CONNECTIONS = (2500, 5000, 10000, 15000)
LIMIT_S = 60
# io_uring against epoll, and a connection of the most against one of the fewest.
RATIO_MAX = 1.5
FIGURES = {'exit_s': 'server from SIGINT to its exit', 'load_sys_s': "netload's system time"}


def exit_time(build, kind, connections):
    """Seconds from SIGINT until a server with that many open connections has ended."""
    with Server(kind, build) as server, contextlib.ExitStack() as open_ones:
        for _ in range(connections):
            open_ones.enter_context(socket.create_connection(('127.0.0.1', server.port)))
        # Answered: the server has accepted all that came before.
        with socket.create_connection(('127.0.0.1', server.port)) as last:
            last.sendall(b'?')
            last.recv(1)
        begin = time.monotonic()
        os.kill(server.pid, signal.SIGINT)
        server.wait(LIMIT_S)
        return time.monotonic() - begin


def load_system_time(build, server, backend, connections):
    """Seconds that the kernel worked for a netload that opens them, has one answer each and ends."""
    arguments = command(build, server, Point(64, connections), '-n', str(connections),
                        '--backend', backend)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
    result_of(arguments, LIMIT_S)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime - before


def once(build, kind, connections):
    seconds = exit_time(build, kind, connections)
    with Server(KINDS[0], build) as server:
        return {'exit_s': seconds,
                'load_sys_s': load_system_time(build, server, kind.name, connections)}


def judged(what, ratio):
    side = ratio.side(RATIO_MAX)
    said = 'met' if side < 0 else 'MISSED' if side > 0 else f'cannot tell; {what_it_takes(ratio, RATIO_MAX)}'
    return f'  {what:<64} {ratio.text(2):<22} <= {RATIO_MAX}: {said}'


def report(runs):
    """The table, and what it says of the promises."""
    table = Table(('connections', '>11,'), ('server', '<8'), ('exit, ms', '<24'), ('netload, system s', '<24'))
    print(f'\nthe end of many connections\n{table.head()}')
    ours = {}
    for run in runs:
        ours.setdefault((run['connections'], run['server']), []).append(run)
    for (connections, name), some in ours.items():
        print(table.row(connections, name,
                        median_interval([1000 * run['exit_s'] for run in some]).text(0),
                        median_interval([run['load_sys_s'] for run in some]).text(2)))
    print('\npromised')
    fewest, most = min(ours)[0], max(ours)[0]
    for figure, what in FIGURES.items():
        for connections in sorted({key[0] for key in ours}):
            pairs = [[run[figure] for run in ours[connections, name]] for name in ('uring', 'epoll')]
            print(judged(f'{what}, {connections:,}: uring / epoll', paired_ratio(zip(*pairs))))
        for name in ('epoll', 'uring'):
            each = [[run[figure] / run['connections'] for run in ours[connections, name]]
                    for connections in (most, fewest)]
            print(judged(f'{what}, {name}: one of {most:,} / one of {fewest:,}',
                         paired_ratio(zip(*each))))


def compare(build, kinds, count, seed):
    """Prints and returns every run of our servers, both backends in turn."""
    own = {kind.name: kind for kind in kinds if kind.ours}
    runs = []
    for connections in CONNECTIONS:
        obstacle = Point(64, connections).obstacle()
        if obstacle:
            print(f'{connections:,} connections: skipped, {obstacle}')
            continue
        for _, name, run in rounds.take(own, lambda kind: once(build, kind, connections),
                                        random.Random(seed), lambda number: number >= count,
                                        f'{connections:,} connections'):
            if 'failed' in run:
                raise SystemExit(f'compare.py: {name}, {connections:,} connections: {run["failed"]}')
            runs.append(run | {'connections': connections, 'server': name})
    if {run['server'] for run in runs} == {'epoll', 'uring'}:
        report(runs)
    return runs

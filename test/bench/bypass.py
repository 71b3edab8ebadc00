#!/usr/bin/env python3
"""UDP through the kernel and past it: between two namespaces, each way in turn, round by round."""
import argparse
import os
import pathlib
import random
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent / 'cli')]

from bench.console import machine
from bench.document import Document
from bench.ratio import LEGEND, median_interval, paired_ratio, what_it_takes
from bench.rounds import take
from bench.table import Table
from case import Skip
from veth_pair import Pair

# Client, server, how both wait, whether datagrams are gathered, and where the programs run.
WAYS = {
    'kernel, asleep': ('epoll', 'epoll', 'block', 'off', None),
    'kernel, spinning': ('epoll', 'epoll', 'spin', 'off', None),
    'kernel, GSO and GRO': ('epoll', 'epoll', 'block', 'auto', None),
    'AF_XDP at the server, asleep': ('epoll', 'xdp', 'block', 'off', 'native'),
    'AF_XDP at the client, asleep': ('xdp', 'epoll', 'block', 'off', 'native'),
    'AF_XDP at both, asleep': ('xdp', 'xdp', 'block', 'off', 'native'),
    'AF_XDP at both, spinning': ('xdp', 'xdp', 'spin', 'off', 'native'),
    'generic XDP at both, asleep': ('xdp', 'xdp', 'block', 'off', 'generic'),
    'generic XDP at both, spinning': ('xdp', 'xdp', 'spin', 'off', 'generic'),
}
# Flows, and messages of each that are under way.
LOADS = {'1 flow, 1 in flight': (1, 1), '64 flows, 1 in flight': (64, 1),
         '1 flow, 256 in flight': (1, 256)}
# What was promised: load, one way, the other, the figure, and how much of it.
GOALS = [(*goal, 0.5) for xdp in ('AF_XDP', 'generic XDP') for goal in (
    ('64 flows, 1 in flight', f'{xdp} at both, asleep', 'kernel, asleep', 'cpu_us',
     'processor time'),
    ('1 flow, 1 in flight', f'{xdp} at both, spinning', 'kernel, spinning', 'p50_us',
     'round trip'))]


def once(pair, way, load, seconds):
    """One run, on a server of its own."""
    client, server, wait, offload, mode = way
    flows, in_flight = load
    processors = sorted(os.sched_getaffinity(0))
    def at(backend):
        return ('--xdp', mode) if backend == 'xdp' else ()
    echo = pair.serve('--wait', wait, '--udp-offload', offload, '--cpus', str(processors[-1]),
                      *at(server), backend=server)
    try:
        loading = pair.load('-c', str(flows), '-P', str(in_flight), '-s', '64', '-w', '100ms',
                            '-d', f'{seconds}s', '--timeout', '100ms', '--wait', wait,
                            '--udp-offload', offload, '--max-errors', '1000000000',
                            '--cpus', str(processors[0]), '--server-pid', str(echo.pid),
                            *at(client), backend=client).finish()
        if loading.code != 0:
            raise RuntimeError(loading.err)
        result = loading.json()
    finally:
        echo.kill()
    if result['path']['active'] != client:
        raise RuntimeError(f"{result['path']['active']} ran instead of {client}")
    return {'client_us': result['us_cpu_per_message'], 'rate': result['totals']['qps'],
            'server_us': result['server_us_cpu_per_message'],
            'cpu_us': result['us_cpu_per_message'] + result['server_us_cpu_per_message'],
            'p50_us': dict(result['latency_ns']['percentiles'])[50] / 1000,
            'sent': result['outcome']['sent'], 'lost': result['outcome']['lost'],
            'host': result['host']}


def print_load(name, runs):
    table = Table(('p50 and CPU in us', '<30'), ('p50', '>7,.1f'), ('client', '>7,.2f'),
                  ('server', '>7,.2f'), ('both', '>6,.2f'), ('k/s', '>6,.0f'), ('lost', '>9'))
    print(f'\n{name}\n{table.head()}')
    for way in WAYS:
        kept = [run for run in runs[name] if run['way'] == way and 'failed' not in run]
        if not kept:
            failed = next((run['failed'] for run in runs[name] if run['way'] == way), 'not run')
            print(f'  {way:<30} {failed.strip()}')
            continue
        def middle(figure, kept=kept):
            return median_interval([run[figure] for run in kept]).median
        lost, sent = sum(run['lost'] for run in kept), sum(run['sent'] for run in kept)
        print(table.row(way, middle('p50_us'), middle('client_us'), middle('server_us'),
                        middle('cpu_us'), middle('rate') / 1000, f'{100 * lost / sent:.2g} %' if lost else '0'))


def print_goal(runs, goal):
    load, way, other, figure, name, most = goal
    rounds = {}
    for run in runs[load]:
        if 'failed' not in run:
            rounds.setdefault(run['round'], {})[run['way']] = run[figure]
    ratio = paired_ratio([(one[way], one[other]) for one in rounds.values()
                          if way in one and other in one])
    if ratio is None:
        print(f'  {load}: {way} was not measured beside {other}')
        return
    side = ratio.side(most)
    met = {-1: 'met', 1: 'missed'}.get(
        side, f"cannot tell, by the median {'met' if ratio.median <= most else 'missed'}; {what_it_takes(ratio, most)}")
    print(f'  {load}: {way} has {ratio.words()} of the {name} of {other}; '
          f'at most {most} was the goal: {met}')


def measure(options, document):
    runs = {}
    order = random.Random(options.seed)
    with Pair() as pair:
        for name, load in LOADS.items():
            runs[name] = []
            def run_once(way, load=load):
                return once(pair, way, load, options.seconds)
            for number, way, run in take(WAYS, run_once, order,
                                         lambda done: done == options.rounds, name):
                run |= {'load': name, 'way': way, 'round': number}
                runs[name].append(run)
                document.add({key: value for key, value in run.items() if key != 'host'}
                             | {'point': name, 'server': way})
            print_load(name, runs)
    print('\nProcessor time is that of a message and its answer. What the kernel does in an '
          'interrupt is charged to whom it interrupts. Both ends are on one machine, joined by '
          'veth: no network card was tried.')
    print('\ngoals, ' + LEGEND)
    for goal in GOALS:
        print_goal(runs, goal)
    print('\n' + machine(next((run['host'] for every in runs.values() for run in every
                               if 'host' in run), None)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build')
    parser.add_argument('--rounds', type=int, default=6)
    parser.add_argument('--seconds', type=float, default=0.5)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--json', help='a file that netreport reads')
    options = parser.parse_args()
    tools = pathlib.Path(options.build).resolve() / 'tools'
    os.environ.update(NETECHO=str(tools / 'netecho'), NETLOAD=str(tools / 'netload'))
    if len(os.sched_getaffinity(0)) < 2:
        print('SKIP: it needs two processors')
        return 77
    try:
        with Document('bypass', options.json, 'kernel, asleep') as document:
            measure(options, document)
    except Skip as reason:
        print(f'SKIP: {reason}')
        return 77
    return 0


if __name__ == '__main__':
    sys.exit(main())

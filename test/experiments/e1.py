#!/usr/bin/env python3
"""E1, tinynet: 10,000 connections on one echo server, in five formats, as a loop and in three stages.

The server of the experiment received in one thread, processed every connection in ticks in a second
and sent in a third. Its authors left a question open: why do the slower codecs move more data?
"""
import argparse
import dataclasses
import json
import pathlib
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.document import Document, runs_of
from bench.load import SPARE_DESCRIPTORS, Point, netload, result_of
from bench.servers import Kind, Server, placement
import e1_report

FORMATS = ('bytes', 'protobuf', 'json', 'flatbuffers', 'y3')
MODELS = ('loop', 'staged:500ms', 'staged:10ms')
# A client that blocks on each echo has one message in flight; one that does not keeps the plan.
CLIENTS = {'blocking': 1, 'open': 64}
# Above what ramping and sending take: the start, the report, a busy machine.
PATIENCE_S = 60


@dataclasses.dataclass(frozen=True)
class Cell:
    model: str
    client: str
    format: str

    def __str__(self):
        return f'{self.model}, {self.client} clients, {self.format}'

    def server(self, options, result_file):
        """The netecho of this cell, as the servers of test/peers are started."""
        model, _, tick = self.model.partition(':')
        staged = ['--tick', tick] if tick else []
        return Kind(str(self), 'netecho', 'wiremark', '--backend', options.backend, '-f', self.format,
                    '--model', model, *staged, f'--json={result_file}')


def load_command(options, cell, server, cpus):
    command = [netload(options.build), f'127.0.0.1:{server.port}', '--server-pid', str(server.pid),
               '--json', '--quiet', '--backend', options.backend, '-f', cell.format,
               '-c', str(options.connections), '-r', f'{options.rate:g}',
               '-P', str(CLIENTS[cell.client]), '-d', f'{options.duration:g}s',
               '--connect-rate', f'{options.connect_rate:g}', '--timeout', '60s']
    return command + (['--cpus', ','.join(map(str, cpus))] if cpus else [])


def run(options, cell):
    """One cell: the results of both ends; RuntimeError says why there are none."""
    server_cpus, client_cpus = placement(1)
    # Blocking clients send their whole plan, if it takes them a tick for each message.
    plan = options.duration * (1 + options.rate)
    limit = options.connections / options.connect_rate + plan + PATIENCE_S
    with tempfile.TemporaryDirectory(prefix='e1-') as folder:
        served = pathlib.Path(folder) / 'server.json'
        with Server(cell.server(options, served), options.build, server_cpus) as server:
            load = result_of(load_command(options, cell, server, client_cpus), limit)
        if not served.exists():
            raise RuntimeError(f'the server left no result: {server.said}')
        return {'load': load, 'server': json.loads(served.read_text())}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description='Runs experiment E1 on this machine, prints its table beside what was published '
                    'and answers the question that its authors left open.')
    parser.add_argument('--build', default='build', help='the build directory (%(default)s)')
    parser.add_argument('--backend', default='uring', help='epoll or uring, at both ends (%(default)s)')
    parser.add_argument('--connections', type=int, default=10000, metavar='N', help='(%(default)s)')
    parser.add_argument('--rate', type=float, default=10, metavar='N',
                        help='messages per second of each connection (%(default)s)')
    parser.add_argument('--connect-rate', type=float, default=5000, metavar='N',
                        help='connections opened per second; 5 is the original (%(default)s)')
    parser.add_argument('--duration', type=float, default=3, metavar='S',
                        help='seconds measured in each cell (%(default)s)')
    parser.add_argument('--full', action='store_true',
                        help='the original size: 5 connections per second, a minute in each cell')
    parser.add_argument('--models', default=','.join(MODELS), metavar='LIST',
                        help='of loop and staged:TICK (%(default)s)')
    parser.add_argument('--clients', default=','.join(CLIENTS), metavar='LIST', help='(%(default)s)')
    parser.add_argument('--formats', default=','.join(FORMATS), metavar='LIST', help='(%(default)s)')
    parser.add_argument('--json', metavar='FILE', help='write the results of both ends to FILE')
    parser.add_argument('--show', nargs='+', metavar='FILE', help='print what such files hold; run nothing')
    options = parser.parse_args(arguments)
    if options.full:
        options.connect_rate, options.duration = 5, 60
    for name, known in (('clients', CLIENTS), ('formats', FORMATS)):
        values = getattr(options, name).split(',')
        if set(values) - set(known):
            parser.error(f'--{name} takes {", ".join(known)}')
    if options.connect_rate <= 0 or options.duration <= 0 or options.rate <= 0:
        parser.error('rates and durations are more than 0')
    return options


def measure(options, document):
    obstacle = Point(1, options.connections + SPARE_DESCRIPTORS).obstacle()
    if obstacle:
        print(f'e1.py: {obstacle}')
        sys.exit(77)
    rows = []
    for client in options.clients.split(','):
        for model in options.models.split(','):
            for name in options.formats.split(','):
                cell = Cell(model, client, name)
                try:
                    ends = run(options, cell)
                except RuntimeError as error:
                    ends = {'failed': str(error)}
                rows.append(dataclasses.asdict(cell) | ends)
                e1_report.print_row(rows[-1], rows[-2] if len(rows) > 1 else None)
                document.add(rows[-1])
    return rows


def main(arguments):
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Document('E1', options.json) as document:
        if options.show:
            rows = [row for name in options.show for row in runs_of(name)]
            for before, row in zip([None, *rows], rows):
                e1_report.print_row(row, before)
        else:
            rows = measure(options, document)
        e1_report.print_end(rows)
        e1_report.publish(document, rows)
    return 1 if any('failed' in row for row in rows) else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

#!/usr/bin/env python3
"""Very many connections on one machine: how fast they open, and what each costs while it is idle.

One netecho holds all of them in direct descriptors, which a limit on open files counts for each of
its rings and not for the process; several netload open them from as many source addresses as it
takes, and send one verified message over each.
"""
import argparse
import contextlib
import ctypes
import json
import math
import pathlib
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
OTHER_DESCRIPTORS = 200  # Open files of a process beside its connections.
COMPLETIONS = 16_384  # Entries of the completion queue.
KERNEL_BYTES = 10_000  # For both ends of a connection; more than was measured. Half as much is left over.
READY_S = 10
# They open at this rate at least, and then send a message each at that one, all together.
OPENING_HZ = 8_400
OPENING_MIN_S = 15
SENDING_HZ = 10_000
PATIENCE_S = 250
PR_SET_PDEATHSIG = 1


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(SKIPPED)


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def process(*argv):
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        running = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, preexec_fn=die_with_parent)
        running.output = lambda: (out.seek(0), out.read())[1]
        running.messages = lambda: (err.seek(0), err.read())[1]
        try:
            yield running
        finally:
            running.kill()
            running.wait()


def fields(path):
    """The numbers of a file of 'name: number' lines; kB become bytes."""
    table = {}
    for line in pathlib.Path(path).read_text(encoding='ascii').splitlines():
        name, _, rest = line.partition(':')
        words = rest.split()
        if words and words[0].isdigit():
            table[name] = int(words[0]) * (1024 if words[-1] == 'kB' else 1)
    return table


def user_bytes(pid):
    """Anonymous and shared memory, without code and the kernel's memory."""
    status = fields(f'/proc/{pid}/status')
    return status['RssAnon'] + status['RssShmem']


def kernel_bytes():
    memory = fields('/proc/meminfo')
    return memory['Slab'] + memory['KernelStack'] + memory['PageTables'] + memory.get('Percpu', 0)


def tcp_sockets():
    words = pathlib.Path('/proc/net/sockstat').read_text(encoding='ascii').split('TCP:')[1].split()
    return int(words[words.index('inuse') + 1])


def wait_for(condition, processes, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        ended = [one for one in processes if one.poll() is not None]
        if ended:
            sys.exit(f'failed before {what}:\n{ended[0].messages()}')
        if time.monotonic() > end:
            sys.exit(f'failed: not within {PATIENCE_S} s: {what}')
        time.sleep(0.02)


def require_room(connections, each):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < each + OTHER_DESCRIPTORS:
        skip(f'the hard limit of descriptors is {hard}, and {each + OTHER_DESCRIPTORS} are needed')
    available = fields('/proc/meminfo')['MemAvailable']
    needed = connections * (KERNEL_BYTES + KERNEL_BYTES // 2)
    if available < needed:
        skip(f'{available >> 20} MiB of memory are free, and {needed >> 20} are needed')


def free_port():
    """A port below those that connect(2) picks, all of which a run that has just ended may still hold."""
    for _ in range(100):
        port = random.randrange(10_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(('0.0.0.0', port))
            return port
    skip('no port from 10,000 to 30,000 is free')


def turn_rings_over(build, target, rings, server):
    """Uses every entry of every ring once, so that memory touched later belongs to connections. Returns how many
    connections that took, whose memory the server keeps."""
    connections, before = 100 * rings, tcp_sockets()
    with process(build / 'netload', target, '-c', connections, '-n', 2 * COMPLETIONS * rings, '-s', '64',
                 '--quiet') as load:
        if load.wait(PATIENCE_S) != 0:
            sys.exit(f'failed: the first netload ended with {load.returncode}:\n{load.messages()}')
    wait_for(lambda: tcp_sockets() <= before, [server], 'the first connections were closed')
    return connections


def start_server(stack, build, rings, folder):
    """A netecho with so many rings, and where it listens."""
    port_file = folder / 'port'
    server = stack.enter_context(process(
        build / 'netecho', f'127.0.0.1:{free_port()}', '--backend', 'uring', '--uring', 'direct', '-t', rings,
        '--port-file', port_file, '--quiet', '--json'))
    end = time.monotonic() + READY_S
    while not port_file.exists():
        if server.poll() is not None:
            skip(f'netecho cannot run here: {server.messages().strip()}')
        if time.monotonic() > end:
            sys.exit(f'failed: netecho was not ready within {READY_S} s')
        time.sleep(0.02)
    return server, f'127.0.0.1:{port_file.read_text(encoding="ascii").strip()}'


def start_loads(stack, build, server, target, wanted, start_at):
    """Several netload that open their connections now and send one message over each from then on. They are told
    who the server is: each would look for it among the descriptors of all the others."""
    return [stack.enter_context(process(
        build / 'netload', target, '--server-pid', server.pid, '--source-ip', f'127.0.{number}.2-127.0.{number}.9', '--backend', 'epoll',
        '-c', wanted.each, '-r', 1 / wanted.sending_s, '-d', f'{wanted.sending_s}s', '-s', '64',
        '--timeout', '60s', '--start-at', start_at, '--quiet', '--json')) for number in range(wanted.loads)]


def results_of(loads, wanted, server):
    """What each netload counted; ends the test where it is not one answer of each connection."""
    results = []
    for load in loads:
        load.wait(PATIENCE_S)
        if load.returncode != 0:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE_S)
            sys.exit(f'failed: netload ended with {load.returncode}:\n{load.messages()}'
                     f'and netecho saw: {json.loads(server.output())["totals"]}')
        results.append(json.loads(load.output()))
    for result in results:
        if result['totals']['errors'] or result['totals']['connections'] != wanted.each:
            sys.exit(f"failed: {result['totals']}")
    answered = sum(result['outcome']['answered'] for result in results)
    if answered != wanted.total:
        sys.exit(f'failed: {answered:,} of {wanted.total:,} messages')
    return results


def measure(build, wanted, folder):
    """The figures by name."""
    with contextlib.ExitStack() as stack:
        server, target = start_server(stack, build, wanted.loads, folder)
        fresh = user_bytes(server.pid)
        first = turn_rings_over(build, target, wanted.loads, server)
        sockets, kernel, user = tcp_sockets(), kernel_bytes(), user_bytes(server.pid)
        began, start_at = time.monotonic(), time.time() + wanted.opening_s
        loads = start_loads(stack, build, server, target, wanted, start_at)
        total = wanted.total
        wait_for(lambda: tcp_sockets() - sockets >= 2 * total, [server, *loads], f'{total:,} were open')
        opened_s = time.monotonic() - began
        if time.time() > start_at:
            sys.exit(f'failed: {total:,} were not open within {wanted.opening_s:.0f} s but after {opened_s:.0f} s')
        figures = {
            'connections': total,
            'open at once, sockets of both ends': tcp_sockets() - sockets,
            'seconds to open them': opened_s,
            'connections opened/s': total / opened_s,
            'netecho: user bytes/connection': (user_bytes(server.pid) - user) / (total - first),
            f'netecho: user KiB of its {wanted.loads} rings and buffers': (user - fresh) / 1024,
            'netload: user bytes/connection': sum(user_bytes(load.pid) for load in loads) / total,
            'kernel: bytes/connection, both ends': (kernel_bytes() - kernel) / total,
        }
        results = results_of(loads, wanted, server)
        wait_for(lambda: tcp_sockets() <= sockets, [server], f'{total:,} were closed')
        closed_s = time.time() - start_at - wanted.sending_s
        figures |= {
            'messages answered and verified': total,
            'messages/s': sum(result['totals']['qps'] for result in results),
            'of them sent over 1 ms late': sum(result['pacing']['behind'] for result in results),
            'seconds to close them': closed_s,
            'connections closed/s': total / closed_s,
            'netecho: user bytes/connection, each having spoken': (user_bytes(server.pid) - user) / (total - first),
        }
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE_S)
        served = json.loads(server.output())
        figures['netecho: descriptors allowed'] = served['host']['limits']['nofile_hard']
        if served['totals']['connections'] != total + first:
            sys.exit(f"failed: netecho saw {served['totals']['connections']:,} of {total + first:,} connections")
        return figures


class Wanted:
    """How many connections, by how many netload, and how long they have to open and to send."""

    def __init__(self, connections, each):
        self.each = each
        self.loads = math.ceil(connections / each)
        self.total = self.loads * each
        self.opening_s = max(OPENING_MIN_S, self.total / OPENING_HZ)
        self.sending_s = math.ceil(self.total / SENDING_HZ)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build', type=pathlib.Path, help='folder of netecho and netload')
    parser.add_argument('--connections', type=int, default=100_000)
    parser.add_argument('--million', dest='connections', action='store_const', const=1_000_000,
                        help='as many: five minutes, and 11 GiB of memory')
    parser.add_argument('--each', type=int, default=17_000, help='of one netload, and of one ring')
    arguments = parser.parse_args()
    wanted = Wanted(arguments.connections, arguments.each)
    require_room(wanted.total, wanted.each)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(arguments.build, wanted, pathlib.Path(folder))
    for name, figure in figures.items():
        print(f'{figure:>12,.0f}  {name}')


main()

"""Fails where a server for load generators, or what is read from its log, is not right."""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.servers import BASELINES, Kind, Server, Solo
import clients
import generators
import paced
import schedules

BUILD = sys.argv.pop(1)
REQUEST = b'GET / HTTP/1.1\r\nHost: here\r\n\r\n'


def receive(client, count):
    got = b''
    while len(got) < count and (piece := client.recv(count - len(got))):
        got += piece
    return got


def sent_unanswered(generator):
    """All that it sends on one connection to a server that does not answer."""
    with socket.create_server(('127.0.0.1', 0)) as server, tempfile.TemporaryDirectory() as folder:
        command = generator.command(BUILD, server.getsockname()[1], 1, 60, generators.REQUEST_SIZE)
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              cwd=folder) as running:
            try:
                server.settimeout(60)
                while True:  # wrk tries the address first, and sends nothing then.
                    connection, _ = server.accept()
                    with connection:
                        if sent := receive(connection, generators.REQUEST_SIZE):
                            running.kill()
                            return sent + receive(connection, 4096)
            finally:
                running.kill()


class Servers(unittest.TestCase):
    def connected(self, server):
        client = socket.create_connection(('127.0.0.1', server.port), timeout=10)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.addCleanup(client.close)
        return client

    def test_http_answers_have_the_size_of_a_request(self):
        for backend in BASELINES:
            with Server(Solo('http_server', '--backend', backend), BUILD) as server:
                client = self.connected(server)
                client.sendall(REQUEST + REQUEST + REQUEST[:9])  # One after the other, one split.
                first = receive(client, 2 * generators.REQUEST_SIZE)
                client.sendall(REQUEST[9:])
                answer = receive(client, generators.REQUEST_SIZE)
                self.assertEqual(first, answer + answer)
                header, _, body = answer.partition(b'\r\n\r\n')
                length = re.search(rb'Content-Length: (\d+)', header)
                self.assertEqual(int(length[1]), len(body))
                self.assertEqual(len(answer), generators.REQUEST_SIZE)
            self.assertEqual(server.exit_code(), 0)

    def test_requests_are_padded_to_their_size(self):
        for client in (generators.Wrk(), generators.H2load()):
            if generators.missing(client.name):
                self.skipTest(generators.missing(client.name))
            self.assertEqual(len(sent_unanswered(client)), generators.REQUEST_SIZE, client.name)

    def test_a_witness_notes_connections_and_whole_messages(self):
        for backend in BASELINES:
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / 'log'
                kind = Solo('witness', '--size', '20', '--log', log, '--backend', backend)
                with Server(kind, BUILD) as server:
                    first, second = self.connected(server), self.connected(server)
                    for client, parts in ((first, (30, 30)), (second, (20,))):
                        for part in parts:
                            whole = part // 20 * 20
                            client.sendall(b'm' * part)
                            self.assertEqual(receive(client, whole), b'm' * whole)
                self.assertEqual(server.exit_code(), 0)
                self.assertEqual(len(schedules.opened(log)), 2)
                self.assertEqual({one: len(moments) for one, moments in
                                  schedules.arrived(log).items()}, {0: 3, 1: 1})

    def test_a_witness_clears_the_mark_of_sockperf_in_every_message(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / 'log'
            kind = Solo('witness', '--size', '20', '--log', log, '--answer', 'sockperf')
            with Server(kind, BUILD) as server:
                client = self.connected(server)
                client.sendall(b'\xff' * 60)
                cleared = b'\xff' * 9 + b'\xfe' + b'\xff' * 10
                self.assertEqual(receive(client, 60), cleared * 3)


class Floors(unittest.TestCase):
    def ends(self, kind, backend, size):
        with Server(kind, BUILD) as server, tempfile.TemporaryDirectory() as folder:
            return generators.execute(generators.Floor(backend).command(BUILD, server.port, 10, 1, size), None, 30,
                                      folder)

    def test_every_byte_of_an_echo_is_compared(self):
        for backend in BASELINES:
            for size in (64, 100_000):
                done = self.ends(Kind('echo', 'netecho', 'wiremark', '--backend', backend), backend, size)
                self.assertEqual((done.code, done.err), (0, ''))
                self.assertGreater(generators.Floor(backend).requests(done.out), 0)
            done = self.ends(Solo('witness', '--size', '20', '--answer', 'sockperf', '--log', '/dev/null'), backend, 20)
            self.assertEqual((done.code, done.out), (3, ''))
            self.assertRegex(done.err, 'reply .* is not the message that was sent')

    def test_netload_is_judged_by_its_own_floor(self):
        runs = [{'point': 'p', 'placed': 'near', 'server': name, 'round': number, 'cost_us': cost}
                for number in range(6) for name, cost in (('netload epoll', 1.25), ('floor epoll', 1.0),
                                                          ('floor uring', 1.0), ('wrk', 2.0))]
        [(_, _, floor, ours, wanted, ratio)] = clients.floor_verdicts(runs)
        self.assertEqual((floor, ours), ('floor epoll', 'netload epoll'))
        self.assertEqual(ratio.median, 0.8)
        self.assertEqual(ratio.side(wanted), -1)


class Schedules(unittest.TestCase):
    def test_deviation_is_the_distance_from_an_even_schedule(self):
        self.assertEqual(schedules.deviations([5, 15, 25, 35, 45], 10), [0] * 5)
        self.assertEqual(schedules.deviations([5, 15, 28, 35, 45], 10), [0, 0, 3, 0, 0])
        # A schedule that drifts is not made up for.
        self.assertEqual(schedules.deviations([0, 11, 22, 33, 44], 10), [2, 1, 0, 1, 2])

    def test_errors_are_taken_connection_by_connection(self):
        self.assertEqual(schedules.pacing_errors({0: [100, 110, 121], 1: [203, 213, 223]}, 10, 0),
                         [0, 0, 0, 0, 0, 1])
        self.assertEqual(schedules.pacing_errors({0: [90, 110, 120, 130]}, 10, 100), [0, 0, 0])

    def test_percentile(self):
        self.assertEqual(schedules.percentile(list(range(1, 101)), 99), 99)
        self.assertEqual(schedules.percentile([7], 50), 7)

    def test_both_aims_are_known_by_the_loops_that_have_them(self):
        names = [loop.name for loop in paced.loops()]
        self.assertIn('netload spin', names)
        self.assertIn('sockperf under-load', names)


if __name__ == '__main__':
    unittest.main(verbosity=2)

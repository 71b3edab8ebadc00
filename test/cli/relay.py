"""A network that does to each datagram what it is told, between real sockets on loopback."""

import selectors
import socket
import struct
import threading
import time

HEADER = struct.Struct("<4I")  # Run, connection, sequence and place: what netload puts in front.


class Relay:
    """Passes datagrams to `server` and back, as `there(connection, sequence)` and `back(connection, sequence, datagram)`
    say: each returns the datagrams that go on, with the seconds that each waits. What goes back waits, with `held`,
    until the next one of its connection has passed."""

    def __init__(self, server, there=None, back=None, held=None):
        self._server = (server.rpartition(":")[0].removeprefix("udp:"), int(server.rpartition(":")[2]))
        self._there = there or (lambda connection, sequence: True)
        self._back = back or (lambda connection, sequence, datagram: [(datagram, 0)])
        self._held = held or (lambda connection, sequence: False)
        self._socket = self._open()
        self._socket.bind(("127.0.0.1", 0))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._servers = {}  # By client.
        self._waiting = []  # When, to whom, and what.
        self._kept = {}     # By client.
        self.dropped = 0
        self._over = False
        self._thread = threading.Thread(target=self._run)

    @staticmethod
    def _open():
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        opened.setblocking(False)
        return opened

    @property
    def address(self):
        return f"udp:127.0.0.1:{self._socket.getsockname()[1]}"

    def _server_of(self, client):
        if client not in self._servers:
            opened = self._open()
            opened.connect(self._server)
            self._selector.register(opened, selectors.EVENT_READ, client)
            self._servers[client] = opened
        return self._servers[client]

    def _go_there(self):
        datagram, client = self._socket.recvfrom(65536)
        _, connection, sequence, _ = HEADER.unpack_from(datagram)
        if self._there(connection, sequence):
            self._server_of(client).send(datagram)
        else:
            self.dropped += 1

    def _go_back(self, opened, client):
        datagram = opened.recv(65536)
        _, connection, sequence, _ = HEADER.unpack_from(datagram)
        if self._held(connection, sequence):
            self._kept[client] = datagram
            return
        onward = self._back(connection, sequence, datagram)
        self.dropped += not onward
        if client in self._kept:
            onward.append((self._kept.pop(client), 0))
        for part, seconds in onward:
            if seconds:
                self._waiting.append((time.monotonic() + seconds, client, part))
            else:
                self._socket.sendto(part, client)

    def _run(self):
        while not self._over:
            for key, _ in self._selector.select(0.005):
                try:
                    while True:
                        if key.fileobj is self._socket:
                            self._go_there()
                        else:
                            self._go_back(key.fileobj, key.data)
                except BlockingIOError:
                    pass
                except ConnectionRefusedError:
                    pass
            now = time.monotonic()
            for due in [one for one in self._waiting if one[0] <= now]:
                self._waiting.remove(due)
                self._socket.sendto(due[2], due[1])

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over = True
        self._thread.join()
        self._socket.close()
        for opened in self._servers.values():
            opened.close()

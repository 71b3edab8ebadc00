"""A network that loses, delays or changes answers as a test says, between real sockets on loopback."""

import contextlib
import selectors
import socket
import struct
import threading

HEADER = struct.Struct("<QII")  # Run, connection and sequence: what netload puts in front.


class Relay:
    """Passes datagrams to `server` and their answers back: `back(connection, sequence, datagram)` returns the datagrams
    that go on in place of each."""

    def __init__(self, server, back):
        self._server = (server.rpartition(":")[0].removeprefix("udp:"), int(server.rpartition(":")[2]))
        self._back = back
        self._socket = self._open()
        self._socket.bind(("127.0.0.1", 0))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._servers = {}  # By client.
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
        self._server_of(client).send(datagram)

    def _go_back(self, opened, client):
        datagram = opened.recv(65536)
        _, connection, sequence = HEADER.unpack_from(datagram)
        for onward in self._back(connection, sequence, datagram):
            self._socket.sendto(onward, client)

    def _run(self):
        while not self._over:
            for key, _ in self._selector.select(0.005):
                with contextlib.suppress(BlockingIOError):
                    while True:
                        if key.fileobj is self._socket:
                            self._go_there()
                        else:
                            self._go_back(key.fileobj, key.data)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over = True
        self._thread.join()
        self._socket.close()
        for opened in self._servers.values():
            opened.close()

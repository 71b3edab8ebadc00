"""A relay for streams on loopback that changes what comes back."""

import contextlib
import socket
import threading

from bad_server import BadServer


class StreamRelay(BadServer):
    """Passes bytes to and from 127.0.0.1:`port`; replies go through change(data) once `after` bytes of a connection
    have come back."""

    def __init__(self, port, change, after=0):
        self._port = port
        self._change = change
        self._after = after
        super().__init__(self._relay)

    def _relay(self, client, _):
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            there = threading.Thread(target=self._pass, args=(client, server, None), daemon=True)
            there.start()
            self._pass(server, client, self._change)
            there.join()

    def _pass(self, source, to, change):
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                to.sendall(change(data) if change and passed >= self._after else data)
                passed += len(data)
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_WR)

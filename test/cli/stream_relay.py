"""A relay for streams on loopback that changes what comes back."""

import contextlib
import socket
import threading


class StreamRelay:
    """Passes bytes to and from 127.0.0.1:`port`; replies go through change(data) once `after` bytes of a connection
    have come back."""

    def __init__(self, port, change, after=0):
        self._port = port
        self._change = change
        self._after = after
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                threading.Thread(target=self._pass, args=(client, server, None), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, self._change), daemon=True).start()

    def _pass(self, source, to, change):
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                to.sendall(change(data) if change and passed >= self._after else data)
                passed += len(data)
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()  # Or it would accept at the next listener, which gets the same descriptor.
        self._listener.close()

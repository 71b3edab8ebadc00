"""Servers that do not echo as they should, each a thread of the test."""

import contextlib
import socket
import struct
import threading

from case import expect
from process import receive

# For netload: connections open, and what a server answers at once comes back, within this on a machine that is busy
# with others. What a timeout does to the microsecond is tested in simulated time.
TIMEOUT = ["--timeout", "2s"]

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class BadServer:
    """Accepts connections and hands each, with its number from 0 on, to `behave(connection, number)`
    in a thread of its own. The connection is closed when that returns, and has ended when the test leaves the server:
    what does not return then would spin beside all tests that follow."""

    def __init__(self, behave):
        self._behave = behave
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.ended = threading.Event()
        self._serving = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def refuse_others(self):
        """From now on nobody listens."""
        with contextlib.suppress(OSError):  # Nobody does.
            self._listener.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        number = 0
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(connection, number), daemon=True)
                thread.start()
                self._serving.append((thread, connection))
                number += 1

    def _serve(self, connection, number):
        with connection, contextlib.suppress(OSError):
            self._behave(connection, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.refuse_others()
        self._accepting.join()  # Or it would accept at the next listener, which gets the same descriptor.
        self._listener.close()
        for thread, connection in self._serving:
            with contextlib.suppress(OSError):  # It is closed.
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(60)
            expect(not thread.is_alive(), "what serves a connection does not return when that has ended")


def echo(connection):
    """Echoes until the peer closes."""
    while data := connection.recv(1 << 16):
        connection.sendall(data)


def echo_messages(connection, count, size):
    """Echoes that many messages of that size, one by one, and then stops reading."""
    for _ in range(count):
        connection.sendall(receive(connection, size))


def reset(connection):
    """Ends a connection with a reset (SO_LINGER of 0 s)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def answer_and_close(connection, answer):
    """The answer and the FIN leave in one segment, so that what is sent behind the answer meets a closed connection."""
    connection.send(answer, socket.MSG_MORE)
    connection.close()


def one_misbehaves(misbehave, size):
    """For messages of `size` bytes: of the first four connections one ends by `misbehave(connection)` in place of
    its eleventh answer, and all others echo.

    The other three keep their later answers back until then. A closed loop sends its next message wherever an answer
    came, so they would have used up all of them where the one is served late."""
    misbehaved = threading.Event()

    def behave(connection, number):
        if number == 2:
            echo_messages(connection, 10, size)
            receive(connection, size)
            misbehave(connection)
            misbehaved.set()
        else:
            echo_messages(connection, 100, size)
            misbehaved.wait()
            echo(connection)
    return behave

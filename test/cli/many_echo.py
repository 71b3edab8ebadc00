"""An echo server of several processes that share one listener, so that it may hold more connections
than one process has descriptors for."""

import contextlib
import mmap
import os
import select
import signal
import socket
import struct


class ManyEcho:
    """`processes` workers with `each` connections at most; `open()` tells how many are open now."""

    def __init__(self, processes, each):
        self._counts = mmap.mmap(-1, 8 * processes)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self._listener.setblocking(False)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._workers = []
        for index in range(processes):
            pid = os.fork()
            if pid == 0:
                with contextlib.suppress(BaseException):
                    self._serve(index, each)
                os._exit(0)
            self._workers.append(pid)

    def _serve(self, index, each):
        connections = {}
        poll = select.epoll()
        poll.register(self._listener, select.EPOLLIN)
        while True:
            for fd, _ in poll.poll(maxevents=1024):
                if fd == self._listener.fileno():
                    with contextlib.suppress(BlockingIOError):
                        while len(connections) < each:
                            connection, _ = self._listener.accept()
                            connections[connection.fileno()] = connection
                            poll.register(connection, select.EPOLLIN)
                    if len(connections) == each:
                        poll.unregister(self._listener)
                elif data := connections[fd].recv(1 << 16):
                    connections[fd].sendall(data)
                else:
                    connections.pop(fd).close()
                struct.pack_into("q", self._counts, 8 * index, len(connections))

    def open(self):
        return sum(struct.unpack(f"{len(self._workers)}q", self._counts[:]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self._workers:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self._listener.close()

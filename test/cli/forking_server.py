#!/usr/bin/env python3
"""Servers that echo with several processes, to be measured by others.

usage: forking_server.py HOW PORT    listens on 127.0.0.1, prints a line when it does, ends by SIGTERM
HOW    prefork    three workers inherit the socket, and accept
       spin       two workers that inherit the socket, and never wait for a connection but ask again
       reuseport  one process with a socket of its own on a port that it shares
       fork       a process for each connection, waited for
       unwaited   a process for each connection, that nobody waits for (SIGCHLD ignored)
"""

import contextlib
import os
import selectors
import signal
import socket
import sys

WORKERS = {"prefork": 3, "spin": 2}


def echo(connection):
    with contextlib.suppress(OSError):
        while data := connection.recv(1 << 16):
            connection.sendall(data)


def serve(listener, patience=None):
    """All connections of this process, as they come; asks again after so many seconds."""
    listener.setblocking(False)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select(patience):
            if key.fileobj is listener:
                with contextlib.suppress(OSError):  # Another worker was faster.
                    selector.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            data = b""
            with contextlib.suppress(OSError):
                data = key.fileobj.recv(1 << 16)
            if data:
                key.fileobj.sendall(data)
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()


def serve_by_forking(listener):
    while True:
        with contextlib.suppress(InterruptedError):
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                echo(connection)
                os._exit(0)
            connection.close()


def wait_for_children(*_):
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main():
    how, port = sys.argv[1], int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", port), backlog=256, reuse_port=how == "reuseport")
    children = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if how in WORKERS:
        for _ in range(WORKERS[how]):
            children.append(os.fork())
            if children[-1] == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                serve(listener, 0 if how == "spin" else None)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN if how == "unwaited" else wait_for_children)
    print(listener.getsockname()[1], flush=True)
    try:
        if how == "reuseport":
            serve(listener)
        elif how not in WORKERS:
            serve_by_forking(listener)
        while True:
            signal.pause()
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)


main()

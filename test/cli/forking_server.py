#!/usr/bin/env python3
"""Servers that echo with several processes, to be measured by others.

usage: forking_server.py HOW PORT    listens on 127.0.0.1, prints a line when it does, ends by SIGTERM
HOW    prefork    three workers inherit the socket, and accept
       spin       two workers that inherit the socket, and never wait for a connection but ask again
       reuseport  one process with a socket of its own on a port that it shares
       fork       a process for each connection, waited for
       unwaited   a process for each connection, that nobody waits for (SIGCHLD ignored)
       orphans    a process for each connection, whose parent has ended
       handover   an orphan gets all connections, each when it is accepted (SCM_RIGHTS)
       late       the same, each with its first message
           In these three each message costs 200 us of processor time.
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
import time

WORKERS = {"prefork": 3, "spin": 2}
COSTLY_S = 200e-6


def spend(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def echo(connection, cost_s=0):
    with contextlib.suppress(OSError):
        while data := connection.recv(1 << 16):
            spend(cost_s)
            connection.sendall(data)


def serve(listener, patience=None, accept=lambda listener: listener.accept()[0], cost_s=0, served=lambda *_: False):
    """All connections of this process, as they come; asks again after so many seconds. One that has been served is
    given up if `served` says so."""
    listener.setblocking(False)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select(patience):
            if key.fileobj is listener:
                with contextlib.suppress(OSError):  # Another worker was faster.
                    selector.register(accept(listener), selectors.EVENT_READ)
                continue
            data = b""
            with contextlib.suppress(OSError):
                data = key.fileobj.recv(1 << 16)
            if data:
                spend(cost_s)
                key.fileobj.sendall(data)
            if not data or served(key.fileobj):
                selector.unregister(key.fileobj)
                key.fileobj.close()


def become_orphan():
    """Of a child: goes on as the child of whoever adopts it."""
    if os.fork():
        os._exit(0)


def serve_by_forking(listener, orphans=False):
    while True:
        with contextlib.suppress(InterruptedError):
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                if orphans:
                    become_orphan()
                echo(connection, COSTLY_S if orphans else 0)
                os._exit(0)
            connection.close()


def taken_from(channel):
    """The connection that comes over it; ends this process with the one that sends them."""
    fds = socket.recv_fds(channel, 1, 1)[1]
    if not fds:
        os._exit(0)
    return socket.socket(fileno=fds[0])


def hand_over(listener, late):
    channel, far_end = socket.socketpair()
    if os.fork() == 0:
        listener.close()
        channel.close()
        become_orphan()
        serve(far_end, accept=taken_from, cost_s=COSTLY_S)
    far_end.close()

    def give(connection):
        socket.send_fds(channel, [b"x"], [connection.fileno()])
        return True
    if late:
        serve(listener, served=give)
    while True:
        with contextlib.suppress(InterruptedError):
            connection, _ = listener.accept()
            give(connection)
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
        elif how in ("handover", "late"):
            hand_over(listener, how == "late")
        elif how not in WORKERS:
            serve_by_forking(listener, how == "orphans")
        while True:
            signal.pause()
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Stands where netload-mpi looks for netload, and is one, except that what is asked of a rank goes wrong.

The environment has NETLOAD, the one that it starts, and STAND_IN: words such as "1=late 2=silent", of the ranks
and how they take the moments that netload-mpi names (--start-fd):

late    The first one is passed on when it is over, the others at once.
early   Its load begins as soon as it hears of one.
silent  It says that it is ready, and then nothing.
patient It agrees to each, and begins at none: a netload that is never too late to hear of another.

Each moment that a rank which is late was told is appended to the file HEARD.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

arguments = sys.argv[1:]
rank = arguments[arguments.index("--share") + 1].partition("/")[0]
ways = dict(word.split("=") for word in os.environ["STAND_IN"].split())
if rank not in ways:
    os.execv(os.environ["NETLOAD"], ["netload", *arguments])
place = arguments.index("--start-fd") + 1
launcher = socket.socket(fileno=int(arguments[place]))

if ways[rank] != "late":
    launcher.sendall(b"ready\n")
    moments = launcher.makefile("rb")
    moments.readline()
    if ways[rank] == "early":
        launcher.sendall(b"set\nbegun\n")
    while ways[rank] == "patient":
        launcher.sendall(b"set\n")
        moments.readline()
    while True:
        signal.pause()

ours, theirs = socket.socketpair()
arguments[place] = str(theirs.fileno())
load = subprocess.Popen([os.environ["NETLOAD"], *arguments], pass_fds=[theirs.fileno()])
theirs.close()
signal.signal(signal.SIGTERM, lambda *_: load.terminate())


def pass_answers_on():
    while said := ours.recv(64):
        launcher.sendall(said)


def pass_moments_on():
    first = True
    for moment in launcher.makefile("rb"):
        with open(os.environ["HEARD"], "ab") as file:
            file.write(moment)
        if first:
            time.sleep(max(0, float(moment) - time.time()))
        first = False
        ours.sendall(moment)


for one in (pass_answers_on, pass_moments_on):
    threading.Thread(target=one, daemon=True).start()
sys.exit(load.wait())

#!/usr/bin/env python3
"""netecho with clients, and netload with servers, that are not ours."""

import os
import re
import shutil
import subprocess
import tempfile

from bad_server import BadServer, echo
from case import Skip, case, contains, equal, expect, realtime, run, wait_until
from process import Echo, Process, connect, free_port, netload, require_backend, run_program
from socket_table import udp_sockets_at


def require(name):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed")


def start_ping_pong(server, size, *flags):
    return Process("sockperf", "ping-pong", *flags, "-i", "127.0.0.1", "-p", server.port, "-t", "1", "-m", size)


def round_trips(sockperf):
    """How many it counted, and all that it printed."""
    out = sockperf.finish().ended_with(0).out
    trips = re.search(r"\[Total Run\].*ReceivedMessages=(\d+)", out)
    expect(trips and int(trips[1]) > 10, f"no round trips:\n{out}")
    return int(trips[1]), out


@realtime
def sockperf_plays_ping_pong():
    """Over TCP and UDP, short and long messages, all at once: each takes three seconds, and plays for one."""
    require("sockperf")
    with Echo("-f", "sockperf", "--json") as over_tcp, \
            Echo("-f", "sockperf", "--json", listen=["udp:127.0.0.1:0"]) as over_udp, \
            start_ping_pong(over_tcp, 14, "--tcp") as tcp_short, \
            start_ping_pong(over_tcp, 20000, "--tcp") as tcp_long, \
            start_ping_pong(over_udp, 14) as udp_short, start_ping_pong(over_udp, 20000) as udp_long:
        received = sum(round_trips(player)[0] for player in (tcp_short, tcp_long))
        totals = over_tcp.stop().ended_with(0).json()["totals"]
        expect(totals["messages"] >= received, f"{received} answers from {totals['messages']} messages")
        received = 0
        for trips, out in map(round_trips, (udp_short, udp_long)):
            contains(out, "# dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0")
            received += trips
        totals = over_udp.stop().ended_with(0).json()["totals"]
        expect(totals["datagrams"]["out"] >= received, f"{received} answers from {totals['datagrams']}")


@realtime
def sockperf_gets_the_replies_it_asks_for():
    require("sockperf")
    with Echo("-f", "sockperf", "--json") as server:
        listening = server.sockets()
        ended = run_program("sockperf", "under-load", "--tcp", "-i", "127.0.0.1", "-p", server.port, "-t", "1",
                            "--mps", "1000", "--reply-every", "5").ended_with(0)
        wait_until(lambda: server.sockets() == listening, "the connection is closed")
        totals = server.stop().ended_with(0).json()["totals"]
    contains(ended.out, "# dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0")
    sent, received = map(int, re.search(r"SentMessages=(\d+); ReceivedMessages=(\d+)", ended.out).groups())
    replies, rest = divmod(totals["bytes_out"], 14)  # The size of a message, unless told.
    asked = totals["messages"] // 5
    expect(rest == 0 and 0 < received <= replies, f"{received} replies came of {totals['bytes_out']} bytes")
    # Sockperf resets a connection that replies are on their way to, and what it has not handed over is lost.
    if totals["errors"]:
        expect(totals["messages"] <= sent and replies <= asked, f"{replies} replies for {asked} of {sent}")
    else:
        equal((totals["messages"], replies), (sent, sent // 5), "messages and replies")


@case
def socat_gets_its_datagrams():
    require("socat")
    with Echo("--json", listen=["udp:127.0.0.1:0"]) as server:
        for data in [b"one\n", os.urandom(8192)]:
            socat = subprocess.Popen(["socat", "-b", "65536", "-t", "0", "-", f"UDP:127.0.0.1:{server.port}"],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            with socat:  # Its input ends when the answer is there, since nothing says that it was the last.
                socat.stdin.write(data)
                socat.stdin.flush()
                equal(socat.stdout.read(len(data)), data, "what comes back")
        equal(server.stop().ended_with(0).json()["totals"]["datagrams"]["in"], 2, "datagrams")


def expect_returned(argv, data):
    """A client that copies its standard input to the server and the answer to standard output."""
    done = subprocess.run(argv, input=data, capture_output=True, timeout=60, check=False)
    equal(done.returncode, 0, f"exit of {argv[0]} ({done.stderr.decode()})")
    expect(done.stdout == data, f"{argv[0]}: {len(done.stdout)} other bytes came back for {len(data)}")


@case
def netcat_gets_its_bytes():
    require("nc")
    said = subprocess.run(["nc", "-h"], capture_output=True, check=False)
    if b"N" not in (said.stderr + said.stdout).partition(b"usage:")[2].split(b"]")[0]:
        raise Skip("this nc has no option -N to end its half of the connection")
    with Echo() as server:
        expect_returned(["nc", "-N", "127.0.0.1", server.port], b"hello\n")


@case
def ncat_gets_its_bytes():
    require("ncat")
    with Echo() as server:
        expect_returned(["ncat", "127.0.0.1", server.port], b"hello\n")


@case
def socat_gets_its_bytes():
    require("socat")
    data = os.urandom(1_000_000)
    with Echo() as server:
        expect_returned(["socat", "-t", "30", "-", f"TCP:127.0.0.1:{server.port}"], data)
    with tempfile.TemporaryDirectory() as folder, Echo(listen=[f"unix:{folder}/echo"]) as server:
        expect_returned(["socat", "-t", "30", "-", f"UNIX-CONNECT:{folder}/echo"], data)


def drive(address):
    """A closed and an open loop against a server that is known to echo."""
    result = netload(address, "-c", "5", "-n", "500", "-s", "100-2k", "--json").ended_with(0).json()
    equal(result["totals"]["messages"], 500, "messages")
    result = netload(address, "-c", "5", "-r", "20", "-d", "500ms", "--json").ended_with(0).json()
    equal(result["outcome"]["answered"], 50, "planned messages answered")
    return result


def drive_program(*argv):
    port = free_port()
    with Process(*[part.replace("PORT", str(port)) for part in argv]) as server:
        def listens():
            try:
                connect(f"127.0.0.1:{port}").close()
                return True
            except ConnectionRefusedError:
                return not server.running

        wait_until(listens, f"{argv[0]} listened")
        result = drive(f"127.0.0.1:{port}")
        expect("server" in result["cpu"], f"the CPU of {argv[0]} was not found")
        server.process.terminate()


@case
def drives_socat():
    require("socat")
    drive_program("socat", "TCP-LISTEN:PORT,bind=127.0.0.1,reuseaddr,fork,backlog=64", "EXEC:cat")


@case
def drives_ncat():
    require("ncat")
    drive_program("ncat", "-l", "-k", "-e", "/bin/cat", "127.0.0.1", "PORT")


def drive_datagrams(*argv):
    """A server that echoes datagrams of one client, the first that comes."""
    port = free_port()
    with Process(*[part.replace("PORT", str(port)) for part in argv]) as server:
        wait_until(lambda: udp_sockets_at(port) or not server.running, f"{argv[0]} was bound")
        ended = netload(f"udp:127.0.0.1:{port}", "-c", "1", "-n", "500", "-s", "16-1k", "--timeout", "30s",
                        "--json").ended_with(0)
        outcome = ended.json()["outcome"]
        equal((outcome["sent"], outcome["answered"], outcome["lost"]), (500, 500, 0), "sent, answered and lost")
        server.process.terminate()


@case
def drives_socat_over_udp():
    require("socat")
    drive_datagrams("socat", "UDP-LISTEN:PORT,bind=127.0.0.1", "EXEC:cat")


@case
def drives_ncat_over_udp():
    require("ncat")
    drive_datagrams("ncat", "-u", "-l", "-e", "/bin/cat", "127.0.0.1", "PORT")


@case
def drives_ten_lines_of_python():
    with BadServer(lambda connection, number: echo(connection)) as server:
        drive(server.address)


require_backend()
run()

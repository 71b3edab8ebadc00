#!/usr/bin/env python3
"""netload knows what a server spent, however many processes it is, or says why it does not."""

import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from case import Skip, case, contains, equal, expect, realtime, run, wait_until
from cgroup import ControlGroup
from forking_server import WORKERS
from foul import shown_as_letters
from network_namespace import NetworkNamespace, ip
from process import (Echo, children_of, free_port, lines_of, netload, program, require_backend, run_program,
                     start_netload)
from socket_table import LISTENS, OPEN, received, tcp_sockets_at
from standstill import UNTIL_TOLD, answered_in

HERE = os.path.dirname(os.path.abspath(__file__))
# Enough messages for some tenths of a second of any server's time.
LOAD = ["-c", "20", "-n", "20000"]
# What a server spends on closing connections, where netload does not tell that part.
CLOSING_S = 0.1


class Server:
    """A server in a cgroup, where one can be made: the kernel tells what all processes there have spent, also of those
    for which nobody waits."""

    def __init__(self, *argv, port):
        self.group, command = None, [str(argument) for argument in argv]
        try:
            self.group = ControlGroup("cpuacct")
            command = self.group.inside(*command)
        except Skip as lacking:
            self.no_group = lacking
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.address = f"127.0.0.1:{port}"
        # A connection would be one more for the server to see.
        wait_until(lambda: self.process.poll() is not None or tcp_sockets_at(port, LISTENS), "the server listened")
        expect(self.process.poll() is None, f"{argv} ended")

    def spent_s(self, forks=False):
        """What it has spent until now; of one that forks for each connection when no connection is left."""
        if not self.group:
            raise self.no_group
        if forks:
            wait_until(lambda: self.group.processes() == {self.process.pid}, "all connections had ended")
        return self.group.spent_s()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()  # With its children.
        self.process.wait()
        if self.group:
            self.group.__exit__()


class ClockedEcho(Echo):
    """A netecho of one process."""

    def spent_s(self, _=False):
        """What it has spent until now, by the clock that the kernel has of each process (clock_getcpuclockid(3))."""
        return time.clock_gettime(~self.pid << 3 | 2)


def unaccepted(port):
    """How many connections wait for a server."""
    return sum(received(row) for row in tcp_sockets_at(port, LISTENS))


def forking(how, port=None):
    port = port or free_port()
    server = Server(sys.executable, os.path.join(HERE, "forking_server.py"), how, port, port=port)
    wait_until(lambda: len(children_of(server.process.pid)) >= WORKERS.get(how, 0), "its workers had started")
    return server


def all_parts(end):
    """What netload says that an end spent, of its run as a whole."""
    return sum(end.get(name, 0) for name in
               ["user_s", "sys_s", "opening_s", "warmup_s", "drain_s", "closing_s"])


def expect_part(server, name):
    """What the server spent on that part of the run is told, or why it is not; whether it is."""
    told = f"{name}_s" in server
    expect(told != bool(server.get("parts_unknown", {}).get(f"{name}_s")), f"{name} or why not: {server}")
    return told


def expect_cost_of(servers, *more, warmup="100ms", forks=False):
    """The server's time is what the kernel tells of it."""
    before = sum(server.spent_s() for server in servers)
    result = netload(servers[0].address, *LOAD, *more, "-w", warmup, "--json").ended_with(0).json()
    spent = sum(server.spent_s(forks) for server in servers) - before
    server = result["cpu"]["server"]
    expect("unknown" not in server, f"unknown: {server}")
    told = all_parts(server)
    # To the clock ticks that ended processes are told in.
    apart = 0.02 * spent + 0.02
    closing = 0 if expect_part(server, "closing") else CLOSING_S
    expect(spent - apart - closing <= told <= spent + apart, f"{told:.3f} s told, {spent:.3f} s spent: {server}")
    return result


@case
def socat_forks_for_each_connection():
    require("socat")
    port = free_port()
    with Server("socat", f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr,fork,backlog=64", "EXEC:cat", port=port) as server:
        result = expect_cost_of([server], forks=True)
        contains(result["cpu"]["server"]["of"], "socat")
        contains(result["cpu"]["server"]["of"], "and 40 started by it")


@case
def ncat_forks_for_each_connection():
    require("ncat")
    port = free_port()
    with Server("ncat", "-k", "-l", "127.0.0.1", port, "--exec", "/bin/cat", port=port) as server:
        # It does not wait for the programs that it has run.
        expect_cost_of([server], forks=True)


@case
def workers_inherit_the_socket():
    with forking("prefork") as server:
        result = expect_cost_of([server])
        equal(result["cpu"]["server"]["of"].count("python"), 4, "processes named")


@case
def several_share_a_port():
    with contextlib.ExitStack() as stack:
        port = free_port()
        servers = [stack.enter_context(forking("reuseport", port)) for _ in range(3)]
        wait_until(lambda: len(tcp_sockets_at(port, LISTENS)) == 3, "all three listened")
        expect_cost_of(servers)


@case
def processes_end_during_the_run():
    with forking("fork") as server:
        # Processes would end in a warm-up too, and of that netload then tells no figure.
        result = expect_cost_of([server], "--churn", "200", warmup="0s", forks=True)
        text = netload_text_of(result)
        contains(text, "opened again")


def expect_all_of(how):
    """What its messages cost at least is told, and no more than the kernel tells of the server."""
    with forking(how) as server:
        before = server.spent_s() if server.group else 0
        # With a warm-up no time is between the parts: without, the first look comes when the first have been answered.
        result = netload(server.address, "-c", "5", "-n", "500", "-w", "1ms", "--json").ended_with(0).json()
        told = all_parts(result["cpu"]["server"])
        if server.group:
            spent = server.spent_s() - before
            expect(told <= spent + 0.02, f"{told:.3f} s told, {spent:.3f} s spent")
    expect("server_us_cpu_per_message" in result, f"no cost: {result['cpu']['server']}")
    expect(told >= result["totals"]["messages"] * 200e-6, f"{told} s told of {result['totals']['messages']} messages")
    equal(expect_part(result["cpu"]["server"], "opening"), False, "what they spent before they were found is told")


@case
def orphans_serve_the_connections():
    expect_all_of("orphans")


@case
def connections_are_handed_over():
    expect_all_of("handover")


@case
def connections_are_handed_over_during_the_run():
    with forking("late") as server:
        result = netload(server.address, "-c", "5", "-n", "500", "--json").ended_with(0).json()
        expect_unknown(result, "came to hold its connections or its socket while the run lasted")


@case
def a_ring_holds_the_connections():
    if os.environ.get("BACKEND") != "uring":
        raise Skip("only io_uring has rings")
    with Echo("--uring", "direct") as server:
        result = netload(server.address, "-c", "5", "-n", "500", "--json").ended_with(0).json()
        equal(result["cpu"]["server"].get("of"), f"netecho ({server.pid})", "the server")


def netload_text_of(result):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(result, file)
        file.flush()
        return run_program(program("NETREPORT"), file.name).ended_with(0).out


def expect_unknown(result, *words):
    cpu = result["cpu"].get("server", {})
    expect("user_s" not in cpu, f"a figure: {cpu}")
    expect("server_us_cpu_per_message" not in result, "a cost of a message")
    for word in words:
        contains(cpu.get("unknown", ""), word, "why it is unknown")
    contains(netload_text_of(result), f"server      unknown: {cpu['unknown']}")


@realtime
def processes_that_nobody_waits_for():
    with forking("unwaited") as server:
        result = netload(server.address, "-c", "5", "-n", "5000", "--churn", "100", "--json").ended_with(0).json()
        expect_unknown(result, "had started ended, and it did not wait for it")
    with forking("unwaited") as server:  # None ends in the measured part.
        result = netload(server.address, "-c", "5", "-n", "5000", "--json").ended_with(0).json()
        expect("unknown" not in result["cpu"]["server"], f"unknown: {result['cpu']['server']}")
        equal(expect_part(result["cpu"]["server"], "closing"), False, "what the ended ones spent is told")


@case
def a_server_of_another_user():
    require_root("a server of another user needs root")
    require("setpriv")
    with netload_for_everybody() as binary, forking("prefork") as server:
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        ended = run_program(*as_nobody, binary, server.address, "-c", "2", "-n", "200", "--json").ended_with(0)
        expect_unknown(ended.json(), "its socket belongs to user root", "--server-pid")
        named = run_program(*as_nobody, binary, server.address, "-c", "2", "-n", "200", "--server-pid",
                            server.process.pid, "--json").ended_with(0).json()
        contains(named["cpu"]["server"]["of"], "and 3 started by it")


@case
def a_server_in_another_pid_namespace():
    require_root("a pid namespace needs root")
    require("unshare")
    with forking("prefork") as server:
        ended = run_program("unshare", "--pid", "--fork", "--mount-proc", program("NETLOAD"), server.address,
                            "-c", "2", "-n", "200", "--json")
        if "unshare" in ended.err:
            raise Skip(ended.err.strip())
        expect_unknown(ended.ended_with(0).json(), "another container (pid namespace)")


@case
def a_server_in_another_network_namespace():
    host, peer = f"wma{os.getpid()}", f"wmb{os.getpid()}"
    # A pair of addresses for each process (RFC 2544): the same test may run for the other backend.
    high, low = os.getpid() // 64 % 256, os.getpid() % 64 * 4
    near, far = f"198.18.{high}.{low + 1}", f"198.18.{high}.{low + 2}"
    with NetworkNamespace() as other:  # Its end of the pair goes with it, and takes this one along.
        ip("link", "add", host, "type", "veth", "peer", "name", peer, "netns", other.name)
        ip("addr", "add", f"{near}/30", "dev", host)
        ip("link", "set", host, "up")
        ip("-n", other.name, "addr", "add", f"{far}/30", "dev", peer)
        ip("-n", other.name, "link", "set", peer, "up")
        with Echo(listen=[f"{far}:0"], before=other.inside) as server:
            result = netload(server.address, "-c", "2", "-n", "200", "--json").ended_with(0).json()
            expect_unknown(result, f"{far} is no address of this network namespace", "--server-pid")


@case
def a_path_and_the_special_address():
    """The one that listens on just this address is the server, not who has the port on another."""
    with tempfile.TemporaryDirectory() as folder, Echo(listen=[f"unix:{folder}/socket"]) as server:
        result = netload(server.address, "-c", "2", "-n", "200", "--json").ended_with(0).json()
        equal(result["cpu"]["server"]["of"], f"netecho ({server.pid})", "the server")
    with Echo() as one, Echo(listen=[f"127.0.0.2:{one.port}"]) as other:
        for server in one, other:
            result = netload(server.address, "-c", "2", "-n", "200", "--json").ended_with(0).json()
            equal(result["cpu"]["server"]["of"], f"netecho ({server.pid})", "the server")


@case
def the_server_of_a_path_is_who_has_the_file():
    """Not who has, or had, a path of the same letters."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere, \
            contextlib.ExitStack() as stack:
        def listen(where):
            return stack.enter_context(Echo(listen=["unix:socket"], before=["env", "-C", where]))
        listen(folder)
        os.unlink(f"{folder}/socket")
        servers = {folder: listen(folder), elsewhere: listen(elsewhere)}
        os.symlink(f"{folder}/socket", f"{folder}/link")
        for where, path in [(folder, "socket"), (elsewhere, "socket"), ("/", f"{folder}/socket"), (folder, "link")]:
            load = [program("NETLOAD"), f"unix:{path}", "-c", "2", "-n", "200", "--json"]
            result = run_program("env", "-C", where, *load).ended_with(0).json()
            server = servers.get(where, servers[folder])
            equal(result["cpu"]["server"]["of"], f"netecho ({server.pid})", f"{path} in {where}")


@case
def a_process_is_not_the_server_because_it_was_named():
    with forking("prefork") as server, Echo() as stranger:
        ended = netload(server.address, "-n", "200", "--server-pid", stranger.pid).ended_with(3)
        contains(ended.err, f"--server-pid {stranger.pid} does not serve {server.address}: ")
        contains(ended.err, f"({server.process.pid})")
        one_of_it = min(children_of(server.process.pid))
        netload(server.address, "-n", "200", "--server-pid", one_of_it).ended_with(0)


@case
def whatever_a_server_calls_itself_is_its_name():
    """A name can begin a line of its own, end the field that it stands in, or be that of another program."""
    names = {b"\nVALID: all\n": r"\nVALID: all\n", b"\x1b[2J\x1b[31mred": r"\x1b[2J\x1b[31mred",
             b"<script>x": "<script>x", b"a) R 1 1 1 0 -1": "a) R 1 1 1 0 -1", b"cut \xc3": r"cut \xc3",
             b"netecho (1)": "netecho (1)", b"netecho (1), an": "netecho (1), an"}
    for name, shown in names.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(name))
            os.symlink(program("NETECHO"), path)
            with ClockedEcho(path=path) as server:
                equal(expect_cost_of([server])["cpu"]["server"]["of"], f"{shown} ({server.pid})", "the server")
                for flags in [], ["--html"]:
                    said = netload(server.address, *LOAD, *flags).ended_with(0).out
                    shown_as_letters(said, f"{shown} {flags}")
                    if not flags:
                        contains(said, f"\n  of          {shown} ({server.pid})\n")
    with Echo() as server:
        text = netload(server.address, *LOAD).ended_with(0).out
        expect("\n  of  " not in text, f"netecho is named, as it need not be: {text}")


@case
def opening_and_closing_are_told_apart():
    with Echo() as server:
        result = netload(server.address, "-c", "1000", "-n", "1000", "--json").ended_with(0).json()
    for end in result["cpu"]["process"], result["cpu"]["server"]:
        expect(end["opening_s"] > 0, f"opening: {end}")
        expect(end["closing_s"] > 0, f"closing: {end}")
    text = netload_text_of(result)
    contains(text, "  besides     netload: opening")
    contains(text, "server: opening")


@case
def the_first_message_is_in_the_cost():
    """Without a warm-up too, where all of a run may be over before netload's own thread that looks runs again."""
    with tempfile.TemporaryDirectory() as folder:
        for listen in "127.0.0.1:0", f"unix:{folder}/server", "udp:127.0.0.1:0":
            with Echo(listen=(listen,)) as server:
                result = netload(server.address, "-c", "1", "-n", "1", "--json").ended_with(0).json()
            told = result["cpu"]["server"]
            expect(told["user_s"] + told["sys_s"] > 0, f"the message to {listen}: {told}")
    own = netload("-n", "7", "--json").ended_with(0).json()
    study = netload("-n", "7", "--compare", "epoll,epoll", "--rounds", "2", "--json").ended_with(0).json()
    for result in [own] + [one for backend in study["backends"] for one in backend["rounds"]]:
        expect(result.get("server_us_cpu_per_message", 0) > 0, f"7 messages: {result['cpu']['server']}")
    text = json.dumps([own, study])
    expect("did not take them" not in text, text)


@case
def a_server_that_stands_still_is_waited_for():
    """What it spends on opening and on closing is known when it has accepted and closed the connections, not when it
    has nothing to do: one that stands still seems to have nothing to do."""
    with Echo() as server:
        server.pause()
        # One that is closed with an answer unread is reset, and then nobody sees what the server has to do for it.
        with start_netload(server.address, "-c", "100", "-r", "0.1", *UNTIL_TOLD) as load:
            wait_until(lambda: unaccepted(server.port) == 100, "the connections were open")
            server.signal(signal.SIGCONT)
            wait_until(lambda: answered_in(lines_of(load)) > 0, "there were answers")
            server.pause()
            load.signal(signal.SIGINT)
            wait_until(lambda: not tcp_sockets_at(server.port, OPEN), "the connections were closed")
            server.signal(signal.SIGCONT)
            spent = lines_of(load.finish().ended_with(130))[-1]["cpu"]["server"]
    expect(spent.get("opening_s", 0) > 0 and spent.get("closing_s", 0) > 0, f"the server: {spent}")


@case
def a_server_that_never_rests_has_no_part_that_waits_for_that():
    # Two workers, for whatever makes the one stand still.
    with forking("spin") as server:
        result = netload(server.address, "-c", "5", "-n", "500", "-w", "100ms", "--json").ended_with(0).json()
    spent = result["cpu"]["server"]
    equal([name for name in ["opening", "warmup", "drain", "closing"] if f"{name}_s" in spent], ["warmup"], "parts told")
    why = "it ran on, as one does that spins or has other clients"
    equal(spent["parts_unknown"], {"opening_s": why, "closing_s": why}, "why not")
    contains(" ".join(netload_text_of(result).split()), f"server: unknown: opening, closing ({why})")


def others_and_doubts(result):
    """The other clients that it tells of, and what it says against the cost for them."""
    cost = next(figure for figure in result["verdict"]["figures"] if figure["name"] == "cost")
    return result["other_clients"], [reason for reason in cost["reasons"] if "other" in reason]


@case
def a_server_that_others_load_too_has_no_cost_of_ours():
    with Echo() as server:
        with socket.create_connection(("127.0.0.1", server.port)):
            result = netload(server.address, "-c", "2", "-n", "2000", "--json").ended_with(0).json()
            others, reasons = others_and_doubts(result)
            equal((others["connections"], others["segments"]), (1, 0), "a connection that is silent")
            equal(reasons, [], "doubts of the cost")
        with start_netload(server.address, "-c", "10", *UNTIL_TOLD) as other:
            wait_until(lambda: answered_in(lines_of(other)) > 0, "the other load ran")
            with start_netload(server.address, "-c", "2", "-R", "100", *UNTIL_TOLD) as ours:
                wait_until(lambda: answered_in(lines_of(ours)) > 0, "ours ran")
                seen = answered_in(lines_of(other))
                # A tenth of all is doubted, and this is more than ours can send until then.
                wait_until(lambda: answered_in(lines_of(other)) > seen + 100 * 60, "the other load was the larger one")
                ours.signal(signal.SIGINT)
                others, reasons = others_and_doubts(lines_of(ours.finish().ended_with(130))[-1])
            other.kill()
        equal(others["connections"], 10, "the other load's connections")
        expect(others["segments"] > 100, f"the other load's segments: {others}")
        contains(" ".join(reasons), "other clients loaded the server too")


@case
def what_others_send_over_a_path_is_not_known():
    with tempfile.TemporaryDirectory() as folder, Echo(listen=[f"unix:{folder}/socket"]) as server:
        load = [server.address, "-c", "2", "-n", "2000", "--json"]
        others, reasons = others_and_doubts(netload(*load).ended_with(0).json())
        equal((others["connections"], others["segments"], reasons), (0, 0, []), "with none")
        with server.connect():
            others, reasons = others_and_doubts(netload(*load).ended_with(0).json())
        equal(others["connections"], 1, "with one")
        expect("segments" not in others, f"segments: {others}")
        contains(" ".join(reasons), "the server had 1 other connection too")


def beside_a_load(server, exchange):
    """The result of a load to which others exchange more than ten times what it does."""
    with start_netload(server.address, "-c", "2", "-R", "100", *UNTIL_TOLD) as ours:
        wait_until(lambda: answered_in(lines_of(ours)) > 0, "ours ran")
        for _ in range(5000):
            exchange()
        ours.signal(signal.SIGINT)
        return lines_of(ours.finish().ended_with(130))[-1]


@case
def others_load_a_server_over_udp():
    with Echo(listen=["udp:127.0.0.1:0"]) as server, socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        to = ("127.0.0.1", int(server.port))

        def exchange():
            client.sendto(b"of another client", to)
            client.recv(100)
        others, reasons = others_and_doubts(beside_a_load(server, exchange))
        equal(others["connections"], 0, "sockets that are connected")
        expect(others["segments"] >= 9900, f"datagrams of others: {others}")
        contains(" ".join(reasons), "of the datagrams in this network namespace were of others")
        client.connect(to)
        others, reasons = others_and_doubts(beside_a_load(server, exchange))
        equal(others["connections"], 1, "sockets that are connected")
        contains(" ".join(reasons), "other clients loaded the server too")


@case
def our_own_connections_are_never_those_of_others():
    """One that we have closed stays with a server that does not read it; and who takes nothing has no cost."""
    port = free_port()
    idle = f"import signal, socket; all = socket.create_server(('127.0.0.1', {port})); signal.pause()"
    with Server(sys.executable, "-c", idle, port=port) as server, tempfile.NamedTemporaryFile() as large:
        large.truncate(1 << 20)
        result = netload(server.address, "-c", "2", "--reply", "none", "--send", f"@{large.name}", "-r", "10", "-d", "1s",
                         "--timeout", "1s", "--max-errors", "9", "--json").ended_with(0).json()
        equal(result["other_clients"]["connections"], 0, "connections of others")
        equal(result["verdict"]["valid"], False, "a cost of nothing is valid")


@case
def no_answers_have_no_latency():
    with Echo() as server, start_netload(server.address, "-c", "3", "--timeout", "0", *UNTIL_TOLD) as running:
        wait_until(lambda: answered_in(lines_of(running)) > 0, "there were answers")
        server.pause()
        seen = len(lines_of(running))

        def without_answers():  # In that within which it was stopped the last answers may have come.
            return [line for line in lines_of(running)[seen + 1:] if line["messages"] == 0]
        wait_until(lambda: len(without_answers()) >= 2, "there were none")
        # The last messages were sent before it began.
        quiet = without_answers()[1]
        equal([quiet[name] for name in ["p50_ns", "p99_ns", "p999_ns", "max_ns"]], [None] * 4, "latencies")
        expect(quiet["oldest_ns"] >= 1e9 * quiet["seconds"], f"the oldest message: {quiet}")
        running.kill()


def require(name):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed")


def require_root(why):
    if os.geteuid() != 0:
        raise Skip(why)


@contextlib.contextmanager
def netload_for_everybody():
    """A copy that everybody may run."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, "netload")
        shutil.copy(program("NETLOAD"), copy)
        os.chmod(copy, stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
        yield copy


require_backend()
run()

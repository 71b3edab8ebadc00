#!/usr/bin/env python3
"""netecho as its user sees it: where it listens, how it ends, and what it prints."""

import csv
import json
import os
import resource
import shutil
import signal
import socket
import tempfile

from case import Skip, case, contains, equal, expect, fits_a_terminal, realtime, run, wait_until
from process import (Echo, check_echo, check_never_reading, connect, netecho, netload, program, receive,
                     require_backend, require_ipv6, run_program)


@case
def any_free_port():
    with Echo() as server:
        expect(int(server.port) > 0, "no port in the file")
        equal(server.listening(), [f"127.0.0.1:{server.port}"], "where it says it listens")
        with server.connect() as client:
            check_echo(client, bytes(range(256)) * 400)
        server.stop().ended_with(0)


@case
def ipv6():
    require_ipv6()
    with Echo(listen=["[::1]:0"]) as server:
        with server.connect() as client:
            check_echo(client)
        equal(server.listening(), [f"[::1]:{server.port}"], "where it says it listens")
        ended = netload(server.address, "-c", "4", "-n", "200", "--json").ended_with(0)
        equal(ended.json()["totals"]["messages"], 200, "messages")


@case
def unix_path():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/echo"
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(path)
        for threads in ["1", "2"]:
            with Echo("-t", threads, listen=[f"unix:{path}"]) as server:
                equal(server.port, path, "the port file")
                with server.connect() as client:
                    check_echo(client)
                ended = netecho(f"unix:{path}", "-d", "5s").ended_with(3)
                contains(ended.err, path, "what a second server says")
                with server.connect() as client:
                    check_echo(client)
                server.stop().ended_with(0)
            expect(not os.path.exists(path), "the socket's file is still there")


@case
def several_addresses():
    with tempfile.TemporaryDirectory() as folder:
        with Echo(listen=["127.0.0.1:0", "127.0.0.2:0", f"unix:{folder}/echo"]) as server:
            addresses = server.listening()
            equal(len(addresses), 3, "addresses it says it listens on")
            for address in addresses:
                with connect(address) as client:
                    check_echo(client)
            server.stop().ended_with(0)
            contains(server.out, "3 connections")


@case
def two_threads():
    with Echo("-t", "2", "--json") as server:
        clients = [server.connect() for _ in range(40)]
        for client in clients:
            check_echo(client)
            client.close()
        result = server.stop().ended_with(0).json()
        equal(result["totals"]["connections"], 40, "connections")
        equal(result["totals"]["bytes_in"], 40 * len(b"one message"), "bytes in")
        equal(result["cpu"]["process"]["threads"], 2, "threads")


@case
def duration_ends_it():
    ended = netecho("127.0.0.1:0", "-d", "100ms", "--json").ended_with(0)
    expect(ended.json()["totals"]["seconds"] >= 0.1, "it ended early")
    equal(ended.json()["interrupted"], False, "interrupted")


@case
def first_signal_prints_the_result():
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with Echo() as server:
            with server.connect() as client:
                check_echo(client)
                server.signal(number)
                equal(client.recv(1), b"", "what an open connection gets at the end")
            server.finish().ended_with(0)
            for part in ["1 connection", "1 message", "qps", "per message", "machine", "path"]:
                contains(server.out, part)
        with Echo("-d", "60s", "--json") as server:
            server.signal(number)
            equal(server.finish().ended_with(130).json()["interrupted"], True, "interrupted")


@case
def hangup_after_a_signal_takes_no_result():
    """A shell whose terminal is closed sends SIGHUP to its jobs, and the kernel sends it again when the shell ends."""
    for first in [signal.SIGHUP, signal.SIGINT]:
        with Echo() as server:
            with server.connect() as client:
                check_echo(client)
            server.signal(first)
            while server.running:
                server.signal(signal.SIGHUP)
            contains(server.finish().ended_with(0).out, "1 message")


@case
def hangup_stays_ignored_under_nohup():
    with Echo(before=["nohup"]) as server:
        with server.connect() as client:
            for _ in range(3):
                server.signal(signal.SIGHUP)
                check_echo(client)
        contains(server.stop().ended_with(0).out, "3 messages")


@case
def user_signal_prints_a_snapshot():
    with Echo() as server:
        with server.connect() as client:
            check_echo(client)
            for count in [1, 2]:
                server.signal(signal.SIGUSR1)
                wait_until(lambda: server.out.count(" rss ") == count, f"{count} snapshots were there")
            check_echo(client)
        server.stop().ended_with(0)


@case
def live_lines():
    with Echo("-i", "50ms") as server:
        wait_until(lambda: len(server.out.splitlines()) >= 3, "three lines were there")
        result = server.stop().ended_with(0)
        contains(result.out.splitlines()[0], "qps")


@realtime
def segments_are_the_kernels():
    with Echo("--json") as server:
        flags = ["-c", "10", "-n", "1000", "-s", "64", "--json"]
        sent = netload(server.address, *flags).ended_with(0).json()["totals"]["packets"]
        seen = server.stop().ended_with(0).json()["totals"]["packets"]
    # One in flight: a message is a segment. A stall of the machine may have one sent again.
    for packets in [sent["data_out"], sent["data_in"], seen["data_in"], seen["data_out"]]:
        expect(1000 <= packets <= 1010, f"segments with data of 1,000 messages: {sent} and {seen}")
    for packets in [sent, seen]:
        expect(packets["in"] >= packets["data_in"], f"more with data than all: {packets}")
    expect(seen["in"] >= sent["out"], f"the server got fewer than were sent: {sent} and {seen}")
    with Echo("--json") as server:
        flags = ["-c", "1", "-n", "10", "-s", "300000", "--json"]
        sent = netload(server.address, *flags).ended_with(0).json()["totals"]["packets"]
        expect(sent["data_out"] >= 50, f"segments of 10 messages of 300,000 bytes: {sent}")


@realtime
def segments_of_the_warm_up_are_left_out():
    with Echo() as server:
        flags = ["-c", "10", "-n", "1000", "-w", "200ms", "--json"]
        packets = netload(server.address, *flags).ended_with(0).json()["totals"]["packets"]
    # One in flight: a message is a segment, and that under way as the warm-up ends may count or not.
    expect(990 <= packets["data_out"] <= 1020, f"segments of 1,000 messages: {packets}")


@case
def a_unix_socket_has_no_segments():
    with tempfile.TemporaryDirectory() as folder:
        with Echo("--json", listen=[f"unix:{folder}/echo"]) as server:
            ended = netload(server.address, "-c", "2", "-n", "100").ended_with(0)
            contains(ended.out, "packets                n/a")
            equal(server.stop().ended_with(0).json()["totals"]["packets"], None, "packets")


@case
def live_lines_show_packets_and_memory():
    with Echo("-i", "100ms", "--json") as server:
        flags = ["-c", "20", "-r", "100", "-d", "500ms", "-i", "100ms", "--json"]
        result = netload(server.address, *flags).ended_with(0).json()
        served = server.stop().ended_with(0).json()
    # A slow machine sends the last messages behind the end, in lines that are in no total of netload.
    for document, most in [(result, served["totals"]["packets"]["data_in"]),
                           (served, served["totals"]["packets"]["data_out"])]:
        equal(len([one for one in document["intervals"] if one["rss_bytes"] < 1 << 20]), 0, "lines without memory")
        lines = sum(one["packets"]["data_out"] for one in document["intervals"])
        expect(0 < lines <= most, f"{lines} segments in the lines of {most}")
    contains(server.err, " packets ")


@case
def live_lines_beside_json():
    with Echo("-i", "50ms", "--json") as server:
        wait_until(lambda: server.err.count("qps") >= 2, "two lines were on standard error")
        result = server.stop().ended_with(0).json()
        expect(len(result["intervals"]) >= 2, "no intervals in the document")


def validate(document):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip("python3 has no module jsonschema") from None
    with open(program("SCHEMA"), encoding="utf-8") as file:
        wrong = [f"{error.json_path}: {error.message[:200]}" for error in
                 Draft202012Validator(json.load(file)).iter_errors(document)]
    expect(not wrong, "\n".join(wrong))


@case
def json_keeps_to_the_schema():
    with Echo("--json", "-i", "50ms") as server:
        one = netload(server.address, "-c", "2", "-n", "100", "--json", "-i", "20ms").ended_with(0).json()
        two = netload(server.address, "-c", "2", "-r", "50", "-d", "200ms", "--json").ended_with(0).json()
        for document in [one, two, server.stop().ended_with(0).json()]:
            validate(document)


@case
def json_and_text():
    with tempfile.TemporaryDirectory() as folder:
        ended = netecho("127.0.0.1:0", "-d", "1ms", f"--json={folder}/result").ended_with(0)
        contains(ended.out, "machine")
        fits_a_terminal(ended.out)
        with open(f"{folder}/result", encoding="utf-8") as file:
            equal(json.load(file)["tool"], "netecho", "tool")


@case
def csv_rows():
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/rows.csv"
        for _ in range(3):
            netecho("127.0.0.1:0", "-d", "1ms", "--csv", file).ended_with(0)
        with open(file, newline="", encoding="utf-8") as text:
            rows = list(csv.reader(text))
        equal(len(rows), 4, "a header and three rows")
        equal({len(row) for row in rows}, {len(rows[0])}, "fields of each row")
        equal([row[rows[0].index("tool")] for row in rows[1:]], ["netecho"] * 3, "the column 'tool'")


@case
def every_way_to_wait():
    for wait in ["block", "spin", "adaptive", "adaptive:20us", "batch", "batch:300us"]:
        with Echo("--wait", wait, "--json") as server:
            with server.connect() as client:
                for _ in range(5):
                    check_echo(client)
            contains(server.stop().ended_with(0).json()["config"]["wait"], wait)


@case
def half_closed_peer_gets_the_rest():
    message = os.urandom(300_000)
    with Echo() as server, server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        client.settimeout(60)
        sent = client.send(message)
        client.shutdown(socket.SHUT_WR)
        equal(receive(client, sent), message[:sent], "the echo behind a half-close")
        equal(client.recv(1), b"", "the end of the stream")


@case
def reset_is_counted():
    with Echo("--json") as server:
        with server.connect() as client, server.connect() as other:
            check_echo(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            client.close()  # SO_LINGER of 0 s: a reset.
            for _ in range(20):
                check_echo(other)
        result = server.stop().ended_with(0).json()
        equal(result["totals"]["errors"], {"Connection reset by peer": 1}, "errors")


@case
def over_the_limit_of_connections():
    with Echo("--max-connections", "3", "--json") as server:
        kept = [server.connect() for _ in range(3)]
        for client in kept:
            check_echo(client)
        for _ in range(2):
            with server.connect() as refused:
                try:
                    equal(refused.recv(1), b"", "what a connection over the limit gets")
                except ConnectionResetError:
                    pass
        kept.pop().close()
        for client in kept:
            check_echo(client)

        def room():
            with server.connect() as client:
                try:
                    client.sendall(b"x")
                    return client.recv(1) == b"x"
                except (ConnectionResetError, BrokenPipeError):
                    return False

        wait_until(room, "the room of a closed connection was given away")
        errors = server.stop().ended_with(0).json()["totals"]["errors"]
        expect(errors.get("over --max-connections", 0) >= 2, f"errors: {errors}")


@case
def a_client_that_never_reads():
    with Echo("--json") as server:
        check_never_reading(server, turns=20)
        result = server.stop().ended_with(0).json()
        contains(" ".join(result["path"]["evidence"]), "peers that did not read")


@case
def a_silent_client_is_ended():
    with Echo("--idle-timeout", "2s", "--json") as server, server.connect() as silent:
        check_echo(silent)
        equal(silent.recv(1), b"", "what a silent client gets")
        with server.connect() as other:  # Answered in a later turn than the one that ended the first.
            check_echo(other)
            errors = server.stop().ended_with(0).json()["totals"]["errors"]
        equal(list(errors), ["idle for --idle-timeout"], "kinds of errors")


def fill(client, other):
    """Sends what is never read until no more is taken; an echo to another in between."""
    client.setblocking(False)
    chunk = bytes(1 << 16)
    idle = 0
    while idle < 3:
        try:
            client.send(chunk)
            idle = 0
        except BlockingIOError:
            idle += 1
            check_echo(other)
        except (ConnectionResetError, BrokenPipeError):
            return


@case
def clients_that_hold_too_much_memory_are_ended():
    with Echo("--max-memory", "2M", "--sndbuf", "4k", "--rcvbuf", "4k", "--json") as server, \
            server.connect() as good:
        greedy = [server.connect() for _ in range(20)]
        for client in greedy:
            fill(client, good)
        check_echo(good, os.urandom(1000))
        for client in greedy:
            client.close()
        errors = server.stop().ended_with(0).json()["totals"]["errors"]
        expect(errors.get("held most of --max-memory", 0) >= 10, f"errors: {errors}")


@case
def memory_goes_back_when_its_clients_have_left():
    """Up to 32 MiB may stay (netecho(1), --max-memory): so more is held, each time, and all but that is given back."""
    if "-fsanitize" in run_program(program("NETECHO"), "--version").out:
        raise Skip("a sanitizer keeps what was freed")
    with Echo("--sndbuf", "4k", "--rcvbuf", "4k") as server, server.connect() as good:
        check_echo(good)
        before = server.resident_bytes()
        for _ in range(3):  # From the second time on, large blocks come from the heap too (mallopt(3)).
            greedy = [server.connect() for _ in range(300)]
            for client in greedy:
                fill(client, good)
            held = server.resident_bytes() - before
            expect(held > 48 << 20, f"only {held} bytes more with 300 clients that do not read")
            greedy.append(server.connect())  # The last one keeps the top of the heap.
            fill(greedy[-1], good)
            last = greedy.pop()
            for client in greedy:
                client.close()
        wait_until(lambda: server.resident_bytes() - before < 32 << 20, "the memory went back")
        check_echo(good)
        last.close()


@case
def at_rest_it_takes_few_megabytes():
    """VmRSS, with the pages of its libraries, once it listens and before the first client."""
    if "-fsanitize" in run_program(program("NETECHO"), "--version").out:
        raise Skip("a sanitizer has memory of its own")
    most = (4 if os.environ["BACKEND"] == "epoll" else 6) << 20
    with Echo() as server:
        expect(server.resident_bytes() <= most, f"{server.resident_bytes()} bytes at rest")
        with server.connect() as client:
            check_echo(client)


def policies(pid):
    threads = os.listdir(f"/proc/{pid}/task")
    return sorted(os.sched_getscheduler(int(thread)) & ~os.SCHED_RESET_ON_FORK for thread in threads)


@case
def realtime_is_for_the_loops():
    tried = run_program("chrt", "--fifo", "1", "true")
    if tried.code != 0:
        raise Skip(f"it is not allowed here: {tried.err.strip()}")
    with Echo("--realtime", "-t", "2", "--json") as server:
        found = policies(server.pid)
        equal(found[-2:], [os.SCHED_FIFO] * 2, "policies of the loops")
        # The runtime of a sanitizer has a thread, too.
        equal(set(found[:-2]), {os.SCHED_OTHER}, "policies of the other threads")
        load = netload(server.address, "--realtime", "-n", "100", "--json").ended_with(0).json()
        result = server.stop().ended_with(0).json()
        for end in (load, result):
            contains(" ".join(end["path"]["evidence"]), "realtime: SCHED_FIFO", "the path")
            equal(dict(end["config"])["realtime"], "yes", "the option in the result")
    with Echo() as server:
        equal(set(policies(server.pid)), {os.SCHED_OTHER}, "policies without it")


@case
def realtime_that_is_not_allowed_is_an_error():
    may_not = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            raise Skip("no setpriv")
        may_not = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
    elif resource.getrlimit(resource.RLIMIT_RTPRIO)[1] > 0:
        raise Skip("this user may")
    with Echo() as server:
        for name, operand in [("NETECHO", "127.0.0.1:0"), ("NETLOAD", server.address)]:
            ended = run_program(*may_not, program(name), operand, "--realtime", "-d", "60s").ended_with(3)
            equal(ended.out, "", "standard output")
            contains(ended.err, "--realtime: sched_setscheduler", "the error")
            contains(ended.err, "ulimit -r", "the error, which names the fix")


@case
def realtime_never_spins():
    for tool in (netecho, netload):
        contains(tool("--realtime", "--wait", "spin").ended_with(2).err, "--wait spin", "the error")


@case
def out_of_descriptors():
    with Echo("--json", descriptors=40) as server:
        clients = []
        for _ in range(60):
            clients.append(server.connect())
        for client in clients[:10]:
            check_echo(client)
        for client in clients[10:]:
            client.sendall(b"later")
        for client in clients[:10]:
            check_echo(client)
        for client in clients[:30]:
            client.close()
        for client in clients[30:]:
            equal(receive(client, 5), b"later", "the echo once there is room")
        result = server.stop().ended_with(0).json()
        said = " ".join(result["path"]["evidence"])
        contains(said, "for want of descriptors or memory", "the result")
        expect(result["totals"]["errors"].get("accept: over the limit of open files", 0) > 0, "it counted no error")
        contains(" ".join(result["warnings"]), "ulimit", "the warning, which names the fix")
        equal(result["totals"]["connections"], 60, "connections")


@case
def too_few_descriptors_to_start():
    ended = run_program(program("NETECHO"), "127.0.0.1:0", "-d", "5s", descriptors=15).ended_with(3)
    contains(ended.err, "descriptors")
    contains(ended.err, "ulimit", "the fix")


require_backend()
run()

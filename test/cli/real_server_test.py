#!/usr/bin/env python3
"""netload against servers of other projects: what they answer, and what becomes of their faults."""

import contextlib
import os
import re
import signal
import tempfile

import datagram_drops
from bad_server import PAGE, BadServer
from case import case, contains, equal, expect, run, wait_until
from document import count_from
from outcome import expect_outcome, not_opened
from process import children_of, cpu_seconds, lines_of, netload, require_backend, start_netload
from real_servers import DNS_ANSWER_SIZE, DNS_QUESTION, dns, haproxy, memcached, nginx, redis, smtp
from standstill import UNTIL_TOLD, answered_in, stood_still
from stream_relay import StreamRelay

SHORT = ["-c", "10", "-n", "2000", "--json"]


def checked(server, *flags, code=0, most=SHORT):
    """The result of a run that ends with `code`."""
    ended = netload(server, *most, *flags).ended_with(code)
    result = ended.json()
    expect_outcome(result)
    return result


def whole(result, check, messages=2000):
    """Every message was answered without an error; `check` is what was made sure of."""
    equal(result["totals"]["errors"], {}, "errors")
    equal(result["outcome"]["answered"], messages, "answered")
    equal([one["name"] for one in result["checks"]], [check], "checks")


def in_turn(result, *names):
    """Each kind of error is that of every second request of each connection."""
    errors = result["totals"]["errors"]
    equal(set(errors), set(names), "kinds of errors")
    for name in names:
        expect(990 <= errors[name] <= 1010, f"errors: {errors}")


def starts_and_dies(server, target, *flags):
    """A server that is killed under load ends every connection, none opens again, and the run ends with 4."""
    with start_netload(target, "-c", "10", "-d", "30s", "--json", "-i", "100ms", *flags) as load:
        before = cpu_seconds(server.pid)
        wait_until(lambda: cpu_seconds(server.pid) > before + 0.05 or not load.running, "the load was under way")
        server.kill()
        errors = load.finish().ended_with(4).json()["totals"]["errors"]
        # Other errors are those of what was under way, and may not be repeated.
        equal(not_opened(errors), 10, f"connections that did not open again: {errors}")


def stands_still(server, *flags, **until):
    """The result of an open loop in whose midst the server stands still: 200 messages come due meanwhile."""
    with start_netload("-R", "200", *flags, *UNTIL_TOLD) as load:
        result = stood_still(load, server.pid, 1, **until)
    expect_outcome(result)
    equal(result["totals"]["errors"], {}, "errors")
    return result


def answers_late(server, target):
    """What was due while it stood still is late from the plan on, and no message is lost."""
    result = stands_still(server, target, "-c", "10", "--timeout", "20s", rate=200, after=20)
    late = count_from(result["latency_ns"], 100e6)
    expect(late >= 150, f"{late} messages took 100 ms or more, and 180 came due that long before it went on")
    # Messages may be under way when it is told to end, and with them there is no longest of all.
    expect(count_from(result["latency_ns"], 900e6) > 0, "none took 900 ms or more")


@case
def redis_answers():
    with redis() as server:
        target = f"redis://{server.address}"
        whole(checked(target), "verify")
        whole(checked(target, "-P", "16"), "verify")
        whole(checked(target, "--churn", "7"), "verify")
        whole(checked(target, "--send", "SET %{conn} %{random:40}", "--send", "GET %{conn}"), "replies")
        whole(checked(target, "--send", "GET none", "--expect", "$-1"), "verify")
        open_loop = checked(target, "-R", "20k", "--slo", "errors<1")
        equal([one["name"] for one in open_loop["checks"]], ["verify", "slo errors<1"], "checks")
        equal(open_loop["config"]["format"], "resp", "format")


@case
def redis_tells_hits_from_misses():
    with redis() as server:
        target = f"redis://{server.address}"
        empty = checked(target, "--send", "GET k")
        equal(empty["answers"], {"miss": 2000}, "answers of an empty server")
        contains(" ".join(empty["warnings"]), "not one of 2,000 reads found what it asked for")
        expect("answers" not in checked(target, "--send", "SET k v"), "SET reads nothing")
        equal(checked(target, "--send", "GET k")["answers"], {"hit": 2000}, "answers of a filled one")
        array = r"*3\r\n$4\r\nMGET\r\n$1\r\nx\r\n$1\r\nk\r\n"
        equal(checked(target, "--send", array)["answers"], {"hit": 2000}, "answers with one value of two")
        equal(checked(target, "--send", "HGETALL none")["answers"], {"miss": 2000}, "answers without a value")


@case
def redis_errors_count_by_name():
    with redis() as server:
        result = checked(f"redis://{server.address}", "--send", "HGET k f", "--send", "NO SUCH", code=4)
        in_turn(result, "RESP -ERR")
        equal(result["outcome"]["answered"], 2000, "answered: an error reply is an answer")
        contains(" ".join(result["warnings"]), "the first error reply: \"-ERR unknown command", "warnings")


@case
def redis_over_a_unix_socket():
    with tempfile.TemporaryDirectory() as folder, redis("--unixsocket", f"{folder}/socket") as _:
        whole(checked(f"unix:{folder}/socket", "--send", r"PING\r\n", "--reply", "resp", "--expect", "+PONG"), "verify")


@case
def redis_that_is_killed():
    with redis() as server:
        starts_and_dies(server, f"redis://{server.address}")


@case
def redis_that_stands_still():
    with redis() as server:
        answers_late(server, f"redis://{server.address}")


@case
def redis_behind_a_relay_that_changes_a_byte():
    def change(data):
        return data.replace(b"PONG", b"PANG")
    with redis() as server, StreamRelay(server.port, change, after=70) as relay:
        ended = netload(f"redis://{relay.address}", *SHORT).ended_with(1)
        result = ended.json()
        equal(result["checks"][0]["passed"], False, "verify")
        contains(result["checks"][0]["detail"],
                 r'got "+PANG\r\n" where "+PONG\r\n" was expected; they differ from byte 2')
        equal(set(result["totals"]["errors"]), {"wrong reply"}, "errors")


@case
def nginx_answers():
    with nginx() as server:
        target = f"http://{server.address}"
        whole(checked(f"{target}/short", "--expect", "0123456789"), "verify")
        whole(checked(f"{target}/long", "--expect", "same"), "verify")
        whole(checked(f"{target}/chunked/page", "--expect", "same"), "verify")
        whole(checked(f"{target}/long", "-P", "8"), "replies")
        whole(checked(f"{target}/long", "--method", "HEAD"), "replies")
        whole(checked(f"{target}/short", "-R", "20k"), "replies")


def lines(*texts):
    """A file of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="ascii") as file:
        file.write("\n".join(texts) + "\n")
    return file.name


@case
def nginx_over_a_unix_socket_gets_lines_in_turn():
    with nginx() as server:
        file = lines(r"GET /short HTTP/1.1\r\nHost: x\r\n\r\n", r"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            result = checked(f"unix:{server.path}", "--reply", "http", "--send-lines", f"@{file}", "--expect", "same")
        finally:
            os.unlink(file)
        whole(result, "verify")
        contains(result["config"]["send"], "2 requests of ")


@case
def nginx_errors_count_by_name():
    with nginx() as server:
        for path, status in (("none", 404), ("busy", 503)):
            result = checked(f"http://{server.address}/{path}", code=4)
            equal(result["totals"]["errors"], {f"HTTP {status}": 2000}, "errors")
            equal(result["answers"], {str(status): 2000}, "answers")
            equal(result["outcome"]["answered"], 2000, "answered")


@case
def nginx_closes_and_is_reached_again():
    with nginx(requests=10) as server:
        for flags in ([], ["-R", "10k"]):
            result = checked(f"http://{server.address}/short", *flags)
            whole(result, "replies")
            closed = [one for one in result["path"]["evidence"] if one.startswith("the server closed ")]
            equal(len(closed), 1, f"evidence {result['path']['evidence']}")
            expect(int(re.search(r"\d+", closed[0])[0]) >= 190, closed[0])


@case
def nginx_behind_haproxy():
    with nginx() as server, haproxy(server.address) as front:
        whole(checked(f"http://{front.address}/short", "--expect", "0123456789"), "verify")
        whole(checked(f"http://{front.address}/chunked/page", "--expect", "same"), "verify")
        server.kill()
        result = checked(f"http://{front.address}/short", code=4)
        equal(set(result["totals"]["errors"]), {"HTTP 503"}, "errors without the server behind it")


@case
def idle_connections_are_closed():
    """nginx and redis after a second, and after five a server that does as Node: nothing is lost, and no error."""
    def behave(connection, _):
        connection.settimeout(5)
        while connection.recv(1 << 16):
            connection.sendall(PAGE)
    with nginx(idle_s=1) as web, redis("--timeout", "1") as store, BadServer(behave) as node, \
            contextlib.ExitStack() as stack:
        # The second message of each comes eight seconds behind the first.
        loads = [stack.enter_context(start_netload(target, "-c", "1", "-r", "0.125", "-n", "2", "--json"))
                 for target in (f"http://{web.address}/short", f"redis://{store.address}", f"http://{node.address}")]
        for load in loads:
            result = load.finish().ended_with(0).json()
            expect_outcome(result)
            equal([result["outcome"]["answered"], result["totals"]["errors"]], [2, {}], f"outcome: {load.argv}")
            equal([result["totals"][part] for part in ["connections", "opened_again"]], [1, 1], f"opened: {load.argv}")
            contains(" ".join(result["path"]["evidence"]), "the server closed 1 connection with nothing under way")


@case
def nginx_that_is_reloaded():
    """Its old process ends, and closes what is idle. What it had not read is an error, and the run goes on."""
    with nginx(master="on") as server, start_netload(f"http://{server.address}/short", "-c", "10", *UNTIL_TOLD) as load:
        wait_until(lambda: answered_in(lines_of(load)) > 0 or not load.running, "it ran")
        old = children_of(server.pid)
        os.kill(server.pid, signal.SIGHUP)
        wait_until(lambda: not old & children_of(server.pid), "the old process ended")
        seen = len(lines_of(load))
        wait_until(lambda: answered_in(lines_of(load)[seen + 1:]) > 0 or not load.running, "it went on")
        load.signal(signal.SIGINT)
        result = lines_of(load.finish().ended_with(130))[-1]
    expect_outcome(result)
    expect("given_up_s" not in result["loop"], f"loop: {result['loop']}")
    equal(result["totals"]["connections"], 10, "connections")
    expect(result["totals"]["opened_again"] >= 10, f"connections: {result['totals']}")
    expect(set(result["totals"]["errors"]) <= {"Connection reset by peer"}, f"errors: {result['totals']['errors']}")


@case
def nginx_that_is_killed():
    with nginx() as server:
        starts_and_dies(server, f"http://{server.address}/short")


@case
def nginx_that_stands_still():
    with nginx() as server:
        answers_late(server, f"http://{server.address}/short")


@case
def memcached_answers():
    with memcached() as server:
        target = f"memcached://{server.address}"
        whole(checked(target), "verify")
        checked(target, "--send", r"set k 0 0 15\r\nEND\r\nnot an end", "--expect", "STORED",
                most=["-c", "1", "-n", "1", "--json"])
        whole(checked(target, "--send", "get k", "--expect", r"VALUE k 0 15\r\nEND\r\nnot an end\r\nEND\r\n"), "verify")
        equal(checked(target, "--send", "get k")["answers"], {"hit": 2000}, "answers")
        equal(checked(target, "--send", "mg none v")["answers"], {"miss": 2000}, "answers")
        whole(checked(target, "--send", "get none", "--send", "stats", "-P", "4"), "replies")
        result = checked(target, "--send", "foo", "--send", r"set k 0 0 x\r\n", code=4)
        in_turn(result, "memcached ERROR", "memcached CLIENT_ERROR")


@case
def memcached_that_is_killed():
    with memcached() as server:
        starts_and_dies(server, f"memcached://{server.address}")


@case
def memcached_that_stands_still():
    with memcached() as server:
        answers_late(server, f"memcached://{server.address}")


@case
def smtp_speaks_first():
    with smtp() as server:
        flags = [server.address, "--send", r"NOOP\r\n", "--reply", "line"]
        whole(checked(*flags, "--greeting", r"until:\r\n", "--expect", "250 "), "verify")
        whole(checked(*flags, "--greeting", "line", "--expect", "250 ", "--churn", "100"), "verify")
        ended = netload(*flags, "-c", "10", "-d", "1s")
        expect(ended.code in (1, 3, 4), f"exit {ended.code}")
        contains(ended.out + ended.err, "a server that speaks first wants --greeting line")


@case
def smtp_that_is_killed():
    with smtp() as server:
        starts_and_dies(server, server.address, "--send", r"NOOP\r\n", "--reply", "line", "--greeting", "line")


def found_or_dropped(server, *flags):
    """Every question is answered, in time or late, or the kernel counts it or its answer as dropped."""
    before, lost_before = datagram_drops.at_port(server.port), datagram_drops.before_sockets()
    result = checked(server.address, "--send", DNS_QUESTION, "--timeout", "5s", *flags)
    equal(result["totals"]["errors"], {}, "errors")
    equal(result["outcome"]["sent"], 2000, "sent")
    equal(result["delivery"]["wrong"], 0, "wrong datagrams")
    missing = result["outcome"]["lost"] - result["outcome"]["late"]
    dropped = datagram_drops.at_port(server.port) - before + result["totals"]["datagrams"]["dropped"]
    if datagram_drops.before_sockets() == lost_before:
        equal(missing, dropped, f"missing, and dropped by the sockets, with {flags}")
    else:
        expect(missing >= dropped, f"{missing} missing, {dropped} dropped by the sockets, with {flags}")
    equal([one["name"] for one in result["checks"]], ["replies"], "checks")


@case
def dns_answers_in_datagrams():
    with dns() as server:
        for flags in (["--reply", f"size:{DNS_ANSWER_SIZE}"], [], ["-P", "8"], ["-R", "5k"]):
            found_or_dropped(server, *flags)


@case
def dns_that_stands_still_loses_what_was_asked():
    with dns() as server:
        result = stands_still(server, server.address, "--send", DNS_QUESTION, "-c", "4", "--timeout", "100ms", after=100)
        outcome = result["outcome"]
        expect(outcome["lost"] > 50, f"lost of {outcome}")
        expect(outcome["answered"] >= 100, f"answered of {outcome}")
        equal(result["delivery"]["wrong"], 0, "wrong: late answers are known by their id")


require_backend()
run()

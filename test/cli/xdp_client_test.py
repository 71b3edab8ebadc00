#!/usr/bin/env python3
"""netload over AF_XDP, between two network namespaces with a pair of veth."""

import json
import signal
import socket
import subprocess

from case import case, contains, equal, expect, realtime, run, wait_until
from process import Process, handles, program
from veth_pair import PORT, SERVER, SERVER6, Pair, check_echo, check_ping, result_of

COUNT = 20000


def check_all_answered(load, count=COUNT):
    """Each message was answered, over AF_XDP and no other way."""
    result = load.finish().ended_with(0).json()
    equal(result["path"]["active"], "xdp", "the backend that ran")
    equal(result["totals"]["messages"], count, "replies")
    equal(result["outcome"]["lost"], 0, "lost")
    equal(result["totals"]["errors"], {}, "errors")
    datagrams = result["totals"]["datagrams"]
    equal(datagrams, {"in": count, "out": count, "unsent": 0, "dropped": 0}, "datagrams")
    return result["path"]["evidence"]


def has_program(pair):
    shown = subprocess.run(["ip", "-n", pair.other, "link", "show", "v1"], capture_output=True,
                           text=True, check=True)
    return "prog/xdp" in shown.stdout


def frames_sent(pair):
    shown = subprocess.run(["ip", "-n", pair.other, "-s", "-j", "link", "show", "v1"],
                           capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)[0]["stats64"]["tx"]["packets"]


def refusal(pair, *arguments, before=(), code=3):
    refused = Process(*pair.outside, *before, program("NETLOAD"), "--backend", "xdp", *arguments)
    return refused.finish().ended_with(code).err


@case
def sixty_four_flows_to_the_kernel():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        path = check_all_answered(pair.load("-c", "64", "-n", str(COUNT), "--xdp", "native"))
        equal(path[0], "AF_XDP on v1, native, copied, 1 receive queue", "the path")
        expect(not any("by the kernel's sockets" in line for line in path), path)
        equal(result_of(server)["totals"]["datagrams"]["in"], COUNT, "what the server counted")


@case
def sixty_four_flows_over_two_queues_and_af_xdp_at_both_ends():
    with Pair(2) as pair:
        server = pair.serve()
        path = check_all_answered(pair.load("-c", "64", "-n", str(COUNT), "--xdp", "generic"))
        equal(path[0], "AF_XDP on v1, generic, copied, 2 receive queues", "the path")
        totals = result_of(server)["totals"]
        equal(totals["datagrams"]["in"], COUNT, "what the server counted")


@case
def each_way_to_wait():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        for how in ("block", "spin", "adaptive", "batch:1ms"):
            check_all_answered(pair.load("-c", "4", "-n", "200", "--wait", how), 200)
        result_of(server)


@case
def ipv6_and_each_size_up_to_the_mtu():
    with Pair(2) as pair:
        at = f"udp:[{SERVER6}]:{PORT}"
        server = pair.serve(backend="epoll", at=at)
        check_all_answered(pair.load("-c", "3", "-n", "2000", "-s", "17-1452", at=at), 2000)
        result_of(server)


@realtime
def at_a_rate_and_in_each_format():
    with Pair() as pair:
        for flags in (["-r", "2000"], ["-f", "json"], ["-P", "16"]):
            server = pair.serve("--format", "json") if "-f" in flags else pair.serve()
            check_all_answered(pair.load("-c", "4", "-n", "1000", *flags), 1000)
            result_of(server)


@realtime
def what_is_longer_than_the_mtu_is_an_error_and_never_sent_another_way():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        load = pair.load("-c", "1", "-n", "3", "-s", "1473", "--timeout", "50ms")
        result = load.finish().ended_with(4).json()
        equal(result["totals"]["errors"], {"send: Message too long": 3}, "errors")
        equal(result["totals"]["datagrams"]["out"], 0, "datagrams sent")
        equal(result_of(server)["totals"]["datagrams"]["in"], 0, "what came")


@case
def replies_in_fragments_come_by_the_kernel_and_are_told():
    with Pair() as pair:
        pair.run("ip", "route", "change", "10.99.0.0/24", "dev", "v0", "mtu", "600")
        server = pair.serve(backend="epoll")
        path = check_all_answered(pair.load("-c", "2", "-n", "50", "-s", "1400"), 50)
        contains("\n".join(path), "50 of the datagrams came by the kernel's sockets", "the path")
        result_of(server)


@case
def ping_tcp_and_other_udp_beside_it_are_undisturbed():
    with Pair(2) as pair:
        server = pair.serve(backend="epoll")
        beside = pair.serve(backend="epoll", at=f"{SERVER}:{PORT}")
        load = pair.load("-c", "4", "-d", "60s")
        wait_until(lambda: not load.running or frames_sent(pair) > 1000, "it sends")
        with pair.client() as client, pair.client(kind=socket.SOCK_STREAM) as stream:
            for size in (64, 1400, 20000):
                check_echo(client, size)  # From another port to the same server.
            check_echo(stream, 64)
        check_ping(pair)
        expect(load.running, load.err)
        load.signal(signal.SIGINT)
        load.finish().ended_with(130)
        expect(load.json()["outcome"]["lost"] <= 4, "more were lost than were under way")
        result_of(beside)
        result_of(server)


@case
def killed_it_is_started_again_at_once():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        for _ in range(3):
            load = pair.load("-c", "4", "-d", "60s")
            wait_until(lambda: not load.running or has_program(pair), "its program is there")
            expect(load.running, load.err)
            load.kill()
        check_all_answered(pair.load("-c", "4", "-n", "1000"), 1000)
        equal(has_program(pair), False, "a program is left")
        result_of(server)


@case
def a_second_one_on_the_interface_is_told_who_has_it():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        load = pair.load("-c", "1", "-d", "60s")
        wait_until(lambda: not load.running or has_program(pair), "its program is there")
        contains(refusal(pair, f"udp:{SERVER}:{PORT}"), "another program has this interface")
        expect(load.running, load.err)
        load.signal(signal.SIGINT)
        load.finish().ended_with(130)
        result_of(server)


@case
def what_a_server_that_stands_still_does_not_answer_is_lost():
    with Pair() as pair:
        server = pair.serve(backend="epoll")
        server.pause()
        load = pair.load("-c", "2", "-n", "20", "--timeout", "20ms").finish()
        result = load.ended_with(4).json()
        equal(result["outcome"]["lost"], 20, "lost")
        equal(result["outcome"]["answered"], 0, "answered")
        server.signal(signal.SIGCONT)
        result_of(server)


@case
def interrupted_while_it_looks_for_the_way():
    with Pair() as pair:
        load = pair.load("-d", "60s", at="udp:10.99.0.77:7300")
        wait_until(lambda: handles(load.pid, signal.SIGINT), "it took the signal")
        load.signal(signal.SIGINT)
        equal(load.finish().ended_with(130).json()["totals"]["messages"], 0, "messages")


@case
def nobody_listens_and_nobody_is_there():
    with Pair() as pair:
        contains(refusal(pair, f"udp:{SERVER}:{PORT}"), "nobody listens")
        contains(refusal(pair, "udp:10.99.0.77:7300"), "nobody on v1 says it has that address")
        contains(refusal(pair, "udp:10.98.0.1:7300"), "unreachable")


@case
def over_a_router_it_asks_for_the_routers_address():
    with Pair() as pair:
        pair.run("ip", "link", "set", "lo", "up")
        pair.run("ip", "address", "add", "10.98.0.1/32", "dev", "lo")
        pair.run("ip", "address", "add", "fd98::1/128", "dev", "lo", "nodad")
        for target, route in ((f"udp:10.98.0.1:{PORT}", ("10.98.0.0/24", "via", SERVER)),
                              (f"udp:[fd98::1]:{PORT}", ("fd98::/64", "via", SERVER6))):
            subprocess.run(["ip", "-n", pair.other, "route", "add", *route], check=True)
            server = pair.serve(backend="epoll", at=target)
            check_all_answered(pair.load("-c", "2", "-n", "100", at=target), 100)
            result_of(server)


@case
def a_frame_too_small_for_the_mtu_is_refused():
    with Pair() as pair:
        subprocess.run(["ip", "-n", pair.other, "link", "set", "v1", "mtu", "9000"], check=True)
        contains(refusal(pair, f"udp:{SERVER}:{PORT}"), "its MTU is 9000 and a frame holds 3826")


@case
def what_it_cannot_do_is_refused_with_the_fix():
    with Pair() as pair:
        subprocess.run(["ip", "-n", pair.other, "link", "set", "lo", "up"], check=True)
        target = f"udp:{SERVER}:{PORT}"
        for arguments, fix, code in (((f"{SERVER}:{PORT}",), "use epoll or uring", 3),
                                     (("udp:127.0.0.1:7300",), "is loopback, which drops", 3),
                                     (("udp:10.99.0.2:7300",), "is loopback, which drops", 3),
                                     ((target, "-t", "2"), "leave -t out", 2),
                                     ((target, "--source-ip", "10.99.0.2-10.99.0.3"),
                                      "--source-ip one", 2)):
            contains(refusal(pair, *arguments, code=code), fix)
        nobody = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--reuid", "65534",
                  "--clear-groups")
        contains(refusal(pair, target, before=nobody), "setcap cap_net_raw")


run()

#!/usr/bin/env python3
"""netecho over AF_XDP, between two network namespaces with a pair of veth."""

import signal
import socket

from case import case, contains, equal, expect, run, wait_until
from process import Process, program
from veth_pair import PORT, SERVER, SERVER6, Pair, check_echo, check_ping, result_of


def check_load(pair, server, target=f"udp:{SERVER}:{PORT}"):
    load = Process(*pair.outside, program("NETLOAD"), "--backend", "epoll", "-c", "64", "-n",
                   "20000", target, "--json").finish().ended_with(0).json()
    equal(load["totals"]["messages"], 20000, "replies")
    result = result_of(server)
    equal(result["path"]["active"], "xdp", "the backend that ran")
    expect(result["totals"]["datagrams"]["in"] >= 20000, "what the server counted")
    return result


@case
def sixty_four_flows_over_one_queue():
    with Pair() as pair:
        path = check_load(pair, pair.serve("--xdp", "native"))["path"]["evidence"]
        equal(path[0], "AF_XDP on v0, native, copied, 1 receive queue", "the path")


@case
def sixty_four_flows_over_two_queues():
    with Pair(2) as pair:
        path = check_load(pair, pair.serve("--xdp", "generic"))["path"]["evidence"]
        equal(path[0], "AF_XDP on v0, generic, copied, 2 receive queues", "the path")


@case
def each_way_to_wait():
    with Pair() as pair:
        for how in ("block", "spin", "adaptive", "batch:1ms"):
            server = pair.serve("--wait", how)
            with pair.client() as client:
                for size in (0, 1, 64, 1472):
                    check_echo(client, size)
            equal(result_of(server)["totals"]["datagrams"]["out"], 4, f"answers with --wait {how}")


@case
def ipv6():
    with Pair(2) as pair:
        server = pair.serve(at=f"udp:[{SERVER6}]:{PORT}")
        with pair.client(host=SERVER6) as client:
            for size in (0, 1, 1452, 4000):
                check_echo(client, size)
        equal(result_of(server)["totals"]["datagrams"]["out"], 4, "answers")


@case
def fragments_and_tcp_and_ping_pass_to_the_kernel():
    with Pair(2) as pair:
        server = pair.serve()
        beside = pair.start(*pair.inside, program("NETECHO"), "--backend", "epoll",
                            f"{SERVER}:{PORT}")
        wait_until(lambda: "listening" in beside.err, "TCP is served on the same port")
        with pair.client() as client, pair.client(kind=socket.SOCK_STREAM) as stream:
            for size in (1473, 20000, 64):
                check_echo(client, size)
            check_echo(stream, 64)
        check_ping(pair)
        beside.process.send_signal(signal.SIGINT)
        beside.finish().ended_with(0)
        equal(result_of(server)["totals"]["datagrams"]["out"], 3, "answers")


@case
def killed_it_is_started_again_at_once():
    with Pair() as pair:
        with pair.client() as client:
            for _ in range(3):
                server = pair.serve()
                check_echo(client, 64)
                server.process.kill()
                server.process.wait()
            server = pair.serve()
            check_echo(client, 64)
            result_of(server)


@case
def a_second_server_of_the_interface_is_told_who_has_it():
    with Pair() as pair:
        server = pair.serve()
        contains(pair.refusal(f"udp:{SERVER}:{PORT + 1}"), "another program has this interface")
        with pair.client() as client:
            check_echo(client, 64)
        result_of(server)


@case
def a_frame_too_small_for_the_mtu_is_refused():
    with Pair() as pair:
        pair.run("ip", "link", "set", "v0", "mtu", "9000")
        error = pair.refusal(f"udp:{SERVER}:{PORT}")
        contains(error, "its MTU is 9000 and a frame holds 3826")


@case
def what_stops_is_counted_as_lost():
    with Pair() as pair:
        server = pair.serve()
        with pair.client() as client:
            check_echo(client, 64)
            server.pause()
            for _ in range(6000):
                client.send(b"lost or not")
            server.signal(signal.SIGCONT)
            client.recv(64)
        datagrams = result_of(server)["totals"]["datagrams"]
        expect(datagrams["dropped"] > 0, f"nothing was dropped: {datagrams}")


@case
def what_it_cannot_do_is_refused_with_the_fix():
    with Pair() as pair:
        pair.run("ip", "link", "set", "lo", "up")
        for arguments, fix in (((f"{SERVER}:{PORT}",), "udp: addresses"),
                               (("udp:127.0.0.1:0",), "the loopback device drops"),
                               (("udp:0.0.0.0:0",), "name one address"),
                               ((f"udp:{SERVER}:0", "-t", "2"), "leave --threads out"),
                               ((f"udp:{SERVER}:0", f"udp:{SERVER}:0"), "one address")):
            contains(pair.refusal(*arguments), fix)
        denied = Process("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--reuid",
                         "65534", "--clear-groups", program("NETECHO"), "--backend", "xdp",
                         "udp:127.0.0.1:0")
        contains(denied.finish().ended_with(3).err, "setcap cap_net_raw")


run()

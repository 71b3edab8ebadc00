#!/usr/bin/env python3
"""The loads the tools were made for, at their real size: counted to the last message, never timed."""

import contextlib
import resource

import datagram_drops
from case import Skip, case, equal, expect, realtime, run, wait_until
from many_echo import ManyEcho
from process import Echo, netload, require_backend, start_netload

SECONDS = 400


def result_of(server, *flags, timeout="60s"):
    return netload(server.address, *flags, "--timeout", timeout, "--json", seconds=SECONDS).ended_with(0).json()


def require_descriptors():
    needed = 10_100
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise Skip(f"the hard limit of descriptors is {hard}, and {needed} are needed")


def check_ten_thousand(name, server):
    result = result_of(server, "-f", name, "-c", "10000", "-r", "10", "-d", "1s")
    equal(result["totals"]["connections"], 10_000, "connections")
    equal(result["outcome"]["planned"], 100_000, "planned")
    equal(result["outcome"]["answered"], 100_000, "answered")
    equal(result["outcome"]["lost"], 0, "lost")
    equal([check["passed"] for check in result["checks"]], [True], "every reply verified")
    equal(result["totals"]["errors"], {}, "errors")
    expect("server" in result["cpu"], "no CPU of the server")
    served = server.stop().ended_with(0).json()["totals"]
    equal(served["connections"], 10_000, "connections that the server saw")
    equal(served["bytes_out"], served["bytes_in"], "bytes that the server returned")
    later = served["bytes_out"] - result["totals"]["bytes_in"]
    equal(later > 0, result["totals"]["drain"]["messages"] > 0, f"{later} bytes after the asked time")
    equal(served["errors"], {}, "errors of the server")
    return result, served


@case
def ten_thousand_connections():
    require_descriptors()
    with Echo("--json") as server:
        _, served = check_ten_thousand("raw", server)
        equal(served["bytes_in"], 100_000 * 512, "bytes")


@case
def ten_thousand_connections_in_a_format():
    """One format will do: what others do differently does not depend on the number of connections."""
    require_descriptors()
    with Echo("-f", "protobuf", "--json") as server:
        _, served = check_ten_thousand("protobuf", server)
        equal(served["messages"], 100_000, "messages that the server answered")


@realtime
def ten_thousand_connections_over_udp():
    """Nothing is repeated over UDP, so a busy machine may lose some: each one is found where the kernel dropped it,
    which counts those that leave together as one."""
    require_descriptors()
    before = datagram_drops.before_sockets()
    with Echo("--rcvbuf", "4M", "--json", listen=["udp:127.0.0.1:0"]) as server:
        # The run waits this long for a lost one.
        result = result_of(server, "-c", "10000", "-r", "10", "-d", "1s", "-s", "64", "--udp-offload", "off",
                           timeout="5s")
        served = server.stop().ended_with(0).json()["totals"]["datagrams"]
        outcome, ours = result["outcome"], result["totals"]["datagrams"]
        equal(outcome["planned"], 100_000, "planned")
        equal(outcome["sent"], 100_000, "sent")
        equal(outcome["answered"] + outcome["lost"], 100_000, "answered and lost")
        expect(outcome["answered"] > 80_000, f"most were lost: {outcome}")
        there = ours["out"] - served["in"] - served["dropped"]
        back = served["out"] - ours["in"] - ours["dropped"]
        expect(there >= 0 and back >= 0, f"more came than was sent: client {ours}, server {served}")
        dropped = datagram_drops.before_sockets() - before
        expect(there + back <= dropped, f"{there} and {back} are missing, and processors dropped {dropped} packets")
        equal(result["totals"]["errors"], {}, "errors")


@case
def sixty_thousand_connections_to_one_target():
    """Four processes, because one may not open so many descriptors everywhere; each connection comes from
    a port of its own, of more source addresses than one: two processes choose theirs, two are told."""
    processes, each = 4, 15_000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < each + 100:
        raise Skip(f"the hard limit of descriptors is {hard}, and {each + 100} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sources = [[], [], *(["--source-ip", f"127.0.{process}.2-127.0.{process}.9"] for process in [2, 3])]
    with ManyEcho(processes, each) as server, contextlib.ExitStack() as stack:
        runs = [stack.enter_context(start_netload(server.address, "-c", each, "-r", "0.5", "-d", "8s", "-s", "64",
                                                  "--timeout", "60s", "--json", *flags)) for flags in sources]
        wait_until(lambda: server.open() == processes * each, "all were open at once", 120)
        for run_ in runs:
            result = run_.finish(SECONDS).ended_with(0).json()
            equal(result["totals"]["connections"], each, "connections")
            equal(result["outcome"]["planned"], 4 * each, "planned")
            equal(result["outcome"]["answered"], 4 * each, "answered")
            equal(result["totals"]["errors"], {}, "errors")


require_backend()
run()

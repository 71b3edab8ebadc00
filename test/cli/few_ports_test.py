#!/usr/bin/env python3
"""netload on a machine with a hundred local ports: a network namespace of its own. Needs root and ip(8)."""

import contextlib

from case import case, contains, equal, expect, run, wait_until
from network_namespace import NetworkNamespace
from process import Echo, Process, backend_flags, program, require_backend, run_program

PORTS = 100


class FewPorts(NetworkNamespace):
    """A network namespace with PORTS local ports, whose loopback is up unless told otherwise."""

    def __init__(self, up=True):
        super().__init__()
        self.up = up

    def prepare(self):
        if self.up:
            self.run("ip", "link", "set", "lo", "up")
        self.run("sh", "-c", f"echo 40000 {40000 + PORTS - 1} > /proc/sys/net/ipv4/ip_local_port_range")


@contextlib.contextmanager
def echo_in_namespace(listen="127.0.0.1:7007"):
    with FewPorts() as namespace, Echo(listen=[listen], before=namespace.inside) as server:
        yield namespace, server


def netload_in(namespace, *flags):
    return run_program(*namespace.inside, program("NETLOAD"), *backend_flags(), *flags)


@case
def every_port_is_used():
    with echo_in_namespace() as (namespace, server):
        result = netload_in(namespace, server.address, "--source-ip", "127.0.0.2-127.0.0.3", "-c", 2 * PORTS,
                            "-n", 1000, "--json").ended_with(0).json()
        equal(result["totals"]["connections"], 2 * PORTS, "connections")
        equal(result["config"]["source-ip"], "127.0.0.2 to 127.0.0.3 (2)", "sources")


@case
def loopback_that_is_down():
    with FewPorts(up=False) as namespace:
        for target in ["127.0.0.1:7007", "udp:127.0.0.1:7007"]:
            contains(netload_in(namespace, target, "-c", 1, "-n", 1).ended_with(3).err, "ip link set lo up", "the fix")
        contains(netload_in(namespace, "10.1.2.3:7007", "-c", 1, "-n", 1).ended_with(3).err, "ip route", "the fix")


@case
def one_connection_too_many():
    with echo_in_namespace() as (namespace, server):
        ended = netload_in(namespace, server.address, "--source-ip", "127.0.0.2", "-c", PORTS + 1, "-n", 1000)
        contains(ended.ended_with(3).err, "--source-ip", "the fix")
        contains(ended.err, "ip_local_port_range", "the other fix")


@case
def loopback_has_sources_enough():
    with echo_in_namespace() as (namespace, server):
        result = netload_in(namespace, server.address, "-c", 10 * PORTS, "-n", 2000, "--json").ended_with(0).json()
        equal(result["totals"]["connections"], 10 * PORTS, "connections")
        contains(result["config"]["source-ip"], "127.", "sources")


@case
def ipv6_sources():
    with FewPorts() as namespace:
        for last in range(1, 5):
            namespace.run("ip", "addr", "add", f"fd00::{last}/128", "dev", "lo", "nodad")
        with Echo(listen=["[fd00::1]:7007"], before=namespace.inside) as server:
            result = netload_in(namespace, server.address, "--source-ip", "fd00::2-fd00::4", "-c", 3 * PORTS,
                                "-n", 1000, "--json").ended_with(0).json()
            equal(result["totals"]["connections"], 3 * PORTS, "connections")
            ended = netload_in(namespace, server.address, "--source-ip", "fd00::9", "-c", 1, "-n", 1)
            contains(ended.ended_with(3).err, "ip addr", "the fix")


@case
def ports_that_others_hold():
    with echo_in_namespace() as (namespace, server):
        source = ["--source-ip", "127.0.0.2"]
        with Process(*namespace.inside, program("NETLOAD"), *backend_flags(), server.address, *source, "-c", PORTS,
                     "-d", "60s", "-i", "50ms") as first:
            wait_until(lambda: first.out.count("qps") > 0, "the first one ran")
            ended = netload_in(namespace, server.address, *source, "-c", 10, "-n", 10).ended_with(3)
            contains(ended.err, "0 of 10 connections")
            contains(ended.err, "no local port is free")
            expect(first.running, "the first one ended")


require_backend()
run()

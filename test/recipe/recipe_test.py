#!/usr/bin/env python3
"""CONTRIBUTING.md's recipe for a protocol: netload, built with the lines that it prints, at a server of a few lines."""

import socket

from bad_server import BadServer
from case import case, contains, equal, run
from outcome import expect_outcome
from process import netload, program, run_program


def beanstalkd(connection, _):
    """Takes orders as beanstalkd does; of the jobs to be deleted only those with an odd id are there."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection.makefile("rb") as lines:
        for line in lines:
            command, *rest = line.split()
            if command == b"use":
                connection.sendall(b"USING " + rest[0] + b"\r\n")
            elif command == b"delete":
                connection.sendall(b"DELETED\r\n" if int(rest[0]) % 2 else b"NOT_FOUND\r\n")
            else:
                connection.sendall(b"UNKNOWN_COMMAND\r\n")


def asked(server, *flags, code=0):
    result = netload(f"beanstalk://{server.address}", "-c", "1", "-n", "400", "--json", *flags).ended_with(code).json()
    expect_outcome(result)
    equal(result["outcome"]["answered"], 400, "answered")
    return result


@case
def its_scheme_asks_and_compares():
    with BadServer(beanstalkd) as server:
        result = asked(server)
        equal(result["totals"]["errors"], {}, "errors")
        equal([(check["name"], check["passed"]) for check in result["checks"]], [("verify", True)], "checks")
        contains(result["checks"][0]["detail"], "USING default", "what was compared")


@case
def its_errors_are_counted_by_name():
    with BadServer(beanstalkd) as server:
        result = asked(server, "--send", "delete %{n}", code=4)
        equal(result["totals"]["errors"], {"beanstalk NOT_FOUND": 200}, "errors")
        result = asked(server, "--send", "put", code=4)
        equal(result["totals"]["errors"], {"beanstalk UNKNOWN_COMMAND": 400}, "errors")


@case
def its_name_stands_wherever_protocols_are_told():
    said = run_program(program("NETLOAD"), "--help").ended_with(0).out
    contains(said, "beanstalk://")
    contains(said, "memcached, beanstalk, dns")
    contains(netload("ftp://127.0.0.1").ended_with(2).err, "memcached://, beanstalk://")
    contains(netload("127.0.0.1:1", "--reply", "smtp").ended_with(2).err, "memcached, beanstalk, dns")


run()

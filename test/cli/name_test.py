#!/usr/bin/env python3
"""Names of several addresses: what netload takes, and where netecho listens. In a network namespace of a test's own,
where /etc/hosts says what a name is; that needs root, ip(8) and mount(8)."""

import tempfile

from case import case, contains, equal, run
from network_namespace import NetworkNamespace
from process import Echo, program, run_program

PORT = 7007
# Both are of IPv4, so that it makes no difference how well the machine speaks IPv6.
PAIR = {"127.0.0.1": "pair", "127.0.0.2": "pair"}
LOCALHOST = {"::1": "localhost", "127.0.0.1": "localhost"}


class Names(NetworkNamespace):
    """A network namespace with loopback alone, in which each of `hosts` is an address and its name."""

    def __init__(self, hosts):
        super().__init__()
        self.file = tempfile.NamedTemporaryFile("w", suffix=".hosts")  # pylint: disable=consider-using-with
        self.file.write("".join(f"{address} {name}\n" for address, name in hosts.items()))
        self.file.flush()
        # ip netns exec has made a mount namespace for each command.
        self.inside += ["sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', self.file.name]

    def prepare(self):
        self.run("ip", "link", "set", "lo", "up")

    def __exit__(self, *exception):
        super().__exit__(*exception)
        self.file.close()

    def netload(self, *flags):
        return run_program(*self.inside, program("NETLOAD"), *flags)

    def echo(self, *listen):
        return Echo("--quiet", listen=listen, before=self.inside)

    def taken(self, *flags):
        """The address that a load went to which all was well with."""
        result = self.netload(*flags, "-c", 2, "-n", 100, "--json").ended_with(0).json()
        equal([result["outcome"]["answered"], result["totals"]["errors"]], [100, {}], "answers and errors")
        return result["config"]["target"]


@case
def an_address_at_which_nobody_listens_is_passed_over():
    with Names(PAIR) as names:
        # Each server has a port of its own: one that was killed may listen for a moment longer.
        for port, address in enumerate(PAIR, PORT):
            for kind in ["", "udp:"]:
                server = f"{kind}{address}:{port}"
                with names.echo(server):
                    equal(names.taken(f"{kind}pair:{port}"), server, "the target")


@case
def the_text_tells_the_address_that_was_taken():
    with Names(PAIR) as names, names.echo(f"127.0.0.2:{PORT}"):
        ended = names.netload(f"pair:{PORT}", "-c", 2, "-n", 100).ended_with(0)
        contains(ended.out, f"2 connections to 127.0.0.2:{PORT}")


@case
def targets_that_are_compared_may_be_names():
    with Names(PAIR) as names, names.echo("127.0.0.1:7001", "127.0.0.2:7002"):
        study = names.netload("--compare", "pair:7001,pair:7002", "--rounds", 1, "-c", 2, "-n", 100,
                              "--json").ended_with(0).json()
        targets = [one["rounds"][0]["config"]["target"] for one in study["backends"]]
        equal(targets, ["127.0.0.1:7001", "127.0.0.2:7002"], "the targets")


@case
def where_nobody_listens_all_addresses_are_named():
    with Names(PAIR) as names:
        ended = names.netload(f"pair:{PORT}", "-c", 2, "-n", 100).ended_with(3)
        for part in [f"pair:{PORT}", f"127.0.0.1:{PORT}: Connection refused", f"127.0.0.2:{PORT}: Connection refused",
                     "start the server"]:
            contains(ended.err, part)


@case
def addresses_of_other_machines_are_tried_in_turn():
    """No interface has these, as if they were elsewhere; but what is sent there comes back to this namespace."""
    far = ["10.9.9.1", "10.9.9.2", "10.8.8.8"]
    with Names(dict.fromkeys(far, "far")) as names:
        names.run("ip", "route", "add", "local", "10.9.9.0/24", "dev", "lo")
        ended = names.netload(f"far:{PORT}", "-c", 2, "-n", 100).ended_with(3)
        contains(ended.err, f"10.9.9.1:{PORT}: Connection refused")
        contains(ended.err, f"10.8.8.8:{PORT}: Network is unreachable")  # To that one there is no route.
        for port, address in enumerate(far[:2], PORT):
            with names.echo(f"{address}:{port}"):
                equal(names.taken(f"far:{port}"), f"{address}:{port}", "the target")


def has_ipv6(names):
    return "::1/128" in run_program(*names.inside, "ip", "-6", "addr", "show", "dev", "lo").out


@case
def both_addresses_of_localhost():
    with Names(LOCALHOST) as names:
        four, six = f"127.0.0.1:{PORT}", f"[::1]:{PORT}"
        with names.echo(f"localhost:{PORT}"):
            equal(names.taken(four), four, "the target")
            equal(names.taken("-4", f"localhost:{PORT}"), four, "-4")
            equal(names.taken("--source-ip", "127.0.0.2", f"localhost:{PORT}"), four, "the target of a source of IPv4")
            if has_ipv6(names):
                equal(names.taken(six), six, "the target")
                equal(names.taken(f"localhost:{PORT}"), six, "the first of both")
                equal(names.taken("-6", f"localhost:{PORT}"), six, "-6")
                equal(names.taken("-6", f":{PORT}"), six, "-6 of a port alone")


@case
def a_server_has_one_family_where_one_is_asked_for():
    with Names(LOCALHOST) as names:
        families = ["-4", "-6"] if has_ipv6(names) else ["-4"]
        for family in families:
            with Echo(family, listen=[f"localhost:{PORT}"], before=names.inside) as server:
                equal(server.listening(), [f"127.0.0.1:{PORT}" if family == "-4" else f"[::1]:{PORT}"], family)


@case
def a_server_does_without_an_address_that_the_machine_lacks():
    with Names({"192.0.2.1": "localhost", "127.0.0.1": "localhost"}) as names:
        with Echo(listen=[f"localhost:{PORT}"], before=names.inside) as server:
            equal(server.listening(), [f"127.0.0.1:{PORT}"], "where it listens")
    with Names({"192.0.2.1": "localhost"}) as names:
        ended = run_program(*names.inside, program("NETECHO"), f"localhost:{PORT}").ended_with(3)
        contains(ended.err, "192.0.2.1")


run()

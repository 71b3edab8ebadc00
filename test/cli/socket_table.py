"""The sockets of IPv4 in this network namespace, from the kernel's tables (proc_net(5)): one row each, as its fields."""

LOCAL, REMOTE, STATE, QUEUES = 1, 2, 3, 4  # Where these fields stand in a row.
OPEN, LISTENS = "01", "0A"  # The kernel's states of a TCP socket (net/tcp_states.h).


def udp_sockets_at(port):
    return _at(port, "udp")


def tcp_sockets_at(port, state):
    return [row for row in _at(port, "tcp") if row[STATE] == state]


def leads_to(row, port):
    return _port(row[REMOTE]) == int(port)


def received(row):
    """Bytes that wait to be read; of a socket that listens, connections that wait to be accepted."""
    return int(row[QUEUES].split(":")[1], 16)


def _at(port, protocol):
    with open(f"/proc/net/{protocol}", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [row for row in rows if _port(row[LOCAL]) == int(port)]


def _port(address):
    return int(address.split(":")[1], 16)

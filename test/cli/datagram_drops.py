"""Where the kernel drops datagrams: in a socket that has no room, and before any socket."""

from socket_table import udp_sockets_at


def at_port(port):
    """What the sockets of a UDP port had no room for (the last column of /proc/net/udp)."""
    return sum(int(row[-1]) for row in udp_sockets_at(port))


def before_sockets():
    """What no socket counts: the queue of a processor was full (the second column of softnet_stat,
    net.core.netdev_max_backlog). Datagrams that leave together count as one."""
    with open("/proc/net/softnet_stat", encoding="ascii") as table:
        return sum(int(line.split()[1], 16) for line in table)

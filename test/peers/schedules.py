"""How far moments are from the even schedule that they should follow."""
import array
import itertools
import pathlib
import statistics

NS = 1_000_000_000


def percentile(sorted_values, percent):
    """The least value that so many percent of all do not exceed."""
    return sorted_values[max(0, -(-len(sorted_values) * percent // 100) - 1)]


def deviations(moments, period_ns):
    """How far each is from its place in an even schedule, which begins where the median says."""
    starts = [moment - number * period_ns for number, moment in enumerate(moments)]
    begin = statistics.median(starts)
    return [abs(start - begin) for start in starts]


def opened(log):
    """When the witness accepted each connection, in ns, in this order."""
    moments = array.array('Q')
    moments.frombytes(pathlib.Path(f'{log}.opened').read_bytes())
    return list(moments)


def arrived(log):
    """[connection] -> when the witness had each of its messages, in ns."""
    records = array.array('Q')
    records.frombytes(pathlib.Path(f'{log}.arrived').read_bytes())
    by_connection = {}
    for moment, which in zip(records[::2], records[1::2]):
        connection, messages = which & 0xFFFFFFFF, which >> 32
        by_connection.setdefault(connection, []).extend([moment] * messages)
    return by_connection


def gaps(by_connection, from_ns):
    """Between one message and the next of all connections from `from_ns` on, sorted."""
    moments = sorted(moment for own in by_connection.values() for moment in own if moment >= from_ns)
    return sorted(later - earlier for earlier, later in itertools.pairwise(moments))


def pacing_errors(by_connection, period_ns, from_ns):
    """The deviations of all messages from `from_ns` on, each from its connection's schedule."""
    errors = []
    for moments in by_connection.values():
        later = [moment for moment in moments if moment >= from_ns]
        if len(later) > 1:
            errors += deviations(later, period_ns)
    return sorted(errors)

"""What E1 measured: the table, what was published, and the answer to the open question."""
from report import machine

# Ethernet, IPv4, TCP with timestamps: what a network card carries around each segment.
HEADERS = 14 + 20 + 32
MIB = 1 << 20

HEAD = (f"{'server':<13} {'clients':<9} {'format':<12} {'messages/s':>10} {'CPU':>6} {'us each':>8} "
        f"{'MiB/s':>6} {'packets/s':>10} {'p50':>9} {'p99':>9} {'tick p50':>9} {'p99':>9} {'max':>9} "
        f"{'found p99':>9} {'max':>6} {'left max':>8}")

PUBLISHED = """
published (10,000 connections, 10 messages/s each, processed every 500 ms):
  byte stream   30,000 packets/s, 5 MB/s; tick 10+ ms; 0 bytes left in a connection's buffer
  protobuf      150,000 to 200,000 packets/s, 20 MB/s; tick 100+ ms; 600 to 700 bytes left
  JSON          as protobuf; tick several 100 ms; 2,000 to 3,000 bytes left
  with 10 ms in place of 500 ms the byte stream moved as much as the others.
wrong in the original, and not here:
  protobuf and JSON took a packet's length from one byte, so packets over 255 bytes broke;
  jansson parsed a buffer without an end; time came from tv_usec alone and wrapped every second.
"""


def time_of(ns):
    for unit, size in (('s', 1e9), ('ms', 1e6), ('us', 1e3)):
        if ns >= size:
            return f'{ns / size:.3g} {unit}'
    return f'{ns:.0f} ns'


def percentile(latency, wanted):
    return next((ns for percent, ns in latency['percentiles'] if percent == wanted), latency['max'])


def per_second(load, *names):
    """The sum of figures of the totals, or of their packets, each second."""
    totals = load['totals']
    return sum(totals[name] if name in totals else totals['packets'][name]
               for name in names) / totals['seconds']


def print_row(row, first):
    if first:
        print(HEAD)
    label = f"{row['model']:<13} {row['client']:<9} {row['format']:<12}"
    if 'failed' in row:
        print(f"{label} failed: {row['failed']}", flush=True)
        return
    load, stages = row['load'], row['server'].get('stages')
    ticks = [f"{'-':>9}"] * 3 + [f"{'-':>9} {'-':>6} {'-':>8}"]
    if stages:
        tick, found, left = (stages[name] for name in ('tick_ns', 'backlog_found_bytes',
                                                       'backlog_left_bytes'))
        ticks = [f'{time_of(ns):>9}' for ns in (percentile(tick, 50), percentile(tick, 99), tick['max'])]
        ticks.append(f"{found['p99']:>9,} {found['max']:>6,} {left['max']:>8,}")
    latency = load['latency_ns']
    print(f"{label} {load['totals']['qps']:>10,.0f} {load['cpu']['server']['pct']:>5.0f}% "
          f"{load['server_us_cpu_per_message']:>8.2f} "
          f"{per_second(load, 'bytes_in', 'bytes_out') / MIB:>6.1f} "
          f"{per_second(load, 'in', 'out'):>10,.0f} "
          f"{time_of(percentile(latency, 50)):>9} {time_of(percentile(latency, 99)):>9} "
          + ' '.join(ticks), flush=True)


def cells(rows, model, client):
    return [row for row in rows
            if row['model'] == model and row['client'] == client and 'failed' not in row]


def span(rows, figure, digits=0):
    values = sorted(figure(row) for row in rows)
    low, high = (f'{value:,.{digits}f}' for value in (values[0], values[-1]))
    return low if low == high else f'{low} to {high}'


def with_headers(row):
    """MB/s on a wire, both ways."""
    load = row['load']
    return (per_second(load, 'bytes_in', 'bytes_out') + HEADERS * per_second(load, 'in', 'out')) / 1e6


def describe(rows, model, client):
    """What all formats did in a model, or None where a run is missing."""
    those = cells(rows, model, client)
    if not those:
        return None
    packets = span(those, lambda row: per_second(row['load'], 'in', 'out'))
    return (f"{span(those, lambda row: row['load']['totals']['qps'])} messages/s, {packets} packets/s, "
            f"{span(those, with_headers, 1)} MB/s with headers")


def print_answer(rows):
    blocked, free = (cells(rows, 'staged:500ms', client) for client in ('blocking', 'open'))
    if not blocked or not free:
        print('the open question needs staged:500ms with blocking and with open clients')
        return
    print('the open question: why do the slower codecs move more data? They do not: what decides is\n'
          'whether clients wait for the tick.')
    for model in ('staged:500ms', 'staged:10ms'):
        for client in ('blocking', 'open'):
            said = describe(rows, model, client)
            if said:
                print(f'  {model:<12} {client:<8} {said}')
    most_blocked, most_free = (max(row['server']['stages']['backlog_found_bytes']['max'] for row in those)
                               for those in (blocked, free))
    per_message = [span(those, lambda row: per_second(row['load'], 'in', 'out')
                        / row['load']['totals']['qps'], 2) for those in (blocked, free)]
    bytes_each = span(free, lambda row: row['load']['totals']['bytes_out'] / row['load']['totals']['messages'])
    print(f"""  A client that blocks on each echo gets one per tick, so 500 ms allow 2 messages/s of the 10,
  in every format: the 30,000 packets/s at 5 MB/s published for the byte stream are of this kind.
  The 150,000 to 200,000 packets/s at 20 MB/s published for protobuf and JSON are the whole rate,
  which no client can reach that waits for a tick of 500 ms. Their backlog says the same: clients
  with one message in flight can leave one in the buffer (here at most {most_blocked:,} bytes), while 600
  to 3,000 bytes are 6 to 30 messages (here {bytes_each} bytes each, up to {most_free:,} found in a tick).
  So the runs compared did not carry the same load: the slow ticks left several messages in
  flight, the fast one a single one. A tick of 10 ms takes the wait away, and with it the
  difference, as the authors saw when they changed the sleep.
  Packets per message: {per_message[0]} blocking, {per_message[1]} open. A wait longer than 40 ms makes the server
  acknowledge what it has not answered yet, and the answers of one tick share a segment.""")


def print_end(rows):
    print(PUBLISHED)
    print_answer(rows)
    done = [row for row in rows if 'failed' not in row]
    if done:
        config = done[0]['load']['config']
        print(f"\nload     {config['connections']} connections, {config['rate']} messages/s each, opened at "
              f"{config['connect-rate']}/s, {config['duration']} measured; every answer decoded and checked\n"
              'figures  CPU and packets of the server and of the connections while measured, both ways;\n'
              '         packets are TCP segments from the kernel; latency from the plan; ticks and\n'
              "         backlog (bytes of a connection) of the server's whole life\n"
              f"machine  {machine(done[0]['load']['host'])}")

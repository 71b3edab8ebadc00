"""What E1 measured: the table, what was published, and the answer to the open question."""
from bench import ratio
from bench.console import machine
from bench.table import Table

# Ethernet, IPv4, TCP with timestamps: what a network card carries around each segment.
HEADERS = 14 + 20 + 32
MIB = 1 << 20

TABLE = Table(('format', '<12'), ('k/s', '>5.1f'), ('us', '>4.1f'), ('MiB', '>4.1f'), ('kpkt', '>5.1f'),
              ('p50', '>7'), ('p99', '>7'), ('tick', '>7'), ('max', '>7'), ('found', '>5'), ('max', '>4'))

PUBLISHED = (
    '\npublished (10,000 connections, 10 messages/s each, processed every 500 ms):\n'
    '  byte stream  30,000 packets/s, 5 MB/s; tick 10+ ms; 0 bytes left in a buffer\n'
    '  protobuf     150,000 to 200,000 packets/s, 20 MB/s; tick 100+ ms; 600 to 700 bytes left\n'
    '  JSON         as protobuf; tick several 100 ms; 2,000 to 3,000 bytes left\n'
    '  with 10 ms in place of 500 ms the byte stream moved as much as the others.\n'
    'wrong in the original, and not here:\n'
    "  protobuf and JSON took a packet's length from one byte, so packets over 255 bytes broke; jansson parsed a "
    'buffer without an end; time came from tv_usec alone and wrapped every second.\n')


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


def print_row(row, before):
    """One row, below the heading of its model and clients where `before`, the row before, has others."""
    if before is None or (before['model'], before['client']) != (row['model'], row['client']):
        print(f"\n{row['model']}, {row['client']} clients\n{TABLE.head()}")
    if 'failed' in row:
        print(f"  {row['format']} failed: {row['failed']}", flush=True)
        return
    load, stages = row['load'], row['server'].get('stages')
    ticks = ('-', '-', '-', '-')
    if stages:
        tick, found = stages['tick_ns'], stages['backlog_found_bytes']
        ticks = time_of(percentile(tick, 50)), time_of(tick['max']), str(found['p99']), str(found['max'])
    latency = load['latency_ns']
    print(TABLE.row(row['format'] + ('' if believed(row) else '!'), load['totals']['qps'] / 1000,
                    load['server_us_cpu_per_message'], per_second(load, 'bytes_in', 'bytes_out') / MIB,
                    per_second(load, 'in', 'out') / 1000, time_of(percentile(latency, 50)),
                    time_of(percentile(latency, 99)), *ticks), flush=True)


def believed(row):
    verdict = row['load'].get('verdict', {})
    figures = {figure['name']: figure['valid'] for figure in verdict.get('figures', [])}
    return figures.get('rate', verdict.get('valid', True))


def cells(rows, model, client):
    """The runs of all formats; only those to be believed where there are some."""
    done = [row for row in rows
            if row['model'] == model and row['client'] == client and 'failed' not in row]
    return [row for row in done if believed(row)] or done


def span(rows, figure, digits=0):
    values = sorted(figure(row) for row in rows)
    low, high = (f'{value:,.{digits}f}' for value in (values[0], values[-1]))
    return low if low == high else f'{low} to {high}'


def packets_each_way(row):
    return per_second(row['load'], 'in', 'out') / 2


def megabytes_each_way(row):
    """MB/s on a wire, headers included."""
    payload = per_second(row['load'], 'bytes_in', 'bytes_out') / 2
    return (payload + HEADERS * packets_each_way(row)) / 1e6


def describe(rows, model, client):
    """What all formats did in a model, or None where a run is missing."""
    those = cells(rows, model, client)
    if not those:
        return None
    messages = span(those, lambda row: row['load']['totals']['qps'])
    return (f'{messages} messages/s, {span(those, packets_each_way)} packets/s, '
            f'{span(those, megabytes_each_way, 1)} MB/s')


def print_answer(rows):
    blocked, free = (cells(rows, 'staged:500ms', client) for client in ('blocking', 'open'))
    if not blocked or not free:
        print('the open question needs staged:500ms with blocking and with open clients')
        return
    print('the open question: why do the slower codecs move more data? They do not. What decides is whether clients '
          'wait for the tick. All formats together, each way, headers included:')
    for model in ('staged:500ms', 'staged:10ms'):
        for client in ('blocking', 'open'):
            said = describe(rows, model, client)
            if said:
                print(f'  {model:<12} {client:<8} {said}')
    most_blocked, most_free = (max(row['server']['stages']['backlog_found_bytes']['max'] for row in those)
                               for those in (blocked, free))
    blocked_each, free_each = (span(those, packets_per_message, 2) for those in (blocked, free))
    print('  A client that blocks on each echo gets one per tick, so 500 ms allow 2 messages/s of the 10, in every '
          'format. That is what was published for the byte stream: 30,000 packets/s at 5 MB/s.\n'
          '  The 150,000 to 200,000 packets/s at 20 MB/s published for protobuf and JSON are the whole rate, which no '
          'client reaches that waits for a tick of 500 ms. Their backlog says the same: a client with one message in '
          f'flight leaves one in the buffer (here at most {most_blocked:,} bytes), while 600 to 3,000 bytes are 6 to '
          f'30 messages (here of {span(free, bytes_per_message)} bytes, and up to {most_free:,} found).\n'
          '  So the runs compared did not carry the same load: clients had one message in flight with the byte stream, '
          'and several with the others; why, the figures do not tell. A tick of 10 ms takes the wait away, and with it '
          'the difference, as the authors saw when they changed the sleep.\n'
          f'  Packets per message, both ways: {blocked_each} blocking, {free_each} open, at 500 ms. What waits over '
          '40 ms for its answer is acknowledged before, and the answers of a tick share a segment.')


def conclusions(rows):
    """Whether each other format moves more than the first, by cells of the same model and clients."""
    done = [row for row in rows if 'failed' not in row and row['load']['totals']['messages'] > 0]
    packets = {(row['format'], row['model'], row['client']): packets_each_way(row) for row in done}
    formats = list(dict.fromkeys(row['format'] for row in done))
    for first, name in ((formats[0], name) for name in formats[1:]):
        cells_of_both = [key[1:] for key in packets if key[0] == name and (first, *key[1:]) in packets]
        of_first = ratio.paired_ratio([(packets[(name, *cell)], packets[(first, *cell)]) for cell in cells_of_both])
        if of_first:
            yield ratio.conclusion(of_first, name, first, 'packets/s')


def packets_per_message(row):
    return 2 * packets_each_way(row) / row['load']['totals']['qps']


def bytes_per_message(row):
    return row['load']['totals']['bytes_out'] / row['load']['totals']['messages']


def publish(document, rows):
    """The published figures beside those of our clients that wait for each reply, and of those that do not."""
    published = {'bytes': (30_000, 5), 'protobuf': ((150_000, 200_000), 20), 'json': ((150_000, 200_000), 20)}
    for client, words in (('blocking', 'clients that wait for each reply'), ('open', 'clients that do not wait')):
        for place, (figure, unit) in enumerate(((packets_each_way, 'packets/s'), (megabytes_each_way, 'MB/s'))):
            for row in cells(rows, 'staged:500ms', client):
                if row['format'] in published:
                    document.publish(f'{unit}, {words}', row['format'], published[row['format']][place], figure(row))


def print_end(rows):
    print(PUBLISHED)
    print_answer(rows)
    print('\nover all cells, a cell of both counting as a round:')
    for sentence in conclusions(rows):
        print(f'  {sentence}')
    done = [row for row in rows if 'failed' not in row]
    if done:
        config = done[0]['load']['config']
        print(f"\nload     {config['connections']} connections, {config['rate']} messages/s each, opened at "
              f"{config['connect-rate']}/s, {config['duration']} measured; every answer decoded and checked\n"
              'columns  k/s: thousand messages a second; us: processor time of the server per message; MiB and kpkt: '
              'MiB and thousand packets a second both ways, packets being TCP segments from the kernel; p50 and p99: '
              'latency from the plan; tick and max: time of a walk over all connections, median and longest; found '
              "and max: bytes that wait for a walk in a connection, p99 and most, of the server's whole life; "
              '!: the run itself says that it should not be believed\n'
              f"machine  {machine(done[0]['load']['host'])}")

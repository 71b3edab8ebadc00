"""Fails where a built peer does not send back, byte by byte, what it received; or does not end."""
import signal
import socket
import subprocess
import sys

from load import netload
from servers import KINDS, Server, as_child

HALF_CLOSE_BYTES = 300_000


def loaded(build, server, *arguments):
    """netload's complaint about 2,000 verified messages, or None."""
    done = subprocess.run([netload(build), f'127.0.0.1:{server.port}', '-n', '2000', '--verify',
                           '--quiet', *arguments],
                          capture_output=True, text=True, timeout=60, check=False,
                          preexec_fn=as_child())
    return None if done.returncode == 0 else (done.stderr or done.stdout)[-500:]


def half_closed(server):
    """What is wrong with the answer to a client that sends, says it is done, and reads only then."""
    sent = bytes(i * 7 % 251 for i in range(HALF_CLOSE_BYTES))
    with socket.create_connection(('127.0.0.1', server.port), 10) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        answer = b''.join(iter(lambda: client.recv(65536), b''))
    return None if answer == sent else f'half closed: {len(answer)} of {len(sent)} bytes answered'


def check(build, kind):
    for threads in (1, 2):
        with Server(kind, build, threads=threads) as server:
            complaint = (loaded(build, server, '-c', '20', '-s', '1-70k') or
                         loaded(build, server, '-c', '5', '-s', '64', '-P', '16') or
                         half_closed(server))
            if not complaint and not server.running():
                complaint = server.last_words()
        if complaint:
            return f'{threads} threads: {complaint}'
        if server.exit_code() != -signal.SIGTERM:
            return f'{threads} threads: SIGTERM ends it with {server.exit_code()}'
    return None


def main(build):
    failed = 0
    for kind in KINDS:
        if kind.ours:
            continue
        if not kind.built(build):
            print(f'{kind.name}: skipped, not built: it needs {kind.needs}')
            continue
        complaint = check(build, kind)
        print(f'{kind.name}: {complaint or "echoes"} ({kind.version(build)})', flush=True)
        failed += complaint is not None
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

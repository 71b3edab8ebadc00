"""Fails where a built peer does not send back, byte by byte, what it received; or does not end."""
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bench.load import netload
from bench.servers import KINDS, Server, as_child

# More than the kernel holds for a client that does not read: the server meets a short write.
# Of the larger the server stops reading; of the smaller it reads the end with answers unsent.
STOPPING_BYTES = 24 << 20
PENDING_BYTES = 896 << 10
SLOW_RECEIVE_BUFFER = 4096
SLOW_S = 0.2


def loaded(build, server, *arguments):
    """netload's complaint about 2,000 verified messages, or None."""
    done = subprocess.run([netload(build), f'127.0.0.1:{server.port}', '-n', '2000', '--verify',
                           '--quiet', *arguments],
                          capture_output=True, text=True, timeout=60, check=False,
                          preexec_fn=as_child())
    return None if done.returncode == 0 else (done.stderr or done.stdout)[-500:]


def slowly_read(server, size):
    """What is wrong with the answer to a client that reads late, long after it said it is done."""
    sent = bytes(i * 7 % 251 for i in range(65536)) * (size >> 16)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_RECEIVE_BUFFER)
        client.settimeout(10)
        client.connect(('127.0.0.1', server.port))
        def send():
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        time.sleep(SLOW_S)
        answer = bytearray()
        try:
            while piece := client.recv(65536):
                answer += piece
        except OSError as error:
            return f'read late: {len(answer)} of {len(sent)} bytes answered, then {error}'
        sender.join(10)
    return None if answer == sent else f'read late: {len(answer)} bytes instead of {len(sent)}'


def check(build, kind):
    for loops in (1, 2):
        with Server(kind, build, threads=loops) as server:
            complaint = (loaded(build, server, '-c', '20', '-s', '1-70k') or
                         loaded(build, server, '-c', '5', '-s', '64', '-P', '16') or
                         slowly_read(server, STOPPING_BYTES) or
                         slowly_read(server, PENDING_BYTES))
            if not complaint and not server.running():
                complaint = server.last_words()
        if complaint:
            return f'{loops} threads: {complaint}'
        if server.said:  # A sanitizer's report too: SIGTERM leaves it no exit code.
            return f'{loops} threads: {server.said}'
        if server.exit_code() != -signal.SIGTERM:
            return f'{loops} threads: SIGTERM ends it with {server.exit_code()}'
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

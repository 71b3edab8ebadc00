"""Servers of other projects, each started on a free port; what is not installed skips its case."""

import contextlib
import os
import shutil
import socket
import tempfile

from case import Skip, wait_until
from process import Process, free_port


def command(name, package):
    """The path of a program; a package's daemons are not on everybody's path."""
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise Skip(f"{name} is not installed: {package} brings it")
    return path


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10):
        return True
    return False


class RealServer(Process):
    """A server that listens; its folder goes with it."""

    def __init__(self, port, *argv, folder=None):
        self._folder = folder or tempfile.TemporaryDirectory(prefix="real-")
        self.port = port
        self.address = f"127.0.0.1:{port}"
        super().__init__(*argv)
        wait_until(lambda: accepts(port) or not self.running, f"{argv[0]} listened")
        if not self.running:
            self.ended_with(None, f"{argv[0]} before it listened")

    def __exit__(self, *_):
        super().__exit__()
        self._folder.cleanup()


def redis(*arguments):
    port = free_port()
    return RealServer(port, command("redis-server", "redis-server"), "--port", port, "--save", "", *arguments)


def memcached(*arguments):
    port = free_port()
    user = ["-u", "nobody"] if os.getuid() == 0 else []
    return RealServer(port, command("memcached", "memcached"), *user, "-l", "127.0.0.1", "-p", port, "-U", "0",
                      *arguments)


NGINX = """
daemon off; master_process {master}; pid {folder}/pid; error_log stderr;
events {{ worker_connections 512; }}
http {{
  access_log off; keepalive_requests {requests}; keepalive_timeout {idle_s}s;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port}; listen unix:{folder}/socket;
    root {folder};
    location = /short {{ return 200 "0123456789"; }}
    location = /busy {{ return 503 "too busy"; }}
    location /chunked {{ ssi on; ssi_types *; }}
  }}
}}
"""


def nginx(requests=1_000_000, idle_s=75, master="off"):
    folder = tempfile.TemporaryDirectory(prefix="nginx-")
    os.chmod(folder.name, 0o755)
    port = free_port()
    os.mkdir(f"{folder.name}/chunked")
    for name, size in (("34", 34), ("long", 16384), ("chunked/page", 40000)):
        with open(f"{folder.name}/{name}", "w", encoding="ascii") as file:
            file.write(("0123456789abcdef" * (size // 16 + 1))[:size])
    with open(f"{folder.name}/conf", "w", encoding="ascii") as file:
        file.write(NGINX.format(folder=folder.name, port=port, requests=requests, idle_s=idle_s, master=master))
    server = RealServer(port, command("nginx", "nginx-light"), "-c", f"{folder.name}/conf", folder=folder)
    server.path = f"{folder.name}/socket"
    return server


HAPROXY = """
global
  maxconn 1000
defaults
  mode http
  retries 0
  timeout connect 10s
  timeout client 30s
  timeout server 30s
frontend in
  bind 127.0.0.1:{port}
  default_backend out
backend out
  server one {server}
"""


def haproxy(before):
    folder = tempfile.TemporaryDirectory(prefix="haproxy-")
    port = free_port()
    with open(f"{folder.name}/conf", "w", encoding="ascii") as file:
        file.write(HAPROXY.format(port=port, server=before))
    return RealServer(port, command("haproxy", "haproxy"), "-db", "-f", f"{folder.name}/conf", folder=folder)


def smtp():
    port = free_port()
    user = ["-u", "nobody"] if os.getuid() == 0 else []
    return RealServer(port, command("smtp-sink", "postfix"), *user, f"127.0.0.1:{port}", "200")


def dns():
    """It answers for one name by itself, and asks nobody else."""
    port = free_port()
    server = RealServer(port, command("dnsmasq", "dnsmasq-base"), "--keep-in-foreground", "--no-resolv", "--no-hosts",
                        "--conf-file=/dev/null", "--pid-file=", "--bind-interfaces", "--listen-address=127.0.0.1",
                        "--user=", f"--port={port}", "--address=/test.example/192.0.2.7")
    server.address = f"udp:{server.address}"
    return server


# The question for the address of test.example, behind its id.
DNS_QUESTION = r"%{id}\x01\0\0\x01\0\0\0\0\0\0\x04test\x07example\0\0\x01\0\x01"
DNS_ANSWER_SIZE = 12 + 14 + 4 + 16

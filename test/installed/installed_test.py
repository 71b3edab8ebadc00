#!/usr/bin/env python3
"""What is installed: the examples are built on the library alone, and run; shells find completions.

usage: installed_test.py BUILD EXAMPLES COMPILER...
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from case import Skip, case, equal, expect, run, wait_until
from process import free_port, netload

BUILD, EXAMPLES, *COMPILER = sys.argv[1:]
del sys.argv[1:]


def output_of(*argv, **more):
    return subprocess.run(argv, check=True, capture_output=True, text=True, **more).stdout


def need(*names):
    for name in names:
        if not shutil.which(name):
            raise Skip(f"{name} is not installed")


def install(folder):
    """Headers, library and the description of pkg-config below `folder`; what pkg-config says of them."""
    need("meson", "pkg-config")
    output_of("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder, "--tags", "devel")
    (found,) = glob.glob(f"{folder}/**/wiremark.pc", recursive=True)
    with open(found, encoding="utf-8") as file:
        prefix = next(line.partition("=")[2].strip() for line in file if line.startswith("prefix="))
    return output_of("pkg-config", "--cflags", "--libs", "wiremark", f"--define-variable=prefix={folder}{prefix}",
                     env={**os.environ, "PKG_CONFIG_PATH": os.path.dirname(found)}).split()


def build(name, folder, flags):
    output_of(*COMPILER, "-std=c++23", "-O1", "-Wall", "-Wextra", f"{EXAMPLES}/{name}.cpp", *flags,
              "-o", f"{folder}/{name}")
    return f"{folder}/{name}"


@case
def they_include_stable_headers_alone():
    for name in glob.glob(f"{EXAMPLES}/*.cpp"):
        with open(name, encoding="utf-8") as file:
            included = re.findall(r'#include "([^"]+)"', file.read())
        expect(included, f"{name} includes nothing of the library")
        for header in included:
            with open(f"{EXAMPLES}/../lib/{header}", encoding="utf-8") as file:
                expect(file.readline().rstrip().endswith("Stable."), f"{name} includes {header}, which is not stable")


@case
def a_server_and_a_client_are_built_and_talk():
    with tempfile.TemporaryDirectory() as folder:
        flags = install(folder)
        echo, client = (build(name, folder, flags) for name in ("echo", "client"))
        address = f"127.0.0.1:{free_port()}"
        with subprocess.Popen([echo, address]) as server:
            try:
                wait_until(lambda: netload(address, "-c", "1", "-n", "1").code == 0, "the server answered")
                equal(output_of(client, address), "hello\n", "what the client printed")
                result = netload(address, "-c", "20", "-n", "20000", "--json").ended_with(0).json()
                equal(result["outcome"]["answered"], 20000, "messages answered")
            finally:
                server.terminate()
        # Another port: a ring that ends holds the server's for a moment longer than the process.
        refused = subprocess.run([client, f"127.0.0.1:{free_port()}"], capture_output=True, text=True, check=False)
        expect("Connection refused" in refused.stderr, f"no server at all: {refused.stderr}")


@case
def a_codec_is_measured_beside_others():
    with tempfile.TemporaryDirectory() as folder:
        told = output_of(build("codec", folder, install(folder)))
    for shape in ["ascii", "text"]:
        for access in ["hot", "cold"]:
            _, found, table = told.partition(f"packet, {shape}, {access}: ")
            expect(found, f"no table of {shape}, {access}: {told}")
            rows, op = [], None
            for line in table.partition("\n\n")[0].splitlines()[1:]:
                name, figure = line.split()[:2]
                if ":" in name:
                    rows.append((name, op))
                    expect(float(figure) > 0, f"a row without figures: {line}")
                else:
                    op = name.rstrip(",")
            equal(sorted(rows),
                  [(f"{name}:own", op) for name in ["json", "plain", "protobuf"] for op in ["decode", "encode"]],
                  "rows")
    expect("\nconclusion of 8 kinds of work" in told, f"no conclusion: {told}")


@case
def every_tool_has_its_completions_where_shells_look():
    need("meson")
    with tempfile.TemporaryDirectory() as folder:
        output_of("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder, "--tags", "runtime,man")
        (share,) = glob.glob(f"{folder}/**/share", recursive=True)
        tools = os.listdir(f"{share}/../bin")
        expect({"netecho", "netload"} <= set(tools), f"tools: {tools}")
        for tool in tools:
            for shell, path in [("bash", f"bash-completion/completions/{tool}.bash"),
                                ("zsh", f"zsh/site-functions/_{tool}"),
                                ("fish", f"fish/vendor_completions.d/{tool}.fish")]:
                with open(f"{share}/{path}", encoding="utf-8") as file:
                    equal(file.read(), output_of(f"{share}/../bin/{tool}", "--completion", shell), path)
            expect(os.path.getsize(f"{share}/man/man1/{tool}.1") > 0, f"{tool}.1 is empty")


@case
def every_place_tells_the_same_version():
    found = {}
    for file, form in [("meson.build", r"^  version: '(.*)',"), ("CHANGELOG.md", r"^## (\S+), "),
                       ("packaging/debian/changelog", r"^wiremark \((.*)\) ")]:
        with open(f"{EXAMPLES}/../{file}", encoding="utf-8") as text:
            found[file] = re.search(form, text.read(), re.MULTILINE)[1]
    equal(len(set(found.values())), 1, f"versions in {found}")


run()

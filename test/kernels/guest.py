"""An emulated x86-64 machine of two processors that boots a kernel and runs commands under it.

It has no disk and no network card: what it runs is unpacked into its memory, and what came of that leaves by
a serial port. Emulation is slower than virtualization, and works inside any machine.
Needs qemu-system-x86_64, cpio and a static busybox.
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import tarfile

from case import Unexpected

BUSYBOX = "/bin/busybox"
INIT = pathlib.Path(__file__).with_name("init")
# A kernel boots and does all of its loads in 12 s on two idle processors.
LIMIT_S = 600


def initramfs(programs, commands, folder):
    """A file with /init, /commands, and in /bin busybox and the programs, as kernels unpack at their start."""
    root = folder / "root"
    for empty in ["bin", "proc", "sys", "dev", "run"]:
        (root / empty).mkdir(parents=True)
    for program in [BUSYBOX, *programs]:
        shutil.copy(program, root / "bin")
    shutil.copy(INIT, root)
    (root / "commands").write_text(commands, encoding="ascii")
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    archive = subprocess.run(["cpio", "--create", "--format=newc", "--quiet"], cwd=root, check=True,
                             input="\n".join(names).encode(), stdout=subprocess.PIPE).stdout
    packed = folder / "initramfs"
    packed.write_bytes(gzip.compress(archive, compresslevel=1))
    return packed


def boot(kernel, programs, commands, folder):
    """Runs the commands, lines of shell that call what `init` offers: {file name: text} of what they left.

    Raises Unexpected, with the end of what the kernel printed, where it did not come to the end of them.
    """
    packed = initramfs(programs, commands, folder)
    console, results = folder / "console", folder / "results.tar.gz"
    # Without rdrand an older kernel has no random bytes for minutes, and getrandom(2) waits for them.
    machine = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "qemu64,+rdrand", "-smp", "2",
               "-m", "1024", "-nodefaults", "-display", "none", "-no-reboot",
               "-serial", f"file:{console}", "-serial", f"file:{results}",
               "-kernel", kernel, "-initrd", packed, "-append", "console=ttyS0 panic=-1 random.trust_cpu=on"]
    why = ""
    try:
        ended = subprocess.run(machine, timeout=LIMIT_S, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, check=False)
        if ended.returncode != 0:
            why = f"the emulator ended with {ended.returncode}: {ended.stdout[-500:]}"
    except subprocess.TimeoutExpired:
        why = f"not over after {LIMIT_S} s"
    try:
        with tarfile.open(results, "r:gz") as archive:
            return {os.path.basename(member.name): archive.extractfile(member).read().decode(errors="replace")
                    for member in archive if member.isfile()}
    except (OSError, EOFError, tarfile.TarError) as error:
        said = console.read_text(errors="replace")[-2000:] if console.exists() else ""
        raise Unexpected(f"{why or error}; the console said: {said}") from error

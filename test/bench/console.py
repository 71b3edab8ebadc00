"""What every benchmark prints: its progress, the servers it runs and the machine it ran on."""
import sys


def progress(text):
    """One line of standard error, written over; nothing where that is no terminal."""
    if sys.stderr.isatty():
        print(f'\r{text}\033[K', end='', file=sys.stderr, flush=True)


def print_servers(versions):
    for name, version in versions.items():
        print(f'{name:<12} {version}')


def machine(host):
    """The machine in one line, from `host` of a result of netload."""
    if not host:
        return 'unknown: no run succeeded'
    virtual = host['hypervisor'] or 'bare metal'
    return (f"{host['system']} {host['kernel']} {host['architecture']}, {host['cpu']}, "
            f"{host['cores']} cores, {virtual}, {host['compiler']}, {', '.join(host['libraries'])}")

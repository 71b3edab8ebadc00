"""What every benchmark prints: its progress, the servers it runs and the machine it ran on."""
import re
import sys
import textwrap

# No line of a report is wider. A pipe gets what a terminal gets.
COLUMNS = 80


def folded(line):
    """A line within COLUMNS: what follows stands below the text behind a label, or is indented."""
    if len(line) <= COLUMNS:
        return line
    label = re.match(r' *\S+  +', line)
    indent = label.end() if label and label.end() < 20 else len(line) - len(line.lstrip()) + 2
    return '\n'.join(textwrap.wrap(line, COLUMNS, subsequent_indent=' ' * indent, drop_whitespace=True,
                                   replace_whitespace=False, break_long_words=False, break_on_hyphens=False))


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

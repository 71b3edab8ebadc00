#!/usr/bin/env python3
"""All published experiments, E1 to E6, run again and put on one page."""
import argparse
import pathlib
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
HTML = 'http://www.w3.org/1999/xhtml'
SVG = 'http://www.w3.org/2000/svg'

# What each was, in plain words, and what the original got wrong where its script does not print it.
SUBJECTS = {
    'E1': ('tinynet: three formats under 10,000 connections',
           'One echo server in three threads, which looks at its input every 500 ms.'),
    'E2': ('tinynet: pack and unpack',
           'Published: byte stream before protobuf before JSON, by several times to an order of magnitude. '
           'Wrong in the original: the byte stream unpacked from the wrong buffer and copied no content, '
           'the compiler could drop the work, the clock wrapped every second, and there was one message.'),
    'E3': ('muduo: ping-pong throughput', 'A server sends back what comes, in messages of 4 and 16 KiB.'),
    'E4': ('protobuf: nested bytes or a union of optional messages',
           'Published, in ms: 20 B x 5,000: 167 / 216; 100 B: 246 / 256; 500 B: 750 / 789; '
           '1,000 B: 1,407 / 1,421; 5,000 B: 9,471 / 9,690 (nest / union). Nest was never slower.'),
    'E5': ('epoll or io_uring', 'One echo server on each, 512-byte messages, one in flight each.'),
    'E6': ('YoMo Y3: take one value out of many',
           'Published: Y3 takes 2,077 / 1,361 / 1,667 / 610 ns of 63 / 32 / 16 / 3 pairs, 3.3 to 20.7 times '
           'faster than JSON in Go; in parallel about 3 times as fast as serial.'),
}
# What keeps all of it under 20 minutes on two processors; without, each takes its own default.
QUICK = {
    'E1': ('--duration', '2', '--models', 'staged:500ms,staged:10ms', '--formats', 'bytes,protobuf,json'),
    'E3': ('--threads', '1', '--points', '16kx1,16kx100,16kx1000,4kx1,4kx100,4kx1000'),
    'E5': ('--requests', '50000'),
}
SOCKETS = ('E1', 'E3', 'E5')

ElementTree.register_namespace('', HTML)


def command(options, name, document):
    if name in SOCKETS:
        size = ['--full'] if options.full else QUICK[name]
        return [sys.executable, HERE / f'{name.lower()}.py', '--build', options.build, *size, '--json', document]
    slow = ['--duration', '1s'] if options.full else []
    return [options.build / 'tools/codecbench', '--experiment', name.lower(), *slow, f'--json={document}']


def run(options, name, document):
    """What it printed, and why there is no document, where there is none."""
    document.unlink(missing_ok=True)
    done = subprocess.run([str(one) for one in command(options, name, document)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, check=False)
    if document.exists():
        return None
    said = (done.stderr or done.stdout).strip().splitlines()
    return f'exit code {done.returncode}' + (f': {said[-1]}' if said else '')


def element(tag, text=None, **attributes):
    made = ElementTree.Element(f'{{{HTML}}}{tag}', attributes)
    made.text = text
    return made


def body_of(options, document):
    """The page of a document as netreport draws it: its head, and what stands in its body."""
    page = subprocess.run([str(options.build / 'tools/netreport'), str(document), '--html'],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    tree = ElementTree.fromstring(page[page.index('<html'):])
    return tree.find(f'{{*}}head'), tree.find('{*}body')


def apart(body, name):
    """Names of elements are those of one page: several on one need names of their own. Browsers that
    read it as HTML know no prefixes, so pictures name their space themselves."""
    for node in body.iter():
        if node.tag == f'{{{SVG}}}svg':
            node.set('xmlns', SVG)
        node.tag = node.tag.replace(f'{{{SVG}}}', f'{{{HTML}}}')
        for key in ('id', 'aria-labelledby', 'href', 'clip-path', 'fill'):
            value = node.get(key)
            if not value:
                continue
            if key == 'id':
                node.set(key, f'{name}-{value}')
            elif key == 'aria-labelledby':
                node.set(key, ' '.join(f'{name}-{one}' for one in value.split()))
            elif value.startswith(('#', 'url(#')):
                node.set(key, value.replace('#', f'#{name}-', 1))


def page_of(options, documents, failures):
    head, main = None, element('body')
    main.append(element('h1', 'The published experiments, run again'))
    main.append(element('p', f'Made {time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}, at '
                             f'{"the original" if options.full else "a reduced"} size, over loopback.'))
    for name, (title, words) in SUBJECTS.items():
        if name not in documents and name not in failures:
            continue
        section = element('section', id=name)
        section.append(element('h2', f'{name}: {title}'))
        section.append(element('p', words))
        if name in failures:
            section.append(element('p', f'It did not run: {failures[name]}'))
        else:
            its_head, body = body_of(options, documents[name])
            head = its_head if head is None else head
            apart(body, name)
            section.extend(node for node in body if not node.tag.endswith('}h1'))
        main.append(section)
    html = element('html', lang='en')
    if head is not None:
        title = head.find('{*}title')
        title.text = 'The published experiments, run again'
        html.append(head)
    html.append(main)
    return '<!DOCTYPE html>\n' + ElementTree.tostring(html, encoding='unicode', short_empty_elements=False)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', type=pathlib.Path, help='the build directory (%(default)s)')
    parser.add_argument('--only', default=','.join(SUBJECTS), metavar='LIST', help='of E1 to E6 (%(default)s)')
    parser.add_argument('--full', action='store_true', help='the original sizes; takes hours')
    parser.add_argument('--html', type=pathlib.Path, metavar='FILE', help='(BUILD/experiments.html)')
    options = parser.parse_args(arguments)
    options.only = options.only.split(',')
    if set(options.only) - set(SUBJECTS):
        parser.error(f'--only takes {", ".join(SUBJECTS)}')
    options.html = options.html or options.build / 'experiments.html'
    return options


def main(arguments):
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = options.build / 'experiments'
    folder.mkdir(exist_ok=True)
    documents, failures = {}, {}
    for name in options.only:
        begin, document = time.monotonic(), folder / f'{name.lower()}.json'
        print(f'{name}: {SUBJECTS[name][0]}', flush=True)
        why = run(options, name, document)
        if why:
            failures[name] = why
        else:
            documents[name] = document
        print(f'{name}: {why or document}, {time.monotonic() - begin:.0f} s', flush=True)
    options.html.write_text(page_of(options, documents, failures), encoding='utf-8')
    print(f'all of it as a page for a browser: {options.html}')
    return 1 if failures else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

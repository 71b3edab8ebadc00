"""Messages {head, guid, content} in every format, made here and not by wiremark."""

import json
import struct

FORMATS = ["bytes", "protobuf", "json", "flatbuffers", "y3"]


def prefixed(payload):
    return struct.pack("<I", len(payload)) + payload


def of_bytes(head, guid, content):
    return struct.pack("<Iii", len(content), head, guid) + content


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def of_protobuf(head, guid, content):
    return prefixed(b"\x08" + varint(head) + b"\x10" + varint(guid) + b"\x1a" + varint(len(content)) + content)


def of_json(head, guid, content):
    text = json.dumps({"head": head, "guid": guid, "content": content.decode()}, separators=(",", ":"),
                      ensure_ascii=False)
    return prefixed(text.encode())


def of_flatbuffers(head, guid, content):
    """A table at 16 behind its vtable at 4; the string follows the table, ended by a zero and
    filled up to four bytes."""
    vtable = struct.pack("<HHHHH", 10, 16, 4, 8, 12) + b"\0\0"
    table = struct.pack("<iiiI", 12, head, guid, 4)
    string = struct.pack("<I", len(content)) + content + b"\0"
    return prefixed(struct.pack("<I", 16) + vtable + table + string + bytes(-len(string) % 4))


def pvarint(number):
    """Groups of seven bits, the highest first; bit 6 of the first one is the sign."""
    size = 1
    while not -(1 << 7 * size - 1) <= number < 1 << 7 * size - 1:
        size += 1
    groups = [number >> 7 * place & 0x7F for place in reversed(range(size))]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def of_y3(head, guid, content):
    def field(tag, value):
        return bytes([tag]) + pvarint(len(value)) + value
    return prefixed(field(0x81, field(1, pvarint(head)) + field(2, pvarint(guid)) + field(3, content)))


ENCODERS = {"bytes": of_bytes, "protobuf": of_protobuf, "json": of_json, "flatbuffers": of_flatbuffers, "y3": of_y3}


def frame(name, head=567, guid=15, content=b"abc"):
    """One message in the usual form of its format, with the frame around it."""
    return ENCODERS[name](head, guid, content)


def frame_of_size(name, size):
    """A message whose frame says the length `size`."""
    around = len(frame(name, content=b"")) - (12 if name == "bytes" else 4)
    content = size - around
    while True:
        made = frame(name, content=b"x" * content)
        length = struct.unpack("<I", made[:4])[0]
        if length == size:
            return made
        content += 1 if length < size else -1


# The same message, head 567, guid 15, content "abc", as other writers may send it. bytes and y3 have
# but one way, apart from the order of y3's fields.
FOREIGN = {
    "bytes": [],
    "protobuf": [prefixed(bytes.fromhex("1a03616263 100f 08b704")),
                 prefixed(bytes.fromhex("2a0178 08b704 100f 1a03616263 3001")),
                 prefixed(bytes.fromhex("0801 08b704 100f 1a03616263"))],
    "json": [prefixed(b'{"content":"abc","head":567,"guid":15}'),
             prefixed(b' {\t"head" : 567,\r\n"x":{"y":[null,1.5e3]}, "guid":15, "content":"\\u0061b\\u0063"} ')],
    # A vtable behind the table, and another order of what the table holds.
    "flatbuffers": [prefixed(bytes.fromhex("04000000 f0ffffff 0f000000 37020000 10000000"
                                           "0a001000 08000400 0c000000 03000000 61626300"))],
    "y3": [prefixed(bytes.fromhex("810c 0303616263 02010f 01028437"))],
}

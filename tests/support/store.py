"""What lies in a collector's spool, read by hand from its files (entry.h, wire.h)
without the content of its records: hours of samples would be gigabytes of text.
"""
import os
import struct

STREAMS = ('findings', 'states', 'samples')
KINDS = (None, 'run', 'dictionary', 'event', 'clock', 'finding', 'batch',
         'capsule', 'gap')
HEADER, ENTRY_MAGIC, RECORDS = 16, 0x50545245, 1
# The field of the content that says the sequence once more.
NUMBER = {'dictionary': 6, 'event': 6, 'clock': 5, 'batch': 7, 'finding': 23}


def varint(octets, at):
    value = shift = 0
    while True:
        octet = octets[at]
        value |= (octet & 127) << shift
        shift, at = shift + 7, at + 1
        if octet < 128:
            return value, at


def field(octets, wanted):
    """An integer of a protobuf message; None where it does not say it."""
    at = 0
    while at < len(octets):
        key, at = varint(octets, at)
        if key & 7 == 0:
            value, at = varint(octets, at)
            if key >> 3 == wanted:
                return value
        elif key & 7 == 2:
            size, at = varint(octets, at)
            at += size
        else:
            at += 8 if key & 7 == 1 else 4
    return None


def entries(folder):
    """(run, body) of each entry that holds records."""
    for name in sorted(n for n in os.listdir(folder) if n.endswith('.seg')):
        with open(os.path.join(folder, name), 'rb') as f:
            f.seek(HEADER)
            while len(head := f.read(24)) == 24:
                magic, kind, size, _, run, length, _ = struct.unpack(
                    '>IBBHQII', head)
                if magic != ENTRY_MAGIC:
                    raise AssertionError('%s: no entry at %d' % (
                        name, f.tell() - 24))
                switch, body = f.read(size), f.read(length)
                if kind == RECORDS:
                    yield switch.decode(), '%016x' % run, body


def records(folder):
    """The head of each record, in order."""
    for switch, run, body in entries(folder):
        at = 0
        while at < len(body):
            length, stream, kind, _, sequence, last = struct.unpack_from(
                '>IBBHQQ', body, at)
            kind, at = KINDS[kind], at + 32
            yield {'switch': switch, 'run': run, 'stream': STREAMS[stream],
                   'kind': kind, 'sequence': sequence, 'last': last,
                   'number': field(body[at:at + length], NUMBER[kind])
                   if kind in NUMBER else sequence}
            at += length

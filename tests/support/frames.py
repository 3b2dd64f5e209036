"""What an agent and a collector say to each other, by hand: SP over TCP, and
the frames of include/petrel/wire.h in it.
"""
import socket
import struct
import zlib

from agent import check

HELLO, WELCOME, DATA, ACK, PING, PONG, UNKNOWN, REFUSED = range(1, 9)
MAGIC = 0x5054524c
SP_REQ, SP_REP = b'\0SP\0\0\x30\0\0', b'\0SP\0\0\x31\0\0'


def envelope(kind, session=0, body=b'', magic=MAGIC, version=2):
    """A frame; of version 2 with its check."""
    head = struct.pack('>IBBHQI', magic, version, kind, 0, session, len(body))
    right = zlib.crc32(body, zlib.crc32(head)) if version > 1 else 0
    return head + struct.pack('>I', right) + body


def record(sequence, stream=1, kind=3, payload=b'', last=None, flags=0):
    head = struct.pack('>IBBHQQ', len(payload), stream, kind, flags, sequence,
                       last or sequence)
    return head + struct.pack('>II', zlib.crc32(head + payload), 0) + payload


def positions(body):
    return struct.unpack('>QQQB', body)


class Peer:
    """An agent that knows no manners."""

    def __init__(self, port, greet=True, version=2):
        self.version = version
        self.socket = socket.create_connection(('127.0.0.1', port), 5)
        self.socket.settimeout(5)
        if greet:
            self.socket.sendall(SP_REQ)
            check(self.read(8) == SP_REP, 'no REP')

    def read(self, n):
        data = b''
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            check(more, 'closed after', len(data))
            data += more
        return data

    def send(self, frame):
        message = struct.pack('>I', 0x80000001) + frame
        self.socket.sendall(struct.pack('>Q', len(message)) + message)

    def receive(self, version=None):
        n, = struct.unpack('>Q', self.read(8))
        frame = self.read(n)[4:]
        magic, said, kind, _, session, length, _ = struct.unpack(
            '>IBBHQII', frame[:24])
        check((magic, said, length) ==
              (MAGIC, version or self.version, len(frame) - 24), frame)
        check(frame == envelope(kind, session, frame[24:], version=said),
              'a wrong check')
        return kind, session, frame[24:]

    def ask(self, frame, version=None):
        """The answer is in the version of the question, where it has one."""
        self.send(frame)
        return self.receive(version)

    def hello(self, name=b'rogue', run=7, switch_id=b'SN-rogue'):
        body = struct.pack('>QB', run, len(name)) + name + bytes(8)
        if self.version > 1:
            body += struct.pack('>B', len(switch_id)) + switch_id
        return self.ask(envelope(HELLO, 0, body, version=self.version))


def varint(value):
    octets = b''
    while value > 0x7f:
        octets += bytes([value & 0x7f | 0x80])
        value >>= 7
    return octets + bytes([value])


def message(fields):
    """A protobuf of {number: int, text, octets or float (32 bits)}, or a list
    of them."""
    octets = b''
    for number, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            octets += field(number, one)
    return octets


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    octets = value if isinstance(value, bytes) else value.encode('utf-8')
    return varint(number << 3 | 2) + varint(len(octets)) + octets


RAISED, UPDATED, CLEARED = 1, 2, 3
WATCH, WARN, CRITICAL = 1, 2, 3
FEC_TREND, LINK_DOWN = 1, 12
SWITCH, PORT = 1, 5             # enum entity_kind
GROUP, ROLE, RACK, DEPLOYMENT = 8, 11, 40, 41   # enum attribute


def clock(sequence, mono_s, wall_s, is_set):
    """A reading of a switch's clock."""
    return record(sequence, 1, 4, message({
        1: int(mono_s * 1e9), 2: int(wall_s * 1e9), 4: int(is_set),
        5: sequence}))


def dictionary(sequence, *entities):
    """(id, kind, name, {attribute: text}) each."""
    return record(sequence, 1, 2, message({
        1: 1, 2: 1, 6: sequence, 4: [message({
            1: number, 2: kind, 3: 0 if kind == SWITCH else 1, 4: name,
            6: [message({1: key, 2: text})
                for key, text in attributes.items()]})
            for number, kind, name, attributes in entities]}))


def finding(sequence, name, state, when_s, severity=WARN, signature=FEC_TREND,
            subject='Ethernet8', mono_s=0):
    """A record of a finding; of 12 characters the name is all of its id."""
    return record(sequence, 0, 5, message({
        1: (name + 12 * 'a')[:12], 2: signature, 3: severity, 4: state, 5: 1,
        6: 2, 7: 1, 9: subject, 11: 0.8, 12: 'a test says so',
        13: int(mono_s * 1e9), 14: int(when_s * 1e9), 15: int(mono_s * 1e9),
        16: int(when_s * 1e9), 23: sequence, 26: 1}))

"""High-frequency telemetry as SONiC sends it: IPFIX messages, the session's row
of STATE_DB, and a netlink socket in the place of the kernel's family."""
import itertools
import os
import socket
import struct

NETLINK_USERSOCK = 2
GROUPS = 31
PORT, QUEUE, POOL, GROUP_TYPE = 1, 21, 24, 26       # SAI's object types
TABLE = "HIGH_FREQUENCY_TELEMETRY_SESSION_TABLE|"
TIME = (325, 8, 0)


def field(label, kind, stat, length=8):
    """A statistic of a labelled object, as an element of an enterprise."""
    def half(number):
        return number - 0x20000000 | 0x8000 if number >= 0x20000000 else number
    return label | 0x8000, length, half(kind) << 16 | half(stat)


def message(sets, domain=0, sequence=1, length=None):
    body = b"".join(sets)
    return struct.pack(">HHIII", 10, length or 16 + len(body), 0, sequence,
                       domain) + body


def a_set(number, body, length=None):
    return struct.pack(">HH", number, length or 4 + len(body)) + body


def template(number, fields, domain=0):
    body = struct.pack(">HH", number, len(fields))
    for element, length, enterprise in fields:
        body += struct.pack(">HH", element, length)
        if element & 0x8000:
            body += struct.pack(">I", enterprise)
    return message([a_set(2, body)], domain)


def record(time_ns, values):
    return struct.pack(">%dQ" % (1 + len(values)), time_ns, *values)


def data(number, records, domain=0):
    return message([a_set(number, b"".join(records))], domain)


def row(names, config, ids=None, status="enabled"):
    """{field: value} of a session; config is octets."""
    return {"stream_status": status, "session_type": "ipfix",
            "object_names": ",".join(names),
            "object_ids": ",".join(str(i) for i in
                                   ids or range(1, len(names) + 1)),
            "session_config": config}


def put(redis, key, values):
    """A row with octets in it, which redis.load() would not keep."""
    c = redis.client("STATE_DB")
    flat = [x for pair in values.items() for x in pair]
    c.ask("HSET", TABLE + key, *flat)
    c.close()


class Stream:
    """Sends netlink messages to a socket of NETLINK_USERSOCK."""

    ports = itertools.count(100000 + os.getpid() % 100000 * 16)

    def __init__(self, port=None):
        self.port = port or next(self.ports)
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  NETLINK_USERSOCK)
        self.sock.bind((0, 0))
        self.option = "hft_test_port=%d" % self.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    @staticmethod
    def frame(payload, kind=0x20, length=None):
        """One netlink message with its generic header, aligned."""
        whole = 20 + len(payload)
        head = struct.pack("=IHHIIBBH", length or whole, kind, 0, 0, 0, 1, 1,
                           0)
        return head + payload + bytes(-whole % 4)

    def send(self, *payloads):
        """A datagram with a netlink message for each; False: nobody is there,
        or has room for it."""
        return self.send_raw(b"".join(self.frame(p) for p in payloads))

    def send_raw(self, octets):
        try:
            self.sock.setblocking(False)
            self.sock.sendto(octets, (self.port, 0))
            return True
        except (ConnectionRefusedError, BlockingIOError):
            return False

    def flood(self, *payloads):
        """To the group, as the kernel does: who has no room loses it."""
        octets = b"".join(self.frame(p) for p in payloads)
        try:
            self.sock.sendto(octets, (0, 1 << self.port % GROUPS))
        except ConnectionRefusedError:
            pass        # what goes to the kernel itself beside the group

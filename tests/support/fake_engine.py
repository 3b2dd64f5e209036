"""An engine of HTTP that does as a test tells it: answers, refuses, stalls."""
import http.server
import struct
import threading
import time


class FakeEngine:
    """answer(path, headers, body) returns (status, text), or None to close the
    connection; posts is what came, as (path, headers, body)."""

    def __init__(self, answer=lambda path, headers, body: (204, '')):
        self.answer, self.posts, self.lock = answer, [], threading.Lock()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def reply(self, body):
                said = fake.answer(self.path, self.headers, body)
                if said is None:
                    self.close_connection = True
                    return
                self.send_response(said[0])
                text = said[1].encode('utf-8')
                self.send_header('Content-Length', str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                with fake.lock:
                    fake.posts.append((self.path, dict(self.headers), body))
                self.reply(body)

            def do_GET(self):
                self.reply(b'')

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *args):
                pass                    # who asked gave up

        self.server = Server(('127.0.0.1', 0), Handler)
        self.url = 'http://127.0.0.1:%d' % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={'poll_interval': 0.05})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *why):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def stall(seconds):
    """An answer that comes late."""
    time.sleep(seconds)
    return 204, ''


def varint(octets, at):
    value = shift = 0
    while True:
        value |= (octets[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if octets[at - 1] < 128:
            return value, at


def unpacked(octets):
    """What Snappy's format packs (format_description.txt of google/snappy)."""
    size, at = varint(octets, 0)
    out = bytearray()
    while at < len(octets):
        tag, kind, more = octets[at], octets[at] & 3, 0
        length, at = (tag >> 2) + 1, at + 1
        if kind == 0:
            if length > 60:
                more = length - 60
                length = int.from_bytes(octets[at:at + more], 'little') + 1
            at += more + length
            out += octets[at - length:at]
            continue
        more = 4 if kind == 3 else kind
        back = int.from_bytes(octets[at:at + more], 'little')
        if kind == 1:
            length, back = (length - 1 & 7) + 4, back | tag >> 5 << 8
        at += more
        for _ in range(length):
            out.append(out[-back])
    assert len(out) == size, (len(out), size)
    return bytes(out)


def fields(octets):
    """(number, value) of a protobuf message; octets where it has a length."""
    at = 0
    while at < len(octets):
        tag, at = varint(octets, at)
        if tag & 7 == 0:
            value, at = varint(octets, at)
        elif tag & 7 == 1:
            value, at = octets[at:at + 8], at + 8
        else:
            size, at = varint(octets, at)
            value, at = octets[at:at + size], at + size
        yield tag >> 3, value


def labels_written(body):
    """The labels of each series of a remote-write request."""
    for _, series in fields(unpacked(body)):
        yield {name.decode(): value.decode() for name, value in (
            (x for _, x in fields(pair)) for n, pair in fields(series)
            if n == 1)}


def values_written(body):
    """(labels, value) of each sample of a remote-write request."""
    for _, series in fields(unpacked(body)):
        parts = list(fields(series))
        labels = {name.decode(): value.decode() for name, value in (
            (x for _, x in fields(pair)) for n, pair in parts if n == 1)}
        for n, sample in parts:
            if n == 2:
                yield labels, struct.unpack('<d', dict(fields(sample)).get(
                    1, bytes(8)))[0]

"""C18: a gate between the real sender and the real collector, which takes turns
at being a collector, a wrong service, a liar and a broken line.

The gate is what the sender connects to; it hands octets on to the collector,
until an act of the table below is due.
"""
import os
import random
import signal
import socket
import struct
import sys
import threading
import time

import agent
from agent import check
from frames import (ACK, HELLO, REFUSED, SP_REP, SP_REQ, WELCOME, envelope)

sys.path.insert(0, os.path.join(agent.TREE, 'tests', 'system'))
from test_delivery import Bed, judge                    # noqa: E402

WITHIN_S = 20           # of the last act the stream goes on
HEARTBEAT_MS = 100
BANNERS = (
    b'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    b'SSH-2.0-OpenSSH_9.2\r\n', b'220 mail ESMTP\r\n', b'\x15\x03\x01\0\2\2\x28',
    b'\0SP\0\0\x10\0\0', b'\0SP\0\0\x31', b'\0', b'', b'x' * 70000,
    SP_REP + struct.pack('>Q', 1 << 40) + b'octets',
    SP_REP + struct.pack('>Q', 100) + b'cut short',
    SP_REP + struct.pack('>Q', 6) + b'no SP header',
    SP_REP + struct.pack('>QI', 4 + 30, 0x80000001) + b'n' * 30,
)


def close(*sockets):
    for s in sockets:
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        s.close()


def message(frame):
    return struct.pack('>QI', len(frame) + 4, 0x80000001) + frame


class Line:
    """One connection of the sender, handed on to the collector."""

    def __init__(self, gate, peer):
        self.gate, self.peer = gate, peer
        self.collector = socket.create_connection(('127.0.0.1', gate.to), 5)
        self.act, self.done = None, threading.Event()
        self.left = b''         # of the collector's, not yet a whole message
        for pump in (self.up, self.down):
            threading.Thread(target=pump, daemon=True).start()

    def end(self):
        self.done.set()
        close(self.peer, self.collector)

    def cut(self, to, octets):
        """Ends in the middle of what was to be said."""
        to.sendall(octets[:self.gate.rng.randrange(len(octets))])
        self.end()

    def flip(self, octets):
        octets = bytearray(octets)
        octets[self.gate.rng.randrange(len(octets))] ^= \
            1 << self.gate.rng.randrange(8)
        self.done.set()
        return bytes(octets)

    def up(self):
        """From the sender."""
        try:
            while True:
                octets = self.peer.recv(65536)
                if not octets:
                    break
                if self.act == 'torn_up':
                    self.cut(self.collector, octets)
                    break
                if self.act == 'flip_up' and not self.done.is_set():
                    octets = self.flip(octets)
                self.collector.sendall(octets)
        except OSError:
            pass
        self.end()

    def messages(self):
        """Whole ones, of all that the collector said."""
        while True:
            more = self.collector.recv(65536)
            if not more:
                return
            self.left += more
            while len(self.left) >= 8:
                length, = struct.unpack('>Q', self.left[:8])
                if len(self.left) < 8 + length:
                    break
                yield self.left[:8 + length]
                self.left = self.left[8 + length:]

    def lie(self, octets):
        """An ACK with numbers that are wrong and a check that is right."""
        frame = octets[12:]
        if frame[5] != ACK or self.done.is_set():
            return octets
        said = list(struct.unpack('>QQQB', frame[24:]))
        which = self.gate.rng.randrange(3)
        if self.act == 'lower':
            which = max(range(3), key=lambda i: said[i])
            said[which] = max(said[which] - 1, 0)
        else:
            said[which] += self.gate.rng.choice([1 << 20, 1 << 40])
        session, = struct.unpack('>Q', frame[8:16])
        self.done.set()
        return message(envelope(ACK, session, struct.pack('>QQQB', *said),
                                version=frame[4]))

    def down(self):
        """From the collector."""
        try:
            greeting = b''
            while len(greeting) < 8:
                greeting += self.collector.recv(8 - len(greeting)) or 1 / 0
            self.peer.sendall(greeting)
            for octets in self.messages():
                if self.act in ('higher', 'lower'):
                    octets = self.lie(octets)
                elif self.act == 'flip_down' and not self.done.is_set():
                    octets = self.flip(octets)
                elif self.act == 'torn_down':
                    self.cut(self.peer, octets)
                    break
                self.peer.sendall(octets)
        except (OSError, ZeroDivisionError):
            pass
        self.end()


class Gate:
    """Listens where the sender connects to."""

    def __init__(self, port, to, rng):
        self.to, self.rng = to, rng
        self.listener = socket.create_server(('127.0.0.1', port), backlog=64)
        self.answer = None              # how the next ones are served
        self.served = threading.Event()
        self.line, self.lines = None, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.meet, args=(peer, self.answer),
                             daemon=True).start()

    def meet(self, peer, answer):
        peer.settimeout(10)
        try:
            if answer:
                answer(peer)
                self.served.set()
                close(peer)
            else:
                self.line = Line(self, peer)
                self.lines.append(self.line)
        except OSError:
            close(peer)

    def cut_lines(self):
        while self.lines:
            self.lines.pop().end()

    def end(self):
        close(self.listener)
        self.cut_lines()

    # --- who answers ---

    def banner(self, peer):
        peer.sendall(self.rng.choice(BANNERS))
        time.sleep(self.rng.random() * 0.05)

    def silence(self, peer):
        if self.rng.random() < 0.5:
            peer.sendall(SP_REP)
        time.sleep(4 * HEARTBEAT_MS / 1000)

    def greeted(self, peer, answer):
        """Up to HELLO; those who only ask who is there are not counted."""
        peer.sendall(SP_REP)
        octets = b''
        while len(octets) < 8 + 12 + 24:
            more = peer.recv(4096)
            if not more:
                raise OSError('only asked')
            octets += more
        if octets[:8] != SP_REQ or octets[20 + 5] != HELLO:
            raise OSError('its session is not over yet')
        peer.sendall(message(answer))
        time.sleep(self.rng.random() * 0.1)

    def liar(self, peer):
        self.greeted(peer, envelope(WELCOME, 7, struct.pack(
            '>QQQ', 0, self.rng.choice([1 << 20, 1 << 40]), 0)))

    def refusal(self, peer):
        self.greeted(peer, envelope(REFUSED, 0, b'not today',
                                    version=self.rng.choice([1, 2])))


IN_SESSION = ('higher', 'lower', 'flip_up', 'flip_down', 'torn_up',
              'torn_down')
WHO = ('banner', 'banner', 'banner', 'silence', 'liar', 'refusal')


class Play:
    def __init__(self, bed, rng):
        self.bed, self.rng, self.counts = bed, rng, {}
        self.gate = Gate(bed.gate_port, bed.port, rng)

    def is_moving(self, since):
        have = self.bed.applied()
        return sum(have.values()) > sum(since.values())

    def goes_on(self):
        """Waits for records that were not there; says how long it took."""
        since, began = self.bed.applied(), time.monotonic()
        check(agent.wait_for(lambda: self.is_moving(since),
                             WITHIN_S * agent.SLOW, 0.05),
              'nothing came for %d s:' % WITHIN_S, self.bed.feeder.log()[-600:],
              self.bed.collector.log()[-600:])
        return time.monotonic() - began

    def be(self, name):
        """Somebody else takes the place of the collector."""
        self.gate.served.clear()
        self.gate.answer = getattr(self.gate, name)
        def met():
            self.gate.cut_lines()       # also one that came just before
            return self.gate.served.is_set()
        check(agent.wait_for(met, WITHIN_S * agent.SLOW), name, 'met nobody:', self.bed.feeder.log()[-600:])

    def disturb(self, name):
        """In a session of the sender and the collector."""
        self.gate.answer = None
        self.goes_on()
        line = self.gate.line
        line.act = name
        agent.wait_for(line.done.is_set, WITHIN_S * agent.SLOW)
        check(line.done.is_set(), name, 'found nothing to disturb')

    def poke(self):
        """The collector has visitors, too."""
        try:
            with socket.create_connection(('127.0.0.1', self.bed.port),
                                          5) as s:
                s.sendall(self.rng.choice(BANNERS).replace(SP_REP, SP_REQ))
        except OSError:
            pass

    def kill(self):
        who = self.rng.choice(['sender', 'collector', 'feeder'])
        if who == 'sender':
            self.bed.kill_sender()
        elif who == 'collector':
            self.bed.collector.kill()
            self.bed.collector.start()
        else:
            self.bed.feeder.kill()
            self.bed.feeder.start()
        self.counts['kill'] = self.counts.get('kill', 0) + 1

    def act(self):
        name = self.rng.choice(WHO + IN_SESSION)
        (self.be if name in WHO else self.disturb)(name)
        self.poke()
        self.counts[name] = self.counts.get(name, 0) + 1


def collector_log_is_clean(bed):
    check('Assertion' not in bed.collector.log(), bed.collector.log()[-600:])


def play(rounds, kills, seed):
    """All of it; nothing is lost, nothing comes twice."""
    rng = random.Random(seed)
    gate_port = agent.free_port()
    with Bed(records=1 << 30, rate=100, ring_kib=16384,
             heartbeat_ms=HEARTBEAT_MS, gate_port=gate_port).start() as bed:
        p = Play(bed, rng)
        try:
            p.goes_on()
            due = set(rng.sample(range(rounds), min(kills, rounds)))
            for n in range(rounds):
                p.act()
                if n in due:
                    p.kill()
            p.gate.answer = None
            took = p.goes_on()
            bed.enough()
            bed.wait_delivered(120)
            collector_log_is_clean(bed)
            bed.end()
            check(judge(bed) == 0, 'something is missing')
        finally:
            p.gate.end()
    print('# %s; went on %.1f s after the last one' % (', '.join(
        '%d %s' % (n, name) for name, n in sorted(p.counts.items())), took))

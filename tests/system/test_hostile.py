#!/usr/bin/env python3
"""C18: a short round of tests/campaign/hostile, and what was seen once: one
wrong answer to the first connection, and the sender never delivered again.
"""
import os
import random
import re
import shutil
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import hostile                                          # noqa: E402

ROUNDS = int(os.environ.get('HOSTILE_ROUNDS', '24'))
SEED = int(os.environ.get('PETREL_SEED', random.randrange(1 << 32)))


def first_connection_is_answered_by(banner):
    port = agent.free_port()
    with hostile.Bed(records=200, rate=200, heartbeat_ms=100,
                     gate_port=port) as bed:
        gate = hostile.Gate(port, bed.port, random.Random(SEED))
        gate.answer = lambda peer: (peer.sendall(banner), peer.recv(64))
        try:
            bed.feeder.start()
            agent.check(agent.wait_for(gate.served.is_set), 'nobody came')
            gate.answer = None
            began = time.monotonic()
            bed.collector.start()
            bed.wait_delivered(20)
            print('# after %.1f s' % (time.monotonic() - began))
            bed.end()
            agent.check(hostile.judge(bed) == 0, 'something is missing')
        finally:
            gate.end()


def test_c18_http_answers_first():
    first_connection_is_answered_by(hostile.BANNERS[0])


def test_c18_frame_of_2_to_the_40_comes_first():
    first_connection_is_answered_by(hostile.BANNERS[9])


def test_c18_a_short_round_of_hostile_acts():
    hostile.play(ROUNDS, ROUNDS // 5, SEED)


def visit(port, count):
    """Connections of another address that greet and then say nothing."""
    guests = []
    for _ in range(count):
        s = socket.socket()
        s.bind(('127.0.0.2', 0))
        s.setblocking(False)
        s.connect_ex(('127.0.0.1', port))
        guests.append(s)
    for s in guests:
        try:
            s.send(hostile.SP_REQ)
        except OSError:
            pass
    return guests


def test_c18_collector_without_descriptors_goes_on():
    """One address takes all that there are, again and again."""
    if not shutil.which('prlimit'):
        return 'NO prlimit'
    guests = []
    with hostile.Bed(records=2000, rate=500, heartbeat_ms=200) as bed:
        bed.collector.argv = ['prlimit', '--nofile=128:128',
                              *bed.collector.argv]
        try:
            bed.start()
            agent.check(agent.wait_for(lambda: bed.applied().get(0, 0) > 50))
            for _ in range(3):
                guests += visit(bed.port, 150)
                time.sleep(1)       # the collector looks once a second
            bed.wait_delivered()
            bed.end()
        finally:
            hostile.close(*guests)
        closed = re.findall(r'closed_excess=(\d+)', bed.collector.log())
        agent.check(int(closed[-1]) > 50, bed.collector.log())
        agent.check(hostile.judge(bed) == 0, 'something is missing')
    return None


if __name__ == '__main__':
    print('# seed %d' % SEED, flush=True)
    agent.main(dict(globals()))

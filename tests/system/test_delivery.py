#!/usr/bin/env python3
"""C10: nothing kept is lost, nothing is applied twice, whatever dies.

The real sender and the real collector, with a feeder in the core's place whose
records number themselves. DELIVERY_KILLS sets how often (default 6).
"""
import collections
import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
from folder import open_folder                           # noqa: E402
from frames import (ACK, DATA, HELLO, PING, REFUSED, UNKNOWN,  # noqa: E402
                    WELCOME, Peer, envelope, positions, record)

KILLS = int(os.environ.get('DELIVERY_KILLS', '6'))
SEED = int(os.environ.get('PETREL_SEED', random.randrange(1 << 32)))
STREAMS = ('findings', 'states', 'samples')


def print_spool(spool):
    run = subprocess.run([agent.program('petrel-collector'), '--print',
                          '--kind', 'all', '--spool', spool], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


class Bed:
    """A feeder with its sender, and a collector."""

    def __init__(self, records=2000, rate=2000, ring_kib=8192, pad=100,
                 heartbeat_ms=200, gate_port=None, root=False,
                 second=None):
        self.dir = open_folder(prefix='petrel-delivery-')
        self.run_dir = os.path.join(self.dir, 'run')
        self.spool = os.path.join(self.dir, 'spool')
        self.database = os.path.join(self.dir, 'petrel.db')
        self.records = records
        self.port, self.gate_port = agent.free_port(), gate_port
        url = 'tcp://127.0.0.1:%d' % self.port
        to = 'tcp://127.0.0.1:%d' % gate_port if gate_port else url
        conf = os.path.join(self.dir, 'collector.conf')
        os.mkdir(self.run_dir)
        with open(conf, 'w', encoding='utf-8') as f:
            f.write('[Collector]\nlisten = %s\nspool = %s\ndatabase = %s\n'
                    'insecure = yes\nspool_size = 64M\n[HTTP]\nlisten =\n' % (
                        url, self.spool, self.database))
        if second:
            self.spool_2 = os.path.join(self.dir, 'spool_2')
            self.database_2 = os.path.join(self.dir, 'petrel_2.db')
            url = 'tcp://127.0.0.1:%d' % agent.free_port()
            to += second + url
            with open(conf + '_2', 'w', encoding='utf-8') as f:
                f.write('[Collector]\nlisten = %s\nspool = %s\n'
                        'database = %s\ninsecure = yes\n'
                        '[HTTP]\nlisten =\n' % (
                            url, self.spool_2, self.database_2))
            self.other = agent.Process(
                agent.command('petrel-collector', '--config', conf + '_2'),
                os.path.join(self.dir, 'collector_2.log'))
        self.collector = agent.Process(
            agent.command('petrel-collector', '--config', conf),
            os.path.join(self.dir, 'collector.log'))
        self.feeder = agent.Process(
            [agent.program('tests/support/feeder'), self.run_dir, to, 'sw1',
             str(records), str(rate), str(ring_kib), str(pad),
             str(heartbeat_ms)] + ([self.dir] if root else []),
            os.path.join(self.dir, 'feeder.log'))
        self.flash = os.path.join(self.dir, 'var/lib/petrel')
        if root:
            os.makedirs(self.flash)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.feeder.stop()
        self.collector.stop()
        if hasattr(self, 'other'):
            self.other.stop()
        for process in (self.feeder, self.collector) if kind else ():
            if process.child:
                print('# ' + process.log()[-1200:].replace('\n', '\n# '))
        if not (kind and os.environ.get('PETREL_KEEP')):
            shutil.rmtree(self.dir, ignore_errors=True)

    def start(self):
        self.collector.start()
        self.feeder.start()
        return self

    def sender_pid(self):
        try:
            with open(os.path.join(self.run_dir, 'sender.pid'),
                      encoding='ascii') as f:
                return int(f.read())
        except (OSError, ValueError):
            return None

    def kill_sender(self):
        try:
            os.kill(self.sender_pid(), signal.SIGKILL)
        except ProcessLookupError:
            pass

    def is_full(self):
        return os.path.exists(os.path.join(self.run_dir, 'full'))

    def enough(self):
        """No more records than there are by now."""
        with open(os.path.join(self.run_dir, 'enough'), 'w',
                  encoding='ascii'):
            pass
        check(agent.wait_for(self.is_full, 10 * agent.SLOW), 'never full')
        with open(os.path.join(self.run_dir, 'full'), encoding='ascii') as f:
            self.records = int(f.read())

    def applied(self, database=None):
        """Last sequence of each stream that SQLite has."""
        try:
            with sqlite3.connect('file:%s?mode=ro' % (database or
                                                      self.database),
                                 uri=True) as db:
                return dict(db.execute('select stream, sequence from applied'))
        except sqlite3.OperationalError:
            return {}

    def wait_delivered(self, seconds=60, database=None):
        def all_there():
            have = self.applied(database)
            return all(have.get(i, 0) >= self.records for i in range(3))
        check(agent.wait_for(all_there, seconds * agent.SLOW, 0.1),
              'never delivered:', self.applied(), 'of', self.records)

    def end(self):
        self.feeder.stop()
        self.collector.tell(signal.SIGTERM)     # it may have just begun
        self.collector.stop()
        check(self.collector.child.returncode == 0, self.collector.log())


def judge(bed):
    """Every sequence once, in order, or in one gap; the same in SQLite.
    Returns how many records are missing.
    """
    records = print_spool(bed.spool)
    check(len({r['run'] for r in records}) == 1, 'the run began anew')
    faults, last = agent.missing_sequences(records)
    check(not faults, 'holes or repeats:', faults[:5])
    for stream in STREAMS:
        ends = [n for (_, _, s), n in last.items() if s == stream]
        check(ends and ends[0] >= bed.records, stream, 'ends at', ends)
    wrong = [r for r in records if r['kind'] not in ('gap', 'run') and
             r['content']['number'] != r['sequence']]
    check(not wrong, 'another record in its place:', wrong[:1])
    gaps = [r for r in records if r['kind'] == 'gap']
    judge_database(bed, records)
    return sum(r['last'] - r['sequence'] + 1 for r in gaps)


def judge_database(bed, records):
    kinds = collections.Counter(r['kind'] for r in records)
    with sqlite3.connect(bed.database) as db:
        def rows(sql):
            return db.execute(sql).fetchall()
        tables = {'event': 'events', 'finding': 'transitions', 'gap': 'gaps'}
        for kind, table in tables.items():
            n = rows('select count(*) from %s' % table)[0][0]
            check(n == kinds[kind], table, 'has', n, 'of', kinds[kind])
        printed = sorted(r['sequence'] for r in records
                         if r['kind'] == 'event')
        check([r[0] for r in rows('select sequence from events '
                                  'order by sequence')] == printed,
              'other events in SQLite')
        values = rows('select sequence, value from events')
        check(all(s == v for s, v in values), 'an event in another\'s place')
        check(rows('select sum(last - first + 1) from gaps')[0][0] ==
              (sum(r['last'] - r['sequence'] + 1 for r in records
                   if r['kind'] == 'gap') or None), 'other gaps in SQLite')


def test_all_arrives_once_and_in_order():
    with Bed().start() as bed:
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_nothing_is_lost_when_the_sender_is_killed():
    rng = random.Random(SEED)
    with Bed(records=400 * KILLS, rate=2000).start() as bed:
        agent.wait_for(bed.sender_pid)
        for _ in range(KILLS):
            time.sleep(rng.random() * 0.3)
            bed.kill_sender()
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_nothing_is_lost_when_the_collector_is_killed():
    rng = random.Random(SEED)
    with Bed(records=400 * KILLS, rate=2000).start() as bed:
        for _ in range(KILLS):
            time.sleep(rng.random() * 0.3)
            bed.collector.kill()
            bed.collector.start()
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_nothing_is_lost_when_all_are_killed():
    rng = random.Random(SEED)
    with Bed(records=400 * KILLS, rate=2000).start() as bed:
        agent.wait_for(bed.sender_pid)
        for n in range(2 * KILLS):
            time.sleep(rng.random() * 0.2)
            if n % 3 == 0:
                bed.kill_sender()
            elif n % 3 == 1:
                bed.collector.kill()
                bed.collector.start()
            else:
                bed.feeder.kill()
                bed.feeder.start()
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


@contextlib.contextmanager
def slow_disk(pid, delay_us):
    """Each fdatasync of the process takes that much longer."""
    tracer = subprocess.Popen(
        ['strace', '-f', '-qq', '-o', '/dev/null', '-p', str(pid), '-e',
         'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=%d' % delay_us],
        stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        tracer.terminate()
        tracer.wait()


def test_nothing_is_applied_twice_on_a_slow_disk():
    """A new sender asks while what the old one sent is not synced yet, and so
    sends it again.
    """
    if not shutil.which('strace'):
        return 'NO strace'
    with Bed(records=2000, rate=1000).start() as bed:
        agent.wait_for(lambda: bed.applied().get(0, 0) > 50)
        with slow_disk(bed.collector.pid, 150000):
            for _ in range(5):
                time.sleep(0.3)
                bed.kill_sender()
            time.sleep(0.5)
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')
        repeats = int(re.findall(r'repeats=(\d+)', bed.collector.log())[-1])
        print('# %d repeats were dropped' % repeats)
        check(repeats > 0, 'nothing came twice: this test tests nothing')
    return None


def test_stopped_collector_is_left_and_found_again():
    with Bed(records=3000, rate=1000).start() as bed:
        agent.wait_for(lambda: bed.applied().get(0, 0) > 100)
        os.kill(bed.collector.pid, signal.SIGSTOP)
        told = agent.wait_for(lambda: 'silent' in bed.feeder.log(), 5)
        os.kill(bed.collector.pid, signal.SIGCONT)
        check(told, 'nobody noticed')
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_gaps_count_exactly_what_is_missing():
    """The collector is away while the rings overflow."""
    with Bed(records=12000, rate=0, ring_kib=256, pad=200) as bed:
        bed.feeder.start()
        check(agent.wait_for(bed.is_full, 30), 'never full')
        bed.collector.start()
        bed.wait_delivered()
        bed.end()
        missing = judge(bed)
        records = print_spool(bed.spool)
        there = sum(1 for r in records if r['kind'] != 'gap')
        total = sum(max(r['last'] for r in records if r['stream'] == s)
                    for s in STREAMS)
        print('# %d records, %d there, %d in %d gaps' % (
            total, there, missing, len(records) - there))
        check(missing > 1000, 'nothing was missing')
        check(there + missing == total, there, '+', missing, 'of', total)


def test_gaps_are_exact_when_the_collector_comes_and_goes():
    rng = random.Random(SEED)
    with Bed(records=12000, rate=5000, ring_kib=256, pad=200).start() as bed:
        for _ in range(4):
            time.sleep(0.15 + rng.random() * 0.15)
            bed.collector.kill()
            time.sleep(0.25 + rng.random() * 0.25)
            bed.collector.start()
            if rng.random() < 0.5:
                bed.kill_sender()
        bed.wait_delivered()
        bed.end()
        missing = judge(bed)
        print('# missing, told in gaps: %d' % missing)


def spooled(bed):
    """How many segments lie on the switch."""
    folder = os.path.join(bed.flash, 'spool')
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def test_spool_has_what_the_rings_dropped():
    """An outage that is longer than the rings; the sender dies in it."""
    with Bed(records=1000, rate=200, ring_kib=256, pad=400,
             heartbeat_ms=100, root=True) as bed:
        bed.feeder.start()
        agent.wait_for(lambda: spooled(bed) > 2, 10 * agent.SLOW)
        bed.kill_sender()
        check(agent.wait_for(bed.is_full, 30 * agent.SLOW), 'never full')
        time.sleep(2.5)     # until the last of it was copied
        bed.collector.start()
        bed.wait_delivered()
        check(agent.wait_for(lambda: spooled(bed) == 0, 10 * agent.SLOW),
              'not let go:', spooled(bed))
        bed.end()
        missing = judge(bed)
        # a full ring of one group drops all of it, with what came just then
        check(missing < 150, missing, 'are missing')


def by_run(records):
    """Sequences that are there and that are told missing, run by run."""
    there, gone = collections.Counter(), collections.Counter()
    for r in records:
        key = (r['run'], r['stream'])
        there[key] += r['kind'] != 'gap'
        gone[key] += r['last'] - r['sequence'] + 1 if r['kind'] == 'gap' else 0
    return there, gone


def applied_whole(bed):
    """Of how many streams and runs SQLite has all."""
    try:
        with sqlite3.connect('file:%s?mode=ro' % bed.database,
                             uri=True) as db:
            return db.execute('select count(*) from applied where sequence '
                              '>= %d' % bed.records).fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_spool_outlives_a_reboot_in_an_outage():
    """Before the outage is known for one: all is written at the end."""
    with Bed(records=2000, rate=1000, ring_kib=1024, pad=100,
             heartbeat_ms=3000, root=True) as bed:
        bed.feeder.start()
        check(agent.wait_for(bed.is_full, 30 * agent.SLOW), 'never full')
        with open(os.path.join(bed.run_dir, 'end'), 'w', encoding='ascii'):
            pass
        check(agent.wait_for(lambda: os.path.exists(os.path.join(
            bed.run_dir, 'ended')), 10 * agent.SLOW), 'never ended')
        bed.feeder.kill()
        shutil.rmtree(bed.run_dir)      # it is in memory
        os.mkdir(bed.run_dir)
        bed.feeder.start()
        bed.collector.start()
        check(agent.wait_for(lambda: applied_whole(bed) == 6,
                             60 * agent.SLOW, 0.1), 'never delivered')
        check(agent.wait_for(lambda: spooled(bed) == 0, 20 * agent.SLOW),
              'not let go:', spooled(bed))
        bed.end()
        records = print_spool(bed.spool)
        there, gone = by_run(records)
        check(len(there) == 6, 'runs and streams:', there)
        check(all(n >= 2000 for n in there.values()), there)
        check(not sum(gone.values()), 'missing:', gone)
        faults, _ = agent.missing_sequences(records)
        check(not faults, 'holes or repeats:', faults[:5])


def whole(spool):
    """No hole, no repeat, nothing told missing."""
    records = print_spool(spool)
    faults, _ = agent.missing_sequences(records)
    check(not faults, 'holes or repeats:', faults[:5])
    gaps = [r for r in records if r['kind'] == 'gap']
    check(not gaps, 'missing:', gaps[:3])


def test_second_collector_takes_over_and_gives_back():
    with Bed(records=1500, rate=500, heartbeat_ms=100, second=',') as bed:
        bed.other.start()
        bed.feeder.start()
        check(agent.wait_for(lambda: bed.applied(bed.database_2).get(
            2, 0) > 300, 20 * agent.SLOW), 'the second was not asked',
            bed.feeder.log())
        bed.other.kill()
        bed.collector.start()
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')
        whole(bed.spool_2)


def test_mirror_gives_each_collector_all():
    """One is away for a while: the other waits for nothing, and what has come
    there is kept for the one."""
    with Bed(records=1500, rate=500, heartbeat_ms=100, second='+',
             root=True) as bed:
        bed.other.start()
        bed.collector.start()
        bed.feeder.start()
        check(agent.wait_for(lambda: bed.applied().get(2, 0) > 200,
                             20 * agent.SLOW), 'nothing came')
        bed.collector.kill()
        bed.wait_delivered(database=bed.database_2)
        check(bed.applied().get(2, 0) < 1500, 'it was not away')
        check(agent.wait_for(lambda: spooled(bed) > 0, 10 * agent.SLOW),
              'nothing is kept for it')
        bed.collector.start()
        bed.wait_delivered()
        check(agent.wait_for(lambda: spooled(bed) == 0, 10 * agent.SLOW),
              'not let go:', spooled(bed))
        bed.end()
        bed.other.stop()
        whole(bed.spool_2)
        check(judge(bed) == 0, 'something is missing')


def test_samples_wait_for_their_dictionary():
    """A new collector: what is left in the ring has no snapshot."""
    with Bed(records=10 ** 6, rate=2000, ring_kib=1024, pad=400).start() as bed:
        def came():
            return bed.applied().get(2, 0)
        check(agent.wait_for(lambda: came() > 500, 30 * agent.SLOW), 'none')
        bed.collector.kill()
        before = came()
        shutil.rmtree(bed.spool)
        for end in ('', '-wal', '-shm'):
            if os.path.exists(bed.database + end):
                os.unlink(bed.database + end)
        bed.collector.start()
        check(agent.wait_for(lambda: came() > before + 1000, 60 * agent.SLOW),
              before, came())
        bed.enough()
        bed.wait_delivered()
        bed.end()
        judge_named(bed)


def judge_named(bed):
    known, need = 0, 0
    for r in print_spool(bed.spool):
        c = r['content']
        if r['kind'] == 'gap' and r['stream'] == 'states':
            known = 0
        elif r['kind'] == 'dictionary' and (c['snapshot'] or known):
            known = c['version']
        elif r['kind'] == 'batch':
            need += 1
            check(c['dictionary'] <= known, 'batch', r['sequence'], 'needs',
                  c['dictionary'], 'has', known)
            check('unreadable' not in c, c)
            check(all(v['name'] for v in c['values']), c['values'][:1])
    check(need > 100, 'hardly any batch')


# --- garbage ----------------------------------------------------------------

def test_garbage_hurts_nobody_else():
    with Bed(records=3000, rate=1500).start() as bed:
        agent.wait_for(lambda: bed.applied().get(0, 0) > 50)
        rng = random.Random(SEED)
        for raw in (b'GET / HTTP/1.1\r\n\r\n', b'\0SP\0\0\x10\0\0', b'',
                    bytes(rng.randrange(256) for _ in range(4096))):
            try:
                peer = Peer(bed.port, greet=False)
                peer.socket.sendall(raw)
            except OSError:
                pass
        peer = Peer(bed.port)
        nobody = struct.pack('>QB', 1, 0) + bytes(8)
        for frame, version in (
                (b'', 1), (b'x', 1), (envelope(99), 1),
                (envelope(WELCOME, 1), 2),
                (envelope(DATA, 5, b'', magic=1), 1),
                (envelope(HELLO, 0, b'', version=9), 1),
                (envelope(HELLO, 0, b'short'), 2),
                (envelope(HELLO, 0, b'short', version=1), 1),
                (envelope(HELLO, 0, struct.pack('>QB', 1, 3) + b'a\nb' +
                          bytes(8), version=1), 1),
                (envelope(HELLO, 0, nobody, version=1), 1),
                (envelope(HELLO, 0, nobody), 2)):
            kind, _, text = peer.ask(frame, version)
            check(kind == REFUSED and text, kind, text)
        check(peer.ask(envelope(DATA, 12345, record(1)))[0] == UNKNOWN)
        oversized = Peer(bed.port)
        oversized.socket.sendall(struct.pack('>Q', 1 << 40))
        bed.wait_delivered()
        log = bed.collector.log()
        check('refused' in log and 'connection=' in log, log)
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_collector_keeps_no_part_of_a_bad_frame():
    with Bed() as bed:
        bed.collector.start()
        peer = agent.wait_for(lambda: try_peer(bed.port))
        kind, session, body = peer.hello()
        check(kind == WELCOME and body == bytes(24), kind, body)
        broken = bytearray(record(1) + record(2))
        broken[-5] ^= 1         # of the CRC
        kind, _, text = peer.ask(envelope(DATA, session, bytes(broken)))
        check(kind == REFUSED, kind, text)
        kind, _, body = peer.ask(envelope(DATA, session, record(1)))
        check(kind == ACK and positions(body) == (0, 1, 0, 0), body)
        bed.collector.stop()
        check([r['sequence'] for r in print_spool(bed.spool)] == [1])


def try_peer(port):
    try:
        return Peer(port)
    except OSError:
        return None


def test_old_agent_is_served_in_its_version():
    with Bed() as bed:
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        peer = Peer(bed.port, version=1)
        kind, session, _ = peer.hello(b'leaf1')
        check(kind == WELCOME, kind)
        kind, _, body = peer.ask(envelope(DATA, session, record(1),
                                          version=1))
        check(kind == ACK and positions(body) == (0, 1, 0, 0), body)
        bed.collector.stop()
        check([(r['switch'], r['switch_name'], r['sequence'])
               for r in print_spool(bed.spool)] == [('leaf1', 'leaf1', 1)])


def test_upgraded_agent_goes_on_with_its_run():
    """The same run, first under its name alone, then under its id."""
    with Bed() as bed:
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        old = Peer(bed.port, version=1)
        _, session, _ = old.hello(b'leaf1')
        old.ask(envelope(DATA, session, record(1) + record(2), version=1))
        new = Peer(bed.port)
        kind, session, body = new.hello(b'leaf1', switch_id=b'SN1')
        check(kind == WELCOME and body == struct.pack('>QQQ', 0, 2, 0), body)
        new.ask(envelope(DATA, session, record(2) + record(3)))
        bed.collector.stop()
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        new = Peer(bed.port)
        _, session, body = new.hello(b'renamed', switch_id=b'SN1')
        check(body == struct.pack('>QQQ', 0, 3, 0), body)
        new.ask(envelope(DATA, session, record(4)))
        check(agent.wait_for(lambda: bed.applied().get(1) == 4), bed.applied())
        bed.collector.stop()
        printed = [(r['switch'], r['switch_name'], r['sequence'])
                   for r in print_spool(bed.spool)]
        check(printed == [('leaf1', 'leaf1', 1), ('leaf1', 'leaf1', 2),
                          ('SN1', 'leaf1', 3), ('SN1', 'renamed', 4)], printed)
        with sqlite3.connect(bed.database) as db:
            rows = db.execute('select switch_id, name from switches')
            check(rows.fetchall() == [('SN1', 'renamed')])
            check(db.execute('select count(*) from runs').fetchone() == (1,))
            check(db.execute('select sequence from events').fetchall() ==
                  [(1,), (2,), (3,), (4,)])


def test_each_reason_is_logged_once_and_all_are_counted():
    with Bed() as bed:
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        peer = Peer(bed.port)
        _, session, _ = peer.hello(b'leaf1', switch_id=b'SN1')
        for n in range(20):
            peer.ask(envelope(DATA, session, b'no record'))
        damaged = bytearray(envelope(PING, session, b'12345678'))
        damaged[-1] ^= 1
        for n in range(20):
            peer.send(bytes(damaged))
        for n in range(1, 21):      # each closes the hole and leaves another
            peer.ask(envelope(DATA, session, record(10 * n)))
            peer.ask(envelope(DATA, session, record(
                10 * n - 9, kind=8, last=10 * n - 1) + record(10 * n)))
        bed.collector.stop()
        log = bed.collector.log()
        for words in ('DATA with a record', 'damaged on the way',
                      'predecessor is missing'):
            check(log.count(words) == 1, words, log)
        check('switch=SN1 name=leaf1 refused' in log, log)
        for count in ('garbage=20', 'damaged=20', 'holes=20', 'refused=20'):
            check(' %s ' % count in log, count, log)


def test_collector_stores_no_hole_and_no_repeat():
    with Bed() as bed:
        bed.collector.start()
        peer = agent.wait_for(lambda: try_peer(bed.port))
        _, session, _ = peer.hello()
        def say(*records):
            kind, _, body = peer.ask(envelope(DATA, session, b''.join(records)))
            check(kind == ACK, kind)
            return positions(body)
        check(say(record(1), record(2)) == (0, 2, 0, 0))
        check(say(record(4)) == (0, 2, 0, 2), 'a hole was taken')
        check(say(record(2), record(3)) == (0, 3, 0, 0))
        check(say(record(2, kind=8, last=6)) == (0, 6, 0, 0))
        check(say(record(6)) == (0, 6, 0, 0))
        bed.collector.stop()
        printed = [(r['kind'], r['sequence'], r['last'])
                   for r in print_spool(bed.spool)]
        check(printed == [('event', 1, 1), ('event', 2, 2), ('event', 3, 3),
                          ('gap', 4, 6)], printed)


def test_agent_survives_a_collector_of_garbage():
    with Bed(records=500, rate=1000) as bed:
        listener = socket.create_server(('127.0.0.1', bed.port))
        listener.settimeout(10)
        bed.feeder.start()
        rng = random.Random(SEED)
        for n in range(20):     # also those who only ask why
            peer, _ = listener.accept()
            with peer:
                peer.settimeout(5)
                junk = envelope(WELCOME, 1, b'\xff' * 24) if n else \
                    bytes(rng.randrange(256) for _ in range(300))
                try:
                    peer.sendall(b'\0SP\0\0\x31\0\0')
                    peer.recv(4096)
                    peer.sendall(struct.pack('>QI', len(junk) + 4,
                                             0x80000001) + junk)
                    peer.recv(4096)
                except OSError:
                    pass
            if 'invalid answer' in bed.feeder.log():
                break
        listener.close()
        check(agent.wait_for(lambda: 'invalid answer' in bed.feeder.log(), 5),
              bed.feeder.log())
        bed.collector.start()
        bed.wait_delivered()
        bed.end()
        check(judge(bed) == 0, 'something is missing')


def test_second_collector_on_a_spool_is_refused():
    with Bed() as bed:
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        conf = os.path.join(bed.dir, 'collector.conf')
        run = subprocess.run([agent.program('petrel-collector'), '--config',
                              conf], capture_output=True, text=True,
                             timeout=10, check=False)
        check(run.returncode == 69 and 'another collector' in run.stderr,
              run.returncode, run.stderr)


def test_newest_values_are_there_again_after_a_restart():
    with Bed(records=300, rate=1000).start() as bed:
        bed.wait_delivered()
        bed.collector.stop()
        bed.collector.start()
        agent.wait_for(lambda: try_peer(bed.port))
        def told():
            bed.collector.tell(signal.SIGUSR1)
            time.sleep(0.1)
            return 'newest=16' in bed.collector.log().rsplit('listen=', 1)[1]
        check(agent.wait_for(told, 5), bed.collector.log())


if __name__ == '__main__':
    print('# seed %d' % SEED, flush=True)
    agent.main(dict(globals()))

#!/usr/bin/env python3
"""[Sonic] publish = state_db: the rows of STATE_DB are the open findings, the
tables are Petrel's own, and Redis may come and go."""
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import (SLOW, Bed, Haste, check, main, program,  # noqa: E402
                   wait_for)
from redis import Redis  # noqa: E402

LIST = 'PETREL_AGENT|findings'
SPEED = 3       # of the agent's clocks
SCENARIO = '''switch name=bad ports=4 speed=400G lanes=4 media=DR4 fec=rs544 seed=7
at 8s Ethernet8 down reason=light for=60s
'''
OTHERS = {'TRANSCEIVER_INFO|Ethernet0': {'type': 'QSFP-DD'},
          'PETRELFINDING|x': {'not': 'ours'}}


class Switch(Bed):
    """Faults are the simulated switch's; the databases are SONiC's."""

    def __init__(self, redis, publish='state_db'):
        super().__init__(driver='sim,sonic', root=redis.root, name='leaf1',
                         interval='500ms', collector=False,
                         haste=Haste(SPEED))
        scenario = os.path.join(self.dir, 'bad.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(SCENARIO)
        with open(self.conf, 'a', encoding='utf-8') as f:
            f.write('[Sim]\nscenario = %s\nspeed = 8\n[Sonic]\n'
                    'publish = %s\n' % (scenario, publish))

    def __enter__(self):
        self.agent.start()
        check(self.wait_serving(), self.agent.log())
        return self

    def source(self):
        return next(s for s in self.json('status')['sources']
                    if s['source'] == 'sonic.publish')


def rows(redis):
    db = redis.client('STATE_DB')
    found = {}
    for key in db.ask('KEYS', 'PETREL*'):
        flat = db.ask('HGETALL', key)
        found[key] = dict(zip(flat[::2], flat[1::2]))
    db.close()
    return found


def written(redis):
    """What is written when it is whole: the list, and the rows it names."""
    found = rows(redis)
    ids = set(found.get(LIST, {}))
    return ids and ids == {k.split('|')[1] for k in found
                           if k.startswith('PETREL_FINDING|')} and found


def test_publish_rows_are_the_open_findings():
    with Redis() as redis:
        redis.load('STATE_DB', OTHERS)
        with Switch(redis) as bed:
            found = wait_for(lambda: written(redis), 30 * SLOW, 0.05)
            check(found, rows(redis), bed.agent.log()[-600:])
            finding = bed.json('findings')['findings'][0]
            row = found['PETREL_FINDING|' + finding['id']]
            for key in ('id', 'signature', 'severity', 'end', 'action',
                        'drain', 'cause', 'cause_id', 'subject_kind'):
                check(row[key] == finding[key], key, row, finding)
            check(row['ports'] == ','.join(finding['ports']) and
                  row['actions'] == ','.join(finding['actions']), row)
            check(row['subject'] == 'Ethernet8' and row['cliff_mid_s'] ==
                  'N/A', row)
            check(found[LIST][finding['id']] == finding['severity'], found)
            check(bed.source()['state'] == 'fresh', bed.source())
            check(wait_for(lambda: list(rows(redis)) == ['PETRELFINDING|x'],
                           60 * SLOW, 0.2), 'still there', rows(redis))


def test_publish_writes_no_other_table():
    with Redis() as redis:
        redis.load('STATE_DB', OTHERS)
        db = redis.client('STATE_DB')
        db.ask('CONFIG', 'SET', 'notify-keyspace-events', 'AKE')
        db.ask('PSUBSCRIBE', '__keyspace@*__:*')
        with Switch(redis) as bed:
            check(wait_for(lambda: written(redis), 30 * SLOW, 0.05),
                  bed.agent.log()[-600:])
            db.sock.settimeout(0.5)
            touched = set()
            try:
                while True:
                    touched.add(db.read()[2].split(':', 1)[1])
            except (TimeoutError, OSError):
                pass
            check(touched and all(t == LIST or t.startswith('PETREL_FINDING|')
                                  for t in touched), touched)


def test_publish_takes_rows_of_an_earlier_run_away():
    with Redis() as redis:
        redis.load('STATE_DB', {
            LIST: {'oldoldoldold': 'warn'},
            'PETREL_FINDING|oldoldoldold': {'id': 'oldoldoldold'}, **OTHERS})
        with Switch(redis) as bed:
            check(wait_for(lambda: 'PETREL_FINDING|oldoldoldold' not in
                           rows(redis), 20 * SLOW, 0.05), rows(redis))
            found = wait_for(lambda: written(redis), 30 * SLOW, 0.05)
            check(found and 'oldoldoldold' not in found[LIST], found,
                  bed.agent.log()[-600:])


def test_publish_is_made_good_when_redis_comes_back():
    with Redis() as redis:
        with Switch(redis) as bed:
            check(wait_for(lambda: written(redis), 30 * SLOW, 0.05),
                  bed.agent.log()[-600:])
            redis.kill()
            check(wait_for(lambda: bed.source()['state'] == 'absent',
                           15 * SLOW, 0.1), bed.source())
            check('STATE_DB' in bed.source()['reason'], bed.source())
            redis.start()
            check(wait_for(lambda: bed.source()['state'] == 'fresh',
                           20 * SLOW, 0.1), bed.source())
            ids = {f['id'] for f in bed.json('findings')['findings']}
            check(wait_for(lambda: set(rows(redis).get(LIST, {})) == ids,
                           10 * SLOW, 0.1), rows(redis), ids)


def test_publish_tells_what_redis_refuses():
    with Redis() as redis:
        redis.load('STATE_DB', {LIST: 'no hash'})
        with Switch(redis) as bed:
            check(wait_for(lambda: bed.source()['state'] == 'broken',
                           15 * SLOW, 0.1), bed.source())
            check(LIST + ': WRONGTYPE' in bed.source()['reason'],
                  bed.source())


def test_publish_tells_once_that_nothing_can_be_written():
    with Redis() as redis:
        redis.client().ask('REPLICAOF', '127.0.0.1', '1')
        with Switch(redis) as bed:
            told = 'name=sonic.publish not fresh: READONLY'
            check(wait_for(lambda: told in bed.agent.log(), 30 * SLOW, 0.1),
                  bed.agent.log()[-600:])
            time.sleep(3)       # it is tried again meanwhile
            check(bed.agent.log().count(told) == 1, bed.agent.log()[-900:])
            check(bed.source()['state'] == 'broken', bed.source())


def events_of(bed):
    path = os.path.join(bed.dir, 'events')
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        return [(line.split('\t')[0], dict(p.split('=', 1) for p in
                                           line.strip().split('\t')[1:]))
                for line in f]


class Heralded(Switch):
    """With the stand-in for SONiC's library, or without."""

    def __init__(self, redis, library=True, fail=''):
        super().__init__(redis, publish='eventd')
        with open(os.path.join(self.dir, 'events'), 'wb') as f:
            os.fchmod(f.fileno(), 0o666)
        self.agent.env.update({
            'PETREL_EVENTS': os.path.join(self.dir, 'events'),
            'PETREL_EVENTS_FAIL': fail,
            'LD_LIBRARY_PATH': program('tests/support') if library else ''})

    def told(self):
        """The notes on the agent, of its status."""
        return '\n'.join(l for l in self.ask('status')[1].splitlines()
                         if 'eventd' in l)


def test_publish_gives_eventd_what_changes():
    with Redis() as redis:
        with Heralded(redis) as bed:
            check(wait_for(lambda: events_of(bed), 30 * SLOW, 0.1),
                  bed.told())
            tag, event = events_of(bed)[0]
            finding = bed.json('findings')['findings'][0]
            check(tag == 'sonic-events-petrel:finding', tag)
            check(event['id'] == finding['id'] and event['state'] == 'raised'
                  and event['subject'] == 'Ethernet8', event, finding)
            check('no events for eventd' not in bed.told(), bed.told())
            check(not rows(redis), 'STATE_DB was not asked for')


def test_publish_says_that_there_is_no_library_for_eventd():
    with Redis() as redis:
        with Heralded(redis, library=False) as bed:
            check(wait_for(lambda: 'no events for eventd: libswsscommon.so.0'
                           in bed.told(), 15 * SLOW, 0.1), bed.told())


def test_publish_library_that_fails_hangs_or_dies_hurts_nobody():
    for fail in 'init', 'publish', 'hang', 'die':
        with Redis() as redis:
            with Heralded(redis, fail=fail) as bed:
                check(wait_for(lambda: bed.json('findings')['findings'],
                               30 * SLOW, 0.1), bed.agent.log()[-600:])
                if fail in ('init', 'publish'):
                    check(wait_for(lambda: 'no events for eventd' in
                                   bed.told(), 15 * SLOW, 0.1), bed.told())
                core = next(p for p in bed.json('status')['processes']
                            if p['process'] == 'core')
                check(core['restarts'] == 0 and core['state'] == 'running',
                      fail, core)


def test_publish_is_off_unless_asked_for():
    with Redis() as redis:
        redis.load('STATE_DB', OTHERS)
        with Switch(redis, publish='') as bed:
            check(wait_for(lambda: bed.json('findings')['findings'],
                           30 * SLOW, 0.1), bed.agent.log()[-600:])
            check(bed.source()['state'] == 'unsupported', bed.source())
            check(list(rows(redis)) == ['PETRELFINDING|x'], rows(redis))


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))

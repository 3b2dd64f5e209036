#!/usr/bin/env python3
"""C14 with CONFIG_DB: the table PETREL between what is built in and the files,
followed while it changes, and never in the way."""
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SLOW, Bed, Haste, check, main, wait_for  # noqa: E402
from redis import Redis  # noqa: E402

SPEED = 3       # of the agent's clocks
READY = {'CONFIG_DB_INITIALIZED': '1'}


class Switch(Bed):
    """An agent on SONiC; conf is all of its file."""

    def __init__(self, redis, conf='', speed=SPEED):
        super().__init__(driver='sonic', root=redis.root, collector=False,
                         haste=Haste(speed))
        with open(self.conf, 'w', encoding='utf-8') as f:
            f.write('[Agent]\nrun_dir = /run/petrel\n' + conf)

    def serving(self):
        self.agent.start()
        check(self.wait_serving(), self.agent.log())
        return self

    def drop_in(self, text):
        folder = os.path.join(self.dir, 'conf.d')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, '10-site.conf'), 'w',
                  encoding='utf-8') as f:
            f.write(text)

    def values(self):
        """(section, key): (value, origin)"""
        rows = self.json('config', 'show', '--origin')['config']
        return {(r['section'], r['key']): (r['value'], r['origin'])
                for r in rows}

    def value(self, section, key):
        return self.values()[section, key]

    def becomes(self, section, key, wanted):
        check(wait_for(lambda: self.value(section, key) == wanted,
                       20 * SLOW, 0.1), 'not', wanted, 'but',
              self.value(section, key), self.agent.log())


def test_c14_each_origin_wins_over_the_one_before():
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {
            'interval': '2s', 'history': '20m', 'name': 'leaf7'},
            'PETREL|push': {'window': '128K', 'heartbeat': '3s'},
            'PETREL|sonic': {'publish@': 'state_db,eventd'}})
        with Switch(redis, 'history = 30m\n[Push]\nheartbeat = 4s\n') as bed:
            bed.drop_in('[Push]\nheartbeat = 5s\n')
            got = bed.serving().values()
            for key, wanted in {
                    ('Agent', 'states_ring'): ('1M', 'built-in'),
                    ('Agent', 'interval'): ('2s', 'CONFIG_DB'),
                    ('Agent', 'name'): ('leaf7', 'CONFIG_DB'),
                    ('Agent', 'history'): ('30m', 'petrel.conf:3'),
                    ('Push', 'window'): ('128K', 'CONFIG_DB'),
                    ('Push', 'heartbeat'): ('5s', 'conf.d/10-site.conf:2'),
                    ('Sonic', 'publish'): ('state_db,eventd', 'CONFIG_DB'),
            }.items():
                check(got[key] == wanted, key, got[key], 'wanted', wanted)
            check(bed.json('status')['switch'] == 'leaf7', 'its name')
            code, out, _ = bed.ask('config', 'show')
            check(code == 0 and 'built-in' not in out, out)


def test_c14_a_change_in_config_db_is_taken_over():
    with Redis() as redis:
        redis.load('CONFIG_DB', READY)
        with Switch(redis) as bed:
            bed.serving()
            check(bed.value('Agent', 'interval') == ('1s', 'built-in'),
                  bed.value('Agent', 'interval'))
            db = redis.client('CONFIG_DB')
            db.ask('HSET', 'PETREL|agent', 'interval', '500ms')
            bed.becomes('Agent', 'interval', ('500ms', 'CONFIG_DB'))
            db.ask('DEL', 'PETREL|agent')
            bed.becomes('Agent', 'interval', ('1s', 'built-in'))
            db.close()


def test_c14_a_wrong_row_leaves_the_last_good_one_in_force():
    wrong = {'interval': '2 parsecs', 'intervall': '2s'}
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {
            'interval': '2s'}})
        with Switch(redis) as bed:
            bed.serving()
            db = redis.client('CONFIG_DB')
            for key, value in wrong.items():
                db.ask('HSET', 'PETREL|agent', key, value)
                note = wait_for(lambda: 'stays in force' in bed.ask(
                    'status')[1] and bed.ask('status')[1], 20 * SLOW, 0.1)
                check(note and key in note, key, bed.ask('status')[1])
                check(bed.value('Agent', 'interval') == ('2s', 'CONFIG_DB'),
                      bed.value('Agent', 'interval'))
                code, _, err = bed.ask('reload')
                check(code != 0 and key in err, code, err)
                db.ask('HDEL', 'PETREL|agent', key)
                db.ask('HSET', 'PETREL|agent', 'interval', '2s')
                check(wait_for(lambda: 'stays in force' not in
                               bed.ask('status')[1], 20 * SLOW, 0.1),
                      'still told')
            db.ask('SET', 'PETREL|push', 'no row at all')
            check(wait_for(lambda: 'PETREL|push' in bed.ask('status')[1],
                           20 * SLOW, 0.1), bed.ask('status')[1])
            db.close()


def test_c14_a_wrong_row_at_the_start_leaves_the_files_alone():
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {
            'interval': '2s', 'no_such': 'x'}})
        with Switch(redis, 'history = 30m\n') as bed:
            bed.serving()
            check(bed.value('Agent', 'interval') == ('1s', 'built-in'),
                  bed.value('Agent', 'interval'))
            check(bed.value('Agent', 'history')[0] == '30m', 'the file')
            said = bed.ask('status')[1]
            check('CONFIG_DB [Agent]' in said and 'no_such' in said, said)


def test_c14_no_redis_and_a_hanging_one_are_no_hindrance():
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {
            'interval': '2s'}})
        redis.signal(signal.SIGSTOP)
        with Switch(redis) as bed:
            begin = time.monotonic()
            bed.serving()
            took = time.monotonic() - begin
            print('# serving after %.2f s with Redis stopped' % took)
            check(took < 5 * SLOW, took)
            check(bed.value('Agent', 'interval')[1] == 'built-in', 'whence?')
            redis.signal(signal.SIGCONT)
            bed.becomes('Agent', 'interval', ('2s', 'CONFIG_DB'))
            redis.kill()
            time.sleep(0.5)
            check(bed.value('Agent', 'interval') == ('2s', 'CONFIG_DB'),
                  'forgot what it knew')
            check(bed.ask('reload')[0] == 0, bed.ask('reload'))
            check(bed.value('Agent', 'interval') == ('2s', 'CONFIG_DB'),
                  'a reload without Redis forgot what it knew')


def cpu_s(pid):
    with open('/proc/%d/stat' % pid, encoding='ascii') as f:
        fields = f.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def test_c15_a_redis_that_went_keeps_nobody_busy():
    """The children have a copy of the socket that the supervisor closed: it
    must not be ready for ever."""
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {'name': 'leaf7'}})
        with Switch(redis, speed=1) as bed:
            bed.serving()
            redis.stop()
            time.sleep(3)
            pids = {role: bed.pid_of(role)
                    for role in ('supervisor', 'core', 'reader', 'sender')}
            before = {role: cpu_s(pid) for role, pid in pids.items()}
            time.sleep(3)
            for role, pid in pids.items():
                took = cpu_s(pid) - before[role]
                check(took < 0.15 * SLOW, role, 'took', took, 's of 3')


def test_c14_a_config_reload_is_waited_for():
    with Redis() as redis:
        redis.load('CONFIG_DB', {**READY, 'PETREL|agent': {
            'interval': '2s'}})
        with Switch(redis) as bed:
            bed.serving()
            check(bed.value('Agent', 'interval')[0] == '2s', 'the row')
            db = redis.client('CONFIG_DB')
            db.ask('FLUSHDB')
            time.sleep(3 / SPEED)   # longer than CONFIG_DB_PERIOD_NS
            check(bed.value('Agent', 'interval') == ('2s', 'CONFIG_DB'),
                  'an empty CONFIG_DB was believed')
            db.ask('HSET', 'PETREL|agent', 'interval', '3s')
            db.ask('SET', 'CONFIG_DB_INITIALIZED', '1')
            bed.becomes('Agent', 'interval', ('3s', 'CONFIG_DB'))
            db.close()


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))

#!/usr/bin/env python3
"""What was: petrel history and petrel record --last, with the agent and
without it, and after it was killed."""
import csv
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import record_reader as reader                          # noqa: E402
from agent import Bed, Haste, check, main, wait_for     # noqa: E402
from folder import OpenFolder                           # noqa: E402

SCENARIO = '''switch name=back-leaf ports=8 speed=400G lanes=4 media=DR4 fec=rs544 seed=3 dom=1s
at 1s Ethernet16 down reason=light
at 1s Ethernet40 down reason=remote
'''
OCTETS = 'Ethernet0', 'if_in_octets'
IF_IN_OCTETS = 0x0100
SPEED = 40      # faster, and the watchdog ends what a busy machine keeps waiting


def ask(bed, *words):
    command = agent.command('petrel', '--socket', bed.socket, *words)
    haste = getattr(bed, 'haste', None)
    return subprocess.run(
        haste.command(command) if haste else command, text=True,
        capture_output=True, check=False, timeout=30 * agent.SLOW)


def history(bed, *words):
    done = ask(bed, 'history', *words, '--json')
    return done.returncode, json.loads(done.stdout)


def check_answers(bed, code):
    """Rates, lanes of a port, the three forms; returns the rows."""
    got, answer = history(bed, *OCTETS)
    rows = answer['history']
    check(got == code and len(rows) >= 2, got, answer)
    check(all(r['rate_milli'] > 0 and r['value'] is None for r in rows), rows)
    check(rows == sorted(rows, key=lambda r: r['time_ns']), rows)
    got, answer = history(bed, 'Ethernet0', 'lane_rx_power_pw')
    check({r['of'] for r in answer['history']} ==
          {'lane %d' % n for n in range(1, 5)}, answer)
    done = ask(bed, 'history', *OCTETS, '--csv')
    table = list(csv.DictReader(done.stdout.splitlines()))
    check(done.returncode == code and table[0]['quantity'] == OCTETS[1] and
          float(table[0]['value']) > 0, done)
    return rows


def check_wrong_words(bed):
    for words, code, told in (
            (('Ethernet0', 'if_in_octet'), 66, 'nearest is if_in_octets'),
            (('Ethernet1', 'if_in_octets'), 66, "'Ethernet1'"),
            (('Ethernet0', 'sensor_temp_mc'), 66, 'sensor'),
            (('Ethernet0', 'if_in_octets:x'), 64, 'colon'),
            ((*OCTETS, '--since', 'x'), 64, '--since'), (('x',), 64, 'usage')):
        done = ask(bed, 'history', *words)
        check(done.returncode == code and told in done.stderr, words, done)
    # A folder that nothing was written into can be given again.
    with OpenFolder(prefix='petrel-back-') as folder:
        for _ in range(2):
            done = ask(bed, 'record', '--last', '1m', '--ports', 'Ethernet1',
                       '-o', folder)
            check(done.returncode == 66 and not os.listdir(folder), done)
    code, answer = history(bed, 'Ethernet0', 'lane_rx_power_pw:9')
    check(code == 0 and answer['notes'] == ['no reading in this time'], answer)


def open_findings(told):
    """Those that are open in the end: where, what and why, with its onset."""
    state = {f['id']: f for f in told}
    return {(f['port'], f['signature'], f['cause_id'], f['end']):
            f['onset_ns'] for f in state.values() if f['state'] != 'cleared'}


def check_trace(bed, live, folder, *options):
    """What was recorded is a trace: replay finds in it what the live agent
    found."""
    out = os.path.join(folder, 'trace%d' % len(options))
    done = ask(bed, 'record', '--last', '5m', *options, '-o', out)
    check(done.returncode == 0, done)
    replay = subprocess.run(
        agent.command('petrel', 'replay', '--ports', out + '/PORTS.ndjson',
                      '--json', out + '/SAMPLES.ndjson'), text=True,
        capture_output=True, check=False, timeout=60 * agent.SLOW)
    check(replay.returncode == 0, replay)
    found = open_findings(map(json.loads, replay.stdout.splitlines()))
    check(found.keys() == live.keys(), found, live)
    check(all(abs(found[k] - live[k]) < 10**9 for k in live), found, live)
    with open(out + '/SAMPLES.ndjson', encoding='utf-8') as f:
        return {json.loads(line).get('serial') for line in f} - {None}


def test_what_was_is_told_with_the_agent_and_without():
    with OpenFolder(prefix='petrel-back-') as folder:
        scenario = os.path.join(folder, 'back.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(SCENARIO)
        with Bed(scenario, interval='200ms', collector=False) as bed:
            bed.agent.start()
            check(wait_for(lambda: len(history(bed, *OCTETS)[1].get(
                'history', ())) > 3, 30), 'no history')
            check(wait_for(lambda: {'Ethernet16', 'Ethernet40'} <= {
                f['port'] for f in bed.json('findings')['findings']}, 30),
                  'no findings')
            live = open_findings(bed.json('findings')['findings'])
            check_answers(bed, 0)
            check_wrong_words(bed)
            bed.agent.stop()
            rows = check_answers(bed, 3)
            _, answer = history(bed, *OCTETS, '--since', '2s')
            check(answer['agent_down']['why'] and answer['history'] and
                  len(answer['history']) <= len(rows), answer)
            plain, hidden = check_trace(bed, live, folder), \
                check_trace(bed, live, folder, '--redact')
            check(plain and hidden and not plain & hidden, plain, hidden)


class FastBed(Bed):
    """Its agent lives SPEED times as fast, and keeps its tiers in a folder of
    its own."""

    def __init__(self, scenario, more=''):
        self.haste = Haste(SPEED)
        super().__init__(scenario, collector=False, haste=self.haste)
        self.tiers = os.path.join(self.dir, 'kept')
        os.mkdir(self.tiers)
        os.chmod(self.tiers, 0o777)     # the agent's user is no root
        self.extra = '[History]\nfolder = %s\n' % self.tiers
        self.write_conf(self.extra + more, collector=False)

    def status(self):
        return self.json('status')['tiers']

    def held(self):
        return self.json('status').get('tiers', {}).get('held_octets', 0)

    def reload(self, more):
        self.write_conf(self.extra + more, collector=False)
        code, out, err = self.ask('reload')
        check(code == 0, out, err)


def file_rows(path):
    """Rows of a file by (name, quantity, end of the span in wall ns), read as
    petrel-record(5) says: mean, least, highest."""
    with open(path, 'rb') as f:
        octets = f.read()
    batches, names = reader.BatchReader(), reader.Dictionary()
    at, rows, offset = 0, {}, None
    while at < len(octets):
        record, length = reader.read_record(octets[at:])
        at += length
        kind = reader.KINDS[record.kind]
        if kind == 'run':
            run = reader.read_told(record)
            offset = run['wall_ns'] - run['mono_ns']
        elif kind == 'dictionary':
            names.take(reader.read_message(record.payload,
                                           reader.DICTIONARY))
        if kind != 'batch':
            continue
        batch = reader.read_told(record)
        for c in batches.read_batch(batch, record.flags & 1 == 1):
            for v in c.values:
                check(v.taken_ns == batch['mono_ns'] and
                      v.window_ns == 60 * 10**9, v)
                key = (names.entities[v.entity]['name'], c.quantity,
                       v.taken_ns + offset)
                rows.setdefault(key, {})[c.source] = v.value
    return {key: (v[0], v[0] - v[1], v[0] + v[2]) for key, v in rows.items()}


def check_rows(bed):
    """What petrel shows of the minutes is what the page reads there."""
    rows = {}
    for name in os.listdir(bed.tiers):
        if name.startswith('minutes-'):
            rows.update(file_rows(os.path.join(bed.tiers, name)))
    _, answer = history(bed, *OCTETS, '--since', '1h')
    check(answer['history_reach']['damage'] is None, answer['history_reach'])
    told = [r for r in answer['history'] if r['span_s'] == 60]
    for r in told:
        found = [v for (name, quantity, end), v in rows.items()
                 if name == OCTETS[0] and quantity == IF_IN_OCTETS and
                 end == r['time_ns']]
        check(found == [(r['rate_milli'], r['rate_min_milli'],
                         r['rate_max_milli'])], r, found)
    return told


def check_damage(bed):
    """A file cut short, one of other octets, an empty one, a link."""
    name = sorted(n for n in os.listdir(bed.tiers) if 'minutes' in n)[0]
    path = os.path.join(bed.tiers, name)
    os.truncate(path, os.path.getsize(path) - 5)
    for second, octets in ((7, b'no records'), (8, b'')):
        with open(os.path.join(bed.tiers, 'minutes-%012d.rec' % second),
                  'wb') as f:
            f.write(octets)
    os.symlink(path, os.path.join(bed.tiers, 'minutes-000000000009.rec'))
    code, answer = history(bed, *OCTETS, '--since', '30000d')
    check(code == 0 and answer['history_reach']['damage'], answer)
    check([r for r in answer['history'] if r['span_s'] == 60],
          answer['history'])


def written_fits(told):
    """All that is held was written today, but for a test over midnight."""
    day = 86400 * 10**9
    begin = told['minutes_ns']
    if begin // day == (begin + 600 * 10**9) // day:
        return told['written_octets'] == told['held_octets']
    return told['written_octets'] <= told['held_octets']


def test_tiers_are_as_the_page_says_and_status_shows_them():
    with OpenFolder(prefix='petrel-back-') as folder:
        scenario = os.path.join(folder, 'back.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(SCENARIO)
        with FastBed(scenario, 'size = 24M\nper_day = 16M\n') as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            held = 0
            for _ in range(3):          # minutes
                check(wait_for(lambda was=held: bed.held() > was, 30),
                      bed.agent.log())
                held = bed.held()
            told = bed.status()
            check(told['folder'] == bed.tiers and not told['fault'] and
                  told['limit_octets'] == 24 << 20 and
                  told['day_limit_octets'] == 16 << 20 and
                  written_fits(told) and
                  told['series'] > 50 and
                  told['minutes_ns'] > 10**18, told)
            bed.reload('size = 24M\nper_day = 16M\ntiers = no\n')
            check(wait_for(lambda: 'tiers = no' in (
                bed.status()['fault'] or ''), 30),
                  bed.status())
            bed.agent.stop()
            for ring in glob.glob(bed.run_dir + '/*.ring'):
                os.unlink(ring)         # as a reboot does
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(check_rows(bed), 'no rows')
            check_damage(bed)


def test_no_folder_is_no_fault_and_is_said():
    with OpenFolder(prefix='petrel-back-') as folder:
        with Bed(None, collector=False, extra='[History]\nfolder = %s/no/x\n'
                 % folder) as bed:
            bed.agent.start()
            check(wait_for(lambda: bed.wait_serving() and bed.json('status')
                           ['tiers']['fault'], 30), bed.agent.log())
            check(bed.json('status')['tiers']['fault'].startswith('off: '),
                  bed.json('status')['tiers'])
            check(bed.json('health', '--agent'), 'no health')


def test_what_was_before_a_restart_is_told_after_it():
    """Entities have other numbers in the records then."""
    def told(bed):
        return [r['time_ns'] for words in (OCTETS, (
            'Ethernet0', 'lane', '2', 'lane_rx_power_pw'))
                for r in history(bed, *words)[1].get('history', ())]

    with Bed(os.path.join(agent.SCENARIOS, 'healthy.scenario'),
             interval='200ms', collector=False) as bed:
        for n in range(3):
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            before = told(bed) if n else []
            check(wait_for(lambda: len(told(bed)) > len(before) + 3, 30),
                  'no history', n)
            bed.agent.stop()
            after = told(bed)
            # Times are told by the newest look at the clock.
            check(all(any(abs(a - b) < 50e6 for a in after) for b in before),
                  n, before, after)
            check(n == 0 or len(before) > 3, n, before)


def test_no_rings_is_no_answer():
    with OpenFolder(prefix='petrel-back-') as folder:
        done = subprocess.run(
            agent.command('petrel', '--socket', folder + '/none', 'history',
                          *OCTETS), text=True, capture_output=True,
            check=False, timeout=30)
        check(done.returncode == 69 and 'findings.ring' in done.stderr, done)


if __name__ == '__main__':
    main(globals())

#!/usr/bin/env python3
"""C8: a finding takes what was around it with it, to the collector."""
import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'support'))
# pylint: disable=wrong-import-position
from agent import (Bed, Haste, check, command,  # noqa: E402
                   free_port, main, program, wait_for)

SPEED = 15
NS = 10**9
SCENARIO = '''switch name=sw1 ports=8 speed=400G lanes=4 media=DR4 seed=7
at %ds Ethernet16 down reason=light
'''
BEGINS_LATE, HAS_HOLE = 1, 2    # enum capsule_missing


class CapsuleBed(Bed):
    """Its link goes down after so many seconds."""

    def __init__(self, fault_s):
        http = '127.0.0.1:%d' % free_port()
        super().__init__(http=http, haste=Haste(SPEED))
        self.http_url = 'http://' + http
        path = os.path.join(self.dir, 'a.scenario')
        with open(path, 'w', encoding='ascii') as f:
            f.write(SCENARIO % fault_s)
        self.scenario = path
        self.write_conf()

    def capsules(self):
        return [r['content'] for r in self.records(stream="findings")
                if r['kind'] == 'capsule']

    def far(self, *args):
        """What the collector answers."""
        return json.loads(subprocess.run(
            command('petrel', '--collector', self.http_url, *args, '--json'),
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=30).stdout)

    def start(self):
        self.collector.start()
        self.agent.start()
        check(self.wait_serving(), self.agent.log())


def series_of(capsule, name):
    return [s for s in capsule['series'] if s['name'] == name]


def rows_of(bed, capsule):
    with contextlib.closing(sqlite3.connect(bed.database)) as db:
        return db.execute('SELECT complete, readings, first, last FROM '
                          'finding_capsules WHERE finding = ? AND entity = ? '
                          'AND quantity = ?', (capsule['id'], 'Ethernet16',
                                               'oper_status')).fetchall()


def check_finding(bed, capsule):
    raised = [r['content'] for r in bed.records(stream='findings')
              if r['kind'] == 'finding' and
              r['content']['id'] == capsule['id']]
    check(raised, 'no finding', capsule['id'])
    check(capsule['when_mono_ns'] == raised[0]['when_mono_ns'],
          capsule['when_mono_ns'], raised[0]['when_mono_ns'])
    check(capsule['to_mono_ns'] - capsule['from_mono_ns'] == 90 * NS)


def check_report(bed, capsule):
    """Its light is drawn, over the time of the capsule."""
    code, page, _ = bed.ask('report', capsule['id'])
    around = page.split('From 60 s before')[1].split('The last minutes')[0]
    check(code == 0 and 'light received, by lane' in around, code, page[:2000])
    check('<path class="c3 curve" d="M' in around, around)


def shown(bed, capsule, locale, columns):
    return subprocess.run(
        command('petrel', '--socket', bed.socket, 'findings', capsule['id']),
        capture_output=True, text=True, check=True,
        env=dict(os.environ, LC_ALL=locale, COLUMNS=columns)).stdout


def check_drawn(bed, capsule):
    """Its state is a line that steps up, in blocks and in ASCII, whole in 72
    columns and in 50; and in JSON."""
    row = [r for r in bed.json('findings', capsule['id'])['capsule'] if
           (r['entity'], r['quantity']) == ('Ethernet16', 'oper_status')][0]
    check(re.fullmatch('[ 0]0{11,13}7{5,7}[ 7]', row['course']), row)
    for locale, line in (('C.UTF-8', '▁{12,14}█{5,8}'), ('C', '_{12,14}#{5,8}')):
        out = shown(bed, capsule, locale, '72')
        check(re.search('^Ethernet16 +oper_stat.*%s ?$' % line, out, re.M),
              locale, out)
        check(max(map(len, out.splitlines())) <= 72, out)
        check(re.search(r'^Ethernet16/lane1 +lane_rx_power +dark +\S+ dBm ',
                        out, re.M), out)
        check(re.search(r'^Ethernet16 +pre_fec_ber +\d\.\de-\d\d ', out, re.M) and
              '-0.0 dB' not in out, out)
    out = shown(bed, capsule, 'C', '50')
    check(re.search('16 +oper.* %s ?$' % line, out, re.M), out)


def check_whole(bed, capsule):
    check(not capsule['missing'], 'missing', capsule['missing'])
    check_finding(bed, capsule)
    rows = wait_for(lambda: rows_of(bed, capsule))
    check(len(rows) == 1 and rows[0][0] == 1, rows)
    check(rows[0][1] > 60 and rows[0][2:] == (1, 2), rows)
    check_report(bed, capsule)
    rows = bed.json('findings', capsule['id'])['capsule']
    check(len(rows) == len(capsule['series']), len(rows))
    status = [r for r in rows if r['entity'] == 'Ethernet16' and
              r['quantity'] == 'oper_status'][0]
    check((status['first'], status['last']) == (1, 2), status)
    check_drawn(bed, capsule)
    far = bed.far('findings', capsule['id'])
    check(far['findings'][0]['switch'] == 'sw1' and
          far['capsule'] == rows, 'at the collector', far)
    _, out, _ = bed.ask('findings', capsule['id'])
    check('AROUND IT' in out and 'if_in_octets' not in out and 'incomplete' not in out, out)
    check(series_of(capsule, 'Ethernet16'),
          {s['name'] for s in capsule['series']})
    check(series_of(capsule, 'Ethernet16/lane1'),
          {s['name'] for s in capsule['series']})
    check(not series_of(capsule, 'Ethernet8'), 'of another port')
    status = [s for s in series_of(capsule, 'Ethernet16')
              if s['quantity'] == 'oper_status'][0]['readings']
    check(len(status) > 60, len(status))
    check(status[0]['value'] == 1 and status[-1]['value'] == 2, status)
    check(status[0]['taken_mono_ns'] - capsule['from_mono_ns'] < 3 * NS,
          status[0], capsule['from_mono_ns'])


def test_finding_has_its_capsule_at_the_collector():
    """A machine that stands still for a fifth of a second makes a hole."""
    for left in 2, 1, 0:
        with CapsuleBed(80) as bed:
            bed.start()
            found = wait_for(bed.capsules, 30)
            check(found, 'no capsule', bed.agent.log())
            if found[0]['missing'] != HAS_HOLE or not left:
                check_whole(bed, found[0])
                return


def test_capsule_cut_short_says_so_and_outlives_the_core():
    with CapsuleBed(10) as bed:
        bed.start()
        check(wait_for(lambda: [r for r in bed.records(stream='findings')
                                if r['kind'] == 'finding'], 30),
              'no finding')
        os.kill(bed.pid_of('core'), 9)
        found = wait_for(bed.capsules, 30)
        check(found, 'no capsule', bed.agent.log())
        check(found[0]['missing'] & BEGINS_LATE, found[0]['missing'])
        check_finding(bed, found[0])
        check_report(bed, found[0])
        time.sleep(10 / SPEED)
        check(len(bed.capsules()) == 1, 'made twice')


main(globals())

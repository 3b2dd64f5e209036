#!/usr/bin/env python3
"""The collector's HTTP: the answers of a switch over all of them, to petrel and
to curl; who may ask; clients that are huge, slow, many or hostile; a switch
that falls silent; two switches of one name."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent  # noqa: E402
from agent import SLOW, Bed, check, main, wait_for  # noqa: E402
from folder import OpenFolder  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
DEMO = os.path.join(ROOT, 'tests/data/scenarios/demo.scenario')
TOKEN = 'a-token-that-nobody-guesses'
# What no simulated switch counts: what is rolled up of it is the test's alone.
PAST, SERIES = 'collisions', 1 << 40


def get(bed, path, *more):
    """Status and body of an answer."""
    run = subprocess.run(['curl', '-sS', '-m', str(20 * SLOW), '-w',
                          '\n%{http_code}', *more, bed.http_url + path],
                         stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, check=False)
    body, _, status = run.stdout.rpartition('\n')
    return int(status or 0), body


def far(bed, *args):
    """petrel's exit status and what it printed."""
    run = subprocess.run(agent.command('petrel', '--collector', bed.http_url,
                                       *args), stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, check=False,
                         timeout=30 * SLOW)
    return run.returncode, run.stdout, run.stderr


def far_json(bed, *args):
    return json.loads(far(bed, *args, '--json')[1])


class HttpBed(Bed):
    def __init__(self, more='', **keys):
        port = agent.free_port()
        super().__init__(DEMO, interval='200ms',
                         http='127.0.0.1:%d\n%s' % (port, more), **keys)
        self.http_port = port
        self.http_url = 'http://127.0.0.1:%d' % port

    def begin(self):
        self.collector.start()
        self.agent.start()
        check(wait_for(lambda: get(self, '/readyz')[0] == 200, 15 * SLOW),
              'ready', self.collector.log())
        check(wait_for(lambda: len(far_json(self, 'ports').get('ports', []))
                       == 64, 20 * SLOW), 'ports')
        return self


def silent_after(bed, span):
    """Before its collector is started."""
    with open(bed.collector_conf, encoding='ascii') as f:
        text = f.read()
    with open(bed.collector_conf, 'w', encoding='ascii') as f:
        f.write(text.replace('[HTTP]', 'silent_after = %s\n[HTTP]' % span))


BEDS = []


def shared():
    """One that several tests ask, and leave as it is."""
    if not BEDS:
        BEDS.append(HttpBed().begin())
    return BEDS[0]


def test_http_answers_as_the_switch_does():
    bed = shared()
    here = bed.json('modules')['modules']
    there = far_json(bed, 'modules')['modules']
    check(len(here) == len(there), 'rows', there)
    for a, b in zip(here, there):
        check(b.pop('switch') == 'sw1' and b.pop('switch_id'), 'switch', b)
        # An age of 0 is not told.
        members = [[k for k in row if not k.endswith('_age_s')]
                   for row in (a, b)]
        check(members[0] == members[1], 'members', members)
        for key in ('serial', 'vendor', 'part', 'ports'):
            check(a[key] == b[key], key, (a, b))
    text = far(bed, 'ports', '--top', '2', '--sort', '-util')[1]
    check(text.startswith('SWITCH  PORT'), 'heading', text)
    check(text.count('\nsw1 ') == 2, 'top', text)
    # why there is nothing is told, of all switches as of one
    for which in ((), ('--switch', 'sw1')):
        said = far(bed, *which, 'changes', 'Ethernet504')
        check(said[0] == 0 and said[1].startswith('none\n'), which, said)
    one = far_json(bed, '--switch', 'sw1', 'port', 'Ethernet0')
    check(one['switch'] == 'sw1' and one['port']['port'] == 'Ethernet0',
          'one switch', one)
    check(wait_for(lambda: far_json(bed, 'findings')['findings'],
                   20 * SLOW), 'findings')
    rows = far_json(bed, 'findings')['findings']
    mine = {f['id']: f for f in bed.json('findings')['findings']}
    for f in rows:
        check(f['switch'] == 'sw1', 'finding', f)
    check(any(f['id'] in mine for f in rows), 'ids', (rows, mine))
    code, out, _ = far(bed, 'findings', rows[0]['id'][:6])
    check(code == 0 and rows[0]['id'] in out, 'by id', out)
    copies = "FROM findings WHERE id = '%s'" % rows[0]['id']
    with contextlib.closing(sqlite3.connect(bed.database, timeout=10)) as db:
        db.execute("INSERT INTO findings SELECT switch, 'copy', subject, "
                   "signature, severity, 'open', onset_wall_ns, when_wall_ns, "
                   "content, record " + copies)
        db.commit()
        code, _, err = far(bed, 'findings', rows[0]['id'][:6])
        check(code == 66 and 'of 2 findings' in err, 'several', (code, err))
        db.execute("DELETE FROM findings WHERE id = 'copy'")
        db.commit()


def test_http_tells_what_is_old_and_what_ended():
    """No record says that a value is not read any more, or that the link is
    down and has no margin: the switch shows both."""
    with OpenFolder(prefix='petrel-') as folder:
        scenario = os.path.join(folder, 'old.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write('switch ports=3\nat 40s Ethernet8 missing\n'
                    'at 40s Ethernet16 down reason=light\n')
        port = agent.free_port()
        with Bed(scenario, http='127.0.0.1:%d\n' % port,
                 haste=agent.Haste(20)) as bed:
            bed.http_url = 'http://127.0.0.1:%d' % port
            bed.collector.start()
            bed.agent.start()

            def row(n):
                rows = far_json(bed, 'ports').get('ports', [])
                return rows[n] if len(rows) == 3 else {}

            check(wait_for(lambda: row(2).get('margin_db'), 20 * SLOW),
                  'margin', row(2), bed.agent.log())
            check(wait_for(lambda: row(1).get('util_quality') == 'stale',
                           30 * SLOW), 'stale', row(1))
            old = [k for k, v in row(0).items() if v == 'stale']
            check(not old, 'not old', old)
            down = row(2)
            check(down['st'] == 'dn' and down['margin_db'] is None and
                  down['pre_fec_ber'] is None, 'no margin', down)


def past_write(bed, now):
    """Three minutes, of which one is missing, and two events. No quarter of an
    hour is made: one that ended just now would not have these minutes."""
    with contextlib.closing(sqlite3.connect(
            bed.database.replace('.db', '-rollups.db'), timeout=10)) as db:
        of = db.execute('SELECT id FROM switches').fetchone()[0]
        db.execute('CREATE TRIGGER no_quarter BEFORE INSERT ON quarters '
                   'BEGIN SELECT RAISE(IGNORE); END')
        db.execute('DELETE FROM quarters')
        db.execute('INSERT INTO series VALUES (?, ?, '
                   '"Ethernet0", ?, 0, "frames", 1)', (of, SERIES, PAST))
        for n in (1, 3, 4):
            db.execute('INSERT INTO minutes VALUES (?, ?, ?, ?, 0, 9000, '
                       '8000, 60, 0)', (now // 60 * 60 - 60 * n, of, SERIES,
                                        n * 1000))
        db.commit()
    with contextlib.closing(sqlite3.connect(bed.database, timeout=10)) as db:
        run, mono, wall = db.execute('SELECT id, mono_ns, wall_ns FROM runs '
                                     'WHERE mono_ns > 0').fetchone()
        for n, (what, port) in enumerate((('link_down', 'Ethernet8'),
                                          ('link_up', 'Ethernet8'))):
            db.execute('INSERT INTO events VALUES (?, ?, 5, ?, 0, ?, "", ?)',
                       (run, 10 ** 9 + n, what,
                        mono + int(now * 1e9) - wall - (2 - n) * 10 ** 9,
                        port))
        db.commit()


def test_http_tells_what_was():
    bed = shared()
    now = int(time.time())

    def has_roll_ups():
        with contextlib.closing(sqlite3.connect(
                bed.database.replace('.db', '-rollups.db'))) as db:
            return db.execute('SELECT id FROM switches').fetchone()

    check(wait_for(has_roll_ups, 20 * SLOW), 'roll-ups', bed.collector.log())
    past_write(bed, now)
    check(wait_for(lambda: far_json(bed, 'history', 'Ethernet0', PAST,
                                    '--since', '10m')['history'], 20 * SLOW),
          'no history', bed.collector.log())
    for words in (('Ethernet0', PAST),
                  ('sw1', 'Ethernet0', PAST)):
        answer = far_json(bed, 'history', *words, '--since', '10m')
        rows = answer['history']
        check([r['rate_milli'] for r in rows] == [4000, 3000, 1000], 'rates',
              rows)
        check(rows[0]['rate_max_milli'] == 9000 and rows[0]['span_s'] == 60 and
              rows[0]['of'] == 'Ethernet0', 'row', rows[0])
    late = far_json(bed, 'history', 'Ethernet0', PAST,
                    '--since', '150s')['history']
    check([r['time'] for r in late] == [rows[2]['time']] and
          late[0]['switch'] == 'sw1', 'since', late)
    text = far(bed, 'history', 'Ethernet0', PAST)[1]
    check(text.startswith('SWITCH  TIME'), 'heading', text)
    limited = json.loads(get(bed, '/api/v1/history?arg=Ethernet0&'
                             'arg=%s&limit=2' % PAST)[1])['history']
    check([r['rate_milli'] for r in limited] == [3000, 1000], 'the newest',
          limited)
    for verb in ('events', 'changes'):
        rows = far_json(bed, verb, 'Ethernet8', '--since', '1m')[verb]
        check([(r['switch'], r['entity'], r['event']) for r in rows] ==
              [('sw1', 'Ethernet8', 'link_down'),
               ('sw1', 'Ethernet8', 'link_up')], verb, rows)
    check(len(json.loads(get(bed, '/api/v1/events?limit=1')[1])['events']) ==
          1, 'limit of events')
    for args, code, words in (
            (('history', 'Ethernet0', 'no_such'), 66, 'no quantity'),
            (('history', 'Ethernet9999', 'oper_status'), 66, 'Ethernet9999'),
            (('history', 'Ethernet0', PAST, '--csv'), 64,
             '--json')):
        got, _, err = far(bed, *args)
        check(got == code and words in err, args, (got, err))
    check(get(bed, '/api/v1/history?arg=Ethernet0')[0] == 400, 'one word')
    check(get(bed, '/api/v1/events?limit=many')[0] == 400, 'limit')


def test_http_metrics_are_clean_and_all_that_the_rules_ask_for():
    bed = shared()
    check(wait_for(lambda: 'petrel_switch_up{switch="sw1"} 1' in
                   get(bed, '/metrics')[1], 10 * SLOW), 'up')
    text = get(bed, '/metrics')[1]
    names = {line.split('{')[0].split(' ')[0] for line in text.splitlines()
             if line and line[0] != '#'}
    check({'petrel_switch_up', 'petrel_switch_last_record_timestamp_seconds',
           'petrel_agent_info', 'petrel_signature_ports', 'petrel_spool_bytes',
           'petrel_gap_records_total', 'petrel_sink_lag_seconds'} <= names,
          'names', names)
    with open(os.path.join(ROOT, 'packaging/prometheus/petrel.rules.yml'),
              encoding='utf-8') as f:
        asked = set(re.findall(r'\bpetrel_\w+', f.read()))
    asked -= {'petrel_source_fresh',    # by remote write
              'petrel_source_supported'}        # an agent's
    check(asked and asked <= names, 'of the rules', asked - names)
    page = ''
    for name in ('petrel-metrics.7', 'petrel-collector.8'):
        with open(os.path.join(ROOT, 'packaging/man', name),
                  encoding='utf-8') as f:
            page += f.read()
    untold = names - set(re.findall(r'\bpetrel_\w+', page))
    check(not untold, 'in no manual', untold)
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    run = subprocess.run(['promtool', 'check', 'metrics'], input=text + '\n',
                         capture_output=True, text=True, check=False)
    check(run.returncode == 0 and not run.stdout + run.stderr, 'promtool',
          run)
    return None


def test_http_says_what_is_wrong():
    bed = shared()
    for args, code, words in (
            (('--switch', 'nope', 'ports'), 66, "no switch 'nope'"),
            (('port', 'Ethernet0'), 64, '--switch NAME'),
            (('ports', 'Ethernet9999'), 66, 'Ethernet9999'),
            (('ports', '--sort', 'nocolumn'), 64, 'no column'),
            (('findings', 'zzzz'), 66, 'no open finding'),
            (('status',), 64, 'not an option'),
            (('--switch', 'sw1', '--socket', 'x', 'ports'), 64,
             'excludes --socket')):
        got, _, err = far(bed, *args)
        check(got == code and words in err, args, (got, err))
    for path, status in (('/api/v1/ports?top=0', 400),
                         ('/api/v1/reload', 400), ('/api/v1/', 400),
                         ('/api/v1/ports?switch=nope', 404),
                         ('/nowhere', 404), ('/api/v1/port', 400),
                         ('/api/v1/ports?since=yesterday', 400),
                         ('/api/v1/ports?swich=nope', 400),
                         ('/api/v1/ports?switch=sw1&switch=sw2', 400),
                         ('/api/v1/queues?all=true', 400)):
        got = get(bed, path)
        check(got[0] == status, path, got)
        if status == 400:
            told = json.loads(got[1])
            check(told['error'] and told['time'] > '2', path, told)
    # In the address of a request: blanks, quotes, controls.
    got = get(bed, '/api/v1/findings?arg=%22%0a%1b%5b31m')
    check(got[0] == 404 and '\x1b' not in got[1], 'controls', got)
    got = get(bed, '/api/v1/ports?switch=%00x')     # not all switches
    check(got[0] == 400 and '%00' in got[1], 'a zero octet', got)
    with HttpBed() as nobody:       # not begun
        got, _, err = far(nobody, 'ports')
        check(got == 69 and nobody.http_url in err, 'nobody', (got, err))
        nobody.http_url = 'ftp://127.0.0.1'
        check(far(nobody, 'ports')[0] == 64, 'scheme')


def test_http_needs_its_token():
    with HttpBed() as bed:
        path = os.path.join(bed.dir, 'token')
        with open(path, 'w', encoding='ascii') as f:
            f.write(TOKEN + '\n')
        with open(bed.collector_conf, 'a', encoding='ascii') as f:
            f.write('token_file = %s\n' % path)
        bed.collector.start()
        check(wait_for(lambda: get(bed, '/healthz')[0] == 200, 15 * SLOW),
              'open page', bed.collector.log())
        check(get(bed, '/api/v1/switches')[0] == 401, 'no token')
        code, _, err = far(bed, 'switches')
        check(code == 77 and 'token' in err, 'petrel without', (code, err))
        code, _, err = far(bed, 'switches', '--token-file', path + '.no')
        check(code == 66 and path + '.no' in err, 'no such file', code, err)
        code, out, err = far(bed, 'switches', '--token-file', path)
        check(code == 0, 'petrel with it', (code, out, err))
        with open(path, 'w', encoding='ascii') as f:
            f.write('x' + TOKEN + '\n')
        bed.collector.tell(1)
        check(wait_for(lambda: get(bed, '/api/v1/switches', '-H',
                                   'Authorization: Bearer x' + TOKEN)[0] ==
                       200, 15 * SLOW), 'reloaded', bed.collector.log())
        check(get(bed, '/api/v1/switches', '-H', 'Authorization: Bearer ' +
                  TOKEN)[0] == 401, 'the former one')


def test_http_speaks_tls():
    with HttpBed() as bed:
        pair = [os.path.join(bed.dir, n) for n in ('cert.pem', 'key.pem')]
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048',
                        '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1',
                        '-addext', 'subjectAltName=IP:127.0.0.1', '-out',
                        pair[0], '-keyout', pair[1]], check=True,
                       stderr=subprocess.DEVNULL)
        with open(bed.collector_conf, 'a', encoding='ascii') as f:
            f.write('cert_file = %s\nkey_file = %s\n' % tuple(pair))
        bed.collector.start()
        bed.http_url = bed.http_url.replace('http:', 'https:')
        check(wait_for(lambda: get(bed, '/healthz', '--cacert', pair[0])[0] ==
                       200, 15 * SLOW), 'curl', bed.collector.log())
        check(far(bed, 'switches')[0] == 69, 'an unknown authority')
        os.environ['CURL_CA_BUNDLE'] = pair[0]
        try:
            code, out, err = far(bed, 'switches')
        finally:
            del os.environ['CURL_CA_BUNDLE']
        check(code == 0, 'petrel', (code, out, err))


def test_http_outlives_hostile_clients():
    """Each kind at once; records and answers go on."""
    bed = shared()
    held = []

    def client(octets):
        s = socket.create_connection(('127.0.0.1', bed.http_port))
        s.settimeout(20 * SLOW)
        try:
            s.sendall(octets)
        except OSError:
            pass            # it had enough
        held.append(s)
        return s

    huge = client(b'GET /healthz HTTP/1.1\r\nX: ' + b'a' * (1 << 20))
    client(b'GET /api/v1/' + b'a' * 20000 + b' HTTP/1.1\r\nHost: x\r\n\r\n')
    client(b'GET /healthz HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n')
    client(b'\0\xff\xfe' * 1000 + b'\r\n\r\n')
    client(b'POST /api/v1/ports HTTP/1.1\r\nHost: x\r\n'
           b'Content-Length: 4\r\n\r\nbody')
    client(b'GET /api/v1/ports?' + b'arg=x&' * 3000 +
           b' HTTP/1.1\r\nHost: x\r\n\r\n')
    for _ in range(40):
        client(b'GET /healthz HTTP/1.1\r\nHos')     # and no more
    try:
        while huge.recv(65536):
            pass
    except OSError:
        pass                # reset: as good
    before = max(r['sequence'] for r in bed.records(stream='states') +
                 [{'sequence': 0}])
    # The address has its share of connections: others would be served.
    for s in held[10:]:
        s.close()
    check(wait_for(lambda: get(bed, '/healthz')[0] == 200, 15 * SLOW),
          'served', bed.collector.log())
    check(far(bed, 'ports')[0] == 0, 'answers')
    check(bed.collector.is_running() and before >= 0, 'alive',
          bed.collector.log())
    for s in held:
        s.close()


def test_http_shows_a_silent_switch():
    """Raised once, cleared once: in print, in the database, in answers; a
    restart of the collector between the two changes nothing."""
    with HttpBed(extra='heartbeat = 200ms\n') as bed:
        silent_after(bed, '1s')
        bed.begin()
        check(wait_for(lambda: far_json(bed)['switches'][0]['state'] == 'up',
                       10 * SLOW), 'up')
        row = far_json(bed)['switches'][0]
        check(row['heard_s'] is not None and row['run'], 'heard', row)
        bed.agent.stop()

        def silent():
            return [f for f in far_json(bed, 'findings')['findings']
                    if f['signature'] == 'switch_silent']

        check(wait_for(silent, 20 * SLOW), 'raised', bed.collector.log())
        one = silent()[0]
        check(one['switch'] == 'sw1' and one['subject_kind'] == 'switch' and
              one['severity'] == 'warn', 'finding', one)
        row = far_json(bed)['switches'][0]
        check(row['state'] == 'silent', 'silent', row)
        out = far(bed, 'ports', '--top', '1')[1]
        check('petrel switches' in out, 'note', out)
        bed.collector.stop()
        bed.collector.start()
        check(wait_for(lambda: get(bed, '/readyz')[0] == 200 and silent(),
                       20 * SLOW), 'open still')
        # past silent_after: judged again
        check(wait_for(lambda: far_json(bed)['switches'][0]['state'] ==
                       'silent', 20 * SLOW), 'silent still')
        check([f['id'] for f in silent()] == [one['id']], 'the same', silent())
        bed.agent.start()
        check(wait_for(lambda: not silent(), 20 * SLOW), 'cleared',
              bed.collector.log())
        said = [r for r in bed.records(stream='findings')
                if r['content'].get('signature_name',
                                    r['content'].get('signature')) in
                ('switch_silent', 24)]
        check(len(said) == 2, 'in print', said)


def test_no_switch_is_silent_to_a_collector_that_stood_still():
    """As when its machine is paused, or has no memory left."""
    with HttpBed(extra='heartbeat = 200ms\n') as bed:
        silent_after(bed, '1s')
        bed.begin()
        bed.collector.child.send_signal(signal.SIGSTOP)
        time.sleep(4)
        bed.collector.child.send_signal(signal.SIGCONT)
        check(wait_for(lambda: far_json(bed)['switches'][0]['state'] == 'up',
                       10 * SLOW), 'up', bed.collector.log())
        time.sleep(2)
        check('raised' not in bed.collector.log(), bed.collector.log())


def samples_of(text, names):
    """(metric, labels but for the switch's name and id) of each sample."""
    return {(name, frozenset((k, v) for k, v in re.findall(
        r'(\w+)="([^"]*)"', labels) if k not in ('switch', 'switch_id')))
            for name, labels in re.findall(r'^(\w+){(.*)} \S+$', text, re.M)
            if name in names}


def test_http_metrics_are_called_as_those_of_the_switch():
    """Identities and findings, label by label."""
    bed = shared()
    names = {'petrel_switch_info', 'petrel_port_info', 'petrel_module_info',
             'petrel_finding_active', 'petrel_finding_confidence_ratio',
             'petrel_finding_onset_timestamp_seconds'}

    def sides():
        return [samples_of(text, names) for text in
                (bed.ask('metrics', '--profile', 'all')[1],
                 get(bed, '/metrics')[1])]

    def agree():
        here, there = sides()
        return here == there and {name for name, _ in here} == names

    if not wait_for(agree, 40 * SLOW):
        here, there = sides()
        check(False, 'differ', here - there, there - here)


def last_record_s(bed):
    for line in get(bed, '/metrics')[1].splitlines():
        if line.startswith('petrel_switch_last_record_timestamp_seconds{'):
            return float(line.split()[-1])
    return None


def test_http_knows_when_a_switch_was_seen_when_it_was_killed():
    """The collector: it keeps the times each ten seconds."""
    with HttpBed() as bed:
        bed.begin()
        bed.agent.stop()
        time.sleep(1)
        seen = last_record_s(bed)

        def kept_s():
            with contextlib.closing(sqlite3.connect(bed.database,
                                                    timeout=10)) as db:
                rows = db.execute('SELECT record_wall_ns FROM seen').fetchall()
            return rows[0][0] / 1e9 if rows else 0

        check(wait_for(lambda: kept_s() >= seen - 0.1, 20 * SLOW), 'kept')
        bed.collector.kill()
        bed.collector.start()
        check(wait_for(lambda: last_record_s(bed), 10 * SLOW), 'known again',
              bed.collector.log())
        check(abs(last_record_s(bed) - seen) < 0.1, 'the same', seen)


def test_http_knows_when_a_silent_switch_was_seen_before_the_start():
    """In answers, in metrics, and as the onset of the finding."""
    with HttpBed(extra='heartbeat = 200ms\n') as bed:
        silent_after(bed, '5s')
        bed.begin()

        check(wait_for(lambda: last_record_s(bed), 10 * SLOW), 'recorded')
        bed.agent.stop()
        gone = time.time()
        time.sleep(3)
        seen = last_record_s(bed)
        bed.collector.stop()
        bed.collector.start()
        check(wait_for(lambda: last_record_s(bed), 10 * SLOW), 'known again',
              bed.collector.log())
        check(abs(last_record_s(bed) - seen) < 0.1, 'the same', seen)
        ago = int(time.time() - gone) - 1
        row = far_json(bed)['switches'][0]
        check(row['heard_s'] >= ago and row['record_s'] >= ago, 'ages', row,
              ago)
        check(wait_for(lambda: far_json(bed, 'ports').get('ports'), 10 * SLOW),
              'values again', bed.collector.log())
        row = far_json(bed, 'ports')['ports'][0]
        check(row['st_age_s'] >= ago, 'age of a value', row, ago)

        def silent():
            return [f for f in far_json(bed, 'findings')['findings']
                    if f['signature'] == 'switch_silent']

        check(wait_for(silent, 20 * SLOW), 'raised', bed.collector.log())
        onset = silent()[0]['onset_ns'] / 1e9
        check(abs(onset - gone) < 1.5, 'onset', onset, gone)


def signature_ports(bed):
    """No label says a switch: what each of them reports is added up."""
    return sum(int(n) for n in re.findall(
        r'^petrel_signature_ports\{signature="link_down",'
        r'state="\w+"\} (\d+)$', get(bed, '/metrics')[1], re.M))


def test_http_tells_two_of_one_name_apart():
    bed = shared()
    with Bed(DEMO, interval='200ms', url=bed.url) as other:
        other.scenario = os.path.join(other.dir, 'other.scenario')
        with open(DEMO, encoding='utf-8') as f:
            text = f.read().replace('sim-leaf01', 'sim-leaf02')
        with open(other.scenario, 'w', encoding='utf-8') as f:
            f.write(text)
        other.write_conf()
        try:
            other.agent.start()
            check(wait_for(lambda: len(far_json(bed)['switches']) == 2,
                           20 * SLOW), 'both', far(bed))
            names = [s['switch'] for s in far_json(bed)['switches']]
            check(len(set(names)) == 2 and
                  all(n.startswith('sw1/') for n in names), 'names', names)
            code, _, err = far(bed, '--switch', 'sw1', 'ports')
            check(code == 66 and '2 switches are named sw1' in err, 'which',
                  err)
            code, out, err = far(bed, '--switch', names[1].split('/')[1],
                                 'ports')
            check(code == 0, 'by id', err)
            rows = far_json(bed, 'ports')['ports']
            check(wait_for(lambda: signature_ports(bed) == len(rows),
                           20 * SLOW), signature_ports(bed), len(rows))
        finally:
            other.agent.stop()


if __name__ == '__main__':
    try:
        main(dict(globals()))
    finally:
        for one in BEDS:
            one.close()

#!/usr/bin/env python3
"""C11 end to end: petreld to petrel-collector, over TCP, sealed."""
import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import sealing                                          # noqa: E402
from agent import check, free_port, wait_for            # noqa: E402
from fake_engine import FakeEngine                      # noqa: E402
from frames import DATA, HELLO, REFUSED, UNKNOWN, Peer, envelope  # noqa: E402


def start(bed):
    """Both; returns the switch's id."""
    bed.collector.start()
    bed.agent.start()
    check(bed.wait_serving(), bed.agent.log())
    return bed.json('status')['agent']['switch_id']


def counts(bed):
    """The last line of counts."""
    before = bed.collector.log().count(': runs=')
    bed.collector.tell(10)
    wait_for(lambda: bed.collector.log().count(': runs=') > before)
    line = bed.collector.log().rsplit(': runs=', 1)[-1].split('\n', 1)[0]
    return {k: int(v) for k, v in re.findall(r'(\w+)=(\d+)', line)}


def test_c11_keys_of_a_switch_come_and_go():
    """Unknown, authorised, revoked, another switch's, two at once; and not a
    record is lost over all of it."""
    with sealing.SealedBed() as bed:
        switch = start(bed)
        row = bed.wait_refused('this key is not authorised')
        check(row['own_key'] == bed.own_key and not row['sealed'], row)
        check(row['collector_key'] == bed.collector_key, row)
        check('key=%s refused: this key is not' % bed.own_key in
              bed.collector.log(), bed.collector.log())
        check(not bed.records(), 'something was taken')
        bed.authorize('%s not-%s' % (bed.own_key, switch))
        bed.ask_again()
        bed.wait_refused('the key belongs to another switch')
        bed.authorize('# sw1', '%s %s' % (bed.own_key, switch))
        bed.ask_again()
        bed.wait_sealed()
        bed.wait_more()
        bed.authorize()
        bed.wait_refused('this key is not authorised')
        bed.authorize('%s %s' % (bed.own_key, switch))
        bed.ask_again()
        bed.wait_sealed()
        own = bed.own_key
        os.unlink(bed.switch_key)
        bed.own_key = sealing.keygen(bed.switch_key)
        bed.authorize('%s %s' % (own, switch),
                      '%s %s' % (bed.own_key, switch))
        bed.wait_more()         # the session goes on
        bed.reload_agent()
        check(bed.wait_status(lambda c: c['own_key'] == bed.own_key and
                              c['connected']))
        bed.authorize('%s %s' % (bed.own_key, switch))
        bed.wait_more()
        bed.check_whole()


def test_switch_that_is_taken_off_the_list_is_silent_no_more():
    with sealing.SealedBed() as bed:
        with open(bed.collector_conf, encoding='utf-8') as f:
            text = f.read()
        sealing.write(bed.collector_conf,
                      text.replace('[HTTP]', 'silent_after = 2s\n[HTTP]'))
        switch = start(bed)
        line = '%s %s' % (bed.own_key, switch)
        bed.authorize(line)
        bed.ask_again()
        bed.wait_more()
        bed.agent.stop()

        def causes():
            return [r['content']['cause'] for r in bed.records(
                stream='findings') if r['content'].get('subject') == 'sw1']

        check(agent.wait_for(lambda: 'switch is not heard' in
                             (causes() or [''])[-1], 20), bed.collector.log())
        bed.authorize('# ' + line)
        check(agent.wait_for(lambda: 'switch is no longer expected' in
                             causes()[-1], 20), bed.collector.log())


def test_switch_that_is_taken_off_the_list_has_no_findings():
    """Nor metrics; and they come back with the switch."""
    with FakeEngine(lambda *_: (200, '')) as fake, \
            sealing.SealedBed() as bed:
        http = free_port()
        text = sealing.read(bed.collector_conf).replace('[HTTP]\nlisten =',
                                                        'silent_after = 2s')
        bed.scenario = bed.dir + '/down.scenario'
        sealing.write(bed.scenario, 'switch name=sw1 ports=4 speed=400G '
                      'lanes=4 media=DR4 fec=rs544 seed=7\n'
                      'at 3s Ethernet8 down reason=remote\n', 0o644)
        bed.configure()
        sealing.write(bed.collector_conf, text +
                      '[HTTP]\nlisten = 127.0.0.1:%d\n'
                      '[Alertmanager]\nurl = %s\n' % (http, fake.url))
        switch = start(bed)
        line = '%s %s' % (bed.own_key, switch)
        bed.authorize(line)
        bed.ask_again()
        bed.wait_more()

        def opened():
            with contextlib.closing(sqlite3.connect(bed.database)) as db:
                return {row[0] for row in db.execute(
                    'SELECT id FROM open_findings')}

        def metrics():
            with urllib.request.urlopen(
                    'http://127.0.0.1:%d/metrics' % http) as page:
                return page.read().decode('utf-8')

        def ended():
            alerts = [a for _, _, body in fake.posts for a in json.loads(body)]
            return {a['labels']['finding_id'] for a in alerts
                    if a['endsAt'] <= time.strftime(
                        '%Y-%m-%dT%H:%M:%S', time.gmtime(time.time() + 5))}

        found = wait_for(opened, 40)
        check(found and 'petrel_finding_active{switch="sw1"' in metrics(),
              found, bed.collector.log())
        bed.authorize('# ' + line)
        check(wait_for(lambda: not opened(), 20), opened(),
              bed.collector.log())
        check(wait_for(lambda: 'switch="sw1"' not in metrics(), 10),
              metrics())
        check(wait_for(lambda: found <= ended(), 10), found, ended())
        causes = [r['content']['cause'] for r in bed.records(stream='findings')
                  if r['content'].get('id') in found]
        check(causes[-1] == 'the switch is no longer expected', causes)
        bed.authorize(line)
        bed.ask_again()
        check(wait_for(lambda: found & opened(), 20), found, opened())


def test_c11_keys_of_the_collector_change():
    with sealing.SealedBed() as bed:
        bed.authorize()
        switch = start(bed)
        bed.authorize('%s %s' % (bed.own_key, switch))
        bed.wait_sealed()
        old = sealing.read(bed.key_file)
        new = sealing.keygen(bed.key_file + '.new')
        sealing.write(bed.key_file, sealing.read(bed.key_file + '.new') + old)
        bed.reload_collector()
        out = subprocess.run(
            agent.command('petrel-collector', '--config', bed.collector_conf,
                          '--key'), check=True, capture_output=True,
            text=True).stdout.split()
        check(out == [new, bed.collector_key], out)
        bed.wait_more()
        bed.collector_key = new
        bed.configure()
        bed.reload_agent()
        check(bed.wait_sealed()['collector_key'] == new)
        sealing.write(bed.key_file, sealing.read(bed.key_file + '.new'))
        bed.reload_collector()
        bed.wait_more()
        bed.check_whole()
        bed.collector_key = sealing.keygen(os.path.join(bed.dir, 'other'))
        bed.configure()
        bed.reload_agent()
        bed.wait_refused('for the key of another collector')


def enrol(bed, switch):
    run = subprocess.run(
        agent.command('petrel-collector', '--config', bed.collector_conf,
                      '--enrol', switch, '--for', '1h'), check=True,
        capture_output=True, text=True)
    return run.stdout


def test_c11_a_token_enrols_once():
    with sealing.SealedBed() as bed:
        switch = start(bed)
        bed.wait_refused('not authorised')
        token = os.path.join(bed.dir, 'token')
        sealing.write(token, enrol(bed, switch))
        sealing.hand_over(token)
        bed.configure(token_file=token)
        bed.reload_agent()
        bed.wait_sealed()
        check(sealing.read(bed.list) == '%s %s\n' % (bed.own_key, switch),
              sealing.read(bed.list))
        check(not os.listdir(bed.enrolment), 'the token is still there')
        bed.wait_more()
        os.unlink(bed.switch_key)       # somebody else, with the same token
        sealing.keygen(bed.switch_key)
        bed.reload_agent()
        bed.wait_refused('this token was used before, or never issued')
        check(sealing.read(bed.list).count('\n') == 1, 'enrolled twice')


def test_c11_nothing_is_read_changed_or_said_again_on_the_wire():
    port = free_port()
    with sealing.SealedBed(name='quite-a-name') as bed:
        wire = sealing.Wire(port, int(bed.url.rsplit(':', 1)[1]))
        try:
            bed.configure(to='tcp://127.0.0.1:%d' % port)
            switch = start(bed)
            bed.authorize('%s %s' % (bed.own_key, switch))
            bed.reload_agent()
            bed.wait_sealed()
            bed.wait_more()
            for word in (b'quite-a-name', switch.encode(), b'Ethernet'):
                check(word not in wire.said, word, 'was on the wire')
            had = counts(bed)
            again = Peer(wire.to)       # all that was said
            again.socket.sendall(bytes(wire.said)[8:])
            check(wait_for(lambda: counts(bed)['handshakes'] >
                           had['handshakes']), counts(bed))
            check(wait_for(lambda: counts(bed)['damaged'] > had['damaged']),
                  counts(bed))
            again.socket.close()
            wire.change = lambda d: d[:-1] + bytes([d[-1] ^ 1])
            check(wait_for(lambda: counts(bed)['damaged'] >
                           had['damaged'] + 3, 30), counts(bed))
            wire.change = None
            bed.wait_more()
            bed.check_whole()
            check(counts(bed)['repeats'] <= counts(bed)['records'])
        finally:
            wire.end()




def test_c11_nobody_speaks_for_a_switch_with_a_key():
    with sealing.SealedBed(takes_clear=True) as bed:
        switch = start(bed)
        bed.authorize('%s %s' % (bed.own_key, switch))
        bed.wait_sealed()
        rogue = Peer(int(bed.url.rsplit(':', 1)[1]))
        for name, claims in ((b'rogue', switch.encode()),
                             (switch.encode(), b'SN-rogue')):
            kind, _, body = rogue.hello(name=name, switch_id=claims)
            check(kind == REFUSED and b'must seal its frames' in body, body)
        kind, session, _ = rogue.hello()        # its own name is free
        check(kind != REFUSED and session, kind)
        rogue.socket.close()
        bed.wait_more()
        bed.check_whole(switch)


def test_c11_a_collector_may_take_sealed_frames_alone():
    with sealing.SealedBed() as bed:
        bed.collector.start()
        port = int(bed.url.rsplit(':', 1)[1])
        check(wait_for(lambda: 'listen=' in bed.collector.log()),
              bed.collector.log())
        rogue = Peer(port)
        kind, _, body = rogue.hello()
        check(kind == REFUSED and b'only sealed frames' in body, kind, body)
        for frame in (envelope(DATA, 5, b'x' * 40), envelope(HELLO, 0, b'')):
            kind, _, body = rogue.ask(frame)
            check(kind == REFUSED, kind, body)
        sealed = bytearray(envelope(DATA, 5, b'x' * 40))
        sealed[4] = 4
        kind, session, _ = rogue.ask(bytes(sealed))
        check((kind, session) == (UNKNOWN, 5), kind, session)
        check(not bed.records(), 'something was taken')
        rogue.socket.close()


def test_c11_each_collector_has_its_own_key():
    with sealing.SealedBed() as bed:
        url = 'tcp://127.0.0.1:%d' % free_port()
        conf = os.path.join(bed.dir, 'second.conf')
        key_file = os.path.join(bed.dir, 'second.key')
        key = sealing.keygen(key_file)
        text = sealing.read(bed.collector_conf)
        for was, now in ((bed.url, url), (bed.key_file, key_file),
                         (bed.spool, bed.spool + '2'),
                         (bed.database, bed.database + '2')):
            text = text.replace(was, now)
        sealing.write(conf, text)
        second = agent.Process(
            agent.command('petrel-collector', '--config', conf),
            os.path.join(bed.dir, 'second.log'))
        bed.authorize()
        bed.configure(collector_2=url, collector_key_2=key, mirror='yes')
        switch = start(bed)
        bed.authorize('%s %s' % (bed.own_key, switch))
        second.start()
        try:
            bed.wait_sealed()
            bed.wait_more()
        finally:
            second.stop()


def petreld_check(bed):
    run = subprocess.run(
        agent.command('petreld', '--config', bed.conf, '--root', '/',
                      '--check'), capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def test_c11_check_says_what_lacks():
    with sealing.SealedBed() as bed:
        check(petreld_check(bed) == (0, ''), petreld_check(bed))
        os.chmod(bed.switch_key, 0o644)
        code, err = petreld_check(bed)
        check(code == 78 and 'mode 0644' in err and 'expected 0600' in err,
              err)
        sealing.write(bed.switch_key, 'hello\n')
        code, err = petreld_check(bed)
        check(code == 78 and 'switch.key:1: not a key' in err, err)
        os.unlink(bed.switch_key)
        code, err = petreld_check(bed)
        check(code == 78 and re.search(r'petrel\.conf:\d+: key_file = ', err),
              err)
        bed.write_conf('[Push]\ncollector = %s\n' % bed.url, collector=False)
        code, err = petreld_check(bed)
        check(code == 78 and re.search(r'petrel\.conf:\d+: collector = .*'
                                       'expected collector_key', err), err)
        sealing.write(bed.list, 'hello sw1\n', 0o640)
        run = subprocess.run(
            agent.command('petrel-collector', '--config', bed.collector_conf,
                          '--check'), capture_output=True, text=True,
            check=False)
        check(run.returncode == 78 and "authorized_switches:1: 'hello' is not "
              'a key' in run.stderr, run.stderr)


if __name__ == '__main__':
    agent.main(dict(globals()))

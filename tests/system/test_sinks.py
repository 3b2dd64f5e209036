#!/usr/bin/env python3
"""C12: what the collector has goes to engines, whatever these do meanwhile."""
import contextlib
import datetime
import functools
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import engines                                          # noqa: E402
import frames                                           # noqa: E402
from agent import SCENARIOS, Bed, wait_for              # noqa: E402
from frames import Peer                                 # noqa: E402
from fake_engine import (FakeEngine, labels_written, stall,     # noqa: E402
                         values_written)
from vswitch import VSwitch                             # noqa: E402

DEMO = os.path.join(SCENARIOS, 'demo.scenario')


def needs(engine):
    """Leaves a test out where there is no such engine."""
    def decorate(test):
        @functools.wraps(test)
        def run():
            if not engines.have(engine.program):
                return 'NO %s HERE' % engine.program.upper()
            return test()
        return run
    return decorate


def begin(bed, text):
    with open(bed.collector_conf, 'a', encoding='utf-8') as f:
        f.write(text)
    bed.collector.start()
    bed.agent.start()


def remote(url, bed, more=''):
    return '[RemoteWrite]\nurl = %s\nrefused_file = %s/refused.ndjson\n%s' % (
        url, bed.dir, more)


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def count_has(engine):
    return sum(map(len, engine.series(engines.TRAFFIC).values()))


def kills(engine_of, count, empty=False):
    """Load, kills of the engine; then nothing is missing, also where it came
    back empty: all of it is younger than [RemoteWrite] replay."""
    with Bed(DEMO, interval='200ms') as bed, engine_of(bed.dir) as engine:
        begin(bed, remote(engine.write_url, bed))
        for n in range(count):
            second = time.time() + 1    # it says in which second it began
            assert wait_for(lambda n=n: count_has(engine) > 64 * n, 20), \
                bed.collector.log()
            # and something that it forgets
            time.sleep(max(0.3, second + 0.1 - time.time()))
            engine.kill()
            if empty:
                shutil.rmtree(os.path.join(engine.dir, 'data'))
            engine.start()
        assert wait_for(lambda: 'restarted: samples' in bed.collector.log(),
                        20), bed.collector.log()
        bed.agent.stop()
        count, lacks = engines.wait_for_all(bed, engine)
        assert not lacks, (count, lacks[:5], bed.collector.log())
        assert count >= 64 * 2, count
        refused = lines(bed.dir + '/refused.ndjson')
        assert not refused, (len(refused), refused[:3], bed.collector.log())


@needs(engines.VictoriaMetrics)
def test_c12_killed_victoriametrics_lacks_nothing():
    kills(engines.VictoriaMetrics, 2)


@needs(engines.Prometheus)
def test_c12_killed_prometheus_lacks_nothing():
    kills(engines.Prometheus, 1)


@needs(engines.VictoriaMetrics)
def test_c12_engine_that_comes_back_empty_gets_it_again():
    kills(engines.VictoriaMetrics, 1, True)


@needs(engines.VictoriaMetrics)
def test_c12_killed_collector_goes_on_where_it_was():
    with Bed(DEMO, interval='200ms') as bed, \
            engines.VictoriaMetrics(bed.dir) as engine:
        begin(bed, remote(engine.write_url, bed))
        for _ in range(2):
            time.sleep(0.7)
            bed.collector.kill()
            bed.collector.start()
        assert wait_for(lambda: sum(len(of) for of in
                                    engines.truth(bed).values()) > 64, 20)
        bed.agent.stop()
        count, lacks = engines.wait_for_all(bed, engine)
        assert count > 64 and not lacks, (count, lacks[:5])


def test_c12_engine_that_fails_is_tried_again():
    said = [lambda: (503, 'busy'), lambda: stall(0.6)]

    def answer(path, headers, body):
        if path == '/metrics':
            return 404, ''
        return said.pop(0)() if said else (204, '')

    with FakeEngine(answer) as fake, Bed(DEMO) as bed:
        begin(bed, remote(fake.url + '/write', bed, 'timeout = 200ms\n'))
        assert wait_for(lambda: 'sink=remote_write up' in bed.collector.log(),
                        40), bed.collector.log()
        assert 'down: status 503: busy' in bed.collector.log()
        # the same request, until it was taken
        assert len({body for _, _, body in fake.posts[:3]}) == 1
        assert not lines(bed.dir + '/refused.ndjson')


def test_c12_what_is_refused_is_set_aside_alone():
    said = [(400, 'out of order sample')] * 25     # halves, then samples

    def answer(path, headers, body):
        if path == '/metrics':
            return 404, ''
        return said.pop() if said else (204, '')

    with FakeEngine(answer) as fake, Bed(DEMO) as bed:
        begin(bed, remote(fake.url + '/', bed))     # its path is added
        held = wait_for(lambda: lines(bed.dir + '/refused.ndjson'), 30)
        assert held, bed.collector.log()
        assert held[0]['labels']['switch'] == 'sw1'
        assert held[0]['refused'] == 'out of order sample'
        assert held[0]['time_ms'] > 1.7e12
        assert wait_for(lambda: not said, 30)
        assert len(lines(bed.dir + '/refused.ndjson')) < 20
        assert {path for path, _, _ in fake.posts} == {'/api/v1/write'}


def test_c12_lanes_of_a_breakout_are_of_the_ports_that_the_agent_says():
    """Also after a restart: from what the collector stored."""
    def port_of(labels):
        return {(x['cage'], x['lane']): x.get('port') for x in labels
                if 'lane' in x}

    def written():
        return port_of(x for _, _, body in fake.posts
                       for x in labels_written(body))

    with FakeEngine() as fake, Bed() as bed:
        bed.scenario = bed.dir + '/two.scenario'
        with open(bed.scenario, 'w', encoding='ascii') as f:
            f.write('switch name=sw1 ports=4 lanes=4 breakout=2 media=DR4 '
                    'speed=400G seed=1\n')
        bed.write_conf()
        begin(bed, remote(fake.url + '/', bed))
        bed.wait_serving()
        told = wait_for(lambda: re.findall(
            r'petrel_lane_rx_power_watts{([^}]*)}',
            bed.ask('metrics', '--profile', 'all')[1]))
        want = port_of(dict(re.findall(r'(\w+)="([^"]*)"', x)) for x in told)
        assert len(set(want.values())) == 4 and len(want) == 16, want
        for _ in range(2):
            got = wait_for(lambda: len(written()) == 16 and written(), 30)
            assert got == want, (got, want, bed.collector.log())
            bed.collector.kill()
            fake.posts.clear()
            bed.collector.start()


def test_c12_series_of_two_asics_are_called_as_on_the_switch():
    """Each label of what hangs below an ASIC."""
    names = {'petrel_if_in_bytes_total', 'petrel_queue_frames_total',
             'petrel_module_temp_celsius', 'petrel_lane_rx_power_watts',
             'petrel_pfc_rx_frames_total', 'petrel_pool_watermark_bytes'}
    switch = VSwitch('switch name=sw1 ports=4 lanes=4 media=DR4 speed=400G '
                     'seed=1\n', '--dom', '1s', asics=2, journal=False).start()
    try:
        with FakeEngine() as fake, Bed(driver='sonic', root=switch.root,
                                       interval='1s') as bed:
            begin(bed, remote(fake.url + '/', bed))
            bed.wait_serving()

            def told():
                return {(name, frozenset(re.findall(r'(\w+)="([^"]*)"', x)))
                        for name, x in re.findall(
                            r'^(\w+){([^}]*)}',
                            bed.ask('metrics', '--profile', 'all')[1], re.M)
                        if name in names}

            def written():
                return {(x['__name__'], frozenset(
                    (k, v) for k, v in x.items()
                    if k not in ('__name__', 'switch')))
                    for _, _, body in list(fake.posts)
                    for x in labels_written(body) if x['__name__'] in names}

            assert wait_for(lambda: {n for n, _ in told()} == names and
                            told() == written(), 30 * agent.SLOW, 2), \
                told() ^ written()
            assert any(('asic', 'asic1') in x for _, x in told()), told()
    finally:
        switch.stop()


def test_c12_sources_are_as_fresh_as_on_the_switch():
    """Also after a restart of the collector, which has no dictionary then; one
    that hangs is told."""
    switch = VSwitch('switch name=sw1 ports=4 lanes=4 media=DR4 speed=400G '
                     'seed=1\n', '--dom', '1s', journal=False).start()
    try:
        with FakeEngine() as fake, Bed(driver='sonic', root=switch.root,
                                       interval='200ms') as bed:
            begin(bed, remote(fake.url + '/', bed, 'replay = 0s\n'))
            bed.wait_serving()

            def written():
                return {labels['source']: value
                        for _, _, body in list(fake.posts)
                        for labels, value in values_written(body)
                        if labels['__name__'] == 'petrel_source_fresh'}

            assert wait_for(lambda: written().get('sonic.counters') and
                            written().get('sonic.dom'), 30 * agent.SLOW, 1), \
                written()
            told = dict(re.findall(r'^petrel_source_fresh{source="(.*)"} (.)$',
                                   bed.ask('metrics')[1], re.M))
            assert all(value == 1 and told[source] == '1'
                       for source, value in written().items()), written()

            def places():
                """How far it has sent, and where its reading begins."""
                with open(bed.dir + '/spool/remote_write.bookmark',
                          encoding='ascii') as f:
                    n = [int(text) for text in f.read().split()[:4]]
                return n[:2], n[2:]

            first = places()[1]     # past the dictionary, at a reference
            assert wait_for(lambda: places()[1] > first, 40 * agent.SLOW, 0.5)

            def kept():
                """Of which a start knows that they gave something."""
                with contextlib.closing(sqlite3.connect(
                        bed.dir + '/petrel.db')) as db:
                    return {name for name, in db.execute(
                        'SELECT name FROM source_quantities')}

            assert wait_for(lambda: set(written()) <= kept(),
                            20 * agent.SLOW, 0.5), kept()
            bed.collector.kill()
            fake.posts.clear()
            sent = places()[0]
            bed.collector.start()
            # It tells only of sources of which it was given something, and
            # repeats within a minute none that it told before it was killed.
            assert wait_for(lambda: places()[0] > sent, 30 * agent.SLOW, 0.5)
            for redis in switch.redis:
                redis.signal(signal.SIGSTOP)
            try:
                assert wait_for(lambda: written().get('sonic.counters') == 0,
                                60 * agent.SLOW, 1), written()
            finally:
                for redis in switch.redis:
                    redis.signal(signal.SIGCONT)
    finally:
        switch.stop()


class Teller:
    """An agent that says of findings what a test wants."""

    def __init__(self, bed):
        self.bed, self.sequence, self.peer = bed, 0, None
        bed.collector.start()
        assert wait_for(lambda: 'listen=' in bed.collector.log())
        self.connect()

    def connect(self, **hello):
        self.close()
        self.peer = Peer(int(self.bed.url.rsplit(':', 1)[1]))
        self.session = self.peer.hello(**hello)[1]

    def close(self):
        if self.peer:
            self.peer.socket.close()

    def tell(self, *findings):
        """(name, state, age in s, ...) each, acknowledged."""
        records = b''
        for name, state, age, *more in findings:
            self.sequence += 1
            records += frames.finding(self.sequence, name, state,
                                      time.time() - age, *more)
        kind, _, body = self.peer.ask(frames.envelope(
            frames.DATA, self.session, records))
        assert kind == frames.ACK, (kind, body)


def alerts_conf(url, more=''):
    return '[Alertmanager]\nurl = %s\n%s' % (url, more)


def conf(bed, text):
    with open(bed.collector_conf, 'a', encoding='utf-8') as f:
        f.write(text)


def active(engine):
    return sorted((a['labels']['finding_id'][0], a['labels']['alertname'],
                   a['labels']['severity']) for a in engine.alerts()
                  if a['status']['state'] == 'active')


@needs(engines.Alertmanager)
def test_c12_alert_is_one_until_its_finding_ends():
    with Bed(DEMO) as bed, engines.Alertmanager(bed.dir) as engine:
        conf(bed, alerts_conf(engine.url + '/'))    # as people write it
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 1), ('c', frames.RAISED, 2))
            both = [('b', 'PetrelFecTrend', 'warn'),
                    ('c', 'PetrelFecTrend', 'warn')]
            assert wait_for(lambda: active(engine) == both), engine.alerts()
            labels = engine.alerts()[0]['labels']
            assert set(labels) == {'alertname', 'switch', 'port', 'finding_id',
                                   'severity'}, labels
            assert labels['port'] == 'Ethernet8', labels
            assert labels['switch'] == 'rogue', labels
            # more severe, then called otherwise: one alert each time
            teller.tell(('b', frames.UPDATED, 0, frames.CRITICAL))
            both[0] = ('b', 'PetrelFecTrend', 'critical')
            assert wait_for(lambda: active(engine) == both), engine.alerts()
            teller.tell(('b', frames.UPDATED, 0, frames.CRITICAL,
                         frames.LINK_DOWN))
            both[0] = ('b', 'PetrelLinkDown', 'critical')
            assert wait_for(lambda: active(engine) == both), engine.alerts()
            # a restart of the collector ends nothing, and it still knows both
            bed.collector.kill()
            bed.collector.start()
            assert active(engine) == both
            assert wait_for(lambda: bed.collector.log().count('listen=') == 2)
            teller.connect()
            teller.tell(('b', frames.CLEARED, 0))
            assert wait_for(lambda: active(engine) == both[1:]), engine.alerts()


def notified(hook):
    """What Alertmanager sent, in its order: (state, finding, severity); what one
    message has of several, sorted."""
    said = []
    for _, _, body in list(hook.posts):
        said += sorted((a['status'], a['labels']['finding_id'][:2],
                        a['labels']['severity'])
                       for a in json.loads(body)['alerts'])
    return said


@needs(engines.Alertmanager)
def test_c12_notifications_are_one_of_each_fault_and_one_of_its_end():
    """Of a day's backlog of 50 faults that are over, none; of two that become
    worse, the former ends and one goes on."""
    with FakeEngine(lambda *_: (200, '')) as hook, Bed(DEMO) as bed, \
            engines.Alertmanager(bed.dir, hook=hook.url) as engine:
        conf(bed, alerts_conf(engine.url))
        with contextlib.closing(Teller(bed)) as teller:
            for n in range(50):
                name, age = '%c%cb' % (97 + n // 26, 97 + n % 26), 86400 - 9 * n
                teller.tell((name, frames.RAISED, age),
                            (name, frames.CLEARED, age - 5))
            onset = time.time() - 2
            teller.tell(('zy', frames.RAISED, 2), ('zz', frames.RAISED, 1))
            both = [('firing', 'zy', 'warn'), ('firing', 'zz', 'warn')]
            assert wait_for(lambda: sorted(notified(hook)) == both), \
                notified(hook)
            start = min(a['startsAt'] for a in engine.alerts())
            assert abs(seconds_of(start) - onset) < 0.5, (start, onset)
            teller.tell(('zy', frames.UPDATED, 0, frames.CRITICAL))
            both += [('firing', 'zy', 'critical'), ('resolved', 'zy', 'warn')]
            assert wait_for(lambda: sorted(notified(hook)) == sorted(both)), \
                notified(hook)
            teller.tell(('zy', frames.CLEARED, 0), ('zz', frames.CLEARED, 0))
            both += [('resolved', 'zy', 'critical'), ('resolved', 'zz', 'warn')]
            assert wait_for(lambda: sorted(notified(hook)) == sorted(both)), \
                notified(hook)
            time.sleep(3)       # and no more: group_interval is 1 s
            assert sorted(notified(hook)) == sorted(both), notified(hook)


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')
                                           ).timestamp()


def test_c12_alerts_say_where_their_switch_stands():
    with FakeEngine(lambda *_: (200, '')) as fake, Bed(DEMO) as bed:
        conf(bed, alerts_conf(fake.url))
        with contextlib.closing(Teller(bed)) as teller:
            kind, _, _ = teller.peer.ask(frames.envelope(
                frames.DATA, teller.session, frames.dictionary(
                    1, (1, frames.SWITCH, 'rogue', {frames.RACK: 'r7',
                                                    frames.DEPLOYMENT: 'pod2'}),
                    (2, frames.PORT, 'Ethernet8', {frames.GROUP: 'rail3',
                                                   frames.ROLE: 'Ext'}))))
            assert kind == frames.ACK
            with contextlib.closing(sqlite3.connect(bed.database,
                                                    timeout=10)) as db:
                assert wait_for(lambda: db.execute(
                    'SELECT 1 FROM entities WHERE name = "Ethernet8"'
                    ).fetchall()), bed.collector.log()
            teller.tell(('b', frames.RAISED, 0))
            assert wait_for(lambda: fake.posts), bed.collector.log()
            labels = json.loads(fake.posts[0][2])[0]['labels']
            assert labels == {
                'alertname': 'PetrelFecTrend', 'switch': 'rogue',
                'port': 'Ethernet8', 'finding_id': 'baaaaaaaaaaa',
                'severity': 'warn', 'rack': 'r7', 'pod': 'pod2',
                'rail': 'rail3', 'role': 'Ext'}, labels


def test_c12_what_was_cleared_in_a_backlog_is_never_posted():
    with FakeEngine() as fake, Bed(DEMO) as bed:
        conf(bed, alerts_conf(fake.url))
        with contextlib.closing(Teller(bed)) as teller:
            day = 24 * 3600
            for n in range(50):
                name = '%c%c' % (97 + n // 26, 97 + n % 26)
                teller.tell((name + 'b', frames.RAISED, day - 600 * n))
                teller.tell((name + 'b', frames.CLEARED, day - 600 * n - 300))
            teller.tell(('zz', frames.RAISED, 0))
            assert wait_for(lambda: fake.posts)
            time.sleep(1.5)
            said = [a['labels']['finding_id'] for _, _, body in fake.posts
                    for a in json.loads(body)]
            assert said == ['zzaaaaaaaaaa'], said


def test_c12_flood_of_alerts_is_bounded_and_told():
    with FakeEngine() as fake, Bed(DEMO) as bed:
        conf(bed, alerts_conf(fake.url, 'new_per_hour = 3\n'))
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(*[('%c' % (98 + n), frames.RAISED, 0) for n in range(8)])

            def said():
                return [a['labels'] for _, _, body in fake.posts
                        for a in json.loads(body)]
            assert wait_for(lambda: len(said()) == 4), said()
            assert len([o for o in said() if 'finding_id' in o]) == 3
            assert said()[3]['alertname'] == 'PetrelAlertsHeldBack'


def test_c12_one_alert_that_is_refused_keeps_none_out():
    said = [lambda: (503, 'busy'), lambda: stall(0.6)]

    def answer(path, headers, body):
        if said:
            return said.pop(0)()
        return (400, 'no') if b'"baaaaaaaaaaa"' in body else (200, '')

    with FakeEngine(answer) as fake, Bed(DEMO) as bed:
        conf(bed, alerts_conf(fake.url, 'timeout = 200ms\n'))
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 0), ('c', frames.RAISED, 0))
            assert wait_for(lambda: 'refuses' in bed.collector.log(), 40), \
                bed.collector.log()
            assert wait_for(lambda: fake.posts and
                            [a['labels']['finding_id'][0] for a in
                             json.loads(fake.posts[-1][2])] == ['c']), \
                fake.posts
            assert 'down: status 503: busy' in bed.collector.log()


def test_c12_alert_of_a_clock_ahead_does_not_end_before_it_began():
    with FakeEngine(lambda *_: (200, '')) as fake, Bed(DEMO) as bed:
        conf(bed, alerts_conf(fake.url))
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, -300))
            assert wait_for(lambda: fake.posts)
            teller.tell(('b', frames.CLEARED, -300))
            assert wait_for(lambda: len(fake.posts) == 2)
            for _, _, body in fake.posts:
                alert = json.loads(body)[0]
                assert alert['startsAt'] <= alert['endsAt'], alert


def test_c12_open_alerts_are_said_each_minute_to_an_engine_that_forgot():
    with FakeEngine(lambda *_: (200, '')) as fake, Bed(DEMO) as bed:
        conf(bed, '[Collector]\nsilent_after = 1d\n' + alerts_conf(fake.url))
        bed.collector.argv = agent.Haste(60).command(bed.collector.argv)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 0))
            assert wait_for(lambda: len(fake.posts) >= 3), bed.collector.log()
            all_said = [json.loads(body) for _, _, body in fake.posts]
            assert all(a[0]['labels'] == all_said[0][0]['labels']
                       for a in all_said), all_said
            ends = [seconds_of(a[0]['endsAt']) for a in all_said]
            apart = [b - a for a, b in zip(ends, ends[1:])]
            assert all(59 < s < 120 for s in apart), ends   # its own minutes


def test_c12_two_collectors_with_the_same_records_say_the_same():
    """So that an engine behind both has each finding once."""
    said = []
    for _ in range(2):
        with FakeEngine(lambda *_: (200, '')) as fake, Bed(DEMO) as bed:
            conf(bed, alerts_conf(fake.url) +
                 '[Webhook]\nurl = %s/hook\n' % fake.url)
            now = said[0][0] if said else time.time()
            with contextlib.closing(Teller(bed)) as teller:
                assert teller.peer.ask(frames.envelope(
                    frames.DATA, teller.session, frames.finding(
                        1, 'b', frames.RAISED, now)))[0] == frames.ACK
                assert wait_for(lambda: len(fake.posts) == 2), fake.posts
            posts = {path: (h, json.loads(body))
                     for path, h, body in fake.posts}
            hook = posts.pop('/hook')
            alert = list(posts.values())[0][1][0]
            ends = seconds_of(alert.pop('endsAt')) - time.time()
            assert abs(ends - 15 * 60) < 30, ends
            said.append((now, hook[0]['Idempotency-Key'], hook[1], alert))
    assert said[0] == said[1], said


def test_c12_webhook_gets_each_change_with_a_key():
    said = [lambda: stall(0.6), lambda: (503, 'busy')]
    with FakeEngine(lambda *_: said.pop()() if said else (200, '')) as fake, \
            Bed(DEMO) as bed:
        conf(bed, '[Webhook]\nurl = %s/hook\ntimeout = 200ms\n' % fake.url)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 24 * 3600),    # too old to act
                        ('c', frames.RAISED, 1),
                        ('c', frames.CLEARED, 0))
            assert wait_for(lambda: len(fake.posts) == 4), fake.posts
            keys = [h['Idempotency-Key'] for _, h, _ in fake.posts]
            assert keys[0] == keys[1] == keys[2] != keys[3], keys
            body = json.loads(fake.posts[0][2])
            assert body['finding']['state'] == 'raised', body
            assert body['switch'] == 'rogue' and body['drain'] == 'none'
            assert body['action'] == 'clean_near', body
            assert body['idempotency_key'] == keys[0]
            # of a clock that was never set, and is not too old for that
            kind, _, _ = teller.peer.ask(frames.envelope(
                frames.DATA, teller.session, frames.clock(1, 60, 60, False)))
            assert kind == frames.ACK
            teller.sequence += 1
            kind, _, _ = teller.peer.ask(frames.envelope(
                frames.DATA, teller.session, frames.finding(
                    teller.sequence, 'd', frames.RAISED, 70, mono_s=70)))
            assert kind == frames.ACK

            def posted():       # not that it fell silent
                found = [json.loads(body)['finding']
                         for _, _, body in fake.posts]
                return [f for f in found if f['id'][0] == 'd']
            assert wait_for(posted), fake.posts
            of = posted()[0]
            assert abs(of['onset_ns'] / 1e9 - time.time()) < 60, of


def test_c12_webhook_says_the_name_after_a_restart_of_the_collector():
    with FakeEngine() as fake, Bed(DEMO) as bed:
        conf(bed, '[Webhook]\nurl = %s/hook\n' % fake.url)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 1))
            assert wait_for(lambda: fake.posts), bed.collector.log()
            bed.collector.stop()
            bed.collector.start()
            assert wait_for(lambda: bed.collector.log().count(
                'listen=') > 1), bed.collector.log()
            teller.connect()
            teller.tell(('c', frames.RAISED, 1))
            assert wait_for(lambda: len(fake.posts) > 1), bed.collector.log()
        said = [json.loads(body) for _, _, body in fake.posts]
        assert {x['switch'] for x in said} == {'rogue'}, said


@needs(engines.Alertmanager)
def test_c12_alert_follows_its_switch_to_another_name():
    """The one under the old name ends, nobody's else does, and what comes next
    has the new name everywhere: from the collector itself, after a restart."""
    def firing(engine):
        return sorted((a['labels']['finding_id'][0], a['labels']['switch'])
                      for a in engine.alerts()
                      if a['status']['state'] == 'active')

    with FakeEngine() as fake, Bed(DEMO) as bed, \
            engines.Alertmanager(bed.dir) as engine:
        conf(bed, '[Collector]\nsilent_after = 3s\n' +
             alerts_conf(engine.url) + '[Webhook]\nurl = %s/hook\n' % fake.url)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 5))
            assert wait_for(lambda: firing(engine) == [('b', 'rogue')])
            # another switch, and one that is over: they change nothing
            other = frames.Peer(int(bed.url.rsplit(':', 1)[1]))
            session = other.hello(name=b'ally', switch_id=b'SN-ally')[1]
            assert other.ask(frames.envelope(
                frames.DATA, session, frames.finding(
                    1, 'd', frames.RAISED, time.time())))[0] == frames.ACK
            other.socket.close()
            assert wait_for(lambda: firing(engine) == [
                ('b', 'rogue'), ('d', 'ally')]), engine.alerts()
            teller.connect(name=b'saint')
            teller.tell(('c', frames.RAISED, 1))
            wanted = [('b', 'saint'), ('c', 'saint'), ('d', 'ally')]
            assert wait_for(lambda: firing(engine) == wanted), engine.alerts()
            started = {a['startsAt'] for a in engine.alerts()
                       if a['labels']['finding_id'] == 'b' + 11 * 'a'}
            assert len(started) == 1, engine.alerts()
            bed.collector.stop()
            bed.collector.start()
            assert wait_for(lambda: bed.collector.log().count(
                'listen=') == 2), bed.collector.log()
            assert wait_for(lambda: len(firing(engine)) == 5, 20 * agent.SLOW), \
                engine.alerts()         # both are silent
            assert {who for _, who in firing(engine)} == {'saint', 'ally'}, \
                engine.alerts()
            teller.connect(name=b'saint')
            for finding in 'b', 'c':
                teller.tell((finding, frames.CLEARED, 0))
            assert wait_for(lambda: {f for f, who in firing(engine)
                                     if who == 'saint'} == set()), \
                engine.alerts()
        said = [json.loads(body) for _, _, body in fake.posts]
        # the id of a silence is made, and may begin with any letter
        assert [x['switch'] for x in said
                if x['finding']['id'] == 'b' + 11 * 'a'] == [
                    'rogue', 'saint'], said
        silent = {x['switch'] for x in said
                  if x['finding']['signature'] == 'switch_silent'}
        assert silent == {'saint', 'ally'}, silent


def test_c12_change_that_the_webhook_refuses_is_logged_once():
    said = [(409, 'no such link')]
    with FakeEngine(lambda *_: said.pop() if said else (200, '')) as fake, \
            Bed(DEMO) as bed:
        conf(bed, '[Webhook]\nurl = %s/hook\n' % fake.url)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 1), ('c', frames.RAISED, 1))
            assert wait_for(lambda: len(fake.posts) == 2), bed.collector.log()
        key = fake.posts[0][1]['Idempotency-Key']
        want = 'sink=webhook refuses %s of rogue Ethernet8: status 409: ' \
            'no such link' % key
        assert bed.collector.log().count(want) == 1, bed.collector.log()
        assert bed.collector.log().count('webhook refuses') == 1


def test_c12_lines_are_findings_and_events_in_files_that_rotate():
    with Bed(DEMO) as bed:
        path = bed.dir + '/records.ndjson'
        conf(bed, '[Ndjson]\nfile = %s\nfile_size = 2K\n' % path)
        with contextlib.closing(Teller(bed)) as teller:
            for n in range(12):
                teller.tell(('%c' % (98 + n), frames.RAISED, 1))
            assert wait_for(lambda: os.path.exists(path + '.1'))
            assert wait_for(lambda: len(lines(path + '.1') +
                                        lines(path)) >= 2)
            found = lines(path + '.1') + lines(path)
            assert {r['kind'] for r in found} == {'finding'}
            assert os.path.getsize(path + '.1') < 5000
        some = bed.records(filters=['--port', 'Ethernet9', '--since', '1h'])
        assert some == [], some
        some = bed.records(filters=['--port', 'Ethernet8', '--since', '1h'])
        assert len(some) == 12, len(some)
        assert bed.records(filters=['--switch', 'leaf7']) == []
        assert len(bed.records(filters=['--switch', 'SN-rogue'])) == 12


def test_c12_full_disk_is_said_once_and_no_line_is_lost_or_twice():
    """Also when more is read again than one commit takes."""
    with Bed(DEMO) as bed:
        path = bed.dir + '/records.ndjson'
        conf(bed, '[Collector]\nsilent_after = 1d\n'
             '[Ndjson]\nfile = %s\nkind = finding\n' % path)
        with contextlib.closing(Teller(bed)) as teller:
            for n in range(1100):
                teller.tell(('%c' % (98 + n % 20), frames.RAISED, 1))
            assert wait_for(lambda: len(lines(path)) == 1100, 30)
            bed.collector.stop()
            os.rename(path, path + '.saved')
            os.symlink('/dev/full', path)
            bed.collector.start()
            assert wait_for(lambda: bed.collector.log().count(
                'listen=') > 1), bed.collector.log()
            teller.connect()
            teller.tell(('z', frames.RAISED, 1), ('y', frames.RAISED, 1))
            down = 'sink=ndjson down: %s: No space left on device' % path
            assert wait_for(lambda: down in bed.collector.log())
            time.sleep(4)
            assert bed.collector.log().count(down) == 1, bed.collector.log()
            assert 'sink=ndjson up' not in bed.collector.log()
            os.rename(path + '.saved', path)
            assert wait_for(lambda: 'sink=ndjson up' in bed.collector.log(),
                            40), bed.collector.log()
        found = lines(path)
        assert [x['sequence'] for x in found] == list(range(1, 1103)), \
            found[-5:]


def test_c12_lines_that_fitted_are_not_written_again():
    hole = 64 << 20         # no other file of the collector is as long
    with Bed(DEMO) as bed:
        path = bed.dir + '/records.ndjson'
        with open(path, 'wb') as f:
            f.truncate(hole - 1)
            f.seek(hole - 1)
            f.write(b'\n')
        conf(bed, '[Collector]\nsilent_after = 1d\n[Ndjson]\nfile = %s\n'
             'file_size = 1G\nkind = finding\n' % path)
        bed.collector.argv = ['bash', '-c', 'trap "" XFSZ; exec "$@"', '-',
                              *bed.collector.argv]
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 1))
            assert wait_for(lambda: os.path.getsize(path) > hole)
            room = 5 * os.path.getsize(path) // 2 - 3 * hole // 2
            pid = bed.collector.pid
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, -1))
            teller.tell(*[(name, frames.RAISED, 1) for name in 'cdef'])
            assert wait_for(lambda: 'File too large' in bed.collector.log())
            time.sleep(4)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (-1, -1))
            assert wait_for(lambda: 'sink=ndjson up' in bed.collector.log(),
                            40), bed.collector.log()
        with open(path, encoding='utf-8') as f:
            f.seek(hole)
            found = [json.loads(line)['sequence'] for line in f]
        assert found == [1, 2, 3, 4, 5], found


def test_c19_password_in_a_url_is_not_logged():
    url = 'http://ops:hunter2@127.0.0.1:1/'
    with Bed(DEMO) as bed:
        conf(bed, remote(url, bed) + alerts_conf(url) +
             '[Webhook]\nurl = %s\n' % url)
        with contextlib.closing(Teller(bed)) as teller:
            teller.tell(('b', frames.RAISED, 0))
            for sink in 'remote_write', 'alertmanager', 'webhook':
                if sink == 'remote_write':
                    bed.agent.start()       # it has samples
                said = 'sink=%s down: http://<redacted>@127.0.0.1:1/' % sink
                assert wait_for(lambda s=said: s in bed.collector.log(), 20), \
                    bed.collector.log()
        assert 'hunter2' not in bed.collector.log()
        with open(bed.collector_conf, 'w', encoding='ascii') as f:
            f.write('[Webhook]\nurl = http://ops:hunter2@a b/\n')
        ran = subprocess.run([*bed.collector.argv, '--check'], text=True,
                             capture_output=True, check=False)
        assert ran.returncode and 'hunter2' not in ran.stderr and \
            '<redacted>@a b' in ran.stderr, ran


if __name__ == '__main__':
    agent.main(globals())

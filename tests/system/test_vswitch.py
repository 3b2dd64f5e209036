#!/usr/bin/env python3
# petrel-test: timeout=150
"""The agent against petrel-vswitch: what it has collected is what vswitch says
it played, whatever befalls Redis and the object ids meanwhile."""
import concurrent.futures
import json
import os
import shlex
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agent                                            # noqa: E402
from agent import SLOW, check, wait_for                 # noqa: E402
from test_sonic_agent import Collected                  # noqa: E402
from vswitch import VSwitch, named, rows_of, signed     # noqa: E402

FAST = ('--queues', '1s', '--watermarks', '2s', '--dom', '2s')
STAMP_OF_PORTS = 'PORT_STAT_COUNTER_Port_Counter_time_stamp'
OCTETS = 'SAI_PORT_STAT_IF_IN_OCTETS'
HEALTHY = '''switch name=vs ports=16 speed=400G lanes=4 media=DR4 queues=10 \
seed=5
port Ethernet96-120 media=DAC
at 0s all load_phase load=70%
'''
ASICS = '''switch name=vsm ports=8 speed=400G lanes=4 media=DR4 queues=8 \
seed=7
at 4s Ethernet40 down reason=remote
'''
BREAKOUT = '''switch name=vsb ports=8 breakout=4 speed=100G lanes=2 media=DR8 \
queues=8 seed=6
at 4s Ethernet4 down reason=light
'''

FAN = '''switch name=vsf ports=8 speed=400G lanes=4 media=DR4 queues=8 seed=8
at 0s all fan rise=8K ramp=3m
'''


class Watched:
    """An agent with its collector on a vswitch."""

    def __init__(self, scenario, asics=1):
        self.switch = VSwitch(scenario, *FAST, asics=asics)
        self.bed = None

    def __enter__(self):
        self.switch.start()
        self.bed = agent.Bed(driver='sonic', root=self.switch.root,
                             extra='[Agent]\ntraffic = exact\n')
        self.bed.collector.start()
        self.bed.agent.start()
        check(self.bed.wait_serving(), self.bed.agent.log())
        return self

    def __exit__(self, *_):
        self.bed.close()
        self.switch.__exit__()

    def is_fresh(self, *sources):
        rows = {s['source']: s['state'] for s in
                self.bed.json('status').get('sources', [])}
        return all(rows.get('sonic.' + s) == 'fresh' for s in sources)

    def wait_fresh(self):
        check(wait_for(lambda: self.is_fresh('counters', 'queues'),
                       20 * SLOW, 0.2), self.bed.json('status'))

    def collected(self):
        """The play is held, the agent has read it and the collector has it:
        all that came. Queues are read when the monotonic clock is at a
        multiple of 10 s."""
        self.switch.tell('hold')
        now = time.monotonic()
        time.sleep(10 - (now + 0.2) % 10 + 1.4 * SLOW)
        totals = self.switch.totals()
        end = time.monotonic() + 15 * SLOW
        while True:
            said = Collected(self.bed.records())
            if time.monotonic() > end or not behind(said, wanted(totals)):
                break
        self.bed.agent.stop()
        return totals, said

    def findings_raised(self):
        return [line for line in self.bed.agent.log().splitlines()
                if 'finding: id=' in line]


def series_of(said, wanted):
    """{key: values in the order in which they were sent}"""
    out = {}
    for x in said.of('sample'):
        name = said.name(x['handle'])
        key = name and name + (x['quantity'], x['index'])
        if key in wanted:
            out.setdefault(key, []).append(x['value'])
    return out


def wanted(totals):
    want = {k: signed(v) for k, v in named(rows_of(totals)).items()}
    return {k: v for k, v in want.items() if v is not None}


def behind(said, want):
    """{key: (collected last or None, played last)} where they differ"""
    last = {k: v[-1] for k, v in series_of(said, want).items()}
    return {k: (last.get(k), v) for k, v in want.items() if last.get(k) != v}


def compare(switch, totals, said, restarts=0):
    """The last of each counter is what was played last; each one in between
    was played, and none steps back but at a restart of the counters."""
    want = wanted(totals)
    played = named(switch.played())
    late = behind(said, want)
    check(not late, 'collected, played last:', len(late),
          sorted(late.items())[:5])
    series = series_of(said, want)
    for key, values in series.items():
        strange = set(values) - {signed(v) for v in played[key]}
        check(not strange, key, 'was never played:', sorted(strange)[:5])
        back = [(a, b) for a, b in zip(values, values[1:]) if b < a]
        check(len(back) <= restarts or key[2] == 'queue_occupancy_octets',
              key, 'steps back:', back[:3])
    return series


def totals_survive_redis_and_new_ids():
    """A renumbering gives most objects an id that was another's before."""
    with Watched(HEALTHY) as w:
        w.wait_fresh()
        time.sleep(2)
        before = w.switch.totals()
        for _ in range(5):
            w.switch.tell('renumber')
            time.sleep(0.7)
        time.sleep(1)
        w.switch.tell('flush')
        time.sleep(5)
        w.wait_fresh()
        w.switch.redis[0].kill()
        time.sleep(1.5)
        w.switch.redis[0].start()
        time.sleep(2)
        w.wait_fresh()
        time.sleep(1)
        found = w.bed.json('findings')['findings']
        totals, said = w.collected()
        series = compare(w.switch, totals, said)
        grown = [k for k, v in series.items() if k[2] == 'if_in_octets' and
                 v[-1] > max(v[0], before['ports'][k[1]][
                     'SAI_PORT_STAT_IF_IN_OCTETS'])]
        check(len(grown) == 16, 'ports whose octets grew:', grown)
        check(totals['renumbered'] == 5 and totals['flushed'] == 1 and
              totals['connects'] == 2, {k: totals[k] for k in
                                        ('renumbered', 'flushed', 'connects')})
        raised = w.findings_raised()
        check(not found and not raised, 'false findings:', found, raised)


def reload_begins_counters_anew_without_findings():
    with Watched(HEALTHY) as w:
        w.wait_fresh()
        time.sleep(4)       # more than what is counted before it is read anew
        w.switch.tell('config reload')
        time.sleep(5.5)
        w.wait_fresh()
        totals, said = w.collected()
        series = compare(w.switch, totals, said, restarts=1)
        octets = next(v for k, v in series.items()
                      if k[1:3] == ('Ethernet0', 'if_in_octets'))
        check(any(b < a for a, b in zip(octets, octets[1:])),
              'counters went on:', octets)
        raised = w.findings_raised()
        check(not raised, 'false findings:', raised)


def fan_that_stands_still_is_told():
    """On the screen, by name, and at the collector. thermalctld, whose rows
    these are, writes each minute."""
    with Watched(FAN) as w:
        def told():
            return [f for f in w.bed.json('findings')['findings']
                    if f['signature'] == 'environment']

        found = wait_for(told, 110 * SLOW, 1)
        check(found and len(found) == 1, w.bed.json('findings'))
        check(found[0]['port'] == 'fan1' and
              found[0]['action'] == 'fix_airflow' and
              found[0]['severity'] == 'warn' and
              'reports a fault' in found[0]['cause'], found)
        _, out, _ = w.bed.ask()
        check('1 warn' in out and 'fan1' in out and 'check fans' in out, out)
        check(wait_for(lambda: any(
            r['kind'] == 'finding' and
            r['content']['finding']['id'] == found[0]['id']
            for r in w.bed.records(stream='findings')), 10 * SLOW, 0.3),
              w.bed.records(stream='findings'))


def down_of(bed, port):
    return [f for f in bed.json('findings')['findings']
            if f['port'] == port and f['signature'] == 'link_down']


def breakout_has_its_totals_and_its_planted_fault():
    with Watched(BREAKOUT) as w:
        w.wait_fresh()
        check(wait_for(lambda: down_of(w.bed, 'Ethernet4'), 25 * SLOW, 0.3),
              w.bed.json('findings'))
        totals, said = w.collected()
        compare(w.switch, totals, said)
        check(said.names('module') == {1, 2}, said.names('module'))
        lanes = {x['handle'] for x in said.of('sample',
                                              quantity='lane_rx_power_pw')}
        check({said.name(h)[1] for h in lanes} ==
              {'%d.%d' % (m, n) for m in (1, 2) for n in range(1, 9)},
              sorted(said.name(h)[1] for h in lanes))
        others = [line for line in w.findings_raised()
                  if 'port=Ethernet4 ' not in line]
        check(not others, 'false findings:', others)


def two_asics_have_their_totals_and_their_planted_fault():
    with Watched(ASICS, asics=2) as w:
        w.wait_fresh()
        check(wait_for(lambda: down_of(w.bed, 'Ethernet40'), 25 * SLOW, 0.3),
              w.bed.json('findings'))
        totals, said = w.collected()
        series = compare(w.switch, totals, said)
        check({k[1] for k in series if k[0] == 'port'} ==
              {'Ethernet%d' % (8 * i) for i in range(8)}, 'ports')
        check(said.names('asic') == {'asic0', 'asic1'}, said.names('asic'))
        check(said.names('module') == set(range(1, 9)), said.names('module'))
        others = [line for line in w.findings_raised()
                  if 'port=Ethernet40 ' not in line]
        check(not others, 'false findings:', others)


def refuses_the_databases_of_a_real_switch():
    s = VSwitch(HEALTHY)
    try:
        s.redis[0].start()
        s.redis[0].load('CONFIG_DB', {'DEVICE_METADATA|localhost': {
            'platform': 'x86_64-dell_z9100_c2538-r0'}})
        try:
            s.play()
        except AssertionError:
            pass
        check(s.child.wait(5 * SLOW) == 69, s.child.returncode)
        check('z9100' in s.log() and 'expected an empty' in s.log(), s.log())
        client = s.redis[0].client('CONFIG_DB')
        check(client.ask('DBSIZE') == 1, 'it wrote')
        client.close()
    finally:
        s.__exit__()


def ports_go_and_come_by_command():
    with VSwitch(HEALTHY, *FAST) as s:
        client = s.redis[0].client('COUNTERS_DB')

        def oid():
            return client.ask('HGET', 'COUNTERS_PORT_NAME_MAP', 'Ethernet8')
        first = oid()
        s.tell('stop port Ethernet8')
        check(first and oid() is None, first, oid())
        time.sleep(1.2)
        check(client.ask('EXISTS', 'COUNTERS:' + first) == 0, 'row came back')
        s.tell('start port Ethernet8')
        check(oid() not in (None, first), 'same id again', first)
        check(wait_for(lambda: client.ask('EXISTS', 'COUNTERS:' + oid()), 5),
              'no counters')
        try:
            s.tell('stop port Ethernet9')
            check(False, 'a port that is none was taken out')
        except AssertionError as e:
            check('Ethernet9' in str(e) and 'expected one of' in str(e), e)
        client.close()


def end_on_loss_and_totals_file():
    s = VSwitch(HEALTHY, '--end-on-loss')
    try:
        path = os.path.join(s.root, 'totals.json')
        s.argv += ['--json-totals', path]
        s.start()
        s.redis[0].kill()
        check(s.child.wait(10 * SLOW) == 69, s.child.returncode)
        check('redis.sock' in s.log(), s.log())
        with open(path, encoding='utf-8') as f:
            totals = json.load(f)
        check(totals['schema'] == 'petrel-vswitch-totals/1' and
              len(totals['ports']) == 16 and len(totals['queues']) == 160,
              list(totals))
    finally:
        s.__exit__()


def waits_for_a_redis_that_comes_later():
    s = VSwitch(HEALTHY)
    try:
        late = threading.Timer(1.5, s.redis[0].start)
        late.start()
        s.play()
        late.join()
        check('trying again' in s.log(), s.log())
        check(s.totals()['connects'] == 1, s.totals()['connects'])
    finally:
        s.__exit__()
    s = VSwitch(HEALTHY, '--end-on-loss')
    try:
        try:
            s.play()
        except AssertionError:
            pass
        check(s.child.wait(10 * SLOW) == 69, s.child.returncode)
    finally:
        s.__exit__()


def written(monitor, row):
    """What the vswitch wrote, by its stamps in order: octets of a port. The
    stamp of a bulk read is written last; what is asked of Redis meanwhile is
    of neither.
    """
    octets, seen = None, {}
    while True:
        words = shlex.split(monitor.read())[3:]
        if words[0] == 'ECHO':
            return seen
        fields = dict(zip(words[2::2], words[3::2]))
        if words[1:2] == ['COUNTERS:' + row]:
            octets = int(fields.get(OCTETS, octets or 0))
        elif STAMP_OF_PORTS in fields and octets is not None:
            seen[int(fields[STAMP_OF_PORTS])] = octets


def late_reads_are_of_their_time():
    """Where a bulk read comes late its stamp says when the counters were so:
    what a port carried between two of them is its load, no more."""
    with VSwitch(HEALTHY.replace('seed=5', 'seed=5 tick=100ms'),
                 '--counters', '100ms', journal=False) as switch:
        db, monitor = (switch.redis[0].client(2) for _ in range(2))
        ports = db.ask('HGETALL', 'COUNTERS_PORT_NAME_MAP')
        check(monitor.ask('MONITOR') == 'OK')
        for pause in (0.13, 0.27, 0.41, 0.15, 0.33, 0.05, 0.19):
            time.sleep(0.3)
            switch.child.send_signal(signal.SIGSTOP)
            time.sleep(pause)
            switch.child.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        db.ask('ECHO', 'end')
        seen = written(monitor, dict(zip(ports[::2], ports[1::2]))['Ethernet0'])
    stamps = sorted(seen)
    rates = sorted((seen[b] - seen[a]) / (b - a)
                   for a, b in zip(stamps, stamps[1:]))
    check(len(rates) > 15, rates)
    check(rates[-1] < 1.2 * rates[len(rates) // 2], rates)


def main():
    """They mostly wait: they run at once, and tell in order."""
    tests = (fan_that_stands_still_is_told, totals_survive_redis_and_new_ids,
             reload_begins_counters_anew_without_findings,
             breakout_has_its_totals_and_its_planted_fault,
             two_asics_have_their_totals_and_their_planted_fault,
             refuses_the_databases_of_a_real_switch,
             ports_go_and_come_by_command,
             end_on_loss_and_totals_file,
             waits_for_a_redis_that_comes_later, late_reads_are_of_their_time)
    only = sys.argv[1] if len(sys.argv) > 1 else ''
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [('test_vswitch_' + t.__name__, pool.submit(t)) for t in tests
                if only in 'test_vswitch_' + t.__name__]
        suite = agent.Suite()
        for name, run in runs:
            suite.run(name, run.result)
        suite.end()


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""C9: who the switch is. A stable id, which the greeting waits for, and a name
that may change while the agent runs."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SCENARIOS, SLOW, Bed, check, main, wait_for  # noqa: E402
from redis import Redis  # noqa: E402

HEALTHY = os.path.join(SCENARIOS, 'healthy.scenario')
MAC = '0C:29:EF:CF:AC:A0'


def databases(redis, serial='', hostname='leaf7'):
    redis.load('CONFIG_DB', {
        'CONFIG_DB_INITIALIZED': '1',
        'DEVICE_METADATA|localhost': {'hostname': hostname, 'mac': MAC}})
    if serial:
        redis.load('STATE_DB', {
            'CHASSIS_INFO|chassis 1': {'psu_num': '2', 'serial': 'N/A'},
            'EEPROM_INFO|0x23': {'Len': '20', 'Name': 'Serial Number',
                                 'Value': serial},
            'EEPROM_INFO|0x24': {'Len': '6', 'Name': 'Base MAC Address',
                                 'Value': '0C:29:EF:CF:AC:FF'}})


class Switch(Bed):
    """An agent on SONiC that nobody knows yet; its name is not configured."""

    def __init__(self, redis):
        super().__init__(driver='sonic', root=redis.root, is_known=False,
                         name='')
        self.collector.start()

    def serving(self):
        self.agent.start()
        check(self.wait_serving(), self.agent.log())
        return self

    def who(self):
        """Name, id."""
        answer = self.json('status')
        check(answer['switch'] == answer['agent']['name'], answer['agent'])
        return answer['agent']['name'], answer['agent']['switch_id']

    def becomes(self, *wanted):
        check(wait_for(lambda: self.who() == wanted, 20 * SLOW, 0.1),
              'not', wanted, 'but', self.who(), self.agent.log())


def runs(bed):
    """Name and id of each record of a run that the collector has."""
    return [(r['content']['switch_name'], r['content'].get('switch_id', ''))
            for r in bed.records(stream='states') if r['kind'] == 'run']


def test_c09_serial_number_is_the_id_and_hostname_the_name():
    with Redis() as redis:
        databases(redis, 'TH0F6N2RCET0007600NG')
        with Switch(redis).serving() as bed:
            bed.becomes('leaf7', 'TH0F6N2RCET0007600NG')
            check(wait_for(lambda: ('leaf7', 'TH0F6N2RCET0007600NG') in
                           runs(bed), 20 * SLOW, 0.3), runs(bed))
            first = bed.records(stream='states')[0]
            check(first['stream'] == 'states', first)
            check(first['sequence'] == 1, 'lost before the greeting', first)


def test_c09_without_a_serial_number_it_is_the_base_mac():
    with Redis() as redis:
        databases(redis)
        with Switch(redis).serving() as bed:
            bed.becomes('leaf7', MAC.lower())


def test_c09_greeting_waits_for_the_id_and_records_do_not():
    with Redis() as redis:
        with Switch(redis).serving() as bed:
            check(wait_for(lambda: 'not known yet' in (
                bed.json('status')['collector']['reason'] or ''),
                20 * SLOW, 0.1), bed.ask('status')[1])

            def held(stream):
                return [s['last'] for s in bed.json('status')['streams']
                        if s['stream'] == stream][0]

            check(wait_for(lambda: held('samples') > 0, 20 * SLOW, 0.1) and
                  held('states') > 0, bed.ask('status')[1])
            check(not bed.records(), 'it greeted without an id')
            check(not bed.json('status')['agent']['switch_id'])


def test_c09_an_id_is_kept_over_a_boot_that_tells_less():
    with Redis() as redis:
        state = os.path.join(redis.root, 'var', 'lib', 'petrel')
        os.makedirs(state)
        databases(redis, 'TH0F6N2RCET0007600NG')
        with Switch(redis).serving() as bed:
            bed.becomes('leaf7', 'TH0F6N2RCET0007600NG')
            check(wait_for(lambda: os.path.exists(
                os.path.join(state, 'identity'))), os.listdir(state))
            bed.agent.stop()
            shutil.rmtree(bed.run_dir)
            client = redis.client()
            client.ask('FLUSHALL')
            client.close()
            databases(redis)
            bed.serving()
            bed.becomes('leaf7', 'TH0F6N2RCET0007600NG')


def test_c09_a_long_interval_holds_up_no_greeting():
    with Bed(HEALTHY, interval='60s') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: bed.json('status')['collector']['connected'],
                       15 * SLOW, 0.1), bed.ask('status')[1])


def test_c09_two_switches_with_one_id_are_told():
    with Bed(HEALTHY, interval='200ms', name='one') as bed, \
            Bed(HEALTHY, interval='200ms', name='two', url=bed.url) as other:
        bed.collector.start()
        for each in (bed, other):
            each.agent.start()
            check(each.wait_serving(), each.agent.log())
        who = bed.json('status')['agent']['switch_id']
        check(other.json('status')['agent']['switch_id'] == who, who)
        check(wait_for(lambda: re.search(
            'switch=%s name=[a-z]+: another running agent has the same id' %
            re.escape(who), bed.collector.log()), 40 * SLOW, 0.2),
              bed.collector.log())


def test_c09_a_new_name_is_the_same_switch():
    """At run time and over a restart; what is open stays what it is."""
    with Bed(os.path.join(SCENARIOS, 'demo.scenario'), interval='200ms',
             sim='speed = 20\n', name='old') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())

        def open_now():
            """The id of each open finding, by port: a signature may change."""
            return {f['port']: f['id']
                    for f in bed.json('findings')['findings']}

        # Ethernet200's light goes for good; Ethernet96's flaps come and go.
        check(wait_for(lambda: 'Ethernet200' in open_now(), 60 * SLOW, 0.2),
              bed.ask('findings')[1])
        before = open_now()['Ethernet200']
        who = bed.json('status')['agent']['switch_id']
        bed.name = 'new'
        bed.write_conf()
        code, _, err = bed.ask('reload')
        check(code == 0, err)
        check(wait_for(lambda: bed.json('status')['switch'] == 'new',
                       20 * SLOW, 0.1), bed.ask('status')[1], bed.agent.log())
        check(bed.json('status')['agent']['switch_id'] == who)
        check(bed.json('findings')['switch'] == 'new')
        now = open_now()
        check(now.get('Ethernet200') == before, 'ended or opened again',
              before, now)
        check(wait_for(lambda: ('new', who) in runs(bed),
                       20 * SLOW, 0.3), runs(bed))
        check(wait_for(lambda: 'new' in {
            r['switch_name'] for r in bed.records(stream='states')
            if r['kind'] != 'run'}, 20 * SLOW, 0.3),
              'the collector calls it as before')
        bed.agent.stop()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(bed.json('status')['agent']['switch_id'] == who)


if __name__ == '__main__':
    main(globals())

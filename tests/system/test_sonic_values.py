#!/usr/bin/env python3
# petrel-test: timeout=120
"""What releases and platforms write as values: a text where a number should be,
one word for all lanes of a module, blanks after a number, more lanes than a
module publishes. What cannot be known is absent, and told."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import SLOW, check                           # noqa: E402
from redis import Redis                                 # noqa: E402

FEC = 'SAI_PORT_STAT_IF_IN_FEC_'


class Switch:
    """Ports of 4 lanes at 100 Gb/s, each with a module, as rows."""

    def __init__(self, *ports):
        self.config, self.appl, self.state = {}, {}, {}
        self.counters = {'COUNTERS_PORT_NAME_MAP': {}}
        for n, name in enumerate(ports):
            self.port(name, index=str(n + 1))

    def port(self, name, **more):
        first = 4 * len(self.config)
        row = dict(dict(lanes=','.join(str(first + i) for i in range(4)),
                        speed='100000', fec='rs', admin_status='up',
                        mtu='9100'), **more)
        self.config['PORT|' + name] = row
        self.appl['PORT_TABLE:' + name] = dict(row, oper_status='up')
        self.state['TRANSCEIVER_INFO|' + name] = {
            'type': 'QSFP28 or later', 'manufacturer': 'Fulmar',
            'model': 'FM-100', 'serial': 'FM' + row['index'],
            'specification_compliance': "{'Extended Specification "
                                        "Compliance': '100GBASE-LR4'}"}
        oid = 'oid:0x%x' % ((1 << 48) + first + 1)
        self.counters['COUNTERS_PORT_NAME_MAP'][name] = oid
        self.counters['COUNTERS:' + oid] = {
            'SAI_PORT_STAT_IF_IN_OCTETS': '1',
            FEC + 'CORRECTABLE_FRAMES': '4711 '}

    def monitors(self, name, lanes, **more):
        row = {'temperature': '35.0', 'voltage': '3.3'}
        for n in range(1, 5):
            for word, value in (('rx%dpower', '-1.2'), ('tx%dpower', '0.5'),
                                ('tx%dbias', '40.0')):
                row[word % n] = value if n <= lanes else 'N/A'
        self.state['TRANSCEIVER_DOM_SENSOR|' + name] = dict(row, **more)

    def load(self, redis):
        for db, rows in (('CONFIG_DB', self.config), ('APPL_DB', self.appl),
                         ('STATE_DB', self.state),
                         ('COUNTERS_DB', self.counters)):
            redis.load(db, rows)


def ask(switch, is_there, *queries):
    """The answers, once is_there() holds for all of them."""
    with Redis() as redis:
        switch.load(redis)
        with agent.Bed(driver='sonic', root=redis.root,
                       collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            said = []

            def ready():
                said[:] = [bed.json(*q) for q in queries]
                try:
                    return is_there(*said)
                except (KeyError, IndexError):
                    return False        # not all of it was read yet
            check(agent.wait_for(ready, 20 * SLOW, 0.3), str(said)[:2000])
            return said + [bed.agent.log()]


def reason_of(status, source):
    return {s['source']: s['reason'] for s in status['sources']}.get(
        'sonic.' + source) or ''


def test_a_text_of_a_port_that_is_no_value_is_told():
    for field, text in (('speed', '400G'), ('mtu', 'jumbo'),
                        ('lanes', '[1,2,3,4]'), ('index', '1,2'),
                        ('subport', 'a'), ('fec', 'rs-fec'),
                        ('admin_status', 'perhaps'), ('autoneg', 'perhaps')):
        switch = Switch('Ethernet0')
        switch.appl['PORT_TABLE:Ethernet0'][field] = text
        says = "PORT_TABLE of Ethernet0: %s is '%s', not a value" % (field,
                                                                    text)
        ask(switch, lambda status, s=says: s == reason_of(status, 'ports'),
            ['status'])


def test_a_word_for_none_is_not_told():
    switch = Switch('Ethernet0')
    switch.appl['PORT_TABLE:Ethernet0'].update(
        fec='N/A', autoneg='None', speed='N/A', subport='')
    port, status, _ = ask(
        switch, lambda port, _: port['port']['oper_status'] == 'up',
        ['port', 'Ethernet0'], ['status'])
    check(port['port']['speed_mbps'] is None, port['port'])
    check(reason_of(status, 'ports') == '', reason_of(status, 'ports'))


def test_a_port_that_is_only_configured_is_told_too():
    switch = Switch('Ethernet0', 'Ethernet4')
    switch.config['PORT|Ethernet4']['speed'] = 'fast'
    del switch.appl['PORT_TABLE:Ethernet4']
    ask(switch, lambda status: reason_of(status, 'ports') ==
        "PORT of Ethernet4 in CONFIG_DB: speed is 'fast', not a value",
        ['status'])


def test_lanes_that_are_not_all_numbers_are_not_counted():
    switch = Switch('Ethernet0')
    for row in (switch.appl['PORT_TABLE:Ethernet0'],
                switch.config['PORT|Ethernet0']):
        row['lanes'] = '[1,2,3,4]'
    said, _ = ask(switch, lambda port: port['port']['oper_status'] == 'up',
                  ['port', 'Ethernet0'])
    check(said['port']['lanes'] is None, said['port'])


def test_sixteen_lanes_are_said():
    switch = Switch()
    switch.port('Ethernet0', index='1', speed='1600000',
                lanes=','.join(map(str, range(16))))
    switch.state['TRANSCEIVER_INFO|Ethernet0'].update(
        host_lane_count='16', media_lane_count='16')
    ask(switch, lambda port: port['port']['lanes'] == 16,
        ['port', 'Ethernet0'])


def test_a_word_for_all_lanes_is_of_each_or_of_none():
    """As xcvrd wrote rx_los and tx_fault for QSFP28 and SFP before 2025-05."""
    switch = Switch('Ethernet0', 'Ethernet4', 'Ethernet8')
    switch.monitors('Ethernet0', 4, rx_los='True', tx_fault='False')
    switch.monitors('Ethernet4', 4, rx_los='False', tx_fault='True',
                    rx1power='-inf')
    switch.monitors('Ethernet8', 1, rx_los='False', tx_fault='True')
    wanted = {'Ethernet0': (True, None), 'Ethernet4': (None, True)}
    names = ('Ethernet0', 'Ethernet4', 'Ethernet8')
    said = [p['lanes'] for p in ask(
        switch, lambda *ports: all(p['lanes'] for p in ports),
        *(['port', n] for n in names))[:3]]
    for name, lanes in zip(wanted, said):
        check([(x['rx_los'], x['tx_fault']) for x in lanes] ==
              4 * [wanted[name]], name, lanes)
    check((said[2][0]['rx_los'], said[2][0]['tx_fault']) == (False, True),
          said[2])


def test_filler_is_no_limit():
    """Of modules without limits: all zeros, or all ones, as xcvrd writes."""
    switch = Switch('Ethernet0', 'Ethernet4', 'Ethernet8')
    edges = ('highalarm', 'highwarning', 'lowwarning', 'lowalarm')
    for name, limits in (('Ethernet0', (75, 70, 0, -5)),
                         ('Ethernet4', 4 * (0.0,)),
                         ('Ethernet8', 4 * (-0.004,))):
        switch.monitors(name, 4)
        switch.state['TRANSCEIVER_DOM_THRESHOLD|' + name] = {
            what + edge: limit / part for what, part in (
                ('temp', 1), ('vcc', 20), ('rxpower', 20), ('txpower', 20),
                ('txbias', 1)) for edge, limit in zip(edges, limits)}
    ask(switch, lambda *ports: [p['module']['temp_high_warn_c']
                                for p in ports if p['module']['temp_c']] ==
        [70.0, None, None],
        *(['port', 'Ethernet%d' % (4 * n)] for n in range(3)))


EXTENDED = "{'Extended Specification Compliance': '%s'}"
# What xcvrd writes of a module, and its medium.
MEDIA = (
    ("{1: {'module_media_interface_id': '400GBASE-VR4 (Clause 167)'}, "
     "2: {'module_media_interface_id': '100GBASE-VR1 (Clause 167)'}}", 'VR4'),
    ("{1: {'module_media_interface_id': '800GBASE-VR8 (Clause 167)'}}", 'VR8'),
    ("{1: {'module_media_interface_id': '400GBASE-ER8 (Clause 122)'}}", 'ER8'),
    (EXTENDED % '100G 4WDM-10', '4WDM'),
    (EXTENDED % '100G CLR4', 'CLR4'),
    (EXTENDED % '100GE-SWDM4', 'SWDM4'),
    (EXTENDED % '100GBASE-VR1 (P802.3db, Clause 167), CAUI-4 (no FEC)', 'VR'),
    ("{'10G Ethernet Compliance Codes': '10GBASE-LRM'}", 'LRM'),
    ("{'Ethernet Compliance Codes': '1000BASE-SX'}", 'SX'),
    ("{'Ethernet Compliance Codes': '1000BASE-LX'}", 'LX'),
    ("{'Ethernet Compliance Codes': 'Unknown'}", None),
)


def test_the_medium_is_known_by_its_word():
    """An optical module of an unknown medium may be a cable of copper."""
    names = ['Ethernet%d' % (4 * n) for n in range(len(MEDIA))]
    switch = Switch(*names)
    for name, (text, _) in zip(names, MEDIA):
        row = switch.state['TRANSCEIVER_INFO|' + name]
        del row['specification_compliance']
        row['application_advertisement' if text.startswith('{1:') else
            'specification_compliance'] = text
    wanted = {n: m for n, (_, m) in zip(names, MEDIA)}
    ask(switch, lambda ports: {p['port']: p['media']
                               for p in ports['ports']} == wanted, ['ports'])


def test_a_counter_with_a_blank_is_read():
    switch = Switch('Ethernet0')
    ask(switch, lambda port: {c['name']: c['value'] for c in
                              port['counters']}.get(
        'fec_corrected_codewords') == 4711, ['port', 'Ethernet0'])


def test_a_mark_of_configuration_of_the_wrong_type_is_told():
    switch = Switch('Ethernet0')
    switch.config['CONFIG_DB_INITIALIZED'] = ['1']
    says = ('CONFIG_DB_INITIALIZED is not a string (WRONGTYPE): whether '
            'CONFIG_DB is complete is not known')
    log = ask(switch, lambda status: reason_of(status, 'ports') == says,
              ['status'])[-1]
    check('without CONFIG_DB: ' + says in log, log)


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    agent.main(dict(globals()))

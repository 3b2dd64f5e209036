#!/usr/bin/env python3
"""Modules of more than eight lanes on SONiC, whose tables have eight: no port
shows the lanes of another one, and what is not read is told."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SLOW, Bed, check, main, wait_for  # noqa: E402
from driver_said import Running  # noqa: E402
from redis import Redis  # noqa: E402
from sonic_twin import Twin  # noqa: E402

# Ports of cage 7, and the lanes that each of them shows.
SHARED = ('Ethernet48', 'Ethernet50', 'Ethernet52', 'Ethernet54')


def widen(twin, ports, host, media, widths=None):
    """A module of so many lanes, shared by these ports alike, or not."""
    state, first = twin.db['STATE_DB'], 1000
    for i, port in enumerate(ports):
        each = widths[i] if widths else host // len(ports)
        lanes = ','.join(str(first + n) for n in range(each))
        first += each
        for db, key in (('APPL_DB', 'PORT_TABLE:'), ('CONFIG_DB', 'PORT|')):
            twin.db[db][key + port].update(lanes=lanes, speed=str(
                each * 100000))
        state['TRANSCEIVER_INFO|' + port].update(
            host_lane_count=str(host), media_lane_count=str(media))
    row = state['TRANSCEIVER_DOM_SENSOR|' + ports[0]]
    for n in range(1, 9):
        row.update({'rx%dpower' % n: '1.%d' % n, 'tx%dpower' % n: '0.%d' % n,
                    'tx%dbias' % n: '6%d.0' % n})


def lanes_of(bed, ports):
    """{port: lanes}, by the light that each has."""
    shown = {p: [] for p in ports}
    for row in bed.json('lanes', ','.join(ports)).get('lanes') or []:
        shown[row['port']].append(round(row['rx_dbm'] * 10) % 10)
    return shown


def shown_lanes(twin, ports, want):
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        with Bed(driver='sonic', root=redis.root, collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: lanes_of(bed, ports) == want, 20 * SLOW,
                           0.2), lanes_of(bed, ports))
            return bed.ask('coverage')[1], bed.ask('lanes', *ports)[1]


LIMIT = 'those from 9 on are not read: SONiC publishes eight'


def test_of_sixteen_lanes_eight_are_read_and_the_others_are_told():
    twin = Twin(warts=False)
    widen(twin, ('Ethernet0',), 16, 16)
    widen(twin, SHARED, 16, 16)
    said, lanes = shown_lanes(
        twin, ('Ethernet0',) + SHARED,
        {'Ethernet0': [*range(1, 9)], 'Ethernet48': [1, 2, 3, 4],
         'Ethernet50': [5, 6, 7, 8], 'Ethernet52': [], 'Ethernet54': []})
    check('2 modules have more than 8 lanes: ' + LIMIT in said, said)
    check('2 ports without lane readings' in lanes, lanes)


def test_sixteen_electrical_lanes_become_eight_of_light():
    twin = Twin(warts=False)
    widen(twin, SHARED, 16, 8)
    said, _ = shown_lanes(
        twin, SHARED, {p: [2 * i + 1, 2 * i + 2]
                       for i, p in enumerate(SHARED)})
    check(LIMIT not in said, said)


def test_sub_ports_of_unlike_widths_follow_each_other():
    """As SONiC numbers them for 1x400G(4)+2x200G(4), and the other way."""
    for widths, want in (((4, 2, 2), ([1, 2, 3, 4], [5, 6], [7, 8])),
                         ((2, 2, 4), ([1, 2], [3, 4], [5, 6, 7, 8]))):
        twin = Twin(warts=False)
        for db, key in (('APPL_DB', 'PORT_TABLE:'), ('CONFIG_DB', 'PORT|'),
                        ('STATE_DB', 'TRANSCEIVER_INFO|')):
            del twin.db[db][key + SHARED[3]]
        widen(twin, SHARED[:3], 8, 8, widths)
        shown_lanes(twin, SHARED[:3], dict(zip(SHARED, want)))


RX_LOS = 3


def test_a_dark_lane_is_the_cause_of_its_own_port_only():
    """As images before 2023 have it, without numbers of sub-ports."""
    twin = Twin(warts=False)
    widen(twin, SHARED, 8, 8)
    for port in SHARED:
        for db, key in (('APPL_DB', 'PORT_TABLE:'), ('CONFIG_DB', 'PORT|')):
            del twin.db[db][key + port]['subport']
        twin.db['APPL_DB']['PORT_TABLE:' + port]['oper_status'] = 'down'
    twin.db['STATE_DB']['TRANSCEIVER_STATUS_FLAG|' + SHARED[0]][
        'rx5los'] = 'True'

    def reasons(said):
        return {k[1]: v for k, v in said.samples().items()
                if k[2] == 'down_reason' and k[1] in SHARED}
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        got = reasons(Running('sonic', redis.root, 20, '--period-ms', '500')
                      .end(lambda s: RX_LOS in reasons(s).values()))
    check([p for p in SHARED if got.get(p) == RX_LOS] == [SHARED[2]], got)


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))

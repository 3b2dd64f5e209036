#!/usr/bin/env python3
"""VOQ and fabric switches: virtual output queues and the links between chips
are entities of their own, and can be seen; what is not read is said to be
blind."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SLOW, Bed, check, main, wait_for  # noqa: E402
from redis import Redis  # noqa: E402
from sonic_twin import Twin  # noqa: E402
from vswitch import VSwitch  # noqa: E402

FAR = 'Linecard2|Asic0|Ethernet4'
DROPPED, DELETED, DAMAGED = 777777, 4242, 500


def voq_switch():
    """As portsorch and fabricportsorch write it; see the mock tables of
    sonic-utilities, too."""
    db = Twin(warts=False).db
    counters, state = db['COUNTERS_DB'], db['STATE_DB']
    voqs, fabric = {}, {}
    for n, name in enumerate(['%s:%d' % (p, q) for q in range(2)
                              for p in ('Linecard1|Asic0|Ethernet0', FAR)]):
        voqs[name] = 'oid:0x1500000000a0%02x' % n
        mine = name == FAR + ':1'
        counters['COUNTERS:' + voqs[name]] = {
            'SAI_QUEUE_STAT_PACKETS': '900000',
            'SAI_QUEUE_STAT_BYTES': '900000000',
            'SAI_QUEUE_STAT_DROPPED_PACKETS': str(DROPPED if mine else 0),
            'SAI_QUEUE_STAT_DROPPED_BYTES': '0',
            'SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS':
            str(DELETED if mine else 0)}
        counters['COUNTERS_QUEUE_TYPE_MAP'][voqs[name]] = \
            'SAI_QUEUE_TYPE_UNICAST_VOQ'
    for n in range(3):
        oid = fabric['PORT%d' % n] = 'oid:0x1000000000f%02x' % n
        counters['COUNTERS:' + oid] = {
            'SAI_PORT_STAT_IF_IN_OCTETS': '1113',
            'SAI_PORT_STAT_IF_OUT_OCTETS': '77',
            'SAI_PORT_STAT_IF_IN_ERRORS': str(n),
            'SAI_PORT_STAT_IF_IN_FABRIC_DATA_UNITS': '6',
            'SAI_PORT_STAT_IF_OUT_FABRIC_DATA_UNITS': '5',
            'SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES': '10',
            'SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES': '1759692040',
            'SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS': '11'}
        state['FABRIC_PORT_TABLE|PORT%d' % n] = {'STATUS': 'down'}
    state['FABRIC_PORT_TABLE|PORT1'] = {
        'STATUS': 'up', 'REMOTE_MOD': '4', 'REMOTE_PORT': '79',
        'PORT_DOWN_COUNT': '3', 'ISOLATED': '1', 'AUTO_ISOLATED': '1',
        'CONFIG_ISOLATED': '0', 'POLL_WITH_ERRORS': '1'}
    counters['COUNTERS_VOQ_NAME_MAP'] = voqs
    counters['COUNTERS_FABRIC_PORT_NAME_MAP'] = fabric
    counters['COUNTERS_DEBUG_NAME_SWITCH_STAT_MAP'] = {
        'SWITCH_ID': 'oid:0x21000000000000'}
    counters['COUNTERS:oid:0x21000000000000'] = {
        'SAI_SWITCH_STAT_PACKET_INTEGRITY_DROP': str(DAMAGED)}
    db['CONFIG_DB']['DEVICE_METADATA|localhost']['switch_type'] = 'voq'
    return db


class Switch:
    def __init__(self, db):
        self.redis = Redis()
        self.redis.start()
        for name, content in db.items():
            self.redis.load(name, content)
        self.bed = Bed(driver='sonic', root=self.redis.root, collector=False)

    def __enter__(self):
        bed = self.bed.__enter__()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        return bed

    def __exit__(self, *what):
        self.bed.__exit__(*what)
        self.redis.stop()
        shutil.rmtree(self.redis.root, ignore_errors=True)


def limits(bed):
    return {x['source']: x['limit'] for x in bed.json('coverage')['limits']}


def test_voqs_and_fabric_ports_are_seen():
    with Switch(voq_switch()) as bed:
        check(wait_for(lambda: len(bed.json('queues')['voqs']) == 1 and
                       bed.json('links')['fabric'], 30 * SLOW, 0.2),
              bed.json('queues')['voqs'])
        row = bed.json('queues')['voqs'][0]
        check((row['system_port'], row['queue'], row['dropped_frames'],
               row['credit_wd_deleted_frames']) ==
              (FAR, 1, DROPPED, DELETED), row)
        said = bed.ask('queues')[1]
        check(str(DROPPED) in said and FAR in said, said)
        every = bed.json('queues', '--all')['voqs']
        check(len(every) == 4, every)
        check([r['queue'] for r in
               bed.json('queues', '--all', FAR)['voqs']] == [0, 1], every)
        check(bed.json('queues', '--all', 'Ethernet0')['voqs'] == [], every)
        links = {r['fabric_port']: r for r in bed.json('links')['fabric']}
        one = links['PORT1']
        check(set(links) == {'PORT0', 'PORT1', 'PORT2'} and one['st'] == 'up'
              and one['isolated'] and one['auto_isolated']
              and not one['config_isolated'] and one['falls'] == 3
              and one['uncorrectable_codewords'] == 1759692040
              and one['in_errors'] == 1 and one['in_cells'] == 6, one)
        check(links['PORT0']['st'] == 'down' and
              links['PORT0']['isolated'] is None, links['PORT0'])
        check('4:79' in bed.ask('links')[1], bed.ask('links')[1])
        check(wait_for(lambda: 'no signature covers virtual output queues' in
                       limits(bed).get('sonic.fabric', ''), 30 * SLOW, 0.2),
              limits(bed))


def test_a_kind_of_switch_that_is_not_read_is_blind():
    db = Twin(warts=False).db
    db['CONFIG_DB']['DEVICE_METADATA|localhost']['switch_type'] = 'dpu'
    with Switch(db) as bed:
        check(wait_for(lambda: "blind: switch_type 'dpu'" in
                       limits(bed).get('sonic.fabric', ''), 30 * SLOW, 0.2),
              limits(bed))


def test_a_played_voq_switch_is_read():
    with VSwitch('switch name=leaf7 ports=4 speed=400G lanes=4 seed=7 '
                 'group=2\n', '--voq', '--queues', '500ms') as v:
        with Bed(driver='sonic', root=v.root, collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: bed.json('queues', '--all')['voqs'] and any(
                r['rate_bps'] for r in bed.json('queues', '--all')['voqs']),
                           30 * SLOW, 0.2), bed.json('queues', '--all'))
            voqs = bed.json('queues', '--all')['voqs']
            check(voqs[0]['system_port'].startswith('leaf7|Asic0|Ethernet'),
                  voqs[0])
            check([r['st'] for r in bed.json('links')['fabric']] ==
                  ['up'] * 4, bed.json('links')['fabric'])
            seen = {r['signature']: r for r in bed.json('coverage')['coverage']}
            check(seen['shared_component']['na_ports'] == 0,
                  seen['shared_component'])
        config = v.redis[0].client('CONFIG_DB')
        cores = [config.ask('HGET', 'PORT|Ethernet%d' % n, 'core_id')
                 for n in (0, 8, 16, 24)]
        config.close()
        check(cores == ['0', '0', '1', '1'], cores)


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))

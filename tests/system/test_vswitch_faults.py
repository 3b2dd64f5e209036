#!/usr/bin/env python3
# petrel-test: timeout=120
"""What a scenario's faults move in SONiC's tables: each as the sonic driver sees
it on petrel-vswitch, beside a port that nothing befell. And what a switch's
own files say is what its databases say.
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import SLOW, check, wait_for                 # noqa: E402
from vswitch import VSwitch                             # noqa: E402

DUMP = agent.program('tests/driver_dump')
SCENARIO = '''switch name=vsf ports=8 speed=400G lanes=8 media=DR8 seed=9 dom=1s
port Ethernet32 media=ZR
at 3s Ethernet8 pfc_storm share=95%
at 3s Ethernet16 microburst rate=9 peak=90%
at 3s Ethernet24.2 dirty loss=8dB
at 3s Ethernet32 dirty loss=5dB
at 3s Ethernet40 down reason=light
at 3s Ethernet48 tx_decay bias=90% loss=5dB ramp=0s
'''
FAST = ('--queues', '1s', '--watermarks', '1s', '--dom', '1s', '--heat', '1s')
ACTED_S = 8 * SLOW


class Seen:
    """The driver's last word: {(kind, name or number, lane, quantity, index):
    value}."""

    def __init__(self, root):
        ran = subprocess.run(
            agent.WRAP + [DUMP, 'sonic', '--root', root, '--for',
                          str(2 * SLOW)], capture_output=True, text=True,
            check=False)
        check(ran.returncode == 0, ran.stderr[-500:])
        self.place, self.value, self.text = {}, {}, {}
        for line in ran.stdout.splitlines():
            self.take(json.loads(line))

    def take(self, x):
        handle = x.get('handle')
        if x['type'] == 'entity':
            parent = self.place.get(x['parent'])
            self.place[handle] = (
                (parent[0], parent[1], x['kind'], x['number']) if parent else
                (x['kind'], x['name'] or x['number']))
        elif x['type'] == 'attribute' and handle in self.place:
            self.text[self.place[handle], x['attribute']] = x['text']
        elif x['type'] == 'sample' and handle in self.place:
            self.value[self.place[handle], x['quantity'], x['index']] = \
                x['value']

    def get(self, place, quantity, index=0):
        return self.value.get((place, quantity, index))


def port(name):
    return ('port', name)


def below(name, kind, number):
    return ('port', name, kind, number)


def lane(cage, number):
    return ('module', cage, 'lane', number)


def storm_is_seen_by_the_watchdog(seen):
    sick, well = below('Ethernet8', 'queue', 3), below('Ethernet0', 'queue', 3)
    check(seen.get(sick, 'queue_storm') == 1, seen.get(sick, 'queue_storm'))
    check(seen.get(sick, 'queue_storms_detected') == 1)
    check(seen.get(well, 'queue_storm') == 0, seen.get(well, 'queue_storm'))
    check(seen.get(well, 'queue_storms_detected') == 0)
    paused = [seen.get(below(p, 'priority', 3), 'pfc_rx_pause_us')
              for p in ('Ethernet8', 'Ethernet0')]
    check(paused[0] > 100 * (paused[1] + 1), paused)


def bursts_fill_queue_headroom_and_pool(seen):
    sick = seen.get(below('Ethernet16', 'queue', 3),
                    'queue_watermark_octets')
    well = seen.get(below('Ethernet0', 'queue', 3), 'queue_watermark_octets')
    check(sick > 10 * well, sick, well)
    pool = seen.get(('pool', 'egress_lossless_pool'),
                    'pool_watermark_octets')
    check(pool >= sick // 2, pool, sick)
    room = [v for (place, quantity, _), v in seen.value.items()
            if place[:2] == port('Ethernet16') and
            quantity == 'pg_xoff_watermark_octets']
    check(max(room) > 0, room)
    size = seen.get(('pool', 'ingress_lossless_pool'), 'pool_size_octets')
    check(size == 67108864, size)


def dirt_raises_flags_and_their_counts(seen):
    low_warning = 3
    for quantity in ('lane_rx_power_flag', 'lane_rx_power_flag_changes'):
        check(seen.get(lane(4, 2), quantity, low_warning) == 1, quantity,
              seen.get(lane(4, 2), quantity, low_warning))
        check(seen.get(lane(4, 1), quantity, low_warning) == 0, quantity)


def wear_raises_the_flag_of_the_bias(seen):
    high_warning = 2
    check(any(seen.get(lane(7, n), 'lane_tx_bias_flag', high_warning)
              for n in range(1, 9)))


def coherent_line_is_seen_in_its_books(seen):
    book = {q: [seen.get(('module', 5), q, i) for i in range(3)]
            for q in ('pm_osnr_mdb', 'pm_pre_fec_ber_e18', 'pm_cd_ps_per_nm',
                      'pm_rx_signal_power_pw')}
    for quantity, (mean, least, most) in book.items():
        check(None not in (mean, least, most), quantity, book)
        check(least <= mean <= most, quantity, book)
    now = seen.get(lane(5, 1), 'vdm_osnr_mdb')
    check(now and now < 31000, now)      # 5 dB below what it was
    check(not any(p[:2] == ('module', 1) and q.startswith('pm_')
                  for p, q, _ in seen.value), 'of another module')


def dark_link_names_its_cause(seen):
    mac_local_fault, fec_sync_loss, signal_local_error = 0, 2, 11
    dark, well = port('Ethernet40'), port('Ethernet0')
    check(seen.get(dark, 'oper_status') != 1)
    check(seen.get(well, 'oper_status') == 1)
    bits = seen.get(dark, 'down_cause_bits')
    check(bits == 1 << mac_local_fault | 1 << fec_sync_loss |
          1 << signal_local_error, bits)
    check(seen.get(dark, 'down_cause_count', fec_sync_loss) == 1)
    check(seen.get(well, 'down_cause_count', fec_sync_loss) is None)


def peers_are_those_that_are_expected(seen):
    for name in ('Ethernet0', 'Ethernet24', 'Ethernet56'):
        told = [seen.text.get((port(name), w)) for w in
                ('peer_switch', 'peer_port', 'expected_peer_switch',
                 'expected_peer_port')]
        check(told[0] and told[1] and told[:2] == told[2:], name, told)


def files_say_what_the_databases_say(switch):
    state = switch.redis[0].client(6)
    config = switch.redis[0].client(4)

    def text(*path):
        with open(os.path.join(switch.root, *path), encoding='utf-8') as f:
            return f.read()

    boot = json.loads(text('host/reboot-cause/previous-reboot-cause.json'))
    rows = state.ask('KEYS', 'REBOOT_CAUSE|*')
    check(rows == ['REBOOT_CAUSE|' + boot['gen_time']], rows, boot)
    check(state.ask('HGET', rows[0], 'time') == boot['time'], boot)
    platform = config.ask('HGET', 'DEVICE_METADATA|localhost', 'platform')
    sku = config.ask('HGET', 'DEVICE_METADATA|localhost', 'hwsku')
    check('onie_platform=' + platform in text('host/machine.conf'), platform)
    folder = os.path.join('usr/share/sonic/device', platform)
    daemons = json.loads(text(folder, 'pmon_daemon_control.json'))
    check(daemons['xcvrd']['dom_update_interval'] == 1, daemons)
    for line in text(folder, sku, 'port_config.ini').splitlines()[1:]:
        name, lanes, alias, index, speed = line.split()
        row = config.ask('HMGET', 'PORT|' + name, 'lanes', 'alias', 'index',
                         'speed')
        check(row == [lanes, alias, index, speed], row, line)
    state.close()
    config.close()


def tsa_is_told_as_a_change(switch):
    with agent.Bed(driver='sonic', root=switch.root) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: any(
            s['source'] == 'sonic.changes' and s['state'] == 'fresh'
            for s in bed.json('status').get('sources', [])), 20 * SLOW, 0.2))
        time.sleep(SLOW)
        switch.tell('TSA')
        seen = wait_for(lambda: [c for c in bed.json(
            'changes', '--since', '1h')['changes']
            if 'tsa' in json.dumps(c).lower()], 20 * SLOW, 0.2)
    check(seen, 'no change of TSA was told')


def main():
    suite = agent.Suite()
    with VSwitch(SCENARIO, *FAST, journal=False) as switch:
        time.sleep(ACTED_S)
        seen = Seen(switch.root)
        for test in (storm_is_seen_by_the_watchdog,
                     bursts_fill_queue_headroom_and_pool,
                     dirt_raises_flags_and_their_counts,
                     wear_raises_the_flag_of_the_bias,
                     coherent_line_is_seen_in_its_books,
                     dark_link_names_its_cause,
                     peers_are_those_that_are_expected):
            suite.run('test_vswitch_' + test.__name__,
                      lambda test=test: test(seen))
        for test in (files_say_what_the_databases_say,
                     tsa_is_told_as_a_change):
            suite.run('test_vswitch_' + test.__name__,
                      lambda test=test: test(switch))
    suite.end()


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# petrel-test: timeout=90
"""petrel sensors, petrel show and --asic, of a SONiC switch of two ASICs."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402
from vswitch import VSwitch                             # noqa: E402

SCENARIO = ('switch name=sw ports=4 speed=400G lanes=4 media=DR4 fec=rs544 '
            'seed=7 queues=4\n')


def ask(bed, *args, code=0):
    status, out, error = bed.ask(*args)
    check(status == code, args, status, error)
    return out if code == 0 else error


def values(bed, *entity):
    return bed.json('show', *entity)['values']


def sensors_are_shown(bed):
    rows = {r['sensor']: r for r in bed.json('sensors')['sensors']}
    check(rows['cpu']['temp_c'] > 0 and rows['cpu']['temp_high_c'] == 75.0,
          rows['cpu'])
    check(rows['fan1']['fan_speed_ppm'] > 0 and rows['fan1']['state'] == 'ok',
          rows['fan1'])
    check(rows['PSU 1']['power_w'] > 0 and rows['PSU 1']['voltage_v'] > 0,
          rows['PSU 1'])
    # thermalctld writes once a minute: what is younger is no old value
    stale = [k for r in rows.values() for k in r if k.endswith('_quality')]
    every = [s['interval_s'] for s in bed.json('status')['sources']
             if s['source'].endswith('sonic.sensors')]
    check(not stale and every and set(every) == {60.0}, stale, every)
    text = ask(bed, 'sensors', 'fan', 'psu').splitlines()
    names = [line.split('  ')[0] for line in text[1:]]
    check(names == sorted(names) and 'cpu' not in names, names)
    check("'nix'" in ask(bed, 'sensors', 'nix', code=66))


def entities_are_shown(bed):
    port = bed.json('ports')['ports'][0]
    shown = bed.json('show', port['port'])
    check(shown['entity']['kind'] == 'port', shown['entity'])
    alias = [a for a in shown['attributes'] if a['attribute'] == 'alias']
    check(alias[0]['text'] == port['alias'], alias)
    octets = [v for v in shown['values'] if v['quantity'] == 'if_in_octets']
    check(octets[0]['value'] >= 0 and octets[0]['unit'] == 'octets' and
          octets[0]['source'] == 'sonic.counters' and
          octets[0]['age_s'] < 60, octets)
    has = {c['kind']: c['count'] for c in shown['children']}
    check(has['queue'] == 4, has)
    gone = {a['quantity']: a['because'] for a in shown['absent']}
    check(gone['phy_rx_vga'] == 'no source on this switch reports it', gone)
    check(not set(gone) & {v['quantity'] for v in shown['values']}, gone)
    check('phy_rx_vga' not in ask(bed, 'show', port['port']))
    check('phy_rx_vga' in ask(bed, 'show', port['port'], '--all'))


def ways_to_an_entity(bed):
    port = bed.json('ports')['ports'][0]['port']
    by_port = values(bed, port, 'lane', '2')
    check([v for v in by_port if v['quantity'] == 'lane_rx_power_pw'], by_port)
    check(bed.json('show', 'PSU', '1')['entity']['name'] == 'PSU 1')
    check(bed.json('show', 'asic1')['entity']['kind'] == 'asic')
    check(bed.json('show', 'switch')['entity']['kind'] == 'switch')
    module = bed.json('show', port, 'module')['entity']
    cage = bed.json('show', 'cage', str(module['number']))['entity']
    check(cage == module, cage, module)
    check("nothing is named 'nix'" in ask(bed, 'show', 'nix', code=66))
    check('needs a number' in ask(bed, 'show', port, 'queue', code=64))
    check('no queue 99' in ask(bed, 'show', port, 'queue', '99', code=66))


def modules_show_what_decode_does(bed):
    """Thresholds and VDM of each lane."""
    lane = bed.json('lanes', 'all')['lanes'][0]
    check(lane['rx_high_alarm_dbm'] > lane['rx_low_alarm_dbm'], lane)
    check(lane['pre_fec_ber_min'] <= lane['pre_fec_ber_max'] and
          'ltp_db' in lane, lane)
    module = bed.json('modules')['modules'][0]
    check(module['temp_high_alarm_c'] > module['temp_high_warning_c'], module)


def only_one_asic(bed):
    for verb in (['ports'], ['links'], ['modules'], ['lanes', 'all'],
                 ['queues', '--all'], ['buffers', '--all']):
        answer = bed.json(*verb, '--asic', '1')
        rows = next(v for v in answer.values() if isinstance(v, list))
        check(rows and {r['asic'] for r in rows} == {'asic1'}, verb, rows[:2])
    check(bed.json('ports', '--asic', 'ASIC0')['ports'])
    check('has asic0 asic1' in ask(bed, 'ports', '--asic', '7', code=66))


def known(rows, name):
    """The members that a row has, by the row's name."""
    return {r[name]: {k for k, v in r.items() if v is not None} for r in rows}


def nothing_is_lost_with_the_agent(bed):
    """Every source's values are in the rings; flaps the agent counts itself."""
    verbs = (('sensors', 'sensor'), ('modules', 'cage'), ('links', 'port'))
    before = {verb: known(bed.json(verb)[verb], name)
              for verb, name in verbs}
    bed.agent.kill(signal.SIGKILL)
    for verb, name in verbs:
        status, out, error = bed.ask('--json', verb)
        left = known(json.loads(out)[verb], name)
        missing = [(row, has - left.get(row, set()) - {'flaps_24h'})
                   for row, has in before[verb].items()]
        check(status == 3 and not any(keys for _, keys in missing), verb,
              status, error, missing)


def test_all_that_is_read_can_be_seen():
    with VSwitch(SCENARIO, asics=2, journal=False) as switch, \
            agent.Bed(driver='sonic', root=switch.root,
                      collector=False) as bed:
        bed.agent.start()
        bed.wait_serving(60)
        wait_for(lambda: len(bed.json('ports')['ports']) >= 4 and
                 any(v['quantity'] == 'lane_rx_power_pw' for v in values(
                     bed, bed.json('ports')['ports'][0]['port'], 'lane',
                     '1')), 40)
        wait_for(lambda: any(s['sensor'] == 'cpu' for s in
                             bed.json('sensors')['sensors']), 20)
        sensors_are_shown(bed)
        entities_are_shown(bed)
        ways_to_an_entity(bed)
        only_one_asic(bed)
        wait_for(lambda: all(bed.json('lanes', 'all')['lanes'][0][k] for k in
                             ('rx_high_alarm_dbm', 'pre_fec_ber_min')), 30)
        modules_show_what_decode_does(bed)
        nothing_is_lost_with_the_agent(bed)


if __name__ == '__main__':
    agent.main(globals())

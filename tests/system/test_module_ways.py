#!/usr/bin/env python3
"""One plant, two ways: what the module driver reads of EEPROM files is what the
sonic driver reads of STATE_DB, to the last digit that SONiC prints. Both are
petrel-vswitch's, written at the same moment. And the agent with the module
driver alone: petrel shows the modules, strace sees no file opened for writing.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402
from folder import OpenFolder                           # noqa: E402
from vswitch import VSwitch                             # noqa: E402

DUMP = agent.program('tests/driver_dump')
# Modules take their readings once, and xcvrd reads them once, so that both
# ways are asked about the same moment.
STILL = ' dom=1h\n'
FORMS = {
    'CMIS': 'switch ports=4 speed=800G lanes=8 media=DR8 seed=21',
    'SFF-8636': 'switch ports=4 speed=100G lanes=4 media=SR4 fec=rs528 seed=22',
    'CMIS coherent': 'switch ports=3 speed=400G lanes=8 media=ZR seed=24',
    'SFF-8472': 'switch ports=4 speed=25G lanes=1 media=SR4 fec=rs528 seed=23',
}
# What one way cannot have. Flags are cleared by reading, and statistics are of
# one moment only while frozen, so that by EEPROM the owner alone has them (C6).
OWNERS = re.compile(r'_flag(_changes)?$|_changes$|^lane_rx_los$|^lane_tx_fault$'
                    r'|^vdm_.*(_min|_max|_avg)')
# The books of a coherent module are such, too, and it is asked as its owner: on
# a vswitch nobody is in the way.
KEPT = re.compile(r'^pm_|^vdm_pre_fec_ber_(min|max|avg)_e18$')
# A coherent module has one lane of light, of which SONiC's rows tell for eight.
LIGHTS = {'lane_tx_disabled', 'lane_tx_output_valid'}
# xcvrd's own word on a module, and what the host asked it for.
XCVRDS = {'module_xcvr_state', 'module_xcvr_error', 'module_present'}
# petrel-vswitch reckons it from what the port counted between two readings;
# the plant's modules do not keep books.
RECKONED = {'vdm_ferc_e18', 'vdm_ferc_threshold_e18'}
# What SONiC has no field for.
NO_FIELD = {'module_power_class', 'module_max_power_uw', 'module_low_power',
            'module_wavelength_pm', 'lane_application', 'lane_rx_disabled',
            'lane_tx_cdr_on', 'lane_rx_cdr_on', 'lane_data_path',
            'vdm_evm_ppm', 'vdm_evm_threshold_ppm', 'pm_mer_mdb',
            'module_rx_power_average', 'module_case_temp_limit_mc',
            'module_attenuation_mdb', 'module_wavelength_tolerance_pm',
            'lane_staged_application', 'lane_staged_data_path',
            'module_vdm_groups', 'module_vdm_freeze_asked',
            'module_vdm_frozen', 'lane_host_lanes', 'lane_laser_channel',
            'lane_laser_grid_mhz', 'module_laser_grid_supported'}
# What it has as a sentence, of which the sonic driver keeps no number.
SENTENCES = {'module_reach_m', 'module_bit_rate_mbps', 'module_encoding',
             'module_extended_identifier', 'module_rate_select'}
LEAST = {'CMIS': 200, 'CMIS coherent': 300, 'SFF-8636': 120,
         'SFF-8472': 40}
SHOWN_S = 2 * agent.SLOW


def said(driver, root, *options):
    """Values by (cage, lane, quantity, index), and texts of modules."""
    env = dict(os.environ)
    if 'owner=yes' in options:      # the log is of the default mode (C6)
        env.pop('PETREL_ACCESS_LOG', None)
    ran = subprocess.run(
        agent.WRAP + [DUMP, driver, '--root', root, '--for', str(SHOWN_S),
                      *options], capture_output=True, text=True, check=False,
        env=env)
    check(ran.returncode == 0, driver, ran.stderr[-500:], ran.stdout[-500:])
    place, values, texts = {}, {}, {}
    for line in ran.stdout.splitlines():
        x = json.loads(line)
        handle = x.get('handle')
        if x['type'] == 'entity':
            place[handle] = (
                (x['number'], 0) if x['kind'] == 'module' else
                (place[x['parent']][0], x['number']) if x['kind'] == 'lane'
                else None)
        elif place.get(handle) is None:
            continue
        elif x['type'] == 'attribute':
            texts[place[handle][0], x['attribute']] = x['text']
        elif x['type'] == 'sample' and x['quality'] != \
                3:              # QUALITY_IMPLAUSIBLE
            values[(*place[handle], x['quantity'], x['index'])] = x['value']
    return values, texts


def printed(form, quantity, value):
    """A value as SONiC prints it: three decimals of its unit; SFF modules'
    power is rounded to a microwatt before it becomes dBm.
    """
    if quantity.endswith('_pw'):
        if 'CMIS' not in form and 'threshold' not in quantity:
            value = round(value / 1e6) * 1e6
        return '%.3f' % (10 * math.log10(value / 1e9)) if value > 0 else '-inf'
    if quantity.endswith('_uv'):
        return '%.3f' % (value / 1e6)
    return value


def compare(form, root):
    by_sonic, sonic_texts = said('sonic', root)
    coherent = form == 'CMIS coherent'
    by_module, texts = said('module', root, '--blocking',
                            *(['owner=yes'] if coherent else []))
    lanes = {k[:2] for k in by_module}
    wrong, same = [], 0
    for key in sorted(by_sonic):
        quantity = key[2]
        owners = OWNERS.search(quantity) and not (
            coherent and KEPT.search(quantity))
        if (owners or quantity in XCVRDS or quantity in RECKONED or
                key[:2] not in lanes or
                (coherent and key[1] > 1 and quantity in LIGHTS)):
            continue
        got = by_module.get(key)
        if got is None:
            wrong.append((key, by_sonic[key], 'not by EEPROM'))
        elif printed(form, quantity, got) != printed(form, quantity,
                                                     by_sonic[key]):
            wrong.append((key, by_sonic[key], got))
        else:
            same += 1
    missing = sorted(q for q in {k[2] for k in by_module} -
                     {k[2] for k in by_sonic} - NO_FIELD - SENTENCES
                     if not (coherent and OWNERS.search(q)))
    for cage in {k[0] for k in lanes}:
        for which in ('vendor', 'part', 'serial'):
            if texts.get((cage, which)) != sonic_texts.get((cage, which)):
                wrong.append((cage, which, texts.get((cage, which)),
                              sonic_texts.get((cage, which))))
    return wrong, same, missing


def ways(form):
    if not shutil.which('redis-server'):
        return None
    with VSwitch(FORMS[form] + STILL) as switch:
        wrong, same, missing = compare(form, switch.root)
        if form == 'CMIS coherent':
            others, _ = said('module', switch.root, '--blocking')
            books = sorted(k for k in others if k[2].startswith('pm_'))
            check(others and not books, 'not the owner', books[:3])
    print('# %s: %d values are the same both ways' % (form, same))
    check(not wrong, len(wrong), wrong[:12])
    check(not missing, 'by EEPROM alone', missing)
    check(same >= LEAST[form], same)
    return None


def test_cmis_by_eeprom_is_as_by_sonics_tables():
    ways('CMIS')


def test_coherent_by_eeprom_is_as_by_sonics_tables():
    ways('CMIS coherent')


def test_sff8636_by_eeprom_is_as_by_sonics_tables():
    ways('SFF-8636')


def test_sff8472_by_eeprom_is_as_by_sonics_tables():
    ways('SFF-8472')


def cages_make(folder):
    """A root with a module of each form, and its map."""
    for n, form in enumerate(sorted(FORMS)):
        scenario = os.path.join(folder, 'scenario')
        with open(scenario, 'w', encoding='ascii') as f:
            f.write(FORMS[form] + '\n')
        cage = os.path.join(folder, 'cage%d' % n)
        os.makedirs(cage)
        subprocess.run([agent.program('tests/support/eeprom_make'), scenario,
                        '100', cage], check=True)
    with open(os.path.join(folder, 'map'), 'w', encoding='ascii') as f:
        for n in range(len(FORMS)):
            f.write('%d file /cage%d/0.bin Port%d\n' % (n + 1, n, n))


def test_c06_kernel_saw_no_module_opened_for_writing():
    if not shutil.which('strace') or agent.WRAP:
        return
    with OpenFolder() as folder:
        cages_make(folder)
        trace = os.path.join(folder, 'trace')
        ran = subprocess.run(
            ['strace', '-f', '-o', trace, '-e',
             'trace=open,openat,openat2,pwrite64,pwritev,ioctl', DUMP,
             'module', '--root', folder, '--for', '2', '--blocking',
             'map=/map'], capture_output=True, text=True, check=False)
        with open(trace, encoding='utf-8', errors='replace') as f:
            lines = [x for x in f if '.bin' in x or '/dev/i2c' in x or
                     'pwrite' in x]
    opened = [x for x in lines if '.bin' in x and 'open' in x]
    print('# %d times a module was opened' % len(opened))
    check(ran.returncode == 0 and len(opened) >= 9, ran.stderr[-300:])
    bad = [x for x in lines if 'O_RDONLY' not in x or 'pwrite' in x]
    check(not bad, bad[:3])


SPEED = 4       # of the agents' clocks
CAGES = len(FORMS)


def cdb_answer(path):
    """What somebody's CDB command 0100h left in a module's memory."""
    with open(path, 'r+b') as f:
        raw = bytearray(f.read().ljust(0xa1 * 128, b'\0'))
        page = raw[0xa0 * 128:]
        page[:8] = b'\x01\0\0\0\0\xfe\x6e\0'
        page[8:14] = b'\x43\x01' + raw[39:41] + b'\0\x63'
        page[7] = 0xff - sum(page[8:118]) % 256
        raw[0xa0 * 128:] = page
        raw[37] = 1
        one = 0x02 * 128                # page 01h
        raw[one + 35] |= 0x40
        raw[one + 127] = sum(raw[one + 2:one + 127]) % 256
        f.seek(0)
        f.write(raw)


def banks_say(path, count):
    """As if a module of CMIS 5.4 had that many banks."""
    with open(path, 'r+b') as f:
        raw = bytearray(f.read())
        raw[1] = 0x54
        one = 0x02 * 128                # page 01h
        raw[one + 14] |= 0x03
        raw[one + 46] = count - 1
        raw[one + 127] = sum(raw[one + 2:one + 127]) % 256
        f.seek(0)
        f.write(raw)


def test_modules_stand_on_their_own_where_no_port_is_known():
    with OpenFolder() as folder:
        os.makedirs(os.path.join(folder, 'run'))
        cages_make(folder)
        cdb_answer(os.path.join(folder, 'cage0', '0.bin'))
        banks_say(os.path.join(folder, 'cage0', '0.bin'), 6)
        with open(os.path.join(folder, 'map'), 'w', encoding='ascii') as f:
            for n in range(CAGES):      # the third is on a port
                f.write('%d file /cage%d/0.bin %s\n' %
                        (n + 1, n, 'Port2' if n == 2 else ''))
        with agent.Bed(driver='module', root=folder,
                       haste=agent.Haste(SPEED), extra='[Module]\nmap = /map\n') as bed:
            bed.collector.start()
            bed.agent.start()
            bed.wait_serving()
            of = {'Port2', 'cage 1', 'cage 2', 'cage 4'}
            check(wait_for(lambda: lane_owners(bed) == of, 20 * agent.SLOW,
                           0.1), lane_owners(bed))
            modules = bed.json('modules')['modules']
            check([(x['cage'], x['ports']) for x in modules] ==
                  [(3, 'Port2'), (1, None), (2, None), (4, None)], modules)
            check(all(x['serial'] for x in modules), modules)
            check([x['firmware_images'] for x in modules] == [
                None, 'A 1.4.99 running committed, B empty', None, None],
                  modules)
            check('A 1.4.99 running committed, B empty' in
                  bed.ask('modules', '--wide')[1] and 'IMAGES' not in
                  bed.ask('modules')[1], bed.ask('modules', '--wide'))
            lanes = bed.json('lanes', 'all')['lanes']
            check([x['module_lane'] for x in lanes if x['port'] == 'cage 1'] ==
                  list(range(1, 9)), lanes)
            text = bed.ask('lanes', 'CAGE 1-2')[1]
            check('cage 1' in text and 'cage 2' in text and
                  'Port2' not in text and 'cage 4' not in text, text)
            for cage in (1, 3):
                chosen = bed.json('modules', 'cage %d' % cage)['modules']
                check([x['cage'] for x in chosen] == [cage], chosen)
            said = bed.ask('modules', 'cage 9')
            check(said[0] == 66 and 'cage 1' in said[2], said)
            said = bed.ask('port', 'cage 1')    # is no port
            check(said[0] == 66 and 'petrel ports' in said[2] and
                  'cage 2' not in said[2], said)
            named_await(bed, {'Port2', 'Port2/lane1', 'cage 1',
                              'cage 1/lane8'})
            limits = bed.json('coverage')['limits']
            check({'source': 'module', 'limit': '1 module has more than 32 '
                   'lanes: those from 33 on are not read'} in limits, limits)


def lane_owners(bed):
    """Which ports and cages have any."""
    return {x['port'] for x in bed.json('lanes', 'all').get('lanes', [])}


def names_printed(bed):
    """What the collector calls what it has values of."""
    return {value['name'] for r in bed.records(('values',))
            for value in r.get('content', {}).get('values', ())}


def named_await(bed, wanted):
    wait_for(lambda: wanted <= names_printed(bed), 20 * agent.SLOW, 0.5)
    names = names_printed(bed)
    check(wanted <= names, sorted(names)[:40])
    check(not [x for x in names if '?' in x], sorted(names))


def test_health_tells_of_modules_without_ports():
    with OpenFolder() as folder:
        os.makedirs(os.path.join(folder, 'run'))
        cages_make(folder)
        with open(os.path.join(folder, 'map'), 'w', encoding='ascii') as f:
            f.write('7 file /cage0/0.bin\n')
        with agent.Bed(driver='module', root=folder, collector=False,
                       haste=agent.Haste(SPEED), extra='[Module]\nmap = /map\n') as bed:
            bed.agent.start()
            bed.wait_serving()
            wait_for(lambda: '1 module is read' in bed.ask('health')[1],
                     20 * agent.SLOW)
            said = bed.ask('health')
            check(said[0] == 3 and '1 module is read, but no port is known' in
                  said[1], said)
            check('1 module is read' in bed.ask()[1].splitlines()[0],
                  bed.ask())
            check('modules are read, but no port is known' in
                  bed.ask('coverage')[1], bed.ask('coverage'))


RX_3_AT = 0x11 * 128 + 190      # where optoe has what lane 3 receives


def lanes_of(bed):
    said = bed.json('lanes', 'Port0')       # none while it is not known
    return {x['lane']: x for x in said.get('lanes', [])}


def faults_await(bed, words):
    """Until lane 3 says that."""
    wait_for(lambda: lanes_of(bed).get(3, {}).get('reading_faults') == words,
             20 * agent.SLOW)
    lane = lanes_of(bed).get(3, {})
    check(lane.get('reading_faults') == words, lane)


def octets_swap(path, at, octets):
    """Puts them into a module's memory; what was there before."""
    with open(path, 'r+b') as f:
        f.seek(at)
        before = f.read(len(octets))
        f.seek(at)
        f.write(octets)
    return before


def test_petrel_tells_what_cannot_be_and_that_it_ended():
    with OpenFolder() as folder:
        os.makedirs(os.path.join(folder, 'run'))
        cages_make(folder)
        path = os.path.join(folder, 'cage0', '0.bin')
        with agent.Bed(driver='module', root=folder, collector=False,
                       haste=agent.Haste(SPEED), extra='[Module]\nmap = /map\n') as bed:
            bed.agent.start()
            bed.wait_serving()
            faults_await(bed, '')
            whole = octets_swap(path, RX_3_AT, b'\xff\xff')
            faults_await(bed, 'all ones')
            lanes = lanes_of(bed)
            check(lanes[4]['reading_faults'] == '', lanes[4])
            check(lanes[3]['rx_mw'] is None, lanes[3])
            module = bed.json('modules')['modules'][0]
            check(module['reading_faults'] == 'all ones', module)
            for words in (('lanes', 'Port0'), ('modules',)):
                said = bed.ask(*words)
                check('monitors implausible: all ones' in said[1], said)
            octets_swap(path, RX_3_AT, whole)
            faults_await(bed, '')


if __name__ == '__main__':
    agent.main(globals())

#!/usr/bin/env python3
# petrel-test: timeout=120
"""What platforms of several vendors write into the same tables: units, words
for a part's state, one name for two sensors; counters later than stated."""
import contextlib
import os
import shlex
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
from redis import Redis                                 # noqa: E402

LONG = 'Rear fan tray of the switch card in slot 12, counter-rotating 1'
STAMP = {'timestamp': '20261128 10:00:00'}


@contextlib.contextmanager
def redis_client(redis):
    client = redis.client('COUNTERS_DB')
    try:
        yield client
    finally:
        client.close()


def electric(what, value, unit, high, **more):
    return dict({what: value, 'unit': unit, 'high_threshold': high,
                 'low_threshold': 'N/A', 'warning_status': 'False'},
                **STAMP, **more)


def part(presence, status, **more):
    return dict({'presence': presence, 'status': status}, **STAMP, **more)


def fitted(name):
    """As a name of more than 63 octets is shown: cut, with a checksum."""
    hashed = 0xcbf29ce484222325
    for octet in name.encode():
        hashed = (hashed ^ octet) * 0x100000001b3 % 2 ** 64
    return '%s~%08x' % (name[:54], (hashed ^ hashed >> 32) % 2 ** 32)


def sensors_of(bed):
    return {s['sensor']: s for s in bed.json('sensors')['sensors']}


def check_sensors(rows, expected):
    """rows: of STATE_DB; expected: {sensor: {member: value}}."""
    with Redis() as redis:
        redis.load('STATE_DB', rows)
        with agent.Bed(driver='sonic', root=redis.root,
                       collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(agent.wait_for(lambda: len(sensors_of(bed)) >=
                                 len(expected), 20 * agent.SLOW, 0.2),
                  'not all are there:', sorted(sensors_of(bed)))
            said = sensors_of(bed)
            wrong = ['%s: %s is %s, not %s' % (name, k, said.get(name, {}).get(
                k, 'missing'), v) for name, members in expected.items()
                     for k, v in members.items()
                     if said.get(name, {}).get(k, 'missing') != v]
            check(not wrong, '; '.join(wrong))
            return {s['source']: s['reason'] for s in
                    bed.json('status')['sources']}['sonic.sensors']


def test_voltages_and_currents_are_in_the_unit_of_their_row():
    reason = check_sensors({
        'VOLTAGE_INFO|a': electric('voltage', '1200', 'mV', '1400'),
        'VOLTAGE_INFO|b': electric('voltage', '1.2345', 'V', '1.4'),
        'VOLTAGE_INFO|c': electric('voltage', '1200000', 'uV', '1400000'),
        'VOLTAGE_INFO|d': electric('voltage', '1200.5', 'N/A', '1400'),
        'VOLTAGE_INFO|e': electric('voltage', '12', 'bar', '14'),
        'CURRENT_INFO|f': electric('current', '3400', 'mA', '4000'),
        'CURRENT_INFO|g': electric('current', '3.4', 'A', '4'),
    }, {
        'a': {'voltage_v': 1.2, 'voltage_high_v': 1.4},
        'b': {'voltage_v': 1.2345, 'voltage_high_v': 1.4},
        'c': {'voltage_v': 1.2, 'voltage_high_v': 1.4},
        'd': {'voltage_v': 1.2005, 'voltage_high_v': 1.4},
        'e': {'voltage_v': None, 'voltage_high_v': None, 'state': 'ok'},
        'f': {'current_ma': 3400.0, 'current_high_ma': 4000.0},
        'g': {'current_ma': 3400.0, 'current_high_ma': 4000.0},
    })
    check(reason == "VOLTAGE_INFO of e: unit is 'bar', not a value", reason)


def test_a_part_says_in_several_words_how_it_is():
    check_sensors({
        'FAN_INFO|fan1': part('True', 'True', speed='55%'),
        'FAN_INFO|fan2': part('True', 'Not OK', speed='55'),
        'FAN_INFO|fan3': part('True', 'False', speed='5500RPM'),
        'FAN_INFO|fan4': part('False', 'N/A', speed='N/A'),
        'FAN_INFO|fan5': part('True', 'OK'),
        'FAN_INFO|fan6': part('True', 'broken'),
        'FAN_INFO|fan7': part('True', 'True', speed='-1'),
        'FAN_INFO|' + LONG: part('True', 'True'),
        'PSU_INFO|PSU 1': part('true', 'true', voltage='12.01'),
        'PSU_INFO|PSU 2': part('Present', 'NOT OK'),
        'PSU_INFO|PSU 3': part('Not Present', 'false'),
    }, {
        'fan1': {'state': 'ok', 'fan_speed_ppm': 550000},
        'fan2': {'state': 'failed', 'fan_speed_ppm': 550000},
        'fan3': {'state': 'failed', 'fan_rpm': 5500},
        'fan4': {'state': 'absent'},
        'fan5': {'state': 'ok'},
        'fan6': {'state': None},        # present, and nothing else is known
        'fan7': {'state': 'ok', 'fan_speed_ppm': None},     # an error's code
        LONG: {'state': 'ok'},
        'PSU 1': {'state': 'ok', 'voltage_v': 12.01},
        'PSU 2': {'state': 'failed'},
        'PSU 3': {'state': 'absent'},
    })


def test_a_name_of_several_words_is_one_word_of_the_log():
    with Redis() as redis:
        redis.load('STATE_DB', {'FAN_INFO|Tray 2 "left"': part(
            'True', 'False', speed='0')})
        with agent.Bed(driver='sonic', root=redis.root,
                       collector=False) as bed:
            bed.agent.start()
            check(agent.wait_for(lambda: 'state=raised' in bed.agent.log(),
                                 60 * agent.SLOW, 0.5), bed.agent.log())
            line = next(x for x in bed.agent.log().splitlines()
                        if 'state=raised' in x)
            words = dict(x.split('=', 1) for x in shlex.split(line)
                         if '=' in x)
            check(words['port'] == 'Tray 2 "left"' and
                  'Tray 2 "left"' in words['cause'], line)


def test_a_temperature_that_cannot_be_is_implausible():
    """Codes of a sensor that was not read, and what a hot one may have."""
    said = {'-127': True, '65535': True, '-273.15': True, '999.0': True,
            '-40': False, '0.0': False, '125.5': False}
    check_sensors({'TEMPERATURE_INFO|t' + text: dict(
        STAMP, temperature=text, warning_status='False', high_threshold='80')
                   for text in said}, {
        't' + text: {'temp_c': float(text), 'temp_quality': 'implausible' if
                     wrong else 'missing'} for text, wrong in said.items()})


def test_a_name_that_is_too_long_is_cut_and_stays_unique():
    names = [LONG + ', rotor %d' % n for n in (1, 2)]
    rows = {'FAN_INFO|' + name: part('True', ok)
            for name, ok in zip(names, ('True', 'False'))}
    rows['TEMPERATURE_INFO|' + LONG] = dict(STAMP, temperature='33',
                                            warning_status='False')
    rows['VOLTAGE_INFO|' + LONG] = electric('voltage', '1200', 'mV', '1400')
    rows['FAN_INFO|' + 40 * 'x' + 60 * 'y'] = part('True', 'True')
    reason = check_sensors(rows, {
        fitted(names[0]): {'state': 'ok'},
        fitted(names[1]): {'state': 'failed'},
        LONG: {'temp_c': 33.0, 'voltage_v': None},
        fitted(LONG + ' voltage'): {'voltage_v': 1.2},
    })
    check(reason == '1 names of sensors are left out: longer than 95 octets, '
          'or too many', reason)


def test_a_card_says_how_it_is():
    """Also a DPU of a smart switch."""
    words = {'Online': 'ok', 'Offline': 'off', 'PoweredDown': 'off',
             'Present': 'starting', 'Fault': 'failed', 'Empty': 'absent'}
    check_sensors({'CHASSIS_MODULE_TABLE|DPU%d' % n: {
        'desc': 'DPU', 'slot': 'N/A', 'oper_status': word}
                   for n, word in enumerate(words)}, {
        'DPU%d' % n: {'state': state}
        for n, state in enumerate(words.values())})


def test_sensors_of_one_name_in_two_tables_stay_apart():
    check_sensors({
        'VOLTAGE_INFO|VDD': electric('voltage', '1200', 'mV', '1400'),
        'CURRENT_INFO|VDD': dict(electric('current', '3400', 'mA', '3000'),
                                 warning_status='True'),
        'TEMPERATURE_INFO|PSU 1': dict(STAMP, temperature='33',
                                       warning_status='False'),
        'PSU_INFO|PSU 1': part('true', 'false', temp='44'),
        'TEMPERATURE_INFO|ASIC': dict(STAMP, temperature='50',
                                      warning_status='False'),
        'ASIC_TEMPERATURE_INFO': {'maximum_temperature': '61'},
    }, {
        'VDD': {'voltage_v': 1.2, 'current_ma': None, 'state': 'ok'},
        'VDD current': {'current_ma': 3400.0, 'state': 'warns'},
        'PSU 1': {'temp_c': 33.0, 'state': 'ok'},
        'PSU 1 supply': {'temp_c': 44.0, 'state': 'failed'},
        'ASIC': {'temp_c': 50.0},
        'ASIC chip': {'temp_c': 61.0},
    })


SPACING_S, TEN_PER_MILLE_OCTETS = 3, 125000000     # a second, of 100 Gb/s


def port_rows(redis):
    redis.load('CONFIG_DB', {'PORT|Ethernet%d' % n: {
        'lanes': str(n + 1), 'index': str(n), 'speed': '100000'}
                             for n in range(2)})
    redis.load('APPL_DB', {'PORT_TABLE:Ethernet%d' % n: {
        'oper_status': 'up', 'speed': '100000'} for n in range(2)})
    redis.load('COUNTERS_DB', {'COUNTERS_PORT_NAME_MAP': {
        'Ethernet%d' % n: 'oid:0x100000000000%d' % n for n in range(2)}})


def test_rates_are_right_where_syncd_is_later_than_it_says():
    """Of an old image: nothing says when syncd wrote. The other port is idle,
    and its zero is no stale one."""
    with Redis() as redis, redis_client(redis) as counters:
        port_rows(redis)
        with agent.Bed(driver='sonic', root=redis.root,
                       collector=False) as bed:
            bed.agent.start()
            began, octets, seen, idle = time.monotonic(), 0, [], {}
            while time.monotonic() - began < 6 * SPACING_S:
                counters.ask('HSET', 'COUNTERS:oid:0x1000000000000',
                             'SAI_PORT_STAT_IF_IN_OCTETS', octets)
                counters.ask('HSET', 'COUNTERS:oid:0x1000000000001',
                             'SAI_PORT_STAT_IF_IN_OCTETS', 7)
                octets += SPACING_S * TEN_PER_MILLE_OCTETS
                for _ in range(2 * SPACING_S):
                    time.sleep(0.5)
                    ports = bed.json('ports')['ports'] if \
                        bed.wait_serving() else []
                    if ports and time.monotonic() - began > 3 * SPACING_S:
                        seen.append(ports[0]['in_util_ppm'])
                        idle = ports[1]
            check(seen and all(7000 < x < 14000 for x in seen), seen)
            check(idle['in_util_ppm'] == 0 and 'in_util_quality' not in idle
                  and idle['in_util_age_s'] < 4, idle)
            for pause_s in (8, 8, 7):       # a frame now and then, no more
                time.sleep(pause_s)
                quiet = bed.json('ports')['ports'][0]
                counters.ask('HINCRBY', 'COUNTERS:oid:0x1000000000000',
                             'SAI_PORT_STAT_IF_IN_OCTETS', 64)
            check('in_util_quality' not in quiet and
                  quiet['in_util_age_s'] < 4, quiet)


def test_rates_follow_the_pace_of_syncd():
    """It writes each 1.5 s, not each second: read each second, a change is
    seen after one or two."""
    with Redis() as redis, redis_client(redis) as counters:
        port_rows(redis)
        with agent.Bed(driver='sonic', root=redis.root,
                       collector=False) as bed:
            bed.agent.start()
            began, seen = time.monotonic(), []
            for n in range(20):
                time.sleep(max(0, began + 1.5 * n - time.monotonic()))
                counters.ask('HSET', 'COUNTERS:oid:0x1000000000000',
                             'SAI_PORT_STAT_IF_IN_OCTETS',
                             int(1.5 * n * TEN_PER_MILLE_OCTETS))
                if n > 10:
                    seen.append(bed.json('ports')['ports'][0]['in_util_ppm'])
            right = [x for x in seen if x and 9000 < x < 11000]
            check(2 * len(right) > len(seen), seen)


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    agent.main(dict(globals()))

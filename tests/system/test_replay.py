#!/usr/bin/env python3
"""petrel replay on small traces made here: what it prints, to the letter, and
what it makes of late, repeated, wrong and missing lines.

tests/data/replay/*.golden are its words; `test_replay.py --write` writes them
anew, to be read before they are kept.

petrel-test: sanitize
petrel-test: timeout=100
"""
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402

GOLDEN = os.path.join(agent.TREE, 'tests', 'data', 'replay')
REPLAY = [agent.program('petrel'), 'replay']
START = 1_767_225_600_000_000_000
SECOND = 1_000_000_000
RATE = 425e9
PORT = {'port': 'Ethernet0', 'media': 'DR4', 'lanes': 4, 'speed_gbps': 400,
        'fec': 'rs544', 'optical': True, 'thresholds': None,
        'peer': {'switch': 'leaf2', 'port': 'Ethernet4'}}


def play(seconds, period, level, link=lambda t: True, **fixed):
    """Samples of one port, with log10 BER and link as functions of time."""
    bits, downs, was = 1000, 0, True
    for i in range(int(seconds / period)):
        t = i * period
        up = link(t)
        downs += was and not up
        was = up
        if up:
            bits += int(RATE * period * 10 ** level(t))
        sample = {'ts_ns': START + int(t * SECOND), 'port': 'Ethernet0',
                  'oper': int(up), 'admin': 1, 'present': 1, 'serial': 'A1',
                  'link_down_count': downs, 'fec_corrected_bits': bits,
                  'in_octets': int(1e9 * t) + 5,
                  'dom_ts_ns': START + int(t // 10 * 10 * SECOND),
                  'temp_c': 50.0, 'vcc_v': 3.3,
                  'rx_dbm': [-1.0 if up else -40.0] * 4}
        sample.update(fixed)
        yield sample


def growth():
    return list(play(2400, 5, lambda t: -7 + max(0, t - 900) / 1200 * 3.4))


def flaps():
    return list(play(1500, 1, lambda t: -7, lambda t: not any(
        b <= t < b + 3 for b in (300, 340, 380, 400))))


def down():
    return list(play(600, 1, lambda t: -7, lambda t: not 200 <= t < 400))


def healthy():
    return list(play(3600, 5, lambda t: -7 + .05 * math.sin(t / 200)))


def replay(lines, *options, ports=(PORT,), text=False):
    """lines: samples, or strings as they shall stand."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'SAMPLES.ndjson')
        with open(path, 'w', encoding='utf-8') as f:
            f.writelines((x if isinstance(x, str) else json.dumps(x)) + '\n'
                         for x in lines)
        options = list(options)
        if ports:
            with open(folder + '/P', 'w', encoding='utf-8') as f:
                f.writelines(json.dumps(p) + '\n' for p in ports)
            options += ['--ports', folder + '/P']
        if not text:
            options.append('--json')
        return subprocess.run([*REPLAY, *options, path], capture_output=True,
                              text=True, timeout=60 * agent.SLOW, check=False)


def told(ran):
    return [json.loads(line) for line in ran.stdout.splitlines()]


def brief(ran):
    return [(f['port'], f['signature'], f['state'], f['severity'], f['ts_ns'])
            for f in told(ran)]


TRACES = {'growth': growth, 'flaps': flaps, 'down': down}


def golden(name):
    with open(os.path.join(GOLDEN, name + '.golden'), encoding='utf-8') as f:
        return f.read()


def test_replay_prints_what_it_always_did():
    for name, trace in TRACES.items():
        ran = replay(trace())
        check(ran.returncode == 0 and not ran.stderr, ran.stderr)
        check(ran.stdout == golden(name), name, ran.stdout)


def test_replay_has_the_fixed_fields():
    keys = ['ts_ns', 'port', 'signature', 'severity', 'state', 'id', 'lanes',
            'cause', 'confidence', 'end', 'action', 'cliff_s', 'evidence']
    for f in told(replay(growth())):
        check(list(f)[:len(keys)] == keys, f)
        check(not agent.without_twin(f), f)
        check(f['cliff_s'] is None or
              set(f['cliff_s']) == {'low', 'mid', 'high'}, f)


def test_replay_is_silent_on_a_healthy_port():
    ran = replay(healthy())
    check(ran.returncode == 0 and not ran.stdout, ran)


def test_replay_text_is_a_line_for_each_change():
    ran = replay(growth(), text=True)
    check(len(ran.stdout.splitlines()) == len(told(replay(growth()))), ran)
    check('; uncorrectable in about 18 min (11 min to 39 min); ' in ran.stdout, ran.stdout)


def test_replay_text_names_lanes():
    lines = down()
    ran = replay(lines, text=True)
    check(' Ethernet0 lanes 1,2,3,4 raised   watch    link_down ' in
          ran.stdout, ran.stdout)


def test_replay_reads_standard_input():
    lines = '\n'.join(json.dumps(x) for x in flaps())
    ran = subprocess.run([*REPLAY, '--json', '-'], input=lines, text=True,
                         capture_output=True, timeout=60 * agent.SLOW,
                         check=False)
    check(ran.returncode == 0 and 'flap_burst' in ran.stdout, ran)


def core_fails():
    """Twelve ports of three cores; those of one go bad, two of them before
    the others."""
    def level(n):
        begins = (900, 900, 970, 970)[n] if n < 4 else 10 ** 9
        return lambda t: -7 + min(1.7, max(0, t - begins) / 20)

    traces = [[dict(s, port='Ethernet%d' % (8 * n))
               for s in play(1100, 2, level(n))] for n in range(12)]
    return [s for tick in zip(*traces) for s in tick]


def test_replay_names_the_ports_of_a_group():
    ports = [dict(PORT, port='Ethernet%d' % (8 * n), group='core%d' % (n // 4),
                  peer={'switch': 'leaf%d' % n, 'port': 'Ethernet4'})
             for n in range(12)]
    found = told(replay(core_fails(), ports=ports))
    last = {f['id']: f for f in found}
    whole = [f for f in last.values() if f['state'] != 'cleared']
    check(len(whole) == 1, whole)
    f = whole[0]
    check(f['subject'] == 'core0' and f['subject_kind'] == 'group' and
          f['signature'] == 'shared_component' and f['was'] == 'fec_trend' and
          f['cause_id'] == 'shared_errors', f)
    check(f['port'] == f['ports'][0] and f['port_count'] == 4 and
          f['ports'] == ['Ethernet%d' % (8 * n) for n in range(4)], f)
    check(f['actions'][0] == f['action'], f)
    parts = [p for p in last.values() if p['state'] == 'cleared']
    check(parts and all(p['into'] == f['id'] for p in parts), parts)
    check(all(p['subject'] == p['port'] and p['ports'] == [p['port']]
              for p in parts), parts)


def test_replay_tells_bad_lines_and_goes_on():
    lines = flaps()
    lines.insert(10, '{"ts_ns": 12, "port": ')
    lines.insert(500, 'garbage \x01')
    lines.insert(700, '{"ts_ns":1,"port":"Ethernet0","temp_c":"N/A"}')
    ran = replay(lines)
    check(ran.returncode == 75, ran.returncode)
    for number in (11, 501, 701):
        check('SAMPLES.ndjson:%d: ' % number in ran.stderr, ran.stderr)
    check("temp_c is 'N/A'; expected a number, or null" in ran.stderr,
          ran.stderr)
    check(ran.stdout == golden('flaps'), ran.stdout)


def test_replay_lanes_are_bounded_however_they_are_written():
    with tempfile.TemporaryDirectory() as folder:
        ports = os.path.join(folder, 'PORTS.ndjson')
        for lanes, status in (('4.0', 0), ('99', 75), ('99.0', 75),
                              ('9.9e1', 75)):
            with open(ports, 'w', encoding='ascii') as f:
                f.write('{"port": "Ethernet0", "lanes": %s}\n' % lanes)
            ran = subprocess.run([*REPLAY, '--ports', ports, '-'],
                                 input='{"ts_ns": 1, "port": "Ethernet0"}',
                                 capture_output=True, text=True, timeout=60,
                                 check=False)
            check(ran.returncode == status, lanes, ran)
            check(status == 0 or "lanes is '%s'; expected 0 to 8" % lanes in
                  ran.stderr, lanes, ran)


def test_replay_exit_status_says_what_was_wrong():
    for args, status in ((['--nonsense', 'x'], 64), ([], 64),
                         (['a', 'b'], 64), (['/nonexistent'], 66),
                         (['--ports', '/nonexistent', '/dev/null'], 66),
                         (['--config', '/nonexistent', '/dev/null'], 64),
                         (['/dev/null'], 65)):
        ran = subprocess.run([*REPLAY, *args], capture_output=True, text=True,
                             timeout=60, check=False)
        check(ran.returncode == status and ran.stderr, args, ran)


def test_replay_says_why_a_file_has_no_samples():
    """A folder, an empty file, one that is packed, and one with the mark that
    Windows puts in front."""
    with tempfile.TemporaryDirectory() as folder:
        def said(name, octets):
            with open(os.path.join(folder, name), 'wb') as f:
                f.write(octets)
            return subprocess.run([*REPLAY, os.path.join(folder, name)],
                                  capture_output=True, text=True, timeout=60,
                                  check=False)
        ran = subprocess.run([*REPLAY, folder], capture_output=True,
                             text=True, timeout=60, check=False)
        check(ran.returncode == 66 and 'Is a directory' in ran.stderr, ran)
        ran = said('empty', b'\n\n')
        check(ran.returncode == 65 and 'empty: no samples' in ran.stderr, ran)
        ran = said('foreign', b'{"port": "Ethernet0", "lanes": 4}\n')
        check(ran.returncode == 65 and 'foreign: no samples' in ran.stderr,
              ran)
        ran = said('cut', b'{"ts_ns": 1, "por')
        check(ran.returncode == 65 and 'it is cut after' in ran.stderr, ran)
        ran = subprocess.run([*REPLAY, '--ports', '/dev/null', '-'],
                             input='{"ts_ns": 1, "port": "Ethernet0"}',
                             capture_output=True, text=True, timeout=60,
                             check=False)
        check(ran.returncode == 0 and '/dev/null: no ports' in ran.stderr, ran)
        line = json.dumps(next(play(10, 1, lambda t: -7))).encode()
        ran = said('packed', gzip.compress(line))
        check(ran.returncode == 65 and 'gzip -dc' in ran.stderr, ran)
        ran = said('marked', b'\xef\xbb\xbf' + line + b'\r\n')
        check(ran.returncode == 0 and not ran.stderr, ran)


def test_replay_says_that_most_of_a_trace_is_not_used():
    ran = replay(list(reversed(healthy())))
    check(ran.returncode == 0 and '719 of 720 lines' in ran.stderr, ran)


def test_replay_tells_that_output_was_lost():
    with open('/dev/full', 'w', encoding='utf-8') as full, \
            tempfile.NamedTemporaryFile('w', suffix='.ndjson') as trace:
        trace.writelines(json.dumps(x) + '\n' for x in flaps())
        trace.flush()
        ran = subprocess.run([*REPLAY, '--json', trace.name], stdout=full,
                             stderr=subprocess.PIPE, text=True, timeout=60,
                             check=False)
    check(ran.returncode == 75 and 'output' in ran.stderr, ran)


def test_replay_is_not_misled_by_repeated_and_late_samples():
    rng = random.Random(5)
    for trace in (growth, flaps, down):
        lines = trace()
        want = brief(replay(lines))
        mixed, held = [], []
        for x in lines:
            mixed.append(x)
            if rng.random() < .1:
                mixed.append(x)
            if rng.random() < .02:
                held.append(x)
            if len(held) > 3:
                mixed += held
                held = []
        check(brief(replay(mixed)) == want, trace.__name__)


def test_replay_is_not_misled_by_a_clock_that_steps():
    """Back an hour in growth, on two minutes in health."""
    lines = growth()
    want = [f[:4] for f in brief(replay(lines))]
    for x in lines[100:]:
        for key in ('ts_ns', 'dom_ts_ns'):
            x[key] -= 3600 * SECOND
    check([f[:4] for f in brief(replay(lines))] == want)
    lines = healthy()
    for step, begin in ((7200, 200), (-30, 400), (90, 500)):
        for x in lines[begin:]:
            x['ts_ns'] += step * SECOND
    check(not replay(lines).stdout)


def test_replay_counts_through_32_bit_wraps():
    lines = growth()
    want = [f[:4] for f in brief(replay(lines))]
    for x in lines:
        x['fec_corrected_bits'] = (x['fec_corrected_bits'] + 4_294_000_000) \
            % (1 << 32)
    port = dict(PORT, counter_bits=32)
    check([f[:4] for f in brief(replay(lines, ports=[port]))] == want)
    check([f[:4] for f in brief(replay(lines))] == want, 'width not stated')


def test_replay_counters_that_restart_are_no_errors():
    lines = healthy()
    base = lines[300]['fec_corrected_bits']
    for x in lines[301:]:
        x['fec_corrected_bits'] -= base
    check(not replay(lines).stdout)


def test_replay_names_the_lane_that_has_the_errors():
    samples = list(play(2400, 5, lambda t: -8 if t < 1200 else -6.2))
    for n, sample in enumerate(samples):
        sample['snr_db'] = [20.1, 20.4, 19.8 if n < 240 else 17.8, 20.2]
    last = told(replay(samples))[-1]
    check(last['signature'] == 'lane_imbalance' and last['lanes'] == [3] and
          last['cause_id'] == 'lane_errors' and 'on lane 3;' in last['cause'],
          last)
    # its receiver, or the far transmitter: what costs least tells them apart
    check(last['end'] == 'path' and last['actions'] ==
          ['reseat_near', 'replace_near', 'replace_far'], last)


def test_replay_works_without_ports():
    found = {f['signature'] for f in told(replay(flaps(), ports=None))}
    check('flap_burst' in found, found)
    lines = growth()
    for x in lines:         # and finds the line's rate in the histogram
        t = (x['ts_ns'] - START) // SECOND
        x['fec_hist'] = [int(78.125e6 * t)] + [0] * 15
    found = {f['signature'] for f in told(replay(lines, ports=None))}
    check('fec_trend' in found, found)


def test_replay_completes_what_ports_leaves_open():
    """With no more than a name, a port is as good as without PORTS; with its
    speed, its FEC is that of its lanes."""
    lines = growth()
    want = [f[:4] for f in brief(replay(lines))]
    for leave in ('fec', 'lanes', 'media optical'):
        port = {k: v for k, v in PORT.items() if k not in leave.split()}
        check([f[:4] for f in brief(replay(lines, ports=[port]))] == want,
              leave)
    check([f[:4] for f in brief(replay(lines, ports=[dict(PORT, fec=None)]))]
          == want, 'null')
    for x in lines:         # a cliff that is nearer: RS(528,514)
        x['rx_dbm'] = x['rx_dbm'][:1]
    slow = {'port': 'Ethernet0', 'media': 'SR', 'speed_gbps': 25}
    named = dict(slow, fec='rs528')
    check(brief(replay(lines, ports=[slow])) ==
          brief(replay(lines, ports=[named])) !=
          brief(replay(lines, ports=[dict(slow, fec='rs544')])))


def test_replay_counts_errors_of_the_histogram_alone():
    lines = growth()
    for x in lines:
        t = (x['ts_ns'] - START) // SECOND
        bits = x.pop('fec_corrected_bits')
        x['fec_hist'] = [int(78.125e6 * t), bits] + [0] * 14
    found = {f['signature'] for f in told(replay(lines))}
    check('fec_trend' in found, found)


def test_replay_says_that_the_time_is_in_another_unit():
    lines = flaps()
    check('1970' not in replay(lines).stderr)
    for x in lines:
        x['ts_ns'] //= 1_000_000
    ran = replay(lines)
    check('its time is in 1970; expected ns since 1970 in ts_ns' in
          ran.stderr and ran.returncode == 0, ran.stderr)


def test_replay_events_are_taken():
    lines = growth()
    swap = {'ts_ns': START + 1400 * SECOND, 'port': 'Ethernet0',
            'event': 'module_swapped'}
    lines.insert(281, swap)
    states = [f[2] for f in brief(replay(lines))
              if f[1] == 'fec_trend' and f[4] <= swap['ts_ns']]
    check(states[0] == 'raised' and states[-1] == 'cleared', states)
    lines = down()
    lines.insert(190, {'ts_ns': START + 189 * SECOND, 'event': 'reload'})
    severities = {f[3] for f in brief(replay(lines))}
    check(severities == {'watch'}, severities)
    check('configuration reloaded' in replay(lines).stdout)


def test_replay_of_sensors_alone_finds_a_fan_that_stands():
    """Nothing but sensors: their readings begin the ticks."""
    lines = [{'ts_ns': START + 10 * i * SECOND, 'sensor': name, 'kind': 'fan',
              'value': 0 if name == 'fan2' and i >= 20 else 8000}
             for i in range(60) for name in ('fan1', 'fan2')]
    found = told(replay(lines, ports=None))
    check({(f['subject'], f['signature']) for f in found} ==
          {('fan2', 'environment')} and found[0]['state'] == 'raised', found)
    check(200 <= (found[0]['ts_ns'] - START) // SECOND < 300, found)


def test_replay_missing_samples_are_no_fault():
    rng = random.Random(3)
    lines = [x for x in healthy() if rng.random() > .1]
    del lines[200:400]
    check(not replay(lines).stdout)


def test_replay_finds_what_a_generator_planted():
    """A trace of another model, with faults and benign happenings."""
    score = os.path.join(agent.TREE, 'tests', 'campaign', 'score')
    ran = subprocess.run([score, '--seeds', '1', '--modes', 'fast', '--show'],
                         capture_output=True, text=True, timeout=80,
                         check=False)
    check(ran.returncode == 0, ran.stdout, ran.stderr)


def write():
    for name, trace in TRACES.items():
        with open(os.path.join(GOLDEN, name + '.golden'), 'w',
                  encoding='utf-8') as f:
            f.write(replay(trace()).stdout)


if __name__ == '__main__':
    if sys.argv[1:] == ['--write']:
        write()
    else:
        agent.main(globals())

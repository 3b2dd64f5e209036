#!/usr/bin/env python3
"""What was: petrel history and petrel record --last, with the agent and
without it, and after it was killed."""
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, check, main, wait_for            # noqa: E402
from folder import OpenFolder                           # noqa: E402

SCENARIO = '''switch name=back-leaf ports=8 speed=400G lanes=4 media=DR4 fec=rs544 seed=3 dom=1s
at 1s Ethernet16 down reason=light
'''
OCTETS = 'Ethernet0', 'if_in_octets'


def ask(bed, *words):
    return subprocess.run(
        agent.command('petrel', '--socket', bed.socket, *words), text=True,
        capture_output=True, check=False, timeout=30 * agent.SLOW)


def history(bed, *words):
    done = ask(bed, 'history', *words, '--json')
    return done.returncode, json.loads(done.stdout)


def check_answers(bed, code):
    """Rates, lanes of a port, the three forms; returns the rows."""
    got, answer = history(bed, *OCTETS)
    rows = answer['history']
    check(got == code and len(rows) >= 2, got, answer)
    check(all(r['rate_milli'] > 0 and r['value'] is None for r in rows), rows)
    check(rows == sorted(rows, key=lambda r: r['time_ns']), rows)
    got, answer = history(bed, 'Ethernet0', 'lane_rx_power_pw')
    check({r['of'] for r in answer['history']} ==
          {'lane %d' % n for n in range(1, 5)}, answer)
    done = ask(bed, 'history', *OCTETS, '--csv')
    table = list(csv.DictReader(done.stdout.splitlines()))
    check(done.returncode == code and table[0]['quantity'] == OCTETS[1] and
          float(table[0]['value']) > 0, done)
    return rows


def check_wrong_words(bed):
    for words, code, told in (
            (('Ethernet0', 'if_in_octet'), 66, 'nearest is if_in_octets'),
            (('Ethernet1', 'if_in_octets'), 66, "'Ethernet1'"),
            (('Ethernet0', 'sensor_temp_mc'), 66, 'sensor'),
            (('Ethernet0', 'if_in_octets:x'), 64, 'colon'),
            ((*OCTETS, '--since', 'x'), 64, '--since'), (('x',), 64, 'usage')):
        done = ask(bed, 'history', *words)
        check(done.returncode == code and told in done.stderr, words, done)


def check_trace(bed, folder, *options):
    """What was recorded is a trace: replay finds the fault in it."""
    out = os.path.join(folder, 'trace%d' % len(options))
    done = ask(bed, 'record', '--last', '5m', *options, '-o', out)
    check(done.returncode == 0, done)
    replay = subprocess.run(
        agent.command('petrel', 'replay', '--ports', out + '/PORTS.ndjson',
                      '--json', out + '/SAMPLES.ndjson'), text=True,
        capture_output=True, check=False, timeout=60 * agent.SLOW)
    check(replay.returncode == 0 and '"port":"Ethernet16"' in replay.stdout and
          'link_down' in replay.stdout, replay)
    with open(out + '/SAMPLES.ndjson', encoding='utf-8') as f:
        return {json.loads(line).get('serial') for line in f} - {None}


def test_what_was_is_told_with_the_agent_and_without():
    with OpenFolder(prefix='petrel-back-') as folder:
        scenario = os.path.join(folder, 'back.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(SCENARIO)
        with Bed(scenario, interval='200ms', collector=False) as bed:
            bed.agent.start()
            check(wait_for(lambda: len(history(bed, *OCTETS)[1].get(
                'history', ())) > 3, 30), 'no history')
            check(wait_for(lambda: 'Ethernet16' in ask(
                bed, 'findings').stdout, 30), 'no finding')
            check_answers(bed, 0)
            check_wrong_words(bed)
            bed.agent.stop()
            rows = check_answers(bed, 3)
            _, answer = history(bed, *OCTETS, '--since', '2s')
            check(answer['agent_down']['why'] and answer['history'] and
                  len(answer['history']) <= len(rows), answer)
            plain, hidden = check_trace(bed, folder), \
                check_trace(bed, folder, '--redact')
            check(plain and hidden and not plain & hidden, plain, hidden)


def test_no_rings_is_no_answer():
    with OpenFolder(prefix='petrel-back-') as folder:
        done = subprocess.run(
            agent.command('petrel', '--socket', folder + '/none', 'history',
                          *OCTETS), text=True, capture_output=True,
            check=False, timeout=30)
        check(done.returncode == 69 and 'findings.ring' in done.stderr, done)


if __name__ == '__main__':
    main(globals())

#!/usr/bin/env python3
"""What petrel record writes on a switch, petrel replay judges as the agent did:
all that the scenario planted, and nothing on a healthy port."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
from test_readme import DEMO, planted                   # noqa: E402

RECORD_S = 85       # demo.scenario's slowest fault shows after 60 s
SPEED = 5           # of its time, and of the agent's


def replayed(folder):
    run = subprocess.run(
        [agent.program('petrel'), 'replay', '--ports',
         os.path.join(folder, 'PORTS.ndjson'), '--json',
         os.path.join(folder, 'SAMPLES.ndjson')], text=True,
        capture_output=True, check=False, timeout=60)
    check(run.returncode == 0, run.returncode, run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_recorded_trace_shows_what_was_planted_and_no_more():
    with agent.Bed(DEMO, haste=agent.Haste(SPEED)) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        folder = os.path.join(bed.dir, 'trace')
        code, _, err = bed.ask('record', '--for', '%ds' % (RECORD_S / SPEED),
                               '-o', folder, timeout=RECORD_S)
        check(code == 0, code, err)
        found = replayed(folder)
        with open(os.path.join(folder, 'SAMPLES.ndjson'),
                  encoding='utf-8') as f:
            sensors = {x['sensor']: x['kind'] for x in map(json.loads, f)
                       if 'sensor' in x}
    check(sensors.get('fan1') == 'fan' and 'temp' in sensors.values(), sensors)
    last = {f['id']: (f['port'], f['signature']) for f in found}
    check(set(last.values()) == planted(), 'replay found', last, 'planted',
          sorted(planted()))
    harmed = {port for port, _ in planted()}
    stray = [f for f in found if f['port'] not in harmed]
    check(not stray, 'on a healthy port:', stray[:3])


def main():
    suite = agent.Suite()
    suite.run('test_recorded_trace_shows_what_was_planted_and_no_more',
              test_recorded_trace_shows_what_was_planted_and_no_more)
    suite.end()


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""The whole agent on the busy scenario: CPU share and PSS of all processes,
values a second, octets a value on the wire, time of a local answer.

The share that counts is what the agent costs beyond the platform: the sim
driver's physics run in the core, so the core is measured again on the same
scenario with its physics alone (bench_core tells the cost without them).
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from bench_memory import REACH_KIB                      # noqa: E402

SECONDS = int(os.environ.get('BENCH_SECONDS', '40'))
TICKS = os.sysconf('SC_CLK_TCK')


def cpu_s(pid):
    with open('/proc/%d/stat' % pid, encoding='ascii') as f:
        fields = f.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def pss_kib(pid):
    with open('/proc/%d/smaps_rollup' % pid, encoding='ascii') as f:
        for line in f:
            if line.startswith('Pss:'):
                return int(line.split()[1])
    return 0


def values_of(status):
    return sum(s['values'] for s in status['sources'])


ANSWERS = ([], ['ports'], ['queues'], ['--json'], ['ports', '--json'],
           ['queues', '--json'], ['buffers'], ['links'], ['modules'],
           ['lanes', 'all'], ['events'], ['findings'], ['status'],
           ['coverage'], ['health'])


def run_ms(argv):
    begin = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - begin) * 1000


def answers(bed, pairs=30):
    """Each command beside a process that does nothing, in turns."""
    status = bed.json('status')['agent']
    print('%-16s %d ports, %d queues, %d lanes, %d values a second, each of '
          'them in memory' % (
              'answers of', status['ports'],
              len(bed.json('queues', '--all')['queues']),
              len(bed.json('lanes', 'all')['lanes']),
              status['values_per_s']))
    for args in ANSWERS:
        argv = [agent.program('petrel'), '--socket', bed.socket, *args]
        took, floor = [], []
        for _ in range(pairs):
            took.append(run_ms(argv))
            floor.append(run_ms(['true']))
        print('%-16s %.1f ms (reach 5), least %.1f; true beside it: %.1f ms, '
              'least %.1f' % (
                  ' '.join(['petrel', *args]), statistics.median(took),
                  min(took), statistics.median(floor), min(floor)))


def answers_of_640_queues():
    """The size that the reach is meant for; busy has 1024 queues."""
    with open(os.path.join(agent.SCENARIOS, 'busy.scenario'),
              encoding='utf-8') as f:
        text = f.read().replace('queues=16', 'queues=10')
    with tempfile.NamedTemporaryFile('w', suffix='.scenario') as f:
        f.write(text)
        f.flush()
        with agent.Bed(f.name, collector=False) as bed:
            bed.agent.start()
            if not bed.wait_serving():
                sys.exit('never served: ' + bed.agent.log())
            time.sleep(3)
            answers(bed)


def entropy(scenario):
    """What the same values ask for, by bench_wire: whether 0.6 is possible."""
    program = os.path.join(agent.BUILD, 'tests', 'bench', 'bench_wire')
    if not os.path.exists(program):
        return '%-12s not known: no %s\n' % ('entropy', program)
    return subprocess.run([program, scenario], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def main():
    scenario = os.path.join(agent.SCENARIOS, 'busy.scenario')
    with agent.Bed(scenario) as bed:
        bed.collector.start()
        bed.agent.start()
        if not bed.wait_serving():
            sys.exit('never served: ' + bed.agent.log())
        time.sleep(5)
        pids = {r: bed.pid_of(r) for r in agent.ROLES}
        before, status = {r: cpu_s(p) for r, p in pids.items()}, \
            bed.json('status')
        begin = time.monotonic()
        time.sleep(SECONDS)
        took = time.monotonic() - begin
        after, later = {r: cpu_s(p) for r, p in pids.items()}, \
            bed.json('status')
        values = values_of(later) - values_of(status)
        octets = later['collector']['sent_octets'] - \
            status['collector']['sent_octets']
        for role in agent.ROLES:
            print('%-12s %5.2f %% of a core, %6d KiB PSS' % (
                role, 100 * (after[role] - before[role]) / took,
                pss_kib(pids[role])))
        print('%-12s %5.2f %% of a core, %6d KiB PSS (reach %d), '
              'rings included' % (
                  'together', 100 * sum(after[r] - before[r]
                                        for r in pids) / took,
                  sum(pss_kib(p) for p in pids.values()), REACH_KIB))
        print('%-12s %.0f a second, %.3f octets a value on the wire '
              '(reach 0.6 where the entropy allows, else 0.8), framing '
              'included' % (
                  'values', values / took, octets / max(values, 1)))
        print(entropy(scenario), end='')
        answers(bed)
    answers_of_640_queues()


if __name__ == '__main__':
    main()

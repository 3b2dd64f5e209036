#!/usr/bin/env python3
"""What the agent holds after half an hour on the vswitch's busy scenario: PSS
of all its processes, by what is mapped, rings included. Played ten times as
fast: as many batches as half an hour brings (BENCH_BATCHES), and as many ticks
of history, with its coarser tiers. Of the rings what lies in /run counts too,
mapped or not. As it ships, traffic is bounded, and 15 minutes of it take a ring
of 7.5 MiB; BENCH_EXACT=1: it is exact, in a ring of 15."""
import collections
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from vswitch import VSwitch                             # noqa: E402

BATCHES = int(os.environ.get('BENCH_BATCHES', '1800'))
FAST = 10
REACH_KIB = 24 * 1024         # with 15 minutes of samples in their ring
CADENCES = {'counters': 1000, 'queues': 10000, 'watermarks': 60000,
            'dom': 60000}
# 15 minutes of ticks, at a tenth of a second each
EXTRA = '[Agent]\nhistory = 90s\n%s[History]\nfolder = /tiers\n' % (
    'traffic = exact\nsamples_ring = 15M\n'
    if os.environ.get('BENCH_EXACT') else '')


def pss_kib(pid):
    """{mapping: KiB}, files by their names."""
    held, name = collections.Counter(), ''
    with open('/proc/%d/smaps' % pid, encoding='ascii',
              errors='replace') as f:
        for line in f:
            words = line.split()
            if not words[0].endswith(':'):
                name = os.path.basename(words[5]) if len(words) > 5 \
                    else 'anonymous'
            elif words[0] == 'Pss:':
                held[name] += int(words[1])
    return held


def rings_kib(bed):
    """Of the files in the run folder, all that they take up."""
    return {n: os.stat(os.path.join(bed.run_dir, n)).st_blocks // 2
            for n in os.listdir(bed.run_dir) if n.endswith('.ring')}


def batches(bed):
    return [s['last'] for s in bed.json('status')['streams']
            if s['stream'] == 'samples'][0]


def measure(bed, show):
    """KiB of all, and of all but rings."""
    total, mapped, rings = 0, collections.Counter(), rings_kib(bed)
    for role in agent.ROLES:
        held = pss_kib(bed.pid_of(role))
        mapped.update(held)
        total += sum(held.values())
        if show:
            print('%-12s %6d KiB PSS: %s' % (role, sum(held.values()), ', '.join(
                '%s %d' % x for x in held.most_common(6))))
    in_rings = sum(mapped[n] for n in rings)
    unmapped = max(0, sum(rings.values()) - in_rings)
    if show:
        print('%-12s %6d KiB: %s; %d of it mapped' % (
            'rings', sum(rings.values()), ', '.join(
                '%s %d' % x for x in sorted(rings.items())), in_rings))
    return total + unmapped, total - in_rings


def main():
    with open(os.path.join(agent.SCENARIOS, 'busy.scenario'),
              encoding='utf-8') as f:
        scenario = f.read()
    options = [x for name, ms in CADENCES.items()
               for x in ('--' + name, '%dms' % (ms // FAST))]
    with VSwitch(scenario, '--speed', str(FAST), *options,
                 journal=False) as switch, \
            agent.Bed(driver='sonic', root=switch.root,
                      interval='%dms' % (1000 // FAST),
                      extra=EXTRA) as bed:
        os.mkdir(switch.root + '/tiers')
        os.chmod(switch.root + '/tiers', 0o777)     # the agent's user's
        bed.collector.start()
        bed.agent.start()
        if not bed.wait_serving():
            sys.exit('never served: ' + bed.agent.log())
        held, most = [], 0
        for part in (3, 2, 1):
            while batches(bed) < BATCHES // part:
                time.sleep(1)
                most = max(most, measure(bed, False)[0])
            held.append(measure(bed, part == 1))
        print('%-12s %6d KiB, while a capsule is made' % ('at most', most))
        print('%-12s %6d KiB after %d batches (reach %d), rings included' % (
            'together', held[-1][0], batches(bed), REACH_KIB))
        print('%-12s %s KiB after a third, a half and all of them: %s' % (
            'but rings', ', '.join(str(h[1]) for h in held),
            'flat' if held[-1][1] < 1.05 * held[0][1] else 'it grows'))


if __name__ == '__main__':
    main()

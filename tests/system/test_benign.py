#!/usr/bin/env python3
"""What is seen and is no fault: petrel findings --benign lists it, and findings
do not, but for links that are down. Counters are cleared, then a rack falls, on
a simulated switch and on SONiC's tables.
"""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import SLOW, Bed, Haste, check, wait_for     # noqa: E402
from terminal import Terminal                           # noqa: E402
from vswitch import VSwitch                             # noqa: E402

SPEED = 4       # of all clocks but the test's own
PORTS = 16
FALLEN = 8      # half of either core: it is none of theirs
SCENARIO = '''switch name=bn ports=%d speed=400G lanes=4 media=DR4 seed=5 dom=1s
at 12s Ethernet0-%d reset_counters
at 16s Ethernet32-88 down reason=light
''' % (PORTS, 8 * (PORTS - 1))
FAST = ('--dom', '1s', '--heat', '1s')


def listed(bed, word):
    return [b for b in bed.json('findings', '--benign').get('benign', [])
            if b['benign'] == word]


def all_cleared(bed):
    """What is listed once all ports are counted; None: they are not yet."""
    cleared = listed(bed, 'counters_cleared')
    return cleared if sum(b['size_milli'] for b in cleared) >= 1000 * PORTS \
        else None


def all_fell(bed):
    """Links of the rack, as one, or by the switches in it; None: not all."""
    fell = listed(bed, 'rack') or listed(bed, 'peer')
    return fell if sum(b['size_milli'] for b in fell
                       if b['symptom'] == 'links_fell') == 1000 * FALLEN \
        else None


def play(bed):
    """Both are listed, each as one thing that befell the switch."""
    bed.agent.start()
    check(bed.wait_serving(), bed.agent.log())
    check(bed.json('findings', '--benign')['benign'] == [], 'at first')
    cleared = wait_for(lambda: all_cleared(bed), 40 * SLOW, 0.5)
    check(cleared and len(cleared) == 1, bed.json('findings', '--benign'))
    check(cleared[0]['symptom'] == 'counters_restarted', cleared)
    check(not bed.json('findings')['findings'], bed.json('findings'))
    fell = wait_for(lambda: all_fell(bed), 40 * SLOW, 0.5)
    check(fell, bed.json('findings', '--benign'))
    check(all(b['since_ns'] <= b['last_ns'] for b in fell), fell)
    open_ones = bed.json('findings')['findings']
    check({f['signature'] for f in open_ones} == {'link_down'} and
          {f['severity'] for f in open_ones} == {'watch'}, open_ones)


def survives(bed, harm):
    """The list is as long as it was before, and as old."""
    core = bed.pid_of('core')
    before = listed(bed, 'counters_cleared')
    harm()
    check(wait_for(lambda: bed.pid_of('core') not in (core, None), 20 * SLOW))
    after = wait_for(lambda: listed(bed, 'counters_cleared'), 20 * SLOW)
    check(after and [b['subject'] for b in after] ==
          [b['subject'] for b in before], before, after, bed.ask('status')[1])
    check(abs(after[0]['since_ns'] - before[0]['since_ns']) < 2 * 10 ** 9,
          before, after)


def test_simulated_switch():
    path = None
    with Bed(name='bn', haste=Haste(SPEED)) as bed:
        path = os.path.join(bed.dir, 'benign.scenario')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(SCENARIO)
        bed.scenario = path
        bed.write_conf(collector=False)
        play(bed)
        code, out, err = bed.ask('findings', '--benign')
        check(code == 0 and 'links that fell: ' in out and
              out.startswith('SINCE'), code, out, err)
        with Terminal(agent.command('petrel', '--socket', bed.socket,
                                    'findings', '--benign')) as t:
            wanted = 'counters restarted: %d ' % PORTS
            check(wait_for(lambda: wanted in t.text(), 10 * SLOW), t.text())
            check('~' not in t.text(), t.text())
        survives(bed, lambda: (bed.agent.stop(), bed.agent.start()))
        survives(bed, lambda: os.kill(bed.pid_of('core'), signal.SIGKILL))


def test_sonic_tables():
    haste = Haste(SPEED)
    with VSwitch(SCENARIO, *FAST, haste=haste) as switch, \
            Bed(driver='sonic', root=switch.root, collector=False,
                haste=haste) as bed:
        play(bed)


def test_it_stands_alone():
    with Bed(os.path.join(agent.SCENARIOS, 'healthy.scenario')) as bed:
        for words in (('abc',), ('--follow',)):
            code, _, err = bed.ask('findings', '--benign', *words)
            check(code == 64 and '--benign takes no identifier' in err, code, err)
        code, out, err = bed.ask('findings', '--benign')
        check(code == 69, code, out, err)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        code, out, err = bed.ask('findings', '--benign')
        check(code == 0 and 'nothing benign was seen' in out, out, err)
        bed.agent.stop()
        code, out, err = bed.ask('findings', '--benign')
        check(code in (3, 69) and 'only a running agent' in out + err,
              code, out, err)


if __name__ == '__main__':
    agent.main(globals())

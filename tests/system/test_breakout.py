#!/usr/bin/env python3
"""Ports that share a module: a module pulled from a breakout cage is one fault,
and one finding, which asks nobody to reseat what is not there.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402

SWITCH = ('switch name=sim-breakout ports=32 breakout=4 speed=100G lanes=2 '
          'media=DR8 fec=rs544 seed=11\n')
CAGE = 24, 26, 28, 30
SPEED = 4       # of all clocks but the test's own


def down(bed):
    """Findings of links that are down."""
    return [x for x in bed.json('findings').get('findings', [])
            if x['signature'] == 'link_down']


def played(folder, lines):
    path = os.path.join(folder, 'pulled.scenario')
    with open(path, 'w', encoding='ascii') as f:
        f.write(SWITCH + lines)
    return path


def test_c08_module_pulled_from_a_breakout_cage_is_one_finding():
    with agent.Bed(collector=False, haste=agent.Haste(SPEED)) as bed:
        bed.scenario = played(bed.dir, 'at 8s Ethernet24 pull\n')
        bed.write_conf(collector=False)
        bed.agent.start()
        bed.wait_serving()
        wait_for(lambda: any('4 ports of the cage' in x['cause']
                             for x in down(bed)), 60 * agent.SLOW)
        found = down(bed)
        check(len(found) == 1, found)
        one = found[0]
        check(one['port'] == 'Ethernet24' and one['end'] == 'near' and
              'no module in the cage' in one['cause'] and
              one['action'] == 'observe' and
              one['actions'] == ['observe', 'replace_near'] and
              one['cause_id'] == 'no_module' and
              one['ports'] == ['Ethernet%d' % n for n in CAGE] and
              one['evidence']['cage_ports'] == 4, one)
        ports = {x['port']: x for x in bed.json('ports')['ports']}
        check(all(ports['Ethernet%d' % n]['st'] == 'dn' and
                  ports['Ethernet%d' % n]['mark'] == 'w'
                  for n in CAGE), ports)
        text = bed.ask('findings')[1]
        check(text.count('no module in the cage') == 1 and
              'Ethernet24, Ethernet26, Ethernet28, Ethernet30' in text and
              'reseat' not in text, text)
        check('reseat' not in bed.ask()[1], bed.ask())


def test_links_of_one_cage_that_fall_apart_are_told_apart():
    with agent.Bed(collector=False, haste=agent.Haste(SPEED)) as bed:
        bed.scenario = played(bed.dir, 'at 8s Ethernet0 down\n'
                              'at 25s Ethernet4 down\n')
        bed.write_conf(collector=False)
        bed.agent.start()
        bed.wait_serving()
        wait_for(lambda: len(down(bed)) == 2, 90 * agent.SLOW)
        found = down(bed)
        check({x['port'] for x in found} == {'Ethernet0', 'Ethernet4'} and
              not any('cage_ports' in x['evidence'] for x in found), found)


if __name__ == '__main__':
    agent.main(globals())

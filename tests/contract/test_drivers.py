#!/usr/bin/env python3
"""C7: every driver passes the contract suite, on a switch that it takes for
its own: linux on veth, sim on scenarios, module on what a plant
wrote, sonic on a redis-server.

petrel-test: timeout=60
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import namespace                                        # noqa: E402

SUITE = agent.program('tests/contract/contract_driver')
PORTS = 8
MODULES = ('speed=800G lanes=8 media=DR8',
           'speed=100G lanes=4 media=SR4 fec=rs528',
           'speed=25G lanes=1 media=FR1 fec=rs528')
# A tick of the plant, or the age of what a dump was taken from.
SIM_OLDEST_S = 2
SONIC_OLDEST_S = 86400


# The physics of 512 lanes, which no real driver has to compute: 3 ms on a quiet
# machine, and that is near what a call may take.
SIM_SLOW = 3


def suite(driver, *args, slow=1):
    """Prints the suite's own TAP lines; returns False when it failed."""
    slow *= 10 * agent.SLOW if agent.SLOW > 1 else 1
    ran = subprocess.run(
        agent.WRAP + [SUITE, driver, *args, 'slow=%d' % slow], text=True,
        check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, CMOCKA_MESSAGE_OUTPUT='TAP'))
    print('# %s %s' % (driver, ' '.join(args)))
    print(ran.stdout, end='', flush=True)
    if ran.returncode and 'not ok' not in ran.stdout:
        print('not ok - %s: exit status %d' % (driver, ran.returncode))
    return ran.returncode == 0


def linux():
    namespace.ports_add(PORTS)
    return suite('linux', 'interfaces=*')


def sim():
    scenarios = sorted(glob.glob(os.path.join(agent.SCENARIOS, '*.scenario')))
    return all([suite('sim', 'scenario=' + s, 'oldest=%d' % SIM_OLDEST_S,
                      slow=SIM_SLOW) for s in scenarios])


def module():
    """A cage of each standard, as the plant wrote it."""
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, 'map'), 'w', encoding='ascii') as f:
            for n, switch in enumerate(MODULES):
                scenario = os.path.join(root, 'scenario')
                with open(scenario, 'w', encoding='ascii') as s:
                    s.write('switch ports=1 %s\n' % switch)
                cage = os.path.join(root, 'cage%d' % n)
                os.makedirs(cage)
                subprocess.run([agent.program('tests/support/eeprom_make'),
                                scenario, '60', cage], check=True)
                f.write('%d file /cage%d/0.bin P%d\n' % (n, n, n))
        return suite('module', 'root=' + root, 'map=/map')


def sonic():
    try:
        from redis import Redis
        from sonic_twin import Twin
    except ImportError as e:
        print('1..0 # SKIP sonic: %s' % e)
        return True
    if not shutil.which('redis-server'):
        print('1..0 # SKIP sonic: no redis-server here')
        return True
    with Redis() as redis:
        for name, content in Twin().db.items():
            redis.load(name, content)
        return suite('sonic', 'root=' + redis.root,
                     'oldest=%d' % SONIC_OLDEST_S)


if __name__ == '__main__':
    namespace.enter()
    sys.exit(not all([linux(), sim(), module(), sonic()]))

#!/usr/bin/env python3
"""C14: what a reload puts in force, and what it says of the rest."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SCENARIOS, SLOW, Bed, check, command, main, wait_for  # noqa: E402

BUSY = os.path.join(SCENARIOS, 'busy.scenario')
NOBODY = 65534


class Reloaded(Bed):
    """An agent whose configuration is written anew, key by key."""

    def __init__(self):
        super().__init__(BUSY, collector=False, sim='speed = 20\n')
        os.chmod(self.dir, 0o755)
        self.agent.start()
        check(self.wait_serving(), self.agent.log())

    def write(self, **keys):
        """keys: Section__key = value; the rest stays as it was first."""
        self.write_conf(collector=False)
        folder = os.path.join(self.dir, 'conf.d')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, '10-test.conf'), 'w',
                  encoding='utf-8') as f:
            for name, value in keys.items():
                f.write('[%s]\n%s = %s\n' % (*name.split('__'), value))

    def reload(self, **keys):
        self.write(**keys)
        code, out, err = self.ask('reload')
        check(code == 0, out, err)
        return out

    def shown(self, key):
        return [r for r in self.json('config', 'show')['config']
                if r['key'] == key][0]


def test_c14_what_waits_for_a_restart_is_told():
    with Reloaded() as bed:
        out = bed.reload(Agent__samples_ring='1M', Sim__speed='10',
                         Agent__history='10m')
        check('samples_ring' in out and '7680K' in out and '1M' in out and
              'speed' in out and 'history' not in out and
              'petreld restarts' in out, out)
        bed.write(Agent__samples_ring='1M')
        answer = bed.json('reload')
        check([(r['section'], r['key'], r['value'], r['waiting'])
               for r in answer['waiting']] ==
              [('Agent', 'samples_ring', '7680K', '1M')], answer)
        row = bed.shown('samples_ring')
        check((row['value'], row['changes'], row['waiting']) ==
              ('7680K', 'at start', '1M'), row)
        check(bed.shown('name')['changes'] == 'at reload')
        _, out, _ = bed.ask('config', 'show')
        check('samples_ring = 1M takes effect when' in out, out)
        rings = {s['stream']: s['ring_octets']
                 for s in bed.json('status')['streams']}
        check(rings['samples'] > 2 << 20, rings)
        os.kill(bed.pid_of('core'), 9)      # a new core is no new start
        check(bed.wait_serving() and bed.shown('samples_ring')['value'] ==
              '7680K', bed.agent.log())
        bed.agent.stop()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        row = bed.shown('samples_ring')
        check((row['value'], row['waiting']) == ('1M', None), row)
        check(bed.json('reload')['waiting'] == [])


def test_c14_a_new_interval_is_in_force():
    with Reloaded() as bed:
        def batches():
            return [s['last'] for s in bed.json('status')['streams']
                    if s['stream'] == 'samples'][0]

        def asked(source):
            return [s['period_s'] for s in bed.json('status')['sources']
                    if s['source'] == source][0]

        check(asked('sim.counters') == 1)
        bed.reload(Agent__interval='60s')
        check(wait_for(lambda: asked('sim.counters') == 60, 10, 0.1),
              bed.json('status')['sources'])
        bed.reload(Agent__interval='100ms')
        check(wait_for(lambda: asked('sim.counters') == 0.1, 10, 0.1),
              bed.json('status')['sources'])
        before = batches()
        check(wait_for(lambda: batches() > before + 20, 15 * SLOW, 0.1),
              before, batches())


def test_c14_who_may_ask_is_in_force():
    if os.getuid() != 0:
        return 'NOT root: nobody cannot be played'
    with Reloaded() as bed:
        def ask():
            return subprocess.run(
                command('petrel', '--socket', bed.socket, 'status'),
                user=NOBODY, group=NOBODY, extra_groups=[],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=20 * SLOW, check=False)

        if ask().returncode != 0:
            return 'nobody cannot run what is built here'
        bed.reload(Query__read='group')
        check(ask().returncode == 77, ask())
        bed.reload()
        check(ask().returncode == 0, ask())
    return None


def test_c14_a_new_log_level_is_in_force():
    with Reloaded() as bed:
        def told():
            return bed.agent.log().count(' reloaded')

        check(told() == 0, bed.agent.log())
        bed.reload(Log__level='error')
        bed.reload(Log__level='error', Agent__history='10m')
        check(told() == 0, bed.agent.log())
        bed.reload(Log__level='info')
        check(wait_for(lambda: told() == 1), bed.agent.log())


if __name__ == '__main__':
    main(globals())

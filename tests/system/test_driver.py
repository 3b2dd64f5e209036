#!/usr/bin/env python3
# petrel-test: timeout=60
"""A driver from outside the tree: found, judged, run in the reader, and told
its option."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, check, wait_for                  # noqa: E402

DATA = os.path.join(agent.TREE, 'tests', 'data', 'drivers')


class Rooted(Bed):
    """An agent whose root has the example driver in its folder."""

    def __init__(self, extra=''):
        root = agent.open_folder(prefix='petrel-root-')
        super().__init__(driver='example', root=root, extra=extra,
                         collector=False)
        self.drivers = os.path.join(root, 'usr/lib/petrel/drivers')
        os.makedirs(self.drivers)
        shutil.copy(os.path.join(DATA, 'example.driver'), self.drivers)
        shutil.copy(agent.program('tests/support/example.so'), self.drivers)

    def close(self):
        super().close()
        shutil.rmtree(self.root, ignore_errors=True)

    def check(self):
        return subprocess.run(
            [agent.program('petreld'), '--config', self.conf, '--root',
             self.root, '--check'], text=True, capture_output=True,
            check=False, timeout=20)

    def temperature(self):
        rows = self.json('sensors').get('sensors', [])
        return [r for r in rows if 'oven' in str(r)]


def test_its_option_is_judged_without_its_code():
    with Rooted('[Example]\nlevel = 9\n') as b:
        os.remove(os.path.join(b.drivers, 'example.so'))
        run = b.check()
        check(run.returncode == 0, run.stderr)
        for extra, words in (
                ('level = 101', 'petrel.conf:10: level = 101: expected a '
                 'number from 1 to 100'),
                ('levul = 9', "unknown key 'levul' in [Example]; the nearest "
                 "is 'level' in [Example]")):
            b.write_conf('[Example]\n%s\n' % extra, False)
            run = b.check()
            check(run.returncode == 78 and words in run.stderr, run.stderr)


def test_a_file_that_is_wrong_is_told_and_left_out():
    with Rooted() as b:
        with open(os.path.join(b.drivers, 'worse.driver'), 'w',
                  encoding='utf-8') as f:
            f.write('[Sauce a]\n')
        run = b.check()
        check(run.returncode == 78 and
              'drivers/worse.driver:1: [Sauce a]' in run.stderr, run.stderr)
        b.agent.start()
        check(b.wait_serving(), b.agent.log())
        check(wait_for(b.temperature), b.agent.log())


def test_its_option_reaches_it():
    with Rooted('[Example]\nlevel = 42\n') as b:
        b.agent.start()
        check(b.wait_serving(), b.agent.log())
        check(wait_for(lambda: '42' in str(b.temperature())),
              b.json('sensors'), b.agent.log())
        code, out, _ = b.ask('config', 'show')
        check(code == 0 and 'level' in out, out)
        check('example.heat' in b.ask('status')[1], b.ask('status')[1])
        check(wait_for(lambda: '1 of 1 sources fresh' in
                       b.ask('overview')[1]), b.ask('overview')[1])
        with open('/proc/%d/maps' % b.pid_of('core'),
                  encoding='utf-8') as f:
            check('example.so' not in f.read(), 'the core runs it')
        with open('/proc/%d/maps' % b.pid_of('reader'),
                  encoding='utf-8') as f:
            check('example.so' in f.read(), 'the reader does not')


def test_code_that_others_may_write_is_not_run():
    with Rooted() as b:
        os.chmod(os.path.join(b.drivers, 'example.so'), 0o666)
        b.agent.start()
        check(b.wait_serving(), b.agent.log())
        check(wait_for(lambda: 'example.so belongs to' in b.agent.log()),
              b.agent.log())
        check(not b.temperature(), b.json('sensors'))


def test_code_that_is_not_what_its_file_says_is_not_run():
    with Rooted() as b:
        with open(os.path.join(b.drivers, 'example.driver'), 'a',
                  encoding='utf-8') as f:
            f.write('[Source more]\n')
        b.agent.start()
        check(b.wait_serving(), b.agent.log())
        check(wait_for(lambda: 'its name and sources differ' in
                       b.agent.log()), b.agent.log())


if __name__ == '__main__':
    agent.main(globals())

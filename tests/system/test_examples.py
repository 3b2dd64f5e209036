#!/usr/bin/env python3
# petrel-test: timeout=120
"""The examples of the manuals, run as they stand there: commands with an agent
and a collector behind them, a screen in a terminal, configurations and a trace
by the programs that read them."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, Haste, check, main, wait_for     # noqa: E402
from folder import OpenFolder                           # noqa: E402
from terminal import Terminal                           # noqa: E402

FAULTY = '''switch name=leaf1 ports=8 speed=400G lanes=4 media=DR4 fec=rs544 seed=3 dom=1s
at 2s Ethernet16 down reason=light
'''
SPEED = 10
MANUALS = os.path.join(agent.TREE, 'packaging', 'man')
COMMANDS = ('petrel ', 'petrel-collector ', 'until ', 'curl ', 'sqlite3 ')
# Who reads a page's blocks.
READERS = {'petrel.conf.5': 'petreld', 'petrel-collector.conf.5':
           'petrel-collector'}
WRAPPER = '''#!/bin/sh
case " $*" in
*" --collector "*) exec %(petrel)s "$@" ;;
*) exec %(petrel)s --socket %(socket)s "$@" ;;
esac
'''
# One that follows is ended, which is no failure.
COLLECTOR = '''#!/bin/sh
timeout 3 %s --config %s "$@"
code=$?
[ $code -ne 124 ] && exit $code
exit 0
'''


def page(name):
    with open(os.path.join(MANUALS, name), encoding='utf-8') as f:
        return f.read().replace('\\(dq', '"').replace('\\e', '\\')


def examples(name):
    """Its literal lines, and the blocks below EXAMPLES."""
    text = page(name)
    yield from re.findall(r'^\.Dl (.*)', text, re.M)
    for part in text.split('.Sh EXAMPLES')[1:]:
        yield from re.findall(r'^\.Bd .*\n((?:.*\n)*?)\.Ed', part, re.M)


class ExampleBed(Bed):
    """An agent with a finding, a collector with a minute of roll-ups, and a
    folder of commands that ask these two."""

    def __init__(self, folder):
        self.http = '127.0.0.1:%d' % agent.free_port()
        self.haste = Haste(SPEED)
        super().__init__(interval='200ms', http=self.http, name='leaf1',
                         haste=self.haste)
        self.scenario = os.path.join(folder, 'faulty.scenario')
        with open(self.scenario, 'w', encoding='utf-8') as f:
            f.write(FAULTY)
        self.write_conf()
        self.commands = os.path.join(folder, 'commands')
        os.mkdir(self.commands)
        self.folder = folder
        for name, text in (
                ('petrel', WRAPPER % {
                    'petrel': ' '.join(self.haste.command(
                        [agent.program('petrel')])), 'socket': self.socket}),
                ('petrel-collector', COLLECTOR % (
                    agent.program('petrel-collector'), self.collector_conf))):
            path = os.path.join(self.commands, name)
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
            os.chmod(path, 0o755)

    def placed(self, example):
        """With this bed's places for those of an installed one."""
        for was, to in (('/run/petrel', self.run_dir),
                        ('/tmp/petrel.prom', self.folder + '/petrel.prom'),
                        ('/var/lib/petrel-collector/petrel.db',
                         self.database),
                        ('127.0.0.1:9817', self.http),
                        ('Ethernet0,4', 'Ethernet0,8'), ('curl ', 'curl -sSf ')):
            example = example.replace(was, to)
        return example

    def run(self, example):
        return subprocess.run(
            ['bash', '-o', 'pipefail', '-c', self.placed(example)], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=60 * agent.SLOW,
            env=dict(os.environ, PATH=self.commands + ':' + os.environ['PATH']))


def test_examples_of_the_manuals_run():
    for program in 'jq', 'curl', 'sqlite3':
        if not shutil.which(program):
            return 'NO %s HERE' % program.upper()
    found = [(name, e) for name in map(os.path.basename, sorted(glob.glob(
        MANUALS + '/*'))) for e in examples(name) if e.startswith(COMMANDS)]
    pages = {name for name, _ in found}
    check({'petrel.1', 'petrel-json.7', 'petrel-metrics.7', 'petrel-record.5',
           'petrel-collector.8'} <= pages, pages)
    with OpenFolder(prefix='petrel-') as folder, ExampleBed(folder) as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: bed.json('findings')['findings'], 30),
              'no finding')
        far = [e for _, e in found if 'history leaf1' in e]
        check(far and wait_for(lambda: 'Ethernet' in bed.run(far[0]).stdout,
                               60, 0.5), far, bed.collector.log())
        for name, example in found:
            if example == 'petrel watch':
                continue        # below
            done = bed.run(example)
            ends = (0, 141) if '| head' in example else (0,)    # SIGPIPE
            check(done.returncode in ends and not done.stderr, name, example,
                  done.returncode, done.stderr)
            check(done.stdout or ' -o ' in example or 'select(' in example or
                  example.startswith('until'), example)
        if shutil.which('tmux'):
            check(('petrel.1', 'petrel watch') in found, found)
            with Terminal([os.path.join(bed.commands, 'petrel'),
                           'watch']) as t:
                t.shows('petrel: ports by', 'Ethernet16')
                t.type('q')
                check(t.ended() == 0, t.text())
    return None


def test_configurations_of_the_manuals_are_good():
    with OpenFolder(prefix='petrel-') as folder:
        for name, program in READERS.items():
            found = [e for e in examples(name) if e.startswith('[')]
            check(found, name)
            for text in found:
                path = os.path.join(folder, name)
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(text)
                done = subprocess.run(
                    agent.command(program, '--config', path, '--check'),
                    capture_output=True, text=True, check=False, timeout=60)
                check(done.returncode == 0, name, text, done.stderr)


def test_trace_of_the_manual_is_read():
    found = [e for e in examples('petrel-trace.5') if e.startswith('{')]
    check(found, 'no trace')
    for text in found:
        done = subprocess.run(agent.command('petrel', 'replay', '--json', '-'),
                              input=text, capture_output=True, text=True,
                              check=False, timeout=60)
        check(done.returncode == 0 and not done.stderr, done)


if __name__ == '__main__':
    main(globals())

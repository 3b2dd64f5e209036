"""A bed for system tests: agent and collector on the simulated switch.

Everything lies in one temporary folder; both are ended, by pid, when the bed
is left. PETREL_WRAP goes before each program (valgrind).
"""
import json
import os
import re
import shlex
import socket
import subprocess
import tempfile
import time

BUILD = os.environ.get('PETREL_BUILD', 'build')
WRAP = shlex.split(os.environ.get('PETREL_WRAP', ''))
SLOW = 8 if os.environ.get('PETREL_SLOW') else 1
SERVING_S = 10 * SLOW
ENDING_S = 10 * SLOW
TOOL_ERROR = re.compile(r'^==\d+==|Sanitizer|runtime error:')


def command(program, *args):
    return WRAP + [os.path.join(BUILD, program)] + list(args)


def run(program, *args, **more):
    """A program that ends by itself; its text and exit status."""
    return subprocess.run(command(program, *args), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60 * SLOW,
                          **more)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Bed:
    """with Bed(scenario) as bed: bed.petrel('ports')"""

    def __init__(self, scenario, speed='1'):
        self.scenario, self.speed = os.path.abspath(scenario), speed
        self.children = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        os.mkdir(self.path + '/run')
        os.mkdir(self.path + '/spool')
        self.write_config()
        try:
            self.start('petrel-collector', '--config',
                       self.path + '/collector.conf')
            self.start('petreld', '--config', self.path + '/petrel.conf',
                       '--foreground')
            self.wait_for(lambda: self.petrel('status').returncode == 0,
                          SERVING_S, 'petreld to serve')
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *exception):
        self.statuses = [self.end(c) for c in reversed(self.children)]
        self.errors = self.tool_errors() if self.children else []
        self.folder.cleanup()

    def write_config(self):
        url = 'tcp://127.0.0.1:%d' % free_port()
        with open(self.path + '/petrel.conf', 'w') as f:
            f.write('[Agent]\nname = sim\nrun_dir = %s/run\n'
                    '[Platform]\ndriver = sim\n'
                    '[Sim]\nscenario = %s\nspeed = %s\n'
                    '[Push]\ncollector = %s\ninsecure = yes\n' %
                    (self.path, self.scenario, self.speed, url))
        with open(self.path + '/collector.conf', 'w') as f:
            f.write('[Collector]\nlisten = %s\nspool = %s/spool\n'
                    'database = %s/petrel.db\ninsecure = yes\n' %
                    (url, self.path, self.path))

    def start(self, program, *args):
        log = open('%s/%s.log' % (self.path, program), 'wb')
        self.children.append(subprocess.Popen(
            command(program, *args), stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT))
        log.close()

    @staticmethod
    def end(child):
        child.terminate()
        try:
            return child.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return 'killed: did not end in %d s' % ENDING_S

    def log(self, program):
        with open('%s/%s.log' % (self.path, program), errors='replace') as f:
            return f.read()

    def tool_errors(self):
        """What valgrind or a sanitizer wrote into the programs' logs."""
        return [line for name in os.listdir(self.path)
                if name.endswith('.log')
                for line in self.log(name[:-4]).splitlines()
                if TOOL_ERROR.search(line)]

    def petrel(self, *args):
        return run('petrel', '--socket', self.path + '/run/petrel.sock', *args)

    def petrel_json(self, *args):
        return json.loads(self.petrel(*args, '--json').stdout)

    def wait_for(self, is_so, seconds, what):
        until = time.monotonic() + seconds
        while not is_so():
            assert all(c.poll() is None for c in self.children), \
                'a program ended while waiting for %s\n%s%s' % (
                    what, self.log('petreld'), self.log('petrel-collector'))
            assert time.monotonic() < until, 'waited %d s for %s\n%s' % (
                seconds, what, self.log('petreld'))
            time.sleep(0.2)

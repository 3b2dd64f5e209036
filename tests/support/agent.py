"""Starts the real programs for a system test, and always stops them again.

Everything lies in a temporary folder: configuration, run folder, spool. Ends
only what it started, by process id.
"""
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from folder import open_folder

TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get('PETREL_BUILD', os.path.join(TREE, 'build'))
SCENARIOS = os.path.join(TREE, 'tests', 'data', 'scenarios')
WRAP = shlex.split(os.environ.get('PETREL_WRAP', ''))
SLOW = 8 if os.environ.get('PETREL_SLOW') else 1     # times are longer by
# What valgrind and the sanitizers write into a program's log.
TOOL_ERROR = re.compile(r'^==\d+==|Sanitizer|runtime error:', re.M)
LONG = re.compile(r'\d{16}')      # 1 << 53 has as many digits
ROLES = ('supervisor', 'reader', 'core', 'sender')


def program(name):
    return os.path.join(BUILD, name)


def preloaded(name):
    """A library for LD_PRELOAD. The loader does without one that is missing,
    and the test would go on without what it does."""
    path = os.path.abspath(program('tests/support/' + name))
    check(os.path.exists(path), path, 'is not built')
    return path


def command(name, *args):
    """Under PETREL_WRAP (valgrind), where that is set."""
    return WRAP + [program(name), *args]


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def without_twin(value, key=''):
    """Integers that a double would not hold, and no text beside them (C3)."""
    if isinstance(value, list):
        return [x for v in value for x in without_twin(v, key)]
    if not isinstance(value, dict):
        return [(key, value)] if isinstance(value, int) and \
            abs(value) >= 1 << 53 else []
    return [x for k, v in value.items() if value.get(k + '_str') != str(v)
            for x in without_twin(v, k)]


def wait_for(what, seconds=15, every=0.02):
    """The first true value of what(); None when it never came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(every)
    return None


class Haste:
    """A time that runs so many times as fast, for the programs of a test."""

    def __init__(self, factor):
        self.factor, self.began_ns = factor, time.monotonic_ns()

    def command(self, argv):
        return ['env', 'LD_PRELOAD=' + preloaded('fast_clock.so'),
                'FAST_CLOCK=%d,%d' % (self.factor, self.began_ns)] + argv

    def now_s(self):
        """What their wall clocks show."""
        ahead_ns = (self.factor - 1) * (time.monotonic_ns() - self.began_ns)
        return time.time() + ahead_ns / 1e9


class Lateness:
    """How late the machine itself wakes who sleeps, at worst, in seconds: what
    a pause of the agent's may have beside its own."""

    def __enter__(self):
        self.worst, self.ended = 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        began = time.monotonic()
        while not self.ended.wait(0.02):
            now = time.monotonic()
            self.worst = max(self.worst, now - began - 0.02)
            began = now

    def __exit__(self, *why):
        self.ended.set()
        self.thread.join()


class Process:
    """One program with its log; stop() is always safe."""

    def __init__(self, argv, log, env=None):
        self.argv, self.log_path = argv, log
        self.env = dict(os.environ, **(env or {}))
        self.child = None

    def start(self):
        with open(self.log_path, 'ab') as log:
            self.child = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.env)
        return self

    @property
    def pid(self):
        return self.child.pid

    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def kill(self, number=signal.SIGKILL):
        if self.is_running():
            self.child.send_signal(number)
        return self.child.wait()

    def heeds(self, number):
        """Whether it catches this signal, or reads it from a signalfd; one that
        comes before ends a program that has only just begun."""
        with open('/proc/%d/status' % self.pid, encoding='ascii',
                  errors='replace') as f:
            masks = re.findall(r'^Sig(?:Blk|Cgt):\s*([0-9a-f]+)', f.read(),
                               re.M)
        return any(int(m, 16) >> (number - 1) & 1 for m in masks)

    def tell(self, number):
        """Sends this signal once the program heeds it."""
        check(wait_for(lambda: self.heeds(number), 15 * SLOW),
              '%s: signal %d would end it' % (self.argv, number), self.log())
        self.child.send_signal(number)

    def stop(self):
        if not self.is_running():
            return
        self.child.terminate()
        try:
            self.child.wait(10 * SLOW)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def log(self):
        with open(self.log_path, encoding='utf-8', errors='replace') as f:
            return f.read()


class Bed:
    """A folder with one agent and one collector that belong together."""

    def __init__(self, scenario=None, driver='sim', interval='1s', extra='',
                 collector=True, root='/', name='sw1', sim='', url=None,
                 is_known=True, http='', haste=None):
        self.dir = open_folder(prefix='petrel-')
        self.root = root
        self.run_below_root = '/run/petrel' if root != '/' else \
            os.path.join(self.dir, 'run')
        self.run_dir = os.path.normpath(root + self.run_below_root)
        self.socket = os.path.join(self.run_dir, 'petrel.sock')
        self.spool = os.path.join(self.dir, 'spool')
        self.database = os.path.join(self.dir, 'petrel.db')
        self.conf = os.path.join(self.dir, 'petrel.conf')
        self.collector_conf = os.path.join(self.dir, 'collector.conf')
        self.url = url or 'tcp://127.0.0.1:%d' % free_port()
        self.scenario, self.driver, self.sim = scenario, driver, sim
        self.interval, self.name = interval, name
        self.write_conf(extra, collector)
        if is_known and driver != 'sim':    # else it waits for a MAC
            os.makedirs(self.run_dir, exist_ok=True)
            with open(os.path.join(self.run_dir, 'petreld.lock'), 'wb'):
                pass                        # the mark of a folder of Petrel's
            with open(os.path.join(self.run_dir, 'identity'), 'w',
                      encoding='utf-8') as f:
                f.write('id bed-%s\n' % name)
        with open(self.collector_conf, 'w', encoding='utf-8') as f:
            f.write('[Collector]\nlisten = %s\nspool = %s\ndatabase = %s\n'
                    'insecure = yes\n[HTTP]\nlisten = %s\n' % (
                        self.url, self.spool, self.database, http))
        self.agent = Process(
            command('petreld', '--config', self.conf, '--root', self.root,
                    '--foreground'), os.path.join(self.dir, 'agent.log'))
        self.collector = Process(
            command('petrel-collector', '--config', self.collector_conf),
            os.path.join(self.dir, 'collector.log'))
        for process in (self.agent, self.collector) if haste else ():
            process.argv = haste.command(process.argv)

    def write_conf(self, extra='', collector=True):
        sim = '[Sim]\nscenario = %s\n%s' % (self.scenario, self.sim) \
            if self.scenario else ''
        push = '[Push]\ncollector = %s\ninsecure = yes\n' % self.url \
            if collector else ''
        with open(self.conf, 'w', encoding='utf-8') as f:
            f.write('[Agent]\nname = %s\nrun_dir = %s\ninterval = %s\n'
                    'cpu_budget = 1s\nmemory_budget = 8192M\n'
                    '[Platform]\ndriver = %s\n%s%s%s' % (
                        self.name, self.run_below_root, self.interval,
                        self.driver, sim, push, extra))

    def ask(self, *args, timeout=20):
        """petrel's exit status and what it printed."""
        run = subprocess.run(command('petrel', '--socket', self.socket, *args),
                             stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, timeout=timeout * SLOW,
                             check=False)
        return run.returncode, run.stdout, run.stderr

    def json(self, *args):
        code, out, err = self.ask(*args, '--json')
        if not out.strip():
            raise AssertionError('petrel %s: exit %d, %s' % (
                ' '.join(args), code, err))
        return json.loads(out)

    def wait_serving(self, seconds=15):
        return wait_for(lambda: os.path.exists(self.socket) and
                        self.ask('status')[0] == 0, seconds * SLOW)

    def pids(self):
        """Of all four processes: one may answer before the last has begun."""
        check(wait_for(lambda: all(map(self.pid_of, ROLES)), 10 * SLOW),
              'not four processes', self.agent.log())
        return [self.pid_of(role) for role in ROLES]

    def pid_of(self, role):
        """Pid of one of the four processes, from the process tree."""
        if not self.agent.is_running():
            return None
        if role == 'supervisor':
            return self.agent.pid
        path = '/proc/%d/task/%d/children' % (self.agent.pid, self.agent.pid)
        with contextlib.suppress(OSError):
            with open(path, encoding='ascii') as f:
                children = f.read().split()
            for pid in children:
                with contextlib.suppress(OSError), \
                        open('/proc/%s/comm' % pid, encoding='ascii') as f:
                    if f.read().strip() == role:
                        return int(pid)
        return None

    def pid_when_there(self, role):
        """The same of one that has just been started: it takes its name
        a moment after."""
        check(wait_for(lambda: self.pid_of(role), 10 * SLOW), role,
              self.agent.log())
        return self.pid_of(role)

    def records(self, content=None, stream=None, filters=None):
        """All that the collector holds, as it prints them, or one stream's.
        content: keys of a record's content to keep, where all of it would
        fill the memory. Who asks again and again asks without the samples:
        in text they are hundreds of times as large.
        """
        held = []
        some = filters or (['--stream', stream] if stream else
                           ['--kind', 'all'])
        with subprocess.Popen([program('petrel-collector'), '--config',
                               self.collector_conf, '--print'] + some,
                              text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as run:
            for line in run.stdout:
                r = json.loads(line)
                check(not LONG.search(line) or not without_twin(r), 'no twin',
                      r)
                if content is not None and 'content' in r:
                    r['content'] = {k: v for k, v in r['content'].items()
                                    if k in content}
                held.append(r)
        return held

    def stop(self):
        self.agent.stop()
        self.collector.stop()

    def close(self):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind and os.environ.get('PETREL_KEEP'):
            self.stop()
            print('# kept: %s' % self.dir)
        else:
            self.close()


class Suite:
    """Runs functions as TAP tests."""

    def __init__(self):
        self.count = self.failed = 0

    def run(self, name, function):
        self.count += 1
        try:
            reason = function()
        except Exception as e:      # a test may fail in any way
            self.failed += 1
            for line in str(e).splitlines() or [repr(e)]:
                print('# %s' % line)
            print('not ok %d - %s' % (self.count, name), flush=True)
            return
        skip = ' # SKIP %s' % reason if isinstance(reason, str) else ''
        print('ok %d - %s%s' % (self.count, name, skip), flush=True)

    def end(self):
        print('1..%d' % self.count)
        sys.exit(1 if self.failed else 0)


def check(truth, *words):
    if not truth:
        raise AssertionError(' '.join(str(w) for w in words) or 'not so')


def missing_sequences(records):
    """Holes, repeats and disorder of each (run, stream), told as text."""
    faults, last = [], {}
    for r in records:
        key = (r['switch'], r['run'], r['stream'])
        expected = last.get(key, 0) + 1
        if r['sequence'] != expected:
            faults.append('%s %s: %d came, %d expected' % (
                r['run'], r['stream'], r['sequence'], expected))
        last[key] = r['last']
    return faults, last


def main(names):
    """Runs what is called test_* in names (globals()), or those whose name
    has the first argument in it; ends the program.
    """
    suite = Suite()
    for name, function in names.items():
        if name.startswith('test_') and (
                len(sys.argv) < 2 or sys.argv[1] in name):
            suite.run(name, function)
    suite.end()

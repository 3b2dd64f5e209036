"""Runs petrel-vswitch and redis-servers for a test, and compares what an agent
has collected with what vswitch says it played.

Which statistic is which quantity comes from sonic_expect, so from the help
texts of quantity.def: nothing here is shared with the C code on either side.
"""
import json
import os
import shutil
import subprocess

from agent import SLOW, command, wait_for
from folder import open_folder
from redis import Redis
from sonic_expect import counter, quantities


def socket_of(asic):
    return 'var/run/redis%s/redis.sock' % ('' if asic is None else asic)


class VSwitch:
    """A switch of its own: a folder for /, its redis-servers, its player."""

    def __init__(self, scenario, *options, asics=1, journal=True, haste=None):
        self.root = open_folder(prefix='petrel-vswitch-')
        self.scenario = os.path.join(self.root, 'played.scenario')
        self.journal = os.path.join(self.root, 'journal')
        with open(self.scenario, 'w', encoding='utf-8') as f:
            f.write(scenario)
        places = [None] + ([*range(asics)] if asics > 1 else [])
        self.redis = [Redis(self.root, socket_of(n), config=False)
                      for n in places]
        self.argv = command('petrel-vswitch', '--root', self.root,
                            '--scenario', self.scenario, '--asics', str(asics),
                            *(('--journal', self.journal) if journal else ()),
                            *options)
        if haste:
            self.argv = haste.command(self.argv)
        self.child = None

    def start(self):
        for r in self.redis:
            r.start()
        self.play()
        return self

    def play(self):
        with open(self.log_path, 'ab') as log:
            self.child = subprocess.Popen(
                self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, text=True)
        wait_for(lambda: 'connected' in self.log() or
                 self.child.poll() is not None, 10 * SLOW)
        if 'connected' not in self.log() or self.child.poll() is not None:
            raise AssertionError(self.log())
        self.totals()       # answered when all is written

    @property
    def log_path(self):
        return os.path.join(self.root, 'vswitch.log')

    def log(self):
        with open(self.log_path, encoding='utf-8') as f:
            return f.read()

    def tell(self, *words):
        """Gives a command; what it printed before it said that it is done."""
        self.child.stdin.write(' '.join(words) + '\n')
        self.child.stdin.flush()
        printed = []
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise AssertionError('vswitch ended: ' + self.log())
            answer = json.loads(line)
            if 'error' in answer:
                raise AssertionError(answer['error'])
            if 'done' in answer:
                return printed
            printed.append(answer)

    def totals(self):
        return self.tell('totals')[0]

    def played(self):
        """{(port or queue, statistic): set of all values}, of the journal."""
        out = {}
        with open(self.journal, encoding='utf-8') as f:
            for line in f:
                for key, value in rows_of(json.loads(line)).items():
                    out.setdefault(key, set()).add(value)
        return out

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.terminate()
            self.child.wait(10 * SLOW)
        if self.child:
            self.child.stdin.close()
            self.child.stdout.close()
        for r in self.redis:
            r.stop()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)


def rows_of(totals):
    return {(name, stat): value for kind in ('ports', 'queues')
            for name, row in totals[kind].items()
            for stat, value in row.items()}


def named(rows):
    """Rows of totals in a driver's words: {(kind, name, quantity, index):
    value}; statistics that are no quantity, and absent ones, are left out."""
    known, out = quantities(), {}
    for (name, stat), value in rows.items():
        if stat not in known:
            continue
        quantity, index, priority = known[stat]
        kind = 'queue' if ':' in name else 'port'
        if priority is not None:
            kind, name = 'priority', '%s:%d' % (name, priority)
        out[kind, name, quantity, index] = value
    return out


def signed(value):
    return counter(str(value))

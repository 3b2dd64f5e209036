#!/usr/bin/env python3
"""What the detectors have learnt is kept: over the death of the core, of all,
over an orderly end and over a boot; what is damaged is refused with a word.
Nothing here waits for a minute: a finding's change is written at once.
"""
import contextlib
import os
import re
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import (ROLES, SCENARIOS, SLOW, Bed, check, main,    # noqa: E402
                   wait_for)
from folder import OpenFolder                                   # noqa: E402

PORTS = 64
TAKEN = re.compile(r'baselines of (\d+) ports restored, written (\d+) s ago')


def is_alive(pid):
    """A child of a parent that was killed dies a little later."""
    try:
        with open('/proc/%d/stat' % pid, encoding='ascii') as f:
            return f.read().rpartition(')')[2].split()[0] not in 'ZX'
    except (FileNotFoundError, ProcessLookupError):
        return False


class Switch(Bed):
    """A root with a state folder, and an agent on it."""

    def __init__(self, root):
        super().__init__(os.path.join(SCENARIOS, 'demo.scenario'),
                         interval='200ms', sim='speed = 20\n', root=root,
                         collector=False)
        self.state_dir = os.path.join(root, 'var/lib/petrel')
        os.makedirs(self.state_dir)
        os.chmod(self.state_dir, 0o755)
        self.in_run = os.path.join(self.run_dir, 'memory')
        self.in_state = os.path.join(self.state_dir, 'memory')

    def begin(self):
        self.agent.start()
        check(wait_for(lambda: os.path.exists(self.socket), 15 * SLOW),
              self.agent.log())

    def end_all(self):
        """As a kernel that is short of memory does it."""
        pids = [self.pid_when_there(role) for role in ROLES]
        self.agent.kill()
        check(wait_for(lambda: not any(map(is_alive, pids)), 10 * SLOW), pids)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket)      # a core that just began has none yet

    def check_taken(self, times):
        """So often in all; all ports, and not long ago."""
        def taken():
            return [(int(p), int(s))
                    for p, s in TAKEN.findall(self.agent.log())]
        check(wait_for(lambda: len(taken()) >= times, 10 * SLOW),
              self.agent.log())
        check(len(taken()) == times and
              all(p == PORTS and s < 60 * SLOW for p, s in taken()),
              taken(), self.agent.log())


def check_kept(bed):
    """In both folders, and told."""
    check(wait_for(lambda: os.path.exists(bed.in_state), 15 * SLOW),
          bed.agent.log())
    for path in (bed.in_run, bed.in_state):
        mode = os.stat(path).st_mode & 0o777
        check(mode == 0o600, path, oct(mode))
    told = bed.ask('status')[1]
    check(re.search(r'^baselines kept: +\d+ s ago \(run\), \d+ s ago '
                    r'\(/var/lib/petrel\)$', told, re.M), told)


def check_end_copies(bed):
    """Also where the children are sent the signal, as systemd does it."""
    before = os.stat(bed.in_state)
    for role in ('core', 'sender'):
        os.kill(bed.pid_when_there(role), signal.SIGTERM)
    bed.agent.stop()
    after = os.stat(bed.in_state)
    check((before.st_ino, before.st_mtime_ns) !=
          (after.st_ino, after.st_mtime_ns), 'not copied at the end')
    with open(bed.in_run, 'rb') as a, open(bed.in_state, 'rb') as b:
        check(a.read() == b.read(), 'the copies differ')


def check_refused(bed):
    """Torn in one folder, a link in the other: each with a word."""
    os.truncate(bed.in_run, os.path.getsize(bed.in_run) - 1)
    os.rename(bed.in_state, bed.in_state + '.other')
    os.symlink('memory.other', bed.in_state)
    bed.begin()
    for words in ('baselines not restored: /run/petrel/memory: ',
                  'baselines not restored: /var/lib/petrel/memory: it is a '
                  'link'):
        check(wait_for(lambda w=words: w in bed.agent.log(), 10 * SLOW),
              words, bed.agent.log())
    for path in (bed.in_run, bed.in_state):
        check(os.path.lexists(path + '.refused'), path)


def test_c17_what_was_learnt_outlives_deaths_an_end_and_a_boot():
    with OpenFolder() as root, Switch(root) as bed:
        bed.begin()
        check_kept(bed)
        check_end_copies(bed)
        shutil.rmtree(bed.run_dir)          # as a boot does
        bed.begin()
        bed.check_taken(1)
        os.kill(bed.pid_when_there('core'), signal.SIGKILL)
        bed.check_taken(2)
        bed.end_all()
        bed.begin()
        bed.check_taken(3)
        bed.end_all()
        check_refused(bed)
        bed.check_taken(3)


if __name__ == '__main__':
    main(globals())

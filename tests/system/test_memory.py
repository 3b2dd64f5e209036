#!/usr/bin/env python3
"""What the detectors have learnt is kept: over the death of the core, of all,
over an orderly end and over a boot; what is damaged is refused with a word.
Nothing here waits for a minute: a finding's change is written at once.
"""
import os
import re
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SCENARIOS, SLOW, Bed, check, main, wait_for   # noqa: E402
from folder import OpenFolder                                   # noqa: E402

PORTS = 64
TAKEN = re.compile(r'baselines of (\d+) ports taken up, written (\d+) s ago')


class Switch(Bed):
    """A root with a state folder, and an agent on it."""

    def __init__(self, root, has_state=True):
        super().__init__(os.path.join(SCENARIOS, 'demo.scenario'),
                         interval='200ms', sim='speed = 20\n', root=root,
                         collector=False)
        self.state_dir = os.path.join(root, 'var/lib/petrel')
        if has_state:
            os.makedirs(self.state_dir)
            os.chmod(self.state_dir, 0o755)
        self.in_run = os.path.join(self.run_dir, 'memory')
        self.in_state = os.path.join(self.state_dir, 'memory')
        self.starts = 0

    def serving(self):
        self.agent.start()
        check(self.wait_serving(), self.agent.log())
        return self

    def learnt(self):
        check(wait_for(lambda: os.path.exists(self.in_run), 15 * SLOW),
              self.agent.log())

    def copied(self):
        check(wait_for(lambda: os.path.exists(self.in_state), 15 * SLOW),
              self.agent.log())

    def taken(self):
        """Each time: how many ports, how old."""
        return [(int(p), int(s)) for p, s in TAKEN.findall(self.agent.log())]

    def check_taken(self, times):
        check(wait_for(lambda: len(self.taken()) >= times, 10 * SLOW),
              self.agent.log())
        check(len(self.taken()) == times and
              all(p == PORTS and s < 60 * SLOW for p, s in self.taken()),
              self.taken(), self.agent.log())

    def end_all(self):
        """As a kernel that is short of memory does it."""
        self.agent.kill()
        check(wait_for(lambda: not os.path.exists(
            '/proc/%d' % self.agent.pid)), 'it still runs')


def mode_of(path):
    return os.stat(path).st_mode & 0o777


def test_c17_a_killed_core_takes_up_what_it_had_learnt():
    with OpenFolder() as root, Switch(root).serving() as bed:
        bed.learnt()
        core = bed.pid_of('core')
        os.kill(core, signal.SIGKILL)
        bed.check_taken(1)
        check(wait_for(lambda: bed.pid_of('core') not in (None, core)))
        check(mode_of(bed.in_run) == 0o600, oct(mode_of(bed.in_run)))


def test_c17_all_killed_and_started_again():
    with OpenFolder() as root, Switch(root).serving() as bed:
        bed.learnt()
        bed.end_all()
        bed.serving().check_taken(1)


def test_c17_an_orderly_end_then_a_boot():
    """What lay in memory is gone; the sender copied it, once more at the end.
    """
    with OpenFolder() as root, Switch(root).serving() as bed:
        bed.copied()
        check(mode_of(bed.in_state) == 0o600, oct(mode_of(bed.in_state)))
        told = bed.json('status')['agent']
        check(told['baselines_run_s'] >= 0 and
              told['baselines_state_s'] >= 0, told)
        check(re.search(r'^baselines kept: +\d+ s ago \(run\), \d+ s ago '
                        r'\(/var/lib/petrel\)$', bed.ask('status')[1], re.M),
              bed.ask('status')[1])
        before = os.stat(bed.in_state)
        bed.agent.stop()
        after = os.stat(bed.in_state)
        check((before.st_ino, before.st_mtime_ns) !=
              (after.st_ino, after.st_mtime_ns), 'not copied at the end')
        with open(bed.in_run, 'rb') as a, open(bed.in_state, 'rb') as b:
            check(a.read() == b.read(), 'the copies differ')
        shutil.rmtree(bed.run_dir)
        bed.serving().check_taken(1)


def test_c17_a_power_cut_leaves_the_copy_of_before():
    with OpenFolder() as root, Switch(root).serving() as bed:
        bed.copied()
        bed.end_all()
        shutil.rmtree(bed.run_dir)
        bed.serving().check_taken(1)


def test_c17_what_is_damaged_is_refused_with_a_word():
    """Torn in one folder, a link in the other; it learns anew."""
    with OpenFolder() as root, Switch(root).serving() as bed:
        bed.copied()
        bed.end_all()
        os.truncate(bed.in_run, os.path.getsize(bed.in_run) - 1)
        os.rename(bed.in_state, bed.in_state + '.other')
        os.symlink('memory.other', bed.in_state)
        bed.serving().learnt()
        log = bed.agent.log()
        check(not bed.taken(), log)
        for words in ('baselines not taken up: /run/petrel/memory: ',
                      'baselines not taken up: /var/lib/petrel/memory: it is '
                      'a link'):
            check(words in log, words, log)
        for path in (bed.in_run, bed.in_state):
            check(os.path.lexists(path + '.refused'), path)
        check(wait_for(lambda: os.path.exists(bed.in_state) and
                       not os.path.islink(bed.in_state), 15 * SLOW),
              os.listdir(bed.state_dir))


def test_c17_without_a_state_folder_it_says_so_once():
    with OpenFolder() as root, Switch(root, has_state=False).serving() as bed:
        bed.learnt()
        check(wait_for(lambda: 'No such file or directory' in
                       bed.json('status')['agent']['baselines'], 10 * SLOW),
              bed.ask('status')[1])
        check(bed.agent.log().count('baselines are not kept') == 1,
              bed.agent.log())
        bed.agent.stop()
        bed.serving().check_taken(1)


if __name__ == '__main__':
    main(globals())

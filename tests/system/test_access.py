#!/usr/bin/env python3
"""C21: what a local user may not ask he cannot read from a file either, and
nobody but Petrel writes where it locks and keeps its rings."""
import fcntl
import os
import signal
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, check, wait_for                  # noqa: E402
from vswitch import VSwitch                             # noqa: E402

SCENARIO = os.path.join(agent.SCENARIOS, 'demo.scenario')
GROUP = '[Query]\nread = group\n'
RINGS = ('findings.ring', 'states.ring', 'samples.ring')
NOBODY = 4444           # petreld itself, started by root, is 65534


def modes(bed):
    return {stat.S_IMODE(os.stat(os.path.join(bed.run_dir, n)).st_mode)
            for n in RINGS}


def mode(bed, name):
    return stat.S_IMODE(os.stat(os.path.join(bed.run_dir, name)).st_mode)


def as_nobody(function):
    """In a process of nobody's, without any group; what it returned."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os._exit(function())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def open_to_all(bed):
    """The folder that the bed is in; what lies there decides by itself."""
    os.chmod(bed.dir, 0o755)
    return bed


def test_c21_rings_follow_who_may_ask():
    with Bed(SCENARIO, collector=False, extra=GROUP) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(modes(bed) == {0o640}, modes(bed))
        check(mode(bed, 'petrel.sock') == 0o660, 'the socket')
        bed.write_conf(collector=False)
        check(bed.ask('reload')[0] == 0, bed.agent.log())
        check(modes(bed) == {0o644}, modes(bed))
        check(wait_for(lambda: mode(bed, 'petrel.sock') == 0o666),
              'the socket')
        bed.write_conf(GROUP, collector=False)
        check(bed.ask('reload')[0] == 0, bed.agent.log())
        check(modes(bed) == {0o640}, modes(bed))
        check(wait_for(lambda: mode(bed, 'petrel.sock') == 0o660),
              'the socket')


def test_c21_rings_of_an_older_version_get_their_mode():
    with Bed(SCENARIO, collector=False, extra=GROUP) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        bed.agent.stop()
        for name in (*RINGS, 'petreld.lock'):
            os.chmod(os.path.join(bed.run_dir, name), 0o644)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check('continues' in bed.agent.log(), bed.agent.log())
        check(modes(bed) == {0o640}, modes(bed))
        check(mode(bed, 'petreld.lock') == 0o600, 'the lock')


def test_c21_nobody_reads_the_rings_of_a_dead_agent_of_a_group():
    if os.getuid() != 0:
        return 'NEEDS ROOT'
    with open_to_all(Bed(SCENARIO, collector=False, extra=GROUP)) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        bed.agent.stop()

        def ask(*words):
            return subprocess.run(
                [agent.program('petrel'), '--socket', bed.socket,
                 *(words or ['findings'])],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode
        check(ask() == 3, 'root reads the rings')
        check(as_nobody(ask) == 69, 'nobody does not')
        for words in (('history', 'Ethernet0', 'if_in_octets'),
                      ('plot', 'Ethernet0')):
            check(as_nobody(lambda w=words: ask(*w)) == 77, words)


def test_c21_nobody_keeps_petreld_from_starting():
    """Neither by its lock nor by a name put where it will write."""
    if os.getuid() != 0:
        return 'NEEDS ROOT'
    with open_to_all(Bed(SCENARIO, collector=False)) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        bed.agent.stop()

        def hold():
            try:
                fd = os.open(os.path.join(bed.run_dir, 'petreld.lock'),
                             os.O_RDONLY)
            except PermissionError:
                return 0
            fcntl.flock(fd, fcntl.LOCK_EX)
            return 1
        check(as_nobody(hold) == 0, 'nobody opened the lock')
        check(as_nobody(lambda: 0 if not os.access(
            bed.run_dir, os.W_OK) else 1) == 0, 'nobody writes there')


def test_c21_folder_that_others_write_to_is_refused():
    with Bed(SCENARIO, collector=False) as bed:
        os.mkdir(bed.run_dir)
        os.chmod(bed.run_dir, 0o777)
        bed.agent.start()
        check(bed.agent.child.wait(20 * agent.SLOW) == 1, 'it runs')
        check('mode 0777; expected a folder of root' in bed.agent.log(),
              bed.agent.log())
        check(os.listdir(bed.run_dir) == [], os.listdir(bed.run_dir))


def test_c21_links_are_not_followed():
    with Bed(SCENARIO, collector=False) as bed:
        os.mkdir(bed.run_dir)
        os.chmod(bed.run_dir, 0o755)
        victim = os.path.join(bed.dir, 'victim')
        for name in ('petreld.lock', 'version'):
            os.symlink(victim, os.path.join(bed.run_dir, name))
        bed.agent.start()
        check(bed.agent.child.wait(20 * agent.SLOW) == 1, 'it runs')
        check('petreld.lock' in bed.agent.log(), bed.agent.log())
        os.unlink(os.path.join(bed.run_dir, 'petreld.lock'))
        with open(os.path.join(bed.run_dir, 'petreld.lock'), 'wb'):
            pass
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(not os.path.exists(victim), 'it wrote through the link')


def test_c21_run_folder_is_made_0755():
    before = os.umask(0o077)
    try:
        with Bed(SCENARIO, collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(stat.S_IMODE(os.stat(bed.run_dir).st_mode) == 0o755,
                  'its mode')
            check(modes(bed) == {0o644}, modes(bed))
    finally:
        os.umask(before)


def served(bed):
    """Values, and batches, so far."""
    status = bed.json('status')
    return (sum(s['values'] for s in status['sources']),
            [s['last'] for s in status['streams']
             if s['stream'] == 'samples'][0])


def window(bed, batches):
    """Values of so many batches; status is asked seldom."""
    values, first = served(bed)
    check(wait_for(lambda: served(bed)[1] >= first + batches, 10 * batches,
                   0.5), 'batches stand still')
    now, last = served(bed)
    return (now - values) / (last - first)


def loop_of(bed, uid):
    """Asks without end; the leader of a group of its own."""
    child = os.fork()
    if child:
        return child
    null = os.open('/dev/null', os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.setpgid(0, 0)
    if uid:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    while True:
        subprocess.run([agent.program('petrel'), '--socket', bed.socket,
                        'queues', '--all', '--json'],
                       stdin=subprocess.DEVNULL, check=False)


def loops_beside(bed, uid, batches):
    children = [loop_of(bed, uid) for _ in range(2)]
    try:
        return window(bed, batches)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_c21_loops_do_not_slow_sampling():
    """Two of anybody's: no budget of sampling's is passed by answers, and as
    many values come a tick as before, at least half of them for certain."""
    if os.getuid() != 0:
        return 'NEEDS ROOT'
    if agent.WRAP:
        return 'TIMES MEAN NOTHING UNDER %s' % agent.WRAP[0].upper()
    with open(os.path.join(agent.SCENARIOS, 'busy.scenario'),
              encoding='utf-8') as f:
        scenario = f.read()
    with VSwitch(scenario, journal=False) as switch, \
            Bed(driver='sonic', root=switch.root, collector=False) as bed:
        os.chmod(switch.root, 0o755)
        with open(bed.conf, encoding='utf-8') as f:
            conf = f.read().replace('cpu_budget = 1s', 'cpu_budget = 200ms')
        with open(bed.conf, 'w', encoding='utf-8') as f:
            f.write(conf)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: served(bed)[1] > 3, 30), 'no batches')
        quiet = window(bed, 4)
        for uid in (NOBODY, 0):
            loud = loops_beside(bed, uid, 10)
            check('cpu_budget is exceeded' not in bed.agent.log(),
                  bed.agent.log())
            check(loud > quiet / 2, uid, quiet, loud)
    return None


if __name__ == '__main__':
    agent.main(globals())

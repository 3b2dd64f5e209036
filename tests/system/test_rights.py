#!/usr/bin/env python3
"""As whom petreld runs and with what: started as root as SONiC's container does
it, by an ordinary user, and where the kernel or a filter refuses a call.

petrel-test: sanitize
"""
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import (BUILD, SCENARIOS, SLOW, Bed, Process, check, command,  # noqa: E402
                   main, program, wait_for)
from redis import Redis                                 # noqa: E402

HEALTHY = os.path.join(SCENARIOS, 'healthy.scenario')
NOBODY = 65534
GROUP = 4242            # of a database, with no name on this machine
CAP_NET_ADMIN, CAP_DAC_READ_SEARCH = 1 << 12, 1 << 2
PROCESSES = ('supervisor', 'reader', 'core', 'sender')
CHANGED = 75            # exit status: start it again


def needs_root():
    return None if os.geteuid() == 0 else 'ANOTHER USER NEEDS ROOT'


def status_of(pid):
    with open('/proc/%d/status' % pid, encoding='ascii') as f:
        rows = dict(line.rstrip('\n').split(':\t', 1) for line in f
                    if ':\t' in line)
    return {'uid': set(map(int, rows['Uid'].split())),
            'gid': set(map(int, rows['Gid'].split())),
            'groups': set(map(int, rows['Groups'].split())),
            'permitted': int(rows['CapPrm'], 16),
            'effective': int(rows['CapEff'], 16),
            'ambient': int(rows['CapAmb'], 16),
            'bounding': int(rows['CapBnd'], 16),
            'no_new_privs': int(rows['NoNewPrivs']),
            'seccomp': int(rows['Seccomp'])}


def statuses(bed):
    """Once each of them has given up what it does not need: who serves may
    be there before the others."""
    check(bed.wait_serving(), bed.agent.log())
    said = {}

    def are_ready():
        for role in PROCESSES:
            pid = bed.pid_of(role)
            if pid is None:
                return False
            said[role] = status_of(pid)
        return all(s['seccomp'] == 2 for s in said.values())
    check(wait_for(are_ready, 10 * SLOW), said, bed.agent.log())
    return said


def check_confined(said, uid, bounding=0):
    for role, s in said.items():
        check(s['uid'] == {uid} and 0 not in s['gid'] | s['groups'], role, s)
        check(s['no_new_privs'] == 1 and s['seccomp'] == 2, role, s)
        check(s['bounding'] == bounding and s['ambient'] == 0, role, s)
        if role != 'reader':
            check(s['effective'] == 0, role, s)
    for role in 'core', 'sender':
        check(said[role]['permitted'] == 0, role, said[role])


class Switch(Bed):
    """An agent beside a redis-server whose socket is as SONiC has it."""

    def __init__(self, redis, **more):
        super().__init__(driver='auto', root=redis.root, collector=False,
                         **more)

    def close(self):
        super().close()


def socket_as_sonic_has_it(redis, group=GROUP):
    os.chown(redis.path, 0, group)
    os.chmod(redis.path, 0o760)


def sources_say(bed):
    return ' '.join(s.get('reason') or '' for s in
                    bed.json('status')['sources'])


def test_root_becomes_nobody_and_keeps_the_groups_of_the_sockets():
    if needs_root():
        return needs_root()
    with Redis() as redis:
        socket_as_sonic_has_it(redis)
        redis.load('COUNTERS_DB', {'COUNTERS_PORT_NAME_MAP': {
            'Ethernet0': 'oid:0x1000000000001'}})
        with Switch(redis) as bed:
            bed.agent.start()
            said = statuses(bed)
            check_confined(said, NOBODY)
            check(all(GROUP in s['groups'] for s in said.values()), said)
            check(said['reader']['permitted'] == 0, 'its sources ask for '
                  'nothing', said['reader'])
            check(wait_for(lambda: 'Permission denied' not in
                           sources_say(bed), 10 * SLOW, 0.1),
                  sources_say(bed))
            check(os.stat(bed.run_dir).st_uid == NOBODY, 'the run folder')
            check('there is no user _petrel' in bed.agent.log(),
                  bed.agent.log())
    return None


def test_a_socket_that_comes_later_with_another_group_ends_it():
    if needs_root():
        return needs_root()
    with Redis() as redis:
        socket_as_sonic_has_it(redis)
        with Switch(redis) as bed:
            bed.agent.start()
            statuses(bed)
            socket_as_sonic_has_it(redis, GROUP + 1)
            check(wait_for(lambda: not bed.agent.is_running(), 20 * SLOW),
                  'it goes on')
            check(bed.agent.child.returncode == CHANGED,
                  bed.agent.child.returncode)
            check('group %d, mode 0760' % (GROUP + 1) in bed.agent.log(),
                  bed.agent.log()[-500:])
            bed.agent.start()
            check(all(GROUP + 1 in s['groups'] for s in
                      statuses(bed).values()), 'not taken')
            # Root's group is never taken: it goes on, and says why.
            known = redis.client()
            os.chown(redis.path, 0, 0)
            known.ask('CLIENT', 'KILL', 'TYPE', 'normal')
            known.close()
            check(wait_for(lambda: bed.ask('status')[0] == 0 and
                           'group root' in sources_say(bed), 40 * SLOW,
                           0.5), sources_say(bed))
            # It looks every three seconds.
            check(not wait_for(lambda: not bed.agent.is_running(), 7),
                  bed.agent.log()[-500:])
    return None


def give(bed, uid):
    """The bed's folders and the run folder with what lies in it."""
    for path in (bed.dir, bed.run_dir, *(
            os.path.join(bed.run_dir, n) for n in os.listdir(bed.run_dir))):
        os.chown(path, uid, uid)


def test_an_ordinary_user_stays_that_user():
    if needs_root():
        return needs_root()
    with Bed(scenario=HEALTHY, collector=False) as bed:
        os.makedirs(bed.run_dir, exist_ok=True)
        give(bed, 4321)
        bed.agent.argv = ['setpriv', '--reuid', '4321', '--regid', '4321',
                          '--clear-groups', *bed.agent.argv]
        bed.agent.start()
        said = statuses(bed)
        bounding = status_of(os.getpid())['bounding']
        check_confined(said, 4321, bounding)
        check(all(s['permitted'] == 0 for s in said.values()), said)
    return None


def test_ambient_capabilities_are_the_readers_alone():
    """As the unit gives them, to a reader whose sources ask for them."""
    if needs_root():
        return needs_root()
    with Bed(driver='linux', collector=False) as bed:
        os.makedirs(bed.run_dir, exist_ok=True)
        give(bed, 4321)
        bed.agent.argv = ['setpriv', '--reuid', '4321', '--regid', '4321',
                          '--clear-groups', '--bounding-set',
                          '-all,+net_admin', '--inh-caps', '-all,+net_admin',
                          '--ambient-caps', '-all,+net_admin',
                          *bed.agent.argv]
        bed.agent.start()
        said = statuses(bed)
        check_confined(said, 4321, CAP_NET_ADMIN)
        check(said['reader']['effective'] in (0, CAP_NET_ADMIN),
              said['reader'])
    return None


def page_root(bed, mode):
    """A switch with one module whose file has that mode."""
    root = os.path.join(bed.dir, 'root')
    os.makedirs(root, 0o755)
    with open(os.path.join(root, 'eeprom'), 'wb') as f:
        f.write(bytes([0x18, 0x50]) + bytes(254))
        os.fchmod(f.fileno(), mode)
    with open(os.path.join(root, 'map'), 'w', encoding='ascii') as f:
        f.write('1 file /eeprom Ethernet0\n')
    return root


def module_switch(bed, mode):
    root = page_root(bed, mode)
    bed.write_conf('[Module]\nmap = /map\n', collector=False)
    bed.agent.argv[bed.agent.argv.index('--root') + 1] = root
    bed.run_dir = root + bed.run_dir
    bed.socket = os.path.join(bed.run_dir, 'petrel.sock')


def test_a_file_for_root_alone_keeps_one_capability_in_the_reader():
    if needs_root():
        return needs_root()
    for mode, wanted in (0o600, CAP_DAC_READ_SEARCH), (0o644, 0):
        with Bed(driver='module', collector=False) as bed:
            module_switch(bed, mode)
            bed.agent.start()
            said = statuses(bed)
            check_confined(said, NOBODY)
            check(said['reader']['effective'] == CAP_NET_ADMIN | wanted,
                  oct(mode), hex(said['reader']['effective']))
            check(wait_for(lambda: 'Permission denied' not in
                           sources_say(bed), 10 * SLOW), sources_say(bed))
    return None


def test_a_file_for_root_alone_is_named_with_owner_and_mode():
    if needs_root():
        return needs_root()
    with Bed(driver='module', collector=False) as bed:
        module_switch(bed, 0o600)
        os.makedirs(bed.run_dir, exist_ok=True)
        give(bed, 4321)
        bed.agent.argv = ['setpriv', '--reuid', '4321', '--regid', '4321',
                          '--clear-groups', *bed.agent.argv]
        bed.agent.start()
        statuses(bed)
        check(wait_for(lambda: '(owner root, group root, mode 0600)' in
                       sources_say(bed), 10 * SLOW, 0.2), sources_say(bed))
        check(bed.agent.is_running(), 'no start anew would help')
    return None


def test_what_an_older_petreld_left_as_root_is_handed_over():
    if needs_root():
        return needs_root()
    with Bed(scenario=HEALTHY, collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        run = bed.json('status')['run'] if 'run' in bed.json('status') else \
            re.search('run=([0-9a-f]+)', bed.agent.log())[1]
        bed.agent.stop()
        for name in os.listdir(bed.run_dir):
            os.chown(os.path.join(bed.run_dir, name), 0, 0)
        os.chown(bed.run_dir, 0, 0)
        secret = os.path.join(bed.dir, 'secret')
        with open(secret, 'w', encoding='ascii'):
            pass
        os.symlink(secret, os.path.join(bed.run_dir, 'link.ring'))
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check('run=%s continues' % run in bed.agent.log(), bed.agent.log())
        check(all(os.lstat(os.path.join(bed.run_dir, n)).st_uid == NOBODY
                  for n in os.listdir(bed.run_dir) if n != 'link.ring'),
              os.listdir(bed.run_dir))
        check(os.stat(secret).st_uid == 0, 'a link was followed')
    return None


def refused(bed):
    done = subprocess.run(bed.agent.argv, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=30 * SLOW, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_folder_of_somebody_elses_is_not_taken():
    if needs_root():
        return needs_root()
    with Bed(scenario=HEALTHY, collector=False) as bed:
        os.makedirs(bed.run_dir, exist_ok=True)
        with open(os.path.join(bed.run_dir, 'mine'), 'w', encoding='ascii'):
            pass
        for _ in range(2):      # and leaves nothing that passes for a sign
            code, said = refused(bed)
            check(code == 1 and "not Petrel's" in said, code, said)
        check(os.stat(os.path.join(bed.run_dir, 'mine')).st_uid == 0 and
              os.stat(bed.run_dir).st_uid == 0, 'it was taken')
    return None


def test_a_user_that_is_not_there_or_is_root_is_refused():
    if needs_root():
        return needs_root()
    for user, words in (('root', 'does not run as root'),
                        ('no-such-user', 'no such user')):
        with Bed(scenario=HEALTHY, collector=False) as bed:
            bed.write_conf('[Agent]\nuser = %s\n' % user, collector=False)
            code, said = refused(bed)
            check(code != 0 and words in said, user, code, said)
    return None


def test_who_cannot_give_up_its_rights_ends():
    if needs_root():
        return needs_root()
    without = os.path.join(BUILD, 'tests/support/without_call')
    for call in 'capset=EPERM', 'setresuid=EPERM', 'seccomp=EPERM,' \
            'prctl=EPERM':
        with Bed(scenario=HEALTHY, collector=False) as bed:
            bed.agent.argv = [without, call, *bed.agent.argv]
            code, said = refused(bed)
            check(code != 0 and not os.path.exists(bed.socket), call, code,
                  said)
            check(re.search('cannot|no_new_privs', said), call, said)
    return None


def test_a_switch_is_read_where_there_is_no_openat2():
    without = os.path.join(BUILD, 'tests/support/without_call')
    for error in 'ENOSYS', 'EPERM':
        with Redis() as redis:
            redis.load('COUNTERS_DB', {'COUNTERS_PORT_NAME_MAP': {
                'Ethernet0': 'oid:0x1000000000001'}})
            with Switch(redis) as bed:
                bed.agent.argv = [without, 'openat2=' + error,
                                  *bed.agent.argv]
                bed.agent.start()
                check(bed.wait_serving(), bed.agent.log())
                check(wait_for(lambda: any(
                    p['port'] == 'Ethernet0' for p in
                    bed.json('ports')['ports']), 10 * SLOW, 0.1),
                    error, sources_say(bed))


if __name__ == '__main__':
    main(globals())

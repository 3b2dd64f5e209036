#!/usr/bin/env python3
"""The packages under a real systemd, each option of their units on: installed,
upgraded from the version before with its rings, reloaded, purged; beside Redis
as Debian's own unit starts it.

What one scene leaves the next finds.

petrel-test: alone
petrel-test: timeout=240
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import TREE, Suite, check, missing_sequences, wait_for   # noqa: E402
from machine import Machine, enter, making                      # noqa: E402
from root import version                                # noqa: E402

FORMER = TREE + '/tests/data/former/petrel_0.1.0_amd64.deb'
PACKAGES = ('petrel', 'petrel-collector', 'petrel-vswitch')
SYSTEM = ('systemd', 'systemd-sysv', 'dbus', 'adduser', 'redis-server')
# The container's, of the same root.
IMAGE = ('supervisor', 'rsyslog')
SOURCES = ('agent', 'include', 'packaging', 'platform')
SOCKET = '/run/redis/redis.sock'
URL = 'tcp://127.0.0.1:4717'
REDIS = '''port 0
unixsocket %s
unixsocketperm 760
databases 100
notify-keyspace-events AKE
save ""
daemonize no
supervised systemd
dir /var/lib/redis
''' % SOCKET
SWITCH = 'switch name=leaf07 ports=16 speed=400G lanes=4 media=DR4 ' \
    'fec=rs544 seed=7\n'
EXPOSURE_MAX = {'petreld': 20, 'petrel-collector': 14,
                'petrel-host': 46}      # tenths
CAP_NET_ADMIN, CAP_DAC_READ_SEARCH = 1 << 12, 1 << 2
HEALTHY_S = 10


def debs():
    """{package: path}; built where what is there is older than the tree."""
    def found():
        return {n: TREE + '/build/deb/%s_%s_amd64.deb' % (n, version())
                for n in PACKAGES}
    files = [os.path.join(folder, f) for part in SOURCES
             for folder, _, names in os.walk(os.path.join(TREE, part))
             for f in names if f.endswith(('.c', '.h', '.def', '.proto')) or
             part == 'packaging'] + [TREE + '/Makefile']
    newest = max(os.stat(f).st_mtime for f in files)
    with making():
        if all(os.path.exists(p) and os.stat(p).st_mtime > newest
               for p in found().values()):
            return found()
        done = subprocess.run(
            ['make', '-C', TREE, '--no-print-directory', 'deb'], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        check(done.returncode == 0, done.stdout[-2000:], done.stderr[-500:])
    return found()


def depends(paths):
    """Packages that these ask for and recommend, without the version."""
    names = set()
    for path in paths:
        for field in ('Depends', 'Recommends'):
            said = subprocess.run(['dpkg-deb', '-f', path, field], text=True,
                                  capture_output=True, check=True).stdout
            names |= {re.sub(r'[ (|].*', '', d.strip())
                      for d in said.split(',') if d.strip()}
    return names


def switch_of(machine):
    """Redis and petrel-vswitch as services of the machine."""
    machine.write('/etc/redis/redis.conf', REDIS)
    machine.write('/etc/switch.scenario', SWITCH)
    machine.write('/etc/systemd/system/vswitch.service', (
        '[Unit]\nAfter=redis-server.service\nRequires=redis-server.service\n'
        '[Service]\nExecStart=/usr/bin/petrel-vswitch --root / --redis %s '
        '--scenario /etc/switch.scenario --dom 2s --queues 2s --watermarks 4s'
        '\nRestart=always\nRestartSec=1\n') % SOCKET)


class Scenes:
    def __init__(self, machine, paths):
        self.machine, self.paths = machine, paths
        self.before = None

    def health(self, of='--agent'):
        return self.machine.run('petrel', 'health', of)

    def conf(self, text):
        self.machine.write('/etc/petrel/conf.d/50-test.conf', text)

    def deb(self, *names):
        return ['/root/%s.deb' % n for n in names]

    def records(self):
        said = self.machine.must('petrel-collector', '--print', '--kind',
                                      'all')
        return [json.loads(l) for l in said.splitlines() if l[:1] == '{']

    def processes(self, count=4):
        """{name: what /proc says} of all of petreld."""
        main = self.machine.pid_of('petreld')
        check(main, 'petreld does not run')
        said = self.machine.must('sh', '-c', '''
            for p in %d $(cat /proc/%d/task/%d/children); do
                echo; cat /proc/$p/status
            done''' % (main, main, main))
        found = {}
        for part in said.strip().split('\n\n'):
            rows = dict(l.split(':\t', 1) for l in part.splitlines()
                        if ':\t' in l)
            found[rows['Name']] = rows
        check(len(found) == count, list(found))
        return found

    def check_confined(self, reader=CAP_NET_ADMIN, bounding=CAP_NET_ADMIN,
                       count=4):
        uid = self.machine.must('id', '-u', '_petrel').strip()
        for name, rows in self.processes(count).items():
            check(set(rows['Uid'].split()) == {uid}, name, rows['Uid'])
            check(rows['NoNewPrivs'] == '1' and rows['Seccomp'] == '2', name,
                  rows['NoNewPrivs'], rows['Seccomp'])
            check(int(rows['CapBnd'], 16) & ~bounding == 0, name,
                  rows['CapBnd'])
            check(rows['CapAmb'].strip('0') == '', name, rows['CapAmb'])
            may = reader if name == 'reader' else 0
            check(int(rows['CapEff'], 16) & ~may == 0, name, rows['CapEff'])
            if name in ('core', 'sender', 'exporter'):
                check(int(rows['CapPrm'], 16) == 0, name, rows['CapPrm'])
        return self.processes(count)

    # --- scenes ---------------------------------------------------------------

    def scene_former_version_and_its_rings(self):
        m = self.machine
        m.must('systemctl', 'is-active', 'redis-server')
        st = os.stat(m.path(SOCKET))
        check(st.st_mode & 0o777 == 0o760 and st.st_uid != 0, oct(st.st_mode))
        m.must('dpkg', '-i', *self.deb('former', 'petrel-collector',
                                       'petrel-vswitch'))
        m.write('/etc/petrel/collector.d/50-test.conf',
                '[Collector]\nlisten = %s\ninsecure = yes\n' % URL)
        m.must('systemctl', 'start', 'petrel-collector', 'vswitch')
        self.conf('[Agent]\ninterval = 200ms\n[Push]\ncollector = %s\n'
                  'insecure = yes\n' % URL)
        m.must('systemctl', 'restart', 'petreld')
        check(wait_for(lambda: len(self.records()) > 20, 30, 0.5),
              'no records')

    def scene_upgrade_keeps_the_run_and_all_records(self):
        m = self.machine
        os.makedirs(m.path('/host'), exist_ok=True)    # SONiC's
        m.must('dpkg', '-i', *self.deb('petrel'))
        seen = len(self.records())
        check(wait_for(lambda: len(self.records()) > seen + 20, 30, 0.5),
              m.run('petrel', 'status'))
        records = self.records()
        faults, _ = missing_sequences(records)
        runs = {r['run'] for r in records}
        gaps = [r for r in records if r['kind'] == 'gap']
        print('# %d records of %d run(s) over the upgrade, %d gaps' % (
            len(records), len(runs), len(gaps)))
        # The former one had begun a run of its own before it was configured.
        check(not faults and not gaps, faults, gaps[:3])
        check(len(runs) == 1, runs, m.run('sh', '-c',
              'journalctl --no-pager -u petreld | grep run='))

    def scene_health_is_right_within_ten_seconds(self):
        m = self.machine
        m.must('systemctl', 'restart', 'petreld')
        began = time.monotonic()
        check(wait_for(lambda: self.health()[0] == 0, HEALTHY_S, 0.2),
              self.health(), m.run('petrel', 'status')[1])
        print('# petrel health --agent: exit 0 after %.1f s' % (
            time.monotonic() - began))
        ports = json.loads(m.must('petrel', 'ports', '--json'))['ports']
        check(len(ports) == 16, len(ports))

    def scene_what_was_learnt_outlives_upgrade_and_boot(self):
        """A boot takes the run folder away; the unit made the other one."""
        m, taken = self.machine, 'baselines of 16 ports restored'

        def told():
            return m.must('journalctl', '--no-pager', '-u',
                          'petreld').count(taken)
        before = told()
        m.must('dpkg', '-i', *self.deb('petrel'))
        check(wait_for(lambda: told() == before + 1, 5), before, told())
        m.must('systemctl', 'stop', 'petreld')
        for name in ('/run/petrel', '/host/petrel'):
            st = os.stat(m.path(name + '/memory'))
            check(st.st_mode & 0o777 == 0o600 and st.st_uid != 0, name,
                  oct(st.st_mode), st.st_uid)
        for name, mode in ('', 0o711), ('/spool', 0o700):  # not history/
            st = os.stat(m.path('/host/petrel' + name))
            check(st.st_mode & 0o777 == mode, name, oct(st.st_mode))
        m.must('cmp', '/var/lib/petrel/memory', '/host/petrel/memory')
        m.must('rm', '-r', '/run/petrel')
        m.must('systemctl', 'start', 'petreld')
        check(wait_for(lambda: told() == before + 2, 5), before, told())

    def scene_a_host_folder_that_is_read_only_keeps_nothing_out(self):
        """As in another image, where /host cannot be written: petreld does
        without, and finds all again once it can."""
        m = self.machine
        before = m.must('sha256sum', '/host/petrel/identity')
        m.must('systemctl', 'stop', 'petreld', 'petrel-host')
        m.must('umount', '/var/lib/petrel')
        m.must('mount', '-t', 'tmpfs', '-o', 'ro', 'none', '/host')
        m.must('systemctl', 'start', 'petreld')
        check(wait_for(lambda: self.health()[0] == 0, HEALTHY_S, 0.2),
              self.health())
        code, _ = m.run('mountpoint', '-q', '/var/lib/petrel')
        check(code != 0, 'it is bound all the same')
        m.must('systemctl', 'stop', 'petreld')
        m.must('umount', '/host')
        m.must('systemctl', 'start', 'petreld')
        m.must('mountpoint', '-q', '/var/lib/petrel')
        check(m.must('sha256sum', '/host/petrel/identity') == before)
        m.must('systemctl', 'reset-failed', 'petreld')  # so many starts

    def scene_processes_have_no_rights(self):
        found = self.check_confined()
        print('# CapEff: ' + ', '.join('%s %s' % (n, r['CapEff'].lstrip(
            '0') or '0') for n, r in found.items()))

    def scene_exposure_is_small(self):
        for unit, most in EXPOSURE_MAX.items():
            said = self.machine.must(
                'systemd-analyze', 'security', '--no-pager', '--threshold=%d' %
                most, unit + '.service')
            print('# ' + said.strip().splitlines()[-1])

    def scene_what_keeps_the_collector_from_starting_may_pass(self):
        """However often it was tried by then."""
        m, path = self.machine, '/var/lib/petrel-collector/petrel.db'
        m.must('systemctl', 'stop', 'petrel-collector')
        m.must('mv', path, path + '.aside')
        m.must('mkdir', path)
        m.run('systemctl', 'start', 'petrel-collector')

        def tried():
            return int(m.must('systemctl', 'show', '-P', 'NRestarts',
                              'petrel-collector'))
        check(wait_for(lambda: tried() > 6, 30, 0.5), tried(),
              m.run('systemctl', 'status', 'petrel-collector')[1])
        m.must('rmdir', path)
        m.must('mv', path + '.aside', path)
        check(wait_for(lambda: m.run('systemctl', 'is-active',
                                     'petrel-collector')[0] == 0, 20, 0.2),
              m.run('systemctl', 'status', 'petrel-collector')[1])

    def scene_reload_tells_file_and_line(self):
        m = self.machine
        good = m.read('/etc/petrel/conf.d/50-test.conf')
        m.must('systemctl', 'reload', 'petreld')
        self.conf(good + '[Log]\nlevell = x\n')
        code, _ = m.run('systemctl', 'reload', 'petreld')
        check(code != 0, 'a bad file was taken')
        said = m.must('journalctl', '--no-pager', '-n', '20', '-u', 'petreld')
        check('50-test.conf:7' in said, said[-1500:])
        self.conf(good)
        m.must('systemctl', 'reload', 'petreld')
        m.must('systemctl', 'is-active', 'petreld')

    def scene_prometheus_scrapes_from_within_the_sandbox(self):
        m = self.machine
        good = m.read('/etc/petrel/conf.d/50-test.conf')
        before = m.pid_of('petreld')
        self.conf(good + '[Metrics]\nlisten = 127.0.0.1:9717\n')
        m.must('systemctl', 'reload', 'petreld')
        said = wait_for(lambda: m.run('bash', '-c', '''
            exec 3<>/dev/tcp/127.0.0.1/9717
            printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3''')[1], 10)
        check('200 OK' in said and '\npetrel_up 1\n' in said and
              '\npetrel_process_up{process="exporter"} 1\n' in said,
              said[:800], m.run('petrel', 'status')[1][-600:])
        self.check_confined(count=5)
        self.conf(good)
        m.must('systemctl', 'reload', 'petreld')
        check(m.pid_of('petreld') == before, 'it was restarted')
        check(wait_for(lambda: 'exporter' not in m.run(
            'petrel', 'status')[1], 5))

    def scene_databases_that_come_later_are_read(self):
        """As on a boot: petreld first, then Redis, then what fills it."""
        m = self.machine
        m.must('systemctl', 'stop', 'vswitch', 'redis-server', 'petreld')
        m.must('systemctl', 'start', 'petreld')
        check(wait_for(lambda: self.health()[0] not in (0, 69), 10),
              self.health())
        m.must('systemctl', 'start', 'redis-server')
        m.must('systemctl', 'start', 'vswitch')
        check(wait_for(lambda: self.health()[0] == 0, 20, 0.2),
              self.health(), m.run('petrel', 'status')[1])

    def scene_a_page_file_for_root_alone_asks_for_the_drop_in(self):
        m = self.machine
        m.write('/etc/petrel/map', '1 file /srv/eeprom Ethernet0\n')
        with open(m.path('/srv/eeprom'), 'wb') as f:
            f.write(bytes([0x18, 0x50]) + bytes(254))
            os.fchmod(f.fileno(), 0o600)
        kept = m.read('/etc/petrel/conf.d/50-test.conf')
        self.conf(kept + '[Platform]\ndriver = sonic, module\n[Module]\n'
                  'map = /etc/petrel/map\n')
        m.must('systemctl', 'restart', 'petreld')

        def reasons():
            code, said = m.run('petrel', 'status', '--json')
            return [] if code else [
                s.get('reason') or '' for s in json.loads(said)['sources']
                if s['source'].startswith('module.')]
        check(wait_for(lambda: any('(owner root, group root, mode 0600)' in r
                                   for r in reasons()), 15), reasons())
        self.check_confined()
        m.must('install', '-D', '-m', '644',
               '/usr/share/petrel/systemd/root-pages.conf',
               '/etc/systemd/system/petreld.service.d/root-pages.conf')
        m.must('systemctl', 'daemon-reload')
        m.must('systemctl', 'restart', 'petreld')
        check(wait_for(lambda: reasons() and not any(
            'Permission denied' in r for r in reasons()), 15), reasons())
        both = CAP_NET_ADMIN | CAP_DAC_READ_SEARCH
        found = self.check_confined(both, both)
        check(int(found['reader']['CapEff'], 16) == both,
              found['reader']['CapEff'])
        os.unlink(m.path('/etc/systemd/system/petreld.service.d/'
                         'root-pages.conf'))
        self.conf(kept)
        m.must('systemctl', 'daemon-reload')
        m.must('systemctl', 'restart', 'petreld')

    def scene_purge_leaves_nothing(self):
        m = self.machine
        m.must('dpkg', '--purge', 'petrel', 'petrel-collector')
        for name in ('/etc/petrel/petrel.conf', '/run/petrel',
                     '/var/lib/petrel', '/var/lib/petrel-collector',
                     '/host/petrel',
                     '/usr/sbin/petreld', '/lib/systemd/system/petreld.service'
                     ):
            check(not os.path.lexists(m.path(name)), name, 'stays')
        said = m.must('ps', '-A', '-o', 'comm=') if \
            os.path.exists(m.path('/bin/ps')) else ''
        check('petreld' not in said, said)
        code, said = m.run('getent', 'passwd', '_petrel', '_petrel-collector')
        check(code != 0 and not said.strip(), said)
        code, said = m.run('systemctl', 'is-active', 'petreld')
        check(code != 0, said)


def main():
    enter()
    os.chdir(TREE)
    paths = debs()
    began = time.monotonic()
    machine = Machine(SYSTEM + IMAGE + tuple(depends([*paths.values(),
                                                      FORMER])))
    suite = Suite()
    try:
        for name, path in (*paths.items(), ('former', FORMER)):
            shutil.copy(path, machine.path('/root/%s.deb' % name))
        switch_of(machine)
        machine.boot()
        print('# up after %.0f s' % (time.monotonic() - began))
        scenes = Scenes(machine, paths)
        for name in [n for n in vars(Scenes) if n.startswith('scene_')]:
            if len(sys.argv) < 2 or any(a in name for a in sys.argv[1:]):
                suite.run('booted_' + name[6:], getattr(scenes, name))
    finally:
        machine.stop()
        print('# %.0f s' % (time.monotonic() - began))
    suite.end()


if __name__ == '__main__':
    main()

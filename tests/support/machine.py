"""A whole Debian with systemd as its first process, by systemd-nspawn: what a
package is installed into, and what its units really run under.

The root is made once, in build/booted, and never written: each machine has a
layer over it, which goes with it. It has a network of its own without a way
out. Its first process is ended by id before the layer is removed.
"""
import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys

from agent import TREE, check, wait_for
from root import Files

BASE = os.path.join(TREE, 'build', 'booted')
INSIDE = 'PETREL_BOOTED_INSIDE'
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
NEEDED = ('systemd-nspawn', 'debootstrap', 'nsenter', 'unshare')
BOOT_S, POWEROFF_S = 60, 30
READY = ('running', 'degraded')


def skip(reason):
    print('1..0 # SKIP ' + reason)
    sys.exit(0)


def enter():
    """Into a name space of mounts that takes them away at the end."""
    if os.environ.get(INSIDE):
        return
    if os.geteuid() != 0:
        skip('A MACHINE TO BOOT NEEDS ROOT')
    for name in NEEDED:
        if not shutil.which(name):
            skip('NO %s HERE' % name.upper())
    os.environ[INSIDE] = '1'
    os.execvp('unshare', ['unshare', '--mount', sys.executable, *sys.argv])


@contextlib.contextmanager
def making():
    """What two tests share is made by one of them."""
    os.makedirs(TREE + '/build', exist_ok=True)
    with open(TREE + '/build/booted.lock', 'wb') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def base(packages):
    """The folder of the root with these packages; made where it is not."""
    with making():
        return base_make(packages)


def base_make(packages):
    names = ','.join(sorted(packages))
    root = os.path.join(BASE, hashlib.sha256(names.encode()).hexdigest()[:12])
    if os.path.isdir(root):
        return root
    os.makedirs(BASE, exist_ok=True)
    shutil.rmtree(root + '.new', ignore_errors=True)
    made = subprocess.run(
        [TREE + '/tests/support/debian_root', root + '.new',
         BASE + '/debootstrap.log', names], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, check=False)
    if made.returncode == 77:
        skip('NO DEBIAN TO BOOT')
    check(made.returncode == 0, 'debian_root: exit', made.returncode)
    os.rename(root + '.new', root)
    return root


class Layer(Files):
    """A root over the base, which goes with it."""

    def __init__(self, packages, name):
        below = base(packages)
        self.top = os.path.join(BASE, name)
        shutil.rmtree(self.top, ignore_errors=True)
        for part in ('layer', 'work', 'root'):
            os.makedirs(os.path.join(self.top, part), 0o755)
        self.dir = os.path.join(self.top, 'root')
        subprocess.run(
            ['mount', '-t', 'overlay', 'overlay', '-o',
             'lowerdir=%s,upperdir=%s/layer,workdir=%s/work' % (
                 below, self.top, self.top), self.dir], check=True)

    def remove(self):
        if os.path.ismount(self.dir):
            subprocess.run(['umount', self.dir], check=True)
        shutil.rmtree(self.top, ignore_errors=True)


class Machine(Layer):
    """One that runs; stop() is always safe."""

    def __init__(self, packages):
        super().__init__(packages, 'machine')
        self.nspawn = self.leader = None

    def path(self, name):
        """Once it is up, as its own processes see it: /run is its own."""
        root = '/proc/%d/root' % self.leader if self.leader else self.dir
        return os.path.join(root, name.lstrip('/'))

    def find_leader(self):
        path = '/proc/%d/task/%d/children' % ((self.nspawn.pid,) * 2)
        with open(path, encoding='ascii') as f:
            children = f.read().split()
        self.leader = int(children[0]) if children else None
        return self.leader

    def boot(self):
        """Until systemd says that it is up; skips where nspawn cannot run."""
        with open(self.top + '/console.log', 'wb') as log:
            self.nspawn = subprocess.Popen(
                ['systemd-nspawn', '-q', '-D', self.dir, '--boot',
                 '--register=no', '--keep-unit', '--private-network',
                 '--console=pipe', '--hostname=leaf07'],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        up = wait_for(lambda: self.nspawn.poll() is not None or
                      (self.find_leader() and
                       self.run('systemctl', 'is-system-running')[1].strip()
                       in READY), BOOT_S, 0.2)
        with open(self.top + '/console.log', errors='replace',
                  encoding='utf-8') as f:
            said = f.read().strip().splitlines() or ['no word of why']
        if self.nspawn.poll() is not None and not self.leader:
            self.stop()
            skip('NSPAWN CANNOT RUN HERE: ' + said[-1])
        check(up and self.nspawn.poll() is None, 'did not boot:',
              '\n'.join(said[-20:]))
        return self

    def run(self, *argv, user=None):
        """Exit status and what it printed, of a command in the machine."""
        become = ['setpriv', '--reuid', user, '--regid', user,
                  '--clear-groups'] if user else []
        done = subprocess.run(
            ['nsenter', '-t', str(self.leader), '--mount', '--uts', '--ipc',
             '--net', '--pid', '--', 'env', '-i', 'PATH=' + PATH,
             'HOME=/root', 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive',
             *become, *argv],
            stdin=subprocess.DEVNULL, text=True, errors='replace',
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            timeout=120)
        return done.returncode, done.stdout

    def must(self, *argv):
        code, said = self.run(*argv)
        check(code == 0, ' '.join(argv), 'exit', code, said[-2000:])
        return said

    def pid_of(self, unit):
        """As the machine counts; 0 where it does not run."""
        return int(self.must('systemctl', 'show', '-P', 'MainPID',
                             unit).strip())

    def stop(self):
        if self.nspawn and self.nspawn.poll() is None:
            if self.leader:
                self.run('systemctl', '--no-block', 'poweroff')
            if not self.leader or not wait_for(
                    lambda: self.nspawn.poll() is not None, POWEROFF_S):
                os.kill(self.leader or self.nspawn.pid, signal.SIGKILL)
            self.nspawn.wait(POWEROFF_S)
        self.nspawn = self.leader = None
        self.remove()

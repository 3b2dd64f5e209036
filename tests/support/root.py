"""A fresh Debian in a folder, and what is done in it, for the campaigns that
install something. In name spaces that take all of it away.
"""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from agent import TREE, check

INSIDE = 'PETREL_PACKAGE_INSIDE'
MOUNTS = {'proc': 'proc', 'sysfs': 'sys'}
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


def version():
    with open(TREE + '/Makefile', encoding='utf-8') as f:
        return re.search(r'^VERSION := (\S+)', f.read(), re.M)[1]


def enter():
    """Into a name space that takes all with it."""
    if os.environ.get(INSIDE):
        return
    if os.getuid() != 0:
        print('1..0 # SKIP A FRESH DEBIAN NEEDS ROOT')
        sys.exit(0)
    os.environ[INSIDE] = '1'
    os.execvp('unshare', ['unshare', '--mount', '--pid', '--fork',
                          '--kill-child', '--mount-proc', sys.executable,
                          *sys.argv])


def own_sockets():
    """Unix sockets named after Petrel, of the processes of this name space:
    the list itself is the whole machine's."""
    inodes = set()
    for path in glob.glob('/proc/[0-9]*/fd/*'):
        with contextlib.suppress(OSError):
            inodes |= set(re.findall(r'socket:\[(\d+)\]', os.readlink(path)))
    with open('/proc/net/unix', encoding='ascii') as f:
        rows = [l.split() for l in f]
    return {r[7] for r in rows if len(r) > 7 and r[6] in inodes and
            'petrel' in r[7]}


class Files:
    """What lies in a folder that stands for a system's root, self.dir."""

    def path(self, *parts):
        return os.path.join(self.dir, *(p.lstrip('/') for p in parts))

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as f:
            f.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        with open(self.path(name), encoding='utf-8') as f:
            return f.read()


class Root(Files):
    """A fresh Debian, and what is done in it."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='petrel-root.')
        os.chmod(self.dir, 0o755)
        os.makedirs(TREE + '/build/campaign-logs', exist_ok=True)
        made = subprocess.run(
            [TREE + '/tests/support/debian_root', self.dir,
             TREE + '/build/campaign-logs/debootstrap.log',
             'ca-certificates'], stdin=subprocess.DEVNULL, check=False)
        if made.returncode:
            print('1..0 # SKIP NO DEBIAN TO INSTALL INTO: exit %d of '
                  'debian_root' % made.returncode)
            sys.exit(0 if made.returncode == 77 else 1)
        for kind in MOUNTS:
            subprocess.run(['mount', '-t', kind, kind,
                            self.path(MOUNTS[kind])], check=True)

    def remove(self):
        for folder in MOUNTS.values():
            subprocess.run(['umount', self.path(folder)], check=True)
        shutil.rmtree(self.dir)

    def argv(self, *argv):
        keep = ['%s=%s' % (k, v) for k, v in os.environ.items()
                if k.lower() in ('http_proxy', 'https_proxy', 'no_proxy')]
        return ['chroot', self.dir, 'env', '-i', 'PATH=' + PATH, 'HOME=/root',
                'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8', *keep,
                *argv]

    def run(self, *argv):
        done = subprocess.run(self.argv(*argv), stdin=subprocess.DEVNULL,
                              text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def must(self, *argv):
        code, said = self.run(*argv)
        check(code == 0, ' '.join(argv), 'exit', code, said[-2000:])
        return said

    def apt(self, *argv):
        return self.must('apt-get', '-q', '-y', '--no-install-recommends',
                         '-o', 'Dpkg::Use-Pty=0', *argv)

    def state(self):
        """Files, users, groups, members, sockets."""
        skip = ('./proc', './sys', './dev', './tmp', './var/lib/dpkg',
                './var/lib/apt', './var/cache', './var/log', './run/manager',
                './var/backups', './run/adduser', './run/redis')
        found = set()
        for folder, names, files in os.walk(self.dir):
            at = './' + os.path.relpath(folder, self.dir)
            at = './' if at == './.' else at
            names[:] = [n for n in names
                        if not os.path.join(at, n).startswith(skip)]
            found |= {os.path.join(at, n) for n in names + files
                      if not os.path.join(at, n).startswith(skip)}
        # adduser keeps the last version of each beside it.
        found = {f for f in found if not re.search(
            r'^\./etc/(passwd|group|shadow|gshadow|subuid|subgid)-$', f)}
        users = {l for name in ('etc/passwd', 'etc/group')
                 for l in self.read(name).splitlines()}
        return found, users, own_sockets()

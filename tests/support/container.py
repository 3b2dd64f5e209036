"""The image of packaging/sonic in a real container: runc, the capabilities and
the system calls that Docker leaves a container, the mounts of the manifest.
"""
import json
import os
import platform
import re
import shutil
import subprocess

from agent import TREE, check, wait_for
from root import version

PROFILE = '/usr/share/containers/seccomp.json'
NEEDED = ('runc',)
# What docker gives unless it is told otherwise (moby, oci/caps/defaults.go).
CAPS = ['CAP_' + c for c in (
    'CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP '
    'SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE').split()]
NAMES = {'x86_64': 'amd64', 'aarch64': 'arm64'}


def steps():
    """[(instruction, the rest)] of the Dockerfile, continued lines joined."""
    with open(TREE + '/packaging/sonic/Dockerfile', encoding='utf-8') as f:
        text = re.sub(r'^#.*\n', '', f.read(), flags=re.M)
    text = re.sub(r'\\\n\s*', ' ', text)
    return [line.split(None, 1) for line in text.splitlines() if line.strip()]


def copy_step(root, rest):
    """COPY, into a folder that stands for the image."""
    source, target = rest.replace('${VERSION}', version()).split()
    target = os.path.join(root, target.lstrip('/'))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(os.path.join(TREE, source), target)


def entry_point():
    return json.loads(next(rest for what, rest in steps()
                           if what == 'ENTRYPOINT'))


def manifest():
    with open(TREE + '/packaging/sonic/manifest.json', encoding='utf-8') as f:
        return json.load(f)


def manifest_mounts(switch):
    """[(from, to, read only)] of the manifest and of the manager itself, where
    the folder `switch` stands for the switch's root."""
    volumes = ['/var/run/redis:/var/run/redis:rw',
               *manifest()['container']['volumes']]
    for volume in volumes:
        source, target, *mode = volume.split(':')
        if source != '/sys':
            source = switch + source
            os.makedirs(source, exist_ok=True)
        yield source, target, 'ro' in mode


def filter_of(caps):
    """The profile as runc takes it: of rules for some machines and some
    capabilities, those that count here."""
    with open(PROFILE, encoding='utf-8') as f:
        profile = json.load(f)
    here = NAMES.get(platform.machine(), platform.machine())

    def counts(rule):
        wants, not_with = rule.get('includes') or {}, rule.get('excludes') or {}
        return (not wants.get('caps') or set(wants['caps']) <= set(caps)) and \
            (not wants.get('arches') or here in wants['arches']) and \
            not set(not_with.get('caps') or []) & set(caps) and \
            here not in (not_with.get('arches') or [])

    def rule_of(rule):
        kept = {k: rule[k] for k in ('names', 'action', 'args', 'errnoRet')
                if rule.get(k)}
        return kept
    return {'defaultAction': profile['defaultAction'],
            'defaultErrnoRet': profile['defaultErrnoRet'],
            'syscalls': [rule_of(r) for r in profile['syscalls']
                         if counts(r)]}


def mounts(more):
    own = [('proc', '/proc', 'proc', ['nosuid', 'noexec', 'nodev']),
           ('tmpfs', '/dev', 'tmpfs', ['nosuid', 'mode=755', 'size=65536k']),
           ('devpts', '/dev/pts', 'devpts',
            ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666']),
           ('tmpfs', '/tmp', 'tmpfs', ['nosuid', 'mode=1777'])]
    return [{'source': s, 'destination': d, 'type': t, 'options': o}
            for s, d, t, o in own] + [
        {'source': os.path.abspath(s), 'destination': d, 'type': 'bind',
         'options': ['rbind', 'ro' if ro else 'rw']} for s, d, ro in more]


class Container:
    """One that runs; stop() is always safe."""

    def __init__(self, folder, rootfs, name, more_mounts, more_caps=()):
        self.bundle = os.path.join(folder, name)
        self.name, self.child = 'petrel-%d-%s' % (os.getpid(), name), None
        os.makedirs(self.bundle)
        caps = CAPS + list(more_caps)
        with open(self.bundle + '/config.json', 'w', encoding='utf-8') as f:
            json.dump({
                'ociVersion': '1.0.2', 'hostname': 'leaf07',
                'process': {
                    'args': entry_point(), 'cwd': '/', 'terminal': False,
                    'user': {'uid': 0, 'gid': 0},
                    'env': ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:'
                            '/usr/bin:/sbin:/bin'],
                    'capabilities': {k: caps for k in (
                        'bounding', 'effective', 'permitted')}},
                'root': {'path': rootfs, 'readonly': False},
                'mounts': mounts(more_mounts),
                # The host's network, as SONiC starts all of its containers.
                'linux': {'namespaces': [{'type': t} for t in (
                    'pid', 'mount', 'ipc', 'uts')],
                    'seccomp': filter_of(caps)}}, f)

    def runc(self, *argv):
        done = subprocess.run(
            ['runc', '--root', self.bundle + '/state', *argv], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, timeout=60)
        return done.returncode, done.stdout

    def start(self):
        with open(self.bundle + '/log', 'wb') as log:
            self.child = subprocess.Popen(
                ['runc', '--root', self.bundle + '/state', 'run', '--bundle',
                 self.bundle, self.name], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        check(wait_for(lambda: self.exec('true')[0] == 0, 30, 0.1),
              self.log())
        return self

    def log(self):
        with open(self.bundle + '/log', encoding='utf-8',
                  errors='replace') as f:
            return f.read()

    def exec(self, *argv):
        """As docker exec does."""
        return self.runc('exec', self.name, *argv)

    def stop(self):
        if not self.child:
            return
        if self.child.poll() is None:
            self.runc('kill', self.name, 'TERM')
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                self.runc('kill', self.name, 'KILL')
                self.child.wait(20)
        self.runc('delete', '--force', self.name)
        self.child = None



#!/usr/bin/env python3
"""The application extension and the plain container: the image under runc with
what Docker gives a container, beside Redis as SONiC's database container makes
its socket.

petrel-test: alone
petrel-test: timeout=150
"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import container                                        # noqa: E402
from agent import TREE, Suite, check, program, wait_for     # noqa: E402
from container import Container                         # noqa: E402
from machine import Layer, enter, skip                  # noqa: E402
from redis import Redis                                 # noqa: E402
from test_booted import FORMER, IMAGE, PACKAGES, SYSTEM, debs, depends  # noqa: E402

OWNER = GROUP = 4107            # Redis' on the switch; no name in the image
SWITCH = 'switch name=leaf07 ports=16 speed=400G lanes=4 media=DR4 ' \
    'fec=rs544 seed=7\n'
CAP_NET_ADMIN = 1 << 12
WAYS = {'extension': (), 'plain': ('CAP_NET_ADMIN',)}


def image_make(layer):
    """The Dockerfile's steps; its packages are in the layer below."""
    shutil.copy(debs()['petrel'], layer.path('/tmp/petrel.deb'))
    layer.write('/usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
    done = subprocess.run(
        ['chroot', layer.dir, 'dpkg', '-i', '/tmp/petrel.deb'], text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, done.stdout)
    for what, rest in container.steps():
        if what == 'COPY' and not rest.endswith('.deb'):
            container.copy_step(layer.dir, rest)


def statuses(running):
    """{name: what /proc says} of the processes in it, petreld's."""
    code, said = running.exec('sh', '-c', '''
        for p in /proc/[0-9]*; do echo; cat $p/status; done 2>/dev/null''')
    check(code == 0, said)
    found = {}
    for part in said.split('\n\n'):
        rows = dict(l.split(':\t', 1) for l in part.splitlines()
                    if ':\t' in l)
        if rows.get('Name') in ('petreld', 'reader', 'core', 'sender'):
            found[rows['Name']] = rows
    check(len(found) == 4, list(found))
    return found


def check_confined(running):
    uid = running.exec('id', '-u', '_petrel')[1].strip()
    for name, rows in statuses(running).items():
        check(set(rows['Uid'].split()) == {uid}, name, rows['Uid'])
        groups = rows['Groups'].split()
        check(str(GROUP) in groups and '0' not in groups, name, groups)
        check(rows['NoNewPrivs'] == '1' and rows['Seccomp'] == '2', name)
        check(int(rows['CapBnd'], 16) == 0, name, rows['CapBnd'])
        check(int(rows['CapEff'], 16) & ~CAP_NET_ADMIN == 0, name,
              rows['CapEff'])
        if name != 'reader':
            check(int(rows['CapEff'], 16) == 0, name, rows['CapEff'])
        if name in ('core', 'sender'):
            check(int(rows['CapPrm'], 16) == 0, name, rows['CapPrm'])


def way(layer, switch, name, caps):
    """Started as SONiC does it: it reads all, and is nobody that counts."""
    running = Container(layer.top, layer.dir, name,
                        list(container.manifest_mounts(switch)), caps)
    try:
        running.start()
        check(wait_for(lambda: running.exec('petrel', 'health', '--agent')[0]
                       == 0, 20, 0.2), running.exec('petrel', 'status'),
              running.log())
        code, said = running.exec('petrel', 'ports', '--json')
        check(code == 0 and len(json.loads(said)['ports']) == 16, code, said)
        check_confined(running)
        # The host's own petrel asks in the folder that both have.
        done = subprocess.run(
            [program('petrel'), '--socket', switch +
             '/run/petrel/petrel.sock', 'health'], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        check(done.returncode == 0, done.stdout, done.stderr)
    finally:
        running.stop()
    # What was learnt lies where the switch has its own disk.
    kept = os.stat(switch + '/host/petrel/memory')
    check(kept.st_mode & 0o777 == 0o600 and kept.st_uid != 0,
          oct(kept.st_mode), kept.st_uid)


def main():
    enter()
    os.chdir(TREE)
    if not shutil.which('runc') or not os.path.exists(container.PROFILE):
        skip('NO RUNC, OR NO PROFILE OF SYSTEM CALLS')
    paths = debs()
    suite, layer = Suite(), Layer(
        SYSTEM + IMAGE + tuple(depends([*(paths[p] for p in
                                                   PACKAGES), FORMER])), 'image')
    switch = os.path.join(layer.top, 'switch')
    os.makedirs(switch)
    vswitch = None
    try:
        image_make(layer)
        scenario = os.path.join(layer.top, 'switch.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(SWITCH)
        with Redis(root=switch) as redis:
            vswitch = subprocess.Popen(
                [program('petrel-vswitch'), '--root', switch, '--scenario',
                 scenario, '--dom', '2s', '--queues', '2s', '--watermarks',
                 '4s'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            os.chown(redis.path, OWNER, GROUP)
            os.chmod(redis.path, 0o760)
            for name, caps in WAYS.items():
                suite.run('container_%s_reads_the_switch_without_root' % name,
                          lambda n=name, c=caps: way(layer, switch, n, c))
    finally:
        if vswitch:
            vswitch.kill()
            vswitch.wait()
        layer.remove()
    suite.end()


if __name__ == '__main__':
    main()

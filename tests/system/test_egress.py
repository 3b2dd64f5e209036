#!/usr/bin/env python3
"""C10: records leave by a VRF, from an address, with a DSCP, and the agent has
no capability for it.

A collector in a namespace of its own, at the far end of a veth; another veth
has the better route to it and leads nowhere. Where the kernel has VRFs the
first one is in one; else it stands for one: SO_BINDTODEVICE is the same call.

petrel-test: timeout=60
"""
import os
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402
import namespace                                        # noqa: E402
from namespace import ip, ip_batch                      # noqa: E402

HERE, SECOND, FAR = '10.9.0.1', '10.9.0.3', '10.9.0.2'
HERE_6, FAR_6 = 'fd09::1', 'fd09::2'
CAPABILITY_LINES = ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')


def has_vrf():
    made = subprocess.run(['ip', 'link', 'add', 'try', 'type', 'vrf', 'table',
                           '77'], capture_output=True, check=False)
    if made.returncode == 0:
        ip('link', 'del', 'try')
    return made.returncode == 0


class Far:
    """The namespace of the collector, and the ways that lead there."""

    def __init__(self, name, is_vrf):
        self.name, self.is_vrf = name, is_vrf
        self.port_device = name + '0' if is_vrf else name
        self.holder = subprocess.Popen(['unshare', '--net', 'sleep', '1000'])
        own = os.readlink('/proc/self/ns/net')
        check(wait_for(lambda: os.readlink(
            '/proc/%d/ns/net' % self.holder.pid) != own), 'no namespace')
        self.inside = ['nsenter', '-t', str(self.holder.pid), '-n']
        subprocess.run([*self.inside, 'ip', 'link', 'set', 'lo', 'up'],
                       check=True)

    def __enter__(self):
        self.build()
        ip_batch(['link add wrong type veth peer name wrong1',
                  'link set wrong1 up', 'link set wrong up',
                  'addr add 10.8.0.1/24 dev wrong',
                  'route add %s/32 dev wrong' % FAR])
        return self

    def __exit__(self, kind, value, trace):
        self.remove()
        ip('link', 'del', 'wrong')
        self.holder.kill()
        self.holder.wait()

    def build(self):
        device = self.port_device
        vrf = ['link add %s type vrf table 1001' % self.name,
               'link set %s up' % self.name] if self.is_vrf else []
        master = ['link set %s master %s' % (device, self.name)] \
            if self.is_vrf else []
        ip_batch(vrf + ['link add %s type veth peer name far' % device,
                        'link set far netns %d' % self.holder.pid] + master + [
                            'link set %s up' % device,
                            'addr add %s/24 dev %s' % (HERE, device),
                            'addr add %s/24 dev %s' % (SECOND, device),
                            'addr add %s/64 dev %s nodad' % (HERE_6, device)])
        for words in ('link set far up', 'addr add %s/24 dev far' % FAR,
                      'addr add %s/64 dev far nodad' % FAR_6):
            subprocess.run([*self.inside, 'ip', *words.split()], check=True)

    def remove(self):
        subprocess.run(['ip', 'link', 'del', self.name], check=False,
                       capture_output=True)
        if self.is_vrf:
            subprocess.run(['ip', 'link', 'del', self.port_device],
                           check=False, capture_output=True)


def bed_of(far, push, host=FAR, heartbeat='200ms'):
    bed = agent.Bed(driver='sim', interval='200ms',
                    scenario=os.path.join(agent.SCENARIOS, 'demo.scenario'),
                    url='tcp://%s:4717' % host,
                    extra='heartbeat = %s\n%s' % (heartbeat, push))
    bed.collector.argv = [*far.inside, *bed.collector.argv]
    return bed


def collector_of(bed):
    return bed.json('status')['collectors'][0]


def wait_connected(bed, truth=True):
    check(wait_for(lambda: collector_of(bed)['connected'] == truth,
                   15 * agent.SLOW, 0.05), 'never', truth, collector_of(bed),
          bed.agent.log()[-1500:])


def packet_to(sniffer, port):
    """Source and DSCP of the next IPv4 packet of TCP to this port."""
    while True:
        frame = sniffer.recv(2048)
        if frame[12:14] == b'\x08\x00' and frame[23] == 6 and \
                struct.unpack('>H', frame[36:38])[0] == port:
            return socket.inet_ntoa(frame[26:30]), frame[15] >> 2


def has_no_capability(bed):
    with open('/proc/%d/status' % bed.pid_of('sender'),
              encoding='ascii') as f:
        lines = dict(l.rstrip('\n').split(':\t') for l in f if ':\t' in l)
    return all(int(lines[name], 16) == 0 for name in CAPABILITY_LINES)


def by_vrf_from_source_marked(is_vrf):
    """Beside the route, from the second address, marked; without it nothing."""
    with Far('mgmt', is_vrf) as far, bed_of(
            far, 'vrf = mgmt\nsource = %s\ndscp = 46\n' % SECOND,
            heartbeat='700ms') as bed, \
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                          socket.htons(3)) as sniffer:
        sniffer.bind((far.port_device, 0))
        sniffer.settimeout(10 * agent.SLOW)
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(packet_to(sniffer, 4717) == (SECOND, 46))
        wait_connected(bed)
        check(has_no_capability(bed), 'the sender has a capability')
        row = collector_of(bed)
        check((row['vrf'], row['source'], row['dscp']) ==
              ('mgmt', SECOND, 46), row)
        with open('/proc/%d/net/tcp' % far.holder.pid, encoding='ascii') as f:
            peers = [l.split()[2].split(':')[0] for l in f if ' 01 ' in l]
        check('%08X' % struct.unpack('<I', socket.inet_aton(SECOND)) in
              peers, 'the collector sees', peers)
        vanishes_and_comes_back(far, bed)


def vanishes_and_comes_back(far, bed):
    far.remove()
    wait_connected(bed, False)
    check('down: cannot send: No such device' in bed.agent.log(),
          'silence alone told of it', bed.agent.log()[-600:])
    check(wait_for(lambda: 'vrf mgmt: no such device' in
                   collector_of(bed).get('error', ''), 5 * agent.SLOW, 0.05),
          collector_of(bed))
    _, text, _ = bed.ask('status')
    check('vrf mgmt: no such device' in text, text)
    before = bed.json('status')['collector']['sent_records']
    far.build()
    wait_connected(bed)
    check(wait_for(lambda: bed.json('status')['collector']['sent_records'] >
                   before, 10 * agent.SLOW), 'nothing is sent')
    row = collector_of(bed)     # what was last wrong stays
    check(row['error'] and row['error_age_s'] >= 0, row)
    faults, _ = agent.missing_sequences(bed.records(stream='states'))
    check(not faults, faults)


def test_device_source_dscp_and_what_vanishes():
    by_vrf_from_source_marked(False)


def test_vrf_source_dscp_and_what_vanishes():
    if not has_vrf():
        return 'THIS KERNEL HAS NO VRF'
    by_vrf_from_source_marked(True)
    return None


def test_ipv6_and_a_reload_that_names_the_vrf():
    """Without vrf it goes the wrong way; a reload mends it."""
    with Far('mgmt', False) as far:
        ip('-6', 'route', 'add', FAR_6 + '/128', 'dev', 'wrong')
        with bed_of(far, '', '[%s]' % FAR_6) as bed:
            bed.collector.start()
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: 'error' in collector_of(bed)),
                  collector_of(bed))
            check(not collector_of(bed)['connected'])
            bed.write_conf('heartbeat = 200ms\nvrf = mgmt\nsource = %s\n'
                           'dscp = 8\n' % HERE_6)
            check(bed.ask('reload')[0] == 0, bed.agent.log()[-500:])
            wait_connected(bed)


def test_source_that_is_not_here_is_told():
    with Far('mgmt', False) as far, bed_of(
            far, 'vrf = mgmt\nsource = 10.9.0.77\n') as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: 'source 10.9.0.77: not an address of this '
                       'switch' in (collector_of(bed).get('error') or '')),
              collector_of(bed))


if __name__ == '__main__':
    if os.getuid() != 0:
        print('1..0 # SKIP NEEDS ROOT')
        sys.exit(0)
    namespace.enter()
    ip('link', 'set', 'lo', 'up')
    agent.main(globals())

#!/usr/bin/env python3
"""C9, C10: a disk that hangs, is full, read-only or broken. Below a petreld with
a collector: records go on, sampling is never late, and all is well again
without a restart. Below a collector: nothing is acknowledged that is not kept,
it says what is wrong, and goes on without a restart.

BAD_DISK_S: how long it is so (a campaign: 30); without it the shortest that
tells, and of faults the collector has one.

petrel-test: timeout=400
"""
import contextlib
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import sealing                                          # noqa: E402
from agent import check, preloaded, wait_for            # noqa: E402
from folder import open_folder                          # noqa: E402

SECONDS = float(os.environ.get('BAD_DISK_S', '0'))
PORTS, EACH_S = 32, 60         # each three seconds, at its speed, one falls
SCENARIO = '''switch name=disk-leaf ports=%d speed=400G lanes=4 media=DR4 fec=rs544 seed=7
at 6s Ethernet8 flap count=600 every=4s last=1s
%s''' % (PORTS, ''.join('at %ds Ethernet%d flap count=99 every=%ds last=%ds\n' % (
    EACH_S * n, 8 * n, EACH_S * PORTS, EACH_S * PORTS // 2)
    for n in range(2, PORTS)))
DEMO = os.path.join(agent.SCENARIOS, 'demo.scenario')
FAULTS = {'ENOSPC': 'No space left on device',
          'EROFS': 'Read-only file system', 'EIO': 'Input/output error'}


class Sayer:
    """What the disk is to do."""

    def say(self, word):
        with open(self.said + '.new', 'w', encoding='ascii') as f:
            f.write(word)
        os.chmod(self.said + '.new', 0o644)
        os.rename(self.said + '.new', self.said)

    def wait_acknowledged(self):
        """All there was a moment ago is acknowledged."""
        last = {s['stream']: s['last'] for s in self.json('status')['streams']}
        check(wait_for(lambda: all(
            s['last'] - s['queued'] >= last[s['stream']]
            for s in self.json('status')['streams']), 20 * agent.SLOW, 0.05),
              'not acknowledged:', self.json('status')['streams'],
              self.agent.log()[-1500:], self.collector.log()[-1500:])

    def judge_records(self):
        """Nothing lost, nothing twice."""
        records = self.records(content=())
        faults, _ = agent.missing_sequences(records)
        check(not faults, faults[:5])
        check(not [r for r in records if r['kind'] == 'gap'], 'a gap')


class BadDisk(Sayer, agent.Bed):
    """An agent in an outage of short heartbeats, so that the disk is used."""

    def __init__(self):
        self.place = open_folder(prefix='petrel-disk-')
        self.said = os.path.join(self.place, 'said')
        self.say('well')
        state = os.path.join(self.place, 'var/lib/petrel')
        os.makedirs(state)
        scenario = os.path.join(self.place, 'scenario')
        with open(scenario, 'w', encoding='ascii') as f:
            f.write(SCENARIO)
        os.chmod(scenario, 0o644)
        super().__init__(driver='sim', interval='200ms', root=self.place,
                         scenario=scenario,
                         sim='speed = 20\n', extra='heartbeat = 100ms\n')
        self.flash = os.path.join(state, 'spool')
        self.agent.env.update(LD_PRELOAD=preloaded('bad_disk.so'),
                              BAD_DISK_BELOW=state,
                              BAD_DISK_SAYS=self.said)

    def close(self):
        self.say('well')
        super().close()
        shutil.rmtree(self.place, ignore_errors=True)

    def status(self):
        return self.json('status')

    def late_ticks(self):
        return self.status()['agent']['late_ticks']

    def wait_finding(self):
        """What is found from now on is at the collector."""
        before = self.ends('findings')[0]
        check(wait_for(lambda: self.ends('findings')[1] > before,
                       20 * agent.SLOW, 0.05), 'no finding arrives:',
              before, self.ends('findings'), self.agent.log()[-1500:])

    def ends(self, stream):
        """The last record, and the last one that is acknowledged."""
        return next((s['last'], s['last'] - s['queued'])
                    for s in self.status()['streams'] if s['stream'] == stream)

    def segments(self):
        with contextlib.suppress(OSError):
            return len(os.listdir(self.flash))
        return 0

    def begin(self):
        """Up to the spool, which has something."""
        self.agent.start()
        check(self.wait_serving(), self.agent.log())
        check(wait_for(self.segments, 15 * agent.SLOW), 'nothing is spooled',
              self.agent.log())

    def fault(self):
        return self.status()['spool']['fault'] or ''

    def wait_logged(self, words):
        check(wait_for(lambda: words in self.agent.log(), 10 * agent.SLOW),
              'not logged:', words, self.agent.log()[-1500:])

    def judge(self, late):
        """The core was never late, and what is spooled is gone."""
        self.wait_acknowledged()
        check(wait_for(lambda: not self.status()['spool']['segments'],
                       20 * agent.SLOW, 0.05), self.status()['spool'])
        check(self.late_ticks() - late <= self.machine_late,
              'late:', self.late_ticks() - late)
        check(self.status()['agent'].get('restarts', 0) == 0)
        self.stop()
        self.judge_records()

    machine_late = 2        # wake-ups of this machine itself


def test_disk_that_fails_then_hangs_keeps_nobody_waiting():
    with BadDisk() as bed:
        bed.begin()
        late = bed.late_ticks()
        for word, told in list(FAULTS.items())[:3 if SECONDS else 1]:
            bed.say(word)
            told = '/var/lib/petrel/spool: ' + told
            check(wait_for(lambda t=told: bed.fault() == t, 10 * agent.SLOW,
                           0.02), word, bed.status()['spool'])
            time.sleep(max(0, SECONDS - 2))
            bed.collector.start()
            bed.wait_finding()
            check(bed.fault() == told, 'it is well:', bed.fault())
            bed.collector.stop()
            bed.say('well')
            check(wait_for(lambda: not bed.fault() and bed.segments(),
                           10 * agent.SLOW, 0.02), bed.status()['spool'])
        bed.say('hang')
        began = time.monotonic()
        check(wait_for(lambda: 'the disk has not answered for' in bed.fault(),
                       (SECONDS + 5) * agent.SLOW, 0.05),
              bed.status()['spool'])
        bed.wait_logged('does not answer; records wait in the rings')
        bed.collector.start()
        check(wait_for(lambda: bed.status()['collector']['connected'],
                       15 * agent.SLOW, 0.05), bed.agent.log()[-800:])
        bed.wait_finding()
        bed.wait_acknowledged()
        time.sleep(max(0, began + SECONDS - time.monotonic()))
        check(bed.status()['collector']['connected'])
        bed.say('well')
        bed.wait_logged('answers again')
        check(wait_for(lambda: not bed.fault(), 5), bed.fault())
        bed.judge(late)


class FrozenDisk(BadDisk):
    """A file system that can be frozen: nothing that waits for it dies."""

    def __init__(self):
        super().__init__()
        for name in ('LD_PRELOAD', 'BAD_DISK_BELOW', 'BAD_DISK_SAYS'):
            del self.agent.env[name]
        self.state = os.path.dirname(self.flash)
        image = os.path.join(self.place, 'image')
        with open(image, 'wb') as f:
            f.truncate(64 << 20)
        self.is_mounted = all(
            subprocess.run(words, capture_output=True, check=False).returncode
            == 0 for words in (['mkfs.ext4', '-q', image],
                               ['mount', '-o', 'loop', image, self.state]))

    def freeze(self, how):
        subprocess.run(['fsfreeze', how, self.state], check=True)

    def close(self):
        if self.is_mounted:
            subprocess.run(['fsfreeze', '-u', self.state],
                           capture_output=True, check=False)
            self.stop()
            subprocess.run(['umount', self.state], check=False)
        super().close()


def test_petreld_ends_and_begins_while_a_disk_holds_it():
    if not SECONDS:
        return 'ONLY IN campaign/bad_disk: IT TAKES SECONDS'
    with FrozenDisk() as bed:
        if not bed.is_mounted:
            return 'NO LOOP DEVICE HERE'
        bed.begin()
        bed.freeze('-f')
        check(wait_for(lambda: 'has not answered for' in bed.fault(),
                       10 * agent.SLOW, 0.05), bed.status()['spool'])
        began = time.monotonic()
        bed.agent.child.terminate()
        check(wait_for(lambda: not bed.agent.is_running(), 40 * agent.SLOW,
                       0.1), bed.agent.log())
        took = time.monotonic() - began
        check('abandoned' in bed.agent.log(), bed.agent.log())
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log()[-1500:])
        bed.collector.start()
        check(wait_for(lambda: bed.status()['collector']['connected'],
                       15 * agent.SLOW, 0.05), bed.agent.log()[-800:])
        bed.wait_acknowledged()
        bed.freeze('-u')
        check(wait_for(lambda: not bed.fault(), 10 * agent.SLOW, 0.05),
              bed.fault())
        print('# ended after %.1f s, with the disk frozen' % took)
        bed.stop()
        bed.judge_records()
    return None


class SealedDisk(Sayer, sealing.SealedBed):
    """The switch's key lies on that disk."""

    def __init__(self):
        super().__init__()
        flash = os.path.join(self.dir, 'flash')
        os.mkdir(flash)
        os.rename(self.switch_key, os.path.join(flash, 'switch.key'))
        self.switch_key = os.path.join(flash, 'switch.key')
        self.configure()
        self.said = os.path.join(self.dir, 'said')
        self.say('well')
        self.agent.env.update(LD_PRELOAD=preloaded('bad_disk.so'),
                              BAD_DISK_BELOW=flash,
                              BAD_DISK_SAYS=self.said)
        self.wire = None

    def close(self):
        self.say('well')
        super().close()
        if self.wire:
            self.wire.end()


def hang_longer(bed):
    port = agent.free_port()
    bed.wire = sealing.Wire(port, int(bed.url.rsplit(':', 1)[1]))
    bed.configure(to='tcp://127.0.0.1:%d' % port)
    bed.reload_agent()
    check(wait_for(lambda: bed.wire.said, 15 * agent.SLOW),
          'the way is the former one', bed.agent.log()[-800:])
    bed.wait_more()
    time.sleep(SECONDS)
    bed.wait_more()
    check(bed.status()['connected'], bed.status())


def test_key_on_a_disk_that_hangs_keeps_nobody_waiting():
    """It is read anew for each configuration: the session goes on meanwhile,
    what else is new is taken up, and the key once the disk answers."""
    with SealedDisk() as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        switch = bed.json('status')['agent']['switch_id']
        bed.authorize('%s %s' % (bed.own_key, switch))
        bed.wait_sealed()
        bed.say('hang')
        was, sender = bed.own_key, bed.pid_of('sender')
        os.unlink(bed.switch_key)
        bed.own_key = sealing.keygen(bed.switch_key)
        bed.authorize('%s %s' % (was, switch), '%s %s' % (bed.own_key, switch))
        bed.reload_agent()
        bed.wait_more()
        check(bed.status()['own_key'] == was, bed.status())
        if SECONDS:
            hang_longer(bed)
        bed.say('well')
        bed.wait_status(lambda c: c['own_key'] == bed.own_key and
                        c['connected'] and c['sealed'])
        bed.wait_more()
        check(bed.pid_of('sender') == sender, bed.agent.log()[-800:])
        bed.check_whole()


# --- the collector's --------------------------------------------------------

class BadCollectorDisk(Sayer, agent.Bed):
    """Its spool and its database lie on that disk."""

    def __init__(self, collector=''):
        port = agent.free_port()
        super().__init__(DEMO, interval='200ms',
                         extra='heartbeat = 200ms\n',
                         http='127.0.0.1:%d' % port)
        self.http_url = 'http://127.0.0.1:%d' % port
        flash = os.path.join(self.dir, 'flash')
        os.mkdir(flash)
        self.spool = os.path.join(flash, 'spool')
        with open(self.collector_conf, encoding='utf-8') as f:
            text = f.read()
        with open(self.collector_conf, 'w', encoding='utf-8') as f:
            f.write(text.replace(self.dir + '/spool', self.spool)
                    .replace(self.dir + '/petrel.db', flash + '/petrel.db')
                    .replace('[HTTP]', collector + '[HTTP]'))
        self.said = os.path.join(self.dir, 'said')
        self.say('well')
        self.collector.env.update(LD_PRELOAD=preloaded('bad_disk.so'),
                                  BAD_DISK_BELOW=flash,
                                  BAD_DISK_SAYS=self.said)

    def page(self, name):
        run = subprocess.run(['curl', '-sS', '-m', str(20 * agent.SLOW), '-w',
                              '\n%{http_code}', self.http_url + name],
                             stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, check=False)
        body, _, status = run.stdout.rpartition('\n')
        return int(status or 0), body

    def wait_ready(self):
        check(wait_for(lambda: self.page('/readyz')[0] == 200,
                       20 * agent.SLOW, 0.05), self.page('/readyz'),
              self.collector.log()[-1500:])
        self.wait_acknowledged()

    def wait_said(self, words):
        check(wait_for(lambda: words in self.page('/readyz')[1],
                       20 * agent.SLOW, 0.05), words, self.page('/readyz'))

    def acknowledged(self):
        return [s['last'] - s['queued'] for s in self.json('status')['streams']]

    def far(self):
        run = subprocess.run(agent.command(
            'petrel', '--collector', self.http_url, 'switches'),
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=30 * agent.SLOW)
        return run.stdout + run.stderr


def collector_fails(bed, word, told):
    bed.say(word)
    bed.wait_said(told)
    check(bed.page('/healthz') == (200, bed.page('/readyz')[1].split('\n')[0]
                                   + '\n'), bed.page('/healthz'))
    check(told in ' '.join(bed.far().split()), bed.far())     # it wraps
    check('petrel_spool_failed %d\n' % (told != 'the spool is full') in
          bed.page('/metrics')[1], bed.page('/metrics'))
    before = bed.acknowledged()
    time.sleep(max(0.2, SECONDS - 2))
    check(bed.acknowledged() == before, 'acknowledged, though not kept')
    check(told in bed.json('status')['collector']['reason'],
          bed.json('status')['collector'])
    bed.say('well')
    bed.wait_ready()


def collector_hangs(bed):
    bed.say('hang')
    before = time.monotonic()
    check(wait_for(lambda: bed.page('/healthz')[0] == 503, 15 * agent.SLOW,
                   0.1), bed.page('/healthz'))
    bed.wait_said('the collector hangs')
    time.sleep(max(0, before + SECONDS - time.monotonic()))
    bed.say('well')
    bed.wait_ready()


def test_collector_keeps_what_it_acknowledged_on_a_bad_disk():
    with BadCollectorDisk() as bed:
        bed.collector.start()
        bed.agent.start()
        bed.wait_ready()
        pid = bed.collector.child.pid
        collector_fails(bed, 'sync', 'Input/output error')
        if SECONDS:
            collector_fails(bed, 'EIO', 'Input/output error')
            collector_fails(bed, 'ENOSPC', 'the spool is full')
            collector_fails(bed, 'EROFS', 'Read-only file system')
            collector_hangs(bed)
        check(bed.collector.child.pid == pid and
              bed.collector.is_running(), 'it is another')
        bed.stop()
        bed.judge_records()


def test_no_switch_is_silent_that_a_full_collector_refused():
    """It waits longer and longer before it tries again."""
    with BadCollectorDisk('silent_after = 1s\n') as bed:
        bed.collector.start()
        bed.agent.start()
        bed.wait_ready()
        bed.say('ENOSPC')
        bed.wait_said('the spool is full')
        time.sleep(6)
        check('the spool is full' in bed.page('/readyz')[1], bed.page('/readyz'))
        bed.say('well')
        bed.wait_ready()
        check('raised' not in bed.collector.log(), bed.collector.log())


if __name__ == '__main__':
    agent.main(globals())

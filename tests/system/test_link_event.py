#!/usr/bin/env python3
# petrel-test: timeout=120
"""A link that goes down is a record at the collector within 50 ms."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402

PORTS = 64
EVENTS = 50
LIMIT_MS = 50


def inside(namespace, argv):
    return ['ip', 'netns', 'exec', namespace] + argv


def ip(namespace, *args):
    subprocess.run(['ip', '-n', namespace, *args], check=True,
                   capture_output=True)


class Follower(threading.Thread):
    """Notes when the collector prints a link event, by port and word."""

    def __init__(self, bed, namespace):
        super().__init__(daemon=True)
        self.seen, self.lock = {}, threading.Lock()
        self.child = subprocess.Popen(
            inside(namespace, [agent.program('petrel-collector'), '--config',
                               bed.collector_conf, '--print', '--follow']),
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)

    def run(self):
        for line in self.child.stdout:
            record = json.loads(line)
            if record['kind'] != 'event':
                continue
            c = record['content']
            with self.lock:
                self.seen[c['name'], c['event']] = time.monotonic()

    def when(self, port, what, after):
        with self.lock:
            t = self.seen.get((port, what), 0)
        return t if t > after else None

    def stop(self):
        self.child.terminate()
        self.child.wait()


def namespace_make(name):
    subprocess.run(['ip', 'netns', 'add', name], check=True,
                   capture_output=True)
    ip(name, 'link', 'set', 'lo', 'up')
    for n in range(PORTS):
        ip(name, 'link', 'add', 'Ethernet%d' % n, 'type', 'veth', 'peer',
           'name', 'far%d' % n)
        ip(name, 'link', 'set', 'Ethernet%d' % n, 'up')
        ip(name, 'link', 'set', 'far%d' % n, 'up')


def measure(bed, namespace):
    took = []
    follower = Follower(bed, namespace)
    follower.start()
    try:
        for n in range(EVENTS):
            port = 'Ethernet%d' % n
            begin = time.monotonic()
            ip(namespace, 'link', 'set', 'far%d' % n, 'down')
            at = wait_for(lambda: follower.when(port, 'link_down', begin), 5,
                          0.001)
            check(at, port, 'went down and no record came')
            took.append((at - begin) * 1000)
    finally:
        follower.stop()
    return took


def test_link_down_reaches_the_collector():
    if os.geteuid() != 0 or not shutil.which('ip'):
        return 'NEEDS root and ip to make a network namespace'
    namespace = 'petrel-link-%d' % os.getpid()
    try:
        namespace_make(namespace)
    except subprocess.CalledProcessError as e:
        subprocess.run(['ip', 'netns', 'del', namespace], check=False,
                       capture_output=True)
        return 'NO network namespace with veth: %s' % e.stderr
    try:
        with agent.Bed(driver='linux', extra='[Linux]\ninterfaces = '
                       'Ethernet*\n', url='tcp://127.0.0.1:4717') as bed:
            bed.agent.argv = inside(namespace, bed.agent.argv)
            bed.collector.argv = inside(namespace, bed.collector.argv)
            bed.collector.start()
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: len(bed.json('ports')['ports']) == PORTS),
                  bed.ask('ports')[1])
            time.sleep(1.5)
            took = measure(bed, namespace)
            print('# link down to record: median %.1f ms, worst %.1f ms of %d'
                  % (statistics.median(took), max(took), len(took)))
            check(statistics.median(took) <= LIMIT_MS, took)
    finally:
        subprocess.run(['ip', 'netns', 'del', namespace], check=False)
    return None


def main():
    suite = agent.Suite()
    suite.run('test_link_down_reaches_the_collector',
              test_link_down_reaches_the_collector)
    suite.end()


if __name__ == '__main__':
    main()

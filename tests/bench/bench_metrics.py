#!/usr/bin/env python3
"""A scrape of the busy switch by the exporter: CPU time of core and exporter
together for one, beyond what they take without; in turns with a second in which
nobody scrapes. Beside it petrel metrics, with true as the floor."""
import http.client
import os
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402

PAIRS = int(os.environ.get('BENCH_PAIRS', '12'))
TURN_S = 1.1            # an answer of the core is good for a second
REACH_MS = 5


def cpu_ms(pids):
    """To the nanosecond, which /proc/PID/stat has not."""
    total = 0
    for pid in pids:
        with open('/proc/%d/schedstat' % pid, encoding='ascii') as f:
            total += int(f.read().split()[0])
    return total / 1e6


def scrape(port):
    c = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
    c.request('GET', '/metrics')
    body = c.getresponse().read()
    c.close()
    return len(body), sum(not line.startswith(b'#')
                          for line in body.splitlines())


def turn_ms(pids, port):
    before = cpu_ms(pids)
    end = time.monotonic() + TURN_S
    if port:
        scrape(port)
    time.sleep(max(0, end - time.monotonic()))
    return cpu_ms(pids) - before


def command_ms(argv):
    def used():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (u.ru_utime + u.ru_stime) * 1000
    before = used()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    return used() - before


def measure(profile, reach):
    port = agent.free_port()
    scenario = os.path.join(agent.SCENARIOS, 'busy.scenario')
    extra = '[Metrics]\nlisten = 127.0.0.1:%d\nprofile = %s\n' % (port, profile)
    with agent.Bed(scenario, collector=False, extra=extra) as bed:
        bed.agent.start()
        if not bed.wait_serving():
            sys.exit('never served: ' + bed.agent.log())
        time.sleep(6)
        pids = [bed.pid_of('core'), bed.pid_of('exporter')]
        octets, samples = scrape(port)
        took, idle, asked, floor = [], [], [], []
        argv = [agent.program('petrel'), '--socket', bed.socket, 'metrics',
                '--profile', profile]
        for _ in range(PAIRS):
            idle.append(turn_ms(pids, None))
            took.append(turn_ms(pids, port))
            asked.append(command_ms(argv))
            floor.append(command_ms(['true']))
        print('scrape %-9s %.1f ms CPU of core and exporter (%s), without '
              'one %.1f ms; %d samples, %d octets; petrel metrics %.1f ms, '
              'true %.1f ms' % (
                  profile, statistics.median(took) - statistics.median(idle),
                  reach, statistics.median(idle), samples, octets,
                  statistics.median(asked), statistics.median(floor)))


def main():
    measure('links', 'reach %d' % REACH_MS)
    measure('all', 'no reach')


if __name__ == '__main__':
    main()

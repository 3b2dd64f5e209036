#!/usr/bin/env python3
"""How long the collector takes for an answer of one switch of 64 ports at work,
over HTTP: the median of ROUNDS, beside /healthz, which is the way alone."""
import os
import statistics
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import SCENARIOS, Bed, wait_for              # noqa: E402

ROUNDS = int(os.environ.get('BENCH_ROUNDS', '50'))
PATHS = ('/healthz', '/metrics', '/api/v1/switches', '/api/v1/findings',
         '/api/v1/ports', '/api/v1/links', '/api/v1/queues?all=1',
         '/api/v1/show?switch=sw1&arg=Ethernet0', '/api/v1/events',
         '/api/v1/history?arg=Ethernet0&arg=if_in_octets')


def take_ms(url):
    begin = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        octets = len(answer.read())
    return (time.perf_counter() - begin) * 1000, octets


def main():
    port = agent.free_port()
    with Bed(os.path.join(SCENARIOS, 'demo.scenario'),
             http='127.0.0.1:%d' % port) as bed:
        bed.collector.start()
        bed.agent.start()
        url = 'http://127.0.0.1:%d' % port

        def has_ports():
            try:
                return take_ms(url + '/api/v1/ports')[1] > 20000
            except OSError:
                return False

        if not wait_for(has_ports, 30):
            sys.exit('bench_api: no ports: ' + bed.collector.log())
        for path in PATHS:
            taken = [take_ms(url + path) for _ in range(ROUNDS)]
            print('api %-40s %7.2f ms median %7.2f ms worst %9d octets' % (
                path, statistics.median(t for t, _ in taken),
                max(t for t, _ in taken), taken[-1][1]))


if __name__ == '__main__':
    main()

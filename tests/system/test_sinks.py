#!/usr/bin/env python3
"""C12: what the collector has goes to engines, whatever these do meanwhile."""
import functools
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import engines                                          # noqa: E402
from agent import SCENARIOS, Bed, wait_for              # noqa: E402
from fake_engine import FakeEngine, stall               # noqa: E402

DEMO = os.path.join(SCENARIOS, 'demo.scenario')


def needs(engine):
    """Leaves a test out where there is no such engine."""
    def decorate(test):
        @functools.wraps(test)
        def run():
            if not engines.have(engine.program):
                return 'NO %s HERE' % engine.program.upper()
            return test()
        return run
    return decorate


def begin(bed, text):
    with open(bed.collector_conf, 'a', encoding='utf-8') as f:
        f.write(text)
    bed.collector.start()
    bed.agent.start()


def remote(url, bed, more=''):
    return '[RemoteWrite]\nurl = %s\nrefused_file = %s/refused.ndjson\n%s' % (
        url, bed.dir, more)


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def all_there(bed, engine):
    """Once nothing more comes: the samples that the engine lacks."""
    bed.agent.stop()
    return wait_for(lambda: engines.missing(bed, engine)[1] == [], 20, 0.3)


def kills(engine_of, count):
    """Load, kills of the engine; then nothing is missing."""
    with Bed(DEMO, interval='200ms') as bed, engine_of(bed.dir) as engine:
        begin(bed, remote(engine.write_url, bed))
        for _ in range(count):
            time.sleep(1.0)
            engine.kill()
            engine.start()
        time.sleep(1.0)
        assert all_there(bed, engine), engines.missing(bed, engine)
        assert engines.missing(bed, engine)[0] > 64 * 2, \
            engines.missing(bed, engine)[0]
        assert 'was started anew' in bed.collector.log(), bed.collector.log()
        assert not lines(bed.dir + '/refused.ndjson')


@needs(engines.VictoriaMetrics)
def test_c12_killed_victoriametrics_lacks_nothing():
    kills(engines.VictoriaMetrics, 2)


@needs(engines.Prometheus)
def test_c12_killed_prometheus_lacks_nothing():
    kills(engines.Prometheus, 1)


@needs(engines.VictoriaMetrics)
def test_c12_killed_collector_goes_on_where_it_was():
    with Bed(DEMO, interval='200ms') as bed, \
            engines.VictoriaMetrics(bed.dir) as engine:
        begin(bed, remote(engine.write_url, bed))
        for _ in range(2):
            time.sleep(0.7)
            bed.collector.kill()
            bed.collector.start()
        assert all_there(bed, engine), engines.missing(bed, engine)


def test_c12_engine_that_fails_is_tried_again():
    said = [lambda: (503, 'busy'), lambda: stall(0.6)]

    def answer(path, headers, body):
        if path == '/metrics':
            return 404, ''
        return said.pop(0)() if said else (204, '')

    with FakeEngine(answer) as fake, Bed(DEMO) as bed:
        begin(bed, remote(fake.url + '/write', bed, 'timeout = 200ms\n'))
        assert wait_for(lambda: 'sink=remote_write up' in bed.collector.log(),
                        40), bed.collector.log()
        assert 'down: status 503: busy' in bed.collector.log()
        # the same request, until it was taken
        assert len({body for _, _, body in fake.posts[:3]}) == 1
        assert not lines(bed.dir + '/refused.ndjson')


def test_c12_what_is_refused_is_set_aside_alone():
    said = [(400, 'out of order sample')] * 25     # halves, then samples

    def answer(path, headers, body):
        if path == '/metrics':
            return 404, ''
        return said.pop() if said else (204, '')

    with FakeEngine(answer) as fake, Bed(DEMO) as bed:
        begin(bed, remote(fake.url + '/write', bed))
        held = wait_for(lambda: lines(bed.dir + '/refused.ndjson'), 30)
        assert held, bed.collector.log()
        assert held[0]['labels']['switch'] == 'sw1'
        assert held[0]['refused'] == 'out of order sample'
        assert held[0]['time_ms'] > 1.7e12
        assert len(held) < 25, held


if __name__ == '__main__':
    agent.main(globals())

#!/usr/bin/env python3
"""packaging/grafana and packaging/prometheus are whole; that each query gives
data tests/campaign/dashboards shows."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import promtool                 # noqa: E402
from agent import check, main   # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
GRAFANA = os.path.join(ROOT, 'packaging/grafana')
RULES = os.path.join(ROOT, 'packaging/prometheus/petrel.rules.yml')


def test_dashboards_are_whole():
    """A panel stands once, has a query, and all name the data source."""
    seen = set()
    for path in glob.glob(os.path.join(GRAFANA, '*.json')):
        with open(path, encoding='utf-8') as f:
            board = json.load(f)
        check(board['uid'] not in seen, 'uid', board['uid'])
        seen.add(board['uid'])
        taken = set()
        for p in board['panels']:
            g = p['gridPos']
            place = {(x, y) for x in range(g['x'], g['x'] + g['w'])
                     for y in range(g['y'], g['y'] + g['h'])}
            check(g['x'] + g['w'] <= 24 and not place & taken, 'place',
                  (path, p['title']))
            taken |= place
            check(p['targets'] and p['datasource']['uid'] == '${datasource}',
                  'panel', (path, p['title']))
    check(len(seen) == 4, 'dashboards', seen)


def test_rules_are_clean():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    run = subprocess.run(['promtool', 'check', 'rules', RULES],
                         capture_output=True, text=True, check=False)
    check(run.returncode == 0 and '9 rules found' in run.stdout, 'rules', run)
    config = os.path.join(ROOT, 'packaging/prometheus/petrel.yml')
    run = subprocess.run(['promtool', 'check', 'config', '--syntax-only',
                          config], capture_output=True, text=True, check=False)
    check(run.returncode == 0, 'configuration', run)
    return None


def test_each_metric_that_is_asked_for_is_one():
    """The manual has those of a switch, a table those of the collector."""
    def words(path, pattern):
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            return set(re.findall(pattern, f.read()))
    known = words('packaging/man/petrel-metrics.7', r'\bpetrel_(\w+)') | \
        words('agent/collect/web_metrics.c', r'{ "(\w+)"')
    files = [RULES, *glob.glob(os.path.join(GRAFANA, '*.json'))]
    for path in files:
        asked = words(path, r'\bpetrel_(\w+)')
        check(asked and asked <= known, path, asked - known)
    check(len(files) == 5, files)


def answers(query, series):
    """{labels: value} of a query, as Prometheus itself evaluates it."""
    test = {'evaluation_interval': '1m', 'tests': [{
        'interval': '1m', 'input_series': [
            {'series': s, 'values': '%sx5' % v} for s, v in series],
        'promql_expr_test': [{'expr': query, 'eval_time': '1m',
                              'exp_samples': [{'labels': 'none_such',
                                               'value': 1}]}]}]}
    _, said = promtool.run(test)
    got = said.split('got:')[-1]
    check('FAILED' in said, said)
    return {labels: float(value) for labels, value in
            re.findall(r'({[^}]*}) (\S+)', got)}


def test_temperature_of_a_module_is_that_of_each_port_of_its_cage():
    """By remote write and from a scrape of the switch, or both at once."""
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    with open(os.path.join(GRAFANA, 'petrel-link.json'),
              encoding='utf-8') as f:
        query = next(t['expr'] for p in json.load(f)['panels']
                     for t in p['targets'] if 'module_temp' in t['expr'])
    query = query.replace('$switch', 'leaf1').replace('$port', 'Ethernet2')
    written = [('petrel_module_temp_celsius{switch="leaf1", cage="1", '
                'port="Ethernet0"}', 41),
               ('petrel_port_info{switch="leaf1", cage="1", '
                'port="Ethernet2", alias="etp1b"}', 1)]
    scraped = [(name.replace('switch=', 'instance="leaf1:9717", switch='), v)
               for name, v in written]
    for series in (written, scraped, written + scraped[:1]):
        got = answers(query, series)
        check(list(got.values()) == [41] and 'Ethernet2' in list(got)[0], got)
    return None


if __name__ == '__main__':
    main(globals())

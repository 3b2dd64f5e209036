#!/usr/bin/env python3
"""packaging/grafana and packaging/prometheus are whole; that each query gives
data tests/campaign/dashboards shows."""
import glob
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import check, main  # noqa: E402

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
    check(run.returncode == 0 and '5 rules found' in run.stdout, 'rules', run)
    config = os.path.join(ROOT, 'packaging/prometheus/petrel.yml')
    run = subprocess.run(['promtool', 'check', 'config', '--syntax-only',
                          config], capture_output=True, text=True, check=False)
    check(run.returncode == 0, 'configuration', run)
    return None


if __name__ == '__main__':
    main(globals())

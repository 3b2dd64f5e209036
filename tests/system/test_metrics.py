#!/usr/bin/env python3
"""What Prometheus reads: petrel metrics, its file, and the exporter, by
promtool, by Prometheus' own client for Python and by Prometheus itself.

petrel-test: timeout=120
petrel-test: sanitize
"""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402

PAGE = os.path.join(agent.TREE, 'packaging', 'man', 'petrel-metrics.7')
PROFILES = ('findings', 'links', 'queues', 'all')
# Debian's own Python has the client.
CLIENT = '''
import sys
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client import parser as text
how = openmetrics if sys.argv[1] == 'openmetrics' else text
for family in how.text_string_to_metric_families(sys.stdin.read()):
    for s in family.samples:
        print(s.name, sorted(s.labels.items()), s.value, sep='\\t')
'''
beds = []


def bed():
    """One switch for all tests: the busy one, of 64 ports."""
    if not beds:
        b = agent.Bed(os.path.join(agent.SCENARIOS, 'busy.scenario'),
                      collector=False)
        beds.append(b)
        b.agent.start()
        check(b.wait_serving(), b.agent.log())
        check(wait_for(lambda: 'petrel_lane_rx_power_watts' in
                       b.ask('metrics')[1]), b.agent.log())
    return beds[0]


def metrics(*options, code=0):
    status, out, error = bed().ask('metrics', *options)
    check(status == code, options, status, error)
    return out


def count(text):
    return sum(not line.startswith('#') for line in text.splitlines())


def parsed(text, form):
    """By Prometheus' own client: samples as (name, labels), value."""
    run = subprocess.run(['/usr/bin/python3', '-c', CLIENT, form], input=text,
                         text=True, capture_output=True, check=False)
    check(run.returncode == 0, run.stderr[-600:])
    rows = [line.split('\t') for line in run.stdout.splitlines()]
    return {(name, labels): float(value) for name, labels, value in rows}


def promtool(*args, text=None):
    run = subprocess.run(['promtool', *args], input=text, text=True,
                         capture_output=True, check=False)
    check(run.returncode == 0 and not run.stdout + run.stderr,
          run.stdout[-400:], run.stderr[-400:])


def has_client():
    return subprocess.run(['/usr/bin/python3', '-c',
                           'import prometheus_client'], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def test_promtool_finds_no_fault_in_any_profile():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL: Debian package prometheus'
    for profile in PROFILES:
        promtool('check', 'metrics', text=metrics('--profile', profile))
    return None


def test_the_python_client_reads_both_forms_alike():
    if not has_client():
        return 'NO CLIENT: Debian package python3-prometheus-client'
    def both():
        out, form = metrics(), metrics('--openmetrics')
        text, form = parsed(out, 'text'), parsed(form, 'openmetrics')
        return text if set(text) == set(form) and \
            len(text) == count(out) else None

    text = wait_for(both)       # a value may come between the two
    check(text, 'they differ')
    labels = "[('cage', '1'), ('lane', '1'), ('port', 'Ethernet0')]"
    light = text['petrel_lane_rx_power_watts', labels]
    check(1e-5 < light < 1e-2, light)
    return None


def test_profiles_have_as_many_samples_as_the_manual_says():
    with open(PAGE, encoding='utf-8') as f:
        said = dict(re.findall(r'^\.It (\w+) Ta (\d+) Ta \d+ Ta', f.read(),
                               re.M))
    check(set(said) == set(PROFILES), said)
    for profile in PROFILES:        # modules are read one by one
        n = int(said[profile])
        check(wait_for(lambda p=profile, n=n: abs(
            count(metrics('--profile', p)) - n) < 0.03 * n), profile, n)


def test_a_file_is_renamed_into_place_for_everybody_to_read():
    folder = os.path.join(bed().dir, 'textfile')
    path = os.path.join(folder, 'petrel.prom')
    os.makedirs(folder, exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write('before\n')
    first = os.stat(path).st_ino
    umask = os.umask(0o077)
    try:
        check(metrics('-o', path) == '')
    finally:
        os.umask(umask)
    now = os.stat(path)
    check(stat.S_IMODE(now.st_mode) == 0o644, oct(now.st_mode))
    check(now.st_ino != first and os.listdir(folder) == ['petrel.prom'],
          os.listdir(folder))
    with open(path, encoding='utf-8') as f:
        check('\npetrel_up 1\n' in f.read())
    code, _, error = bed().ask('metrics', '-o', folder + '/nix/petrel.prom')
    check(code == 66 and 'nix' in error, code, error)


def test_what_is_no_profile_is_refused():
    for words in (['--profile', 'nix'], ['--json'], ['x'], ['--profile', '']):
        code, out, error = bed().ask('metrics', *words)
        check(code == 64 and not out and error, words, code, error)


def test_findings_are_samples():
    before = parsed(metrics('--profile', 'findings'), 'text') \
        if has_client() else None
    if before is None:
        return 'NO CLIENT: Debian package python3-prometheus-client'
    check(before['petrel_findings', "[('severity', 'critical')]"] >= 0)
    check(before['petrel_process_up', "[('process', 'core')]"] == 1)
    armed = "[('signature', 'link_down'), ('state', 'armed')]"
    check(before['petrel_signature_ports', armed] == 64)
    return None


def test_without_an_agent_petrel_up_is_0_and_nothing_else():
    path = os.path.join(bed().dir, 'down.prom')
    check('\npetrel_up 1\n' in metrics())
    bed().agent.kill(signal.SIGKILL)
    wait_for(lambda: bed().ask('status')[0] == 3)
    out = metrics(code=3)
    check(count(out) == 1 and '\npetrel_up 0\n' in out, out)
    metrics('--openmetrics', '-o', path, code=3)
    with open(path, encoding='utf-8') as f:
        check(f.read().endswith('petrel_up 0\n# EOF\n'))


def main():
    try:
        agent.main(globals())
    finally:
        for b in beds:
            b.close()


main()

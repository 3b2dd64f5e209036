#!/usr/bin/env python3
"""What Prometheus reads: petrel metrics, its file, and the exporter, by
promtool, by Prometheus' own client for Python and by Prometheus itself.

petrel-test: timeout=120
petrel-test: sanitize
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import urllib.parse

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
TOKEN = 'a-token-of-more-than-16'
OPENMETRICS = 'application/openmetrics-text; version=1.0.0'
FAULT = 'at 1s Ethernet8 down reason=light\n'
beds = []


class Exporter(agent.Bed):
    """The busy switch of 64 ports with a fault, which Prometheus scrapes."""

    def __init__(self):
        super().__init__(None, collector=False)
        self.port, self.engine_port = agent.free_port(), agent.free_port()
        with open(os.path.join(agent.SCENARIOS, 'busy.scenario'),
                  encoding='utf-8') as f:
            self.scenario = self.file('faulty.scenario', f.read() + FAULT)
        os.chmod(self.dir, 0o755)
        self.serve('')
        conf = self.file(
            'prometheus.yml', 'scrape_configs:\n- job_name: petrel\n'
            '  scrape_interval: 1s\n  static_configs:\n'
            "  - targets: ['127.0.0.1:%d']\n" % self.port)
        self.engine = agent.Process(
            ['prometheus', '--config.file=' + conf,
             '--storage.tsdb.path=' + os.path.join(self.dir, 'tsdb'),
             '--web.listen-address=127.0.0.1:%d' % self.engine_port],
            os.path.join(self.dir, 'prometheus.log'))

    def serve(self, extra, listen='127.0.0.1'):
        """[Metrics] as the next reload finds it; extra None: off."""
        self.write_conf('' if extra is None else '[Metrics]\nlisten = %s:%d\n'
                        '%s' % (listen, self.port, extra), False)

    def file(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        os.chmod(path, 0o644)
        return path

    def get(self, path='/metrics', host='127.0.0.1', tls=None, **fields):
        c = http.client.HTTPSConnection(host, self.port, timeout=10,
                                        context=tls) if tls else \
            http.client.HTTPConnection(host, self.port, timeout=10)
        try:
            c.request('GET', path, headers=fields)
            r = c.getresponse()
            return r.status, r.headers.get('Content-Type'), r.read().decode()
        except (OSError, http.client.HTTPException) as e:
            return 0, str(e), ''
        finally:
            c.close()

    def reload(self, extra, listen='127.0.0.1', **how):
        self.serve(extra, listen)
        code, _, error = self.ask('reload')
        check(code == 0, error)
        if extra is None:
            check(wait_for(lambda: self.pid_of('exporter') is None))
        else:
            check(wait_for(lambda: self.get('/healthz', **how)[0] == 200),
                  self.agent.log())

    def close(self):
        self.engine.stop()
        super().close()


def bed():
    """One switch for all tests."""
    if not beds:
        b = Exporter()
        beds.append(b)
        if shutil.which('prometheus'):
            b.engine.start()
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
            count(metrics('--profile', p)) - n) < 10 + 0.03 * n), profile, n)


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
    for words in (['--profile', 'nix'], ['--json', '-o', 'x'], ['x'],
                  ['--profile', '']):
        code, out, error = bed().ask('metrics', *words)
        check(code == 64 and not out and error, words, code, error)


def test_json_has_the_same_lines():
    said = bed().json('metrics', '--profile', 'findings')
    check(said['schema'] == 'petrel/metrics/1' and said['complete'], said)
    check('petrel_up 1' in said['lines'] and
          said['lines'][-1] == 'petrel_complete 1', said['lines'][-3:])


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


# --- the exporter ----------------------------------------------------------------

def test_the_exporter_gives_the_form_that_is_asked_for():
    b = bed()
    b.reload('', '[::1]', host='::1')
    status, kind, text = b.get(host='::1')
    check((status, kind) == (200, 'text/plain; version=0.0.4; '
                             'charset=utf-8') and '# EOF' not in text)
    status, kind, text = b.get(host='::1', Accept=OPENMETRICS)
    check(status == 200 and text.endswith('# EOF\n') and
          kind.startswith(OPENMETRICS), status, kind)
    check(b.get('/healthz', '::1') == (200, 'text/plain; charset=utf-8',
                                       'ok\n'))
    check(b.get('/nix', '::1')[0] == 404)
    b.reload('')


def test_the_exporter_alone_has_the_library_and_no_right():
    b = bed()
    with open('/proc/%d/status' % b.pid_of('exporter'),
              encoding='utf-8') as f:
        said = dict(line.split(':\t', 1) for line in f if ':\t' in line)
    check(int(said['CapEff'], 16) == int(said['CapPrm'], 16) == 0 and
          said['Seccomp'].strip() == '2', said['CapEff'])
    for role in agent.ROLES + ('exporter',):
        with open('/proc/%d/maps' % b.pid_of(role), encoding='utf-8') as f:
            check(('microhttpd' in f.read()) == (role == 'exporter'), role)


def test_a_token_and_tls():
    if not shutil.which('openssl'):
        return 'NO OPENSSL'
    b = bed()
    key, cert = b.file('key.pem', ''), b.file('cert.pem', '')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                    'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
                    '-subj', '/CN=sw', '-keyout', key, '-out', cert],
                   check=True, stderr=subprocess.DEVNULL)
    os.chmod(key, 0o644)
    tls = ssl.create_default_context(cafile=cert)
    tls.check_hostname = False
    b.reload('cert_file = %s\nkey_file = %s\ntoken_file = %s\n' % (
        cert, key, b.file('token', TOKEN + '\n')), '0.0.0.0', tls=tls)
    check(b.get(tls=tls)[0] == 401)
    check(b.get(tls=tls, Authorization='Bearer ' + TOKEN[1:])[0] == 401)
    status, _, text = b.get(tls=tls, Authorization='Bearer ' + TOKEN)
    check(status == 200 and '\npetrel_up 1\n' in text, status)
    check(b.get(Authorization='Bearer ' + TOKEN)[0] != 200, 'in the clear')
    b.reload('')
    return None


def test_what_cannot_be_served_is_refused():
    b = bed()
    conf = os.path.join(b.dir, 'wrong.conf')
    for text, why in (('listen = 192.0.2.1\n', 'not an address with a port'),
                      ('listen = [::]:9717\n', 'token_file'),
                      ('listen = 127.0.0.1:1\ncert_file = /nix\n',
                       'key_file'),
                      ('listen = [::]:1\ntoken_file = /nix\n', '/nix'),
                      ('listen = 127.0.0.1:1\ncert_file = %s\n'
                       'key_file = %s\n' % (conf, conf),
                       'no certificate in it'),
                      ('profile = most\n', 'findings')):
        b.file('wrong.conf', '[Metrics]\n' + text)
        run = subprocess.run(agent.command('petreld', '--config', conf,
                                           '--check'), text=True,
                             capture_output=True, check=False)
        check(run.returncode == 78 and why in run.stderr and
              'wrong.conf:' in run.stderr, text, run.stderr)
    b.serve('', 'nowhere')
    code, _, error = b.ask('reload')
    check(code == 64 and 'nowhere' in error, code, error)
    check(b.get('/healthz')[0] == 200, 'the previous one is in force')


def test_reload_turns_it_on_and_off_and_loses_no_sample():
    b = bed()
    pids = b.pids()
    values = b.json('status')['agent']['values']
    for _ in range(2):
        b.reload(None)
        check(b.get()[0] == 0)
        status = b.json('status')
        names = [p['process'] for p in status['processes']]
        check(names == list(agent.ROLES), names)
        check(b.ask('health', '--agent')[0] == 0)
        b.reload('')
        check(b.ask('health', '--agent')[0] == 0)
    status = b.json('status')
    check(status['processes'][-1]['process'] == 'exporter' and
          status['processes'][-1]['restarts'] == 0, status['processes'])
    check(pids == b.pids(), 'one was restarted')
    check(not [s for s in status['streams'] if s['dropped']] and
          wait_for(lambda: b.json('status')['agent']['values'] > values),
          status['streams'])


def test_a_port_that_is_taken_is_told_and_taken_later():
    b = bed()
    b.reload(None)
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(('127.0.0.1', b.port))
        s.listen(1)
        b.serve('')
        check(b.ask('reload')[0] == 0)
        notes = wait_for(lambda: [n for n in b.json('status').get('notes', [])
                                  if 'Prometheus cannot scrape' in n])
        check(notes and 'in use' in notes[0], notes)
    check(wait_for(lambda: b.get()[0] == 200), b.agent.log())
    check(not [n for n in b.json('status').get('notes', [])
               if 'Prometheus' in n])


def test_hostile_clients_do_not_keep_it_from_answering():
    """Those that say nothing, never end, ask much, and read nothing."""
    b = bed()
    held, pid = [], b.pid_of('exporter')
    for text in [b'', b'GET /metrics', b'\xff' * 4096,
                 b'GET /' + b'x' * 65536 + b' HTTP/1.1\r\n\r\n',
                 b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' * 50,
                 b'POST /metrics HTTP/1.1\r\nContent-Length: 9999999999'
                 b'\r\n\r\n'] * 5:
        s = socket.socket()
        s.settimeout(1)
        held.append(s)
        try:
            s.connect(('127.0.0.1', b.port))
            s.sendall(text)
        except OSError:
            pass            # it is refused, as it may be
    check(wait_for(lambda: b.get('/healthz')[0] == 200, 30), b.agent.log())
    check(b.ask('ports')[0] == 0)
    for s in held:
        s.close()
    check(wait_for(lambda: b.get()[0] == 200) and
          b.pid_of('exporter') == pid, b.agent.log())


def test_the_core_is_asked_once_a_second_however_many_scrape():
    b = bed()
    core = b.pid_of('core')
    check(wait_for(lambda: 'petrel_up 1' in b.get()[2]), b.agent.log())
    for _ in range(3):          # a machine may be late between the two
        first = b.get()[2]
        os.kill(core, signal.SIGSTOP)
        second = b.get()[2]
        os.kill(core, signal.SIGCONT)
        if first == second:
            return
    check(False, 'it was asked again')


def query(text):
    c = http.client.HTTPConnection('127.0.0.1', bed().engine_port, timeout=10)
    try:
        c.request('GET', '/api/v1/query?' + urllib.parse.urlencode(
            {'query': text}))
        return json.loads(c.getresponse().read())['data']['result']
    except (OSError, ValueError, http.client.HTTPException):
        return []
    finally:
        c.close()


def test_prometheus_scrapes_it_and_a_query_finds_the_finding():
    if not shutil.which('prometheus'):
        return 'NO PROMETHEUS: Debian package prometheus'
    found = wait_for(lambda: query(
        'petrel_finding_active * on(instance) group_left(switch)'
        ' petrel_switch_info'), 40)
    check(found, bed().engine.log()[-800:])
    labels = found[0]['metric']
    check(labels['port'] == 'Ethernet8' and labels['switch'] == 'sw1' and
          labels['signature'] == 'link_down', labels)
    check(query('up{job="petrel"}')[0]['value'][1] == '1')
    check(query('10 * log10(1000 * petrel_lane_rx_power_watts) < 10 > -40'))
    return None


def test_the_exporter_says_that_the_core_is_down():
    b = bed()
    os.kill(b.pid_of('supervisor'), signal.SIGSTOP)     # it starts none
    os.kill(b.pid_of('core'), signal.SIGKILL)
    down = wait_for(lambda: '\npetrel_up 0\n' in b.get()[2])
    text = b.get()[2]
    os.kill(b.pid_of('supervisor'), signal.SIGCONT)
    check(down and count(text) == 1, text)
    check(wait_for(lambda: '\npetrel_up 1\n' in b.get()[2]))


def test_without_an_agent_petrel_up_is_0_and_nothing_else():
    path = os.path.join(bed().dir, 'down.prom')
    check('\npetrel_up 1\n' in metrics())
    bed().agent.kill(signal.SIGKILL)
    wait_for(lambda: bed().ask('status')[0] == 3)
    out = metrics(code=3)
    check(count(out) == 1 and '\npetrel_up 0\n' in out, out)
    said = bed().json('metrics')
    check(said['code'] == 3 and said['lines'][-1] == 'petrel_up 0', said)
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

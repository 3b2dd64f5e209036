"""Engines of the collector's sinks, as Debian packages them, each in a folder of
its own on loopback; ended by process id."""
import json
import os
import shutil
import urllib.parse
import urllib.request

from agent import Process, free_port, wait_for


def have(name):
    return shutil.which(name) is not None


def get(url, timeout=10):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read().decode('utf-8')


class Engine:
    """One engine, which can be killed and started again with its data."""

    program, ready = None, None

    def __init__(self, folder, **more):
        self.dir = os.path.join(folder, self.program)
        os.makedirs(self.dir, exist_ok=True)
        self.port = free_port()
        self.url = 'http://127.0.0.1:%d' % self.port
        self.more = more
        self.process = Process([self.program] + self.arguments(),
                               os.path.join(self.dir, 'log'))

    def arguments(self):
        raise NotImplementedError

    def is_ready(self):
        try:
            get(self.url + self.ready, 1)
            return True
        except OSError:
            return False

    def start(self):
        self.process.start()
        assert wait_for(self.is_ready, 30), self.process.log()[-2000:]
        return self

    def kill(self):
        self.process.kill()

    def __enter__(self):
        return self.start()

    def __exit__(self, *why):
        self.process.stop()


class VictoriaMetrics(Engine):
    """A replay sends samples again: it drops those of the same time."""

    program, ready = 'victoria-metrics', '/health'

    def arguments(self):
        return ['-storageDataPath=' + os.path.join(self.dir, 'data'),
                '-httpListenAddr=127.0.0.1:%d' % self.port,
                '-retentionPeriod=100y', '-dedup.minScrapeInterval=1ms',
                '-memory.allowedBytes=128MiB']

    @property
    def write_url(self):
        return self.url + '/api/v1/write'

    def series(self, match):
        """{labels as sorted pairs: {time in ms: value}}"""
        get(self.url + '/internal/force_flush')
        text = get(self.url + '/api/v1/export?' +
                   urllib.parse.urlencode({'match[]': match}), 60)
        found = {}
        for line in text.splitlines():
            o = json.loads(line)
            found.setdefault(tuple(sorted(o['metric'].items())), {}).update(
                zip(o['timestamps'], o['values']))
        return found


class Prometheus(Engine):
    program, ready = 'prometheus', '/-/ready'

    def arguments(self):
        path = os.path.join(self.dir, 'prometheus.yml')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(self.more.get('config', 'global: {}\n'))
        return ['--config.file=' + path,
                '--storage.tsdb.path=' + os.path.join(self.dir, 'data'),
                '--web.listen-address=127.0.0.1:%d' % self.port,
                '--web.enable-remote-write-receiver', '--log.level=error']

    @property
    def write_url(self):
        return self.url + '/api/v1/write'

    def series(self, match):
        """As VictoriaMetrics'; the samples of the last hour."""
        answer = json.loads(get(self.url + '/api/v1/query?' +
                                urllib.parse.urlencode(
                                    {'query': match + '[1h]'}), 60))
        return {tuple(sorted(o['metric'].items())):
                {round(t * 1000): float(v) for t, v in o['values']}
                for o in answer['data']['result']}


class Alertmanager(Engine):
    program, ready = 'prometheus-alertmanager', '/-/ready'

    def arguments(self):
        path = os.path.join(self.dir, 'alertmanager.yml')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('route: {receiver: hook, group_wait: 0s, '
                    'group_interval: 1s, repeat_interval: 24h,\n'
                    '  group_by: [finding_id, alertname, severity]}\n'
                    'receivers:\n- name: hook\n')
            if 'hook' in self.more:
                f.write('  webhook_configs: [{url: "%s"}]\n' %
                        self.more['hook'])
        return ['--config.file=' + path,
                '--storage.path=' + os.path.join(self.dir, 'data'),
                '--web.listen-address=127.0.0.1:%d' % self.port,
                '--cluster.listen-address=', '--log.level=error']

    def alerts(self):
        return json.loads(get(self.url + '/api/v2/alerts'))


TRAFFIC = '{__name__="petrel_if_in_bytes_total"}'


def truth(bed):
    """{port: [(monotonic ns, value)]} of received octets, as the spool has
    them."""
    found = {}
    for r in bed.records(content=['values'],
                         filters=['--quantity', 'if_in_octets']):
        for v in r.get('content', {}).get('values', []):
            if v['quantity'] == 'if_in_octets':
                found.setdefault(v['name'], {})[v['taken_mono_ns']] = \
                    v['value']
    return {port: sorted(of.items()) for port, of in found.items()}


def missing(samples_of, engine):
    """How many samples there were, and those that the engine lacks: by value,
    for an unchanged one goes but once a minute. They grow, so that a value is
    there once."""
    has, count, lacks = {}, 0, []
    for labels, samples in engine.series(TRAFFIC).items():
        has.setdefault(dict(labels)['port'], set()).update(samples.values())
    for port, samples in samples_of.items():
        count += len(samples)
        lacks += [(port, ns, value) for ns, value in samples
                  if float(value) not in has.get(port, ())]
    return count, lacks


def wait_for_all(bed, engine, seconds=20):
    """missing(), once nothing is, or it never is. The agent has ended."""
    samples = truth(bed)
    wait_for(lambda: not missing(samples, engine)[1], seconds, 0.3)
    return missing(samples, engine)

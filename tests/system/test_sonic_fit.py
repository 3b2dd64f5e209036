#!/usr/bin/env python3
"""What packaging/sonic brings to a SONiC switch: YANG models that refuse what
petreld would, command line plug-ins, the manifest of the extension."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import (BUILD, TREE, SCENARIOS, Bed, check, main,  # noqa: E402
                   program, wait_for)
from folder import OpenFolder                           # noqa: E402

SONIC = os.path.join(TREE, 'packaging', 'sonic')
PYTHON = '/usr/bin/python3'     # which has Debian's click
GOOD = {
    'agent': {'name': 'leaf1', 'interval': '500ms', 'history': '15m',
              'samples_ring': '12M', 'run_dir': '/run/petrel'},
    'platform': {'driver': 'sonic, linux'}, 'sim': {'speed': '0.5'},
    'sonic': {'publish': ['state_db', 'eventd']},
    'push': {'collector': 'tcp://[2001:db8::1]:4717', 'insecure': 'yes',
             'window': '64K', 'heartbeat': '2s'},
    'query': {'read': 'group', 'socket': 'petrel.sock'},
    'log': {'level': 'notice'},
}
# A row that YANG must refuse, and petreld too where it reads such a file.
BAD = [
    ('agent', {'interval': '2 parsecs'}), ('agent', {'interval': '5'}),
    ('agent', {'intervall': '2s'}), ('agent', {'run_dir': 'run'}),
    ('agent', {'samples_ring': 'much'}), ('agent', {'name': 'x' * 192}),
    ('query', {'read': 'some'}), ('query', {'socket': 'a/b'}),
    ('push', {'collector': 'tcp://1.2.3.4:4717'}),
    ('push', {'insecure': 'maybe'}), ('push', {'window': '-1'}),
    ('log', {'level': 'loud'}), ('sonic', {'publish': ['mars']}),
    ('switch', {'name': 'x'}), ('sim', {'speed': 'fast'}),
    ('platform', {'driver': 'sonik'}), ('platform', {'driver': 'auto,sonic'}),
    ('module', {'owner': 'maybe'}), ('module', {'budget': '5parsecs'}),
    ('push', {'collector': 'htp://1.2.3.4:4717', 'insecure': 'yes'}),
]
EVENTS_COMMON = '''module sonic-events-common {
    yang-version 1.1;
    namespace "http://github.com/sonic-net/sonic-events-common";
    prefix evtcmn;
    revision 2022-12-01;
    extension ALARM_SEVERITY_MINOR;
    grouping sonic-events-cmn { leaf timestamp { type string; } }
}
'''


def yanglint(model, data, *more, kind='config'):
    """Exit status and what it said of one instance."""
    with OpenFolder(prefix='petrel-yang-') as folder:
        path = os.path.join(folder, 'data.json')
        with open(os.path.join(folder, 'sonic-events-common.yang'), 'w',
                  encoding='utf-8') as f:
            f.write(EVENTS_COMMON)
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(data, f)
        done = subprocess.run(
            ['yanglint', '-p', folder, '-t', kind, *more,
             os.path.join(SONIC, model), path], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr


def config_db(rows):
    return yanglint('sonic-petrel.yang',
                    {'sonic-petrel:sonic-petrel': {'PETREL': rows}})


def conf_of(rows):
    return ''.join('[%s]\n%s' % (section.capitalize(), ''.join(
        '%s = %s\n' % (k, ','.join(v) if isinstance(v, list) else v)
        for k, v in row.items())) for section, row in rows.items())


def petreld_takes(rows):
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as f:
        f.write(conf_of(rows))
        f.flush()
        return subprocess.run([program('petreld'), '--check', '--config',
                               f.name], capture_output=True,
                              check=False).returncode == 0


def test_yang_takes_what_petreld_takes():
    if not shutil.which('yanglint'):
        return 'NO YANGLINT HERE'
    code, said = config_db(GOOD)
    check(code == 0, said)
    check(petreld_takes(GOOD), conf_of(GOOD))
    return None


def test_yang_refuses_what_petreld_refuses():
    if not shutil.which('yanglint'):
        return 'NO YANGLINT HERE'
    for section, row in BAD:
        code, said = config_db({section: row})
        check(code != 0, section, row, 'was taken', said)
        check(not petreld_takes({section: row}), section, row,
              'petreld takes it')
    return None


def test_yang_has_the_keys_of_the_table_and_no_other():
    with open(os.path.join(SONIC, 'sonic-petrel.yang'),
              encoding='utf-8') as f:
        text = f.read()
    in_yang, section = set(), None
    for word, name in re.findall(r'^ {12,16}(container|leaf|leaf-list) '
                                 r'(\w+)', text, re.M):
        if word == 'container':
            section = name
        else:
            in_yang.add((section, name))
    printed = subprocess.run(
        [os.path.join(BUILD, 'tests/unit/test_manual'), '--print'], text=True,
        capture_output=True, check=True).stdout
    in_table = set()
    for line in printed.splitlines():
        heading = re.match(r'\.Ss \\&\[(\w+)\]', line)
        key = re.match(r'\.It Ic (\w+)', line)
        if heading:
            section = heading[1].lower()
        elif key:
            in_table.add((section, key[1]))
    check(in_yang == in_table, 'only in YANG:', in_yang - in_table,
          'not in YANG:', in_table - in_yang)


def test_yang_of_events_takes_what_is_published():
    if not shutil.which('yanglint'):
        return 'NO YANGLINT HERE'
    event = {'id': '4jmqfpndambb', 'subject': 'Ethernet40',
             'signature': 'fec_trend', 'severity': 'critical',
             'state': 'raised', 'end': 'near', 'action': 'reseat_near',
             'drain': 'urge', 'confidence': '0.95', 'cause': 'errors',
             'timestamp': '2026-11-21T13:21:30Z'}
    for wrong in ({}, {'severity': 'loud'}, {'id': 'X'}, {'more': 'x'},
                  {'confidence': '7'}):
        code, said = yanglint(
            'sonic-events-petrel.yang',
            {'sonic-events-petrel:sonic-events-petrel': {
                'finding': {**event, **wrong}}})
        check((code == 0) == (not wrong), wrong, said)
    # What the herald gives is what the model names.
    with open(os.path.join(TREE, 'agent/process/herald.c'),
              encoding='utf-8') as f:
        params = set(re.findall(r'\{ "(\w+)", ', f.read()))
    check(params == set(event) - {'timestamp'}, params ^ set(event))
    return None


def plugin(name, *argv, env=None):
    """A plug-in's command, as SONiC's command line would call it."""
    script = ('import sys, click; sys.path.insert(0, sys.argv[1])\n'
              'import %s as plugin\n'
              'cli = click.Group()\nplugin.register(cli)\n'
              'cli(sys.argv[2:], prog_name="test")\n' % name)
    return subprocess.run([PYTHON, '-B', '-c', script, SONIC, *argv],
                          text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False,
                          env=dict(os.environ, **(env or {})))


def no_click():
    done = subprocess.run([PYTHON, '-c', 'import click'], check=False,
                          capture_output=True) \
        if os.path.exists(PYTHON) else None
    return done is None or done.returncode != 0


def test_show_plugin_answers_as_petrel_does():
    if no_click():
        return 'NO CLICK HERE'
    scenario = os.path.join(SCENARIOS, 'healthy.scenario')
    with Bed(scenario, collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        # It serves before its first tick, and knows nothing of itself yet.
        check(wait_for(lambda: bed.ask('health', '--agent')[0] in (0, 1)),
              bed.ask('health', '--agent'))
        folder = os.path.join(bed.dir, 'bin')
        os.makedirs(folder)
        with open(os.path.join(folder, 'petrel'), 'w',
                  encoding='utf-8') as f:
            f.write('#!/bin/sh\nexec %s --socket %s "$@"\n' % (
                program('petrel'), bed.socket))
        os.chmod(os.path.join(folder, 'petrel'), 0o755)
        env = {'PATH': folder + ':' + os.environ['PATH']}
        done = plugin('show_petrel', 'petrel', 'ports', '--json', env=env)
        check(done.returncode == 0, done.stderr)
        check(len(json.loads(done.stdout)['ports']) == 64, done.stdout[:200])
        done = plugin('show_petrel', 'petrel', 'links', 'Ethernet8,16',
                      '--json', env=env)
        check(len(json.loads(done.stdout)['links']) == 2, done.stdout[:200])
        for argv in ([], ['status'], ['findings'], ['coverage'], ['config'],
                     ['queues'], ['modules'], ['links'], ['changes'],
                     ['lanes'], ['buffers'], ['events'],
                     ['port', 'Ethernet8'], ['health', '--agent']):
            done = plugin('show_petrel', 'petrel', *argv, env=env)
            check(done.returncode in (0, 1) and done.stdout, argv,
                  done.returncode, done.stderr)
        done = plugin('show_petrel', 'petrel', 'port', 'Ethernet9999',
                      env=env)
        check(done.returncode == 66, 'exit status', done.returncode)
    done = plugin('show_petrel', 'petrel', 'status',
                  env={'PATH': '/nonexistent'})
    check(done.returncode == 69 and 'not installed' in done.stderr,
          done.stderr)
    return None


SWSS = '''
import json, os
class ConfigDBConnector:
    def connect(self): pass
    def read(self):
        p = os.environ['FAKE_DB']
        return json.load(open(p)) if os.path.exists(p) else {}
    def write(self, rows): json.dump(rows, open(os.environ['FAKE_DB'], 'w'))
    def get_entry(self, t, k): return self.read().get(t + '|' + k, {})
    def mod_entry(self, t, k, d):
        rows = self.read(); rows.setdefault(t + '|' + k, {}).update(d)
        self.write(rows)
    def set_entry(self, t, k, d):
        rows = self.read(); rows.pop(t + '|' + k, None)
        if d: rows[t + '|' + k] = d
        self.write(rows)
'''
PETREL = '''#!/bin/sh
echo '{"config": [{"section": "Push", "key": "window", "value": "128K",
"origin": "'"$ORIGIN"'"}], "notes": ['"$NOTES"']}'
'''


def test_config_plugin_writes_the_row_and_waits_for_petreld():
    if no_click():
        return 'NO CLICK HERE'
    with OpenFolder(prefix='petrel-plugin-') as folder:
        os.makedirs(folder + '/swsscommon')
        for name, text in (('swsscommon/__init__.py', ''),
                           ('swsscommon/swsscommon.py', SWSS),
                           ('petrel', PETREL)):
            with open(os.path.join(folder, name), 'w',
                      encoding='utf-8') as f:
                f.write(text)
        os.chmod(folder + '/petrel', 0o755)
        env = {'PYTHONPATH': folder, 'FAKE_DB': folder + '/db', 'ORIGIN':
               'CONFIG_DB', 'PATH': folder + ':' + os.environ['PATH']}
        done = plugin('config_petrel', 'petrel', 'set', 'Push', 'window',
                      '128K', env=env)
        check(done.returncode == 0, done.stderr)
        with open(folder + '/db', encoding='utf-8') as f:
            check(json.load(f) == {'PETREL|push': {'window': '128K'}}, 'row')
        done = plugin('config_petrel', 'petrel', 'unset', 'push', 'window',
                      env=dict(env, ORIGIN='built-in'))
        check(done.returncode == 0, done.stderr)
        with open(folder + '/db', encoding='utf-8') as f:
            check(json.load(f) == {}, 'the row stays')
        # What petreld refuses is put back; a key that it has not is not
        # written at all.
        done = plugin('config_petrel', 'petrel', 'set', 'push', 'window',
                      '1X', env=dict(env, NOTES='"window is no size"'))
        check(done.returncode == 1 and 'no size' in done.stderr, done.stderr)
        done = plugin('config_petrel', 'petrel', 'set', 'push', 'windo', '1K',
                      env=env)
        check(done.returncode == 64 and 'it has window' in done.stderr,
              done.returncode, done.stderr)
        with open(folder + '/db', encoding='utf-8') as f:
            check(json.load(f) == {}, 'what was refused stays')
        # A file wins: that is told, and fails.
        done = plugin('config_petrel', 'petrel', 'set', 'push', 'window',
                      '64K', env=dict(env, ORIGIN='petrel.conf:3'))
        check(done.returncode == 1 and 'not in force' in done.stderr,
              done.returncode, done.stderr)
    return None


def test_manifest_has_what_sonic_package_manager_asks():
    with open(os.path.join(SONIC, 'manifest.json'), encoding='utf-8') as f:
        manifest = json.load(f)
    check(set(manifest) == {'version', 'package', 'service', 'container',
                            'processes', 'cli'}, manifest.keys())
    with open(os.path.join(TREE, 'Makefile'), encoding='utf-8') as f:
        version = re.search(r'^VERSION := (\S+)', f.read(), re.M)[1]
    check(manifest['package']['version'] == version, 'the version')
    for volume in manifest['container']['volumes']:
        check(re.match(r'/\S*:/\S*?(:ro)?$', volume), volume)
    with open(os.path.join(SONIC, 'critical_processes'),
              encoding='utf-8') as f:
        critical = re.findall(r'^program:(\S+)$', f.read(), re.M)
    check(critical == [p['name'] for p in manifest['processes']], critical)
    with open(os.path.join(SONIC, 'supervisord.conf'),
              encoding='utf-8') as f:
        check('[program:petreld]' in f.read(), 'supervisord')
    with open(os.path.join(SONIC, 'Dockerfile'), encoding='utf-8') as f:
        docker = f.read()
    for source in re.findall(r'^COPY (packaging\S+)', docker, re.M):
        check(os.path.exists(os.path.join(TREE, source)), 'no', source)
    for kind in 'show', 'config':
        check(manifest['cli'][kind] in docker, kind, 'is not in the image')
        name = '%s_petrel' % kind
        check(importlib.util.spec_from_file_location(
            name, os.path.join(SONIC, name + '.py')), name)


def test_feature_row_has_the_fields_of_featured_and_agrees_with_the_manifest():
    with open(os.path.join(SONIC, 'feature.json'), encoding='utf-8') as f:
        row = json.load(f)['FEATURE']['petrel']
    with open(os.path.join(SONIC, 'manifest.json'), encoding='utf-8') as f:
        service = json.load(f)['service']
    check(set(row) == {
        'state', 'auto_restart', 'check_up_status', 'delayed',
        'has_global_scope', 'has_per_asic_scope', 'high_mem_alert',
        'set_owner', 'support_syslog_rate_limit'}, row)
    for field, key in (('delayed', 'delayed'),
                       ('has_global_scope', 'host-service'),
                       ('has_per_asic_scope', 'asic-service')):
        check(row[field] == str(service[key]), field, row[field])
    check(row['support_syslog_rate_limit'] ==
          str(service['syslog']['support-rate-limit']), 'rate limit')


if __name__ == '__main__':
    main(dict(globals()))

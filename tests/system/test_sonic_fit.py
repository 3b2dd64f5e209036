#!/usr/bin/env python3
"""What packaging/sonic brings to a SONiC switch: YANG models that refuse what
petreld would, command line plug-ins, the manifest of the extension."""
import importlib.util
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import (BUILD, SLOW, TREE, SCENARIOS, Bed, check, main,  # noqa: E402
                   program, wait_for)
from folder import OpenFolder                           # noqa: E402
from redis import Redis  # noqa: E402

SONIC = os.path.join(TREE, 'packaging', 'sonic')
PYTHON = '/usr/bin/python3'     # which has Debian's click
KEY = 'AQ' + 41 * 'A' + '='
GOOD = {
    'agent': {'name': 'leaf1', 'interval': '500ms', 'history': '15m',
              'samples_ring': '7680K', 'run_dir': '/run/petrel'},
    'platform': {'driver': 'sonic, linux'}, 'sim': {'speed': '0.5'},
    'sonic': {'publish': ['state_db', 'eventd']},
    'push': {'collector': 'tcp://[2001:db8::1]:4717', 'insecure': 'yes',
             'window': '64K', 'heartbeat': '2s', 'vrf': 'mgmt',
             'vrf_2': 'default', 'source': '2001:db8::7', 'dscp': '46',
             'source_2': '192.0.2.1'},
    'query': {'read': 'group', 'socket': 'petrel.sock'},
    'metrics': {'listen': '[::1]:9717', 'vrf': 'mgmt', 'profile': 'queues'},
    'log': {'level': 'notice'},
}
# A row that YANG must refuse, and petreld too where it reads such a file.
BAD = [
    ('agent', {'interval': '2 parsecs'}), ('agent', {'interval': '5'}),
    ('agent', {'intervall': '2s'}), ('agent', {'run_dir': 'run'}),
    ('agent', {'samples_ring': 'much'}), ('agent', {'name': 'x' * 192}),
    ('query', {'read': 'some'}), ('query', {'socket': 'a/b'}),
    ('push', {'collector': 'tcp://1.2.3.4:4717'}),
    ('push', {'collector_key': KEY[1:]}), ('push', {'collector_key': 'k'}),
    ('push', {'collector_key': KEY[:-2] + 'B='}),
    ('push', {'collector': 'tcp://1.2.3.4:4717', 'insecure': 'yes',
              'collector_key': KEY}),
    ('push', {'key_file': 'here'}), ('push', {'dscp': '64'}),
    ('push', {'vrf': 'much-too-long-for-one'}), ('push', {'vrf': 'a/b'}),
    ('push', {'source': 'eth0'}), ('push', {'source_2': '1.2.3'}),
    ('push', {'insecure': 'maybe'}), ('push', {'window': '-1'}),
    ('log', {'level': 'loud'}), ('sonic', {'publish': ['mars']}),
    ('switch', {'name': 'x'}), ('sim', {'speed': 'fast'}),
    ('platform', {'driver': 'sonik'}), ('platform', {'driver': 'auto,sonic'}),
    ('module', {'owner': 'maybe'}), ('module', {'budget': '5parsecs'}),
    ('push', {'collector': 'htp://1.2.3.4:4717', 'insecure': 'yes'}),
    ('metrics', {'listen': '*:9717'}), ('metrics', {'listen': '[::]:9717'}),
    ('metrics', {'profile': 'most'}),
    ('metrics', {'listen': '127.0.0.1:1', 'cert_file': '/etc/hostname'}),
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
    sealed = {'push': {'collector': 'tcp://h:1', 'collector_key': KEY}}
    code, said = config_db(sealed)
    check(code == 0, said)
    check(petreld_takes(sealed), conf_of(sealed))
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
             'cause_id': 'not_loss', 'into': 'cdpuiujjmskj',
             'timestamp': '2026-11-21T13:21:30Z'}
    for wrong in ({}, {'severity': 'loud'}, {'id': 'X'}, {'more': 'x'},
                  {'confidence': '7'}, {'into': 'core0'},
                  {'cause_id': '17'}):
        code, said = yanglint(
            'sonic-events-petrel.yang',
            {'sonic-events-petrel:sonic-events-petrel': {
                'finding': {**event, **wrong}}})
        check((code == 0) == (not wrong), wrong, said)
    # What the publisher gives is what the model names.
    with open(os.path.join(TREE, 'agent/process/publisher.c'),
              encoding='utf-8') as f:
        params = set(re.findall(r'\{ (?:\S+ \? )?"(\w+)"[, ]', f.read()))
    check(params == set(event) - {'timestamp'}, params ^ set(event))
    return None


def plugin_argv(name, *argv):
    """A plug-in's command, as SONiC's command line would call it."""
    script = ('import sys, click; sys.path.insert(0, sys.argv[1])\n'
              'import %s as plugin\n'
              'cli = click.Group()\nplugin.register(cli)\n'
              'cli(sys.argv[2:], prog_name="test")\n' % name)
    return [PYTHON, '-B', '-c', script, SONIC, *argv]


def plugin(name, *argv, env=None):
    return subprocess.run(plugin_argv(name, *argv),
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


# Stands for the host of an application extension: petrel is only in there.
DOCKER = '''#!/bin/sh
echo "$*" >>"$DOCKER_LOG"
case $1 in
inspect) [ -n "$RUNNING" ] || exit 1; echo "$RUNNING";;
exec) shift; [ "$1" != -it ] || shift; shift 2; exec "$INSIDE" "$@";;
esac
'''
INSIDE = '''#!/bin/sh
[ -t 1 ] && echo terminal
echo "said $*"
exit 2
'''


def scripts(folder, **texts):
    for name, text in texts.items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)
        os.chmod(os.path.join(folder, name), 0o755)


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def test_show_plugin_asks_in_the_container_of_an_extension():
    if no_click():
        return 'NO CLICK HERE'
    with tempfile.TemporaryDirectory(prefix='petrel-plugin-') as folder:
        inside, log = folder + '/inside', folder + '/log'
        os.mkdir(folder + '/bin')
        scripts(folder + '/bin', docker=DOCKER)
        scripts(folder, inside=INSIDE)
        env = {'PATH': folder + '/bin', 'INSIDE': inside, 'DOCKER_LOG': log,
               'RUNNING': 'true'}
        done = plugin('show_petrel', 'petrel', 'health', env=env)
        check(done.returncode == 2 and done.stdout == 'said health --links\n',
              done.returncode, done.stdout, done.stderr)
        check('exec petrel petrel health --links\n' in read(log), read(log))
        # With a terminal petrel knows its width, and can be left by a key.
        main_end, other = pty.openpty()
        done = subprocess.run(plugin_argv('show_petrel', 'petrel', 'ports'),
                              stdin=other, stdout=other, check=False,
                              env=dict(os.environ, **env))
        os.close(other)
        said = os.read(main_end, 4096).decode()
        os.close(main_end)
        check(done.returncode == 2 and 'terminal' in said, said)
        check('exec -it petrel petrel ports all\n' in read(log), read(log))
        # docker's own failures are no answers of petrel's.
        for running in ('', 'false'):
            done = plugin('show_petrel', 'petrel', 'health',
                          env=dict(env, RUNNING=running))
            check(done.returncode == 69 and 'no container' in done.stderr,
                  running, done.returncode, done.stderr)
        # Where the host has petrel, that is asked.
        scripts(folder + '/bin', petrel='#!/bin/sh\necho host; exit 1\n')
        done = plugin('show_petrel', 'petrel', 'health', env=env)
        check(done.returncode == 1 and done.stdout == 'host\n', done.stdout)
    return None


def test_both_plugins_find_petrel_the_same_way():
    found = [re.search(r'^def petrel_words.*?^\n\n', read(os.path.join(
        SONIC, name + '_petrel.py')), re.M | re.S)[0]
             for name in ('show', 'config')]
    check(found[0] == found[1], found)


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


# ConfigDBConnector over a real CONFIG_DB, as far as the plug-in uses it.
SWSS_REDIS = '''
import os, sys
sys.path.insert(0, os.environ['SUPPORT'])
from redis import Client
class ConfigDBConnector:
    def connect(self):
        self.db = Client(os.environ['CONFIG_DB'])
        self.db.ask('SELECT', 4)
    def get_entry(self, t, k):
        flat = self.db.ask('HGETALL', t + '|' + k)
        return {n.rstrip('@'): v.split(',') if n.endswith('@') else v
                for n, v in zip(flat[::2], flat[1::2])}
    def mod_entry(self, t, k, d):
        for n, v in d.items():
            if isinstance(v, list): n, v = n + '@', ','.join(v)
            self.db.ask('HSET', t + '|' + k, n, v)
    def set_entry(self, t, k, d):
        self.db.ask('DEL', t + '|' + k)
        self.mod_entry(t, k, d or {})
'''


class ConfigBed(Bed):
    """petreld on a CONFIG_DB, and the plug-in beside it."""

    def __init__(self, redis):
        super().__init__(driver='sonic', root=redis.root, collector=False)
        with open(self.conf, 'w', encoding='utf-8') as f:
            f.write('[Agent]\nrun_dir = /run/petrel\nhistory = 30m\n')
        folder = os.path.join(self.dir, 'plugin')
        os.makedirs(folder + '/swsscommon')
        scripts(folder, petrel='#!/bin/sh\nexec %s --socket %s "$@"\n' % (
            program('petrel'), self.socket))
        for name, text in (('__init__', ''), ('swsscommon', SWSS_REDIS)):
            with open('%s/swsscommon/%s.py' % (folder, name), 'w',
                      encoding='utf-8') as f:
                f.write(text)
        self.env = {'PYTHONPATH': folder, 'CONFIG_DB': redis.path,
                    'SUPPORT': os.path.join(TREE, 'tests', 'support'),
                    'PATH': folder + ':' + os.environ['PATH']}

    def config(self, *words):
        done = plugin('config_petrel', 'petrel', *words, env=self.env)
        return done.returncode, done.stderr

    def value(self, section, key):
        rows = self.json('config', 'show', '--origin')['config']
        return [(r['value'], r['origin']) for r in rows
                if (r['section'], r['key']) == (section, key)][0]


def no_real_config_db():
    return no_click() or not shutil.which('redis-server')


def test_config_plugin_compares_what_is_in_force_with_what_was_written():
    if no_real_config_db():
        return 'NO CLICK OR NO REDIS-SERVER HERE'
    with Redis() as redis:
        redis.load('CONFIG_DB', {'CONFIG_DB_INITIALIZED': '1'})
        with ConfigBed(redis) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            db = redis.client('CONFIG_DB')
            check(bed.config('set', 'push', 'window', '128K') == (0, ''),
                  'the first value')
            # Another value was there before: it stays, and the reason is told.
            code, said = bed.config('set', 'push', 'window', '1X')
            check(code == 1 and 'old value restored' in said and '1X' in said, code,
                  said)
            check(db.ask('HGET', 'PETREL|push', 'window') == '128K',
                  'the wrong value stays')
            check(bed.value('Push', 'window') == ('128K', 'CONFIG_DB'),
                  bed.value('Push', 'window'))
            # ... so that the next one is taken; in another way to write it.
            for words, shown in (
                    (('push', 'window', '65536'), ('Push', '64K')),
                    (('push', 'heartbeat', '3000ms'), ('Push', '3s')),
                    (('sonic', 'publish', 'state_db,eventd'),
                     ('Sonic', 'state_db,eventd'))):
                code, said = bed.config('set', *words)
                check((code, said) == (0, ''), words, code, said)
                check(bed.value(shown[0], words[1]) == (
                    shown[1], 'CONFIG_DB'), bed.value(shown[0], words[1]))
            # A file wins: that is no fault of the value.
            code, said = bed.config('set', 'agent', 'history', '20m')
            check(code == 1 and 'petrel.conf:3 has 30m' in said, code, said)
            check(bed.config('unset', 'agent', 'history') == (0, ''), 'unset')
            # What keeps everything from being taken can be mended.
            db.ask('HSET', 'PETREL|push', 'window', '7 parsecs')
            check(wait_for(lambda: 'parsecs' in bed.ask('status')[1],
                           20 * SLOW, 0.1), bed.ask('status'))
            check(bed.config('set', 'push', 'window', '256K') == (0, ''),
                  bed.ask('status'))
            db.close()
    return None


def test_config_plugin_says_when_nothing_checked_what_it_wrote():
    if no_real_config_db():
        return 'NO CLICK OR NO REDIS-SERVER HERE'
    with Redis() as redis:
        with ConfigBed(redis) as bed:
            code, said = bed.config('set', 'push', 'window', '1X')
            check(code == 0 and 'nothing checked it' in said, code, said)
            db = redis.client('CONFIG_DB')
            check(db.ask('HGET', 'PETREL|push', 'window') == '1X', 'the row')
            db.close()
    return None


# The manifest as sonic-package-manager reads it. A tuple: a key that must be
# there; else it may be. A list: each of its items; a dict: keys of a node.
# Keys that it does not know it drops in silence.
NODES = {
    'version': str,
    'package': {
        'version': (str,), 'name': (str,), 'description': str, 'base-os': dict,
        'depends': list, 'breaks': list, 'init-cfg': dict, 'changelog': dict,
        'debug-dump': str},
    'service': {
        'name': (str,), 'requires': [str], 'requisite': [str],
        'wanted-by': [str], 'after': [str], 'before': [str],
        'dependent': [str], 'dependent-of': [str], 'post-start-action': str,
        'pre-shutdown-action': str, 'asic-service': bool,
        'host-service': bool, 'delayed': bool, 'check_up_status': bool,
        'type': str, 'stop-time': str,
        'warm-shutdown': {'after': [str], 'before': [str]},
        'fast-shutdown': {'after': [str], 'before': [str]},
        'syslog': {'support-rate-limit': bool}},
    'container': {
        'privileged': bool, 'volumes': [str], 'environment': dict,
        'mounts': [{'source': (str,), 'target': (str,), 'type': (str,)}],
        'tmpfs': [str]},
    'processes': [{'name': (str,), 'reconciles': bool}],
    'cli': {
        'mandatory': bool, 'show': str, 'config': str, 'clear': str,
        'auto-generate-show': bool, 'auto-generate-config': bool,
        'auto-generate-show-source-yang-modules': [str],
        'auto-generate-config-source-yang-modules': [str]},
}


def faults(node, value, at='manifest'):
    """What sonic-package-manager would refuse, or drop."""
    if isinstance(node, dict):
        if not isinstance(value, dict):
            return [at + ' is no dictionary']
        found = ['%s.%s is dropped' % (at, k) for k in value
                 if k not in node]
        for key, kind in node.items():
            name = '%s.%s' % (at, key)
            if key in value:
                found += faults(kind[0] if isinstance(kind, tuple) else kind,
                                value[key], name)
            elif isinstance(kind, tuple):
                found.append(name + ' is missing')
        return found
    if isinstance(node, list):
        if not isinstance(value, list):
            return [at + ' is no list']
        return [f for i, v in enumerate(value)
                for f in faults(node[0], v, '%s[%d]' % (at, i))]
    return [] if isinstance(value, node) else ['%s is no %s' % (
        at, node.__name__)]


def cli_faults(manifest):
    """Each path is handed to docker, which copies it out of the image: older
    releases hand an empty one too."""
    return ['cli.%s is no path' % k for k in ('show', 'config', 'clear')
            if not manifest['cli'].get(k, '/x.py').startswith('/')]


def test_manifest_passes_the_schema_of_sonic_package_manager():
    manifest = json.loads(read(os.path.join(SONIC, 'manifest.json')))
    check(not faults(NODES, manifest), faults(NODES, manifest))
    check(not cli_faults(manifest), cli_faults(manifest))
    # The judge finds what is wrong.
    for path, value in ((('cli', 'clear'), ''), (('package', 'name'), None),
                        (('service', 'delayed'), 'yes'), (('more',), 1),
                        (('container', 'volumes'), '/sys'),
                        (('processes',), [{}])):
        wrong = json.loads(json.dumps(manifest))
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        if value is None:
            del place[path[-1]]
        check(faults(NODES, wrong) + cli_faults(wrong), path, 'was taken')


def test_image_carries_the_manifest_and_the_yang_model_in_labels():
    docker = read(os.path.join(SONIC, 'Dockerfile'))
    for label, word, source in (
            ('com.azure.sonic.manifest', 'MANIFEST', 'manifest.json'),
            ('com.azure.sonic.yang-module', 'YANG', 'sonic-petrel.yang')):
        check('\nARG %s\n' % word in docker, word)
        check('\nLABEL %s="${%s}"\n' % (label, word) in docker, label)
        check('"%s=$(cat packaging/sonic/%s)"' % (word, source) in docker,
              source)
    # What parses the label has no other file than SONiC's own models.
    imports = re.findall(r'^ *import (\S+)', read(os.path.join(
        SONIC, 'sonic-petrel.yang')), re.M)
    check(all(i.startswith('sonic-') for i in imports), imports)


def test_techsupport_finds_what_the_package_installs():
    with tempfile.TemporaryDirectory(prefix='petrel-dump-') as root:
        dumps = os.path.join(root, 'usr/local/bin/debug-dump')
        share = os.path.join(root, 'usr/share/petrel')
        stubs = os.path.join(root, 'stubs')
        os.makedirs(share)
        os.makedirs(stubs)
        shutil.copytree(SONIC, share + '/sonic')
        scripts(stubs, **{n: '#!/bin/sh\n' for n in (
            'getent', 'adduser', 'addgroup', 'deluser', 'delgroup')})
        env = dict(os.environ, DPKG_ROOT=root,
                   PATH=stubs + ':' + os.environ['PATH'])

        def installed(script, word):
            text = read(os.path.join(TREE, 'packaging/debian', script))
            # The rest of postrm is of this machine, not below a root.
            text = re.sub(r'rm -rf /(?!local)\S+.*', ':', text)
            text = re.sub(r'if \[ -d /etc/petrel.*?fi\n', '', text,
                          flags=re.S)
            subprocess.run(['sh', '-ec', text, script, word], env=env,
                           check=True)
            # As generate_dump looks for them.
            return subprocess.run(
                'find %s -type f -executable' % dumps, shell=True, text=True,
                capture_output=True, check=False).stdout.split()

        check(installed('petrel.postinst', 'configure') == [], 'no SONiC')
        check(not os.path.exists(dumps), 'a folder was made')
        os.makedirs(dumps)
        check(installed('petrel.postinst', 'configure') == [
            dumps + '/petrel'], os.listdir(dumps))
        check(read(dumps + '/petrel') == read(SONIC + '/debug-dump'), 'text')
        check(installed('petrel.postrm', 'upgrade') == [dumps + '/petrel'],
              'an upgrade takes it away')
        check(installed('petrel.postrm', 'remove') == [], 'it stays')
        # One that the extension's manager wrote is not ours to take.
        scripts(dumps, petrel='#!/bin/sh\ndocker exec petrel dump\n')
        check(installed('petrel.postrm', 'purge') == [dumps + '/petrel'],
              'another one was taken')


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

#!/usr/bin/env python3
# petrel-test: timeout=180
"""petrel as a script meets it: an object from every command, exit codes where
output has no place to go, pipes that end early, words for a shell.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, check, main, wait_for            # noqa: E402
from folder import OpenFolder                           # noqa: E402

FAULTY = '''switch name=pipe ports=8 speed=400G lanes=4 media=DR4 fec=rs544 seed=3 dom=1s
at 2s Ethernet16 down reason=light
'''
# What a command needs besides its name; None: it has tests of its own.
WORDS = {'port': ['Ethernet0'], 'show': ['Ethernet0'], 'lanes': ['all'],
         'config': ['show'], 'history': ['Ethernet0', 'if_in_octets'],
         'record': ['--for', '1s', '-o', 'DIR/trace'], 'replay': None,
         'bugreport': ['-o', 'DIR/report.tar.gz'],
         'keygen': ['DIR/switch.key'], 'decode': None, 'dump': None,
         'watch': None, 'plot': None, 'switches': None, 'report': None,
         'compare': ['Ethernet0', 'Ethernet8']}
PAGE = os.path.join(agent.TREE, 'packaging', 'man', 'petrel-json.7')
SHARED = []


def shared():
    """One agent on a faulty switch."""
    if not SHARED:
        folder = OpenFolder(prefix='petrel-pipeline-')
        scenario = os.path.join(folder.name, 'faulty.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(FAULTY)
        bed = Bed(scenario, interval='200ms', collector=False, name='pipe')
        SHARED.extend((bed, folder))
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: bed.json('findings')['findings'], 30),
              'no finding')
    return SHARED[0]


def argv(*words):
    return agent.command('petrel', '--socket', shared().socket, *words)


def run(*words, **more):
    return subprocess.run(argv(*words), stdin=subprocess.DEVNULL, text=True,
                          check=False, timeout=60 * agent.SLOW,
                          stderr=subprocess.PIPE,
                          **{'stdout': subprocess.PIPE, **more})


def commands():
    return json.loads(run('help', '--json').stdout)['commands']


def test_help_as_json_is_the_help():
    text = run('help').stdout
    for row in commands():
        check('\n  %-10s  %s' % (row['command'], row['help'].split()[0]) in
              text, row)
        mine = run('help', row['command'])
        check(row['synopsis'] in mine.stdout, row, mine.stdout)
        for option in row['options']:
            check(option['option'] in mine.stdout, option, mine.stdout)
        alone = json.loads(run('help', row['command'], '--json').stdout)
        check(alone['commands'] == [row], alone)


def test_every_command_gives_an_object_with_its_envelope():
    with OpenFolder(prefix='petrel-') as folder:
        for row in commands():
            words = WORDS.get(row['command'], [])
            if words is None:
                continue
            done = run(row['command'], *[w.replace('DIR', folder)
                                         for w in words], '--json')
            answer = json.loads(done.stdout)
            check(done.stdout.count('\n') == 1, row['command'], done.stdout)
            check(answer['schema'] == 'petrel/%s/1' % row['command'], answer)
            check(answer['code'] == done.returncode, row, done.returncode)
            check(answer['complete'] is True, answer)
            check({'switch', 'time'} <= set(answer), answer)


def documented():
    """{verb and options: {table: set of keys}} of petrel-json(7)."""
    with open(PAGE, encoding='utf-8') as f:
        body = f.read().split('verbs: begin')[1].split('verbs: end')[0]
    out, keys = {}, None
    for line in body.splitlines():
        words = line.split()
        if line.startswith('.Ss '):
            tables = out[' '.join(words[1:])] = {}
        elif line.startswith('.Va '):
            keys = tables.setdefault(words[1], set())
        elif line.startswith('.It Va '):
            keys.add(words[2])
    return out


def is_known(key, keys):
    """Beside a value there may be its age, its quality, and its text."""
    bare = re.sub('_(age_s|quality|str)$', '', key)
    return key in keys or bare in keys or any(
        k.startswith(bare + '_') for k in keys)


def test_manual_of_the_json_has_all_that_an_agent_prints():
    known, seen = documented(), 0
    head = {'schema', 'switch', 'time', 'complete', 'code', 'notes', 'cursor'}
    for section, tables in known.items():
        verb, *words = section.split()
        if WORDS.get(verb, []) is None:
            continue
        words += WORDS.get(verb, []) + (['--all'] if verb == 'queues' else [])
        answer = json.loads(run(verb, *words, '--json').stdout)
        for name in set(answer) - head:
            check(name in tables, verb, 'has', name)
            rows = answer[name]
            for row in rows if isinstance(rows, list) else [rows]:
                if name == 'findings':
                    break
                seen += len(row or {})
                for key in row or {}:
                    check(is_known(key, tables[name]), verb, name, key)
    check(seen > 1000, 'only', seen, 'members were seen')


def test_notes_below_the_text_are_in_the_object():
    out = run('status').stdout
    notes = run('status', '--json').stdout
    for note in json.loads(notes)['notes']:
        check(note in ' '.join(out.split()), note, out)


def test_text_has_no_stray_empty_lines():
    for row in commands():
        words = WORDS.get(row['command'], [])
        if words is None or 'DIR' in ' '.join(words):
            continue
        out = run(row['command'], *words).stdout
        check(not out.startswith('\n') and '\n\n\n' not in out and
              not out.endswith('\n\n'), row['command'], repr(out))


def test_health_is_one_line_on_a_pipe():
    for of in '--links', '--agent':
        out = run('health', of).stdout
        parts = json.loads(run('health', of, '--json').stdout)['health']
        check(out == 'health: %s\n' % parts['words'], out, parts)
        check(parts['words'].startswith(parts['health']), parts)


def test_what_cannot_be_written_is_no_answer():
    with open('/dev/full', 'w', encoding='ascii') as full:
        for words in (['ports'], ['health'], ['findings', '--json'], ['help'],
                      ['version'], ['version', '--json'],
                      ['decode', '--list-registers']):
            done = run(*words, stdout=full)
            check(done.returncode == 75 and done.stderr == 'petrel: standard '
                  'output: No space left on device\n',
                  words, done.returncode, done.stderr)


def test_closed_output_is_not_the_agents_socket():
    """Its number would be the socket's, and the table be sent there."""
    done = subprocess.run(['sh', '-c', 'exec "$@" >&-', 'sh',
                           *argv('ports')], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 75 and 'standard output' in done.stderr,
          done.returncode, done.stderr)


def test_pipe_that_ends_early_is_no_fault():
    for words in (['ports'], ['decode', '--list-registers'], ['help']):
        done = subprocess.run(
            ['sh', '-c', '"$@" | head -n 1', 'sh', *argv(*words)], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        check(done.stdout.count('\n') == 1 and not done.stderr, words,
              done.stdout, done.stderr)


def test_short_options_are_help_and_version():
    check(run('-h').stdout == run('help').stdout, 'petrel -h')
    check(run('-V').stdout == run('version').stdout, 'petrel -V')
    for word in '-h', '--help':
        check(run('replay', word).stdout == run('help', 'replay').stdout,
              'petrel replay', word)


def test_record_without_an_agent_leaves_no_folder():
    with OpenFolder(prefix='petrel-') as folder:
        place = os.path.join(folder, 'trace')
        done = subprocess.run(
            [agent.program('petrel'), '--socket', folder + '/none', 'record',
             '-o', place], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False)
        check(done.returncode == 69, done.returncode, done.stderr)
        check(not os.path.exists(place), 'a folder with nothing in it')


def test_files_that_cannot_be_made_have_codes_of_their_own():
    with OpenFolder(prefix='petrel-') as folder:
        there = os.path.join(folder, 'there')
        os.mkdir(there)
        for name in 'PORTS.ndjson', 'report':
            with open(os.path.join(there, name), 'w', encoding='ascii'):
                pass
        for words, code in (
                (['record', '-o', folder + '/no/trace'], 66),
                (['record', '-o', there], 64),
                (['bugreport', '-o', folder + '/no/report'], 66),
                (['bugreport', '-o', there + '/report'], 64)):
            done = run(*words)
            check(done.returncode == code, words, done.returncode,
                  done.stderr)


def test_reasons_of_status_are_whole_on_80_columns():
    answer = json.loads(run('status', '--json').stdout)
    out = run('status', env=dict(os.environ, COLUMNS='80')).stdout
    check(all(len(line) <= 80 for line in out.splitlines()), out)
    for source in answer['sources']:
        check(source['source'] in out, source, out)
        for word in (source['reason'] or '').split():
            check(word in out, word, out)


def test_completion_knows_ports_and_the_words_of_a_command():
    path = os.path.join(agent.TREE, 'packaging', 'completion', 'petrel')
    script = 'PATH=%s:$PATH; source %s; COMP_WORDS=(%s); COMP_CWORD=%d; ' \
        '_petrel; echo "${COMPREPLY[@]}"'
    at = ['petrel', '--socket', shared().socket]
    for words, wanted in (
            ([*at, 'port', 'Ethernet1'], 'Ethernet16'),
            ([*at, 'config', 's'], 'show'),
            (['petrel', 'help', 'mod'], 'modules'),
            (['petrel', '--socket', '/none', 'port', 'Eth'], '')):
        done = subprocess.run(['bash', '-c', script % (
            agent.BUILD, path, ' '.join(words), len(words) - 1)], text=True,
            capture_output=True, check=False)
        check(done.stdout.strip() == wanted, words, done.stdout, done.stderr)


if __name__ == '__main__':
    try:
        main(dict(globals()))
    finally:
        if SHARED:
            SHARED[0].close()
            SHARED[1].cleanup()

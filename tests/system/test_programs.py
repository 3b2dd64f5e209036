#!/usr/bin/env python3
"""How each program starts and ends: help, version, wrong usage, and a short
life of agent and collector that leaves no error behind.

petrel-test: sanitize
petrel-test: valgrind
petrel-test: timeout=150
"""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
from folder import OpenFolder                           # noqa: E402

PROGRAMS = ('petreld', 'petrel', 'petrel-collector', 'petrel-vswitch')
DEMO = os.path.join(agent.SCENARIOS, 'demo.scenario')
USAGE = 64


def run(name, *args):
    return subprocess.run(agent.command(name, *args), capture_output=True,
                          stdin=subprocess.DEVNULL, text=True,
                          timeout=20 * agent.SLOW, check=False)


def test_programs_print_help_which_is_no_error():
    for name in PROGRAMS:
        ran = run(name, '--help')
        check(ran.returncode == 0 and 'usage: ' + name in ran.stdout, ran)
        check(not ran.stderr, ran)
        check(run(name, '-h').stdout == ran.stdout, name, '-h')


def test_programs_name_themselves_with_their_version():
    for name in PROGRAMS:
        ran = run(name, '--version')
        check(ran.returncode == 0 and ran.stdout.startswith(name + ' '), ran)


def test_programs_refuse_an_unknown_option():
    for name in PROGRAMS:
        ran = run(name, '--no-such-option')
        check(ran.returncode == USAGE, ran)
        check('no-such-option' in ran.stderr, ran)


def test_programs_name_a_word_too_many():
    for name in 'petreld', 'petrel-collector', 'petrel-vswitch':
        ran = run(name, 'extra')
        check(ran.returncode == USAGE and
              "%s: unexpected argument 'extra'\n" % name in ran.stderr, ran)


def test_programs_refuse_an_empty_value():
    for name, said in (('petreld', '--config needs FILE'),
                       ('petrel', '--config needs FILE'),
                       ('petrel-collector', '--config needs a value')):
        ran = run(name, '--config', '')
        check(ran.returncode == 64 and ran.stderr == '%s: %s, not an empty '
              'text\n' % (name, said), ran)
    ran = run('petrel-collector', '--print', '--spool=')
    check(ran.returncode == 64 and '--spool needs' in ran.stderr, ran)


def test_petrel_refuses_an_unknown_command_and_names_the_nearest():
    ran = run('petrel', 'prots')
    check(ran.returncode == USAGE and 'ports' in ran.stderr, ran)


def test_petreld_check_names_file_line_and_nearest_key():
    with OpenFolder() as folder:
        path = os.path.join(folder, 'petrel.conf')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('[Agent]\nintervall = 1s\n')
        ran = run('petreld', '--config', path, '--check')
    check(ran.returncode != 0, ran)
    check(path + ':2' in ran.stderr and "'interval'" in ran.stderr, ran)


def checked(text, program='petreld'):
    """--check of a file with that text; bytes are written as such."""
    with OpenFolder() as folder:
        path = os.path.join(folder, 'petrel.conf')
        with open(path, 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return run(program, '--config', path, '--check')


def certificate(folder, name):
    """A certificate for itself, and its key."""
    key, cert = (os.path.join(folder, name + end) for end in ('.key', '.pem'))
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                    'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
                    '-subj', '/CN=sw', '-keyout', key, '-out', cert],
                   check=True, stderr=subprocess.DEVNULL)
    return cert, key


def test_check_tries_certificates_and_keys():
    """What can be tried without a network, with file and line; a certificate
    that has expired is in test_certificate."""
    if not shutil.which('openssl'):
        return 'NO OPENSSL HERE'
    with OpenFolder() as folder:
        cert, key = certificate(folder, 'one')
        other = certificate(folder, 'two')[1]
        bad = os.path.join(folder, 'bad.pem')
        with open(bad, 'w', encoding='ascii') as f:
            f.write('hello\n')
        pair = 'cert_file = %s\nkey_file = %s\n'
        engine = '[RemoteWrite]\nurl = https://db.example/x\n'
        for program, text, words in (
                ('petreld', '[Metrics]\nlisten = 127.0.0.1:1\n' +
                 pair % (cert, key), None),
                ('petreld', '[Metrics]\nlisten = 127.0.0.1:1\n' +
                 pair % (cert, other), ':3: [Metrics]: the server cannot'),
                ('petreld', '[Metrics]\nlisten = 127.0.0.1:1\n' +
                 pair % (bad, key), ':3: [Metrics]: cert_file = ' + bad +
                 ': there is no certificate in it'),
                ('petrel-collector', '[HTTP]\nlisten = 127.0.0.1:1\n' +
                 pair % (cert, key), None),
                ('petrel-collector', '[HTTP]\nlisten = 127.0.0.1:1\n' +
                 pair % (cert, other), ':3: [HTTP]: the server cannot start'),
                ('petrel-collector', '[HTTP]\nlisten = 127.0.0.1:1\n' +
                 pair % (cert, '/nowhere'), ':4: [HTTP]: /nowhere: No such'),
                ('petrel-collector', '[HTTP]\nlisten = nowhere\n',
                 ':2: [HTTP]: listen = nowhere is not an address'),
                ('petrel-collector', engine + 'ca_file = %s\n' % cert, None),
                ('petrel-collector', engine + 'ca_file = %s\n' % bad,
                 ':3: [RemoteWrite]: ca_file = ' + bad +
                 ': there is no certificate in it'),
                ('petrel-collector', engine + 'token_file = /nowhere\n',
                 ':3: token_file = /nowhere: No such file'),
                ('petrel-collector', '[Ndjson]\nkind = none\n',
                 ":2: [Ndjson]: kind: no kind 'none'")):
            if program == 'petrel-collector':
                text += '[Collector]\ninsecure = yes\n'
            ran = checked(text, program)
            if words is None:
                check(ran.returncode == 0, (program, text, ran))
            else:
                check(ran.returncode == 78 and words in ran.stderr and
                      'petrel.conf:' in ran.stderr, (program, text, ran))
    return None


IN_UNIT_TESTS = 'UNDER VALGRIND THE UNIT TESTS DO IT'


def test_petreld_check_refuses_what_nobody_can_mean():
    if agent.WRAP:
        return IN_UNIT_TESTS
    for text, words in (
            ('[Agent]\nname = a\nname = b\n', ':3: name in [Agent] is given '
             'twice, first in line 2'),
            ('[Sim]\nscenario = /nowhere/x.scenario\n', ':2: scenario = '
             '/nowhere/x.scenario: No such file or directory'),
            ('[Module]\nmap = /nowhere/map\n', ':2: map = /nowhere/map: '),
            (b'[Agent]\nname = \xe9\n', ':2: octet 0xe9 is not UTF-8'),
            ('[Agent]\ninterval = 1ms\n', 'expected 100ms to 1m'),
            ('[Agent]\nsamples_ring = 1K\n', 'expected 256K to 1G')):
        ran = checked(text)
        check(ran.returncode == 78 and words in ran.stderr, words, ran)
    ran = checked('# Gr\u00fc\u00dfe\n[Sim]\nscenario = %s\n' % DEMO)
    check(ran.returncode == 0 and not ran.stderr, ran)
    return None


def test_collector_check_looks_at_each_section():
    """What would keep a sink from starting, or from ever taking anything."""
    if agent.WRAP:
        return IN_UNIT_TESTS
    with OpenFolder() as folder:
        token = os.path.join(folder, 'token')
        for octets, is_good in (('', False), ('\n', False), ('a b\n', False),
                                ('secret\n', True)):
            with open(token, 'w', encoding='ascii') as f:
                f.write(octets)
            ran = checked('[Webhook]\nurl = http://127.0.0.1:1\n'
                          'token_file = %s\n' % token, 'petrel-collector')
            check(ran.returncode == (0 if is_good else 78) and
                  (is_good or '[Webhook]: ' + token in ran.stderr), ran)
    for text, words in (
            ('[Ndjson]\nkind = findings\n', "no kind 'findings'"),
            ('[Ndjson]\nquantity = if_in_octet\n',
             "no quantity 'if_in_octet'; nearest is if_in_octets"),
            ('[HTTP]\nvrf = a b\n', 'expected the name of a VRF')):
        ran = checked(text, 'petrel-collector')
        check(ran.returncode == 78 and words in ran.stderr, words, ran)
    return None


def test_who_asks_a_dead_agent_is_told_why_it_ended():
    if agent.WRAP:
        return IN_UNIT_TESTS
    with agent.Bed(DEMO, collector=False) as bed:
        with open(bed.conf, encoding='utf-8') as f:
            good = f.read()

        def write(text):
            with open(bed.conf, 'w', encoding='utf-8') as f:
                f.write(text)

        write(good + '[Agent]\nintervall = 1s\n')
        bed.agent.start()
        check(bed.agent.child.wait(20) == 78, bed.agent.log())
        line = good.count('\n') + 2
        code, out, err = bed.ask('ports')
        check(code == 69 and 'because of its configuration' in out + err and
              '%s:%d: unknown key' % (bed.conf, line) in out + err, out, err)
        write(good)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        write(good + '[Agent]\nintervall = 1s\n')
        ran = run('petreld', '--config', bed.conf, '--foreground')
        check(ran.returncode == 78, ran)    # another one lives: no word
        check(not os.path.exists(os.path.join(bed.run_dir, 'last_words')))
        bed.agent.stop()
        down = bed.json('status')['agent_down']
        check('ended at' in down['why'] and 'told to' in down['why'], down)
        for words, status in ((['metrics'], 3), (['health'], 3), (
                ['record', '-o', bed.run_dir + '/trace'], 69)):
            code, _, err = bed.ask(*words)
            check(code == status and 'petreld ended at' in err, words, err)
        bed.agent.start()
        bed.agent.child.wait(20)
        down = bed.json('status')['agent_down']
        check('%s:%d' % (bed.conf, line) in down['why'], down)
        code, out, err = bed.ask('reload')
        check(code == 69 and 'because of its conf' in out + err, out, err)
    return None


def test_agent_and_collector_end_clean_after_a_short_life():
    with agent.Bed(DEMO) as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(agent.wait_for(lambda: 'Ethernet' in bed.ask('ports')[1],
                             10 * agent.SLOW), bed.agent.log())
        time.sleep(2 * agent.SLOW)
        bed.stop()
        logs = bed.agent.log() + bed.collector.log()
        check(not agent.TOOL_ERROR.search(logs), logs)
        check(bed.agent.child.returncode == 0, logs)
        check(bed.collector.child.returncode == 0, logs)


if __name__ == '__main__':
    agent.main(globals())

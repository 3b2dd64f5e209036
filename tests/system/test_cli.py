#!/usr/bin/env python3
# petrel-test: timeout=240
"""petrel against a real agent on a simulated switch: what it prints, what it
prints as JSON, its exit codes, and what it says when nobody answers.
"""
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import Bed, check, wait_for                  # noqa: E402
from folder import OpenFolder, open_folder                           # noqa: E402

HEALTHY = os.path.join(agent.SCENARIOS, 'healthy.scenario')
FAULTY = '''switch name=cli-leaf ports=16 speed=400G lanes=4 media=DR4 fec=rs544 seed=3 dom=1s
at 2s Ethernet16 down reason=light
'''
HEADING = 'PORT ST SPEED MEDIA PEER UTIL% MARGIN BER RXmin °C FLAP/24h DROP ' \
    'AGE !'
COMMANDS = ('overview', 'status', 'coverage', 'ports', 'links', 'modules',
            'lanes', 'queues', 'buffers', 'port', 'findings', 'health',
            'watch', 'reload', 'record', 'replay', 'bugreport', 'keygen',
            'version', 'help')


class Shared:
    """One agent on a faulty switch, for all tests that only ask."""

    def __init__(self):
        self.dir = open_folder(prefix='petrel-cli-')
        scenario = os.path.join(self.dir, 'faulty.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(FAULTY)
        self.bed = Bed(scenario, interval='200ms', collector=False,
                       name='cli-leaf')
        self.bed.agent.start()
        try:
            self.settle()
        except BaseException:
            self.close()
            raise

    def settle(self):
        """Until what is planted was found."""
        check(self.bed.wait_serving(), self.bed.agent.log())
        check(wait_for(lambda: self.bed.json('ports')['ports'] and
                       self.bed.json('findings')['findings'], 30),
              'no finding', self.bed.agent.log())
        check(wait_for(lambda: self.bed.json('lanes', 'Ethernet16')['flags'],
                       30), 'no light is not seen', self.bed.agent.log())

    def close(self):
        self.bed.close()
        shutil.rmtree(self.dir, ignore_errors=True)


SHARED = []


def shared():
    if not SHARED:
        SHARED.append(Shared())
    return SHARED[0].bed


def petrel(*args, env=None):
    return subprocess.run([agent.program('petrel'), *args], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=60,
                          env=dict(os.environ, **(env or {})))


# --- what it prints ------------------------------------------------------------
def on_80_columns(*args):
    """What a terminal of 80 columns shows."""
    run = petrel('--socket', shared().socket, *args, env={'COLUMNS': '80'})
    check(run.returncode == 0, run.returncode, run.stderr)
    return run.stdout


def test_ports_are_a_table_of_80_columns():
    out = on_80_columns('ports')
    lines = out.splitlines()
    check(' '.join(lines[0].split()) == HEADING, lines[0])
    check(len(lines) == 17, len(lines))
    check(all(len(line) <= 80 for line in lines), out)
    check(max(map(len, lines)) >= 78, 'the room is not used', out)
    row = dict(zip(HEADING.split(), lines[3].split()))
    check(row['PORT'] == 'Ethernet16' and row['ST'] == 'dn', lines[3])
    check(lines[3].endswith((' W', ' w', ' C')), lines[3])


def test_ports_take_the_width_that_watch_tells():
    run = petrel('--socket', shared().socket, 'ports', env={'COLUMNS': '130'})
    check(80 < max(map(len, run.stdout.splitlines())) <= 130, run.stdout)


def test_nothing_is_cut_on_a_pipe_nor_with_wide():
    whole = {p['peer'] for p in shared().json('ports')['ports']}
    for out in (shared().ask('ports')[1], on_80_columns('ports', '--wide')):
        for peer in whole:
            check(' %s ' % peer in out, peer, out)
        check('~' not in out, out)
    check('~' in on_80_columns('ports'), 'room for the whole peer')


def at_terminal(columns, *args):
    """What petrel writes into a pipe that is typed at such a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack('HHHH', 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != 'COLUMNS'}
    run = subprocess.run([agent.program('petrel'), '--socket', shared().socket,
                          *args], stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.PIPE, stderr=theirs, check=True,
                         timeout=60, env=env)
    os.close(theirs)
    os.close(ours)
    return run.stdout


def test_a_pipe_at_a_terminal_is_as_wide_as_it():
    for columns in (80, 100):
        out = at_terminal(columns, 'ports')
        check(columns - 10 < max(map(len, out.splitlines())) <= columns, out)
        check('\x1b' not in out, 'colour goes into a pipe', out)
    check('~' not in at_terminal(80, 'ports', '--wide'), '--wide cuts')


def test_a_width_beyond_the_bounds_is_the_nearest_within():
    widest = {n: max(map(len, at_terminal(n, 'coverage').splitlines()))
              for n in (20, 40, 1000, 4000)}
    check(widest[20] == widest[40] <= 60 and widest[4000] == widest[1000],
          widest)
    run = petrel('--socket', shared().socket, 'coverage', env={'COLUMNS': '20'})
    check(max(map(len, run.stdout.splitlines())) == widest[20], run.stdout)


def test_port_tells_module_lanes_counters_and_what_is_watched():
    out = on_80_columns('port', 'Ethernet0')
    for word in ('serial:', 'RX dBm', 'HEADROOM dB', 'if_in_octets', 'WATCHED',
                 'link_down'):
        check(word in out, word, out)
    check(all(len(line) <= 80 for line in out.splitlines()), out)


def test_c08_findings_say_what_where_and_what_to_do():
    code, out, _ = shared().ask('findings')
    check(code == 0, code)
    check(re.search(r'^[a-z2-7]{12}  \w+ +Ethernet16 .*link_down', out, re.M),
          out)
    for word in ('since', 'cause', 'do ', 'evidence', 'signatures armed',
                 'see petrel coverage'):
        check(word in ' '.join(out.split()) + ' ', word, out)


def test_c08_coverage_has_24_rows_and_reasons():
    answer = shared().json('coverage')
    check(len(answer['coverage']) == 24, len(answer['coverage']))
    for row in answer['coverage']:
        check(row['state'] == 'armed' or row['why'], row)
        check(row['armed_ports'] + row['limited_ports'] + row['blind_ports'] +
              row['na_ports'] == 16, row)
    reasons = [r for r in answer['reasons'] if r['state'] == 'blind']
    check(reasons and all(r['why'] for r in reasons), answer['reasons'])


def test_status_tells_processes_sources_and_queues():
    out = on_80_columns('status')
    for word in agent.ROLES + ('sim.counters', 'NOT ACKNOWLEDGED',
                               'no collector is configured', 'insecure:'):
        check(word in out, word, out)
    check(all(len(line) <= 80 for line in out.splitlines()), out)


def test_no_argument_is_one_screen_that_ends_with_what_to_type():
    out = on_80_columns()
    lines = out.splitlines()
    worst = shared().json('findings')['findings'][0]
    check(len(lines) <= 23, len(lines), out)
    check(all(len(line) <= 80 for line in lines), out)
    check(re.match(r'health:  \w+: cli-leaf has 1 %s$' % worst['severity'],
                   lines[0]), lines[0])
    for word in ('15 of 16 up, 1 down', 'blind: see petrel coverage',
                 'agent:', 'Ethernet16', 'WHAT TO DO'):
        check(word in ' '.join(out.split()), word, out)
    command = next(x for x in lines if x.startswith('next: ')).split()[1:]
    check(command[:2] == ['petrel', 'findings'], command)
    found = shared().json(*command[1:])['findings']
    check([f['id'] for f in found] == [worst['id']], found)


def test_overview_is_an_object_of_numbers():
    answer = shared().json()
    check(answer['schema'] == 'petrel/overview/1', answer['schema'])
    view = answer['overview']
    check((view['ports'], view['ports_up'], view['ports_down']) ==
          (16, 15, 1), view)
    check(view['blind'] == len(view['blind_signatures'].split(', ')), view)
    check(answer['wrong'][0]['port'] == 'Ethernet16', answer['wrong'])
    check(answer['wrong'][0]['since'] == view['since'], answer)
    check(answer['next']['next'].startswith('petrel '), answer['next'])


# --- tables of what belongs to ports --------------------------------------------
def test_tables_fit_80_columns():
    for args in (('queues',), ('queues', '--all'), ('modules',), ('links',),
                 ('lanes', 'all'), ('buffers',)):
        out = on_80_columns(*args)
        check(all(len(line) <= 80 for line in out.splitlines()), args, out)


def test_queues_tell_rate_filling_peak_and_its_window():
    # A rate is of two readings, a peak of the time between them.
    wait_for(lambda: any(r['rate_bps'] and r['peak_octets'] is not None
                         for r in shared().json('queues')['queues']),
             30 * agent.SLOW)
    answer = shared().json('queues')
    rows = answer['queues']
    check(rows and {'Ethernet0', 'Ethernet8'} <= {r['port'] for r in rows})
    busy = max(rows, key=lambda r: r['rate_bps'] or 0)
    check(busy['rate_bps'] > 1e9 and busy['util_ppm'] > 0, busy)
    check(busy['peak_octets'] >= 0 and busy['peak_window_s'] > 0, busy)
    everything = shared().json('queues', '--all')
    check(len(everything['queues']) == len(rows) +
          answer['folded']['idle'] + answer['folded']['never_read'],
          answer['folded'])
    down = [r for r in rows if r['port'] == 'Ethernet16']
    check(not down, 'a dead port has busy queues', down)


def test_modules_and_lanes_tell_headroom_and_flags():
    module = shared().json('modules', 'Ethernet0')['modules']
    check(len(module) == 1 and module[0]['ports'] == 'Ethernet0', module)
    check(module[0]['serial'] and module[0]['temp_headroom_c'] > 0, module)
    lanes = shared().json('lanes', 'Ethernet0,16')
    check([(r['port'], r['lane']) for r in lanes['lanes']] ==
          [(p, n) for p in ('Ethernet0', 'Ethernet16') for n in (1, 2, 3, 4)],
          lanes['lanes'])
    good = lanes['lanes'][0]
    check(abs(10 ** (good['rx_dbm'] / 10) - good['rx_mw']) < 1e-6, good)
    check(good['rx_headroom_db'] > 0 and good['age_s'] is not None, good)
    raised = {(f['port'], f['flag']) for f in lanes['flags']}
    check(raised == {('Ethernet16', 'lane_rx_los')}, raised)


def test_links_tell_the_peer_and_why_one_is_down():
    rows = {r['port']: r for r in shared().json('links')['links']}
    check(rows['Ethernet16']['st'] == 'dn', rows['Ethernet16'])
    check(rows['Ethernet16']['down_reason'] == 'rx_los', rows['Ethernet16'])
    check(rows['Ethernet0']['down_reason'] is None, rows['Ethernet0'])
    check(rows['Ethernet0']['peer_switch'] in rows['Ethernet0']['peer'])
    since = rows['Ethernet16']['since_s']
    check(since is None or since > 0, rows['Ethernet16'])


def test_ports_are_chosen_by_name_alias_and_range():
    alias = {p['port']: p['alias'] for p in shared().json('ports')['ports']}
    wanted = ['Ethernet8', 'Ethernet16', 'Ethernet32', 'Ethernet48']
    for words in (['Ethernet8,16-48/16'], ['ethernet8', '16-48/16'],
                  [alias['Ethernet8'].upper(), 'ETHERNET16-48/16']):
        got = [p['port'] for p in shared().json('ports', *words)['ports']]
        check(got == wanted, words, got)
    check(len(shared().json('links', 'all')['links']) == 16)
    with OpenFolder(prefix='petrel-') as folder:
        code, _, err = shared().ask('record', '--ports', alias['Ethernet8'],
                                    '--for', '1s', '-o', folder)
        check(code == 0 and err.startswith('petrel: 1 port, '), code, err)
    for args, told in ((('queues', 'Etherner8'), 'nearest: Ethernet8'),
                       (('lanes', 'Ethernet8,999'), 'nearest: '),
                       (('links', alias['Ethernet8'] + 'x'), 'nearest: '),
                       (('modules', 'nosuch'), 'petrel ports lists them'),
                       (('show', 'cage', '99'), "no cage '99'")):
        code, _, err = shared().ask(*args)
        check(code == 66 and told in err, args, code, err)


def test_rows_are_sorted_and_cut():
    rows = shared().json('ports', '--sort', '-util', '--top', '5')['ports']
    util = [r['util_ppm'] for r in rows]
    check(len(rows) == 5 and util == sorted(util, reverse=True), util)
    everyone = shared().json('ports')['ports']
    check(util[0] == max(r['util_ppm'] for r in everyone) or
          util[0] > 0, util)
    rows = shared().json('ports', '--sort', 'RXmin')['ports']
    known = [r['rx_min_mw'] for r in rows if r['rx_min_mw'] is not None]
    check(known == sorted(known) and rows[0]['port'] == 'Ethernet16', known)
    rows = shared().json('links', '--sort', '-port')['links']
    check([r['port'] for r in rows[:2]] == ['Ethernet120', 'Ethernet112'],
          rows[:2])


def test_nothing_on_a_pipe_is_coloured():
    for command in ('ports', 'findings', 'status', 'coverage', 'queues'):
        check('\033' not in shared().ask(command)[1], command)


def terminal(*args, **more):
    """What petrel writes on a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({'TERM': 'xterm', **more})
        os.execv(agent.program('petrel'), ['petrel', *args])
    out = b''
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(fd)
    os.waitpid(pid, 0)
    return out.decode()


def test_terminal_gets_colour_unless_no_color_is_set():
    args = ('--socket', shared().socket, 'findings')
    check('\033[' in terminal(*args), 'no colour')
    check('\033[' not in terminal(*args, NO_COLOR='1'), 'NO_COLOR')
    plain = re.sub(r'\033\[[0-9;]*m', '', terminal(*args))
    check('warn' in plain or 'critical' in plain or 'watch' in plain, plain)


# --- JSON ----------------------------------------------------------------------
ANSWERS = (('status',), ('coverage',), ('ports',), ('findings',),
           ('overview',), ('links',), ('modules',), ('lanes', 'all'),
           ('queues',), ('buffers',), ('changes',), ('events',),
           ('health',), ('health', '--agent'), ('port', 'Ethernet0'),
           ('port', 'Ethernet16'), ('reload',))


def test_every_answer_is_json_with_its_envelope():
    for args in ANSWERS:
        code, out, err = shared().ask(*args, '--json')
        answer = json.loads(out)
        check(out.count('\n') == 1, 'not one line', args)
        check(answer['schema'] == 'petrel/%s/1' % args[0], answer['schema'])
        check(answer['switch'] == 'cli-leaf', answer['switch'])
        check(answer['complete'] is True, args)
        check(answer['code'] == code, args, code, err)
        check(re.match(r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
                       answer['time']), answer['time'])


def test_c03_every_large_integer_has_a_twin():
    answers = [(a, shared().json(*a)) for a in ANSWERS] + [
        (a, json.loads(petrel(*a).stdout)) for a in
        (('version', '--json'), ('help', '--json'))]
    for args, answer in answers:
        check(not agent.without_twin(answer), args,
              agent.without_twin(answer))
    finding = shared().json('findings')['findings'][0]
    check(finding['ts_ns_str'] == str(finding['ts_ns']), finding)
    check(agent.without_twin({'a': [{'ts_ns': 1 << 53}]}), 'nothing is seen')


def test_c03_json_of_power_and_large_integers():
    port = shared().json('port', 'Ethernet0')
    lane = port['lanes'][0]
    check(abs(10 ** (lane['rx_dbm'] / 10) - lane['rx_mw']) < 1e-6, lane)
    check('rx_age_s' in lane, lane)
    for counter in port['counters']:
        check((counter['value'] >= 2 ** 53) == ('value_str' in counter),
              counter)
    row = next(p for p in shared().json('ports')['ports']
               if p['port'] == 'Ethernet16')
    check(row['pre_fec_ber'] is None or row['pre_fec_ber'] >= 0, row)
    check(row['worst_severity'] in ('watch', 'warn', 'critical'), row)


# --- exit codes ----------------------------------------------------------------
def test_wrong_words_exit_64_and_tell_the_nearest():
    for args, told in ((['prots'], 'ports'), (['ports', '--jsno'], '--json'),
                       (['port'], 'usage: petrel port NAME'),
                       (['lanes'], 'usage: petrel lanes PORTS'),
                       (['ports', '--sort', 'margn'], 'nearest is margin'),
                       (['ports', '--top', '0'], 'from 1 to'),
                       (['queues', 'Ethernet8-4'], "'Ethernet8-4'"),
                       (['record'], '-o DIR'),
                       (['history', 'Ethernet0', 'if_in_octets', '--csv',
                         '--json'], '--csv and --json exclude'),
                       (['record', '-o', '/tmp/x', '--for', 'long'], '15m'),
                       (['record', '-o', '/tmp/x', '--ports', '8-4'], "'8-4'"),
                       (['findings', '--after', 'x'], '--follow')):
        run = petrel('--socket', shared().socket, *args)
        check(run.returncode == 64, args, run.returncode)
        check(told in run.stderr, args, run.stderr)


def test_unknown_port_and_finding_exit_66():
    code, out, err = shared().ask('port', 'Ethernet17')
    check(code == 66 and 'Ethernet16' in err, code, err)
    code, out, err = shared().ask('findings', 'Ethernet16')
    check(code == 66 and 'petrel port Ethernet16 has its findings' in err,
          code, err)
    code, out, err = shared().ask('findings', 'zzzzz')
    check(code == 66, code, err)


def test_every_refusal_in_json_says_why_and_is_not_complete():
    """Also of commands that ask no agent, and where none runs."""
    bed = shared()
    for socket, args, wanted in (
            (bed.socket, ('port', 'Ethernet17'), 66),
            (bed.socket, ('findings', 'zzzzz'), 66),
            (bed.socket, ('history', 'Ethernet17', 'if_in_octets'), 66),
            (bed.socket, ('ports', '--sort', 'margn'), 64),
            (bed.socket, ('switches',), 64),
            (bed.socket, ('decode', '/nonexistent'), 66),
            (bed.socket, ('keygen', bed.conf), 64),
            (bed.socket, ('bugreport', '-o', '/nonexistent/x'), 66),
            (bed.socket, ('record', '-o', '/nonexistent/x'), 66),
            (bed.socket, ('record', '--last', '1m', '-o', '/dev/null'), 66),
            ('/nonexistent', ('ports',), 69),
            ('/nonexistent', ('config', 'show'), 69),
            ('/nonexistent', ('record', '-o', '/nonexistent/x'), 69)):
        run = petrel('--socket', socket, *args, '--json')
        told = json.loads(run.stdout)
        check(run.returncode == told['code'] == wanted, args, told)
        check(not told['complete'] and told['time'] > '2', args, told)
        check(told['error'] and told['error'] in run.stderr, args, told)
        check('switch' in told and told['schema'] == 'petrel/%s/1' % args[0],
              args, told)


def test_health_goes_by_the_worst_finding():
    severities = {f['severity'] for f in shared().json('findings')['findings']}
    wanted = 2 if 'critical' in severities else 1 if 'warn' in severities else 0
    check(shared().ask('health')[0] == wanted, severities)
    code, out, _ = shared().ask('health', '--agent')
    check(code == 0, 'a bad cable makes the agent sick', code, out)


def stranger(folder):
    """What makes root another user, who gets to the folder; None: it cannot."""
    if os.geteuid() != 0:
        return None
    above = os.path.dirname(folder)
    if os.path.basename(above).startswith('petrel-'):   # the runner's own
        os.chmod(above, 0o755)
    become = ['setpriv', '--reuid', '65534', '--regid', '65534',
              '--clear-groups']
    readable = subprocess.run(become + ['test', '-x', agent.program('petrel')],
                              check=False)
    return None if readable.returncode else become


def test_a_stranger_may_read_and_not_reload():
    os.chmod(shared().dir, 0o755)
    become = stranger(shared().dir)
    if not become:
        return 'another user needs root, and a tree that he can read'
    become += [agent.program('petrel'), '--socket', shared().socket]
    run = subprocess.run(become + ['ports'], text=True, capture_output=True,
                         check=False, timeout=60)
    check(run.returncode == 0, run.returncode, run.stderr)
    run = subprocess.run(become + ['reload'], text=True, capture_output=True,
                         check=False, timeout=60)
    check(run.returncode == 77 and '65534' in run.stderr, run.returncode,
          run.stderr)
    run = subprocess.run(become + ['--json', 'reload'], text=True,
                         capture_output=True, check=False, timeout=60)
    refused, asked = json.loads(run.stdout), shared().json('ports')
    check(refused['switch'] == asked['switch'] and
          refused['time'][:4] == asked['time'][:4], refused)
    return None


# --- bugreport -------------------------------------------------------------------
SECRETS = ('Xk29-pass', 'Xk29-token', 'Xk29-comm', 'Xk29key', 'Xk29-url')
PLANTED = '''# password = Xk29-pass
# snmp-server community Xk29-comm RO
# "auth_token": "Xk29-token",
# proxy = https://me:Xk29-url@192.0.2.7/
# -----BEGIN PRIVATE KEY-----
# Xk29key
# -----END PRIVATE KEY-----
# the neighbour is 192.0.2.7 and leaf-next-door is not its name
'''


def report_of(folder, *args):
    """Exit status, text of each file of a report, all octets of the tar."""
    path = os.path.join(folder, 'r%d.tar.gz' % len(os.listdir(folder)))
    code, out, err = shared().ask('--config', os.path.join(folder, 'conf'),
                                  'bugreport', '-o', path, *args)
    if not os.path.exists(path):
        return code, {}, out + err
    check(os.stat(path).st_mode & 0o777 == 0o600, 'others may read it')
    with tarfile.open(path) as tar:
        files = {os.path.basename(m.name): tar.extractfile(m).read().decode(
            errors='replace') for m in tar.getmembers() if m.isfile()}
    return code, files, out + err


def test_bugreport_has_what_explains_and_no_secret():
    with OpenFolder(prefix='petrel-') as folder:
        with open(os.path.join(folder, 'conf'), 'w', encoding='utf-8') as f:
            f.write(PLANTED)
        code, files, told = report_of(folder)
        check(code == 0, code, told)
        for name in ('MANIFEST', 'status.json', 'coverage.json', 'ports.json',
                     'findings.json', 'links.json', 'queues.json',
                     'overview.json', 'petrel.conf', 'rings',
                     'proc-core-status', 'kernel'):
            check(name in files, name, sorted(files))
        check(json.loads(files['ports.json'])['switch'] == 'cli-leaf')
        check('192.0.2.7' in files['petrel.conf'], files['petrel.conf'])
        for name, text in files.items():
            check(not [s for s in SECRETS if s in text], name, text[:2000])
        check('petrel.conf (5 secrets redacted)' in files['MANIFEST'],
              files['MANIFEST'])
        check('left out  conf.d: ' in files['MANIFEST'], files['MANIFEST'])
        left = [n for n in os.listdir(tempfile.gettempdir())
                if n.startswith('petrel-bugreport')]
        check(not left, 'left behind', left)
        code, _, err = shared().ask('bugreport', '-o',
                                    os.path.join(folder, 'conf'))
        check(code == 64, 'overwrites a file', code, err)


def test_bugreport_that_is_anonymous_names_nobody():
    with OpenFolder(prefix='petrel-') as folder:
        with open(os.path.join(folder, 'conf'), 'w', encoding='utf-8') as f:
            f.write(PLANTED)
        code, files, told = report_of(folder, '--anonymise', '--json')
        answer = json.loads(told)
        check(code == 0 and answer['secrets'] == 5, code, told)
        peers = {x['peer_switch'] for x in shared().json('links')['links']}
        for name, text in files.items():
            for word in peers | {'cli-leaf', '192.0.2.7'} - {None}:
                check(not re.search(r'\b%s\b' % re.escape(word), text), word,
                      name)
        links = json.loads(files['links.json'])['links']
        check(len({x['peer_switch'] for x in links}) == len(peers), links)


def test_bugreport_of_a_dead_agent_says_so():
    with OpenFolder(prefix='petrel-') as folder:
        path = os.path.join(folder, 'r.tar.gz')
        run = petrel('--socket', os.path.join(folder, 'no.sock'), 'bugreport',
                     '-o', path)
        check(run.returncode == 3, run.returncode, run.stderr)
        with tarfile.open(path) as tar:
            name = next(m for m in tar.getmembers()
                        if m.name.endswith('MANIFEST'))
            manifest = tar.extractfile(name).read().decode()
        check('left out  proc-*' in manifest, manifest)


def test_bugreport_of_one_who_may_not_ask_says_so():
    with OpenFolder(prefix='petrel-') as folder:
        path = os.path.join(folder, 'r.tar.gz')
        closed = os.path.join(folder, 'closed')
        os.mkdir(closed, 0o700)
        os.chmod(folder, 0o777)
        become = stranger(folder)
        if not become:
            return 'another user needs root, and a tree that he can read'
        run = subprocess.run(
            become + [agent.program('petrel'), '--socket',
                      os.path.join(closed, 'petrel.sock'), 'bugreport', '-o',
                      path], text=True, capture_output=True, check=False,
            timeout=60 * agent.SLOW, env=dict(os.environ, TMPDIR=folder))
        check(run.returncode == 77 and os.path.exists(path), run)
    return None


def test_keygen_overwrites_nothing():
    with OpenFolder(prefix='petrel-') as folder:
        path = os.path.join(folder, 'key')
        check(petrel('keygen', path).returncode == 0)
        with open(path, encoding='ascii') as f:
            key = f.read()
        run = petrel('keygen', path)
        check(run.returncode == 64 and 'exists' in run.stderr, run)
        with open(path, encoding='ascii') as f:
            check(f.read() == key, 'the key is another')
        run = petrel('keygen', os.path.join(folder, 'no', 'key'))
        check(run.returncode == 66, run)


def test_bugreport_redacts_a_stream_and_wants_its_end():
    """What the script hands over, to the petrel that writes it down."""
    stream = '\nM-1 file a\npassword = Xk29-pass\n\nM-1 left b not here\n' \
        '\nM-1 file c/d\nx\n\nM-1 file big\n%s\n' % ('x' * (5 << 20))
    refused = '\nM-1 status status.json 77\n'
    for end, code in (('\nM-1 end report\n', 3), ('', 75),
                      (refused + '\nM-1 end report\n', 77)):
        with OpenFolder(prefix='petrel-') as folder:
            run = subprocess.run(
                [agent.program('petrel'), 'bugreport', '-o', 'r'], text=True,
                input=stream + end, capture_output=True, check=False,
                env=dict(os.environ, PETREL_REPORT=folder,
                         PETREL_REPORT_MARK='M-1'))
            check(run.returncode == code, end, run.returncode, run.stderr)
            files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), encoding='ascii') as f:
                    files[name] = f.read()
            check(('MANIFEST' in files) == bool(end), end, sorted(files))
            check(files['a'] == 'password = <redacted>\n', files['a'])
            if end:
                check(len(files['big']) == 4 << 20, len(files['big']))
                for words in ('left out  b: not here', 'left out  c/d: No',
                              'left out  big: all after'):
                    check(words in files['MANIFEST'], files['MANIFEST'])


def test_techsupport_hook_prints_the_report():
    hook = os.path.join(agent.TREE, 'packaging', 'sonic', 'debug-dump')
    run = subprocess.run([hook, '--socket', shared().socket], text=True,
                         stdin=subprocess.DEVNULL, capture_output=True,
                         check=False, timeout=60 * agent.SLOW,
                         env=dict(os.environ, PATH='%s:%s' % (
                             os.path.abspath(agent.BUILD),
                             os.environ['PATH'])))
    check(run.returncode == 0, run.returncode, run.stderr)
    for name in ('MANIFEST', 'status.json', 'ports.json'):
        check('==> %s <==' % name in run.stdout, name, run.stdout[:500])
    check('"schema":"petrel/ports/1"' in run.stdout, run.stdout[:500])


# --- follow, record ------------------------------------------------------------
def lines_of(process, count, seconds=20):
    """So many lines of a running program, or fewer when the time is over."""
    lines, end, buffer = [], time.monotonic() + seconds, b''
    while len(lines) < count and time.monotonic() < end:
        ready, _, _ = select.select([process.stdout], [], [], 0.2)
        if ready:
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                break
            buffer += piece
            *whole, buffer = buffer.split(b'\n')
            lines += [line.decode() for line in whole]
    return lines


def test_follow_tells_a_change_and_its_cursor_goes_on():
    with OpenFolder(prefix='petrel-') as folder:
        scenario = os.path.join(folder, 's')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(FAULTY + 'at 6s Ethernet32 down reason=light\n')
        with Bed(scenario, interval='200ms', collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            follow = subprocess.Popen(
                [agent.program('petrel'), '--socket', bed.socket, 'findings',
                 '--follow', '--json'], stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL)
            try:
                seen, cursor = set(), None
                while 'Ethernet32' not in seen:
                    line = lines_of(follow, 1, 30)
                    check(line, 'no change came', seen)
                    answer = json.loads(line[0])
                    seen |= {f['port'] for f in answer['findings']}
                    cursor = cursor or answer['cursor']
            finally:
                follow.terminate()
                follow.wait()
            again = subprocess.Popen(
                [agent.program('petrel'), '--socket', bed.socket, 'findings',
                 '--follow', '--after', cursor, '--json'],
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            try:
                answers = [json.loads(x) for x in lines_of(again, 2, 20)]
            finally:
                again.terminate()
                again.wait()
            check(all(a['complete'] for a in answers), answers)
            ports = {f['port'] for a in answers for f in a['findings']}
            check('Ethernet32' in ports, ports)


def sensors_are_in_the_ring():
    with OpenFolder(prefix='petrel-') as folder:
        shared().ask('record', '--last', '1m', '-o', folder)
        with open(os.path.join(folder, 'SAMPLES.ndjson'), 'rb') as f:
            return b'"sensor"' in f.read()


def test_record_writes_a_trace_that_replay_reads():
    with OpenFolder(prefix='petrel-') as folder:
        out = os.path.join(folder, 'trace')
        code, _, err = shared().ask('record', '--ports', 'Ethernet0,8-24/8',
                                    '--for', '3s', '-o', out)
        check(code == 0, code, err)
        ports, samples = ([json.loads(line) for line in open(
            os.path.join(out, name), encoding='utf-8')]
            for name in ('PORTS.ndjson', 'SAMPLES.ndjson'))
        wanted = {'Ethernet0', 'Ethernet8', 'Ethernet16', 'Ethernet24'}
        check({p['port'] for p in ports} == wanted, ports)
        check({s['port'] for s in samples if 'sensor' not in s} == wanted,
              len(samples))
        check(len(samples) >= 4 * 2, len(samples))
        check(all(abs(s['ts_ns'] / 1e9 - time.time()) < 60 for s in samples))
        run = petrel('replay', '--ports', os.path.join(out, 'PORTS.ndjson'),
                     '--json', os.path.join(out, 'SAMPLES.ndjson'))
        check(run.returncode == 0, run.returncode, run.stderr)
        code, _, err = shared().ask('record', '--for', '1s', '-o', out)
        check(code == 64 and 'already' in err, code, err)
        check(wait_for(sensors_are_in_the_ring, 30))
        # An error alone, and no reading of a sensor that nobody asked for.
        code, _, err = shared().ask('record', '--last', '1m', '--ports',
                                    'nosuch', '-o', out + '2')
        check(code == 66 and err == "petrel: no port matches 'nosuch'\n",
              code, err)
        check(not os.listdir(out + '2'), 'the folder cannot be used again')


def test_record_that_is_interrupted_is_whole():
    with OpenFolder(prefix='petrel-') as folder:
        out = os.path.join(folder, 'trace')
        samples = os.path.join(out, 'SAMPLES.ndjson')
        child = subprocess.Popen(
            [agent.program('petrel'), '--socket', shared().socket, 'record',
             '-o', out], stderr=subprocess.DEVNULL)
        check(wait_for(lambda: os.path.exists(samples) and
                       os.path.getsize(samples) > 0), 'nothing came')
        child.send_signal(signal.SIGINT)
        check(child.wait(20) == 0, child.returncode)
        with open(samples, encoding='utf-8') as f:
            text = f.read()
        check(text.endswith('\n'), 'cut short')
        for line in text.splitlines():
            json.loads(line)


# --- nobody answers ------------------------------------------------------------
def test_c13_a_dead_agents_rings_are_read():
    with Bed(HEALTHY, interval='200ms', collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: len(bed.json('ports')['ports']) and
                       all(p['pre_fec_ber'] is not None or
                           p['media'] == 'DAC'
                           for p in bed.json('ports')['ports']), 20), 'no BER')
        living = {p['port']: p for p in bed.json('ports')['ports']}
        bed.agent.stop()
        for command in ('status', 'findings', 'ports'):
            code, out, _ = bed.ask(command)
            check(code == 3, command, code)
            check(out.startswith('agent down since:'), out)
            check('why:' in out, out)
        code, out, _ = bed.ask()
        check(code == 3 and ' of 64 up when the agent stopped\n' in out and
              'no findings when the agent stopped' in out, out)
        dead = {p['port']: p for p in bed.json('ports')['ports']}
        check(set(dead) == set(living), set(dead) ^ set(living))
        for name, port in living.items():
            for key in ('st', 'speed_mbps', 'media', 'peer'):
                check(dead[name][key] == port[key], name, key, dead[name])
        head = bed.json('status')['agent_down']
        check(head['since'] and 0 <= head['down_s'] < 60, head)
        check(bed.ask('health')[0] == 3)
        check(bed.ask('health', '--agent')[0] == 3)
        check(bed.json('port', 'Ethernet0')['port']['speed_mbps'] > 0, dead)
        code, out, err = bed.ask('plot', 'Ethernet0', 'light')
        check(code == 3 and 'dBm' in out and 'ended' in err, code, out, err)
        for what in (('history', 'Ethernet0', 'speed_mbps'),
                     ('plot', 'Ethernet0', 'light'), ('events',)):
            code, _, err = bed.ask(*what, '--since', '0s')
            check(code == 64 and 'above 0' in err, what, code, err)
        for command in (['coverage'], ['reload']):
            check(bed.ask(*command)[0] == 69, command)


def test_damaged_rings_of_a_dead_agent_are_told():
    """In one sentence each; what is before the damage is shown, and an answer
    comes, whatever the ring claims to hold."""
    with Bed(HEALTHY, interval='200ms', collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        path = os.path.join(bed.run_dir, 'samples.ring')
        check(wait_for(lambda: records_of(path) > 8, 20), 'no samples')
        bed.agent.stop()
        whole = bed.json('ports')
        check(whole['code'] == 3 and whole['agent_down']['damage'] is None,
              whole['agent_down'])
        # the second batch: what is before it is a reference, and is shown
        spoil(path, second_record(path) + 40, b'\xee' * 8)
        code, out, err = bed.ask('ports')
        check(code == 75 and 'damage:' in out, code, out, err)
        told = bed.json('ports')
        check(not told['complete'] and told['code'] == 75, told)
        check('samples.ring: damaged in record 2 of 1 to ' in
              told['agent_down']['damage'], told['agent_down'])
        check(len(told['ports']) == len(whole['ports']), told['ports'])
        check('damaged in record 2' in [s for s in bed.json('status')[
            'streams'] if s['stream'] == 'samples'][0]['reason'], 'status')
        # 2^60 records, in both generations of the live part
        path = os.path.join(bed.run_dir, 'states.ring')
        for at in (136, 184):
            spoil(path, at, (1 << 60).to_bytes(8, 'little'))
        code, out, err = bed.ask('findings', timeout=10)
        check(code == 75 and 'states.ring: damaged' in out, code, out, err)


def spoil(path, at, octets):
    with open(path, 'r+b') as f:
        f.seek(at)
        f.write(octets)


def records_of(path):
    """What the writer's newest words say comes next."""
    with open(path, 'rb') as f:
        f.seek(136)
        first = int.from_bytes(f.read(8), 'little')
        f.seek(184)
        return max(first, int.from_bytes(f.read(8), 'little'))


def second_record(path):
    """Where it begins: a record is padded to 8 octets."""
    with open(path, 'rb') as f:
        f.seek(4096)
        return 4096 + (32 + int.from_bytes(f.read(4), 'big') + 7) // 8 * 8


def test_core_that_hangs_is_told():
    with Bed(HEALTHY, interval='200ms', collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        core = bed.pid_of('core')
        os.kill(core, signal.SIGSTOP)
        try:
            code, out, err = bed.ask('ports')
            if bed.pid_of('core') != core:
                return 'the supervisor was faster: it has a new core'
            check(code == 3 and 'hangs' in out, code, out, err)
        finally:
            try:
                os.kill(core, signal.SIGCONT)
            except ProcessLookupError:
                pass
    return None


def test_no_agent_and_no_rings_exits_69():
    with OpenFolder(prefix='petrel-') as folder:
        path = os.path.join(folder, 'petrel.sock')
        for command in ('status', 'ports', 'coverage'):
            run = petrel('--socket', path, command)
            check(run.returncode == 69, command, run.returncode)
            check('petreld is not running' in run.stderr, run.stderr)
        check(petrel('--socket', path, 'health').returncode == 3)
        run = petrel('--socket', path, 'health', '--json')
        check(json.loads(run.stdout)['code'] == 3, run.stdout)
        for words in (('history', 'Ethernet0', 'mtu'), ('plot', 'Ethernet0'),
                      ('record', '--last', '1m', '-o',
                       os.path.join(folder, 'out'))):
            run = petrel('--socket', path, *words)
            check('no rings in ' + folder in run.stderr, run)


def garbage_server(path, answer):
    """Answers one connection with these octets."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(1)
    child = os.fork()
    if child == 0:
        connection, _ = server.accept()
        connection.recv(4096)
        connection.sendall(answer)
        connection.close()
        os._exit(0)
    server.close()
    return child


def test_garbage_for_an_answer_is_told():
    for answer in (b'\xff\xff\xff\xff', b'\0\0\0\x08\xff\xff\xff\xff',
                   b'HTTP/1.0 400\r\n\r\n', b'\0\0\0\x04\x3a\x02\x1a\x00'):
        with OpenFolder(prefix='petrel-') as folder:
            path = os.path.join(folder, 's')
            child = garbage_server(path, answer)
            run = petrel('--socket', path, 'coverage')
            os.waitpid(child, 0)
            check(run.returncode in (69, 75), answer, run.returncode)
            check(run.stderr.startswith('petrel: '), answer, run.stderr)


def test_an_agent_of_another_version_is_told_from_ours():
    # complete = true, and the version of local.proto: none is 1
    for answer, version in ((b'\x20\x01', '1'), (b'\x20\x01\x58\x07', '7')):
        with OpenFolder(prefix='petrel-') as folder:
            path = os.path.join(folder, 's')
            head = struct.pack('>I', len(answer))
            child = garbage_server(path, head + answer)
            run = petrel('--socket', path, 'ports')
            os.waitpid(child, 0)
            check(run.returncode == 69, answer, run.returncode)
            check('version %s of' % version in run.stderr and
                  'reads version 2' in run.stderr, run.stderr)


# --- files ---------------------------------------------------------------------
def test_completion_is_the_table_of_commands():
    run = petrel('help', '--completion')
    path = os.path.join(agent.TREE, 'packaging', 'completion', 'petrel')
    with open(path, encoding='utf-8') as f:
        check(f.read() == run.stdout, 'make it anew: petrel help '
              '--completion > packaging/completion/petrel')


def completed(*words):
    """What the last word may become, with petrel asked as a shell asks it."""
    path = os.path.join(agent.TREE, 'packaging', 'completion', 'petrel')
    with OpenFolder(prefix='petrel-') as folder:
        wrapper = os.path.join(folder, 'petrel')
        with open(wrapper, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nexec %s "$@"\n' % agent.program('petrel'))
        os.chmod(wrapper, 0o755)
        run = subprocess.run(
            ['bash', '-c', 'source %s; COMP_WORDS=(petrel "$@"); '
             'COMP_CWORD=$#; _petrel; echo "${COMPREPLY[@]}"' % path, 'bash',
             *words], text=True, capture_output=True, check=False,
            env=dict(os.environ, PATH=folder + ':' + os.environ['PATH']))
    check(not run.stderr, words, run.stderr)
    return run.stdout.split()


def test_completion_completes():
    here = ['--socket', shared().socket]
    finding = shared().json('findings')['findings'][0]['id']
    for words, wanted in ((['fin'], 'findings'),
                          (['--socket', '/x', 'findings', '--f'], '--follow'),
                          (['ports', '--sort', 'flap'], 'flaps_24h'),
                          (['queues', '--sort', 'delay_p9'], 'delay_p99'),
                          (here + ['findings', finding[:6]], finding),
                          (here + ['report', finding[:6]], finding),
                          (here + ['plot', 'Ethernet40'], 'Ethernet40'),
                          (here + ['history', 'fan1'], 'fan1'),
                          (here + ['history', 'Ethernet0', 'if_in_oct'],
                           'if_in_octets'),
                          (here + ['plot', 'Ethernet0', 'lane_rx_po'],
                           'lane_rx_power_pw'),
                          (here + ['plot', 'Ethernet0', 'temp'],
                           'temperature'),
                          (['dump', '--quantity', 'module_temp_m'],
                           'module_temp_mc'),
                          (['ports', '--sort', '-marg'], '-margin'),
                          (['dump', '--stream', ''], 'states'),
                          (['metrics', '--profile', 'l'], 'links'),
                          (here + ['show', 'Ethernet0', 'qu'], 'queue')):
        got = completed(*words)
        check(wanted in got, words, got)
        check(len(got) < 10, words, got)


def test_packaged_configuration_tells_the_defaults():
    path = os.path.join(agent.TREE, 'packaging', 'etc', 'petrel.conf')
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with OpenFolder(prefix='petrel-') as folder:
        for name, content in (('as_it_is', text), ('uncommented', re.sub(
                r'^#(\w+ =)', r'\1', text, flags=re.M))):
            copy = os.path.join(folder, name)
            with open(copy, 'w', encoding='utf-8') as f:
                f.write(content)
            run = subprocess.run([agent.program('petreld'), '--config', copy,
                                  '--check'], text=True, timeout=60,
                                 capture_output=True, check=False)
            check(run.returncode == 0, name, run.stderr)
    page = os.path.join(agent.TREE, 'packaging', 'man', 'petrel.conf.5')
    with open(page, encoding='utf-8') as f:
        manual = f.read()
    for key, value in re.findall(r'^#(\w+) = (\S+)$', text, re.M):
        check(re.search(r'^\.It Ic %s\n(.+\n)+Default:\n\.Ql %s \.$' % (
            key, re.escape(value)), manual, re.M), key, value)


def test_help_says_where_the_json_is():
    for command, where in (('plot', 'history'), ('watch', 'ports, findings'),
                           ('report', 'findings, port, '), ('ports', None)):
        said = petrel('help', command).stdout
        check(('--json ' in said) == (where is None), said)
        check(where is None or 'No --json; see petrel ' + where in said, said)


def test_manual_names_every_command_and_option():
    path = os.path.join(agent.TREE, 'packaging', 'man', 'petrel.1')
    with open(path, encoding='utf-8') as f:
        manual = f.read()
    usage = petrel('help').stdout
    for command in COMMANDS:
        check(re.search(r'^  %s ' % command, usage, re.M), command, usage)
        check(re.search(r'^\.(It|Ss) .*\b%s\b' % command, manual, re.M),
              command)
        for option in re.findall(r'^  (--?[a-z]+)',
                                 petrel('help', command).stdout, re.M):
            check('Fl %s' % option[1:] in manual, command, option)


def processor_s(bed):
    """What petrel and the core have used of it: what else runs here does not
    matter."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open('/proc/%d/schedstat' % bed.pid_of('core'),
              encoding='ascii') as f:
        return used.ru_utime + used.ru_stime + int(f.read().split()[0]) / 1e9


def test_an_answer_takes_five_milliseconds():
    if agent.WRAP or 'sanitize' in agent.BUILD:
        return 'under a tool that slows it down'
    bed, took = shared(), []
    for _ in range(50):
        begin = processor_s(bed)
        bed.ask('ports')
        took.append(processor_s(bed) - begin)
    median = sorted(took)[25]
    print('# %.1f ms of a processor, median, start of the program included' %
          (median * 1e3))
    check(median < 0.025, median)       # the figure itself is make bench's
    return None


if __name__ == '__main__':
    try:
        agent.main(dict(globals()))
    finally:
        while SHARED:
            SHARED.pop().close()

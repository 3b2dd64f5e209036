#!/usr/bin/env python3
# petrel-test: timeout=120
"""petrel watch, as somebody at a terminal sees it, who types into it: large and
small, in colour and without, in UTF-8 and in ASCII, with the agent and without.
More sizes and switches: tests/campaign/screens.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import SLOW, Bed, Haste, check, wait_for     # noqa: E402
from folder import OpenFolder                           # noqa: E402
from terminal import Terminal                           # noqa: E402

FAULTY = '''switch name=watch-leaf ports=64 speed=400G lanes=4 media=DR4 \
fec=rs544 seed=3 dom=1s
at 0s Ethernet16 down reason=light
at 0s Ethernet200 down reason=light
'''
FAN = '''switch name=fan-leaf ports=16 speed=400G lanes=4 media=DR4 \
fec=rs544 seed=3 dom=1s
at 30s all fan rise=15K ramp=20s
'''
ROUND_OCTETS_MAX = 6000     # of a screen of 80x24, at most drawn anew


class Shared:
    """One agent for all that only look."""

    def __init__(self):
        self.folder = OpenFolder()
        path = os.path.join(self.folder.name, 'watch.scenario')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(FAULTY)
        self.bed = Bed(path, interval='200ms', collector=False,
                       name='watch-leaf')
        self.bed.agent.start()
        check(self.bed.wait_serving(), self.bed.agent.log())
        check(wait_for(lambda: len(self.bed.json('findings')['findings'])
                       == 2, 20 * SLOW), self.bed.ask('findings')[1])

    def close(self):
        self.bed.close()
        self.folder.cleanup()


def watch(*where, **how):
    bed = shared.bed
    return Terminal(agent.command('petrel', '--socket',
                                  where[0] if where else bed.socket,
                                  'watch'), **how)


def test_watch_shows_ports_findings_and_one_port_by_a_key():
    with watch() as t:
        t.shows('petrel: ports by margin', 'health:', 'Ethernet16', 'q quit',
                like=(r'^PORT +ST SPEED', r'^watch +Ethernet16 ',
                      r'^petrel: ports by margin +\d\d(:\d\d){2}'
                      r'(Z|[+-]\d\d:\d\d)$'))
        t.type('f')
        t.shows('petrel: findings', 'link_down', 'evidence')
        t.type('p')
        t.shows('petrel: ports by margin', 'FLAP/24h')
        t.type('/')
        t.type('Ethernet24')
        t.type('Enter')
        text = t.shows('only with Ethernet24', 'Ethernet240')
        check('Ethernet32 ' not in text, text)
        t.type('Home')
        t.type('l')
        t.shows('petrel: lanes of Ethernet24')
        t.type('Escape')        # the filter first, then back
        t.shows('petrel: lanes of Ethernet24', 'RXdBm', lacks=('only with',))
        t.type('e')
        t.shows('petrel: events of Ethernet24', 'none since',
                like=(r'q quit  \? help .*filter *\s*\Z',))
        t.type('u')
        t.shows('petrel: queues of Ethernet24', 'OCCUP')
        t.type('h')
        t.shows('petrel: history of Ethernet24', 'light received', '┤')
        t.type('Escape')
        t.shows('petrel: ports by margin')
        t.type('s')
        text = t.shows('petrel: ports by !')
        t.shows('Ethernet16 ')
        t.type('?')
        t.shows('petrel: keys', 'sort by another column', '? help')
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_shows_a_ports_idle_queues_too():
    with watch() as t:
        t.shows('petrel: ports by margin', 'Ethernet')
        t.type('/')
        t.type('Ethernet16 ')       # it is down
        t.type('Enter')
        t.shows('only with Ethernet16', 'MARGIN', lacks=('Ethernet160',))
        t.type('End')
        t.type('u')
        text = t.shows('petrel: queues of Ethernet16,', 'OCCUP')
        check(len(re.findall(r'^Ethernet16 +\d ', text, re.M)) == 8, text)
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_scrolls_to_the_last_port_and_keeps_the_chosen_one():
    with watch() as t:
        t.shows('petrel: ports by margin', 'Ethernet')
        t.type('s', 's', 's')
        t.shows('petrel: ports by port', 'Ethernet0 ')
        t.type('End')
        t.shows('Ethernet504 ')
        t.type('l')
        t.shows('petrel: lanes of Ethernet504')
        t.type('q')
        check(t.ended() == 0, t.text())
    with watch() as t:          # and whoever comes back is still there
        t.shows('petrel: ports by margin', 'ST SPEED', 'Ethernet40 ')
        t.type('Down', 'Down', 'Down', 'l')
        text = t.shows('petrel: lanes of ')
        port = re.search(r'lanes of (Ethernet\d+)', text)[1]
        check(port != 'Ethernet0', text)
        t.type('Escape')
        t.shows('petrel: ports by margin', 'ST SPEED', 'Ethernet40 ')
        t.type('l')
        t.shows('petrel: lanes of %s ' % port)
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_opens_the_port_of_the_marked_finding():
    with watch(rows=40) as t:
        t.shows('petrel: ports by margin', 'ST SPEED', 'Ethernet40 ')
        t.type('f')
        lines = t.shows('petrel: findings', 'Ethernet16 ', 'Ethernet200 ',
                        'armed').splitlines()
        heads = [i for i, line in enumerate(lines)
                 if re.match(r'\w{12} +watch +Ethernet', line)]
        check(len(heads) == 2, lines)
        first, second = (lines[i].split()[2] for i in heads)
        t.type('Enter')
        t.shows('petrel: port of %s ' % first)
        t.type('f')
        t.shows('petrel: findings', 'link_down')
        t.type(*['Down'] * (heads[1] - heads[0]), 'Enter')
        t.shows('petrel: port of %s ' % second)
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_opens_the_sensor_of_a_finding_with_the_agent_down_too():
    with OpenFolder() as folder:
        path = os.path.join(folder, 'fan.scenario')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(FAN)
        haste = Haste(15)
        with Bed(path, interval='200ms', collector=False, haste=haste) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: [f for f in bed.json('findings')['findings']
                                    if f['subject'] == 'fan1'], 60 * SLOW),
                  bed.ask('findings')[1])
            for is_down in False, True:
                if is_down:
                    bed.agent.stop()
                with watch(bed.socket) as t:
                    t.shows('petrel: ports by margin', 'ST SPEED')
                    t.type('Down', 'Down', 'f')
                    t.shows('petrel: findings', 'has stopped')
                    t.type('o')
                    text = t.shows('petrel: fan1 ', 'sensor_fan_rpm')
                    check('absent; --all' in text, text)
                    t.type('p')     # and a port is one again
                    t.shows('petrel: ports by margin', 'ST SPEED')
                    t.type('Down', 'Enter')
                    t.shows('petrel: port of Ethernet', 'alias')
                    t.type('q')
                    check(t.ended() == 0, t.text())


def test_watch_fits_the_smallest_terminal_and_follows_its_size():
    with watch(columns=20, rows=5) as t:
        text = t.shows('petrel: ports by', 'PORT', 'Ethernet')
        check(max(map(len, text.splitlines())) <= 20, text)
        t.type('Right')
        t.shows(' ST ', lacks=('PORT',))
        t.type('Left')
        for size in ((200, 60), (1, 1), (40, 10), (80, 24), (200, 60)):
            t.resize(*size)
        t.shows('PORT', 'q quit')
        with t.frozen():        # the same size, and nothing left of it
            t.resize(1, 1)
            t.resize(200, 60)
            t.shows(lacks=('q quit',))
        t.shows('PORT', 'q quit', like=(r'^Ethernet\d+ +up +400G',))
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_shares_a_low_window_among_findings_and_ports():
    with watch(rows=12) as t:
        text = t.shows('WRONG', 'watch  Ethernet200', 'MARGIN')
        check(len(re.findall(r'^Ethernet\d+ +(?:up|dn) ', text, re.M)) > 2,
              text)
        t.type('q')
        check(t.ended() == 0, t.text())


def test_watch_is_plain_without_utf8_and_without_colour():
    with watch(locale='C', NO_COLOR='1') as t:
        text = t.shows('petrel: ports by margin', 'oC')
        check(text.isascii(), text)
        check(not re.search('\x1b\\[[0-9;]*3[0-8]', t.text('-e')), t.text('-e'))
        t.type('C-c')
        check(t.ended() == 0, t.text())


def test_watch_says_that_the_agent_is_down_and_reads_its_rings():
    with OpenFolder() as folder:
        run = os.path.join(folder, 'run')
        shutil.copytree(shared.bed.run_dir, run,
                        ignore=lambda d, names: [n for n in names
                                                 if n.endswith('.sock')])
        with watch(os.path.join(run, 'petrel.sock')) as t:
            text = t.shows('agent down since', 'Ethernet16', 'MARGIN')
            check(text.count('agent down since') == 1, text)
            t.type('f')
            t.shows('agent down since', 'link_down')
            t.type('q')
            check(t.ended() == 0, t.text())
    with watch('/nowhere/petrel.sock') as t:
        t.shows('no such socket', 'no rings')
        t.type('q')
        check(t.ended() == 0, t.text())


def drawn(master, until):
    """What is drawn before what until() waits for, or a long time."""
    text, end = b'', time.monotonic() + 20 * SLOW
    while not until(text) and time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            text += os.read(master, 65536)
    return text


def test_watch_sends_only_what_changed_and_leaves_the_terminal_as_it_was():
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(TERM='xterm', LC_ALL='C.UTF-8')
        termios.tcsetwinsize(0, (24, 80))
        argv = agent.command('petrel', '--socket', shared.bed.socket, 'watch')
        os.execvp(argv[0], argv)
    drawn(master, lambda text: b'FLAP' in text and b'q quit' in text)
    clocks = re.compile(rb'\x1b\[1;\d+H')       # the clock is in the first row
    text = drawn(master, lambda text: len(clocks.findall(text)) >= 2)
    check(len(text) < 2 * ROUND_OCTETS_MAX, len(text))
    os.kill(pid, signal.SIGTERM)
    text = b''
    while True:
        try:
            text += os.read(master, 65536)
        except OSError:
            break
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    check(status == 0 and b'\x1b[?1049l' in text, status, text[-80:])


def test_plot_draws_what_was_with_the_agent_down_too():
    with OpenFolder() as folder:
        run = os.path.join(folder, 'run')
        shutil.copytree(shared.bed.run_dir, run,
                        ignore=lambda d, names: [n for n in names
                                                 if n.endswith('.sock')])
        for where in (shared.bed.socket, os.path.join(run, 'petrel.sock')):
            for locale, mark in (('C.UTF-8', '┤'), ('C', '+')):
                ran = subprocess.run(
                    agent.command('petrel', '--socket', where, 'plot',
                                  'ethernet16', 'temperature', 'link',
                                  'if_in_octets'), check=False,
                    capture_output=True, text=True,
                    env=dict(os.environ, LC_ALL=locale, COLUMNS='60'))
                text = ran.stdout
                down = where != shared.bed.socket
                check((ran.returncode, bool(ran.stderr)) ==
                      ((3, True) if down else (0, False)), ran)
                check('temperature of the module' in text and
                      'if_in_octets, bit/s' in text and mark in text,
                      text)
                check(max(map(len, text.splitlines())) <= 60, text)
                check(text.isascii() or locale != 'C', text)


def test_plot_says_what_it_lacks():
    for words, code, says in (
            (('Ethernet9999',), 66, "no port 'Ethernet9999'; nearest: Eth"),
            (('Ethernet0', 'nonsense'), 64, "no quantity 'nonsense'"),
            (('Ethernet0', '--since', 'x'), 64, '--since x: not a time'),
            (('Ethernet0', '--json'), 64, 'see petrel history')):
        ran = shared.bed.ask('plot', *words)
        check(ran[0] == code and says in ran[2] and not ran[1], words, ran)


def test_watch_says_what_it_lacks():
    ran = shared.bed.ask('watch')
    check(ran == (64, '', 'petrel: watch: needs a terminal\n'), ran)
    ran = shared.bed.ask('watch', '--json')
    check(ran[0] == 64 and 'no JSON' in ran[2], ran)
    with OpenFolder() as folder:
        with open(os.path.join(folder, 'libncursesw.so.6'), 'wb'):
            pass
        with watch(LD_LIBRARY_PATH=folder) as t:
            check(t.ended() == 64, t.text())
            text = t.text('-J')
            check('install libncursesw6' in text, text)
    with Terminal(['env', 'TERM=dumb', *agent.command(
            'petrel', '--socket', shared.bed.socket, 'watch')]) as t:
        check(t.ended() == 64, t.text())
        check('cannot draw on TERM=dumb' in t.text('-J'), t.text())


def test_other_commands_do_not_load_the_library():
    needs = subprocess.run(['readelf', '-d', agent.program('petrel')],
                           check=True, capture_output=True, text=True).stdout
    check('NEEDED' in needs and 'curses' not in needs, needs)


if __name__ == '__main__':
    if not shutil.which('tmux'):
        print('1..0 # SKIP NO TMUX HERE')
        sys.exit(0)
    shared = Shared()
    try:
        agent.main(globals())
    finally:
        shared.close()

#!/usr/bin/env python3
"""make run's demonstration, without and with a terminal: it shows ports and
findings, ends by itself or by q, and leaves nothing behind.

petrel-test: timeout=150
"""
import functools
import glob
import os
import pty
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from folder import OpenFolder                           # noqa: E402
from terminal import Terminal                           # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(HERE, '..', 'support', 'demo')
SERVING_S = 20


def in_folder(test):
    """Hands the test an empty folder, for TMPDIR."""
    @functools.wraps(test)
    def run():
        with OpenFolder() as folder:
            test(folder)
    return run


def left_in(folder):
    """What the demonstration left in its folder of temporary files."""
    return glob.glob(folder + '/*')


def processes_below(folder):
    """Processes whose command names something in folder."""
    found = []
    for path in glob.glob('/proc/[0-9]*/cmdline'):
        try:
            with open(path, 'rb') as f:
                command = f.read()
        except OSError:
            continue
        if folder.encode() in command:
            found.append(command.replace(b'\0', b' ').decode())
    return found


@in_folder
def test_demo_prints_and_ends_without_a_terminal(folder):
    ran = subprocess.run([DEMO, '30'], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=90,
                         env=dict(os.environ, TMPDIR=folder))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ports = set(re.findall(r'^(Ethernet\d+)\s', ran.stdout, re.M))
    assert len(ports) == 64, '%d ports in\n%s' % (len(ports), ran.stdout)
    assert 'no findings' not in ran.stdout, ran.stdout
    assert re.search(r'^\{"', ran.stdout, re.M), 'no record\n' + ran.stdout
    assert not left_in(folder), left_in(folder)
    assert not processes_below(folder), processes_below(folder)


def ports_show(drawn):
    return drawn.count(b'Ethernet') > 10


def screen_of(folder, keys):
    """Runs the demonstration on a terminal; presses keys when it shows ports.
    Returns (exit status, what was drawn).
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TMPDIR=folder, TERM='xterm', LC_ALL='C.UTF-8')
        os.execv(DEMO, [DEMO])
    drawn, pressed = b'', False
    until = time.monotonic() + SERVING_S + 30
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        try:
            drawn += os.read(terminal, 65536) if ready else b''
        except OSError:         # the other end is closed
            break
        if not pressed and ports_show(drawn):
            os.write(terminal, keys)
            pressed = True
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), drawn.decode()


def check_screen(folder, keys):
    status, drawn = screen_of(folder, keys)
    assert status == 0, '%d\n%s' % (status, drawn[-2000:])
    assert 'Ethernet' in drawn
    assert '\x1b[?1049l' in drawn[-80:], repr(drawn[-80:])
    assert not left_in(folder), left_in(folder)
    assert not processes_below(folder), processes_below(folder)


@in_folder
def test_demo_shows_ports_beside_findings_in_a_low_window(folder):
    with Terminal([DEMO], rows=12, TMPDIR=folder) as t:
        text = t.shows('sim-leaf01 has', 'WRONG', 'PORT   ',
                       seconds=SERVING_S + 30)
        assert re.search(r'^PORT +ST', text, re.M), text
        assert len(re.findall(r'^Ethernet\d+ +(?:up|dn) ', text, re.M)) > 2, \
            text
        t.type('q')
        assert t.ended() == 0, t.text()
    assert not left_in(folder), left_in(folder)


@in_folder
def test_demo_q_ends_it_on_a_terminal(folder):
    check_screen(folder, b'q')


@in_folder
def test_demo_ctrl_c_ends_it_on_a_terminal(folder):
    check_screen(folder, b'\x03')


@in_folder
def test_demo_tells_why_when_the_agent_does_not_start(folder):
    build = os.path.join(folder, 'broken')
    os.mkdir(build)
    programs = os.path.abspath(os.environ.get('PETREL_BUILD', 'build'))
    for name in ('petrel', 'petrel-collector'):
        os.symlink(os.path.join(programs, name), os.path.join(build, name))
    os.symlink('/bin/false', os.path.join(build, 'petreld'))
    ran = subprocess.run([DEMO, '30'], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=60,
                         env=dict(os.environ, TMPDIR=folder,
                                  PETREL_BUILD=build))
    assert ran.returncode != 0
    assert 'petreld does not serve' in ran.stderr, ran.stderr
    assert left_in(folder) == [build], left_in(folder)


if __name__ == '__main__':
    agent.main(globals())

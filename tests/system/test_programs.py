#!/usr/bin/env python3
"""How each program starts and ends: help, version, wrong usage, and a short
life of agent and collector that leaves no error behind.

petrel-test: sanitize
petrel-test: valgrind
petrel-test: timeout=150
"""
import os
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

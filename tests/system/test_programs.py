#!/usr/bin/env python3
"""How each program starts and ends: help, version, wrong usage, and a short
life of agent and collector that leaves no error behind.

petrel-test: sanitize
petrel-test: valgrind
petrel-test: timeout=150
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'support'))
import bed      # noqa: E402
import cases    # noqa: E402

PROGRAMS = ('petreld', 'petrel', 'petrel-collector')
SCENARIO = 'tests/data/scenarios/demo.scenario'
USAGE = 64


def test_help_is_printed_and_is_no_error():
    for program in PROGRAMS:
        ran = bed.run(program, '--help')
        assert ran.returncode == 0 and 'usage: ' + program in ran.stdout, \
            '%s: %s' % (program, ran)


def test_version_names_the_program():
    for program in PROGRAMS:
        ran = bed.run(program, '--version')
        assert ran.returncode == 0 and ran.stdout.startswith(program + ' '), \
            '%s: %s' % (program, ran)


def test_unknown_option_is_wrong_usage():
    for program in PROGRAMS:
        ran = bed.run(program, '--no-such-option')
        assert ran.returncode == USAGE and 'no-such-option' in ran.stderr, \
            '%s: %s' % (program, ran)


def test_unknown_command_is_wrong_usage():
    ran = bed.run('petrel', 'prots')
    assert ran.returncode == USAGE and 'ports' in ran.stderr, ran


def test_check_names_file_line_and_nearest_key(folder):
    path = folder + '/petrel.conf'
    with open(path, 'w') as f:
        f.write('[Agent]\nintervall = 1s\n')
    ran = bed.run('petreld', '--config', path, '--check')
    assert ran.returncode != 0, ran
    assert path + ':2' in ran.stderr and 'interval' in ran.stderr, ran


def test_agent_and_collector_end_clean_after_a_short_life():
    with bed.Bed(SCENARIO) as life:
        life.wait_for(lambda: 'Ethernet' in life.petrel('ports').stdout,
                      bed.SERVING_S, 'ports')
        time.sleep(2 * bed.SLOW)
        logs = life.log('petreld') + life.log('petrel-collector')
        children = life.children
    assert not life.errors, '\n'.join(life.errors)
    assert life.statuses == [0] * len(children), '%s\n%s' % (life.statuses,
                                                            logs)


if __name__ == '__main__':
    cases.run(globals(), 'programs')

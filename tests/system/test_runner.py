#!/usr/bin/env python3
"""The runner of all tests, held to what it says: a small tree of its own with
tests that fail, hang, lie, and leave processes behind.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
RUN_TESTS = os.path.join(HERE, '..', 'support', 'run_tests')
MAKEFILE = 'all unit:\n\t@true\n.PHONY: all unit\n'


class Tree:
    """A tree with a Makefile that builds nothing and the scripts given."""

    def __init__(self, folder, scripts, makefile=MAKEFILE):
        self.folder = folder
        for name in ('system', 'fuzz'):
            os.makedirs(os.path.join(folder, 'tests', name))
        with open(os.path.join(folder, 'Makefile'), 'w') as f:
            f.write(makefile)
        for name, body in scripts.items():
            path = os.path.join(folder, 'tests', 'system', name)
            with open(path, 'w') as f:
                f.write('#!/bin/bash\n' + body)
            os.chmod(path, 0o755)

    def run(self, *args, **env):
        ran = subprocess.run(
            [RUN_TESTS, '--tree', self.folder] + list(args),
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=dict(os.environ, **env))
        return ran.returncode, ran.stdout + ran.stderr


def outcome(scripts, *args, makefile=MAKEFILE, **env):
    """(exit status, last line, all output) of a tree with these scripts."""
    with tempfile.TemporaryDirectory() as folder:
        status, text = Tree(folder, scripts, makefile).run(
            *(args or ('system',)), **env)
    return status, text.strip().splitlines()[-1], text


def test_runner_counts_and_succeeds():
    assert outcome({'test_a.sh': 'echo "ok 1 - one"; echo "ok 2 - two"'})[:2] \
        == (0, '2 passed, 0 failed, 0 skipped')


def test_runner_fails_when_a_test_fails():
    status, last, text = outcome({'test_a.sh': 'echo "not ok 1 - one"\n'
                                               'echo "# because"; exit 1'})
    assert (status, last) == (1, '0 passed, 1 failed, 0 skipped')
    assert '| # because' in text


def test_runner_fails_when_a_program_says_nothing():
    assert outcome({'test_a.sh': 'true'})[:2] == \
        (1, '0 passed, 1 failed, 0 skipped')


def test_runner_fails_when_a_plan_is_not_kept():
    assert outcome({'test_a.sh': 'echo 1..2; echo "ok 1 - one"'})[:2] == \
        (1, '1 passed, 1 failed, 0 skipped')


def test_runner_fails_on_exit_status_alone():
    assert outcome({'test_a.sh': 'echo "ok 1 - one"; exit 3'})[:2] == \
        (1, '1 passed, 1 failed, 0 skipped')


def test_runner_counts_a_skip_with_its_reason():
    status, last, text = outcome({
        'test_a.sh': 'echo "ok 1 - one # SKIP no such hardware"'})
    assert (status, last) == (0, '0 passed, 0 failed, 1 skipped')
    assert 'SKIP one: no such hardware' in text


def test_runner_takes_cmockas_skip_with_the_reason_before_it():
    status, last, text = outcome({
        'test_a.sh': 'echo "SKIP no data"; echo "not ok 1 # SKIP test_x"'})
    assert (status, last) == (0, '0 passed, 0 failed, 1 skipped')
    assert 'SKIP test_x: no data' in text


def test_runner_fails_on_a_skip_without_reason():
    assert outcome({'test_a.sh': 'echo "ok 1 - one # SKIP"'})[:2] == \
        (1, '0 passed, 1 failed, 0 skipped')


def gone(text):
    """Whether the process that a script told of as `pid N` is gone."""
    pid = int(re.search(r'pid (\d+)', text)[1])
    for _ in range(50):
        if not os.path.exists('/proc/%d' % pid):
            return True
        time.sleep(0.1)
    return False


def test_runner_ends_what_a_hanging_test_started():
    status, last, text = outcome({
        'test_a.sh': '# petrel-test: timeout=1\nsetsid sleep 321 & '
                     'echo "pid $!"\nwait'})
    assert (status, last) == (1, '0 passed, 1 failed, 0 skipped'), text
    assert 'not done after 1 s' in text
    assert gone(text)


def test_runner_fails_when_a_process_is_left_running():
    status, last, text = outcome({
        'test_a.sh': 'setsid sleep 322 >/dev/null 2>&1 &\necho "# pid $!"\n'
                     'sleep 0.2\n'
                     'echo "ok 1 - one"; exit 1'})
    assert (status, last) == (1, '1 passed, 2 failed, 0 skipped'), text
    assert 'left running' in text
    assert gone(text)


def test_runner_group_that_exceeds_its_budget_is_told():
    status, _, text = outcome({'test_a.sh': 'sleep 1; echo "ok 1 - one"'},
                              PETREL_BUDGET_FACTOR='0.002')
    assert status == 0 and 'SLOW' in text, text


def test_runner_group_that_hangs_is_ended():
    status, _, text = outcome({'test_a.sh': 'sleep 30'},
                              PETREL_BUDGET_FACTOR='0.002')
    assert status == 1 and 'not done after' in text, text


def test_runner_idle_group_runs_beside_those_that_wait():
    status, last, text = outcome(
        {'test_a.sh': 'for n in $(seq 300); do [ -e nice ] && break; sleep .1; '
                      'done\necho "ok 1 - nice $(cat nice)"'},
        'system', 'static', makefile='all unit unfuzzed_objects analyzed:'
        '\n\t@true\n'
        'tidy cppcheck:\n\t@nice >nice\n.PHONY: all unit analyzed tidy\n')
    assert (status, last) == (0, '5 passed, 0 failed, 0 skipped'), text


def test_runner_builds_what_is_apart_beside_those_that_wait():
    _, _, text = outcome(
        {'test_a.sh': 'for n in $(seq 300); do [ -e nice ] && break; sleep .1; '
                      'done\n[ "$(cat nice)" = 19 ] && echo "ok 1 - one"\n',
         '../fuzz/fuzz_a.c': ''},
        'system', 'fuzz', makefile='all unit:\n\t@true\nfuzz_programs:\n'
        '\t@[ -e nice ] || nice >nice\n.PHONY: all unit fuzz_programs\n')
    assert 'system    test_a.sh                          1 passed' in text, text
    assert 'FAILED fuzz_a' in text, text        # it has no program


def test_runner_group_that_is_empty_fails():
    status, _, text = outcome({})
    assert status == 1 and 'the group is empty' in text


def test_runner_build_that_fails_is_a_failure():
    status, last, text = outcome({'test_a.sh': 'echo "ok 1 - one"'},
                                 makefile='all unit:\n\t@exit 1\n')
    assert (status, last) == (1, '0 passed, 1 failed, 0 skipped'), text


def test_runner_unknown_group_is_told_with_those_there_are():
    status, _, text = outcome({}, 'sistem')
    assert status != 0 and 'no group called sistem' in text
    assert 'system' in text


def test_runner_runs_one_by_its_name():
    assert outcome({'test_a.sh': 'echo "ok 1 - one"',
                    'test_b.sh': 'exit 1'},
                   '--only', 'test_a', 'system')[:2] == \
        (0, '1 passed, 0 failed, 0 skipped')


def test_runner_alone_runs_beside_nothing():
    body = '%secho "ok 1 - one"; [ -e "$PWD/busy" ] && exit 1\n' \
        'touch "$PWD/busy"; sleep 0.3; rm -f "$PWD/busy"; exit 0'
    assert outcome({'test_%d.sh' % n: body % '# petrel-test: alone\n'
                    for n in range(4)})[0] == 0


if __name__ == '__main__':
    agent.main(globals())

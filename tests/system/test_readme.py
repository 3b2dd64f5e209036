#!/usr/bin/env python3
"""The newcomer's transcript in the README, held to the scenario that it shows
and to what the programs print today.

petrel-test: timeout=180
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
from folder import OpenFolder                           # noqa: E402

README = os.path.join(agent.TREE, 'README.md')
DEMO = os.path.join(agent.SCENARIOS, 'demo.scenario')
SPEED = 5       # of its time, and of the programs'
FOUND_S = 90

# What each planted fault is called by who finds it.
LABELS = {'fec_growth': 'fec_trend', 'flap': 'flap_burst',
          'down': 'link_down'}
SIGNATURES = set('''
    fec_trend fec_uncorrectable contamination bent_fibre far_laser tx_decay
    thermal_fec loose_module copper_degrade lane_imbalance flap_burst link_down
    shared_component environment microburst congestion lossless_drop pfc_storm
    uplink_imbalance rhythm_change config_mismatch sensor_fault module_changed
    switch_silent'''.split())


def transcript():
    """[(words of a command, lines that it printed)] between the markers."""
    with open(README, encoding='utf-8') as f:
        text = f.read()
    match = re.search(r'<!-- transcript:begin -->(.*)<!-- transcript:end -->',
                      text, re.S)
    check(match, 'README.md has no transcript markers')
    steps = []
    for line in match[1].splitlines():
        line = re.sub(r'^ {4}', '', line)
        if line.startswith('$ '):
            steps.append((line[2:].split(), []))
        elif steps and not line.startswith('```'):
            steps[-1][1].append(line)
    check(steps, 'README.md has no command between its transcript markers')
    return steps


def planted():
    """(port, signature) of each fault of the scenario."""
    with open(DEMO, encoding='utf-8') as f:
        lines = [line.split('#')[0].split() for line in f]
    return {(words[2], LABELS[words[3]]) for words in lines
            if words[:1] == ['at']}


def found_in(lines):
    """(port, signature) of each line that names both; a name that it had
    before, or what is part of it, stands behind."""
    found = set()
    for line in lines:
        names = [w for w in re.findall(r'\w+', line) if w in SIGNATURES]
        if names:
            found |= {(port, names[0])
                      for port in re.findall(r'\bEthernet\d+\b', line)}
    return found


def printed(command):
    """What the transcript says that a command printed."""
    found = [lines for words, lines in transcript() if words == command]
    check(found, 'the transcript has no `%s`' % ' '.join(command))
    return found[0]


def heading(lines):
    """The column names of a table: the first line with several capitals."""
    for line in lines:
        if len(re.findall(r'\b[A-Z]{2,}', line)) > 2:
            return line.split()
    return []


def test_readme_transcript_shows_what_the_scenario_plants():
    shown = found_in(printed(['petrel', 'findings']))
    check(shown == planted(), 'shown', sorted(shown), 'planted',
          sorted(planted()))


def test_readme_transcript_marks_the_ports_that_came_to_harm():
    harmed = {port for port, _ in planted()}
    marked = {line.split()[0] for line in printed(['petrel', 'ports'])
              if re.match(r'Ethernet\d+\b', line) and
              line.split()[-1] != '-'}
    check(marked == harmed, 'marked', sorted(marked), 'planted',
          sorted(harmed))


def test_readme_transcript_is_what_the_programs_print():
    with agent.Bed(DEMO, haste=agent.Haste(SPEED)) as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        agent.wait_for(lambda: found_in(
            bed.ask('findings')[1].splitlines()) >= planted(), FOUND_S, 0.5)
        live = found_in(bed.ask('findings')[1].splitlines())
        check(live == planted(), 'found', sorted(live), 'planted',
              sorted(planted()))
        for words, lines in transcript():
            check(words[0] == 'petrel', 'no command of Petrel:', words)
            code, out, err = bed.ask(*words[1:])
            check(code in (0, 1, 2), words, code, err)
            check(heading(out.splitlines()) == heading(lines), words,
                  'prints', heading(out.splitlines()), 'shown',
                  heading(lines))


def test_readme_switch_without_one_runs():
    """The block as it stands, in a folder of its own."""
    if not shutil.which('redis-server'):
        return 'NO REDIS-SERVER HERE'
    with open(README, encoding='utf-8') as f:
        text = f.read().split('## A virtual SONiC switch')[1]
    block = re.findall(r'(?:^ {4}.*\n)+', text, re.M)[0]
    env = dict(os.environ, PATH=agent.BUILD + ':' + os.environ['PATH'])
    with OpenFolder(prefix='petrel-readme-') as folder:
        block = block.replace('/tmp/sw', folder).strip()
        start, _, ask = block.rpartition('\n')
        with subprocess.Popen(['bash', '-c', start + '\nwait'], env=env,
                              cwd=agent.TREE, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              start_new_session=True) as child:
            try:
                out = agent.wait_for(lambda: re.search(
                    r'links: +\d+ of 64 up', subprocess.run(
                        ask, shell=True, env=env, text=True, check=False,
                        capture_output=True).stdout), 60, 0.5)
            finally:
                os.killpg(child.pid, signal.SIGTERM)
    check(out, ask, 'does not answer')
    return None


def test_readme_map_of_the_tree_is_the_tree():
    with open(README, encoding='utf-8') as f:
        text = f.read().split('## The map of the tree')[1].split('\n\n')[1]
    shown = set(re.findall(r'([\w-]+)/', text))
    real = {'include', 'petrel', 'agent', 'platform', 'packaging', 'tests'}
    for part in ('agent', 'platform', 'platform/sonic', 'tests',
                 'packaging'):
        real |= {e.name for e in os.scandir(os.path.join(agent.TREE, part))
                 if e.is_dir() and e.name != '__pycache__'}
    check(shown == real, 'only in README.md:', shown - real,
          'not in README.md:', real - shown)


def test_readme_commands_are_there():
    """Each make target, program and file that it tells to use."""
    with open(README, encoding='utf-8') as f:
        text = f.read()
    with open(os.path.join(agent.TREE, 'Makefile'), encoding='utf-8') as f:
        makefile = f.read()
    for target in set(re.findall(r'^ {4}make ([a-z]+)|`make ([a-z]+)`', text,
                                 re.M)):
        name = ''.join(target)
        check(re.search('^(.* )?%s( .*)?:' % name, makefile, re.M) or
              re.search(r'\b%s\b' % name, makefile), 'make', name)
    table = text.split('`packaging/sonic/` (')[1].split('\n\n')[1]
    shown = {n for row in re.findall(r'^\| (`.*?) \|', table, re.M)
             for n in re.findall(r'`([^`]+)`', row)}
    real = set(os.listdir(os.path.join(agent.TREE, 'packaging', 'sonic')))
    check(shown == real - {'__pycache__'}, shown ^ real)


def loss_rows():
    """(fault, tests that are named) of the README's table."""
    with open(README, encoding='utf-8') as f:
        table = f.read().split('## What is lost when')[1].split('\n\n')[1]
    rows = [line.strip('|').split(' | ') for line in table.splitlines()[2:]]
    return [(r[0].strip(), re.findall('`([^`]+)`', r[-1])) for r in rows]


def test_readme_losses_have_their_tests():
    """Each is there, and so is a function with the words behind its name."""
    for fault, named in loss_rows():
        check(named, fault)
        for name in named:
            where, *words = name.split()
            found = glob.glob('%s/tests/**/%s*' % (agent.TREE, where),
                              recursive=True)
            check(found, fault, 'no', where)
            text = ''
            for path in found:
                with open(path, encoding='utf-8') as f:
                    text += f.read()
            check(not words or re.search(r'\btest_\w*%s' % words[0], text),
                  'no', name)


def test_manuals_have_the_losses_of_the_readme():
    text = ''
    for page in ('petreld.8', 'petrel-collector.8'):
        with open(os.path.join(agent.TREE, 'packaging', 'man', page),
                  encoding='utf-8') as f:
            text += f.read().split('.Ss What is lost when')[1].split('.El')[0]
    for fault, named in loss_rows():
        check('.It %s\n' % fault in text, 'no manual has:', fault)
        check(all('.Ql %s ' % n in text for n in named), named)


def test_walk_names_files_and_functions_that_are_there():
    """A function stands in the file that was named last before it."""
    with open(os.path.join(agent.TREE, 'include', 'petrel', 'README.md'),
              encoding='utf-8') as f:
        text = f.read()
    named, where = 0, None
    for path, function in re.findall(r'`([\w.]+/[\w./]+)`|`(\w+)\(\)`', text):
        if path:
            where = os.path.join(agent.TREE, path)
            check(os.path.exists(where), 'no', path)
            continue
        with open(where, encoding='utf-8') as f:
            check(re.search(r'^\w[^;=]*\b%s\(' % function, f.read(), re.M),
                  function, 'is not in', where)
        named += 1
    check(named > 20, named)
    check(len(text.split('# What to touch')[0].splitlines()) < 60, 'too long')


if __name__ == '__main__':
    agent.main(globals())

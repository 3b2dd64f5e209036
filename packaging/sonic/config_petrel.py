"""`config petrel` for SONiC's command line; goes into config/plugins/.

Writes the table PETREL of CONFIG_DB, which petreld follows by itself, and asks
petrel which value is in force then. If petreld refuses a value, the old one is
restored and the reason printed with exit status 1: a wrong row would block all
later changes. If no petreld answers, the value stays, with a note that nothing
checked it and exit status 0, so that a switch can be configured before its
agent runs.
"""
import json
import re
import shutil
import subprocess
import sys
import time

import click

TABLE = 'PETREL'
TAKEN_S = 6             # petreld looks every two seconds
LISTS = {('sonic', 'publish')}
UNITS = {'': 1, 'ms': 1, 's': 1000, 'm': 60000, 'h': 3600000, 'd': 86400000,
         'K': 2 ** 10, 'M': 2 ** 20, 'G': 2 ** 30}


def petrel_words():
    """petrel's own command: the host's, or the one in the container of the
    application extension; None: neither is there, or it does not run."""
    if shutil.which('petrel'):
        return ['petrel']
    running = ['docker', 'inspect', '-f', '{{.State.Running}}', 'petrel']
    try:
        done = subprocess.run(running, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    if done.stdout.strip() != 'true':
        return None
    terminal = ['-it'] if sys.stdin.isatty() and sys.stdout.isatty() else []
    return ['docker', 'exec', *terminal, 'petrel', 'petrel']


def connect():
    """CONFIG_DB of SONiC's own library."""
    from swsscommon.swsscommon import ConfigDBConnector
    database = ConfigDBConnector()
    database.connect()
    return database


def ask():
    """{(section, key): (value, origin)}, and what is refused; None: nobody
    answers."""
    petrel_is = petrel_words()
    if petrel_is is None:
        return None
    try:
        done = subprocess.run([*petrel_is, 'config', 'show', '--json'],
                              text=True, stdout=subprocess.PIPE, check=False)
        answer = json.loads(done.stdout)
        keys = {(r['section'].lower(), r['key']): (r['value'], r['origin'])
                for r in answer['config']}
    except (OSError, ValueError, KeyError):
        return None
    if done.returncode != 0:    # 3: not the agent's own word
        return None
    return keys, ' '.join(answer.get('notes', []))


def meaning(value):
    """The same for all spellings of a value: 1000ms and 1s, a list with
    blanks and one without."""
    number = re.fullmatch(r'([0-9]+)([a-zA-Z]*)', value)
    if number and number[2] in UNITS:
        return int(number[1]) * UNITS[number[2]]
    return [word for word in re.split(r'[, ]+', value) if word]


def check_key(now, section, key):
    """The key must exist, if an agent can be asked."""
    if now is None or (section, key) in now[0]:
        return
    known = sorted(k for s, k in now[0] if s == section)
    click.echo('no key %s in section %s; %s' % (
        key, section, 'it has ' + ', '.join(known) if known else
        'sections are ' + ', '.join(sorted({s for s, _ in now[0]}))),
               err=True)
    sys.exit(64)


def wait_taken(key, before, is_taken, put_back):
    """Waits until the value is in force; else prints why it is not.

    before: what ask() said before the change. The change may mend an error
    that was there already: it counts once petreld had time to look again.
    """
    refused = before[1] if before else ''
    now = None
    for _ in range(TAKEN_S * 2):
        time.sleep(0.5)
        now = ask()
        if now and not now[1] and is_taken(now[0].get(key)):
            return
        if now and now[1] and now[1] != refused:
            break
    if now is None:
        click.echo('written, but nothing checked it: no petreld answers; see '
                   'petrel health', err=True)
        return
    value, origin = now[0].get(key, ('', ''))
    if now[1] or origin in ('CONFIG_DB', 'built-in'):
        put_back()
        click.echo('old value restored: ' + (
            now[1] or 'petreld did not accept it; in force is %s (%s)' % (
                value, origin)), err=True)
        sys.exit(1)
    click.echo('written, but not in force: %s has %s, which overrides it' % (
        origin, value), err=True)
    sys.exit(1)


@click.group(name='petrel')
def petrel():
    """Petrel's settings in CONFIG_DB, as in petrel.conf(5)"""


@petrel.command(name='set')
@click.argument('section')
@click.argument('key')
@click.argument('value')
def set_key(section, key, value):
    """SECTION KEY VALUE, such as push collector tcp://10.0.0.1:4717"""
    section, database = section.lower(), connect()
    known, before = ask(), dict(database.get_entry(TABLE, section))
    check_key(known, section, key)
    stored = value.split(',') if (section, key) in LISTS else value
    database.mod_entry(TABLE, section, {key: stored})
    wait_taken((section, key), known,
               lambda now: now is not None and now[1] == 'CONFIG_DB' and
               meaning(now[0]) == meaning(value),
               lambda: database.set_entry(TABLE, section, before or None))


@petrel.command(name='unset')
@click.argument('section')
@click.argument('key')
def unset_key(section, key):
    """SECTION KEY: back to the file's value, or the one built in"""
    section, database = section.lower(), connect()
    known, before = ask(), dict(database.get_entry(TABLE, section))
    row = {k: v for k, v in before.items() if k != key}
    database.set_entry(TABLE, section, row or None)
    wait_taken((section, key), known,
               lambda now: now is None or now[1] != 'CONFIG_DB',
               lambda: database.set_entry(TABLE, section, before or None))


def register(cli):
    """Called by SONiC when it loads its plug-ins."""
    cli.add_command(petrel)

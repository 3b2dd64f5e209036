"""`config petrel` for SONiC's command line; goes into config/plugins/.

Writes the table PETREL of CONFIG_DB, which petreld follows by itself, and asks
petrel whether it was taken. What petreld refuses is put back as it was: a row
that is wrong would keep every later one from being taken.
"""
import json
import subprocess
import sys
import time

import click

PETREL = 'petrel'
TABLE = 'PETREL'
TAKEN_S = 6             # petreld looks every two seconds
LISTS = {('sonic', 'publish')}


def connect():
    """CONFIG_DB of SONiC's own library."""
    from swsscommon.swsscommon import ConfigDBConnector
    database = ConfigDBConnector()
    database.connect()
    return database


def ask():
    """{(section, key): (value, origin)}, and what is refused; None: nobody
    answers."""
    try:
        done = subprocess.run([PETREL, 'config', 'show', '--json'], text=True,
                              stdout=subprocess.PIPE, check=False)
        answer = json.loads(done.stdout)
        keys = {(r['section'].lower(), r['key']): (r['value'], r['origin'])
                for r in answer['config']}
    except (OSError, ValueError, KeyError):
        return None
    return keys, ' '.join(answer.get('notes', []))


def check_key(section, key):
    """There must be such a key, where there is somebody to ask."""
    now = ask()
    if now is None or (section, key) in now[0]:
        return
    known = sorted(k for s, k in now[0] if s == section)
    click.echo('no key %s in section %s; %s' % (
        key, section, 'it has ' + ', '.join(known) if known else
        'sections are ' + ', '.join(sorted({s for s, _ in now[0]}))),
               err=True)
    sys.exit(64)


def wait_taken(section, key, is_taken, put_back):
    """Until petreld says so; tells what keeps it from doing so."""
    for _ in range(TAKEN_S * 2):
        time.sleep(0.5)
        now = ask()
        if now and not now[1] and is_taken(now[0].get((section, key))):
            return
    if now is None:
        click.echo('written; the agent does not answer: see petrel health',
                   err=True)
        return
    if now[1]:
        put_back()
        click.echo('put back as it was: ' + now[1], err=True)
        sys.exit(1)
    click.echo('written, and not in force: see petrel config show --origin '
               'for a file that wins', err=True)
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
    check_key(section, key)
    before = dict(database.get_entry(TABLE, section))
    stored = value.split(',') if (section, key) in LISTS else value
    database.mod_entry(TABLE, section, {key: stored})
    wait_taken(section, key,
               lambda now: now is not None and now[1] == 'CONFIG_DB',
               lambda: database.set_entry(TABLE, section, before or None))


@petrel.command(name='unset')
@click.argument('section')
@click.argument('key')
def unset_key(section, key):
    """SECTION KEY: back to the file's value, or the one built in"""
    section, database = section.lower(), connect()
    before = dict(database.get_entry(TABLE, section))
    row = {k: v for k, v in before.items() if k != key}
    database.set_entry(TABLE, section, row or None)
    wait_taken(section, key,
               lambda now: now is None or now[1] != 'CONFIG_DB',
               lambda: database.set_entry(TABLE, section, before or None))


def register(cli):
    """Called by SONiC when it loads its plug-ins."""
    cli.add_command(petrel)

"""`config petrel` for SONiC's command line; goes into config/plugins/.

Writes the table PETREL of CONFIG_DB, which petreld follows by itself, and asks
petrel whether it was taken: nothing else.
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


def in_force(section, key):
    """(value, origin) as petrel --json has them; None: nobody answers."""
    done = subprocess.run([PETREL, 'config', 'show', '--json'], text=True,
                          stdout=subprocess.PIPE, check=False)
    try:
        rows = json.loads(done.stdout)['config']
    except (ValueError, KeyError):
        return None
    return next(((r['value'], r['origin']) for r in rows
                 if (r['section'].lower(), r['key']) == (section, key)), None)


def wait_taken(section, key, is_taken):
    """Until petreld says so; tells what keeps it from doing so."""
    for _ in range(TAKEN_S * 2):
        time.sleep(0.5)
        now = in_force(section, key)
        if now is not None and is_taken(now):
            return
    if in_force(section, key) is None:
        click.echo('written; the agent does not answer: see petrel health',
                   err=True)
        return
    click.echo('written, and not in force: see petrel status, and petrel '
               'config show --origin for a file that wins', err=True)
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
    section = section.lower()
    stored = value.split(',') if (section, key) in LISTS else value
    connect().mod_entry(TABLE, section, {key: stored})
    wait_taken(section, key, lambda now: now == (value, 'CONFIG_DB'))


@petrel.command(name='unset')
@click.argument('section')
@click.argument('key')
def unset_key(section, key):
    """SECTION KEY: back to the file's value, or the one built in"""
    section, database = section.lower(), connect()
    row = dict(database.get_entry(TABLE, section))
    row.pop(key, None)
    database.set_entry(TABLE, section, row or None)
    wait_taken(section, key, lambda now: now[1] != 'CONFIG_DB')


def register(cli):
    """Called by SONiC when it loads its plug-ins."""
    cli.add_command(petrel)

"""`show petrel` for SONiC's command line; goes into show/plugins/.

Each command runs petrel and prints its answer, with --json its JSON. With the
application extension petrel is in its container.
"""
import shutil
import subprocess
import sys

import click

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


def run(*words):
    """Runs petrel and exits with its status."""
    petrel_is = petrel_words()
    if petrel_is is None:
        click.echo('petrel is not installed on this host, and no container '
                   'petrel runs', err=True)
        sys.exit(69)
    sys.exit(subprocess.run([*petrel_is, *words], check=False).returncode)


def words_of(name, as_json, *more):
    return [name, *more] + (['--json'] if as_json else [])


def json_option(function):
    return click.option('--json', 'as_json', is_flag=True,
                        help='One JSON object.')(function)


@click.group(name='petrel', invoke_without_command=True)
@click.pass_context
def petrel(ctx):
    """Which link is about to fail, and why"""
    if ctx.invoked_subcommand is None:
        run()


def add_plain(name, text):
    """A command of petrel's that takes no argument."""
    @petrel.command(name=name, help=text)
    @json_option
    def command(as_json):
        run(*words_of(name, as_json))


def add_table(name, text):
    """A table of petrel's, for the named ports or for all."""
    @petrel.command(name=name, help=text)
    @click.argument('ports', nargs=-1)
    @json_option
    def command(ports, as_json):
        run(*words_of(name, as_json, *(ports or ['all'])))


for _name, _text in (
        ('status', 'The agent: processes, sources, own cost'),
        ('coverage', 'What is watched, and what would arm the rest')):
    add_plain(_name, _text)

for _name, _text in (
        ('ports', 'Ports, one line each'),
        ('queues', 'Queues'),
        ('buffers', 'Priority groups and pools'),
        ('modules', 'Transceivers'),
        ('links', 'Links with their peers'),
        ('lanes', 'Light, bias and errors of each lane'),
        ('changes', 'What was changed on this switch'),
        ('events', 'What happened on this switch')):
    add_table(_name, _text)


@petrel.command(name='findings')
@click.argument('finding', required=False)
@json_option
def findings(finding, as_json):
    """What is wrong, why, and what to do"""
    run(*words_of('findings', as_json, *([finding] if finding else [])))


@petrel.command(name='port')
@click.argument('name')
@json_option
def port(name, as_json):
    """Everything about one port"""
    run(*words_of('port', as_json, name))


@petrel.command(name='health')
@click.option('--agent', is_flag=True, help='Of the agent itself.')
@json_option
def health(agent, as_json):
    """One line, and an exit status"""
    run(*words_of('health', as_json, '--agent' if agent else '--links'))


@petrel.command(name='config')
@json_option
def config(as_json):
    """The configuration in force, and where it comes from"""
    run(*words_of('config', as_json, 'show', '--origin'))


def register(cli):
    """Called by SONiC when it loads its plug-ins."""
    cli.add_command(petrel)

"""The rules of the house style that are no figures: each gives its violations.

A rule takes the tree (tests/style/check) and returns places with a reason.
"""
import os
import re
import subprocess

import layers

TOP_LEVEL = {'agent', 'platform', 'include', 'packaging', 'tests', 'Makefile',
             'LICENSE', 'README.md'}
TEXT_TO_NUMBER = re.compile(
    r'\b(v?f?sscanf|fscanf|scanf|ato(?:i|l|ll|f)|strto(?:l|ll|ul|ull|d|f|imax'
    r'|umax))\s*\(')
OWN_CLEANING = re.compile(r"\b(iscntrl|isprint)\s*\(|"
                          r"(0x7f|'~'|[<>]=? ' ')[^;{}]*'\?'|"
                          r"'\?'[^;{}]*(0x7f|'~'|[<>]=? ' ')")
ONLY_CONVERTER = 'agent/base/number.c'
VAGUE = re.compile(r'^(utils?|common|misc|helpers?)\b')
COLUMNS = 80
# What each program is made of: the folders, and those below that are not its
# own.
EVERYWHERE = ('agent/base/', 'include/petrel/')
PROGRAMS = {
    'petreld': (('agent/', 'platform/') + EVERYWHERE,
                ('agent/ctl/', 'agent/collect/', 'platform/vswitch/')),
    'petrel': (EVERYWHERE + (
        'agent/ctl/', 'agent/record/', 'agent/state/', 'agent/query/',
        'agent/signature/', 'agent/config/', 'platform/module/'), ()),
    'petrel-collector': (EVERYWHERE + (
        'agent/collect/', 'agent/record/', 'agent/config/', 'agent/spool/',
        'agent/seal/'), ()),
    'petrel-vswitch': (EVERYWHERE + ('platform/vswitch/', 'platform/sim/'),
                       ()),
}
DEFINITION = re.compile(r'^\t*(?:static )?(?:const )?(?:struct|union|enum) '
                        r'(\w+) \{', re.M)
MUTATIONS = 'tests/campaign/mutations.txt'
PUBLIC_FOLDERS = {'/', '/tmp', '/usr', '/usr/src', '/var', '/var/tmp', '/opt',
                  '/srv', '/mnt', '/home', '/root', '/run', '/etc'}


def each_line(tree, suffixes):
    for path, text in tree.texts.items():
        if path.endswith(suffixes) or os.path.basename(path) in suffixes:
            for number, line in enumerate(text.splitlines(), 1):
                yield '%s:%d' % (path, number), line


def is_too_long(line):
    """A message string is never broken: it may pass the edge."""
    wide = line.expandtabs(8)
    return len(wide) > COLUMNS and not any(
        m.start() < COLUMNS < m.end() for m in re.finditer(r'"[^"]*"\S*', wide))


def lines_fit_80_columns(tree):
    return ['%s is %d columns' % (at, len(line.expandtabs(8)))
            for at, line in each_line(tree, ('.c', '.h', '.def', '.proto',
                                             'Makefile'))
            if is_too_long(line)]


def lines_end_clean(tree):
    return ['%s ends in a blank' % at for at, line in each_line(tree, ('',))
            if line != line.rstrip()] + \
        ['%s has no newline at its end' % path
         for path, text in tree.texts.items()
         if text and not text.endswith('\n')]


def indented_by_tabs(tree):
    return ['%s is indented by blanks' % at
            for at, line in each_line(tree, ('.c', '.h'))
            if not re.match(r'\t* {0,7}(?![ \t])', line)]


def numbers_come_from_number_parse(tree):
    return ['%s: %s' % (s.path, m[1]) for s in tree.sources
            if s.path != ONLY_CONVERTER
            for m in TEXT_TO_NUMBER.finditer(s.code)]


def text_is_cleaned_by_clean_alone(tree):
    """C19: one function; a module's own octets are Latin-1, and have another.
    """
    return ['%s: %s' % (s.path, ' '.join(m[0].split())[:60])
            for s in tree.sources
            if s.path.startswith(('agent/', 'platform/')) and
            s.path not in ('agent/base/clean.c',
                           'platform/module/module_decode.c')
            for m in OWN_CLEANING.finditer(s.text)]


def files_are_named_after_a_subject(tree):
    return [p for p in tree.texts if VAGUE.match(os.path.basename(p))]


def headers_are_once(tree):
    return [s.path for s in tree.sources if s.path.endswith('.h') and
            '#pragma once' not in s.text]


def own_header_comes_first(tree):
    paths = {s.path for s in tree.sources}
    found = []
    for s in tree.sources:
        own = [h for h in (s.path[:-2] + '.h',
                           'include/petrel/' +
                           os.path.basename(s.path)[:-2] + '.h') if h in paths]
        name = own[0].replace('include/', '') if own else None
        if s.path.endswith('.c') and own and \
                (not s.includes or s.includes[0][0] != name):
            found.append('%s: first include %s' % (s.path, name))
    return found


def structs_have_no_typedef(tree):
    return ['%s: %s' % (s.path, m[0]) for s in tree.sources
            for m in re.finditer(r'\btypedef\s+(?:struct|enum|union)\b[^;]*',
                                 s.code)]


def code_has_no_conditional_parts(tree):
    return ['%s: %s' % (s.path, m[0].strip()) for s in tree.sources
            for m in re.finditer(r'^[ \t]*#[ \t]*(if|ifdef|ifndef)\b.*', s.code,
                                 re.M)]


def includes_follow_the_layers(tree):
    return layers.violations(tree.sources)


def top_level_is_the_designs(tree):
    return sorted({p.split('/')[0] for p in tree.texts} - TOP_LEVEL -
                  {p for p in os.listdir(tree.root) if p.startswith('.')})


def tree_names_no_machine(tree):
    folders = {os.path.dirname(tree.root), os.path.expanduser('~')}
    patterns = [re.escape(f + '/') for f in folders - PUBLIC_FOLDERS] + \
        [r'/(?:home|Users)/\w+/']
    found = re.compile(r'(?<![\w.*$}])(?:%s)' % '|'.join(patterns))
    return ['%s: %s' % (at, line.strip()[:60])
            for at, line in each_line(tree, ('',)) if found.search(line)]


def names_of(source):
    """The name of a .c file, and of each struct, union and enum it defines."""
    name = os.path.basename(source.path)
    return {m[1] for m in DEFINITION.finditer(source.code)} | (
        {name} if name.endswith('.c') and name != 'main.c' else set())


def names_are_once(tree):
    """A file's name, and a struct's, has one meaning in a program."""
    found = []
    for program, (folders, others) in PROGRAMS.items():
        places = {}
        for s in tree.sources:
            if s.path.startswith(folders) and not s.path.startswith(others):
                for name in names_of(s):
                    places.setdefault(name, []).append(s.path)
        found += ['%s: %s in %s' % (program, name, ' '.join(paths))
                  for name, paths in sorted(places.items()) if paths[1:]]
    return found


def fuzz_targets_have_seeds(tree):
    seeds = {os.path.dirname(p) for p in tree.files}
    return [p for p in tree.texts
            for name in re.findall(r'^tests/fuzz/fuzz_(\w+)\.c$', p)
            if 'tests/fuzz/corpus/' + name not in seeds]


def makefile_is_short(tree):
    lines = tree.texts['Makefile'].count('\n')
    return ['Makefile: %d lines, at most 349' % lines] if lines > 349 else []


def mutation_is_stale(tree, path, expression):
    if path not in tree.texts:
        return 'there is no %s' % path
    done = subprocess.run(['sed', '-E', expression, path], cwd=tree.root,
                          capture_output=True, check=False)
    if done.returncode:
        return 'sed does not take %s' % expression
    return done.stdout.decode() == tree.texts[path] and \
        'it changes nothing in %s' % path


def mutations_change_their_files(tree):
    """Else a guard is no longer tried by tests/campaign/mutate."""
    wrong, names = [], set()
    for line in tree.texts.get(MUTATIONS, '').splitlines():
        fields = line.split('|', 3)
        if line.startswith('#') or len(fields) != 4:
            continue
        why = 'its name is there twice' if fields[0] in names else \
            mutation_is_stale(tree, *fields[1:3])
        names.add(fields[0])
        if why:
            wrong.append('%s: %s' % (fields[0], why))
    return wrong


RULES = (
    lines_fit_80_columns,
    lines_end_clean,
    indented_by_tabs,
    numbers_come_from_number_parse,
    text_is_cleaned_by_clean_alone,
    files_are_named_after_a_subject,
    headers_are_once,
    own_header_comes_first,
    structs_have_no_typedef,
    code_has_no_conditional_parts,
    includes_follow_the_layers,
    top_level_is_the_designs,
    tree_names_no_machine,
    names_are_once,
    fuzz_targets_have_seeds,
    mutations_change_their_files,
    makefile_is_short,
)

#!/usr/bin/env python3
"""Circles of called functions among the files of a folder: there are none.

usage: test_circles.py [FOLDER]...

A file calls another when its object has an undefined symbol that the other's
object defines: what is reached over a pointer, or only included, is no call.
Prints each set of files that lead back to themselves.
"""
import os
import subprocess
import sys


def symbols(paths):
    """By object: what it defines for others, and what it wants of them."""
    found = {path: (set(), set()) for path in paths}
    out = subprocess.run(['nm', '-gA', *paths], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, rest = line.split(':', 1)
        kind, name = rest.split()[-2:]
        if kind in 'UwT':       # a table of pointers to functions is no call
            found[path][kind != 'T'].add(name)
    return found


def objects(build, folder):
    """The objects of the sources that are there: others may be left over."""
    paths = {}
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            source = os.path.join(where, name)
            if name.endswith('.c'):
                paths[source] = '%s/obj/%s.o' % (build,
                                                 os.path.splitext(source)[0])
    found = symbols(list(paths.values()))
    return {source: found[path] for source, path in paths.items()}


def calls(found):
    owner = {name: source for source, (defined, _) in found.items()
             for name in defined}
    return {source: {owner[name] for name in wanted if name in owner}
            for source, (_, wanted) in found.items()}


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for to in graph[todo.pop()] - seen:
            seen.add(to)
            todo.append(to)
    return seen


def circles(graph):
    """Sets of files each of which leads to all others of its set."""
    reach = {source: reached(graph, source) for source in graph}
    return sorted({tuple(sorted(to for to in reach[source]
                                if source in reach[to]))
                   for source in graph if source in reach[source]})


def is_seen():
    """The counter finds what it looks for."""
    graph = {'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': {'a', 'e'}, 'e': set()}
    return circles(graph) == [('a', 'b', 'c')]


FOLDERS = ['agent', 'platform']


def main(folders):
    build = os.environ.get('PETREL_BUILD', 'build')
    print('%sok 1 - a circle is seen' % ('' if is_seen() else 'not '))
    failed = not is_seen()
    for number, folder in enumerate(folders, 2):
        graph = calls(objects(build, folder))
        found = circles(graph)
        failed |= bool(found)
        print('%sok %d - %s: %d files, %d of them call another, no circle' % (
            'not ' if found else '', number, folder, len(graph),
            sum(1 for to in graph.values() if to)))
        for files in found:
            print('# circle of %d: %s' % (len(files), ' '.join(
                os.path.relpath(f, folder) for f in files)))
    print('1..%d' % (len(folders) + 1))
    return failed


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:] or FOLDERS))

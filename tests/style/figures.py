"""The figures of the house style, section 13, over all C files."""
import collections
import os
import re

WORD = re.compile(r'[A-Za-z_]\w*')
LICENCE = re.compile(r'copyright|spdx-license|licen[sc]e', re.I)
UNDONE = re.compile(r'\b(%s)\b' % '|'.join(('TO' 'DO', 'FIX' 'ME', 'XX' 'X',
                                            'HA' 'CK')))

# Figure: (at least, at most, what the style says).
LIMITS = {
    'function_median': (0, 15, 'lines of the median function'),
    'function_p95': (0, 50, 'lines of the 95th percentile function'),
    'function_max': (0, 80, 'lines of the longest function'),
    'function_over_60_percent': (0, 1.5, 'share of functions over 60 lines'),
    'nesting_p95': (0, 3, '95th percentile of nesting'),
    'file_median': (0, 180, 'lines of the median file'),
    'file_max': (0, 700, 'lines of the longest file'),
    'small_file_percent': (0, 8, 'share of .c files under 60 lines'),
    'one_user_headers': (0, 122, 'headers that one other file includes'),
    'comment_percent': (10, 25, 'comment lines among lines'),
    'writable': (0, 2, 'writable globals and local statics'),
    'include_cycles': (0, 0, 'modules in an include cycle'),
    'fan_in_percent': (0, 40, 'share of files with the most included header'),
    'documented_percent': (90, 100, 'exported functions with a comment'),
    'undone': (0, 0, 'notes of things left undone'),
}


def percentile(values, part):
    values = sorted(values)
    return values[round(part * (len(values) - 1))] if values else 0


def comment_lines(source):
    """Numbers of lines that hold a comment's words; a licence's do not count.
    """
    return {n for c in source.comments
            if not (c.first <= 12 and LICENCE.search(c.text))
            for n in range(c.first, c.last + 1)
            if re.search(r'\w', source.lines[n - 1])}


def resolve(source, name, paths):
    """The tree's file that an include means, or None."""
    for folder in ('', 'include/', os.path.dirname(source.path) + '/'):
        path = os.path.normpath(folder + name)
        if path in paths:
            return path
    return None


def module_of(path):
    return os.path.splitext(path)[0]


def include_edges(sources):
    paths = {s.path for s in sources}
    return {s.path: {p for name, _ in s.includes
                     for p in [resolve(s, name, paths)] if p and p != s.path}
            for s in sources}


def cycles(edges):
    """Modules (x.c with x.h) from which a way of includes leads back."""
    out = {}
    for path, targets in edges.items():
        mine = out.setdefault(module_of(path), set())
        mine |= {module_of(t) for t in targets} - {module_of(path)}
    found = []
    for start in out:
        seen, todo = set(), list(out[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo += out.get(module, ())
        if start in seen:
            found.append(start)
    return sorted(found)


def one_user(sources, edges):
    """Headers of a .c that but one other file includes, and that file."""
    users = {}
    for path, targets in edges.items():
        for t in targets - {module_of(path) + '.h'}:
            users.setdefault(t, []).append(path)
    paths = {s.path for s in sources}
    return ['%s: %s' % (h, by[0]) for h, by in sorted(users.items())
            if len(by) == 1 and module_of(h) + '.c' in paths]


def used_once(sources):
    """Functions that a header declares and that are named in one other place.
    """
    words = collections.Counter(w for s in sources if s.path.endswith('.c')
                                for w in WORD.findall(s.code))
    return sorted('%s %s' % (s.path, f.name) for s in sources
                  if s.path.endswith('.c') for f in s.functions
                  if not f.is_static and f.name != 'main' and
                  words[f.name] == 2)


def undocumented(sources):
    """(exported functions, those without a comment)."""
    told = {p.name for s in sources if s.path.endswith('.h')
            for p in s.prototypes if s.is_commented(p.line)}
    exported = [(s, f) for s in sources if s.path.endswith('.c')
                for f in s.functions if not f.is_static and f.name != 'main']
    return exported, ['%s %s' % (s.path, f.name) for s, f in exported
                      if f.name not in told and not s.is_commented(f.line)]


def measure(sources):
    """Figure: (value, places that make it what it is)."""
    functions = sorted(((f.length, '%s:%d %s is %d lines' % (
        s.path, f.line, f.name, f.length)) for s in sources
        for f in s.functions), reverse=True)
    lengths = [n for n, _ in functions]
    longest = [place for _, place in functions[:8]]
    files = sorted(((len(s.lines), s.path) for s in sources), reverse=True)
    comment = sum(len(comment_lines(s)) for s in sources)
    code = sum(1 for s in sources for line in s.code.splitlines()
               if line.strip())
    edges = include_edges(sources)
    fan_in = {}
    for targets in edges.values():
        for t in targets:
            fan_in[t] = fan_in.get(t, 0) + 1
    writable = ['%s:%d %s' % (s.path, w.line, w.name) for s in sources
                if s.path.endswith('.c')
                for w in s.writable + s.writable_locals]
    exported, bare = undocumented(sources)
    single = one_user(sources, edges)
    c_files = [n for n, path in files if path.endswith('.c')]
    undone = ['%s:%d' % (s.path, c.first) for s in sources
              for c in s.comments if UNDONE.search(c.text)]
    in_cycles = cycles(edges)
    most = sorted(fan_in.items(), key=lambda row: -row[1])[:3]
    return {
        'function_median': (percentile(lengths, .5), longest),
        'function_p95': (percentile(lengths, .95), longest),
        'function_max': (max(lengths, default=0), longest),
        'function_over_60_percent': (
            round(100 * sum(n > 60 for n in lengths) / max(1, len(lengths)), 1),
            longest),
        'nesting_p95': (percentile([f.nesting for s in sources
                                    for f in s.functions], .95),
                        ['%s:%d %s' % (s.path, f.line, f.name)
                         for s in sources for f in s.functions
                         if f.nesting > 3]),
        'file_median': (percentile([n for n, _ in files], .5), []),
        'file_max': (files[0][0] if files else 0,
                     ['%s is %d lines' % (p, n) for n, p in files[:3]]),
        'small_file_percent': (round(100 * sum(n < 60 for n in c_files) /
                                     max(1, len(c_files)), 1),
                               [p for n, p in files if n < 60]),
        'one_user_headers': (len(single), single),
        'comment_percent': (round(100 * comment / max(1, code + comment)), []),
        'writable': (len(writable), writable),
        'include_cycles': (len(in_cycles), in_cycles),
        'fan_in_percent': (round(100 * max(fan_in.values(), default=0) /
                                 max(1, len(sources))),
                           ['%s is included by %d files' % m for m in most]),
        'documented_percent': (round(100 * (len(exported) - len(bare)) /
                                     max(1, len(exported))), bare),
        'undone': (len(undone), undone),
    }

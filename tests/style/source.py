"""Takes a C file apart: code without comments, comments, functions, variables.

No compiler and no tags file: it walks the top level of the file, which in the
house style holds preprocessor lines, declarations ending in a semicolon, and
functions. What a macro would expand to is not seen.
"""
import collections
import re

TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
''', re.S | re.X)
DIRECTIVE = re.compile(r'^[ \t]*\#(?:[^\n\\]|\\.)*', re.M | re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
ATTRIBUTE = re.compile(r'\b__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)')
CALLED = re.compile(r'\b([A-Za-z_]\w*)\s*\(')
LOCAL_STATIC = re.compile(r'(?:(?<=[;{}])|^)\s*(?=static\b)', re.M)

Comment = collections.namedtuple('Comment', 'first last text')
Function = collections.namedtuple('Function',
                                  'name line length nesting is_static body')
Declared = collections.namedtuple('Declared', 'name line')


def blanked(text):
    """The same lines with nothing on them."""
    return re.sub(r'[^\n]', ' ', text)


def line_of(text, position):
    return text.count('\n', 0, position) + 1


def without_blocks(text):
    """A declaration without what stands in braces, however deep."""
    while '{' in text:
        shorter = re.sub(r'\{[^{}]*\}', ' ', text)
        if shorter == text:
            break
        text = shorter
    return text


def statement_at(text, begin):
    """From begin to the semicolon that no brace holds."""
    depth = 0
    for m in re.finditer(r'[{};]', text[begin:]):
        depth += (m[0] == '{') - (m[0] == '}')
        if m[0] == ';' and not depth:
            return text[begin:begin + m.end()]
    return text[begin:]


def is_writable(declaration):
    """Whether what a declaration defines can change.

    The word that counts stands behind the last star of the declarator, or
    anywhere where there is none.
    """
    head = without_blocks(declaration).split('=', 1)[0]
    pointer = re.search(r'\(\s*\*([^()]*)\)', head)   # to a function
    part = pointer[1] if pointer else head.rpartition('*')[2]
    return 'const' not in re.findall(r'\w+', part)


def deepest(body):
    depth = most = 0
    for character in body:
        depth += (character == '{') - (character == '}')
        most = max(most, depth)
    return max(most - 1, 0)


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = text.splitlines()
        self.includes = [(m[2], m[1] == '<') for m in INCLUDE.finditer(text)]
        self.comments = []
        self.code = TOKEN.sub(self._without, text)
        self.functions, self.prototypes, self.writable = [], [], []
        self.writable_locals = []
        self._walk(ATTRIBUTE.sub(lambda m: blanked(m[0]),
                                 DIRECTIVE.sub(lambda m: blanked(m[0]),
                                               self.code)))

    def _without(self, match):
        if match['comment']:
            first = line_of(self.text, match.start())
            last = first + match['comment'].count('\n')
            self.comments.append(Comment(first, last, match['comment']))
            return blanked(match['comment'])
        return match['text'][0] + '_' * (len(match['text']) - 2) + \
            match['text'][-1]

    def _walk(self, code):
        """Cuts the top level into statements and tells what each is."""
        begin = depth = 0
        for m in re.finditer(r'[{}();]', code):
            character = m[0]
            depth += (character in '{(') - (character in '})')
            if depth:
                continue
            statement = code[begin:m.end()]
            if character == '}' and self._is_function(statement):
                self._function(code, begin, m.end())
                begin = m.end()
            elif character == ';':
                self._declaration(code, begin, statement)
                begin = m.end()

    @staticmethod
    def _is_function(statement):
        head = statement.split('{', 1)[0]
        return head.rstrip().endswith(')') and '=' not in head

    def _function(self, code, begin, end):
        head = code[begin:code.index('{', begin)]
        named = CALLED.search(head)
        name_at = begin + named.start(1)
        body = code[begin + len(head):end]
        line = line_of(code, name_at)
        self.functions.append(Function(
            named[1], line, line_of(code, end - 1) - line + 1, deepest(body),
            bool(re.search(r'\bstatic\b', head[:named.start(1)])), body))
        for local in LOCAL_STATIC.finditer(body):
            if is_writable(statement_at(body, local.end())):
                self.writable_locals.append(Declared(named[1], line))

    def _declaration(self, code, begin, statement):
        text = statement.rstrip(';').strip()
        outside = without_blocks(text).split('=', 1)[0]
        called = CALLED.search(outside)
        if re.match(r'(typedef|extern|_Static_assert)\b', text) or not text:
            return
        if called and '(*' not in outside.replace(' ', ''):
            at = begin + statement.index(called[0])
            self.prototypes.append(Declared(called[1], line_of(code, at)))
            return
        is_type = re.fullmatch(r'(struct|union|enum)\s*\w*', outside.strip())
        if not is_type and is_writable(text):
            at = begin + len(statement) - len(statement.lstrip())
            self.writable.append(Declared(outside.split()[-1],
                                          line_of(code, at)))

    def is_commented(self, line):
        """Whether a comment ends right above; a return type or an attribute on
        lines of its own may stand between.
        """
        ends = {c.last for c in self.comments}
        code = self.code.splitlines()
        for above in range(line - 1, max(line - 5, 0), -1):
            if above in ends:
                return True
            if not code[above - 1].strip() or \
                    re.search(r'[;{}]', code[above - 1]):
                return False
        return False

"""A terminal of a known size for a program that draws: tmux, with its server
and its socket in a folder of the test's own."""
import contextlib
import os
import re
import shlex
import signal
import subprocess
import time

from agent import SLOW, check, wait_for
from folder import OpenFolder


class Terminal:
    """Runs argv in it; text() is what somebody would see."""

    def __init__(self, argv, columns=80, rows=24, locale='C.UTF-8', **env):
        self.folder = OpenFolder()
        self.argv, self.size = argv, (columns, rows)
        self.env = dict(os.environ, LC_ALL=locale, **env)
        self.env.pop('TMUX', None)

    def tmux(self, *words):
        return subprocess.run(
            ['tmux', '-u', '-S', self.path + '/socket', '-f',
             self.path + '/conf', *words], env=self.env, check=True,
            capture_output=True, text=True, timeout=30 * SLOW).stdout

    def __enter__(self):
        self.path = self.folder.__enter__()
        with open(self.path + '/conf', 'w', encoding='utf-8') as f:
            f.write('set -g status off\nset -g escape-time 0\n'
                    'set -g default-terminal screen-256color\n')
        command = ' '.join(shlex.quote(w) for w in self.argv)
        self.tmux('new-session', '-d', '-x', str(self.size[0]), '-y',
                  str(self.size[1]), '%s; echo $? >%s/status; sleep 600' % (
                      command, self.path))
        return self

    def __exit__(self, *why):
        subprocess.run(['tmux', '-S', self.path + '/socket', 'kill-server'],
                       env=self.env, capture_output=True, check=False)
        self.folder.__exit__(*why)

    def text(self, *how):
        return self.tmux('capture-pane', '-p', *how)

    def type(self, *keys):
        self.tmux('send-keys', *keys)

    def resize(self, columns, rows):
        self.size = (columns, rows)
        self.tmux('resize-window', '-x', str(columns), '-y', str(rows))

    @contextlib.contextmanager
    def frozen(self):
        """Its program sees nothing of what happens meanwhile."""
        shell = self.tmux('display', '-p', '#{pane_pid}').strip()
        with open('/proc/%s/task/%s/children' % (shell, shell),
                  encoding='ascii') as f:
            pid = int(f.read().split()[0])
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def shows(self, *words, lacks=(), like=(), seconds=8):
        """Waits until all of the words are to be seen, and what is like a
        pattern of lines; gives what is. A screen may be half drawn before."""
        end = time.monotonic() + seconds * SLOW
        while True:
            text = self.text()
            missing = [w for w in words if w not in text] + \
                ['no ' + w for w in lacks if w in text] + \
                [p for p in like if not re.search(p, text, re.M)]
            if not missing:
                return text
            check(time.monotonic() < end, missing, self.size, '\n' + text)
            time.sleep(0.03)

    def ended(self):
        """Its exit status, once it has one. (tmux misses the end of a process
        now and then.)"""
        def status():
            with contextlib.suppress(OSError, ValueError):
                with open(self.path + '/status', encoding='ascii') as f:
                    return (int(f.read()),)
            return None
        code = wait_for(status, 15 * SLOW)
        check(code, 'it does not end:\n' + self.text())
        return code[0]

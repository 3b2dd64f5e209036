"""Headless Chromium, spoken to by pipes (the DevTools protocol without a socket):
opens a page at a width, tells what it asks the network for and how wide it is.
"""
import json
import os
import select
import shutil
import signal
import subprocess
import time

from agent import SLOW, check
from folder import OpenFolder


def program():
    return shutil.which('chromium') or shutil.which('google-chrome')


class Browser:
    """One process, one tab."""

    def __init__(self):
        self.folder = OpenFolder()
        self.number, self.rest, self.events = 0, b'', []

    def __enter__(self):
        path = self.folder.__enter__()
        theirs, self.to = os.pipe()
        self.come, ours = os.pipe()

        def pipes():
            a, b = os.dup(theirs), os.dup(ours)
            os.dup2(a, 3)
            os.dup2(b, 4)
        # It writes below HOME and TMPDIR whatever it is told.
        self.process = subprocess.Popen(
            [program(), '--headless=new', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--no-first-run',
             '--disable-background-networking', '--disable-extensions',
             '--user-data-dir=' + path, '--remote-debugging-pipe',
             'about:blank'], preexec_fn=pipes, close_fds=False,
            start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=path, TMPDIR=path))
        os.close(theirs)
        os.close(ours)
        self.session = None
        target = self.call('Target.createTarget', url='about:blank')
        self.session = self.call('Target.attachToTarget', flatten=True,
                                 targetId=target['targetId'])['sessionId']
        self.call('Page.enable')
        self.call('Network.enable')
        return self

    def __exit__(self, *why):
        os.close(self.to)
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.come)
        for _ in range(50):             # its children write to the last
            try:
                self.folder.__exit__(*why)
                return
            except OSError:
                time.sleep(0.05)

    def message(self, end):
        while b'\0' not in self.rest:
            left = end - time.monotonic()
            check(left > 0 and select.select([self.come], [], [], left)[0],
                  'chromium is silent')
            octets = os.read(self.come, 1 << 16)
            check(octets, 'chromium ended')
            self.rest += octets
        one, self.rest = self.rest.split(b'\0', 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        said = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            said['sessionId'] = self.session
        os.write(self.to, json.dumps(said).encode() + b'\0')
        end = time.monotonic() + 30 * SLOW
        while True:
            m = self.message(end)
            if m.get('id') == self.number:
                check('result' in m, method, m)
                return m['result']
            self.events.append(m)

    def asked(self):
        """The addresses that were asked for so far."""
        return [e['params']['request']['url'] for e in self.events
                if e['method'] == 'Network.requestWillBeSent']

    def open(self, path, width, height=800):
        self.events = []
        self.call('Emulation.setDeviceMetricsOverride', width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        self.call('Page.navigate', url='file://' + path)
        while self.value('document.readyState') != 'complete':
            time.sleep(0.02)

    def value(self, expression):
        return self.call('Runtime.evaluate', expression=expression,
                         returnByValue=True)['result'].get('value')

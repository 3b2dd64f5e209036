"""A switch and a collector with keys, and somebody on the wire between them."""
import os
import pwd
import socket
import sqlite3
import subprocess
import threading

import agent
from agent import check, wait_for

HEALTHY = os.path.join(agent.SCENARIOS, 'healthy.scenario')


def hand_over(path):
    """To the user that petreld becomes where root starts it."""
    if os.geteuid() == 0:
        for name in ('_petrel', 'nobody'):
            try:
                os.chown(path, pwd.getpwnam(name).pw_uid, -1)
                return
            except KeyError:
                pass


def keygen(path):
    """A new key in a file; the public one."""
    key = subprocess.run(
        agent.command('petrel', 'keygen', path), check=True, text=True,
        stdin=subprocess.DEVNULL, capture_output=True).stdout.strip()
    hand_over(path)
    return key


def write(path, text, mode=0o600):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


class Wire:
    """Between agent and collector: keeps what the agent says, and may change
    it."""

    def __init__(self, port, to):
        self.to, self.said, self.change = to, bytearray(), None
        self.pairs, self.ended = [], False
        self.listener = socket.create_server(('127.0.0.1', port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            try:
                other = socket.create_connection(('127.0.0.1', self.to))
            except OSError:
                one.close()
                continue
            self.pairs.append((one, other))
            for args in ((one, other, True), (other, one, False)):
                threading.Thread(target=self.pump, args=args,
                                 daemon=True).start()

    def pump(self, one, other, is_agents):
        try:
            while data := one.recv(65536):
                if is_agents:
                    self.said += data
                    data = self.change(data) if self.change else data
                other.sendall(data)
        except OSError:
            pass
        for s in (one, other):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def end(self):
        self.listener.close()
        for pair in self.pairs:
            for s in pair:
                s.close()


class SealedBed(agent.Bed):
    """Sealed both ways; nobody is authorised yet."""

    def __init__(self, takes_clear=False, scenario=HEALTHY, interval='200ms',
                 **more):
        self.collector_key, self.more, self.beat = '', {}, 200
        super().__init__(scenario, interval=interval, **more)
        self.listen = self.url
        self.switch_key = os.path.join(
            self.dir if self.root == '/' else self.root, 'switch.key')
        self.list = os.path.join(self.dir, 'authorized_switches')
        self.enrolment = os.path.join(self.dir, 'enrolment')
        self.key_file = os.path.join(self.dir, 'collector.key')
        self.own_key = keygen(self.switch_key)
        self.collector_key = keygen(self.key_file)
        write(self.collector_conf,
              '[Collector]\nlisten = %s\nspool = %s\ndatabase = %s\n'
              'insecure = %s\nkey_file = %s\nauthorized_switches = %s\n'
              'enrolment = %s\n[HTTP]\nlisten =\n' % (
                  self.listen, self.spool, self.database,
                  'yes' if takes_clear else 'no', self.key_file, self.list,
                  self.enrolment))
        self.configure()

    def configure(self, to=None, **more):
        """more: keys of [Push]."""
        self.more = {k: v for k, v in more.items() if k != 'heartbeat'}
        keys = {'collector': to or self.url,
                'collector_key': self.collector_key,
                'key_file': '/' + os.path.relpath(self.switch_key, self.root),
                'heartbeat': '%dms' % self.beat, **more}
        self.write_conf('[Push]\n' + ''.join(
            '%s = %s\n' % item for item in keys.items()), collector=False)

    def reload_agent(self):
        code, out, err = self.ask('reload')
        check(code == 0, out, err)

    def authorize(self, *lines):
        write(self.list, ''.join(line + '\n' for line in lines), 0o640)
        if self.collector.is_running():
            self.reload_collector()

    def reload_collector(self):
        before = self.collector.log().count('reload')
        self.collector.tell(1)
        check(wait_for(lambda: self.collector.log().count('reload') > before),
              self.collector.log())

    def status(self):
        return self.json('status')['collector']

    def wait_status(self, what, seconds=30):
        """Until the row of the collector is so."""
        last = {}

        def is_so():
            last.clear()
            last.update(self.status())
            return what(last)
        check(wait_for(is_so, seconds * agent.SLOW, 0.1), last,
              self.collector.log()[-2000:])
        return last

    def wait_sealed(self):
        return self.wait_status(lambda c: c['connected'] and c['sealed'])

    def wait_refused(self, words):
        return self.wait_status(lambda c: not c['connected'] and
                                words in (c['reason'] or ''))

    def ask_again(self):
        """Now, and not when the sender's patience is over."""
        self.beat = 400 - self.beat - 1
        self.configure(heartbeat='%dms' % self.beat, **self.more)
        self.reload_agent()

    def wait_more(self):
        """Until samples of now have come in."""
        had = self.last_sample()
        check(wait_for(lambda: self.last_sample() > had, 30 * agent.SLOW),
              'no more records', self.collector.log()[-2000:])

    def last_sample(self):
        try:
            with sqlite3.connect('file:%s?mode=ro' % self.database,
                                 uri=True) as db:
                return db.execute('select max(sequence) from applied '
                                  'where stream = 2').fetchone()[0] or 0
        except sqlite3.OperationalError:
            return 0

    def check_whole(self, switch=None):
        """Every record once, in order, and none missing."""
        records = [r for r in self.records(content=())
                   if switch in (None, r['switch'])]
        faults, _ = agent.missing_sequences(records)
        check(records and not faults, faults[:5])
        check(not any(r['kind'] == 'gap' for r in records), 'a gap')

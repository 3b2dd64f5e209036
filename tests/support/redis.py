"""A private redis-server in SONiC's layout, below a folder that stands for /.

Databases are filled from dumps: a list indexed by database id, or one
{key: {field: value}} a database. The server is always ended by its process id.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from folder import open_folder

IDS = {"APPL_DB": 0, "ASIC_DB": 1, "COUNTERS_DB": 2, "CONFIG_DB": 4,
       "FLEX_COUNTER_DB": 5, "STATE_DB": 6, "GB_COUNTERS_DB": 10}
SEPARATORS = {"APPL_DB": ":", "ASIC_DB": ":", "COUNTERS_DB": ":",
              "CONFIG_DB": "|", "FLEX_COUNTER_DB": ":", "STATE_DB": "|",
              "GB_COUNTERS_DB": ":", "CHASSIS_STATE_DB": "|"}
SOCKET = "var/run/redis/redis.sock"
CONFIG = "var/run/redis/sonic-db/database_config.json"


def encode(*words):
    out = [b"*%d\r\n" % len(words)]
    for word in words:
        octets = word if isinstance(word, bytes) else str(word).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(octets), octets))
    return b"".join(out)


class Client:
    """Just enough of Redis' protocol to fill a database and ask a little."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        here = os.open(os.path.dirname(path), os.O_PATH)
        try:        # sun_path is short, temporary folders may be long
            self.sock.connect("/proc/self/fd/%d/%s"
                              % (here, os.path.basename(path)))
        finally:
            os.close(here)
        self.file = self.sock.makefile("rb")

    def close(self):
        self.file.close()
        self.sock.close()

    def read(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(
                int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        return int(rest) if kind == b":" else rest.decode()

    def ask(self, *words):
        self.sock.sendall(encode(*words))
        return self.read()

    def all(self, commands):
        """Pipelines commands, some hundred at a time."""
        commands = list(commands)
        for i in range(0, len(commands), 200):
            part = commands[i:i + 200]
            self.sock.sendall(b"".join(encode(*c) for c in part))
            for _ in part:
                self.read()


class Redis:
    """One server; instances other than the first get another socket name."""

    def __init__(self, root=None, sock=SOCKET, config=True, notify="AKE"):
        self.own_root = root is None
        self.root = root or open_folder(prefix="petrel-redis-")
        self.path = os.path.join(self.root, sock)
        self.process = None
        self.notify = notify    # as SONiC has it
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if config:
            self.write_config()

    def write_config(self, sock="/" + SOCKET, ids=None, places=None):
        ids = dict(IDS, **(ids or {}))
        names = {"redis": sock}
        names.update({"redis_" + n: p for n, p in (places or {}).items()})
        whole = {
            "INSTANCES": {n: {"hostname": "127.0.0.1", "port": 6379,
                              "unix_socket_path": p}
                          for n, p in names.items()},
            "DATABASES": {n: {"id": i, "separator": SEPARATORS[n],
                              "instance": "redis_" + n
                              if n in (places or {}) else "redis"}
                          for n, i in ids.items()},
            "VERSION": "1.1"}
        path = os.path.join(self.root, CONFIG)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w") as f:
            json.dump(whole, f)
        os.rename(path + ".new", path)

    def start(self):
        here = os.path.dirname(self.path)
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket",
             os.path.basename(self.path), "--unixsocketperm", "777", "--save",
             "", "--appendonly", "no", "--databases", "100", "--dir", here,
             "--daemonize", "no", "--loglevel", "warning",
             "--notify-keyspace-events", self.notify],
            cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.client().close()
                return self
            except OSError:
                time.sleep(0.02)
        self.stop()
        raise RuntimeError("redis-server does not answer at " + self.path)

    def client(self, db=None):
        c = Client(self.path)
        if db is not None:
            c.ask("SELECT", IDS.get(db, db))
        return c

    def load(self, db, content):
        """content: {key: {field: value}}; other kinds of key as they are."""
        c = self.client(db)
        commands = []
        for key, value in content.items():
            if isinstance(value, dict):
                flat = [x for pair in value.items() for x in pair]
                if flat:
                    commands.append(["HSET", key] + [str(x) for x in flat])
            elif isinstance(value, list):
                commands.append(["RPUSH", key] + [str(x) for x in value])
            else:
                commands.append(["SET", key, str(value)])
        c.all(commands)
        c.close()

    def load_list(self, dump):
        for i, content in enumerate(dump):
            if content:
                self.load(i, content)

    def flush(self):
        c = self.client()
        c.ask("FLUSHALL")
        c.close()

    def signal(self, number):
        os.kill(self.process.pid, number)

    def kill(self):
        """As a crash does; the socket's name stays behind."""
        self.process.kill()
        self.process.wait()
        self.process = None

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        if self.own_root:
            shutil.rmtree(self.root, ignore_errors=True)

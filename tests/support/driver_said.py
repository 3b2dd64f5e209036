"""Runs driver_dump and makes what the driver said easy to look at; prints TAP."""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BUILD = os.environ.get("PETREL_BUILD", os.path.join(TOP, "build"))
PROGRAM = os.path.join(BUILD, "tests/driver_dump")
SHARED = os.environ.get("PETREL_SHARED", os.path.join(TOP, "../shared"))


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, name))
        if not good and why:
            for line in str(why)[:2000000].splitlines():
                print("# " + line)
        sys.stdout.flush()
        return good

    def skip(self, name, reason):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, reason))

    def same(self, got, want, name):
        """Both are dicts; tells what is missing, made up and wrong."""
        why = []
        for what, keys in (("missing", set(want) - set(got)),
                           ("made up", set(got) - set(want))):
            if keys:
                why.append("%d %s: %s" % (len(keys), what,
                                          sorted(keys, key=str)[:5]))
        wrong = [(k, got[k], want[k]) for k in got
                 if k in want and got[k] != want[k]]
        if wrong:
            why.append("%d wrong (key, got, want): %s" % (len(wrong),
                                                          wrong[:5]))
        return self.ok(not why and bool(want), name,
                       "\n".join(why) or "nothing to compare")

    def end(self):
        print("1..%d" % self.count)
        return 1 if self.failed else 0


class Notes:
    """What a check says, kept until its turn."""

    def __init__(self, check):
        self.lines = []
        check(self)

    def ok(self, *args):
        self.lines.append(("ok", args))

    def skip(self, *args):
        self.lines.append(("skip", args))

    def same(self, *args):
        self.lines.append(("same", args))


def side_by_side(tap, checks, count=3):
    """Runs checks that wait more than they work, so many at a time."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for notes in pool.map(Notes, checks):
            for kind, args in notes.lines:
                getattr(tap, kind)(*args)


class Said:
    """The lines of one run. Entities are named by kind and readable name:
    ("queue", "Ethernet0:3"), ("lane", "7.2"), ("module", 7)."""

    def __init__(self, text, status=0):
        self.lines = [json.loads(line) for line in text.splitlines()]
        self.status = status
        self.entities = {x["handle"]: x for x in self.of("entity")}

    def of(self, kind, **where):
        return [x for x in self.lines if x["type"] == kind
                and all(x.get(k) == v for k, v in where.items())]

    def name(self, handle):
        e = self.entities.get(handle)
        if e is None:
            return None
        kind, number = e["kind"], e["number"]
        if kind == "module":
            return kind, number
        if e["name"] or not e["parent"]:
            return kind, e["name"]      # a switch may have no name
        owner = self.name(e["parent"])
        mark = "." if kind == "lane" else ":"
        return kind, "%s%s%d" % (owner[1], mark, number)

    def names(self, kind):
        return {self.name(h)[1] for h, e in self.entities.items()
                if e["kind"] == kind}

    def samples(self, source=None, after=0, before=1 << 62):
        """{(kind, name, quantity, index): last value}"""
        return {self.name(x["handle"]) + (x["quantity"], x["index"]):
                x["value"] for x in self.of("sample")
                if (source is None or x["source"] == source)
                and after <= x["t_ns"] < before}

    def attributes(self, kind):
        """{name: {attribute: text}}; what was taken away is left out."""
        out = {}
        for x in self.of("attribute"):
            who = self.name(x["handle"])
            if who and who[0] == kind:
                out.setdefault(who[1], {})[x["attribute"]] = x["text"]
        return {n: {a: t for a, t in row.items() if t}
                for n, row in out.items()}

    def states(self, source, after=0, before=1 << 62):
        return [(x["state"], x["reason"]) for x in self.of("source",
                                                          source=source)
                if after <= x["t_ns"] < before]


def apart(samples):
    """Values, and which of a module's or lane's cannot be so."""
    faults = {k: v for k, v in samples.items()
              if k[2].endswith("_reading_faults")}
    return {k: v for k, v in samples.items() if k not in faults}, faults


def command(driver, root, seconds, *more):
    return [PROGRAM, driver, "--root", root, "--for", str(seconds)] + list(more)


def run(driver, root, seconds, *more):
    done = subprocess.run(command(driver, root, seconds, *more),
                          stdout=subprocess.PIPE, timeout=seconds + 30)
    return Said(done.stdout.decode(), done.returncode)


class Running:
    """A run that goes on while the test does things to the source."""

    def __init__(self, driver, root, seconds, *more, through=()):
        self.out = tempfile.TemporaryFile()     # a pipe would hold it up
        self.process = subprocess.Popen(
            [*through, *command(driver, root, seconds, *more)],
            stdout=self.out)
        self.limit = seconds + 30

    def said(self):
        """What was said until now."""
        text = os.pread(self.out.fileno(), 1 << 30, 0).decode()
        return Said(text[:text.rfind("\n") + 1])

    def until(self, happened):
        """Waits till happened(said) is true, or the run is over."""
        while self.process.poll() is None and not happened(self.said()):
            time.sleep(0.1)

    def end(self, happened=None):
        """All that was said, to the run's end or until it happened."""
        if happened:
            self.until(happened)
            self.process.terminate()
        try:
            self.process.wait(self.limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        said = Said(os.pread(self.out.fileno(), 1 << 30, 0).decode(),
                    self.process.returncode)
        self.out.close()
        return said


def now_ns():
    return time.monotonic_ns()

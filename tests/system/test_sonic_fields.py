#!/usr/bin/env python3
"""Each field of each dump of SONiC's databases is either compared with what the
driver says of it (test_sonic.py does), or stands on a list with a reason of its
own: tests/data/sonic_left_out.txt."""
import fnmatch
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import driver_said                                      # noqa: E402
import sonic_dumps                                      # noqa: E402
import sonic_rows                                       # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

LIST = os.path.join(HERE, "../data/sonic_left_out.txt")
# Fields that test_sonic.py compares apart from the rules, with what does it.
APART = (
    ("STATE_DB", "TRANSCEIVER_*", "last_update_time", "check_ages"),
    ("STATE_DB", "*_INFO|*", "timestamp", "check_sensor_repeats"),
    ("STATE_DB", "TRANSCEIVER_INFO|*", "type*", "check_modules"),
    ("COUNTERS_DB", "COUNTERS_QUEUE_TYPE_MAP", "*", "check_twin"),
    ("COUNTERS_DB", "COUNTERS:TIME_STAMP", "*", "check_stamps"),
    ("FLEX_COUNTER_DB", "FLEX_COUNTER_GROUP_TABLE:*", "POLL_INTERVAL",
     "check_ages"),
    ("FLEX_COUNTER_DB", "FLEX_COUNTER_GROUP_TABLE:*", "FLEX_COUNTER_STATUS",
     "check_limits"),
)


class Entry:
    def __init__(self, line, number):
        words = line.split(None, 3)
        self.number = number
        self.db, self.key, self.field = words[:3]
        self.reason = words[3].strip()
        self.key = self.key.replace("~", " ")
        self.hits = 0
        self.pattern = re.compile("%s\t%s\t%s" % tuple(
            fnmatch.translate(p).replace(r"\Z", "")
            for p in (self.db, self.key, self.field)))


def read_list():
    with open(LIST) as f:
        return [Entry(line, i + 1) for i, line in enumerate(f)
                if line.strip() and not line.startswith("#")]


def speak(dump):
    """Everything that the comparison looks at notes itself in dump.used."""
    for f in (dump.counters, dump.dom, dump.thresholds, dump.links):
        f()
    for port in dump.ports():
        dump.cage(port)
        for db, key in (("CONFIG_DB", "PORT|"), ("APPL_DB", "PORT_TABLE:")):
            row = dump.row(db, key + port)
            for field in ("alias", "description", "role", "subport", "lanes",
                          "last_down_time", "interface_type", "core_id",
                          "admin_status", "speed", "mtu", "fec", "index",
                          "autoneg", "link_training", "pfc_asym"):
                row.get(field)
    for source in {r.source for r in sonic_rows.RULES.values() if r.source}:
        sonic_rows.expect(dump, source)
        for kind in ("module", "sensor", "pool", "switch"):
            sonic_rows.attributes(dump, source, kind)


def compared(dump, db, key, field):
    if (db, key, field) in dump.used:
        return True
    table = re.split(r"[:|]", key)[0]
    sub = key.rsplit(":", 1)[0]
    r = sonic_rows.RULES.get((db, table, field)) or sonic_rows.RULES.get(
        (db, sub, field))
    if r and db != "COUNTERS_DB":
        return True     # of a row whose module or port is not there
    return any(fnmatch.fnmatchcase(db, d) and fnmatch.fnmatchcase(key, k)
               and fnmatch.fnmatchcase(field, f) for d, k, f, _ in APART)


def fields(content):
    for db, rows in content.items():
        for key, row in rows.items():
            if not isinstance(row, dict):
                row = {"": row}
            for field in row:
                yield db, key, field


def owners(content):
    """oid -> the map that names it; a CPU's objects are "CPU"."""
    out = {}
    for db in ("COUNTERS_DB", "GB_COUNTERS_DB"):
        for key, row in content.get(db, {}).items():
            m = re.fullmatch("COUNTERS_(.*)_NAME_MAP", key)
            for name, oid in (row.items() if m else ()):
                out[db, oid] = "CPU" if name.startswith("CPU") else m.group(1)
    return out


def shown(owner, db, key):
    """COUNTERS:oid:0x1500 as COUNTERS:<QUEUE>: oids mean nothing in a list."""
    table, _, oid = key.partition(":")
    if not oid.startswith("oid:") or db not in ("COUNTERS_DB",
                                                "GB_COUNTERS_DB"):
        return key
    return "%s:<%s>" % (table, owner.get((db, oid), "unnamed"))


def walk(content, entries):
    """(what nobody speaks of, how many are compared, how many left out)"""
    dump = Dump(**content)
    speak(dump)
    lost, seen, out = {}, 0, 0
    owner = owners(content)
    for db, key, field in fields(content):
        text = "%s\t%s\t%s" % (db, shown(owner, db, key), field)
        hit = [e for e in entries if e.pattern.fullmatch(text)]
        for e in hit:
            e.hits += 1
        if compared(dump, db, key, field):
            seen += 1
        elif hit:
            out += 1
        else:
            shape = re.sub(r"0x[0-9a-f]+|\d+", "#", text)
            lost.setdefault(shape, text)
    return lost, seen, out


def check_list(tap, entries):
    reasons = {}
    for e in entries:
        reasons.setdefault(e.reason.lower(), []).append(e.number)
    twice = {r: n for r, n in reasons.items() if len(n) > 1}
    twice.update({r: "short" for r in reasons if len(r) <= 15})
    tap.ok(not twice,
           "each of %d entries has a reason of its own" % len(entries), twice)


def main():
    tap = driver_said.Tap()
    entries = read_list()
    check_list(tap, entries)
    dumps = {"twin": Twin().db}
    if sonic_dumps.are_here():
        dumps.update(sonic_dumps.all_dumps())
    else:
        tap.skip("real dumps", "NO REAL DUMPS HERE: the twin was walked")
    for title, content in dumps.items():
        lost, seen, out = walk(content, entries)
        tap.ok(not lost and seen, "%s: every field is compared (%d) or left "
               "out for a reason (%d)" % (title, seen, out),
               "\n".join("nobody speaks of %s" % t.replace("\t", " ")
                         for t in list(lost.values())))
    if sonic_dumps.are_here():
        idle = ["line %d: %s %s %s" % (e.number, e.db, e.key, e.field)
                for e in entries if not e.hits]
        tap.ok(not idle, "every entry of the list leaves something out",
               "\n".join(idle))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

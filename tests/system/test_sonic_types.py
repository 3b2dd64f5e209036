#!/usr/bin/env python3
"""A key of another Redis type than SONiC's, as a half-finished upgrade or a tool
of someone leaves it: what depends on it is absent and told, with its key, and
the rest is read as before."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
import driver_said                                      # noqa: E402
from asics import Asics                                 # noqa: E402
from driver_said import Running, now_ns                 # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_twin import Twin                             # noqa: E402

# A map of names, what it names, and the sources that read by its ids.
MAPS = (
    ("COUNTERS_PORT_NAME_MAP", "port", ("counters", "rates", "phy")),
    ("COUNTERS_QUEUE_NAME_MAP", "queue", ("queues", "pfcwd", "watermarks")),
    ("COUNTERS_PG_NAME_MAP", "priority_group", ("queues", "watermarks")),
    ("COUNTERS_BUFFER_POOL_NAME_MAP", "pool", ("watermarks",)),
)
ROWS = {("port", "counters"), ("queue", "queues"), ("queue", "pfcwd"),
        ("priority_group", "queues"), ("pool", "watermarks")}


def twin_in_haste():
    """All groups are read each second, so that nobody waits for them."""
    twin = Twin(warts=False)
    twin.db["CONFIG_DB"]["CONFIG_DB_INITIALIZED"] = "1"
    for row in twin.db["FLEX_COUNTER_DB"].values():
        row["POLL_INTERVAL"] = "1000"
    for key, row in twin.db["COUNTERS_DB"].items():
        if key.startswith("COUNTERS:oid:0x15"):
            row["PFC_WD_STATUS"] = "operational"
    return twin


def rows_since(said, when, before=1 << 62):
    return {(said.name(x["handle"])[0], x["source"])
            for x in said.of("sample") if when <= x["t_ns"] < before} & ROWS


def spoil(client, key):
    client.ask("DEL", key)
    client.ask("RPUSH", key, "a", "b")


def remove_port(redis, twin, port):
    client = redis.client()
    oid = twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"][port]
    for db, command in (("COUNTERS_DB", ("HDEL", "COUNTERS_PORT_NAME_MAP",
                                         port)),
                        ("COUNTERS_DB", ("DEL", "COUNTERS:" + oid)),
                        ("APPL_DB", ("DEL", "PORT_TABLE:" + port)),
                        ("CONFIG_DB", ("DEL", "PORT|" + port))):
        client.ask("SELECT", {"COUNTERS_DB": 2, "APPL_DB": 0,
                              "CONFIG_DB": 4}[db])
        try:
            client.ask(*command)
        except RuntimeError:
            pass            # the map itself is of the wrong type
    client.close()


def map_is_told(name, kind, sources):
    """A test: the map becomes a list while it is in use, and is mended."""
    says = "%s is a list (WRONGTYPE)" % name

    def test(tap):
        twin = twin_in_haste()
        lost = {r for r in ROWS if r[0] == kind}
        with Redis() as redis:
            for db, content in twin.db.items():
                redis.load(db, content)
            run = Running("sonic", redis.root, 60, "--period-ms", "500")
            run.until(lambda s: rows_since(s, 0) == ROWS)
            client = redis.client("COUNTERS_DB")
            spoil(client, name)
            spoilt = now_ns()
            run.until(lambda s: all(
                any(says in (r or "") for _, r in s.states(x, spoilt))
                for x in sources))
            told = now_ns()
            run.until(lambda s: rows_since(s, told) >= ROWS - lost)
            remove_port(redis, twin, "Ethernet54")
            run.until(lambda s: s.of("gone"))
            mended = now_ns()
            client.ask("DEL", name)
            client.close()
            redis.load("COUNTERS_DB", {name: {
                k: v for k, v in twin.db["COUNTERS_DB"][name].items()
                if not k.startswith("Ethernet54")}})
            said = run.end(lambda s: rows_since(s, mended) == ROWS)
        got = rows_since(said, told, mended)
        tap.ok(got == ROWS - lost, "%s: all else is read, and nothing by the "
               "ids of before" % name, got ^ (ROWS - lost))
        others = {x["source"]: (x["state"], x["reason"])
                  for x in said.of("source") if told <= x["t_ns"] < mended
                  and x["source"] not in sources
                  and "WRONGTYPE" in (x["reason"] or "")}
        tap.ok(set(others) <= {"queues", "kept_watermarks"},
               "%s: … and no other source has it" % name, others)
        gone = {said.name(x["handle"])[1] for x in said.of("gone")}
        tap.ok("Ethernet54" in gone and all(g.startswith("Ethernet54")
                                            for g in gone),
               "%s: … and only a port that is removed goes" % name, gone)
        tap.ok(rows_since(said, mended) == ROWS, "%s: … until it is mended"
               % name, said.states(sources[0], mended))
    return test


def families(db):
    """The first key of each table, and of each kind of id."""
    first = {}
    for key in sorted(db):
        table, _, rest = re.split("([|:])", key + ":", maxsplit=1)
        if not table.startswith("PORT_TABLE") and table != "PORT":
            first.setdefault((table, rest.startswith("oid:") and rest[:8]),
                             key)
    return first.values()


def test_every_table(tap):
    """One key of each table is a list: its source tells it, and has all the
    rest; a map that is optional is told, too."""
    twin = Twin()
    with Redis() as redis:
        for db, content in twin.db.items():
            redis.load(db, content)
            client = redis.client(db)
            for key in families(content):
                if not key.endswith("_MAP") or db != "COUNTERS_DB":
                    spoil(client, key)
            client.close()
        for db, key in (("CONFIG_DB", "PORT|Ethernet52"),
                        ("APPL_DB", "PORT_TABLE:Ethernet54")):
            client = redis.client(db)
            spoil(client, key)
            client.close()
        said = Running("sonic", redis.root, 60, "--period-ms", "1000").end(
            lambda s: len({x["source"] for x in s.of("source")}) >= 24)
    states = {x["source"]: (x["state"], x["reason"])
              for x in said.of("source")}
    broken = {k: v for k, v in states.items() if v[0] != "fresh"}
    tap.ok(set(broken) == {"gearbox", "hft"}, "a wrong key of each table: all "
           "sources go on but that without a map", broken)
    tap.ok("COUNTERS_PORT_NAME_MAP is not a hash" in broken.get("gearbox",
                                                            "  ")[1],
           "… a map of gearboxes is told", broken)
    mute = {k for k, (_, r) in states.items()
            if "WRONGTYPE" not in (r or "")}
    tap.ok(mute <= {"hft", "fabric", "chassis"}, "… and each is told",
           {k: states[k] for k in mute})
    tap.ok("is not a hash (WRONGTYPE): it is not read" in states["changes"][1],
           "… a row of the configuration, too", states["changes"])
    tap.ok("PORT of Ethernet52 in CONFIG_DB is not a hash"
           in states["ports"][1], "… and a port's", states["ports"])


def said_of(twin, *sources):
    with Redis() as redis:
        for db, content in twin.db.items():
            redis.load(db, content)
        return Running("sonic", redis.root, 60, "--period-ms", "1000").end(
            lambda s: all(s.states(x) for x in sources))


def test_time_stamps(tap):
    twin = Twin(warts=False)
    twin.db["COUNTERS_DB"]["COUNTERS:TIME_STAMP"] = "a string, no hash"
    said = said_of(twin, "counters")
    tap.ok(said.states("counters")[-1] == (
        "fresh", "COUNTERS:TIME_STAMP is not a hash (WRONGTYPE): the age of "
        "counters is not known") and ("port", "counters") in rows_since(
            said, 0), "syncd's time stamps are told, too",
        said.states("counters"))


def test_setting_of_a_group(tap):
    """syncd's interval is not known: what it counts is read all the same."""
    twin = Twin(warts=False)
    key = "FLEX_COUNTER_GROUP_TABLE:PORT_STAT_COUNTER"
    twin.db["FLEX_COUNTER_DB"][key] = ["a", "list"]
    said = said_of(twin, "counters", "queues")
    states = [said.states(x)[-1] for x in ("counters", "queues")]
    tap.ok(states == [("fresh", "FLEX_COUNTER_GROUP_TABLE of PORT_STAT_COUNTER "
                       "is not a hash (WRONGTYPE): its interval is not known"),
                      ("fresh", None)],
           "a group's setting of the wrong type is told by its source alone",
           states)
    tap.ok(("port", "counters") in rows_since(said, 0),
           "… and its counters are read")


def test_of_one_asic(tap):
    """The reason names the ASIC; what goes for all of them does not."""
    with Asics() as asics:
        for n, redis in enumerate(asics.asic):
            twin = Twin(warts=False, asic=n)
            if n:
                twin.db["COUNTERS_DB"]["COUNTERS_QUEUE_NAME_MAP"] = ["a"]
            for db, content in twin.db.items():
                redis.load(db, content)
        said = Running("sonic", asics.root, 60, "--period-ms", "500").end(
            lambda s: ("fresh", NO_RATES) in s.states("rates") and any(
                "WRONGTYPE" in (r or "") for _, r in s.states("queues")))
    tap.ok(("fresh", "asic1: COUNTERS_QUEUE_NAME_MAP is a list (WRONGTYPE): no "
            "queues are read") in said.states("queues"),
           "a map of one ASIC is told with its name", said.states("queues"))
    tap.ok(said.states("rates")[-1] == ("fresh", NO_RATES),
           "… what goes for both is told without", said.states("rates"))


NO_RATES = "SONiC has no RATES of its ports yet"


def main():
    tap = driver_said.Tap()
    driver_said.side_by_side(tap, [map_is_told(*m) for m in MAPS] +
                             [test_every_table, test_setting_of_a_group,
                              test_time_stamps, test_of_one_asic])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

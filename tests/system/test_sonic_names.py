#!/usr/bin/env python3
"""Names, ids and passwords as no dump here has them: each is told where it is
amiss, and what is right beside it is read as ever."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
import driver_said                                      # noqa: E402
from driver_said import Running                         # noqa: E402
from redis import CONFIG, Redis                         # noqa: E402
from sonic_dumps import NAMES                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

PORTS_MAX = 4096


def all_told(said):
    return all(said.of("source", source=s) for s in
               ("counters", "queues", "watermarks", "ports", "transceivers"))


def said_of(twin, before=None):
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        if before:
            before(redis)
        return Running("sonic", redis.root, 20).end(all_told)


def last(said, source):
    return said.states(source)[-1]


def octets(said):
    return {k[1] for k in said.samples("counters") if k[2] == "if_in_octets"}


def all_ports(twin):
    return {p[0] for p in twin.ports}


def add(twin, name, oid, octets_in="5"):
    c = twin.db["COUNTERS_DB"]
    c["COUNTERS_PORT_NAME_MAP"][name] = oid
    c["COUNTERS:" + oid] = {"SAI_PORT_STAT_IF_IN_OCTETS": octets_in}


def test_odd_names(tap):
    """Blanks, separators, control characters, nothing behind the prefix."""
    twin = Twin(warts=False)
    odd = ["Ethernet 0 x", "Ethernet|7", "Ethernet:9", "Ethernet\x1b[31m",
           "Ethernet\u00e4", "Ethernet", "Ethernet0\x00y",
           "Ethernet" + "x" * 300]
    for i, name in enumerate(odd):
        add(twin, name, "oid:0x1000000%05x" % (0x50000 + i))
    said = said_of(twin)
    tap.ok(not said.of("fault") and all_ports(twin) < octets(said),
           "ports of odd names leave the others as they are",
           (last(said, "counters"), octets(said)))
    tap.ok(octets(said) - all_ports(twin) == set(odd[:5]),
           "… and are read, but for those that no port can have",
           octets(said) - all_ports(twin))


def test_ids(tap):
    for what, oid, words in (
            ("an id of two ports", None, "Ethernet0 and Ethernet8 share an"),
            ("a text that is no id", "0x10000", "Ethernet8 has '0x10000'"),
            ("no text", "", "Ethernet8 has '', not an object id"),
            ("an id without a row", "oid:0x10000000fffff", "the first of Ethernet8")):
        twin = Twin(warts=False)
        ports = twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"]
        ports["Ethernet8"] = ports["Ethernet0"] if oid is None else oid
        said = said_of(twin)
        state, reason = last(said, "counters")
        tap.ok(state == "fresh" and words in (reason or ""),
               "%s is told" % what, (state, reason))
        tap.ok(octets(said) >= all_ports(twin) - {"Ethernet8"},
               "… and the other ports go on", octets(said))


def test_maps_of_another_type(tap):
    for name, source, state in (("PORT", "counters", "broken"),
                                ("QUEUE", "queues", "fresh"),
                                ("PG", "watermarks", "fresh")):
        twin = Twin(warts=False)
        key = "COUNTERS_%s_NAME_MAP" % name
        twin.db["COUNTERS_DB"][key] = "a string, no hash"
        told = last(said_of(twin), source)
        tap.ok(told[0] == state and key in told[1] and "WRONGTYPE" in told[1],
               "%s of another type is told" % key, told)


def test_too_many_ports(tap):
    twin = Twin(warts=False)
    for i in range(2 * PORTS_MAX):
        twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"][
            "Ethernet9%05d" % i] = "oid:0x10000001%05x" % i
    said = said_of(twin)
    state, reason = last(said, "counters")
    tap.ok(state == "fresh" and "are read" in reason,
           "more ports than a switch can have are told", (state, reason))
    tap.ok(all_ports(twin) <= octets(said)
           and len(said.names("port")) == PORTS_MAX,
           "… and some are read: %d" % len(said.names("port")))


def test_ports_inside(tap):
    """Backplane and recirculation have an index of a count of their own."""
    twin = Twin(warts=False)
    for i, (name, role) in enumerate((
            ("Ethernet-BP0", None), ("Ethernet-BP4", "Int"),
            ("Ethernet-Rec0", "Rec"), ("Ethernet-IB0", "Inb"),
            ("Ethernet512", "Dpc"))):
        row = {"index": str(i + 1), "lanes": "513,514,515,516",
               "speed": "100000", "alias": name, "admin_status": "up"}
        row.update({"role": role} if role else {})
        twin.db["CONFIG_DB"]["PORT|" + name] = dict(row)
        twin.db["APPL_DB"]["PORT_TABLE:" + name] = dict(row, oper_status="up")
        twin.ports.append((name, None, 0, 513, 4, 100000))
    said = said_of(twin)
    tap.ok(said.names("port") == all_ports(twin), "ports inside are listed",
           said.names("port") ^ all_ports(twin))
    rows = said.attributes("port")
    inside = all_ports(twin) - all_ports(Twin(warts=False))
    tap.ok(not any("module" in rows[p] for p in inside),
           "… and sit in no cage, whatever their index", rows)
    got = {p: rows[p].get("first_lane") for p in ("Ethernet0", "Ethernet8")}
    tap.ok(set(got.values()) == {"1"},
           "… nor take the lanes of who does", got)
    present = {k[1] for k in said.samples("transceivers")
               if k[2] == "module_present"}
    tap.ok(present and not present & inside, "… nor miss a module", present)


def test_gearbox_by_index(tap):
    """gearsyncd's key is the port's index; the module has the line's lanes."""
    twin = Twin(warts=False)
    for name, subport, key, line in (("Ethernet512", "1", "40", "71,72"),
                                     ("Ethernet516", "2", "516", "73,74")):
        row = {"index": "40", "subport": subport, "lanes": "513,514,515,516",
               "speed": "100000", "alias": name, "admin_status": "up"}
        twin.db["CONFIG_DB"]["PORT|" + name] = dict(row)
        twin.db["APPL_DB"]["PORT_TABLE:" + name] = dict(row, oper_status="up")
        twin.db["APPL_DB"]["_GEARBOX_TABLE:interface:" + key] = {
            "name": name, "index": key, "phy_id": "3", "line_lanes": line,
            "system_lanes": "513,514,515,516"}

    def rows_of(said):
        return said.attributes("port")

    def lanes_of(said):
        return {p: tuple(rows_of(said).get(p, {}).get(a) for a in (
            "first_lane", "lane_count", "group"))
            for p in ("Ethernet512", "Ethernet516")}
    want = {"Ethernet512": ("1", "2", "gearbox 3"),
            "Ethernet516": ("3", "2", "gearbox 3")}
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        run = Running("sonic", redis.root, 10, "--period-ms", "300")
        said = run.end(lambda said: lanes_of(said) == want)
    tap.same(lanes_of(said), want,
             "a gearbox is found by the port's index or name, and its line "
             "gives the lanes of the module")


def test_rows_past_all_bounds(tap):
    """They end the connection that all others of their database come over."""
    twin = Twin(warts=False)
    ports = twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"]

    def spoil(redis):
        c = redis.client("COUNTERS_DB")
        c.ask("HSET", "COUNTERS:" + ports["Ethernet8"], "large", "x" * 9000000)
        c.all(["HSET", "COUNTERS:" + ports["Ethernet16"], "f%d" % i, "1"]
              for i in range(140000))
        c.ask("HSET", "COUNTERS:" + twin.db["COUNTERS_DB"][
            "COUNTERS_QUEUE_NAME_MAP"]["Ethernet8:2"], "big", "x" * 9000000)
        s = redis.client("STATE_DB")
        s.ask("HSET", "TRANSCEIVER_INFO|Ethernet0", "model", "x" * 9000000)
    rest = all_ports(twin) - {"Ethernet8", "Ethernet16"}

    def come(said):
        told = [said.states(s) for s in ("counters", "queues", "transceivers")]
        return octets(said) >= rest and all(
            t and t[-1][0] == "fresh" and "larger" in (t[-1][1] or "")
            for t in told)
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        spoil(redis)
        run = Running("sonic", redis.root, 40, "--period-ms", "500")
        said = run.end(come)
    tap.ok(octets(said) == rest, "rows past all bounds are left out, the rest "
           "goes on", (octets(said) ^ rest, said.states("counters")[-3:]))
    for source, name in (("counters", "Ethernet"), ("queues", "Ethernet8:2"),
                         ("transceivers", "TRANSCEIVER_INFO of Ethernet0")):
        told = last(said, source)
        tap.ok(told[0] == "fresh" and "too large" in (told[1] or "")
               and name in told[1], "… and told with %s" % source, told)
    tap.ok(len(said.names("module")) == 6, "… modules too",
           said.names("module"))


def test_sensors_of_a_large_database(tap):
    """STATE_DB with MAC addresses by the thousand, as on a switch of layer 2:
    it is searched, but not each time that the names are read."""
    twin = Twin()
    state = twin.db["STATE_DB"]
    for i in range(21000):
        state["FDB_TABLE|Vlan7:02:00:00:00:%02x:%02x" % (i >> 8, i & 255)] = {
            "port": "Ethernet0", "type": "dynamic"}
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        watch = redis.client()
        watch.ask("MONITOR")
        run = Running("sonic", redis.root, 40, "--period-ms", "500")
        run.until(lambda said: said.names("sensor"))
        c = redis.client("COUNTERS_DB")
        port = twin.ports[0][0]     # the names are read again at once
        c.ask("HSET", "COUNTERS_PORT_NAME_MAP", port, "oid:0x1000000077777")
        c.ask("HSET", "COUNTERS:oid:0x1000000077777",
              "SAI_PORT_STAT_IF_IN_OCTETS", "77")
        renumbered = driver_said.now_ns()

        def come(said):
            return ("port", port, "if_in_octets", 0) in said.samples(
                "counters", renumbered) and said.samples(
                    "sensors", renumbered + 2 * 10 ** 9)
        said = run.end(come)
        redis.client().ask("ECHO", "the end")
        asked = 0
        while b"the end" not in (line := watch.file.readline()):
            asked += b'"KEYS" "*_INFO*"' in line
        watch.close()
    tap.ok("fan1" in said.names("sensor") and not said.of("gone"),
           "sensors are found among many keys, and stay",
           (said.names("sensor"), said.of("gone")[:3]))
    readings = len(said.of("event", event="source_restarted")) + 1
    tap.ok(readings == 2 and asked == 1,
           "… and are not looked for each time", (asked, readings))


def guarded(redis, word):
    """As Broadcom's images have it: requirepass, and where the word is."""
    secret = os.path.join(redis.root, "run/redis/auth/passwd")
    os.makedirs(os.path.dirname(secret), exist_ok=True)
    with open(secret, "w") as f:
        f.write(word)
    path = os.path.join(redis.root, CONFIG)
    with open(path) as f:
        config = json.load(f)
    for instance in config["INSTANCES"].values():
        instance["password_path"] = "/run/redis/auth/passwd"
    with open(path + ".new", "w") as f:
        json.dump(config, f)
    os.rename(path + ".new", path)


def test_password(tap):
    twin = Twin(warts=False)

    def ask_for(word, have, redis):
        guarded(redis, have)
        if word:
            redis.client().ask("CONFIG", "SET", "requirepass", word)
    for what, word, have, state in (
            ("the right password", "s3cr3t", "s3cr3t\n", "fresh"),
            ("a wrong password", "s3cr3t", "other\n", "absent"),
            ("an empty password", "s3cr3t", "\n", "absent"),
            ("a password that nobody asks for", None, "s3cr3t", "fresh")):
        said = said_of(twin, lambda r, w=word, h=have: ask_for(w, h, r))
        told = last(said, "counters")
        tap.ok(told[0] == state and (state == "fresh"
                                     or "pass" in told[1].lower()),
               "%s: %s" % (what, state), told)
        tap.ok(bool(octets(said)) == (state == "fresh"),
               "… and so are the values", len(octets(said)))
        text = json.dumps(said.lines)
        tap.ok("s3cr3t" not in text, "… and it is shown to nobody")


def test_new_password(tap):
    """The switch drew another while Redis was down."""
    twin = Twin(warts=False)
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        guarded(redis, "first")
        redis.client().ask("CONFIG", "SET", "requirepass", "second")
        run = Running("sonic", redis.root, 20, "--period-ms", "300")
        run.until(lambda said: said.of("source", source="counters"))
        guarded(redis, "second")
        said = run.end(octets)
    tap.ok(octets(said) == all_ports(twin),
           "a password that changes is read anew", said.states("counters"))


def main():
    tap = driver_said.Tap()
    only = sys.argv[1:]
    for test in (test_odd_names, test_ids, test_maps_of_another_type,
                 test_too_many_ports, test_rows_past_all_bounds,
                 test_sensors_of_a_large_database,
                 test_ports_inside, test_gearbox_by_index, test_password,
                 test_new_password):
        if not only or test.__name__ in only:
            test(tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

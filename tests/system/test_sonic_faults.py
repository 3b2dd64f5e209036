#!/usr/bin/env python3
"""The sonic driver when its databases are absent, hang, die, come back with
other object ids, or answer nonsense: each is told, nothing false is handed
over, and the rest goes on.

petrel-test: timeout=240
"""
import copy
import os
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
import driver_said                                      # noqa: E402
import sonic_rows                                       # noqa: E402
from driver_said import Running, now_ns                 # noqa: E402
from fake_redis import FakeRedis                        # noqa: E402
from redis import IDS, Redis, SOCKET                    # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

S = 10 ** 9
OK = b"+OK\r\n"


def load(redis, twin):
    for name, content in twin.db.items():
        redis.load(name, content)


def reload_at_once(redis, twin):
    """Everything is another switch's from one moment to the next."""
    c = redis.client()
    commands = [["MULTI"], ["FLUSHALL"]]
    for name, content in twin.db.items():
        commands.append(["SELECT", IDS[name]])
        for key, row in content.items():
            if row:
                commands.append(["HSET", key] + [x for p in row.items()
                                                 for x in p])
    c.all(commands)
    c.ask("EXEC")
    c.close()
    return now_ns()


def values(said, quantity, after=0, before=1 << 62):
    """{port: set of values} of a port's quantity."""
    out = {}
    for x in said.of("sample", quantity=quantity):
        if after <= x["t_ns"] < before:
            out.setdefault(said.name(x["handle"])[1], set()).add(x["value"])
    return out


def expected(twin, quantity):
    return {k[1]: {v} for k, v in Dump(**twin.db).counters().items()
            if k[2] == quantity}


def are_read(twin, *quantities, after=0):
    """A condition: each port's (queue's) values came, and since after."""
    def happened(said):
        return all(set(values(said, q, after)) >= set(expected(twin, q))
                   for q in quantities)
    return happened


def test_stopped(tap):
    with Redis() as redis:
        twin = Twin()
        load(redis, twin)
        run = Running("sonic", redis.root, 60, "--period-ms", "1000")
        run.until(are_read(twin, "if_in_octets"))
        redis.signal(signal.SIGSTOP)
        stopped = now_ns()
        time.sleep(6)
        redis.signal(signal.SIGCONT)
        going = now_ns()
        said = run.end(are_read(twin, "if_in_octets", after=going))
    old = [x for x in said.of("sample")
           if stopped + S // 5 < x["t_ns"] < going]
    tap.ok(not old, "a stopped redis gives no values", old[:3])
    told = said.states("counters", stopped, going)
    tap.ok(told and told[0][0] == "absent"
           and "redis.sock" in told[0][1] and "no reply" in told[0][1],
           "a stopped redis is told: which socket, and what", told)
    tap.ok(any(" s)" in r for _, r in told), "… and since when", told)
    first = said.of("source", source="counters", state="absent")[0]["t_ns"]
    tap.ok(first - stopped < 3.5 * S, "… within 3.5 s",
           (first - stopped) / S)
    longest = said.of("longest_call")[0]["ns"]
    tap.ok(longest < S // 2, "the driver itself never waits", longest)
    tap.ok(values(said, "if_in_octets", going),
           "a redis that goes on is read again",
           said.states("counters", going))


def test_killed(tap):
    """Renumbered: what was Ethernet0's id is another port's now."""
    before, after = Twin(seed=7), Twin(seed=8, first_oid=0x1001)
    redis = Redis()
    try:
        redis.start()
        load(redis, before)
        run = Running("sonic", redis.root, 60, "--period-ms", "500")
        run.until(are_read(before, "if_in_octets", "queue_octets"))
        redis.kill()
        killed = now_ns()
        run.until(lambda said: said.states("counters", killed))
        time.sleep(1)
        redis.start()
        load(redis, after)
        loaded = now_ns()
        said = run.end(are_read(after, "if_in_octets", "queue_octets",
                                after=loaded))
    finally:
        redis.stop()
        shutil.rmtree(redis.root)
    tap.same(values(said, "if_in_octets", 0, killed),
             expected(before, "if_in_octets"), "before kill -9: its values")
    quiet = [x for x in said.of("sample")
             if killed + S // 5 < x["t_ns"] < loaded - 3 * S]
    tap.ok(not quiet, "a killed redis gives no values", quiet[:3])
    told = said.states("counters", killed, loaded)
    tap.ok(any(s == "absent" for s, _ in told), "kill -9 is told", told)
    got = values(said, "if_in_octets", killed)
    tap.same(got, expected(after, "if_in_octets"),
             "after renumbering: each port's own values and no others")
    queues = values(said, "queue_octets", killed)
    tap.same(queues, expected(after, "queue_octets"),
             "after renumbering: each queue's own values and no others")
    tap.ok(said.of("event", event="source_restarted"),
           "other object ids are an event")
    tap.ok(not said.of("fault") and not said.of("gone"),
           "the entities live on", said.of("gone")[:3])


def test_renumbered(tap):
    """The same without losing the connection: orchagent began anew."""
    before, after = Twin(seed=7), Twin(seed=8, first_oid=0x1003)
    with Redis() as redis:
        load(redis, before)
        run = Running("sonic", redis.root, 60, "--period-ms", "300")
        run.until(are_read(before, "if_in_octets"))
        changed = reload_at_once(redis, after)
        said = run.end(are_read(after, "if_in_octets", after=changed + 2 * S))
    tap.same(values(said, "if_in_octets", changed + S),
             expected(after, "if_in_octets"),
             "renumbered while connected: each port's own values")
    both = values(said, "if_in_octets")
    old, new = (expected(t, "if_in_octets") for t in (before, after))
    false = {p: v for p, v in both.items() if not v <= old[p] | new[p]}
    tap.ok(not false, "… and never another port's", false)


def test_appears(tap):
    """Nothing is there; then the file, on another socket; then its redis."""
    twin = Twin()
    redis = Redis(sock="var/run/redis/other.sock", config=False)
    try:
        run = Running("sonic", redis.root, 60, "--period-ms", "500")
        run.until(lambda said: said.states("counters"))
        redis.write_config("/var/run/redis/other.sock", {"COUNTERS_DB": 22})
        redis.start()
        for name, content in twin.db.items():
            redis.load(22 if name == "COUNTERS_DB" else name, content)
        said = run.end(are_read(twin, "if_in_octets"))
    finally:
        redis.stop()
        shutil.rmtree(redis.root)
    first = said.states("counters")[0]
    tap.ok(first[0] == "absent" and "/var/run/redis/redis.sock" in first[1]
           and "No such file" in first[1],
           "an absent database is told, with its socket", first)
    tap.same(values(said, "if_in_octets"), expected(twin, "if_in_octets"),
             "database_config.json that comes later is followed")


def test_bad_config(tap):
    with Redis() as redis:
        load(redis, Twin())
        path = os.path.join(redis.root,
                            "var/run/redis/sonic-db/database_config.json")
        with open(path, "w") as f:
            f.write('{"INSTANCES": {}, "DATABASES": {"COUNTERS_DB": '
                    '{"id": 2, "separator": ":", "instance": "redis"}}}')
        run = Running("sonic", redis.root, 60, "--period-ms", "1000")
        run.until(lambda said: said.states("counters"))
        redis.write_config()
        said = run.end(lambda said: values(said, "if_in_octets"))
    first = said.states("counters")[0]
    tap.ok(first[0] == "broken" and "database_config.json" in first[1]
           and "instance 'redis'" in first[1],
           "a wrong database_config.json is told", first)
    tap.ok(values(said, "if_in_octets"), "… and read again when mended")


def test_override(tap):
    redis = Redis(sock="tmp/" + "long/" * 30 + "r.sock", config=False)
    try:
        redis.start()
        load(redis, Twin())
        said = driver_said.run("sonic", redis.root, 1.5,
                               "redis=/tmp/" + "long/" * 30 + "r.sock")
    finally:
        redis.stop()
        shutil.rmtree(redis.root)
    tap.ok(values(said, "if_in_octets"),
           "option redis is obeyed, and a path may be longer than sun_path",
           said.states("counters"))


def test_bad_rows(tap):
    twin = Twin()
    oids = twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"]
    counters = twin.db["COUNTERS_DB"]
    counters["COUNTERS:" + oids["Ethernet8"]] = "a string, no hash"
    counters["COUNTERS:" + oids["Ethernet16"]].update(
        {"SAI_PORT_STAT_IF_IN_ERRORS": "x" * (2 << 20),
         "SAI_PORT_STAT_IF_IN_DISCARDS": "12frames"})
    del counters["COUNTERS:" + oids["Ethernet24"]]
    oids["EthernetX" + "y" * 200] = "oid:0x1000000000099"
    oids["Ethernet999"] = "no oid"
    twin.db["STATE_DB"]["TRANSCEIVER_DOM_SENSOR|Ethernet0"][
        "temperature"] = "hot"
    with Redis() as redis:
        load(redis, twin)
        run = Running("sonic", redis.root, 60, "--period-ms", "500")
        run.until(lambda said: said.states("counters") and said.states("dom"))
        c = redis.client("COUNTERS_DB")
        c.ask("DEL", "COUNTERS:" + oids["Ethernet32"])
        c.close()
        deleted = now_ns()
        said = run.end(lambda said: values(said, "if_in_octets",
                                           deleted + 2 * S))
    states = said.states("counters")
    tap.ok(states[0][0] == "fresh"
           and any(w in states[0][1] for w in ("WRONGTYPE", "12frames",
                                               "xxxx")),
           "a row that is wrong is told, with its port", states[0])
    got = values(said, "if_in_octets", deleted + S // 5)
    tap.ok("Ethernet8" not in got and "Ethernet24" not in got
           and "Ethernet32" not in got,
           "no row, no values; a port that vanishes has none", sorted(got))
    tap.ok({"Ethernet0", "Ethernet16", "Ethernet40"} <= set(got),
           "the other ports go on", sorted(got))
    odd = values(said, "if_in_discards").get("Ethernet16")
    tap.ok(not odd, "a text that is no number is no value", odd)
    dom = said.states("dom")[0]
    tap.ok(dom[0] == "fresh" and "temperature is 'hot'" in (dom[1] or ""),
           "… and told, with its place", dom)
    tap.ok(said.status == 0, "the contract holds", said.of("fault"))


NO_SUCH_CODE = 1 << 3     # a bit of what cannot be so


def spoil(db, key, row):
    """A row as another release, or a broken one, might write it."""
    field = sorted(f for f in row if f not in ("last_update_time",
                                               "timestamp"))[0]
    db[key] = dict(row, **{field: "z" * (1 << 20), "of_a_later_release": "1",
                           "": "no name", "v" * 300: "long"})
    return field


def test_odd_tables(tap):
    """Each table in turn: one row no hash, one with a megabyte where a value
    should be and fields that nobody knows; all else goes on as it was."""
    twin = Twin()
    whole = Dump(**copy.deepcopy(twin.db))
    odd = {}        # source: entities whose rows were touched
    for source, db, table in (
            ("status", "STATE_DB", "TRANSCEIVER_STATUS_SW|"),
            ("causes", "STATE_DB", "PORT_OPERR_TABLE|"),
            ("pm", "STATE_DB", "TRANSCEIVER_PM|"),
            ("vdm", "STATE_DB", "TRANSCEIVER_VDM_REAL_VALUE|"),
            ("heat", "STATE_DB", "TRANSCEIVER_DOM_TEMPERATURE|"),
            ("flag_changes", "STATE_DB", "TRANSCEIVER_DOM_FLAG_CHANGE_COUNT|"),
            ("phy", "COUNTERS_DB", "PORT_PHY_ATTR:"),
            ("rates", "COUNTERS_DB", "RATES:"),
            ("sensors", "STATE_DB", "PSU_INFO|")):
        keys = sorted(k for k in twin.db[db] if k.startswith(table))
        odd[source] = spoil(twin.db[db], keys[0], twin.db[db][keys[0]])
        twin.db[db][keys[1]] = "a string, no hash"
    with Redis() as redis:
        load(redis, twin)
        said = driver_said.run("sonic", redis.root, 2.5)
    tap.ok(said.status == 0 and not said.of("fault"),
           "odd rows in every table: the contract holds", said.of("fault"))
    for source, field in odd.items():
        want = sonic_rows.expect(whole, source)
        got, faults = driver_said.apart(said.samples(source))
        state, reason = said.states(source)[-1]
        tap.ok(got and set(got) < set(want)
               and all(want[k] == v for k, v in got.items()),
               "%s: what is wrong is absent, the rest is right" % source,
               [(k, got[k], want.get(k)) for k in got
                if got[k] != want.get(k)][:3])
        tap.ok(state == "fresh" and reason and (
            "WRONGTYPE" in reason or field in reason),
            "%s: … and told" % source, (state, reason))
        tap.ok(sum(v != 0 for k, v in faults.items() if k[0] == "lane")
               == (source == "vdm") and
               all(v in (0, NO_SUCH_CODE) for v in faults.values()),
               "%s: … a lane's as what cannot be so" % source, faults)


def test_swap(tap):
    twin = Twin()
    with Redis() as redis:
        load(redis, twin)
        run = Running("sonic", redis.root, 6, "--period-ms", "400")
        time.sleep(1.5)
        c = redis.client("STATE_DB")
        # A second sub-port's row is not what counts.
        c.ask("HSET", "TRANSCEIVER_INFO|Ethernet50", "serial", "OTHER")
        c.ask("HSET", "TRANSCEIVER_INFO|Ethernet0", "serial", "SWAPPED")
        swapped = now_ns()
        time.sleep(1.5)
        c.ask("DEL", "TRANSCEIVER_INFO|Ethernet8")
        c.ask("HSET", "TRANSCEIVER_INFO|Ethernet56", "serial", "NEW",
              "model", "M", "manufacturer", "V")
        c.close()
        c = redis.client("APPL_DB")
        c.ask("HSET", "PORT_TABLE:Ethernet0", "oper_status", "down")
        time.sleep(1)
        c.ask("HSET", "PORT_TABLE:Ethernet0", "oper_status", "up")
        c.close()
        said = run.end()
    modules = [h for h, e in said.entities.items()
               if e["kind"] == "module" and e["number"] == 1]
    tap.ok(len(modules) == 2, "another serial number is another module")
    tap.ok([x["handle"] for x in said.of("gone")][:1] == modules[:1],
           "… and the old one is gone")
    lanes = {x["handle"] for x in said.of("sample", quantity="lane_rx_power_pw")
             if x["t_ns"] > swapped}
    tap.ok(any(said.entities[h]["parent"] == modules[-1] for h in lanes),
           "… with readings and lanes of its own")
    events = [(x["event"], x["value"]) for x in said.of("event")]
    tap.ok(sorted(e for e in events if e[0].startswith("module")) ==
           [("module_inserted", 1), ("module_inserted", 8),
            ("module_removed", 1), ("module_removed", 2)],
           "insertions and removals are events", events)
    links = [e for e, _ in events if e.startswith("link")]
    tap.ok(links == ["link_down", "link_up"], "a link that changes is an event",
           events)
    tap.ok(said.status == 0, "the contract holds", said.of("fault"))


def test_two_instances(tap):
    """STATE_DB lives elsewhere and hangs: the counters go on."""
    twin, root = Twin(), tempfile.mkdtemp(prefix="petrel-redis-")
    one, two = Redis(root), Redis(root, "var/run/redis1/redis.sock",
                                  config=False)
    one.write_config(places={"STATE_DB": "/var/run/redis1/redis.sock"})
    try:
        one.start()
        two.start()
        load(one, twin)
        one.client("STATE_DB").ask("FLUSHDB")
        two.load("STATE_DB", twin.db["STATE_DB"])
        run = Running("sonic", root, 8, "--period-ms", "1000")
        time.sleep(2)
        two.signal(signal.SIGSTOP)
        stopped = now_ns()
        said = run.end()
    finally:
        one.stop()
        two.stop()
        shutil.rmtree(root)
    tap.ok(values(said, "module_temp_mc", 0, stopped),
           "an instance of its own is found through the file")
    times = sorted({x["t_ns"] for x in said.of("sample",
                                               quantity="if_in_octets")
                    if x["t_ns"] > stopped})
    gaps = [b - a for a, b in zip(times, times[1:])]
    tap.ok(len(times) > 4 and max(gaps) < 1.3 * S,
           "one hanging instance makes no other source's sample late", gaps)
    tap.ok(values(said, "oper_status", stopped + 4 * S),
           "… nor the links'", said.states("ports")[-2:])
    last = said.states("dom")[-1]
    tap.ok(last[0] == "absent" and "redis1/redis.sock" in last[1],
           "… and its own sources are absent", last)


def nonsense():
    """name, answer to all but SELECT, states allowed, word of the reason"""
    big = b"$%d\r\n" % (8 << 20) + b"x" * (5 << 20)
    return (
        ("LOADING", b"-LOADING Redis is loading the dataset in memory\r\n",
         ("absent",), "LOADING"),
        ("NOAUTH", b"-NOAUTH Authentication required.\r\n",
         ("broken",), "NOAUTH"),
        ("OOM", b"-OOM command not allowed when used memory > 'maxmemory'\r\n",
         ("broken",), "OOM"),
        ("MOVED", b"-MOVED 3999 127.0.0.1:6381\r\n", ("broken",), "MOVED"),
        ("MISCONF", b"-MISCONF Redis is configured to save RDB snapshots\r\n",
         ("broken",), "MISCONF"),
        ("a push of RESP3", b">2\r\n$10\r\ninvalidate\r\n*0\r\n",
         ("absent", "broken"), ""),
        ("a map of RESP3", b"%1\r\n$1\r\na\r\n$1\r\nb\r\n",
         ("absent", "broken"), ""),
        ("a double of RESP3", b",1.5\r\n", ("absent", "broken"), ""),
        ("a negative array", b"*-1\r\n", ("absent", "broken"), ""),
        ("a nil", b"$-1\r\n", ("absent", "broken"), "wrong type"),
        ("a set of RESP3", b"~1\r\n+x\r\n", ("absent", "broken"), ""),
        ("no protocol", b"HTTP/1.1 400 Bad Request\r\n\r\n", ("absent",),
         "Protocol error"),
        ("an endless string", big, ("absent",), "4 MiB"),
        ("nested arrays", b"*1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n",
         ("absent", "broken"), "wrong type"),
        ("a huge array", b"*2000000000\r\n", ("absent",), "too many elements"),
        ("integers", b":7\r\n", ("absent", "broken"), "wrong type"),
        ("two answers to each", b"*0\r\n*0\r\n", ("absent", "broken"),
         "unexpected octets"),
        ("half an answer, then the end", None, ("absent",), "closed"),
    )


def greetings():
    """SELECT itself is answered with another shape."""
    return [
        ("greeted by " + name, reply, ("absent",), word)
        for name, reply, word in (
            ("an array", b"*2\r\n$1\r\na\r\n$1\r\nb\r\n", "wrong type"),
            ("an array of nil", b"*1\r\n$-1\r\n", "wrong type"),
            ("nested arrays", b"*1\r\n*1\r\n$1\r\na\r\n", "wrong type"),
            ("a nil", b"$-1\r\n", "wrong type"),
            ("an integer", b":1\r\n", "wrong type"),
            ("another word", b"+QUEUED\r\n", "wrong type"),
            ("a push of RESP3", b">1\r\n+x\r\n", "Protocol error"),
            ("LOADING", b"-LOADING wait\r\n", "LOADING"))]


def nonsense_is_told(case, right):
    """The test of a case; right: commands that are answered as they should."""
    name, reply, states, word = case

    def test(tap):
        root = tempfile.mkdtemp(prefix="petrel-redis-")
        fake = FakeRedis(os.path.join(root, SOCKET),
                         lambda words, db: OK if words[0] in right else reply)
        try:
            said = Running("sonic", root, 20, "--period-ms", "500").end(
                lambda s: any(word in (r or "")
                              for _, r in s.states("counters")))
        finally:
            fake.close()
            shutil.rmtree(root)
        told = said.states("counters")
        tap.ok(not said.of("fault") and told and not said.of("sample")
               and all(s in states for s, _ in told)
               and any(word in (r or "") for _, r in told),
               "%s is told and gives no values" % name, told[:3])
    test.__name__ = "test_" + name
    return test


def main():
    tap = driver_said.Tap()
    only = sys.argv[1:]
    tests = [test_stopped, test_killed, test_renumbered, test_appears,
             test_bad_config, test_override, test_bad_rows, test_odd_tables,
             test_swap, test_two_instances]
    tests += [nonsense_is_told(case, ("SELECT",)) for case in nonsense()]
    tests += [nonsense_is_told(case, ()) for case in greetings()]
    driver_said.side_by_side(tap, [t for t in tests if not only or
                                   t.__name__ in only])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

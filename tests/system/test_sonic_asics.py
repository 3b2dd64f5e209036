#!/usr/bin/env python3
# petrel-test: timeout=120
"""A SONiC switch of two ASICs: each one's databases field by field, one that
hangs or dies leaves the other alone, and the file that names them may come
late or be wrong."""
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
sys.path.insert(0, HERE)
import driver_said                                      # noqa: E402
from agent import SLOW, Bed, wait_for                   # noqa: E402
import sonic_dumps                                      # noqa: E402
import test_sonic                                       # noqa: E402
from asics import (GLOBAL, Asics, of_asic, part, top,   # noqa: E402
                   write)
from driver_said import Running, now_ns                 # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

S = 10 ** 9


def load(redis, content):
    for name in test_sonic.NAMES:
        if name in content:
            redis.load(name, content[name])


def twins():
    """The same object ids on both: only the place tells them apart."""
    return [Twin(seed=20 + n, asic=n) for n in (0, 1)]


def test_compared(tap, title, contents):
    with Asics(len(contents)) as asics:
        for redis, content in zip(asics.asic, contents):
            load(redis, content)
        name = contents[0]["CONFIG_DB"]["DEVICE_METADATA|localhost"]
        asics.host.load("CONFIG_DB", {"DEVICE_METADATA|localhost":
                                      {"hostname": name["hostname"]}})
        asics.host.load("STATE_DB", {"TEMPERATURE_INFO|Inlet":
                                     {"temperature": "31.5"}})
        said = driver_said.run("sonic", asics.root, 2.5)
    tap.ok(said.status == 0 and not said.of("fault"),
           title + ": the contract holds", said.of("fault")[:5])
    for n, content in enumerate(contents):
        name = "asic%d" % n
        mine = part(said, name)
        test_sonic.compare(tap, "%s: %s" % (title, name), mine,
                           Dump(**of_asic(content)))
    stray = {e["kind"] for h, e in said.entities.items()
             if e["kind"] in ("port", "pool", "module", "queue")
             and top(said, h) is None}
    tap.ok(said.names("sensor") == {"Inlet"},
           title + ": sensors are the host's", said.names("sensor"))
    tap.ok(not stray, title + ": ports, pools and modules hang below their "
           "ASIC", stray)
    return said


def gaps(said, asic, after):
    """Seconds between an ASIC's counters."""
    times = sorted({x["t_ns"] for x in said.of("sample",
                                               quantity="if_in_octets")
                    if x["t_ns"] > after and top(said, x["handle"]) == asic})
    return [(b - a) / S for a, b in zip([after] + times, times)]


def test_one_hangs(tap):
    both = twins()
    with Asics() as asics:
        for redis, twin in zip(asics.asic, both):
            load(redis, twin.db)
        run = Running("sonic", asics.root, 13, "--period-ms", "1000")
        time.sleep(2.5)
        asics.asic[1].signal(signal.SIGSTOP)
        stopped = now_ns()
        time.sleep(5)
        going = now_ns()        # before: it may answer at once
        asics.asic[1].signal(signal.SIGCONT)
        time.sleep(3.4)
        asics.asic[1].kill()
        killed = now_ns()
        said = run.end()
    late = gaps(said, "asic0", stopped)
    tap.ok(len(late) > 6 and max(late) < 1.6,
           "an ASIC whose database hangs or dies never holds up the other",
           late)
    tap.ok(not [x for x in said.of("sample")
                if stopped + S // 5 < x["t_ns"] < going
                and top(said, x["handle"]) == "asic1"],
           "… and gives no values itself")
    for word, told in (("hangs", said.states("counters", stopped + 3 * S,
                                             going)),
                       ("is dead", said.states("counters", killed + S))):
        tap.ok(told and all(s == "limited" and r.startswith("asic1: ")
                            and "redis1/redis.sock" in r for s, r in told),
               "a source of which one part %s is limited, and says which"
               % word, told[:3])
    tap.ok(any(s == "fresh" for s, _ in said.states("counters", going, killed)),
           "… and is fresh again when all answer",
           said.states("counters", going, killed))


def test_comes_late(tap):
    """At boot the host's databases are there first."""
    both = twins()
    with Asics(global_file=False) as asics:
        for redis, twin in zip(asics.asic, both):
            load(redis, twin.db)
        run = Running("sonic", asics.root, 13, "--period-ms", "500")
        time.sleep(1)
        write(asics.root, GLOBAL, {"INCLUDES": [{"namespace": "asic0"}]})
        time.sleep(5.5)
        asics.write_global()
        said = run.end()
    told = [r or "" for _, r in said.states("counters")]
    tap.ok(any("database_global.json" in r and "asic0" in r for r in told),
           "a wrong database_global.json is told, with the namespace", told)
    got = {top(said, x["handle"]) for x in said.of("sample",
                                                   quantity="if_in_octets")}
    tap.ok(got == {"asic0", "asic1"}, "one that comes late is followed", got)


def test_one_name_on_two(tap):
    """Ethernet0 is on both ASICs: each answer tells which, each filter takes
    either, and a name that is of two is none."""
    both = [Twin(seed=20 + n, warts=False) for n in (0, 1)]
    down = "PORT_TABLE:Ethernet0"
    both[1].db["APPL_DB"][down]["oper_status"] = "down"
    with Asics() as asics:
        for redis, twin in zip(asics.asic, both):
            load(redis, twin.db)
        with Bed(driver="sonic", root=asics.root, collector=False) as bed:
            bed.agent.start()
            bed.wait_serving()
            wait_for(lambda: sum(
                r["port"].endswith(":Ethernet0") and bool(r["oper_status"])
                for r in bed.json("ports")["ports"]) == 2
                and bed.json("lanes", "all")["lanes"], 30 * SLOW, 0.2)
            rows = bed.json("ports", "Ethernet0")["ports"]
            tap.same({(r["port"], r["asic"]): r["oper_status"] for r in rows},
                     {("asic0:Ethernet0", "asic0"): "up",
                      ("asic1:Ethernet0", "asic1"): "down"},
                     "two ports of one name are told apart, by ASIC")
            for verb, table in (("links", "links"), ("queues", "queues"),
                                ("ports", "ports"), ("lanes", "lanes")):
                more = ("--all",) if verb == "queues" else ()
                got = {(r["port"], r["asic"]) for r in
                       bed.json(verb, *more, "asic1:Ethernet0")[table]}
                tap.ok(got == {("asic1:Ethernet0", "asic1")},
                       "… by the filter of %s as well" % verb, got)
            got = [r["port"] for r in
                   bed.json("ports", "asic1:Ethernet0-8/8")["ports"]]
            tap.ok(got == ["asic1:Ethernet0", "asic1:Ethernet8"],
                   "… and by a range", got)
            code, _, said = bed.ask("port", "Ethernet0")
            tap.ok(code == 66 and "asic0:Ethernet0, asic1:Ethernet0" in said,
                   "a name that two ports have is asked back", (code, said))
            one = bed.json("port", "asic1:Ethernet0")["port"]
            tap.ok(one["port"] == "asic1:Ethernet0" and one["asic"] == "asic1"
                   and one["oper_status"] == "down",
                   "… and answered with its ASIC", one)
            one = bed.json("events", "asic1:Ethernet0")
            tap.ok(all(e["entity"] == "asic1:Ethernet0"
                       for e in one["events"]), "events have it, too", one)


def main():
    tap = driver_said.Tap()
    test_compared(tap, "two ASICs", [t.db for t in twins()])
    if sonic_dumps.are_here():
        test_compared(tap, "asic0 and asic1", [sonic_dumps.mock("asic0"),
                                               sonic_dumps.mock("asic1")])
    else:
        tap.skip("real dumps", "NO REAL DUMPS HERE: the twin was compared")
    test_one_name_on_two(tap)
    test_one_hangs(tap)
    test_comes_late(tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

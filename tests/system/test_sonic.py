#!/usr/bin/env python3
"""The sonic driver against a real redis-server: all that the databases name is
listed, with the right values, and nothing else. Two real dumps (where they are
to be had) and a switch of the project's own."""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
import driver_said                                      # noqa: E402
from redis import Redis                                 # noqa: E402
import sonic_dumps                                      # noqa: E402
import sonic_rows                                       # noqa: E402
from sonic_dumps import NAMES                           # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin, utc                             # noqa: E402

# Whose readings are no numbers: bit 7 of what cannot be so.
IMPLAUSIBLE = 3         # enum sample_quality
# Sources whose samples are all of rows that sonic_rows.py has rules for.
SOURCES = ("dom", "thresholds", "status", "flags", "pfcwd", "causes", "rates",
           "phy", "gearbox", "heat", "vdm", "flag_changes", "pm", "sensors",
           "chassis", "fabric")


def check_lists(tap, title, said, dump):
    objects = dump.objects()
    ports = set(dump.ports())
    tap.ok(said.names("port") == ports and ports,
           title + ": every port is listed", said.names("port") ^ ports)
    for kind in ("queue", "priority_group", "pool"):
        want = {n for k, n in objects if k == kind
                and (kind == "pool" or "|" in n
                     or n.rsplit(":", 1)[0] in ports)}
        got = said.names(kind)
        tap.ok(got == want, "%s: every %s is listed (%d)" % (title, kind,
                                                             len(want)),
               sorted(got ^ want)[:10])


def check_modules(tap, title, said, dump):
    modules = dump.first_rows("TRANSCEIVER_INFO")
    tap.ok(said.names("module") == set(modules),
           title + ": every transceiver is listed (%d)" % len(modules),
           said.names("module") ^ set(modules))
    check_attributes(tap, title + ": transceivers have their attributes", said,
                     dump, ("transceivers",), "module")


def check_attributes(tap, name, said, dump, sources, kind):
    want = {}
    for source in sources:
        want.update(sonic_rows.attributes(dump, source, kind))
    told = {a for _, a in want}
    have = {(n, a): t for n, row in said.attributes(kind).items()
            for a, t in row.items() if a in told}
    if want:
        tap.same(have, want, name)


def check_ports(tap, title, said, dump):
    links = {k: v for k, v in said.samples("ports").items()
             if k[2] != "down_reason"}
    want = dump.links()
    if want or links:
        tap.same(links, want, title + ": links have their state")
    want = {}
    for port in dump.ports():
        row = (dump.row("APPL_DB", "PORT_TABLE:" + port)
               or dump.row("CONFIG_DB", "PORT|" + port))
        for field, name in (("alias", "alias"), ("description", "description"),
                            ("role", "role")):
            if row.get(field):
                want[port, name] = row[field]
        box = dump.row("APPL_DB", "_GEARBOX_TABLE:interface:"
                       + re.sub(r"\D+", "", port))
        if row.get("core_id"):
            want[port, "group"] = "core " + row["core_id"]
        if box.get("name") == port:
            want[port, "group"] = "gearbox " + box["phy_id"]
        for table in ("TRANSCEIVER_STATUS|", "TRANSCEIVER_STATUS_SW|"):
            held = dump.row("STATE_DB", table + port)
            if held.get("error", "N/A") != "N/A":
                want[port, "xcvr_error"] = held["error"]
        if row.get("interface_type"):
            want[port, "interface_type"] = row["interface_type"]
        if row and dump.cage(port) is not None:
            want[port, "module"] = str(dump.cage(port))
    have = {(p, a): t for p, row in said.attributes("port").items()
            for a, t in row.items()
            if a in ("alias", "description", "role", "module", "group",
                     "interface_type", "xcvr_error")}
    tap.same(have, want, title + ": ports have their attributes")


def speed_of(dump, port):
    """None where the databases do not agree, or do not say."""
    rows = (dump.row("CONFIG_DB", "PORT|" + port),
            dump.row("APPL_DB", "PORT_TABLE:" + port))
    speeds = {row["speed"] for row in rows if row.get("speed")}
    return int(speeds.pop()) if len(speeds) == 1 else None


def check_delays(tap, title, delays, got, dump):
    """Of each queue with a watermark, at its port's speed; read once, so that
    there is no median. What a queue's delay is when more is known: test_delay.
    """
    want = {}
    for (kind, name, quantity, index), value in got.items():
        if quantity != "queue_watermark_octets" or value >= 1 << 63:
            continue
        speed = speed_of(dump, name.split(":")[0])
        if not speed:
            delays = {k: v for k, v in delays.items() if k[1] != name}
            continue
        ns = min(value * 8000 // speed, (15 << 30) - 1)
        want[kind, name, "queue_delay_ns", 0] = ns
        want[kind, name, "queue_delay_max_ns", 0] = ns
    if want or delays:
        tap.same(delays, want, "%s: queues' delays are their watermarks at "
                 "the port's speed (%d)" % (title, len(want)))


def check(tap, title, content):
    dump = Dump(**content)
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, content[name])
        said = driver_said.run("sonic", redis.root, 2.2)
    tap.ok(said.status == 0 and not said.of("fault"),
           title + ": test_c07_driver_keeps_the_contract", said.of("fault")[:5])
    compare(tap, title, said, dump)
    return said, dump


def compare(tap, title, said, dump):
    """Field by field; said is what a driver, or a whole agent, made of it."""
    check_lists(tap, title, said, dump)
    got = {}
    for source in ("counters", "queues", "watermarks", "kept_watermarks"):
        got.update(said.samples(source))
    delays = {k: got.pop(k) for k in list(got) if "_delay_" in k[2]}
    ports = set(dump.ports())
    want = {k: v for k, v in dump.counters().items()
            if k[0] == "pool" or "|" in k[1] or k[1].split(":")[0] in ports}
    want.update(sonic_rows.expect(dump, "kept_watermarks"))
    tap.same(got, want, "%s: %d counters and peaks agree" % (title, len(want)))
    check_delays(tap, title, delays, got, dump)
    check_ports(tap, title, said, dump)
    check_modules(tap, title, said, dump)
    whole = {"dom": dump.dom(), "thresholds": dump.thresholds()}
    for source in SOURCES:
        want = dict(whole.get(source, {}))
        want.update(sonic_rows.expect(dump, source))
        got, faults = driver_said.apart(said.samples(source))
        if want or got:
            tap.same(got, want, "%s: %d values of %s agree"
                     % (title, len(want), source))
        check_faults(tap, title, source, faults, said, dump)
    check_settings(tap, title, said, dump)


def nans(dump):
    """Modules and lanes whose power or bias the dump has as nan: bit 7."""
    found = {}
    for key, row in dump.db["STATE_DB"].items():
        table, _, port = key.partition("|")
        for field, text in row.items():
            m = re.fullmatch(r"[tr]x(\d+)(power|bias)", field)
            if m and text == "nan" and table == "TRANSCEIVER_DOM_SENSOR":
                cage = dump.cage(port)
                found["module", cage] = 128
                found["lane", "%d.%s" % (cage, m.group(1))] = 128
    return found


def check_faults(tap, title, source, faults, said, dump):
    """Each module, and each lane of it, whose readings are judged is told to be
    well, but for those that say nan. A cable without monitors is not judged."""
    if source not in ("dom", "thresholds", "status", "vdm"):
        if faults:
            tap.ok(False, title + ": " + source + " is not judged", faults)
        return
    kinds = ("module",) if source == "thresholds" else ("module", "lane")
    want = {said.name(x["handle"]): 0 for x in said.of("sample", source=source)
            if x["quality"] != IMPLAUSIBLE and not (
                source == "vdm" and re.search("threshold|flag",
                                              x["quantity"]))}
    odd = nans(dump) if source == "dom" else {}
    want = {k: odd.get(k, v) for k, v in want.items() if k[0] in kinds}
    got = {k[:2]: v for k, v in faults.items() if k[0] in kinds}
    if want or got:
        tap.same(got, want, "%s: %s can all be so" % (title, source))


def check_settings(tap, title, said, dump):
    """Pools, lossless priorities, what the switch is, and the peers."""
    want = sonic_rows.expect(dump, "settings")
    for port in dump.ports():
        row = dump.row("CONFIG_DB", "PORT_QOS_MAP|" + port)
        if row.get("pfc_enable"):
            for i in range(8):
                want["priority", "%s:%d" % (port, i), "pfc_lossless", 0] = int(
                    str(i) in row["pfc_enable"].split(","))
    got = said.samples("settings")
    if want or got:
        tap.same(got, want, "%s: %d settings agree" % (title, len(want)))
    want = {k: v for k, v in sonic_rows.limits(dump).items()
            if v is not None}
    got = {k: v for k, v in said.samples("changes").items()
           if k[0] in ("queue", "priority_group")}
    if want or got:
        tap.same(got, want, "%s: %d limits of queues and groups agree"
                 % (title, len(want)))
    for kind, sources in (("pool", ("settings",)),
                          ("sensor", ("sensors", "chassis"))):
        check_attributes(tap, "%s: what a %s is" % (title, kind), said, dump,
                         sources, kind)
    row = dump.row("CONFIG_DB", "DEVICE_METADATA|localhost")
    if row:
        rules = {f: r.attribute for (db, table, f), r in
                 sonic_rows.RULES.items() if table == "DEVICE_METADATA"}
        # Of several chips each tells of itself.
        told = said.attributes("switch") or said.attributes("asic")
        have = {a: t for texts in told.values() for a, t in texts.items()}
        want = {rules[f] or "hostname": t for f, t in row.items()
                if f in rules}
        label = dump.row("STATE_DB", "EEPROM_INFO|0x23").get("Value")
        if label and said.attributes("switch"):
            want["serial"] = label
        name = "".join(said.names("switch"))
        if name:
            have["hostname"] = name
        else:       # a record names the switch by itself
            want.pop("hostname", None)
        tap.same(have, want,
                 title + ": the switch is what DEVICE_METADATA says")
    check_peers(tap, title, said, dump)


def check_peers(tap, title, said, dump):
    want = {}
    for port in dump.ports():
        heard = dump.row("APPL_DB", "LLDP_ENTRY_TABLE:" + port)
        name = heard.get("lldp_rem_sys_name") or heard.get(
            "lldp_rem_chassis_id", "")
        peer = heard.get("lldp_rem_port_id", "")
        if heard.get("lldp_rem_port_id_subtype") in ("3", "7"):
            peer = heard.get("lldp_rem_port_desc") or peer
        told = dump.row("CONFIG_DB", "DEVICE_NEIGHBOR|" + port)
        expected = told.get("name", ""), told.get("port", "")
        if not name:
            name, peer = expected
        for attribute, text in (("peer_switch", name), ("peer_port", peer),
                                ("expected_peer_switch", expected[0]),
                                ("expected_peer_port", expected[1])):
            if text:
                want[port, attribute] = text
        peer = dump.row("CONFIG_DB", "DEVICE_NEIGHBOR_METADATA|" + name)
        for field, attribute in (("type", "peer_type"),
                                 ("hwsku", "peer_hwsku"),
                                 ("mgmt_addr", "peer_address")):
            if peer.get(field, "None") not in ("None", "N/A", ""):
                want[port, attribute] = peer[field]
    have = {(p, a): t for p, row in said.attributes("port").items()
            for a, t in row.items() if "peer_" in a}
    if want or have:
        tap.same(have, want, title + ": LLDP wins, the expected peer stays")


def check_twin(tap, said, twin):
    reasons = {k[1]: v for k, v in said.samples("ports").items()
               if k[2] == "down_reason"}
    tap.same(reasons, {"Ethernet24": 1, "Ethernet32": 3, "Ethernet40": 18,
                       "Ethernet50": 5, "Ethernet52": 27, "Ethernet54": 19,
                       "Ethernet56": 2},
             "twin: each link that is down has its cause: shut, no light, "
             "no FEC lock, not sending, the chip hears nothing, a lane out of "
             "lock, no module")
    ports = said.attributes("port")
    tap.same({p: (a["first_lane"], a["lane_count"]) for p, a in ports.items()},
             {"Ethernet0": ("1", "4"), "Ethernet8": ("1", "4"),
              "Ethernet16": ("1", "8"), "Ethernet24": ("1", "4"),
              "Ethernet32": ("1", "4"), "Ethernet40": ("1", "4"),
              "Ethernet48": ("1", "1"), "Ethernet50": ("2", "1"),
              "Ethernet52": ("3", "1"), "Ethernet54": ("4", "1"),
              "Ethernet56": ("1", "8")},
             "twin: sub-ports of a breakout have lanes of one module")
    media = {m: a.get("media") for m, a in said.attributes("module").items()}
    tap.ok(media[1] == "DR4" and media[3] == "DAC",
           "twin: DR4 and DAC are told apart", media)
    types = {q: a["queue_type"] for q, a in said.attributes("queue").items()}
    tap.ok(types["Ethernet0:0"] == "unicast"
           and types["Ethernet0:9"] == "multicast", "twin: queues have types")
    quality = {(said.name(x["handle"])[1], x["quantity"]): x["quality"]
               for x in said.of("sample", source="dom")}
    tap.ok(quality["2.1", "lane_rx_power_pw"] == 4
           and quality["1.1", "lane_rx_power_pw"] == 0
           and quality["3.1", "lane_rx_power_pw"] == 3,
           "test_c03_quality: -inf is below resolution, zeros of a cable "
           "are implausible", quality)
    present = {k[1]: v for k, v in said.samples("transceivers").items()
               if k[2] == "module_present"}
    tap.ok(present["Ethernet56"] == 0 and present["Ethernet0"] == 1
           and present["Ethernet54"] == 1, "twin: module_present is told")


def check_ages(tap, said, twin):
    """C4: last_update_time is the age of DOM, syncd's interval of counters."""
    wrong = []
    for x in said.of("group", source="dom"):
        kind, name = said.name(x["handle"])
        cage = int(str(name).split(".")[0])
        row = Dump(**twin.db).first_rows("TRANSCEIVER_DOM_SENSOR")[cage]
        if "last_update_time" not in row:
            if x["uncertainty_ns"] != 30 * 10 ** 9:
                wrong.append((name, x))
            continue
        # The wall's time of that moment, so that a slow test does no harm.
        told = time.time() - (time.monotonic_ns() - x["t_ns"]) / 1e9
        age = (x["t_ns"] - x["taken_ns"]) / 1e9
        if abs(age - (told - twin.now) - (10 + cage)) > 3:
            wrong.append((name, age))
    tap.ok(not wrong, "test_c04_age_of_dom_is_its_last_update_time", wrong)
    windows = {s: {x["window_ns"] for x in said.of("group", source=s)}
               for s in ("watermarks", "kept_watermarks")}
    tap.ok(windows == {"watermarks": {60 * 10 ** 9},
                       "kept_watermarks": {0, 120 * 10 ** 9}},
           "test_c04_window_of_a_peak_is_syncds_interval", windows)


def check_repeats(tap):
    """Rows are read several times; one of them is written anew meanwhile."""
    twin = Twin()
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        run = driver_said.Running("sonic", redis.root, 3, "--period-ms", "400")
        time.sleep(1.5)
        c = redis.client("STATE_DB")
        c.ask("HSET", "TRANSCEIVER_DOM_SENSOR|Ethernet0", "last_update_time",
              utc(twin.now - 1))
        c.close()
        said = run.end()
    rows = {}
    for source in ("dom", "thresholds", "flags"):
        for x in said.of("group", source=source):
            key = source, said.name(x["handle"])
            rows[key] = rows.get(key, 0) + 1
    reads = len(said.states("dom"))
    tap.ok(reads >= 4 and rows["dom", ("module", 2)] == 1
           and rows["thresholds", ("module", 2)] == 1
           and rows["flags", ("lane", "4.1")] == 2,     # of two tables
           "test_c04_repeated_row_is_not_handed_over_again", (reads, rows))
    tap.ok(rows["dom", ("module", 1)] == 2,
           "… the same values with another time are new", rows)
    tap.ok(rows["dom", ("module", 3)] == 1,
           "… nor is a row that has no time", rows)


def check_stamps(tap):
    twin = Twin()
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        stamp = time.monotonic_ns()
        redis.load("COUNTERS_DB", {"COUNTERS:TIME_STAMP": twin.stamps(stamp)})
        said = driver_said.run("sonic", redis.root, 6)
    taken = {x["taken_ns"] for x in said.of("group", source="counters")}
    tap.ok(taken == {stamp}, "test_c04_time_stamp_of_syncd_is_the_age", taken)
    rows = [x for x in said.of("group", source="counters")
            if said.name(x["handle"]) == ("port", "Ethernet0")]
    tap.ok(len(rows) == 1, "counters with an old time stamp are repeats",
           len(rows))
    last = said.states("counters")[-1]
    tap.ok(last[0] == "absent" and re.search(r"PORT_STAT_COUNTER \d+ s ago",
                                             last[1] or ""),
           "a syncd that stands still is told", last)


def check_limits(tap):
    """Item 2 of cadence: what the settings hide is said, with the command."""
    twin = Twin()
    groups = {k.split(":")[1]: row for k, row in
              twin.db["FLEX_COUNTER_DB"].items()}
    groups["QUEUE_WATERMARK_STAT_COUNTER"]["POLL_INTERVAL"] = "60000"
    groups["WRED_ECN_QUEUE_STAT_COUNTER"]["FLEX_COUNTER_STATUS"] = "disable"
    groups["PG_DROP_STAT_COUNTER"]["FLEX_COUNTER_STATUS"] = "disable"
    groups["QUEUE_STAT_COUNTER"]["POLL_INTERVAL"] = "30000"
    groups["PORT_STAT_COUNTER"]["POLL_INTERVAL"] = "1000"
    del twin.db["FLEX_COUNTER_DB"]["FLEX_COUNTER_GROUP_TABLE:PORT_PHY_ATTR"]
    with Redis() as redis:
        for name in NAMES:
            redis.load(name, twin.db[name])
        # Twice: syncd has nothing new of the slow groups, and it still holds.
        said = driver_said.run("sonic", redis.root, 2, "--period-ms", "500")
    reason = {s: said.states(s)[-1] for s in (
        "watermarks", "queues", "counters", "phy")}
    tap.ok(reason["watermarks"][0] == "fresh" and
           "every 60 s: `counterpoll watermark interval 1000`"
           in reason["watermarks"][1],
           "peaks of 60 s are told, with the command", reason)
    tap.ok("`counterpoll wredqueue enable`" in reason["queues"][1]
           and "every 30 s: `counterpoll queue interval 10000`"
           in reason["queues"][1], "groups that are off are told", reason)
    tap.ok("`counterpoll phy enable`" in reason["phy"][1],
           "so is a group that was never on", reason)
    tap.ok(not reason["counters"][1], "a source that shows all says nothing",
           reason)
    told = {x["interval_ns"] for x in said.of("source", source="watermarks")}
    tap.ok(told == {60 * 10 ** 9}, "the source's own interval is told", told)


def check_allocations(tap):
    """The bench counts them, values moving; the sanitizers' malloc is theirs."""
    program = os.path.join(driver_said.BUILD, "tests/fetch_sonic")
    name = "no allocation from reply to host"
    if "sanitize" in driver_said.BUILD or not os.path.exists(program):
        tap.skip(name, "NEEDS build/tests/fetch_sonic WITHOUT SANITIZERS")
        return
    bench = os.path.join(driver_said.TOP, "tests/bench/bench_sonic.py")
    done = subprocess.run([sys.executable, bench, "--quick"],
                          stdout=subprocess.PIPE, timeout=120)
    text = done.stdout.decode()
    # Its times are the bench's business: this machine may be busy.
    tap.ok("allocations in the driver: 0 in" in text, name, text)


def main():
    tap = driver_said.Tap()
    twin = Twin()
    said, dump = check(tap, "twin", twin.db)
    check_twin(tap, said, twin)
    check_ages(tap, said, twin)
    check_allocations(tap)
    check_repeats(tap)
    check_stamps(tap)
    check_limits(tap)
    if sonic_dumps.are_here():
        for title, content in sonic_dumps.all_dumps().items():
            check(tap, title, content)
    else:
        tap.skip("real dumps", "NO REAL DUMPS HERE: the twin was compared")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

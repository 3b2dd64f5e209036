#!/usr/bin/env python3
"""What a SONiC source says of itself fits what is wrong: no advice that could
not help, and no source is fresh of whose rows nothing could be used."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
import driver_said                                      # noqa: E402
from driver_said import Running                         # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_twin import Twin                             # noqa: E402


def told(twin, *sources):
    """What each source says last, once all of them have spoken."""
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        said = Running("sonic", redis.root, 60, "--period-ms", "500").end(
            lambda s: all(s.states(x) for x in sources))
    return {x: said.states(x)[-1] for x in sources}


def test_no_watermark(tap):
    twin = Twin(warts=False)
    for row in twin.db["COUNTERS_DB"].values():
        for field in [f for f in row if "WATERMARK" in f]:
            del row[field]
    state, reason = told(twin, "watermarks")["watermarks"]
    tap.ok("no queue, priority group or pool has a watermark" in reason
           and "counterpoll" not in reason,
           "a switch without watermarks is not told to read them more often",
           (state, reason))


def queues_without_maps(flex):
    """What queues and watermarks say; flex: the status of their groups, None:
    never enabled."""
    twin = Twin(warts=False)
    counters = twin.db["COUNTERS_DB"]
    del counters["COUNTERS_QUEUE_NAME_MAP"], counters["COUNTERS_PG_NAME_MAP"]
    for key in list(twin.db["FLEX_COUNTER_DB"]):
        if "QUEUE" in key or ":PG_" in key:
            if flex:
                twin.db["FLEX_COUNTER_DB"][key]["FLEX_COUNTER_STATUS"] = flex
            else:
                del twin.db["FLEX_COUNTER_DB"][key]
    return told(twin, "queues", "watermarks")


def test_no_map_of_queues(tap):
    """FLEX_COUNTER_TABLE never enabled them: orchagent wrote no names."""
    for flex in None, "disable":
        got = queues_without_maps(flex)
        tap.ok(all("COUNTERS_%s_NAME_MAP is missing: `counterpoll %s enable`"
                   % (name, group) in got[source][1] for source, name, group in
                   (("queues", "QUEUE", "queue"), ("queues", "PG", "pg-drop"),
                    ("watermarks", "QUEUE", "watermark"),
                    ("watermarks", "PG", "watermark"))),
               "queues without names, with the command (%s)" % flex, got)
    got = queues_without_maps("enable")
    tap.ok("COUNTERS_QUEUE_NAME_MAP is missing, though QUEUE_STAT_COUNTER is "
           "enabled" in got["queues"][1]
           and "counterpoll queue enable" not in got["queues"][1],
           "… and no command that was given already", got)


def test_no_row_of_counters(tap):
    """orchagent has written no names yet: a command would not help."""
    twin = Twin(warts=False)
    del twin.db["FLEX_COUNTER_DB"][
        "FLEX_COUNTER_GROUP_TABLE:WRED_ECN_PORT_STAT_COUNTER"]
    del twin.db["COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"]
    got = told(twin, "counters")["counters"]
    tap.ok(got[0] == "absent" and "has no row of COUNTERS" in got[1]
           and "counterpoll" not in got[1],
           "a switch without counters is not told to count WRED drops", got)


def test_no_row_of_use(tap):
    twin = Twin(warts=False)
    state_db = twin.db["STATE_DB"]
    for key, row in state_db.items():
        if key.startswith(("TRANSCEIVER_DOM_SENSOR|", "PSU_INFO|",
                           "TRANSCEIVER_STATUS_SW|")):
            for field in row:
                if field not in ("last_update_time", "timestamp"):
                    row[field] = "#REF!"
    for key in [k for k in state_db if k.startswith("TRANSCEIVER_INFO|")]:
        state_db[key] = "a string, no hash"
    got = told(twin, "dom", "counters")
    tap.ok(got["dom"][0] == "broken" and "'#REF!', not a value" in got["dom"][1],
           "readings of which none is a value are broken, with the first",
           got)
    tap.ok(got["counters"][0] == "fresh", "… and the others are fresh", got)


def test_no_module_for_it(tap):
    """Readings are there, and the modules that they are of are not."""
    twin = Twin(warts=False)
    state_db = twin.db["STATE_DB"]
    keys = [k for k in state_db if k.startswith("TRANSCEIVER_INFO|")]
    for key in keys[1:]:
        del state_db[key]
    for key in [k for k in state_db if k.startswith("TRANSCEIVER_DOM_SENSOR|")
                and k.endswith(keys[0].split("|")[1])]:
        del state_db[key]
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        said = Running("sonic", redis.root, 60, "--period-ms", "500").end(
            lambda s: any("TRANSCEIVER_INFO has no module" in (r or "")
                          for _, r in s.states("dom")))
    last = said.states("dom")[-1]
    tap.ok(last[0] == "broken" and "TRANSCEIVER_INFO has no module" in last[1],
           "readings of modules that nobody names are not fresh", last)


def test_keys_are_bounded(tap):
    """A STATE_DB full of routes: KEYS would hold Redis up for all others."""
    twin = Twin(warts=False)
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        redis.load("STATE_DB", {"ROUTE_TABLE|%d" % i: {"a": "1"}
                                for i in range(200001)})
        said = Running("sonic", redis.root, 60, "--period-ms", "500").end(
            lambda s: s.states("changes") and s.states("sensors")
            and s.states("counters"))
        c = redis.client()
        c.sock.sendall(b"INFO commandstats\r\n")
        stats = c.read()
        listed = [x for x in stats.split() if x.startswith("cmdstat_keys")]
        c.close()
    calls = int(listed[0].split("calls=")[1].split(",")[0]) if listed else 0
    # PORT and LAGs of CONFIG_DB, its settings, PORT_TABLE: all small.
    tap.ok(calls <= 4, "KEYS is not asked of a large STATE_DB", listed)
    tap.ok("STATE_DB has more than 20000 keys" in
           (said.states("changes")[-1][1] or ""),
           "… and that is told", said.states("changes"))
    tap.ok(said.states("counters")[-1][0] == "fresh",
           "… and the rest is read", said.states("counters"))


def test_external_laser(tap):
    """Of co-packaged optics; its power has no unit in one of two designs."""
    twin = Twin(warts=False)
    twin.db["STATE_DB"]["TRANSCEIVER_ELS_DOM_SENSOR|Ethernet8"] = {
        "temperature": "32.8", "voltage": "3.3000", "icc": "0.4200",
        "bias_current_monitor1": "85.0", "opt_power_monitor1": "1.230"}
    state, reason = told(twin, "dom")["dom"]
    tap.ok(state == "fresh" and reason == "Ethernet8: power and bias of its "
           "external laser are not read: opt_power_monitor1 has no known unit",
           "what is not read of an external laser is told", (state, reason))


def test_settings_of_a_port(tap):
    """What a port is told to do, and what its peer offers, as texts."""
    twin = Twin(warts=False)
    db = twin.db
    db["CONFIG_DB"]["PORTCHANNEL_MEMBER|PortChannel7|Ethernet8"] = {
        "NULL": "NULL"}
    db["APPL_DB"]["LAG_MEMBER_TABLE:PortChannel7:Ethernet8"] = {
        "status": "enabled"}
    db["STATE_DB"]["LAG_MEMBER_TABLE|PortChannel7|Ethernet8"] = {
        "runner.selected": "false", "runner.state": "expired"}
    db["STATE_DB"]["PORT_TABLE|Ethernet8"]["rmt_adv_speeds"] = "100000,40000"
    db["CONFIG_DB"]["PFC_WD|Ethernet8"] = {
        "action": "drop", "detection_time": "200", "restoration_time": "400"}
    with Redis() as redis:
        for name, content in db.items():
            redis.load(name, content)
        said = Running("sonic", redis.root, 60, "--period-ms", "500").end(
            lambda s: all(s.states(x) for x in ("settings", "neighbors",
                                                "ports")))
    texts = said.attributes("port")["Ethernet8"]
    tap.same({k: texts.get(k) for k in ("lag", "remote_speeds",
                                        "pfcwd_action")},
             {"lag": "PortChannel7", "remote_speeds": "100000,40000",
              "pfcwd_action": "drop"}, "LAG, peer's speeds, watchdog's action")
    got = {k[2]: v for k, v in said.samples().items()
           if k[:2] == ("port", "Ethernet8")
           and k[2].startswith(("lag_", "pfcwd_d", "pfcwd_r"))}
    tap.same(got, {"lag_enabled": 1, "lag_selected": 0,
                   "pfcwd_detection_ms": 200, "pfcwd_restoration_ms": 400},
             "… and their values")


SPECIFICATION = (
    "{'10/40G Ethernet Compliance Code': 'Extended', "
    "'SONET Compliance Codes': 'Unknown', "
    "'Fibre Channel Transmitter Technology': 'Unknown', "
    "'Fibre Channel Transmission Media': 'Unknown', "
    "'Extended Specification Compliance': '%s'}")
# What xcvrd writes, and the medium that it means.
MEDIA = (
    ("N/A", SPECIFICATION % "100GBASE-SR4 or 25GBASE-SR", "SR4"),
    ("N/A", SPECIFICATION % "100G ACC (Active Copper Cable)", "ACC"),
    ("N/A", "{'Ethernet Compliance': '1000BASE-T'}", "BASE-T"),
    ("Copper cable, near and far end limiting active equalizers",
     "active_cable_media_interface", "AEC"),
    ("Copper cable, linear active equalizers",
     "active_cable_media_interface", "ACC"),
)


def test_words_of_xcvrd(tap):
    """Long texts are searched whole, and words are taken as SONiC spells."""
    twin = Twin(warts=False)
    state = twin.db["STATE_DB"]
    keys = [k for k in state if k.startswith("TRANSCEIVER_INFO|")]
    for key, (technology, compliance, _) in zip(keys, MEDIA):
        state[key].update(media_interface_technology=technology,
                          specification_compliance=compliance,
                          application_advertisement="N/A")
        state[key.replace("INFO", "STATUS")].update(
            module_fault_cause="TEC runawawy",
            config_state_hostlane1="ConfigRejectedLaneInUse",
            DP1State="DataPathOfTomorrow")
    for db in ("APPL_DB", "CONFIG_DB", "STATE_DB"):
        for row in twin.db[db].values():
            if "fec" in row:
                row["fec"] = "N/A"
    one = keys[len(MEDIA)].split("|")[1]
    state["TRANSCEIVER_INFO|" + one].update(
        media_interface_technology="N/A", application_advertisement="N/A",
        host_lane_count="N/A", media_lane_count="N/A",
        specification_compliance=SPECIFICATION % "100G-FR or 100GBASE-FR1")
    for row in (twin.db["APPL_DB"]["PORT_TABLE:" + one],
                twin.db["CONFIG_DB"]["PORT|" + one]):
        row["lanes"] = ",".join(row["lanes"].split(",")[:4])
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        said = Running("sonic", redis.root, 60, "--period-ms", "500").end(
            lambda s: all(s.states(x) for x in ("transceivers", "status",
                                                "ports")))
    media = [row.get("media") for row in said.attributes("module").values()]
    meant = [m for _, _, m in MEDIA]
    tap.ok(all(media.count(m) >= meant.count(m) for m in meant),
           "the medium is found at the end of a long text", media)
    lanes = said.attributes("port")[one]["lane_count"]
    tap.ok(lanes == "1", "a QSFP28 of one wavelength has one lane of light",
           lanes)
    got = said.samples()
    tap.ok([v for k, v in got.items() if k[2] == "module_fault_cause"
            and v == 1], "a fault's cause as SONiC spells it")
    wrong = {k: v for k, v in got.items()
             if k[2] == "module_reading_faults" and v}
    tap.ok(3 in [v for k, v in got.items() if k[2] == "fec_mode"],
           "lanes of 50 Gb/s have RS(544,514) if no mode is told")
    tap.ok(not wrong, "a word of a later release is no fault", wrong)


def test_why_a_port_is_down(tap):
    """Its module does not start, or the peer has other settings."""
    twin = Twin(warts=False)
    state, appl = twin.db["STATE_DB"], twin.db["APPL_DB"]
    ports = [k.split("|")[1] for k in state
             if k.startswith("TRANSCEIVER_INFO|")][:4]
    failed, fec, speed, back = ports
    for port in ports:
        appl["PORT_TABLE:" + port].update(fec="rs", oper_status="up")
    appl["PORT_TABLE:" + failed]["oper_status"] = "down"
    state["TRANSCEIVER_STATUS_SW|" + failed] = {"cmis_state": "FAILED"}
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        run = Running("sonic", redis.root, 60, "--period-ms", "500")

        def values(said, quantity):
            return {k[1]: v for k, v in said.samples().items()
                    if k[0] == "port" and k[2] == quantity}
        run.until(lambda s: all(values(s, "oper_status").get(p)
                                for p in ports))
        client = redis.client("APPL_DB")
        down = ("oper_status", "down")
        client.ask("HSET", "PORT_TABLE:" + fec, "fec", "none", *down)
        client.ask("HSET", "PORT_TABLE:" + speed, "speed", "100000", *down)
        client.ask("HSET", "PORT_TABLE:" + back, "fec", "none", *down)
        run.until(lambda s: values(s, "down_reason").get(back, 0) == 9)
        client.ask("HSET", "PORT_TABLE:" + back, "fec", "rs")
        want = {failed: 8, fec: 9, speed: 10, back: 0}

        def seen(said):
            got = values(said, "down_reason")
            return {p: got.get(p) for p in ports}
        run.until(lambda s: seen(s) == want)
        tap.same(seen(run.said()), want,
                 "a module that failed to start, FEC and speed set here as "
                 "the link fell, and FEC set back")
        # Once more; and one whose peer followed, before it was set back.
        client.ask("HSET", "PORT_TABLE:" + back, "fec", "none")
        client.ask("HSET", "PORT_TABLE:" + fec, "oper_status", "up")
        run.until(lambda s: values(s, "oper_status").get(fec) == 1)
        client.ask("HSET", "PORT_TABLE:" + fec, "fec", "rs", *down)
        client.ask("HSET", "PORT_TABLE:" + speed, "oper_status", "up")
        run.until(lambda s: values(s, "oper_status").get(speed) == 1)
        client.ask("HSET", "PORT_TABLE:" + speed, "oper_status", "down")
        client.close()
        want = {failed: 8, fec: 9, speed: 0, back: 9}
        tap.same(seen(run.end(lambda s: seen(s) == want)), want,
                 "set again is a mismatch again; a fall after the ends "
                 "agreed is none")


def modules_of(twin, status, keep=()):
    """STATE_DB of empty cages: xcvrd's status, if any, and a table."""
    state = twin.db["STATE_DB"]
    for key in [k for k in state if k.startswith("TRANSCEIVER_")
                and k.split("|")[0] not in keep]:
        del state[key]
    for name, *_ in twin.ports if status else ():
        state["TRANSCEIVER_STATUS_SW|" + name] = {
            "status": status, "error": "N/A", "cmis_state": "REMOVED"}
    return state


def test_nothing_to_read(tap):
    """Empty cages, copper and chips inside the switch are no fault."""
    sources = "transceivers", "dom", "thresholds"
    twin = Twin(warts=False)
    modules_of(twin, "0")
    tap.same(told(twin, *sources), {
        x: ("fresh", "no module is plugged in") for x in sources},
             "xcvrd says that all cages are empty")
    for status in None, "1":
        twin = Twin(warts=False)
        modules_of(twin, status)
        got = told(twin, *sources)
        tap.ok(all(got[x][0] == "absent" and "has no row" in got[x][1]
                   for x in sources), "… but not with status %s" % status, got)
    twin = Twin(warts=False)
    for key, row in modules_of(twin, None, ("TRANSCEIVER_INFO",)).items():
        if key.startswith("TRANSCEIVER_INFO|"):
            row.update(media_interface_technology="Copper cable unequalized")
    tap.same(told(twin, *sources), {
        "transceivers": ("fresh", None), **{
            x: ("fresh", "only copper is plugged in, which has no monitors")
            for x in sources[1:]}}, "passive copper has no monitors")
    twin = Twin(warts=False)
    modules_of(twin, None)
    for db, table in ("CONFIG_DB", "PORT|"), ("APPL_DB", "PORT_TABLE:"):
        for name, *_ in twin.ports:
            twin.db[db][table + name]["role"] = "Int"
    tap.same(told(twin, *sources), {x: ("fresh", None) for x in sources},
             "ports inside the switch have no modules")


def test_module_of_no_use(tap):
    """xcvrd removes the rows of a module that it refuses."""
    twin = Twin(warts=False)
    state = twin.db["STATE_DB"]
    port = twin.ports[0][0]
    for key in [k for k in state if k.startswith("TRANSCEIVER_")
                and k.endswith("|" + port)]:
        del state[key]
    state["TRANSCEIVER_STATUS_SW|" + port] = {
        "status": "67", "error": "Unsupported cable", "cmis_state": "N/A"}
    twin.db["APPL_DB"]["PORT_TABLE:" + port]["oper_status"] = "down"

    def seen(said):
        return {k[2]: v for k, v in said.samples().items() if k[:2] ==
                ("port", port) and k[2] in ("module_present", "down_reason")}
    want = {"module_present": 1, "down_reason": 8}
    with Redis() as redis:
        for name, content in twin.db.items():
            redis.load(name, content)
        said = Running("sonic", redis.root, 30, "--period-ms", "500").end(
            lambda s: seen(s) == want)
    tap.same(seen(said), want, "a module that xcvrd refuses is not missing")


def main():
    tap = driver_said.Tap()
    driver_said.side_by_side(tap, (test_no_watermark, test_no_map_of_queues,
                                   test_no_row_of_counters,
                                   test_no_row_of_use,
                                   test_no_module_for_it,
                                   test_keys_are_bounded,
                                   test_settings_of_a_port,
                                   test_external_laser,
                                   test_why_a_port_is_down,
                                   test_nothing_to_read,
                                   test_module_of_no_use,
                                   test_words_of_xcvrd))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

"""The rest of the twin: for each rule of sonic_rows.py a row that has its
field, so that no part of the driver goes untried where no real dump is."""
import json

import sonic_rows

# These stand in for others, or say why a link is down: only the first port's.
FIRST_ONLY = ("rx_los", "tx_fault", "rxlos", "txfault", "txlos_hostlane",
              "txcdrlol_hostlane", "rxcdrlol", "txoutput_status",
              "rxoutput_status_hostlane")
# Two names of one thing: no row has both, as no image writes both.
SECOND_NAMES = {"PSU_INFO": ("output_voltage", "output_current",
                             "output_power"),
                "TRANSCEIVER_DOM_SENSOR": ("postfec_ber",),
                "LIQUID_COOLING_INFO": ("leaking",)}
FIRST_NAMES = {"PSU_INFO": ("voltage", "current", "power"),
               "TRANSCEIVER_DOM_SENSOR": ("postfec_ber_avg",),
               "LIQUID_COOLING_INFO": ("leak_status",)}
OLD_INFO = {"manufacturename": "manufacturer", "modelname": "model",
            "serialnum": "serial", "Connector": "connector",
            "hardwarerev": "hardware_rev"}
OF_NOW = ("OutputStatus", "OutputStatusHostlane")
SENSORS = {"TEMPERATURE_INFO": ("CPU Core 0", "Ambient Port Side"),
           "FAN_INFO": ("fan1", "fan2"), "PSU_INFO": ("PSU 1", "PSU 2"),
           "PSU_FAN_INFO": ("PSU 1 FAN 1",), "VOLTAGE_INFO": ("VSENSOR0",),
           "CURRENT_INFO": ("ISENSOR0",),
           "CHASSIS_MODULE_TABLE": ("SUPERVISOR0", "LINE-CARD0"),
           "CHASSIS_MIDPLANE_TABLE": ("LINE-CARD0",),
           "LIQUID_COOLING_INFO": ("leakage1", "leakage2"),
           "STORAGE_INFO": ("sda",)}


def keys(twin, db, table, rule):
    """Where the rows of a rule's table are."""
    c = twin.db["COUNTERS_DB"]
    names = [p[0] for p in twin.ports]
    if db == "GB_COUNTERS_DB":
        side = table.rsplit("_", 1)[1]
        return ["COUNTERS:" + twin.db[db]["COUNTERS_PORT_NAME_MAP"][
            "%s_%s" % (names[1], side)]]
    if rule.source == "fabric":     # a switch that is no part of a chassis
        return []
    if table == "LAG_MEMBER_TABLE":
        return [sonic_rows.separator(db).join((table, "PortChannel1", n))
                for n in names[:2]]
    if rule.kind in ("queue", "priority_group", "pool") and db == "COUNTERS_DB":
        which = {"queue": "QUEUE", "priority_group": "PG",
                 "pool": "BUFFER_POOL"}[rule.kind]
        every = sorted(c["COUNTERS_%s_NAME_MAP" % which].items())
        return ["%s:%s" % (table, oid) for _, oid in every[::3]]
    if rule.kind == "pool":
        return [table + sonic_rows.separator(db) + n
                for n in sorted(c["COUNTERS_BUFFER_POOL_NAME_MAP"])]
    if rule.kind == "port" and db == "COUNTERS_DB":
        return ["%s:%s" % (table, c["COUNTERS_PORT_NAME_MAP"][n])
                for n in names[:4]]
    if rule.kind == "port" and table == "TRANSCEIVER_STATUS":
        return ["%s|%s" % (table, n) for n in names[3:5]]
    if rule.kind == "port":
        return [table + sonic_rows.separator(db) + n for n in names[:3]]
    if rule.source == "vdm" and table == "TRANSCEIVER_DOM_SENSOR":
        return ["%s|%s" % (table, names[4])]    # as images of 2024 have it
    if table == "TRANSCEIVER_ELS_DOM_SENSOR":       # co-packaged optics
        return ["%s|%s" % (table, names[4])]
    if rule.kind == "module":
        return ["%s|%s" % (table, n) for n in (names[0], names[3], names[6])]
    if rule.kind == "sensor":
        return ([table] if table == "ASIC_TEMPERATURE_INFO" else
                ["%s|%s" % (table, n) for n in SENSORS[table]])
    return ["DEVICE_METADATA|localhost"] if rule.kind == "switch" else []


def value(twin, rule, field):
    r = twin.random
    if rule.listed:
        if "state" not in field and ("detect" in field or "lock" in field):
            return json.dumps({str(i): [r.choice(("T", "F", "T*", "F*")),
                                        1678886400000, r.getrandbits(9)]
                               for i in range(8)})
        return json.dumps({str(i): r.getrandbits(15) for i in range(8)})
    if rule.attribute:
        return "%s of the twin" % field
    return "N/A" if r.random() < 0.02 else rule.convert.sample(r)


def gearbox(twin):
    port = twin.ports[1][0]
    twin.db["GB_COUNTERS_DB"]["COUNTERS_PORT_NAME_MAP"] = {
        "%s_%s" % (port, side): twin.oid(1) for side in ("system", "line")}
    twin.db["APPL_DB"]["_GEARBOX_TABLE:interface:%s"
                       % port[len("Ethernet"):]] = {
        "name": port, "phy_id": "1"}
    twin.db["APPL_DB"]["PORT_TABLE:" + port].update(
        system_oper_status="up", line_oper_status="up")


def peers(twin):
    a, c = twin.db["APPL_DB"], twin.db["CONFIG_DB"]
    names = [p[0] for p in twin.ports]
    a["LLDP_ENTRY_TABLE:" + names[0]] = {
        "lldp_rem_sys_name": "leaf7", "lldp_rem_port_id": "Ethernet72",
        "lldp_rem_port_id_subtype": "5", "lldp_rem_port_desc": "to twin",
        "lldp_rem_chassis_id": "02:00:00:00:00:07"}
    a["LLDP_ENTRY_TABLE:" + names[1]] = {   # a host: its port by its address
        "lldp_rem_sys_name": "host12", "lldp_rem_port_id": "02:00:00:00:00:12",
        "lldp_rem_port_id_subtype": "3", "lldp_rem_port_desc": "ens1f0",
        "lldp_rem_chassis_id": "02:00:00:00:00:12"}
    for name in (names[0], names[2]):       # the first is wired otherwise
        c["DEVICE_NEIGHBOR|" + name] = {"name": "leaf8", "port": "Ethernet0"}
    c["DEVICE_NEIGHBOR_METADATA|leaf8"] = {
        "hwsku": "Twin-32", "lo_addr": "None", "mgmt_addr": "10.250.0.58",
        "type": "LeafRouter"}
    c["DEVICE_NEIGHBOR_METADATA|leaf7"] = {"hwsku": "Twin-7", "type": "None",
                                           "mgmt_addr": "10.250.0.57"}


def profiles(twin):
    """What queues and groups may take, tied as old and new images do it."""
    c = twin.db["CONFIG_DB"]
    a, b = twin.ports[0][0], twin.ports[1][0]
    c.update({
        "BUFFER_PROFILE|egress_lossless": {
            "pool": "egress_lossless_pool", "size": "1518",
            "dynamic_th": "-3"},
        "BUFFER_PROFILE|fixed": {"pool": "egress_lossy_pool", "size": "0",
                                 "static_th": "12121212"},
        "BUFFER_PROFILE|headroom": {
            "pool": "ingress_lossless_pool", "size": "51200", "xon": "18432",
            "xon_offset": "2288", "xoff": "32768", "dynamic_th": "0"},
        "BUFFER_QUEUE|%s|3-4" % a: {"profile": "egress_lossless"},
        "BUFFER_QUEUE|%s,%s|0" % (a, b): {
            "profile": "[BUFFER_PROFILE|fixed]"},
        "BUFFER_QUEUE|%s|5" % a: {"profile": "none_of_that_name"},
        "BUFFER_QUEUE|chassis1|asic0|%s|6" % a: {"profile": "fixed"},
        "BUFFER_PG|%s|3-4" % b: {"profile": "headroom"},
        "BUFFER_PG|%s|3-4" % a: {"profile": "NULL"},
        "WRED_PROFILE|AZURE": {
            "ecn": "ecn_green_red", "wred_green_enable": "true",
            "wred_yellow_enable": "false", "green_min_threshold": "1048576",
            "green_max_threshold": "2097152", "green_drop_probability": "5",
            "red_min_threshold": "524288", "red_max_threshold": "N/A",
            "yellow_drop_probability": "12.5"},
        "QUEUE|%s|3" % a: {"wred_profile": "AZURE"},
        "QUEUE|%s|4" % a: {"wred_profile": "[WRED_PROFILE|AZURE]",
                           "scheduler": "scheduler.1"}})


def settings(twin):
    names = [p[0] for p in twin.ports]
    for name, text in zip(names, ("3,4", "3", "", "0,7")):
        twin.db["CONFIG_DB"]["PORT_QOS_MAP|" + name] = {"pfc_enable": text}
    for i, name in enumerate(names):
        twin.db["APPL_DB"]["PORT_TABLE:" + name].update(
            autoneg="off", link_training="on" if i % 2 else "off",
            pfc_asym="off", core_id=str(i // 4), interface_type="CR8")
        twin.db["STATE_DB"]["PORT_TABLE|" + name].update(
            host_tx_ready="true", netdev_oper_status="up")
    for name, asked in ((names[0], "on"), (names[1], "off")):
        # copper that agreed on less than it could; who was not asked to
        twin.db["APPL_DB"]["PORT_TABLE:" + name]["autoneg"] = asked
        twin.db["STATE_DB"]["PORT_TABLE|" + name]["speed"] = "200000"


def dark(twin):
    """Three sub-ports are down: the chip does not send, a lane of the chip
    hears nothing, a lane of the chip finds no FEC lock."""
    c = twin.db["COUNTERS_DB"]
    for (name, *_), what in zip(twin.ports[7:10], ("ready", "signal", "lock")):
        twin.db["APPL_DB"]["PORT_TABLE:" + name]["oper_status"] = "down"
        if what == "ready":
            twin.db["STATE_DB"]["PORT_TABLE|" + name]["host_tx_ready"] = "false"
        c["PORT_PHY_ATTR:" + c["COUNTERS_PORT_NAME_MAP"][name]] = {
            field: json.dumps({str(i): ["F" if i == 1 and what == bad else "T",
                                        0, 1] for i in range(2)})
            for field, bad in (("phy_rx_signal_detect", "signal"),
                               ("pcs_fec_lane_alignment_lock", "lock"))}


def old_info(twin):
    """A module as xcvrd of 2019 tells of it."""
    row = twin.db["STATE_DB"]["TRANSCEIVER_INFO|" + twin.ports[2][0]]
    row["hardware_rev"] = row.pop("vendor_rev")
    for old, now in OLD_INFO.items():
        row[old] = row.pop(now)
    twin.db["STATE_DB"]["TRANSCEIVER_STATUS|" + twin.ports[3][0]].update(
        status="1", error="Blocking Error|High temperature")


def lasers(twin):
    """xcvrd reads an external laser source together with its module."""
    s, name = twin.db["STATE_DB"], twin.ports[4][0]
    s["TRANSCEIVER_ELS_DOM_SENSOR|" + name] = {
        "last_update_time": s["TRANSCEIVER_DOM_SENSOR|" + name][
            "last_update_time"]}


def fill(twin):
    old_info(twin)
    lasers(twin)
    gearbox(twin)
    peers(twin)
    settings(twin)
    profiles(twin)
    dark(twin)
    for (db, table, field), rule in sonic_rows.RULES.items():
        if not (rule.quantity or rule.attribute or rule.listed):
            continue
        if field in OLD_INFO:
            continue
        where = keys(twin, db, table, rule)
        if field.rstrip("12345678") in FIRST_ONLY:
            where = where[:1]
        elif field.endswith(OF_NOW):
            where = where[1:]
        elif field in FIRST_NAMES.get(table, ()):
            where = where[:1]
        elif field in SECOND_NAMES.get(table, ()):
            where = where[1:]
        for key in where:
            row = twin.db[db].setdefault(key, {})
            row.setdefault(field, value(twin, rule, field))
            if table.endswith("_INFO") and rule.kind == "sensor" and \
                    table not in ("PSU_FAN_INFO", "ASIC_TEMPERATURE_INFO"):
                row.setdefault("timestamp", "20261120 09:59:30")
            if table.startswith("TRANSCEIVER_") and rule.kind == "module" \
                    and not table.endswith(("_INFO", "THRESHOLD", "_COUNT")):
                row.setdefault("last_update_time", twin_time(twin))


def twin_time(twin):
    from sonic_twin import utc
    return utc(twin.now - 5)

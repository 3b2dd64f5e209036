"""The real dumps of SONiC's databases, where they are to be had: {database:
{key: {field: value}}} each. LOGLEVEL_DB and ASIC_DB are in some of them."""
import json
import os

from driver_said import SHARED

FOLDER = os.path.join(SHARED, "data/sonic")
NAMES = ("APPL_DB", "COUNTERS_DB", "CONFIG_DB", "FLEX_COUNTER_DB", "STATE_DB",
         "GB_COUNTERS_DB")
BY_ID = ("APPL_DB", "ASIC_DB", "COUNTERS_DB", "LOGLEVEL_DB", "CONFIG_DB",
         "FLEX_COUNTER_DB", "STATE_DB")


def are_here():
    return os.path.isdir(FOLDER)


def read(*path):
    with open(os.path.join(FOLDER, *path)) as f:
        return json.load(f)


def empty():
    return {n: {} for n in NAMES}


def z9100():
    return dict(empty(), **dict(zip(BY_ID, read("sonic-gnmi/db_dump.json"))))


def mock(sub=""):
    folder = os.path.join("sonic-utilities/mock_tables", sub)
    out = empty()
    for n in NAMES + ("ASIC_DB",):
        if os.path.exists(os.path.join(FOLDER, folder, n.lower() + ".json")):
            out[n] = read(folder, n.lower() + ".json")
    if not sub:     # it has all that a coherent module can, but no such module
        out["STATE_DB"].setdefault("TRANSCEIVER_INFO|Ethernet44",
                                   {"manufacturer": "XXXX", "serial": "44"})
    return out


def portstat():
    """Another COUNTERS_DB; the ports are those of mock()."""
    return dict(mock(), COUNTERS_DB=read(
        "sonic-utilities/portstat_db/counters_db.json"))


def gnmi():
    """Single tables of another switch, put together again."""
    def table(name):
        return read("sonic-gnmi", name + ".txt")
    c = {"COUNTERS_%s_NAME_MAP" % n: table("COUNTERS_%s_NAME_MAP" % n)
         for n in ("PORT", "QUEUE", "PG")}
    c.update(table("PORT_COUNTERS"))
    c["COUNTERS:" + c["COUNTERS_PORT_NAME_MAP"]["Ethernet68"]] = table(
        "COUNTERS_Ethernet68")
    for part in ("Queues", "Pfcwd"):
        for name, row in table("COUNTERS_Ethernet68_" + part).items():
            port, queue, *kept = name.split(":")     # Ethernet68:1:periodic
            where = kept[0].upper() + "_WATERMARKS" if kept else "COUNTERS"
            key = "%s:%s" % (where, c["COUNTERS_QUEUE_NAME_MAP"][
                "%s:%s" % (port, queue)])
            c[key] = dict(c.get(key, {}), **row)
    return dict(empty(), COUNTERS_DB=c, APPL_DB=table("PORT_TABLE"),
                CONFIG_DB=table("CONFIG_PFCWD_PORTS"))


def all_dumps():
    return {"Z9100": z9100(), "mock": mock(), "asic0": mock("asic0"),
            "asic1": mock("asic1"), "portstat": portstat(), "gnmi": gnmi()}

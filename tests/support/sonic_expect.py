"""What a driver should say of a SONiC dump, worked out without the driver.

Which statistic is which quantity comes from the help texts of quantity.def,
decimal values from Python's decimals: nothing here is shared with the C code.
"""
import math
import os
import re
from decimal import Decimal, ROUND_HALF_UP

HERE = os.path.dirname(os.path.abspath(__file__))
DEF = os.path.join(HERE, "../../include/petrel/quantity.def")
SIZES = ("64", "65_TO_127", "128_TO_255", "256_TO_511", "512_TO_1023",
         "1024_TO_1518", "1519_TO_2047", "2048_TO_4095", "4096_TO_9216",
         "9217_TO_16383")
ABSENT = {"", "n/a", "none", "nan", "inf", "+inf", "-nan", "unknown", "never"}
POLLED_FOR_PFCWD = ("SAI_QUEUE_ATTR_PAUSE_STATUS",)    # no counter


def quantities():
    """SAI name -> (quantity name, index, part), from the table's help."""
    with open(DEF) as f:
        text = f.read()
    out = {}
    rows = re.findall(r'QUANTITY\(0x[0-9a-f]+, \w+, "(\w+)",\s+\w+, \w+, \w+, '
                      r'\w+,\s+"([^"]*)"\)', text)
    for name, help_text in rows:
        for sai in re.findall(r"(?:SAI|EST)_[A-Z0-9_a-z*]+", help_text):
            if "CONFIGURED_DROP" in sai:
                for i in range(8):
                    out[sai.replace("*", str(i))] = (name, i, None)
                out[re.sub("CONFIGURED.*", "DROP_REASON_RANGE_BASE", sai)] = (
                    name, 0, None)
            elif "_PFC_n_" in sai:
                for i in range(8):
                    out[sai.replace("_n_", "_%d_" % i)] = (name, 0, i)
            elif sai.endswith("_Sn"):
                for i in range(17):
                    out[sai[:-1] + str(i)] = (name, i, None)
            elif "*" in sai:
                for i, size in enumerate(SIZES):
                    out[sai.replace("*", size)] = (name, i, None)
            else:
                out[sai] = (name, 0, None)
    return out


def scaled(text, scale):
    """Text in a source's unit as an integer, None where it is no reading."""
    text = str(text).strip()
    if text.lower() in ABSENT | {"-inf"}:
        return None
    text = re.sub(r"\s*(C|Volts|V|dBm|mA)$", "", text)
    value = Decimal(text) * scale
    sign = -1 if value < 0 else 1
    value = int(abs(value).quantize(Decimal(1), ROUND_HALF_UP))
    return sign * value if value < 2 ** 63 else None


def dbm(text):
    text = re.sub(r"\s*dBm$", "", str(text).strip())
    if text == "-inf":
        return 0
    if text.lower() in ABSENT:
        return None
    return int(math.floor(10 ** (float(text) / 10) * 1e9 + 0.5))


def counter(text):
    text = str(text)
    if not re.fullmatch(r"\d+", text) or int(text) == 2 ** 64 - 1:
        return None
    value = int(text)
    return value - 2 ** 64 if value >= 2 ** 63 else value


class Row(dict):
    """A row that notes which of its fields are looked at by name."""

    def __init__(self, dump, where, content):
        super().__init__(content)
        self.dump, self.where = dump, where

    def mark(self, field):
        self.dump.used.add(self.where + (field,))

    def get(self, field, otherwise=None):
        self.mark(field)
        return super().get(field, otherwise)

    def __getitem__(self, field):
        self.mark(field)
        return super().__getitem__(field)


class Dump:
    """The databases of a switch by name, as {key: {field: value}}."""

    def __init__(self, **db):
        self.db = db
        self.used = set()   # (database, key, field) that something speaks of

    def row(self, db, key):
        row = self.db.get(db, {}).get(key, {})
        return Row(self, (db, key), row if isinstance(row, dict) else {})

    def ports(self):
        names = set(self.row("COUNTERS_DB", "COUNTERS_PORT_NAME_MAP"))
        names |= {k.split("|", 1)[1] for k in self.db["CONFIG_DB"]
                  if k.startswith("PORT|")}
        names |= {k.split(":", 1)[1] for k in self.db["APPL_DB"]
                  if k.startswith("PORT_TABLE:")}
        return sorted(n for n in names if n.startswith("Ethernet"))

    def cage(self, port):
        """None inside the switch, whatever index is given there."""
        for db, key in (("CONFIG_DB", "PORT|"), ("APPL_DB", "PORT_TABLE:")):
            if self.row(db, key + port).get("role") in ("Int", "Inb", "Rec",
                                                        "Dpc"):
                return None
        if port.startswith("Ethernet-"):
            return None
        for db, key in (("CONFIG_DB", "PORT|"), ("APPL_DB", "PORT_TABLE:")):
            index = self.row(db, key + port).get("index")
            if index is not None:
                return int(index)
        digits = re.fullmatch(r"Ethernet(\d+)", port)
        return int(digits.group(1)) if digits else None

    def objects(self):
        """(kind, name) -> oid; a port's name, or "Ethernet0:3"."""
        out = {}
        for kind, which in (("port", "PORT"), ("queue", "QUEUE"),
                            ("queue", "VOQ"), ("fabric_port", "FABRIC_PORT"),
                            ("priority_group", "PG"), ("pool", "BUFFER_POOL")):
            row = self.row("COUNTERS_DB", "COUNTERS_%s_NAME_MAP" % which)
            for name, oid in row.items():
                if not re.fullmatch("oid:0x[1-9a-f][0-9a-f]*", str(oid)):
                    continue    # as syncd never writes one; asic1's PGs are
                if (kind in ("pool", "fabric_port") or which == "VOQ"
                        or name.startswith("Ethernet")):
                    row.mark(name)
                    out[kind, name] = oid
        row = self.row("COUNTERS_DB", "COUNTERS_DEBUG_NAME_SWITCH_STAT_MAP")
        chip = re.sub("^0x", "oid:0x", str(row.get("SWITCH_ID", "")))
        if chip:
            out["switch", self.row("CONFIG_DB", "DEVICE_METADATA|localhost")
                .get("hostname", "")] = chip
        return out

    def counters(self):
        """{(kind, name, quantity, index): value} of all counters."""
        known, out = quantities(), {}
        for (kind, name), oid in self.objects().items():
            row = self.row("COUNTERS_DB", "COUNTERS:" + oid)
            for field, text in row.items():
                if kind in ("fabric_port", "switch"):
                    break       # sonic_rows has rules for them
                value = counter(text)
                if field not in known or field in POLLED_FOR_PFCWD:
                    continue
                row.mark(field)
                if value is None:
                    continue
                quantity, index, priority = known[field]
                if priority is None:
                    out[kind, name, quantity, index] = value
                else:
                    out["priority", "%s:%d" % (name, priority), quantity,
                        0] = value
        return out

    def first_rows(self, table):
        """cage -> row of the first sub-port that has one."""
        def order(port):
            sub = self.row("CONFIG_DB", "PORT|" + port).get("subport", "0")
            return int(sub), port
        out = {}
        for port in sorted(self.ports(), key=order):
            row = self.row("STATE_DB", table + "|" + port)
            cage = self.cage(port)
            if row and cage is not None:
                out.setdefault(cage, row)
        return out

    def dom(self):
        out = {}
        modules = self.first_rows("TRANSCEIVER_INFO")
        for cage, row in self.first_rows("TRANSCEIVER_DOM_SENSOR").items():
            if cage not in modules:
                continue
            values = {
                ("module", cage, "module_temp_mc", 0):
                    scaled(row.get("temperature", ""), 1000),
                ("module", cage, "module_vcc_uv", 0):
                    scaled(row.get("voltage", ""), 1000000),
                ("module", cage, "module_laser_temp_mc", 0):
                    scaled(row.get("laser_temperature", ""), 1000)}
            for n in range(1, 9):
                lane = "lane", "%d.%d" % (cage, n)
                values[lane + ("lane_rx_power_pw", 0)] = dbm(
                    row.get("rx%dpower" % n, ""))
                values[lane + ("lane_tx_power_pw", 0)] = dbm(
                    row.get("tx%dpower" % n, ""))
                values[lane + ("lane_tx_bias_ua", 0)] = scaled(
                    row.get("tx%dbias" % n, ""), 1000)
            out.update({k: v for k, v in values.items() if v is not None})
        return out

    def thresholds(self):
        out = {}
        kinds = {"temp": ("module_temp_threshold_mc", 1000),
                 "vcc": ("module_vcc_threshold_uv", 1000000),
                 "rxpower": ("module_rx_power_threshold_pw", None),
                 "txpower": ("module_tx_power_threshold_pw", None),
                 "txbias": ("module_tx_bias_threshold_ua", 1000),
                 "lasertemp": ("module_laser_temp_threshold_mc", 1000)}
        modules = self.first_rows("TRANSCEIVER_INFO")
        for table in ("TRANSCEIVER_DOM_SENSOR", "TRANSCEIVER_DOM_THRESHOLD"):
            for cage, row in self.first_rows(table).items():
                for name, (quantity, scale) in kinds.items():
                    for i, edge in enumerate(("highalarm", "lowalarm",
                                              "highwarning", "lowwarning")):
                        text = row.get(name + edge, "")
                        value = dbm(text) if scale is None else scaled(text,
                                                                       scale)
                        if value is not None and cage in modules:
                            out["module", cage, quantity, i] = value
        return out

    def flags(self, table, fields):
        out = {}
        modules = self.first_rows("TRANSCEIVER_INFO")
        for cage, row in self.first_rows(table).items():
            for n in range(1, 9):
                for form, quantity in fields.items():
                    text = row.get(form % n, "")
                    if text in ("True", "False") and cage in modules:
                        out["lane", "%d.%d" % (cage, n), quantity,
                            0] = int(text == "True")
        return out

    def links(self):
        out = {}
        fec_words = {"none": 0, "fc": 1, "auto": 5}
        training = {"off": 0, "on": 1, "not_trained": 2, "trained": 3,
                    "frame_lock": 4, "snr_low": 5, "timeout": 6}
        for port in self.ports():
            appl = self.row("APPL_DB", "PORT_TABLE:" + port)
            row = appl or self.row("CONFIG_DB", "PORT|" + port)
            state = self.row("STATE_DB", "PORT_TABLE|" + port) if appl else {}

            def put(quantity, value):
                if value is not None:
                    out["port", port, quantity, 0] = value
            put("oper_status", {"up": 1, "down": 2}.get(
                row.get("oper_status")))
            put("admin_status", {"up": 1, "down": 0}.get(
                row.get("admin_status")))
            speed = int(row["speed"]) if "speed" in row else None
            agreed = state.get("speed")
            if (agreed and row.get("autoneg") == "on"
                    and row.get("oper_status") == "up"):
                speed = int(agreed)
            put("speed_mbps", speed)
            for field, quantity in (("mtu", "mtu_octets"),
                                    ("flap_count", "link_transitions")):
                put(quantity, int(row[field]) if field in row else None)
            lanes = len(row["lanes"].split(",")) if "lanes" in row else 0
            put("lane_count", lanes or None)
            put("link_training_status",
                training.get(state.get("link_training_status")))
            for field, quantity in (("autoneg", "autoneg_asked"),
                                    ("link_training", "link_training_asked"),
                                    ("pfc_asym", "pfc_asymmetric")):
                put(quantity, {"on": 1, "off": 0}.get(row.get(field)))
            for side in ("system", "line"):
                put("gearbox_%s_oper_status" % side, {"up": 1, "down": 2}.get(
                    row.get(side + "_oper_status")))
            put("host_tx_ready", {"true": 1, "false": 0}.get(
                state.get("host_tx_ready")))
            put("netdev_oper_status", {"up": 1, "down": 2}.get(
                state.get("netdev_oper_status")))
            fec = state.get("fec") or row.get("fec")
            if fec == "rs" and not speed:
                pass    # which of the two follows from the speed
            elif fec == "rs":
                lane_mbps = (speed or 0) // max(lanes, 1)
                # The PCS of 200G and above has no other, on any lanes.
                put("fec_mode", 3 if lane_mbps >= 50000
                    or speed >= 200000 else 2)
            else:
                put("fec_mode", fec_words.get(fec))
        return out

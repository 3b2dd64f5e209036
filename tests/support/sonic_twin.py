"""A small SONiC switch of our own, as the dumps of its databases.

Eight cages: six ports of 8 lanes at 400G, one cage broken out into four ports,
one empty. Written from SONiC's schema, with the warts that real images show;
the numbers come from a seed, so that two runs make the same switch.
Run by itself it writes one JSON file a database into a folder.
"""
import json
import os
import random
import sys
import time

import sonic_twin_others
import sonic_twin_rows

QUEUES = 10
GROUPS = 8
POOLS = ("egress_lossless_pool", "egress_lossy_pool", "ingress_lossless_pool")
SIZES = ("64", "65_TO_127", "128_TO_255", "256_TO_511", "512_TO_1023",
         "1024_TO_1518", "1519_TO_2047", "2048_TO_4095", "4096_TO_9216",
         "9217_TO_16383")
GROUP_INTERVALS = {
    "PORT_STAT_COUNTER": 1000, "PORT_BUFFER_DROP_STAT": 60000,
    "QUEUE_STAT_COUNTER": 10000, "QUEUE_WATERMARK_STAT_COUNTER": 60000,
    "PG_DROP_STAT_COUNTER": 10000, "PG_WATERMARK_STAT_COUNTER": 60000,
    "BUFFER_POOL_WATERMARK_STAT_COUNTER": 60000,
    "WRED_ECN_PORT_STAT_COUNTER": 1000, "WRED_ECN_QUEUE_STAT_COUNTER": 10000,
    "PFC_WD": 200, "PORT_PHY_ATTR": 10000}


def port_fields():
    for way in ("IN", "OUT"):
        for what in ("OCTETS", "UCAST_PKTS", "NON_UCAST_PKTS",
                     "MULTICAST_PKTS", "BROADCAST_PKTS", "DISCARDS", "ERRORS"):
            yield "SAI_PORT_STAT_IF_%s_%s" % (way, what)
        for size in SIZES:
            yield "SAI_PORT_STAT_ETHER_%s_PKTS_%s_OCTETS" % (way, size)
    yield "SAI_PORT_STAT_IF_OUT_QLEN"
    for name in ("CORRECTABLE_FRAMES", "NOT_CORRECTABLE_FRAMES",
                 "SYMBOL_ERRORS", "CORRECTED_BITS"):
        yield "SAI_PORT_STAT_IF_IN_FEC_" + name
    for i in range(16):
        yield "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S%d" % i
    for i in range(8):
        yield "SAI_PORT_STAT_PFC_%d_RX_PKTS" % i
        yield "SAI_PORT_STAT_PFC_%d_TX_PKTS" % i
        yield "SAI_PORT_STAT_PFC_%d_RX_PAUSE_DURATION_US" % i
    for name in ("FCS_ERRORS", "FRAME_TOO_LONGS", "SYMBOL_ERRORS"):
        yield "SAI_PORT_STAT_DOT3_STATS_" + name
    yield "SAI_PORT_STAT_IN_DROPPED_PKTS"
    yield "SAI_PORT_STAT_OUT_DROPPED_PKTS"
    yield "SAI_PORT_STAT_SOMETHING_NEW"     # a later SAI's, unknown to us


def utc(seconds):
    return time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(seconds))


def utc_iso(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


class Twin:
    def __init__(self, seed=7, first_oid=0x1000, now=None, asic=None,
                 warts=True):
        self.random = random.Random(seed)
        self.now = int(now if now is not None else time.time())
        self.next_oid = first_oid
        self.asic = asic        # several: names and cages of its own
        self.first = 64 * (asic or 0)
        self.db = {n: {} for n in ("APPL_DB", "COUNTERS_DB", "CONFIG_DB",
                                   "FLEX_COUNTER_DB", "STATE_DB",
                                   "GB_COUNTERS_DB")}
        self.ports = []     # (name, cage, subport, first lane, lanes, speed)
        for i in range(6):
            self.ports.append((self.name(8 * i), i + 1, 0, 8 * i, 8, 400000))
        for i in range(4):
            self.ports.append((self.name(48 + 2 * i), 7, i + 1, 48 + 2 * i, 2,
                               100000))
        self.ports.append((self.name(56), 8, 0, 56, 8, 400000))
        self.make_ports()
        self.make_counters()
        self.make_modules()
        if warts:
            self.make_warts()
            sonic_twin_rows.fill(self)
            sonic_twin_others.fill(self)

    def name(self, number):
        return "Ethernet%d" % (self.first + number)

    def oid(self, kind):
        self.next_oid += 1
        return "oid:0x%x" % ((kind << 48) | self.next_oid)

    def counter(self):
        return str(self.random.choice((0, self.random.getrandbits(20),
                                       self.random.getrandbits(40),
                                       self.random.getrandbits(63))))

    def make_ports(self):
        for name, cage, subport, lane, lanes, speed in self.ports:
            row = {"alias": "etp%d%s" % (cage, "abcd"[subport - 1]
                                         if subport else ""),
                   "index": str(cage + 8 * (self.asic or 0)), "subport": str(subport),
                   "lanes": ",".join(str(lane + 1 + i) for i in range(lanes)),
                   "speed": str(speed), "mtu": "9100", "fec": "rs",
                   "admin_status": "up", "description": "rack %d" % cage,
                   "role": "Ext"}
            self.db["CONFIG_DB"]["PORT|" + name] = dict(row)
            self.db["APPL_DB"]["PORT_TABLE:" + name] = dict(
                row, oper_status="up", flap_count=str(2 * cage),
                last_down_time=utc(self.now - 3600))
            self.db["STATE_DB"]["PORT_TABLE|" + name] = {
                "state": "ok", "fec": "rs", "link_training_status": "off"}
        self.db["CONFIG_DB"]["DEVICE_METADATA|localhost"] = {
            "hostname": "twin", "hwsku": "Twin-64", "platform": "x86_64-twin"}
        if self.asic is not None:
            self.db["CONFIG_DB"]["DEVICE_METADATA|localhost"]["asic_name"] = (
                "asic%d" % self.asic)
        self.db["APPL_DB"]["PORT_TABLE:PortInitDone"] = {"lanes": "0"}

    def make_counters(self):
        c = self.db["COUNTERS_DB"]
        for name in ("PORT", "QUEUE", "PG", "BUFFER_POOL"):
            c["COUNTERS_%s_NAME_MAP" % name] = {}
        c["COUNTERS_QUEUE_TYPE_MAP"] = {}
        c["COUNTERS_PORT_NAME_MAP"]["CPU"] = self.oid(1)
        for name, *_ in self.ports:
            oid = c["COUNTERS_PORT_NAME_MAP"][name] = self.oid(1)
            c["COUNTERS:" + oid] = {f: self.counter() for f in port_fields()}
        for name, *_ in self.ports:
            for q in range(QUEUES):
                oid = self.oid(0x15)
                c["COUNTERS_QUEUE_NAME_MAP"]["%s:%d" % (name, q)] = oid
                c["COUNTERS_QUEUE_TYPE_MAP"][oid] = (
                    "SAI_QUEUE_TYPE_UNICAST" if q < 8
                    else "SAI_QUEUE_TYPE_MULTICAST")
                c["COUNTERS:" + oid] = {
                    "SAI_QUEUE_STAT_" + f: self.counter() for f in
                    ("PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES",
                     "SHARED_WATERMARK_BYTES", "WRED_ECN_MARKED_PACKETS")}
            for g in range(GROUPS):
                oid = self.oid(0x1a)
                c["COUNTERS_PG_NAME_MAP"]["%s:%d" % (name, g)] = oid
                c["COUNTERS:" + oid] = {
                    "SAI_INGRESS_PRIORITY_GROUP_STAT_" + f: self.counter()
                    for f in ("DROPPED_PACKETS", "SHARED_WATERMARK_BYTES",
                              "XOFF_ROOM_WATERMARK_BYTES")}
        for name in POOLS:
            oid = c["COUNTERS_BUFFER_POOL_NAME_MAP"][name] = self.oid(0x18)
            c["COUNTERS:" + oid] = {
                "SAI_BUFFER_POOL_STAT_" + f: self.counter() for f in
                ("WATERMARK_BYTES", "XOFF_ROOM_WATERMARK_BYTES")}
        for group, ms in GROUP_INTERVALS.items():
            self.db["FLEX_COUNTER_DB"]["FLEX_COUNTER_GROUP_TABLE:" + group] = {
                "POLL_INTERVAL": str(ms), "FLEX_COUNTER_STATUS": "enable"}

    def info(self, cage):
        return {"type": "QSFP-DD Double Density 8X Pluggable Transceiver",
                "type_abbrv_name": "QSFP-DD", "manufacturer": "Fulmar  ",
                "model": "FM-400-DR4", "vendor_rev": "A1",
                "serial": "FM%06d" % cage, "vendor_oui": "00-11-22",
                "vendor_date": "2025-03-%02d " % cage, "connector": "MPO 1x12",
                "cable_type": "Length SMF (m)", "cable_length": "500",
                "host_lane_count": "8", "media_lane_count": "4",
                "specification_compliance": "sm_media_interface",
                "media_interface_technology": "1310 nm EML",
                "application_advertisement":
                    "{1: {'module_media_interface_id': '400GBASE-DR4'}}"}

    def dom(self, cage):
        r = self.random
        row = {"temperature": "%.4f" % r.uniform(35, 55),
               "voltage": "%.4f" % r.uniform(3.2, 3.4),
               "laser_temperature": "%.7f" % r.uniform(40, 60),
               "last_update_time": utc(self.now - 10 - cage)}
        for lane in range(1, 9):
            lit = lane <= 4
            row["rx%dpower" % lane] = "%.3f" % r.uniform(-4, 3) if lit \
                else "N/A"
            row["tx%dpower" % lane] = "%.3f" % r.uniform(-2, 3) if lit \
                else "N/A"
            row["tx%dbias" % lane] = "%.3f" % r.uniform(40, 80) if lit \
                else "N/A"
        return row

    def thresholds(self):
        row = {}
        for name, edges in (("temp", (75, -5, 70, 0)),
                            ("vcc", (3.63, 2.97, 3.465, 3.135)),
                            ("rxpower", (6.0, -9.9, 4.0, -6.9)),
                            ("txpower", (6.0, -6.9, 4.0, -3.9)),
                            ("txbias", (120, 20, 110, 30)),
                            ("lasertemp", (80, 10, 75, 15))):
            for edge, value in zip(("highalarm", "lowalarm", "highwarning",
                                    "lowwarning"), edges):
                row[name + edge] = "%.4f" % value
        return row

    def make_modules(self):
        s = self.db["STATE_DB"]
        for name, cage, subport, *_ in self.ports:
            if cage == 8:
                continue
            s["TRANSCEIVER_INFO|" + name] = self.info(cage)
            s["TRANSCEIVER_FIRMWARE_INFO|" + name] = {
                "active_firmware": "2.1.%d" % cage}
            if subport > 1:
                continue    # readings are the first sub-port's only
            s["TRANSCEIVER_DOM_SENSOR|" + name] = self.dom(cage)
            s["TRANSCEIVER_DOM_THRESHOLD|" + name] = self.thresholds()
            flags = {"last_update_time": utc(self.now - 5)}
            status = {"last_update_time": utc(self.now - 5)}
            for lane in range(1, 9):
                flags["rx%dlos" % lane] = "False"
                flags["tx%dfault" % lane] = "False"
                status["tx%ddisable" % lane] = "False"
            s["TRANSCEIVER_STATUS_FLAG|" + name] = flags
            s["TRANSCEIVER_STATUS|" + name] = status

    def make_warts(self):
        """What real images do, one port each."""
        a, s = self.db["APPL_DB"], self.db["STATE_DB"]
        dom = s["TRANSCEIVER_DOM_SENSOR|" + self.name(8)]
        dom.update({"temperature": "45.5C", "voltage": "3.3Volts",
                    "rx1power": "-inf", "rx2power": "-3.5dBm",
                    "tx1power": "nan", "tx2bias": "55.5mA", "tx3bias": ""})
        # A copper cable of an old image: zeros and all-ones, no times.
        old = s["TRANSCEIVER_DOM_SENSOR|" + self.name(16)]
        old.clear()
        old.update({"temperature": "0.0000", "voltage": "0.0000",
                    "rx1power": "-inf", "tx1bias": "0.0000",
                    "tx1power": "N/A", "temphighalarm": "-0.0039",
                    "vcchighalarm": "6.5535", "rxpowerhighalarm": "8.1647",
                    "txpowerhighalarm": "N/A"})
        del s["TRANSCEIVER_DOM_THRESHOLD|" + self.name(16)]
        s["TRANSCEIVER_INFO|" + self.name(16)].update({
            "specification_compliance":
                "{'10/40G Ethernet Compliance Code': '40GBASE-CR4'}",
            "media_interface_technology": "N/A",
            "application_advertisement": "N/A",
            "cable_type": "Length Cable Assembly(m)", "cable_length": "3",
            "host_lane_count": "N/A", "media_lane_count": "N/A"})
        for db, key in ((a, "PORT_TABLE:"), (self.db["CONFIG_DB"], "PORT|")):
            row = db[key + self.name(8)]        # as a hand wrote it
            row["lanes"] = row["lanes"].replace(",", ", ")
        a["PORT_TABLE:" + self.name(56)]["speed"] = "0"
        # Links that are down, each for a reason of its own.
        a["PORT_TABLE:" + self.name(24)].update(oper_status="down",
                                                admin_status="down")
        a["PORT_TABLE:" + self.name(32)].update(oper_status="down")
        s["TRANSCEIVER_STATUS_FLAG|" + self.name(32)]["rx2los"] = "True"
        a["PORT_TABLE:" + self.name(40)].update(oper_status="down")
        s["PORT_OPERR_TABLE|" + self.name(40)] = {
            "oper_error_status": "4",
            "mac_local_fault_count": "2",
            "mac_local_fault_time": utc_iso(self.now - 90000),
            "mac_remote_fault_count": "1", "mac_remote_fault_time": "",
            "fec_sync_loss_count": "3",
            "fec_sync_loss_time": utc_iso(self.now - 3600)}
        a["PORT_TABLE:" + self.name(56)].update(oper_status="down")
        # A statistic that its hardware does not have, and one never written.
        c = self.db["COUNTERS_DB"]
        oid = c["COUNTERS_PORT_NAME_MAP"][self.name(0)]
        c["COUNTERS:" + oid].update({
            "SAI_PORT_STAT_IF_OUT_QLEN": str(2 ** 64 - 1),
            "SAI_PORT_STAT_IF_IN_ERRORS": "N/A",
            "SAI_PORT_STAT_IF_OUT_ERRORS": ""})

    def stamps(self, mono_ns):
        """COUNTERS:TIME_STAMP as of a monotonic time."""
        return {g + "_Any_Counter_time_stamp": str(mono_ns)
                for g in GROUP_INTERVALS}


if __name__ == "__main__":
    for db, content in Twin().db.items():
        with open(os.path.join(sys.argv[1], db.lower() + ".json"), "w") as f:
            json.dump(content, f, indent=1)

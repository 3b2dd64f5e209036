#!/usr/bin/env python3
# petrel-test: timeout=120
"""A chassis: the supervisor's agent tells of each card and of the sensors that
cards write under their slots, from a server of its own; that server may be
late, hang or die and nothing else waits for it. A line card has no socket to
it and tells of itself."""
import os
import re
import shutil
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
sys.path.insert(0, HERE)
import driver_said                                      # noqa: E402
import sonic_rows                                       # noqa: E402
import test_sonic                                       # noqa: E402
from driver_said import Running, now_ns                 # noqa: E402
from folder import open_folder                           # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

S = 10 ** 9
CHASSIS_STATE = 13
SOCKET = "var/run/redis-chassis/redis_chassis.sock"
# As chassisd, thermalctld and sensormond write them; the host is the
# supervisor, in slot 16.
CARDS = {
    "CHASSIS_TABLE|CHASSIS 1": {"module_num": "5"},
    "CHASSIS_MODULE_TABLE|SUPERVISOR0": {
        "desc": "supervisor-card", "slot": "16", "oper_status": "Online",
        "num_asics": "0", "serial": "RP1000101"},
    "CHASSIS_MODULE_TABLE|LINE-CARD0": {
        "desc": "line-card", "slot": "3", "oper_status": "Online",
        "num_asics": "2", "serial": "LC1000101"},
    "CHASSIS_MODULE_TABLE|LINE-CARD1": {
        "desc": "line-card", "slot": "4", "oper_status": "Fault",
        "num_asics": "2", "serial": "LC1000102"},
    "CHASSIS_MODULE_TABLE|LINE-CARD2": {
        "desc": "N/A", "slot": "5", "oper_status": "Empty", "num_asics": "0",
        "serial": "N/A"},
    "CHASSIS_MODULE_TABLE|FABRIC-CARD0": {
        "desc": "fabric-card", "slot": "N/A", "oper_status": "Burning",
        "num_asics": "2", "serial": "FC1000101"},
    "CHASSIS_MIDPLANE_TABLE|LINE-CARD0": {"ip_address": "192.168.3.1",
                                          "access": "True"},
    "CHASSIS_MIDPLANE_TABLE|LINE-CARD1": {"ip_address": "0.0.0.0",
                                          "access": "False"}}


def temperature(value, **more):
    row = {"temperature": value, "minimum_temperature": "21.0",
           "maximum_temperature": "61.5", "high_threshold": "85.0",
           "low_threshold": "N/A", "warning_status": "False",
           "critical_high_threshold": "95.0",
           "critical_low_threshold": "N/A", "is_replaceable": "False",
           "timestamp": "20261120 09:59:30"}
    return dict(row, **more)


SENSORS = {
    "TEMPERATURE_INFO_3|CPU Core 0": temperature("41.5"),
    "TEMPERATURE_INFO_3|ASIC 0": temperature("58.25"),
    "TEMPERATURE_INFO_4|CPU Core 0": temperature("N/A"),
    "TEMPERATURE_INFO_16|CPU Core 0": temperature("39.0"),  # its own
    "VOLTAGE_INFO_3|VP0": {"voltage": "3301", "unit": "mV",
                           "high_threshold": "3465", "warning_status": "True",
                           "timestamp": "20261120 09:59:30"},
    "CURRENT_INFO_3|VP0": {"current": "12500", "unit": "mA",
                           "timestamp": "20261120 09:59:30"},
    "CHASSIS_MODULE_TABLE|LINE-CARD0": {"slot": "3", "hostname": "chassis1-3",
                                        "num_asics": "2"},
    "CHASSIS_ASIC_TABLE|LINE-CARD0|asic0": {"asic_pci_address": "0000:07:00.0",
                                            "name": "LINE-CARD0",
                                            "asic_id_in_module": "0"},
    "CHASSIS_FABRIC_ASIC_TABLE|asic4": {"asic_pci_address": "0000:09:00.0",
                                        "name": "FABRIC-CARD0",
                                        "asic_id_in_module": "0"}}


class Chassis:
    """The supervisor's two servers; of a line card only the first."""

    def __init__(self, server=True):
        self.root = open_folder(prefix="petrel-chassis-")
        self.host = Redis(self.root)
        self.host.write_config(ids={"CHASSIS_STATE_DB": CHASSIS_STATE},
                               places={"CHASSIS_STATE_DB": "/" + SOCKET})
        self.server = Redis(self.root, SOCKET, config=False) if server else None

    def start_server(self):
        self.server = self.server or Redis(self.root, SOCKET, config=False)
        self.server.start()
        self.server.load(CHASSIS_STATE, SENSORS)

    def __enter__(self):
        self.host.start()
        if self.server:
            self.start_server()
        return self

    def __exit__(self, *_):
        for redis in (self.host, self.server):
            if redis:
                redis.stop()
        shutil.rmtree(self.root, ignore_errors=True)


def expected_sensors():
    """What cards say, each sensor named by its slot; a current of a voltage's
    name has another word."""
    out = {}
    for key, row in SENSORS.items():
        m = re.fullmatch(r"(\w+_INFO)_(\d+)\|(.*)", key)
        if not m or m.group(2) == "16":
            continue
        name = "slot %s %s" % m.groups()[1:]
        if "VOLTAGE_INFO_%s|%s" % m.groups()[1:] in SENSORS:
            name += {"CURRENT_INFO": " current"}.get(m.group(1), "")
        for field, text in row.items():
            r = sonic_rows.RULES.get(("STATE_DB", m.group(1), field))
            value = r.convert(text) if r and r.quantity else None
            if value is not None:
                out["sensor", name, r.quantity, r.index] = value
    return out


def test_values(tap):
    """A supervisor: no port is there, only cards and sensors."""
    with Chassis() as chassis:
        chassis.host.load("STATE_DB", dict(CARDS, **{
            "TEMPERATURE_INFO|CPU Core 0": temperature("39.0")}))
        chassis.host.load("CONFIG_DB", {"DEVICE_METADATA|localhost": {
            "hostname": "chassis1"}})
        said = driver_said.run("sonic", chassis.root, 2)
    want = sonic_rows.expect(Dump(STATE_DB=CARDS, CONFIG_DB={}, APPL_DB={}),
                             "chassis")
    tap.ok(not said.of("fault"), "the contract holds", said.of("fault")[:3])
    tap.ok(len([k for k in want if k[2] == "card_state"]) == 4,
           "a state that nobody knows is absent", want)
    want.update(expected_sensors())
    tap.same(said.samples("chassis"), want,
             "each card has its state, each sensor its slot")
    tap.same(said.samples("sensors"), {
        ("sensor", "CPU Core 0", "sensor_temp_mc", 0): 39000,
        ("sensor", "CPU Core 0", "sensor_temp_seen_mc", 0): 21000,
        ("sensor", "CPU Core 0", "sensor_temp_seen_mc", 1): 61500,
        ("sensor", "CPU Core 0", "sensor_temp_threshold_mc", 0): 95000,
        ("sensor", "CPU Core 0", "sensor_temp_threshold_mc", 1): 85000,
        ("sensor", "CPU Core 0", "sensor_warning", 0): 0},
        "the supervisor's own sensors are told once, from STATE_DB")
    texts = said.attributes("sensor")
    tap.same({a: texts["LINE-CARD0"].get(a) for a in
              ("slot", "serial", "description", "alias", "address")},
             {"address": "192.168.3.1", "slot": "3", "serial": "LC1000101", "description": "line-card",
              "alias": "chassis1-3"}, "a card has slot, serial and host name")
    tap.ok(texts["slot 3 ASIC 0"]["slot"] == "3"
           and "serial" not in texts["LINE-CARD2"]
           and "address" not in texts["LINE-CARD1"],
           "sensors have their slot, N/A is no text", texts)
    told = said.states("chassis")
    tap.ok(told and told[-1][0] in ("fresh", "broken"), "it is told", told)


def test_server_apart(tap):
    """Nothing else waits for the chassis' server."""
    twin = Twin()
    with Chassis() as chassis:
        for name in test_sonic.NAMES:
            chassis.host.load(name, twin.db[name])
        chassis.host.load("STATE_DB", {k: v for k, v in CARDS.items()
                                       if not k.endswith("FABRIC-CARD0")})
        run = Running("sonic", chassis.root, 10.5, "--period-ms", "1000")
        time.sleep(1.5)
        chassis.server.signal(signal.SIGSTOP)
        stopped = now_ns()
        time.sleep(4)
        chassis.server.signal(signal.SIGCONT)
        time.sleep(2.2)
        going = now_ns()
        chassis.server.kill()
        time.sleep(1)
        card = chassis.host.client("STATE_DB")
        offline = now_ns()
        card.ask("HSET", "CHASSIS_MODULE_TABLE|LINE-CARD0", "oper_status",
                 "Offline")
        card.close()
        said = run.end()
    times = sorted({x["t_ns"] for x in said.of("sample",
                                               quantity="if_in_octets")})
    gaps = [(b - a) / S for a, b in zip(times, times[1:])]
    tap.ok(len(times) > 6 and max(gaps) < 1.9,
           "ports are counted while the chassis' server hangs and is dead",
           gaps)
    hung = said.states("chassis", stopped, stopped + 4 * S)
    while hung and hung[0][0] == "fresh":   # until it has waited for a reply
        hung.pop(0)
    for word, told in (("hangs", hung),
                       ("is dead", said.states("chassis", going + S))):
        tap.ok(told and all(s == "limited" and "CHASSIS_STATE_DB" in r
                            for s, r in told),
               "a chassis whose server %s is limited, and says so" % word,
               told)
    tap.ok(any(s == "fresh" for s, _ in said.states(
        "chassis", stopped + 4 * S, going)), "… and fresh again after",
        said.states("chassis", stopped, going))
    state = said.samples("chassis", after=offline + S)
    tap.ok(state.get(("sensor", "LINE-CARD0", "card_state", 0)) == 1,
           "a card that goes off line is a state", state)
    changes = [(e["event"], e["text"]) for e in said.of("event")
               if e["event"] == "card_changed"]
    tap.ok(changes == [("card_changed", "LINE-CARD0\tOnline\tOffline")],
           "… and an event", changes)


def test_line_card(tap):
    """It knows the database's name; the server comes up meanwhile elsewhere,
    and on the supervisor late."""
    twin = Twin()
    with Chassis(server=False) as chassis:
        for name in test_sonic.NAMES:
            chassis.host.load(name, twin.db[name])
        run = Running("sonic", chassis.root, 5, "--period-ms", "500")
        time.sleep(2)
        before = now_ns()
        chassis.start_server()
        said = run.end()
    told = said.states("chassis", 0, before)
    tap.ok(told and all(s == "fresh" and "supervisor" in r
                        for s, r in told[-2:]),
           "a line card leaves the chassis to the supervisor, and says so",
           told)
    tap.ok(said.samples("counters") and said.samples("sensors"),
           "… and tells of its ports and sensors", "")
    got = {k[1] for k in said.samples("chassis", after=before)}
    tap.ok("slot 3 ASIC 0" in got, "a server that comes late is read", got)


def test_no_chassis(tap):
    twin = Twin(warts=False)
    with Redis() as redis:
        for name in test_sonic.NAMES:
            redis.load(name, twin.db[name])
        said = driver_said.run("sonic", redis.root, 1.5)
    told = said.states("chassis")
    tap.ok(told and told[-1][0] == "fresh" and "not a chassis" in told[-1][1]
           and not said.samples("chassis"),
           "where there is no chassis that is said, and no fault", told)


def main():
    tap = driver_said.Tap()
    driver_said.side_by_side(tap, (test_server_apart, test_values,
                                   test_line_card, test_no_chassis))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

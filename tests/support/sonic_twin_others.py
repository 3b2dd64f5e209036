"""What SONiC of other releases, and other platforms, writes that Petrel leaves
out: each has its reason in tests/data/sonic_left_out.txt."""

PORT = {"core_port_id": "1", "num_voq": "8", "valid_speeds": "400000,200000",
        "laser_freq": "193100", "tx_power": "-10", "dom_polling": "enabled",
        "mux_cable": "true", "media_type": "optical"}
PORT_STATE = {"NPU_SI_SETTINGS_SYNC_STATUS": "NPU_SI_SETTINGS_DONE",
              "CMIS_REINIT_REQUIRED": "false", "phy_ctrl_unreliable_los": "N/A"}
MODULE = {"host_electrical_interface": "400GAUI-8 C2M (Annex 120E)",
          "media_interface_code": "400GBASE-DR4",
          "host_lane_assignment_option": "1",
          "media_lane_assignment_option": "1"}
SWITCH = {"switch_id": "4", "max_cores": "64", "subtype": "DownstreamLC",
          "slice_type": "AZNG_Production", "macsec_profile": "MACSEC_PROFILE",
          "timezone": "UTC", "synchronous_mode": "enable",
          "orch_northbond_route_zmq_enabled": "true"}
QUEUE = {"DEBUG_STORM": "enabled", "BIG_RED_SWITCH_MODE": "enable"}
QUEUE_RATES = {"Q_PPS": "1.5", "Q_BPS": "96", "Q_bPS": "768",
               "SAI_QUEUE_STAT_PACKETS_last": "7",
               "SAI_QUEUE_STAT_BYTES_last": "448"}
LEAK = {"name": "leakage1", "type": "rope", "location": "bottom",
        "leak_severity": "None"}
STATE = {
    "FAN_DRAWER_INFO|drawer1": {"presence": "True", "status": "Updating",
                                "model": "N/A", "serial": "N/A",
                                "is_replaceable": "True",
                                "led_status": "green"},
    "PHYSICAL_ENTITY_INFO|fan1": {"position_in_parent": "1",
                                  "parent_name": "drawer1"},
    "SYSTEM_LEAK_STATUS|system": {"device_leak_status": "None",
                                  "timestamp": "20261120 09:59:30"},
    "LEAK_PROFILE|rope": {"type": "rope", "max_minor_duration_sec": "inf"},
    "DEVICE_METADATA|localhost": {"chassis_serial_number": "SN0001"}}


def fill(twin):
    db = twin.db
    port = twin.ports[0][0]
    db["CONFIG_DB"]["PORT|" + port].update(PORT)
    db["APPL_DB"]["PORT_TABLE:" + port].update(PORT)
    db["CONFIG_DB"]["DEVICE_METADATA|localhost"].update(SWITCH)
    state = db["STATE_DB"]
    state["PORT_TABLE|" + port].update(PORT_STATE)
    state["TRANSCEIVER_INFO|" + port].update(MODULE)
    state["LIQUID_COOLING_INFO|leakage1"].update(LEAK)
    state["TEMPERATURE_INFO|CPU Core 0"]["is_replaceable"] = "False"
    state["FAN_INFO|fan1"]["status"] = "Updating"   # thermalctld's first look
    state.update({k: dict(v) for k, v in STATE.items()})
    c = db["COUNTERS_DB"]
    oid = c["COUNTERS_QUEUE_NAME_MAP"][port + ":3"]
    c["COUNTERS:" + oid].update(QUEUE)
    c["RATES:" + oid] = dict(QUEUE_RATES)
    c["RATES:%s:QUEUE" % oid] = {"INIT_DONE": "DONE"}

"""What should be said of the rows that sonic_expect.py does not speak of: one
rule a field, written from SONiC's schema, not from the driver.

A rule says which quantity (of the entity that the row is of, or of a lane or
priority of it) or which attribute a field is. The same rules tell which fields
a test compares: test_sonic_fields.py walks all fields of all dumps with them.
"""
import json
import os
import re
from datetime import datetime, timezone

from sonic_expect import counter, dbm, scaled

E18 = 10 ** 18
CAUSES = ("mac_local_fault mac_remote_fault fec_sync_loss fec_alignment_loss "
          "high_ser_error high_ber_error crc_rate data_unit_crc_error "
          "data_unit_size data_unit_misalignment_error code_group_error "
          "signal_local_error no_rx_reachability").split()
EDGES = ("highalarm", "lowalarm", "highwarning", "lowwarning")
FLAG_EDGES = ("HAlarm", "LAlarm", "HWarn", "LWarn")
VDM_EDGES = ("HALARM", "LALARM", "HWARN", "LWARN")
LANES = range(1, 9)


# Each conversion knows how to make a text for itself, which the twin asks for.
def flag(text):
    return {"true": 1, "false": 0, "up": 1, "down": 0, "on": 1, "off": 0,
            "enable": 1, "disable": 0, "1": 1,
            "0": 0}.get(str(text).strip().lower())


def word(words):
    def convert(text):
        return words.get(str(text).strip())
    convert.sample = lambda random: random.choice(sorted(words))
    return convert


def times(scale):
    def convert(text):
        return scaled(text, scale)
    convert.sample = lambda random: (
        repr(random.uniform(1e-13, 1e-5)) if scale == E18
        else "%.4f" % random.uniform(-40, 60))
    return convert


def percent(text):
    """Of a fan; a code of an error is no speed."""
    value = scaled(text, 10000)
    return None if value is None or value < 0 else value


def whole(text):
    """A flag of all lanes together: of_whole()."""
    return flag(text)


def power(text):
    return dbm(text)


def error(text):
    return int(str(text).strip() not in ("N/A", ""))


whole.sample = flag.sample = lambda random: random.choice(("True", "False"))
percent.sample = times(10000).sample
power.sample = lambda random: "%.3f" % random.uniform(-15, 5)
error.sample = lambda random: random.choice(("N/A", "Blocking Error|Hot"))
counter.sample = lambda random: str(random.getrandbits(
    random.choice((1, 20, 40, 63))))

MODULE_STATES = {"ModuleLowPwr": 1, "ModulePwrUp": 2, "ModuleReady": 3,
                 "ModulePwrDn": 4, "ModuleFault": 5}
FAULTS = {"No Fault detected": 0, "TEC runaway": 1, "Data memory corrupted": 2,
          "Program memory corrupted": 3}
DATA_PATHS = {"DataPathDeactivated": 1, "DataPathInit": 2, "DataPathDeinit": 3,
              "DataPathActivated": 4, "DataPathTxTurnOn": 5,
              "DataPathTxTurnOff": 6, "DataPathInitialized": 7}
CONFIGS = {"ConfigUndefined": 0, "ConfigSuccess": 1, "ConfigRejected": 2,
           "ConfigRejectedInvalidAppSel": 3,
           "ConfigRejectedInvalidDataPath": 4, "ConfigRejectedInvalidSI": 5,
           "ConfigRejectedLanesInUse": 6, "ConfigRejectedPartialDataPath": 7,
           "ConfigInProgress": 12}
XCVR = {w: i for i, w in enumerate(
    "UNKNOWN INSERTED DP_PRE_INIT_CHECK DP_DEINIT AP_CONFIGURED DP_ACTIVATION "
    "DP_INIT DP_TXON READY REMOVED FAILED".split())}
# Name in SONiC's tables, name of the quantity without "vdm_", conversion.
VDM = [("laser_temperature_media", "laser_temp%s_mc", times(1000)),
       ("esnr_media_input", "snr%s_mdb", times(1000)),
       ("esnr_host_input", "host_snr%s_mdb", times(1000)),
       ("pam4_level_transition_media_input", "ltp%s_mdb", times(1000)),
       ("pam4_level_transition_host_input", "host_ltp%s_mdb", times(1000))]
for what in ("min", "max", "avg", "curr"):
    mine = "" if what == "curr" else "_" + what
    for side, prefix in (("media", ""), ("host", "host_")):
        VDM += [("prefec_ber_%s_%s_input" % (what, side),
                 prefix + "pre_fec_ber" + mine + "%s_e18", times(E18)),
                ("errored_frames_%s_%s_input" % (what, side),
                 prefix + "ferc" + mine + "%s_e18", times(E18))]
COHERENT = [("biasxi", "bias_xi%s_ppm", times(10000)),
            ("biasxq", "bias_xq%s_ppm", times(10000)),
            ("biasxp", "bias_x_phase%s_ppm", times(10000)),
            ("biasyi", "bias_yi%s_ppm", times(10000)),
            ("biasyq", "bias_yq%s_ppm", times(10000)),
            ("biasyp", "bias_y_phase%s_ppm", times(10000)),
            ("cdshort", "cd_short%s_ps_per_nm", times(1)),
            ("cdlong", "cd_long%s_ps_per_nm", times(1)),
            ("dgd", "dgd%s_fs", times(1000)),
            ("sopmd", "sopmd%s_fs2", times(10 ** 6)),
            ("soproc", "sop_roc%s_krad_per_s", times(1)),
            ("pdl", "pdl%s_mdb", times(1000)),
            ("osnr", "osnr%s_mdb", times(1000)),
            ("esnr", "esnr%s_mdb", times(1000)),
            ("cfo", "cfo%s_mhz", times(1)),
            ("txcurrpower", "tx_power%s_pw", power),
            ("rxtotpower", "rx_total_power%s_pw", power),
            ("rxsigpower", "rx_signal_power%s_pw", power)]
# Before 2025-05 TRANSCEIVER_DOM_SENSOR has them by these names.
OLD_NAMES = {"biasxi": "bias_xi", "biasxq": "bias_xq", "biasxp": "bias_xp",
             "biasyi": "bias_yi", "biasyq": "bias_yq", "biasyp": "bias_yp",
             "cdshort": "cd_shortlink", "cdlong": "cd_longlink",
             "txcurrpower": "tx_curr_power", "rxtotpower": "rx_tot_power",
             "rxsigpower": "rx_sig_power"}
OLD_THRESHOLDS = COHERENT + [
    ("evm", "evm%s_ppm", times(10000)),
    ("prefecber", "pre_fec_ber_avg%s_e18", times(E18)),
    ("postfecber", "ferc_avg%s_e18", times(E18))]


def lanes(text, take):
    """{lane: value} of one of PORT_PHY_ATTR's lists."""
    return {int(k): take(v) for k, v in json.loads(text).items()}


def flag_of(quantity):
    """vdm_bias_xi%s_ppm: vdm_bias_xi_flag"""
    return "vdm_%s_flag" % re.sub(r"%s.*", "", quantity)


class Rule:
    """quantity None: the field is an attribute, or part of another rule."""

    def __init__(self, source, db, table, kind, quantity=None, index=0,
                 convert=None, part=None, attribute=None, listed=None):
        self.source, self.db, self.table, self.kind = source, db, table, kind
        self.quantity, self.index, self.convert = quantity, index, convert
        self.part, self.attribute, self.listed = part, attribute, listed


RULES = {}      # (db, table, field): Rule


def rule(source, db, table, field, kind, quantity=None, index=0,
         convert=counter, **more):
    RULES[db, table, field] = Rule(source, db, table, kind, quantity, index,
                                   convert, **more)


def make_ports():
    for i, cause in enumerate(CAUSES):
        rule("causes", "STATE_DB", "PORT_OPERR_TABLE", cause + "_count",
             "port", "down_cause_count", i)
        rule(None, "STATE_DB", "PORT_OPERR_TABLE", cause + "_time", "port")
    rule("causes", "STATE_DB", "PORT_OPERR_TABLE", "oper_error_status", "port",
         "down_cause_bits")
    rates = ("rates", "COUNTERS_DB", "RATES")
    for field, quantity, scale in (
            ("RX_BPS", "source_rx_octets_per_s", 1),
            ("TX_BPS", "source_tx_octets_per_s", 1),
            ("RX_PPS", "source_rx_frames_per_s", 1),
            ("TX_PPS", "source_tx_frames_per_s", 1),
            ("FEC_PRE_BER", "source_pre_fec_ber_e18", E18),
            ("FEC_POST_BER", "source_post_fec_ber_e18", E18),
            ("FEC_PRE_BER_MAX", "source_pre_fec_ber_max_e18", E18),
            ("FEC_FLR", "source_frame_loss_ratio_e18", E18),
            ("FEC_FLR_PREDICTED", "source_frame_loss_ratio_predicted_e18",
             E18),
            ("FEC_MAX_T", "source_fec_max_symbol_errors", 1),
            ("FEC_FLR_R_SQUARED", "source_frame_loss_fit_ppm", 10 ** 6)):
        rule(*rates, field, "port", quantity, 0, times(scale))
    phy = ("phy", "COUNTERS_DB", "PORT_PHY_ATTR")
    for field, quantity in (("phy_rx_signal_detect", "phy_rx_signal"),
                            ("pcs_fec_lane_alignment_lock",
                             "phy_fec_lane_lock")):
        rule(*phy, field, "port", listed={
            quantity: lambda v: int(v[0][0] == "T"),
            quantity + "_changes": lambda v: v[2]})
    rule(*phy, "rx_snr", "port", listed={
        "phy_rx_snr_mdb": lambda v: (v * 1000 + 128) // 256})
    rule(*phy, "rx_vga", "port", listed={"phy_rx_vga": lambda v: v})
    for table in ("TRANSCEIVER_STATUS_SW", "TRANSCEIVER_STATUS"):
        rule("status", "STATE_DB", table, "cmis_state", "port",
             "module_xcvr_state", 0, word(XCVR))
        rule("status", "STATE_DB", table, "error", "port",
             "module_xcvr_error", 0, error)
    for table, fields in (("LLDP_ENTRY_TABLE",
                           ("lldp_rem_sys_name", "lldp_rem_port_id",
                            "lldp_rem_port_id_subtype", "lldp_rem_port_desc",
                            "lldp_rem_chassis_id")),):
        for field in fields:
            rule(None, "APPL_DB", table, field, "peer")
    for field in ("name", "port"):
        rule(None, "CONFIG_DB", "DEVICE_NEIGHBOR", field, "peer")
    rule(None, "CONFIG_DB", "PORT_QOS_MAP", "pfc_enable", "lossless")
    for field in ("name", "phy_id"):
        rule(None, "APPL_DB", "_GEARBOX_TABLE:interface", field, "group")


def make_queues():
    pfcwd = ("pfcwd", "COUNTERS_DB", "COUNTERS")
    rule(*pfcwd, "PFC_WD_STATUS", "queue", "queue_storm", 0,
         word({"operational": 0, "stormed": 1}))
    rule(*pfcwd, "SAI_QUEUE_ATTR_PAUSE_STATUS", "queue", "queue_paused", 0,
         flag)
    for field, quantity in (
            ("DEADLOCK_DETECTED", "queue_storms_detected"),
            ("DEADLOCK_RESTORED", "queue_storms_restored"),
            ("TX_PACKETS", "queue_storm_tx_frames"),
            ("TX_DROPPED_PACKETS", "queue_storm_tx_dropped_frames"),
            ("RX_PACKETS", "queue_storm_rx_frames"),
            ("RX_DROPPED_PACKETS", "queue_storm_rx_dropped_frames")):
        rule(*pfcwd, "PFC_WD_QUEUE_STATS_" + field, "queue", quantity)
    for way in ("USER", "PERIODIC", "PERSISTENT"):
        for field, kind, quantity in (
                ("SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", "queue", "queue"),
                ("SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
                 "priority_group", "pg_shared"),
                ("SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
                 "priority_group", "pg_xoff"),
                ("SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", "pool", "pool"),
                ("SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", "pool",
                 "pool_xoff")):
            rule("kept_watermarks", "COUNTERS_DB", way + "_WATERMARKS", field, kind,
                 "%s_%s_watermark_octets" % (quantity, way.lower()))
    for db, table, prefix in (("APPL_DB", "BUFFER_POOL_TABLE", "pool"),
                              ("CONFIG_DB", "BUFFER_POOL", "pool_config")):
        rule("settings", db, table, "size", "pool", prefix + "_size_octets")
        rule("settings", db, table, "xoff", "pool",
             prefix + "_xoff_size_octets")
    rule("settings", "CONFIG_DB", "BUFFER_POOL", "type", "pool",
         attribute="pool_type")
    rule("settings", "CONFIG_DB", "BUFFER_POOL", "mode", "pool",
         attribute="pool_mode")


def vdm_types():
    """The type of each observable, by its flag's name: ids count by it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                        "data", "quantity.golden")
    with open(path, encoding="ascii") as f:
        rows = [line.split() for line in f]
    return {row[2]: int(row[0], 16) - 0xc00 for row in rows
            if row[2].startswith("vdm_") and row[2].endswith("_flag")}


def make_vdm():
    types = vdm_types()
    names = [(n, lane, q, c) for lane in LANES for n, q, c in VDM + COHERENT]
    for name, lane, quantity, convert in names:
        field = "%s%d" % (name, lane)
        value = "vdm_" + quantity % ""
        if name == "esnr_media_input":
            value = "lane_snr_mdb"
        elif name == "prefec_ber_curr_media_input":
            value = "lane_pre_fec_ber_e18"
        for table in ("TRANSCEIVER_VDM_REAL_VALUE", "TRANSCEIVER_DOM_SENSOR"):
            rule("vdm", "STATE_DB", table, field, "module", value, 0, convert,
                 part=lane)
        base = flag_of(quantity)[:-len("_flag")]
        for i, edge in enumerate(VDM_EDGES):
            table = "TRANSCEIVER_VDM_%s_" % edge
            rule("thresholds", "STATE_DB", table + "THRESHOLD", field,
                 "module", "vdm_" + quantity % "_threshold", i, convert,
                 part=lane)
            rule("vdm", "STATE_DB", table + "FLAG", field, "module",
                 base + "_flag", i, flag, part=lane)
            rule("flag_changes", "STATE_DB", table + "FLAG_CHANGE_COUNT",
                 field, "module", base + "_flag_changes", i, part=lane)
            for first, time in ((0, "SET"), (4, "CLEAR")):
                rule("flag_changes", "STATE_DB",
                     "%sFLAG_%s_TIME" % (table, time), field, "module",
                     "vdm_flag_time_ms",
                     8 * types[base + "_flag"] + first + i, utc_ms,
                     part=lane)


def utc_ms(text):
    """None for never."""
    try:
        at = datetime.strptime(str(text), "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return int(at.replace(tzinfo=timezone.utc).timestamp()) * 1000


utc_ms.sample = lambda random: random.choice(
    ("never", "Fri Nov 20 10:0%d:02 2026" % random.randrange(10)))


def flag_rules(field, base, index, part):
    """A flag, and how often it changed."""
    changes = base + "_changes"
    table = "DOM_FLAG" if re.search("Alarm|Warn", field) else "STATUS_FLAG"
    rule("flags", "STATE_DB", "TRANSCEIVER_" + table, field, "module", base,
         index, flag, part=part)
    rule("flag_changes", "STATE_DB", "TRANSCEIVER_%s_CHANGE_COUNT" % table,
         field, "module", changes, index, part=part)
    for first, time in ((0, "SET"), (4, "CLEAR")):
        rule("flag_changes", "STATE_DB", "TRANSCEIVER_%s_%s_TIME"
             % (table, time), field, "module", base + "_time_ms",
             first + index, utc_ms, part=part)


def make_flags():
    for i, edge in enumerate(FLAG_EDGES):
        for name in ("temp", "vcc", "lasertemp"):
            flag_rules(name + edge, "module_%s_flag"
                       % name.replace("laser", "laser_"), i, None)
        for lane in LANES:
            for way, what in (("rx", "power"), ("tx", "power"),
                              ("tx", "bias")):
                flag_rules("%s%d%s%s" % (way, lane, what, edge),
                           "lane_%s_%s_flag" % (way, what), i, lane)
    for field, base in (("module_state_changed", "module_state_changed"),
                        ("module_firmware_fault", "module_firmware_fault"),
                        ("datapath_firmware_fault",
                         "module_data_path_firmware_fault")):
        flag_rules(field, base + "_flag", 0, None)
    for field, base in (("target_output_power_oor", "lane_tx_power_oor"),
                        ("fine_tuning_oor", "lane_fine_tuning_oor"),
                        ("tuning_not_accepted", "lane_tuning_not_accepted"),
                        ("invalid_channel_num", "lane_invalid_channel"),
                        ("tuning_complete", "lane_tuning_complete")):
        flag_rules(field, base + "_flag", 0, 1)
    for lane in LANES:
        for form, base in (("rx%dlos", "lane_rx_los"),
                           ("tx%dfault", "lane_tx_fault"),
                           ("tx%dlos_hostlane", "lane_host_los_flag"),
                           ("tx%dcdrlol_hostlane", "lane_host_cdr_lol_flag"),
                           ("tx%d_eq_fault", "lane_tx_eq_fault_flag"),
                           ("rx%dcdrlol", "lane_rx_cdr_lol_flag")):
            flag_rules(form % lane, base, 0, lane)


def make_status():
    status = ("status", "STATE_DB", "TRANSCEIVER_STATUS")
    rule(*status, "module_state", "module", "module_state", 0,
         word(MODULE_STATES))
    rule(*status, "module_fault_cause", "module", "module_fault_cause", 0,
         word(FAULTS))
    rule(*status, "tuning_in_progress", "module", "lane_tuning", 0, flag,
         part=1)
    rule(*status, "wavelength_unlock_status", "module",
         "lane_wavelength_unlocked", 0, flag, part=1)
    for field in ("datapath_firmware_fault", "module_firmware_fault",
                  "module_state_changed", "target_output_power_oor",
                  "fine_tuning_oor", "tuning_not_accepted",
                  "invalid_channel_num", "tuning_complete"):
        now = RULES["STATE_DB", "TRANSCEIVER_STATUS_FLAG", field]
        rule(*status, field, "module", now.quantity, 0, flag, part=now.part)
    for lane in LANES:
        for form, quantity, convert in (
                ("tx%ddisable", "lane_tx_disabled", flag),
                ("DP%dState", "lane_data_path_state", word(DATA_PATHS)),
                ("tx%dOutputStatus", "lane_tx_output_valid", flag),
                ("rx%dOutputStatusHostlane", "lane_rx_output_valid", flag),
                ("config_state_hostlane%d", "lane_config_status",
                 word(CONFIGS)),
                ("dpdeinit_hostlane%d", "lane_data_path_deinit", flag),
                ("dpinit_pending_hostlane%d", "lane_data_path_init_pending",
                 flag),
                # names of images before 2025-05
                ("txoutput_status%d", "lane_tx_output_valid", flag),
                ("rxoutput_status_hostlane%d", "lane_rx_output_valid", flag),
                ("rxlos%d", "lane_rx_los", flag),
                ("txfault%d", "lane_tx_fault", flag),
                ("txlos_hostlane%d", "lane_host_los_flag", flag),
                ("txcdrlol_hostlane%d", "lane_host_cdr_lol_flag", flag),
                ("rxcdrlol%d", "lane_rx_cdr_lol_flag", flag)):
            rule(*status, form % lane, "module", quantity, 0, convert,
                 part=lane)
    make_old_flags(status)


def make_old_flags(status):
    """Before 2025-05 they stand with the status, by the thresholds' names."""
    for i, edge in enumerate(EDGES):
        for name in ("temp", "vcc", "lasertemp"):
            rule(*status, "%s%s_flag" % (name, edge), "module",
                 "module_%s_flag" % name.replace("laser", "laser_"), i, flag)
        for lane in LANES:
            for name in ("rxpower", "txpower", "txbias"):
                rule(*status, "%s%s_flag%d" % (name, edge, lane), "module",
                     "lane_%s_%s_flag" % (name[:2], name[2:]), i, flag,
                     part=lane)
        for name, quantity, _ in OLD_THRESHOLDS:
            if name != "evm":
                rule(*status, "%s%s_flag" % (name, edge), "module",
                     flag_of(quantity), i, flag, part=1)


def make_modules():
    info = ("transceivers", "STATE_DB", "TRANSCEIVER_INFO")
    for field, quantity, convert in (
            ("supported_max_tx_power", "module_tx_power_max_pw", power),
            ("supported_min_tx_power", "module_tx_power_min_pw", power),
            ("supported_max_laser_freq", "module_laser_frequency_max_ghz",
             times(1)),
            ("supported_min_laser_freq", "module_laser_frequency_min_ghz",
             times(1)),
            ("host_lane_count", "module_host_lanes", times(1)),
            ("media_lane_count", "module_media_lanes", times(1)),
            ("vdm_supported", "module_vdm_supported", flag)):
        rule(*info, field, "module", quantity, 0, convert)
    for lane in LANES:
        rule(*info, "active_apsel_hostlane%d" % lane, "module",
             "lane_application", 0, times(1), part=lane)
    for field, attribute in (
            ("manufacturer", "vendor"), ("model", "part"),
            ("serial", "serial"), ("vendor_oui", "oui"),
            ("vendor_date", "date"), ("connector", "connector"),
            ("hardware_rev", "hardware"), ("ext_identifier", "power_class"),
            ("media_interface_technology", "technology"),
            ("application_advertisement", "applications"),
            ("cmis_rev", "standard"),
            # as xcvrd of 2019 and before has it
            ("manufacturename", "vendor"), ("modelname", "part"),
            ("serialnum", "serial"), ("Connector", "connector"),
            ("hardwarerev", "hardware")):
        rule(*info, field, "module", attribute=attribute)
    for field in ("type", "type_abbrv_name", "vendor_rev", "cable_type",
                  "cable_length", "specification_compliance",
                  "active_firmware", "inactive_firmware"):
        rule(None, "STATE_DB", "TRANSCEIVER_INFO", field, "chosen")
    for field, attribute in (("active_firmware", "firmware"),
                             ("inactive_firmware", "inactive_firmware")):
        rule("transceivers", "STATE_DB", "TRANSCEIVER_FIRMWARE_INFO", field,
             "module", attribute=attribute)
    rule("heat", "STATE_DB", "TRANSCEIVER_DOM_TEMPERATURE", "temperature",
         "module", "module_temp_mc", 0, times(1000))
    els = ("dom", "STATE_DB", "TRANSCEIVER_ELS_DOM_SENSOR")
    rule(*els, "temperature", "module", "module_els_temp_mc", 0, times(1000))
    rule(*els, "voltage", "module", "module_els_vcc_uv", 0, times(10 ** 6))
    for lane in LANES:
        rule(*els, "optical_power_lane%d" % lane, "module",
             "module_els_power_pw", lane - 1, power)
        rule(*els, "laser_bias_current_lane%d" % lane, "module",
             "module_els_bias_ua", lane - 1, times(1000))
    dom = ("dom", "STATE_DB", "TRANSCEIVER_DOM_SENSOR")
    for field, quantity, convert in (
            ("rx_los", "lane_rx_los", whole),
            ("tx_fault", "lane_tx_fault", whole),
            ("laser_config_freq", "lane_laser_config_frequency_mhz",
             times(1000)),
            ("laser_curr_freq", "lane_laser_frequency_mhz", times(1000)),
            ("tx_config_power", "lane_tx_config_power_pw", power)):
        rule(*dom, field, "module", quantity, 0, convert, part=1)
    for name, quantity, convert in [
            (OLD_NAMES.get(n, n), q, c) for n, q, c in COHERENT] + [
            ("prefec_ber", "pre_fec_ber_avg%s_e18", times(E18)),
            ("postfec_ber", "ferc_avg%s_e18", times(E18)),
            ("postfec_ber_avg", "ferc_avg%s_e18", times(E18)),
            ("postfec_ber_min", "ferc_min%s_e18", times(E18)),
            ("postfec_ber_max", "ferc_max%s_e18", times(E18)),
            ("postfec_curr_val", "ferc%s_e18", times(E18))]:
        rule(*dom, name, "module", "vdm_" + quantity % "", 0, convert, part=1)
    for lane in LANES:
        rule(*dom, "tx%ddisable" % lane, "module", "lane_tx_disabled", 0,
             flag, part=lane)
    for name, quantity, convert in OLD_THRESHOLDS:
        for i, edge in enumerate(EDGES):
            rule("thresholds", "STATE_DB", "TRANSCEIVER_DOM_THRESHOLD",
                 name + edge, "module", "vdm_" + quantity % "_threshold", i,
                 convert, part=1)
    for name, quantity, convert in (
            ("prefec_ber", "pre_fec_ber_e18", times(E18)),
            ("uncorr_frames", "uncorrectable_frames_e18", times(E18)),
            ("cd", "cd_ps_per_nm", times(1)), ("dgd", "dgd_fs", times(1000)),
            ("sopmd", "sopmd_fs2", times(10 ** 6)),
            ("pdl", "pdl_mdb", times(1000)), ("osnr", "osnr_mdb", times(1000)),
            ("esnr", "esnr_mdb", times(1000)), ("cfo", "cfo_mhz", times(1)),
            ("evm", "evm_ppm", times(10000)),
            ("soproc", "sop_roc_krad_per_s", times(1)),
            ("tx_power", "tx_power_pw", power),
            ("rx_tot_power", "rx_total_power_pw", power),
            ("rx_sig_power", "rx_signal_power_pw", power)):
        for i, edge in enumerate(("avg", "min", "max")):
            rule("pm", "STATE_DB", "TRANSCEIVER_PM", "%s_%s" % (name, edge),
                 "module", "pm_" + quantity, i, convert)


def sensor_rules(table, rows):
    for field, quantity, index, convert in rows:
        rule("sensors", "STATE_DB", table, field, "sensor", quantity, index,
             convert)


def make_sensors():
    def limits(quantity, scale):
        return [(f, quantity, i, times(scale)) for i, f in enumerate(
            ("critical_high_threshold", "high_threshold", "low_threshold",
             "critical_low_threshold"))]
    for table, what, unit, scale in (
            ("TEMPERATURE_INFO", "temperature", "temp%s_mc", 1000),
            ("VOLTAGE_INFO", "voltage", "voltage%s_uv", 1000),
            ("CURRENT_INFO", "current", "current%s_ua", 1000)):
        name = "sensor_" + unit
        sensor_rules(table, limits(name % "_threshold", scale) + [
            (what, name % "", 0, times(scale)),
            ("minimum_" + what, name % "_seen", 0, times(scale)),
            ("maximum_" + what, name % "_seen", 1, times(scale)),
            ("warning_status", "sensor_warning", 0, flag)])
    shared = [("presence", "sensor_present", 0, flag),
              ("status", "sensor_well", 0, flag)]
    sensor_rules("FAN_INFO", shared + [
        ("speed", "fan_speed_ppm", 0, percent),
        ("speed_target", "fan_target_ppm", 0, percent),
        ("speed_tolerance", "fan_tolerance_ppm", 0, times(10000)),
        ("is_under_speed", "fan_under_speed", 0, flag),
        ("is_over_speed", "fan_over_speed", 0, flag)])
    sensor_rules("PSU_FAN_INFO", shared + [
        ("speed", "fan_speed_ppm", 0, percent)])
    micro = times(10 ** 6)
    sensor_rules("PSU_INFO", shared + [
        (way + "voltage", "sensor_voltage_uv", 0, micro)
        for way in ("", "output_")] + [
        (way + "current", "sensor_current_ua", 0, micro)
        for way in ("", "output_")] + [
        (way + "power", "sensor_power_uw", 0, micro)
        for way in ("", "output_")] + [
        ("input_voltage", "supply_input_voltage_uv", 0, micro),
        ("input_current", "supply_input_current_ua", 0, micro),
        ("temp", "sensor_temp_mc", 0, times(1000)),
        ("temp_threshold", "sensor_temp_threshold_mc", 1, times(1000)),
        ("voltage_max_threshold", "sensor_voltage_threshold_uv", 1, micro),
        ("voltage_min_threshold", "sensor_voltage_threshold_uv", 2, micro),
        ("power_critical_threshold", "sensor_power_threshold_uw", 0, micro),
        ("power_warning_suppress_threshold", "sensor_power_threshold_uw", 1,
         micro),
        ("max_power", "sensor_power_threshold_uw", 2, micro),
        ("power_overload", "supply_overload", 0, flag)])
    for table in ("FAN_INFO", "PSU_INFO"):
        for field, attribute in (("model", "part"), ("serial", "serial"),
                                 ("revision", "revision")):
            rule("sensors", "STATE_DB", table, field, "sensor",
                 attribute=attribute)
    sensor_rules("LIQUID_COOLING_INFO", [
        ("leak_status", "leak_detected", 0, word({"Yes": 1, "No": 0})),
        ("leaking", "leak_detected", 0, word({"Yes": 1, "No": 0})),
        ("leak_sensor_status", "sensor_well", 0,
         word({"Good": 1, "Fault": 0}))])
    sensor_rules("ASIC_TEMPERATURE_INFO", [
        ("maximum_temperature", "sensor_temp_mc", 0, times(1000)),
        ("average_temperature", "sensor_temp_average_mc", 0, times(1000))] + [
        ("temperature_%d" % i, "sensor_temp_point_mc", i, times(1000))
        for i in range(16)])


def make_lags():
    rule("neighbors", "APPL_DB", "LAG_MEMBER_TABLE", "status", "port",
         "lag_enabled", 0, word({"enabled": 1, "disabled": 0}))
    rule("neighbors", "STATE_DB", "LAG_MEMBER_TABLE", "runner.selected",
         "port", "lag_selected", 0, word({"true": 1, "false": 0}))
    pfcwd = ("settings", "CONFIG_DB", "PFC_WD")
    rule(*pfcwd, "detection_time", "port", "pfcwd_detection_ms", 0, times(1))
    rule(*pfcwd, "restoration_time", "port", "pfcwd_restoration_ms", 0,
         times(1))
    rule(*pfcwd, "pfc_stat_history", "port", "pfcwd_history", 0, flag)
    rule(*pfcwd, "action", "port", attribute="pfcwd_action")
    rule(None, "STATE_DB", "PORT_TABLE", "rmt_adv_speeds", "port")
    sensor_rules("STORAGE_INFO", [
        ("temperature", "sensor_temp_mc", 0, times(1000)),
        ("health", "storage_health_ppm", 0, times(10000)),
        ("disk_io_reads", "storage_accesses", 0, counter),
        ("disk_io_writes", "storage_accesses", 1, counter),
        ("total_fsio_reads", "storage_accesses", 2, counter),
        ("total_fsio_writes", "storage_accesses", 3, counter),
        ("reserved_blocks", "storage_reserved_blocks", 0, times(1))])
    for field, attribute in (("device_model", "part"), ("serial", "serial"),
                             ("firmware", "revision")):
        rule("sensors", "STATE_DB", "STORAGE_INFO", field, "sensor",
             attribute=attribute)


def make_fabric():
    """Links between chips, by fabricportsorch's lists."""
    for field, quantity in (
            ("IN_OCTETS", "in_octets"), ("OUT_OCTETS", "out_octets"),
            ("IN_ERRORS", "in_errors"), ("IN_FABRIC_DATA_UNITS", "in_cells"),
            ("OUT_FABRIC_DATA_UNITS", "out_cells"),
            ("IN_FEC_CORRECTABLE_FRAMES", "corrected_codewords"),
            ("IN_FEC_NOT_CORRECTABLE_FRAMES", "uncorrectable_codewords"),
            ("IN_FEC_SYMBOL_ERRORS", "symbol_errors")):
        rule("fabric", "COUNTERS_DB", "COUNTERS", "SAI_PORT_STAT_IF_" + field,
             "fabric_port", "fabric_" + quantity)
    rule("fabric", "COUNTERS_DB", "COUNTERS",
         "SAI_SWITCH_STAT_PACKET_INTEGRITY_DROP", "switch",
         "switch_integrity_drops")
    state = ("fabric", "STATE_DB", "FABRIC_PORT_TABLE")
    rule(*state, "STATUS", "fabric_port", "fabric_oper_status", 0,
         word({"up": 1, "down": 2}))
    for field in ("ISOLATED", "AUTO_ISOLATED", "CONFIG_ISOLATED"):
        rule(*state, field, "fabric_port", "fabric_" + field.lower(), 0, flag)
    rule(*state, "PORT_DOWN_COUNT", "fabric_port", "fabric_down_count")
    rule(*state, "REMOTE_MOD", "fabric_port", attribute="peer_switch")
    rule(*state, "REMOTE_PORT", "fabric_port", attribute="peer_port")


# Field of a profile: (quantity of a queue or None, of a group or None, index,
# conversion).
PROFILE = {"size": ("queue_reserved_octets", "pg_reserved_octets", 0),
           "dynamic_th": ("queue_alpha_log2", "pg_alpha_log2", 0),
           "static_th": ("queue_limit_octets", "pg_limit_octets", 0),
           "xon": (None, "pg_xon_octets", 0),
           "xon_offset": (None, "pg_xon_offset_octets", 0),
           "xoff": (None, "pg_xoff_octets", 0)}
COLOURS = ("green", "yellow", "red")


def ecn(text):
    """ecn_green_red: bits 0 and 2."""
    if text == "ecn_all":
        return 7
    names = text.split("_")[1:]
    return sum(1 << i for i, c in enumerate(COLOURS) if c in names)


WRED = {"ecn": ("queue_ecn_colours", 0, ecn)}
for i, colour in enumerate(COLOURS):
    WRED.update({
        colour + "_min_threshold": ("queue_wred_min_octets", i, times(1)),
        colour + "_max_threshold": ("queue_wred_max_octets", i, times(1)),
        colour + "_drop_probability": ("queue_wred_probability_ppm", i,
                                       times(10000)),
        "wred_%s_enable" % colour: ("queue_wred_on", i, flag)})


def make_limits():
    for field in PROFILE:
        rule(None, "CONFIG_DB", "BUFFER_PROFILE", field, "limit")
    for field in WRED:
        rule(None, "CONFIG_DB", "WRED_PROFILE", field, "limit")
    for table, field in (("BUFFER_QUEUE", "profile"), ("BUFFER_PG", "profile"),
                         ("QUEUE", "wred_profile")):
        rule(None, "CONFIG_DB", table, field, "limit")
    for field in ("type", "hwsku", "mgmt_addr"):
        rule(None, "CONFIG_DB", "DEVICE_NEIGHBOR_METADATA", field, "peer")


def limits(dump):
    """What CONFIG_DB's profiles allow each queue and group that there is."""
    out, known = {}, set(dump.objects())
    for table, field, profiles, kind in (
            ("BUFFER_QUEUE", "profile", "BUFFER_PROFILE", "queue"),
            ("BUFFER_PG", "profile", "BUFFER_PROFILE", "priority_group"),
            ("QUEUE", "wred_profile", "WRED_PROFILE", "queue")):
        for key in [k for k in dump.db.get("CONFIG_DB", {})
                    if k.startswith(table + "|")]:
            name = dump.row("CONFIG_DB", key).get(field, "")
            name = name.strip("[]").split("|")[-1]
            profile = dump.row("CONFIG_DB", "%s|%s" % (profiles, name))
            parts = key.split("|")[1:]
            if len(parts) != 2:
                continue
            first, _, last = parts[1].partition("-")
            for port in parts[0].split(","):
                for n in range(int(first), int(last or first) + 1):
                    who = kind, "%s:%d" % (port, n)
                    if who not in known:
                        continue
                    for f, text in profile.items():
                        if profiles == "WRED_PROFILE":
                            quantity, index, convert = WRED.get(
                                f, (None, 0, None))
                        else:
                            q, g, index = PROFILE.get(f, (None, None, 0))
                            quantity = q if kind == "queue" else g
                            convert = times(1)
                        if quantity:
                            out[who + (quantity, index)] = convert(text)
    return out


CARDS = ("CHASSIS_MODULE_TABLE", "CHASSIS_MIDPLANE_TABLE")
CARD_STATES = {"Empty": 0, "Offline": 1, "PoweredDown": 2, "Present": 3,
               "Fault": 4, "Online": 5}


def make_cards():
    card = ("chassis", "STATE_DB", "CHASSIS_MODULE_TABLE")
    rule(*card, "oper_status", "sensor", "card_state", 0, word(CARD_STATES))
    rule(*card, "num_asics", "sensor", "card_chips", 0, times(1))
    for field, attribute in (("desc", "description"), ("slot", "slot"),
                             ("serial", "serial")):
        rule(*card, field, "sensor", attribute=attribute)
    rule("chassis", "STATE_DB", "CHASSIS_MIDPLANE_TABLE", "access", "sensor",
         "card_reachable", 0, flag)
    rule("chassis", "STATE_DB", "CHASSIS_MIDPLANE_TABLE", "ip_address",
         "sensor", attribute="address")


def make_switch():
    for field, attribute in (
            ("hwsku", "hwsku"), ("platform", "platform"), ("type", "role"),
            ("sub_role", "sub_role"), ("mac", "mac"),
            ("asic_name", "asic_name"), ("asic_id", "asic_id"),
            ("switch_type", "switch_type"), ("region", "region"),
            ("rack", "rack"), ("deployment_id", "deployment"),
            ("buffer_model", "buffer_model")):
        rule("settings", "CONFIG_DB", "DEVICE_METADATA", field, "switch",
             attribute=attribute)
    rule(None, "CONFIG_DB", "DEVICE_METADATA", "hostname", "name")


def make_gearboxes():
    for side in ("system", "line"):
        table = "COUNTERS_" + side      # GB_COUNTERS_DB's, by its name map
        rows = [("IF_IN_FEC_CORRECTABLE_FRAMES", "fec_corrected_codewords", 0),
                ("IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
                 "fec_uncorrectable_codewords", 0),
                ("IF_IN_FEC_SYMBOL_ERRORS", "fec_symbol_errors", 0),
                ("IF_IN_ERRORS", "in_errors", 0)] + [
            ("IF_IN_FEC_CODEWORD_ERRORS_S%d" % i, "fec_codeword_errors", i)
            for i in range(17)]
        for field, name, index in rows:
            rule("gearbox", "GB_COUNTERS_DB", table, "SAI_PORT_STAT_" + field,
                 "port", "gearbox_%s_%s" % (side, name), index)


for make in (make_ports, make_queues, make_vdm, make_flags, make_status,
             make_modules, make_sensors, make_cards, make_limits,
             make_switch, make_gearboxes, make_fabric, make_lags):
    make()


def separator(db):
    return "|" if db in ("CONFIG_DB", "STATE_DB") else ":"


def rows_of(dump, db, table):
    """(name, row) of what a table's keys name; oids by COUNTERS_DB's maps."""
    if db == "GB_COUNTERS_DB":
        side = table.rsplit("_", 1)[1]
        names = dump.row(db, "COUNTERS_PORT_NAME_MAP")
        for name, oid in names.items():
            if name.endswith("_" + side):
                names.mark(name)
                yield name[:-len(side) - 1], dump.row(db, "COUNTERS:" + oid)
        return
    if db == "COUNTERS_DB":
        for (kind, name), oid in dump.objects().items():
            yield (kind, name), dump.row(db, "%s:%s" % (table, oid))
        return
    if table == "ASIC_TEMPERATURE_INFO":
        yield "ASIC", dump.row(db, table)
    prefix = table + separator(db)
    for key in dump.db.get(db, {}):
        if key.startswith(prefix):
            yield key[len(prefix):], dump.row(db, key)


def tables(source):
    return sorted({(r.db, r.table) for r in RULES.values()
                   if r.source == source})


def entities(dump, db, table):
    """(kind, name, row) of the entities that a table's rows are of."""
    if table.startswith("TRANSCEIVER_") and not table.endswith("STATUS_SW"):
        modules = dump.first_rows("TRANSCEIVER_INFO")
        for cage, row in dump.first_rows(table).items():
            if cage in modules:
                yield "module", cage, row
        if table != "TRANSCEIVER_STATUS":   # of images before 2024-11
            return
    ports, pools = set(dump.ports()), {
        n for k, n in dump.objects() if k == "pool"}
    for name, row in rows_of(dump, db, table):
        if isinstance(name, tuple):
            if (name[0] in ("pool", "fabric_port", "switch") or "|" in name[1]
                    or name[1].split(":")[0] in ports):
                yield name[0], name[1], row
        elif table == "LAG_MEMBER_TABLE":
            lag, _, port = name.partition(separator(db))
            if port in ports and "PORTCHANNEL_MEMBER|%s|%s" % (
                    lag, port) in dump.db.get("CONFIG_DB", {}):
                yield "port", port, row
        elif table == "FABRIC_PORT_TABLE":
            if ("fabric_port", name) in dump.objects():
                yield "fabric_port", name, row
        elif table in CARDS or (table.endswith("_INFO")
                                and "TRANSCEIVER" not in table):
            yield "sensor", name, row
        elif name in ports:
            yield "port", name, row
        elif name in pools and "BUFFER_POOL" in table:
            yield "pool", name, row


def of_whole(row, rule_, value):
    """The lanes, and the value of each: all have it, if it is true; else that
    is known only of an only one."""
    lit = [n for n in LANES if any(
        str(row.get(f % n) or "N/A") != "N/A"
        for f in ("rx%dpower", "tx%dpower", "tx%dbias"))]
    if len(lit) < 2:
        return [(rule_.part, value)]
    return [(n, 1) for n in lit] if value else []


def expect(dump, source):
    """{(kind, name, quantity, index): value} of a source's tables."""
    out = {}
    for db, table in tables(source):
        for kind, name, row in entities(dump, db, table):
            for field, text in row.items():
                r = RULES.get((db, table, field))
                if r is None or r.kind != kind or r.source != source:
                    continue
                row.mark(field)
                for quantity, take in (r.listed or {}).items():
                    for lane, value in lanes(text, take).items():
                        out[kind, name, quantity, lane] = value
                value = r.convert(text) if r.quantity else None
                if value is None:
                    continue
                if r.convert is whole:
                    for part, each in of_whole(row, r, value):
                        out["lane", "%s.%d" % (name, part), r.quantity,
                            r.index] = each
                    continue
                who = (kind, name) if r.part is None else (
                    "lane", "%s.%d" % (name, r.part))
                out[who + (r.quantity, r.index)] = value
    return out


def attributes(dump, source, kind):
    """{(name, attribute): text} of a source's tables."""
    out = {}
    for db, table in tables(source):
        for k, name, row in entities(dump, db, table):
            for field, text in row.items():
                r = RULES.get((db, table, field))
                if k != kind or r is None or not r.attribute:
                    continue
                row.mark(field)
                text = str(text).strip()
                if text not in ("", "N/A"):
                    if r.attribute == "standard":
                        text = "CMIS " + text
                    out[name, r.attribute] = text.encode()[:127].decode(
                        errors="ignore")
    return out

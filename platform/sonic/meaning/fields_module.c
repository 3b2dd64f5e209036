/* Modules: STATE_DB's TRANSCEIVER_ tables, but for VDM. */
#include "platform/sonic/meaning/fields.h"

#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/meaning/words.h"

#define LANE_INFO(n)							\
	{ "active_apsel_hostlane" #n, Q_LANE_APPLICATION, 0, n,		\
	  FIELD_SCALED, 1 }
#define LANE_DOM(n)							\
	{ "rx" #n "power", Q_LANE_RX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "power", Q_LANE_TX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "bias", Q_LANE_TX_BIAS_UA, 0, n, FIELD_SCALED, 1000 }, \
	{ "tx" #n "disable", Q_LANE_TX_DISABLED, 0, n, FIELD_BOOL, 1 }
#define E18 UINT64_C(1000000000000000000)
#define OLD_VDM(name, quantity, form, scale)				\
	{ name, Q_VDM_##quantity, 0, 1, form, scale }
#define OLD(name, quantity, form, scale)				\
	FIELD_EDGES(name, Q_VDM_##quantity, form, scale, 1)
#define FLAG(name, quantity, part) { name, quantity, 0, part, FIELD_BOOL, 1 }
#define FLAG_EDGES(name, quantity, part)				\
	{ name "HAlarm", quantity, 0, part, FIELD_BOOL, 1 },		\
	{ name "LAlarm", quantity, 1, part, FIELD_BOOL, 1 },		\
	{ name "HWarn", quantity, 2, part, FIELD_BOOL, 1 },		\
	{ name "LWarn", quantity, 3, part, FIELD_BOOL, 1 }
#define LANE_DOM_FLAGS(n)						\
	FLAG_EDGES("rx" #n "power", Q_LANE_RX_POWER_FLAG, n),		\
	FLAG_EDGES("tx" #n "power", Q_LANE_TX_POWER_FLAG, n),		\
	FLAG_EDGES("tx" #n "bias", Q_LANE_TX_BIAS_FLAG, n)
#define MODULE_DOM_FLAGS						\
	FLAG_EDGES("temp", Q_MODULE_TEMP_FLAG, 0),			\
	FLAG_EDGES("vcc", Q_MODULE_VCC_FLAG, 0),			\
	FLAG_EDGES("lasertemp", Q_MODULE_LASER_TEMP_FLAG, 0)
#define LANE_FLAGS(n)							\
	FLAG("rx" #n "los", Q_LANE_RX_LOS, n),				\
	FLAG("tx" #n "fault", Q_LANE_TX_FAULT, n),			\
	FLAG("tx" #n "los_hostlane", Q_LANE_HOST_LOS_FLAG, n),		\
	FLAG("tx" #n "cdrlol_hostlane", Q_LANE_HOST_CDR_LOL_FLAG, n),	\
	FLAG("tx" #n "_eq_fault", Q_LANE_TX_EQ_FAULT_FLAG, n),		\
	FLAG("rx" #n "cdrlol", Q_LANE_RX_CDR_LOL_FLAG, n)
#define MODULE_FLAGS							\
	FLAG("module_state_changed", Q_MODULE_STATE_CHANGED_FLAG, 0),	\
	FLAG("module_firmware_fault", Q_MODULE_FIRMWARE_FAULT_FLAG, 0),	\
	FLAG("datapath_firmware_fault",					\
	     Q_MODULE_DATA_PATH_FIRMWARE_FAULT_FLAG, 0)
/* C-CMIS; of the one lane that a coherent module has. */
#define COHERENT_FLAGS							\
	FLAG("target_output_power_oor", Q_LANE_TX_POWER_OOR_FLAG, 1),	\
	FLAG("fine_tuning_oor", Q_LANE_FINE_TUNING_OOR_FLAG, 1),	\
	FLAG("tuning_not_accepted", Q_LANE_TUNING_NOT_ACCEPTED_FLAG, 1), \
	FLAG("invalid_channel_num", Q_LANE_INVALID_CHANNEL_FLAG, 1),	\
	FLAG("tuning_complete", Q_LANE_TUNING_COMPLETE_FLAG, 1)
#define LANE_STATUS(n)							\
	FLAG("tx" #n "disable", Q_LANE_TX_DISABLED, n),			\
	{ "DP" #n "State", Q_LANE_DATA_PATH_STATE, 0, n, FIELD_WORD,	\
	  WORDS_DATA_PATH },						\
	FLAG("tx" #n "OutputStatus", Q_LANE_TX_OUTPUT_VALID, n),	\
	FLAG("rx" #n "OutputStatusHostlane", Q_LANE_RX_OUTPUT_VALID, n), \
	{ "config_state_hostlane" #n, Q_LANE_CONFIG_STATUS, 0, n,	\
	  FIELD_WORD, WORDS_LANE_CONFIG },				\
	FLAG("dpdeinit_hostlane" #n, Q_LANE_DATA_PATH_DEINIT, n),	\
	FLAG("dpinit_pending_hostlane" #n,				\
	     Q_LANE_DATA_PATH_INIT_PENDING, n),				\
	FLAG("txoutput_status" #n, Q_LANE_TX_OUTPUT_VALID, n),		\
	FLAG("rxoutput_status_hostlane" #n, Q_LANE_RX_OUTPUT_VALID, n),	\
	FLAG("rxlos" #n, Q_LANE_RX_LOS, n),				\
	FLAG("txfault" #n, Q_LANE_TX_FAULT, n),				\
	FLAG("txlos_hostlane" #n, Q_LANE_HOST_LOS_FLAG, n),		\
	FLAG("txcdrlol_hostlane" #n, Q_LANE_HOST_CDR_LOL_FLAG, n),	\
	FLAG("rxcdrlol" #n, Q_LANE_RX_CDR_LOL_FLAG, n),		\
	OLD_LANE_FLAGS(n)
/* Before 2025-05 flags stand with the status, by the thresholds' names. */
#define OLD_EDGES(name, quantity, part, after)				\
	{ name "highalarm_flag" after, quantity, 0, part, FIELD_BOOL, 1 }, \
	{ name "lowalarm_flag" after, quantity, 1, part, FIELD_BOOL, 1 }, \
	{ name "highwarning_flag" after, quantity, 2, part, FIELD_BOOL, 1 }, \
	{ name "lowwarning_flag" after, quantity, 3, part, FIELD_BOOL, 1 }
#define OLD_MODULE_FLAGS						\
	OLD_EDGES("temp", Q_MODULE_TEMP_FLAG, 0, ""),			\
	OLD_EDGES("vcc", Q_MODULE_VCC_FLAG, 0, ""),			\
	OLD_EDGES("lasertemp", Q_MODULE_LASER_TEMP_FLAG, 0, "")
#define OLD_LANE_FLAGS(n)						\
	OLD_EDGES("rxpower", Q_LANE_RX_POWER_FLAG, n, #n),		\
	OLD_EDGES("txpower", Q_LANE_TX_POWER_FLAG, n, #n),		\
	OLD_EDGES("txbias", Q_LANE_TX_BIAS_FLAG, n, #n)
#define OLD_VDM_FLAGS(name, quantity)					\
	OLD_EDGES(name, Q_VDM_##quantity##_FLAG, 1, "")
#define PM(name, quantity, form, scale)					\
	{ name "_avg", Q_PM_##quantity, 0, 0, form, scale },		\
	{ name "_min", Q_PM_##quantity, 1, 0, form, scale },		\
	{ name "_max", Q_PM_##quantity, 2, 0, form, scale }

_Static_assert(MODULE_LANES_MAX == 8, "FIELD_LANES_OF() has eight");

/* --- modules: STATE_DB TRANSCEIVER_* -------------------------------------- */

static const struct field module_info[] = {
	FIELD_AS_TEXT("type", MODULE_TEXT_TYPE),
	FIELD_AS_TEXT("type_abbrv_name", MODULE_TEXT_TYPE_SHORT),
	FIELD_AS_TEXT("manufacturer", MODULE_TEXT_VENDOR),
	FIELD_AS_TEXT("model", MODULE_TEXT_PART),
	FIELD_AS_TEXT("vendor_rev", MODULE_TEXT_REVISION),
	FIELD_AS_TEXT("hardware_rev", MODULE_TEXT_REVISION_OLD),
	/* As xcvrd of 2019 and before has it. */
	FIELD_AS_TEXT("manufacturename", MODULE_TEXT_VENDOR),
	FIELD_AS_TEXT("modelname", MODULE_TEXT_PART),
	FIELD_AS_TEXT("serialnum", MODULE_TEXT_SERIAL),
	FIELD_AS_TEXT("hardwarerev", MODULE_TEXT_REVISION_OLD),
	FIELD_AS_TEXT("Connector", MODULE_TEXT_CONNECTOR),
	FIELD_AS_TEXT("serial", MODULE_TEXT_SERIAL),
	FIELD_AS_TEXT("vendor_oui", MODULE_TEXT_OUI),
	FIELD_AS_TEXT("vendor_date", MODULE_TEXT_DATE),
	FIELD_AS_TEXT("connector", MODULE_TEXT_CONNECTOR),
	FIELD_AS_TEXT("cable_type", MODULE_TEXT_CABLE_TYPE),
	FIELD_AS_TEXT("cable_length", MODULE_TEXT_CABLE_LENGTH),
	FIELD_AS_TEXT("specification_compliance", MODULE_TEXT_COMPLIANCE),
	FIELD_AS_TEXT("media_interface_technology", MODULE_TEXT_TECHNOLOGY),
	FIELD_AS_TEXT("application_advertisement", MODULE_TEXT_APPLICATIONS),
	{ "host_lane_count", Q_MODULE_HOST_LANES, 0, 0, FIELD_SCALED, 1 },
	{ "media_lane_count", Q_MODULE_MEDIA_LANES, 0, 0, FIELD_SCALED, 1 },
	FIELD_AS_TEXT("ext_identifier", MODULE_TEXT_POWER_CLASS),
	FIELD_AS_TEXT("cmis_rev", MODULE_TEXT_CMIS),
	{ "vdm_supported", Q_MODULE_VDM_SUPPORTED, 0, 0, FIELD_BOOL, 1 },
	FIELD_AS_TEXT("active_firmware", MODULE_TEXT_FIRMWARE_OLD),
	FIELD_AS_TEXT("inactive_firmware", MODULE_TEXT_FIRMWARE_SPARE_OLD),
	{ "supported_max_tx_power", Q_MODULE_TX_POWER_MAX_PW, 0, 0, FIELD_DBM,
	  1 },
	{ "supported_min_tx_power", Q_MODULE_TX_POWER_MIN_PW, 0, 0, FIELD_DBM,
	  1 },
	{ "supported_max_laser_freq", Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0,
	  FIELD_SCALED, 1 },
	{ "supported_min_laser_freq", Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0,
	  FIELD_SCALED, 1 },
	FIELD_LANES_OF(LANE_INFO),
};

static const struct field module_firmware[] = {
	FIELD_AS_TEXT("active_firmware", FIRMWARE_TEXT_ACTIVE),
	FIELD_AS_TEXT("inactive_firmware", FIRMWARE_TEXT_SPARE),
};

static const struct field module_dom[] = {
	FIELD_UPDATED,
	{ "temperature", Q_MODULE_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
	{ "voltage", Q_MODULE_VCC_UV, 0, 0, FIELD_SCALED, 1000000 },
	{ "laser_temperature", Q_MODULE_LASER_TEMP_MC, 0, 0, FIELD_SCALED,
	  1000 },
	{ "rx_los", Q_LANE_RX_LOS, 0, 1, FIELD_BOOL, 1 },
	{ "tx_fault", Q_LANE_TX_FAULT, 0, 1, FIELD_BOOL, 1 },
	{ "laser_config_freq", Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 0, 1,
	  FIELD_SCALED, 1000 },
	{ "laser_curr_freq", Q_LANE_LASER_FREQUENCY_MHZ, 0, 1, FIELD_SCALED,
	  1000 },
	{ "tx_config_power", Q_LANE_TX_CONFIG_POWER_PW, 0, 1, FIELD_DBM, 1 },
	/* Before 2025-05 VDM stands here, of the first lane. */
	OLD_VDM("prefec_ber", PRE_FEC_BER_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_avg", FERC_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber", FERC_AVG_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_min", FERC_MIN_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_ber_max", FERC_MAX_E18, FIELD_RATIO, E18),
	OLD_VDM("postfec_curr_val", FERC_E18, FIELD_RATIO, E18),
	OLD_VDM("bias_xi", BIAS_XI_PPM, FIELD_SCALED, 10000),
	OLD_VDM("bias_xq", BIAS_XQ_PPM, FIELD_SCALED, 10000),
	OLD_VDM("bias_xp", BIAS_X_PHASE_PPM, FIELD_SCALED, 10000),
	OLD_VDM("bias_yi", BIAS_YI_PPM, FIELD_SCALED, 10000),
	OLD_VDM("bias_yq", BIAS_YQ_PPM, FIELD_SCALED, 10000),
	OLD_VDM("bias_yp", BIAS_Y_PHASE_PPM, FIELD_SCALED, 10000),
	OLD_VDM("cd_shortlink", CD_SHORT_PS_PER_NM, FIELD_SCALED, 1),
	OLD_VDM("cd_longlink", CD_LONG_PS_PER_NM, FIELD_SCALED, 1),
	OLD_VDM("dgd", DGD_FS, FIELD_SCALED, 1000),
	OLD_VDM("sopmd", SOPMD_FS2, FIELD_SCALED, 1000000),
	OLD_VDM("soproc", SOP_ROC_KRAD_PER_S, FIELD_SCALED, 1),
	OLD_VDM("pdl", PDL_MDB, FIELD_SCALED, 1000),
	OLD_VDM("osnr", OSNR_MDB, FIELD_SCALED, 1000),
	OLD_VDM("esnr", ESNR_MDB, FIELD_SCALED, 1000),
	OLD_VDM("cfo", CFO_MHZ, FIELD_SCALED, 1),
	OLD_VDM("tx_curr_power", TX_POWER_PW, FIELD_DBM, 1),
	OLD_VDM("rx_tot_power", RX_TOTAL_POWER_PW, FIELD_DBM, 1),
	OLD_VDM("rx_sig_power", RX_SIGNAL_POWER_PW, FIELD_DBM, 1),
	FIELD_LANES_OF(LANE_DOM),
};

/* The short cut of xcvrd's for who cools the switch. */
static const struct field module_heat[] = {
	FIELD_UPDATED,
	{ "temperature", Q_MODULE_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
};

static const struct field module_thresholds[] = {
	FIELD_EDGES("temp", Q_MODULE_TEMP_THRESHOLD_MC, FIELD_SCALED, 1000, 0),
	FIELD_EDGES("vcc", Q_MODULE_VCC_THRESHOLD_UV, FIELD_SCALED, 1000000, 0),
	FIELD_EDGES("rxpower", Q_MODULE_RX_POWER_THRESHOLD_PW, FIELD_DBM, 1, 0),
	FIELD_EDGES("txpower", Q_MODULE_TX_POWER_THRESHOLD_PW, FIELD_DBM, 1, 0),
	FIELD_EDGES("txbias", Q_MODULE_TX_BIAS_THRESHOLD_UA, FIELD_SCALED, 1000,
		    0),
	FIELD_EDGES("lasertemp", Q_MODULE_LASER_TEMP_THRESHOLD_MC, FIELD_SCALED,
		    1000, 0),
	/* Before 2025-05 those of VDM stand here too, without a lane. */
	OLD("biasxi", BIAS_XI_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("biasxq", BIAS_XQ_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("biasxp", BIAS_X_PHASE_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("biasyi", BIAS_YI_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("biasyq", BIAS_YQ_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("biasyp", BIAS_Y_PHASE_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("cdshort", CD_SHORT_THRESHOLD_PS_PER_NM, FIELD_SCALED, 1),
	OLD("cdlong", CD_LONG_THRESHOLD_PS_PER_NM, FIELD_SCALED, 1),
	OLD("dgd", DGD_THRESHOLD_FS, FIELD_SCALED, 1000),
	OLD("sopmd", SOPMD_THRESHOLD_FS2, FIELD_SCALED, 1000000),
	OLD("soproc", SOP_ROC_THRESHOLD_KRAD_PER_S, FIELD_SCALED, 1),
	OLD("pdl", PDL_THRESHOLD_MDB, FIELD_SCALED, 1000),
	OLD("osnr", OSNR_THRESHOLD_MDB, FIELD_SCALED, 1000),
	OLD("esnr", ESNR_THRESHOLD_MDB, FIELD_SCALED, 1000),
	OLD("cfo", CFO_THRESHOLD_MHZ, FIELD_SCALED, 1),
	OLD("evm", EVM_THRESHOLD_PPM, FIELD_SCALED, 10000),
	OLD("txcurrpower", TX_POWER_THRESHOLD_PW, FIELD_DBM, 1),
	OLD("rxtotpower", RX_TOTAL_POWER_THRESHOLD_PW, FIELD_DBM, 1),
	OLD("rxsigpower", RX_SIGNAL_POWER_THRESHOLD_PW, FIELD_DBM, 1),
	OLD("prefecber", PRE_FEC_BER_AVG_THRESHOLD_E18, FIELD_RATIO, E18),
	OLD("postfecber", FERC_AVG_THRESHOLD_E18, FIELD_SHARE, E18),
};

/* --- flags ---------------------------------------------------------------- */

static const struct field module_dom_flags[] = {
	FIELD_UPDATED,
	MODULE_DOM_FLAGS,
	FIELD_LANES_OF(LANE_DOM_FLAGS),
};

static const struct field module_flags[] = {
	FIELD_UPDATED,
	MODULE_FLAGS,
	COHERENT_FLAGS,
	FIELD_LANES_OF(LANE_FLAGS),
};

/* --- status: with the names of today, and of images before 2025-05 -------- */

static const struct field module_status[] = {
	FIELD_UPDATED,
	{ "module_state", Q_MODULE_STATE, 0, 0, FIELD_WORD,
	  WORDS_MODULE_STATE },
	{ "module_fault_cause", Q_MODULE_FAULT_CAUSE, 0, 0, FIELD_WORD,
	  WORDS_MODULE_FAULT },
	MODULE_FLAGS,
	OLD_MODULE_FLAGS,
	FLAG("tuning_in_progress", Q_LANE_TUNING, 1),
	FLAG("wavelength_unlock_status", Q_LANE_WAVELENGTH_UNLOCKED, 1),
	COHERENT_FLAGS,
	OLD_VDM_FLAGS("prefecber", PRE_FEC_BER_AVG),
	OLD_VDM_FLAGS("postfecber", FERC_AVG),
	OLD_VDM_FLAGS("biasxi", BIAS_XI), OLD_VDM_FLAGS("biasxq", BIAS_XQ),
	OLD_VDM_FLAGS("biasxp", BIAS_X_PHASE),
	OLD_VDM_FLAGS("biasyi", BIAS_YI), OLD_VDM_FLAGS("biasyq", BIAS_YQ),
	OLD_VDM_FLAGS("biasyp", BIAS_Y_PHASE),
	OLD_VDM_FLAGS("cdshort", CD_SHORT), OLD_VDM_FLAGS("cdlong", CD_LONG),
	OLD_VDM_FLAGS("dgd", DGD), OLD_VDM_FLAGS("sopmd", SOPMD),
	OLD_VDM_FLAGS("soproc", SOP_ROC), OLD_VDM_FLAGS("pdl", PDL),
	OLD_VDM_FLAGS("osnr", OSNR), OLD_VDM_FLAGS("esnr", ESNR),
	OLD_VDM_FLAGS("cfo", CFO), OLD_VDM_FLAGS("txcurrpower", TX_POWER),
	OLD_VDM_FLAGS("rxtotpower", RX_TOTAL_POWER),
	OLD_VDM_FLAGS("rxsigpower", RX_SIGNAL_POWER),
	FIELD_LANES_OF(LANE_STATUS),
};

/* --- performance of coherent modules -------------------------------------- */

static const struct field module_pm[] = {
	FIELD_UPDATED,
	PM("prefec_ber", PRE_FEC_BER_E18, FIELD_RATIO, E18),
	PM("uncorr_frames", UNCORRECTABLE_FRAMES_E18, FIELD_SHARE, E18),
	PM("cd", CD_PS_PER_NM, FIELD_SCALED, 1),
	PM("dgd", DGD_FS, FIELD_SCALED, 1000),
	PM("sopmd", SOPMD_FS2, FIELD_SCALED, 1000000),
	PM("pdl", PDL_MDB, FIELD_SCALED, 1000),
	PM("osnr", OSNR_MDB, FIELD_SCALED, 1000),
	PM("esnr", ESNR_MDB, FIELD_SCALED, 1000),
	PM("cfo", CFO_MHZ, FIELD_SCALED, 1),
	PM("evm", EVM_PPM, FIELD_SCALED, 10000),
	PM("soproc", SOP_ROC_KRAD_PER_S, FIELD_SCALED, 1),
	PM("tx_power", TX_POWER_PW, FIELD_DBM, 1),
	PM("rx_tot_power", RX_TOTAL_POWER_PW, FIELD_DBM, 1),
	PM("rx_sig_power", RX_SIGNAL_POWER_PW, FIELD_DBM, 1),
};

const struct fields fields_module_info = FIELDS(module_info);
const struct fields fields_module_firmware = FIELDS(module_firmware);
const struct fields fields_module_dom = FIELDS(module_dom);
const struct fields fields_module_heat = FIELDS(module_heat);
const struct fields fields_module_thresholds = FIELDS(module_thresholds);
const struct fields fields_module_flags = FIELDS(module_flags);
const struct fields fields_module_dom_flags = FIELDS(module_dom_flags);
const struct fields fields_module_status = FIELDS(module_status);
const struct fields fields_module_pm = FIELDS(module_pm);

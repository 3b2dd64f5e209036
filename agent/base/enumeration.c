/* Words of the quantities that are enumerations. */
#include "petrel/link.h"
#include "petrel/module.h"
#include "petrel/quantity.h"

static const char *oper_word(unsigned value)
{
	return oper_status_name((enum oper_status)value);
}

static const char *fec_word(unsigned value)
{
	return fec_mode_name((enum fec_mode)value);
}

static const char *down_reason_word(unsigned value)
{
	return down_reason_name((enum down_reason)value);
}

static const char *training_word(unsigned value)
{
	return training_status_name((enum training_status)value);
}

static const char *module_state_word(unsigned value)
{
	return module_state_name((enum module_state)value);
}

static const char *fault_cause_word(unsigned value)
{
	return module_fault_cause_name((enum module_fault_cause)value);
}

static const char *xcvr_word(unsigned value)
{
	return xcvr_state_name((enum xcvr_state)value);
}

static const char *data_path_word(unsigned value)
{
	return data_path_state_name((enum data_path_state)value);
}

static const char *config_status_word(unsigned value)
{
	return lane_config_status_name((enum lane_config_status)value);
}

static const struct {
	enum quantity quantity;
	const char *(*word)(unsigned value);
} enumerations[] = {
	{ Q_OPER_STATUS, oper_word },
	{ Q_FEC_MODE, fec_word },
	{ Q_DOWN_REASON, down_reason_word },
	{ Q_LINK_TRAINING_STATUS, training_word },
	{ Q_NETDEV_OPER_STATUS, oper_word },
	{ Q_GEARBOX_SYSTEM_OPER_STATUS, oper_word },
	{ Q_GEARBOX_LINE_OPER_STATUS, oper_word },
	{ Q_FABRIC_OPER_STATUS, oper_word },
	{ Q_MODULE_STATE, module_state_word },
	{ Q_MODULE_FAULT_CAUSE, fault_cause_word },
	{ Q_MODULE_XCVR_STATE, xcvr_word },
	{ Q_LANE_DATA_PATH_STATE, data_path_word },
	{ Q_LANE_CONFIG_STATUS, config_status_word },
};

const char *quantity_word(enum quantity q, int64_t value)
{
	if (value < 0 || value > UINT8_MAX)
		return NULL;
	for (size_t i = 0; i < sizeof(enumerations) / sizeof(enumerations[0]);
	     i++)
		if (enumerations[i].quantity == q)
			return enumerations[i].word((unsigned)value);
	return NULL;
}

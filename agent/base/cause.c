/* The order of actions is CorrOpt's (SIGCOMM 2017): where light is lost, clean,
 * then reseat, then replace; otherwise reseat, then replace. Cheap actions on
 * site come before those that need another site, or parts.
 */
#include "petrel/cause.h"

#define DIRT ACTION_CLEAN_NEAR, ACTION_CLEAN_FAR, ACTION_RESEAT_NEAR, \
	     ACTION_REPLACE_CABLE, ACTION_REPLACE_FAR
#define FIBRE ACTION_REPLACE_CABLE, ACTION_CLEAN_NEAR, ACTION_CLEAN_FAR
#define CONTACT ACTION_RESEAT_NEAR, ACTION_REPLACE_NEAR
#define EITHER_MODULE ACTION_RESEAT_NEAR, ACTION_REPLACE_NEAR, \
		      ACTION_RESEAT_FAR, ACTION_REPLACE_FAR
#define FAR_MODULE ACTION_REPLACE_FAR, ACTION_CLEAN_FAR, ACTION_CLEAN_NEAR
#define PEER_FIRST ACTION_CHECK_PEER, ACTION_RESEAT_NEAR, \
		   ACTION_REPLACE_CABLE, ACTION_REPLACE_NEAR
#define DARK ACTION_CHECK_PEER, ACTION_CLEAN_NEAR, ACTION_RESEAT_FAR, \
	     ACTION_REPLACE_CABLE, ACTION_REPLACE_FAR
#define SETTINGS ACTION_FIX_CONFIG, ACTION_CHECK_PEER

struct cause_row {
	const char *name;
	enum action actions[FINDING_ACTIONS_MAX];	/* up to the first 0 */
	bool of_lane;
};

static const struct cause_row rows[CAUSE_COUNT] = {
	[CAUSE_NOT_LOSS] = { "not_loss", { EITHER_MODULE } },
	[CAUSE_LIGHT_NOT_READ_SINCE] = { "light_not_read_since",
		{ ACTION_OBSERVE, ACTION_CLEAN_NEAR, ACTION_RESEAT_NEAR } },
	[CAUSE_LIGHT_NOT_READ] = { "light_not_read",
		{ ACTION_CHECK_PEER, ACTION_CLEAN_NEAR, ACTION_RESEAT_NEAR,
		  ACTION_REPLACE_NEAR, ACTION_REPLACE_FAR } },
	[CAUSE_MORE_THAN_ONE_FITS] = { "more_than_one_fits", { DIRT } },
	[CAUSE_DIRTY_CONNECTOR] = { "dirty_connector", { DIRT } },
	[CAUSE_BENT_FIBRE] = { "bent_fibre", { FIBRE } },
	[CAUSE_FAR_LASER_FADES] = { "far_laser_fades", { FAR_MODULE } },
	[CAUSE_MODULE_HOT] = { "module_hot",
		{ ACTION_FIX_AIRFLOW, ACTION_RESEAT_NEAR,
		  ACTION_REPLACE_NEAR } },
	[CAUSE_WEAK_LANE] = { "weak_lane",
		{ ACTION_CLEAN_NEAR, ACTION_CLEAN_FAR, ACTION_REPLACE_NEAR,
		  ACTION_REPLACE_FAR, ACTION_REPLACE_CABLE },
		.of_lane = true },
	[CAUSE_LANE_ERRORS] = { "lane_errors",
		{ ACTION_RESEAT_NEAR, ACTION_REPLACE_NEAR,
		  ACTION_REPLACE_FAR } },
	[CAUSE_COPPER_WORN] = { "copper_worn",
		{ ACTION_REPLACE_CABLE, ACTION_RESEAT_NEAR,
		  ACTION_RESEAT_FAR } },
	[CAUSE_FOLLOWS_TRAFFIC] = { "follows_traffic",
		{ ACTION_RESEAT_NEAR, ACTION_RESEAT_FAR,
		  ACTION_REPLACE_CABLE } },
	[CAUSE_ERROR_BURSTS] = { "error_bursts", { EITHER_MODULE } },
	[CAUSE_BAD_CONTACT] = { "bad_contact", { CONTACT } },
	[CAUSE_LASER_BIAS_RISES] = { "laser_bias_rises",
		{ ACTION_REPLACE_NEAR } },
	[CAUSE_LASER_POWER_FALLS] = { "laser_power_falls",
		{ ACTION_REPLACE_NEAR } },
	[CAUSE_LANE_DIFFERS] = { "lane_differs",
		{ ACTION_REPLACE_NEAR, ACTION_CLEAN_NEAR,
		  ACTION_REPLACE_FAR }, .of_lane = true },
	[CAUSE_READINGS_IMPOSSIBLE] = { "readings_impossible", { CONTACT } },
	[CAUSE_READINGS_MISSED] = { "readings_missed", { CONTACT } },
	[CAUSE_BURSTS_TOGETHER] = { "bursts_together", { ACTION_OBSERVE } },
	[CAUSE_READINGS_STILL] = { "readings_still", { CONTACT } },
	[CAUSE_MODULE_CHANGED] = { "module_changed", { ACTION_OBSERVE } },
	[CAUSE_SHARED_ERRORS] = { "shared_errors", { ACTION_REPLACE_NEAR } },
	[CAUSE_SHARED_MODULE] = { "shared_module", { CONTACT } },
	[CAUSE_SHARED_FALLS] = { "shared_falls", { ACTION_REPLACE_NEAR } },
	[CAUSE_FAN] = { "fan", { ACTION_FIX_AIRFLOW, ACTION_REPLACE_NEAR } },
	[CAUSE_SENSOR_TEMPERATURE] = { "sensor_temperature",
		{ ACTION_FIX_AIRFLOW } },
	[CAUSE_SUPPLY] = { "supply", { ACTION_REPLACE_NEAR } },
	[CAUSE_SENSOR_VOLTAGE] = { "sensor_voltage", { ACTION_REPLACE_NEAR } },
	[CAUSE_SENSOR_CURRENT] = { "sensor_current", { ACTION_REPLACE_NEAR } },
	[CAUSE_WARM_AIR] = { "warm_air", { ACTION_FIX_AIRFLOW } },
	[CAUSE_LINK_FALLS_AGAIN] = { "link_falls_again", { PEER_FIRST } },
	[CAUSE_NO_MODULE] = { "no_module", { ACTION_REPLACE_NEAR } },
	[CAUSE_NO_LIGHT] = { "no_light", { DARK } },
	[CAUSE_LOW_LIGHT] = { "low_light", { DIRT } },
	[CAUSE_LIGHT_AS_USUAL] = { "light_as_usual",
		{ ACTION_CHECK_PEER, ACTION_FIX_CONFIG, ACTION_RESEAT_NEAR,
		  ACTION_REPLACE_NEAR } },
	[CAUSE_TX_FAULT] = { "tx_fault", { ACTION_REPLACE_NEAR } },
	[CAUSE_TX_DISABLED] = { "tx_disabled", { ACTION_FIX_CONFIG } },
	[CAUSE_NO_CARRIER] = { "no_carrier", { PEER_FIRST } },
	[CAUSE_TRAINING] = { "training",
		{ ACTION_REPLACE_CABLE, ACTION_FIX_CONFIG,
		  ACTION_CHECK_PEER } },
	[CAUSE_LOCAL_FAULT] = { "local_fault", { DARK } },
	[CAUSE_REMOTE_FAULT] = { "remote_fault",
		{ ACTION_CHECK_PEER, ACTION_CLEAN_FAR, ACTION_RESEAT_NEAR,
		  ACTION_REPLACE_NEAR, ACTION_REPLACE_CABLE } },
	[CAUSE_FEC_SYNC_LOST] = { "fec_sync_lost",
		{ ACTION_CHECK_PEER, ACTION_FIX_CONFIG, ACTION_CLEAN_NEAR,
		  ACTION_RESEAT_NEAR } },
	[CAUSE_FEC_NOT_ALIGNED] = { "fec_not_aligned",
		{ ACTION_CHECK_PEER, ACTION_FIX_CONFIG, ACTION_CLEAN_NEAR,
		  ACTION_RESEAT_NEAR } },
	[CAUSE_SYMBOL_ERRORS] = { "symbol_errors", { DIRT } },
	[CAUSE_BIT_ERRORS] = { "bit_errors", { DIRT } },
	[CAUSE_FRAME_CHECKSUMS] = { "frame_checksums", { DIRT } },
	[CAUSE_CELL_CHECKSUMS] = { "cell_checksums", { PEER_FIRST } },
	[CAUSE_CELL_SIZE] = { "cell_size", { PEER_FIRST } },
	[CAUSE_CELLS_OUT_OF_STEP] = { "cells_out_of_step", { PEER_FIRST } },
	[CAUSE_CODE_GROUPS] = { "code_groups", { PEER_FIRST } },
	[CAUSE_NO_SIGNAL] = { "no_signal", { DARK } },
	[CAUSE_FAR_END_UNREACHABLE] = { "far_end_unreachable",
		{ ACTION_CHECK_PEER } },
	[CAUSE_PEER_DOWN] = { "peer_down", { ACTION_CHECK_PEER } },
	[CAUSE_NOT_SHOWN] = { "not_shown", { PEER_FIRST } },
	[CAUSE_FEC_MISMATCH] = { "fec_mismatch", { SETTINGS } },
	[CAUSE_SPEED_MISMATCH] = { "speed_mismatch", { SETTINGS } },
	[CAUSE_MODULE_STATE_FAILED] = { "module_state_failed", { CONTACT } },
	[CAUSE_SHUT_HERE] = { "shut_here", { ACTION_FIX_CONFIG } },
	[CAUSE_SWITCH_SILENT] = { "switch_silent", { ACTION_OBSERVE } },
	[CAUSE_PREEXISTING] = { "preexisting", { DIRT } },
};

const char *cause_name(enum cause_id cause)
{
	return (unsigned)cause < CAUSE_COUNT ? rows[cause].name : NULL;
}

size_t cause_actions(enum cause_id cause, const enum action **ret)
{
	size_t n = 0;

	if (!cause_name(cause))
		return 0;
	*ret = rows[cause].actions;
	while (n < FINDING_ACTIONS_MAX && rows[cause].actions[n])
		n++;
	return n;
}

bool cause_is_of_lane(enum cause_id cause)
{
	return cause_name(cause) && rows[cause].of_lane;
}

static const struct {
	const char *name, *words;
} benigns[BENIGN_COUNT] = {
	[BENIGN_LOAD_HEAT] = { "load_heat", "the module is warmer, and that "
			       "explains the errors" },
	[BENIGN_WARM_UP] = { "warm_up", "the link was down and came back with "
			     "another error level, far from harm" },
	[BENIGN_RESTART] = { "restart", "the switch restarted, reloaded or "
			     "shifted its traffic away" },
	[BENIGN_COUNTERS_CLEARED] = { "counters_cleared", "somebody cleared "
				      "the counters, or their source "
				      "restarted" },
	[BENIGN_PEER] = { "peer", "all links to that switch fell at once: it "
			  "is down or restarting" },
	[BENIGN_RACK] = { "rack", "many links show it at once: a rack, its "
			  "power, or the air in the room" },
};

static const char *const symptoms[SYMPTOM_COUNT] = {
	[SYMPTOM_ERRORS] = "errors_grew",
	[SYMPTOM_FALLS] = "links_fell",
	[SYMPTOM_COUNTERS] = "counters_restarted",
};

const char *benign_name(enum benign_id benign)
{
	return (unsigned)benign < BENIGN_COUNT ? benigns[benign].name : NULL;
}

const char *benign_words(enum benign_id benign)
{
	return (unsigned)benign < BENIGN_COUNT ? benigns[benign].words : NULL;
}

const char *symptom_name(enum symptom symptom)
{
	return (unsigned)symptom < SYMPTOM_COUNT ? symptoms[symptom] : NULL;
}

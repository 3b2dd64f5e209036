/* Faults of contacts, links, what ports share, and sensors.
 *
 * Times. Contacts: vibration and hands give clusters of breaks of milliseconds
 * to seconds. Flaps: fleets report bursts of ten to a hundred falls, seconds
 * to minutes apart. Codewords: KP4 gives a link up after three lost in a row,
 * so a break costs a handful for each of its engines, and short ones fewer.
 */
#include "tests/judge/g_kinds.h"

#define OPTICAL TRAIT_OPTICAL
#define LOOSE SIGNATURE_LOOSE_MODULE, END_NEAR, ACTION_RESEAT_NEAR, false, \
	SCOPE_CAGE, LANES_ALL, SHAPE_PULSES
#define FLAPS SIGNATURE_FLAP_BURST, 0, ACTION_CHECK_PEER, false, SCOPE_PORT, \
	LANES_ALL, SHAPE_PULSES
#define LOST_WORDS SIGNATURE_FEC_UNCORRECTABLE, 0, ACTION_RESEAT_NEAR, false, \
	SCOPE_PORT, LANES_ALL, SHAPE_PULSES
#define DOWN(end, action) SIGNATURE_LINK_DOWN, end, action, false, SCOPE_PORT, \
	LANES_ALL, SHAPE_STEP
#define SHARED SIGNATURE_SHARED_COMPONENT, END_NEAR, ACTION_REPLACE_NEAR, \
	false, SCOPE_GROUP, LANES_ALL
#define ENVIRONMENT SIGNATURE_ENVIRONMENT, END_NEAR, ACTION_FIX_AIRFLOW, \
	false, SCOPE_ZONE, LANES_ALL, SHAPE_STEP
#define SENSOR(action, lanes) SIGNATURE_SENSOR_FAULT, END_NEAR, action, false, \
	SCOPE_PORT, lanes, SHAPE_STEP, TRAIT_MONITORS

const struct g_kind g_kinds_sudden[] = {
	{ "contacts break", LOOSE, TRAIT_MONITORS, 0,
	  { { G_LOST, { 1, 3000 } } }, .gap_s = { 15, 400 },
	  .pulse_s = { 0.05, 3 }, .hold = HOLD_NO_DOM },
	{ "contacts break, link falls", LOOSE, TRAIT_MONITORS, 0,
	  { { G_LOST, { 30, 3000 } } }, .gap_s = { 60, 900 },
	  .pulse_s = { 0.05, 2 }, .hold = HOLD_NO_DOM | HOLD_DOWN,
	  .reason = DOWN_SIGNAL_LOCAL },
	{ "light contact of a passive cable", LOOSE, TRAIT_COPPER,
	  TRAIT_MONITORS, { { G_LOST, { 1, 3000 } } }, .gap_s = { 15, 400 },
	  .pulse_s = { 0.05, 1 } },

	{ "falls and returns, remote", SIGNATURE_FLAP_BURST, END_FAR,
	  ACTION_CHECK_PEER, false, SCOPE_PORT, LANES_ALL, SHAPE_PULSES, 0, 0,
	  { { G_NOTHING } }, .gap_s = { 15, 180 }, .pulse_s = { 1, 15 },
	  .lasts_s = { 600, 10000 }, .hold = HOLD_DOWN,
	  .reason = DOWN_MAC_REMOTE_FAULT },
	{ "falls and returns, dark", FLAPS, OPTICAL, 0,
	  { { G_LOST, { 3, 100 } } }, .gap_s = { 15, 240 },
	  .pulse_s = { 0.5, 20 }, .lasts_s = { 600, 10000 },
	  .hold = HOLD_DARK, .reason = DOWN_RX_LOS },
	{ "falls and returns", FLAPS, 0, 0, { { G_LOST, { 3, 100 } } },
	  .gap_s = { 15, 240 }, .pulse_s = { 0.5, 20 },
	  .lasts_s = { 600, 10000 }, .hold = HOLD_DOWN },

	{ "bursts of lost codewords", LOST_WORDS, 0, 0,
	  { { G_LOST, { 1, 500 } } }, .gap_s = { 10, 900 },
	  .pulse_s = { 0.001, 0.01 } },
	{ "a spell of lost codewords", LOST_WORDS, 0, 0,
	  { { G_LOST, { 1, 2000 } } }, .gap_s = { 5, 60 },
	  .pulse_s = { 0.001, 0.01 }, .lasts_s = { 300, 4000 } },

	{ "fibre cut", DOWN(END_PATH, ACTION_REPLACE_CABLE), OPTICAL, 0,
	  .hold = HOLD_DARK, .reason = DOWN_RX_LOS },
	{ "far transmitter dead", DOWN(END_FAR, ACTION_REPLACE_FAR), OPTICAL, 0,
	  .hold = HOLD_DARK, .reason = DOWN_RX_LOS },
	{ "own laser dead", DOWN(END_NEAR, ACTION_REPLACE_NEAR), OPTICAL, 0,
	  .hold = HOLD_DOWN | HOLD_TX_OFF, .reason = DOWN_TX_FAULT },
	{ "own laser switched off", DOWN(END_NEAR, ACTION_FIX_CONFIG), OPTICAL,
	  0, .hold = HOLD_DOWN | HOLD_TX_OFF, .reason = DOWN_TX_DISABLED },
	{ "module not seen", DOWN(END_NEAR, ACTION_RESEAT_NEAR), TRAIT_MONITORS,
	  0, .hold = HOLD_ABSENT, .reason = DOWN_NO_MODULE },
	{ "training fails", DOWN(END_PATH, ACTION_REPLACE_CABLE), TRAIT_COPPER,
	  0, .hold = HOLD_DOWN, .reason = DOWN_TRAINING },
	{ "no carrier", DOWN(END_FAR, ACTION_CHECK_PEER), 0, 0,
	  .hold = HOLD_DOWN, .reason = DOWN_NO_CARRIER },
	{ "remote fault", DOWN(END_FAR, ACTION_CHECK_PEER), 0, 0,
	  .hold = HOLD_DOWN, .reason = DOWN_MAC_REMOTE_FAULT },
	{ "local fault", DOWN(END_NEAR, ACTION_RESEAT_NEAR), 0, 0,
	  .hold = HOLD_DOWN, .reason = DOWN_MAC_LOCAL_FAULT },
	{ "code never in step", DOWN(END_FAR, ACTION_CHECK_PEER), 0, 0,
	  .hold = HOLD_DOWN | HOLD_RUINED, .reason = DOWN_FEC_SYNC_LOSS },
	{ "lanes never aligned", DOWN(END_PATH, ACTION_REPLACE_CABLE), 0, 0,
	  .hold = HOLD_DOWN | HOLD_RUINED, .reason = DOWN_FEC_ALIGNMENT_LOSS },
	{ "too many symbols wrong", DOWN(END_PATH, ACTION_REPLACE_CABLE), 0, 0,
	  .hold = HOLD_DOWN | HOLD_RUINED, .reason = DOWN_HIGH_SER },
	{ "too many bits wrong", DOWN(END_PATH, ACTION_REPLACE_CABLE), 0, 0,
	  .hold = HOLD_DOWN | HOLD_RUINED, .reason = DOWN_HIGH_BER },
	{ "no signal from the module", DOWN(END_NEAR, ACTION_RESEAT_NEAR),
	  TRAIT_MONITORS, 0, .hold = HOLD_DOWN, .reason = DOWN_SIGNAL_LOCAL },
	{ "down, nobody says why", DOWN(0, ACTION_CHECK_PEER), 0, 0,
	  .hold = HOLD_DOWN },

	{ "shared retimer loses margin", SHARED, SHAPE_STEP, 0, TRAIT_COHERENT,
	  { { G_CLOSE, { 0.1, 0.4 } } }, .rise_s = { 1, 600 } },
	{ "shared retimer wears", SHARED, SHAPE_GROW, 0, TRAIT_COHERENT,
	  { { G_CLOSE, { 0.1, 0.45 } } } },
	{ "shared core restarts", SHARED, SHAPE_PULSES, 0, 0,
	  { { G_LOST, { 3, 100 } } }, .gap_s = { 90, 900 },
	  .pulse_s = { 1, 15 }, .hold = HOLD_DOWN },

	{ "fan stops", ENVIRONMENT, 0, 0,
	  { { G_AIR_K, { 8, 20 } }, { G_FAN, { 1, 1 } } },
	  .rise_s = { 200, 900 }, .mark = MARK_AS_IT_IS },
	{ "fan drags", ENVIRONMENT, 0, 0,
	  { { G_AIR_K, { 5, 12 } }, { G_FAN, { 0.45, 0.8 } } },
	  .rise_s = { 300, 2000 }, .mark = MARK_AS_IT_IS },
	{ "hot air comes in", ENVIRONMENT, 0, 0,
	  { { G_AIR_K, { 12, 25 } } }, .rise_s = { 300, 2400 },
	  .mark = MARK_AS_IT_IS },
	{ "supply sags", ENVIRONMENT, 0, 0,
	  { { G_RAIL_V, { 0.9, 1.8 } }, { G_VCC_V, { 0.1, 0.3 } },
	    { G_CLOSE, { 0.02, 0.12 } } },
	  .rise_s = { 1, 60 }, .mark = MARK_AS_IT_IS },

	{ "monitors stand still", SENSOR(ACTION_RESEAT_NEAR, LANES_ALL), 0,
	  .hold = HOLD_FROZEN },
	{ "light reads as nothing", SENSOR(ACTION_REPLACE_NEAR, LANES_ALL) |
	  OPTICAL, 0, { { G_RX_SAYS_DB, { 60, 60 } } }, .rise_s = { 0.1, 1 },
	  .mark = MARK_AS_IT_IS },
	{ "a lane's light reads as nothing", SENSOR(ACTION_REPLACE_NEAR,
	  LANES_ONE) | OPTICAL, TRAIT_COHERENT,
	  { { G_RX_SAYS_DB, { 60, 60 } } }, .mark = MARK_AS_IT_IS },
	{ "temperature cannot be", SENSOR(ACTION_REPLACE_NEAR, LANES_ALL), 0,
	  { { G_TEMP_SAYS_K, { 90, 300 } } },
	  .mark = MARK_SIGNED | MARK_AS_IT_IS },
	{ "supply reads as nothing", SENSOR(ACTION_REPLACE_NEAR, LANES_ALL), 0,
	  { { G_VCC_SAYS_V, { 3, 6 } } }, .mark = MARK_AS_IT_IS },
	{ "bias reads as nothing", SENSOR(ACTION_REPLACE_NEAR, LANES_ALL) |
	  OPTICAL, 0, { { G_BIAS_SAYS, { 2, 2 } } }, .mark = MARK_AS_IT_IS },

	{ "another module, unannounced", SIGNATURE_MODULE_CHANGED, END_NEAR,
	  ACTION_OBSERVE, false, SCOPE_CAGE, LANES_UNLIKE, SHAPE_AFTER,
	  TRAIT_MONITORS | OPTICAL, 0,
	  { { G_LOSS_DB, { 0.1, 0.8 } }, { G_TX_DB, { 0.1, 1.5 } },
	    { G_BIAS, { 0.02, 0.2 } }, { G_NOISE, { 0.02, 0.2 } } },
	  .lasts_s = { 25, 240 }, .hold = HOLD_ABSENT,
	  .mark = MARK_SERIAL | MARK_WARM_UP | MARK_SIGNED,
	  .reason = DOWN_NO_MODULE },
	{ 0 },
};

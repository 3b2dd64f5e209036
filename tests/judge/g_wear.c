/* Faults that take margin away: light, noise, eye, heat.
 *
 * Sizes. Light: a dirty connector costs 0.5 to 6 dB (IEC 61300-3-35 grades,
 * IEC 61755), and reflects up to -26 dB; a bend of 5 to 10 mm radius costs
 * 0.5 to 6 dB, more at longer wavelengths (ITU-T G.657). Lasers: end of life is
 * 20 to 50 % more current or 2 dB less light (Telcordia GR-468); the far end's
 * is known by its light alone. Heat: a lifted heat sink costs 15 to 35 K.
 * Receivers, equalisers, copper: what closes an eye from a usual Q of 5 or 6
 * to the threshold's 3.4 is 0.3 to 0.45 of it, or noise of 1 to 2.5 parts.
 */
#include "tests/judge/g_kinds.h"

#define OPTICAL TRAIT_OPTICAL
#define PATCHED (TRAIT_OPTICAL | TRAIT_PLUGS)

#define TREND SIGNATURE_FEC_TREND, END_NEAR, ACTION_REPLACE_NEAR, false, \
	SCOPE_PORT, LANES_ALL
#define DIRT SIGNATURE_CONTAMINATION, END_PATH, ACTION_CLEAN_NEAR, false, \
	SCOPE_PORT
#define BEND SIGNATURE_BENT_FIBRE, END_PATH, ACTION_REPLACE_CABLE, false, \
	SCOPE_PORT
#define FAR_LASER SIGNATURE_FAR_LASER, END_FAR, ACTION_REPLACE_FAR, false, \
	SCOPE_PORT
#define TX_DECAY SIGNATURE_TX_DECAY, END_NEAR, ACTION_REPLACE_NEAR, false, \
	SCOPE_PORT
#define HOT SIGNATURE_THERMAL_FEC, END_NEAR, ACTION_FIX_AIRFLOW, false, \
	SCOPE_CAGE, LANES_ALL
#define COPPER SIGNATURE_COPPER_DEGRADE, END_PATH, ACTION_REPLACE_CABLE, \
	false, SCOPE_PORT
#define ODD_LANE SIGNATURE_LANE_IMBALANCE, END_NEAR, ACTION_REPLACE_NEAR, \
	false, SCOPE_PORT, LANES_ONE

const struct g_kind g_kinds_wear[] = {
	{ "receiver noise grows", TREND, SHAPE_GROW, OPTICAL, 0,
	  { { G_NOISE, { 0.2, 5 } } } },
	{ "host side eye closes", TREND, SHAPE_GROW, OPTICAL, TRAIT_COHERENT,
	  { { G_CLOSE, { 0.06, 0.5 } } } },
	{ "far laser's noise grows", SIGNATURE_FEC_TREND, END_FAR,
	  ACTION_REPLACE_FAR, false, SCOPE_PORT, LANES_ALL, SHAPE_GROW,
	  OPTICAL, 0, { { G_REFLECT, { 0.2, 5 } } } },
	{ "equaliser loses margin", TREND, SHAPE_STEP, OPTICAL, TRAIT_COHERENT,
	  { { G_CLOSE, { 0.06, 0.4 } } }, .rise_s = { 30, 1800 } },

	{ "dirt after a patch, some fibres", DIRT, LANES_FEW, SHAPE_STEP,
	  PATCHED | TRAIT_PARALLEL, 0,
	  { { G_LOSS_DB, { 0.7, 6 } }, { G_REFLECT, { 0.01, 0.15 } } },
	  .rise_s = { 0.3, 20 } },
	{ "dirt after a patch, duplex", DIRT, LANES_ALL, SHAPE_STEP,
	  PATCHED | TRAIT_DUPLEX, 0,
	  { { G_LOSS_DB, { 0.7, 6 } }, { G_REFLECT, { 0.01, 0.15 } } },
	  .rise_s = { 0.3, 20 } },
	{ "dirt creeps in, some fibres", DIRT, LANES_FEW, SHAPE_GROW,
	  PATCHED | TRAIT_PARALLEL, 0,
	  { { G_LOSS_DB, { 0.7, 6 } }, { G_REFLECT, { 0.01, 0.1 } } } },
	{ "dirt creeps in, duplex", DIRT, LANES_ALL, SHAPE_GROW,
	  PATCHED | TRAIT_DUPLEX, 0,
	  { { G_LOSS_DB, { 0.7, 6 } }, { G_REFLECT, { 0.01, 0.1 } } } },

	{ "fibre bent", BEND, LANES_SLOPED, SHAPE_STEP, PATCHED, 0,
	  { { G_LOSS_DB, { 0.8, 6 } } }, .rise_s = { 0.2, 5 },
	  .restless = { 0.02, 0.15 } },
	{ "fibre bent and touched", BEND, LANES_SLOPED, SHAPE_STEP, PATCHED, 0,
	  { { G_LOSS_DB, { 0.8, 5 } } }, .rise_s = { 0.2, 5 },
	  .gap_s = { 120, 7200 }, .restless = { 0.03, 0.15 } },

	{ "far lasers fade", FAR_LASER, LANES_ALL, SHAPE_GROW, OPTICAL, 0,
	  { { G_LOSS_DB, { 0.7, 5 } } } },
	{ "a far laser fades", FAR_LASER, LANES_ONE, SHAPE_GROW, OPTICAL,
	  TRAIT_COHERENT, { { G_LOSS_DB, { 0.8, 6 } } } },

	{ "own lasers need more current", TX_DECAY, LANES_ALL, SHAPE_GROW,
	  TRAIT_KEEPS_POWER, 0, { { G_BIAS, { 0.15, 1.2 } } } },
	{ "an own laser needs more current", TX_DECAY, LANES_ONE, SHAPE_GROW,
	  TRAIT_KEEPS_POWER, TRAIT_COHERENT, { { G_BIAS, { 0.2, 1.5 } } } },
	{ "own lasers fade", TX_DECAY, LANES_ALL, SHAPE_GROW,
	  TRAIT_KEEPS_CURRENT, 0, { { G_TX_DB, { 0.6, 4 } } } },
	{ "an own laser fades", TX_DECAY, LANES_ONE, SHAPE_GROW,
	  TRAIT_KEEPS_CURRENT, TRAIT_COHERENT, { { G_TX_DB, { 0.6, 5 } } } },

	{ "heat sink lifts", HOT, SHAPE_GROW, TRAIT_OPTICAL | TRAIT_MONITORS, 0,
	  { { G_HEAT_K, { 12, 38 } } } },
	{ "cage is blocked", HOT, SHAPE_STEP, TRAIT_OPTICAL | TRAIT_MONITORS, 0,
	  { { G_HEAT_K, { 14, 38 } } }, .rise_s = { 120, 1200 } },

	{ "cable's contacts corrode", COPPER, LANES_ALL, SHAPE_GROW,
	  TRAIT_COPPER, 0,
	  { { G_CLOSE, { 0.06, 0.5 } }, { G_CHAIN, { 0.01, 0.08 } } } },
	{ "a pair of the cable wears", COPPER, LANES_FEW, SHAPE_GROW,
	  TRAIT_COPPER, 0,
	  { { G_CLOSE, { 0.1, 0.55 } }, { G_CHAIN, { 0.01, 0.1 } } } },
	{ "cable kinked", COPPER, LANES_FEW, SHAPE_STEP, TRAIT_COPPER, 0,
	  { { G_CLOSE, { 0.1, 0.5 } }, { G_CHAIN, { 0.01, 0.1 } } },
	  .rise_s = { 0.2, 5 }, .restless = { 0.01, 0.08 } },

	{ "a receiver's lane weakens", ODD_LANE, SHAPE_GROW,
	  OPTICAL | TRAIT_SHOWS_BER, TRAIT_COHERENT,
	  { { G_NOISE, { 0.4, 8 } } } },
	{ "a lane's amplifier weakens", ODD_LANE, SHAPE_GROW,
	  OPTICAL | TRAIT_SHOWS_SNR, TRAIT_COHERENT,
	  { { G_CLOSE, { 0.1, 0.6 } } } },
	{ "a lane comes apart at once", ODD_LANE, SHAPE_STEP,
	  OPTICAL | TRAIT_SHOWS_SNR, TRAIT_COHERENT,
	  { { G_NOISE, { 0.4, 6 } } }, .rise_s = { 1, 120 } },
	{ 0 },
};

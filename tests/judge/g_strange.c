/* Faults that have no name: each an effect that operators have told of, and
 * that no simple cause explains.
 */
#include "tests/judge/g_kinds.h"

#define OPTICAL TRAIT_OPTICAL
#define STRANGE(end) 0, end, 0, false, SCOPE_PORT
#define EYE TRAIT_COHERENT	/* where the host's eye is not the line's */

const struct g_kind g_kinds_strange[] = {
	/* Two reflections: a path whose phase the heat turns. */
	{ "multi-path beats with heat", STRANGE(END_PATH), LANES_UNLIKE,
	  SHAPE_BY_HEAT, OPTICAL | TRAIT_PLUGS, 0,
	  { { G_REFLECT, { 0.3, 4 } } }, .gap_s = { 1.5, 7 } },
	{ "gearbox errs in one band of load", STRANGE(END_NEAR), LANES_ALL,
	  SHAPE_IN_BAND, 0, EYE, { { G_CLOSE, { 0.12, 0.5 } } },
	  .gap_s = { 60, 60 } },
	{ "a laser hops between modes", STRANGE(END_FAR), LANES_ONE, SHAPE_HOPS,
	  OPTICAL, 0, { { G_REFLECT, { 0.4, 5 } }, { G_LOSS_DB, { 0.2, 1 } } },
	  .gap_s = { 8, 400 } },
	{ "a rail's ripple comes and goes", STRANGE(END_NEAR), LANES_ALL,
	  SHAPE_RIPPLES, 0, EYE, { { G_CLOSE, { 0.1, 0.4 } } },
	  .gap_s = { 7, 600 } },
	{ "the next port's traffic couples in", STRANGE(END_NEAR), LANES_FEW,
	  SHAPE_BY_NEIGHBOUR, 0, EYE, { { G_NOISE, { 0.6, 6 } } },
	  .gap_s = { 60, 60 } },
	/* Two clocks apart by some ppm: a buffer runs over at each beat. */
	{ "clocks slip past one another", STRANGE(0), LANES_ALL, SHAPE_PULSES,
	  0, 0, { { G_LOST, { 1, 50 } } }, .gap_s = { 8, 300 },
	  .pulse_s = { 0.001, 0.01 } },
	/* A bit of the equaliser's memory turns; a watchdog restarts it. */
	{ "a processor is upset until it restarts", STRANGE(END_NEAR),
	  LANES_ALL, SHAPE_PULSES, OPTICAL, 0,
	  { { G_CLOSE, { 0.15, 0.4 } } }, .gap_s = { 200, 3000 },
	  .pulse_s = { 20, 400 } },
	{ "firmware tunes its equaliser wrongly", STRANGE(END_NEAR), LANES_ALL,
	  SHAPE_RETUNES, 0, EYE,
	  { { G_CLOSE, { 0.12, 0.5 } }, { G_CHAIN, { 0.01, 0.1 } } },
	  .gap_s = { 200, 4000 }, .pulse_s = { 15, 300 } },
	{ "loss by polarisation wanders", STRANGE(END_PATH), LANES_UNLIKE,
	  SHAPE_SWINGS, OPTICAL | TRAIT_PLUGS, 0,
	  { { G_LOSS_DB, { 0.8, 4 } } }, .gap_s = { 90, 7200 } },
	{ "a contact of the host side ages", STRANGE(END_NEAR), LANES_ONE,
	  SHAPE_GROW, 0, EYE,
	  { { G_CLOSE, { 0.1, 0.55 } }, { G_CHAIN, { 0.01, 0.1 } } } },
	{ "fans shake a fibre", STRANGE(END_PATH), LANES_SLOPED, SHAPE_STEP,
	  OPTICAL | TRAIT_PLUGS, 0, { { G_LOSS_DB, { 0.6, 3 } } },
	  .rise_s = { 1, 10 }, .gap_s = { 10, 120 }, .restless = { 0.3, 0.8 } },
	{ "a cooler of a laser cycles", STRANGE(END_NEAR), LANES_ALL,
	  SHAPE_SWINGS, OPTICAL, 0,
	  { { G_HEAT_K, { 4, 14 } }, { G_REFLECT, { 0.3, 3 } } },
	  .gap_s = { 40, 1200 } },
	{ 0 },
};

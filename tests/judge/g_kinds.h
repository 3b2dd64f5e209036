/* Kinds of things that befall, as rows: what they do to light, eye, heat and
 * monitors, how they come and go, and what is true of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tests/judge/world.h"

#define G_PARTS 4

/* What a kind acts upon. */
enum g_channel {
	/* Of a lane. */
	G_LOSS_DB,	/* of light on its way to us */
	G_NOISE,	/* of the receiver, in parts of all it had */
	G_REFLECT,	/* that grows with the light: RIN, interference */
	G_CLOSE,	/* share of the eye */
	G_TX_DB,	/* our own light, lower */
	G_BIAS,		/* our own laser's current, higher, in parts */
	G_RX_SAYS_DB,	/* error of the monitor */
	G_LANE_CHANNELS,
	/* Of a port. */
	G_HEAT_K = G_LANE_CHANNELS,
	G_AIR_K,	/* heat that the zone's sensors feel too */
	G_CHAIN,	/* of errors, by its equaliser */
	G_VCC_V,	/* lower */
	G_TEMP_SAYS_K, G_VCC_SAYS_V,
	G_BIAS_SAYS,	/* in parts */
	G_LOST,		/* codewords, each time */
	G_FAN,		/* share of its speed that is lost */
	G_RAIL_V,	/* of the switch's supply, lower */
	G_CLOCK_S,	/* the switch's clock, ahead */
	G_CHANNELS,
	G_NOTHING = G_CHANNELS,
};

/* How it comes, as a share of its size. */
enum g_shape {
	SHAPE_STEP,	/* at once, or within its rise; gap: touched */
	SHAPE_GROW,	/* by a law */
	SHAPE_PULSES,	/* for moments */
	SHAPE_AFTER,	/* once it has ended, for good */
	SHAPE_SWINGS,	/* to and fro */
	SHAPE_BY_HEAT,	/* to and fro with the module's temperature */
	SHAPE_IN_BAND,	/* in one band of load */
	SHAPE_BY_NEIGHBOUR,	/* as the next port is busy */
	SHAPE_HOPS,	/* there or not, for random times */
	SHAPE_RETUNES,	/* now and then, and decays */
	SHAPE_RIPPLES,	/* a share of each period */
};

enum g_scope { SCOPE_PORT, SCOPE_CAGE, SCOPE_PEER, SCOPE_GROUP, SCOPE_ZONE,
	       SCOPE_ALL };
/* SLOPED: all, more at longer wavelengths. */
enum g_lanes { LANES_ALL, LANES_ONE, LANES_FEW, LANES_SLOPED, LANES_UNLIKE };

/* What it holds while it lasts; within its pulses where it has some. */
enum g_hold {
	HOLD_DOWN = 1,		/* no link */
	HOLD_DARK = 2,		/* no light comes */
	HOLD_SHUT = 4,		/* administratively down; no light goes */
	HOLD_ABSENT = 8,	/* no module */
	HOLD_TX_OFF = 16,
	HOLD_RUINED = 32,	/* all codewords are lost */
	HOLD_NO_DOM = 64,	/* monitors cannot be read */
	HOLD_GARBAGE = 128,	/* they give what cannot be: all ones */
	HOLD_FROZEN = 256,
	HOLD_NO_READING = 512,
	HOLD_LATE = 1024,
	HOLD_IDLE = 2048,	/* no traffic */
};

/* What comes of it, once. */
enum g_mark {
	MARK_SERIAL = 1,	/* another module, from its end on */
	MARK_WARM_UP = 2,	/* cold at its end */
	MARK_CLEARED = 4,	/* counters begin anew at its onset */
	MARK_RELOAD = 8,	/* at its end, all that the switch counts */
	MARK_DRAIN = 16,	/* told as TSA and TSB */
	MARK_SIGNED = 32,	/* sizes may be negative */
	MARK_AS_IT_IS = 64,	/* no smaller in hard cases */
};

enum g_trait {
	TRAIT_OPTICAL = 1,
	TRAIT_DUPLEX = 2,	/* one fibre each way, several wavelengths */
	TRAIT_PARALLEL = 4,	/* a fibre for each lane */
	TRAIT_COPPER = 8,
	TRAIT_COHERENT = 16,
	TRAIT_PLUGS = 32,	/* its fibre can be unplugged */
	TRAIT_KEEPS_POWER = 64,	/* of its lasers; otherwise their current */
	TRAIT_MONITORS = 128,
	TRAIT_SHOWS_BER = 256,	/* of lanes */
	TRAIT_SHOWS_SNR = 512,
	TRAIT_KEEPS_CURRENT = 1024,
	TRAIT_WARM = 2048,	/* has electronics of its own */
	TRAIT_TO_HOST = 4096,	/* its other end is one */
};

struct g_range {
	double low, high;	/* log-uniform */
};

struct g_kind {
	const char *what;
	enum signature signature;
	enum fault_end end;
	enum action action;
	bool benign;
	enum g_scope scope;
	enum g_lanes lanes;
	enum g_shape shape;
	unsigned needs, bars;	/* traits */
	struct {
		enum g_channel channel;
		struct g_range size;
	} part[G_PARTS];	/* up to the first without a size */
	struct g_range rise_s, gap_s, pulse_s, lasts_s;	/* 0: it stays */
	struct g_range restless;	/* share of its size, rms */
	unsigned hold, mark;
	enum down_reason reason;
	double chance;		/* of what befalls a whole switch, in a case */
};

/* Rows that end with what == NULL. */
extern const struct g_kind g_kinds_wear[], g_kinds_sudden[],
			   g_kinds_benign[], g_kinds_house[],
			   g_kinds_strange[];

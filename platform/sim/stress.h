/* What all faults together do to one port at one moment. The physics knows
 * stress, but no faults.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/fault_table.h"

struct stress {
	/* Light, in dB, by lane of the port. */
	double path_db[PLANT_LANES_MAX];	/* on the way to us */
	double far_db[PLANT_LANES_MAX];		/* the far laser */
	double near_db[PLANT_LANES_MAX];	/* our laser */
	double bias[PLANT_LANES_MAX];		/* increase of its bias */
	double shake_db;		/* deviation of fast drift */
	bool dark;			/* no light at all */
	/* Noise. grow_to: the BER that a lane's noise grows towards, grow: the
	 * progress; decades: increase of the BER.
	 */
	double grow_to[PLANT_LANES_MAX], grow[PLANT_LANES_MAX];
	double decades;
	double burst_rate_hz, burst_tail;
	/* Heat and supply. */
	double module_k, air_k, droop_v;
	/* Traffic. */
	double load, load_weight;	/* load counts with this weight */
	double microburst_hz, microburst_peak;
	double ecn_share;
	unsigned storm_priority;
	double storm_share;
	/* The port. */
	enum plant_down down;		/* PLANT_IS_UP: nothing keeps it down */
	bool short_drop;		/* returns at once, without training */
	unsigned drops;			/* falling edges since the last step */
	bool module_gone;
	bool swap, reset, wrap, booting;	/* edges, and the boot itself */
	enum fault_bits wrap_bits;
	double wrap_left_s;
	bool counters_silent, dom_garbage, dom_frozen;
};

/* When and where stress is computed. */
struct moment {
	int64_t now_ns, before_ns;	/* before_ns: the step before */
	size_t port;
	unsigned lanes;
	bool wavelengths;		/* lanes are wavelengths of one fibre */
	uint64_t seed;
};

/* Adds the effect of fault f at that moment; f must be active then. A zeroed
 * stress means no effect.
 */
void stress_add(struct stress *s, const struct planted *f,
		const struct moment *m);

/* The lanes that a fault affects, bit 0 the first; all for a fault of the whole
 * port.
 */
uint8_t stress_lanes(const struct planted *f, const struct moment *m);

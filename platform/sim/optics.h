/* Lasers, fibre and receivers of one module; for copper, the cable and its
 * receivers.
 *
 * A receiver's noise: 1/Q^2 = thermal/P^2 + shot/P + floor, with P the light
 * in mW. More light lowers thermal noise and shot noise, but not the floor
 * (laser noise, reflections, electronics).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/draw.h"
#include "platform/sim/stress.h"
#include "platform/sim/values.h"

/* A medium that a port may have. */
struct media {
	const char *name;
	const char *part;
	bool optical;
	bool monitored;		/* the module reports temperature and supply */
	bool wavelengths;	/* lanes are wavelengths on one fibre */
	bool cooled;		/* laser held at its own temperature */
	bool coherent;		/* one optical lane for all of them */
	double tx_dbm;		/* what a laser sends */
	double path_db;		/* mean loss on the way */
	double bias_ma;
	double dark_dbm;	/* loss of signal below this */
	double ber_low_log10, ber_high_log10;	/* of a healthy lane */
};

/* The row of a name, or NULL. */
const struct media *media_find(const char *name);
/* All rows. */
const struct media *media_table(size_t *ret_count);

struct optic_lane {
	double far_dbm, near_dbm, path_db;
	double bias_ma;			/* at the reference temperature */
	double thermal, shot, floor;	/* of the receiver */
	double healthy_ber;
	uint64_t wander;		/* key of its slow drift */
};

/* One module as built and plugged in. */
struct optic {
	const struct media *media;
	bool four_levels;
	bool constant_current;		/* heat lowers power, bias stays */
	double bias_k;			/* kelvin for a factor e of bias */
	double noise_per_k;		/* growth of 1/Q^2 per kelvin */
	double drift;
	struct optic_lane lane[PLANT_LANES_MAX];
};

/* Draws a module. key is of the cage and the number of modules before. */
void optic_draw(struct optic *o, const struct media *media,
		const struct range *ber_log10, bool four_levels, double drift,
		uint64_t key);

/* Conditions of the lanes of one port at a time. */
struct optic_moment {
	const struct stress *stress;
	double temp_c, t_s;
	bool laser_on;			/* false while shut or booting */
	struct draw *monitor;		/* noise of this reading */
};

/* The state of the module's lanes from first (from 0) on. */
void optic_state(const struct optic *o, unsigned first, unsigned lanes,
		 const struct optic_moment *m, struct plant_lane *ret);

/* Noise that arrives with the light of lane n (from 0), relative to the
 * signal's power: in a coherent line that of its amplifiers.
 */
double optic_ase(const struct optic *o, unsigned n, double light_mw);

/* The limits in the module's memory. */
void optic_limits(const struct media *media, struct plant_limits *ret);

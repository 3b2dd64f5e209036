/* Lasers, fibre and receivers of one module; for copper, the cable and its
 * receivers.
 *
 * A receiver's noise: 1/Q^2 = thermal/P^2 + shot/P + floor, with P the light
 * in mW. Thermal noise and shot noise give way to light, the floor (laser
 * noise, reflections, electronics) does not.
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
	bool monitored;		/* a module that tells temperature and supply */
	bool wavelengths;	/* lanes are colours on one fibre */
	bool cooled;		/* laser held at its own temperature */
	bool coherent;		/* one lane of light for all of the port's */
	double tx_dbm;		/* what a laser sends */
	double path_db;		/* what is lost on the way, in the mean */
	double bias_ma;
	double dark_dbm;	/* loss of signal below */
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

/* One module as it left the factory and was plugged. */
struct optic {
	const struct media *media;
	bool four_levels;
	bool constant_current;		/* power gives way to heat, not bias */
	double bias_k;			/* kelvin for a factor e of bias */
	double noise_per_k;		/* growth of 1/Q^2 by temperature */
	double drift;
	struct optic_lane lane[PLANT_LANES_MAX];
};

/* Draws a module. key belongs to the cage and to how many were in it before.
 */
void optic_draw(struct optic *o, const struct media *media,
		const struct range *ber_log10, bool four_levels, double drift,
		uint64_t key);

/* In what the lanes of one port are at a time. */
struct optic_moment {
	const struct stress *stress;
	double temp_c, t_s;
	bool laser_on;			/* false while shut or booting */
	struct draw *monitor;		/* noise of this reading */
};

/* What the module's lanes first (from 0) and on are. */
void optic_state(const struct optic *o, unsigned first, unsigned lanes,
		 const struct optic_moment *m, struct plant_lane *ret);

/* Noise that came with the light of lane n (from 0), of the signal's power: in
 * a coherent line what its amplifiers add.
 */
double optic_ase(const struct optic *o, unsigned n, double light_mw);

/* What the module's memory says its limits are. */
void optic_limits(const struct media *media, struct plant_limits *ret);

/* What could be foreseen of a cliff at all, from the readings that everybody
 * had: a floor for the error of whoever foretells it.
 *
 * The oracle knows when the fault began, how large the bit error ratio is at
 * the cliff, and the family of the law: the true, noise-free course of this
 * very fault, stretched in time and in height by factors that it does not
 * know. It fits both, and the level before the onset, to the counted errors
 * from the onset on, by weighted least squares on a grid of stretches, and
 * foretells the cliff with the weights of that fit. It knows no detector.
 *
 * It names no cause: a naming oracle would take the same slots.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tests/judge/rows.h"
#include "tests/judge/world.h"

#define ORACLE_SLOTS 256

/* One port: what was counted in each slot of the case, and the true course. */
struct oracle_port {
	uint64_t counter;
	int64_t t_ns;
	bool started;
	int slot;			/* the one that readings go into */
	float errors[ORACLE_SLOTS], bits[ORACLE_SLOTS];
	float gauge[ORACLE_SLOTS];	/* mean log10 of the module's own */
	unsigned gauges[ORACLE_SLOTS];
	float truth[ORACLE_SLOTS];	/* log10 of the bit error ratio; NAN */
};

struct oracle {
	int64_t slot_ns;
	struct oracle_port port[WORLD_PORTS_MAX];
};

/* A new case. */
void oracle_start(struct oracle *o, int64_t length_ns);

/* One reading. True: a slot begins, and oracle_truth() is to be told. */
bool oracle_take(struct oracle *o, unsigned port, const struct world_port *p,
		 const struct world_reading *r, int64_t now_ns);
void oracle_truth(struct oracle *o, unsigned port, double log_ber);

/* At now_ns: seconds to the cliff of a truth, 90 % interval; false: nothing can
 * be said. high is INFINITY where no end is seen.
 */
bool oracle_guess(const struct oracle *o, unsigned port, const struct truth *t,
		  int64_t now_ns, double *ret_low_s, double *ret_mid_s,
		  double *ret_high_s);

/* Adds a row for a truth with a cliff in the case. False: there is none, or it
 * could not be foreseen by nine tenths of the life.
 */
bool oracle_judge(const struct oracle *o, const struct setting *at,
		  const struct world_port *ports, const struct truth *t,
		  int64_t length_ns, struct rows *rows);

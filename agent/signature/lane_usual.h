/* What is usual of each lane of a module: the errors that the module counts on
 * it, and its signal-to-noise ratio; and which lane left that.
 *
 * Learns while nothing is wrong, and hardly from a lane that left its usual
 * values.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/ber.h"
#include "agent/signature/front.h"
#include "agent/signature/port.h"

struct kept;

/* NAN: not read. */
struct lane_values {
	float log_ber, snr_db;		/* log10 of the ratio; electrical dB */
};

struct lane_usual {
	struct lane_values lane[PORT_LANES_MAX];
};

/* No lane is known yet. */
void lane_usual_start(struct lane_usual *l);
/* A reading while the link is up; learns only while nothing is wrong. readings:
 * so many were learned from, with this one (light.h).
 */
void lane_usual_take(struct lane_usual *l, const struct front *f,
		     const struct inputs *k, bool quiet, unsigned readings);

/* What a reading shows of lane i. */
static inline struct lane_values lane_values_of(const struct inputs *k,
						unsigned i)
{
	int64_t ber = k->value[INPUT_LANE_BER_E18 + i];
	struct lane_values now = { NAN, NAN };

	if (inputs_has(k, INPUT_LANE_BER_E18 + i) && ber > 0)
		now.log_ber = (float)(fec_log10((double)ber) - 18);
	if (inputs_has(k, INPUT_SNR_MDB + i))
		now.snr_db = (float)k->value[INPUT_SNR_MDB + i] / 1000;
	return now;
}

/* The few lanes, a bit each, on which the module counts nearly all errors; 0:
 * it counts none of them, or they are on many.
 */
uint8_t lanes_with_errors(const struct inputs *k);

/* The one lane, a bit, that alone left its usual values by as much as the
 * errors of the port grew: by the errors that the module counts, or by its
 * signal-to-noise ratio. 0: there is none, or the module does not show it.
 */
uint8_t lane_usual_left(const struct lane_usual *l, const struct inputs *k,
			const struct ber *b);

/* What is kept over a restart (kept.h). */
extern const struct kept lane_usual_kept;

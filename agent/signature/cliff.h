/* When will errors be more than the code can correct: the course of one
 * growth from its onset, and the time to the cliff with its interval.
 *
 * The course is kept in slots that double in length when they run out, so it
 * always covers all of the growth. Seven laws are fitted: log10 BER linear in
 * time, the eye's Q falling by so many dB a time, noise power (1/Q^2) growing
 * linearly, decades above normal as a power of time (3/2, 2, 2/3), and the
 * eye's decibels growing exponentially. Those that fit about as well as the
 * best speak; what they differ by is part of the interval, and so is how far
 * off the cliff is: past what was seen no law is known (campaign cliff).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/fec.h"
#include "petrel/clock.h"
#include "petrel/finding.h"

struct kept;

#define COURSE_SLOTS 48

struct course {
	struct mono start;
	int64_t slot_ns;		/* 0: not begun */
	uint16_t used;
	uint8_t count[COURSE_SLOTS];	/* windows in the slot, at most 255:
					 * then the newest count most */
	float mean[COURSE_SLOTS];	/* log10 BER */
};

/* Begins anew at t. */
void course_start(struct course *c, struct mono t, int64_t slot_ns);
/* One window; what is before the start is left out. */
void course_take(struct course *c, double log_ber, struct mono t);

/* From now. Not foreseeable: too few points, no growth that stands out from
 * their noise, or less than least_rise decades of it. Beyond the cliff: 0.
 * normal: log10 BER before the growth.
 * Slow path: a few microseconds.
 */
void course_cliff(const struct course *c, const struct fec_code *code,
		  struct mono now, double normal, double least_rise,
		  struct cliff *ret);

/* What of it lasts (kept.h). */
extern const struct kept cliff_kept, course_kept;

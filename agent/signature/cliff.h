/* When errors will be more than the code can correct: the course of one
 * growth from its onset, and the time to the cliff with its interval.
 *
 * The course is kept in slots that double in length when they run out, so it
 * always covers all of the growth. Each law of growth.h is fitted to it and
 * weighed by its evidence; the dates of all laws, each with its doubt, form one
 * distribution: the date is its median, the interval holds 90 % of it. Where
 * growth that stops below the cliff fits too, there is no upper bound, and
 * where that is likely, or the level has stood still for as long as the rest
 * would take, no date (campaign cliff). A step is no growth: a course begins
 * anew at it, and what it left is then the normal level.
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
					 * beyond, new ones weigh more */
	float mean[COURSE_SLOTS];	/* log10 BER */
};

/* Begins anew at t: zeroed, or started before. */
void course_start(struct course *c, struct mono t, int64_t slot_ns);
/* One window; ignored when it is before the start. */
void course_take(struct course *c, double log_ber, struct mono t);
/* Decades by which a window that is not taken yet is off the course, up or
 * down: at least so many, and far more than its slots differ by. 0: it is not.
 */
double course_off(const struct course *c, double log_ber, double least);

/* The time from now. Not foreseeable: too few points, no growth above their
 * noise, less than least_rise decades of it, or it may well end below the
 * cliff. Beyond the cliff: 0.
 * normal: log10 BER before the growth.
 * Slow path: up to 130 microseconds, once every half slot.
 */
void course_cliff(const struct course *c, const struct fec_code *code,
		  struct mono now, double normal, double least_rise,
		  struct cliff *ret);

/* The same, so many seconds later. */
void cliff_later(struct cliff *c, int64_t passed_s);
/* There is a date where there was none, it is known better or differs from what
 * was told so long ago, or a quarter of the time has gone and it is not what it
 * was.
 */
bool cliff_is_news(const struct cliff *told, const struct cliff *now,
		   int64_t since_ns);

/* What is kept over a restart (kept.h). */
extern const struct kept cliff_kept, course_kept;

/* How often readings of a module come, which did not come, which cannot be true
 * (a bit for each of the last ones), and how long they have been the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/ber.h"
#include "agent/signature/front.h"
#include "agent/signature/inputs.h"

struct kept;

#define LAST_KEPT 120u

/* The newest is bit 0 of the first; those that are over are forgotten. */
struct last {
	uint64_t bits[2];
	uint8_t count;			/* at most LAST_KEPT */
};

/* Readings of the module that were due, and those that were refused or did not
 * come.
 */
struct due {
	uint8_t all, failed;
};

/* What each reading looks at comes first. */
struct cadence {
	struct mono came;		/* the last one was taken, moved on by
					 * pauses since; ns 0: none */
	float usual_s;			/* between two */
	float others_s;			/* most modules were silent as long */
	uint32_t refused;		/* by the front end, so far */
	uint16_t told;			/* missed since the last one, so far */
	uint8_t missed_now;		/* found missing by the last look */
	uint8_t gaps;			/* that usual_s was learned from */
	struct last missed;		/* of those that were due */
	struct last bad;		/* of those that came: cannot be true */
	float early_s, late_s;		/* least and greatest age of a reading
					 * when it came, of late */
	bool unsound;			/* bad too often to trust any */
	struct due near, far;		/* near bursts, far from them */
	struct due moves;		/* readings, and those that differed
					 * from the one before */
	uint8_t same;			/* readings since the last that did, or
					 * more */
	struct mono burst;		/* codewords were last lost in bursts;
					 * ns 0: never */
	struct mono burst_first;	/* … and first, of the recent ones */
};

/* Another module: the old one's readings say nothing of it. */
static inline void cadence_swapped(struct cadence *c)
{
	c->near = c->far = c->moves = (struct due){ 0 };
	c->missed = c->bad = (struct last){ 0 };
	c->unsound = false;
	c->same = 0;
}

#define CADENCE_PERIODS_MOST 2	/* between two looks; else they paused */
#define BAD_LEAST 6u		/* of the last ones: a fault, no accident */
#define BAD_OVER 2u		/* fewer: the fault is over */

/* More that were due; the weight of older ones halves with time. */
void due_add(struct due *d, unsigned all, unsigned failed);
void last_add(struct last *l, bool bit);
unsigned last_set(const struct last *l);
static inline bool last_none(const struct last *l)
{
	return !(l->bits[0] | l->bits[1]);
}

static inline float cadence_seconds(int64_t ns)
{
	return (float)ns * 1e-9f;
}

/* Nothing of the module came, and its next reading is not due yet, as at most
 * readings of a port; a late source never makes it due earlier.
 */
static inline bool cadence_waits(const struct cadence *c,
				 const struct front *f, const struct inputs *k)
{
	return !k->dom_new && !k->dom_failed && !f->module_absent &&
	       f->dom_bad == c->refused &&
	       f->dt_ns <= CADENCE_PERIODS_MOST * f->period_ns &&
	       (!c->came.ns ||
		cadence_seconds(mono_diff_ns(f->t, c->came)) < c->usual_s);
}

/* Part of cadence_take(). */
void cadence_follow(struct cadence *c, const struct front *f,
		    const struct inputs *k, const struct ber *b,
		    int64_t age_ns, int64_t lag_ns, bool denied);

/* One reading of the port, with its errors. age_ns: how old the last readings
 * of most modules are, beyond the lag that they always have: a source may be
 * slow. denied: the light in the newest reading cannot be true.
 */
static inline void cadence_take(struct cadence *c, const struct front *f,
				const struct inputs *k, const struct ber *b,
				int64_t age_ns, int64_t lag_ns, bool denied)
{
	float age_s = cadence_seconds(age_ns);

	if (!cadence_waits(c, f, k) || (b->closed && b->lost_codewords > 0)) {
		cadence_follow(c, f, k, b, age_ns, lag_ns, denied);
		return;
	}
	c->missed_now = 0;
	if (age_s > c->others_s && c->came.ns && f->link == LINK_IS_UP)
		c->others_s = age_s;
}

/* So near in time that one thing may have done both. */
bool cadence_is_near(const struct cadence *c, struct mono then,
		     const struct front *f, const struct ber *b);
/* More than one recent window lost codewords in bursts. */
bool cadence_bursts(const struct cadence *c, struct mono now);
/* Share of the readings that were due. */
static inline float cadence_missed(const struct cadence *c)
{
	return last_none(&c->missed) || !c->missed.count ? 0 :
	       (float)last_set(&c->missed) / (float)c->missed.count;
}
/* Seconds since its readings changed last, or since it was read. */
float cadence_still_s(const struct cadence *c, struct mono now);
/* The monitors of the module stand still: its readings say nothing new. most_s:
 * seconds since those of most modules changed, NAN: not known.
 */
bool cadence_stands(const struct cadence *c, float most_s);

/* What is kept over a restart (kept.h). */
extern const struct kept cadence_kept, last_kept, due_kept;

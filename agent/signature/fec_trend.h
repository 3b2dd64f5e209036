/* What fec_trend.c keeps of a port; fec_trend_tell.c writes it into findings,
 * and reads it back from them.
 */
#pragma once

#include "agent/signature/cliff.h"
#include "agent/signature/detector.h"
#include "agent/signature/heat.h"
#include "agent/signature/hypothesis.h"
#include "agent/signature/settled.h"

enum rise { RISE_NONE, RISE_GREW, RISE_STEPPED };

struct fec_trend {
	struct course course;		/* of the growth under way */
	struct trend_ring drift;	/* slow growth, in 4 h slots */
	struct settled settled;
	struct cliff cliff;
	struct mono cliff_t;
	struct mono above_since;
	struct mono onset;
	struct mono spoke;		/* last; ns 0: never */
	uint16_t above, unsafe;		/* windows in a row */
	float before;			/* excess of the window before */
	float jump;			/* most in one window of this rise */
	float drift_rise;		/* decades; 0: none is significant */
	uint16_t hot;			/* windows in a row, by weight */
	bool no_heat;			/* it was as warm without such errors */
	float peak;			/* most of this finding, decades … */
	float swing_peak;		/* … when it last swung */
	uint8_t swings;			/* from near the peak to below half of
					 * it, and back */
	bool low;			/* it is below half of the peak */
	bool was_learned;		/* the level, a window ago */
	bool was_safe;			/* once, or the link came up bad */
	bool preexisting;
	uint8_t rise;			/* enum rise, of this finding */
	bool lit;			/* light was known before they rose */
	bool lost_again;		/* within the hour */
	struct mono lost;		/* codewords, last; ns 0: never */
	bool speaking;
	bool fell;			/* light fell too, and is not whole … */
	bool by_light;			/* … and makes all of the errors */
	bool steady;			/* light did not fall, surely */
	enum severity severity;
	struct naming naming;
	struct mono named_from;		/* readings from then on say why */
};

#define FEC_TREND_LOOKS 3u	/* at causes; fewer may be before one shows */

/* Frames lost within: they still are. */
#define FEC_TREND_LOST_NS (3600 * NS_PER_S)

static inline bool fec_trend_has_lost(const struct fec_trend *t,
				      const struct port_view *v)
{
	return t->lost.ns != 0 &&
	       mono_diff_ns(v->ber->t, t->lost) < FEC_TREND_LOST_NS;
}

/* The cliff has come when errors near it cost codewords, and not just once; it
 * is past when they cost none for an hour.
 */
static inline bool fec_trend_is_over_cliff(const struct fec_trend *t,
					   const struct port_view *v)
{
	return fec_trend_has_lost(t, v) && t->lost_again;
}

#define FEC_TREND_HARDLY 0.2	/* decades; less is no growth */

/* A level that was always near the last safe one is beyond it now, by hardly
 * any growth; light was read all the time.
 */
static inline bool fec_trend_hardly_grew(const struct fec_trend *t,
					 const struct port_view *v)
{
	const struct fec_code *code = v->ber->code;

	return t->lit && t->rise == RISE_NONE && t->drift_rise <= 0 &&
	       v->ber->baseline.mean < code->safe_log_ber &&
	       v->ber->residual.excess < FEC_TREND_HARDLY &&
	       v->ber->log_ber < (double)code->cliff_log_ber &&
	       v->light->readings >= LOSS_STANDS;
}

/* Of the cause, as far as it is sure; mine: the detector's. */
static inline enum signature fec_trend_name(const void *mine)
{
	return ((const struct fec_trend *)mine)->naming.name;
}

/* Does lost light make all of the errors? */
static inline bool fec_trend_is_by_light(const void *mine)
{
	return ((const struct fec_trend *)mine)->by_light;
}

/* Was their cause looked for, in enough readings since they grew? */
static inline bool fec_trend_looked(const void *mine)
{
	return ((const struct fec_trend *)mine)->naming.looks >=
	       FEC_TREND_LOOKS;
}

/* Errors of heat, and the module is that near its own limit, or above it. */
static inline bool fec_trend_is_over(const struct fec_trend *t,
				     const struct port_view *v, float near_c)
{
	return t->naming.name == SIGNATURE_THERMAL_FEC &&
	       v->front->temp_c >= heat_limit_c(v->facts) - near_c;
}

/* Less light than counts as lost makes so many errors, and was not read often
 * yet, or fell by about so much.
 */
bool fec_trend_may_be_small(const struct fec_trend *t,
			    const struct port_view *v,
			    const struct light_drop *drop);

/* The link is down by its errors, and stays so. */
bool fec_trend_took_down(const struct port_view *v);

/* The date from now: time passes between two looks at the course. */
void fec_trend_cliff(const struct fec_trend *t, const struct port_view *v,
		     struct cliff *ret);

/* Fills the cause, the end, the action and the evidence. */
void fec_trend_tell(const struct fec_trend *t, const struct port_view *v,
		    struct finding *f);

/* After a restart, takes the level that was normal before the fault from the
 * evidence; as restore() of struct detector.
 */
void fec_trend_recall(void *mine, struct ber *ber, const struct finding *f);

/* Growth from the level of one module to that of the next is none; as swapped()
 * of struct detector.
 */
void fec_trend_swapped(void *mine);

/* What is kept over a restart (kept.h). */
extern const struct kept fec_trend_kept;

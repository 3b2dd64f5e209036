/* The bit error ratio of one port before correction: windows of counted
 * errors, measured against the port's own baseline.
 *
 * Owns the window, the baseline and the two tests that every detector of
 * errors shares: a CUSUM of the residual, and an e-detector of the counts for
 * steps. Names no cause; the detectors do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/counter.h"
#include "agent/base/extreme.h"
#include "agent/signature/baseline.h"
#include "agent/signature/fec.h"
#include "agent/signature/front.h"
#include "agent/signature/histogram.h"
#include "agent/signature/port.h"
#include "agent/signature/trend.h"

struct kept;

#define BER_WINDOW_NS (10 * NS_PER_S)
#define LOG_BER_HARMLESS (-8.3)	/* whatever it was before */
#define BER_NEVER_MOVED UINT8_MAX	/* yet */
#define BER_LEARN_WINDOWS 9	/* until the residual counts */

/* Where errors are counted, best first. */
enum ber_source {
	BER_FROM_BITS, BER_FROM_SYMBOLS, BER_FROM_CODEWORDS,
	BER_FROM_MODULE,	/* the module's own gauge; the best for a
				 * coherent line: the switch counts only errors
				 * between it and the module */
	BER_SOURCE_COUNT,
};

/* What each reading looks at comes first, as it costs cache lines. */
struct ber {
	const struct fec_code *code;	/* of the source; NULL: nothing is
					 * counted */
	/* Of the switch's FEC, and of a line that ends in the module. */
	const struct fec_code *host, *line;
	double codewords_per_s;		/* 0: speed unknown */
	uint8_t source;			/* enum ber_source; kept, as all that
					 * follows unless ber.c says why not */
	/* Counters that a slow source has not read again stand still. */
	uint8_t stood;		/* … in so many readings, or more */
	uint8_t alike;		/* … so often as long as the time before */
	bool unsure;		/* … and it is not known since when */
	float anchored;			/* decades of the last window that an
					 * outage explains; else 0 */
	uint8_t source_missed;
	bool stalled;		/* a reading of unknown time came between */
	bool closed;			/* by the last reading */
	bool restarted;			/* counters did, in the last reading */
	bool accepted;			/* the level after an outage is normal
					 * as of the last window */
	bool loud;			/* CUSUM at its level */
	bool stepped;			/* e-detector at its level */
	uint8_t anchor_left;		/* windows, after an outage */
	struct counter errors, lost, clean, corrected;
	double sum_errors, sum_codewords, sum_lost;
	int64_t sum_ns;
	/* The window just closed, if one did. */
	struct mono t;			/* its end; ns INT64_MIN: none yet */
	double log_ber, bits;
	double codewords, lost_codewords;	/* sent; not corrected; of a
						 * bare port bits received, and
						 * frames with errors */
	int64_t window_ns;
	struct residual residual;
	uint32_t windows;		/* learned, for the start */
	float rise;			/* decades, the most in one window since
					 * the CUSUM stood at 0 */
	struct mono since;		/* onset of what the CUSUM sees; of a
					 * step, when it came */
	struct cusum cusum;
	struct ecount ecount;
	struct baseline baseline;
	struct mono rise_from;		/* when the window of rise began */
	float anchor_sum;
	float proven_c;			/* the warmest that it was with errors
					 * as usual; NAN */
	int64_t stood_ns;	/* they stand for so long, which belongs to the
				 * interval that they end when they move */
	uint8_t gap;		/* they stood in so many readings before they
				 * last moved by many; BER_NEVER_MOVED */
	/* No FEC of the port counts errors: they show in frames alone, and of
	 * the above only the codewords are set.
	 */
	bool is_bare;
	bool frames_closed;	/* a window of them, by the last reading */
	bool sum_bursty;	/* a reading lost codewords that its own errors
				 * do not explain */
	bool by_chance;		/* none did so in the window just closed */
	bool sum_shaken;	/* the window under way is of a link that falls
				 * before any is settled */
	uint8_t falls;		/* since a settled window closed */
	bool calm;		/* … and around them errors are too few to take
				 * it down */
	struct histogram histogram;
};

/* A new port, or one that counts differently from now on. */
void ber_start(struct ber *b, const struct port_facts *facts);
/* Another module or cable: learn anew, keep the counters. */
void ber_relearn(struct ber *b);

/* This level is normal from now on. */
void ber_accept(struct ber *b, double log_ber);

/* Is the port known to have no FEC, neither here nor in its module? Or one that
 * counts no errors: a frame that it does not correct is lost as well.
 */
static inline bool ber_is_bare(const struct port_facts *facts)
{
	return facts->fec == FEC_FC ||
	       (facts->fec == FEC_NONE && !fec_code_of_line(facts->media));
}

/* Wrong checksums are counted by themselves, not with wrong lengths. */
static inline bool ber_counts_checksums(const struct ber *b)
{
	return b->lost.has;
}

/* The next reading is the first of the counters. */
void ber_counters_cleared(struct ber *b);

/* Is it consistent after it was read back from memory? */
static inline bool ber_is_sound(const struct ber *b)
{
	bool has_since = b->since.ns != INT64_MIN &&
			 b->cusum.since.ns != INT64_MIN;

	return b->code && (has_since || (b->cusum.sum <= 0 && !b->loud));
}

/* A fault was mended: the level may be another one than before it, by as little
 * as after any outage.
 */
void ber_mended(struct ber *b);
/* After an outage, or that: not known yet whether the level is normal. */
static inline bool ber_anchors(const struct ber *b)
{
	return b->anchor_left > 0;
}

/* The level that the last window accepted is not normal after all: light is
 * worse, too. Nothing, where the errors hardly grew.
 */
void ber_refuse(struct ber *b, const struct front *f);

/* One reading. frozen: a finding of errors is open, nothing is learned. */
void ber_take(struct ber *b, const struct front *f, const struct inputs *k,
	      bool frozen);

/* Frames lost for each bit received, without FEC: more are many. RDMA slows
 * down by then: chosen. Fewer than so many frames may be chance.
 */
#define BER_FRAMES_MANY 1e-10
#define BER_FRAMES_SURE 10.0

#define BER_QUIET_DECADES 0.3	/* below the last safe level */

/* Part of ber_lost_in_bursts(): codewords were lost. */
bool ber_loss_is_of_bursts(const struct ber *b);

/* The window just closed lost codewords that errors by chance do not explain,
 * even if they were unevenly spread over it.
 */
static inline bool ber_lost_in_bursts(const struct ber *b)
{
	return b->closed && b->lost_codewords > 0 && ber_loss_is_of_bursts(b);
}

/* The window just closed is of a line that ends in the module: the sums are of
 * the switch's own FEC in that time, and its losses are none of the line unless
 * that is near its cliff.
 */
static inline bool ber_is_of_line(const struct ber *b)
{
	return b->source == BER_FROM_MODULE && b->line;
}

static inline bool ber_host_lost(const struct ber *b)
{
	return b->closed && b->sum_lost > 0 &&
	       b->log_ber + BER_QUIET_DECADES <= b->code->safe_log_ber;
}

/* The last window lost codewords, and had as many errors as that takes. */
static inline bool ber_lost_by_errors(const struct ber *b)
{
	return b->lost_codewords > 0 &&
	       b->log_ber > b->code->safe_log_ber - BER_QUIET_DECADES;
}

#define BER_EXCUSED 0.3		/* decades, whatever the level … */
#define BER_NEAR 1.0		/* below the last safe level */

/* Decades above normal that neither heat explains nor what most ports have in
 * common; near the cliff that excuses only little.
 */
static inline double ber_excess_over(const struct ber *b, double common)
{
	double own = b->residual.excess - b->residual.slack;
	double near = b->log_ber - b->code->safe_log_ber + BER_NEAR;

	return double_most(own - common,
			   double_least(own - BER_EXCUSED, near));
}

#define BER_PROVEN 0.3		/* decades above normal; less is as usual … */
#define BER_BEYOND 0.5		/* … and so many more are beyond that, or … */
#define BER_BEYOND_SDS 5.0	/* … so many deviations of their noise */
#define BER_WARMER_K 2.0f	/* less is as warm */

/* Many more errors than usual, and the module was as warm before without them:
 * that is no heat.
 */
static inline bool ber_denies_heat(const struct ber *b)
{
	const struct baseline *base = &b->baseline;
	double temp_c = (double)base->mean_temp_c + b->residual.heat_k;

	return temp_c < (double)(b->proven_c + BER_WARMER_K) &&
	       b->residual.excess > BER_PROVEN +
	       double_most(BER_BEYOND, BER_BEYOND_SDS * (double)base->spread);
}

/* The baseline is old enough for a verdict. */
static inline bool ber_learned(const struct ber *b)
{
	return b->windows >= BER_LEARN_WINDOWS;
}

/* --- what was counted in an interval (ber_steps.c) ----------------------- */

#define STEPS_ALIKE 2	/* twice as long as before: a slow source */
#define STEPS_GAP_PERIODS 10	/* a reading after so many is not a window */

struct steps {
	double errors, lost, clean, corrected;
	int64_t dt_ns;			/* of the errors */
	int64_t stood_ns;		/* part of it, in former readings */
	bool stepped, has_clean;	/* errors; codewords without any */
	bool unsure;			/* it is longer than that, perhaps */
	bool anew;			/* what seemed to be no errors until
					 * now was not read */
};

/* The step of one counter; false: it has none. */
bool steps_of(struct ber *b, struct counter *c, const struct inputs *k,
	      enum input f, double *ret);

/* The steps of the errors' counters, each by itself: not all are there, one
 * wraps, stands still or counts anew. False while the interval goes on.
 */
bool steps_take(struct ber *b, const struct front *f, const struct inputs *k,
		struct steps *ret);

/* For a port without FEC, or whose FEC counts nothing: takes received frames
 * and their errors into a window, which may end.
 */
void steps_take_frames(struct ber *b, const struct front *f,
		       const struct inputs *k);

/* Nothing is in the window so far. */
static inline void steps_restart(struct ber *b)
{
	b->sum_errors = b->sum_codewords = b->sum_lost = 0;
	b->sum_ns = 0;
	b->sum_bursty = false;
}

/* Codewords of the line in that time; 0: its rate is not known. */
static inline double steps_of_line(const struct ber *b, int64_t ns)
{
	return b->codewords_per_s * (double)ns / 1e9;
}

/* A clock that stepped forward looks like a gap; one that was set back looks
 * like an early reading, which matters where one reading makes a window.
 */
static inline bool steps_time_is_sound(const struct front *f)
{
	bool is_seldom = f->period_ns >= BER_WINDOW_NS;

	return f->period_ns <= 0 ||
	       (f->dt_ns <= STEPS_GAP_PERIODS * f->period_ns &&
		!(is_seldom && 2 * f->dt_ns < f->period_ns));
}

/* What is kept over a restart (kept.h). */
extern const struct kept ber_kept;

#include "agent/signature/cadence.h"

#include <math.h>

#include "agent/signature/kept.h"

#define GAPS_LEAST 4u		/* until it is known how often they come */
#define AGE_TIMES 2		/* times the age of most readings, in a gap */
#define GAP_MOST_S 86400.0f	/* rarer readings are a clock that stepped */
#define GAP_LONG 1.7f
#define GAP_SHORT 1.3f		/* … plus how much later they come at times */
#define AGE_SHARE (1.0f / 64)	/* weight of one reading in their ages */
#define LOOKS_LATE 2
#define NEAR_NS (60 * NS_PER_S)
#define BURSTS_NS (3600 * NS_PER_S)	/* at most apart, to belong together */
#define DUE_KEPT 120u		/* the older ones count half */
#define OVER_PAUSES 2u		/* times the longest pause of so many, … */
#define OVER_KNOWN 4u
#define OVER_MORE 10u		/* … and so many readings: it is over; twice as
				 * many with one stray, … */
#define OVER_STRAYS 3u		/* … fewer than so many */
#define OVER_S 900.0f		/* and so long */
#define MOVES_KNOWN 40u		/* readings, until it is known how often they
				 * differ; as many at most teach at once */
#define MOVES_MOST 0.75f	/* of them at most: they are not independent */
#define STILL_NATS 24.0f	/* once in 10^10 times by chance */
#define STILL_TIMES 4.0f	/* … and so many times as long as most */

unsigned last_set(const struct last *l)
{
	if (last_none(l))	/* as of nearly all ports */
		return 0;
	return (unsigned)(__builtin_popcountll(l->bits[0]) +
			  __builtin_popcountll(l->bits[1]));
}

/* They paused for so much longer than ever before that it is over, but for a
 * few strays. least: readings that this takes in any case.
 */
static bool last_is_over(const struct last *l, float least)
{
	unsigned all = last_set(l), n = 0, before = 0, longest = 0;

	for (unsigned i = LAST_KEPT; i-- > 0;) {
		if (!(l->bits[i / 64] >> i % 64 & 1))
			continue;
		if (n++ && before - i > longest)
			longest = before - i;
		before = i;
		if (n >= OVER_KNOWN && all - n < OVER_STRAYS &&
		    (float)i >= least && i > (all - n + 1) *
		    (OVER_PAUSES * longest + OVER_MORE))
			return true;
	}
	return false;
}

void last_add(struct last *l, bool bit)
{
	l->bits[1] = (l->bits[1] << 1 | l->bits[0] >> 63) &
		     ((UINT64_C(1) << (LAST_KEPT - 64)) - 1);
	l->bits[0] = l->bits[0] << 1 | bit;
	l->count += l->count < LAST_KEPT;
}

/* Readings as usual: what is over is forgotten. */
static void last_end(struct last *l, float usual_s)
{
	if (!last_none(l) && !(l->bits[0] & 1) && usual_s > 0 &&
	    last_is_over(l, OVER_S / usual_s))
		l->bits[0] = l->bits[1] = 0;
}

/* A gap with missed readings teaches little. Where more than one source reads a
 * module, its readings come at uneven times, and the longer gaps are as usual
 * as the shorter ones.
 */
static void gap_learn(struct cadence *c, float gap_s)
{
	float more = gap_s - c->usual_s;

	if (c->gaps < GAPS_LEAST)
		c->usual_s = fmaxf(c->usual_s, gap_s);
	else if (c->told == 0)
		c->usual_s += more / (more > 0 ? 8 : 16);
	else
		c->usual_s += (gap_s / (float)(c->told + 1) - c->usual_s) / 64;
	c->gaps += c->gaps < UINT8_MAX;
}

/* How old a reading is when it comes: when we look as often as the module is
 * read, it may be new, or nearly as old as the time between two readings.
 */
static void ages_learn(struct cadence *c, float age_s)
{
	float early = age_s - c->early_s, late = age_s - c->late_s;

	if (c->gaps == 0)
		c->early_s = c->late_s = age_s;
	c->early_s += early < 0 ? early : AGE_SHARE * early;
	c->late_s += late > 0 ? late : AGE_SHARE * late;
}

/* After so long a reading is missing. Between two that we saw there may have
 * been another one, which the next replaced before we looked again.
 */
static float patience_s(const struct cadence *c, float due_s)
{
	return fmaxf(GAP_LONG * due_s, GAP_SHORT * due_s +
		     fminf(c->late_s - c->early_s, c->usual_s));
}

/* How many more readings were due since the last one, and did not come. */
static unsigned missed_follow(struct cadence *c, float since_s, float age_s)
{
	float due_s = c->usual_s + AGE_TIMES * age_s, most_s;
	unsigned more = 0;

	/* While no module was read, no reading of this one was missed. */
	if (age_s > c->others_s)
		c->others_s = age_s;
	if (c->others_s > c->usual_s)
		since_s -= c->others_s - c->usual_s;
	if (since_s < due_s)	/* nearly always */
		return 0;
	most_s = patience_s(c, due_s);
	while (c->gaps >= GAPS_LEAST && c->told < LAST_KEPT &&
	       since_s > (float)c->told * due_s + most_s) {
		c->told++;
		more++;
		last_add(&c->missed, true);
	}
	return more;
}

static bool lanes_are_bad(const struct inputs *k)
{
	for (unsigned i = INPUT_LANE_READING_FAULTS;
	     i <= INPUT_LANE_READING_FAULTS_LAST; i++)
		if (inputs_has(k, i) && k->value[i])
			return true;
	return false;
}

/* Refused by the front end, reported bad by the driver, or denied by the
 * errors.
 */
static void bad_follow(struct cadence *c, const struct front *f,
		       const struct inputs *k, bool denied)
{
	const unsigned monitors = INPUT_READING_FAULTS + READING_OF_MONITORS;
	bool refused = f->dom_bad != c->refused;

	c->refused = f->dom_bad;
	if (!k->dom_new || f->module_absent)
		return;
	last_add(&c->bad, refused || denied || lanes_are_bad(k) ||
		 (inputs_has(k, monitors) && k->value[monitors]));
	last_end(&c->bad, c->usual_s);
	c->unsound = last_set(&c->bad) >= (c->unsound ? BAD_OVER : BAD_LEAST);
}

bool cadence_is_near(const struct cadence *c, struct mono then,
		     const struct front *f, const struct ber *b)
{
	int64_t near_ns = NEAR_NS + 2 * b->window_ns +
			  (int64_t)(2 * c->usual_s * (float)NS_PER_S);

	return mono_diff_ns(f->t, then) < near_ns;
}

void due_add(struct due *d, unsigned all, unsigned failed)
{
	all += d->all;
	failed += d->failed;
	if (all > DUE_KEPT) {
		all /= 2;
		failed /= 2;
	}
	*d = (struct due){ (uint8_t)all, (uint8_t)failed };
}

/* How unlikely so many same readings are; 0 also where it is not known how
 * often they differ. -ln(1 - x) is x + x^2 / 2 at least.
 */
static float still_nats(const struct cadence *c)
{
	float share;

	if (c->moves.all < MOVES_KNOWN)
		return 0;
	share = (float)c->moves.failed / (float)c->moves.all;
	share = share < MOVES_MOST ? share : MOVES_MOST;
	return (float)c->same * share * (1 + share / 2);
}

/* Readings with noise differ from one to the next. How often is learned when
 * one differs; those during which the monitors stood still teach nothing.
 */
static void still_follow(struct cadence *c, const struct front *f,
			 const struct inputs *k)
{
	if (!k->dom_new || f->module_absent)
		return;
	if (f->dom_same) {
		c->same += c->same < UINT8_MAX;
		return;
	}
	if (still_nats(c) < STILL_NATS)
		due_add(&c->moves, 1 + (c->same < MOVES_KNOWN ? c->same :
							      MOVES_KNOWN), 1);
	c->same = 0;
}

float cadence_still_s(const struct cadence *c, struct mono now)
{
	return (float)c->same * c->usual_s +
	       cadence_seconds(mono_diff_ns(now, c->came));
}

bool cadence_stands(const struct cadence *c, float most_s)
{
	return c->same && still_nats(c) > STILL_NATS &&
	       cadence_still_s(c, c->came) > STILL_TIMES * most_s;
}

/* No reading was due while the port itself was not looked at. */
static void pause_skip(struct cadence *c, const struct front *f)
{
	int64_t pause_ns = f->dt_ns - CADENCE_PERIODS_MOST * f->period_ns;

	if (c->came.ns && pause_ns > 0)
		c->came.ns += pause_ns;
}

/* It was read, as before, but none of its monitors came; a module that another
 * one replaced may have none.
 */
static bool is_failed(const struct cadence *c, const struct front *f,
		      const struct inputs *k)
{
	return k->dom_failed && c->came.ns && !f->awaits_new;
}

/* Returns how many more were missed. */
static unsigned looks_follow(struct cadence *c, const struct front *f,
			     const struct inputs *k, int64_t age_ns,
			     int64_t lag_ns)
{
	bool tried = k->dom_new || is_failed(c, f, k);
	struct mono t = tried ? k->dom_t : f->t;
	float since_s = cadence_seconds(mono_diff_ns(t, c->came));
	float age_s = cadence_seconds(age_ns);
	unsigned more = 0;

	/* The next reading may have been taken, and not be here yet. */
	if (!tried)
		since_s -= cadence_seconds(LOOKS_LATE * f->period_ns + lag_ns);
	if (f->module_absent) {
		c->came.ns = 0;
		c->gaps = 0;
		c->usual_s = 0;
		return 0;
	}
	if (c->came.ns && f->link == LINK_IS_UP)
		more = missed_follow(c, since_s, age_s);
	if (!tried)
		return more;
	ages_learn(c, cadence_seconds(mono_diff_ns(f->t, t)));
	if (c->came.ns && since_s > 0)	/* not read in a pause */
		gap_learn(c, fminf(since_s, GAP_MOST_S));
	if (k->dom_new || f->link == LINK_IS_UP) {
		last_add(&c->missed, !k->dom_new);
		last_end(&c->missed, c->usual_s);
		more += !k->dom_new;
	}
	c->came = k->dom_t;
	c->told = 0;
	c->others_s = 0;
	return more;
}

void cadence_follow(struct cadence *c, const struct front *f,
		    const struct inputs *k, const struct ber *b,
		    int64_t age_ns, int64_t lag_ns, bool denied)
{
	unsigned refused = f->dom_bad != c->refused, missed;
	bool is_burst = b->closed && ber_lost_in_bursts(b);
	bool is_near = is_burst || (c->burst.ns &&
				    cadence_is_near(c, c->burst, f, b));

	bad_follow(c, f, k, denied);
	still_follow(c, f, k);
	pause_skip(c, f);
	missed = looks_follow(c, f, k, age_ns, lag_ns);
	c->missed_now = (uint8_t)missed;
	if (k->dom_new || refused || missed)
		due_add(is_near ? &c->near : &c->far, k->dom_new + missed,
			refused + missed);
	if (!is_burst)
		return;
	if (!c->burst.ns || mono_diff_ns(b->t, c->burst) > BURSTS_NS)
		c->burst_first = b->t;
	c->burst = b->t;
}

bool cadence_bursts(const struct cadence *c, struct mono now)
{
	return c->burst.ns > c->burst_first.ns &&
	       mono_diff_ns(now, c->burst) < BURSTS_NS;
}

static const struct kept_field last_fields[] = {
	KEEP_ALL(struct last, bits),
	KEEP_TO(struct last, count, LAST_KEPT),
};

const struct kept last_kept =
	KEPT_TABLE(struct last, "last", last_fields);

static const struct kept_field due_fields[] = {
	KEEP(struct due, all),
	KEEP(struct due, failed),
};

const struct kept due_kept =
	KEPT_TABLE(struct due, "due", due_fields);

static const struct kept_field cadence_fields[] = {
	KEEP_PART(struct cadence, missed, last_kept),
	KEEP_PART(struct cadence, bad, last_kept),
	KEEP(struct cadence, refused),
	KEEP(struct cadence, unsound),
	KEEP_TO(struct cadence, usual_s, GAP_MOST_S),
	KEEP(struct cadence, gaps),
	KEEP_TO(struct cadence, told, LAST_KEPT),
	KEEP(struct cadence, others_s),
	KEEP(struct cadence, early_s),
	KEEP(struct cadence, late_s),
	KEEP_LOOK(struct cadence, came, false),
	KEEP(struct cadence, burst),
	KEEP(struct cadence, burst_first),
	KEEP_PART(struct cadence, near, due_kept),
	KEEP_PART(struct cadence, far, due_kept),
	KEEP_PART(struct cadence, moves, due_kept),
	KEEP(struct cadence, same),
	KEEP_NOT(struct cadence, missed_now, "the next look says it anew"),
};

const struct kept cadence_kept =
	KEPT_TABLE(struct cadence, "cadence", cadence_fields);

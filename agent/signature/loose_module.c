/* loose_module: errors jump for some seconds and end by themselves, more than
 * once: a contact that moves. It loses codewords at once; what hunts, wanders
 * or tunes itself makes errors that FEC corrects. One jump is enough if a
 * reading of the module fails at the same moment.
 *
 * Or codewords are lost in bursts too short to show in the mean, and during
 * bursts readings of the module fail more often than otherwise, or the link
 * falls because of the received signal: one contact carries all of these.
 *
 * Or as many codewords are lost as come in microseconds or more, now and then:
 * contacts are tested for openings of one microsecond (EIA-364-46), and a burst
 * that an equaliser or a clock makes seldom lasts longer.
 *
 * Or the link falls again and again because of the received signal, and
 * readings of the module fail while it is up: the module is not latched. Or it
 * falls again and again because the module gives no signal, which is not for
 * want of light; or as the module is out of its cage for a moment, in which
 * nobody can take it out.
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/base/extreme.h"
#include "agent/signature/kept.h"

#define JUMP_DECADES 1.0
#define JUMP_HARMLESS 1.3	/* … where it does no harm */
#define JUMP_GREAT 4.0
#define CLIFF_NEAR 1.0			/* decades below it */
#define BURST_PARTS 3		/* one in so many errors: it is a burst */
#define OVER_DECADES 0.3	/* below: the jump has ended */
#define JUMP_WINDOWS 3u		/* longer is no jump */
#define LEVEL_STEP 0.1		/* decades a window that a level moves */
#define OPEN_PARTS 7u		/* at most one in so many windows since the
				 * first jump is in a jump */
#define JUMPS_KEPT 4u
#define JUMPS_LEAST 2u
#define APART_NS (30 * NS_PER_S)	/* closer jumps are the same one */
#define WITHIN_NS (1500 * NS_PER_S)
#define WITHIN_SLOW_NS (4 * 3600 * NS_PER_S)	/* readings of a minute */
#define BURSTS_NS (3600 * NS_PER_S)	/* they are told for so long at least */
#define SLOW_NS (25 * NS_PER_S)	/* one in 30 s may come a little early */
#define TOUCH_NS (60 * NS_PER_S)	/* a failed reading so near belongs */

#define FAILED_LEAST 3u		/* readings, near bursts … */
#define FAILED_SHARE 0.04f	/* … and of those that were due there … */
#define FAILED_TIMES 4.0f	/* … more often than far from them */
#define FALLS_LEAST 2u
#define OPEN_SHARE 1e-6		/* of a window's codewords lost: openings of 10
				 * us in 10 s … */
#define OPENS_LEAST 2u		/* … in so many windows, and in most of those
				 * with losses, … */
#define OPENS_PARTS 2u		/* … and at most one in so many */
#define SLIPS_LEAST 3u		/* falls, where readings fail without bursts */
#define UNHEARD_LEAST 2u	/* … of these, for want of a signal */
#define BLINKS_LEAST 2u		/* … or as the module was out for a moment */
#define SLIPS_NS (4 * 3600 * NS_PER_S)	/* apart at most */
#define SLIPS_GAPS 4u		/* in its readings: one may be the source's */
#define SLIPS_SHARE 0.1f	/* so many more fail than of most modules */
#define BURSTS_AGAIN 3u		/* after so many, more are expected … */
#define AGAIN_NS (3600 * NS_PER_S)	/* … within the hour; then they are for
					 * as long as they are told */
#define KNOWN_NS (86400 * NS_PER_S)	/* a contact stays known as bad */

struct loose_module {
	struct mono burst, bursts_from;	/* the last; the first recent one */
	struct mono spoke;		/* last told of bursts; ns INT64_MIN */
	uint16_t told;			/* last value of cadence's */
	uint8_t falls;			/* near bursts */
	uint8_t slips;			/* recent falls, near bursts or not */
	uint8_t reasons;		/* … those with a reason … */
	uint8_t unheard;		/* … and those for want of a signal */
	bool no_signal;			/* the present fall is one */
	uint8_t blinks;			/* … and those as the module was out of
					 * its cage for a moment */
	struct mono slipped, slips_from;	/* the last; the first */
	struct due slips_due;		/* readings since, while the link was
					 * and stayed up … */
	uint8_t gaps;			/* … and gaps among them */
	bool is_gap;			/* one is under way */
	uint16_t bursts;
	uint16_t opens, opens_all;	/* windows with openings; all since the
					 * first of them … */
	float opened_s;			/* … and how long the line takes for as
					 * many codewords as one lost */
	struct mono jump[JUMPS_KEPT];	/* when each began; ns INT64_MIN */
	struct mono failed;		/* last failed reading of the module */
	uint32_t refused, jumps;	/* by the front end; in all */
	uint8_t windows;		/* of the jump under way */
	bool loses;			/* it lost codewords */
	uint8_t losses;			/* a bit for each jump: it did */
	bool touched;			/* a failed reading came with a jump */
	bool jumped;			/* jumps are told: they need not lose */
	uint16_t high, all;	/* windows since the first recent jump: those
				 * that are not quiet, and all */
	float highest;			/* decades, of the last jump */
	float level;			/* errors between jumps, decades above
					 * normal: by another fault */
	enum severity severity;
};

static void loose_start(void *mine, const struct port_facts *facts)
{
	struct loose_module *l = mine;

	(void)facts;
	for (unsigned i = 0; i < JUMPS_KEPT; i++)
		l->jump[i].ns = INT64_MIN;
	l->failed.ns = l->burst.ns = l->spoke.ns = INT64_MIN;
	l->slipped.ns = INT64_MIN;
}

static void jump_note(struct loose_module *l, struct mono began)
{
	struct mono *last = &l->jump[JUMPS_KEPT - 1];

	if (last->ns != INT64_MIN && mono_diff_ns(began, *last) < APART_NS) {
		l->losses |= (uint8_t)(l->loses << (JUMPS_KEPT - 1));
		return;
	}
	for (unsigned i = 1; i < JUMPS_KEPT; i++)
		l->jump[i - 1] = l->jump[i];
	*last = began;
	l->losses = (uint8_t)(l->losses >> 1 | l->loses << (JUMPS_KEPT - 1));
	l->jumps++;
	l->touched |= l->failed.ns != INT64_MIN &&
		      mono_diff_ns(began, l->failed) < TOUCH_NS;
}

/* Follows the level between jumps; a rise that stays is no jump but a level. */
static void level_follow(struct loose_module *l, double excess)
{
	double most = l->windows > JUMP_WINDOWS ? excess : LEVEL_STEP;

	l->level += (float)double_least(double_most(excess, -LEVEL_STEP),
				       most);
	if (l->level < 0)
		l->level = 0;
}

/* Light was lost, and comes and goes: its cause makes the errors, not a contact
 * of the module.
 */
static bool light_moves(const struct light *light)
{
	struct light_drop drop;

	light_drop(light, &drop);
	return drop.lanes && (drop.stood < LOSS_STANDS ||
			      drop.shaky > LIGHT_SHAKY);
}

/* The window's errors are mostly in codewords lost within microseconds: no
 * contact was open for a while.
 */
static bool is_burst(const struct ber *b)
{
	return ber_lost_in_bursts(b) && BURST_PARTS * b->lost_codewords *
	       (b->code->correctable + 1) > b->bits;
}

/* Codewords were lost in the window, or nobody counts them; or the mean jumped
 * from next to nothing to where they are lost soon.
 */
static bool window_loses(const struct port_view *v, double excess)
{
	const struct ber *b = v->ber;

	return b->lost_codewords > 0 ||
	       !inputs_has(v->tick, INPUT_FEC_UNCORRECTABLE_CW) ||
	       (excess > JUMP_GREAT &&
		b->log_ber > (double)b->code->cliff_log_ber - CLIFF_NEAR);
}

/* One window of the errors. */
static void window_take(struct loose_module *l, const struct port_view *v)
{
	const struct ber *b = v->ber;
	double excess = b->residual.excess - (double)l->level;
	double least = b->log_ber > LOG_BER_HARMLESS ? JUMP_DECADES :
						       JUMP_HARMLESS;

	l->all += l->all < UINT16_MAX;
	l->high += excess > OVER_DECADES && l->high < UINT16_MAX;
	if (is_burst(b))
		return;
	if (excess > least) {
		l->loses = (l->windows > 0 && l->loses) ||
			   window_loses(v, excess);
		l->windows += l->windows < UINT8_MAX;
		if (l->windows <= JUMP_WINDOWS && light_moves(v->light))
			l->windows = JUMP_WINDOWS + 1;	/* no jump */
		l->highest = (float)excess;
		if (l->windows > JUMP_WINDOWS)
			level_follow(l, excess);
		return;
	}
	if (l->windows > 0 && l->windows <= JUMP_WINDOWS &&
	    excess < OVER_DECADES)
		jump_note(l, (struct mono){ b->t.ns -
				(l->windows + 1) * b->window_ns });
	if (excess < OVER_DECADES)
		l->windows = 0;
	level_follow(l, excess);
}

static int64_t within_ns(const struct ber *b)
{
	return b->window_ns >= SLOW_NS ? WITHIN_SLOW_NS : WITHIN_NS;
}

static unsigned jumps_of_late(const struct loose_module *l,
			      const struct ber *b, struct mono now)
{
	struct mono last = l->jump[JUMPS_KEPT - 1];
	int64_t most_ns = within_ns(b);
	unsigned n = 0;

	if (l->losses && most_ns < BURSTS_NS)
		most_ns = BURSTS_NS;	/* as long as the loss is told */
	if (last.ns == INT64_MIN || mono_diff_ns(now, last) >= most_ns)
		return 0;
	for (unsigned i = 0; i < JUMPS_KEPT; i++)
		n += l->jump[i].ns != INT64_MIN &&
		     mono_diff_ns(last, l->jump[i]) < within_ns(b);
	return n;
}

/* Codewords were lost in most of the jumps of late. */
static bool jumps_lose(const struct loose_module *l, unsigned jumps)
{
	unsigned n = 0;

	for (unsigned i = JUMPS_KEPT - jumps; i < JUMPS_KEPT; i++)
		n += l->losses >> i & 1;
	return n > 0 && 2 * n >= jumps;
}

static bool loose_spells(const void *mine, const struct ber *b,
			 struct mono now, struct mono *ret_last)
{
	const struct loose_module *l = mine;

	if (jumps_of_late(l, b, now) < JUMPS_LEAST)
		return false;
	*ret_last = l->jump[JUMPS_KEPT - 1];
	return true;
}

static bool bursts_go_on(const struct loose_module *l,
			 const struct port_view *v)
{
	int64_t most_ns = within_ns(v->ber);

	if (most_ns < BURSTS_NS)
		most_ns = BURSTS_NS;
	return l->burst.ns != INT64_MIN &&
	       mono_diff_ns(v->front->t, l->burst) < most_ns;
}

/* Readings of the module that were refused, or did not come. */
static void readings_follow(struct loose_module *l, const struct port_view *v)
{
	if (v->front->dom_bad != l->refused || v->cadence->told > l->told)
		l->failed = v->front->t;
	l->refused = v->front->dom_bad;
	l->told = v->cadence->told;
}

/* The link fell because the received signal is bad, though there is light. */
static bool fell_here(const struct port_view *v)
{
	enum down_reason reason = v->front->drops && !v->front->admin_down ?
				  inputs_down_reason(v->tick) : DOWN_UNKNOWN;

	return reason == DOWN_FEC_SYNC_LOSS || reason == DOWN_HIGH_SER ||
	       reason == DOWN_FEC_ALIGNMENT_LOSS || reason == DOWN_HIGH_BER ||
	       reason == DOWN_CODE_GROUP || reason == DOWN_SIGNAL_LOCAL;
}

/* The window lost so many codewords that none came through for a while. */
static bool is_opening(const struct port_view *v)
{
	const struct ber *b = v->ber;

	return ber_lost_in_bursts(b) &&
	       b->lost_codewords > OPEN_SHARE * b->codewords &&
	       !light_moves(v->light);
}

/* How long the line takes for the codewords that the window lost. */
static float lost_s(const struct ber *b)
{
	return (float)(b->lost_codewords / b->codewords *
		       (double)b->window_ns / NS_PER_S);
}

/* Many ports lost codewords then. Those that are read later in the same tick
 * show that only at this port's next reading.
 */
static void burst_take_back(struct loose_module *l, const struct port_view *v)
{
	if (!v->bursts_together || l->burst.ns == INT64_MIN ||
	    l->burst.ns != v->cadence->burst.ns)
		return;
	l->bursts -= l->bursts > 0;
	l->opens -= l->opens > 0;
	l->burst.ns = l->bursts ? l->burst.ns - 1 : INT64_MIN;
}

static void bursts_follow(struct loose_module *l, const struct port_view *v)
{
	if (!bursts_go_on(l, v)) {
		l->bursts_from = v->front->t;
		l->bursts = 0;
		l->falls = 0;
		l->opens = l->opens_all = 0;
		l->opened_s = 0;
		l->burst.ns = INT64_MIN;	/* windows may become longer */
	}
	if (fell_here(v))
		l->falls += bursts_go_on(l, v) && l->falls < UINT8_MAX &&
			    cadence_is_near(v->cadence, l->burst, v->front,
					    v->ber);
	l->opens_all += v->ber->closed && (l->opens || is_opening(v)) &&
			l->opens_all < UINT16_MAX;
	if (!v->ber->closed || !ber_lost_in_bursts(v->ber))
		return;
	l->burst = v->ber->t;
	l->bursts += l->bursts < UINT16_MAX;
	if (!is_opening(v))
		return;
	l->opens += l->opens < UINT16_MAX;
	l->opened_s = fmaxf(l->opened_s, lost_s(v->ber));
}

/* What the former contact did counts no more, but that it was bad is known. */
static void contact_forget(struct loose_module *l)
{
	l->burst.ns = l->slipped.ns = INT64_MIN;
	l->slips = l->blinks = 0;
	l->no_signal = false;
	for (unsigned i = 0; i < JUMPS_KEPT; i++)
		l->jump[i].ns = INT64_MIN;
}

/* It did not fall by work or by the far end; the reason may not be known. */
static bool fell_of_itself(const struct port_view *v)
{
	return fell_here(v) || (v->front->drops && !v->front->admin_down &&
				!v->site->context && (v->front->module_absent ||
				inputs_down_reason(v->tick) == DOWN_UNKNOWN));
}

/* Counts readings of the module that came or were due. */
static void slips_due_follow(struct loose_module *l, const struct port_view *v)
{
	unsigned missed = v->cadence->missed_now;

	due_add(&l->slips_due, v->tick->dom_new + missed, missed);
	l->is_gap |= missed > 0;
	if (!v->tick->dom_new)
		return;
	l->gaps += l->is_gap && l->gaps < UINT8_MAX;
	l->is_gap = false;
}

/* Other links fell with it. Those that are read later in the same tick show
 * that only at this port's next reading.
 */
static void slip_take_back(struct loose_module *l, const struct port_view *v)
{
	if (l->slips == 0 || v->front->link != LINK_IS_DOWN ||
	    v->fell_together <= 1 ||
	    l->slipped.ns != v->front->down_since.ns)
		return;
	l->slips--;
	l->no_signal = false;
	l->slipped.ns = l->slips ? l->slipped.ns - 1 : INT64_MIN;
}

static void slips_follow(struct loose_module *l, const struct port_view *v)
{
	enum down_reason reason;

	slip_take_back(l, v);
	l->blinks += v->front->blinked && l->slips > l->blinks &&
		     v->front->down_since.ns > v->front->out_from.ns;
	if (l->slipped.ns != INT64_MIN &&
	    mono_diff_ns(v->front->t, l->slipped) > SLIPS_NS) {
		l->slipped.ns = INT64_MIN;
		l->slips = 0;
	}
	/* A reading that fails as the link falls may fail with it. */
	if (l->slips > 0 && v->front->link == LINK_IS_UP && !v->front->drops &&
	    !v->front->rose)
		slips_due_follow(l, v);
	if (!fell_of_itself(v) || v->fell_together > 1)
		return;
	if (l->slips == 0) {
		l->slips_from = v->front->t;
		l->slips_due = (struct due){ 0, 0 };
		l->gaps = 0;
		l->unheard = l->reasons = l->blinks = 0;
	}
	l->slips += l->slips < UINT8_MAX;
	l->slipped = v->front->t;
	reason = inputs_down_reason(v->tick);
	l->reasons += reason != DOWN_UNKNOWN && l->reasons < UINT8_MAX;
	l->no_signal = reason == DOWN_SIGNAL_LOCAL;
}

/* Counts falls for want of a signal when they are over: while the link is down
 * the module may be read, and may show that it gets no light.
 */
static void unheard_follow(struct loose_module *l, const struct port_view *v)
{
	if (v->front->link != LINK_IS_UP) {
		l->no_signal &= v->front->far_light != FAR_LIGHT_NONE;
		return;
	}
	l->unheard += l->no_signal && l->unheard < UINT8_MAX;
	l->no_signal = false;
}

/* The link falls as the module is out for a moment, or readings fail while the
 * link is up.
 */
static bool is_unlatched(const struct loose_module *l,
			 const struct port_view *v)
{
	const struct due *up = &l->slips_due;

	return l->blinks >= BLINKS_LEAST ||
	       (l->slips >= SLIPS_LEAST && l->gaps >= SLIPS_GAPS &&
		(float)up->failed > (fmaxf(v->site->missed, 0) + SLIPS_SHARE) *
				    (float)up->all);
}

/* The link falls for want of a signal from the module. Short falls between two
 * readings have no reason.
 */
static bool is_unheard(const struct loose_module *l)
{
	return l->slips >= SLIPS_LEAST && l->unheard >= UNHEARD_LEAST &&
	       2 * l->unheard > l->reasons;
}

/* Readings fail more often near bursts. */
static bool readings_fail_with(const struct cadence *c)
{
	float near = (float)c->near.failed / (float)(c->near.all + 1);
	float far = (float)(c->far.failed + 1) / (float)(c->far.all + 2);

	return c->near.failed >= FAILED_LEAST && near > FAILED_SHARE &&
	       near > FAILED_TIMES * far;
}

/* A contact opens for moments: errors half of the time are something else. */
static bool is_seldom(const struct loose_module *l)
{
	return l->high * OPEN_PARTS <= l->all;
}

static bool has_jumped(const struct loose_module *l, unsigned jumps)
{
	return (jumps >= JUMPS_LEAST && is_seldom(l) &&
		(l->jumped || jumps_lose(l, jumps))) ||
	       (jumps > 0 && l->touched);
}

/* Bursts that come again within KNOWN_NS are by the same contact. */
static bool is_known(const struct loose_module *l, const struct port_view *v)
{
	return l->spoke.ns != INT64_MIN &&
	       mono_diff_ns(v->front->t, l->spoke) < KNOWN_NS;
}

static bool opens(const struct loose_module *l)
{
	return l->opens >= OPENS_LEAST && 2 * l->opens >= l->bursts &&
	       l->opens * OPENS_PARTS <= l->opens_all;
}

/* Bursts with failed readings, or with falls, have one contact in common. */
static bool breaks(const struct loose_module *l, const struct port_view *v)
{
	return bursts_go_on(l, v) &&
	       (l->falls >= FALLS_LEAST || readings_fail_with(v->cadence) ||
		opens(l) || is_known(l, v));
}

/* Once more bursts are expected they are until they are no longer told. */
static bool are_expected(const struct loose_module *l,
			 const struct port_view *v)
{
	return l->bursts >= BURSTS_AGAIN &&
	       (l->severity == SEVERITY_CRITICAL ||
		mono_diff_ns(v->front->t, l->burst) < AGAIN_NS);
}

static enum severity loose_judge(void *mine, const struct port_view *v)
{
	struct loose_module *l = mine;
	enum severity breaking;
	unsigned n;

	if (front_reseated(v->front))
		contact_forget(l);
	readings_follow(l, v);
	bursts_follow(l, v);
	burst_take_back(l, v);
	slips_follow(l, v);
	unheard_follow(l, v);
	if (v->ber->closed && ber_learned(v->ber))
		window_take(l, v);
	n = jumps_of_late(l, v->ber, v->front->t);
	if (n == 0) {
		l->touched = false;
		l->high = l->all = 0;
	}
	breaking = !breaks(l, v) ? SEVERITY_NONE :
		   are_expected(l, v) ? SEVERITY_CRITICAL : SEVERITY_WARN;
	l->jumped = has_jumped(l, n);
	l->severity = l->jumped || is_unlatched(l, v) ||
		      is_unheard(l) ? SEVERITY_WARN : SEVERITY_NONE;
	if (breaking > l->severity)
		l->severity = breaking;
	if (breaking && !is_known(l, v))
		l->spoke = v->front->t;
	return l->severity;
}

/* Recent jumps and falls expire with time. */
static bool loose_waits(const void *mine)
{
	const struct loose_module *l = mine;

	return l->all > 0 || l->slips > 0;
}

/* Signal may have come, only bad: what is known is how much of it was lost. */
static void opened_tell(const struct loose_module *l, char *ret, size_t cap)
{
	static const struct {
		double s;
		const char *word;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } };
	unsigned i = 0;
	double take;

	while (i < 2 && (double)l->opened_s < units[i].s)
		i++;
	take = (double)l->opened_s / units[i].s;
	(void)snprintf(ret, cap, "as many in one as come in %.*f %s",
		       take < 9.95, take, units[i].word);
}

static void bursts_tell(const struct loose_module *l, const struct cadence *c,
			struct finding *f)
{
	bool fails = readings_fail_with(c);
	char opened[64] = "as when the bad contact was found";

	if (opens(l))
		opened_tell(l, opened, sizeof(opened));

	f->confidence = fails ? 0.9f : 0.8f;
	f->onset = l->bursts_from;
	(void)snprintf(f->cause, sizeof(f->cause), "codewords were lost in %u "
		       "burst%s, %s%s%s: bad contact of the module",
		       l->bursts, l->bursts == 1 ? "" : "s",
		       fails ? "and readings of the module failed then" : "",
		       fails && l->falls ? ", " : "",
		       l->falls ? "and the link fell then" :
		       fails ? "" : opened);
	evidence_add(f, "bursts", l->bursts);
	evidence_add(f, "windows_with_openings", l->opens);
	evidence_add(f, "readings_failed_then", c->near.failed);
	evidence_add(f, "falls_then", l->falls);
}

static void slips_tell(const struct loose_module *l, const struct port_view *v,
		       struct finding *f)
{
	f->confidence = 0.85f;
	f->onset = l->slips_from;
	evidence_add(f, "falls", l->slips);
	if (l->blinks >= BLINKS_LEAST) {
		(void)snprintf(f->cause, sizeof(f->cause), "the link fell %u "
			       "times, %u of them as the module was out of its "
			       "cage for a moment: it is not latched, or its "
			       "contact is bad", l->slips, l->blinks);
		return;
	}
	if (!is_unlatched(l, v)) {
		(void)snprintf(f->cause, sizeof(f->cause), "the link fell %u "
			       "times, %u of them because the module gave no "
			       "signal, not for want of light: bad contact of "
			       "the module", l->slips, l->unheard);
		return;
	}
	(void)snprintf(f->cause, sizeof(f->cause), "the link fell %u times, "
		       "and %u of %u readings of the module failed while it "
		       "was up: the module is not latched, or its contact is "
		       "bad", l->slips, l->slips_due.failed, l->slips_due.all);
	evidence_add(f, "readings_missed", l->slips_due.failed);
}

static void loose_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct loose_module *l = mine;
	unsigned n = jumps_of_late(l, v->ber, v->front->t);

	f->end = END_NEAR;
	f->action = ACTION_RESEAT_NEAR;
	f->cause_id = CAUSE_BAD_CONTACT;
	f->drain = DRAIN_ADVISE;
	if (!has_jumped(l, n)) {
		if (breaks(l, v))
			bursts_tell(l, v->cadence, f);
		else
			slips_tell(l, v, f);
		return;
	}
	f->confidence = l->touched ? 0.9f : 0.8f;
	f->onset = n > 0 ? l->jump[JUMPS_KEPT - n] : v->front->t;
	(void)snprintf(f->cause, sizeof(f->cause), "errors jumped %u times%s "
		       "and cleared by themselves%s: bad contact of the module",
		       n, n < JUMPS_KEPT ? "" : " or more",
		       l->touched ? ", and readings of the module failed" : "");
	evidence_add(f, "jumps", n);
	evidence_add(f, "jump_decades", l->highest);
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "no counter of corrected bits, symbols or codewords "
	  "at a known line rate was read", "FEC counters of the port" },
	{ NEED_BASELINE, false, "the baseline is still being learned",
	  "a few minutes of readings" },
};

static const struct kept_field loose_module_fields[] = {
	KEEP_OPT(struct loose_module, burst),
	KEEP_OPT(struct loose_module, bursts_from),
	KEEP_OPT(struct loose_module, spoke),
	KEEP(struct loose_module, told),
	KEEP(struct loose_module, falls),
	KEEP(struct loose_module, slips),
	KEEP(struct loose_module, reasons),
	KEEP(struct loose_module, unheard),
	KEEP(struct loose_module, no_signal),
	KEEP(struct loose_module, blinks),
	KEEP_OPT(struct loose_module, slipped),
	KEEP_OPT(struct loose_module, slips_from),
	KEEP_PART(struct loose_module, slips_due, due_kept),
	KEEP(struct loose_module, gaps),
	KEEP(struct loose_module, is_gap),
	KEEP(struct loose_module, bursts),
	KEEP(struct loose_module, opens),
	KEEP(struct loose_module, opens_all),
	KEEP(struct loose_module, opened_s),
	KEEP_ALL(struct loose_module, jump),
	KEEP(struct loose_module, losses),
	KEEP(struct loose_module, loses),
	KEEP_OPT(struct loose_module, failed),
	KEEP(struct loose_module, refused),
	KEEP(struct loose_module, jumps),
	KEEP(struct loose_module, windows),
	KEEP(struct loose_module, high),
	KEEP(struct loose_module, all),
	KEEP(struct loose_module, highest),
	KEEP(struct loose_module, level),
	KEEP(struct loose_module, touched),
	KEEP(struct loose_module, jumped),
	KEEP_TO(struct loose_module, severity, SEVERITY_COUNT - 1),
};

static const struct kept loose_module_kept =
	KEPT_TABLE(struct loose_module, "loose_module", loose_module_fields);

const struct detector loose_module_detector = {
	.signature = SIGNATURE_LOOSE_MODULE,
	.state_size = sizeof(struct loose_module),
	.kept = &loose_module_kept,
	.hold_ns = 900 * NS_PER_S,
	.of_link = true,
	.of_module = true,
	.wakes = WAKE_WINDOW | WAKE_MODULE | WAKE_LINK,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.start = loose_start,
	.judge = loose_judge,
	.describe = loose_describe,
	.waits = loose_waits,
	.spells = loose_spells,
};

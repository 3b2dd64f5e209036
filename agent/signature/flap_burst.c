/* flap_burst: the link falls again and again while its errors are quiet.
 *
 * A penalty after RFC 2439: 1000 for each fall, halved every five minutes. A
 * link that falls a few times a day never comes near that; its falls are
 * counted by a second one, halved every twelve hours, and are worth a look.
 * Falls of a link whose errors are loud, or whose light fell, are a symptom of
 * that fault: they wait for its finding, which tells them (ask.c); a fall that
 * takes other links down too (a reload, the power of a rack) is no flap. The
 * reason that the switch gives for most of them is told.
 */
#include "agent/signature/detector.h"

#include <stdio.h>
#include <string.h>

#include "agent/signature/folds.h"
#include "agent/signature/kept.h"
#include "agent/signature/measures.h"

#define PENALTY 1000.0
#define HALF_LIFE_S 300.0
#define RAISE 2000.0
#define SEVERE 6000.0
#define REUSE 750.0		/* below: over (RFC 2439, reuse threshold) */
#define FORGOTTEN 250.0		/* below: the next fall begins a burst */
#define PENALTY_MAX 12000.0
#define OFTEN_HALF_LIFE_S 43200.0	/* falls of the day: … */
#define OFTEN_APART_NS (300 * NS_PER_S)	/* closer ones are a burst */
#define OFTEN_RAISE 3.0f	/* … four in hours, or more in a day: UFM asks
				 * to look at two a day; chosen */
#define OFTEN_REUSE 1.5f	/* … and over within a day of the last */
#define OFTEN_MOST 5.0f
#define OFTEN_FORGOTTEN 0.25f
#define OFTEN_TOGETHER 3u	/* … are one fault, if other ports have them */
#define HOURS_FROM_NS (7200 * NS_PER_S)	/* from here on told in hours */
#define MINUTES_FROM_NS (600 * NS_PER_S)	/* … in minutes */
#define HELD_TIMES 6		/* the usual time between falls: over; by chance
				 * one of 400 is so long … */
#define HELD_LEAST_NS (3600 * NS_PER_S)	/* … and so long at least */
#define LAST_PARTS 2		/* of that, until it tells when it last fell */
#define HIGHER_DECADES 0.3	/* above normal: higher than usual */
#define WITH_OTHERS 4u		/* links that fell together: no flap of each */
#define LIGHT_READINGS 3	/* so long a burst waits for light to be read */
#define LIGHT_TOLD 6		/* … and until a loss of it is told */
#define ERRORS_TOLD_WINDOWS 24	/* and until errors are told: twice a step's */
#define REASONS_LEAST 2u	/* more falls by one reason than by others */
#define LOG10_2 0.30102999566398120

/* Errors between the falls: higher than usual; so many that they may take the
 * link down; and a finding of them tells so.
 */
enum { ERRORS_NORMAL, ERRORS_HIGHER, ERRORS_DROP, ERRORS_TOLD, ERRORS_COUNT };

struct flap_burst {
	float penalty, last;	/* last: what the last fall added to it */
	uint32_t falls;		/* since onset */
	float often;		/* falls, decayed by OFTEN_HALF_LIFE_S */
	struct mono t;		/* of the last fall, and of the penalty */
	struct mono onset;
	struct mono often_since;
	uint8_t severity;	/* enum severity */
	bool waits;		/* for light to be read */
	bool speaks_of_often;
	bool is_apart;		/* the last fall counted in often */
	uint16_t often_falls;	/* since often_since */
	uint8_t cage_ports;	/* that fell with it the last time, and it */
	uint8_t errors;		/* the most, since it counts */
	uint8_t reason;		/* enum down_reason, of most falls … */
	uint8_t reasons;	/* … so many more than of others */
	bool asks;		/* for the reason of the last one */
};

static double penalty_at(const struct flap_burst *b, struct mono t)
{
	double s = (double)mono_diff_ns(t, b->t) / 1e9;

	return b->penalty * fec_exp10(-s / HALF_LIFE_S * LOG10_2);
}

static float often_at(const struct flap_burst *b, struct mono t)
{
	double s = (double)mono_diff_ns(t, b->t) / 1e9;

	return b->often * (float)fec_exp10(-s / OFTEN_HALF_LIFE_S * LOG10_2);
}

/* Falls that are spread over a gap have decayed in part by its end. */
static double decayed_share(double gap_s)
{
	double halves = gap_s / HALF_LIFE_S;

	if (halves < 0.1)
		return 1;
	return (1 - fec_exp10(-halves * LOG10_2)) /
	       (halves * LOG10_2 * 2.302585);
}

/* A burst counts as one fall: the burst is told by itself. */
static void often_take(struct flap_burst *b, const struct front *f)
{
	float now = often_at(b, f->t);

	b->is_apart = now <= 0 ||
		      mono_diff_ns(f->t, b->t) >= OFTEN_APART_NS;
	if (!b->is_apart) {
		b->often = now;
		return;
	}
	if (now < OFTEN_FORGOTTEN) {
		b->often_since = f->t;
		b->often_falls = 0;
	}
	b->often = now + 1 < OFTEN_MOST ? now + 1 : OFTEN_MOST;
	b->often_falls += b->often_falls < UINT16_MAX;
}

static void falls_take(struct flap_burst *b, const struct front *f)
{
	double now = penalty_at(b, f->t);

	often_take(b, f);

	if (now < FORGOTTEN) {
		b->onset = f->t;
		b->falls = 0;
		if (b->often_falls <= 1) {
			b->errors = ERRORS_NORMAL;
			b->reasons = 0;
		}
	}
	b->last = (float)(PENALTY * decayed_share((double)f->dt_ns / 1e9));
	now += (double)b->last * f->drops;
	b->penalty = (float)(now < PENALTY_MAX ? now : PENALTY_MAX);
	b->falls += f->drops;
	b->t = f->t;
	b->asks = true;
}

/* The switch may give the reason a while after the fall; where it gives none,
 * the module may be read, and get no light.
 */
static void reason_take(struct flap_burst *b, const struct port_view *v)
{
	enum down_reason reason = inputs_down_reason(v->tick);

	b->asks &= v->front->link == LINK_IS_DOWN || v->front->drops;
	if (reason == DOWN_UNKNOWN && v->front->far_light == FAR_LIGHT_NONE)
		reason = DOWN_RX_LOS;
	if (!b->asks || !link_down_cause(v->facts, reason))
		return;
	b->asks = false;
	if (b->reasons == 0)
		b->reason = (uint8_t)reason;
	if (b->reason == reason)
		b->reasons += b->reasons < UINT8_MAX;
	else
		b->reasons--;
}

/* They had another cause, which is gone: a contact that was made anew, or what
 * another finding told.
 */
static void falls_forget(void *mine)
{
	struct flap_burst *b = mine;

	b->penalty = b->last = b->often = 0;
	b->falls = b->often_falls = 0;
	b->reasons = 0;
	b->severity = SEVERITY_NONE;
	b->speaks_of_often = false;
}

/* Other links fell with it. Those that are read later in the same tick show
 * that only at this port's next reading.
 */
static void fall_take_back(struct flap_burst *b, const struct port_view *v)
{
	if (v->front->link != LINK_IS_DOWN || v->fell_together < WITH_OTHERS ||
	    b->last <= 0 || b->falls == 0)
		return;
	b->penalty = b->penalty > b->last ? b->penalty - b->last : 0;
	b->falls--;
	b->last = 0;
	if (!b->is_apart)
		return;
	b->often = b->often > 1 ? b->often - 1 : 0;
	b->often_falls -= b->often_falls > 0;
}

/* Ports of its cage that are read later in the same tick show that they fell at
 * its next reading.
 */
static void cage_take(struct flap_burst *b, const struct port_view *v)
{
	unsigned n = v->cage_fell < UINT8_MAX ? v->cage_fell : UINT8_MAX;

	if (n && (!v->front->drops || n > b->cage_ports))
		b->cage_ports = (uint8_t)n;
}

/* Errors that are no longer usual, and too few to take the link down. Heat is
 * told without them, too.
 */
static bool errors_higher(const struct port_view *v)
{
	const struct residual *r = &v->ber->residual;

	if (v->errors_named && v->errors_named != SIGNATURE_THERMAL_FEC)
		return true;
	return (v->errors_named || v->ber->loud) &&
	       r->excess > HIGHER_DECADES;
}

/* As they are when the link falls; what is not known is normal. */
static void errors_take(struct flap_burst *b, const struct port_view *v)
{
	uint8_t now = ERRORS_NORMAL;

	if (v->ber->t.ns == INT64_MIN)
		return;
	if (v->errors_named && folds_into(SIGNATURE_FLAP_BURST,
					  SIGNATURE_FEC_TREND, v))
		now = ERRORS_TOLD;
	else if (measures_errors_may_drop(v) ||
		 (v->ber->closed && v->ber->sum_shaken))
		now = ERRORS_DROP;
	else if (errors_higher(v))
		now = ERRORS_HIGHER;
	b->errors = now > b->errors ? now : b->errors;
}

/* Errors took it down, and are gone with their finding: so are those falls. */
static void errors_go(struct flap_burst *b, const struct port_view *v)
{
	if (b->errors < ERRORS_DROP || v->errors_named ||
	    measures_errors_may_drop(v))
		return;
	b->often = 0;
	if (b->errors != ERRORS_TOLD)
		return;
	b->penalty = 0;
	b->severity = SEVERITY_NONE;
	b->errors = ERRORS_NORMAL;
}

/* The falls belong to errors, which may be fewer by now. */
static bool flap_is_aside(const void *mine)
{
	return ((const struct flap_burst *)mine)->errors == ERRORS_TOLD;
}

/* Errors may take the link down, and have no finding yet that would tell it. It
 * may never come, where the heat of the switch explains them.
 */
static bool errors_to_tell(const struct port_view *v)
{
	return !v->errors_named && measures_errors_may_drop(v) &&
	       mono_diff_ns(v->front->t, v->ber->since) <
	       ERRORS_TOLD_WINDOWS * v->ber->window_ns;
}

static int64_t readings_ns(const struct port_view *v, int n)
{
	return (int64_t)((float)n * v->cadence->usual_s * (float)NS_PER_S);
}

/* So much light was lost at once that the link falls, and no window of errors
 * closed since; its finding comes soon.
 */
static bool light_fell(const struct port_view *v)
{
	return v->light->fell_at.ns > v->ber->t.ns &&
	       mono_diff_ns(v->front->t, v->light->fell_at) <
	       readings_ns(v, LIGHT_TOLD) &&
	       folds_into(SIGNATURE_LINK_DOWN, SIGNATURE_CONTAMINATION, v);
}

/* Light was not read since the first fall, but will be soon. */
static bool light_may_tell(const struct flap_burst *b,
			   const struct port_view *v)
{
	int64_t most_ns = readings_ns(v, LIGHT_READINGS);

	return v->front->seen[NEED_LIGHT].ns != INT64_MIN &&
	       v->light->t.ns < b->onset.ns &&
	       mono_diff_ns(v->front->t, b->onset) < most_ns;
}

/* So long up that it does not fall any more. */
static int64_t held_ns(const struct flap_burst *b)
{
	int64_t span_ns = mono_diff_ns(b->t, b->often_since);
	int64_t ns = b->often_falls > 1 ?
		     HELD_TIMES * (span_ns / (b->often_falls - 1)) : 0;

	return ns > HELD_LEAST_NS ? ns : HELD_LEAST_NS;
}

static bool has_held(const struct flap_burst *b, struct mono now)
{
	return mono_diff_ns(now, b->t) >= held_ns(b);
}

/* It holds: one fall more is not often, and a few are. */
static void held_take(struct flap_burst *b, struct mono now)
{
	if (b->often > OFTEN_REUSE && has_held(b, now))
		b->often = OFTEN_REUSE;
}

/* Fell a few times of late, each time by itself. */
static bool falls_often(const struct flap_burst *b, struct mono now)
{
	return often_at(b, now) > (b->speaks_of_often ? OFTEN_REUSE :
							OFTEN_RAISE);
}

/* In hours or in minutes; many falls between two readings are one spell. */
static bool flap_spells(const void *mine, const struct ber *ber,
			struct mono now, struct mono *ret_last)
{
	const struct flap_burst *b = mine;

	(void)ber;
	*ret_last = b->t;
	if (b->falls >= OFTEN_TOGETHER && b->t.ns > b->onset.ns &&
	    penalty_at(b, now) >= REUSE)
		return true;
	return b->often_falls >= OFTEN_TOGETHER &&
	       often_at(b, now) > OFTEN_REUSE;
}

static enum severity burst_judge(struct flap_burst *b,
				 const struct port_view *v, bool falls)
{
	double now;

	if (!falls && b->severity == SEVERITY_NONE && !b->waits)
		return SEVERITY_NONE;
	b->waits = b->severity == SEVERITY_NONE && light_may_tell(b, v);
	now = penalty_at(b, v->front->t);
	if (now < REUSE)
		b->severity = SEVERITY_NONE;
	else if (b->waits)
		return SEVERITY_NONE;
	else if (now > SEVERE)
		b->severity = SEVERITY_CRITICAL;
	else if (now > RAISE && b->severity == SEVERITY_NONE)
		b->severity = SEVERITY_WARN;
	if ((v->front->drops && errors_to_tell(v)) || light_fell(v))
		b->severity = SEVERITY_NONE;
	return b->severity;
}

static enum severity flap_judge(void *mine, const struct port_view *v)
{
	struct flap_burst *b = mine;
	/* Work on the switch makes links fall: no flap. */
	bool falls = v->front->drops && !v->site->context;
	enum severity severity;

	errors_go(b, v);
	held_take(b, v->front->t);
	if (falls) {
		falls_take(b, v->front);
		errors_take(b, v);
	}
	reason_take(b, v);
	if (front_reseated(v->front))	/* it fell by hand, this time */
		falls_forget(b);
	fall_take_back(b, v);
	cage_take(b, v);
	severity = burst_judge(b, v, falls);
	b->speaks_of_often = falls_often(b, v->front->t) &&
			     !errors_to_tell(v);
	return severity == SEVERITY_NONE && b->speaks_of_often && !b->waits ?
	       SEVERITY_WATCH : severity;
}

static bool flap_waits(const void *mine)
{
	const struct flap_burst *b = mine;

	return b->waits || b->speaks_of_often;
}

/* From the first fall to the last, or between two readings. */
static void span_tell(int64_t span_ns, int64_t least_ns, char *ret, size_t cap)
{
	static const struct {
		int64_t from_ns, unit_ns;
		const char *unit;
	} steps[] = {
		{ HOURS_FROM_NS, 3600 * NS_PER_S, "h" },
		{ MINUTES_FROM_NS, 60 * NS_PER_S, "min" },
		{ INT64_MIN, NS_PER_S, "s" },
	};
	size_t i = 0;

	span_ns = span_ns > least_ns ? span_ns : least_ns;
	while (span_ns <= steps[i].from_ns)
		i++;
	(void)snprintf(ret, cap, "%lld %s",
		       (long long)((span_ns + steps[i].unit_ns / 2) /
				   steps[i].unit_ns), steps[i].unit);
}

#define ERRORS_DROP_IT "errors were far above usual, and their peaks may " \
	"take it down"

#define ERRORS_WERE_NORMAL "errors were normal"

/* What errors say, and what that means where no reason is known. */
static const struct {
	const char *words, *means;
} errors_words[ERRORS_COUNT] = {
	[ERRORS_NORMAL] = { ERRORS_WERE_NORMAL " in between", ": contact, peer "
			    "or its software, not the signal" },
	[ERRORS_HIGHER] = { "errors were higher than usual", ", but too few to "
			    "take it down: contact, peer or its software" },
	[ERRORS_DROP] = { ERRORS_DROP_IT, "" },
	[ERRORS_TOLD] = { ERRORS_DROP_IT, "" },
};

/* Of most falls; NULL: none is known, or more is known than it says. */
static const struct down_cause *reason_of(const struct flap_burst *b,
					  const struct port_view *v)
{
	if (b->reasons < REASONS_LEAST || b->cage_ports > 1 ||
	    b->errors >= ERRORS_DROP)
		return NULL;
	return link_down_cause(v->facts, (enum down_reason)b->reason);
}

/* A link that falls all the time may leave no window to measure them. */
static bool errors_measured(const struct flap_burst *b,
			    const struct port_view *v, struct mono from)
{
	return b->errors != ERRORS_NORMAL || v->ber->calm ||
	       v->ber->t.ns > from.ns;
}

/* What falls with all of its cage falls by what the cage shares. */
static void cause_tell(const struct flap_burst *b, const struct down_cause *why,
		       bool errors_known, bool measured, char *ret, size_t cap)
{
	if (b->cage_ports > 1)
		(void)snprintf(ret, cap, "%u ports of the cage fell together: "
			       "the module that they share", b->cage_ports);
	else if (!errors_known)
		(void)snprintf(ret, cap, "%s", why ? why->words :
						     "no error data yet");
	else if (!measured)
		(void)snprintf(ret, cap, "%s%s" ERRORS_WERE_NORMAL " before, "
			       "and not measured since", why ? why->words : "",
			       why ? "; " : "");
	else
		(void)snprintf(ret, cap, "%s%s%s%s", why ? why->words : "",
			       why ? "; " : "", errors_words[b->errors].words,
			       why ? "" : errors_words[b->errors].means);
}

/* When it last fell, once it holds for longer than it mostly did. */
static void last_tell(const struct flap_burst *b, struct mono now,
		      char *ret, size_t cap)
{
	int64_t up_ns = mono_diff_ns(now, b->t);
	char span[32];

	ret[0] = '\0';
	if (LAST_PARTS * up_ns < held_ns(b))
		return;
	span_tell(up_ns, 0, span, sizeof(span));
	(void)snprintf(ret, cap, ", last %s ago", span);
}

static void flap_describe(const void *mine, const struct port_view *v,
			  struct finding *f)
{
	const struct flap_burst *b = mine;
	bool errors_known = v->ber->t.ns != INT64_MIN;
	bool often = b->severity == SEVERITY_NONE;
	struct mono from = often ? b->often_since : b->onset;
	bool measured = errors_measured(b, v, from);
	const struct down_cause *why = reason_of(b, v);
	char span[32], last[48], cause[96];

	f->end = b->cage_ports > 1 ? END_NEAR : why ? why->end : END_PATH;
	f->action = b->cage_ports > 1 ? ACTION_RESEAT_NEAR :
		    why ? why->action : ACTION_CHECK_PEER;
	f->cause_id = why ? why->id : CAUSE_LINK_FALLS_AGAIN;
	f->drain = often ? DRAIN_NONE : DRAIN_ADVISE;
	f->confidence = errors_known && measured ? 0.7f : 0.5f;
	f->onset = from;
	span_tell(mono_diff_ns(b->t, from), v->front->period_ns, span,
		  sizeof(span));
	last_tell(b, v->front->t, last, sizeof(last));
	cause_tell(b, why, errors_known, measured, cause, sizeof(cause));
	(void)snprintf(f->cause, sizeof(f->cause),
		       "the link fell %u times in %s%s; %s",
		       often ? b->often_falls : b->falls, span, last, cause);
	evidence_add(f, "flaps", often ? b->often_falls : b->falls);
	evidence_add(f, "flap_penalty", penalty_at(b, v->front->t));
	evidence_add(f, "flaps_24h", front_drops_24h(v->front));
}

static void flap_restore(void *mine, struct ber *ber, const struct finding *f)
{
	struct flap_burst *b = mine;
	const double *falls = evidence_find(f, "flaps");

	(void)ber;	/* not part of a flap's state */
	b->t = f->when;
	b->onset = b->often_since = f->onset;
	if (f->severity > SEVERITY_WATCH) {
		b->severity = (uint8_t)f->severity;
		b->penalty = RAISE;
	} else {
		b->often = OFTEN_RAISE;
		b->speaks_of_often = true;
	}
	if (falls)
		b->falls = (uint32_t)*falls;
	b->often_falls = b->falls < UINT16_MAX ? (uint16_t)b->falls :
						 UINT16_MAX;
	if (!strstr(f->cause, ERRORS_WERE_NORMAL))
		b->errors = ERRORS_HIGHER;
}

static const struct need_row flap_needs[] = {
	{ NEED_LINK, true, "the link's state is not read",
	  "operational state of the port" },
	{ NEED_LINK_COUNT, false, "the driver does not count falls: a fall "
	  "between two readings is missed",
	  "a count of link downs, or link events" },
	{ NEED_BER, false, "errors are not counted: falls from a bad signal "
	  "look like flaps", "FEC counters of the port" },
};

static const struct kept_field flap_burst_fields[] = {
	KEEP_TO(struct flap_burst, penalty, PENALTY_MAX),
	KEEP_TO(struct flap_burst, last, PENALTY_MAX),
	KEEP(struct flap_burst, falls),
	KEEP(struct flap_burst, t),
	KEEP(struct flap_burst, onset),
	KEEP_TO(struct flap_burst, often, OFTEN_MOST),
	KEEP(struct flap_burst, often_since),
	KEEP_TO(struct flap_burst, severity, SEVERITY_COUNT - 1),
	KEEP(struct flap_burst, waits),
	KEEP(struct flap_burst, speaks_of_often),
	KEEP(struct flap_burst, is_apart),
	KEEP(struct flap_burst, often_falls),
	KEEP(struct flap_burst, cage_ports),
	KEEP_TO(struct flap_burst, errors, ERRORS_COUNT - 1),
	KEEP_TO(struct flap_burst, reason, DOWN_REASON_COUNT - 1),
	KEEP(struct flap_burst, reasons),
	KEEP(struct flap_burst, asks),
};

static const struct kept flap_burst_kept =
	KEPT_TABLE(struct flap_burst, "flap_burst", flap_burst_fields);

const struct detector flap_burst_detector = {
	.signature = SIGNATURE_FLAP_BURST,
	.state_size = sizeof(struct flap_burst),
	.kept = &flap_burst_kept,
	.hold_ns = 300 * NS_PER_S,
	.of_link = true,
	.of_falls = true,
	.wakes = WAKE_LINK,
	.needs = flap_needs,
	.need_count = sizeof(flap_needs) / sizeof(flap_needs[0]),
	.judge = flap_judge,
	.describe = flap_describe,
	.waits = flap_waits,
	.is_aside = flap_is_aside,
	.spells = flap_spells,
	.told = falls_forget,
	.restore = flap_restore,
};

/* loose_module: errors jump for some seconds and end by themselves, more than
 * once: a contact that moves. A failed reading of the module at the same
 * moment makes one jump enough.
 */
#include "agent/signature/detector.h"

#include <stdio.h>

#include "agent/signature/kept.h"

#define JUMP_DECADES 1.0
#define OVER_DECADES 0.3	/* below: the jump has ended */
#define JUMP_WINDOWS 3u		/* longer is no jump */
#define JUMPS_KEPT 4u
#define JUMPS_LEAST 2u
#define APART_NS (30 * NS_PER_S)	/* nearer is the same one */
#define WITHIN_NS (1500 * NS_PER_S)
#define WITHIN_SLOW_NS (4 * 3600 * NS_PER_S)	/* readings of a minute */
#define SLOW_NS (30 * NS_PER_S)
#define TOUCH_NS (60 * NS_PER_S)	/* so near, a failed reading belongs */

struct loose_module {
	struct mono jump[JUMPS_KEPT];	/* when each began; ns INT64_MIN */
	struct mono failed;		/* the module was last read in vain */
	uint32_t refused, jumps;	/* of the front end; in all */
	uint8_t windows;		/* of the jump under way */
	float highest;			/* decades, of the last */
	bool touched;			/* a failed reading came with a jump */
	enum severity severity;
};

static void loose_start(void *mine, const struct port_facts *facts)
{
	struct loose_module *l = mine;

	(void)facts;
	for (unsigned i = 0; i < JUMPS_KEPT; i++)
		l->jump[i].ns = INT64_MIN;
	l->failed.ns = INT64_MIN;
}

static void jump_note(struct loose_module *l, struct mono began)
{
	struct mono *last = &l->jump[JUMPS_KEPT - 1];

	if (last->ns != INT64_MIN && mono_diff_ns(began, *last) < APART_NS)
		return;
	for (unsigned i = 1; i < JUMPS_KEPT; i++)
		l->jump[i - 1] = l->jump[i];
	*last = began;
	l->jumps++;
	l->touched |= l->failed.ns != INT64_MIN &&
		      mono_diff_ns(began, l->failed) < TOUCH_NS;
}

/* One window of the errors. */
static void window_take(struct loose_module *l, const struct ber *b)
{
	double excess = b->residual.excess;

	if (excess > JUMP_DECADES) {
		l->windows += l->windows < UINT8_MAX;
		l->highest = (float)excess;
		return;
	}
	if (l->windows > 0 && l->windows <= JUMP_WINDOWS &&
	    excess < OVER_DECADES)
		jump_note(l, (struct mono){ b->t.ns -
				(l->windows + 1) * b->window_ns });
	if (excess < OVER_DECADES)
		l->windows = 0;
}

static unsigned jumps_of_late(const struct loose_module *l,
			      const struct port_view *v)
{
	int64_t within_ns = v->ber->window_ns >= SLOW_NS ? WITHIN_SLOW_NS :
							   WITHIN_NS;
	unsigned n = 0;

	for (unsigned i = 0; i < JUMPS_KEPT; i++)
		n += l->jump[i].ns != INT64_MIN &&
		     mono_diff_ns(v->front->t, l->jump[i]) < within_ns;
	return n;
}

static enum severity loose_judge(void *mine, const struct port_view *v)
{
	struct loose_module *l = mine;
	unsigned n;

	if (v->front->dom_bad != l->refused)
		l->failed = v->front->t;
	l->refused = v->front->dom_bad;
	if (v->ber->closed && ber_learned(v->ber))
		window_take(l, v->ber);
	n = jumps_of_late(l, v);
	if (n == 0)
		l->touched = false;
	l->severity = n >= JUMPS_LEAST || (n > 0 && l->touched) ?
		      SEVERITY_WARN : SEVERITY_NONE;
	return l->severity;
}

static void loose_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct loose_module *l = mine;
	unsigned n = jumps_of_late(l, v);

	f->end = END_NEAR;
	f->action = ACTION_RESEAT_NEAR;
	f->cause_id = CAUSE_BAD_CONTACT;
	f->drain = DRAIN_ADVISE;
	f->confidence = l->touched ? 0.9f : 0.8f;
	f->onset = n > 0 ? l->jump[JUMPS_KEPT - n] : v->front->t;
	(void)snprintf(f->cause, sizeof(f->cause), "errors jumped %u times and "
		       "ended by themselves%s: bad contact of the module", n,
		       l->touched ? ", and readings of it failed" : "");
	evidence_add(f, "jumps", n);
	evidence_add(f, "jump_decades", l->highest);
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "no counter of corrected bits, symbols or codewords "
	  "with a known line rate was read", "FEC counters of the port" },
	{ NEED_BASELINE, false, "what is normal here is still being learned",
	  "a few minutes of readings" },
};

static const struct kept_field loose_module_fields[] = {
	KEEP_ALL(struct loose_module, jump),
	KEEP_OPT(struct loose_module, failed),
	KEEP(struct loose_module, refused),
	KEEP(struct loose_module, jumps),
	KEEP(struct loose_module, windows),
	KEEP(struct loose_module, highest),
	KEEP(struct loose_module, touched),
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
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.start = loose_start,
	.judge = loose_judge,
	.describe = loose_describe,
};

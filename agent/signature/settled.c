#include "agent/signature/settled.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/kept.h"
#include "petrel/finding.h"

#define STAYED_NS (72 * 3600 * NS_PER_S)
#define DAY_NS (86400.0 * NS_PER_S)
#define GAP_NS (3600 * NS_PER_S)	/* not seen for longer: it may have
					 * moved and come back */
#define MEAN_NS (3600 * NS_PER_S)
#define BACK_DECADES 0.11f		/* from the normal before: it is back */

void settled_start(struct settled *s)
{
	*s = (struct settled){ .before = NAN, .told = true };
}

static void begin_at(struct settled *s, double level, struct mono t)
{
	s->place = (float)level;
	s->since = t;
}

static void fall_back(struct settled *s)
{
	if (!settled_stands(s) || s->mean > s->before + BACK_DECADES)
		return;
	s->mean = s->before;	/* the normal level, not one on the way */
	s->before = NAN;
	s->told = false;
}

void settled_take(struct settled *s, double level, double band, bool calm,
		  struct mono t)
{
	int64_t past_ns = mono_diff_ns(t, s->t);

	if (s->t.ns == 0 || past_ns > GAP_NS || past_ns < 0) {
		s->mean = (float)level;
		begin_at(s, level, t);
	} else {
		s->mean += (float)((level - (double)s->mean) *
				   (double)past_ns / (double)MEAN_NS);
	}
	s->t = t;
	if (!calm || fabs((double)(s->mean - s->place)) > band)
		begin_at(s, (double)s->mean, t);
	fall_back(s);
}

bool settled_is_old(const struct settled *s)
{
	return s->t.ns != 0 && mono_diff_ns(s->t, s->since) >= STAYED_NS;
}

void settled_accept(struct settled *s, double normal)
{
	if (!settled_stands(s))
		s->before = (float)normal;
	s->told = false;
}

bool settled_tell(struct settled *s, double *ret_normal)
{
	if (s->told)
		return false;
	s->told = true;
	*ret_normal = (double)s->mean;
	return true;
}

void settled_describe(const struct settled *s, const char *why,
		      struct finding *f)
{
	double days = (double)mono_diff_ns(s->t, s->since) / DAY_NS;

	f->cause_id = CAUSE_PREEXISTING;
	(void)snprintf(f->cause, sizeof(f->cause), "errors have stayed at %.1e "
		       "for %.0f days without harm (%.1e before); %s",
		       pow(10, (double)s->mean), days,
		       pow(10, (double)s->before), why);
}

static const struct kept_field settled_fields[] = {
	KEEP(struct settled, t),
	KEEP(struct settled, since),
	KEEP(struct settled, place),
	KEEP(struct settled, mean),
	KEEP_OPT(struct settled, before),
	KEEP(struct settled, told),
};

const struct kept settled_kept =
	KEPT_TABLE(struct settled, "settled", settled_fields);

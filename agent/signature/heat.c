#include "agent/signature/heat.h"

#include <math.h>

#include "agent/signature/kept.h"

#define MEMORY_S 86400.0f
#define GAP_MOST_S 600.0f
#define WARM_K 3.0f		/* above, it hardly learns */
#define WARM_LESS 16.0f
#define COOL_K 1.5f		/* below, it is no longer warm */

void heat_start(struct heat *h)
{
	*h = (struct heat){ .usual_c = NAN, .now_c = NAN };
}

/* Mostly the recent half of the time counts, as a switch that just started
 * warms for a while. Heat of most modules, by load or the room, becomes usual;
 * heat of one alone hardly does.
 */
static void heat_learn(struct heat *h, float past_s, float most_k)
{
	float memory_s, over;

	h->learned_s = fminf(h->learned_s + past_s, 2 * MEMORY_S);
	memory_s = fmaxf(h->learned_s / 2, past_s);
	over = h->now_c - h->usual_c;
	if (over - fmaxf(most_k, 0) > WARM_K &&
	    h->learned_s > HEAT_LEARNED_LEAST_S)
		memory_s *= WARM_LESS;
	h->usual_c += past_s / memory_s * over;
	h->var += past_s / memory_s * (over * over - h->var);
}

static void warm_follow(struct heat *h, struct mono now)
{
	float over = h->now_c - h->usual_c;

	if (over < COOL_K)
		h->warm_since.ns = 0;
	else if (over > WARM_K && h->warm_since.ns == 0)
		h->warm_since = now;
}

void heat_take(struct heat *h, const struct front *f, float most_k,
	       bool frozen)
{
	float past_s;

	if (!f->dom_good || isnan(f->temp_c) || f->link != LINK_IS_UP)
		return;
	past_s = (float)mono_diff_ns(f->t, h->t) / (float)NS_PER_S;
	h->now_c = f->temp_c;
	if (isnan(h->usual_c) || front_warms_up(f))
		h->usual_c = f->temp_c;
	else if (!frozen)
		heat_learn(h, fminf(past_s, GAP_MOST_S), most_k);
	h->t = f->t;
	warm_follow(h, f->t);
}

static const struct kept_field heat_fields[] = {
	KEEP_OPT(struct heat, usual_c),
	KEEP_OPT(struct heat, now_c),
	KEEP(struct heat, var),
	KEEP(struct heat, learned_s),
	KEEP(struct heat, t),
	KEEP(struct heat, warm_since),
};

const struct kept heat_kept =
	KEPT_TABLE(struct heat, "heat", heat_fields);

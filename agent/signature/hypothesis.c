#include "agent/signature/hypothesis.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/detector.h"
#include "agent/signature/kept.h"

#define NAME_AT 0.8f
#define NAME_LEAST 0.5f	/* … or this, where surely one of the causes is right */
#define NONE_MOST 0.1f	/* … that is, where none is right with less than this */
#define LOOKS_MOST 4
#define RENAME_ODDS 10.0f
#define OTHER_LEAST 0.1	/* how likely another cause must be, to be told */
#define OTHER_GONE 0.03	/* … and no more */
#define OTHER_ODDS 1.5	/* a third one is told, when so much likelier */
#define DROP_AT 0.1f	/* below, the name goes */

#define SHARE_UNNAMED 0.25f

const struct hypothesis *hypothesis_find(enum signature signature)
{
	const struct hypothesis *h;

	for (size_t i = 0; (h = hypothesis_at(i)); i++)
		if (h->signature == signature)
			return h;
	return NULL;
}

void hypotheses_weigh(const struct measures *m, struct odds *ret)
{
	const struct hypothesis *h;
	double sum = (double)SHARE_UNNAMED;

	ret->count = 1;
	ret->p[0] = SHARE_UNNAMED;
	for (size_t i = 0; (h = hypothesis_at(i)); i++) {
		double nats = 0;

		if (!h->weigh(h, m, &nats))
			nats = -INFINITY;
		ret->p[i + 1] = (float)(h->share * exp(nats));
		sum += (double)ret->p[i + 1];
		ret->count++;
	}
	for (size_t i = 0; i < ret->count; i++)
		ret->p[i] /= (float)sum;
}

static enum signature name_of(size_t n)
{
	return n == 0 ? SIGNATURE_FEC_TREND : hypothesis_at(n - 1)->signature;
}

static size_t place_of(const struct odds *o, enum signature name)
{
	size_t n = 0;

	while (n < o->count && name_of(n) != name)
		n++;
	return n;
}

static size_t likeliest(const struct odds *o, enum signature but)
{
	size_t best = o->count;

	for (size_t n = 0; n < o->count; n++)
		if (name_of(n) != but &&
		    (best == o->count || o->p[n] > o->p[best]))
			best = n;
	return best;
}

void naming_start(struct naming *n)
{
	*n = (struct naming){ .looked = { INT64_MIN } };
}

/* The name by these odds; the present one, if no other is so much better. It is
 * dropped below DROP_AT, or when most likely no cause is right.
 */
static enum signature name_wanted(const struct naming *n)
{
	size_t best = likeliest(&n->odds, 0);
	float now = n->odds.p[place_of(&n->odds, n->name)];
	bool is_named = naming_has(n);
	float least = n->odds.p[0] < NONE_MOST ? NAME_LEAST : NAME_AT;

	if (n->odds.p[best] >= least &&
	    (!is_named || n->odds.p[best] >= RENAME_ODDS * now))
		return name_of(best);
	return is_named && (now < DROP_AT || n->odds.p[0] > NAME_LEAST) ?
	       SIGNATURE_FEC_TREND : n->name;
}

/* Adds one look to the mean of the last few. */
static void odds_learn(struct naming *n, const struct measures *m)
{
	struct odds now;

	n->looks += n->looks < LOOKS_MOST;
	hypotheses_weigh(m, &now);
	n->odds.count = now.count;
	for (size_t i = 0; i < now.count; i++)
		n->odds.p[i] += (now.p[i] - n->odds.p[i]) / n->looks;
}

static double other_sure(const struct naming *n)
{
	size_t at = place_of(&n->odds, (enum signature)n->other);

	return n->other && n->other != n->name && at < n->odds.count ?
	       (double)n->odds.p[at] : 0;
}

static void other_follow(struct naming *n)
{
	double p = 0, now = other_sure(n);
	enum signature best = naming_other(n, &p);

	if (now < OTHER_GONE || p > OTHER_ODDS * now)
		n->other = p > OTHER_LEAST ? (uint8_t)best : 0;
}

/* "No name" (fec_trend) stands until a cause is sure. The first name is given
 * at once, another one when two looks agree.
 */
void naming_take(struct naming *n, const struct measures *m,
		 struct mono fresh)
{
	enum signature wanted;

	if (fresh.ns <= n->looked.ns)
		return;
	n->looked = fresh;
	odds_learn(n, m);
	if (n->name == 0)
		n->name = SIGNATURE_FEC_TREND;
	wanted = name_wanted(n);
	if (wanted == n->name) {
		n->wanted = 0;
	} else if (n->name != SIGNATURE_FEC_TREND && n->wanted != wanted) {
		n->wanted = wanted;
	} else {
		n->name = wanted;
		n->wanted = 0;
	}
	other_follow(n);
}

bool naming_has(const struct naming *n)
{
	return n->name != 0 && n->name != SIGNATURE_FEC_TREND;
}

double naming_of(const struct naming *n, enum signature name)
{
	size_t at = place_of(&n->odds, name);

	return at < n->odds.count ? (double)n->odds.p[at] : 0;
}

double naming_sure(const struct naming *n)
{
	return naming_of(n, n->name);
}

enum signature naming_other(const struct naming *n, double *ret_p)
{
	return naming_after(n, n->name, ret_p);
}

enum signature naming_after(const struct naming *n, enum signature first,
			    double *ret_p)
{
	size_t best = likeliest(&n->odds, first);

	if (best == n->odds.count)
		return 0;
	*ret_p = (double)n->odds.p[best];
	return name_of(best);
}

void naming_other_tell(const struct naming *n, char *ret, size_t cap)
{
	enum signature other = (enum signature)n->other;

	ret[0] = '\0';
	if (n->name && other && other != n->name)
		(void)snprintf(ret, cap, " (%s %s, %.0f %%)",
			       n->name == SIGNATURE_FEC_TREND ? "perhaps" :
			       "or", other == SIGNATURE_FEC_TREND ?
			       "another cause" : signature_name(other),
			       100 * other_sure(n));
}

static void probability_add(struct finding *f, enum signature s, double p)
{
	char name[sizeof(f->evidence[0].name)];

	(void)snprintf(name, sizeof(name), "p_%s", signature_name(s));
	evidence_add(f, name, p);
}

void naming_evidence(const struct naming *n, struct finding *f)
{
	double p = 0;
	enum signature other = naming_other(n, &p);

	if (!n->name)
		return;
	probability_add(f, n->name, naming_sure(n));
	if (other && p >= OTHER_LEAST)
		probability_add(f, other, p);
}

static const struct kept_field odds_fields[] = {
	KEEP_TO(struct odds, count, HYPOTHESES_MAX),
	KEEP_ALL(struct odds, p),
};

static const struct kept odds_kept =
	KEPT_TABLE(struct odds, "odds", odds_fields);

static const struct kept_field naming_fields[] = {
	KEEP_TO(struct naming, looks, LOOKS_MOST),
	KEEP_TO(struct naming, other, SIGNATURE_COUNT - 1),
	KEEP_TO(struct naming, name, SIGNATURE_COUNT - 1),
	KEEP_TO(struct naming, wanted, SIGNATURE_COUNT - 1),
	KEEP_OPT(struct naming, looked),
	KEEP_PART(struct naming, odds, odds_kept),
};

const struct kept naming_kept =
	KEPT_TABLE(struct naming, "naming", naming_fields);

#include "tests/judge/a_kind.h"

#include "petrel/clock.h"
#include "tests/judge/a_noise.h"

bool a_deed_is_in(const struct a_deed *d, const struct a_stretch *t)
{
	return d->onset_ns <= t->now_ns && d->end_ns > t->before_ns;
}

double a_deed_since_s(const struct a_deed *d, int64_t now_ns)
{
	return (double)(now_ns - d->onset_ns) / (double)NS_PER_S;
}

bool a_deed_is_over(const struct a_deed *d, const struct a_stretch *t)
{
	return d->end_ns <= t->now_ns;
}

bool a_deed_is_moment(const struct a_deed *d, const struct a_stretch *t,
		      double after_s)
{
	return a_deed_since_s(d, t->now_ns) >= after_s &&
		a_deed_since_s(d, t->before_ns) < after_s;
}

void a_deed_last(struct a_deed *d, double seconds)
{
	d->end_ns = d->onset_ns + (int64_t)(seconds * (double)NS_PER_S);
}

#define SWAP_LEAST_S 15
#define SWAP_MOST_S 150

void a_swap_draw(struct a_deed *d, const struct a_port *p,
		 const struct a_setting *s, struct draw *r)
{
	(void)p;
	(void)s;
	d->size = a_log_between(r, SWAP_LEAST_S, SWAP_MOST_S);
	a_deed_last(d, d->size);
}

void a_swap_strike(const struct a_deed *d, const struct a_port *p,
		   const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (!a_deed_is_over(d, t)) {
		s->absent = true;
		return;
	}
	if (a_deed_is_moment(d, t, 0))
		s->falls++;	/* out and in again between two readings */
	s->new_module = d->key;
}

#include "tests/support/world_span.h"

#include <assert.h>
#include <math.h>

struct world_case world_hour(uint64_t seed, enum world_mix mix)
{
	return (struct world_case){ .seed = seed, .mix = mix, .ports = 32,
				    .length_ns = WORLD_HOUR_NS };
}

struct world *world_opened(const struct world_case *c)
{
	struct world *w = NULL;

	assert(plant_b.open(c, &w) == 0);
	return w;
}

double world_codewords_per_s(const struct world_port *p)
{
	return p->fec == FEC_RS544 ? (double)p->speed_mbps * 1.0625e6 / 5440 :
				     (double)p->speed_mbps * 1.03125e6 / 5280;
}

static void span_add(struct world_span *s, const struct world_reading *r)
{
	if (s->has_first && r->t_ns < s->last.t_ns)
		return;			/* a late one */
	if (!s->has_first || !r->oper_up || !s->last.oper_up ||
	    r->link_down_count != s->last.link_down_count ||
	    r->in_octets < s->last.in_octets) {
		s->is_broken |= s->has_first;
		s->first = *r;
		s->ber_sum = s->loss_sum = 0;
		s->ticks = 0;
	}
	s->last = *r;
	s->has_first = true;
}

void world_span_play(struct world *w, unsigned ports, struct world_span *spans)
{
	static struct world_reading r;

	while (plant_b.next(w))
		for (unsigned i = 0; i < ports; i++) {
			if (plant_b.read(w, i, &r))
				span_add(&spans[i], &r);
			if (!spans[i].has_first)
				continue;
			spans[i].ber_sum += pow(10,
						plant_b.true_log_ber(w, i));
			spans[i].loss_sum += plant_b.true_codeword_loss(w, i);
			spans[i].ticks++;
		}
}

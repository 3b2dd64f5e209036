/* A plant to try the judge with: errors that grow by one of two laws, links
 * that fall again and again, dirt that takes light away at once, and warm hours
 * that are no fault. Light does not flicker, and counts are nearly Poisson.
 */
#include "tests/judge/plants.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_S INT64_C(1000000000)
#define CODEWORDS_PER_S 78125000.0	/* 425 Gb/s of 5440 bits */
#define BITS_PER_S 425e9
#define CLIFF_LOG_BER (-3.576754126063192)	/* 2.65e-4: one an hour */
#define NEVER_NS INT64_MAX

enum kind { LINEAR, SQUARE, FLAPS, DIRT, WARM, KINDS };

struct tiny_port {
	uint64_t random;
	double base_log_ber, wander;
	struct world_reading now;
	double log_ber, loss_db, temp_c;
	const struct truth *truth;	/* NULL: none */
	enum kind kind;
};

struct world {
	struct world_case at;
	int64_t now_ns, step_ns;
	struct world_port port[WORLD_PORTS_MAX];
	struct tiny_port state[WORLD_PORTS_MAX];
	struct truth truth[WORLD_PORTS_MAX];
	size_t truths;
};

static double uniform(uint64_t *random)
{
	uint64_t z = (*random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Near enough to normal for noise: four uniforms. */
static double normal(uint64_t *random)
{
	double sum = -2;

	for (int i = 0; i < 4; i++)
		sum += uniform(random);
	return sum * 1.7320508075688772;
}

static double counted(uint64_t *random, double mean)
{
	double n = mean < 20 ? floor(mean + uniform(random))
			     : round(mean + sqrt(mean) * normal(random));

	return n > 0 ? n : 0;
}

/* Decades above normal at a share of the way to the cliff. */
static double risen(enum kind kind, double share, double decades)
{
	return decades * (kind == SQUARE ? share * share : share);
}

static double share_of(const struct truth *t, int64_t now_ns)
{
	return (double)(now_ns - t->onset_ns) /
	       (double)(t->cliff_later_ns - t->onset_ns);
}

static void port_make(struct world *w, unsigned i)
{
	struct world_port *p = &w->port[i];
	struct tiny_port *s = &w->state[i];

	strcpy(p->name, "Ethernet");
	p->name[8] = (char)('0' + i / 10);
	p->name[9] = (char)('0' + i % 10);
	strcpy(p->media, i % 3 ? "DR4" : "FR4");
	p->optical = true;
	p->lanes = 4;
	p->speed_mbps = 400000;
	p->fec = FEC_RS544;
	p->counter_bits = 64;
	s->random = w->at.seed * 1000 + i;
	s->base_log_ber = -7.5 + uniform(&s->random);
	s->temp_c = 45;
	s->now.admin_up = s->now.oper_up = s->now.present = true;
}

/* Half of the ports, one thing each. */
static void truth_make(struct world *w, unsigned i)
{
	static const struct truth of[KINDS] = {
		[LINEAR] = { .what = "growth", .law = "linear",
			     .signature = SIGNATURE_FEC_TREND },
		[SQUARE] = { .what = "growth", .law = "square",
			     .signature = SIGNATURE_FEC_TREND },
		[FLAPS] = { .what = "flaps", .law = "", .signature =
			    SIGNATURE_FLAP_BURST },
		[DIRT] = { .what = "dirt", .law = "", .signature =
			   SIGNATURE_CONTAMINATION, .end = END_PATH,
			   .action = ACTION_CLEAN_NEAR },
		[WARM] = { .what = "warm hour", .law = "", .benign = true },
	};
	struct tiny_port *s = &w->state[i];
	struct truth *t = &w->truth[w->truths++];
	double length = (double)w->at.length_ns;

	s->kind = w->at.mix == MIX_HEALTHY ? WARM : (i / 2 % KINDS);
	if (s->kind < 2 && w->at.laws && !(w->at.laws >> s->kind & 1))
		s->kind = s->kind == LINEAR ? SQUARE : LINEAR;
	*t = of[s->kind];
	if (w->at.mix == MIX_STRANGE)
		t->signature = 0;
	t->ports = UINT64_C(1) << i;
	t->onset_ns = (int64_t)(length * (0.3 + 0.1 * uniform(&s->random)));
	t->effect_ns = t->benign ? NEVER_NS : t->onset_ns;
	t->cliff_ns = t->cliff_later_ns = t->end_ns = NEVER_NS;
	if (s->kind == WARM || s->kind == FLAPS)
		t->end_ns = t->onset_ns + (int64_t)(length * 0.2);
	if (s->kind <= SQUARE) {
		t->cliff_later_ns = t->onset_ns + (int64_t)
			(length * (0.3 + 0.6 * uniform(&s->random)));
		t->cliff_ns = t->cliff_later_ns < w->at.length_ns ?
			      t->cliff_later_ns : NEVER_NS;
	}
	s->truth = t;
}

static int tiny_open(const struct world_case *c, struct world **ret)
{
	struct world *w;

	if (c->ports == 0 || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->at = *c;
	w->step_ns = (c->pace == PACE_FAST ? 1 : 60) * NS_S;
	for (unsigned i = 0; i < c->ports; i++) {
		port_make(w, i);
		if (i % 2)
			truth_make(w, i);
	}
	*ret = w;
	return 0;
}

static void tiny_close(struct world *w)
{
	free(w);
}

static const struct world_port *tiny_ports(const struct world *w)
{
	return w->port;
}

static size_t tiny_truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->truths;
}

static void fault_step(struct world *w, struct tiny_port *s)
{
	const struct truth *t = s->truth;
	bool lasts = t && w->now_ns >= t->onset_ns && w->now_ns < t->end_ns;
	int64_t into_s = lasts ? (w->now_ns - t->onset_ns) / NS_S : 0;
	bool was_up = s->now.oper_up;

	s->log_ber = s->base_log_ber + s->wander;
	s->loss_db = lasts && s->kind == DIRT ? 2 : 0;
	s->temp_c = 45 + (lasts && s->kind == WARM ? 2 : 0);
	s->now.oper_up = !(lasts && s->kind == FLAPS && into_s % 120 < 20);
	s->now.link_down_count += was_up && !s->now.oper_up;
	if (lasts && s->kind <= SQUARE)
		s->log_ber += risen(s->kind, share_of(t, w->now_ns),
				    CLIFF_LOG_BER - s->base_log_ber);
	s->log_ber += s->loss_db * 0.8;
	s->log_ber = fmin(s->log_ber, -2);
}

static void counters_step(struct tiny_port *s, double dt_s)
{
	double n = CODEWORDS_PER_S * dt_s, ber = pow(10, s->log_ber);
	double symbols = ber * 5440, term = n * exp(-symbols);
	double bits = counted(&s->random, BITS_PER_S * dt_s * ber);

	s->now.fec_corrected_bits += (uint64_t)bits;
	s->now.fec_symbol_errors += (uint64_t)bits;
	s->now.fec_corrected_codewords +=
		(uint64_t)counted(&s->random, n * (1 - exp(-symbols)));
	for (unsigned i = 0; i < WORLD_BINS - 1; i++) {
		s->now.fec_bins[i] += (uint64_t)counted(&s->random, term);
		term *= symbols / (i + 1);
	}
	s->now.in_octets += (uint64_t)(1e9 * dt_s);
	s->now.out_octets += (uint64_t)(1e9 * dt_s);
}

static bool tiny_next(struct world *w)
{
	double dt_s = (double)w->step_ns * 1e-9;

	w->now_ns += w->step_ns;
	if (w->now_ns >= w->at.length_ns)
		return false;
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct tiny_port *s = &w->state[i];

		s->wander += -s->wander * 0.01 + 0.003 * normal(&s->random);
		fault_step(w, s);
		if (s->now.oper_up)
			counters_step(s, dt_s);
	}
	return true;
}

static bool tiny_read(struct world *w, unsigned port,
		      struct world_reading *ret)
{
	struct tiny_port *s = &w->state[port];

	if (w->at.hard && uniform(&s->random) < 0.03)
		return false;
	*ret = s->now;
	ret->t_ns = w->now_ns;
	ret->has_counters = ret->has_bins = true;
	ret->has_dom = true;
	ret->dom_t_ns = w->now_ns - w->now_ns % (10 * NS_S);
	ret->temp_c = s->temp_c;
	ret->vcc_v = 3.3;
	ret->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		ret->rx_dbm[i] = i < 4 ? -1 - s->loss_db : (double)NAN;
		ret->tx_dbm[i] = i < 4 ? 1 : (double)NAN;
		ret->bias_ma[i] = i < 4 ? 60 : (double)NAN;
		ret->lane_ber[i] = ret->snr_db[i] = NAN;
	}
	return true;
}

static size_t tiny_sensors(const struct world *w,
			   const struct world_sensor **ret)
{
	(void)w;
	*ret = NULL;
	return 0;
}

static size_t tiny_events(const struct world *w, const struct world_event **ret)
{
	(void)w;
	*ret = NULL;
	return 0;
}

static double tiny_log_ber(const struct world *w, unsigned port)
{
	return w->state[port].log_ber;
}

/* One codeword an hour at the cliff, and about fifteen decades a decade. */
static double tiny_loss(const struct world *w, unsigned port)
{
	return fmin(1, 3.6e-12 * pow(10, 15 * (w->state[port].log_ber -
					       CLIFF_LOG_BER)));
}

static int64_t tiny_now_ns(const struct world *w)
{
	return w->now_ns;
}

static const char *const tiny_laws[] = { "linear", "square", NULL };

const struct plant_model plant_tiny = {
	.name = "tiny",
	.laws = tiny_laws,
	.open = tiny_open,
	.close = tiny_close,
	.ports = tiny_ports,
	.truths = tiny_truths,
	.next = tiny_next,
	.read = tiny_read,
	.sensors = tiny_sensors,
	.events = tiny_events,
	.true_log_ber = tiny_log_ber,
	.true_codeword_loss = tiny_loss,
	.now_ns = tiny_now_ns,
};

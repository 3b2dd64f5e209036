#include "tests/support/port_play.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BPS 425e9
#define START_S 100000
#define WALL_S 1767225600

static void on_finding(void *context, const struct finding *f)
{
	struct play *p = context;

	if (p->count < PLAY_SAID_MAX)
		p->said[p->count] = *f;
	p->count++;
}

void play_init(struct play *p, double period_s)
{
	memset(p, 0, sizeof(*p));
	p->period_s = period_s;
	p->t_s = START_S;
	p->log_ber = -7;
	p->temp_c = 50;
	p->up = true;
	(void)snprintf(p->facts.name, sizeof(p->facts.name), "Ethernet8");
	(void)snprintf(p->k.serial, sizeof(p->k.serial), "SN1");
	p->facts.lanes = 4;
	p->facts.speed_mbps = 400000;
	p->facts.fec = FEC_RS544;
	p->facts.optical = p->facts.media_known = true;
	p->facts.counter_bits = 64;
	assert(engine_new(PLAY_PORTS_MAX, "leaf1", on_finding, p,
			  &p->engine) == 0);
	assert(engine_port(p->engine, &p->facts, &p->port) == 0);
}

void play_fini(struct play *p)
{
	engine_free(p->engine);
}

static void play_fec(struct play *p)
{
	double bits = pow(10, p->log_ber) * LINE_BPS * p->period_s;
	double sent = LINE_BPS * p->period_s / 5440;
	double corrected = fmin(bits, sent) * 0.9;

	if (p->up && !p->stands) {
		p->bits += floor(bits);
		p->corrected += floor(corrected);
		p->clean += floor(sent - corrected);
	}
	if (p->no_fec) {
		inputs_clear(&p->k, INPUT_FEC_CORRECTED_BITS);
		inputs_clear(&p->k, INPUT_FEC_CORRECTED_CW);
		inputs_clear(&p->k, INPUT_FEC_BIN);
		return;
	}
	if (p->times && p->n++ % p->times)
		return;
	inputs_set(&p->k, INPUT_FEC_CORRECTED_BITS, (int64_t)p->bits);
	inputs_set(&p->k, INPUT_FEC_CORRECTED_CW, (int64_t)p->corrected);
	inputs_set(&p->k, INPUT_FEC_BIN, (int64_t)p->clean);
}

static void play_dom(struct play *p)
{
	p->k.dom_new = !p->no_dom;
	if (p->no_dom)
		return;
	p->k.dom_t = p->k.t;
	inputs_set(&p->k, INPUT_TEMP_MC, lround(p->temp_c * 1000));
	inputs_set(&p->k, INPUT_VCC_UV, 3300000);
	for (unsigned i = 0; i < p->facts.lanes; i++)
		inputs_set(&p->k, INPUT_RX_PW + i,
			   llround(1e9 * pow(10, p->rx_dbm[i] / 10)));
}

void play_once(struct play *p)
{
	struct wall wall = { (int64_t)((WALL_S + p->t_s) * 1e9) };

	p->k.t.ns = (int64_t)(p->t_s * 1e9);
	p->k.counters_new = true;
	inputs_set(&p->k, INPUT_OPER, p->up ? OPER_UP : OPER_DOWN);
	inputs_set(&p->k, INPUT_LINK_DOWN_COUNT, (int64_t)p->downs);
	play_fec(p);
	play_dom(p);
	engine_reading(p->engine, p->port, &p->k, wall);
	engine_tick(p->engine, p->k.t, wall);
	p->t_s += p->period_s;
}

void play_for(struct play *p, double seconds)
{
	play_ramp(p, seconds, p->log_ber);
}

void play_ramp(struct play *p, double seconds, double log_ber)
{
	int n = (int)(seconds / p->period_s);
	double step = n ? (log_ber - p->log_ber) / n : 0;

	for (int i = 0; i < n; i++) {
		p->log_ber += step;
		play_once(p);
	}
}

void play_drop(struct play *p, double seconds)
{
	p->up = false;
	p->downs++;
	play_for(p, seconds);
	p->up = true;
}

unsigned play_said(const struct play *p, enum signature signature,
		   enum finding_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count && i < PLAY_SAID_MAX; i++)
		n += p->said[i].signature == signature &&
		     (!state || p->said[i].state == state);
	return n;
}

const struct finding *play_last(const struct play *p, enum signature signature)
{
	const struct finding *last = NULL;

	for (unsigned i = 0; i < p->count && i < PLAY_SAID_MAX; i++)
		if (p->said[i].signature == signature)
			last = &p->said[i];
	return last;
}

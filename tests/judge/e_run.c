/* A port's life of one tick: is it up, how warm, how many errors. */
#include <math.h>

#include "tests/judge/e_world.h"

#define DARK_PORT_SHARE 0.5	/* of the heat, with the laser off */
#define LOAD_K 2.5
#define LOST_DOWN 0.3		/* a share of codewords that no link bears */
#define HOST_LOG_BER (-9.0)	/* of a coherent module's electrical side */
#define HOST_EXCESS 0.05
#define SPIKE_S 2.0
#define SPIKE_DB 0.25
#define SPIKE_MOST_DB 4.0

static uint64_t counted(struct e_port *p, double mean)
{
	return draw_poisson(&p->chance, mean);
}

static bool is_dark(const struct e_port *p)
{
	if (!(p->traits & E_LIGHT))
		return false;
	for (unsigned i = 0; i < p->media->lanes; i++)
		if (p->rx_dbm[i] - p->stress.lane[E_LOSS][i] <
		    p->media->los_dbm)
			return true;
	return false;
}

static enum down_reason reason_of(const struct world *w,
				  const struct e_port *p)
{
	if (!w->tells_reasons && p->stress.reason != DOWN_ADMIN)
		return DOWN_UNKNOWN;
	if (p->stress.is_out)
		return p->stress.reason;
	return is_dark(p) ? DOWN_RX_LOS : DOWN_HIGH_SER;
}

static void link_set(struct world *w, struct e_port *p, bool up)
{
	const struct e_stress *s = &p->stress;

	p->now.admin_up = !(s->acts & E_SHUT);
	p->now.present = !(s->acts & E_EMPTY);
	if (p->now.oper_up && !up)
		p->now.link_down_count++;
	p->now.oper_up = up;
	p->now.down = up ? DOWN_UNKNOWN : reason_of(w, p);
}

/* Air at once, the module after its inertia. */
static void temp_step(struct world *w, unsigned port)
{
	struct e_port *p = &w->state[port];
	double dt_s = (double)w->step_ns / 1e9;
	double works = p->now.oper_up ? 1 : DARK_PORT_SHARE;
	double to = e_air_c(w, port) + p->rise_k * works +
		    LOAD_K * p->load_now + p->stress.of[E_HEAT];

	if (w->before_ns == 0)	/* it stood there long before */
		p->temp_c = to;
	p->temp_c += (to - p->temp_c) * -expm1(-dt_s / p->inertia_s);
}

/* Noise that no happening makes: of long memory, and rare tall spikes. */
static double noise_db(struct world *w, struct e_port *p)
{
	double dt_s = (double)w->step_ns / 1e9, db, spike;

	db = p->wander_db * key_wander(p->key ^ 1, (double)w->now_ns / 1e9);
	if (draw_unit(&p->chance) > p->spikes_hz * dt_s)
		return db;
	spike = SPIKE_DB * pow(draw_unit(&p->chance), -1 / p->spike_tail);
	return db + fmin(spike, SPIKE_MOST_DB) * fmin(1, SPIKE_S / dt_s);
}

static void errors_count(struct e_port *p, const double *chance, double lost,
			 double dt_s)
{
	double n = e_codewords_hz(p->media) * dt_s, symbols = 0;
	uint64_t bursts = counted(p, p->stress.of[E_BURSTS] * dt_s);
	uint64_t fatal = counted(p, n * lost) + bursts, mended = 0;
	struct world_reading *r = &p->now;

	for (unsigned i = 1; i < E_BINS; i++) {
		uint64_t c = counted(p, n * chance[i]);

		r->fec_bins[i] += c;
		mended += c;
		symbols += (double)c * i;
	}
	r->fec_bins[0] += (uint64_t)fmax(n - (double)(mended + fatal), 0);
	r->fec_bins[WORLD_BINS - 1] += fatal;
	r->fec_corrected_codewords += mended;
	r->fec_uncorrectable_codewords += fatal;
	r->fec_symbol_errors += (uint64_t)symbols;
	r->fec_corrected_bits += (uint64_t)(symbols * E_SYMBOL_BITS);
}

/* Errors of a link, up or not: in ret_chance, of the code that is counted. */
static double errors_step(struct world *w, struct e_port *p,
			  double ret_chance[static E_BINS])
{
	struct e_media host = *p->media;
	double lost;

	p->ber = e_ber(p, &p->stress, p->temp_c, noise_db(w, p), p->lane_ber);
	lost = e_code(p->media, p->ber, p->excess, ret_chance);
	if (!(p->traits & E_COHERENT))
		return lost;
	/* The host sees its own side, and what the line's code lost. */
	host.traits &= ~(unsigned)E_COHERENT;
	return lost + e_code(&host, pow(10, HOST_LOG_BER), HOST_EXCESS,
			     ret_chance);
}

void e_run(struct world *w, unsigned port)
{
	struct e_port *p = &w->state[port];
	double chance[E_BINS], lost;
	bool up;

	e_stress_now(w, port, p->load_now);
	up = !p->stress.is_out && !is_dark(p);
	p->load_now = up ? fmin(e_load(w, port) * p->stress.load, 0.99) : 0;
	temp_step(w, port);
	lost = errors_step(w, p, chance);
	up = up && lost < LOST_DOWN;
	link_set(w, p, up);
	p->lost = 0;
	if (!up)
		return;
	if (p->traits & E_CODED && !(p->stress.acts & E_STUCK))
		errors_count(p, chance, lost, (double)w->step_ns / 1e9);
	p->lost = fmin(lost + p->stress.of[E_BURSTS] /
		       e_codewords_hz(p->media), 1);
	e_carry(w, port, p->lost);
}

/* netdata's detector of anomalies: for each metric, eighteen k-means models of
 * two centres over six lags of the smoothed differences, each of a window of
 * six hours; a bit is anomalous when all models hold it so. An alarm: over 1 %
 * of a minute's (60 readings') bits, as netdata's alert for a node; here for a
 * port.
 *
 * Kinder than shipped: where a case lasts an hour, the first model comes after
 * 15 minutes of it, which is netdata's least.
 */
#include "tests/judge/peers.h"

#include <math.h>
#include <string.h>

#define MODELS 18
#define LAGS 6
#define SMOOTH 3
#define DEPTH (LAGS + SMOOTH)
#define METRICS 4
#define WINDOW_MAX 3600
#define TRAIN_MAX 600		/* vectors; the window is thinned to it */
#define ROUNDS 10
#define NODE_READINGS 60
#define NODE_SHARE 0.01
#define SCORE_LEAST 0.99
#define NS 1e-9

struct model {
	float centre[2][LAGS];
	float least, most;		/* distances of what it learned from */
};

struct metric {
	float recent[DEPTH];		/* values, newest first */
	unsigned seen;
	float window[WINDOW_MAX];	/* smoothed differences, a ring */
	unsigned used;
	struct model model[MODELS];
	unsigned models;
};

struct kmeans {
	struct metric metric[METRICS];
	uint64_t errors, octets;
	int64_t t_ns;
	bool started;
	unsigned readings, first, again, window;
	uint8_t bits[NODE_READINGS];	/* anomalous ones, a ring */
	unsigned sum;
	float light_dbm, temp_c;
};

static void kmeans_start(void *mine, const struct world_port *port,
			 enum world_pace pace)
{
	struct kmeans *k = mine;

	(void)port;
	k->first = pace == PACE_FAST ? 900 : 360;
	k->again = pace == PACE_FAST ? 10800 : 180;	/* 3 h */
	k->window = pace == PACE_FAST ? WINDOW_MAX : 360;
	k->light_dbm = k->temp_c = NAN;
}

/* Squared: enough to compare by. */
static float square(const float *a, const float *b)
{
	float sum = 0;

	for (unsigned i = 0; i < LAGS; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static float mean_distance(const struct model *m, const float *v)
{
	return (sqrtf(square(v, m->centre[0])) +
		sqrtf(square(v, m->centre[1]))) / 2;
}

/* The vector of lags that ends at that place of the window's ring. */
static void vector(const struct metric *m, unsigned window, unsigned end,
		   float ret[static LAGS])
{
	for (unsigned i = 0; i < LAGS; i++)
		ret[i] = m->window[(end + window - i) % window];
}

static void centres_start(struct model *model, float v[][LAGS], unsigned n)
{
	unsigned far = 0;

	for (unsigned i = 1; i < n; i++)
		if (square(v[i], v[0]) > square(v[far], v[0]))
			far = i;
	memcpy(model->centre[0], v[0], sizeof(model->centre[0]));
	memcpy(model->centre[1], v[far], sizeof(model->centre[1]));
}

static void centres_move(struct model *model, float v[][LAGS], unsigned n)
{
	float sum[2][LAGS] = { { 0 } };
	unsigned count[2] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		unsigned c = square(v[i], model->centre[1]) <
			     square(v[i], model->centre[0]);

		count[c]++;
		for (unsigned k = 0; k < LAGS; k++)
			sum[c][k] += v[i][k];
	}
	for (unsigned c = 0; c < 2; c++)
		for (unsigned k = 0; count[c] && k < LAGS; k++)
			model->centre[c][k] = sum[c][k] / (float)count[c];
}

static void train(struct metric *m, unsigned window)
{
	float v[TRAIN_MAX][LAGS], d;
	unsigned have = m->used < window ? m->used : window;
	unsigned step = have / TRAIN_MAX + 1, n = 0;
	struct model *model;

	if (have < 2 * LAGS)
		return;
	if (m->models == MODELS)
		memmove(m->model, m->model + 1,
			(MODELS - 1) * sizeof(m->model[0]));
	else
		m->models++;
	model = &m->model[m->models - 1];
	for (unsigned back = 0; back + LAGS < have && n < TRAIN_MAX;
	     back += step)
		vector(m, window, (m->used - 1 - back) % window, v[n++]);
	centres_start(model, v, n);
	for (unsigned i = 0; i < ROUNDS; i++)
		centres_move(model, v, n);
	model->least = INFINITY;
	model->most = 0;
	for (unsigned i = 0; i < n; i++) {
		d = mean_distance(model, v[i]);
		model->least = fminf(model->least, d);
		model->most = fmaxf(model->most, d);
	}
}

/* The newest models first: the one most like now says no soonest. */
static bool is_anomalous(const struct metric *m, const float *v)
{
	for (unsigned i = m->models; i-- > 0;) {
		const struct model *model = &m->model[i];
		float d = mean_distance(model, v);

		if (!(d - model->least >=
		      (float)SCORE_LEAST * (model->most - model->least)) ||
		    model->most <= model->least)
			return false;
	}
	return m->models > 0;
}

/* Takes a value; true when its bit is anomalous. */
static bool metric_take(struct metric *m, unsigned window, float value)
{
	float v[LAGS];

	if (isnan(value))
		return false;
	memmove(m->recent + 1, m->recent, (DEPTH - 1) * sizeof(m->recent[0]));
	m->recent[0] = value;
	if (++m->seen <= SMOOTH)
		return false;
	m->window[m->used++ % window] =
		(m->recent[0] - m->recent[SMOOTH]) / SMOOTH;
	if (m->used < LAGS || !m->models)
		return false;
	vector(m, window, (m->used - 1) % window, v);
	return is_anomalous(m, v);
}

static void gauges_keep(struct kmeans *k, const struct world_port *port,
			const struct world_reading *r)
{
	double sum = 0;

	if (!r->has_dom)
		return;
	for (unsigned i = 0; i < port->lanes && i < WORLD_LANES_MAX; i++)
		sum += r->rx_dbm[i];
	if (port->optical)
		k->light_dbm = (float)(sum / port->lanes);
	k->temp_c = (float)r->temp_c;
}

static enum severity kmeans_step(void *mine, const struct world_port *port,
				 const struct world_reading *r,
				 double *ret_loss_log10)
{
	struct kmeans *k = mine;
	double dt_s = (double)(r->t_ns - k->t_ns) * NS;
	uint64_t errors = 0, octets = 0;
	unsigned bits = 0, place;

	(void)ret_loss_log10;
	gauges_keep(k, port, r);
	if (!r->has_counters || (k->started && dt_s <= 0))
		return 0;
	if (k->started) {
		errors = peers_step(k->errors, r->fec_corrected_codewords,
				    port->counter_bits);
		octets = peers_step(k->octets, r->in_octets,
				    port->counter_bits);
		bits += metric_take(&k->metric[0], k->window,
				    (float)((double)errors / dt_s));
		bits += metric_take(&k->metric[1], k->window, k->light_dbm);
		bits += metric_take(&k->metric[2], k->window, k->temp_c);
		bits += metric_take(&k->metric[3], k->window,
				    (float)((double)octets / dt_s));
	}
	k->started = true;
	k->errors = r->fec_corrected_codewords;
	k->octets = r->in_octets;
	k->t_ns = r->t_ns;
	place = k->readings++ % NODE_READINGS;
	k->sum += bits - k->bits[place];
	k->bits[place] = (uint8_t)bits;
	if (k->readings == k->first ||
	    (k->readings > k->first &&
	     (k->readings - k->first) % k->again == 0))
		for (unsigned i = 0; i < METRICS; i++)
			train(&k->metric[i], k->window);
	return k->sum > NODE_SHARE * NODE_READINGS * METRICS ? SEVERITY_WARN
							     : 0;
}

const struct peer peer_kmeans = {
	.name = "netdata",
	.rule = "18 models of two centres all hold over 1 % of a minute's bits "
		"anomalous",
	.state_size = sizeof(struct kmeans),
	.start = kmeans_start,
	.step = kmeans_step,
};

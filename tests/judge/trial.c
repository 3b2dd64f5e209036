#include "tests/judge/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/feed.h"
#include "tests/judge/match.h"
#include "tests/judge/oracle.h"
#include "tests/judge/peers.h"
#include "tests/judge/told.h"

#define LOSS_EVERY_NS (3600 * INT64_C(1000000000))
#define LOSS_LEAST 1e-12		/* what is true, to be looked at */
#define NS 1e-9

struct trial {
	struct trial_options options;
	const struct peer *const *peer;
	unsigned peers;
	struct told told;
	struct oracle oracle;
	char *state[TELLERS_MAX];	/* of each peer, port by port */
	struct world_reading reading[WORLD_PORTS_MAX];
	int64_t loss_ns[TELLERS_MAX][WORLD_PORTS_MAX];
	/* Of the case at hand, borrowed. */
	const struct plant_model *model;
	struct world *world;
	const struct world_port *port;
	const struct world_case *at;
	struct setting setting;
	struct feed *feed;
	struct rows *rows;
	double readings;
};

unsigned trial_tellers(void)
{
	const struct peer *const *list;

	return (unsigned)peers_list(&list) + 1;
}

int trial_new(const struct trial_options *options, struct trial **ret)
{
	struct trial *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->options = *options;
	told_init(&t->told);
	t->peers = options->peers ? (unsigned)peers_list(&t->peer) : 0;
	for (unsigned i = 0; i < t->peers; i++) {
		t->state[i] = calloc(WORLD_PORTS_MAX,
				     t->peer[i]->state_size + 1);
		if (!t->state[i])
			goto fail;
	}
	*ret = t;
	return 0;
fail:
	trial_free(t);
	return -ENOMEM;
}

void trial_free(struct trial *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < TELLERS_MAX; i++)
		free(t->state[i]);
	told_fini(&t->told);
	free(t);
}

/* Codewords over which a frame is spread: X of IEEE 802.3df. */
static double frame_loss(const struct world_port *p, double codeword_loss)
{
	double x = p->speed_mbps >= 800000 ? 4
					   : p->speed_mbps >= 200000 ? 2 : 1;

	return fmin(1, codeword_loss * (1 + 8 * x) / 8);
}

/* A share of lost frames that somebody foretold: once an hour and port. */
static void loss_take(struct trial *t, unsigned teller, unsigned port,
		      double told_log10)
{
	double is = frame_loss(&t->port[port],
			       t->model->true_codeword_loss(t->world, port));
	struct loss_row *row;

	if (is < LOSS_LEAST || t->told.now_ns - t->loss_ns[teller][port] <
	    LOSS_EVERY_NS)
		return;
	t->loss_ns[teller][port] = t->told.now_ns;
	row = rows_add(t->rows, ROW_LOSS);
	row->at = t->setting;
	row->teller = (uint8_t)teller;
	row->told_log10 = (float)told_log10;
	row->true_log10 = (float)log10(is);
}

static void on_finding(void *context, const struct finding *f)
{
	struct trial *t = context;
	double loss = feed_frame_loss(f);
	uint64_t ports;

	told_say(&t->told, f);
	if (isnan(loss) || f->state == FINDING_CLEARED)
		return;
	ports = told_ports(&t->told, f->subject);
	if (ports)
		loss_take(t, TELLER_ENGINE, (unsigned)__builtin_ctzll(ports),
			  loss);
}

static void peers_start(struct trial *t)
{
	for (unsigned i = 0; i < t->peers; i++) {
		size_t size = t->peer[i]->state_size;

		memset(t->state[i], 0, WORLD_PORTS_MAX * size);
		for (unsigned k = 0; t->peer[i]->start && k < t->at->ports; k++)
			t->peer[i]->start(t->state[i] + k * size, &t->port[k],
					  t->at->pace);
	}
}

static void peers_step_all(struct trial *t, unsigned port)
{
	for (unsigned i = 0; i < t->peers; i++) {
		const struct peer *p = t->peer[i];
		double loss = NAN;
		enum severity s = p->step(t->state[i] + port * p->state_size,
					  &t->port[port], &t->reading[port],
					  &loss);

		told_alarm(&t->told, i + 1, port, s);
		if (!isnan(loss))
			loss_take(t, i + 1, port, loss);
	}
}

static uint64_t readings_take(struct trial *t)
{
	uint64_t has = 0;

	for (unsigned i = 0; i < t->at->ports; i++) {
		if (!t->model->read(t->world, i, &t->reading[i]))
			continue;
		has |= UINT64_C(1) << i;
		if (t->options.without)
			feed_leave_out(&t->reading[i], t->options.without);
	}
	t->readings += __builtin_popcountll(has);
	return has;
}

static void tick_run(struct trial *t)
{
	const struct world_event *event = NULL;
	size_t events = t->model->events(t->world, &event);
	uint64_t has = readings_take(t);

	t->told.now_ns = t->model->now_ns(t->world);
	t->told.sensors = t->model->sensors(t->world, &t->told.sensor);
	if (t->options.engine) {
		feed_sensors(t->feed, t->told.now_ns, t->told.sensor,
			     t->told.sensors);
		feed_tick(t->feed, t->told.now_ns, t->reading, has, event,
			  events);
	}
	for (unsigned i = 0; i < t->at->ports; i++) {
		if (!(has >> i & 1))
			continue;
		if (t->peers)
			peers_step_all(t, i);
		if (t->options.oracle &&
		    oracle_take(&t->oracle, i, &t->port[i], &t->reading[i],
				t->told.now_ns))
			oracle_truth(&t->oracle, i,
				     t->model->true_log_ber(t->world, i));
	}
}

static void exposure_add(struct trial *t)
{
	for (unsigned i = 0; i < t->at->ports; i++) {
		struct exposure_row *row = rows_add(t->rows, ROW_EXPOSURE);

		row->at = t->setting;
		rows_word(row->media, t->port[i].media);
		row->port_s = (double)t->at->length_ns * NS;
		row->readings = t->readings / t->at->ports;
	}
}

static int rows_make(struct trial *t)
{
	const struct truth *truth = NULL;
	struct match m = { .at = t->setting, .told = &t->told,
			   .length_ns = t->at->length_ns };

	bool *foreseeable;

	m.truths = t->model->truths(t->world, &truth);
	m.truth = truth;
	foreseeable = calloc(m.truths + 1, sizeof(*foreseeable));
	if (!foreseeable)
		return -ENOMEM;
	for (size_t i = 0; t->options.oracle && i < m.truths; i++)
		foreseeable[i] = oracle_judge(&t->oracle, &t->setting, t->port,
					      &truth[i], t->at->length_ns,
					      t->rows);
	if (t->options.oracle)
		m.foreseeable = foreseeable;
	match_case(&m, t->peers + 1, t->rows);
	exposure_add(t);
	free(foreseeable);
	return 0;
}

static void case_start(struct trial *t, unsigned plant)
{
	t->setting = (struct setting){
		.seed = t->at->seed, .plant = (uint8_t)plant,
		.pace = t->at->pace, .mix = t->at->mix, .hard = t->at->hard,
		.without = (uint8_t)t->options.without,
	};
	t->readings = 0;
	for (unsigned i = 0; i < TELLERS_MAX; i++)
		for (unsigned k = 0; k < WORLD_PORTS_MAX; k++)
			t->loss_ns[i][k] = INT64_MIN / 2;
	told_start(&t->told, t->port, t->at->ports);
	peers_start(t);
	if (t->options.oracle)
		oracle_start(&t->oracle, t->at->length_ns);
}

int trial_run(struct trial *t, unsigned plant, const struct plant_model *model,
	      const struct world_case *c, struct rows *rows)
{
	int rc = model->open(c, &t->world);

	if (rc < 0)
		return rc;
	t->model = model;
	t->at = c;
	t->rows = rows;
	t->port = model->ports(t->world);
	case_start(t, plant);
	rc = feed_open(t->port, c->ports, c->pace, on_finding, t, &t->feed);
	while (rc == 0 && model->next(t->world))
		tick_run(t);
	if (rc == 0) {
		rc = rows_make(t);
		feed_close(t->feed);
	}
	model->close(t->world);
	return rc;
}

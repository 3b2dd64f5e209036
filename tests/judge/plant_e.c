/* Plant E, the second blind test: written from standards, makers' notes and
 * published field studies by somebody who had not seen the detectors.
 *
 *   e_rack    ports and modules             e_growth  laws, spells, falls
 *   e_menu    what can befall: a row each   e_eye     light and noise to errors
 *   e_plan    who is struck, and when       e_stress  what acts on a port
 *   e_truth   what is true of it            e_run     a port, tick by tick
 *   e_house   the switch as a whole         e_traffic what a port carries
 *   e_show    what the sources show
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/judge/e_world.h"

static void close_world(struct world *w)
{
	free(w);
}

static int open_world(const struct world_case *c, struct world **ret)
{
	struct world *w;

	if (c->ports == 0 || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->at = *c;
	w->step_ns = (c->pace == PACE_FAST ? 1 : 60) * E_NS;
	e_rack_make(w);
	e_house_make(w);
	e_plan(w);
	*ret = w;
	return 0;
}

static const struct world_port *ports(const struct world *w)
{
	return w->port;
}

static size_t truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->happenings;
}

static bool next(struct world *w)
{
	w->before_ns = w->now_ns;
	w->now_ns += w->step_ns;
	if (w->now_ns >= w->at.length_ns)
		return false;
	e_house_step(w);
	for (unsigned i = 0; i < w->at.ports; i++) {
		e_run(w, i);
		e_dom_step(w, i);
	}
	return true;
}

static size_t sensors(const struct world *w, const struct world_sensor **ret)
{
	*ret = w->sensor;
	return E_SENSORS;
}

static size_t events(const struct world *w, const struct world_event **ret)
{
	*ret = w->event;
	return w->events;
}

static double true_log_ber(const struct world *w, unsigned port)
{
	return log10(fmax(w->state[port].ber, 1e-200));
}

static double true_loss(const struct world *w, unsigned port)
{
	return w->state[port].lost;
}

static int64_t now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_e = {
	.name = "E",
	.laws = e_laws,
	.open = open_world,
	.close = close_world,
	.ports = ports,
	.truths = truths,
	.next = next,
	.read = e_read,
	.sensors = sensors,
	.events = events,
	.true_log_ber = true_log_ber,
	.true_codeword_loss = true_loss,
	.now_ns = now_ns,
};

/* Plant D, a blind test: switches as they are in the field, written by somebody
 * who had not seen the detectors, nor the other plants.
 *
 *   d_build   ports, modules, their monitors  d_falls   when links are down
 *   d_kind    what befalls: a row each        d_truth   what is true of it
 *   d_course  how strong, at a time           d_air     the switch as a whole
 *   d_code    what it does to a port          d_live    a port, tick by tick
 *   d_plan    who is struck, and when         d_dom     what modules tell
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/judge/d_world.h"

static void d_close(struct world *w)
{
	for (unsigned i = 0; w && i < WORLD_PORTS_MAX; i++)
		free(w->state[i].down);
	free(w);
}

static int d_open(const struct world_case *c, struct world **ret)
{
	struct world *w;
	int rc;

	if (c->ports == 0 || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->at = *c;
	w->step_ns = (c->pace == PACE_FAST ? 1 : 60) * D_NS;
	d_build(w);
	rc = d_plan(w);
	if (rc < 0) {
		d_close(w);
		return rc;
	}
	d_air_make(w);
	*ret = w;
	return 0;
}

static const struct world_port *d_ports(const struct world *w)
{
	return w->port;
}

static size_t d_truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->faults;
}

static bool d_next(struct world *w)
{
	w->before_ns = w->now_ns;
	w->now_ns += w->step_ns;
	if (w->now_ns >= w->at.length_ns)
		return false;
	d_air_step(w);
	for (unsigned i = 0; i < w->at.ports; i++) {
		d_live(w, i);
		d_dom_step(w, i);
	}
	return true;
}

static size_t d_sensors(const struct world *w, const struct world_sensor **ret)
{
	*ret = w->sensor;
	return D_SENSORS;
}

static size_t d_events(const struct world *w, const struct world_event **ret)
{
	*ret = &w->event[w->event_first];
	return w->event_count;
}

static double d_true_log_ber(const struct world *w, unsigned port)
{
	return log10(fmax(w->state[port].ber, 1e-200));
}

static double d_true_loss(const struct world *w, unsigned port)
{
	return w->state[port].lost;
}

static int64_t d_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_d = {
	.name = "D",
	.laws = d_laws,
	.open = d_open,
	.close = d_close,
	.ports = d_ports,
	.truths = d_truths,
	.next = d_next,
	.read = d_read,
	.sensors = d_sensors,
	.events = d_events,
	.true_log_ber = d_true_log_ber,
	.true_codeword_loss = d_true_loss,
	.now_ns = d_now_ns,
};

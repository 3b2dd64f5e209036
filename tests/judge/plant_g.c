/* Plant G: optical and copper links of a fabric for training, from published
 * optics, codes, standards and field studies, written without sight of any
 * detector. Its parts:
 *
 *   g_media   modules and cables     g_wear    what takes margin away
 *   g_eye     noise to errors        g_sudden  contacts, falls, air
 *   g_codes   errors to codewords    g_strange faults without a name
 *   g_growth  laws                   g_benign  what is no fault
 *   g_air     load and heat          g_plan    what befalls whom, and when
 *   g_stress  what events do         g_truth   what comes of it
 *   g_live    a port at a time       g_tick    links and counters
 *   g_dice    chance                 g_tell    readings
 */
#include "tests/judge/plants.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/judge/g_dice.h"
#include "tests/judge/g_media.h"
#include "tests/judge/g_plan.h"
#include "tests/judge/g_tell.h"
#include "tests/judge/g_tick.h"
#include "tests/judge/g_truth.h"
#include "tests/judge/g_world.h"

#define NS_S INT64_C(1000000000)

static int plant_open(const struct world_case *c, struct world **ret)
{
	struct world *w;

	if (c->ports == 0 || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0 ||
	    (unsigned)c->pace >= PACE_COUNT || (unsigned)c->mix >= MIX_COUNT)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->at = *c;
	w->step_ns = (c->pace == PACE_FAST ? 1 : 60) * NS_S;
	w->tick_s = (double)w->step_ns * 1e-9;
	w->length_s = (double)c->length_ns * 1e-9;
	w->dice = g_hash(c->seed) ^ g_hash(100 + (unsigned)c->mix * 8 +
					   (unsigned)c->pace * 2 + c->hard);
	g_eyes_fill(&w->eyes);
	g_media_fill(w);
	g_plan_fill(w);
	g_truth_fill(w);
	*ret = w;
	return 0;
}

static void plant_close(struct world *w)
{
	free(w);
}

static const struct world_port *plant_ports(const struct world *w)
{
	return w->port;
}

static size_t plant_truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->events;
}

static bool plant_next(struct world *w)
{
	w->now_ns += w->step_ns;
	if (w->now_ns >= w->at.length_ns)
		return false;
	w->now_s = (double)w->now_ns * 1e-9;
	g_tick(w);
	return true;
}

static bool plant_read(struct world *w, unsigned port,
		       struct world_reading *ret)
{
	return g_tell_get(w, port, ret);
}

static size_t plant_sensors(const struct world *w,
			    const struct world_sensor **ret)
{
	*ret = w->sensor;
	return w->sensors;
}

static size_t plant_events(const struct world *w,
			   const struct world_event **ret)
{
	*ret = w->fresh;
	return w->freshes;
}

static double plant_log_ber(const struct world *w, unsigned port)
{
	return w->state[port].log_ber;
}

static double plant_loss(const struct world *w, unsigned port)
{
	return w->state[port].loss;
}

static int64_t plant_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_g = {
	.name = "g",
	.laws = g_growth_laws,
	.open = plant_open,
	.close = plant_close,
	.ports = plant_ports,
	.truths = plant_truths,
	.next = plant_next,
	.read = plant_read,
	.sensors = plant_sensors,
	.events = plant_events,
	.true_log_ber = plant_log_ber,
	.true_codeword_loss = plant_loss,
	.now_ns = plant_now_ns,
};

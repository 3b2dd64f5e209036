/* Plant F: links as published physics, standards and field studies have them,
 * written without sight of any detector. Its parts:
 *
 *   f_cage    modules and cables      f_wear     what takes margin away
 *   f_codes   errors and their codes  f_sudden   bursts, falls, air
 *   f_growth  laws                    f_strange  faults without a name
 *   f_link    causes to errors        f_usual    benign things
 *   f_plan    what befalls whom       f_truth    what comes of it
 *   f_tick    one tick                f_tell     readings
 */
#include "tests/judge/plants.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/judge/f_cage.h"
#include "tests/judge/f_dice.h"
#include "tests/judge/f_plan.h"
#include "tests/judge/f_tell.h"
#include "tests/judge/f_tick.h"
#include "tests/judge/f_truth.h"
#include "tests/judge/f_world.h"

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
	w->dice = c->seed * 31 + (unsigned)c->mix * 7 + (unsigned)c->pace;
	for (int i = 0; i < 4; i++)
		(void)f_dice(&w->dice);
	w->dice ^= UINT64_C(0xf1b3e5);
	f_eyes_fill(&w->eyes);
	f_cages_fill(w);
	f_plan_fill(w);
	f_truth_fill(w);
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
	f_tick(w);
	f_tell_monitors(w);
	f_tell_sensors(w);
	return true;
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

static int64_t plant_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_f = {
	.name = "f",
	.laws = f_growth_laws,
	.open = plant_open,
	.close = plant_close,
	.ports = plant_ports,
	.truths = plant_truths,
	.next = plant_next,
	.read = f_tell_reading,
	.sensors = plant_sensors,
	.events = plant_events,
	.true_log_ber = plant_log_ber,
	.true_codeword_loss = f_tick_loss,
	.now_ns = plant_now_ns,
};

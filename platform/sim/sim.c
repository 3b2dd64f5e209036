#include "platform/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "agent/base/number.h"
#include "petrel/plant.h"
#include "platform/sim/dom.h"
#include "platform/sim/follow.h"
#include "platform/sim/publish.h"

#define SPEED_SCALE 1000000u
#define SPEED_MAX 10000
#define ALL_NS (60 * NS_PER_S)	/* how often what stays is told again */
#define REST_AT_ONCE 16		/* of so many modules: a read must not wait */

static const char *option(const struct platform_env *env, const char *key)
{
	const char *text = env->option(env->option_context, key);

	return text && text[0] != '\0' ? text : NULL;
}

static int speed_read(const struct platform_env *env, double *ret,
		      struct diag *d)
{
	const char *text = option(env, "speed");
	int64_t scaled = SPEED_SCALE;

	if (text && (number_parse_scaled(text, strlen(text), SPEED_SCALE,
					 &scaled) < 0 || scaled <= 0 ||
		     scaled > (int64_t)SPEED_MAX * SPEED_SCALE))
		return diag_set(d, -EINVAL, "[Sim] speed is '%s'; expected a "
				"number above 0, up to %d", text, SPEED_MAX);
	*ret = (double)scaled / SPEED_SCALE;
	return 0;
}

static int ports_make(struct sim *s)
{
	s->port_count = plant_port_count(s->plant);
	s->port = calloc(s->port_count, sizeof(*s->port));
	s->told = calloc(s->port_count, sizeof(*s->told));
	s->dom = dom_new();
	if (!s->port || !s->told || !s->dom)
		return -ENOMEM;
	for (size_t i = 0; i < s->port_count; i++) {
		plant_port_facts(s->plant, i, &s->port[i].facts);
		s->port[i].first = s->port[i].facts.first_lane == 1;
	}
	return 0;
}

static void sim_close(void *instance)
{
	struct sim *s = instance;

	if (!s)
		return;
	if (s->timer_fd >= 0)
		(void)close(s->timer_fd);	/* nothing was written */
	dom_free(s->dom);
	plant_close(s->plant);
	free(s->port);
	free(s->told);
	free(s);
}

static int sim_make(struct sim *s, const struct platform_env *env,
		    struct diag *d)
{
	const char *path = option(env, "scenario");
	int rc;

	if (!path)
		return diag_set(d, -EINVAL, "[Sim] scenario is not set; "
				"expected the path of a scenario file");
	rc = speed_read(env, &s->speed, d);
	if (rc < 0)
		return rc;
	rc = plant_open_file(path, &s->plant, d);
	if (rc < 0)
		return diag_prefix(d, rc, "[Sim] scenario");
	plant_pace(s->plant, s->speed);
	if (ports_make(s) < 0)
		return diag_set(d, -ENOMEM, "[Sim] no memory for %zu ports",
				plant_port_count(s->plant));
	if (s->blocking)
		return 0;
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC,
				     TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->timer_fd < 0)
		return diag_set(d, -errno, "[Sim] timer: %s", strerror(errno));
	return 0;
}

static int sim_open(const struct platform_env *env, void **ret_instance,
		    struct diag *d)
{
	struct sim *s = calloc(1, sizeof(*s));
	struct mono now = clock_mono_now();
	int rc;

	if (!s)
		return diag_set(d, -ENOMEM, "[Sim] no memory");
	s->host = env->host;
	s->blocking = env->blocking;
	s->timer_fd = -1;
	s->start = follow_start(now);
	rc = sim_make(s, env, d);
	if (rc < 0) {
		sim_close(s);
		return rc;
	}
	follow_wake(s, now);
	*ret_instance = s;
	return 0;
}

/* The least score: a scenario that was left in the configuration must not
 * make a real switch a simulated one.
 */
static int sim_probe(const struct platform_env *env, struct diag *d)
{
	if (option(env, "scenario"))
		return 1;
	return diag_set(d, 0, "[Sim] scenario is not set");
}

static int sim_inventory(void *instance, struct diag *d)
{
	struct sim *s = instance;

	(void)d;	/* what the plant has is known from the start */
	if (s->blocking)
		return 0;	/* sensors become known when they are read */
	follow_told(s);
	publish_switch(s->host, s->plant);
	for (size_t i = 0; i < s->port_count; i++) {
		publish_port(s->host, &s->port[i]);
		if (s->told[i].present)
			publish_module(s->host, &s->port[i],
				       s->told[i].serial,
				       follow_module_lanes(s, i));
	}
	s->known = true;
	return 0;
}

static int sim_event_fd(void *instance, uint32_t *ret_want)
{
	const struct sim *s = instance;

	*ret_want = EPOLLIN;
	return s->timer_fd;
}

static void sim_event(void *instance, struct mono now)
{
	struct sim *s = instance;
	uint64_t count;

	if (s->timer_fd < 0)
		return;
	(void)!read(s->timer_fd, &count, sizeof(count));	/* or not yet */
	(void)follow(s, now, NULL);	/* the next event goes on */
}

static struct read_group age_of(const struct sim *s, int64_t plant_ns,
				struct mono now)
{
	struct mono taken = follow_real_time(s, plant_ns, now);

	return (struct read_group){ .taken = taken };
}

typedef void port_read_fn(struct sim *s, size_t port,
			  const struct plant_port *p, struct mono now);

static int ports_read(struct sim *s, struct mono now, port_read_fn *fn,
		      struct diag *d)
{
	struct plant_port p;
	int rc = follow(s, now, d);

	for (size_t i = 0; i < s->port_count && rc == 0; i++) {
		plant_port(s->plant, i, &p);
		fn(s, i, &p, now);
	}
	return rc;
}

static void port_counters(struct sim *s, size_t port,
			  const struct plant_port *p, struct mono now)
{
	struct read_group age = age_of(s, plant_now_ns(s->plant), now);

	if (p->counters_readable)
		publish_counters(s->host, &s->port[port], p, &age);
}

/* All of them silent: the source itself has nothing. */
static bool counters_are_silent(const struct sim *s)
{
	struct plant_port p;

	for (size_t i = 0; i < s->port_count; i++) {
		plant_port(s->plant, i, &p);
		if (p.counters_readable)
			return false;
	}
	return true;
}

static int counters_read(void *instance, struct mono now, struct diag *d)
{
	struct sim *s = instance;
	int rc = ports_read(s, now, port_counters, d);

	if (rc == 0 && counters_are_silent(s))
		return diag_set(d, -ENODATA, "no port answers");
	return rc;
}

static void port_queues(struct sim *s, size_t port, const struct plant_port *p,
			struct mono now)
{
	int64_t plant_ns = plant_now_ns(s->plant);
	struct read_group age = age_of(s, plant_ns, now);

	age.window_ns = (int64_t)((double)(plant_ns - s->queues_read_ns) /
				  s->speed);
	if (p->counters_readable)
		publish_queues(s->host, &s->port[port], p,
			       s->told[port].peak, &age);
	if (age.window_ns > 0)
		memset(s->told[port].peak, 0, sizeof(s->told[port].peak));
}

static int queues_read(void *instance, struct mono now, struct diag *d)
{
	struct sim *s = instance;
	int rc = ports_read(s, now, port_queues, d);

	if (rc == 0)
		s->queues_read_ns = plant_now_ns(s->plant);
	return rc;
}

/* The module is told by its first port, when it took readings anew. */
static void port_dom(struct sim *s, size_t port, const struct plant_port *p,
		     struct mono now)
{
	struct publish_port *to = &s->port[port];
	struct read_group age = age_of(s, p->dom_ns, now);
	struct dom_parts parts;

	if (!to->first || !p->present || !to->facts.monitored)
		return;
	if (to->dom_ns < 0)
		to->all_ns = INT64_MIN;
	parts.each = to->dom_ns != p->dom_ns;
	parts.rest = s->rest_left > 0 && (to->all_ns == INT64_MIN ||
					  age.taken.ns - to->all_ns > ALL_NS);
	if (!parts.each && !parts.rest)
		return;
	s->rest_left -= parts.rest;
	if (parts.rest)
		to->all_ns = age.taken.ns;
	to->dom_ns = p->dom_ns;
	dom_tell(s->dom, s->host, s->plant, s->port, port,
		 follow_module_ports(s, port), parts, &age);
}

static int dom_read(void *instance, struct mono now, struct diag *d)
{
	struct sim *s = instance;
	double period = (double)plant_dom_period_ns(s->plant) / s->speed;
	int rc;

	s->rest_left = REST_AT_ONCE;
	rc = ports_read(s, now, port_dom, d);
	if (rc == 0)
		s->host->source(s->host->context, SOURCE_DOM, SOURCE_FRESH,
				(int64_t)period, NULL);
	return rc;
}

static void port_status(struct sim *s, size_t port, const struct plant_port *p,
			struct mono now)
{
	struct read_group age = age_of(s, plant_now_ns(s->plant), now);

	publish_status(s->host, &s->port[port], p, &age);
}

static int status_read(void *instance, struct mono now, struct diag *d)
{
	return ports_read(instance, now, port_status, d);
}

static int sensors_read(void *instance, struct mono now, struct diag *d)
{
	struct sim *s = instance;
	struct plant_sensor sensor;
	struct read_group age;
	int rc = follow(s, now, d);

	age = age_of(s, plant_now_ns(s->plant), now);
	for (size_t i = 0; i < plant_sensor_count(s->plant) && rc == 0; i++) {
		plant_sensor(s->plant, i, &sensor);
		publish_sensor(s->host, &sensor, &age);
	}
	return rc;
}

#define SOURCE(n, help_text, period, may_block, hook) \
	static const struct platform_source source_##n = { \
		.abi = PLATFORM_ABI, \
		.size = sizeof(struct platform_source), \
		.name = #n, \
		.help = (help_text), \
		.period_ms = (period), \
		.blocks = (may_block), \
		.read = (hook), \
	}

SOURCE(counters, "Port, FEC and PFC counters", 1000, false, counters_read);
SOURCE(queues, "Queue counters, occupancy and watermarks", 1000, false,
       queues_read);
SOURCE(dom, "Modules and their lanes, when they took readings anew", 1000,
       false, dom_read);
SOURCE(ports, "Link state and configuration; changes at once", 1000, false,
       status_read);
SOURCE(sensors, "Temperatures and fans of the box", 10000, true,
       sensors_read);

static const struct platform_source *const sources[] = {
	[SOURCE_COUNTERS] = &source_counters,
	[SOURCE_QUEUES] = &source_queues,
	[SOURCE_DOM] = &source_dom,
	[SOURCE_PORTS] = &source_ports,
	[SOURCE_SENSORS] = &source_sensors,
	[PUBLISH_SOURCE_COUNT] = NULL,
};

const struct platform_driver sim_driver = {
	.abi = PLATFORM_ABI,
	.size = sizeof(struct platform_driver),
	.name = "sim",
	.probe = sim_probe,
	.open = sim_open,
	.close = sim_close,
	.inventory = sim_inventory,
	.sources = sources,
	.event_fd = sim_event_fd,
	.event = sim_event,
};

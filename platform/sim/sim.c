/* The `sim` platform: a switch that the plant simulates from a scenario file.
 *
 * Options: scenario (a path as the process sees it, not below root), speed
 * (simulated seconds per real second, 1). Times stay those of the real clock:
 * another speed scales all rates.
 *
 * Time 0 of the scenario: when the parent process of the same program began
 * (petreld's supervisor, whose core and reader are its children), else when
 * the instance was opened; rounded down to a whole second of CLOCK_MONOTONIC.
 * So core and reader agree, and a restarted child finds the switch where it
 * would be by now, with its counters advanced.
 */
#include "platform/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "agent/base/number.h"
#include "petrel/plant.h"
#include "platform/sim/dom.h"
#include "platform/sim/sim_clock.h"
#include "platform/sim/sim_publish.h"

#define SPEED_SCALE 1000000u
#define ALL_NS (60 * NS_PER_S)	/* period of values that do not change */
#define REST_AT_ONCE 16		/* modules per read, which must not wait */

static int ports_make(struct sim *s)
{
	s->port_count = plant_port_count(s->plant);
	s->port = calloc(s->port_count, sizeof(*s->port));
	s->dom = dom_new();
	if (!s->port || !s->dom)
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
	free(s);
}

static int sim_make(struct sim *s, const struct platform_env *env,
		    struct diag *d)
{
	const char *path = driver_option(&sim_driver, env, "scenario");
	const char *speed = driver_option(&sim_driver, env, "speed");
	int64_t scaled = SPEED_SCALE;
	int rc;

	if (!path)
		return diag_set(d, -EINVAL, "[Sim] scenario is not set; "
				"expected the path of a scenario file");
	if (speed)
		(void)number_parse_scaled(speed, strlen(speed), SPEED_SCALE,
					  &scaled);	/* valid */
	s->speed = (double)scaled / SPEED_SCALE;
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
	struct mono now = clock_mono_now();
	struct sim *s;
	void *memory;
	int rc = driver_instance_new(&sim_driver, env, sizeof(*s), &memory, d);

	if (rc < 0)
		return rc;
	s = memory;
	s->host = env->host;
	s->blocking = env->blocking;
	s->timer_fd = -1;
	s->start = sim_start(now);
	rc = sim_make(s, env, d);
	if (rc < 0) {
		sim_close(s);
		return rc;
	}
	sim_wake(s, now);
	*ret_instance = s;
	return 0;
}

/* The lowest score: a scenario left in the configuration must not turn a real
 * switch into a simulated one.
 */
static int sim_probe(const struct platform_env *env, struct diag *d)
{
	if (driver_option(&sim_driver, env, "scenario"))
		return 1;
	return diag_set(d, 0, "[Sim] scenario is not set");
}

static int sim_inventory(void *instance, struct diag *d)
{
	struct sim *s = instance;

	(void)d;	/* the plant's parts are known from the start */
	if (s->blocking)
		return 0;	/* sensors become known when read */
	sim_told(s);
	publish_switch(s->host, s->plant);
	for (size_t i = 0; i < s->port_count; i++) {
		publish_port(s->host, &s->port[i]);
		if (s->port[i].present)
			publish_module(s->host, &s->port[i],
				       sim_module_lanes(s, i));
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
	(void)sim_follow(s, now, NULL);	/* the next event continues */
}

static struct read_group age_of(const struct sim *s, int64_t plant_ns,
				struct mono now)
{
	struct mono taken = sim_real_time(s, plant_ns, now);

	return (struct read_group){ .taken = taken };
}

typedef void port_read_fn(struct sim *s, size_t port,
			  const struct plant_port *p, struct mono now);

static int ports_read(struct sim *s, struct mono now, port_read_fn *fn,
		      struct diag *d)
{
	struct plant_port p;
	int rc = sim_follow(s, now, d);

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

/* If no port answers, the source itself has nothing. */
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
		publish_queues(s->host, &s->port[port], p, &age);
	if (age.window_ns > 0)
		memset(s->port[port].peak, 0, sizeof(s->port[port].peak));
}

static int queues_read(void *instance, struct mono now, struct diag *d)
{
	struct sim *s = instance;
	int rc = ports_read(s, now, port_queues, d);

	if (rc == 0)
		s->queues_read_ns = plant_now_ns(s->plant);
	return rc;
}

/* The first port reports the module, whenever it has new readings. */
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
		 sim_module_ports(s, port), parts, &age);
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
	int rc = sim_follow(s, now, d);

	age = age_of(s, plant_now_ns(s->plant), now);
	for (size_t i = 0; i < plant_sensor_count(s->plant) && rc == 0; i++) {
		plant_sensor(s->plant, i, &sensor);
		publish_sensor(s->host, &sensor, &age);
	}
	return rc;
}

static const struct platform_source *const
	sources[PUBLISH_SOURCE_COUNT + 1] = {
	[SOURCE_COUNTERS] = DRIVER_SOURCE("counters", 1000, counters_read,
		.help = "Port, FEC and PFC counters"),
	[SOURCE_QUEUES] = DRIVER_SOURCE("queues", 1000, queues_read,
		.help = "Queue counters, occupancy and watermarks"),
	[SOURCE_DOM] = DRIVER_SOURCE("dom", 1000, dom_read,
		.help = "Modules and their lanes, when they have new readings"),
	[SOURCE_PORTS] = DRIVER_SOURCE("ports", 1000, status_read,
		.help = "Link state and configuration; changes at once"),
	[SOURCE_SENSORS] = DRIVER_SOURCE("sensors", 10000, sensors_read,
		.help = "Temperatures and fans of the switch", .blocks = true),
};

static const struct option_key options[] = {
	{ "scenario", OPTION_FILE, .help = "Scenario file of the simulated "
	  "switch, see petrel-scenario(5).", .at_start = true },
	{ "speed", OPTION_FACTOR, .max = 10000,
	  .help = "Simulated seconds in one real second.", .at_start = true },
	{ NULL },
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
	.options = options,
};

#include "agent/process/control.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "agent/process/drivers.h"
#include "agent/process/rights.h"
#include "agent/sample/relay.h"
#include "petrel/log.h"
#include "platform/registry.h"

/* The parts of the reader: a sampler whose hosts write to the relay. */
struct reader {
	struct process_env *env;
	struct loop *loop;
	struct sampler *sampler;
	struct relay_writer *relay;
	struct drivers drivers;
	struct config config;
};

/* Once all drivers are open: keeps only the rights that their sources need. */
static void drivers_tend(struct reader *r)
{
	struct diag d = { "" };

	drivers_open(&r->drivers);
	if (!r->drivers.done)
		return;
	if (rights_confine_more(rights_of_drivers(&r->config, r->env->drivers,
					   r->env->root_fd,
					   r->drivers.opened), &d) < 0) {
		log_err("reader", "%s", d.text);
		_exit(EXIT_RIGHTS_KEPT);
	}
}

static int host_get(void *context, const struct platform_driver *driver,
		    unsigned *ret_first, struct platform_host *ret)
{
	struct reader *r = context;
	const struct platform_driver *const *all =
		registry_drivers(r->env->drivers);
	unsigned n = 0;

	while (all[n] != driver)
		n++;
	*ret_first = 0;	/* the core assigns the numbers */
	relay_writer_host(r->relay, n, ret);
	return 0;
}

/* Sends values that did not fit before, and all of them to a new core. */
static void tick(void *context, struct mono due, struct mono now,
		 uint64_t skipped)
{
	struct reader *r = context;

	(void)due;
	(void)now;
	(void)skipped;	/* the sampler's sources are late, not the relay */
	relay_writer_run(r->relay);
}

static const char *option_get(void *context, const char *section,
			      const char *key)
{
	struct reader *r = context;

	return config_option(&r->config, section, key);
}

static void config_changed(void *context, uint32_t events, struct mono now)
{
	struct reader *r = context;
	uint64_t count;

	(void)events;	/* only ever readable */
	(void)now;	/* the schedule keeps its own time */
	if (read(r->env->config_event_fd[ROLE_READER], &count,
		 sizeof(count)) < 0)
		return;
	(void)control_config(r->env->control, &r->config);
	log_least_set(r->config.log_level);
	sampler_reload(r->sampler, r->config.interval_ns);
}

static void beat(void *context, struct mono now, uint64_t skipped)
{
	struct reader *r = context;

	(void)skipped;	/* the beat's time shows that */
	control_beat(&r->env->control->process[ROLE_READER], now);
}

static void drivers_retry(void *context, struct mono now, uint64_t skipped)
{
	struct reader *r = context;

	(void)now;
	(void)skipped;	/* a missed period does not matter */
	if (!r->drivers.done)
		drivers_tend(r);
}

static int reader_start(struct reader *r)
{
	struct sampler_env env = { .root_fd = r->env->root_fd,
				   .blocking = true, .context = r,
				   .host = host_get, .option = option_get,
				   .tick = tick };
	struct mono now = clock_mono_now();
	int rc = loop_new(32, 32, &r->loop);

	if (rc < 0)
		return rc;
	rc = relay_writer_new(r->env->relay, r->env->relay_event_fd, &r->relay);
	if (rc < 0)
		return rc;
	env.loop = r->loop;
	env.interval_ns = r->config.interval_ns;
	rc = sampler_new(&env, &r->sampler);
	if (rc < 0)
		return rc;
	r->drivers = (struct drivers){ .all = r->env->drivers,
				       .sampler = r->sampler,
				       .config = &r->config,
				       .root_fd = r->env->root_fd,
				       .blocking = true };
	drivers_tend(r);
	if (loop_timer_add(r->loop, now, NS_PER_S, beat, r) < 0 ||
	    loop_timer_add(r->loop, now, DRIVERS_RETRY_NS, drivers_retry,
			   r) < 0)
		return -ENOSPC;
	return loop_fd_set(r->loop, r->env->config_event_fd[ROLE_READER],
			   EPOLLIN, config_changed, r);
}

int reader_run(struct process_env *env)
{
	struct reader r = { .env = env };
	int rc;

	(void)control_config(env->control, &r.config);
	log_least_set(r.config.log_level);
	rc = reader_start(&r);
	if (rc == 0)
		rc = loop_run(r.loop);
	if (rc < 0)
		log_err("reader", "ended error=%d", rc);
	sampler_free(r.sampler);
	relay_writer_free(r.relay);
	loop_free(r.loop);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

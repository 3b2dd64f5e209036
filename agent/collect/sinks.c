#include "agent/collect/sinks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/collect/feed.h"
#include "agent/collect/http_client.h"
#include "petrel/clock.h"

static const struct sink_driver *const drivers[] = {
	&database_driver,
	&rollup_driver,
	&known_driver,
	&remote_write_driver,
	&alertmanager_driver,
	&webhook_driver,
	&ndjson_driver,
};

#define DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

struct sinks {
	unsigned count;
	struct {
		const struct sink_driver *driver;
		void *sink;
		struct feed *feed;
	} of[DRIVERS];
};

/* Not configured is no failure. */
static int sink_start(struct sinks *s, const struct sink_driver *driver,
		      const struct sink_env *env, struct diag *d)
{
	struct feed_env feed = { .driver = driver, .dir_fd = env->spool_fd,
				 .end = env->end, .retry_ns = NS_PER_S,
				 .give_up_ns = env->config->give_up_ns };
	int err = driver->open(env, &feed.sink, d);

	if (err < 0 || !feed.sink)
		return err;
	s->of[s->count].driver = driver;
	s->of[s->count].sink = feed.sink;
	err = feed_new(&feed, &s->of[s->count++].feed);
	return err < 0 ? diag_set(d, err, "sink %s: %s", driver->name,
				  strerror(-err)) : 0;
}

int sinks_open(const struct sink_env *env, struct sinks **ret, struct diag *d)
{
	struct sinks *s = calloc(1, sizeof(*s));
	int err = s ? 0 : diag_set(d, -ENOMEM, "out of memory");

	for (size_t i = 0; err == 0 && i < DRIVERS; i++)
		err = sink_start(s, drivers[i], env, d);
	if (err < 0) {
		sinks_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

int sinks_check(const struct collector_config *config, struct diag *d)
{
	const struct collector_remote *r = &config->remote;
	const struct collector_alerts *a = &config->alerts;
	const struct collector_webhook *w = &config->webhook;
	const struct {
		const char *section;
		struct http_engine engine;
	} engines[] = {
		{ "RemoteWrite", { r->url, r->token_file, r->ca_file,
				   r->timeout_ns } },
		{ "Alertmanager", { a->url, a->token_file, a->ca_file,
				    a->timeout_ns } },
		{ "Webhook", { w->url, w->token_file, w->ca_file,
			       w->timeout_ns } },
	};
	const char *key;
	int err = 0;

	for (size_t i = 0; err == 0 &&
			   i < sizeof(engines) / sizeof(engines[0]); i++) {
		err = http_client_check(&engines[i].engine, &key, d);
		if (err < 0)
			return collector_fault(config, engines[i].section, key,
					       err, d);
	}
	for (size_t i = 0; err == 0 && i < DRIVERS; i++)
		if (drivers[i]->check)
			err = drivers[i]->check(config, d);
	return err;
}

void sinks_close(struct sinks *s)
{
	for (unsigned i = 0; s && i < s->count; i++) {
		feed_free(s->of[i].feed);
		if (s->of[i].driver->close)
			s->of[i].driver->close(s->of[i].sink);
	}
	free(s);
}

void sinks_allow(struct sinks *s, struct place end)
{
	for (unsigned i = 0; i < s->count; i++)
		feed_allow(s->of[i].feed, end);
}

uint64_t sinks_segment(struct sinks *s)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < s->count; i++) {
		uint64_t segment = feed_segment(s->of[i].feed);

		if (segment < first)
			first = segment;
	}
	return first;
}

bool sinks_figures(struct sinks *s, unsigned index, struct sink_figures *ret)
{
	if (index >= s->count)
		return false;
	feed_figures(s->of[index].feed, ret);
	return true;
}

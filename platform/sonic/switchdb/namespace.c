#include "platform/sonic/switchdb/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECK_NS (5 * NS_PER_S)	/* how often to look for the file */
#define WAKE_NS (10 * NS_PER_S)	/* rows are written after their names */

int namespace_init(struct namespace *s, const struct namespace_env *env)
{
	int rc;

	s->host = env->host;
	s->told = env->told;
	s->owner = env->owner;
	s->root_fd = env->root_fd;
	s->socket = env->socket;
	(void)snprintf(s->name, sizeof(s->name), "%s", env->name);
	(void)snprintf(s->config, sizeof(s->config), "%s", env->config);
	topology_init(&s->topology, env->host, env->parent);
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		channel_init(&s->channel[i],
			     database_word((enum database_name)i),
			     env->root_fd, env->epoll_fd);
	for (unsigned i = 0; i < FLEX_GROUP_COUNT; i++)
		s->flex[i].interval_ns =
			flex_group_info((enum flex_group)i)->interval_ns;
	rc = polls_init(s);
	settings_init(s, env->epoll_fd);
	maps_init(s);
	return rc;
}

void namespace_fini(struct namespace *s)
{
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		channel_fini(&s->channel[i]);
	polls_fini(s);
	settings_fini(s);
	maps_fini(s);
	chassis_fini(s);
	topology_fini(&s->topology);
	delays_fini(&s->delays);
}

/* None of those that were asked has failed. */
static bool all_well(const struct namespace *s)
{
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		if (s->channel[i].down_since.ns != 0)
			return false;
	return true;
}

/* Takes over where the databases are. Unchanged ones stay connected. */
static void databases_take(struct namespace *s, const struct databases *found)
{
	for (unsigned i = 0; i < DATABASE_COUNT; i++) {
		const struct database *d = &found->of[i];

		if (database_is_same(&s->databases.of[i], d))
			continue;
		s->databases.of[i] = *d;
		channel_move(&s->channel[i], d);
		s->maps.stale = true;
		s->topology.generation++;	/* separators are in commands */
	}
}

/* Where SONiC's images put it: asicN has redisN. */
static const char *namespace_socket(const struct namespace *s, char *text,
				    size_t cap)
{
	if (strncmp(s->name, "asic", 4) != 0)
		return DATABASE_SOCKET_DEFAULT;
	(void)snprintf(text, cap, "/var/run/redis%s/redis.sock", s->name + 4);
	return text;
}

int namespace_databases(struct namespace *s, struct mono now, struct diag *d)
{
	struct databases found;
	struct diag why = { "" };
	char usual[DATABASE_PATH_MAX];
	int rc;

	if (now.ns < s->databases_check.ns ||
	    (s->databases_known && all_well(s)))
		return s->databases_reason[0] ?
		       diag_set(d, -EINVAL, "%s", s->databases_reason) : 0;
	s->databases_check.ns = now.ns + CHECK_NS;
	memset(&found, 0, sizeof(found));	/* compared as octets */
	rc = databases_read(s->root_fd, s->config, &found, &why);
	s->databases_known = rc == 0;
	(void)snprintf(s->databases_reason, sizeof(s->databases_reason),
		       "%.159s", rc == -EINVAL ? why.text : "");
	if (rc == -EINVAL)
		return diag_set(d, rc, "%s", why.text);
	if (rc < 0)		/* not there (yet): one instance, usual ids */
		databases_default(namespace_socket(s, usual, sizeof(usual)),
				  &found);
	if (s->socket)
		databases_override(&found, s->socket);
	databases_take(s, &found);
	return 0;
}

void namespace_names_came(struct namespace *s)
{
	s->wake = s->maps.at;
	s->wake_until.ns = s->maps.at.ns + WAKE_NS;
}

void namespace_wake(struct namespace *s, struct mono now)
{
	struct diag why;

	if (s->wake.ns == 0 || now.ns < s->wake.ns || s->maps.running)
		return;
	s->wake.ns = now.ns < s->wake_until.ns ? now.ns + NS_PER_S : 0;
	for (unsigned i = 0; i < TABLE_POLLED_COUNT; i++) {
		enum sonic_source source = (enum sonic_source)table_get(
			(enum table_number)i)->source;

		/* Why it has nothing it tells; or it is down, and told. */
		if (s->poll[source].result < 0 &&
		    s->poll[source].phase == POLL_IDLE)
			(void)poll_read(s, source, now, &why);
	}
}

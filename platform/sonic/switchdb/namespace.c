#include "platform/sonic/switchdb/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECK_NS (5 * NS_PER_S)	/* how often to check the file */

/* True if none of the queries has failed. */
static bool all_well(const struct namespace *s)
{
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		if (s->channel[i].down_since.ns != 0)
			return false;
	return true;
}

/* Takes over the addresses of the databases. Unchanged ones stay connected. */
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

/* The usual place in SONiC's images: asicN has redisN. */
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
	if (rc < 0)		/* no file (yet): one instance, usual ids */
		databases_default(namespace_socket(s, usual, sizeof(usual)),
				  &found);
	if (s->socket)
		databases_override(&found, s->socket);
	databases_take(s, &found);
	return 0;
}

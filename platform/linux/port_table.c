#include "platform/linux/port_table.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_arp.h>

#define PATTERNS_MAX 32u
#define PATTERN_TEXT_MAX 256u

struct port_table {
	const struct platform_host *host;
	bool any_kind;			/* patterns were asked for by name */
	char text[PATTERN_TEXT_MAX];	/* the patterns, each with its NUL */
	const char *pattern[PATTERNS_MAX];
	size_t pattern_count;
	size_t count;
	size_t next;			/* where the next find begins */
	struct port port[PORT_TABLE_MAX];	/* by rising ifindex */
};

static int patterns_split(struct port_table *t, struct diag *d)
{
	char *rest = t->text;
	char *one;

	while ((one = strsep(&rest, ",")) != NULL) {
		if (*one == '\0')
			return diag_set(d, -EINVAL, "interfaces: an empty "
					"pattern; expected patterns joined by "
					"commas, such as %s",
					PORT_TABLE_DEFAULT);
		if (t->pattern_count == PATTERNS_MAX)
			return diag_set(d, -EINVAL, "interfaces: more than "
					"%u patterns", PATTERNS_MAX);
		t->pattern[t->pattern_count++] = one;
	}
	return 0;
}

int port_table_new(const char *patterns, const struct platform_host *host,
		   struct port_table **ret, struct diag *d)
{
	const char *text = patterns ? patterns : PORT_TABLE_DEFAULT;
	struct port_table *t;
	int rc;

	if (strlen(text) >= PATTERN_TEXT_MAX)
		return diag_set(d, -EINVAL, "interfaces: longer than %u "
				"characters", PATTERN_TEXT_MAX - 1);
	t = calloc(1, sizeof(*t));
	if (!t)
		return diag_set(d, -ENOMEM, "no memory for %u ports",
				PORT_TABLE_MAX);
	t->host = host;
	t->any_kind = patterns != NULL;
	memcpy(t->text, text, strlen(text));
	rc = patterns_split(t, d);
	if (rc < 0) {
		port_table_free(t);
		return rc;
	}
	*ret = t;
	return 0;
}

void port_table_free(struct port_table *t)
{
	free(t);
}

/* By default only what has a plug, or stands for one: other kinds carry the
 * frames of ports that are counted already.
 */
static bool kind_is_port(const struct link_message *m)
{
	return !(m->has & LINK_KIND) || strcmp(m->kind, "veth") == 0 ||
	       strcmp(m->kind, "netdevsim") == 0;
}

static bool is_port(const struct port_table *t, const struct link_message *m)
{
	if (m->arphrd != ARPHRD_ETHER || (!t->any_kind && !kind_is_port(m)))
		return false;
	for (size_t i = 0; i < t->pattern_count; i++)
		if (fnmatch(t->pattern[i], m->name, 0) == 0)
			return true;
	return false;
}

/* The first place whose index is not below ifindex. */
static size_t place_of(const struct port_table *t, int ifindex)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->port[mid].ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct port *port_table_find(struct port_table *t, int ifindex)
{
	size_t at = t->next;

	if (at >= t->count || t->port[at].ifindex != ifindex)
		at = place_of(t, ifindex);
	if (at >= t->count || t->port[at].ifindex != ifindex)
		return NULL;
	t->next = at + 1;
	return &t->port[at];
}

static void port_remove(struct port_table *t, size_t at)
{
	t->host->gone(t->host->context, t->port[at].handle);
	memmove(&t->port[at], &t->port[at + 1],
		(t->count - at - 1) * sizeof(t->port[0]));
	t->count--;
}

void port_table_drop(struct port_table *t, int ifindex)
{
	struct port *p = port_table_find(t, ifindex);

	if (p)
		port_remove(t, (size_t)(p - t->port));
}

void port_table_sweep(struct port_table *t, uint32_t round)
{
	for (size_t i = t->count; i > 0; i--)
		if (t->port[i - 1].round != round)
			port_remove(t, i - 1);
}

/* Another interface holds that name: it was renamed or made anew, and the
 * message that said so is lost or still to come.
 */
static void name_release(struct port_table *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->port[i].link.name, name) == 0) {
			port_remove(t, i);
			return;
		}
}

static struct port *port_insert(struct port_table *t,
				const struct link_message *m)
{
	struct entity_key key = { .kind = ENTITY_PORT };
	uint32_t handle;
	size_t at;

	name_release(t, m->name);
	memcpy(key.name, m->name, sizeof(m->name));
	if (t->count == PORT_TABLE_MAX ||
	    t->host->entity(t->host->context, &key, &handle) < 0)
		return NULL;
	at = place_of(t, m->ifindex);
	memmove(&t->port[at + 1], &t->port[at],
		(t->count - at) * sizeof(t->port[0]));
	t->count++;
	t->port[at] = (struct port){ .ifindex = m->ifindex, .handle = handle,
				     .fec_told = -1 };
	memcpy(t->port[at].link.name, m->name, sizeof(m->name));
	return &t->port[at];
}

struct port *port_table_take(struct port_table *t, const struct link_message *m,
			     uint32_t round)
{
	struct port *p = port_table_find(t, m->ifindex);

	if (p && (strcmp(p->link.name, m->name) != 0 || !is_port(t, m))) {
		port_table_drop(t, m->ifindex);
		p = NULL;
	}
	if (!p && is_port(t, m))
		p = port_insert(t, m);
	if (!p)
		return NULL;
	if (strcmp(p->link.alias, m->alias) != 0)
		t->host->attribute(t->host->context, p->handle,
				   ATTRIBUTE_ALIAS, m->alias);
	p->round = round;
	return p;
}

size_t port_table_count(const struct port_table *t)
{
	return t->count;
}

struct port *port_table_get(struct port_table *t, size_t n)
{
	return &t->port[n];
}

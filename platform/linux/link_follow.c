#include "platform/linux/link_follow.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "petrel/link.h"
#include "platform/linux/linux_source.h"

#define RETRIES_MAX 3u		/* of a dump that changing links interrupted */
#define NOTES_PER_TAKE 256
#define WAIT_MS 1000
/* The uncertainty of a notification: its way through the socket. */
#define NOTE_UNCERTAINTY_NS (5 * NS_PER_MS)

/* The kernel's operstate to RFC 2863. Source: linux/if.h, IF_OPER_*. */
static const uint8_t oper_of[] = {
	[IF_OPER_UNKNOWN] = OPER_UNKNOWN,
	[IF_OPER_NOTPRESENT] = OPER_NOT_PRESENT,
	[IF_OPER_DOWN] = OPER_DOWN,
	[IF_OPER_LOWERLAYERDOWN] = OPER_LOWER_LAYER_DOWN,
	[IF_OPER_TESTING] = OPER_TESTING,
	[IF_OPER_DORMANT] = OPER_DORMANT,
	[IF_OPER_UP] = OPER_UP,
};

int link_follow_open(struct link_follow *f, const char *patterns,
		     const struct platform_host *host, int epoll_fd,
		     bool tells, struct diag *d)
{
	int rc;

	*f = (struct link_follow){ .host = host, .tells = tells,
				   .again = true };
	rc = port_table_new(patterns, host, &f->ports, d);
	if (rc < 0)
		return rc;
	/* Listening begins before the first dump, so nothing falls between. */
	rc = netlink_open(&f->listen, NETLINK_ROUTE, RTNLGRP_LINK, epoll_fd);
	if (rc == 0)
		rc = dump_open(&f->dump, epoll_fd);
	if (rc < 0)
		diag_set(d, rc, "rtnetlink socket: %s; the kernel must offer "
			 "NETLINK_ROUTE", strerror(-rc));
	return rc;
}

void link_follow_close(struct link_follow *f)
{
	dump_close(&f->dump);
	netlink_close(&f->listen);
	port_table_free(f->ports);
	*f = (struct link_follow){ 0 };
}

static bool has_changed(const struct linux_port *p,
			const struct link_message *m)
{
	return !p->is_told || p->link.flags != m->flags ||
	       p->link.operstate != m->operstate;
}

/* Why it is down, as far as rtnetlink shows; ethtool may know better, so this
 * is reported only when the link changes.
 */
static int64_t down_reason_of(const struct link_message *m)
{
	if (!(m->flags & IFF_UP))
		return DOWN_ADMIN;
	return m->flags & IFF_LOWER_UP ? DOWN_UNKNOWN : DOWN_NO_CARRIER;
}

static void values_tell(const struct link_follow *f, const struct linux_port *p,
			const struct link_message *m)
{
	const struct {
		unsigned needs;		/* enum link_field; 0 always there */
		enum quantity quantity;
		int64_t value;
	} rows[] = {
		{ 0, Q_ADMIN_STATUS, (m->flags & IFF_UP) != 0 },
		{ LINK_MTU, Q_MTU_OCTETS, m->mtu_octets },
		{ LINK_CARRIER_CHANGES, Q_LINK_TRANSITIONS,
		  m->carrier_changes },
		{ LINK_CARRIER_DOWN_COUNT, Q_LINK_DOWN_COUNT,
		  m->carrier_down_count },
	};
	const struct platform_host *h = f->host;
	struct read_group age = f->age;

	h->group(h->context, LINUX_LINKS, p->handle, &age);
	if ((m->has & LINK_OPERSTATE) && m->operstate < sizeof(oper_of))
		h->sample(h->context, Q_OPER_STATUS, 0, oper_of[m->operstate],
			  QUALITY_GOOD);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((m->has & rows[i].needs) == rows[i].needs)
			h->sample(h->context, rows[i].quantity, 0,
				  rows[i].value, QUALITY_GOOD);
	if (!link_message_is_up(m) && has_changed(p, m)) {
		age.part = PART_REASON;
		h->group(h->context, LINUX_LINKS, p->handle, &age);
		h->sample(h->context, Q_DOWN_REASON, 0, down_reason_of(m),
			  QUALITY_GOOD);
	}
}

/* Falling edges since the last message. Shutting a port down by configuration
 * is one too, and some drivers count it late or never.
 */
static uint32_t edges_between(const struct link_message *was,
			      const struct link_message *is)
{
	uint32_t edges = 0;

	if (was->has & is->has & LINK_CARRIER_DOWN_COUNT)
		edges = is->carrier_down_count - was->carrier_down_count;
	if (edges == 0 && !link_message_is_up(is))
		edges = 1;
	return edges;
}

/* A link that fell and rose between two messages gives both events. The time is
 * read here: the loop's time may be from before the event.
 */
static void events_tell(const struct link_follow *f, const struct linux_port *p,
			const struct link_message *m)
{
	const struct platform_host *h = f->host;
	struct mono now = clock_mono_now();
	bool was_up = link_message_is_up(&p->link);
	bool is_up = link_message_is_up(m);
	uint32_t edges = was_up ? edges_between(&p->link, m) : 0;

	if (p->link.has == 0)
		return;
	if (edges > 0)
		h->event(h->context, p->handle, EVENT_LINK_DOWN, edges, now,
			 m->flags & IFF_UP ? NULL : "by configuration");
	if (is_up && (!was_up || edges > 0))
		h->event(h->context, p->handle, EVENT_LINK_UP, 1, now, NULL);
}

/* Messages of the dump and notifications arrive on two sockets. A message with
 * a lower count of carrier changes than the known one is old.
 */
static bool is_stale(const struct linux_port *p, const struct link_message *m)
{
	return (p->link.has & m->has & LINK_CARRIER_CHANGES) != 0 &&
	       (int32_t)(m->carrier_changes - p->link.carrier_changes) < 0;
}

static void message_take(void *context, struct nlmsghdr *h)
{
	struct link_follow *f = context;
	struct link_message m;
	struct linux_port *p;

	if (link_message_parse(h, &m) < 0)
		return;
	if (h->nlmsg_type == RTM_DELLINK) {
		port_table_drop(f->ports, m.ifindex);
		return;
	}
	p = port_table_take(f->ports, &m, f->round);
	if (!p || is_stale(p, &m))
		return;
	if (f->tells) {
		values_tell(f, p, &m);
		events_tell(f, p, &m);
	}
	p->link = m;
	p->is_told = p->is_told || f->tells;
}

int link_follow_ask(struct link_follow *f, struct mono now)
{
	size_t len;
	const void *body = link_message_request(&len);
	int rc = dump_ask(&f->dump, RTM_GETLINK, body, len, now);

	if (rc == -EBUSY)
		return 0;
	if (rc < 0)
		return rc;
	f->again = false;
	f->round++;
	return 0;
}

static void loss_tell(struct link_follow *f)
{
	const struct platform_host *h = f->host;

	f->again = true;
	if (f->tells)
		h->event(h->context, ENTITY_NONE, EVENT_OVERRUN, 1, f->now,
			 "link notifications were lost; links are read again");
}

/* Returns true when the queue is empty. After a loss the rest of the queue is
 * older than any dump that is asked for from now on.
 */
static bool notes_take(struct link_follow *f)
{
	bool lost = false;
	int rc = 1;

	f->age = (struct read_group){
		.taken = f->now, .uncertainty_ns = NOTE_UNCERTAINTY_NS };
	for (int i = 0; i < NOTES_PER_TAKE && rc != 0; i++) {
		f->age.taken.ns++;	/* each is a separate reading */
		rc = netlink_receive(&f->listen, message_take, f);
		lost = lost || rc < 0;
	}
	if (lost)
		loss_tell(f);
	return rc == 0;
}

/* An interrupted dump shows only some ports: the others stay. */
static void dump_end(struct link_follow *f)
{
	if (!f->dump.interrupted) {
		f->retries = 0;
		port_table_sweep(f->ports, f->round);
	} else if (f->retries++ < RETRIES_MAX) {
		f->again = true;
	}
}

static int dump_go_on(struct link_follow *f)
{
	int64_t taking_ns = f->now.ns - f->dump.asked.ns;
	int rc;

	f->age.taken.ns = f->now.ns - taking_ns / 2;
	f->age.uncertainty_ns = taking_ns / 2 + NOTE_UNCERTAINTY_NS;
	rc = dump_take(&f->dump, message_take, f, f->now);
	if (rc == 0)
		dump_end(f);
	else if (rc != -EINPROGRESS)
		f->again = true;
	return rc;
}

/* Takes the dump before the notifications: those about later changes are still
 * in their queue, so the last word is the newest. This does not hold if some
 * were lost, so the queue is emptied before a new dump.
 */
int link_follow_take(struct link_follow *f, struct mono now)
{
	int rc = 0;

	f->now = now;
	if (f->dump.running)
		rc = dump_go_on(f);
	if (rc < 0)
		return rc;
	if (!notes_take(f) || !f->again)
		return 0;
	rc = link_follow_ask(f, now);
	return rc < 0 ? rc : -EINPROGRESS;
}

int link_follow_list(struct link_follow *f, struct mono now)
{
	bool tells = f->tells;
	int rc = link_follow_ask(f, now);

	f->tells = false;
	if (rc == 0)
		rc = link_follow_take(f, now);
	f->tells = tells;
	return rc;
}

int link_follow_update(struct link_follow *f, struct mono now)
{
	int rc = link_follow_take(f, now);

	while (rc == -EINPROGRESS) {
		rc = netlink_wait(&f->dump.nl, WAIT_MS);
		if (rc == 0)
			rc = link_follow_take(f, clock_mono_now());
	}
	return rc;
}

/* --- which interfaces are ports ------------------------------------------- */

#define PATTERNS_MAX 32u
#define PATTERN_TEXT_MAX 256u

struct port_table {
	const struct platform_host *host;
	bool any_kind;			/* the user gave the patterns */
	char text[PATTERN_TEXT_MAX];	/* the patterns, each with its NUL */
	const char *pattern[PATTERNS_MAX];
	size_t pattern_count;
	size_t count;
	size_t next;			/* where the next search begins */
	struct linux_port port[PORT_TABLE_MAX];	/* by rising ifindex */
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

/* By default only physical ports, or stand-ins for them: other kinds carry the
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

/* The index of the first port whose ifindex is not below ifindex. */
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

struct linux_port *port_table_find(struct port_table *t, int ifindex)
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
	struct linux_port *p = port_table_find(t, ifindex);

	if (p)
		port_remove(t, (size_t)(p - t->port));
}

void port_table_sweep(struct port_table *t, uint32_t round)
{
	for (size_t i = t->count; i > 0; i--)
		if (t->port[i - 1].round != round)
			port_remove(t, i - 1);
}

/* Another interface has that name: it was renamed or re-created, and the
 * message about it is lost or still to come.
 */
static void name_release(struct port_table *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->port[i].link.name, name) == 0) {
			port_remove(t, i);
			return;
		}
}

static struct linux_port *port_insert(struct port_table *t,
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
	t->port[at] = (struct linux_port){ .ifindex = m->ifindex,
					   .handle = handle,
					   .fec_told = -1 };
	memcpy(t->port[at].link.name, m->name, sizeof(m->name));
	return &t->port[at];
}

struct linux_port *port_table_take(struct port_table *t,
				   const struct link_message *m, uint32_t round)
{
	struct linux_port *p = port_table_find(t, m->ifindex);

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

struct linux_port *port_table_get(struct port_table *t, size_t n)
{
	return &t->port[n];
}

#include "platform/linux/link_follow.h"

#include <errno.h>
#include <string.h>
#include <linux/rtnetlink.h>
#include "petrel/link.h"
#include "platform/linux/linux_source.h"

#define RETRIES_MAX 3u		/* of a dump that links came or went in */
#define NOTES_PER_TAKE 256
#define WAIT_MS 1000
/* A notification's values are as old as its way through the socket. */
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

static bool has_changed(const struct port *p, const struct link_message *m)
{
	return !p->is_told || p->link.flags != m->flags ||
	       p->link.operstate != m->operstate;
}

/* Why it is down as far as rtnetlink shows; ethtool may know better, so this
 * is told when the link changes, and not again.
 */
static int64_t down_reason_of(const struct link_message *m)
{
	if (!(m->flags & IFF_UP))
		return DOWN_ADMIN;
	return m->flags & IFF_LOWER_UP ? DOWN_UNKNOWN : DOWN_NO_CARRIER;
}

static void values_tell(const struct link_follow *f, const struct port *p,
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

/* Falling edges since the last message. Going down by configuration is one
 * too, and some drivers count it late or never.
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

/* A link that fell and rose between two messages gives both events. What came
 * after the loop looked at its clock must not be dated before it happened.
 */
static void events_tell(const struct link_follow *f, const struct port *p,
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

/* Messages of the dump and notifications come on two sockets. A carrier that
 * changed less often than is known already belongs to the past.
 */
static bool is_stale(const struct port *p, const struct link_message *m)
{
	return (p->link.has & m->has & LINK_CARRIER_CHANGES) != 0 &&
	       (int32_t)(m->carrier_changes - p->link.carrier_changes) < 0;
}

static void message_take(void *context, struct nlmsghdr *h)
{
	struct link_follow *f = context;
	struct link_message m;
	struct port *p;

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
			 "link notifications were lost; links are read anew");
}

/* Returns true when the queue is empty. What stands in it behind a loss is
 * older than any dump that is asked for from now on.
 */
static bool notes_take(struct link_follow *f)
{
	bool lost = false;
	int rc = 1;

	f->age = (struct read_group){
		.taken = f->now, .uncertainty_ns = NOTE_UNCERTAINTY_NS };
	for (int i = 0; i < NOTES_PER_TAKE && rc != 0; i++) {
		f->age.taken.ns++;	/* each is a reading of its own */
		rc = netlink_receive(&f->listen, message_take, f);
		lost = lost || rc < 0;
	}
	if (lost)
		loss_tell(f);
	return rc == 0;
}

/* A dump that was interrupted shows only some: what it did not show stays. */
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

/* The dump comes before the notifications: whatever happened since the kernel
 * wrote the dump is still in their queue, so the last word is the newest.
 * Where some were lost it is not, so the queue is emptied before a new dump.
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

#include "platform/linux/ethtool_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/ethtool_netlink.h>
#include "platform/linux/ethtool_message.h"
#include "platform/linux/linux_source.h"

#define ANSWER_MS 1000
#define REFUSED_NS (60 * NS_PER_S)	/* before it is asked for FEC again */
#define SETTINGS_NS (10 * NS_PER_S)	/* speed and lanes seldom change */
#define REQUEST_ROOM 64

/* Failures of one read, for the sentence at its end. */
struct tally {
	unsigned told, refused, failed;
	char first[IFNAMSIZ];		/* port that failed */
	int first_err;
};

/* One request about one port. */
struct question {
	uint8_t command, header_attribute;
	uint32_t flags;
	netlink_answer_fn *parse;
};

static int fec_parse(struct nlmsghdr *h, void *ret)
{
	return ethtool_message_fec(h, ret);
}

static int settings_parse(struct nlmsghdr *h, void *ret)
{
	return ethtool_message_settings(h, ret);
}

static int state_parse(struct nlmsghdr *h, void *ret)
{
	return ethtool_message_state(h, ret);
}

static const struct question fec_question = {
	ETHTOOL_MSG_FEC_GET, ETHTOOL_A_FEC_HEADER, ETHTOOL_FLAG_STATS,
	fec_parse,
};
static const struct question settings_question = {
	ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_A_LINKMODES_HEADER,
	ETHTOOL_FLAG_COMPACT_BITSETS, settings_parse,
};
static const struct question state_question = {
	ETHTOOL_MSG_LINKSTATE_GET, ETHTOOL_A_LINKSTATE_HEADER, 0, state_parse,
};

int ethtool_source_open(struct ethtool_source *s, struct link_follow *links,
			const struct platform_host *host, struct diag *d)
{
	int rc;

	*s = (struct ethtool_source){ .host = host, .links = links };
	rc = netlink_open(&s->nl, NETLINK_GENERIC, 0, -1);
	if (rc < 0)
		return diag_set(d, rc, "generic netlink socket: %s",
				strerror(-rc));
	s->family = netlink_family(ETHTOOL_GENL_NAME);
	return 0;
}

void ethtool_source_close(struct ethtool_source *s)
{
	netlink_close(&s->nl);
}

/* Asks and waits for the answer. *ret_age: when the kernel took the values. */
static int ask(struct ethtool_source *s, const struct question *q,
	       const struct linux_port *p, void *ret_answer,
	       struct read_group *ret_age)
{
	struct mono before = clock_mono_now();
	uint8_t body[REQUEST_ROOM];
	size_t len = ethtool_message_request(q->command, q->header_attribute,
					     p->ifindex, q->flags, body,
					     sizeof(body));
	int rc = netlink_exchange(&s->nl, (uint16_t)s->family, body, len,
				  ANSWER_MS, q->parse, ret_answer);
	int64_t half_ns = (clock_mono_now().ns - before.ns) / 2;

	*ret_age = (struct read_group){ .taken = { before.ns + half_ns },
					.uncertainty_ns = half_ns };
	return rc;
}

/* A port that has gone meanwhile does not count as a failure. */
static void tally_fail(struct tally *t, const struct linux_port *p, int err)
{
	if (err == -ENODEV)
		return;
	if (err == -EOPNOTSUPP) {
		t->refused++;
		return;
	}
	if (t->failed++ > 0)
		return;
	memcpy(t->first, p->link.name, sizeof(t->first));
	t->first_err = err;
}

/* One sentence for the whole read, for any number of failed ports. */
static int tally_end(const struct ethtool_source *s, enum linux_source source,
		     const struct tally *t, const char *what, struct diag *d)
{
	const struct platform_host *h = s->host;
	size_t ports = port_table_count(s->links->ports);
	struct diag some;

	if (ports == 0)
		return diag_set(d, -ENODATA, "no interface is a port; see "
				"[Linux] interfaces");
	if (t->failed > 0) {
		diag_set(&some, -EIO, "%s: %u of %zu ports fail, %s first: %s",
			 what, t->failed, ports, t->first,
			 strerror(-t->first_err));
		if (t->told == 0)
			return diag_set(d, -EIO, "%s", some.text);
		h->source(h->context, source, SOURCE_FRESH, 0, some.text);
		return 1;
	}
	if (t->told == 0)
		return diag_set(d, -ENODATA, "%s: no driver of the %zu ports "
				"offers it with ethtool", what, ports);
	return 0;
}

/* Prepares a read: the family must exist, and the ports be known. */
static int ports_update(struct ethtool_source *s, struct diag *d)
{
	int rc;

	if (s->family <= 0)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no ethtool "
				"netlink; needs Linux 5.6 or later");
	rc = link_follow_update(s->links, clock_mono_now());
	if (rc < 0)
		return diag_set(d, -EIO, "interfaces cannot be listed: %s",
				strerror(-rc));
	return 0;
}

/* Speed and lanes, which also decide which RS code it is. */
static int settings_fetch(struct ethtool_source *s, struct linux_port *p,
			  struct read_group *ret_age)
{
	struct ethtool_settings settings;
	int rc = ask(s, &settings_question, p, &settings, ret_age);

	if (rc < 0)
		return rc;
	p->has_settings = true;
	p->speed_mbps = settings.speed_mbps;
	p->lanes = settings.lanes;
	return 0;
}

static void counter_tell(const struct platform_host *h,
			 const struct ethtool_counter *c, enum quantity total)
{
	if (c->known)
		h->sample(h->context, total, 0, (int64_t)c->total,
			  QUALITY_GOOD);
}

static void lanes_tell(const struct platform_host *h,
		       const struct ethtool_counter *c, enum quantity by_lane)
{
	for (unsigned i = 0; c->known && i < c->lanes; i++)
		if (c->lane[i] != SAMPLE_COUNTER_ABSENT)
			h->sample(h->context, by_lane, i, (int64_t)c->lane[i],
				  QUALITY_GOOD);
}

static void fec_attribute_tell(const struct platform_host *h,
			       struct linux_port *p, enum fec_mode mode)
{
	if (p->fec_told == (int)mode)
		return;
	h->attribute(h->context, p->handle, ATTRIBUTE_FEC,
		     quantity_word(Q_FEC_MODE, mode));
	p->fec_told = (int)mode;
}

static void fec_tell(const struct ethtool_source *s, struct linux_port *p,
		     const struct ethtool_fec *fec,
		     const struct read_group *age)
{
	const struct platform_host *h = s->host;
	const struct ethtool_settings settings = { p->speed_mbps, p->lanes };
	enum fec_mode mode;
	bool has_mode, sure;

	has_mode = ethtool_message_fec_mode(fec, &settings, &mode, &sure) == 0;
	if (has_mode)
		fec_attribute_tell(h, p, mode);
	h->group(h->context, LINUX_FEC, p->handle, age);
	if (has_mode)
		h->sample(h->context, Q_FEC_MODE, 0, mode,
			  sure ? QUALITY_GOOD : QUALITY_ESTIMATED);
	counter_tell(h, &fec->corrected, Q_FEC_CORRECTED_CODEWORDS);
	counter_tell(h, &fec->uncorrectable, Q_FEC_UNCORRECTABLE_CODEWORDS);
	counter_tell(h, &fec->corrected_bits, Q_FEC_CORRECTED_BITS);
	lanes_tell(h, &fec->corrected, Q_FEC_LANE_CORRECTED_CODEWORDS);
	lanes_tell(h, &fec->uncorrectable, Q_FEC_LANE_UNCORRECTABLE_CODEWORDS);
}

static void fec_read(struct ethtool_source *s, struct linux_port *p,
		     struct tally *t)
{
	struct read_group age;
	struct ethtool_fec fec;
	int rc;

	/* Else the mode is an estimate; the read of ethtool reports why. */
	if (!p->has_settings)
		(void)settings_fetch(s, p, &age);
	rc = ask(s, &fec_question, p, &fec, &age);
	if (rc == -EOPNOTSUPP)
		p->fec_due.ns = age.taken.ns + REFUSED_NS;
	if (rc < 0) {
		tally_fail(t, p, rc);
		return;
	}
	fec_tell(s, p, &fec, &age);
	t->told++;
}

int ethtool_source_read_fec(struct ethtool_source *s, struct diag *d)
{
	struct tally t = { 0 };
	struct mono now = clock_mono_now();
	int rc = ports_update(s, d);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < port_table_count(s->links->ports); i++) {
		struct linux_port *p = port_table_get(s->links->ports, i);

		if (mono_diff_ns(now, p->fec_due) >= 0)
			fec_read(s, p, &t);
	}
	return tally_end(s, LINUX_FEC, &t, "FEC", d);
}

static void lane_attribute_tell(const struct platform_host *h,
				struct linux_port *p)
{
	char text[16];

	if (p->lanes == p->lanes_told)
		return;
	(void)snprintf(text, sizeof(text), "%u", p->lanes);
	h->attribute(h->context, p->handle, ATTRIBUTE_LANE_COUNT,
		     p->lanes > 0 ? text : NULL);
	p->lanes_told = p->lanes;
}

static int settings_read(struct ethtool_source *s, struct linux_port *p)
{
	const struct platform_host *h = s->host;
	struct read_group age;
	int rc = settings_fetch(s, p, &age);

	p->settings_due.ns = age.taken.ns + SETTINGS_NS;
	p->has_settings = rc == 0;
	if (rc < 0)
		return rc;
	lane_attribute_tell(h, p);
	h->group(h->context, LINUX_ETHTOOL, p->handle, &age);
	if (p->speed_mbps > 0)
		h->sample(h->context, Q_SPEED_MBPS, 0, p->speed_mbps,
			  QUALITY_GOOD);
	if (p->lanes > 0)
		h->sample(h->context, Q_LANE_COUNT, 0, p->lanes,
			  QUALITY_GOOD);
	return 0;
}

/* Asks only if a link is down that should be up. */
static int reason_read(struct ethtool_source *s, struct linux_port *p)
{
	const struct platform_host *h = s->host;
	struct ethtool_state state;
	struct read_group age;
	int rc;

	if (!(p->link.flags & IFF_UP) || link_message_is_up(&p->link))
		return 0;
	rc = ask(s, &state_question, p, &state, &age);
	if (rc < 0 || state.is_up)
		return rc;
	age.part = PART_REASON;
	h->group(h->context, LINUX_ETHTOOL, p->handle, &age);
	h->sample(h->context, Q_DOWN_REASON, 0,
		  ethtool_message_down_reason(&state), QUALITY_GOOD);
	return 0;
}

int ethtool_source_read_settings(struct ethtool_source *s, struct diag *d)
{
	struct tally t = { 0 };
	struct mono now = clock_mono_now();
	int rc = ports_update(s, d);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < port_table_count(s->links->ports); i++) {
		struct linux_port *p = port_table_get(s->links->ports, i);

		rc = reason_read(s, p);
		if (rc < 0)
			tally_fail(&t, p, rc);
		rc = mono_diff_ns(now, p->settings_due) >= 0 ?
			settings_read(s, p) : 0;
		if (rc < 0)
			tally_fail(&t, p, rc);
		t.told += p->has_settings;
	}
	return tally_end(s, LINUX_ETHTOOL, &t, "link settings", d);
}

#include "platform/linux/counter_source.h"

#include <errno.h>
#include <string.h>
#include <linux/rtnetlink.h>
#include "platform/linux/link_message.h"
#include "platform/linux/linux_source.h"

/* From the loop's reading of the clock to the kernel's reading of counters. */
#define SLACK_NS (1 * NS_PER_MS)

int counter_source_open(struct counter_source *s, struct port_table *ports,
			const struct platform_host *host, int epoll_fd,
			struct diag *d)
{
	int rc;

	*s = (struct counter_source){ .host = host, .ports = ports };
	rc = dump_open(&s->dump, epoll_fd);
	if (rc < 0)
		diag_set(d, rc, "rtnetlink socket for counters: %s",
			 strerror(-rc));
	return rc;
}

void counter_source_close(struct counter_source *s)
{
	dump_close(&s->dump);
}

int counter_source_read(struct counter_source *s, struct mono now,
			struct diag *d)
{
	size_t len;
	const void *body = link_stats_request(&len);
	int rc = dump_ask(&s->dump, RTM_GETSTATS, body, len, now);

	if (rc < 0 && rc != -EBUSY)
		return diag_set(d, -EIO, "RTM_GETSTATS cannot be sent: %s",
				strerror(-rc));
	return -EINPROGRESS;
}

static void row_take(void *context, struct nlmsghdr *h)
{
	struct counter_source *s = context;
	const struct platform_host *host = s->host;
	const struct link_stats_row *row;
	struct link_stats stats;
	struct linux_port *p;
	uint64_t value;
	size_t rows;

	if (link_stats_parse(h, &stats) < 0)
		return;
	p = port_table_find(s->ports, stats.ifindex);
	if (!p)
		return;
	host->group(host->context, LINUX_COUNTERS, p->handle, &s->age);
	row = link_stats_rows(&rows);
	for (; rows > 0; rows--, row++)
		if (link_stats_value(&stats, row, &value))
			host->sample(host->context, row->quantity, 0,
				     (int64_t)value, QUALITY_GOOD);
}

static void end_tell(const struct counter_source *s, int err)
{
	const struct platform_host *h = s->host;
	struct diag d;

	if (err == 0) {
		h->source(h->context, LINUX_COUNTERS, SOURCE_FRESH, 0, NULL);
		return;
	}
	diag_set(&d, err, "RTM_GETSTATS: %s; needs Linux 4.7 or later",
		 strerror(-err));
	h->source(h->context, LINUX_COUNTERS,
		  err == -EOPNOTSUPP ? SOURCE_UNSUPPORTED : SOURCE_BROKEN, 0,
		  d.text);
}

/* It does no harm if links come or go meanwhile: each row is complete, and a
 * port that was left out is absent once.
 */
void counter_source_take(struct counter_source *s, struct mono now)
{
	int64_t taking_ns = now.ns - s->dump.asked.ns;
	int rc;

	if (!s->dump.running)
		return;
	s->age.taken.ns = now.ns - taking_ns / 2;
	s->age.uncertainty_ns = taking_ns / 2 + SLACK_NS;
	rc = dump_take(&s->dump, row_take, s, now);
	if (rc != -EINPROGRESS)
		end_tell(s, rc);
}

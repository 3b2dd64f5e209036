#include "platform/vswitch/totals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "petrel/log.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/stats.h"

struct object {
	FILE *out;
	bool any;
};

static void counter_tell(void *context, const char *name, uint64_t value)
{
	struct object *o = context;

	(void)fprintf(o->out, "%s\"%s\":%" PRIu64, o->any ? "," : "", name,
		      value);
	o->any = true;
}

static void ports_write(FILE *out, const struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];
		struct object o = { .out = out };

		(void)fprintf(out, "%s\"%s\":{", i ? "," : "", p->facts.name);
		stats_port_each(p, counter_tell, &o);
		(void)fputc('}', out);
	}
}

static void queues_write(FILE *out, const struct box *b)
{
	const char *comma = "";

	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];

		for (unsigned q = 0; q < p->facts.queues; q++) {
			struct object o = { .out = out };

			(void)fprintf(out, "%s\"%s:%u\":{", comma,
				      p->facts.name, q);
			stats_queue_each(p, q, counter_tell, &o);
			(void)fputc('}', out);
			comma = ",";
		}
	}
}

int totals_write(FILE *out, const struct box *b, const struct totals *t)
{
	(void)fprintf(out, "{\"schema\":\"petrel-vswitch-totals/1\","
		      "\"switch\":\"%s\",\"played_ns\":%" PRId64
		      ",\"plays\":%llu,\"connects\":%u,\"renumbered\":%u,"
		      "\"flushed\":%u,\"reloads\":%u,\"ports\":{",
		      plant_switch_name(b->plant), plant_now_ns(b->plant),
		      t->plays, t->connects, t->renumbered, t->flushed,
		      t->reloads);
	ports_write(out, b);
	(void)fputs("},\"queues\":{", out);
	queues_write(out, b);
	(void)fputs("}}\n", out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int totals_save(const char *path, const struct box *b, const struct totals *t,
		struct diag *d)
{
	FILE *out;
	int rc;

	if (!path)
		return 0;
	out = fopen(path, "we");
	if (!out)
		return diag_set(d, -errno, "--json-totals %s: %s", path,
				strerror(errno));
	rc = totals_write(out, b, t);
	if (fclose(out) != 0 || rc < 0)
		return diag_set(d, -EIO, "--json-totals %s: cannot be written",
				path);
	return 0;
}

void totals_cost(const struct box *b, const struct totals *t)
{
	struct timespec cpu;
	double cpu_s, run_s = (double)mono_diff_ns(clock_mono_now(),
						   b->start) /
			      (double)NS_PER_S;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec / (double)NS_PER_S;
	log_notice("vswitch", "ends: ports=%zu plays=%llu seconds=%.1f "
		   "cpu=%.1f%%", b->port_count, t->plays,
		   run_s, cpu_s / run_s * 100);
}

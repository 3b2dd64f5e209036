/* IPFIX records a second on one core: from the octets of a message to the
 * values of a tick, as the agent takes them, and copying the same octets as the
 * floor, in pairs that alternate.
 *
 * Shapes of what a chip sends of 10 statistics of 64 objects: a template an
 * object (64 records a round of 88 octets), one template of all (a record of
 * 5128 octets), and queues, whose delay each record goes into. Messages are as
 * long as their 16-bit length lets them be, and there are enough of them that
 * they do not stay in the first caches.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "platform/sonic/hft/hft_emit.h"
#include "platform/sonic/hft/hft_templates.h"
#include "tests/support/ipfix_bytes.h"

#define OBJECTS 64u
#define PAIRS 11
#define OCTETS (8u << 20)	/* of one half of a pair */
#define REPEATS 8
#define TARGET 1e6
#define STATS 10u

struct shape {
	const char *name;
	unsigned per;			/* objects of a template */
	uint32_t type;			/* SAI's: port or queue */
	uint32_t stats[STATS];
};

/* In and out octets and frames, errors, drops, pauses, FEC; a queue's frames,
 * octets, drops, occupancy, peak and ECN marks.
 */
static const struct shape shapes[] = {
	{ "10 statistics of a port, 64 templates", 1, 1,
	  { 0, 1, 4, 9, 10, 13, 99, 109, 178, 179 } },
	{ "10 statistics of 64 ports, 1 template", OBJECTS, 1,
	  { 0, 1, 4, 9, 10, 13, 99, 109, 178, 179 } },
	{ "10 statistics of a queue into its delay, 64 templates", 1, 21,
	  { 0, 1, 2, 3, 22, 23, 24, 27, 34, 35 } },
};

struct bed {
	struct hft_ids *ids;
	struct hft_templates all;
	struct hft_label label[OBJECTS];
	struct hft_labels labels;
	struct hft_now now;
	struct delays delays;
	struct port port;		/* of all queues */
	struct ipfix_bytes config, message;
	uint8_t *stream, *copy;
	size_t len;
	uint64_t records, values;
};

static double cpu_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_set(void *context, const struct ipfix_set *s)
{
	struct bed *b = context;
	struct hft_template *t = hft_templates_find(&b->all, s->domain, s->id);
	static const struct hft_watcher watcher = { NULL, hft_delay_record };
	int n = t ? hft_template_take(t, s, &b->now, &watcher) : 0;

	if (n > 0) {
		b->records += (unsigned)n;
		b->values += (unsigned)n * (uint64_t)t->value_count;
	}
}

/* ---- the shapes ---- */

/* So many templates that all objects have one. */
static void config_make(struct bed *b, const struct shape *shape)
{
	unsigned per = shape->per;
	struct ipfix_bytes *c = &b->config;

	ipfix_bytes_clear(c);
	for (unsigned o = 0; o < OBJECTS; o++) {
		if (o % per == 0) {
			ipfix_bytes_message(c, 0);
			ipfix_bytes_template(c, (uint16_t)(256 + o / per),
					     (uint16_t)(1 + per * STATS));
			ipfix_bytes_element(c, 325, 8);
		}
		for (unsigned s = 0; s < STATS; s++)
			ipfix_bytes_stat(c, (uint16_t)(o + 1), shape->type,
					 shape->stats[s], 8);
	}
}

static void record_put(struct ipfix_bytes *m, unsigned per, uint64_t time_ns)
{
	ipfix_bytes_number(m, time_ns, 8);
	for (unsigned i = 0; i < per * STATS; i++)
		ipfix_bytes_number(m, time_ns * (i + 1), 8);
}

/* Messages until there are enough: all templates in turn, a set a record. */
static void stream_make(struct bed *b, unsigned per)
{
	const size_t record = 4 + 8 * (1 + per * STATS);
	struct ipfix_bytes *m = &b->message;
	uint64_t n = 0;

	b->len = 0;
	while (b->len + IPFIX_BYTES_MAX <= OCTETS) {
		ipfix_bytes_clear(m);
		ipfix_bytes_message(m, 0);
		while (m->len + record < IPFIX_BYTES_MAX) {
			ipfix_bytes_set(m, (uint16_t)(256 + n % (OBJECTS /
								  per)));
			record_put(m, per, 1000000 * ++n);
		}
		memcpy(b->stream + b->len, m->octet, m->len);
		b->len += m->len;
	}
}

/* As if the topology had them. */
static void objects_resolve(struct bed *b)
{
	for (size_t i = 0; i < b->all.count; i++) {
		struct hft_template *t = b->all.list[i];

		for (unsigned o = 0; o < t->object_count; o++) {
			t->objects[o].handle = t->objects[o].label.label;
			t->objects[o].port = &b->port;
		}
		hft_delay_resolve(t, &b->delays, b->now.mono);
	}
}

static void shape_make(struct bed *b, const struct shape *shape)
{
	struct hft_config config = { .session = 0, .labels = &b->labels };

	hft_templates_fini(&b->all);
	hft_templates_init(&b->all, b->ids);
	config_make(b, shape);
	config.ipfix = b->config.octet;
	config.len = b->config.len;
	hft_templates_configure(&b->all, &config, b->now.mono, NULL);
	objects_resolve(b);
	stream_make(b, shape->per);
}

/* ---- the comparison ---- */

static double parse_s(struct bed *b)
{
	const struct ipfix_taker to = { .context = b, .data = on_set };
	struct ipfix_counts counts = { 0 };
	double began_s = cpu_s();

	for (int i = 0; i < REPEATS; i++)
		ipfix_walk(b->stream, b->len, &to, &counts);
	if (counts.bad_messages + counts.bad_sets > 0)
		(void)puts("ipfix: its own messages are refused");
	return cpu_s() - began_s;
}

static double copy_s(struct bed *b)
{
	double began_s = cpu_s();

	for (int i = 0; i < REPEATS; i++) {
		memcpy(b->copy, b->stream, b->len);
		__asm__ volatile("" : : "r"(b->copy) : "memory");
	}
	return cpu_s() - began_s;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static bool shape_measure(struct bed *b, const struct shape *shape)
{
	double rate[PAIRS], ratio[PAIRS], values_rate[PAIRS];
	double median_rate;

	shape_make(b, shape);
	(void)parse_s(b);	/* and both are warm */
	(void)copy_s(b);
	for (int i = 0; i < PAIRS; i++) {
		double floor_s = copy_s(b), ours_s;

		b->records = b->values = 0;
		ours_s = parse_s(b);
		rate[i] = (double)b->records / ours_s;
		values_rate[i] = (double)b->values / ours_s;
		ratio[i] = ours_s / floor_s;
	}
	median_rate = median(rate, PAIRS);
	(void)printf("ipfix: %s: %.2f million records a second, %.0f million "
		     "values, %.1f x memcpy (medians of %d pairs)\n",
		     shape->name,
		     median_rate / 1e6, median(values_rate, PAIRS) / 1e6,
		     median(ratio, PAIRS), PAIRS);
	return median_rate >= TARGET;
}

int main(void)
{
	struct bed *b = calloc(1, sizeof(*b));
	bool reached = true;

	if (!b || hft_ids_new(AT_FDCWD, NULL, &b->ids, NULL) < 0)
		return 1;
	b->stream = malloc(OCTETS);
	b->copy = malloc(OCTETS);
	if (!b->stream || !b->copy)
		return 1;
	for (unsigned i = 0; i < OBJECTS; i++) {
		b->label[i].label = (uint16_t)(i + 1);
		(void)snprintf(b->label[i].name, sizeof(b->label[i].name),
			       "Ethernet%u", 8 * i);
	}
	b->labels = (struct hft_labels){ b->label, OBJECTS };
	b->now = (struct hft_now){ clock_mono_now(), clock_wall_now() };
	b->port.link.speed_mbps = 400000;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!shape_measure(b, &shapes[i]) && shapes[i].per == 1)
			reached = false;
	(void)printf("ipfix: reach >= 1.00 million records a second on one "
		     "core: %s\n", reached ? "reached" : "NOT REACHED");
	hft_templates_fini(&b->all);
	delays_fini(&b->delays);
	hft_ids_free(b->ids);
	free(b->stream);
	free(b->copy);
	free(b);
	return 0;
}

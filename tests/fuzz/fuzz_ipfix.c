/* A session's row and a stream of high-frequency telemetry: the octets up to
 * the first 0xff 0x00 0xff are session_config, the rest is what netlink brings.
 * Whatever they are, templates are compiled, data sets decoded, and those
 * without a template wait; nothing that was told can be read twice.
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/hft/hft_templates.h"

#define LABELS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Made by the first run, kept for all: they take longer than the rest. */
static struct hft_ids *ids;

struct bed {
	struct hft_templates all;
	struct hft_backlog backlog;
	struct hft_label label[LABELS];
	struct hft_labels labels;
	struct hft_now now;
	uint64_t records;
};

static void on_record(void *context, const struct hft_template *t)
{
	struct bed *b = context;
	int64_t value;

	b->records++;
	assert(t->taken.ns <= b->now.mono.ns);
	for (unsigned i = 0; i < t->value_count; i++)
		(void)hft_template_last(t, i, &value);
}

static bool set_take(void *context, const struct ipfix_set *s,
		     const struct hft_now *came)
{
	struct bed *b = context;
	const struct hft_watcher watcher = { b, on_record };
	struct hft_template *t = hft_templates_find(&b->all, s->domain, s->id);
	int rc;

	if (!t)
		return false;
	hft_templates_used(&b->all, t, came->mono);
	rc = hft_template_take(t, s, came, &watcher);
	assert(rc < 0 || (size_t)rc * t->record_len <= s->len);
	return true;
}

static void on_set(void *context, const struct ipfix_set *s)
{
	struct bed *b = context;

	if (!set_take(b, s, &b->now))
		(void)hft_backlog_add(&b->backlog, s, &b->now);
}

static void configure(struct bed *b, const uint8_t *data, size_t size)
{
	const struct hft_config config = { .session = 1, .ipfix = data,
					   .len = size,
					   .labels = &b->labels };
	struct diag why = { "" };

	hft_templates_configure(&b->all, &config, b->now.mono, &why);
	(void)hft_backlog_play(&b->backlog, b->now.mono, set_take, b);
}

static void templates_check(const struct bed *b)
{
	for (size_t i = 0; i < b->all.count; i++) {
		const struct hft_template *t = b->all.list[i];

		for (unsigned v = 0; v < t->value_count; v++)
			assert(t->values[v].offset + t->values[v].length <=
			       t->record_len);
		assert(i == 0 || b->all.list[i - 1]->domain < t->domain ||
		       b->all.list[i - 1]->id < t->id);
	}
}

/* Where the stream begins. */
static size_t split(const uint8_t *data, size_t size)
{
	static const uint8_t mark[] = { 0xff, 0x00, 0xff };
	const uint8_t *at = memmem(data, size, mark, sizeof(mark));

	return at ? (size_t)(at - data) + sizeof(mark) : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t stream = split(data, size);
	size_t config = stream < size ? stream - 3 : size;
	struct bed b = { .now = { { 1000 * NS_PER_S }, { 1 } } };
	struct ipfix_counts counts = { 0 };
	const struct ipfix_taker to = { &b, NULL, on_set };

	if (!ids && hft_ids_new(AT_FDCWD, NULL, &ids, NULL) < 0)
		return 0;
	hft_templates_init(&b.all, ids);
	for (uint16_t i = 0; i < LABELS; i++) {
		b.label[i].label = (uint16_t)(i + 1);
		memcpy(b.label[i].name, "Ethernet0", 10);
	}
	b.labels = (struct hft_labels){ b.label, LABELS };
	configure(&b, data, config / 2);	/* half of it, then all */
	configure(&b, data, config);
	ipfix_walk(data + stream, size - stream, &to, &counts);
	configure(&b, data + stream, size - stream);
	templates_check(&b);
	b.now.mono.ns += HFT_HOLD_NS;
	hft_templates_tick(&b.all, b.now.mono);
	templates_check(&b);
	(void)hft_backlog_play(&b.backlog, b.now.mono, set_take, &b);
	hft_backlog_fini(&b.backlog);
	hft_templates_fini(&b.all);
	return 0;
}

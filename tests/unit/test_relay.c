/* petrel-test: no-valgrind kills a writer that valgrind has not started yet */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/sample/relay.h"
#include "agent/sample/relay_ring.h"
#include "tests/support/samples.h"

#define KNOWN_MAX 64u

/* A host as the core's state is one: the same key, the same id. */
struct known {
	struct entity_key key;
	uint32_t id;
	bool gone;
	char label[ATTRIBUTE_TEXT_MAX];
};

struct host {
	struct known known[KNOWN_MAX];
	uint32_t count, next_id, gone;
	uint32_t group_entity;
	struct read_group age;
	uint64_t samples;
	int64_t value;
	unsigned quantity, index, quality;
	unsigned events, sources;
	char text[256];
	enum source_state state;
	bool refuse;
	struct platform_host table;
};

static struct known *known_find(struct host *h, uint32_t id)
{
	for (uint32_t i = 0; i < h->count; i++)
		if (h->known[i].id == id && !h->known[i].gone)
			return &h->known[i];
	return NULL;
}

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	struct host *h = context;

	assert_true(key->parent == 0 || known_find(h, key->parent));
	for (uint32_t i = 0; i < h->count; i++)
		if (!h->known[i].gone && h->known[i].key.kind == key->kind &&
		    h->known[i].key.parent == key->parent &&
		    h->known[i].key.number == key->number &&
		    strcmp(h->known[i].key.name, key->name) == 0) {
			*ret = h->known[i].id;
			return 0;
		}
	if (h->refuse || h->count == KNOWN_MAX)
		return -ENOSPC;
	h->known[h->count] = (struct known){ .key = *key,
					     .id = ++h->next_id };
	*ret = h->known[h->count++].id;
	return 0;
}

static void on_attribute(void *context, uint32_t id, enum attribute which,
			 const char *text)
{
	struct known *k = known_find(context, id);

	assert_non_null(k);
	if (which == ATTRIBUTE_LABEL)
		strcpy(k->label, text);
}

static void on_gone(void *context, uint32_t id)
{
	struct host *h = context;
	struct known *k = known_find(h, id);

	assert_non_null(k);	/* never a handle that is dead already */
	k->gone = true;
	h->gone++;
	for (uint32_t i = 0; i < h->count; i++)
		if (h->known[i].key.parent == id && !h->known[i].gone)
			on_gone(h, h->known[i].id);
}

static void on_group(void *context, unsigned source, uint32_t id,
		     const struct read_group *age)
{
	struct host *h = context;

	assert_true(source < PLATFORM_SOURCES_MAX);
	assert_non_null(known_find(h, id));
	h->group_entity = id;
	h->age = *age;
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct host *h = context;

	h->samples++;
	h->quantity = quantity;
	h->index = index;
	h->value = value;
	h->quality = quality;
}

static void on_event(void *context, uint32_t id, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	struct host *h = context;

	(void)what;
	(void)value;
	(void)when;
	assert_true(id == 0 || known_find(h, id));
	h->events++;
	snprintf(h->text, sizeof(h->text), "%s", text);
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct host *h = context;

	(void)source;
	(void)interval_ns;
	h->sources++;
	h->state = state;
	snprintf(h->text, sizeof(h->text), "%s", reason ? reason : "");
}

struct both {
	struct relay_memory *m;
	int event_fd;
	struct host host;
	struct relay_writer *w;
	struct relay_reader *r;
	struct platform_host say;	/* what a driver calls */
};

static const struct platform_host *host_of(void *context, unsigned driver)
{
	struct both *b = context;

	return driver == 0 ? &b->host.table : NULL;
}

static void writer_start(struct both *b)
{
	assert_int_equal(relay_writer_new(b->m, b->event_fd, &b->w), 0);
	relay_writer_host(b->w, 0, &b->say);
}

static void reader_start(struct both *b)
{
	assert_int_equal(relay_reader_new(b->m, host_of, b, &b->r), 0);
}

static int both_open(void **state)
{
	struct both *b = calloc(1, sizeof(*b));

	b->m = mmap(NULL, relay_memory_size(), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	relay_memory_init(b->m);
	b->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	b->host.table = (struct platform_host){
		.context = &b->host, .entity = on_entity,
		.attribute = on_attribute, .gone = on_gone, .group = on_group,
		.sample = on_sample, .event = on_event, .source = on_source };
	writer_start(b);
	reader_start(b);
	*state = b;
	return 0;
}

static int both_close(void **state)
{
	struct both *b = *state;

	relay_writer_free(b->w);
	relay_reader_free(b->r);
	munmap(b->m, relay_memory_size());
	close(b->event_fd);
	free(b);
	return 0;
}

static uint32_t say_entity(struct both *b, enum entity_kind kind,
			   uint32_t parent, uint32_t number, const char *name)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t handle = 0;

	snprintf(key.name, sizeof(key.name), "%s", name);
	assert_int_equal(b->say.entity(b->say.context, &key, &handle), 0);
	return handle;
}

static void say_value(struct both *b, uint32_t handle, int64_t value)
{
	struct read_group age = { .taken = { 12345 }, .uncertainty_ns = 7,
				  .window_ns = 9 };

	b->say.group(b->say.context, 3, handle, &age);
	b->say.sample(b->say.context, Q_MODULE_TEMP_MC, 2, value,
		      QUALITY_ESTIMATED);
}

static void say_fresh(struct both *b, unsigned source)
{
	b->say.source(b->say.context, source, SOURCE_FRESH, 0, NULL);
}

static void drain(struct both *b)
{
	assert_true(relay_reader_drain(b->r) >= 0);
}

static void test_relay_carries_all_that_a_driver_says(void **state)
{
	struct both *b = *state;
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	uint32_t lane = say_entity(b, ENTITY_LANE, cage, 1, "");

	b->say.attribute(b->say.context, cage, ATTRIBUTE_LABEL, "a label");
	say_value(b, cage, -40000);
	b->say.event(b->say.context, lane, EVENT_MODULE_INSERTED, 5,
		     (struct mono){ 99 }, "a text");
	drain(b);
	assert_int_equal(b->host.count, 2);
	assert_int_equal(b->host.known[0].key.number, 7);
	assert_int_equal(b->host.known[1].key.parent, b->host.known[0].id);
	assert_string_equal(b->host.known[0].label, "a label");
	assert_int_equal(b->host.group_entity, b->host.known[0].id);
	assert_int_equal(b->host.age.taken.ns, 12345);
	assert_int_equal(b->host.age.uncertainty_ns, 7);
	assert_int_equal(b->host.age.window_ns, 9);
	assert_true(b->host.value == -40000 && b->host.index == 2);
	assert_int_equal(b->host.quantity, Q_MODULE_TEMP_MC);
	assert_int_equal(b->host.quality, QUALITY_ESTIMATED);
	assert_string_equal(b->host.text, "a text");
	b->say.source(b->say.context, 3, SOURCE_BROKEN, 0, "a reason");
	drain(b);
	assert_int_equal(b->host.state, SOURCE_BROKEN);
	assert_string_equal(b->host.text, "a reason");
	assert_int_equal(relay_dropped(b->m), 0);
}

static void test_relay_gone_takes_what_lies_below(void **state)
{
	struct both *b = *state;
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	uint32_t lane = say_entity(b, ENTITY_LANE, cage, 1, ""), again;

	drain(b);
	b->say.gone(b->say.context, cage);
	say_value(b, lane, 1);		/* of a handle that is dead */
	drain(b);
	assert_int_equal(b->host.gone, 2);
	assert_int_equal(b->host.samples, 0);
	again = say_entity(b, ENTITY_MODULE, 0, 7, "");
	say_value(b, again, 2);
	drain(b);
	assert_int_equal(b->host.count, 3);	/* a swapped module is new */
	assert_int_equal(b->host.value, 2);
}

static void test_relay_signals_once_until_it_is_drained(void **state)
{
	struct both *b = *state;
	struct pollfd p = { .fd = b->event_fd, .events = POLLIN };
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	uint64_t n;

	say_value(b, cage, 1);
	assert_int_equal(read(b->event_fd, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 1);
	say_value(b, cage, 2);
	assert_int_equal(poll(&p, 1, 0), 0);	/* it knows */
	drain(b);
	say_value(b, cage, 3);
	assert_int_equal(poll(&p, 1, 0), 1);
}

/* The reader process dies and comes back: the same ids, and what it does not
 * find again is gone, but only when all its sources were read.
 */
static void test_relay_keeps_ids_when_writer_begins_anew(void **state)
{
	struct both *b = *state;
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	uint32_t id;

	(void)say_entity(b, ENTITY_LANE, cage, 1, "");
	(void)say_entity(b, ENTITY_LANE, cage, 2, "");
	(void)say_entity(b, ENTITY_LANE,
			 say_entity(b, ENTITY_MODULE, 0, 8, ""), 1, "");
	say_fresh(b, 3);
	say_fresh(b, 4);
	drain(b);
	id = b->host.known[0].id;
	relay_writer_free(b->w);
	writer_start(b);
	cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	(void)say_entity(b, ENTITY_LANE, cage, 2, "");
	say_value(b, cage, 5);
	say_fresh(b, 3);
	drain(b);
	assert_int_equal(b->host.group_entity, id);
	assert_int_equal(b->host.gone, 0);	/* source 4 may know them */
	say_fresh(b, 4);
	drain(b);
	assert_int_equal(b->host.gone, 3);
	assert_true(b->host.known[1].gone);	/* lane 1 of cage 7 */
	assert_false(b->host.known[0].gone);
	assert_false(b->host.known[2].gone);
	assert_true(b->host.known[3].gone && b->host.known[4].gone);
}

/* The core dies: a host that knows nothing is told all, without a driver
 * saying anything again.
 */
static void test_relay_says_all_again_to_a_new_reader(void **state)
{
	/* Module 7, as entity 1 of driver 0. */
	static const uint8_t late[] = "\2\0\0\0\0\1\6\0\0\0\0\0\0\0\7\0";
	struct both *b = *state;
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	uint32_t lane = say_entity(b, ENTITY_LANE, cage, 3, "");

	b->say.attribute(b->say.context, cage, ATTRIBUTE_LABEL, "a label");
	say_fresh(b, 3);
	drain(b);
	say_value(b, lane, 1);		/* lies there when the core dies */
	relay_reader_free(b->r);
	memset(&b->host, 0, offsetof(struct host, table));
	b->host.next_id = 100;
	reader_start(b);
	drain(b);
	assert_int_equal(b->host.count, 0);
	assert_int_equal(b->host.samples, 0);
	/* What the old generation says until it notices is not taken. */
	assert_true(relay_put(b->m, late, sizeof(late) - 1));
	drain(b);
	assert_int_equal(b->host.count, 0);
	relay_writer_run(b->w);
	drain(b);
	assert_int_equal(b->host.count, 2);
	assert_string_equal(b->host.known[0].label, "a label");
	assert_int_equal(b->host.state, SOURCE_FRESH);
	say_value(b, lane, 6);
	drain(b);
	assert_int_equal(b->host.value, 6);
	assert_int_equal(b->host.group_entity, b->host.known[1].id);
}

static void test_relay_full_drops_newest_values_and_counts_them(void **state)
{
	struct both *b = *state;
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, ""), late;
	uint64_t said = 0;

	while (relay_dropped(b->m) == 0) {
		say_value(b, cage, (int64_t)said);
		said++;
	}
	late = say_entity(b, ENTITY_MODULE, 0, 8, "");	/* finds no room */
	b->say.attribute(b->say.context, late, ATTRIBUTE_LABEL, "late");
	b->say.gone(b->say.context, cage);
	cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	drain(b);
	assert_int_equal(b->host.samples + relay_dropped(b->m), said);
	assert_int_equal(b->host.value, (int64_t)b->host.samples - 1);
	assert_int_equal(b->host.count, 1);
	relay_writer_run(b->w);		/* now it does */
	drain(b);
	assert_int_equal(b->host.count, 3);
	assert_int_equal(b->host.gone, 1);
	assert_false(b->host.known[1].gone || b->host.known[2].gone);
	assert_int_equal(b->host.known[1].key.number +
			 b->host.known[2].key.number, 15);
	say_value(b, late, 1);
	drain(b);
	assert_string_equal(known_find(&b->host, b->host.group_entity)->label,
			    "late");
}

static void test_relay_survives_a_host_that_refuses(void **state)
{
	struct both *b = *state;
	uint32_t cage;

	b->host.refuse = true;
	cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	say_value(b, say_entity(b, ENTITY_LANE, cage, 1, ""), 1);
	say_value(b, cage, 1);
	drain(b);
	assert_int_equal(b->host.samples, 0);
}

/* Nonsense in the memory: told once, and the writer heals it. */
static void test_relay_heals_after_nonsense(void **state)
{
	struct both *b = *state;
	struct dice dice = { test_seed() };
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");
	unsigned bad = 0;

	for (unsigned i = 0; i < 3000; i++) {
		int rc;

		say_value(b, cage, i);
		for (unsigned n = dice_below(&dice, 4); n > 0; n--) {
			uint32_t used = (uint32_t)(b->m->head - b->m->tail);
			uint64_t at = b->m->head - dice_below(&dice, used + 1);

			b->m->data[at % RELAY_OCTETS] =
				(uint8_t)dice_next(&dice);
		}
		if (dice_percent(&dice, 2))
			b->m->head += dice_next(&dice) >> dice_below(&dice, 60);
		while ((rc = relay_reader_drain(b->r)) < 0)
			bad++;
		assert_true(rc >= 0);
		relay_writer_run(b->w);
		drain(b);
		say_value(b, cage, -7);
		drain(b);
		assert_int_equal(b->host.value, -7);
		b->host.value = 0;
	}
	assert_true(bad > 100);
}

/* A message whose length goes past what the writer has published. */
static void test_relay_delivers_nothing_beyond_the_head(void **state)
{
	struct both *b = *state;

	(void)say_entity(b, ENTITY_MODULE, 0, 7, "");
	drain(b);
	(void)say_entity(b, ENTITY_MODULE, 0, 8, "");
	b->m->head -= 3;
	assert_int_equal(relay_reader_drain(b->r), -EBADMSG);
	assert_int_equal(b->host.count, 1);
}

static void write_for_ever(struct both *b)
{
	uint32_t cage = say_entity(b, ENTITY_MODULE, 0, 7, "");

	for (int64_t i = 0;; i++) {
		say_value(b, cage, i);
		if (i % 100 == 0)
			b->say.gone(b->say.context,
				    say_entity(b, ENTITY_MODULE, 0, 9, ""));
	}
}

/* The writer is killed 200 times under way; the reader never sees a message
 * that is not whole, and the module keeps its id.
 */
static void test_relay_writer_may_be_killed_at_any_time(void **state)
{
	struct both *b = *state;
	struct dice dice = { test_seed() };
	uint64_t last = 0;
	unsigned progressed = 0;

	/* A busy machine may let none of the first come to a word: later ones
	 * have longer.
	 */
	for (unsigned i = 0; i < 200 || (i < 5000 && progressed <= 100); i++) {
		struct timespec t = { .tv_nsec = dice_below(
			&dice, 2000000 * (1 + i / 200)) };
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			writer_start(b);
			write_for_ever(b);
		}
		nanosleep(&t, NULL);
		drain(b);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		drain(b);
		progressed += b->host.samples > last;
		last = b->host.samples;
		if (last == 0)
			continue;	/* killed before its first word */
		assert_int_equal(b->host.known[0].key.number, 7);
		assert_int_equal(b->host.group_entity, b->host.known[0].id);
		b->host.count = 1;	/* forget the gone */
	}
	assert_true(progressed > 100);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, both_open, both_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_relay_carries_all_that_a_driver_says),
		TEST(test_relay_gone_takes_what_lies_below),
		TEST(test_relay_signals_once_until_it_is_drained),
		TEST(test_relay_keeps_ids_when_writer_begins_anew),
		TEST(test_relay_says_all_again_to_a_new_reader),
		TEST(test_relay_full_drops_newest_values_and_counts_them),
		TEST(test_relay_survives_a_host_that_refuses),
		TEST(test_relay_heals_after_nonsense),
		TEST(test_relay_delivers_nothing_beyond_the_head),
		TEST(test_relay_writer_may_be_killed_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

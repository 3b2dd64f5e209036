/* A look back gives each value that the sampler saw, of all series of the busy
 * scenario, within the error that is stated: exact; traffic to 1/1024 of what
 * it grew by; how full buffers are to 64 octets. PETREL_TICKS: how many seconds
 * of it, at most 900; the campaign look_back takes all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/base/number.h"
#include "agent/ctl/look_back.h"
#include "agent/record/array.h"
#include "agent/record/encode.h"
#include "tests/support/played.h"
#include "tests/support/quick.h"

#define TICKS_MAX 900u
#define TICKS_FEW 20u
#define SERIES_MAX 32768u
#define RAN_NS (600 * NS_PER_S)
#define SHARE 1024		/* of what traffic grew by */

struct seen_series {
	uint32_t entity;
	uint16_t quantity, index;
	unsigned count;
	int64_t *value;
	int64_t *taken_ns;
};

struct seen_all {
	struct played_root root;
	struct played played;
	unsigned ticks;
	size_t count;
	struct index_map by_key;
	struct seen_series series[SERIES_MAX];
	uint64_t checked, rounded;
};

static unsigned ticks_wanted(void)
{
	const char *text = getenv("PETREL_TICKS");
	uint64_t ticks = quick(TICKS_FEW, 6);

	if (text)
		assert_int_equal(number_parse(text, 2, TICKS_MAX, &ticks), 0);
	return (unsigned)ticks;
}

static int64_t *room_of(const struct seen_all *a)
{
	int64_t *room = calloc(a->ticks + 1, sizeof(*room));

	assert_non_null(room);
	return room;
}

static struct seen_series *series_of(struct seen_all *a,
				     const struct sample_column *c,
				     uint32_t row)
{
	uint32_t *at = index_map_at(&a->by_key,
				    (uint64_t)c->entity[row] << 32 |
					    (uint32_t)c->quantity << 16 |
					    c->index);

	assert_non_null(at);
	if (*at == INDEX_NONE) {
		*at = (uint32_t)a->count++;
		a->series[*at] = (struct seen_series){
			c->entity[row], c->quantity, c->index, 0, room_of(a),
			room_of(a) };
	}
	return &a->series[*at];
}

static void tick_see(struct seen_all *a)
{
	const struct sample_column *columns;
	size_t n = state_columns(a->played.state, &columns);
	struct state_value v;

	for (size_t i = 0; i < n; i++)
		for (uint32_t row = 0; row < columns[i].count; row++) {
			struct seen_series *s;

			if (!state_value(a->played.state,
					 columns[i].entity[row],
					 (enum quantity)columns[i].quantity,
					 columns[i].index, &v))
				continue;
			s = series_of(a, &columns[i], row);
			if (s->count &&
			    s->taken_ns[s->count - 1] >= v.age.taken.ns)
				continue;
			s->value[s->count] = v.value;
			s->taken_ns[s->count++] = v.age.taken.ns;
		}
}

/* What the n-th reading of it is to be, and how far it may be off. */
static int64_t expected(const struct seen_series *s, unsigned n,
			const struct quantity_info *q, int64_t *ret_off)
{
	double dt, step, before;

	*ret_off = 0;
	if (!history_is_rate(q)) {
		if (quantity_is_fill(q->id) && s->value[n] > 0)
			*ret_off = s->value[n] < FILL_OCTETS ?
				   FILL_OCTETS - 1 : FILL_OCTETS / 2;
		return s->value[n];
	}
	dt = (double)(s->taken_ns[n] - s->taken_ns[n - 1]);
	step = (double)(s->value[n] - s->value[n - 1]);
	before = n > 1 ? (double)(s->value[n - 1] - s->value[n - 2]) : 0;
	*ret_off = 1 + (quantity_is_traffic(q->id) ?
			(int64_t)((before + step) / SHARE * 1e12 / dt) : 0);
	return (int64_t)(step * 1e12 / dt + 0.5);
}

static void series_check(struct seen_all *a, const struct seen_series *s,
			 const struct look_back_series *found)
{
	const struct quantity_info *q = quantity_find(s->quantity);
	unsigned first = history_is_rate(q) ? 1 : 0;

	if (found->count != s->count - first)
		fail_msg("%s of %u: %zu readings, seen %u", q->name, s->entity,
			 found->count, s->count - first);
	for (unsigned n = first; n < s->count; n++) {
		const struct history_value *r = &found->reading[n - first];
		int64_t off, value = expected(s, n, q, &off);

		assert_int_equal(r->mono.ns, s->taken_ns[n]);
		if (llabs(r->value - value) > off)
			fail_msg("%s of %u: %lld, seen %lld", q->name,
				 s->entity, (long long)r->value,
				 (long long)value);
		a->checked++;
		a->rounded += r->value != value;
	}
}

/* So many series as one look takes. */
static void some_check(struct seen_all *a, struct look_back *l, size_t first,
		       size_t n)
{
	struct wall to = played_clock(&a->played).wall;
	struct look_back_series found[LOOK_BACK_SERIES_MAX];
	struct diag d = { "" };

	for (size_t i = 0; i < n; i++) {
		const struct seen_series *s = &a->series[first + i];
		const struct inventory_entity *e =
			state_entity(a->played.state, s->entity);
		const struct inventory_entity *same = state_entity(
			look_back_past(l)->state, s->entity);

		assert_true(e && same && e->key.kind == same->key.kind &&
			    e->key.number == same->key.number);
		assert_string_equal(e->key.name, same->key.name);
		found[i] = (struct look_back_series){
			.entity = s->entity, .quantity = s->quantity,
			.index = s->index };
	}
	assert_int_equal(look_back_read(l, (struct wall){
				to.ns - 2000 * NS_PER_S }, to, found, n, &d),
			 0);
	for (size_t i = 0; i < n; i++)
		series_check(a, &a->series[first + i], &found[i]);
}

static void test_each_value_is_what_was_seen(void **state)
{
	struct seen_all *a = calloc(1, sizeof(*a));
	struct look_back *l;
	struct diag d = { "" };

	(void)state;
	assert_non_null(a);
	a->ticks = ticks_wanted();
	index_map_init(&a->by_key, SERIES_MAX, 0);
	played_root_make(&a->root);
	played_make(&a->played, PLAYED_BUSY, a->root.run_fd, 16u << 20, true);
	/* Counters of a switch that ran for a while: some columns of theirs
	 * are written as they differ from others.
	 */
	a->played.now.ns += RAN_NS;
	for (unsigned t = 0; t < a->ticks; t++) {
		played_tick(&a->played, 1000);
		tick_see(a);
	}
	assert_int_equal(look_back_open(a->root.run_dir, false, &l, &d), 0);
	for (size_t i = 0; i < a->count; i += LOOK_BACK_SERIES_MAX)
		some_check(a, l, i, a->count - i < LOOK_BACK_SERIES_MAX ?
					    a->count - i :
					    LOOK_BACK_SERIES_MAX);
	look_back_close(l);
	assert_true(a->checked > 15000 * (uint64_t)(a->ticks - 1));
	assert_true(a->rounded > 0);
	printf("# %zu series, %llu values over %u s, %llu of them within "
	       "their bound, all others exact\n", a->count,
	       (unsigned long long)a->checked, a->ticks,
	       (unsigned long long)a->rounded);
	for (size_t i = 0; i < a->count; i++) {
		free(a->series[i].value);
		free(a->series[i].taken_ns);
	}
	index_map_fini(&a->by_key);
	played_free(&a->played);
	played_root_remove(&a->root);
	free(a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_value_is_what_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

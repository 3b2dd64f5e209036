/* petrel-test: no-valgrind IT PLAYS 15 MINUTES TWICE; ASAN RUNS IT TOO */
/* A look back equals what the sampler saw: 15 minutes of the busy scenario go
 * through state, journal and ring, and come back as readings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/base/ring_memory.h"
#include "agent/ctl/gather.h"
#include "agent/ctl/look_back.h"
#include "tests/support/played.h"
#include "tests/support/quick.h"
#include "tests/support/ring_folder.h"

#define SHARE 1024		/* RICE_SHARE: of what a counter grew by */
#define SERIES 5u
#define TICKS_MAX 1000u

/* What was seen of some series of a switch that plays. */
struct watched_switch {
	struct played played;
	uint32_t entity[SERIES];
	struct {
		size_t count;
		int64_t value[TICKS_MAX];
		struct mono taken[TICKS_MAX];
	} seen[SERIES];
};

static const struct {
	enum entity_kind kind;
	enum quantity quantity;
} wanted[SERIES] = {
	{ ENTITY_PORT, Q_IF_IN_OCTETS },
	{ ENTITY_PORT, Q_FEC_CORRECTED_CODEWORDS },
	{ ENTITY_LANE, Q_LANE_RX_POWER_PW },
	{ ENTITY_QUEUE, Q_QUEUE_WATERMARK_OCTETS },
	{ ENTITY_MODULE, Q_MODULE_TEMP_MC },
};

static void seen_add(struct watched_switch *p, unsigned n)
{
	struct state_value v;
	size_t *count = &p->seen[n].count;

	if (!state_value(p->played.state, p->entity[n], wanted[n].quantity, 0,
			 &v) ||
	    (*count && p->seen[n].taken[*count - 1].ns >= v.age.taken.ns))
		return;
	assert_true(*count < TICKS_MAX);
	p->seen[n].value[*count] = v.value;
	p->seen[n].taken[(*count)++] = v.age.taken;
}

static void play(struct watched_switch *p, unsigned ticks)
{
	for (unsigned t = 0; t < ticks; t++) {
		played_tick(&p->played, 1000);
		for (unsigned n = 0; n < SERIES; n++)
			seen_add(p, n);
	}
}

/* Of the rings' state, by the names of both. */
static uint32_t same_entity(const struct look_back *l, const struct state *s,
			    uint32_t id)
{
	const struct inventory_entity *of = state_entity(s, id), *e;
	const struct past *p = look_back_past(l);
	size_t n = state_entities(p->state, &e);
	struct entity_key key = of->key;

	if (key.parent != ENTITY_NONE)
		key.parent = key.parent == state_switch(s) ?
			     state_switch(p->state) :
			     same_entity(l, s, key.parent);
	for (size_t i = 0; i < n; i++)
		if (e[i].id && entity_key_is(&e[i].key, &key))
			return e[i].id;
	fail_msg("no such entity in the rings");
	return ENTITY_NONE;
}

/* Within the stated error: exact, but for a counter of traffic. */
static void reading_check(const struct watched_switch *p, unsigned n,
			  size_t at,
			  const struct history_value *r, bool bounded)
{
	const struct quantity_info *q = quantity_find(wanted[n].quantity);
	int64_t value = p->seen[n].value[at], off = 0;

	assert_int_equal(r->mono.ns, p->seen[n].taken[at].ns);
	if (history_is_rate(q)) {
		const int64_t *v = &p->seen[n].value[at];
		double dt = (double)mono_diff_ns(p->seen[n].taken[at],
						 p->seen[n].taken[at - 1]);
		double before = at > 1 ? (double)(v[-1] - v[-2]) : 0;
		double step = (double)(v[0] - v[-1]);

		value = (int64_t)(step * 1e12 / dt + 0.5);
		/* what this and the one before were off by */
		off = 1 + (bounded && quantity_is_traffic(q->id) ?
			   (int64_t)((before + step) / SHARE * 1e12 / dt) : 0);
	}
	if (bounded && quantity_is_fill(q->id) && value > 0)
		off = value < FILL_OCTETS ? FILL_OCTETS - 1 : FILL_OCTETS / 2;
	assert_true(llabs(r->value - value) <= off);
	assert_int_equal(r->min, r->value);
	assert_int_equal(r->span_ns, 0);
}

/* All that the ring still has was seen, nothing is missing between. Returns
 * how many readings there are.
 */
static size_t series_check(const struct watched_switch *p, unsigned n,
			   const struct look_back_series *s, bool bounded)
{
	size_t at = 0;

	assert_true(s->count > 0);
	while (at < p->seen[n].count &&
	       p->seen[n].taken[at].ns != s->reading[0].mono.ns)
		at++;
	assert_int_equal(p->seen[n].count - at, s->count);
	for (size_t i = 0; i < s->count; i++)
		reading_check(p, n, at + i, &s->reading[i], bounded);
	return s->count;
}

static void look(struct watched_switch *p, int dir_fd, int64_t since_ns,
		 bool bounded,
		 size_t ret_count[SERIES], struct history_reach *ret_reach)
{
	struct look_back_series series[SERIES];
	struct look_back *l;
	char path[64];
	struct diag d = { "" };
	int64_t ahead_ns = p->played.now.ns - clock_mono_now().ns;
	struct wall to = { clock_wall_now().ns + ahead_ns };

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", dir_fd);
	assert_int_equal(look_back_open(path, false, &l, &d), 0);
	for (unsigned n = 0; n < SERIES; n++)
		series[n] = (struct look_back_series){
			.entity = same_entity(l, p->played.state, p->entity[n]),
			.quantity = wanted[n].quantity };
	assert_int_equal(look_back_read(l, (struct wall){ to.ns - since_ns },
					to, series, SERIES, &d), 0);
	for (unsigned n = 0; n < SERIES; n++)
		ret_count[n] = series_check(p, n, &series[n], bounded);
	*ret_reach = *look_back_reach(l);
	look_back_close(l);
}

static struct watched_switch *switch_new(void **state, size_t octets,
					 bool bounded)
{
	struct watched_switch *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	played_make(&p->played, PLAYED_BUSY, dir_of(state), octets, bounded);
	played_tick(&p->played, 1000);	/* tells the inventory */
	for (unsigned n = 0; n < SERIES; n++) {
		p->entity[n] = played_entity(&p->played, wanted[n].kind,
					     7);
		seen_add(p, n);
	}
	return p;
}

/* The ring notes no reference, as an older version left it. */
static void places_forget(void **state)
{
	static const uint8_t none[sizeof(struct ring_places)];
	int fd = openat(dir_of(state), "samples.ring", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, none, sizeof(none), RING_PLACES_AT),
			 sizeof(none));
	(void)close(fd);
}

static void test_quarter_of_an_hour_is_what_was_seen(void **state)
{
	struct watched_switch *p = switch_new(state, 12u << 20, true);
	const unsigned ticks = quick(900, 60);
	struct history_reach reach, again;
	size_t count[SERIES], recount[SERIES];

	play(p, ticks);
	look(p, dir_of(state), (ticks + 1) * NS_PER_S, true, count, &reach);
	for (unsigned n = 0; n < SERIES; n++)
		assert_true(count[n] >= ticks);
	places_forget(state);
	look(p, dir_of(state), (ticks + 1) * NS_PER_S, true, recount, &again);
	assert_memory_equal(recount, count, sizeof(count));
	assert_int_equal(again.full.ns, reach.full.ns);
	played_free(&p->played);
	free(p);
}

static void test_wrapped_ring_is_read_from_where_it_begins(void **state)
{
	struct watched_switch *p = switch_new(state, 1u << 20, false);
	struct history_reach reach;
	size_t count[SERIES];

	play(p, 200);
	look(p, dir_of(state), 3600 * NS_PER_S, false, count, &reach);
	assert_true(count[0] > 20 && count[0] < 150);
	assert_true(reach.full.ns > clock_wall_now().ns);
	played_free(&p->played);
	free(p);
}

static void test_short_span_is_read_alone(void **state)
{
	struct watched_switch *p = switch_new(state, 4u << 20, false);
	struct history_reach reach;
	size_t count[SERIES];

	play(p, 150);
	look(p, dir_of(state), 20 * NS_PER_S, false, count, &reach);
	for (unsigned n = 0; n < SERIES; n++)
		assert_in_range(count[n], 19, 21);
	played_free(&p->played);
	free(p);
}

/* One for each start of the agent. */
static void test_series_keeps_its_newest_ids(void **state)
{
	uint8_t bits[3] = { 0xff, 0xff, 0xff };
	struct gather g;

	(void)state;
	assert_int_equal(gather_init(&g, 1), 0);
	for (uint32_t id = 1; id <= GATHER_IDS_MAX + 2; id++)
		gather_id(&g.series[0], id);
	assert_int_equal(g.series[0].id_count, GATHER_IDS_MAX);
	gather_ids(&g, bits, 16);
	assert_int_equal(bits[0] | bits[1] << 8, 0x07f8);
	gather_fini(&g);
}

#define BED(f)                                                                \
	cmocka_unit_test_setup_teardown(f, ring_folder_make,                  \
					ring_folder_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_keeps_its_newest_ids),
		BED(test_quarter_of_an_hour_is_what_was_seen),
		BED(test_wrapped_ring_is_read_from_where_it_begins),
		BED(test_short_span_is_read_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

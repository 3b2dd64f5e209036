/* The coarser tiers: rows equal what was seen, across restart and reboot, and
 * what is damaged costs no more than itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/ctl/look_back.h"
#include "agent/history/tier_file.h"
#include "agent/history/tier_fold.h"
#include "agent/history/tiers.h"
#include "tests/support/played.h"

#define SCENARIO "switch name=few ports=4 speed=400G lanes=4 media=DR4 " \
		 "fec=rs544 seed=3 dom=1s\n"
#define TICK_MS 5000
#define SHARE 256		/* rows are kept to that part */
#define SEEN_MAX 2000u
#define MINUTE (60 * NS_PER_S)
#define HOUR (60 * MINUTE)
#define HELD (96u << 20)
#define DAY (32u << 20)

struct tiers_bed {
	struct played_root root;
	struct played played;
	struct tiers *tiers;
	uint64_t day_octets;	/* 0: DAY */
	int64_t ago_ns;		/* the tiers believe that it is earlier */
	uint32_t lane;
	uint32_t port;	/* whose errors are seen; 0: light is */
	int64_t last;		/* count of them */
	size_t seen_count;
	struct { int64_t value, wall_ns; } seen[SEEN_MAX];
};

static void tiers_begin(struct tiers_bed *b)
{
	struct clock_reading now = played_clock(&b->played);

	now.wall.ns -= b->ago_ns;
	assert_int_equal(tiers_new(&(struct tiers_env){
		.disk = &disk_durable, .dir_fd = b->root.tiers_fd,
		.mode = 0644, .held_octets = HELD,
		.day_octets = b->day_octets ? b->day_octets : DAY,
		.rings = &b->played.rings, .switch_id = "test",
		.switch_name = "test", .version = "test" }, &now,
		&b->tiers), 0);
}

static void switch_begin(struct tiers_bed *b)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/scenario", b->root.path);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs(SCENARIO, f);
	(void)fclose(f);
	played_make(&b->played, path, b->root.run_fd, 256u << 10, false);
	played_tick(&b->played, TICK_MS);
	b->lane = played_entity(&b->played, ENTITY_LANE, 7);
	tiers_begin(b);
}

static int bed_make(void **state)
{
	struct tiers_bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	played_root_make(&b->root);
	switch_begin(b);
	*state = b;
	return 0;
}

static int bed_remove(void **state)
{
	struct tiers_bed *b = *state;

	tiers_free(b->tiers);
	played_free(&b->played);
	played_root_remove(&b->root);
	free(b);
	return 0;
}

/* Whose readings are seen. */
static struct look_back_series series_seen(const struct tiers_bed *b)
{
	return (struct look_back_series){
		.entity = b->port ? b->port : b->lane,
		.quantity = b->port ? Q_FEC_CORRECTED_CODEWORDS :
				      Q_LANE_RX_POWER_PW };
}

/* A reading as the sampler saw it; of a counter, thousandths a second. */
static void see(struct tiers_bed *b)
{
	struct look_back_series of = series_seen(b);
	struct state_value v;
	size_t n = b->seen_count;
	int64_t last = b->last;

	if (!state_value(b->played.state, of.entity, of.quantity, 0, &v))
		return;
	b->last = v.value;
	if (b->port && last == 0)
		return;
	assert_true(n < SEEN_MAX);
	b->seen[n].value = b->port ? (v.value - last) * 1000 * 1000 / TICK_MS :
				     v.value;
	/* a row is of the batches that were made in its span */
	b->seen[n].wall_ns = played_clock(&b->played).wall.ns -
			     TICK_MS * NS_PER_MS;
	b->seen_count++;
}

static void play(struct tiers_bed *b, unsigned minutes)
{
	int rc = 0;

	for (unsigned t = 0; t < minutes * 60000 / TICK_MS; t++) {
		struct clock_reading now;

		played_tick(&b->played, TICK_MS);
		see(b);
		now = played_clock(&b->played);
		now.wall.ns -= b->ago_ns;
		if (t % 12 == 11)
			rc = tiers_run(b->tiers, &now);
		assert_true(rc == 0 || (b->day_octets && rc == -EDQUOT));
	}
}

/* Looks back at what was seen; the caller closes it. */
static struct look_back *look(struct tiers_bed *b, int64_t since_ns,
			      struct look_back_series *ret)
{
	struct wall to = played_clock(&b->played).wall;
	struct look_back *l;
	struct diag d = { "" };

	assert_int_equal(look_back_open(b->root.run_dir, false, &l, &d), 0);
	*ret = series_seen(b);
	assert_int_equal(look_back_read(l, (struct wall){ to.ns - since_ns },
					to, ret, 1, &d), 0);
	return l;
}

static bool is_about(int64_t value, double expected)
{
	return fabs((double)value - expected) <= fabs(expected) / SHARE + 1;
}

/* A row, against all that was seen in its span. */
static void row_check(const struct tiers_bed *b,
		      const struct history_value *r)
{
	double sum = 0, least = 1e300, most = 0;
	unsigned n = 0;

	for (size_t i = 0; i < b->seen_count; i++) {
		double v = (double)b->seen[i].value;

		if (b->seen[i].wall_ns < r->wall.ns - r->span_ns ||
		    b->seen[i].wall_ns >= r->wall.ns)
			continue;
		sum += v;
		least = v < least ? v : least;
		most = v > most ? v : most;
		n++;
	}
	assert_true(n > 0);
	assert_true(is_about(r->value, sum / n));
	assert_true(is_about(r->min, least));
	assert_true(is_about(r->max, most));
}

/* Rows of minutes, one behind another; where none begins yet, one of a quarter
 * of an hour may stand. Returns how many; *ret_skips: that do not follow.
 */
static size_t rows_check(const struct tiers_bed *b,
			 const struct look_back_series *s, bool values,
			 size_t *ret_skips)
{
	const struct history_value *last = NULL;
	size_t rows = 0;

	*ret_skips = 0;
	for (size_t i = 0; i < s->count && s->reading[i].span_ns; i++) {
		const struct history_value *r = &s->reading[i];

		if (r->span_ns > 14 * MINUTE)	/* about: windows are rounded */
			continue;
		assert_int_equal(r->span_ns, MINUTE);
		if (last) {
			int64_t step = r->wall.ns - last->wall.ns;

			assert_true(step > MINUTE / 2);
			*ret_skips += step > MINUTE + MINUTE / 2;
		}
		if (values && last)
			row_check(b, r);
		last = r;
		rows++;
	}
	return rows;
}

static void test_rows_are_what_was_seen(void **state)
{
	struct tiers_bed *b = *state;
	struct look_back_series s;
	struct look_back *l;
	size_t skips;

	play(b, 40);
	l = look(b, 3600 * NS_PER_S, &s);
	assert_true(rows_check(b, &s, true, &skips) > 15);
	assert_int_equal(skips, 0);
	/* then each reading, without a hole between */
	for (size_t i = s.count - 1;
	     i > 1 && s.reading[i - 1].span_ns <= MINUTE; i--)
		assert_true(s.reading[i].wall.ns - s.reading[i - 1].wall.ns <=
			    MINUTE + MINUTE / 2);
	assert_int_equal(s.reading[s.count - 1].span_ns, 0);
	assert_string_equal(look_back_reach(l)->why, "");
	look_back_close(l);
}

/* Its column is written as it differs from another, which no tier keeps. */
static void test_rows_of_a_counter_are_what_was_seen(void **state)
{
	struct tiers_bed *b = *state;
	struct look_back_series s;
	struct look_back *l;
	size_t skips;

	b->port = played_entity(&b->played, ENTITY_PORT, 3);
	play(b, 40);
	l = look(b, 3600 * NS_PER_S, &s);
	assert_true(rows_check(b, &s, true, &skips) > 15);
	assert_int_equal(skips, 0);
	look_back_close(l);
}

/* How many minutes have a row of a quantity of an entity. */
static size_t minutes_of(struct tiers_bed *b, uint32_t entity,
			 enum quantity quantity)
{
	struct wall to = played_clock(&b->played).wall;
	struct look_back_series s = { .entity = entity, .quantity = quantity };
	struct look_back *l;
	struct diag d = { "" };
	size_t n = 0;

	assert_int_equal(look_back_open(b->root.run_dir, false, &l, &d), 0);
	assert_int_equal(look_back_read(l, (struct wall){ to.ns - HOUR }, to,
					&s, 1, &d), 0);
	for (size_t i = 0; i < s.count; i++)
		n += s.reading[i].span_ns == MINUTE;
	look_back_close(l);
	return n;
}

/* Also of what is written as it differs from another that nobody asked for. */
static void test_each_quantity_has_its_rows(void **state)
{
	static const enum entity_kind kinds[] = { ENTITY_PORT, ENTITY_LANE,
						  ENTITY_QUEUE };
	struct tiers_bed *b = *state;
	const struct quantity_info *q;
	size_t n, minutes;
	unsigned seen = 0;

	play(b, 40);
	minutes = minutes_of(b, b->lane, Q_LANE_RX_POWER_PW);
	assert_true(minutes > 20);
	q = quantity_table(&n);
	for (size_t i = 0; i < n * 3; i++) {
		uint32_t entity = played_entity(&b->played, kinds[i / n], 3);
		const struct quantity_info *of = &q[i % n];
		struct state_value v;

		if (of->scope != kinds[i / n] || !quantity_is_kept(of->id) ||
		    quantity_is_indexed(of) ||
		    !state_value(b->played.state, entity, of->id, 0, &v))
			continue;
		/* the ring may reach back a minute further of one */
		if (minutes_of(b, entity, of->id) + 1 < minutes)
			fail_msg("of %s are %zu minutes, not %zu", of->name,
				 minutes_of(b, entity, of->id), minutes);
		seen++;
	}
	assert_true(seen > 10);
}

static void test_restart_goes_on_behind_the_last_row(void **state)
{
	struct tiers_bed *b = *state;
	struct look_back_series s;
	struct look_back *l;
	size_t skips;

	play(b, 12);
	for (unsigned i = 0; i < 3; i++) {
		tiers_free(b->tiers);
		played_tick(&b->played, TICK_MS);
		see(b);
		tiers_begin(b);
		play(b, 4);
	}
	play(b, 10);
	l = look(b, 3600 * NS_PER_S, &s);
	assert_true(rows_check(b, &s, true, &skips) > 10);
	assert_int_equal(skips, 0);
	look_back_close(l);
}

static void test_reboot_leaves_what_was_before(void **state)
{
	struct tiers_bed *b = *state;
	struct look_back_series s;
	struct look_back *l;
	size_t skips;

	b->ago_ns = 3600 * NS_PER_S;
	play(b, 10);
	b->ago_ns = 0;
	tiers_free(b->tiers);
	played_free(&b->played);
	played_root_reboot(&b->root);
	switch_begin(b);
	play(b, 3);
	l = look(b, 2 * 3600 * NS_PER_S, &s);
	assert_true(s.count > 3);
	assert_int_equal(s.reading[0].mono.ns, 0);
	assert_int_not_equal(s.reading[s.count - 1].mono.ns, 0);
	(void)rows_check(b, &s, false, &skips);
	look_back_close(l);
}

static void file_damage(struct tiers_bed *b)
{
	uint64_t *began_s = NULL;
	char name[TIER_NAME_MAX];
	uint8_t octet;
	struct stat st;
	int fd;

	assert_true(tier_list(&disk_durable, b->root.tiers_fd, TIER_MINUTE,
			      &began_s) > 0);
	tier_file_name(TIER_MINUTE, began_s[0], name);
	free(began_s);
	fd = openat(b->root.tiers_fd, name, O_RDWR);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	/* in the rows, of which the first is the reference */
	assert_int_equal(pread(fd, &octet, 1, st.st_size - 3000), 1);
	octet ^= 0x10;
	assert_int_equal(pwrite(fd, &octet, 1, st.st_size - 3000), 1);
	(void)close(fd);
}

static void test_damage_is_told_and_the_rest_is_read(void **state)
{
	struct tiers_bed *b = *state;
	struct look_back_series s;
	struct look_back *l;
	size_t whole, skips;

	play(b, 20);
	l = look(b, 3600 * NS_PER_S, &s);
	whole = rows_check(b, &s, true, &skips);
	look_back_close(l);
	file_damage(b);
	l = look(b, 3600 * NS_PER_S, &s);
	assert_non_null(strstr(look_back_reach(l)->why, "damaged"));
	assert_in_range(rows_check(b, &s, true, &skips), 1, whole);
	look_back_close(l);
}

/* A writer of minutes without switch or rows. */
static struct tier_writer writer_of_minutes(const struct tiers_bed *b,
					    struct tier_budget *budget)
{
	return (struct tier_writer){ .disk = &disk_durable,
				     .dir_fd = b->root.tiers_fd,
				     .tier = TIER_MINUTE, .mode = 0600,
				     .budget = budget, .fd = -1 };
}

/* As much as a file takes. Returns why no more. */
static int file_fill(struct tier_writer *w)
{
	static uint8_t octets[60000];
	int rc = 0;

	while (rc == 0)
		rc = tier_writer_put(w, STREAM_SAMPLES, RECORD_BATCH, 0, octets,
				     sizeof(octets));
	return rc;
}

/* Read piece by piece, a file has the records and the damage that it has in
 * memory.
 */
static void test_file_is_read_in_pieces(void **state)
{
	static uint8_t all[TIER_FILE_OCTETS_MAX], room[TIER_WALK_ROOM];
	static const uint8_t payload[1000];
	const unsigned count = 3 * TIER_WALK_ROOM / sizeof(payload);
	struct tier_walk w, in_memory;
	struct record_header h, expected;
	const uint8_t *at, *expected_at;
	FILE *f = tmpfile();
	struct writer out = writer_of(all, sizeof(all));

	(void)state;
	assert_non_null(f);
	for (unsigned i = 0; i < count; i++) {
		h = (struct record_header){ .sequence = i + 1, .last = i + 1,
					    .stream = STREAM_SAMPLES,
					    .kind = RECORD_BATCH,
					    .length = 1 + i * 7 % 1000 };
		record_write(&out, &h, payload);
	}
	assert_true(writer_ok(&out) && out.pos > TIER_WALK_ROOM);
	all[out.pos / 2] ^= 1;
	assert_int_equal(fwrite(all, 1, out.pos, f), out.pos);
	assert_int_equal(fflush(f), 0);
	in_memory = tier_walk_of(all, out.pos);
	w = tier_walk_file(fileno(f), room);
	while (tier_walk_next(&in_memory, &expected, &expected_at)) {
		assert_true(tier_walk_next(&w, &h, &at));
		assert_int_equal(h.sequence, expected.sequence);
		assert_int_equal(h.length, expected.length);
		assert_memory_equal(at, expected_at, h.length);
	}
	assert_false(tier_walk_next(&w, &h, &at));
	assert_int_equal(w.err, 0);
	assert_int_not_equal(w.damaged, 0);
	assert_int_equal(w.damaged, in_memory.damaged);
	(void)fclose(f);
}

/* A disk that fails is no damage of the file. */
static void test_file_that_cannot_be_read_is_told(void **state)
{
	struct tiers_bed *b = *state;
	static uint8_t room[TIER_WALK_ROOM];
	struct tier_walk w = tier_walk_file(b->root.tiers_fd, room);
	struct record_header h;
	const uint8_t *at;

	assert_false(tier_walk_next(&w, &h, &at));
	assert_int_equal(w.err, -EISDIR);
	assert_int_equal(w.damaged, 0);
}

static void test_old_files_go_and_of_a_full_folder_the_oldest(void **state)
{
	struct tier_budget budget = { .held_octets = HELD,
				      .day_octets = UINT64_MAX };
	struct tiers_bed *b = *state;
	struct tier_writer w = writer_of_minutes(b, &budget);
	struct wall now = { INT64_C(1000000) * NS_PER_S };
	struct tier_held held;

	for (unsigned i = 0; i < 20; i++, now.ns += HOUR) {
		assert_int_equal(tier_writer_begin(&w, now), 0);
		assert_int_equal(w.is_short, i > 5);
		assert_int_equal(file_fill(&w), -EFBIG);
		assert_int_equal(tier_writer_held(&w, w.began_s, &held), 0);
		assert_true(held.octets <= HELD / 12 * 4);
		assert_true(held.since_octets <= TIER_FILE_OCTETS_MAX);
	}
	assert_int_equal(held.began_s, w.began_s - 5 * 3600);
	now.ns += 26 * HOUR;
	assert_int_equal(tier_writer_begin(&w, now), 0);
	assert_false(w.is_short);
	assert_int_equal(tier_writer_held(&w, 0, &held), 0);
	assert_int_equal(held.began_s, w.began_s - 27 * 3600);
	tier_writer_close(&w);
}

static void test_day_that_is_full_takes_no_more(void **state)
{
	struct tier_budget budget = { .held_octets = HELD,
				      .day_octets = 12u << 20 };
	struct tiers_bed *b = *state;
	struct tier_writer w = writer_of_minutes(b, &budget);
	struct wall now = { INT64_C(1000000) * NS_PER_S };
	int rc = 0;

	for (unsigned i = 0; i < 5 && rc != -EDQUOT; i++, now.ns += HOUR) {
		assert_int_equal(tier_writer_begin(&w, now), 0);
		rc = file_fill(&w);
	}
	assert_int_equal(rc, -EDQUOT);
	assert_in_range(budget.written, 10u << 20, 11u << 20);
	assert_int_equal(tier_writer_begin(&w, now), -EDQUOT);
	budget.written = 0;
	assert_int_equal(tier_writer_begin(&w, now), 0);
	tier_writer_close(&w);
}

/* Where a day has room for little, some series are kept all the same. */
static void test_little_room_is_not_none(void **state)
{
	struct tiers_bed *b = *state;
	struct tiers_count c;

	tiers_free(b->tiers);
	b->day_octets = 4u << 10;
	tiers_begin(b);
	play(b, 20);
	assert_int_equal(tiers_count(b->tiers, &c), 0);
	assert_in_range(c.series, 1, 256);
	assert_true(c.left_out > 0);
}

/* A column of so many rows of one reading each. */
static void fold_rows(struct tier_fold *f, uint16_t quantity, uint32_t rows,
		      int64_t taken_ns)
{
	uint32_t entity[200];
	int64_t value[200], taken[200], window[200] = { 0 };
	uint8_t quality[200] = { 0 };
	struct decoded_column c = { .quantity = quantity, .count = rows,
				    .entity = entity, .value = value,
				    .quality = quality, .taken_ns = taken,
				    .window_ns = window };

	for (uint32_t i = 0; i < rows; i++) {
		entity[i] = i + 1;
		value[i] = 1000 + i;
		taken[i] = taken_ns;
	}
	assert_int_equal(tier_fold_column(f, &c), 0);
}

static void test_where_not_all_has_room_the_last_ranks_go(void **state)
{
	struct tier_fold *f;
	struct tier_row row;
	size_t series, left_out;

	(void)state;
	assert_int_equal(tier_fold_new(&f), 0);
	tier_fold_limit(f, 150);
	fold_rows(f, Q_QUEUE_WATERMARK_OCTETS, 100, NS_PER_S);
	fold_rows(f, Q_LANE_RX_POWER_PW, 100, NS_PER_S);
	fold_rows(f, Q_QUEUE_WATERMARK_OCTETS, 100, 2 * NS_PER_S);
	fold_rows(f, Q_MODULE_TEMP_MC, 50, 2 * NS_PER_S);
	tier_fold_count(f, &series, &left_out);
	assert_int_equal(series, 150);
	assert_int_equal(left_out, 100);
	assert_true(tier_fold_close(f, TIER_MINUTE, (struct mono){ MINUTE },
				    &row));
	assert_int_equal(row.column_count, 2 * TIER_SOURCES);
	tier_fold_limit(f, 250);
	fold_rows(f, Q_QUEUE_WATERMARK_OCTETS, 100, MINUTE + NS_PER_S);
	tier_fold_count(f, &series, &left_out);
	assert_int_equal(series, 250);
	assert_int_equal(left_out, 0);
	tier_fold_limit(f, 60);
	tier_fold_count(f, &series, &left_out);
	assert_int_equal(series, 50);
	assert_int_equal(left_out, 200);
	tier_fold_free(f);
}

/* What a day may take it may take across restarts. */
static void test_restart_knows_what_was_written_today(void **state)
{
	struct tiers_bed *b = *state;
	struct tiers_count before, after;

	b->ago_ns = played_clock(&b->played).wall.ns % (24 * HOUR) -
		    HOUR;	/* midnight was an hour ago */
	tiers_free(b->tiers);
	tiers_begin(b);
	play(b, 17);
	assert_int_equal(tiers_count(b->tiers, &before), 0);
	assert_true(before.written > 0 && before.written == before.held);
	assert_true(before.began_s[TIER_MINUTE] > 0);
	tiers_free(b->tiers);
	tiers_begin(b);
	assert_int_equal(tiers_count(b->tiers, &after), 0);
	assert_int_equal(after.written, before.written);
	b->ago_ns -= 24 * HOUR;
	play(b, 1);
	assert_int_equal(tiers_count(b->tiers, &after), 0);
	assert_true(after.written < after.held);
}

#define BED(f) cmocka_unit_test_setup_teardown(f, bed_make, bed_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		BED(test_rows_are_what_was_seen),
		BED(test_rows_of_a_counter_are_what_was_seen),
		BED(test_each_quantity_has_its_rows),
		BED(test_restart_goes_on_behind_the_last_row),
		BED(test_reboot_leaves_what_was_before),
		BED(test_damage_is_told_and_the_rest_is_read),
		BED(test_old_files_go_and_of_a_full_folder_the_oldest),
		BED(test_day_that_is_full_takes_no_more),
		BED(test_restart_knows_what_was_written_today),
		BED(test_little_room_is_not_none),
		cmocka_unit_test(test_file_is_read_in_pieces),
		BED(test_file_that_cannot_be_read_is_told),
		cmocka_unit_test(test_where_not_all_has_room_the_last_ranks_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

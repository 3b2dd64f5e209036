/* C12: a sink that fails loses nothing, holds up no other, and is given up. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>

#include "agent/collect/feed.h"
#include "agent/collect/store.h"

#define ENTRIES 10u

/* A sink that does as it is told, and says what it got. */
struct scripted {
	pthread_mutex_t mutex;
	int fails[4];		/* what commit returns first; 0: it works */
	bool is_down;		/* it never works */
	unsigned commits, begins;
	uint64_t pending, given, committed;
	uint64_t offered[4];	/* what was pending at each commit */
	struct place at;
};

struct bed {
	char dir[64];
	struct store *store;
	struct scripted sink;
	struct feed *feed;
};

static struct place scripted_begin(void *sink)
{
	struct scripted *s = sink;

	(void)pthread_mutex_lock(&s->mutex);
	s->pending = 0;
	s->begins++;
	(void)pthread_mutex_unlock(&s->mutex);
	return s->at;
}

static int scripted_entry(void *sink, const struct entry *e, struct place at,
			  struct diag *d)
{
	struct scripted *s = sink;

	(void)e;
	(void)at;
	(void)d;
	(void)pthread_mutex_lock(&s->mutex);
	s->pending++;
	s->given++;
	(void)pthread_mutex_unlock(&s->mutex);
	return 0;
}

static int scripted_commit(void *sink, struct place at,
			   struct place *ret_kept, struct diag *d)
{
	struct scripted *s = sink;
	int err;

	(void)pthread_mutex_lock(&s->mutex);
	err = s->is_down ? -EAGAIN : 0;
	if (s->commits < 4 && err == 0) {
		err = s->fails[s->commits];
		s->offered[s->commits] = s->pending;
	}
	s->commits++;
	if (err == 0) {
		s->committed += s->pending;
		s->pending = 0;
		s->at = *ret_kept = at;
	}
	(void)pthread_mutex_unlock(&s->mutex);
	return err < 0 ? diag_set(d, err, "as it was told") : 0;
}

static void scripted_count(const void *sink, struct sink_count *ret)
{
	const struct scripted *s = sink;

	*ret = (struct sink_count){ .applied = s->committed };
}

static const struct sink_driver scripted_driver = {
	.name = "scripted", .begin = scripted_begin, .entry = scripted_entry,
	.commit = scripted_commit, .count = scripted_count,
};

static void entry_seen(void *context, const struct entry *e, struct place at)
{
	(void)context;
	(void)e;
	(void)at;
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct store_env env = { .octets_max = 16 << 20, .first_number = 1,
				 .each = entry_seen };
	struct store_found found;
	struct diag d;

	(void)strcpy(b->dir, "/tmp/petrel-feed-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	env.path = b->dir;
	if (store_open(&env, &found, &b->store, &d) < 0)
		fail_msg("%s", d.text);
	(void)pthread_mutex_init(&b->sink.mutex, NULL);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;
	char command[128];

	feed_free(b->feed);
	store_close(b->store);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", b->dir);
	(void)!system(command);
	free(b);
	return 0;
}

static void entries_append(struct bed *b)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		uint8_t octets[256];
		struct writer w = writer_of(octets, sizeof(octets));
		struct entry e = { .kind = ENTRY_RECORDS, .run = i,
				   .switch_id = "leaf1", .body = octets,
				   .len = 0 };
		struct place at;

		entry_write(&w, &e);
		assert_int_equal(store_append(b->store, octets, w.pos, &at),
				 0);
	}
	feed_allow(b->feed, store_end(b->store));
}

static void feed_start(struct bed *b, int64_t give_up_ns)
{
	struct feed_env env = { .driver = &scripted_driver, .sink = &b->sink,
				.dir_fd = store_dir_fd(b->store),
				.end = store_end(b->store),
				.retry_ns = 1000000,
				.give_up_ns = give_up_ns };

	assert_int_equal(feed_new(&env, &b->feed), 0);
	entries_append(b);
}

/* Until commit was called so often; a minute at most. */
static struct scripted wait_for_commits(struct bed *b, unsigned commits)
{
	struct scripted seen = { .commits = 0 };

	for (unsigned i = 0; i < 30000 && seen.commits < commits; i++) {
		(void)usleep(2000);
		(void)pthread_mutex_lock(&b->sink.mutex);
		seen = b->sink;
		(void)pthread_mutex_unlock(&b->sink.mutex);
	}
	assert_true(seen.commits >= commits);
	return seen;
}

static void test_feed_gives_each_entry_once(void **state)
{
	struct bed *b = *state;
	struct scripted seen;

	feed_start(b, 0);
	seen = wait_for_commits(b, 1);
	assert_int_equal(seen.committed, ENTRIES);
	assert_int_equal(seen.given, ENTRIES);
}

static void test_feed_commits_again_without_reading_on(void **state)
{
	struct bed *b = *state;
	struct scripted seen;

	for (unsigned i = 0; i < 3; i++)
		b->sink.fails[i] = -EAGAIN;
	feed_start(b, 0);
	(void)wait_for_commits(b, 1);
	entries_append(b);
	seen = wait_for_commits(b, 5);
	assert_int_equal(seen.offered[0], ENTRIES);
	assert_int_equal(seen.offered[3], ENTRIES);
	assert_int_equal(seen.committed, 2 * ENTRIES);
	assert_int_equal(seen.given, 2 * ENTRIES);
	assert_int_equal(seen.begins, 1);
}

static void test_feed_reads_again_what_failed(void **state)
{
	struct bed *b = *state;
	struct scripted seen;

	b->sink.fails[0] = -EIO;
	feed_start(b, 0);
	seen = wait_for_commits(b, 2);
	assert_int_equal(seen.committed, ENTRIES);
	assert_int_equal(seen.given, 2 * ENTRIES);
	assert_int_equal(seen.begins, 2);
}

static void test_feed_goes_back_at_once_for_an_engine_that_forgot(void **state)
{
	struct bed *b = *state;
	struct sink_figures f;

	b->sink.fails[0] = -ESTALE;
	feed_start(b, 0);
	assert_int_equal(wait_for_commits(b, 2).committed, ENTRIES);
	feed_figures(b->feed, &f);
	assert_false(f.is_down);
}

static void test_feed_holds_the_spool_of_a_sink_that_is_down(void **state)
{
	struct bed *b = *state;
	struct sink_figures f;

	b->sink.is_down = true;
	feed_start(b, INT64_MAX);
	(void)wait_for_commits(b, 2);
	feed_figures(b->feed, &f);
	assert_true(f.is_down);
	assert_false(f.is_given_up);
	assert_true(feed_segment(b->feed) <= 1);
}

static void test_feed_gives_the_spool_up(void **state)
{
	struct bed *b = *state;
	struct sink_figures f;

	b->sink.is_down = true;
	feed_start(b, 1);		/* a nanosecond */
	(void)wait_for_commits(b, 2);
	feed_figures(b->feed, &f);
	assert_true(f.is_down);
	assert_true(f.is_given_up);
	assert_true(f.lag_ns > 0);
	assert_int_equal(feed_segment(b->feed), UINT64_MAX);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_feed_##name, setup, \
						teardown)
	const struct CMUnitTest tests[] = {
		T(gives_each_entry_once),
		T(commits_again_without_reading_on),
		T(reads_again_what_failed),
		T(goes_back_at_once_for_an_engine_that_forgot),
		T(holds_the_spool_of_a_sink_that_is_down),
		T(gives_the_spool_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

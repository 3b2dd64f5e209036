/* The collector's spool: what was synced is there again, what was torn is cut
 * off and told, and nothing in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/collect/store.h"
#include "agent/spool/segment.h"

#define OCTETS_MAX (16u << 20)
#define FIRST "0000000000000001.seg"

struct bed {
	char dir[64];
	int dir_fd;
	unsigned seen;
	uint64_t last_run;
	struct place at[64];
};

static void entry_seen(void *context, const struct entry *e, struct place at)
{
	struct bed *b = context;

	assert_int_equal(e->run, b->last_run + 1);	/* in order */
	assert_string_equal(e->switch_id, "leaf1");
	b->last_run = e->run;
	if (b->seen < 64)
		b->at[b->seen] = at;
	b->seen++;
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->dir, "/tmp/petrel-store-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	b->dir_fd = open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = b;
	return 0;
}

static void dir_clear(struct bed *b)
{
	uint64_t *list = NULL;
	int count = segment_list(&disk_durable, b->dir_fd, &list);

	for (int i = 0; i < count; i++) {
		char name[SEGMENT_NAME_LEN + 1];

		segment_name(list[i], name);
		(void)unlinkat(b->dir_fd, name, 0);
	}
	free(list);
}

static int teardown(void **state)
{
	struct bed *b = *state;

	dir_clear(b);
	(void)unlinkat(b->dir_fd, "lock", 0);
	(void)close(b->dir_fd);
	(void)rmdir(b->dir);
	free(b);
	return 0;
}

static int open_at(struct bed *b, uint64_t first, struct store_found *found,
		   struct store **ret, struct diag *d)
{
	struct store_env env = { .path = b->dir, .octets_max = OCTETS_MAX,
				 .first_number = first, .each = entry_seen,
				 .context = b };

	return store_open(&env, found, ret, d);
}

static struct store *open_store(struct bed *b, struct store_found *found)
{
	struct store *s;
	struct diag d;

	b->seen = 0;
	b->last_run = 0;
	if (open_at(b, 1, found, &s, &d) < 0)
		fail_msg("%s", d.text);
	return s;
}

static size_t make_entry(uint64_t run, size_t body_len, uint8_t *ret,
			 size_t cap)
{
	static const uint8_t body[ENTRY_BODY_MAX] = { 1, 2, 3 };
	struct writer w = writer_of(ret, cap);
	struct entry e = { .kind = ENTRY_RECORDS, .run = run, .body = body,
			   .len = body_len };

	(void)strcpy(e.switch_id, "leaf1");
	entry_write(&w, &e);
	assert_true(writer_ok(&w));
	assert_int_equal(w.pos, entry_size(&e));
	return w.pos;
}

static int append(struct store *s, uint64_t run, size_t body_len)
{
	static uint8_t octets[ENTRY_MAX];
	struct place at;
	size_t len = make_entry(run, body_len, octets, sizeof(octets));

	return store_append(s, octets, len, &at);
}

static void test_store_has_again_what_was_appended(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);

	assert_int_equal(found.segments, 0);
	for (uint64_t run = 1; run <= 5; run++)
		assert_int_equal(append(s, run, 10 * run), 0);
	store_close(s);
	s = open_store(b, &found);

	assert_int_equal(b->seen, 5);
	assert_int_equal(found.entries, 5);
	assert_int_equal(found.torn_octets, 0);
	assert_int_equal(b->at[0].offset, STORE_HEADER_LEN);
	store_close(s);
}

static void first_cut(const struct bed *b, size_t octets)
{
	int fd = openat(b->dir_fd, FIRST, O_WRONLY | O_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)octets), 0);
	(void)close(fd);
}

/* Cuts the segment at every length: all whole entries before it are there, the
 * rest is told, and appending goes on behind them.
 */
static void test_store_cuts_a_torn_tail_at_every_length(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	uint8_t octets[256];
	size_t one = make_entry(1, 30, octets, sizeof(octets));
	size_t whole = STORE_HEADER_LEN + 3 * one;

	for (size_t cut = 0; cut <= whole; cut++) {
		unsigned left = cut < STORE_HEADER_LEN ? 0 :
			(unsigned)((cut - STORE_HEADER_LEN) / one);

		store_close(s);
		dir_clear(b);
		s = open_store(b, &found);
		for (uint64_t run = 1; run <= 3; run++)
			assert_int_equal(append(s, run, 30), 0);
		store_close(s);
		first_cut(b, cut);
		s = open_store(b, &found);
		assert_int_equal(b->seen, left);
		assert_int_equal(found.torn_octets,
				 cut < STORE_HEADER_LEN ? cut :
				 (cut - STORE_HEADER_LEN) % one);
		assert_int_equal(append(s, left + 1, 30), 0);
		store_close(s);
		s = open_store(b, &found);
		assert_int_equal(b->seen, left + 1);
		assert_int_equal(found.torn_octets, 0);
	}
	store_close(s);
}

/* No octet of an entry can change unseen. */
static void test_store_takes_no_entry_with_a_changed_octet(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	uint8_t octets[256];
	size_t one = make_entry(1, 30, octets, sizeof(octets));

	assert_int_equal(append(s, 1, 30), 0);
	store_close(s);
	for (size_t at = 0; at < one; at++) {
		int fd = openat(b->dir_fd, FIRST, O_WRONLY | O_CLOEXEC);
		uint8_t changed = octets[at] ^ 0x10;
		off_t offset = (off_t)(STORE_HEADER_LEN + at);

		assert_int_equal(pwrite(fd, &changed, 1, offset), 1);
		b->seen = 0;
		s = open_store(b, &found);
		assert_int_equal(b->seen, 0);
		assert_int_equal(found.torn_octets, one);
		store_close(s);
		assert_int_equal(pwrite(fd, octets, one, STORE_HEADER_LEN),
				 (ssize_t)one);
		(void)close(fd);
	}
}

static void test_store_goes_on_in_the_next_segment(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	uint64_t run = 0, of_first = 0;
	struct diag d;

	while (store_end(s).segment < 3) {
		assert_int_equal(append(s, ++run, 60000), 0);
		if (store_end(s).segment == 1)
			of_first = run;
		if (store_wants_roll(s))
			assert_int_equal(store_roll(s), 0);
	}
	assert_int_equal(append(s, ++run, 5), 0);
	store_close(s);
	b->last_run = of_first;
	assert_int_equal(open_at(b, 1, &found, &s, &d), 0);

	/* the head of the second one says what the first one said */
	assert_int_equal(b->seen, run - of_first);
	assert_int_equal(b->at[0].segment, 2);
	assert_int_equal(found.segments, 3);
	store_close(s);
}

static void test_store_skips_rot_in_the_middle_and_tells(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	int fd;

	assert_int_equal(append(s, 1, 30), 0);
	assert_int_equal(append(s, 7, 30), 0);
	assert_int_equal(store_roll(s), 0);
	assert_int_equal(append(s, 2, 30), 0);
	store_close(s);
	fd = openat(b->dir_fd, FIRST, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "rot", 3, STORE_HEADER_LEN + 90), 3);
	(void)close(fd);
	s = open_store(b, &found);

	assert_int_equal(b->seen, 2);
	assert_int_equal(found.rotten, 1);
	store_close(s);
}

static void test_store_is_refused_to_a_second_writer(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found), *second;
	struct diag d;

	assert_int_equal(open_at(b, 1, &found, &second, &d), -EADDRINUSE);
	assert_non_null(strstr(d.text, "another collector"));
	store_close(s);
}

static void test_store_refuses_a_segment_of_another_version(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	struct diag d;
	int fd;

	store_close(s);
	fd = openat(b->dir_fd, FIRST, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "\x09", 1, 5), 1);
	(void)close(fd);

	assert_int_equal(open_at(b, 1, &found, &s, &d), -EPROTONOSUPPORT);
}

static void test_store_is_full_until_the_sink_has_passed(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	uint64_t run = 0;
	int err;

	while ((err = append(s, run + 1, 60000)) == 0) {
		run++;
		if (store_wants_roll(s))
			assert_int_equal(store_roll(s), 0);
		assert_int_equal(store_trim(s, 1), 0);	/* it reads the first */
	}
	assert_int_equal(err, -ENOSPC);
	assert_true(store_octets(s) <= OCTETS_MAX);
	assert_true(store_trim(s, store_end(s).segment) > 0);
	assert_int_equal(append(s, run + 1, 60000), 0);
	store_close(s);
}

static void test_store_numbers_never_begin_anew(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s;
	struct diag d;

	assert_int_equal(open_at(b, 42, &found, &s, &d), 0);
	assert_int_equal(store_end(s).segment, 42);
	store_close(s);
}

static void test_follow_waits_for_what_is_half_written(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	struct follow *f;
	struct entry e;
	uint8_t octets[256];
	size_t len = make_entry(1, 30, octets, sizeof(octets));
	struct place begin = { 0, 0 };
	int fd = openat(b->dir_fd, FIRST, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_int_equal(follow_open(&disk_durable, b->dir_fd, begin, &f), 0);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(follow_next(f, NULL, &e), -EAGAIN);
		assert_int_equal(write(fd, octets + i, 1), 1);
	}
	assert_int_equal(follow_next(f, NULL, &e), 0);
	assert_int_equal(e.run, 1);
	assert_int_equal(follow_next(f, NULL, &e), -EAGAIN);
	(void)close(fd);
	follow_close(f);
	store_close(s);
}

static void test_follow_reads_nothing_behind_its_end(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s = open_store(b, &found);
	struct place begin = { 0, 0 }, end;
	struct follow *f;
	struct entry e;

	assert_int_equal(append(s, 1, 30), 0);
	end = store_end(s);
	assert_int_equal(append(s, 2, 30), 0);
	assert_int_equal(follow_open(&disk_durable, b->dir_fd, begin, &f), 0);

	assert_int_equal(follow_next(f, &end, &e), 0);
	assert_int_equal(e.run, 1);
	assert_int_equal(follow_next(f, &end, &e), -EAGAIN);
	end = store_end(s);
	assert_int_equal(follow_next(f, &end, &e), 0);
	assert_int_equal(e.run, 2);
	follow_close(f);
	store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A link in the lock's place would let others choose what is made. */
static void test_c21_store_follows_no_link_for_its_lock(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s;
	struct diag d;

	assert_int_equal(symlinkat("elsewhere", b->dir_fd, "lock"), 0);
	assert_int_equal(open_at(b, 1, &found, &s, &d), -ELOOP);
	assert_int_equal(faccessat(b->dir_fd, "elsewhere", F_OK, 0), -1);
}

static void test_c21_store_lock_is_nobody_elses(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct stat st;

	store_close(open_store(b, &found));
	assert_int_equal(fstatat(b->dir_fd, "lock", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void test_c21_store_refuses_a_folder_others_write_to(void **state)
{
	struct bed *b = *state;
	struct store_found found;
	struct store *s;
	struct diag d;

	assert_int_equal(fchmod(b->dir_fd, 0777), 0);
	assert_int_equal(open_at(b, 1, &found, &s, &d), -EPERM);
	assert_non_null(strstr(d.text, "mode 0777"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_store_has_again_what_was_appended),
		TEST(test_store_cuts_a_torn_tail_at_every_length),
		TEST(test_store_takes_no_entry_with_a_changed_octet),
		TEST(test_store_goes_on_in_the_next_segment),
		TEST(test_store_skips_rot_in_the_middle_and_tells),
		TEST(test_store_is_refused_to_a_second_writer),
		TEST(test_store_refuses_a_segment_of_another_version),
		TEST(test_store_is_full_until_the_sink_has_passed),
		TEST(test_store_numbers_never_begin_anew),
		TEST(test_follow_waits_for_what_is_half_written),
		TEST(test_follow_reads_nothing_behind_its_end),
		TEST(test_c21_store_follows_no_link_for_its_lock),
		TEST(test_c21_store_lock_is_nobody_elses),
		TEST(test_c21_store_refuses_a_folder_others_write_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

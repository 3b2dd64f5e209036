/* C12: a sink's place outlives its process, and is nobody else's after a power
 * cut: it is one that was written, or the spool's begin.
 */
#include "agent/collect/bookmark.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "petrel/log.h"
#include "tests/support/sim_disk.h"

#define NAME "lines"
#define FILE_NAME NAME ".bookmark"
#define VARIANTS 64u		/* of a cut */

static struct sim_disk *bed, *cut;

static struct bookmark mark_of(uint64_t n)
{
	return (struct bookmark){ .at = { n + 1, 100 * n }, .kept = { n, 7 },
				  .engine_start = "2026-01-01T00:00:00" };
}

static bool is_same(const struct bookmark *a, const struct bookmark *b)
{
	return memcmp(&a->at, &b->at, sizeof(a->at)) == 0 &&
	       memcmp(&a->kept, &b->kept, sizeof(a->kept)) == 0 &&
	       strcmp(a->engine_start, b->engine_start) == 0;
}

static void put(uint64_t n, const char *more)
{
	struct bookmark b = mark_of(n);

	assert_int_equal(bookmark_write(&bed->disk, SIM_DISK_FOLDER, NAME, &b,
					more, NULL), 0);
}

static void test_bookmark_is_read_as_it_was_written(void **state)
{
	struct bookmark found, wanted;
	char *more;

	(void)state;
	for (uint64_t n = 1; n < 4; n++) {
		wanted = mark_of(n);
		put(n, NULL);
		bookmark_read(&bed->disk, SIM_DISK_FOLDER, NAME, &found, &more);
		assert_true(is_same(&found, &wanted));
		assert_null(more);
	}
	put(9, "[1, 2]");
	wanted = mark_of(9);
	bookmark_read(&bed->disk, SIM_DISK_FOLDER, NAME, &found, &more);
	assert_true(is_same(&found, &wanted));
	assert_string_equal(more, "[1, 2]");
	free(more);
}

static void test_bookmark_that_is_not_there_is_the_begin(void **state)
{
	const struct bookmark begin = { .engine_start = "" };
	struct bookmark found;

	(void)state;
	bookmark_read(&bed->disk, SIM_DISK_FOLDER, NAME, &found, NULL);
	assert_true(is_same(&found, &begin));
}

/* It is shorter than a sector of a disk: all of it is there, or nothing. */
static void test_bookmark_is_old_or_none_after_every_power_cut(void **state)
{
	const struct bookmark begin = { .engine_start = "" };
	const struct bookmark was = mark_of(3);

	(void)state;
	put(3, NULL);
	for (unsigned i = 0; i < VARIANTS; i++) {
		const struct sim_file *f;
		struct bookmark found;

		(void)sim_disk_cut(bed, i, cut);
		bookmark_read(&cut->disk, SIM_DISK_FOLDER, NAME, &found, NULL);
		f = sim_disk_file(cut, FILE_NAME);
		assert_true(is_same(&found, &begin) || is_same(&found, &was));
		assert_true(f || is_same(&found, &begin));
	}
}

static void test_bookmark_of_a_disk_that_fails_is_told(void **state)
{
	static const int faults[] = { -EIO, -ENOSPC, -EROFS };
	struct bookmark b = mark_of(4), found;
	const struct bookmark was = mark_of(3);

	(void)state;
	put(3, NULL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		bed->fault = faults[i];
		bed->fail_at = bed->done + 1;	/* behind its open */
		assert_int_equal(bookmark_write(&bed->disk, SIM_DISK_FOLDER,
						NAME, &b, NULL,
						NULL), faults[i]);
		bed->fail_at = SIM_DISK_NEVER;
		bookmark_read(&bed->disk, SIM_DISK_FOLDER, NAME, &found, NULL);
		assert_true(is_same(&found, &was));
	}
}

static int set_up(void **state)
{
	(void)state;
	bed = calloc(1, sizeof(*bed));
	cut = calloc(1, sizeof(*cut));
	if (!bed || !cut)
		return -1;
	sim_disk_init(bed);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(bed);
	free(cut);
	return 0;
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_bookmark_is_read_as_it_was_written),
		BED(test_bookmark_that_is_not_there_is_the_begin),
		BED(test_bookmark_is_old_or_none_after_every_power_cut),
		BED(test_bookmark_of_a_disk_that_fails_is_told),
	};

	log_open("test_bookmark", LOG_TARGET_STDERR, LOG_PRIORITY_ERR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

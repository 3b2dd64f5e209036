/* A file that is put in the place of another is there whole, or the other is,
 * whatever happens to the disk.
 */
#include "agent/spool/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/support/sim_disk.h"

#define OLD "what was there before, and was synced long ago"
#define NEW "what comes in its place, in more than one write"
#define CHUNK 20		/* so that NEW takes three */
#define VARIANTS 64u		/* of a cut */

static int put(struct sim_disk *p, const char *text)
{
	return disk_put(&p->disk, SIM_DISK_FOLDER, "kept", text,
			strlen(text));
}

/* The disk with OLD on it; cut is what becomes of it. */
static struct sim_disk *bed, *cut;

static void begin(void)
{
	sim_disk_init(bed);
	bed->chunk = CHUNK;
	assert_int_equal(put(bed, OLD), 0);
	bed->done = 0;
}

static unsigned operations(void)
{
	begin();
	assert_int_equal(put(bed, NEW), 0);
	return bed->done;
}

static bool is_text(const unsigned char *octets, size_t len, const char *text)
{
	return len == strlen(text) && memcmp(octets, text, len) == 0;
}

/* Whatever may be found is whole. */
static void check_found(bool old_may_be)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		const struct sim_file *f;

		(void)sim_disk_cut(bed, i, cut);
		f = sim_disk_file(cut, "kept");
		assert_non_null(f);
		assert_true((old_may_be && is_text(f->octets, f->len, OLD)) ||
			    is_text(f->octets, f->len, NEW));
	}
}

static void power_on(uint64_t variant)
{
	struct sim_disk *before = bed;

	(void)sim_disk_cut(bed, variant, cut);
	bed = cut;
	cut = before;
	bed->chunk = CHUNK;
}

static void test_put_leaves_the_old_or_the_new_at_every_power_cut(void **state)
{
	unsigned total = operations();

	(void)state;
	assert_in_range(total, 8, 12);
	for (unsigned at = 0; at < total; at++) {
		begin();
		bed->cut_at = at;
		(void)put(bed, NEW);
		check_found(true);
	}
}

static void test_put_is_over_when_the_new_one_is_sure_to_be_there(void **state)
{
	(void)state;
	begin();
	assert_int_equal(put(bed, NEW), 0);
	check_found(false);
}

/* None of the syncs is for nothing. */
static void test_put_needs_each_of_its_syncs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		bool is_harmed = false;

		begin();
		bed->skipped_sync = bed->syncs + i;
		assert_int_equal(put(bed, NEW), 0);
		for (unsigned n = 0; n < VARIANTS; n++) {
			const struct sim_file *f;

			(void)sim_disk_cut(bed, n, cut);
			f = sim_disk_file(cut, "kept");
			is_harmed |= !f || !is_text(f->octets, f->len, NEW);
		}
		assert_true(is_harmed);
		assert_int_equal(bed->syncs, bed->skipped_sync + 2 - i);
	}
}

static void test_put_goes_on_after_every_power_cut(void **state)
{
	unsigned total = operations();

	(void)state;
	for (unsigned i = 0; i < VARIANTS * total; i++) {
		begin();
		bed->cut_at = i / VARIANTS;
		(void)put(bed, NEW);
		power_on(i % VARIANTS);
		assert_int_equal(put(bed, NEW), 0);
		check_found(false);
	}
}

/* Once, or for good as a disk that died. */
static void test_put_leaves_the_old_or_the_new_at_every_fault(void **state)
{
	static const int faults[] = { -EIO, -EROFS, -ENOSPC, -EDQUOT };
	unsigned total = operations();

	(void)state;
	for (unsigned i = 0; i < 8 * total; i++) {
		int rc;

		begin();
		bed->fail_at = i / 8;
		bed->fault = faults[i % 4];
		bed->is_for_good = i / 4 % 2;
		rc = put(bed, NEW);
		/* that nothing was left to take away is no fault */
		assert_true(rc == bed->fault || (rc == 0 && bed->fail_at == 0));
		check_found(true);
		power_on(0);
		assert_int_equal(put(bed, NEW), 0);
		check_found(false);
	}
}

static void test_put_into_a_full_disk_takes_its_own_part_away(void **state)
{
	(void)state;
	for (size_t room = 0; room < strlen(NEW); room++) {
		begin();
		bed->room = room;
		assert_int_equal(put(bed, NEW), -ENOSPC);
		check_found(true);
		assert_null(sim_disk_file(bed, "kept.new"));
	}
}

/* --- a folder ------------------------------------------------------------- */

static bool folder_is_sure_to_be_there(void)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		(void)sim_disk_cut(bed, i, cut);
		if (!sim_disk_file(cut, "spool"))
			return false;
	}
	return true;
}

static void test_folder_is_there_after_every_power_cut(void **state)
{
	(void)state;
	begin();
	assert_int_equal(disk_folder(&bed->disk, SIM_DISK_FOLDER, "spool",
				     0700), 0);
	assert_true(folder_is_sure_to_be_there());
}

/* Whoever made it was killed, or its sync failed. */
static void test_folder_that_is_there_already_is_synced(void **state)
{
	(void)state;
	begin();
	bed->fail_at = 1;
	bed->fault = -EIO;
	assert_int_equal(disk_folder(&bed->disk, SIM_DISK_FOLDER, "spool",
				     0700), -EIO);
	assert_false(folder_is_sure_to_be_there());
	assert_int_equal(disk_folder(&bed->disk, SIM_DISK_FOLDER, "spool",
				     0700), 0);
	assert_true(folder_is_sure_to_be_there());
}

static void test_folder_that_cannot_be_made_is_told(void **state)
{
	(void)state;
	begin();
	bed->fail_at = 0;
	bed->fault = -EROFS;
	assert_int_equal(disk_folder(&bed->disk, SIM_DISK_FOLDER, "spool",
				     0700), -EROFS);
}

static int beds_make(void **state)
{
	(void)state;
	bed = calloc(1, sizeof(*bed));
	cut = calloc(1, sizeof(*cut));
	return bed && cut ? 0 : -1;
}

static int beds_free(void **state)
{
	(void)state;
	free(bed);
	free(cut);
	return 0;
}

/* --- the real one --------------------------------------------------------- */

struct folder {
	char path[64];
	int fd;
};

static int set_up(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));

	(void)strcpy(f->path, "/tmp/test_disk.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct folder *f = *state;

	(void)unlinkat(f->fd, "kept", 0);
	(void)unlinkat(f->fd, "other", 0);
	(void)close(f->fd);
	(void)rmdir(f->path);
	free(f);
	return 0;
}

static void check_file(const struct folder *f, const char *name,
		       const char *text)
{
	int fd = openat(f->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	unsigned char octets[128];
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_true(is_text(octets, (size_t)read(fd, octets, sizeof(octets)),
			    text));
	(void)close(fd);
	assert_int_equal(faccessat(f->fd, "kept.new", F_OK, 0), -1);
}

static void test_put_writes_a_file_of_mode_0600(void **state)
{
	struct folder *f = *state;
	const struct disk *disks[] = { &disk_durable, &disk_volatile };

	for (size_t i = 0; i < 2; i++) {
		const char *text = i ? NEW : OLD;

		assert_int_equal(disk_put(disks[i], f->fd, "kept", text,
					  strlen(text)), 0);
		check_file(f, "kept", text);
	}
}

/* Neither where the file is to be nor on the way to it. */
static void test_c21_put_follows_no_link(void **state)
{
	static const char *const links[] = { "kept", "kept.new" };
	struct folder *f = *state;

	assert_int_equal(disk_put(&disk_durable, f->fd, "other", OLD,
				  strlen(OLD)), 0);
	for (size_t i = 0; i < 2; i++) {
		(void)unlinkat(f->fd, links[i], 0);
		assert_int_equal(symlinkat("other", f->fd, links[i]), 0);
		assert_int_equal(disk_put(&disk_durable, f->fd, "kept", NEW,
					  strlen(NEW)), 0);
		check_file(f, "kept", NEW);
		check_file(f, "other", OLD);
	}
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_put_leaves_the_old_or_the_new_at_every_power_cut),
		TEST(test_put_is_over_when_the_new_one_is_sure_to_be_there),
		TEST(test_put_needs_each_of_its_syncs),
		TEST(test_put_goes_on_after_every_power_cut),
		TEST(test_put_leaves_the_old_or_the_new_at_every_fault),
		TEST(test_put_into_a_full_disk_takes_its_own_part_away),
		TEST(test_folder_is_there_after_every_power_cut),
		TEST(test_folder_that_is_there_already_is_synced),
		TEST(test_folder_that_cannot_be_made_is_told),
		BED(test_put_writes_a_file_of_mode_0600),
		BED(test_c21_put_follows_no_link),
	};

	return cmocka_run_group_tests(tests, beds_make, beds_free);
}

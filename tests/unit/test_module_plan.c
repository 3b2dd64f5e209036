/* What is read of a module, and what never is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "platform/module/register_field.h"
#include "tests/support/module_twin.h"

#define READS_MAX 64
#define ROUNDS_MAX 8

struct bed {
	struct module_image module;	/* what is plugged */
	struct module_image image;	/* what was read of it */
	struct said said, whole;
	struct module_read read[READS_MAX];
	size_t reads, octets, clears;	/* of the last fetch */
};

static int bed_new(void **state)
{
	*state = calloc(1, sizeof(struct bed));
	return *state ? 0 : -1;
}

static int bed_free(void **state)
{
	free(*state);
	return 0;
}

static const struct module_tables *tables(const struct bed *b)
{
	return tables_of(module_standard_of(&b->module));
}

/* Does reading these octets clear something? */
static bool is_latched(const struct bed *b, const struct module_read *r)
{
	const struct module_tables *t = tables(b);

	for (size_t i = 0; i < t->latched_count; i++) {
		const struct latched_row *l = &t->latched[i];

		if (place_is(l->place, PLACE(r->bank, r->page)) &&
		    r->offset <= l->to && r->offset + r->len - 1u >= l->from)
			return true;
	}
	return false;
}

static void read_check(const struct bed *b, const struct module_read *r,
		       bool owner)
{
	unsigned first = r->page == MODULE_LOWER ? 0 : 128;

	assert_true(r->len > 0);
	assert_true(r->offset >= first);
	assert_true(r->offset + r->len <= first + 128u);
	if (!owner)
		assert_false(is_latched(b, r));
	assert_int_equal(r->clears, is_latched(b, r));
}

/* Reads until the plan asks for nothing more. */
static void fetch(struct bed *b, unsigned parts, bool owner)
{
	uint8_t octets[MODULE_PAGE_LEN];
	unsigned round = 0;
	size_t n;

	b->reads = b->octets = b->clears = 0;
	while ((n = module_plan(&b->image, parts, owner, b->read, READS_MAX))) {
		assert_true(round++ < ROUNDS_MAX);
		for (size_t i = 0; i < n; i++) {
			const struct module_read *r = &b->read[i];

			read_check(b, r, owner);
			memset(octets, 0, sizeof(octets));
			(void)module_image_get(&b->module, r->bank, r->page,
					       r->offset, octets, r->len);
			assert_int_equal(module_image_put(&b->image, r->bank,
				r->page, r->offset, octets, r->len), 0);
			b->reads++;
			b->octets += r->len;
			b->clears += r->clears;
		}
	}
}

static void fetch_new(struct bed *b, twin_make *make, unsigned parts,
		      bool owner)
{
	make(&b->module);
	b->image.count = 0;
	fetch(b, parts, owner);
}

static void test_plan_begins_with_what_tells_the_type(void **state)
{
	struct bed *b = *state;

	assert_int_equal(module_plan(&b->image, MODULE_ALL_PARTS, false,
				     b->read, READS_MAX), 1);
	assert_int_equal(b->read[0].page, MODULE_LOWER);
	assert_int_equal(b->read[0].offset, 0);
	assert_int_equal(b->read[0].len, 3);
	assert_int_equal(b->read[0].clears, 0);
}

static void twin_tunable_sfp(struct module_image *m)
{
	twin_sff8472(m);
	twin_u8(m, 0, MODULE_LOWER, 64, 0x10);
	twin_u8(m, 0, MODULE_LOWER, 65, 0x40);
	twin_u16(m, 1, 0x02, 144, 33);
	twin_seal(m);
}

/* A channel without its grid is only a number. */
static void test_plan_reads_the_grid_of_a_channel(void **state)
{
	struct bed *b = *state;
	uint8_t octets[14];

	fetch_new(b, twin_tunable_sfp, MODULE_CONTROLS, false);
	assert_int_equal(module_image_get(&b->image, 1, 0x02, 132, octets, 14),
			 0);
	fetch_new(b, twin_tunable_sfp, MODULE_ALL_PARTS, false);
	assert_int_equal(module_image_get(&b->image, 1, 0x02, 168, octets, 1),
			 0);
	assert_int_equal(module_image_get(&b->image, 1, 0x02, 172, octets, 1),
			 -ENODATA);
	fetch_new(b, twin_sff8472, MODULE_ALL_PARTS, true);
	assert_int_equal(module_image_get(&b->image, 1, 0x02, 168, octets, 1),
			 -ENODATA);
}

static void test_plan_gives_up_on_an_unknown_type(void **state)
{
	static const uint8_t nothing[3] = { 0x42, 0, 0 };
	struct bed *b = *state;

	assert_int_equal(module_image_put(&b->image, 0, MODULE_LOWER, 0,
					  nothing, sizeof(nothing)), 0);
	assert_int_equal(module_plan(&b->image, MODULE_ALL_PARTS, true,
				     b->read, READS_MAX), 0);
}

/* fetch() checks each read: C6. */
static void test_c06_plan_reads_nothing_that_clears_unless_owner(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		fetch_new(b, *make, MODULE_ALL_PARTS, false);
		assert_int_equal(b->clears, 0);
		assert_true(b->reads > 1);
	}
}

static void test_c06_owner_reads_flags_only_when_it_wants_them(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		fetch_new(b, *make, MODULE_ALL_PARTS &
			  ~(unsigned)MODULE_FLAGS, true);
		assert_int_equal(b->clears, 0);
		fetch_new(b, *make, MODULE_FLAGS, true);
		assert_true(b->clears > 0 || *make == twin_cmis_flat);
	}
}

static bool is_flag(const struct bed *b, uint16_t quantity)
{
	const struct module_tables *t = tables(b);

	for (size_t i = 0; i < t->field_count; i++) {
		if (t->fields[i].quantity == quantity)
			return t->fields[i].part == MODULE_FLAGS;
	}
	return quantity >= 0x0c00 && quantity < 0x0d00;
}

/* What was planned is enough: all but the flags comes out the same. */
static void test_plan_reads_all_that_the_decoder_wants(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		fetch_new(b, *make, MODULE_ALL_PARTS, false);
		assert_int_equal(said_decode(&b->said, &b->image,
					     MODULE_ALL_PARTS), 0);
		assert_int_equal(said_decode(&b->whole, &b->module,
					     MODULE_ALL_PARTS), 0);
		for (size_t i = 0; i < b->whole.count; i++) {
			const struct said_value *v = &b->whole.value[i];
			const struct said_value *same =
				said_find(&b->said,
					  (enum quantity)v->quantity, v->lane,
					  v->index);

			if (is_flag(b, v->quantity)) {
				assert_null(same);
				continue;
			}
			if (!same)
				fail_msg("%s was not read",
					 quantity_find(v->quantity)->name);
			assert_int_equal(same->value, v->value);
			assert_int_equal(same->quality, v->quality);
		}
		assert_int_equal(b->said.fault_count, b->whole.fault_count);
	}
}

static void twin_selected(struct module_image *m)
{
	twin_cmis(m);
	twin_u8(m, 0, 0x14, 128, 1);
	twin_u16(m, 0, 0x14, 192, 0x4d2c);
	twin_u8(m, 0, 0x13, 160, 0xff);
	twin_u8(m, 0, 0x13, 168, 0xff);
}

/* Which diagnostics there are, only their selector tells: each time. */
static void test_plan_asks_for_the_diagnostics_that_are_selected(void **state)
{
	struct bed *b = *state;

	fetch_new(b, twin_selected, MODULE_ALL_PARTS, false);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_VDM), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 16);
	twin_u8(&b->module, 0, 0x14, 128, 0);
	module_image_forget(&b->image, MODULE_VDM);
	fetch(b, MODULE_VDM, false);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_VDM), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 0);
	/* a module without the page is not asked for it */
	twin_u8(&b->module, 0, 0x01, 142, 0x40);
	b->image.count = 0;
	fetch(b, MODULE_ALL_PARTS, false);
	for (unsigned i = 0; i < b->image.count; i++)
		assert_true(b->image.page[i].page != 0x14 &&
			    b->image.page[i].page != 0x13);
}

static void test_owner_gets_the_flags_too(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		fetch_new(b, *make, MODULE_ALL_PARTS, true);
		assert_int_equal(said_decode(&b->said, &b->image,
					     MODULE_ALL_PARTS), 0);
		assert_int_equal(said_decode(&b->whole, &b->module,
					     MODULE_ALL_PARTS), 0);
		assert_int_equal(b->said.count, b->whole.count);
	}
}

/* Asked for a page that is not there, a driver may fail: no more is read. */
static void test_optional_pages_of_a_coherent_module_are_left(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->module);
	twin_u8(&b->module, 0, 0x33, 130, 0x80);
	twin_u8(&b->module, 0, 0x3a, 128, 1);
	twin_u8(&b->module, 0, 0x42, 130, 0x70);
	b->image.count = 0;
	fetch(b, MODULE_ALL_PARTS, true);
	for (unsigned i = 0; i < b->image.count; i++) {
		unsigned page = b->image.page[i].page;

		assert_true(page < 0x33 || page == 0x34 || page == 0x35 ||
			    page == MODULE_LOWER);
	}
}

/* Issue 5: at most 160 octets in at most 3 transactions. */
static void test_steady_tick_of_eight_lanes_is_small(void **state)
{
	struct bed *b = *state;

	fetch_new(b, twin_cmis, MODULE_ALL_PARTS, false);
	module_image_forget(&b->image, MODULE_MONITORS | MODULE_STATUS);
	fetch(b, MODULE_MONITORS | MODULE_STATUS, false);
	assert_in_range(b->reads, 1, 3);
	assert_in_range(b->octets, 50, 160);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_MONITORS |
				     MODULE_STATUS), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 8);
	assert_int_equal(said_count(&b->said, Q_LANE_DATA_PATH_STATE), 8);
}

static void test_steady_tick_of_four_lanes_is_one_read(void **state)
{
	struct bed *b = *state;

	fetch_new(b, twin_sff8636, MODULE_ALL_PARTS, false);
	module_image_forget(&b->image, MODULE_MONITORS | MODULE_STATUS);
	fetch(b, MODULE_MONITORS | MODULE_STATUS, false);
	assert_int_equal(b->reads, 1);
}

static void test_forgotten_values_are_not_the_old_ones(void **state)
{
	struct bed *b = *state;

	fetch_new(b, twin_cmis, MODULE_ALL_PARTS, false);
	module_image_forget(&b->image, MODULE_MONITORS | MODULE_VDM);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_ALL_PARTS),
			 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_SNR_MDB), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_MC), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_THRESHOLD_MC), 4);
	assert_string_equal(b->said.text[ATTRIBUTE_VENDOR], "PETREL WORKS");
}

static void test_sfp_without_diagnostics_is_not_asked_for_them(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->module);
	twin_u8(&b->module, 0, MODULE_LOWER, 92, 0);
	fetch(b, MODULE_ALL_PARTS & ~(unsigned)MODULE_STATUS, false);
	for (unsigned i = 0; i < b->image.count; i++)
		assert_int_equal(b->image.page[i].bank, 0);
}

static void test_flat_memory_is_asked_for_page_0_only(void **state)
{
	struct bed *b = *state;

	fetch_new(b, twin_cmis_flat, MODULE_ALL_PARTS, true);
	for (unsigned i = 0; i < b->image.count; i++)
		assert_true(b->image.page[i].page == 0 ||
			    b->image.page[i].page == MODULE_LOWER);
}

static void test_only_a_tunable_laser_is_asked_for_its_pages(void **state)
{
	struct bed *b = *state;
	bool is_asked = false;

	fetch_new(b, twin_cmis, MODULE_ALL_PARTS, true);
	for (unsigned i = 0; i < b->image.count; i++)
		assert_true(b->image.page[i].page != 0x04 &&
			    b->image.page[i].page != 0x12);
	fetch_new(b, twin_coherent, MODULE_CONTROLS, false);
	for (unsigned i = 0; i < b->image.count; i++)
		is_asked |= b->image.page[i].page == 0x04;
	assert_true(is_asked);
}

/* The rows that the plan keeps away from are those of the flags, all of them
 * and no other.
 */
static void test_c06_latched_octets_are_those_of_the_flags(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		const struct module_tables *t;

		(*make)(&b->module);
		t = tables(b);
		for (size_t i = 0; i < t->field_count; i++) {
			const struct register_field *f = &t->fields[i];
			struct field_place p = field_place(f, 0, 0);
			struct module_read r = {
				.bank = (uint8_t)place_bank(f->place),
				.page = (uint16_t)place_page(f->place),
				.offset = (uint8_t)p.octet,
				.len = (uint8_t)p.octets,
			};

			assert_int_equal(is_latched(b, &r),
					 f->part == MODULE_FLAGS);
		}
	}
}

static void test_plan_fills_no_more_than_there_is_room(void **state)
{
	struct bed *b = *state;
	struct module_read one[2] = { { .len = 0 }, { .len = 77 } };

	twin_cmis(&b->module);
	b->image = b->module;
	module_image_forget(&b->image, MODULE_MONITORS | MODULE_VDM);
	assert_int_equal(module_plan(&b->image, MODULE_ALL_PARTS, false, one,
				     1), 1);
	assert_int_equal(one[1].len, 77);
}

static void test_image_refuses_what_leaves_its_page(void **state)
{
	struct bed *b = *state;
	uint8_t octets[256] = { 0 };

	assert_int_equal(module_image_put(&b->image, 0, MODULE_LOWER, 120,
					  octets, 9), -EINVAL);
	assert_int_equal(module_image_put(&b->image, 0, 0x11, 127, octets, 1),
			 -EINVAL);
	assert_int_equal(module_image_put(&b->image, 0, 0x11, 255, octets, 1),
			 0);
	assert_int_equal(module_image_get(&b->image, 0, 0x11, 254, octets, 2),
			 -ENODATA);
	assert_int_equal(module_image_get(&b->image, 0, 0x11, 255, octets, 1),
			 0);
}

static void test_image_that_is_full_says_so(void **state)
{
	struct bed *b = *state;
	uint8_t octet = 0;

	for (unsigned i = 0; i < MODULE_PAGES_MAX; i++)
		assert_int_equal(module_image_put(&b->image, 0, i, 128,
						  &octet, 1), 0);
	assert_int_equal(module_image_put(&b->image, 1, 0, 128, &octet, 1),
			 -ENOSPC);
}

int main(void)
{
#define BED(test) cmocka_unit_test_setup_teardown(test, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		BED(test_plan_begins_with_what_tells_the_type),
		BED(test_plan_reads_the_grid_of_a_channel),
		BED(test_plan_gives_up_on_an_unknown_type),
		BED(test_c06_plan_reads_nothing_that_clears_unless_owner),
		BED(test_c06_owner_reads_flags_only_when_it_wants_them),
		BED(test_plan_reads_all_that_the_decoder_wants),
		BED(test_owner_gets_the_flags_too),
		BED(test_optional_pages_of_a_coherent_module_are_left),
		BED(test_plan_asks_for_the_diagnostics_that_are_selected),
		BED(test_steady_tick_of_eight_lanes_is_small),
		BED(test_steady_tick_of_four_lanes_is_one_read),
		BED(test_forgotten_values_are_not_the_old_ones),
		BED(test_sfp_without_diagnostics_is_not_asked_for_them),
		BED(test_flat_memory_is_asked_for_page_0_only),
		BED(test_only_a_tunable_laser_is_asked_for_its_pages),
		BED(test_c06_latched_octets_are_those_of_the_flags),
		BED(test_plan_fills_no_more_than_there_is_room),
		BED(test_image_refuses_what_leaves_its_page),
		BED(test_image_that_is_full_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The names of SFF-8024's codes, and the applications that they stand in. */
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/code.h"
#include "platform/module/survey.h"
#include "tests/support/module_bed.h"

#define CODES 256u

/* How many codes of each table have a name, and so which have none. */
static void test_each_table_is_complete_as_far_as_two_sources_go(void **state)
{
	static const unsigned counts[CODE_TABLE_COUNT] = {
		[CODE_FORM_FACTOR] = 39, [CODE_CONNECTOR] = 22,
		[CODE_TECHNOLOGY] = 21, [CODE_COMPLIANCE] = 79,
		[CODE_COMPLIANCE_OF_ONE] = 19, [CODE_HOST] = 115,
		[CODE_MEDIA_MMF] = 36, [CODE_MEDIA_SMF] = 141,
		[CODE_MEDIA_COPPER] = 3, [CODE_MEDIA_ACTIVE] = 5,
		[CODE_MEDIA_BASE_T] = 7,
	};

	(void)state;
	for (unsigned t = 0; t < CODE_TABLE_COUNT; t++) {
		unsigned n = 0;

		for (unsigned code = 0; code < CODES; code++) {
			const char *word = code_word(t, code);

			n += word != NULL;
			assert_true(!word || (word[0] && strlen(word) <
					      CODE_TEXT_MAX));
		}
		if (n != counts[t])
			fail_msg("table %u has %u names", t, n);
	}
}

static void test_codes_are_named_as_rev_4_14_has_them(void **state)
{
	static const struct {
		enum code_table table;
		unsigned code;
		const char *name;
	} names[] = {
		{ CODE_FORM_FACTOR, 0x26, "XPO" },
		{ CODE_CONNECTOR, 0x28, "MPO 1x16" },
		{ CODE_HOST, 0x1e, "200GBASE-CR1" },
		{ CODE_HOST, 0x1f, "400GBASE-CR2" },
		{ CODE_HOST, 0x20, "LEI-100G-PAM4-1" },
		{ CODE_HOST, 0x23, "LEI-800G-PAM4-8" },
		{ CODE_HOST, 0x4b, "100GAUI-1-S" },
		{ CODE_HOST, 0x83, "1.6TAUI-8" },
		{ CODE_HOST, 0xb7, "G.9804.3" },
		{ CODE_MEDIA_MMF, 0x24, "1.6T-SR8.2" },
		{ CODE_MEDIA_SMF, 0x41, "200GBASE-ER4" },
		{ CODE_MEDIA_SMF, 0x43, "400GBASE-LR4-6" },
		{ CODE_MEDIA_SMF, 0x56, "800GBASE-DR8" },
		{ CODE_MEDIA_SMF, 0x6c, "800ZR-A" },
		{ CODE_MEDIA_SMF, 0x80, "1.6TBASE-DR8-2" },
		{ CODE_MEDIA_SMF, 0x93, "400G-FR4-LPO" },
		{ CODE_MEDIA_COPPER, 0xbf, "passive loopback" },
		{ CODE_MEDIA_BASE_T, 0x07, "50GBASE-T" },
		{ CODE_HOST, 0x24, "unknown (24h)" },
		{ CODE_MEDIA_SMF, 0x25, "unknown (25h)" },
		{ CODE_MEDIA_COPPER, 0x02, "unknown (02h)" },
		{ CODE_HOST, 0xc5, "vendor's own (c5h)" },
		{ CODE_FORM_FACTOR, 0x80, "CPO" },
		{ CODE_FORM_FACTOR, 0x90, "vendor's own (90h)" },
		{ CODE_COMPLIANCE, 0xc5, "unknown (c5h)" },
		{ CODE_MEDIA_SMF, 0x00, "undefined" },
	};
	char text[CODE_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		code_text(names[i].table, names[i].code, text);
		assert_string_equal(text, names[i].name);
	}
	code_text(code_media(6), 0x12, text);	/* no such type of media */
	assert_string_equal(text, "unknown (12h)");
}

static void test_short_word_is_what_people_say(void **state)
{
	static const char *const words[][2] = {
		{ "400GBASE-DR4", "DR4" }, { "1.6TBASE-DR8-2", "DR8-2" },
		{ "40GE-SWDM4", "SWDM4" }, { "1.6T-VR8.2", "VR8.2" },
		{ "100G-DR1-LPO", "DR1-LPO" }, { "10G-LR-BiDi", "LR-BiDi" },
		{ "ZR400-OFEC-16QAM", "ZR400-OFEC-16QAM" },
		{ "XR400-16QAM", "XR400-16QAM" }, { "800ZR-A", "800ZR-A" },
		{ "FLEXO-4-DO-QPSK", "FLEXO-4-DO-QPSK" },
		{ "4I1-9D1F", "4I1-9D1F" }, { "64GFC-SM", "64GFC-SM" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_string_equal(code_media_short(words[i][0]),
				    words[i][1]);
}

/* What a QSFP means by a code that is of one lane or of four. */
static void test_medium_of_a_code_of_two_rates_is_the_first(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 131, 0);
	twin_u8(&b->image, 0, 0x00, 192, 0x2a);
	twin_seal(&b->image);
	said_decode(&b->said, &b->image, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_APPLICATIONS],
			    "100GBASE-FR1 or 400GBASE-DR4-2");
	assert_string_equal(b->said.text[ATTRIBUTE_MEDIA], "FR1");
	twin_u8(&b->image, 0, 0x00, 192, 0xf0);
	twin_seal(&b->image);
	said_decode(&b->said, &b->image, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_APPLICATIONS],
			    "unknown (f0h)");
	assert_string_equal(b->said.text[ATTRIBUTE_MEDIA], "");
}

/* --- applications -------------------------------------------------------- */

static void application_put(struct bed *b, unsigned number, uint8_t host)
{
	uint8_t octets[] = { host, 0x1c, 0x44, 0x11 };

	twin_put(&b->image, 0, number <= 8 ? MODULE_LOWER : 0x01,
		 number <= 8 ? 86 + (number - 1) * 4 : 223 + (number - 9) * 4,
		 octets, sizeof(octets));
}

/* The numbers of the applications, as digits of base 16. */
static uint64_t numbers_of(const struct bed *b)
{
	struct application a;
	uint64_t numbers = 0;
	struct view v;

	survey(&v, &b->image);
	for (unsigned n = 0; application_next(&v, &n, &a);)
		numbers = numbers << 4 | n;
	return numbers;
}

static void test_hole_does_not_end_the_applications_but_ffh_does(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	for (unsigned n = 1; n <= APPLICATIONS_MAX; n++)
		application_put(b, n, 0);
	assert_int_equal(numbers_of(b), 0);
	application_put(b, 2, 0x4f);
	application_put(b, 8, 0x50);
	application_put(b, 9, 0x4f);
	application_put(b, 15, 0x50);
	assert_int_equal(numbers_of(b), 0x289f);
	application_put(b, 9, 0xff);
	assert_int_equal(numbers_of(b), 0x28);
	application_put(b, 1, 0xff);
	assert_int_equal(numbers_of(b), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		TEST(test_each_table_is_complete_as_far_as_two_sources_go),
		TEST(test_codes_are_named_as_rev_4_14_has_them),
		TEST(test_short_word_is_what_people_say),
		TEST(test_medium_of_a_code_of_two_rates_is_the_first),
		TEST(test_hole_does_not_end_the_applications_but_ffh_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

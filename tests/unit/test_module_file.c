/* A module's memory from a file: the rules of each form. The forms themselves
 * are compared by tests/system/test_decode.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "platform/module/image_file.h"
#include "tests/support/module_twin.h"

struct bed {
	struct module_image image;
	struct diag note, d;
	uint8_t raw[IMAGE_FILE_MAX];
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

static int parse(struct bed *b, const char *text)
{
	return image_file_parse((const uint8_t *)text, strlen(text), &b->image,
				&b->note, &b->d);
}

static int parse_raw(struct bed *b, size_t n)
{
	return image_file_parse(b->raw, n, &b->image, &b->note, &b->d);
}

static void expect(const struct bed *b, unsigned bank, unsigned page,
		   unsigned offset, unsigned want)
{
	uint8_t octet = 0;

	assert_int_equal(module_image_get(&b->image, bank, page, offset,
					  &octet, 1), 0);
	assert_int_equal(octet, want);
}

static void expect_none(const struct bed *b, unsigned bank, unsigned page,
			unsigned offset)
{
	uint8_t octet;

	assert_int_equal(module_image_get(&b->image, bank, page, offset,
					  &octet, 1), -ENODATA);
}

static void test_heads_name_their_page(void **state)
{
	static const struct {
		const char *head;
		unsigned bank, page, offset;
	} heads[] = {
		{ "[lower]", 0, MODULE_LOWER, 0 },
		{ "[page 00]", 0, 0x00, 128 },
		{ "[page 2f]", 0, 0x2f, 128 },
		{ "[PAGE 2Fh]", 0, 0x2f, 128 },
		{ "[page 0x11 bank 3]", 3, 0x11, 128 },
		{ "[a0 lower]", 0, MODULE_LOWER, 0 },
		{ "[a0]", 0, MODULE_LOWER, 0 },
		{ "[a2 lower]", 1, MODULE_LOWER, 0 },
		{ "[a2 upper page 00]", 1, 0x00, 128 },
		{ "[table 0x0004: 0x03 bytes 80 - FF]", 0, 0x03, 128 },
		{ "[table 0x0000: 0x00 bytes 00 - 7F]", 0, MODULE_LOWER, 0 },
		{ "        Lower page 0h", 0, MODULE_LOWER, 0 },
		{ "        Upper page 10h", 0, 0x10, 128 },
		{ "A2h dump (lower 128 bytes)", 1, MODULE_LOWER, 0 },
		{ "   QSFP-DD Lower Page:", 0, MODULE_LOWER, 0 },
		{ "   QSFP-DD Upper Page 02h:", 0, 0x02, 128 },
		{ "Page: lower  Offset: 0  Length: 128", 0, MODULE_LOWER, 0 },
		{ "Page: 0x12  Offset: 128  Length: 128", 0, 0x12, 128 },
		/* the command that printed them: of ethtool pages in C's
		 * bases, of sfputil in hex
		 */
		{ "# ethtool -m swp1 hex on page 0x11 bank 1 offset 0x80 "
		  "length 0x80", 1, 0x11, 128 },
		{ "root@leaf01:~# ethtool -m swp1 hex on page 17", 0, 0x11,
		  128 },
		{ "$ ethtool -m swp1 hex on offset 0 length 128", 0,
		  MODULE_LOWER, 0 },
		{ "$ ethtool -m swp1 hex on offset 0 length 128 i2c 0x51", 1,
		  MODULE_LOWER, 0 },
		{ "$ sudo sfputil read-eeprom -p Ethernet0 -n 11 -o 128 "
		  "-s 128", 0, 0x11, 128 },
		{ "$ sfputil read-eeprom -p Ethernet0 -n 0 -o 0 -s 256 "
		  "--wire-addr A2h", 1, MODULE_LOWER, 0 },
	};
	struct bed *b = *state;
	char text[200];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		(void)snprintf(text, sizeof(text), "%s\nab cd\n",
			       heads[i].head);
		if (parse(b, text) < 0)
			fail_msg("%s", b->d.text);
		expect(b, heads[i].bank, heads[i].page, heads[i].offset + 1,
		       0xcd);
		expect_none(b, heads[i].bank, heads[i].page,
			    heads[i].offset + 2);
	}
}

/* Of several commands one shows the base of them all. */
static void test_pages_of_sfputil_are_in_hex_or_decimal(void **state)
{
	static const struct {
		const char *first, *second;
		unsigned page;		/* the second one's */
	} cases[] = {
		{ "11", "20", 0x20 },	{ "17", "33", 0x21 },
		{ "2c -o 128 -s 128\nab cd\n$ sfputil read-eeprom -p "
		  "Ethernet0 -n 17", "33", 0x33 },
		{ "2c", "33", 0x33 },	{ "32", "17", 0x11 },
		{ "0x11", "20", 0x20 },	{ "17", "0x20", 0x20 },
		{ "17", "11", 0x11 },	/* in doubt: as it always was */
		{ "0", "3", 0x03 },
	};
	struct bed *b = *state;
	char text[400];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(text, sizeof(text),
			       "$ sfputil read-eeprom -p Ethernet0 -n %s -o "
			       "128 -s 128\nab cd\n$ sfputil read-eeprom --port "
			       "Ethernet0 --page %s --offset 128 --size 128\n"
			       "ef 01\n", cases[i].first, cases[i].second);
		if (parse(b, text) < 0)
			fail_msg("%s", b->d.text);
		expect(b, 0, cases[i].page, 129, 0x01);
	}
}

static void test_heads_that_are_none_are_errors(void **state)
{
	static const char *const heads[] = {
		"[]", "[page]", "[page 100]", "[page 11 bank 20]", "[pages 11]",
		"[lower half]", "[upper]", "[page zz]", "[table]", "[",
	};
	struct bed *b = *state;
	char text[80];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		(void)snprintf(text, sizeof(text), "%s\nab\n", heads[i]);
		assert_int_equal(parse(b, text), -EBADMSG);
		assert_non_null(strstr(b->d.text, "line 1"));
	}
}

static void test_whole_device_fills_both_halves(void **state)
{
	struct bed *b = *state;
	char text[2048] = "[a0]\n";

	for (unsigned at = 0; at < 256; at += 16) {
		size_t len = strlen(text);

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%02x:",
					at);
		for (unsigned i = 0; i < 16; i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						" %02x", at + i);
		(void)snprintf(text + len, sizeof(text) - len, "\n");
	}
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, MODULE_LOWER, 127, 127);
	expect(b, 0, 0x00, 128, 128);
	expect(b, 0, 0x00, 255, 255);
	assert_string_equal(b->note.text, "");
}

static void test_octets_must_be_two_digits(void **state)
{
	static const char *const lines[] = {
		"1", "123", "0x1", "1g", "12,34", "-1", "12 3", "12x",
	};
	struct bed *b = *state;
	char text[80];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		(void)snprintf(text, sizeof(text), "[lower]\n%s\n", lines[i]);
		assert_int_equal(parse(b, text), -EBADMSG);
		assert_non_null(strstr(b->d.text, "line 2"));
	}
}

/* The same two lines as each tool prints them; the second begins at 16. */
static void test_each_tools_lines_are_taken(void **state)
{
	static const char *const dumps[] = {
		/* ethtool, hexdump -C, xxd, xxd -g 4, od -Ax -tx1, od -tx1 */
		"Offset\t\tValues\n------\t\t------\n"
		"0x0000:\t\t18 40 AB 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f \n"
		"0x0010:\t\t10 11\n",
		"00000000  18 40 ab 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f"
		"  |.@..............|\r\n00000010  10 11  |..|\r\n00000012\r\n",
		"00000000: 1840 ab03 0405 0607 0809 0a0b 0c0d 0e0f  .@..\n"
		"00000010: 1011  ..\n",
		"00000000: 1840ab03 04050607 08090a0b 0c0d0e0f  .@..\n"
		"00000010: 1011  ..\n",
		/* xxd -e, with words of four octets and of two; -d; -i */
		"00000000: 03ab4018 07060504 0b0a0908 0f0e0d0c  .@..........."
		"...\n00000010:     1110                           ..\n",
		"00000000: 4018 03ab 0504 0706 0908 0b0a 0d0c 0f0e  .@........"
		"......\n00000010: 1110                                     "
		"..\n",
		"00000000: 1840 ab03 0405 0607 0809 0a0b 0c0d 0e0f  .@........"
		"......\n00000016: 1011  ..\n",
		"unsigned char e_bin[] = {\n"
		"  0x18, 0x40, 0xab, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, "
		"0x0a, 0x0b,\n  0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11\n};\n"
		"unsigned int e_bin_len = 18;\n",
		"000000 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"000010 10 11\n000012\n",
		"0000000 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"0000020 10 11\n0000022\n",
		/* od -Ad -tx1 */
		"0000000 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"0000016 10 11\n0000018\n",
		/* hexdump, od -x, od -Ax -tx4: words of the machine; xxd -p */
		"0000000 4018 03ab 0504 0706 0908 0b0a 0d0c 0f0e\n"
		"0000010 1110\n0000012\n",
		"0000000 4018 03ab 0504 0706 0908 0b0a 0d0c 0f0e\n"
		"0000020 1110\n0000022\n",
		"000000 03ab4018 07060504 0b0a0908 0f0e0d0c\n"
		"000010 1110\n000012\n",
		"1840ab030405060708090a0b0c0d0e0f\n1011\n",
		/* i2cdump, with its command and its head */
		"root@leaf01:~# i2cdump -y 8 0x50\n"
		"No size specified (using byte-data access)\n"
		"     0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f    "
		"0123456789abcdef\n"
		"00: 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f    "
		"?@?beef face    \n10: 10 11    ??\n",
		/* the kernel's log, a quoted mail, a router's monitor */
		"[   12.681755] sfp EE: 00000000: 18 40 ab 03 04 05 06 07 08 09 "
		"0a 0b 0c 0d 0e 0f  .@..............\n"
		"[   12.681757] sfp EE: 00000010: 10 11\n",
		"Nov 21 17:31:04 leaf01 kernel: sfp EE: 00000000: 18 40 ab 03 "
		"04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"Nov 21 17:31:04 leaf01 kernel: sfp EE: 00000010: 10 11\n",
		"> > 00: 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  "
		".@.\n> > 10: 10 11\n> > \n> > Why?\n",
		"eeprom: 0000: 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f "
		"12 and .... \n0010: 10 11\n",
		/* a program's comment, and its list */
		"\t * 00: 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f    "
		"?@?\n\t * 10: 10 11\n\t */\n",
		"0x18, 0x40, 0xab, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,\n"
		"0x0a 0x0b 0x0c 0x0d 0x0e 0x0f\n0x10, 0x11,\n",
		"0x18,0x40,0xab,0x03,0x04,0x05,0x06,0x07,0x08,0x09,0x0a,0x0b,"
		"0x0c,0x0d,0x0e,0x0f,0x10,0x11\n",
		/* with Windows' mark */
		"\xef\xbb\xbf" "18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e "
		"0f 10 11\n",
		"Port: eth1/1/1\nPage: lower  Offset: 0  Length: 18\n\n"
		"  0x0000: 18 40 AB 03 04 05 06 07  08 09 0A 0B 0C 0D 0E 0F\n"
		"  0x0010: 10 11\n",
		/* cut off within an octet */
		"00: 18 40 ab 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"10: 10 11 1",
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		if (parse(b, dumps[i]) < 0)
			fail_msg("%zu: %s", i, b->d.text);
		expect(b, 0, MODULE_LOWER, 2, 0xab);
		for (unsigned k = 3; k < 18; k++)
			expect(b, 0, MODULE_LOWER, k, k);
		expect_none(b, 0, MODULE_LOWER, 18);
		assert_non_null(strstr(b->note.text, "18"));
	}
}

/* Behind a *, hexdump's 0000100 would be where od's 0000100 is. */
static void test_hexdump_is_not_taken_for_od_later_on(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b,
		"0000000 4018 0600 0000 0000 0000 0000 0000 0000\n"
		"0000010 0001 0000 0000 0000 0000 0000 0000 0000\n"
		"0000020 0002 0000 0000 0000 0000 0000 0000 0000\n"
		"0000030 0000 0000 0000 0000 0000 0000 0000 0000\n*\n"
		"0000100 0207 0000 0000 0000 0000 0000 0000 0000\n"
		"0000110\n"), 0);
	expect(b, 0, MODULE_LOWER, 32, 2);
	expect(b, 0, 0x00, 255, 0);
	expect(b, 0, 0x01, 128, 7);
	expect(b, 0, 0x01, 129, 2);
}

/* A word that is wrong among octets is no text, and no prose. */
static void test_wrong_words_within_octets_are_errors(void **state)
{
	static const char *const dumps[] = {
		"00: 18 40 0g 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n",
		"00: 18 40 ab 03\n04: 1 22\n",
		"18 40\nbe or not\n",
		"00: 18 40 ab 03\nlower half\n04: 01\n",
		"00: 18 40\n02: 10 1\n",
		"00: 18 40\nUpper Pag page xyz\n02: 10\n",
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++)
		assert_int_equal(parse(b, dumps[i]), -EBADMSG);
	assert_non_null(strstr(b->d.text, "line 2: 'Upper Pag page xyz' is not "
			       "the head"));
	assert_int_equal(parse(b, "00: 18 40\nPage 10h may be stale\n"), 0);
}

/* i2cdump's text of a device whose octets are at, and on. */
static void dump_device(char *text, size_t cap, unsigned first)
{
	size_t len = strlen(text);

	for (unsigned at = 0; at < 256; at += 16) {
		len += (size_t)snprintf(text + len, cap - len, "%02x:", at);
		for (unsigned i = 0; i < 16; i++)
			len += (size_t)snprintf(text + len, cap - len, " %02x",
						(first + at + i) & 0xff);
		len += (size_t)snprintf(text + len, cap - len, "    ????\n");
	}
}

static void test_second_device_of_an_sfp_is_a2(void **state)
{
	struct bed *b = *state;
	char text[8192] = "";

	dump_device(text, sizeof(text), 3);
	(void)strcat(text, "# i2cdump -y 8 0x51\n");
	dump_device(text, sizeof(text), 7);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, MODULE_LOWER, 1, 4);
	expect(b, 1, MODULE_LOWER, 0, 7);
	expect(b, 1, 0x00, 255, 6);
	assert_string_equal(b->note.text, "");
}

static void test_two_modules_in_a_file_are_told(void **state)
{
	struct bed *b = *state;
	char text[8192] = "Port 10: Present\neeprom:\n";

	dump_device(text, sizeof(text), 0x18);
	dump_device(text, sizeof(text), 0x19);
	assert_int_equal(parse(b, text), -EBADMSG);
	assert_non_null(strstr(b->d.text, "line 19"));
	assert_non_null(strstr(b->d.text, "a file holds one"));
}

/* i2cdump's text of a QSFP-DD with that page selected, which begins so. */
static void dump_page(char *text, size_t cap, unsigned bank, unsigned page,
		      unsigned begin)
{
	size_t len = strlen(text);

	len += (size_t)snprintf(text + len, cap - len,
				"$ i2cset -y 8 0x50 127 0x%02x\n", page);
	for (unsigned at = 0; at < 256; at++) {
		unsigned octet = at == 0 ? 0x18 : at == 126 ? bank :
				 at == 127 ? page : at == 128 ? begin : page;

		if (at % 16 == 0)
			len += (size_t)snprintf(text + len, cap - len, "%02x:",
						at);
		len += (size_t)snprintf(text + len, cap - len, " %02x%s",
					octet, at % 16 == 15 ? "\n" : "");
	}
}

static void test_dump_has_the_page_that_was_selected(void **state)
{
	struct bed *b = *state;
	char text[8192] = "";

	dump_page(text, sizeof(text), 0, 0x11, 0x44);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, 0x11, 128, 0x44);
	expect_none(b, 0, 0x00, 128);
	dump_page(text, sizeof(text), 0, 0x00, 0x18);
	dump_page(text, sizeof(text), 0, 0x01, 0x03);
	dump_page(text, sizeof(text), 1, 0x11, 0x11);
	if (parse(b, text) < 0)
		fail_msg("%s", b->d.text);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
	expect(b, 0, MODULE_LOWER, 1, 0x11);	/* as in the first */
	expect(b, 0, 0x00, 255, 0x00);
	expect(b, 0, 0x01, 128, 0x03);
	expect(b, 0, 0x11, 255, 0x11);
	expect(b, 1, 0x11, 128, 0x11);
	assert_string_equal(b->note.text, "");
	dump_page(text, sizeof(text), 1, 0x11, 0x11);
	assert_int_equal(parse(b, text), -EBADMSG);
	assert_non_null(strstr(b->d.text, "page 11h is there twice; another"));
	/* the last one was cut off */
	text[0] = '\0';
	dump_page(text, sizeof(text), 0, 0x00, 0x18);
	dump_page(text, sizeof(text), 1, 0x11, 0x11);
	*strstr(text + strlen(text) - 900, "90:") = '\0';
	assert_int_equal(parse(b, text), 0);
	expect(b, 1, 0x11, 143, 0x11);
	expect_none(b, 1, 0x11, 144);
	assert_non_null(strstr(b->note.text, "144 octets of 256"));
	/* an octet of it that was not read */
	text[0] = '\0';
	dump_page(text, sizeof(text), 0, 0x11, 0x44);
	memcpy(strstr(text, "80: 44") + 4, "XX", 2);
	assert_int_equal(parse(b, text), 0);
	expect_none(b, 0, 0x11, 128);
	expect(b, 0, 0x11, 129, 0x11);
	/* a driver shows page 00h whatever is selected */
	text[0] = '\0';
	dump_page(text, sizeof(text), 0, 0x11, 0x18);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, 0x00, 128, 0x18);
	expect_none(b, 0, 0x11, 128);
	/* a like type under the right checksum */
	text[0] = '\0';
	dump_page(text, sizeof(text), 0, 0x08, 0x20);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, 0x00, 128, 0x20);
	/* or two lanes in DataPathInit, or a threshold set of VDM */
	text[0] = '\0';
	dump_page(text, sizeof(text), 0, 0x11, 0x22);
	dump_page(text, sizeof(text), 0, 0x21, 0x20);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, 0x11, 128, 0x22);
	expect(b, 0, 0x21, 128, 0x20);
	expect_none(b, 0, 0x00, 128);
}

/* sfputil shows both halves of page 00h before each page that is asked for. */
static void test_repeated_page_00_must_be_the_same(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "Lower page 0h\n00: 18 40 01\n"
			       "Upper page 0h\n80: 18 41\n"
			       "Upper page 10h\n80: 07\n"
			       "Lower page 0h\n00: 18 40 02\n"
			       "Upper page 0h\n80: 18 41\n"
			       "Upper page 11h\n80: 08\n"), 0);
	expect(b, 0, MODULE_LOWER, 2, 1);
	expect(b, 0, 0x10, 128, 7);
	expect(b, 0, 0x11, 128, 8);
	assert_int_equal(parse(b, "Upper page 0h\n80: 18 41\n"
			       "Upper page 0h\n80: 18 42\n"), -EBADMSG);
	assert_non_null(strstr(b->d.text, "another module"));
	assert_int_equal(parse(b, "Lower page 0h\n00: 18\n"
			       "Lower page 0h\n00: 19\n"), -EBADMSG);
	assert_int_equal(parse(b, "[page 11]\n80: 18\n[page 11]\n80: 18\n"),
			 -EBADMSG);
}

static void test_octets_that_stand_as_xx_are_absent(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "00: 18 XX xx 07\n"), 0);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
	expect_none(b, 0, MODULE_LOWER, 1);
	expect_none(b, 0, MODULE_LOWER, 2);
	expect(b, 0, MODULE_LOWER, 3, 7);
	assert_int_equal(parse(b, "[page 00]\n80: 18 XX 41\n"), 0);
	expect_none(b, 0, 0x00, 129);
	expect(b, 0, 0x00, 130, 0x41);
}

/* What a file lacks is told in the words of its kind of module. */
static void test_short_files_say_what_they_lack(void **state)
{
	static const struct {
		uint8_t type;
		size_t n;
		const char *note;
	} files[] = {
		{ 0x18, 200, "within page 00h: octets 200 to 255" },
		{ 0x18, 100, "within the lower memory: octets 100 to 127" },
		{ 0x18, 128, "lacks page 00h" },
		{ 0x11, 700, "within page 04h: octets 188 to 255" },
		{ 0x03, 100, "within A0h: octets 100 to 127" },
		{ 0x03, 200, "within A0h: octets 200 to 255" },
		{ 0x03, 300, "within A2h: octets 44 to 127" },
		{ 0x03, 400, "within A2h: octets 144 to 255" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		b->raw[0] = files[i].type;
		assert_int_equal(parse_raw(b, files[i].n), 0);
		assert_non_null(strstr(b->note.text, files[i].note));
	}
}

/* What optoe gives of a QSFP, of a CMIS module with four banks and of an SFP:
 * all pages, page FFh at the end of each bank. None of it is lower memory.
 */
static void test_whole_files_of_optoe_keep_their_lower_memory(void **state)
{
	static const struct {
		uint8_t type;
		size_t n;
		unsigned bank;	/* the last */
	} files[] = {
		{ 0x11, 32896, 0 }, { 0x18, 32896, 0 }, { 0x18, 131200, 3 },
		{ 0x03, 33152, 0 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		bool is_sfp = files[i].type == 0x03;

		memset(b->raw, 0xee, sizeof(b->raw));
		memset(b->raw, 0x5a, 384);
		b->raw[0] = files[i].type;
		memset(b->raw + files[i].n - 128, 0x33, 128);
		assert_int_equal(parse_raw(b, files[i].n), 0);
		assert_string_equal(b->note.text, "");
		expect(b, 0, MODULE_LOWER, 0, files[i].type);
		expect(b, 0, MODULE_LOWER, 127, 0x5a);
		expect(b, is_sfp, 0x02, 200, 0xee);
		if (is_sfp)
			expect(b, 1, MODULE_LOWER, 0, 0x5a);
		else
			expect(b, files[i].bank, 0x11, 200, 0xee);
		expect_none(b, files[i].bank, 0xff, 200);
	}
}

static void test_page_ffh_in_blocks_is_not_lower_memory(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "[lower]\n18 40 00\n[page 00]\n18\n"
			       "[page ff]\n11 22 33\n"), 0);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
	expect(b, 0, MODULE_LOWER, 1, 0x40);
	expect(b, 0, 0x00, 128, 0x18);
	assert_int_equal(parse(b, "[page ff]\n11 22\n[lower]\n18 40\n"), 0);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
	assert_int_equal(module_image_put(&b->image, 0, 0xff, 128, "\1", 1),
			 0);
	expect(b, 0, 0xff, 128, 1);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
}

/* As many blocks as there are pages: those that nobody knows take no room. */
static void test_blocks_of_all_pages_are_taken(void **state)
{
	static char text[256 * 32];
	struct bed *b = *state;
	size_t len = (size_t)snprintf(text, sizeof(text), "[lower]\n18\n");

	for (unsigned page = 0; page < 256; page++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"[page %02x]\n%02x\n", page, page);
	assert_int_equal(parse(b, text), 0);
	expect(b, 0, MODULE_LOWER, 0, 0x18);
	expect(b, 0, 0x35, 128, 0x35);
}

static void test_addresses_must_follow_on(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "[page 11]\n80: 01 02\n82: 03\n"), 0);
	expect(b, 0, 0x11, 130, 3);
	assert_int_equal(parse(b, "[page 11]\n80: 01 02\n90: 03\n"), -EBADMSG);
	assert_int_equal(parse(b, "00: 19\n02: 00\n"), -EBADMSG);
	assert_int_equal(parse(b, "0x0080:  11 00 23 80\n"), -EBADMSG);
	assert_non_null(strstr(b->d.text, "begins at address 0x80; expected 0, "
			       "or a line before it that names the page"));
}

static void test_hexdump_repeats_what_it_left_out(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b,
		"00000000  19 50 00 07 00 00 00 00  00 00 00 00 00 00 00 00"
		"  |.P..............|\n"
		"00000010  aa aa aa aa aa aa aa aa  aa aa aa aa aa aa aa aa"
		"  |................|\n*\n"
		"00000080  19 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f"
		"  |.ABCDEFGHIJKLMNO|\n00000090\n"), 0);
	expect(b, 0, MODULE_LOWER, 0, 0x19);
	expect(b, 0, MODULE_LOWER, 127, 0xaa);
	expect(b, 0, 0x00, 129, 0x41);
	expect_none(b, 0, 0x00, 144);
	assert_non_null(strstr(b->note.text, "ends after octet 144"));
}

static void test_hexdump_of_a_block_repeats_too(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "[page 11]\n"
		"00000880  44 44 44 44 44 44 44 44  44 44 44 44 44 44 44 44"
		"  |DDDDDDDDDDDDDDDD|\n*\n"
		"000008a0  01\n[page 12]\n"
		"00000900  07 07 07 07 07 07 07 07  07 07 07 07 07 07 07 07"
		"  |................|\n*\n00000980\n"), 0);
	expect(b, 0, 0x11, 159, 0x44);
	expect(b, 0, 0x11, 160, 1);
	expect_none(b, 0, 0x11, 161);
	expect(b, 0, 0x12, 255, 7);
}

/* All of page 00h, and another page of the same module. */
static void test_command_follows_a_whole_device(void **state)
{
	struct bed *b = *state;
	char text[4000] = "$ ethtool -m swp1 hex on\n";

	dump_device(text, sizeof(text), 0x18);
	(void)strcat(text, "$ ethtool -m swp1 hex on page 2 offset 128\n"
		     "0x0080: 4b 00\n");
	if (parse(b, text) < 0)
		fail_msg("%s", b->d.text);
	expect(b, 0, MODULE_LOWER, 1, 0x19);
	expect(b, 0, 0x02, 128, 0x4b);
	expect_none(b, 0, 0x02, 130);
}

/* A command is a head only of what it printed. */
static void test_command_without_octets_is_no_block(void **state)
{
	struct bed *b = *state;
	char text[1200] = "# ethtool -m swp1 hex on page 0x11\n[page 11]\n";

	for (unsigned i = 0; i < 128; i++)
		(void)strcat(text, i % 16 == 15 ? "44\n" : "44 ");
	(void)strcat(text, "$ ethtool -m swp1 hex on page 0x12\n"
		     "netlink error: Invalid argument\n[lower]\n18 50\n");
	if (parse(b, text) < 0)
		fail_msg("%s", b->d.text);
	expect(b, 0, 0x11, 255, 0x44);
	expect(b, 0, MODULE_LOWER, 1, 0x50);
	assert_non_null(strstr(b->note.text, "holds 2 octets of 128"));
}

/* Octets behind it would be those of another register. */
static void test_lines_left_out_need_addresses(void **state)
{
	static const char line[] =
		"19 50 00 07 00 00 00 00 00 00 00 00 00 00 00 00\n";
	struct bed *b = *state;
	char text[200];

	for (unsigned i = 0; i < 2; i++) {
		(void)snprintf(text, sizeof(text), "%s%s*\n%s",
			       i ? "[lower]\n" : "", line, line);
		assert_int_equal(parse(b, text), -EBADMSG);
		assert_non_null(strstr(b->d.text, "a dump with -v"));
	}
}

/* A whole memory on one line, with blanks, with commas, and without. */
static void test_memory_on_one_line_is_taken(void **state)
{
	static const struct {
		const char *before, *after;
	} forms[] = { { "", " " }, { "", "" }, { "0x", ", " }, { "0x", "," } };
	static char text[20000];
	struct bed *b = *state;

	for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
		size_t len = 0;

		for (unsigned i = 0; i < 128 * 19; i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%02x%s", forms[k].before,
						i ? i / 7 & 0xff : 0x18,
						forms[k].after);
		if (parse(b, text) < 0)
			fail_msg("%zu: %s", k, b->d.text);
		assert_string_equal(b->note.text, "");
		for (unsigned i = 1; i < 128; i++)
			expect(b, 0, MODULE_LOWER, i, i / 7);
		for (unsigned i = 128 * 18; i < 128 * 19; i++)
			expect(b, 0, 0x11, i - 128 * 17, i / 7 & 0xff);
	}
}

static void test_xxd_text_is_no_octet(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "00000000: 0304 0710 0000  dead be\n"), 0);
	expect(b, 0, MODULE_LOWER, 5, 0);
	expect_none(b, 0, MODULE_LOWER, 6);
}

/* Text that fits both orders shows nothing; without text the type does. */
static void test_words_of_xxd_are_in_the_order_of_their_text(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "00000000: 00000811 00000000  ........\n"
				  "00000008: 401f0000 00000000  ...@....\n"),
			 0);
	expect(b, 0, MODULE_LOWER, 0, 0x11);
	expect(b, 0, MODULE_LOWER, 10, 0x1f);
	assert_int_equal(parse(b, "00000000: 11080000 00000000  ........\n"
				  "00000008: 00001f40 00000000  ...@....\n"),
			 0);
	expect(b, 0, MODULE_LOWER, 0, 0x11);
	expect(b, 0, MODULE_LOWER, 10, 0x1f);
	assert_int_equal(parse(b, "00000000: 00000811 00000000\n"), -EBADMSG);
	assert_non_null(strstr(b->d.text, "one: 0x11; expected xxd without "
			       "-e"));
}

/* Which page it is, only its reader knows. */
static void test_pages_without_a_name_are_refused(void **state)
{
	struct bed *b = *state;
	char text[8192] = "", device[4096] = "";

	dump_device(device, sizeof(device), 0x18);
	(void)snprintf(text, sizeof(text), "%s%s", device,
		       strstr(device, "80:"));
	assert_int_equal(parse(b, text), -EBADMSG);
	assert_non_null(strstr(b->d.text, "line 17: its address is 0x80"));
	assert_non_null(strstr(b->d.text, "names it, as [page 11]"));
}

static void test_octets_in_base_2_are_refused(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b,
		"00000000: 00011000 01010000 00000000  .P.\n"
		"00000003: 00000110 00000000 00000001  ...\n"), -EBADMSG);
	assert_non_null(strstr(b->d.text, "line 2: has octets in base 2; "
					  "expected xxd without -b"));
	assert_int_equal(parse(b,
		"00000000: 18501100 00110011 00000000\n"
		"00000003: 11111111 00000000 00000021\n"), -EBADMSG);
	assert_null(strstr(b->d.text, "base 2"));
}

/* Of more banks than Petrel reads the others are told about, not taken. */
static void test_banks_beyond_the_fourth_are_named(void **state)
{
	struct bed *b = *state;

	assert_int_equal(parse(b, "[page 11 bank 3]\n33\n[lower]\n19\n"), 0);
	assert_null(strstr(b->note.text, "lanes"));
	assert_int_equal(parse(b, "[page 11 bank 4]\n44\n[lower]\n19\n"), 0);
	assert_string_equal(b->note.text, "line 1: '[page 11 bank 4]': its "
			    "lanes are not shown: Petrel reads banks 0 to 3");
	assert_int_equal(b->image.count, 1);
	memset(b->raw, 0x19, 128);
	memset(b->raw + 128, 0, sizeof(b->raw) - 128);
	assert_int_equal(parse_raw(b, sizeof(b->raw)), 0);
	for (unsigned i = 0; i < b->image.count; i++)
		assert_true(b->image.page[i].bank < 4);
}

static void test_raw_pages_stand_in_optoe_order(void **state)
{
	struct bed *b = *state;
	size_t n = 128 + 0x31u * 128;

	for (size_t i = 0; i < n; i++)
		b->raw[i] = (uint8_t)(i / 128);
	b->raw[0] = 0x18;
	assert_int_equal(parse_raw(b, n), 0);
	expect(b, 0, MODULE_LOWER, 1, 0);
	expect(b, 0, 0x00, 128, 1);
	expect(b, 0, 0x02, 255, 3);
	expect(b, 0, 0x11, 200, 0x12);
	expect(b, 0, 0x2f, 128, 0x30);
	assert_string_equal(b->note.text, "");
}

static void test_raw_banks_repeat_all_pages(void **state)
{
	struct bed *b = *state;
	size_t at = (256 + 0x11) * 128 + 200;

	b->raw[0] = 0x19;
	b->raw[at] = 0x77;
	assert_int_equal(parse_raw(b, (256 + 0x12) * 128 + 128), 0);
	expect(b, 1, 0x11, 200, 0x77);
	expect_none(b, 1, 0x01, 128);
}

static void test_raw_sfp_has_a2_behind_a0(void **state)
{
	struct bed *b = *state;

	b->raw[0] = 0x03;
	b->raw[130] = 1;
	b->raw[256 + 96] = 2;
	b->raw[384] = 3;
	b->raw[512] = 4;
	assert_int_equal(parse_raw(b, 640), 0);
	expect(b, 0, 0x00, 130, 1);
	expect(b, 1, MODULE_LOWER, 96, 2);
	expect(b, 1, 0x00, 128, 3);
	expect(b, 1, 0x01, 128, 4);
}

/* As RouterOS prints it: A0h's lower half, then A2h's. */
static void test_sfp_without_its_upper_half_has_a2_next(void **state)
{
	static const uint8_t alarms[] = { 0x64, 0, 0xd8, 0, 0x5f, 0, 0xdd, 0 };
	struct bed *b = *state;

	b->raw[0] = 0x03;
	b->raw[92] = 0x68;
	memcpy(b->raw + 128, alarms, sizeof(alarms));
	b->raw[128 + 96] = 0x21;
	b->raw[128 + 95] = 0x78;
	assert_int_equal(parse_raw(b, 256), 0);
	expect(b, 1, MODULE_LOWER, 0, 0x64);
	expect(b, 1, MODULE_LOWER, 96, 0x21);
	expect_none(b, 0, 0x00, 128);
	assert_int_equal(parse_raw(b, 384), 0);
	expect(b, 0, 0x00, 128, 0x64);
	for (unsigned i = 0; i < 4; i++) {
		memcpy(b->raw + 128, alarms, sizeof(alarms));
		b->raw[92] = i == 0 ? 0x28 : 0x68;	/* it has no A2h */
		b->raw[128 + 95] = i == 1 ? 0x79 : 0x78;	/* its sum */
		if (i >= 2)	/* equal alarms, equal warnings */
			memcpy(b->raw + 128 + (i - 2) * 4,
			       (const uint8_t[]){ 0x9e, 0, 0x9e, 0 }, 4);
		assert_int_equal(parse_raw(b, 256), 0);
		expect(b, 0, 0x00, 128 + 96, 0x21);
		expect_none(b, 1, MODULE_LOWER, 0);
	}
}

/* Each shorter length of raw memory: what is there is there, the rest not. */
static void test_raw_of_each_length_is_taken(void **state)
{
	struct bed *b = *state;
	uint8_t octet;

	b->raw[0] = 0x18;
	for (size_t n = 1; n < 1024; n++) {
		b->raw[n] = n == 127 ? 0 : (uint8_t)n;	/* no page selected */
		assert_int_equal(parse_raw(b, n), 0);
		assert_true(!b->note.text[0] == (n % 128 == 0 && n > 128));
		assert_int_equal(module_image_get(&b->image, 0, MODULE_LOWER,
						  n - 1, &octet, 1),
				 n <= 128 ? 0 : -ENODATA);
	}
}

static void test_each_shorter_text_is_answered(void **state)
{
	static const char text[] =
		"# comment\n[lower]\n00: 19 50 00 07 00 00 00 00\n\n"
		"[page 11 bank 1]\n80: 01 02 03 04\nOffset  Values\n"
		"EEPROM hexdump for port Ethernet0\n        Upper page 3h\n"
		"        00000080 aa bb cc |...|\n";
	struct bed *b = *state;

	assert_int_equal(parse(b, text), 0);
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n + 1);	/* its end is the sanitizer's */
		int rc;

		assert_non_null(copy);
		memcpy(copy, text, n);
		rc = image_file_parse((const uint8_t *)copy, n, &b->image,
				      &b->note, &b->d);
		assert_true(rc == 0 || rc == -EBADMSG);
		free(copy);
	}
}

static void test_too_much_is_refused(void **state)
{
	struct bed *b = *state;
	uint8_t *large = calloc(1, IMAGE_FILE_MAX + 1);

	assert_non_null(large);
	large[0] = 0x18;
	assert_int_equal(image_file_parse(large, IMAGE_FILE_MAX + 1, &b->image,
					  &b->note, &b->d), -E2BIG);
	free(large);
}

static void test_line_that_never_ends_is_refused(void **state)
{
	struct bed *b = *state;

	memset(b->raw, 'g', 5000);
	assert_int_equal(parse_raw(b, 5000), -EBADMSG);
	assert_non_null(strstr(b->d.text, "line 1 is longer than"));
}

int main(void)
{
#define BED(test) cmocka_unit_test_setup_teardown(test, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		BED(test_heads_name_their_page),
		BED(test_pages_of_sfputil_are_in_hex_or_decimal),
		BED(test_heads_that_are_none_are_errors),
		BED(test_whole_device_fills_both_halves),
		BED(test_octets_must_be_two_digits),
		BED(test_each_tools_lines_are_taken),
		BED(test_hexdump_is_not_taken_for_od_later_on),
		BED(test_wrong_words_within_octets_are_errors),
		BED(test_second_device_of_an_sfp_is_a2),
		BED(test_two_modules_in_a_file_are_told),
		BED(test_dump_has_the_page_that_was_selected),
		BED(test_repeated_page_00_must_be_the_same),
		BED(test_octets_that_stand_as_xx_are_absent),
		BED(test_short_files_say_what_they_lack),
		BED(test_whole_files_of_optoe_keep_their_lower_memory),
		BED(test_page_ffh_in_blocks_is_not_lower_memory),
		BED(test_blocks_of_all_pages_are_taken),
		BED(test_addresses_must_follow_on),
		BED(test_hexdump_repeats_what_it_left_out),
		BED(test_hexdump_of_a_block_repeats_too),
		BED(test_command_follows_a_whole_device),
		BED(test_command_without_octets_is_no_block),
		BED(test_lines_left_out_need_addresses),
		BED(test_memory_on_one_line_is_taken),
		BED(test_xxd_text_is_no_octet),
		BED(test_words_of_xxd_are_in_the_order_of_their_text),
		BED(test_pages_without_a_name_are_refused),
		BED(test_octets_in_base_2_are_refused),
		BED(test_banks_beyond_the_fourth_are_named),
		BED(test_raw_pages_stand_in_optoe_order),
		BED(test_raw_banks_repeat_all_pages),
		BED(test_raw_sfp_has_a2_behind_a0),
		BED(test_sfp_without_its_upper_half_has_a2_next),
		BED(test_raw_of_each_length_is_taken),
		BED(test_each_shorter_text_is_answered),
		BED(test_too_much_is_refused),
		BED(test_line_that_never_ends_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

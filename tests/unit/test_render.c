/* What people and scripts see of an answer. */
#include "agent/base/clean.h"
#include "agent/ctl/render.h"

#include <errno.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/text_table.h"
#include "agent/query/answer.h"
#include "petrel/clock.h"
#include "tests/support/cell_object.h"

#define ARENA (256u << 10)
#define MS NS_PER_MS

/* --- cells --------------------------------------------------------------- */

static struct cell cell_of(int64_t value)
{
	return (struct cell){ .value = value, .text = "" };
}

static void test_cell_text_by_unit(void **state)
{
	static const struct {
		uint32_t unit;
		int64_t value;
		const char *table, *brief, *line;
	} cases[] = {
		{ CELL_INTEGER, -5, "-5", "-5", "-5" },
		{ CELL_INTEGER, 1234567, "1234567", "1.2M", "1234567" },
		{ CELL_UNSIGNED, -1, "18446744073709551615", "18E",
		  "18446744073709551615" },
		{ CELL_BOOL, 1, "yes", "yes", "yes" },
		{ CELL_BOOL, 0, "no", "no", "no" },
		{ CELL_MBPS, 400000, "400G", "400G", "400G" },
		{ CELL_MBPS, 1600000, "1.6T", "1.6T", "1.6T" },
		{ CELL_MBPS, 2500, "2.5G", "2.5G", "2.5G" },
		{ CELL_MBPS, 100, "100M", "100M", "100M" },
		{ CELL_PPM, 421234, "42.1", "42", "42.1 %" },
		{ CELL_MILLI, 0, "0", "0", "0" },
		{ CELL_MILLI, 1, "0.1", "0.1", "0.1" },	/* no zero */
		{ CELL_MILLI, 340, "0.4", "0.4", "0.4" },
		{ CELL_MILLI, 9950, "10.0", "10.0", "10.0" },
		{ CELL_MILLI, 12345678, "12K", "12K", "12K" },
		{ CELL_PW, 1000000000, "0.0", "0.0", "0.00 dBm" },
		{ CELL_PW, 500000000, "-3.0", "-3.0", "-3.01 dBm" },
		{ CELL_PW, 0, "dark", "dark", "dark" },
		{ CELL_MC, 48249, "48.2", "48", "48.2 °C" },
		{ CELL_MC, -5000, "-5.0", "-5", "-5.0 °C" },
		{ CELL_UV, 3301000, "3.301", "3.30", "3.301 V" },
		{ CELL_UA, 60123, "60.1", "60", "60.1 mA" },
		{ CELL_MDB, 1380, "1.4", "1.4", "1.4 dB" },
		{ CELL_E18, 5400000000, "5.4e-09", "5e-9", "5.4e-09" },
		{ CELL_E18, 2300000, "2.3e-12", "2e-12", "2.3e-12" },
		{ CELL_E18, 0, "0", "0", "0" },
		{ CELL_AGE_NS, 400 * MS, "0.4s", "0s", "0.4s" },
		{ CELL_AGE_NS, 3000 * MS, "3s", "3s", "3s" },
		{ CELL_AGE_NS, 99000 * MS, "99s", "99s", "99s" },
		{ CELL_AGE_NS, 100000 * MS, "2m", "2m", "2m" },
		{ CELL_AGE_NS, 4 * 3600000 * MS, "4h", "4h", "4h" },
		{ CELL_AGE_NS, 5 * 86400000 * MS, "5d", "5d", "5d" },
		{ CELL_OCTETS, 1000, "1000", "1000", "1000" },
		{ CELL_OCTETS, 1258291, "1.2M", "1.2M", "1.2M" },
		{ CELL_OCTETS, -2048, "-2.0K", "-2.0K", "-2.0K" },
		{ CELL_BPS, 0, "0", "0", "0" },
		{ CELL_BPS, 152400000000, "152G", "152G", "152G" },
		{ CELL_NS, 0, "0ns", "0ns", "0ns" },
		{ CELL_NS, 850, "850ns", "850ns", "850ns" },
		{ CELL_NS, 12400, "12us", "12us", "12us" },
		{ CELL_NS, 1240, "1.2us", "1.2us", "1.2us" },
		{ CELL_NS, 3500 * 1000, "3.5ms", "3.5ms", "3.5ms" },
		{ CELL_MW, 501234000, "0.501", "0.50", "0.501" },
	};
	char text[CELL_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell c = cell_of(cases[i].value);

		cell_text(cases[i].unit, &c, FORM_TABLE, text);
		assert_string_equal(text, cases[i].table);
		cell_text(cases[i].unit, &c, FORM_SHORT, text);
		assert_string_equal(text, cases[i].brief);
		cell_text(cases[i].unit, &c, FORM_LONG, text);
		assert_string_equal(text, cases[i].line);
	}
}

static void test_cell_that_is_absent_is_a_dash_and_null(void **state)
{
	(void)state;
	for (uint32_t unit = 0; unit < CELL_UNIT_COUNT; unit++) {
		struct cell c = cell_of(77);
		struct json_object *o;
		char text[CELL_TEXT_MAX];

		c.absent = true;
		cell_text(unit, &c, FORM_TABLE, text);
		assert_string_equal(text, "-");
		o = cell_object("x", unit, &c);
		/* mW stands in the JSON of the CELL_PW beside it */
		assert_int_equal(json_object_object_length(o) > 0,
				 unit != CELL_MW);
		json_object_object_foreach(o, key, value)
		{
			assert_int_equal(key[0], 'x');
			assert_null(value);
		}
		json_object_put(o);
	}
}

static void test_c03_cell_json_by_unit(void **state)
{
	static const struct {
		uint32_t unit;
		int64_t value;
		const char *json;
	} cases[] = {
		{ CELL_INTEGER, 5, "{\"x\":5}" },
		{ CELL_INTEGER, -5, "{\"x\":-5}" },
		{ CELL_BOOL, 1, "{\"x\":true}" },
		{ CELL_MBPS, 400000, "{\"x_mbps\":400000}" },
		{ CELL_PPM, 421234, "{\"x_ppm\":421234}" },
		{ CELL_PW, 1000000000, "{\"x_dbm\":0.0,\"x_mw\":1.0}" },
		{ CELL_PW, 0, "{\"x_dbm\":null,\"x_mw\":0.0}" },
		{ CELL_MC, 48249, "{\"x_c\":48.249}" },
		{ CELL_UV, 3301000, "{\"x_v\":3.301}" },
		{ CELL_UA, 60123, "{\"x_ma\":60.123}" },
		{ CELL_MDB, 1380, "{\"x_db\":1.38}" },
		{ CELL_E18, 5400000000,
		  "{\"x\":5.4e-09,\"x_e18\":5400000000}" },
		{ CELL_AGE_NS, 3500 * MS, "{\"x_s\":3.5}" },
		{ CELL_OCTETS, 1258291, "{\"x_octets\":1258291}" },
		{ CELL_WALL_NS, 1500 * MS,
		  "{\"x\":\"1970-01-01T00:00:01.500Z\",\"x_ns\":1500000000}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell c = cell_of(cases[i].value);
		struct json_object *o = cell_object("x", cases[i].unit, &c);

		assert_string_equal(json_object_to_json_string_ext(
					    o, JSON_C_TO_STRING_PLAIN),
				    cases[i].json);
		json_object_put(o);
	}
}

/* A double holds integers below 2^53 exactly, and no further. */
static void test_c03_json_has_a_twin_from_2_to_the_53(void **state)
{
	static const struct {
		uint32_t unit;
		int64_t value;
		const char *twin;
	} cases[] = {
		{ CELL_UNSIGNED, (INT64_C(1) << 53) - 1, NULL },
		{ CELL_UNSIGNED, INT64_C(1) << 53, "9007199254740992" },
		{ CELL_UNSIGNED, -1, "18446744073709551615" },
		{ CELL_INTEGER, -1, NULL },
		{ CELL_INTEGER, INT64_MIN, "-9223372036854775808" },
		{ CELL_INTEGER, INT64_MAX, "9223372036854775807" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell c = cell_of(cases[i].value);
		struct json_object *o = cell_object("x", cases[i].unit, &c);
		struct json_object *twin;
		bool has;

		has = json_object_object_get_ex(o, "x_str", &twin);
		assert_int_equal(has, cases[i].twin != NULL);
		if (has)
			assert_string_equal(json_object_get_string(twin),
					    cases[i].twin);
		json_object_put(o);
	}
}

/* A counter in a column of integers. */
static void test_c03_a_pattern_is_never_negative(void **state)
{
	struct cell c = cell_of(INT64_MIN);
	struct json_object *o;
	char text[CELL_TEXT_MAX];

	(void)state;
	c.is_pattern = true;
	o = cell_object("x", CELL_INTEGER, &c);
	assert_string_equal(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		"{\"x\":9223372036854775808,"
		"\"x_str\":\"9223372036854775808\"}");
	json_object_put(o);
	cell_text(CELL_INTEGER, &c, FORM_LONG, text);
	assert_string_equal(text, "9223372036854775808");
	cell_text(CELL_INTEGER, &c, FORM_SHORT, text);
	assert_string_equal(text, "9.2E");
}

static void test_c04_json_tells_age_and_quality(void **state)
{
	struct cell c = cell_of(48000);
	struct json_object *o;
	char text[CELL_TEXT_MAX];

	(void)state;
	c.age_ns = 57 * NS_PER_S;
	c.quality = 2;
	o = cell_object("x", CELL_MC, &c);
	assert_string_equal(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		"{\"x_c\":48.0,\"x_age_s\":57.0,\"x_quality\":\"stale\"}");
	json_object_put(o);
	cell_text(CELL_MC, &c, FORM_TABLE, text);
	assert_string_equal(text, "48.0?");
	cell_text(CELL_MC, &c, FORM_LONG, text);
	assert_string_equal(text, "48.0 °C, stale (57s old)");
}

static void test_text_from_the_network_is_made_harmless(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{ "peer\033[2Jname", "peer?[2Jname" },
		{ "a\r\nb\tc\x7f", "a  b c?" },
		{ "caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac" },
		{ "\xff\xfe", "??" },
		{ "\xc0\xaf", "??" },			/* overlong */
		{ "\xc2\x9b" "31m", "?31m" },		/* C1: CSI */
		{ "\xed\xa0\x80", "???" },		/* a surrogate */
		{ "cut \xe2\x82", "cut ??" },
	};
	char clean[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		clean_text(clean, sizeof(clean), cases[i].text);
		assert_string_equal(clean, cases[i].clean);
	}
	clean_text(clean, 5, "0123456789");
	assert_string_equal(clean, "0123");
	assert_int_equal(text_columns("48 °C"), 5);
}

/* --- tables -------------------------------------------------------------- */

struct page {
	struct answer *a;
	char *text;
	size_t len;
	struct screen screen;
};

static void page_open(struct page *p, unsigned width)
{
	assert_int_equal(answer_new(ARENA, &p->a), 0);
	answer_head(p->a, "leaf1", 1500 * MS);
	p->text = NULL;
	p->screen = (struct screen){ .out = open_memstream(&p->text, &p->len),
				     .err = stderr,
				     .width = width,
				     .table_width = width };
}

static const char *page_print(struct page *p, const struct render_how *how)
{
	assert_true(answer_is_sound(answer_message(p->a)));
	assert_int_equal(render(&p->screen, how, answer_message(p->a)), 0);
	return p->text;
}

static void page_close(struct page *p)
{
	(void)fclose(p->screen.out);
	free(p->text);
	answer_free(p->a);
}

static const struct render_how plain = { .command = "things" };

/* The columns of petrel ports. */
static const struct answer_shape ports = {
	"ports", .columns = {
	{ "port", "PORT", CELL_TEXT },
	{ "st", "ST", CELL_TEXT },
	{ "speed", "SPEED", CELL_MBPS },
	{ "media", "MEDIA", CELL_TEXT },
	{ "peer", "PEER", CELL_PEER },
	{ "util", "UTIL%", CELL_PPM },
	{ "margin", "MARGIN", CELL_MDB },
	{ "ber", "BER", CELL_E18 },
	{ "rx_min", "RXmin", CELL_PW },
	{ "temp", "°C", CELL_MC },
	{ "flaps", "FLAP/24h", CELL_INTEGER },
	{ "drops", "DROP", CELL_INTEGER },
	{ "age", "AGE", CELL_AGE_NS },
	{ "mark", "!", CELL_TEXT },
	{ .key = NULL },
} };

static void ports_row(struct answer *a, const char *name, const char *peer,
		      const char *mark)
{
	answer_row(a);
	answer_text(a, name);
	answer_text(a, "up");
	answer_integer(a, 400000);
	answer_text(a, "DR4");
	answer_text(a, peer);
	answer_integer(a, 421234);
	answer_integer(a, 1380);
	answer_integer(a, 54000000000);
	answer_integer(a, 500000000);
	answer_integer(a, 48249);
	answer_integer(a, 3);
	answer_integer(a, 12345);
	answer_integer(a, 57 * NS_PER_S);
	answer_text(a, mark);
}

static void test_ports_fill_80_columns_exactly(void **state)
{
	struct page p;

	(void)state;
	page_open(&p, 80);
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet0", "leaf-in-row-12:Ethernet504", NULL);
	ports_row(p.a, "Ethernet504", "host7:eth0", "C");
	assert_string_equal(page_print(&p, &plain),
"PORT        ST SPEED MEDIA PEER   UTIL% MARGIN  BER RXmin °C FLAP/24h DROP AGE !\n"
"Ethernet0   up  400G DR4   ~2:504    42    1.4 5e-8  -3.0 48        3  12K 57s -\n"
"Ethernet504 up  400G DR4   ~st7:0    42    1.4 5e-8  -3.0 48        3  12K 57s C\n");
	page_close(&p);
}

static void test_peer_keeps_its_end_and_whole_characters(void **state)
{
	static const char *const peers[][2] = {
		{ "leaf2:Ethernet48", "leaf2:48" },
		{ "leaf2:Ethernet1/3", "leaf2:1/3" },
		{ "leaf2:mgmt", "leaf2:mgmt" },
		{ "Ethernet48", "Ethernet48" },
		{ "leaf2:", "leaf2:" },
	};
	char text[CELL_TEXT_MAX];
	struct page p;

	(void)state;
	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		struct cell c = cell_of(0);

		c.text = peers[i][0];
		cell_text(CELL_PEER, &c, FORM_SHORT, text);
		assert_string_equal(text, peers[i][1]);
		cell_text(CELL_PEER, &c, FORM_TABLE, text);
		assert_string_equal(text, peers[i][0]);
	}
	page_open(&p, 80);
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet504", "gr\xc3\xb6\xc3\x9f" "e-\xc3\xa4:Eth7", "C");
	assert_non_null(strstr(page_print(&p, &plain), " ~e-\xc3\xa4:7 "));
	page_close(&p);
}

static void test_tables_without_a_bound_are_not_cut(void **state)
{
	struct page p;

	(void)state;
	page_open(&p, 80);
	p.screen.table_width = SCREEN_UNBOUNDED;
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet0", "leaf-in-row-12:Ethernet504", NULL);
	assert_non_null(strstr(page_print(&p, &plain),
			       " leaf-in-row-12:Ethernet504 "));
	page_close(&p);
}

/* The last column is read to its end; a longer one before it is cut for it, but
 * no shorter one.
 */
static void test_last_column_is_wrapped_rather_than_cut(void **state)
{
	static const struct answer_shape columns = {
		"benign", .columns = {
		{ "subject", "SUBJECT", CELL_TEXT },
		{ "seen", "SEEN", CELL_TEXT },
		{ "why", "WHY IT IS NOT A FAULT", CELL_TEXT },
		{ .key = NULL },
	} };
	static const struct {
		const char *seen, *text;
	} cases[] = {
		{ "ports whose counters restarted: 64",
"SUBJECT SEEN                 WHY IT IS NOT A FAULT\n"
"leaf-1  ports whose counter~ somebody cleared the\n"
"                             counters, or\n"
"                             restarted their\n"
"                             source\n" },
		{ "errors",
"SUBJECT SEEN   WHY IT IS NOT A FAULT\n"
"leaf-1  errors somebody cleared the counters, or\n"
"               restarted their source\n" },
	};
	struct page p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		page_open(&p, 50);
		answer_table(p.a, &columns);
		answer_row(p.a);
		answer_text(p.a, "leaf-1");
		answer_text(p.a, cases[i].seen);
		answer_text(p.a, "somebody cleared the counters, or restarted "
			    "their source");
		assert_string_equal(page_print(&p, &plain), cases[i].text);
		page_close(&p);
	}
}

/* A column that JSON alone has, but with a heading, is shown by --wide. */
static void test_wide_tables_have_more_columns(void **state)
{
	static const struct answer_shape columns = {
		"ports", .columns = {
		{ "port", "PORT", CELL_TEXT },
		{ "dropped_frames", "DROPPED", CELL_UNSIGNED, .wide = true },
		{ "alias", "", CELL_TEXT },
		{ .key = NULL },
	} };
	struct page p;

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		page_open(&p, 80);
		p.screen.is_wide = wide;
		answer_table(p.a, &columns);
		answer_row(p.a);
		answer_text(p.a, "Ethernet0");
		answer_integer(p.a, 77);
		answer_text(p.a, "etp1");
		assert_string_equal(page_print(&p, &plain), wide ?
				    "PORT       DROPPED\nEthernet0       77\n" :
				    "PORT\nEthernet0\n");
		page_close(&p);
	}
}

static void test_ports_take_more_room_where_there_is(void **state)
{
	struct page p;

	(void)state;
	page_open(&p, 120);
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet0", "leaf-12:Ethernet504", "w");
	assert_string_equal(page_print(&p, &plain),
"PORT       ST  SPEED  MEDIA  PEER                 UTIL%  MARGIN      BER  RXmin    °C  FLAP/24h   DROP  AGE  !\n"
"Ethernet0  up   400G  DR4    leaf-12:Ethernet504   42.1     1.4  5.4e-08   -3.0  48.2         3  12345  57s  w\n");
	page_close(&p);
}

/* Names lose what they share on a narrow screen, never what differs. */
static void test_names_differ_however_narrow_it_is(void **state)
{
	struct page p;

	(void)state;
	page_open(&p, 60);
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet16", "leaf-12:Ethernet504", "w");
	ports_row(p.a, "Ethernet120", "leaf-12:Ethernet505", "w");
	ports_row(p.a, "Ethernet12", "leaf-12:Ethernet506", "w");
	(void)page_print(&p, &plain);
	assert_non_null(strstr(p.text, "\n~16  up "));
	assert_non_null(strstr(p.text, "\n~120 up "));
	assert_non_null(strstr(p.text, "\n~12  up "));
	page_close(&p);
	page_open(&p, 60);
	answer_table(p.a, &ports);
	ports_row(p.a, "swp1s0", "-", "w");
	ports_row(p.a, "Ethernet", "-", "w");
	ports_row(p.a, "Ethernet1", "-", "w");
	(void)page_print(&p, &plain);
	assert_non_null(strstr(p.text, "\nEthernet  up "));
	assert_non_null(strstr(p.text, "\nEthernet1 up "));
	page_close(&p);
}

/* Whatever the name is, no line passes the edge, and none is broken. */
static void test_ports_never_pass_the_edge(void **state)
{
	char name[ENTITY_NAME_MAX], peer[2 * ENTITY_NAME_MAX];

	(void)state;
	for (size_t len = 1; len < ENTITY_NAME_MAX; len++) {
		struct page p;
		size_t lines = 0;

		memset(name, 'e', len);
		name[len] = '\0';
		(void)snprintf(peer, sizeof(peer), "%s:%s", name, name);
		page_open(&p, 80);
		answer_table(p.a, &ports);
		ports_row(p.a, name, peer, "W");
		(void)page_print(&p, &plain);
		for (char *line = strtok(p.text, "\n"); line;
		     line = strtok(NULL, "\n")) {
			assert_true(text_columns(line) <= 80);
			lines++;
		}
		assert_int_equal(lines, 2);
		page_close(&p);
	}
}

static const struct answer_shape reasons = {
	"sources", .columns = {
	{ "source", "SOURCE", CELL_TEXT },
	{ "values", "VALUES", CELL_UNSIGNED },
	{ "secret", "", CELL_INTEGER },
	{ "reason", "REASON", CELL_TEXT },
	{ .key = NULL },
} };

static void test_last_text_column_is_broken_into_lines(void **state)
{
	struct page p;

	(void)state;
	page_open(&p, 60);
	answer_table(p.a, &reasons);
	answer_row(p.a);
	answer_text(p.a, "sonic.dom");
	answer_integer(p.a, 7);
	answer_integer(p.a, 1);
	answer_text(p.a, "the table TRANSCEIVER_DOM_SENSOR is empty: is xcvrd "
			 "running? asked again in 8 s");
	answer_row(p.a);
	answer_row_json_only(p.a);
	answer_text(p.a, "hidden");
	answer_note(p.a, "That is");
	answer_note(p.a, "all.");
	assert_string_equal(page_print(&p, &plain),
"SOURCE     VALUES  REASON\n"
"sonic.dom       7  the table TRANSCEIVER_DOM_SENSOR is\n"
"                   empty: is xcvrd running? asked again in 8\n"
"                   s\n"
"That is\nall.\n");
	page_close(&p);
}

static void test_single_row_is_keys_and_values(void **state)
{
	static const struct answer_shape columns = {
		"module", .single = true, .columns = {
		{ "temp", "temperature", CELL_MC },
		{ "ok", "well", CELL_BOOL },
		{ .key = NULL },
	} };
	struct page p;

	(void)state;
	page_open(&p, 80);
	answer_table(p.a, &columns);
	answer_row(p.a);
	answer_integer(p.a, 48249);
	answer_age(p.a, 57 * NS_PER_S, 0);
	answer_absent(p.a);
	assert_string_equal(page_print(&p, &plain),
			    "temperature: 48.2 °C (57s old)\n"
			    "well:        -\n");
	page_close(&p);
}

static void test_answer_that_does_not_hold_together_is_refused(void **state)
{
	Petrel__TableColumn *c;
	Petrel__Answer *m;
	struct page p;

	(void)state;
	page_open(&p, 80);
	answer_table(p.a, &ports);
	ports_row(p.a, "Ethernet0", "x", NULL);
	ports_row(p.a, "Ethernet4", "y", NULL);
	m = answer_message(p.a);
	assert_true(answer_is_sound(m));
	c = m->tables[0]->columns[0];
	c->n_value--;			/* shorter than the table */
	assert_false(answer_is_sound(m));
	c->n_value++;
	c->n_words--;			/* a place that has no word */
	assert_false(answer_is_sound(m));
	c->n_words++;
	c->value[0] = -1;
	assert_false(answer_is_sound(m));
	c->value[0] = 0;
	c->n_value = c->n_mark = 0;	/* rows of nothing, without end */
	assert_false(answer_is_sound(m));
	c->n_value = 2;
	m->tables[0]->single = true;
	assert_false(answer_is_sound(m));
	m->tables[0]->single = false;
	assert_true(answer_is_sound(m));
	m->tables[0]->n_columns = 0;
	assert_false(answer_is_sound(m));
	page_close(&p);
}

/* --- JSON ---------------------------------------------------------------- */

static void test_json_is_one_object_with_its_envelope(void **state)
{
	static const struct render_how how = { .command = "things",
					       .json = true,
					       .has_findings = true };
	struct page p;

	(void)state;
	page_open(&p, 80);
	answer_table(p.a, &reasons);
	answer_row(p.a);
	answer_text(p.a, "a\"b");
	answer_integer(p.a, 7);
	answer_integer(p.a, 1);
	answer_absent(p.a);
	answer_cursor(p.a, "c");
	assert_string_equal(page_print(&p, &how),
		"{\"schema\":\"petrel/things/1\",\"switch\":\"leaf1\","
		"\"time\":\"1970-01-01T00:00:01.500Z\",\"complete\":true,"
		"\"code\":0,\"cursor\":\"c\",\"sources\":[{\"source\":"
		"\"a\\\"b\",\"values\":7,\"secret\":1,\"reason\":null}],"
		"\"findings\":[]}\n");
	page_close(&p);
}

static void test_json_of_an_error_says_so(void **state)
{
	static const struct render_how how = { .command = "port",
					       .json = true,
					       .has_findings = true };
	struct page p;

	(void)state;
	page_open(&p, 80);
	(void)answer_error(p.a, EXIT_NO_SUCH, "no port 'x'");
	assert_string_equal(page_print(&p, &how),
		"{\"schema\":\"petrel/port/1\",\"switch\":\"leaf1\","
		"\"time\":\"1970-01-01T00:00:01.500Z\",\"complete\":false,"
		"\"code\":66,\"error\":\"no port 'x'\"}\n");
	page_close(&p);
}

/* --- findings ------------------------------------------------------------ */

static void test_cliff_in_words(void **state)
{
	static const struct {
		struct cliff cliff;
		const char *text;
	} cases[] = {
		{ { false, 0, 0, 0 }, "" },
		{ { true, 3600, 10800, 32400 },
		  "uncorrectable in about 3 h (60 min to 9 h)" },
		{ { true, 40, 90, 1200 },
		  "uncorrectable in about 90 s (40 s to 20 min)" },
		{ { true, 86400, 3 * 86400, FINDING_NO_UPPER_BOUND },
		  "uncorrectable in about 3 days (24 h or later)" },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cliff_text(&cases[i].cliff, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

static void test_finding_is_a_block_that_ends_in_what_to_do(void **state)
{
	struct finding f = {
		.id = "abcdefghijkl", .signature = SIGNATURE_FEC_TREND,
		.severity = SEVERITY_WARN, .state = FINDING_RAISED,
		.end = END_FAR, .action = ACTION_CLEAN_FAR,
		.drain = DRAIN_ADVISE, .subject = "Ethernet8", .lanes = 4,
		.confidence = 0.92f, .cause = "errors grow, light is steady",
		.evidence_count = 2, .change_count = 1,
		.onset = { 1 }, .when = { 1 },
		.onset_wall = { 1 }, .when_wall = { 1 },
		.cliff = { true, 7200, 10800, 32400 },
		.evidence = { { "ber_ratio", 10 }, { "rx_drop_mdb", 12.5 } },
		.change = { "module swapped 300 s before" },
	};
	struct page p;

	(void)state;
	page_open(&p, 60);
	answer_finding(p.a, &f);
	answer_message(p.a)->wall_ns = 7200 * NS_PER_S;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	assert_string_equal(page_print(&p, &plain),
"abcdefghijkl  warn      Ethernet8 lane 3  fec_trend\n"
"  since     1970-01-01 00:00:00Z (2 h ago)\n"
"  cause     errors grow, light is steady (far end,\n"
"            confidence 92 %)\n"
"  cliff     uncorrectable in about 3 h (2 h to 9 h)\n"
"  do        clean the connector at the peer's port\n"
"            (clean_far); drain: advise\n"
"  evidence  ber_ratio=10 rx_drop_mdb=12.5\n"
"  before    module swapped 300 s before\n"
"\n");
	page_close(&p);
}

static void cause_line(void *context, const char *label, const char *text)
{
	if (strcmp(label, "cause") == 0)
		(void)snprintf(context, 160, "%s", text);
}

static void since_line(void *context, const char *label, const char *text)
{
	if (strcmp(label, "since") == 0)
		(void)snprintf(context, 160, "%s", text);
}

static void test_onset_to_come_is_by_another_clock(void **state)
{
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .onset_wall.ns = 60 * NS_PER_S };
	char text[160] = "";

	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	finding_lines(&f, 60 * NS_PER_S, since_line, text);
	assert_string_equal(text, "1970-01-01 00:01:00Z (0 s ago)");
	finding_lines(&f, 30 * NS_PER_S, since_line, text);
	assert_string_equal(text, "1970-01-01 00:01:00Z "
			    "(by a clock that was ahead)");
}

/* Less than half is no confidence: the sentence says what is likelier. */
static void test_finding_has_its_confidence_from_a_half_on(void **state)
{
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .end = END_PATH, .action = ACTION_CHECK_PEER,
			     .severity = SEVERITY_WATCH, .drain = DRAIN_NONE,
			     .confidence = 0.05f, .cause = "no light" };
	char text[160] = "";

	(void)state;
	finding_lines(&f, 1, cause_line, text);
	assert_string_equal(text, "no light (path end)");
	f.confidence = 0.5f;
	finding_lines(&f, 1, cause_line, text);
	assert_string_equal(text, "no light (path end, confidence 50 %)");
}

static void test_finding_has_one_lane_or_several(void **state)
{
	struct finding f = { .subject = "Ethernet8", .lanes = 1 << 1 };
	char text[64];

	(void)state;
	finding_where(&f, text, sizeof(text));
	assert_string_equal(text, "Ethernet8 lane 2");
	f.lanes |= 1 << 3;
	finding_where(&f, text, sizeof(text));
	assert_string_equal(text, "Ethernet8 lanes 2,4");
}

/* Somebody compares switches of several zones. */
static void test_local_time_has_its_zone(void **state)
{
	static const struct {
		const char *tz, *text, *zone;
	} cases[] = {
		{ "UTC0", "1970-01-01 00:00:00Z", "UTC" },
		{ "EAST-5:30", "1970-01-01 05:30:00+05:30", "+05:30" },
		{ "WEST3:30", "1969-12-31 20:30:00-03:30", "-03:30" },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", "1970-01-01 01:00:00+01:00",
		  "+01:00" },
	};
	char text[48], zone[WALL_ZONE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(setenv("TZ", cases[i].tz, 1), 0);
		tzset();
		wall_text(0, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		wall_zone(0, zone);
		assert_string_equal(zone, cases[i].zone);
	}
	/* Of that time, not of today. */
	wall_text(INT64_C(1774746000) * NS_PER_S, text, sizeof(text));
	assert_string_equal(text, "2026-03-29 03:00:00+02:00");
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onset_to_come_is_by_another_clock),
		cmocka_unit_test(test_finding_has_one_lane_or_several),
		cmocka_unit_test(test_cell_text_by_unit),
		cmocka_unit_test(test_local_time_has_its_zone),
		cmocka_unit_test(test_cell_that_is_absent_is_a_dash_and_null),
		cmocka_unit_test(test_c03_cell_json_by_unit),
		cmocka_unit_test(test_c03_json_has_a_twin_from_2_to_the_53),
		cmocka_unit_test(test_c03_a_pattern_is_never_negative),
		cmocka_unit_test(test_c04_json_tells_age_and_quality),
		cmocka_unit_test(test_text_from_the_network_is_made_harmless),
		cmocka_unit_test(test_ports_fill_80_columns_exactly),
		cmocka_unit_test(test_peer_keeps_its_end_and_whole_characters),
		cmocka_unit_test(test_tables_without_a_bound_are_not_cut),
		cmocka_unit_test(test_last_column_is_wrapped_rather_than_cut),
		cmocka_unit_test(test_wide_tables_have_more_columns),
		cmocka_unit_test(test_ports_take_more_room_where_there_is),
		cmocka_unit_test(test_names_differ_however_narrow_it_is),
		cmocka_unit_test(test_ports_never_pass_the_edge),
		cmocka_unit_test(test_last_text_column_is_broken_into_lines),
		cmocka_unit_test(test_single_row_is_keys_and_values),
		cmocka_unit_test(
			test_answer_that_does_not_hold_together_is_refused),
		cmocka_unit_test(test_json_is_one_object_with_its_envelope),
		cmocka_unit_test(test_json_of_an_error_says_so),
		cmocka_unit_test(test_cliff_in_words),
		cmocka_unit_test(
			test_finding_is_a_block_that_ends_in_what_to_do),
		cmocka_unit_test(
			test_finding_has_its_confidence_from_a_half_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

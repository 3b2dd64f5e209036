/* Rows as they are gathered for Redis, without one: the commands in struct out
 * are taken apart here by a reader of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/pace.h"
#include "platform/vswitch/rows.h"
#include "platform/vswitch/stats.h"
#include "platform/vswitch/value_text.h"

#define WORD_MAX 400

struct reader { const char *at, *end; };

static size_t head_read(struct reader *r, char kind)
{
	uint64_t value;
	size_t len;

	assert_true(r->at < r->end && *r->at == kind);
	len = (size_t)((const char *)memchr(r->at, '\r',
					    (size_t)(r->end - r->at)) - r->at);
	assert_int_equal(number_parse_n(r->at + 1, len - 1, 0, 100000, &value),
			 0);
	r->at += len + 2;
	return (size_t)value;
}

static void word_read(struct reader *r, char word[WORD_MAX])
{
	size_t len = head_read(r, '$');

	assert_true(len < WORD_MAX);
	memcpy(word, r->at, len);
	word[len] = '\0';
	r->at += len + 2;
}

/* The last value of a field of a row in all that was gathered; "" none. */
static const char *gathered(const struct out *o, const char *key,
			    const char *field, char value[WORD_MAX])
{
	struct reader r = { o->commands.data,
			    o->commands.data + o->commands.len };

	value[0] = '\0';
	while (r.at < r.end) {
		size_t count = head_read(&r, '*');
		char command[WORD_MAX], word[WORD_MAX], text[WORD_MAX];

		word_read(&r, command);
		word_read(&r, word);
		for (size_t i = 2; i + 1 < count; i += 2) {
			char name[WORD_MAX];

			word_read(&r, name);
			word_read(&r, text);
			if (strcmp(word, key) == 0 && strcmp(name, field) == 0)
				memcpy(value, text, sizeof(text));
		}
		if (count % 2)		/* SET has one word behind its key */
			word_read(&r, text);
	}
	return value;
}

static void box_make(struct box *b, const char *scenario, unsigned asics)
{
	char path[] = "/tmp/petrel-vswitch-XXXXXX";
	struct diag d = { "" };
	int fd = mkstemp(path);

	assert_int_equal(write(fd, scenario, strlen(scenario)),
			 strlen(scenario));
	assert_int_equal(close(fd), 0);
	if (box_open(b, path, asics, &d) < 0)
		fail_msg("%s", d.text);
	for (unsigned i = 0; i < asics; i++)
		out_init(&b->asic[i].out, "/nowhere");
	if (asics > 1)
		out_init(&b->host_out, "/nowhere");
	box_set_second(b, 1795168862);
	assert_int_equal(unlink(path), 0);
}

static void box_at(struct box *b, int64_t s)
{
	box_advance(b, (struct mono){ b->start.ns + s * NS_PER_S });
}

static const char *port_key(const struct box_port *p, const char *table,
			    char key[WORD_MAX])
{
	char oid[OUT_OID_MAX];

	out_oid_text(p->oid, oid);
	(void)snprintf(key, WORD_MAX, "%s:%s", table, oid);
	return key;
}

static void test_stats_show_what_the_plant_counts(void **state)
{
	char key[WORD_MAX], value[WORD_MAX], want[WORD_MAX];
	struct box b;
	const struct box_port *p;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=2 queues=10\nport Ethernet8 fec=rs528\n",
		 1);
	box_at(&b, 3);
	stats_ports(&b);
	p = &b.port[0];
	o = &b.asic[0].out;
	port_key(p, "COUNTERS", key);
	assert_memory_equal(key, "COUNTERS:oid:0x1000000", 22);
	(void)snprintf(want, sizeof(want), "%llu",
		       (unsigned long long)(p->now.in_frames -
					    p->now.in_non_ucast_frames));
	assert_string_equal(gathered(o, key, "SAI_PORT_STAT_IF_IN_UCAST_PKTS",
				     value), want);
	assert_string_not_equal(want, "0");
	gathered(o, key, "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S15", value);
	assert_string_equal(value, "0");
	/* SAI has it, portsorch does not poll it. */
	gathered(o, key, "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S16", value);
	assert_string_equal(value, "");
	port_key(&b.port[1], "COUNTERS", key);
	gathered(o, key, "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S8", value);
	assert_string_equal(value, "0");
	gathered(o, key, "SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S9", value);
	assert_string_equal(value, "");
	box_close(&b);
}

static void test_stats_begin_anew_after_a_restart(void **state)
{
	char key[WORD_MAX], before[WORD_MAX], after[WORD_MAX];
	struct box b;

	(void)state;
	box_make(&b, "switch ports=1\n", 1);
	box_at(&b, 5);
	stats_ports(&b);
	port_key(&b.port[0], "COUNTERS", key);
	gathered(&b.asic[0].out, key, "SAI_PORT_STAT_IF_OUT_OCTETS", before);
	box_counters_restart(&b);
	box_renumber(&b);
	stats_ports(&b);
	port_key(&b.port[0], "COUNTERS", key);
	gathered(&b.asic[0].out, key, "SAI_PORT_STAT_IF_OUT_OCTETS", after);
	assert_string_not_equal(before, "0");
	assert_string_equal(after, "0");
	box_close(&b);
}

static void test_watermarks_are_read_and_cleared(void **state)
{
	char key[WORD_MAX], oid[OUT_OID_MAX], value[WORD_MAX], most[WORD_MAX];
	static const char field[] = "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES";
	struct box b;
	const struct out *o;
	uint64_t peak;

	(void)state;
	box_make(&b, "switch ports=1\n", 1);
	o = &b.asic[0].out;
	box_at(&b, 5);
	peak = b.port[0].queue_peak[BOX_LOSSLESS].running;
	assert_true(peak > 0);
	stats_watermarks(&b);
	stats_watermarks(&b);		/* nothing happened in between */
	out_oid_text(b.port[0].queue_oid[BOX_LOSSLESS], oid);
	(void)snprintf(key, sizeof(key), "COUNTERS:%s", oid);
	assert_string_equal(gathered(o, key, field, value), "0");
	(void)snprintf(most, sizeof(most), "%llu", (unsigned long long)peak);
	(void)snprintf(key, sizeof(key), "USER_WATERMARKS:%s", oid);
	assert_string_equal(gathered(o, key, field, value), most);
	stats_period_end(&b);
	stats_watermarks(&b);
	(void)snprintf(key, sizeof(key), "PERIODIC_WATERMARKS:%s", oid);
	assert_string_equal(gathered(o, key, field, value), "0");
	box_close(&b);
}

static void test_modules_are_read_at_the_first_sub_port(void **state)
{
	char value[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=4 breakout=4 speed=100G lanes=2 "
		 "media=DR8\n", 1);
	o = &b.asic[0].out;
	xcvrd_presence(&b);
	links_all(&b);
	for (unsigned i = 0; i < 4; i++)
		xcvrd_read(&b, i);
	for (unsigned i = 0; i < 4; i++) {
		char key[WORD_MAX];

		(void)snprintf(key, sizeof(key), "TRANSCEIVER_INFO|%s",
			       b.port[i].facts.name);
		assert_string_equal(gathered(o, key, "type_abbrv_name", value),
				    "QSFP-DD");
		(void)snprintf(key, sizeof(key), "TRANSCEIVER_DOM_SENSOR|%s",
			       b.port[i].facts.name);
		assert_string_equal(gathered(o, key, "last_update_time",
					     value), i == 0 ?
				    "Fri Nov 20 10:01:02 2026" : "");
	}
	gathered(o, "TRANSCEIVER_DOM_SENSOR|Ethernet0", "rx8power", value);
	assert_string_not_equal(value, "");
	assert_string_not_equal(value, "N/A");
	assert_string_equal(gathered(o, "PORT|Ethernet4", "subport", value),
			    "3");
	assert_string_equal(gathered(o, "PORT|Ethernet4", "index", value),
			    "1");
	assert_string_equal(gathered(o, "PORT|Ethernet4", "lanes", value),
			    "5,6");
	box_close(&b);
}

static void test_modules_show_what_their_form_can(void **state)
{
	static const struct { const char *scenario, *field, *text; } cases[] = {
		{ "switch ports=1 speed=100G lanes=4 media=SR4\n",
		  "rx5power", "" },
		{ "switch ports=1 speed=100G lanes=4 media=SR4\n",
		  "laser_temperature", "" },
		{ "switch ports=1 speed=100G lanes=4 media=DAC\n",
		  "temperature", "0.0" },
		{ "switch ports=1 speed=100G lanes=4 media=DAC\n",
		  "rx1power", "-inf" },
		{ "switch ports=1 speed=100G lanes=4 media=DAC\n",
		  "tx1power", "N/A" },
		{ "switch ports=1 speed=400G lanes=8 media=DAC\n",
		  "temperature", "N/A" },
		{ "switch ports=1 speed=25G lanes=1 media=SR4\n",
		  "rx2power", "N/A" },
		{ "switch ports=1 speed=400G lanes=4 media=DR4\n",
		  "rx5power", "N/A" },
		/* A bus that hangs answers all ones. */
		{ "switch ports=1 speed=400G lanes=4 media=DR4\n"
		  "at 0s all bad_dom\n", "voltage", "6.553" },
		{ "switch ports=1 speed=400G lanes=4 media=DR4\n"
		  "at 0s all bad_dom\n", "rx1power", "8.165" },
	};
	char value[WORD_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct box b;

		box_make(&b, cases[i].scenario, 1);
		xcvrd_presence(&b);
		gathered(&b.asic[0].out, "TRANSCEIVER_DOM_SENSOR|Ethernet0",
			 cases[i].field, value);
		assert_string_equal(value, cases[i].text);
		box_close(&b);
	}
}

/* Weak light: 0.001 mW is 100 % of it for a QSFP28, 10 % for CMIS. */
static void test_modules_round_light_by_their_form(void **state)
{
	static const struct {
		const char *scenario;
		unsigned decimals;	/* of mW */
	} cases[] = {
		{ "switch ports=1 speed=100G lanes=4 media=SR4\n"
		  "at 0s all dirty loss=28dB lanes=4\n", 3 },
		{ "switch ports=1 speed=400G lanes=4 media=DR4\n"
		  "at 0s all dirty loss=28dB lanes=4\n", 4 },
	};
	char value[WORD_MAX], want[TEXT_VALUE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct box b;
		double mw;

		box_make(&b, cases[i].scenario, 1);
		mw = text_round(round(b.port[0].now.lane[0].rx_mw * 1e4) / 1e4,
				cases[i].decimals);
		assert_true(mw < 0.01);
		text_rounded(text_mw_dbm(mw), 3, want);
		xcvrd_presence(&b);
		gathered(&b.asic[0].out, "TRANSCEIVER_DOM_SENSOR|Ethernet0",
			 "rx1power", value);
		assert_string_equal(value, want);
		box_close(&b);
	}
}

static void test_flags_keep_count_and_times(void **state)
{
	char value[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=1\nat 10s Ethernet0 down reason=light "
		 "for=40s\n", 1);
	o = &b.asic[0].out;
	box_set_second(&b, 1795168800);
	xcvrd_presence(&b);
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS_FLAG_SET_TIME|"
				     "Ethernet0", "rx1los", value), "never");
	box_at(&b, 30);
	box_set_second(&b, 1795168830);
	xcvrd_read(&b, 0);
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS_FLAG|Ethernet0",
				     "rx1los", value), "True");
	box_at(&b, 80);
	box_set_second(&b, 1795168862);
	xcvrd_read(&b, 0);
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS_FLAG|Ethernet0",
				     "rx1los", value), "False");
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS_FLAG_CHANGE_COUNT|"
				     "Ethernet0", "rx1los", value), "2");
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS_FLAG_CLEAR_TIME|"
				     "Ethernet0", "rx1los", value),
			    "Fri Nov 20 10:01:02 2026");
	box_close(&b);
}

static void test_links_name_the_cause_of_their_fall(void **state)
{
	char value[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=1\nat 10s Ethernet0 down reason=remote\n",
		 1);
	o = &b.asic[0].out;
	box_set_second(&b, 1795168800);
	links_all(&b);
	assert_string_equal(gathered(o, "PORT_TABLE:Ethernet0", "flap_count",
				     value), "0");
	assert_string_equal(gathered(o, "LLDP_ENTRY_TABLE:Ethernet0",
				     "lldp_rem_sys_name", value), "peer01");
	box_at(&b, 15);
	box_set_second(&b, 1795168862);
	links_changes(&b);
	assert_string_equal(gathered(o, "PORT_TABLE:Ethernet0", "oper_status",
				     value), "down");
	assert_string_equal(gathered(o, "PORT_TABLE:Ethernet0", "flap_count",
				     value), "1");
	assert_string_equal(gathered(o, "PORT_OPERR_TABLE|Ethernet0",
				     "mac_remote_fault_time", value),
			    "2026-11-20 10:01:02");
	assert_string_equal(gathered(o, "PORT_OPERR_TABLE|Ethernet0",
				     "oper_error_status", value), "2");
	box_close(&b);
}

/* The script's first round divides a whole counter by one interval, and its
 * maximum never forgets that.
 */
static void test_rates_have_the_scripts_faults(void **state)
{
	char key[WORD_MAX], value[WORD_MAX], most[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=1 speed=400G lanes=4 ber=1e-6..1e-6\n", 1);
	o = &b.asic[0].out;
	port_key(&b.port[0], "RATES", key);
	box_at(&b, 100);
	stats_ports(&b);
	rates_ports(&b, NS_PER_S);
	assert_string_equal(gathered(o, key, "RX_BPS", value), "");
	gathered(o, key, "FEC_PRE_BER", most);
	for (int64_t s = 101; s < 104; s++) {
		box_at(&b, s);
		stats_ports(&b);
		rates_ports(&b, NS_PER_S);
	}
	gathered(o, key, "FEC_PRE_BER", value);
	assert_string_not_equal(value, most);
	assert_string_equal(gathered(o, key, "FEC_PRE_BER_MAX", value), most);
	assert_string_not_equal(gathered(o, key, "RX_BPS", value), "");
	(void)strncat(key, ":PORT", sizeof(key) - strlen(key) - 1);
	assert_string_equal(gathered(o, key, "INIT_DONE", value), "DONE");
	box_close(&b);
}

static void test_asics_share_the_ports_out(void **state)
{
	char key[WORD_MAX], value[WORD_MAX];
	struct box b;

	(void)state;
	box_make(&b, "switch ports=6\n", 2);
	box_at(&b, 2);
	stats_ports(&b);
	port_key(&b.port[2], "COUNTERS", key);
	gathered(&b.asic[0].out, key, "SAI_PORT_STAT_IF_IN_OCTETS", value);
	assert_string_not_equal(value, "");
	port_key(&b.port[3], "COUNTERS", key);
	gathered(&b.asic[1].out, key, "SAI_PORT_STAT_IF_IN_OCTETS", value);
	assert_string_not_equal(value, "");
	assert_int_equal(b.host_out.commands.len, 0);
	box_close(&b);
}

/* How often a row was written with a field, in all that was gathered. */
static unsigned times_gathered(const struct out *o, const char *key,
			       const char *field)
{
	struct reader r = { o->commands.data,
			    o->commands.data + o->commands.len };
	unsigned times = 0;

	while (r.at < r.end) {
		size_t count = head_read(&r, '*');
		char word[WORD_MAX], name[WORD_MAX], text[WORD_MAX];

		word_read(&r, text);
		word_read(&r, word);
		for (size_t i = 2; i + 1 < count; i += 2) {
			word_read(&r, name);
			word_read(&r, text);
			times += strcmp(word, key) == 0 &&
				 strcmp(name, field) == 0;
		}
		if (count % 2)
			word_read(&r, text);
	}
	return times;
}

/* What stands in Redis already is not written again; the time is. */
static void test_modules_write_only_what_changed(void **state)
{
	static const char dom[] = "TRANSCEIVER_DOM_SENSOR|Ethernet0";
	static const char vdm[] = "TRANSCEIVER_VDM_REAL_VALUE|Ethernet0";
	static const char flags[] = "TRANSCEIVER_VDM_HALARM_FLAG|Ethernet0";
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=1 dom=10s\n", 1);
	o = &b.asic[0].out;
	box_set_second(&b, 1795168800);
	xcvrd_presence(&b);
	for (int64_t s = 1; s <= 3; s++) {
		box_set_second(&b, 1795168800 + s);
		xcvrd_read(&b, 0);
	}
	assert_int_equal(times_gathered(o, dom, "last_update_time"), 4);
	assert_int_equal(times_gathered(o, dom, "rx1power"), 1);
	assert_int_equal(times_gathered(o, flags, "last_update_time"), 4);
	assert_int_equal(times_gathered(o, flags,
					"prefec_ber_curr_media_input1"), 1);
	assert_int_equal(times_gathered(o, vdm, "esnr_host_input1"), 1);
	box_at(&b, 15);			/* the module took its readings anew */
	box_set_second(&b, 1795168815);
	xcvrd_read(&b, 0);
	assert_int_equal(times_gathered(o, dom, "rx1power"), 2);
	/* The database was emptied: all of it is new to it. */
	xcvrd_forget(&b);
	box_set_second(&b, 1795168820);
	xcvrd_presence(&b);
	assert_int_equal(times_gathered(o, dom, "rx1power"), 3);
	assert_int_equal(times_gathered(o, flags,
					"prefec_ber_curr_media_input1"), 2);
	assert_int_equal(times_gathered(o, vdm, "esnr_host_input1"), 2);
	box_close(&b);
}

static void test_neighbors_by_lldp_are_those_expected(
	void **state)
{
	char key[WORD_MAX], heard[WORD_MAX], expected[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=16 breakout=4 lanes=2 speed=100G\n", 1);
	o = &b.asic[0].out;
	links_neighbors(&b);
	links_all(&b);
	for (size_t i = 0; i < b.port_count; i++) {
		const char *name = b.port[i].facts.name;

		(void)snprintf(key, sizeof(key), "LLDP_ENTRY_TABLE:%s", name);
		gathered(o, key, "lldp_rem_port_desc", heard);
		(void)snprintf(key, sizeof(key), "DEVICE_NEIGHBOR|%s", name);
		gathered(o, key, "port", expected);
		assert_string_not_equal(expected, "");
		assert_string_equal(heard, expected);
	}
	box_close(&b);
}

static const char *watched(const struct box *b, const char *field,
			   char value[WORD_MAX])
{
	char key[WORD_MAX], oid[OUT_OID_MAX];

	out_oid_text(b->port[0].queue_oid[BOX_LOSSLESS], oid);
	(void)snprintf(key, sizeof(key), "COUNTERS:%s", oid);
	return gathered(&b->asic[0].out, key, field, value);
}

static void test_watchdog_sees_a_storm_begin_and_end(void **state)
{
	static const char status[] = "PFC_WD_STATUS";
	static const char began[] = "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED";
	static const char ended[] = "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED";
	char value[WORD_MAX];
	struct box b;

	(void)state;
	box_make(&b, "switch ports=2\nat 20s Ethernet0 pfc_storm share=95% "
		 "for=20s\n", 1);
	for (int64_t s = 1; s < 18; s++) {
		box_at(&b, s);
		watchdog_play(&b);
	}
	assert_string_equal(watched(&b, status, value), "operational");
	assert_string_equal(watched(&b, began, value), "0");
	assert_string_equal(watched(&b, "PFC_WD_DETECTION_TIME", value),
			    "200000");
	for (int64_t s = 18; s < 30; s++) {
		box_at(&b, s);
		watchdog_play(&b);
	}
	assert_string_equal(watched(&b, status, value), "stormed");
	assert_string_equal(watched(&b, began, value), "1");
	for (int64_t s = 30; s < 60; s++) {
		box_at(&b, s);
		watchdog_play(&b);
	}
	assert_string_equal(watched(&b, status, value), "operational");
	assert_string_equal(watched(&b, ended, value), "1");
	assert_int_equal(b.port[1].watchdog.detected, 0);
	/* Another object id: its row begins with what is so. */
	box_renumber(&b);
	box_at(&b, 61);
	watchdog_play(&b);
	assert_string_equal(watched(&b, began, value), "1");
	box_close(&b);
}

static void test_pool_fills_with_what_its_queues_hold(void **state)
{
	struct box calm, full;
	uint64_t a, z;

	(void)state;
	box_make(&calm, "switch ports=4\n", 1);
	box_make(&full, "switch ports=4\nat 10s Ethernet0 microburst rate=9 "
		 "peak=90%\n", 1);
	box_at(&calm, 60);
	box_at(&full, 60);
	a = calm.asic[0].pool_peak[POOL_INGRESS_LOSSLESS].running;
	z = full.asic[0].pool_peak[POOL_INGRESS_LOSSLESS].running;
	assert_true(z > a);
	assert_true(z >= full.port[0].facts.queue_buffer_octets * 8 / 10);
	assert_true(full.port[0].group_xoff[BOX_LOSSLESS].running > 0);
	box_close(&calm);
	box_close(&full);
}

static void test_links_short_fall_has_its_cause(void **state)
{
	char value[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=1\nat 10s Ethernet0 flap count=1 "
		 "last=10ms\n", 1);
	o = &b.asic[0].out;
	box_set_second(&b, 1795168800);
	links_all(&b);
	box_at(&b, 30);
	box_set_second(&b, 1795168862);
	links_changes(&b);
	assert_string_equal(gathered(o, "PORT_TABLE:Ethernet0", "oper_status",
				     value), "up");
	assert_string_equal(gathered(o, "PORT_TABLE:Ethernet0", "flap_count",
				     value), "2");
	assert_string_equal(gathered(o, "PORT_OPERR_TABLE|Ethernet0",
				     "mac_local_fault_count", value), "1");
	assert_string_equal(gathered(o, "NEIGH_STATE_TABLE|10.0.0.1", "state",
				     value), "Established");
	box_close(&b);
}

static double number_of(const struct box *b, const char *key,
			const char *field)
{
	char value[WORD_MAX];
	int64_t milli;

	gathered(b->host, key, field, value);
	if (number_parse_scaled(value, strlen(value), 1000, &milli) < 0)
		fail_msg("%s %s is '%s'", key, field, value);
	return (double)milli / 1000;
}

static void chassis_at(struct box *b, int64_t s)
{
	box_at(b, s);
	stats_ports(b);
	rates_ports(b, NS_PER_S);
	box_set_second(b, 1795168800 + s);
	pmon_play(b);
}

static void test_chassis_follows_load_heat_and_a_dead_fan(void **state)
{
	double idle_ma, idle_w, cool_c;
	char value[WORD_MAX];
	struct box b;

	(void)state;
	box_make(&b, "switch ports=8 load=5..6\n"
		 "at 20s all load_phase load=95%\nat 20s all fan ramp=0s\n",
		 1);
	for (int64_t s = 1; s < 6; s++)
		chassis_at(&b, s);
	idle_ma = number_of(&b, "CURRENT_INFO|ASIC0 core", "current");
	idle_w = number_of(&b, "PSU_INFO|PSU 1", "power");
	cool_c = number_of(&b, "TEMPERATURE_INFO|inlet", "temperature");
	assert_string_equal(gathered(b.host, "FAN_INFO|fan1", "is_under_speed",
				     value), "False");
	for (int64_t s = 20; s < 60; s++)
		chassis_at(&b, s);
	assert_true(number_of(&b, "CURRENT_INFO|ASIC0 core", "current") >
		    1.5 * idle_ma);
	assert_true(number_of(&b, "CURRENT_INFO|ASIC0 core",
			      "minimum_current") <= idle_ma);
	assert_true(number_of(&b, "PSU_INFO|PSU 1", "power") > idle_w + 20);
	assert_true(number_of(&b, "TEMPERATURE_INFO|inlet",
			      "maximum_temperature") > cool_c + 4);
	assert_true(number_of(&b, "TEMPERATURE_INFO|inlet",
			      "minimum_temperature") <= cool_c);
	/* Two tables, one sensor. */
	assert_true(fabs(number_of(&b, "PSU_INFO|PSU 1", "temp") -
			 number_of(&b, "TEMPERATURE_INFO|psu1",
				   "temperature")) < 1e-9);
	box_close(&b);
}

static void test_modules_heat_is_that_of_their_sensors(void **state)
{
	char slow[WORD_MAX], quick[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=2 lanes=4 speed=400G\n"
		 "port Ethernet8 media=DAC\n", 1);
	o = &b.asic[0].out;
	box_set_second(&b, 1795168800);
	xcvrd_presence(&b);
	box_set_second(&b, 1795168862);
	xcvrd_heat(&b);
	gathered(o, "TRANSCEIVER_DOM_SENSOR|Ethernet0", "temperature", slow);
	gathered(o, "TRANSCEIVER_DOM_TEMPERATURE|Ethernet0", "temperature",
		 quick);
	assert_string_not_equal(quick, "");
	assert_string_equal(quick, slow);
	assert_string_equal(gathered(o, "TRANSCEIVER_DOM_TEMPERATURE|Ethernet0",
				     "last_update_time", quick),
			    "Fri Nov 20 10:01:02 2026");
	assert_string_equal(gathered(o, "TRANSCEIVER_DOM_TEMPERATURE|Ethernet8",
				     "temperature", quick), "");
	box_close(&b);
}

static void test_settings_hand_pools_on_to_orchagent(void **state)
{
	char asked[WORD_MAX], got[WORD_MAX];
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=2\n", 1);
	o = &b.asic[0].out;
	config_db_write(&b);
	gathered(o, "BUFFER_POOL|ingress_lossless_pool", "xoff", asked);
	gathered(o, "BUFFER_POOL_TABLE:ingress_lossless_pool", "xoff", got);
	assert_string_equal(asked, got);
	assert_string_not_equal(got, "");
	assert_string_equal(gathered(o, "PFC_WD|Ethernet8", "action", got),
			    "drop");
	assert_string_equal(gathered(o, "CABLE_LENGTH|AZURE", "Ethernet8",
				     got), "40m");
	assert_string_equal(gathered(o, "FEATURE|bgp", "system_state", got),
			    "up");
	box_close(&b);
}

static enum pace_news pace_run(struct pace *p, struct mono *now,
			       int64_t step_ns, unsigned times)
{
	enum pace_news news = PACE_NONE;

	for (unsigned i = 0; i < times && news == PACE_NONE; i++) {
		now->ns += step_ns;
		news = pace_note(p, *now);
	}
	return news;
}

static void test_pace_tells_once_that_it_is_behind(
	void **state)
{
	struct mono now = { NS_PER_S };
	struct pace p;

	(void)state;
	pace_init(&p, "modules", 200 * NS_PER_MS);
	assert_int_equal(pace_run(&p, &now, 210 * NS_PER_MS, 200), PACE_NONE);
	/* One that is late is none. */
	assert_int_equal(pace_run(&p, &now, NS_PER_S, 1), PACE_NONE);
	assert_int_equal(pace_run(&p, &now, 200 * NS_PER_MS, 200), PACE_NONE);
	assert_int_equal(pace_run(&p, &now, 400 * NS_PER_MS, 200),
			 PACE_BEHIND);
	assert_true(p.mean_ns > 300 * NS_PER_MS);
	assert_int_equal(pace_run(&p, &now, 400 * NS_PER_MS, 200), PACE_NONE);
	assert_int_equal(pace_run(&p, &now, 200 * NS_PER_MS, 200),
			 PACE_CAUGHT_UP);
	pace_pause(&p);
	now.ns += 60 * NS_PER_S;	/* it was held */
	assert_int_equal(pace_run(&p, &now, 200 * NS_PER_MS, 200), PACE_NONE);
}

static void test_coherent_module_has_its_tables(void **state)
{
	static const char pm[] = "TRANSCEIVER_PM|Ethernet0";
	static const char vdm[] = "TRANSCEIVER_VDM_REAL_VALUE|Ethernet0";
	char value[WORD_MAX], other[WORD_MAX], want[TEXT_VALUE_MAX];
	struct plant_coherent c;
	struct box b;
	const struct out *o;

	(void)state;
	box_make(&b, "switch ports=2 lanes=8 media=ZR\n"
		 "port Ethernet8 media=DR8\n", 1);
	o = &b.asic[0].out;
	xcvrd_presence(&b);
	assert_true(plant_coherent(b.plant, 0, &c));
	number_repr((double)c.corrected / (double)c.bits, want);
	assert_string_equal(gathered(o, pm, "prefec_ber_avg", value), want);
	/* Python divides what the register counts, … */
	number_repr(round(c.value[COHERENT_OSNR_DB].min * 10) / 10, want);
	assert_string_equal(gathered(o, pm, "osnr_min", value), want);
	/* … or multiplies it, with what binary fractions do to that. */
	number_repr(round(c.value[COHERENT_OSNR_DB].now / 0.1) * 0.1, want);
	assert_string_equal(gathered(o, vdm, "osnr1", value), want);
	assert_string_equal(gathered(o, vdm, "osnr2", value), "N/A");
	assert_null(strchr(gathered(o, pm, "cd_avg", value), '.'));
	assert_string_not_equal(gathered(o, pm, "cd_min", value),
				gathered(o, pm, "cd_max", other));
	assert_string_equal(gathered(o, pm, "last_update_time", value),
			    "Fri Nov 20 10:01:02 2026");
	assert_string_equal(gathered(o, "TRANSCEIVER_INFO|Ethernet0",
				     "media_lane_count", value), "1");
	assert_string_equal(gathered(o, "TRANSCEIVER_STATUS|Ethernet0",
				     "DP8State", value), "DataPathActivated");
	assert_string_equal(gathered(o, "TRANSCEIVER_DOM_SENSOR|Ethernet0",
				     "tx_config_power", value), "-10.0");
	/* Another module has none of it. */
	assert_string_equal(gathered(o, "TRANSCEIVER_PM|Ethernet8",
				     "osnr_min", value), "");
	assert_string_equal(gathered(o, "TRANSCEIVER_VDM_REAL_VALUE|Ethernet8",
				     "osnr1", value), "");
	box_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats_show_what_the_plant_counts),
		cmocka_unit_test(test_stats_begin_anew_after_a_restart),
		cmocka_unit_test(test_watermarks_are_read_and_cleared),
		cmocka_unit_test(test_modules_are_read_at_the_first_sub_port),
		cmocka_unit_test(test_modules_show_what_their_form_can),
		cmocka_unit_test(test_modules_round_light_by_their_form),
		cmocka_unit_test(test_flags_keep_count_and_times),
		cmocka_unit_test(test_links_name_the_cause_of_their_fall),
		cmocka_unit_test(test_rates_have_the_scripts_faults),
		cmocka_unit_test(test_asics_share_the_ports_out),
		cmocka_unit_test(test_modules_write_only_what_changed),
		cmocka_unit_test(
			test_neighbors_by_lldp_are_those_expected),
		cmocka_unit_test(test_watchdog_sees_a_storm_begin_and_end),
		cmocka_unit_test(test_pool_fills_with_what_its_queues_hold),
		cmocka_unit_test(test_links_short_fall_has_its_cause),
		cmocka_unit_test(test_chassis_follows_load_heat_and_a_dead_fan),
		cmocka_unit_test(test_modules_heat_is_that_of_their_sensors),
		cmocka_unit_test(test_settings_hand_pools_on_to_orchagent),
		cmocka_unit_test(
			test_pace_tells_once_that_it_is_behind),
		cmocka_unit_test(test_coherent_module_has_its_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

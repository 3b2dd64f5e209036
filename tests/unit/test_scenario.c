/* The grammar of scenarios (C16): what is read, and how each mistake is told.
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
#include "petrel/clock.h"
#include "platform/sim/optics.h"
#include "platform/sim/scenario.h"
#include "platform/sim/scenario_text.h"

static struct scenario *read_good(const char *text)
{
	struct scenario *s = NULL;
	struct diag d = { "" };

	if (scenario_read(text, strlen(text), "t", &s, &d) < 0)
		fail_msg("%s", d.text);
	return s;
}

/* The message must hold each of the parts, joined by '|'. */
static void assert_refused(const char *text, const char *parts)
{
	struct scenario *s = NULL;
	struct diag d = { "" };
	char copy[256], *rest = copy, *part;

	assert_int_equal(scenario_read(text, strlen(text), "f.scenario", &s,
				       &d), -EINVAL);
	assert_null(s);
	(void)snprintf(copy, sizeof(copy), "%s", parts);
	while ((part = strsep(&rest, "|")))
		if (!strstr(d.text, part))
			fail_msg("'%s' is not in: %s", part, d.text);
}

static void test_scenario_defaults_stand_without_a_switch_line(void **state)
{
	struct scenario *s = read_good("# nothing\n\n");

	(void)state;
	assert_int_equal(s->ports, 64);
	assert_int_equal(s->lanes, 4);
	assert_int_equal(s->step, 8);
	assert_int_equal(s->tick_ns, NS_PER_S);
	assert_string_equal(s->port[63].media->name, "DR4");
	assert_string_equal(s->port[63].group, "core7");
	scenario_free(s);
}

static void test_scenario_switch_line_sets_each_key(void **state)
{
	struct scenario *s = read_good(
		"switch ports=8 speed=100G lanes=2 media=FR1 fec=rs528 seed=9 "
		"name=leaf load=10..20 ber=1e-9..1e-8\n");

	(void)state;
	assert_int_equal(s->ports, 8);
	assert_int_equal(s->speed_bps, 100000000000);
	assert_int_equal(s->lanes, 2);
	assert_string_equal(s->base.media->name, "FR1");
	assert_string_equal(s->base.fec, "rs528");
	assert_int_equal(s->seed, 9);
	assert_string_equal(s->name, "leaf");
	assert_true(fabs(s->base.load.high - 0.2) < 1e-12);
	assert_true(fabs(s->base.ber_log10.low + 9) < 1e-9);
	scenario_free(s);
}

static void test_scenario_port_line_changes_its_ports_alone(void **state)
{
	struct scenario *s = read_good(
		"switch ports=8\nport Ethernet8,Ethernet24-40 media=DAC "
		"group=rail1\n");

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		assert_string_equal(s->port[i].media->name,
				    i == 1 || (i >= 3 && i <= 5) ? "DAC" :
				    "DR4");
	assert_string_equal(s->port[3].group, "rail1");
	scenario_free(s);
}

static void test_scenario_fault_has_defaults_keys_and_an_end(void **state)
{
	struct scenario *s = read_good(
		"switch ports=8\n"
		"at 90s Ethernet8.3 dirty loss=2.5dB for=10m # why\n"
		"at 1h all flap count=3 every=10s last=2s\n"
		"at 2h Ethernet0 swap gap=30s\n"
		"at 500ms Ethernet0 reset_counters\n");
	const struct planted *f = s->fault;

	(void)state;
	assert_int_equal(s->fault_count, 4);
	assert_int_equal(f[0].start_ns, 90 * NS_PER_S);
	assert_int_equal(f[0].end_ns, 690 * NS_PER_S);
	assert_int_equal(f[0].lane, 3);
	assert_true(fabs(f[0].value[KEY_LOSS] - 2.5) < 1e-12);
	assert_string_equal(f[0].text,
			    "at 90s Ethernet8.3 dirty loss=2.5dB for=10m");
	assert_int_equal(f[1].end_ns - f[1].start_ns, 22 * NS_PER_S);
	assert_int_equal(f[2].end_ns - f[2].start_ns, 30 * NS_PER_S);
	assert_int_equal(f[3].end_ns, f[3].start_ns);
	scenario_free(s);
}

static void test_scenario_fault_without_an_end_stays(void **state)
{
	struct scenario *s = read_good("at 1s Ethernet0 bend\n"
				       "at 1s Ethernet0 bend for=always\n");

	(void)state;
	assert_int_equal(s->fault[0].end_ns, INT64_MAX);
	assert_int_equal(s->fault[1].end_ns, INT64_MAX);
	scenario_free(s);
}

static unsigned ports_of(const char *where)
{
	char text[128];
	struct scenario *s;
	unsigned n = 0;

	(void)snprintf(text, sizeof(text), "switch ports=16 step=4\n"
		       "at 1s %s down\n", where);
	s = read_good(text);
	for (size_t i = 0; i < s->ports; i++)
		n += planted_on(&s->fault[0], i) ? 1u << i : 0;
	scenario_free(s);
	return n;
}

static void test_scenario_patterns_mean_their_ports(void **state)
{
	(void)state;
	assert_int_equal(ports_of("Ethernet8"), 1 << 2);
	assert_int_equal(ports_of("Ethernet0-28/4"), 0xff);
	assert_int_equal(ports_of("Ethernet0-12"), 0xf);
	assert_int_equal(ports_of("Ethernet0-28/8"), 0x55);
	assert_int_equal(ports_of("Ethernet0,Ethernet60"), 0x8001);
	assert_int_equal(ports_of("all"), 0xffff);
}

static void test_scenario_fault_of_a_module_spreads_over_its_ports(void **state)
{
	struct scenario *s = read_good(
		"switch ports=8 breakout=4 lanes=2\n"
		"at 1s Ethernet2 pull\nat 1s Ethernet2 dirty\n");

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(planted_on(&s->fault[0], i), i < 4);
		assert_int_equal(planted_on(&s->fault[1], i), i == 1);
	}
	scenario_free(s);
}

static const struct {
	const char *text, *parts;
} mistakes[] = {
	{ "\nswich ports=4\n", "f.scenario:2|swich|'switch'" },
	{ "switch port=4\n", "f.scenario:1|'port'|'ports'" },
	{ "switch ports\n", "'ports' is not key=value" },
	{ "switch =4\n", "'=4' is not key=value" },
	{ "switch ports=0\n", "ports|'0'|from 1 to 1024" },
	{ "switch ports=1025\n", "'1025'|1024" },
	{ "switch ports=-3\n", "'-3'|whole number" },
	{ "switch ports=4\nswitch ports=8\n", "f.scenario:2|once" },
	{ "port Ethernet0 media=DAC\nswitch ports=8\n", ":2|before" },
	{ "switch speed=400\n", "'400'|1G to 1600G" },
	{ "switch speed=4000G\n", "'4000G'" },
	{ "switch media=DR44\n", "'DR44'|did you mean DR4" },
	{ "switch fec=rs554\n", "'rs554'|none|fc|rs528|rs544" },
	{ "switch load=30\n", "load|'30'|30..90" },
	{ "switch load=90..30\n", "below the first" },
	{ "switch load=30..99\n", "'99'|98" },
	{ "switch ber=1..2\n", "'1'|bit error ratio" },
	{ "switch tick=1\n", "'1'|ms, s, m, h or d" },
	{ "switch tick=0s\n", "'0s'" },
	{ "switch seed=x\n", "seed|'x'|2^64" },
	{ "switch ambient=25\n", "'25'|number with C" },
	{ "switch name=a-name-that-is-longer-than-31-characters\n",
	  "at most 31" },
	{ "switch breakout=4 lanes=4\n", "16 lanes|at most 8" },
	{ "port\n", "port WHERE key=value" },
	{ "port Ethernet0.1 media=DAC\n", "names a lane" },
	{ "port Ethernet0 medium=DAC\n", "'medium'|'media'" },
	{ "at 1s Ethernet0\n", "at TIME WHERE FAULT" },
	{ "at now Ethernet0 down\n", "'now'|not a time" },
	{ "at 1x Ethernet0 down\n", "'1x'|ms, s, m, h or d" },
	{ "at 1s Ethernet7 down\n", "Ethernet7|Ethernet504|steps of 8" },
	{ "at 1s Ethernet512 down\n", "Ethernet512" },
	{ "at 1s Ethernet8-0 down\n", "Ethernet8-0|not a port" },
	{ "at 1s Ethernet0-8/0 down\n", "not a port" },
	{ "at 1s Ethernet0-16/4 down\n", "Ethernet4 is not a port" },
	{ "at 1s Ethernet down\n", "'Ethernet'|not a port" },
	{ "at 1s Etherne0 down\n", "'Etherne0'" },
	{ "at 1s Ethernet0x down\n", "'Ethernet0x'" },
	{ "at 1s Ethernet0, down\n", "''|not a port" },
	{ "at 1s Ethernet99999999999999999999 down\n", "not a port" },
	{ "at 1s Ethernet0.0 dirty\n", "not a lane|.1 to .4" },
	{ "at 1s Ethernet0.5 dirty\n", "not a lane|.1 to .4" },
	{ "switch media=ZR\nat 1s Ethernet0.2 dirty\n",
	  ":2|names lane 2|ZR|has one" },
	{ "switch breakout=2 lanes=4\nport Ethernet4 media=ZR\n",
	  "Ethernet4 is ZR|coherent|breakout=2" },
	{ "at 1s Ethernet0.2 flap\n", "names a lane|whole port" },
	{ "at 1s Ethernet0 dirt\n", "'dirt'|did you mean 'dirty'" },
	{ "at 1s Ethernet0 dirty los=3dB\n", "'los'|did you mean 'loss'" },
	{ "at 1s Ethernet0 dirty loss\n", "'loss' is not key=value" },
	{ "at 1s Ethernet0 dirty loss=3\n", "'3'|number with dB" },
	{ "at 1s Ethernet0 dirty loss=dB\n", "'dB'" },
	{ "at 1s Ethernet0 dirty loss=50dB\n", "from 0.01 to 40dB" },
	{ "at 1s Ethernet0 dirty loss=nandB\n", "'nandB'" },
	{ "at 1s Ethernet0 dirty for=1\n", "'1'|ms, s" },
	{ "at 1s Ethernet0 dirty count=1\n", "no key 'count'" },
	{ "at 1s Ethernet0 reset_counters for=1s\n", "takes no keys" },
	{ "at 1s Ethernet0 down reason=dark\n", "'dark'|light|remote" },
	{ "at 1s Ethernet0 ecn share=200%\n", "'200%'|to 100%" },
	{ "at 1s Ethernet0 copper_growth\n", "needs a copper one|DR4" },
	{ "port all media=DAC\nat 1s Ethernet0 bend\n",
	  ":2|needs an optical one|DAC" },
	{ "port all media=DAC\nat 1s Ethernet0 hot\n", "monitors|DAC" },
};

static void test_scenario_tells_each_mistake_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		assert_refused(mistakes[i].text, mistakes[i].parts);
}

static void test_scenario_refuses_a_line_that_is_too_long(void **state)
{
	char text[400] = "at 1s all down";

	(void)state;
	memset(text + 14, 'x', 300);
	assert_refused(text, "f.scenario:1|314 characters|at most 159");
	memset(text + 14, '#', 300);	/* a comment may be that long */
	scenario_free(read_good(text));
}

static void test_scenario_refuses_a_nul_and_a_huge_file(void **state)
{
	static const char nul[] = "at 1s all\0down\n";
	struct scenario *s = NULL;
	struct diag d = { "" };

	(void)state;
	assert_int_equal(scenario_read(nul, sizeof(nul) - 1, "t", &s, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "NUL"));
	assert_int_equal(scenario_read(nul, SCENARIO_OCTETS_MAX + 1, "t", &s,
				       &d), -EFBIG);
	assert_non_null(strstr(d.text, "at most 1048576"));
}

static void test_scenario_takes_its_most_faults_and_no_more(void **state)
{
	static const char line[] = "at 1s Ethernet0 down\n";
	size_t len = sizeof(line) - 1;
	size_t most = SCENARIO_FAULTS_MAX;
	char *text = malloc((most + 1) * len);
	struct scenario *s = NULL;
	struct diag d = { "" };

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i <= most; i++)
		memcpy(text + i * len, line, len);
	assert_int_equal(scenario_read(text, most * len, "t", &s, &d), 0);
	assert_int_equal(s->fault_count, most);
	scenario_free(s);
	assert_int_equal(scenario_read(text, (most + 1) * len, "t", &s, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "t:4097: more than 4096 faults"));
	free(text);
}

/* Every shorter length of a good text is read or refused, never worse. */
static void test_scenario_stands_every_shorter_length(void **state)
{
	static const char text[] =
		"switch ports=8 lanes=2 breakout=4 load=10..90\n"
		"port Ethernet0-6 media=FR1\n"
		"at 10s Ethernet0.1 dirty loss=3dB ramp=1m for=1h\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = malloc(len + 1);
		struct scenario *s = NULL;

		assert_non_null(copy);
		memcpy(copy, text, len);
		if (scenario_read(copy, len, "t", &s, NULL) == 0)
			scenario_free(s);
		free(copy);
	}
}

static void test_c16_fault_rows_are_whole(void **state)
{
	double value[FAULT_KEY_COUNT];
	const struct plant_fault_info *rows;
	size_t count;

	(void)state;
	rows = plant_faults(&count);
	assert_int_equal(count, FAULT_COUNT);
	for (size_t i = 0; i < count; i++) {
		assert_non_null(rows[i].name);
		assert_non_null(rows[i].keys);
		assert_true(rows[i].help && rows[i].help[0]);
		assert_int_equal(fault_find(rows[i].name, NULL), i);
		/* Aborts on a default that is no value of its key. */
		fault_defaults((enum fault_kind)i, value);
	}
}

static void test_c16_fault_keys_are_all_used_and_whole(void **state)
{
	const struct plant_fault_info *rows;
	char word[32];
	size_t count;

	(void)state;
	rows = plant_faults(&count);
	for (int k = 0; k < FAULT_KEY_COUNT; k++) {
		const struct fault_key_info *key =
			fault_key_info((enum fault_key)k);
		bool used = false;

		assert_non_null(key->name);
		assert_true(key->help && key->help[0]);
		(void)snprintf(word, sizeof(word), "%s=", key->name);
		for (size_t i = 0; i < count; i++)
			used = used || strstr(rows[i].keys, word);
		if (!used)
			fail_msg("no fault uses the key %s", key->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_scenario_defaults_stand_without_a_switch_line),
		cmocka_unit_test(test_scenario_switch_line_sets_each_key),
		cmocka_unit_test(
			test_scenario_port_line_changes_its_ports_alone),
		cmocka_unit_test(
			test_scenario_fault_has_defaults_keys_and_an_end),
		cmocka_unit_test(test_scenario_fault_without_an_end_stays),
		cmocka_unit_test(test_scenario_patterns_mean_their_ports),
		cmocka_unit_test(
			test_scenario_fault_of_a_module_spreads_over_its_ports),
		cmocka_unit_test(
			test_scenario_tells_each_mistake_with_its_line),
		cmocka_unit_test(test_scenario_refuses_a_line_that_is_too_long),
		cmocka_unit_test(test_scenario_refuses_a_nul_and_a_huge_file),
		cmocka_unit_test(
			test_scenario_takes_its_most_faults_and_no_more),
		cmocka_unit_test(test_scenario_stands_every_shorter_length),
		cmocka_unit_test(test_c16_fault_rows_are_whole),
		cmocka_unit_test(test_c16_fault_keys_are_all_used_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

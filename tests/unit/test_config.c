#include "agent/config/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/registry.h"

/* Those of the drivers of this build too. */
static struct config_keys *keys;

/* A folder with a petrel.conf and a conf.d of its own. */
struct folder {
	char path[64], conf[96];
};

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void folder_make(struct folder *f, const char *conf)
{
	(void)snprintf(f->path, sizeof(f->path), "/tmp/petrel-conf.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	(void)snprintf(f->conf, sizeof(f->conf), "%s/petrel.conf", f->path);
	file_write(f->conf, conf);
}

static void folder_drop_in(const struct folder *f, const char *name,
			   const char *text)
{
	char path[160];

	(void)snprintf(path, sizeof(path), "%s/conf.d", f->path);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/conf.d/%s", f->path, name);
	file_write(path, text);
}

static void folder_remove(const struct folder *f)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf %s", f->path);
	assert_int_equal(system(command), 0);
}

static void test_c14_defaults_stand_without_a_file(void **state)
{
	struct config c;
	struct diag d;

	(void)state;
	assert_int_equal(config_load(keys, NULL, "/nonexistent/petrel.conf",
				     true, &c, &d), 0);
	assert_string_equal(d.text, "");	/* else it counts as refused */
	assert_string_equal(c.run_dir, "/run/petrel");
	assert_string_equal(c.driver, "auto");
	assert_int_equal(c.interval_ns, 1000000000);
	assert_int_equal(c.samples_ring_octets, 7680u << 10);
	assert_int_equal(c.read, READ_ALL);
	assert_false(c.insecure);
	assert_int_equal(config_load(keys, NULL, "/nonexistent/petrel.conf",
				     false, &c, &d), -ENOENT);
	assert_non_null(strstr(d.text, "/nonexistent/petrel.conf"));
}

static void test_c14_drop_ins_win_in_order_of_their_names(void **state)
{
	struct folder f;
	struct config c;
	struct diag d = { "" };

	(void)state;
	folder_make(&f, "# a comment\n[Agent]\nname = a\ninterval = 2s\n");
	folder_drop_in(&f, "20-b.conf", "[Agent]\nname = c\n");
	folder_drop_in(&f, "10-a.conf", "[Agent]\nname = b\n");
	folder_drop_in(&f, "30-ignored.txt", "nonsense\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d), 0);
	assert_string_equal(c.name, "c");
	assert_int_equal(c.interval_ns, 2000000000);
	folder_remove(&f);
}

static void test_c14_fault_names_file_line_and_nearest_key(void **state)
{
	static char long_line[2009];
	static const struct {
		const char *text, *words[3];
	} rows[] = {
		{ "[Agent]\nintervall = 1s\n",
		  { "f.conf:2", "intervall", "'interval'" } },
		{ "[Agnet]\n", { "f.conf:1", "[Agnet]", "[Agent]" } },
		{ "\n[Agent]\ninterval = 1\n",
		  { "f.conf:3", "interval = 1", "unit" } },
		{ "[Agent]\ninterval = 1ms\n",
		  { "f.conf:2", "1ms", "100ms to 1m" } },
		{ "[Push]\ninsecure = true\n",
		  { "f.conf:2", "true", "yes or no" } },
		{ "[Log]\nlevel = loud\n", { "f.conf:2", "loud", "warning" } },
		{ "name = x\n", { "f.conf:1", "name = x", "[Section]" } },
		{ "[Agent]\nname\n", { "f.conf:2", "name", "key = value" } },
		{ "[Agent\n", { "f.conf:1", "[Agent", "[Section]" } },
		{ long_line, { "f.conf:2", "2000 octets", "at most 1023" } },
	};

	memset(long_line, 'x', sizeof(long_line) - 1);
	memcpy(long_line, "[Agent]\n", 8);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct config c = { .keys = keys, .name = "old" };
		struct diag d = { "" };

		assert_int_equal(config_parse(rows[i].text,
					      strlen(rows[i].text), "f.conf",
					      &c, &d), -EINVAL);
		for (size_t w = 0; w < 3; w++)
			if (!strstr(d.text, rows[i].words[w]))
				fail_msg("'%s' lacks '%s'", d.text,
					 rows[i].words[w]);
		assert_string_equal(c.name, "old");
	}
}

/* What a driver takes later is judged where its line is known. */
static void test_c14_texts_are_refused_at_their_line(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "[Agent]\nrun_dir = run\n", "an absolute path" },
		{ "[Agent]\nrun_dir =\n", "an absolute path" },
		{ "[Platform]\ndriver = sonik\n", "sonic, linux" },
		{ "[Platform]\ndriver = sonic,\tlinux\n", "sonic, linux" },
		{ "[Platform]\ndriver =\n", "sonic, linux" },
		{ "[Platform]\ndriver = auto, sonic\n", "auto, or one" },
		{ "[Sim]\nspeed = abc\n", "above 0" },
		{ "[Sim]\nspeed = 0\n", "above 0" },
		{ "[Sim]\nspeed = 10000.1\n", "up to 10000" },
		{ "[Sonic]\npublish = evntd\n", "state_db, eventd" },
		{ "[Sonic]\npublish = eventd, eventd, eventd\n", "eventd" },
		{ "[Sonic]\nhft_test_port = -1\n", "from 0" },
		{ "[Module]\nowner = maybe\n", "yes or no" },
		{ "[Module]\nbudget = 5parsecs\n", "with a unit" },
		{ "[Module]\nbudget = 9ms\n", "10ms to 1m" },
		{ "[Query]\nsocket = a/b\n", "without /" },
		{ "[Push]\ncollector = htp://a:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a:0\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a:65536\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a b:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://::1:4717\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://[]:4717\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = ipc://\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a..b:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a-:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://a,b:1\n", "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://1.2.3.256:1\n",
		  "tcp://HOST:PORT" },
		{ "[Push]\ncollector = tcp://[::g]:1\n", "tcp://HOST:PORT" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct config c = { .keys = keys, .name = "" };
		struct diag d = { "" };

		assert_int_equal(config_parse(rows[i].text,
					      strlen(rows[i].text), "f.conf",
					      &c, &d), -EINVAL);
		if (!strstr(d.text, "f.conf:2: ") ||
		    !strstr(d.text, rows[i].expected))
			fail_msg("'%s' lacks f.conf:2 or '%s'", d.text,
				 rows[i].expected);
	}
}

static void test_c14_texts_of_the_right_form_are_taken(void **state)
{
	static const char text[] =
		"[Platform]\ndriver = linux, module\n"
		"[Sim]\nspeed = 0.5\nscenario =\n"
		"[Sonic]\npublish = state_db,eventd\nhft_test_port = 7\n"
		"[Module]\nowner = yes\nbudget = 1500ms\n"
		"[Agent]\nsamples_ring = 1G\nname = w\xc3\xa4rter\n";
	static const char *const urls[] = {
		"[Push]\ncollector = tcp://[2001:db8::1]:4717\n",
		"[Push]\ncollector = tcp://[fe80::1%eth0]:4717\n",
		"[Push]\ncollector = tcp://rack_7.dc-2.example.:4717\n",
		"[Push]\ncollector = tcp://*:4717\n",
		"[Push]\ncollector = ipc:///tmp/x\n",
		"\xef\xbb\xbf[Push]\r\ncollector =\r\n",
	};
	struct config c = { .keys = keys, .collector = { "was" } };
	struct diag d = { "" };

	(void)state;
	if (config_parse(text, sizeof(text) - 1, "f", &c, &d) < 0)
		fail_msg("%s", d.text);
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
		if (config_parse(urls[i], strlen(urls[i]), "f", &c, &d) < 0)
			fail_msg("%s", d.text);
	assert_string_equal(c.collector[0], "");
	assert_string_equal(config_option(&c, "sonic", "publish"),
			    "state_db,eventd");
	assert_string_equal(config_option(&c, "module", "budget"), "1500ms");
}

/* A key given twice, a range, an octet: at the line where it is. */
static void test_c14_what_nobody_can_mean_is_refused(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "[Agent]\nname = a\n[Push]\n[Agent]\nname = b\n",
		  "f:5: name in [Agent] is given twice, first in line 2" },
		{ "[Agent]\nname = a\xff\n", "f:2: octet 0xff is not UTF-8" },
		{ "[Agent]\nname = a\xed\xa0\x80\n", "octet 0xed" },
		{ "[Agent]\nname = a\xc2\x9b\n", "octet 0xc2" },
		{ "[Agent]\nname = a\x1b[m\n", "octet 0x1b" },
		{ "[Agent]\nhistory = 1s\n", "expected 1m to 2h" },
		{ "[Agent]\nsamples_ring = 2G\n", "expected 256K to 1G" },
		{ "[Push]\nwindow = 1\n", "expected 64K to 16M" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct config c = { .keys = keys, .name = "old" };
		struct diag d = { "" };

		assert_int_equal(config_parse(rows[i].text,
					      strlen(rows[i].text), "f", &c,
					      &d), -EINVAL);
		if (!strstr(d.text, rows[i].expected))
			fail_msg("'%s' lacks '%s'", d.text, rows[i].expected);
		assert_string_equal(c.name, "old");
	}
}

static void test_c14_a_nul_octet_is_refused(void **state)
{
	static const char text[] = "[Agent]\nname = a\0b\n";
	struct config c = { .keys = keys, .name = "old" };
	struct diag d = { "" };

	(void)state;
	assert_int_equal(config_parse(text, sizeof(text) - 1, "f", &c, &d),
			 -EINVAL);
	assert_string_equal(d.text, "f:2: the line has a NUL octet; expected "
			    "text");
	assert_string_equal(c.name, "old");
}

static void test_c14_rows_that_differ_in_case_are_one(void **state)
{
	static const struct config_settings twice = { 2, {
		{ "agent", "name", "a" }, { "Agent", "name", "b" } } };
	struct folder f;
	struct config c;
	struct diag d = { "" };

	(void)state;
	folder_make(&f, "");
	assert_int_equal(config_load(keys, &twice, f.conf, false, &c, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "given twice"));
	folder_remove(&f);
}

static void scenario_name(struct config *c, const char *path)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "[Sim]\nscenario = %s\n", path);
	assert_int_equal(config_parse(text, strlen(text), "f", c, NULL), 0);
}

static void test_c14_a_file_that_is_named_must_be_there(void **state)
{
	struct folder f;
	struct config c;
	struct diag d = { "" };

	(void)state;
	folder_make(&f, "[Sim]\nscenario = /nowhere/a.scenario\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d), 0);
	assert_int_equal(config_files_check(&c, -1, &d), -ENOENT);
	assert_non_null(strstr(d.text, "petrel.conf:2: scenario = /nowhere/"));
	scenario_name(&c, f.path);
	assert_int_equal(config_files_check(&c, -1, &d), -EISDIR);
	scenario_name(&c, f.conf);
	assert_int_equal(config_files_check(&c, -1, &d), 0);
	folder_remove(&f);
}

static void test_c14_engines_are_asked_by_http(void **state)
{
	static const char *const bad[] = { "foo", "ftp://x", "http://",
		"http:///metrics", "https://:80", "http://a b",
		"http://a..b/x", "http://-a:80", "http://a:0", "http://a:b/x",
		"http://1.2.3/x", "http://[::1/x", "http://[1.2.3.4]:1",
		"http://*:80", "http://me@/x", "http://a,b:1" };
	struct folder f;
	struct collector_config c;
	struct diag d = { "" };
	char text[96];

	(void)state;
	folder_make(&f, "[RemoteWrite]\nurl = https://[::1]:8428/x\n"
		    "ca_file = /nowhere/ca\n");
	assert_int_equal(collector_config_load(f.conf, false, &c, &d), 0);
	assert_int_equal(collector_files_check(&c, &d), -ENOENT);
	assert_non_null(strstr(d.text, "petrel.conf:3: ca_file = /nowhere/"));
	folder_remove(&f);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(text, sizeof(text), "[Webhook]\nurl = %s\n",
			       bad[i]);
		folder_make(&f, text);
		assert_int_equal(collector_config_load(f.conf, false, &c, &d),
				 -EINVAL);
		assert_non_null(strstr(d.text, "expected http:// or https://"));
		folder_remove(&f);
	}
}

static bool waits(const struct config *is, const struct config *wanted,
		  const char *key)
{
	struct config_entry e;

	for (size_t i = 0; config_entry(is, wanted, i, &e); i++)
		if (strcmp(e.key, key) == 0)
			return e.waits;
	fail_msg("no key %s", key);
	return false;
}

static void test_c14_what_is_read_at_the_start_waits(void **state)
{
	static const char first[] = "[Agent]\nname = a\nsamples_ring = 1M\n";
	static const char then[] = "[Agent]\nname = b\nsamples_ring = 2M\n"
				   "[Platform]\ndriver = sim\n";
	struct config start = { .keys = keys, .driver = "auto" }, wanted, is;

	(void)state;
	assert_int_equal(config_parse(first, sizeof(first) - 1, "f", &start,
				      NULL), 0);
	wanted = start;
	assert_int_equal(config_parse(then, sizeof(then) - 1, "f", &wanted,
				      NULL), 0);
	is = wanted;
	config_started(&start, &is);
	assert_string_equal(is.name, "b");
	assert_string_equal(is.driver, "auto");
	assert_int_equal(is.samples_ring_octets, 1 << 20);
	assert_true(waits(&is, &wanted, "samples_ring"));
	assert_true(waits(&is, &wanted, "driver"));
	assert_false(waits(&is, &wanted, "name"));
}

static void test_c14_the_run_folder_is_found_beside_a_fault(void **state)
{
	char run_dir[CONFIG_TEXT_MAX];
	struct folder f;

	(void)state;
	folder_make(&f, "[Agent]\nrun_dir = /run/other\nnonsense\n");
	config_guess_run_dir(f.conf, run_dir);
	assert_string_equal(run_dir, "/run/other");
	config_guess_run_dir("/nowhere/petrel.conf", run_dir);
	assert_string_equal(run_dir, "/run/petrel");
	folder_remove(&f);
}

static void test_c11_collector_needs_a_key_or_insecure(void **state)
{
	static const char key[] = "[Push]\ncollector_key = "
		"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
	struct folder f;
	struct config c;
	struct diag d = { "" };

	(void)state;
	folder_make(&f, "[Push]\ncollector = tcp://127.0.0.1:1\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "petrel.conf:2: collector = tcp://"));
	assert_non_null(strstr(d.text, "insecure = yes"));
	folder_drop_in(&f, "a.conf", "[Push]\ninsecure = yes\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d), 0);
	assert_true(c.insecure);
	folder_drop_in(&f, "b.conf", key);
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "conf.d/b.conf:2: collector_key is set"));
	folder_drop_in(&f, "a.conf", "[Push]\ninsecure = no\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d), 0);
	folder_drop_in(&f, "b.conf", "[Push]\ncollector_key = secret\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "b.conf:2: collector_key = secret: "
			       "expected a key"));
	folder_drop_in(&f, "a.conf", "[Push]\ninsecure = yes\n");
	folder_drop_in(&f, "b.conf", "[Push]\ncollector_key_2 = "
		       "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "b.conf:2: collector_key_2 is set; "
			       "expected collector_key first"));
	folder_remove(&f);
}

static int push_said(const char *lines, struct config *ret, struct diag *d)
{
	char text[512] = "[Push]\ninsecure = yes\n"
			 "collector = tcp://192.0.2.1:1\n"
			 "collector_2 = tcp://[2001:db8::1]:1\n"
			 "collector_3 = tcp://host.example:1\n";
	struct folder f;
	int rc;

	(void)strcat(text, lines);
	folder_make(&f, text);
	rc = config_load(keys, NULL, f.conf, false, ret, d);
	folder_remove(&f);
	return rc;
}

static void test_collectors_have_the_first_ones_vrf_and_source(void **state)
{
	struct config c;

	(void)state;
	assert_int_equal(push_said("vrf = mgmt\nvrf_3 = default\n"
				   "source = 192.0.2.9\ndscp = 46\n", &c,
				   NULL), 0);
	assert_string_equal(config_vrf(&c, 0), "mgmt");
	assert_string_equal(config_vrf(&c, 1), "mgmt");
	assert_string_equal(config_vrf(&c, 2), "");
	assert_string_equal(config_source(&c, 0), "192.0.2.9");
	assert_string_equal(config_source(&c, 1), "");	/* IPv6 */
	assert_string_equal(config_source(&c, 2), "192.0.2.9");
	assert_int_equal(c.dscp, 46);
	assert_int_equal(push_said("source_2 = 2001:db8::9\n", &c, NULL), 0);
	assert_string_equal(config_source(&c, 1), "2001:db8::9");
	assert_string_equal(config_source(&c, 0), "");
}

static void test_vrf_source_and_dscp_are_judged(void **state)
{
	static const char *const rows[][2] = {
		{ "source = 2001:db8::9\n", "petrel.conf:6: source = "
		  "2001:db8::9: expected an IPv4 address, as that of the "
		  "collector" },
		{ "source_2 = 192.0.2.9\n", "expected an IPv6 address" },
		{ "source_3 = eth0\n", "petrel.conf:6: source_3 = eth0: "
		  "expected an IP address" },
		{ "vrf_2 = an-interface-of-a-name\n", "petrel.conf:6: vrf_2 = "
		  "an-interface-of-a-name: expected the name of a VRF" },
		{ "vrf = a/b\n", "vrf = a/b: expected the name" },
		{ "dscp = 64\n", "expected a number from 0 to 63" },
	};
	struct config c;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(push_said(rows[i][0], &c, &d), -EINVAL);
		assert_non_null(strstr(d.text, rows[i][1]));
	}
}

static void test_c14_every_shorter_file_is_refused_or_read(void **state)
{
	static const char text[] = "[Agent]\nname = sw1\ninterval = 500ms\n"
				   "[Push]\nwindow = 64K\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct config c = { .keys = keys, .name = "old" };
		struct diag d = { "" };
		char *cut = malloc(n ? n : 1);	/* exact, for ASan */

		assert_non_null(cut);
		memcpy(cut, text, n);
		if (config_parse(cut, n, "f", &c, &d) < 0)
			assert_true(d.text[0] != '\0');
		free(cut);
	}
}

static void test_c14_options_of_drivers_come_as_text(void **state)
{
	static const char text[] = "[Sim]\nscenario = a.scenario\n";
	struct config c = { .keys = keys, .name = "" };

	(void)state;
	assert_int_equal(config_parse(text, sizeof(text) - 1, "f", &c, NULL),
			 0);
	assert_string_equal(config_option(&c, "sim", "scenario"),
			    "a.scenario");
	assert_null(config_option(&c, "sim", "speed"));
	assert_null(config_option(&c, "sim", "nothing"));
}

/* The command asks for a folder and a socket, and knows no drivers. */
static void test_c14_without_drivers_their_sections_are_not_judged(void **state)
{
	struct folder f;
	struct config c;
	struct diag d = { "" };

	(void)state;
	folder_make(&f, "[Agent]\nrun_dir = /run/x\n[Example]\nany = 1\n"
		    "any = 2\n[Platform]\ndriver = example\n");
	assert_int_equal(config_load(NULL, NULL, f.conf, false, &c, &d), 0);
	assert_string_equal(c.run_dir, "/run/x");
	assert_int_equal(config_load(keys, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	folder_drop_in(&f, "a.conf", "[Agent]\nrun_dirr = /run/x\n");
	assert_int_equal(config_load(NULL, NULL, f.conf, false, &c, &d),
			 -EINVAL);
	folder_remove(&f);
}

static int keys_make(void **state)
{
	(void)state;
	return config_keys_new(registry_built_in(), &keys, NULL);
}

static int keys_free(void **state)
{
	(void)state;
	config_keys_free(keys);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c14_defaults_stand_without_a_file),
		cmocka_unit_test(test_c14_drop_ins_win_in_order_of_their_names),
		cmocka_unit_test(
			test_c14_fault_names_file_line_and_nearest_key),
		cmocka_unit_test(test_c14_texts_are_refused_at_their_line),
		cmocka_unit_test(test_c14_texts_of_the_right_form_are_taken),
		cmocka_unit_test(test_c14_what_nobody_can_mean_is_refused),
		cmocka_unit_test(test_c14_a_nul_octet_is_refused),
		cmocka_unit_test(test_c14_rows_that_differ_in_case_are_one),
		cmocka_unit_test(test_c14_a_file_that_is_named_must_be_there),
		cmocka_unit_test(test_c14_engines_are_asked_by_http),
		cmocka_unit_test(test_c14_what_is_read_at_the_start_waits),
		cmocka_unit_test(
			test_c14_the_run_folder_is_found_beside_a_fault),
		cmocka_unit_test(test_c11_collector_needs_a_key_or_insecure),
		cmocka_unit_test(
			test_collectors_have_the_first_ones_vrf_and_source),
		cmocka_unit_test(test_vrf_source_and_dscp_are_judged),
		cmocka_unit_test(
			test_c14_every_shorter_file_is_refused_or_read),
		cmocka_unit_test(test_c14_options_of_drivers_come_as_text),
		cmocka_unit_test(
			test_c14_without_drivers_their_sections_are_not_judged),
	};

	return cmocka_run_group_tests_name("config", tests, keys_make,
					   keys_free);
}

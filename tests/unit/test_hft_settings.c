/* Where telemetry comes from: options before constants.yml before SONiC's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "platform/sonic/hft/hft_settings.h"

/* A root with a constants.yml of that text; its descriptor. */
static int root_make(char path[static 64], const char *yaml)
{
	char name[128];
	FILE *f;

	strcpy(path, "/tmp/petrel-hft-XXXXXX");
	assert_non_null(mkdtemp(path));
	(void)snprintf(name, sizeof(name), "%s/etc", path);
	assert_int_equal(mkdir(name, 0700), 0);
	(void)snprintf(name, sizeof(name), "%s/etc/sonic", path);
	assert_int_equal(mkdir(name, 0700), 0);
	(void)snprintf(name, sizeof(name), "%s/etc/sonic/constants.yml", path);
	f = fopen(name, "w");
	assert_non_null(f);
	assert_true(fputs(yaml, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void root_end(const char *path, int fd)
{
	static const char *const parts[] = { "/etc/sonic/constants.yml",
					     "/etc/sonic", "/etc", "" };
	char name[128];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, parts[i]);
		(void)remove(name);
	}
	(void)close(fd);
}

/* Pairs of key and value, NULL at the end. */
static const char *option(void *context, const char *key)
{
	const char *const *pair = context;

	for (; *pair; pair += 2)
		if (strcmp(*pair, key) == 0)
			return pair[1];
	return NULL;
}

static void test_hft_settings_are_sonics_without_any(void **state)
{
	const char *none[] = { NULL };
	struct hft_settings s;

	(void)state;
	assert_int_equal(hft_settings_read(open("/proc/self/fd", O_PATH),
					   option, none, &s, NULL), 0);
	assert_string_equal(s.family, "sonic_stel");
	assert_string_equal(s.group, "ipfix");
	assert_null(s.ids_path);
	assert_int_equal(s.test_port, 0);
}

static void test_hft_options_go_before_constants(void **state)
{
	const char *pairs[] = { "hft_group", "mine", "hft_ids", "/ids.csv",
				NULL };
	struct hft_settings s;
	char path[64];
	int fd = root_make(path, "constants:\n    deployment_id: 1\n"
			   "    high_frequency_telemetry:\n"
			   "        genl_family: \"vendor\"\n"
			   "        genl_multicast_group: theirs\n");

	(void)state;
	assert_int_equal(hft_settings_read(fd, option, pairs, &s, NULL), 0);
	assert_string_equal(s.family, "vendor");
	assert_string_equal(s.group, "mine");
	assert_string_equal(s.ids_path, "/ids.csv");
	root_end(path, fd);
}

static void test_hft_constants_of_others_change_nothing(void **state)
{
	static const char *const texts[] = {
		"", "constants: 3\n", "- a\n- b\n", "constants:\n  bgp: {}\n",
		"constants:\n  high_frequency_telemetry: [genl_family]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct hft_settings s = { "was", "was", NULL, 0 };

		assert_int_equal(hft_constants_parse(texts[i],
						     strlen(texts[i]), &s,
						     NULL), 0);
		assert_string_equal(s.family, "was");
	}
}

static void test_hft_settings_name_what_is_wrong(void **state)
{
	static const struct {
		const char *yaml, *key, *value, *says;
	} rows[] = {
		{ "constants: [\n", NULL, NULL, "constants.yml: line" },
		{ "constants:\n  high_frequency_telemetry:\n"
		  "    genl_family: a_name_of_17_chars\n", NULL, NULL,
		  "not a name of generic netlink" },
		{ "a: b\n", "hft_family", "two words", "'two words'" },
		{ "a: b\n", "hft_test_port", "-3", "hft_test_port '-3'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *pairs[] = { rows[i].key, rows[i].value, NULL };
		struct hft_settings s;
		struct diag d = { "" };
		char path[64];
		int fd = root_make(path, rows[i].yaml);

		assert_int_equal(hft_settings_read(fd, option, pairs, &s, &d),
				 -EINVAL);
		if (!strstr(d.text, rows[i].says))
			fail_msg("'%s' does not say '%s'", d.text,
				 rows[i].says);
		root_end(path, fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hft_settings_are_sonics_without_any),
		cmocka_unit_test(test_hft_options_go_before_constants),
		cmocka_unit_test(test_hft_constants_of_others_change_nothing),
		cmocka_unit_test(test_hft_settings_name_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

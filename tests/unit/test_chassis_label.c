#include "platform/linux/chassis_label.h"

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

#include "petrel/platform.h"

#define SWITCH 7		/* its handle */

/* A root in a folder, and what was told of it. */
struct bed {
	char root[64];
	int root_fd;
	struct platform_host host;
	char said[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];
};

static int entity_take(void *context, const struct entity_key *key,
		       uint32_t *ret_handle)
{
	(void)context;
	assert_int_equal(key->kind, ENTITY_SWITCH);
	*ret_handle = SWITCH;
	return 0;
}

static void attribute_take(void *context, uint32_t handle,
			   enum attribute which, const char *text)
{
	struct bed *b = context;

	assert_int_equal(handle, SWITCH);
	(void)snprintf(b->said[which], sizeof(b->said[which]), "%s", text);
}

static void file_put(struct bed *b, const char *path, const char *text)
{
	char whole[256];
	FILE *f;

	(void)snprintf(whole, sizeof(whole), "%s/%s", b->root, path);
	for (char *at = whole + strlen(b->root) + 1; (at = strchr(at, '/'));
	     at++) {
		*at = '\0';
		assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
	f = fopen(whole, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void interface_put(struct bed *b, const char *name, const char *mac,
			  const char *kind, bool is_hardware)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "sys/class/net/%s/address", name);
	file_put(b, path, mac);
	(void)snprintf(path, sizeof(path), "sys/class/net/%s/addr_assign_type",
		       name);
	file_put(b, path, kind);
	(void)snprintf(path, sizeof(path), "sys/class/net/%s/device/x", name);
	if (is_hardware)
		file_put(b, path, "");
}

static int setup(void **state)
{
	static struct bed b;

	memset(&b, 0, sizeof(b));
	(void)strcpy(b.root, "/tmp/petrel-label-XXXXXX");
	assert_non_null(mkdtemp(b.root));
	b.root_fd = open(b.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b.host = (struct platform_host){ .abi = PLATFORM_ABI,
					 .size = sizeof(b.host), .context = &b,
					 .entity = entity_take,
					 .attribute = attribute_take };
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;
	char command[96];

	(void)close(b->root_fd);
	(void)snprintf(command, sizeof(command), "rm -rf %s", b->root);
	return system(command);
}

static void test_a_chassis_goes_before_the_product(void **state)
{
	struct bed *b = *state;

	file_put(b, "sys/class/dmi/id/product_serial", "PROD7\n");
	file_put(b, "sys/class/dmi/id/chassis_serial", "CHAS7\n");
	chassis_label_tell(b->root_fd, &b->host);
	assert_string_equal(b->said[ATTRIBUTE_SERIAL], "CHAS7");
	file_put(b, "sys/class/dmi/id/chassis_serial",
		 "To be filled by O.E.M.\n");
	chassis_label_tell(b->root_fd, &b->host);
	assert_string_equal(b->said[ATTRIBUTE_SERIAL], "PROD7");
}

static void test_the_mac_is_the_lowest_that_is_burnt_in(void **state)
{
	struct bed *b = *state;

	interface_put(b, "eth1", "0c:00:00:00:00:09\n", "0\n", true);
	interface_put(b, "eth0", "0c:00:00:00:00:05\n", "0\n", true);
	interface_put(b, "eth2", "0a:00:00:00:00:01\n", "3\n", true);
	interface_put(b, "br0", "0a:00:00:00:00:02\n", "0\n", false);
	interface_put(b, "lo", "00:00:00:00:00:00\n", "0\n", true);
	chassis_label_tell(b->root_fd, &b->host);
	assert_string_equal(b->said[ATTRIBUTE_MAC], "0c:00:00:00:00:05");
	assert_string_equal(b->said[ATTRIBUTE_SERIAL], "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_a_chassis_goes_before_the_product, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_the_mac_is_the_lowest_that_is_burnt_in, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

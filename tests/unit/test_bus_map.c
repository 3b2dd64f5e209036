/* Which cages there are: the map file, and what is found by looking around.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "platform/bus/map.h"
#include "platform/bus/owner.h"

static void test_bus_map_reads_cages_in_order_of_their_number(void **state)
{
	struct map m;
	struct diag d;

	(void)state;
	assert_int_equal(map_parse(
		"# our switch\n"
		"7 file /sys/x/eeprom Ethernet48 Ethernet52 # two\n"
		"\n"
		"2\tethtool swp2\n"
		"3 i2c 12", "map", &m, &d), 0);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.cage[0].number, 2);
	assert_int_equal(m.cage[0].place.kind, BUS_ETHTOOL);
	assert_int_equal(m.cage[1].place.kind, BUS_I2C);
	assert_string_equal(m.cage[1].place.where, "12");
	assert_string_equal(m.cage[2].place.where, "/sys/x/eeprom");
	assert_int_equal(m.cage[2].port_count, 2);
	assert_string_equal(m.cage[2].port[1], "Ethernet52");
	map_fini(&m);
}

static void test_bus_map_refuses_a_line_and_says_which(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "1 file /a\nx file /b\n", "map:2: 'x' is not a cage" },
		{ "1 filo /a\n", "map:1: 'filo' is not a kind of bus" },
		{ "1 file\n", "map:1: cage 1: expected a path" },
		{ "1 file /a\n1 file /b\n", "map:2: cage 1 is there twice" },
		{ "99999 file /a\n", "map:1: '99999' is not a cage" },
		{ "1 i2c 1 a b c d e f g h i\n", "map:1: more than 8 ports" },
	};
	struct map m;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(map_parse(rows[i].text, "map", &m, &d),
				 -EINVAL);
		if (strncmp(d.text, rows[i].says, strlen(rows[i].says)) != 0)
			fail_msg("%s: %s", rows[i].says, d.text);
	}
	assert_int_equal(map_parse("# nothing\n", "map", &m, &d), -ENODATA);
}

static char root[64];

static int set_up(void **state)
{
	(void)state;
	(void)strcpy(root, "/tmp/petrel-map-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static void run(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[1000];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -r %s", root);
	return 0;
}

static int root_open(void)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void test_bus_map_finds_optoe_by_port_name(void **state)
{
	int fd = root_open();
	struct map m;
	struct diag d;

	(void)state;
	run("mkdir -p %s/sys/bus/i2c/devices %s/sys/devices/a/17-0050 "
	    "%s/sys/devices/a/18-0050 %s/sys/devices/a/19-0050", root, root,
	    root, root);
	run("cd %s/sys/bus/i2c/devices && for i in 17 18 19; do "
	    "ln -s ../../../devices/a/$i-0050; touch $i-0050/eeprom; done; "
	    "echo port12 >17-0050/port_name; echo Ethernet4 >18-0050/port_name",
	    root);
	if (map_read(fd, NULL, &m, &d) < 0)
		fail_msg("%s", d.text);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.cage[0].number, 4);
	assert_int_equal(m.cage[1].number, 12);
	assert_string_equal(m.cage[1].place.where,
			    "/sys/bus/i2c/devices/17-0050/eeprom");
	map_fini(&m);
	(void)close(fd);
}

static void test_bus_map_finds_sx_core_and_s3ip(void **state)
{
	int fd = root_open();
	struct map m;
	struct diag d;

	(void)state;
	run("mkdir -p %s/sys/module/sx_core/asic0/module0 "
	    "%s/sys_switch/transceiver/eth5", root, root);
	run("touch %s/sys_switch/transceiver/eth5/eeprom", root);
	if (map_read(fd, NULL, &m, &d) < 0)
		fail_msg("%s", d.text);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.cage[0].number, 1);
	assert_int_equal(m.cage[0].place.kind, BUS_PAGES);
	assert_int_equal(m.cage[1].number, 5);
	assert_int_equal(m.cage[1].place.kind, BUS_FILE);
	map_fini(&m);
	(void)close(fd);
}

static void test_bus_map_of_an_empty_root_has_no_cage(void **state)
{
	int fd = root_open();
	struct map m;
	struct diag d;

	(void)state;
	assert_int_equal(map_read(fd, NULL, &m, &d), -ENODATA);
	assert_int_equal(map_read(fd, "/etc/petrel/modules.map", &m, &d),
			 -ENOENT);
	assert_non_null(strstr(d.text, "/etc/petrel/modules.map"));
	(void)close(fd);
}

static void test_c06_owner_gives_way_to_xcvrd(void **state)
{
	int fd = root_open();
	struct diag d;
	bool owner;

	(void)state;
	run("mkdir -p %s/proc/1 %s/proc/77", root, root);
	run("printf '/sbin/init\\0' >%s/proc/1/cmdline", root);
	assert_int_equal(owner_find(fd, "yes", &owner, &d), 0);
	assert_true(owner);
	run("printf '/usr/bin/python3\\0/usr/local/bin/xcvrd\\0-x\\0' "
	    ">%s/proc/77/cmdline", root);
	assert_int_equal(owner_find(fd, "yes", &owner, &d), -EBUSY);
	assert_false(owner);
	assert_non_null(strstr(d.text, "process 77"));
	assert_int_equal(owner_find(fd, NULL, &owner, &d), 0);
	assert_false(owner);
	assert_int_equal(owner_find(fd, "no", &owner, &d), 0);
	assert_false(owner);
	(void)close(fd);
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_bus_map_reads_cages_in_order_of_their_number),
		cmocka_unit_test(test_bus_map_refuses_a_line_and_says_which),
		BED(test_bus_map_finds_optoe_by_port_name),
		BED(test_bus_map_finds_sx_core_and_s3ip),
		BED(test_bus_map_of_an_empty_root_has_no_cage),
		BED(test_c06_owner_gives_way_to_xcvrd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

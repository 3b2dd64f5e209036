/* The ways to a module's memory, on folders that a kernel might have made; and
 * i2c-dev with the test as the module.
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
#include <sys/stat.h>
#include <unistd.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include "platform/bus/bus_kind.h"
#include "platform/bus/i2c.h"

#define EEPROM "/cage/eeprom"
#define PAGES 0x30u

struct bed {
	char root[64];
	int root_fd;
	struct bus_env env;
	struct bus_place place;
	struct bus bus;
	struct diag diag;
};

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	(void)strcpy(b->root, "/tmp/petrel-bus-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	b->root_fd = open(b->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(b->root_fd >= 0);
	b->env.root_fd = b->root_fd;
	assert_int_equal(mkdirat(b->root_fd, "cage", 0755), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;
	char command[100];

	bus_close(&b->bus);
	(void)snprintf(command, sizeof(command), "rm -r %s", b->root);
	assert_int_equal(system(command), 0);
	(void)close(b->root_fd);
	free(b);
	return 0;
}

static void file_write(const struct bed *b, const char *path, const void *data,
		       size_t len)
{
	int fd = openat(b->root_fd, path + 1, O_WRONLY | O_CREAT | O_TRUNC |
			O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	(void)close(fd);
}

static void text_write(const struct bed *b, const char *path, const char *text)
{
	file_write(b, path, text, strlen(text));
}

static void bed_open(struct bed *b, enum bus_kind kind, const char *where)
{
	b->place.kind = kind;
	(void)snprintf(b->place.where, sizeof(b->place.where), "%s", where);
	if (bus_open(&b->env, &b->place, &b->bus, &b->diag) < 0)
		fail_msg("%s", b->diag.text);
}

static int read_one(struct bed *b, unsigned bank, unsigned page,
		    unsigned offset, uint16_t *ret)
{
	const struct module_read r = { (uint8_t)bank, (uint16_t)page,
				       (uint8_t)offset, sizeof(*ret), 0 };

	return bus_read(&b->bus, &r, ret, &b->diag);
}

/* Each pair of octets tells where in the file it stands. */
static void numbered_write(const struct bed *b, const char *path, size_t len)
{
	uint16_t *words = malloc(len);

	assert_non_null(words);
	for (size_t i = 0; i < len / 2; i++)
		words[i] = (uint16_t)i;
	words[0] = 0x1818;	/* octet 0: CMIS */
	words[63] = 0;		/* octet 127: page 00h is selected */
	file_write(b, path, words, len);
	free(words);
}

static void expect_at(struct bed *b, unsigned bank, unsigned page,
		      unsigned offset, size_t at)
{
	uint16_t word;

	if (read_one(b, bank, page, offset, &word) < 0)
		fail_msg("%s", b->diag.text);
	assert_int_equal(word, at / 2);
}

static void test_bus_file_has_cmis_pages_where_optoe_puts_them(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	numbered_write(b, EEPROM, (PAGES + 1) * 128);
	text_write(b, "/cage/dev_class", "3\n");
	bed_open(b, BUS_FILE, EEPROM);
	expect_at(b, 0, MODULE_LOWER, 14, 14);
	expect_at(b, 0, 0x00, 128, 128);
	expect_at(b, 0, 0x01, 128, 256);
	expect_at(b, 0, 0x11, 186, 0x11 * 128 + 186);
	expect_at(b, 0, 0x2f, 254, 0x2f * 128 + 254);
	assert_int_equal(read_one(b, 1, 0x11, 186, &word), -EOPNOTSUPP);
	assert_int_equal(read_one(b, 0, 0x9f, 128, &word), -EOPNOTSUPP);
}

static void test_bus_file_has_banks_where_the_driver_says_so(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	numbered_write(b, EEPROM, (256 + 0x12) * 128 + 256);
	text_write(b, "/cage/dev_class", "3");
	text_write(b, "/cage/max_bank_size", "2\n");
	bed_open(b, BUS_FILE, EEPROM);
	expect_at(b, 1, 0x11, 186, (256 + 0x11) * 128 + 186);
	assert_int_equal(read_one(b, 2, 0x11, 186, &word), -EOPNOTSUPP);
	/* Pages below 10h are the same in all banks, and so in none. */
	assert_int_equal(read_one(b, 1, 0x02, 128, &word), -EOPNOTSUPP);
}

static void test_bus_file_has_both_devices_of_an_sfp(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	numbered_write(b, EEPROM, 512);
	text_write(b, "/cage/dev_class", "2\n");
	bed_open(b, BUS_FILE, EEPROM);
	expect_at(b, 0, MODULE_LOWER, 68, 68);
	expect_at(b, 1, MODULE_LOWER, 96, 256 + 96);
	expect_at(b, 1, 0x00, 128, 384);
	assert_int_equal(read_one(b, 1, 0x02, 128, &word), -EOPNOTSUPP);
}

static void test_bus_file_without_a_class_is_what_octet_0_says(void **state)
{
	static const uint8_t types[] = { 0x01, 0x02, 0x03, 0x0b };
	uint8_t sfp[512] = { [256 + 96] = 0x2b, [256 + 97] = 0x2b };
	struct bed *b = *state;
	uint16_t word;

	for (size_t i = 0; i < sizeof(types); i++) {
		sfp[0] = types[i];
		word = 0;
		file_write(b, EEPROM, sfp, sizeof(sfp));
		bed_open(b, BUS_FILE, EEPROM);
		assert_int_equal(read_one(b, 1, MODULE_LOWER, 96, &word), 0);
		assert_int_equal(word, 0x2b2b);
		bus_close(&b->bus);
		b->bus = (struct bus){ 0 };
	}
}

static void test_bus_file_tells_a_page_that_was_left_selected(void **state)
{
	uint8_t octets[384] = { 0x18, [127] = 0x11 };
	struct bed *b = *state;
	uint16_t word;

	file_write(b, EEPROM, octets, sizeof(octets));
	bed_open(b, BUS_FILE, EEPROM);
	assert_int_equal(read_one(b, 0, 0x00, 148, &word), -ESTALE);
	assert_non_null(strstr(b->diag.text, "page 11h is selected"));
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 14, &word), 0);
	octets[127] = 0;
	file_write(b, EEPROM, octets, sizeof(octets));
	assert_int_equal(read_one(b, 0, 0x00, 148, &word), 0);
}

static void test_bus_tells_no_module_from_one_being_pulled(void **state)
{
	static const uint8_t half[15] = { 0x18 };
	struct bed *b = *state;
	uint16_t word;

	bed_open(b, BUS_FILE, EEPROM);
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 0, &word), -ENXIO);
	file_write(b, EEPROM, half, sizeof(half));
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 14, &word), -ENODATA);
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 16, &word), -EOPNOTSUPP);
	assert_int_equal(bus_error(ENXIO), -ENXIO);
	assert_int_equal(bus_error(EREMOTEIO), -ENXIO);
	assert_int_equal(bus_error(EIO), -EIO);
	assert_int_equal(bus_error(ETIMEDOUT), -ETIMEDOUT);
}

static void test_bus_refuses_to_leave_a_page(void **state)
{
	static const struct module_read bad[] = {
		{ 0, MODULE_LOWER, 120, 9, 0 }, { 0, MODULE_LOWER, 128, 1, 0 },
		{ 0, 0x11, 127, 2, 0 }, { 0, 0x11, 250, 7, 0 },
		{ 0, 0x11, 128, 129, 0 }, { 0, 0x11, 128, 0, 0 },
	};
	struct bed *b = *state;
	uint8_t octets[256];

	numbered_write(b, EEPROM, (PAGES + 1) * 128);
	bed_open(b, BUS_FILE, EEPROM);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(bus_read(&b->bus, &bad[i], octets, NULL),
				 -EINVAL);
}

static void test_bus_pages_are_files_of_sx_core(void **state)
{
	static const uint8_t first[256] = { 0x18, [14] = 0x1a, [15] = 0x1a,
					    [148] = 'P', [149] = 'P' };
	static const uint8_t page[128] = { [186 - 128] = 7, [187 - 128] = 7 };
	struct bed *b = *state;
	uint16_t word;

	assert_int_equal(mkdirat(b->root_fd, "cage/eeprom", 0755), 0);
	assert_int_equal(mkdirat(b->root_fd, "cage/eeprom/pages", 0755), 0);
	assert_int_equal(mkdirat(b->root_fd, "cage/eeprom/pages/0", 0755), 0);
	assert_int_equal(mkdirat(b->root_fd, "cage/eeprom/pages/0/i2c-0x50",
				 0755), 0);
	assert_int_equal(mkdirat(b->root_fd, "cage/eeprom/pages/17", 0755), 0);
	file_write(b, "/cage/eeprom/pages/0/i2c-0x50/data", first, 256);
	file_write(b, "/cage/eeprom/pages/17/data", page, 128);
	bed_open(b, BUS_PAGES, "/cage");
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 14, &word), 0);
	assert_int_equal(word, 0x1a1a);
	assert_int_equal(read_one(b, 0, 0x00, 148, &word), 0);
	assert_int_equal(word, 'P' << 8 | 'P');
	assert_int_equal(read_one(b, 0, 0x11, 186, &word), 0);
	assert_int_equal(word, 0x0707);
	assert_int_equal(read_one(b, 0, 0x10, 128, &word), -EOPNOTSUPP);
}

/* --- i2c-dev: one module on the bus --------------------------------------- */

/* What the fake kernel knows; the descriptor finds it, being the only one. */
static struct fake_module {
	bool driver_has_it, stuck;
	unsigned address;		/* the last */
	uint8_t lower[128], page[4][128];
	unsigned writes;
} fake;

static int fake_claim(int fd, unsigned address)
{
	(void)fd;
	assert_true(address == 0x50 || address == 0x51);
	return fake.driver_has_it ? -EBUSY : 0;
}

static void fake_octets(unsigned at, uint8_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++, at++)
		ret[i] = at < 128 ? fake.lower[at] :
			fake.page[fake.lower[127] % 4][at - 128];
}

static int fake_transfer(int fd, struct i2c_rdwr_ioctl_data *data)
{
	const struct i2c_msg *m = data->msgs;

	(void)fd;
	fake.address = m[0].addr;
	if (data->nmsgs == 2) {
		fake_octets(m[0].buf[0], m[1].buf, m[1].len);
		return 0;
	}
	assert_int_equal(m[0].len, 3);
	assert_int_equal(m[0].buf[0], 126);
	fake.writes++;
	if (!fake.stuck)
		fake.lower[127] = m[0].buf[2];
	return 0;
}

static const struct i2c_io fake_io = { fake_claim, fake_transfer };

static void i2c_open(struct bed *b, bool owner)
{
	memset(&fake, 0, sizeof(fake));
	fake.lower[0] = 0x18;
	fake.lower[14] = 0x1e;
	for (unsigned p = 0; p < 4; p++)
		memset(fake.page[p], (int)(0xa0 + p), 128);
	assert_int_equal(mkdirat(b->root_fd, "dev", 0755), 0);
	text_write(b, "/dev/i2c-12", "");
	b->env.owner = owner;
	b->bus.env = b->env;
	b->bus.where = "12";
	assert_int_equal(bus_i2c_open_io(&b->env, "12", &fake_io, &b->bus,
					 &b->diag), 0);
}

static void test_bus_i2c_writes_nothing_unless_owner(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	i2c_open(b, false);
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 14, &word), 0);
	assert_int_equal(word, 0x1e);
	assert_int_equal(read_one(b, 0, 0x02, 128, &word), -EOPNOTSUPP);
	assert_non_null(strstr(b->diag.text, "owner = yes"));
	assert_int_equal(read_one(b, 0, 0x00, 128, &word), -EOPNOTSUPP);
	assert_int_equal(fake.writes, 0);
}

static void test_bus_i2c_owner_selects_a_page_and_puts_it_back(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	i2c_open(b, true);
	assert_int_equal(read_one(b, 0, 0x02, 128, &word), 0);
	assert_int_equal(word, 0xa2a2);
	assert_int_equal(fake.writes, 2);
	assert_int_equal(fake.lower[127], 0);
	fake.stuck = true;
	assert_int_equal(read_one(b, 0, 0x03, 128, &word), -ESTALE);
}

static void test_bus_i2c_finds_the_second_device_of_each_sfp(void **state)
{
	static const uint8_t types[] = { 0x01, 0x02, 0x03, 0x0b };
	struct bed *b = *state;
	uint16_t word;

	i2c_open(b, false);
	for (size_t i = 0; i < sizeof(types); i++) {
		fake.lower[0] = types[i];
		assert_int_equal(read_one(b, 0, MODULE_LOWER, 14, &word), 0);
		assert_int_equal(fake.address, 0x50);
		assert_int_equal(read_one(b, 1, MODULE_LOWER, 96, &word), 0);
		assert_int_equal(fake.address, 0x51);
	}
}

static void test_bus_i2c_leaves_a_module_to_its_driver(void **state)
{
	struct bed *b = *state;
	uint16_t word;

	i2c_open(b, true);
	fake.driver_has_it = true;
	assert_int_equal(read_one(b, 0, MODULE_LOWER, 0, &word), -EACCES);
	assert_int_equal(fake.writes, 0);
}

static void test_bus_i2c_wants_a_number(void **state)
{
	struct bed *b = *state;

	b->place.kind = BUS_I2C;
	(void)strcpy(b->place.where, "/dev/i2c-12");
	assert_int_equal(bus_open(&b->env, &b->place, &b->bus, &b->diag),
			 -EINVAL);
}

/* --- the access log ------------------------------------------------------- */

static void test_bus_access_log_shows_each_access_once(void **state)
{
	struct bed *b = *state;
	char path[100], text[1000] = "";
	uint16_t word;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/log", b->root);
	assert_int_equal(setenv("PETREL_ACCESS_LOG", path, 1), 0);
	b->env.log = access_log_open();
	assert_int_equal(unsetenv("PETREL_ACCESS_LOG"), 0);
	assert_non_null(b->env.log);
	i2c_open(b, true);
	for (int i = 0; i < 2; i++)
		assert_int_equal(read_one(b, 0, 0x02, 130, &word), 0);
	access_log_close(b->env.log);
	f = fopen(path, "re");
	assert_non_null(f);
	(void)!fread(text, 1, sizeof(text) - 1, f);
	(void)fclose(f);
	assert_string_equal(text,
		"read i2c owner=yes type=00h bank=0 page=02h offset=130 len=2 "
		"at=12\n"
		"write i2c owner=yes type=00h bank=0 page=02h offset=126 len=2 "
		"at=12\n"
		"write i2c owner=yes type=00h bank=0 page=00h offset=126 len=2 "
		"at=12\n");
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_bus_file_has_cmis_pages_where_optoe_puts_them),
		BED(test_bus_file_has_banks_where_the_driver_says_so),
		BED(test_bus_file_has_both_devices_of_an_sfp),
		BED(test_bus_file_without_a_class_is_what_octet_0_says),
		BED(test_bus_file_tells_a_page_that_was_left_selected),
		BED(test_bus_tells_no_module_from_one_being_pulled),
		BED(test_bus_refuses_to_leave_a_page),
		BED(test_bus_pages_are_files_of_sx_core),
		BED(test_bus_i2c_writes_nothing_unless_owner),
		BED(test_bus_i2c_owner_selects_a_page_and_puts_it_back),
		BED(test_bus_i2c_finds_the_second_device_of_each_sfp),
		BED(test_bus_i2c_leaves_a_module_to_its_driver),
		BED(test_bus_i2c_wants_a_number),
		BED(test_bus_access_log_shows_each_access_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The module driver on memory that the plant wrote into files: what it tells is
 * what the plant meant, and a module that hangs holds up no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "petrel/module.h"
#include "petrel/plant.h"
#include "platform/bus/cage.h"
#include "platform/driver.h"
#include "platform/sim/eeprom.h"
#include "tests/support/measure.h"
#include "tests/support/recording_host.h"

#define PATIENCE_NS (20 * NS_PER_S)	/* a loaded machine, valgrind */
#define PORTS 4

struct bed {
	char root[64];
	int root_fd;
	const char *owner, *budget;	/* options */
	struct plant *plant;
	struct recording_host *record;
	struct platform_env env;
	void *instance;
	struct diag diag;
};

static const char *option_get(void *context, const char *key)
{
	const struct bed *b = context;

	if (strcmp(key, "map") == 0)
		return "/map";
	if (strcmp(key, "budget") == 0)
		return b->budget;
	return strcmp(key, "owner") == 0 ? b->owner : NULL;
}

static void file_write(const struct bed *b, const char *name, const void *data,
		       size_t len)
{
	int fd = openat(b->root_fd, name, O_WRONLY | O_CREAT | O_TRUNC |
			O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	(void)close(fd);
}

static void cage_write(const struct bed *b, unsigned port)
{
	uint8_t file[EEPROM_FILE_MAX];
	struct eeprom e;
	char name[20];

	(void)snprintf(name, sizeof(name), "cage%u", port + 1);
	if (eeprom_write_plant(b->plant, port, &e))
		file_write(b, name, file, eeprom_file(&e, file));
	else
		(void)unlinkat(b->root_fd, name, 0);
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	char map[PORTS * 64] = "";

	assert_non_null(b);
	(void)strcpy(b->root, "/tmp/petrel-cages-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	b->root_fd = open(b->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(b->root_fd >= 0);
	for (unsigned i = 0; i < PORTS; i++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "%u file /cage%u P%u\n",
			       i + 1, i + 1, i);
		(void)strcat(map, line);
	}
	file_write(b, "map", map, strlen(map));
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;
	char command[100];
	uint64_t faults = b->record ? recording_host_faults(b->record) : 0;

	for (size_t i = 0; i < faults; i++)
		print_error("%s\n", recording_host_fault(b->record, i));
	if (b->instance)
		module_driver.close(b->instance);
	recording_host_free(b->record);
	plant_close(b->plant);
	(void)snprintf(command, sizeof(command), "rm -r %s", b->root);
	assert_int_equal(system(command), 0);
	(void)close(b->root_fd);
	free(b);
	return faults > 0;
}

static void plant_make(struct bed *b, const char *text)
{
	if (plant_open(text, strlen(text), "t", &b->plant, &b->diag) < 0)
		fail_msg("%s", b->diag.text);
	for (unsigned i = 0; i < plant_port_count(b->plant); i++)
		cage_write(b, i);
}

static void driver_open(struct bed *b)
{
	const struct recording_limits limits = { .blocking = true };

	assert_int_equal(recording_host_new(&module_driver, &limits,
					    &b->record), 0);
	b->env = (struct platform_env){
		.abi = PLATFORM_ABI, .size = sizeof(b->env),
		.root_fd = b->root_fd, .blocking = true,
		.option_context = b, .option = option_get,
		.host = recording_host_get(b->record) };
	if (module_driver.open(&b->env, &b->instance, &b->diag) < 0)
		fail_msg("%s", b->diag.text);
	assert_int_equal(module_driver.inventory(b->instance, &b->diag),
			 -ENODATA);
}

static void read_source(struct bed *b, enum bus_source source)
{
	int rc = module_driver.sources[source]->read(
		b->instance, clock_mono_now(), &b->diag);

	if (rc != 1)
		fail_msg("%d: %s", rc, b->diag.text);
}

static uint32_t child(const struct bed *b, uint32_t parent,
		      enum entity_kind kind, uint32_t number)
{
	const struct recorded_entity *e;

	for (uint32_t h = 1; (e = recording_host_entity(b->record, h)); h++)
		if (!e->gone && e->key.kind == kind &&
		    e->key.parent == parent && e->key.number == number)
			return h;
	return ENTITY_NONE;
}

static const struct recorded_value *value_of(const struct bed *b,
					     uint32_t handle, enum quantity q,
					     unsigned index)
{
	const struct recorded_value *v;
	size_t n = recording_host_values(b->record, &v);

	for (size_t i = 0; i < n && handle != ENTITY_NONE; i++)
		if (v[i].handle == handle && v[i].quantity == q &&
		    v[i].index == index)
			return &v[i];
	return NULL;
}

/* Serves the driver's descriptor until its module has a value. */
static bool wait_value(struct bed *b, uint32_t cage, enum quantity q)
{
	struct mono end = { clock_mono_now().ns + PATIENCE_NS };
	uint32_t want;

	while (clock_mono_now().ns < end.ns) {
		struct pollfd p = { .fd = module_driver.event_fd(b->instance,
								 &want),
				    .events = POLLIN };
		uint32_t module = child(b, ENTITY_NONE, ENTITY_MODULE, cage);

		if (value_of(b, module, q, 0))
			return true;
		(void)poll(&p, 1, 20);
		module_driver.event(b->instance, clock_mono_now());
	}
	return false;
}

static void lanes_compare(const struct bed *b, uint32_t module,
			  const struct measure *m, unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++) {
		uint32_t lane = child(b, module, ENTITY_LANE, i + 1);
		const struct {
			enum quantity quantity;
			int64_t value;
		} rows[] = {
			{ Q_LANE_RX_POWER_PW, m->lane[i].rx_pw },
			{ Q_LANE_TX_POWER_PW, m->lane[i].tx_pw },
			{ Q_LANE_TX_BIAS_UA, m->lane[i].bias_ua },
		};

		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
			const struct recorded_value *v =
				value_of(b, lane, rows[r].quantity, 0);

			if (!v)
				fail_msg("lane %u lacks %s", i + 1,
					 quantity_find(rows[r].quantity)
					 ->name);
			assert_int_equal(v->value, rows[r].value);
		}
	}
}

static void module_compare(struct bed *b, unsigned cage, unsigned lanes)
{
	uint32_t module = child(b, ENTITY_NONE, ENTITY_MODULE, cage);
	const struct recorded_entity *e;
	struct plant_port p;
	struct measure m;

	plant_port(b->plant, cage - 1, &p);
	measure_module(&p, lanes, &m);
	assert_int_equal(value_of(b, module, Q_MODULE_TEMP_MC, 0)->value,
			 m.temp_mc);
	assert_int_equal(value_of(b, module, Q_MODULE_VCC_UV, 0)->value,
			 m.vcc_uv);
	assert_int_equal(value_of(b, module, Q_MODULE_TEMP_THRESHOLD_MC, 0)
			 ->value, 75000);
	e = recording_host_entity(b->record, module);
	assert_string_equal(e->attribute[ATTRIBUTE_SERIAL], p.serial);
	lanes_compare(b, module, &m, lanes);
}

static void all_read(struct bed *b)
{
	read_source(b, BUS_SOURCE_MODULES);
	read_source(b, BUS_SOURCE_VDM);
	read_source(b, BUS_SOURCE_DOM);
}

static void test_module_driver_tells_what_a_cmis_module_holds(void **state)
{
	struct bed *b = *state;
	const struct recorded_value *v;
	struct plant_port p;
	struct measure m;
	uint32_t module;

	plant_make(b, "switch ports=4 speed=800G lanes=8 media=DR8\n");
	driver_open(b);
	all_read(b);
	for (unsigned cage = 1; cage <= PORTS; cage++) {
		assert_true(wait_value(b, cage, Q_MODULE_TEMP_THRESHOLD_MC));
		assert_true(wait_value(b, cage, Q_MODULE_TEMP_MC));
		module_compare(b, cage, 8);
	}
	module = child(b, ENTITY_NONE, ENTITY_MODULE, 2);
	v = value_of(b, child(b, module, ENTITY_LANE, 8),
		     Q_LANE_PRE_FEC_BER_E18, 0);
	plant_port(b->plant, 1, &p);
	measure_module(&p, 8, &m);
	assert_non_null(v);
	assert_int_equal(v->value, m.lane[7].ber_e18);
	/* Of two groups of one time a host takes the first alone. */
	v = value_of(b, child(b, module, ENTITY_LANE, 1),
		     Q_LANE_DATA_PATH_STATE, 0);
	assert_non_null(v);
	assert_int_equal(v->group, value_of(b, child(b, module, ENTITY_LANE,
						     1), Q_LANE_RX_POWER_PW,
					    0)->group);
	/* Nobody said that Petrel owns the modules. */
	assert_null(value_of(b, child(b, module, ENTITY_LANE, 1),
			     Q_LANE_RX_LOS, 0));
}

static void test_module_driver_tells_what_a_qsfp28_holds(void **state)
{
	struct bed *b = *state;

	plant_make(b, "switch ports=1 speed=100G lanes=4 media=SR4 "
		   "fec=rs528\n");
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_THRESHOLD_MC));
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module_compare(b, 1, 4);
}

static void test_module_driver_tells_what_an_sfp_holds(void **state)
{
	struct bed *b = *state;

	plant_make(b, "switch ports=1 speed=25G lanes=1 media=FR1 "
		   "fec=rs528\n");
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_THRESHOLD_MC));
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module_compare(b, 1, 1);
}

static void test_module_driver_names_the_ports_of_a_cage(void **state)
{
	struct bed *b = *state;
	const struct recorded_entity *e;

	plant_make(b, "switch ports=1\n");
	driver_open(b);
	e = recording_host_entity(b->record,
				  recording_host_find(b->record, ENTITY_PORT,
						      "P2"));
	assert_non_null(e);
	assert_string_equal(e->attribute[ATTRIBUTE_MODULE], "3");
}

static void test_module_driver_follows_readings_and_not_identity(void **state)
{
	struct bed *b = *state;
	const struct recorded_value *v;
	int64_t before;
	uint32_t module;

	plant_make(b, "switch ports=1 dom=1s\nat 10s Ethernet0 hot rise=20K "
		   "ramp=0s\n");
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module = child(b, ENTITY_NONE, ENTITY_MODULE, 1);
	before = value_of(b, module, Q_MODULE_TEMP_MC, 0)->value;
	plant_advance(b->plant, 1000 * NS_PER_S);
	cage_write(b, 0);
	for (int i = 0; i < 100; i++) {
		read_source(b, BUS_SOURCE_DOM);
		(void)usleep(10000);
		module_driver.event(b->instance, clock_mono_now());
		v = value_of(b, module, Q_MODULE_TEMP_MC, 0);
		if (v->value > before + 10000)
			break;
	}
	assert_true(v->value > before + 10000);
	assert_int_equal(child(b, ENTITY_NONE, ENTITY_MODULE, 1), module);
}

/* Reads until what is found of a lane's monitors is that; its light then. */
static const struct recorded_value *wait_faults(struct bed *b, uint32_t lane,
						int64_t faults)
{
	const struct recorded_value *v = NULL;

	for (int i = 0; i < 500; i++) {
		read_source(b, BUS_SOURCE_DOM);
		(void)usleep(10000);
		module_driver.event(b->instance, clock_mono_now());
		v = value_of(b, lane, Q_LANE_READING_FAULTS,
			     READING_OF_MONITORS);
		if (v && v->value == faults)
			break;
	}
	assert_non_null(v);
	assert_int_equal(v->value, faults);
	return value_of(b, lane, Q_LANE_RX_POWER_PW, 0);
}

/* Where optoe has 20h:128, the descriptors of VDM. */
#define DESCRIPTORS_AT (0x20 * 128 + 128)

/* The cage's module counts its errors by data path: one descriptor, which is
 * of no lane.
 */
static void errors_by_path(const struct bed *b)
{
	uint8_t slots[MODULE_PAGE_LEN];
	int fd = openat(b->root_fd, "cage1", O_RDWR | O_CLOEXEC);
	bool any = false;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, slots, sizeof(slots), DESCRIPTORS_AT),
			 sizeof(slots));
	for (unsigned i = 0; i < sizeof(slots); i += 2) {
		if (slots[i + 1] != 15)
			continue;
		slots[i] |= 0xf;
		slots[i + 1] = any ? 0 : 15;
		any = true;
	}
	assert_true(any);
	assert_int_equal(pwrite(fd, slots, sizeof(slots), DESCRIPTORS_AT),
			 sizeof(slots));
	(void)close(fd);
}

static void test_module_driver_tells_a_data_path_what_is_its_own(void **state)
{
	struct bed *b = *state;
	uint32_t module, path = 0;

	plant_make(b, "switch ports=1 speed=800G lanes=8 media=DR8\n");
	errors_by_path(b);
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module = child(b, ENTITY_NONE, ENTITY_MODULE, 1);
	for (int i = 0; i < 500 && !path; i++) {
		read_source(b, BUS_SOURCE_VDM);
		(void)usleep(10000);
		module_driver.event(b->instance, clock_mono_now());
		path = child(b, module, ENTITY_DATA_PATH, 1);
	}
	assert_true(path);
	assert_non_null(value_of(b, path, Q_LANE_PRE_FEC_BER_E18, 0));
	for (unsigned lane = 1; lane <= 8; lane++)
		assert_null(value_of(b, child(b, module, ENTITY_LANE, lane),
				     Q_LANE_PRE_FEC_BER_E18, 0));
}

/* Where optoe has 11h:190, received power of lane 3. */
#define RX_3_AT (0x11 * 128 + 190)

static void test_module_driver_tells_what_cannot_be_and_that_it_ended(
	void **state)
{
	static const uint8_t ones[2] = { 0xff, 0xff };
	struct bed *b = *state;
	uint32_t module, lane;
	uint64_t before;
	int fd;

	plant_make(b, "switch ports=1 speed=800G lanes=8 media=DR8\n");
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module = child(b, ENTITY_NONE, ENTITY_MODULE, 1);
	lane = child(b, module, ENTITY_LANE, 3);
	before = wait_faults(b, lane, 0)->group;

	fd = openat(b->root_fd, "cage1", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, ones, 2, RX_3_AT), 2);
	(void)close(fd);
	/* the light is not told again: it grows old, and is no 8.2 dBm */
	assert_true(wait_faults(b, lane, 1 << FAULT_ALL_ONES)->value <
		    INT64_C(6553500000));
	assert_true(wait_faults(b, lane, 1 << FAULT_ALL_ONES)->group <
		    value_of(b, lane, Q_LANE_READING_FAULTS,
			     READING_OF_MONITORS)->group);
	assert_int_equal(value_of(b, module, Q_MODULE_READING_FAULTS,
				  READING_OF_MONITORS)->value,
			 1 << FAULT_ALL_ONES);
	assert_int_equal(value_of(b, child(b, module, ENTITY_LANE, 4),
				  Q_LANE_READING_FAULTS,
				  READING_OF_MONITORS)->value, 0);

	cage_write(b, 0);
	assert_true(wait_faults(b, lane, 0)->group > before);
}

static void test_module_driver_tells_a_pulled_module_gone(void **state)
{
	struct bed *b = *state;
	uint32_t module;

	plant_make(b, "switch ports=2\n");
	driver_open(b);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	module = child(b, ENTITY_NONE, ENTITY_MODULE, 1);
	(void)unlinkat(b->root_fd, "cage1", 0);
	for (int i = 0; i < 500; i++) {
		read_source(b, BUS_SOURCE_DOM);
		(void)usleep(10000);
		module_driver.event(b->instance, clock_mono_now());
		if (recording_host_entity(b->record, module)->gone)
			break;
	}
	assert_true(recording_host_entity(b->record, module)->gone);
	assert_int_equal(recording_host_events(b->record,
					       EVENT_MODULE_REMOVED), 1);
	assert_int_equal(child(b, ENTITY_NONE, ENTITY_MODULE, 1), ENTITY_NONE);
}

/* A FIFO that nobody writes to holds whoever opens it, as a bus does. */
static void test_module_driver_hung_module_holds_up_no_other(void **state)
{
	struct bed *b = *state;
	struct mono begin;

	plant_make(b, "switch ports=4 speed=400G lanes=4 media=DR4\n");
	assert_int_equal(unlinkat(b->root_fd, "cage1", 0), 0);
	assert_int_equal(mkfifoat(b->root_fd, "cage1", 0600), 0);
	driver_open(b);
	begin = clock_mono_now();
	all_read(b);
	for (unsigned cage = 2; cage <= PORTS; cage++)
		assert_true(wait_value(b, cage, Q_MODULE_TEMP_MC));
	/* Far less than the second after which the hung one is given up. */
	print_message("# others read after %lld ms\n",
		      (long long)(mono_diff_ns(clock_mono_now(), begin) /
				  NS_PER_MS));
	assert_int_equal(child(b, ENTITY_NONE, ENTITY_MODULE, 1), ENTITY_NONE);
	if (!getenv("PETREL_SLOW"))
		assert_true(mono_diff_ns(clock_mono_now(), begin) <
			    900 * NS_PER_MS);
}

static void test_module_driver_hung_module_is_told_and_found_again(
	void **state)
{
	struct bed *b = *state;
	struct mono end = { clock_mono_now().ns + PATIENCE_NS };
	enum source_state told = SOURCE_IDLE;
	char text[200] = "";

	plant_make(b, "switch ports=2 speed=400G lanes=4 media=DR4\n");
	assert_int_equal(unlinkat(b->root_fd, "cage1", 0), 0);
	assert_int_equal(mkfifoat(b->root_fd, "cage1", 0600), 0);
	driver_open(b);
	while (!strstr(text, "hangs") && clock_mono_now().ns < end.ns) {
		read_source(b, BUS_SOURCE_DOM);
		(void)usleep(50000);
		module_driver.event(b->instance, clock_mono_now());
		(void)snprintf(text, sizeof(text), "%s",
			       recording_host_reason(b->record,
						     BUS_SOURCE_DOM));
	}
	assert_non_null(strstr(text, "cage 1 first: the module hangs its bus"));
	assert_true(recording_host_source(b->record, BUS_SOURCE_DOM, &told));
	assert_int_equal(told, SOURCE_LIMITED);
	assert_int_equal(unlinkat(b->root_fd, "cage1", 0), 0);
	cage_write(b, 0);
	for (; !child(b, ENTITY_NONE, ENTITY_MODULE, 1) &&
	     clock_mono_now().ns < end.ns; (void)usleep(50000)) {
		read_source(b, BUS_SOURCE_DOM);
		module_driver.event(b->instance, clock_mono_now());
	}
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
}

static void access_log_path(const struct bed *b, char ret[static 100])
{
	(void)snprintf(ret, 100, "%s/access", b->root);
}

/* What the recording bus saw, judged by a list that is not the decoders'. */
static int access_check(const struct bed *b)
{
	char path[100], command[200];

	access_log_path(b, path);
	(void)snprintf(command, sizeof(command),
		       "tests/support/check_access %s >/dev/null", path);
	return system(command);
}

static void access_log_begin(const struct bed *b)
{
	char path[100];

	access_log_path(b, path);
	assert_int_equal(setenv("PETREL_ACCESS_LOG", path, 1), 0);
}

static void test_c06_module_driver_clears_and_writes_nothing(void **state)
{
	struct bed *b = *state;

	access_log_begin(b);
	plant_make(b, "switch ports=3 speed=400G lanes=4 media=DR4\n");
	driver_open(b);
	for (int i = 0; i < 3; i++) {
		all_read(b);
		assert_true(wait_value(b, 3, Q_MODULE_TEMP_MC));
	}
	assert_int_equal(module_driver.sources[BUS_SOURCE_FLAGS]->read(
				 b->instance, clock_mono_now(), &b->diag),
			 -EOPNOTSUPP);
	assert_int_equal(unsetenv("PETREL_ACCESS_LOG"), 0);
	assert_int_equal(access_check(b), 0);
}

static void test_c06_module_driver_reads_flags_for_the_owner(void **state)
{
	struct bed *b = *state;

	access_log_begin(b);
	b->owner = "yes";
	plant_make(b, "switch ports=1 speed=400G lanes=4 media=DR4\n");
	driver_open(b);
	assert_int_equal(unsetenv("PETREL_ACCESS_LOG"), 0);
	all_read(b);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_MC));
	read_source(b, BUS_SOURCE_FLAGS);
	assert_true(wait_value(b, 1, Q_MODULE_TEMP_FLAG));
	assert_non_null(value_of(b, child(b, child(b, ENTITY_NONE,
						   ENTITY_MODULE, 1),
					  ENTITY_LANE, 1), Q_LANE_RX_LOS, 0));
	/* And who looks at what was done sees that it cleared something. */
	assert_int_not_equal(access_check(b), 0);
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_module_driver_tells_what_a_cmis_module_holds),
		BED(test_module_driver_tells_what_a_qsfp28_holds),
		BED(test_module_driver_tells_what_an_sfp_holds),
		BED(test_module_driver_names_the_ports_of_a_cage),
		BED(test_module_driver_follows_readings_and_not_identity),
		BED(test_module_driver_tells_a_data_path_what_is_its_own),
		BED(test_module_driver_tells_what_cannot_be_and_that_it_ended),
		BED(test_module_driver_tells_a_pulled_module_gone),
		BED(test_module_driver_hung_module_holds_up_no_other),
		BED(test_module_driver_hung_module_is_told_and_found_again),
		BED(test_c06_module_driver_clears_and_writes_nothing),
		BED(test_c06_module_driver_reads_flags_for_the_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

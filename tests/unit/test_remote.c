/* C12: what goes to an engine by remote-write, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "agent/collect/remote_series.h"
#include "agent/collect/remote_sources.h"
#include "petrel/quantity.h"
#include "petrel/sample.h"

#define T0_NS (INT64_C(1800000000) * NS_PER_S)	/* wall; monotonic: 0 */
#define PORT 2u

struct bed {
	struct known *known;
	struct known_run *run;
	struct remote_series *series;
	struct remote_batch batch;
};

static void dictionary(struct bed *b, bool snapshot, const char *port)
{
	char sw[] = "leaf1", name[64] = "";
	Petrel__Entity e[2], *list[2] = { &e[0], &e[1] };
	Petrel__Dictionary m;

	petrel__dictionary__init(&m);
	petrel__entity__init(&e[0]);
	petrel__entity__init(&e[1]);
	e[0].id = 1;
	e[0].kind = ENTITY_SWITCH;
	e[0].name = sw;
	e[1].id = PORT;
	e[1].kind = ENTITY_PORT;
	e[1].parent = 1;
	(void)strcpy(name, port ? port : "");
	e[1].name = name;
	m.snapshot = snapshot;
	m.entities = list;
	m.n_entities = port ? 2 : 1;
	known_dictionary(b->run, &m);
}

static void hear(struct bed *b, int64_t mono_s, int64_t wall_ns, bool is_set,
		 int64_t now_ns)
{
	run_clock_hear(known_clock(b->run), (struct clock_reading){
		.mono = { mono_s * NS_PER_S }, .wall = { wall_ns },
		.is_set = is_set }, (struct wall){ now_ns });
}

static int setup_with(void **state, uint32_t max_series)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct entry e = { .kind = ENTRY_RECORDS, .run = 1,
			   .switch_id = "leaf1" };

	assert_int_equal(known_new(&b->known), 0);
	b->run = known_find(b->known, &e);
	assert_non_null(b->run);
	assert_int_equal(remote_series_new(max_series, &b->series), 0);
	dictionary(b, true, "Ethernet8");
	hear(b, 1, T0_NS + NS_PER_S, true, T0_NS);
	*state = b;
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, 20);
}

static int setup_bounded(void **state)
{
	return setup_with(state, 1);
}

static int teardown(void **state)
{
	struct bed *b = *state;

	remote_batch_fini(&b->batch);
	remote_series_free(b->series);
	known_free(b->known);
	free(b);
	return 0;
}

/* A reading of one quantity; how many samples it made. */
static size_t read_of(struct bed *b, uint32_t entity, enum quantity q,
		      int64_t s, int64_t value, uint8_t quality)
{
	const int64_t taken = s * NS_PER_S, window = 0;
	struct decoded_column c = { .batch = { taken },
				    .quantity = (uint16_t)q, .count = 1,
				    .entity = &entity, .value = &value,
				    .quality = &quality, .taken_ns = &taken,
				    .window_ns = &window };
	size_t before = b->batch.count;

	assert_int_equal(remote_series_column(b->series, b->run, &c,
					      &b->batch), 0);
	return b->batch.count - before;
}

/* Of the port. */
static size_t read_at(struct bed *b, enum quantity q, int64_t s, int64_t value,
		      uint8_t quality)
{
	return read_of(b, PORT, q, s, value, quality);
}

/* {"labels":...,"time_ms":...,"value":...} of a sample. */
static void check_sample(const struct bed *b, size_t index, const char *json)
{
	struct json_object *o = remote_batch_json(&b->batch, index);

	assert_string_equal(json_object_to_json_string_ext(
				    o, JSON_C_TO_STRING_PLAIN), json);
	(void)json_object_put(o);
}

#define SERIES(name) "{\"labels\":{\"__name__\":\"petrel_" name \
	"\",\"port\":\"Ethernet8\",\"switch\":\"leaf1\"},\"time_ms\":"

static void test_remote_value_has_its_name_labels_and_time(void **state)
{
	struct bed *b = *state;

	/* the first also says how many are held back: none */
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD), 2);
	check_sample(b, 0, SERIES("if_in_bytes_total")
		     "1800000001000,\"value\":42.0}");
	check_sample(b, 1, "{\"labels\":{\"__name__\":"
		     "\"petrel_series_held_back\",\"switch\":\"leaf1\"},"
		     "\"time_ms\":1800000001000,\"value\":0.0}");
}

static void test_remote_message_is_the_protocols(void **state)
{
	static const uint8_t want[] = {
		0x0a, 35, 0x0a, 15, 0x0a, 8, '_', '_', 'n', 'a', 'm', 'e', '_',
		'_', 0x12, 3, 'a', '_', 'b', 0x12, 16, 0x09, 0, 0, 0, 0, 0, 0,
		0xf8, 0x3f, 0x10, 0x80, 0x80, 0x9c, 0xc3, 0xb1, 0x34 };
	struct bed *b = *state;
	struct remote_label label = { "__name__", "a_b" };
	uint8_t labels[64];
	size_t len = remote_labels_write(&label, 1, labels, sizeof(labels));

	assert_int_equal(remote_batch_add(&b->batch, labels, len, 1.5,
					  INT64_C(1800000700416)), 0);
	assert_int_equal(b->batch.len, sizeof(want));
	assert_memory_equal(b->batch.octets, want, sizeof(want));
}

static void test_remote_unchanged_value_goes_once_a_minute(void **state)
{
	struct bed *b = *state;
	size_t count = 0;

	for (int64_t s = 1; s <= 121; s++)
		count += read_at(b, Q_IF_IN_OCTETS, s, 42, QUALITY_GOOD);
	assert_int_equal(count, 2 * 3);		/* at 1, 61 and 121 s */
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 122, 43, QUALITY_GOOD), 1);
}

static void test_remote_reading_that_is_told_again_goes_once(void **state)
{
	struct bed *b = *state;

	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 5, 42, QUALITY_GOOD), 2);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 5, 43, QUALITY_GOOD), 0);
}

static void test_remote_what_is_not_good_any_more_ends(void **state)
{
	struct bed *b = *state;

	(void)read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 2, 42, QUALITY_STALE), 1);
	check_sample(b, 2, SERIES("if_in_bytes_total")
		     "1800000002000,\"value\":null}");
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 3, 42, QUALITY_STALE), 0);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 4, 42, QUALITY_GOOD), 1);
}

static void test_remote_what_is_gone_ends(void **state)
{
	struct bed *b = *state;

	(void)read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD);
	dictionary(b, true, NULL);
	assert_int_equal(remote_series_renamed(b->series, b->run, &b->batch),
			 0);
	check_sample(b, 2, SERIES("if_in_bytes_total")
		     "1800000001001,\"value\":null}");
}

static void test_remote_above_the_bound_is_held_back_and_told(void **state)
{
	struct bed *b = *state;

	(void)read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD);
	assert_int_equal(read_at(b, Q_IF_OUT_OCTETS, 1, 42, QUALITY_GOOD), 0);
	assert_int_equal(read_at(b, Q_IF_OUT_OCTETS, 70, 43, QUALITY_GOOD), 1);
	check_sample(b, 2, "{\"labels\":{\"__name__\":"
		     "\"petrel_series_held_back\",\"switch\":\"leaf1\"},"
		     "\"time_ms\":1800000070000,\"value\":1.0}");
	assert_int_equal(remote_series_held_back(b->series), 2);
}

/* Adds an entity; a port of cage 3 has two lanes from first. */
static void listed(struct bed *b, uint32_t id, enum entity_kind kind,
		   uint32_t parent, const char *name, uint32_t number,
		   char *first, bool gone)
{
	char text[64] = "", cage[] = "3", two[] = "2";
	char *texts[] = { cage, first, two };
	static const enum attribute keys[] = { ATTRIBUTE_MODULE,
		ATTRIBUTE_FIRST_LANE, ATTRIBUTE_LANE_COUNT };
	Petrel__Attribute a[3], *attributes[3];
	Petrel__Entity e, *list = &e;
	Petrel__Dictionary m;

	(void)strcpy(text, name);
	petrel__dictionary__init(&m);
	petrel__entity__init(&e);
	for (int i = 0; i < 3; i++) {
		petrel__attribute__init(&a[i]);
		a[i].key = keys[i];
		a[i].text = texts[i];
		attributes[i] = &a[i];
	}
	e.id = id;
	e.kind = kind;
	e.parent = parent;
	e.name = text;
	e.number = number;
	e.gone = gone;
	e.attributes = attributes;
	e.n_attributes = first ? 3 : 0;
	m.entities = &list;
	m.n_entities = 1;
	known_dictionary(b->run, &m);
}

/* The port of the last sample; "" none. */
static const char *port_of_last(const struct bed *b, char ret[static 32])
{
	struct json_object *o = remote_batch_json(&b->batch,
						  b->batch.count - 1);
	struct json_object *labels = json_object_object_get(o, "labels");
	struct json_object *port = json_object_object_get(labels, "port");

	(void)snprintf(ret, 32, "%s", port ? json_object_get_string(port) : "");
	(void)json_object_put(o);
	return ret;
}

/* As on the switch: the module serves the first port, each lane its own. */
static void test_remote_lane_of_a_breakout_is_of_its_own_port(void **state)
{
	static const char *const want[] = { "Ethernet8", "Ethernet8",
					    "Ethernet10", "Ethernet10", "" };
	char first[] = "1", third[] = "3", fifth[] = "5", port[32];
	struct bed *b = *state;

	listed(b, PORT, ENTITY_PORT, 1, "Ethernet8", 0, first, false);
	listed(b, 3, ENTITY_PORT, 1, "Ethernet10", 0, third, false);
	listed(b, 4, ENTITY_PORT, 1, "Ethernet12", 0, fifth, true);
	listed(b, 10, ENTITY_MODULE, 1, "", 3, NULL, false);
	for (uint32_t n = 0; n < 5; n++)
		listed(b, 11 + n, ENTITY_LANE, 10, "", n + 1, NULL, false);
	(void)read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD);
	for (uint32_t n = 0; n < 5; n++) {
		assert_int_equal(read_of(b, 11 + n, Q_LANE_RX_POWER_PW, 2, 7,
					 QUALITY_GOOD), 1);
		assert_string_equal(port_of_last(b, port), want[n]);
	}
	(void)read_of(b, 10, Q_MODULE_TEMP_MC, 2, 7, QUALITY_GOOD);
	assert_string_equal(port_of_last(b, port), "Ethernet8");
}

/* As on the switch: two ports of one name are told apart, one alone is not. */
static void test_remote_port_of_a_twin_has_the_asics_name(void **state)
{
	char any[] = "9", port[32];
	struct bed *b = *state;

	listed(b, 20, ENTITY_ASIC, 1, "asic0", 0, NULL, false);
	listed(b, 21, ENTITY_ASIC, 1, "asic1", 0, NULL, false);
	listed(b, 22, ENTITY_PORT, 20, "Ethernet0", 0, any, false);
	listed(b, 23, ENTITY_PORT, 21, "Ethernet0", 0, any, false);
	listed(b, 24, ENTITY_QUEUE, 23, "", 3, NULL, false);
	(void)read_at(b, Q_IF_IN_OCTETS, 1, 42, QUALITY_GOOD);
	(void)read_of(b, 24, Q_QUEUE_FRAMES, 2, 7, QUALITY_GOOD);
	assert_string_equal(port_of_last(b, port), "asic1:Ethernet0");
	listed(b, 22, ENTITY_PORT, 20, "Ethernet0", 0, any, true);
	(void)read_of(b, 23, Q_IF_IN_OCTETS, 3, 7, QUALITY_GOOD);
	assert_string_equal(port_of_last(b, port), "Ethernet0");
}

/* --- sources -------------------------------------------------------------- */

/* A reading of a source at a time, and a batch then; how many samples it made.
 */
static size_t source_read(struct bed *b, struct remote_sources *s,
			  uint8_t source, enum quantity q, int64_t taken_s,
			  int64_t batch_s)
{
	const uint32_t entity = PORT;
	const int64_t taken = taken_s * NS_PER_S, none = 0;
	const uint8_t quality = QUALITY_GOOD;
	struct decoded_column c = { .batch = { batch_s * NS_PER_S },
				    .quantity = (uint16_t)q, .count = 1,
				    .source = source, .entity = &entity,
				    .value = &none, .quality = &quality,
				    .taken_ns = &taken, .window_ns = &none };
	size_t before = b->batch.count;

	remote_sources_column(s, &c);
	assert_int_equal(remote_sources_tell(s, b->run, &b->batch), 0);
	return b->batch.count - before;
}

#define FRESH(source, s, value) "{\"labels\":{\"__name__\":" \
	"\"petrel_source_fresh\",\"source\":\"" source "\",\"switch\":" \
	"\"leaf1\"},\"time_ms\":18000" s "000,\"value\":" value "}"

static void test_remote_source_is_fresh_while_it_is_read(void **state)
{
	struct bed *b = *state;
	struct remote_sources *s;

	assert_int_equal(remote_sources_new(&s), 0);
	remote_source_set(s, 0, "sonic.counters", 10 * NS_PER_S);
	remote_source_set(s, 70, "sonic.counters", 10 * NS_PER_S);
	remote_source_set(s, 1, "petrel.self", NS_PER_S);
	remote_source_set(s, 2, "sonic.ports", 0);
	remote_source_set(s, 3, "sonic.neighbors", 10 * NS_PER_S);
	assert_int_equal(source_read(b, s, 0, Q_IF_IN_OCTETS, 1, 1), 1);
	check_sample(b, 0, FRESH("sonic.counters", "00001", "1.0"));
	assert_int_equal(source_read(b, s, 1, Q_SELF_CPU_NS, 1, 20), 0);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 21, 21), 0);
	/* three times its pace, and 2 s; each minute the same again */
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 33, 33), 0);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 34, 34), 1);
	check_sample(b, 1, FRESH("sonic.counters", "00034", "0.0"));
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 90, 90), 0);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 94, 94), 1);
	/* by another number of the same source */
	assert_int_equal(source_read(b, s, 70, Q_IF_IN_OCTETS, 95, 95), 1);
	check_sample(b, 3, FRESH("sonic.counters", "00095", "1.0"));
	remote_sources_free(s);
}

/* What is read seldom has longer, what only changes says nothing. */
static void test_remote_source_of_slow_values_has_longer(void **state)
{
	struct bed *b = *state;
	struct remote_sources *s;

	assert_int_equal(remote_sources_new(&s), 0);
	remote_source_set(s, 0, "sonic.dom", 10 * NS_PER_S);
	remote_source_set(s, 1, "sonic.thresholds", 60 * NS_PER_S);
	assert_int_equal(source_read(b, s, 1, Q_MODULE_TEMP_THRESHOLD_MC, 1,
				     1), 0);
	assert_int_equal(source_read(b, s, 1, Q_MODULE_READING_FAULTS, 1, 1),
			 0);
	assert_int_equal(source_read(b, s, 0, Q_MODULE_TEMP_MC, 1, 1), 1);
	assert_int_equal(source_read(b, s, 0, Q_MODULE_TEMP_MC, 1, 181), 1);
	check_sample(b, 1, FRESH("sonic.dom", "00181", "1.0"));
	assert_int_equal(source_read(b, s, 0, Q_MODULE_TEMP_MC, 1, 182), 1);
	check_sample(b, 2, FRESH("sonic.dom", "00182", "0.0"));
	remote_sources_free(s);
}

/* It hangs since before this start: only the database knows that it gave. What
 * gave nothing in its run may not be on this switch.
 */
static void test_remote_source_that_hangs_is_told_after_a_restart(void **state)
{
	struct bed *b = *state;
	struct remote_source_kept kept;
	struct remote_sources *s;
	size_t at = 0;

	assert_int_equal(remote_sources_new(&s), 0);
	remote_source_set(s, 0, "sonic.counters", 10 * NS_PER_S);
	remote_source_gave(s, "sonic.counters", Q_IF_IN_OCTETS);
	remote_source_set(s, 1, "sonic.thresholds", 60 * NS_PER_S);
	remote_source_gave(s, "sonic.thresholds", 0);
	remote_source_set(s, 2, "sonic.neighbors", 10 * NS_PER_S);
	remote_source_set(s, 3, "sonic.dom", 10 * NS_PER_S);
	remote_source_gave(s, "sonic.dom", Q_MODULE_TEMP_MC);
	assert_int_equal(source_read(b, s, 1, Q_MODULE_TEMP_THRESHOLD_MC, 1,
				     100), 0);
	assert_int_equal(source_read(b, s, 1, Q_MODULE_TEMP_THRESHOLD_MC, 1,
				     132), 0);
	assert_int_equal(source_read(b, s, 1, Q_MODULE_TEMP_THRESHOLD_MC, 1,
				     133), 1);
	check_sample(b, 0, FRESH("sonic.counters", "00133", "0.0"));
	assert_int_equal(source_read(b, s, 3, Q_MODULE_TEMP_MC, 140, 140), 1);
	check_sample(b, 1, FRESH("sonic.dom", "00140", "1.0"));
	assert_false(remote_source_next(s, &at, &kept));
	remote_sources_free(s);
}

/* Its age is judged by the pace that it has now. */
static void test_remote_source_of_another_pace_is_judged_by_it(void **state)
{
	struct bed *b = *state;
	struct remote_sources *s;

	assert_int_equal(remote_sources_new(&s), 0);
	remote_source_set(s, 0, "sonic.counters", 10 * NS_PER_S);
	assert_int_equal(source_read(b, s, 0, Q_IF_IN_OCTETS, 1, 1), 1);
	remote_source_set(s, 0, "sonic.counters", 20 * NS_PER_S);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 34, 34), 0);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 63, 63), 1);
	assert_int_equal(source_read(b, s, 2, Q_OPER_STATUS, 64, 64), 1);
	check_sample(b, 2, FRESH("sonic.counters", "00064", "0.0"));
	remote_sources_free(s);
}

/* A threshold goes for light, whichever came first, and does not come back. */
static void test_remote_what_findings_need_goes_first(void **state)
{
	struct bed *b = *state;

	assert_int_equal(read_at(b, Q_MTU_OCTETS, 1, 9100, QUALITY_GOOD), 2);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 2, 42, QUALITY_GOOD), 2);
	check_sample(b, 2, SERIES("mtu_bytes")
		     "1800000002000,\"value\":null}");
	check_sample(b, 3, SERIES("if_in_bytes_total")
		     "1800000002000,\"value\":42.0}");
	assert_int_equal(read_at(b, Q_MTU_OCTETS, 3, 9100, QUALITY_GOOD), 0);
	assert_int_equal(remote_series_held_back(b->series), 2);
}

/* A million that seldom change keep none out that findings need. */
static void test_remote_too_many_series_are_no_failure(void **state)
{
	enum { ROWS = 65536 };
	struct bed *b = *state;
	uint32_t *entity = calloc(ROWS, sizeof(*entity));
	int64_t *value = calloc(ROWS, sizeof(*value));
	int64_t *taken = calloc(ROWS, sizeof(*taken));
	uint8_t *quality = calloc(ROWS, sizeof(*quality));
	struct decoded_column c = { .quantity = Q_MTU_OCTETS, .count = ROWS,
				    .entity = entity, .value = value,
				    .quality = quality, .taken_ns = taken,
				    .window_ns = taken };

	for (uint32_t i = 0; i < ROWS; i++) {
		entity[i] = 100 + i;
		taken[i] = 2 * NS_PER_S;
	}
	for (uint16_t n = 0; n < 17; n++) {
		c.index = n;
		assert_int_equal(remote_series_column(b->series, b->run, &c,
						      &b->batch), 0);
	}
	assert_true(remote_series_held_back(b->series) > 300000);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 9, 42, QUALITY_GOOD), 1);
	free(entity);
	free(value);
	free(taken);
	free(quality);
}

static void test_remote_clock_that_was_never_set_is_not_believed(void **state)
{
	struct bed *b = *state;

	*known_clock(b->run) = (struct run_clock){ .steps_back = 0 };
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 9, 42, QUALITY_GOOD), 0);
	assert_int_equal(remote_series_held_back(b->series), 1);
	hear(b, 10, 86400 * NS_PER_S, true, T0_NS);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 11, 42, QUALITY_GOOD), 2);
	check_sample(b, 0, SERIES("if_in_bytes_total")
		     "1800000001000,\"value\":42.0}");
}

static void test_remote_time_goes_on_when_a_clock_steps_back(void **state)
{
	struct bed *b = *state;

	hear(b, 60, T0_NS - 365 * 86400 * NS_PER_S, true, T0_NS + 60 *
	     NS_PER_S);
	assert_int_equal(read_at(b, Q_IF_IN_OCTETS, 61, 42, QUALITY_GOOD), 2);
	check_sample(b, 0, SERIES("if_in_bytes_total")
		     "1800000061000,\"value\":42.0}");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_remote_##name, setup, \
						teardown)
	const struct CMUnitTest tests[] = {
		T(value_has_its_name_labels_and_time),
		T(time_goes_on_when_a_clock_steps_back),
		T(message_is_the_protocols),
		T(unchanged_value_goes_once_a_minute),
		T(reading_that_is_told_again_goes_once),
		T(what_is_not_good_any_more_ends),
		T(what_is_gone_ends),
		T(lane_of_a_breakout_is_of_its_own_port),
		T(port_of_a_twin_has_the_asics_name),
		T(source_is_fresh_while_it_is_read),
		T(source_of_slow_values_has_longer),
		T(source_that_hangs_is_told_after_a_restart),
		T(source_of_another_pace_is_judged_by_it),
		cmocka_unit_test_setup_teardown(
			test_remote_above_the_bound_is_held_back_and_told,
			setup_bounded, teardown),
		cmocka_unit_test_setup_teardown(
			test_remote_what_findings_need_goes_first,
			setup_bounded, teardown),
		T(clock_that_was_never_set_is_not_believed),
		T(too_many_series_are_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

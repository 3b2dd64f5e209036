/* petrel-test: no-valgrind its scenarios run faster than valgrind can play */
/* The sim driver (C7): its values are the plant's, its times the real clock's,
 * and what happens is told when it happens. The contract suite does the rest.
 *
 * petrel-test: no-valgrind the real clock does not wait for it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "petrel/link.h"
#include "petrel/plant.h"
#include "platform/driver.h"
#include "platform/sim/sim_clock.h"
#include "platform/sim/sim_publish.h"
#include "tests/support/measure.h"
#include "tests/support/recording_host.h"

#define SCENARIOS "tests/data/scenarios/"
#define CATCH_UP_MOST 2000

/* A host, an instance, and its scenario in a file. */
struct bench {
	char path[64];
	const char *speed, *scenario;	/* as options */
	struct recording_host *record;
	struct platform_env env;
	void *instance;
	struct platform_host host;
	unsigned oper_down_first;	/* events whose state was told before */
	struct diag diag;
};

static const char *option_get(void *context, const char *key)
{
	const struct bench *b = context;

	if (strcmp(key, "scenario") == 0)
		return b->scenario;
	return strcmp(key, "speed") == 0 ? b->speed : NULL;
}

static void file_make(struct bench *b, const char *text)
{
	int fd;

	(void)strcpy(b->path, "/tmp/petrel-sim-XXXXXX");
	fd = mkstemp(b->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
	b->scenario = b->path;
}

static const struct recorded_value *value_of(const struct bench *b,
					     uint32_t handle,
					     enum quantity q, unsigned index)
{
	const struct recorded_value *v;
	size_t n = recording_host_values(b->record, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i].handle == handle && v[i].quantity == q &&
		    v[i].index == index)
			return &v[i];
	return NULL;
}

/* Between the driver and the recording host: notes whether a link's state was
 * told before the event, then hands the event on.
 */
static void on_event(void *context, uint32_t handle, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);
	const struct recorded_value *v = value_of(b, handle, Q_OPER_STATUS, 0);

	if (what == EVENT_LINK_DOWN && v && v->value == OPER_DOWN)
		b->oper_down_first++;
	to->event(to->context, handle, what, value, when, text);
}

static int on_entity(void *context, const struct entity_key *key,
		     uint32_t *ret_handle)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	return to->entity(to->context, key, ret_handle);
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	to->attribute(to->context, handle, which, text);
}

static void on_gone(void *context, uint32_t handle)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	to->gone(to->context, handle);
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	to->group(to->context, source, handle, age);
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	to->sample(to->context, quantity, index, value, quality);
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct bench *b = context;
	const struct platform_host *to = recording_host_get(b->record);

	to->source(to->context, source, state, interval_ns, reason);
}

static int bench_try(struct bench *b, bool blocking)
{
	const struct recording_limits limits = { .blocking = blocking,
						 .oldest_ns = 20 * NS_PER_S };

	assert_int_equal(recording_host_new(&sim_driver, &limits, &b->record),
			 0);
	b->host = (struct platform_host){
		.abi = PLATFORM_ABI, .size = sizeof(b->host), .context = b,
		.entity = on_entity, .attribute = on_attribute,
		.gone = on_gone, .group = on_group, .sample = on_sample,
		.event = on_event, .source = on_source };
	b->env = (struct platform_env){
		.abi = PLATFORM_ABI,
		.size = sizeof(b->env),
		.root_fd = -1,
		.blocking = blocking,
		.option_context = b,
		.option = option_get,
		.host = &b->host,
	};
	return sim_driver.open(&b->env, &b->instance, &b->diag);
}

static void bench_open(struct bench *b, const char *text, const char *speed,
		       bool blocking)
{
	memset(b, 0, sizeof(*b));
	b->speed = speed;
	file_make(b, text);
	if (bench_try(b, blocking) < 0)
		fail_msg("%s", b->diag.text);
	assert_int_equal(sim_driver.inventory(b->instance, &b->diag), 0);
}

static void bench_close(struct bench *b)
{
	for (size_t i = 0; i < recording_host_faults(b->record); i++)
		print_error("%s\n", recording_host_fault(b->record, i));
	assert_int_equal(recording_host_faults(b->record), 0);
	if (b->instance)
		sim_driver.close(b->instance);
	recording_host_free(b->record);
	if (b->path[0])
		(void)unlink(b->path);
}

static int bench_read(struct bench *b, enum publish_source source)
{
	return sim_driver.sources[source]->read(b->instance, clock_mono_now(),
						&b->diag);
}

/* Reads until the scenario has caught up. */
static void bench_read_good(struct bench *b, enum publish_source source)
{
	int rc = -ENODATA;

	for (int i = 0; i < CATCH_UP_MOST && rc == -ENODATA; i++)
		rc = bench_read(b, source);
	if (rc < 0)
		fail_msg("%d: %s", rc, b->diag.text);
}

/* Serves the instance's descriptor for so long. */
static void bench_run(struct bench *b, int64_t ns)
{
	struct mono end = { clock_mono_now().ns + ns };
	struct mono now = clock_mono_now();
	uint32_t want;

	while (now.ns < end.ns) {
		struct pollfd p = {
			.fd = sim_driver.event_fd(b->instance, &want),
			.events = POLLIN,
		};

		if (poll(&p, 1, (int)((end.ns - now.ns) / NS_PER_MS) + 1) > 0)
			sim_driver.event(b->instance, clock_mono_now());
		now = clock_mono_now();
	}
}

static int64_t told(const struct bench *b, uint32_t handle, enum quantity q,
		    unsigned index)
{
	const struct recorded_value *v = value_of(b, handle, q, index);

	if (!v)
		fail_msg("%s[%u] was not told", quantity_find(q)->name, index);
	return v->value;
}

static uint32_t child(const struct bench *b, uint32_t parent,
		      enum entity_kind kind, uint32_t number)
{
	const struct recorded_entity *e;

	for (uint32_t h = 1; (e = recording_host_entity(b->record, h)); h++)
		if (!e->gone && e->key.kind == kind &&
		    e->key.parent == parent && e->key.number == number)
			return h;
	return ENTITY_NONE;
}

static unsigned count_of(const struct bench *b, enum entity_kind kind)
{
	const struct recorded_entity *e;
	unsigned n = 0;

	for (uint32_t h = 1; (e = recording_host_entity(b->record, h)); h++)
		n += !e->gone && e->key.kind == kind;
	return n;
}

#define SMALL "switch ports=4 seed=5 dom=1s\n"

/* The plant at the step that the host was told of. */
static struct plant *plant_then(const struct bench *b, const char *text,
				const struct recorded_value *v)
{
	/* Time 0 is the whole second before the open; all happened within. */
	int64_t start = v->age.taken.ns / NS_PER_S * NS_PER_S;
	int64_t speed = b->speed ? atoi(b->speed) : 1;
	struct plant *p = NULL;

	assert_int_equal(plant_open(text, strlen(text), "t", &p, NULL), 0);
	plant_pace(p, (double)speed);
	/* The division of the driver may have lost a nanosecond. */
	plant_advance(p, (v->age.taken.ns - start + 1) * speed);
	return p;
}

/* Played ten times as fast, a link carries no more than it can in a second of
 * the clock by which it is read, and has as many bit errors.
 */
static void test_sim_rates_are_a_links_at_any_speed(void **state)
{
	struct plant_port at[2][2];

	(void)state;
	for (int fast = 0; fast < 2; fast++) {
		int64_t second = (fast ? 10 : 1) * NS_PER_S;
		struct plant *p = NULL;

		assert_int_equal(plant_open(SMALL, strlen(SMALL), "t", &p,
					    NULL), 0);
		plant_pace(p, fast ? 10 : 1);
		plant_advance(p, 10 * second);
		plant_port(p, 0, &at[fast][0]);
		plant_advance(p, 20 * second);
		plant_port(p, 0, &at[fast][1]);
		plant_close(p);
	}
	for (int fast = 0; fast < 2; fast++) {
		double bits = 8 * (double)(at[fast][1].in_octets -
					   at[fast][0].in_octets);
		double wrong = (double)(at[fast][1].fec_corrected_bits -
					at[fast][0].fec_corrected_bits);

		assert_true(bits > 0.1 * 10 * 4e11 && bits < 10 * 4e11);
		assert_true(wrong / (10 * 4.25e11) < 1e-6);
	}
	assert_true(at[1][1].fec_corrected_bits - at[1][0].fec_corrected_bits <
		    3 * (at[0][1].fec_corrected_bits -
			 at[0][0].fec_corrected_bits));
}

static void counters_compare(const struct bench *b, uint32_t port,
			     const struct plant_port *p)
{
	assert_true(p->in_octets > 0);
	assert_int_equal(told(b, port, Q_IF_IN_OCTETS, 0), p->in_octets);
	assert_int_equal(told(b, port, Q_IF_OUT_OCTETS, 0), p->out_octets);
	assert_int_equal(told(b, port, Q_IF_IN_UCAST_FRAMES, 0) +
			 told(b, port, Q_IF_IN_NON_UCAST_FRAMES, 0),
			 p->in_frames);
	for (unsigned k = 0; k < PLANT_FEC_BINS; k++)
		assert_int_equal(told(b, port, Q_FEC_CODEWORD_ERRORS, k),
				 p->fec_bins[k]);
	for (unsigned k = 0; k < PLANT_SIZE_BINS; k++)
		assert_int_equal(told(b, port, Q_ETHER_OUT_SIZE_FRAMES, k),
				 p->out_size_frames[k]);
	assert_int_equal(told(b, child(b, port, ENTITY_PRIORITY, 3),
			      Q_PFC_RX_FRAMES, 0),
			 p->priority[3].pfc_rx_frames);
}

/* Waits until the open will not be near the end of a whole second. */
static void second_begin(void)
{
	while (clock_mono_now().ns % NS_PER_S > NS_PER_S / 2)
		(void)usleep(10000);
}

static void test_sim_counters_are_the_plants(void **state)
{
	struct plant_port now;
	struct plant *p;
	struct bench b;
	uint32_t port;

	(void)state;
	second_begin();
	bench_open(&b, SMALL, "1000", false);
	bench_run(&b, 20 * NS_PER_MS);
	bench_read_good(&b, SOURCE_COUNTERS);
	port = recording_host_find(b.record, ENTITY_PORT, "Ethernet8");
	p = plant_then(&b, SMALL, value_of(&b, port, Q_IF_IN_OCTETS, 0));
	plant_port(p, 1, &now);
	counters_compare(&b, port, &now);
	plant_close(p);
	bench_close(&b);
}

static void test_sim_lanes_are_the_modules_registers(void **state)
{
	const struct recorded_value *v;
	struct plant_port now;
	struct measure m;
	struct plant *p;
	uint32_t module, lane;
	struct bench b;

	(void)state;
	second_begin();
	bench_open(&b, SMALL, "1000", false);
	bench_run(&b, 20 * NS_PER_MS);
	bench_read_good(&b, SOURCE_DOM);
	module = child(&b, ENTITY_NONE, ENTITY_MODULE, 2);
	lane = child(&b, module, ENTITY_LANE, 3);
	v = value_of(&b, module, Q_MODULE_TEMP_MC, 0);
	assert_non_null(v);
	p = plant_then(&b, SMALL, v);
	plant_port(p, 1, &now);
	measure_module(&now, 4, &m);
	assert_int_equal(v->value, m.temp_mc);
	assert_int_equal(told(&b, lane, Q_LANE_RX_POWER_PW, 0),
			 m.lane[2].rx_pw);
	assert_int_equal(told(&b, lane, Q_LANE_TX_BIAS_UA, 0),
			 m.lane[2].bias_ua);
	/* Of two groups of one time a host takes the first alone. */
	assert_int_equal(value_of(&b, lane, Q_LANE_RX_LOS, 0)->group,
			 value_of(&b, lane, Q_LANE_TX_BIAS_UA, 0)->group);
	assert_int_equal(told(&b, module, Q_MODULE_TEMP_THRESHOLD_MC, 0),
			 75000);
	assert_int_equal(told(&b, module, Q_MODULE_TEMP_THRESHOLD_MC, 1),
			 -5000);
	plant_close(p);
	bench_close(&b);
}

#define COHERENT SMALL "port Ethernet8 media=ZR\n"

/* The plant's modules belong to nobody else. */
static void test_sim_reads_the_books_of_a_coherent_module(void **state)
{
	const struct recorded_value *v;
	struct plant_coherent c;
	uint32_t module, lane;
	struct plant *p;
	struct bench b;

	(void)state;
	second_begin();
	bench_open(&b, COHERENT, "1000", false);
	bench_run(&b, 20 * NS_PER_MS);
	bench_read_good(&b, SOURCE_DOM);
	module = child(&b, ENTITY_NONE, ENTITY_MODULE, 2);
	lane = child(&b, module, ENTITY_LANE, 1);
	v = value_of(&b, module, Q_PM_CD_PS_PER_NM, 1);
	assert_non_null(v);
	p = plant_then(&b, COHERENT, v);
	assert_true(plant_coherent(p, 1, &c));
	assert_true((double)v->value - c.value[COHERENT_CD_PS_PER_NM].min <=
		    0.5);
	assert_true(c.value[COHERENT_CD_PS_PER_NM].min - (double)v->value <=
		    0.5);
	assert_non_null(value_of(&b, lane, Q_VDM_OSNR_MDB, 0));
	assert_null(value_of(&b, child(&b, ENTITY_NONE, ENTITY_MODULE, 1),
			     Q_PM_CD_PS_PER_NM, 1));
	plant_close(p);
	bench_close(&b);
}

/* A bus that hangs is told as such, and nothing of it as a value. */
static void test_sim_takes_no_books_from_a_hung_bus(void **state)
{
	const struct recorded_value *v;
	size_t count;
	struct bench b;

	(void)state;
	second_begin();
	bench_open(&b, COHERENT "at 0s Ethernet8 bad_dom\n", "1000", false);
	bench_run(&b, 20 * NS_PER_MS);
	bench_read_good(&b, SOURCE_DOM);
	count = recording_host_values(b.record, &v);
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++)
		assert_false(v[i].quantity >= Q_PM_PRE_FEC_BER_E18 &&
			     v[i].quantity <= Q_PM_MER_MDB);
	bench_close(&b);
}

static void test_sim_tells_ports_with_their_attributes(void **state)
{
	const struct recorded_entity *e;
	struct bench b;

	(void)state;
	bench_open(&b, "switch ports=8 breakout=4 lanes=2 speed=100G\n", "1",
		   false);
	assert_int_equal(count_of(&b, ENTITY_PORT), 8);
	assert_int_equal(count_of(&b, ENTITY_MODULE), 2);
	assert_int_equal(count_of(&b, ENTITY_LANE), 16);
	assert_int_equal(count_of(&b, ENTITY_QUEUE), 64);
	e = recording_host_entity(b.record,
				  recording_host_find(b.record, ENTITY_PORT,
						      "Ethernet10"));
	assert_string_equal(e->attribute[ATTRIBUTE_MODULE], "2");
	assert_string_equal(e->attribute[ATTRIBUTE_FIRST_LANE], "3");
	assert_string_equal(e->attribute[ATTRIBUTE_LANE_COUNT], "2");
	assert_string_equal(e->attribute[ATTRIBUTE_MEDIA], "DR4");
	assert_string_equal(e->attribute[ATTRIBUTE_FEC], "rs544");
	assert_non_null(e->attribute[ATTRIBUTE_PEER_SWITCH]);
	e = recording_host_entity(b.record, child(&b, ENTITY_NONE,
						  ENTITY_MODULE, 2));
	assert_non_null(e->attribute[ATTRIBUTE_SERIAL]);
	assert_non_null(e->attribute[ATTRIBUTE_VENDOR]);
	bench_close(&b);
}

static void test_sim_tells_a_drop_at_once_and_its_state_first(void **state)
{
	struct bench b;
	uint32_t port;

	(void)state;
	second_begin();
	bench_open(&b, SMALL "at 60s Ethernet8 flap count=3 every=10s "
		   "last=5s\nat 92s Ethernet16 down\n", "100", false);
	bench_run(&b, NS_PER_S);
	assert_int_equal(recording_host_events(b.record, EVENT_LINK_DOWN), 4);
	assert_int_equal(recording_host_events(b.record, EVENT_LINK_UP), 3);
	assert_int_equal(b.oper_down_first, 4);
	port = recording_host_find(b.record, ENTITY_PORT, "Ethernet16");
	assert_int_equal(told(&b, port, Q_DOWN_REASON, 0), DOWN_RX_LOS);
	bench_close(&b);
}

static void test_sim_swap_makes_a_new_module_and_lanes(void **state)
{
	uint32_t module, before;
	const char *serial;
	struct bench b;

	(void)state;
	bench_open(&b, SMALL "at 1100s Ethernet8 swap gap=20s\n", "1000",
		   false);
	before = child(&b, ENTITY_NONE, ENTITY_MODULE, 2);
	serial = recording_host_entity(b.record, before)
			 ->attribute[ATTRIBUTE_SERIAL];
	bench_run(&b, 200 * NS_PER_MS + NS_PER_S);
	bench_read_good(&b, SOURCE_DOM);
	module = child(&b, ENTITY_NONE, ENTITY_MODULE, 2);
	assert_true(module != before && module != ENTITY_NONE);
	assert_true(recording_host_entity(b.record, before)->gone);
	assert_string_not_equal(recording_host_entity(b.record, module)
					->attribute[ATTRIBUTE_SERIAL], serial);
	assert_int_equal(recording_host_events(b.record,
					       EVENT_MODULE_REMOVED), 1);
	assert_int_equal(recording_host_events(b.record,
					       EVENT_MODULE_INSERTED), 1);
	assert_non_null(value_of(&b, child(&b, module, ENTITY_LANE, 1),
				 Q_LANE_RX_POWER_PW, 0));
	bench_close(&b);
}

static void test_sim_pull_takes_a_breakout_module_once(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "switch ports=8 breakout=4 lanes=2\n"
		   "at 1100s Ethernet2 pull for=200s\n", "1000", false);
	bench_run(&b, 450 * NS_PER_MS + NS_PER_S);
	assert_int_equal(count_of(&b, ENTITY_MODULE), 2);
	assert_int_equal(count_of(&b, ENTITY_LANE), 16);
	assert_int_equal(recording_host_events(b.record,
					       EVENT_MODULE_REMOVED), 4);
	assert_int_equal(recording_host_events(b.record, EVENT_LINK_DOWN), 4);
	bench_close(&b);
}

static void test_sim_silent_port_is_absent_and_others_are_not(void **state)
{
	uint32_t silent, other;
	struct bench b;

	(void)state;
	bench_open(&b, SMALL "at 0s Ethernet8 missing\n", "1000", false);
	bench_read_good(&b, SOURCE_COUNTERS);
	silent = recording_host_find(b.record, ENTITY_PORT, "Ethernet8");
	other = recording_host_find(b.record, ENTITY_PORT, "Ethernet16");
	assert_null(value_of(&b, silent, Q_IF_IN_OCTETS, 0));
	assert_non_null(value_of(&b, other, Q_IF_IN_OCTETS, 0));
	bench_close(&b);
	bench_open(&b, SMALL "at 0s all missing\n", "1", false);
	assert_int_equal(bench_read(&b, SOURCE_COUNTERS), -ENODATA);
	assert_string_equal(b.diag.text, "no port answers");
	bench_close(&b);
}

static void test_sim_says_that_it_is_behind_and_catches_up(void **state)
{
	struct bench b;
	int rc;

	(void)state;
	while (clock_mono_now().ns % NS_PER_S < NS_PER_S / 2)
		(void)usleep(10000);
	/* Half a second is more than an hour: too much for one call. */
	bench_open(&b, "switch ports=64\n", "10000", false);
	rc = bench_read(&b, SOURCE_COUNTERS);
	assert_int_equal(rc, -ENODATA);
	assert_non_null(strstr(b.diag.text, "catching up"));
	assert_int_equal(recording_host_samples(b.record), 0);
	bench_close(&b);
	bench_open(&b, "switch ports=64\n", "100", false);
	bench_read_good(&b, SOURCE_COUNTERS);
	bench_close(&b);
}

static void test_sim_tells_readings_of_modules_once(void **state)
{
	uint64_t before;
	struct bench b;

	(void)state;
	bench_open(&b, "switch ports=4 dom=1h tick=1h\n", "1", false);
	bench_read_good(&b, SOURCE_DOM);
	before = recording_host_samples(b.record);
	assert_true(before > 0);
	bench_read_good(&b, SOURCE_DOM);
	assert_int_equal(recording_host_samples(b.record), before);
	bench_close(&b);
}

/* No peak is lost between two reads, however many steps lie between. */
static void test_sim_watermark_is_the_peak_of_all_steps(void **state)
{
	const struct recorded_value *v;
	struct bench b;
	uint32_t queue;

	(void)state;
	second_begin();
	bench_open(&b, SMALL "at 900s Ethernet8 microburst rate=1 peak=60% "
		   "for=30s\n", "1000", false);
	bench_run(&b, NS_PER_S + 100 * NS_PER_MS);
	bench_read_good(&b, SOURCE_QUEUES);
	queue = child(&b, recording_host_find(b.record, ENTITY_PORT,
					      "Ethernet8"), ENTITY_QUEUE, 3);
	v = value_of(&b, queue, Q_QUEUE_WATERMARK_OCTETS, 0);
	assert_non_null(v);
	assert_true(v->value > 10000000);
	assert_true(v->age.window_ns > NS_PER_S / 2);
	bench_run(&b, 30 * NS_PER_MS);
	bench_read_good(&b, SOURCE_QUEUES);
	v = value_of(&b, queue, Q_QUEUE_WATERMARK_OCTETS, 0);
	assert_true(v->value < 10000000);
	bench_close(&b);
}

static void test_sim_core_and_reader_agree_on_time_0(void **state)
{
	const struct recorded_value *a, *b;
	struct bench core, reader;

	(void)state;
	bench_open(&core, SMALL, "1", false);
	bench_open(&reader, SMALL, "1", true);
	bench_read_good(&core, SOURCE_COUNTERS);
	bench_read_good(&reader, SOURCE_SENSORS);
	assert_true(recording_host_values(core.record, &a) > 0);
	assert_true(recording_host_values(reader.record, &b) >= 10);
	assert_int_equal(a[0].age.taken.ns % NS_PER_S, 0);
	assert_int_equal(b[0].age.taken.ns % NS_PER_S, 0);
	bench_close(&core);
	bench_close(&reader);
}

/* Runs fn in a child; returns its exit status. */
static int child_run(int (*fn)(int64_t argument), int64_t argument)
{
	int status, pid = fork();

	if (pid == 0)
		_exit(fn(argument));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int is_started_at(int64_t begun_ns)
{
	struct mono start = sim_start(clock_mono_now());
	/* The kernel tells starts in steps of ten milliseconds. */
	int64_t slack = 20 * NS_PER_MS;

	return start.ns % NS_PER_S == 0 && start.ns <= begun_ns + slack &&
		start.ns > begun_ns - NS_PER_S - slack ? 0 : 1;
}

/* Stands for the supervisor: its child opens an instance late. */
static int late_child(int64_t begun_ns)
{
	(void)usleep(1200000);
	return child_run(is_started_at, begun_ns);
}

static void test_sim_start_is_the_parents_of_the_same_program(void **state)
{
	struct mono now;

	(void)state;
	assert_int_equal(child_run(late_child, clock_mono_now().ns), 0);
	/* This test's own parent is another program. */
	now = clock_mono_now();
	assert_int_equal(sim_start(now).ns, now.ns / NS_PER_S * NS_PER_S);
}

static void test_sim_start_is_read_from_the_kernels_text(void **state)
{
	static const char good[] = "77 (pet) reld) S 1 2 3 4 5 6 7 8 9 10 11 "
		"12 13 14 15 16 17 18 4711 20 21\n";
	char text[sizeof(good)];
	int64_t ticks = 0;

	(void)state;
	assert_int_equal(sim_stat_parse(good, "pet) reld", &ticks), 0);
	assert_int_equal(ticks, 4711);
	assert_int_equal(sim_stat_parse(good, "pet", &ticks), -ENOENT);
	assert_int_equal(sim_stat_parse("77 petreld S", "petreld", &ticks),
			 -EBADMSG);
	assert_int_equal(sim_stat_parse("1 (a-name-of-more) S 1 2 3 4 5 6 7 8 9 "
				     "10 11 12 13 14 15 16 17 18 5",
				     "a-name-of-more-than-15", &ticks),
			 -ENOENT);
	for (size_t len = 0; len < strlen(good) - 12; len++) {
		memcpy(text, good, len);
		text[len] = '\0';
		assert_true(sim_stat_parse(text, "pet) reld", &ticks) < 0);
	}
}

static void assert_not_open(const char *text, const char *speed,
			    const char *part)
{
	struct bench b = { .speed = speed };

	if (text)
		file_make(&b, text);
	assert_true(bench_try(&b, false) < 0);
	if (!strstr(b.diag.text, part))
		fail_msg("'%s' is not in: %s", part, b.diag.text);
	bench_close(&b);
}

static void test_sim_tells_why_it_cannot_open(void **state)
{
	struct bench b = { .scenario = "/nonexistent/x.scenario" };

	(void)state;
	assert_not_open(NULL, NULL, "[Sim] scenario is not set");
	assert_not_open(SMALL, "fast", "speed = fast");
	assert_not_open(SMALL, "0", "above 0");
	assert_not_open(SMALL, "10001", "up to 10000");
	assert_not_open(SMALL "at 1s Ethernet8 dirt\n", "1",
			":2: 'dirt' is not a fault; did you mean 'dirty'?");
	assert_int_equal(bench_try(&b, false), -ENOENT);
	assert_non_null(strstr(b.diag.text, "/nonexistent/x.scenario"));
	assert_int_equal(sim_driver.probe(&b.env, NULL), 1);
	b.scenario = NULL;
	assert_int_equal(sim_driver.probe(&b.env, &b.diag), 0);
	bench_close(&b);
}

/* How many of the newest values differ from a copy taken before, and of those
 * gauges and rates, how many did not merely count on at the same pace.
 */
static size_t changed(const struct recorded_value *now,
		      const struct recorded_value *old, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += now[i].value != old[i].value;
	return count;
}

static void busy_read(struct bench *b)
{
	for (int s = SOURCE_COUNTERS; s <= SOURCE_PORTS; s++)
		bench_read_good(b, (enum publish_source)s);
}

static void test_busy_scenario_gives_20000_values_and_a_quarter_moves(void **s)
{
	const struct recorded_value *v;
	struct bench b = { .scenario = SCENARIOS "busy.scenario",
			   .speed = "10" };
	struct recorded_value *old;
	uint64_t before;
	size_t n, moved;

	(void)s;
	assert_int_equal(bench_try(&b, false), 0);
	assert_int_equal(sim_driver.inventory(b.instance, &b.diag), 0);
	/* What stays of the modules is told in turns. */
	for (int i = 0; i < 6; i++) {
		bench_run(&b, 120 * NS_PER_MS);
		busy_read(&b);
	}
	n = recording_host_values(b.record, &v);
	old = malloc(n * sizeof(*old));
	assert_non_null(old);
	memcpy(old, v, n * sizeof(*old));
	before = recording_host_samples(b.record);
	bench_run(&b, 300 * NS_PER_MS);
	busy_read(&b);
	before = recording_host_samples(b.record) - before;
	assert_int_equal(recording_host_values(b.record, &v), n);
	moved = changed(v, old, n);
	print_message("# %llu values, %.0f %% of them changed\n",
		      (unsigned long long)before,
		      100.0 * (double)moved / (double)n);
	assert_true(before >= 18000 && before <= 24000);
	assert_true(moved * 4 >= n);
	free(old);
	bench_close(&b);
}

static struct plant *plant_of_file(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "re");
	struct plant *p = NULL;
	struct diag d = { "" };
	size_t len;

	if (!f)
		fail_msg("%s cannot be read", path);
	len = fread(text, 1, sizeof(text), f);
	(void)fclose(f);
	if (plant_open(text, len, path, &p, &d) < 0)
		fail_msg("%s", d.text);
	return p;
}

static void test_c16_shipped_scenarios_are_read(void **state)
{
	static const char *const names[] = { "demo", "busy", "healthy",
					     "breakout" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		(void)snprintf(path, sizeof(path), SCENARIOS "%s.scenario",
			       names[i]);
		plant_close(plant_of_file(path));
	}
}

static void test_healthy_scenario_plants_benign_changes_alone(void **state)
{
	struct plant *p = plant_of_file(SCENARIOS "healthy.scenario");
	const struct plant_fault_info *rows;
	struct plant_fault f;
	size_t count;

	(void)state;
	rows = plant_faults(&count);
	assert_true(plant_fault_count(p) > 5);
	for (size_t n = 0; n < plant_fault_count(p); n++) {
		plant_fault(p, n, &f);
		for (size_t i = 0; i < count; i++)
			if (strcmp(rows[i].name, f.fault) == 0)
				assert_true(rows[i].benign);
	}
	plant_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_counters_are_the_plants),
		cmocka_unit_test(test_sim_lanes_are_the_modules_registers),
		cmocka_unit_test(
			test_sim_reads_the_books_of_a_coherent_module),
		cmocka_unit_test(test_sim_takes_no_books_from_a_hung_bus),
		cmocka_unit_test(test_sim_tells_ports_with_their_attributes),
		cmocka_unit_test(
			test_sim_tells_a_drop_at_once_and_its_state_first),
		cmocka_unit_test(test_sim_swap_makes_a_new_module_and_lanes),
		cmocka_unit_test(test_sim_pull_takes_a_breakout_module_once),
		cmocka_unit_test(
			test_sim_silent_port_is_absent_and_others_are_not),
		cmocka_unit_test(
			test_sim_says_that_it_is_behind_and_catches_up),
		cmocka_unit_test(test_sim_tells_readings_of_modules_once),
		cmocka_unit_test(test_sim_rates_are_a_links_at_any_speed),
		cmocka_unit_test(test_sim_watermark_is_the_peak_of_all_steps),
		cmocka_unit_test(test_sim_core_and_reader_agree_on_time_0),
		cmocka_unit_test(
			test_sim_start_is_the_parents_of_the_same_program),
		cmocka_unit_test(test_sim_start_is_read_from_the_kernels_text),
		cmocka_unit_test(test_sim_tells_why_it_cannot_open),
		cmocka_unit_test(
		    test_busy_scenario_gives_20000_values_and_a_quarter_moves),
		cmocka_unit_test(test_c16_shipped_scenarios_are_read),
		cmocka_unit_test(
			test_healthy_scenario_plants_benign_changes_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

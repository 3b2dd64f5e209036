/* Queues, buffers, modules, lanes, links and the overview, from a real state:
 * which ports, in which order, and what the cells say.
 */
#include "agent/query/verbs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"
#include "petrel/link.h"
#include "petrel/local.h"
#include "petrel/module.h"

#define PORTS 4			/* two of them share a cage */
#define QUEUES 3
#define ARENA (1u << 20)
#define WALL_NS (INT64_C(1700000000) * NS_PER_S)
#define MBPS 100000

/* --- the bed ------------------------------------------------------------- */

struct bed {
	struct state *state;
	struct platform_host host;
	uint32_t port[PORTS], module[2], lane[2][4];
	uint32_t queue[PORTS][QUEUES], priority[PORTS][QUEUES], pool, pg;
	struct query_context ctx;
	struct control control;
	struct answer *a;
	int64_t start_ns, reads;
};

static struct clock_reading test_now;	/* tests own the clock */

static void clock_test(struct clock_reading *ret)
{
	*ret = test_now;
}

static const struct platform_source counters = {
	.abi = PLATFORM_ABI, .size = sizeof(counters), .name = "counters",
	.period_ms = 1000,
};
static const struct platform_source *const sources[] = { &counters, NULL };

static int never_opened(const struct platform_env *env, void **ret,
			struct diag *d)
{
	(void)env;
	(void)ret;
	(void)d;
	return -EOPNOTSUPP;
}

static const struct platform_driver driver = {
	.abi = PLATFORM_ABI, .size = sizeof(driver), .name = "test",
	.sources = sources, .open = never_opened,
};

static uint32_t entity(struct bed *b, enum entity_kind kind, uint32_t parent,
		       const char *name, uint32_t number)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t handle;

	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	assert_int_equal(b->host.entity(b->host.context, &key, &handle), 0);
	return handle;
}

static void attribute(struct bed *b, uint32_t handle, enum attribute which,
		      const char *text)
{
	b->host.attribute(b->host.context, handle, which, text);
}

/* Opens a group of samples: so many seconds after the start, over so many. */
static void group(struct bed *b, uint32_t handle, int64_t at_s, int64_t over_s)
{
	struct read_group age = {
		.taken = { b->start_ns + at_s * NS_PER_S },
		.window_ns = over_s * NS_PER_S };

	b->host.group(b->host.context, 0, handle, &age);
}

/* Each time a little later, and a part of its own. */
static void group_again(struct bed *b, uint32_t handle)
{
	struct read_group age = {
		.taken = { b->start_ns - NS_PER_S + ++b->reads },
		.part = 2 + (uint32_t)b->reads % 100 };

	b->host.group(b->host.context, 0, handle, &age);
}

/* The moment behind a group of the same time. */
static void group_of_now(struct bed *b, uint32_t handle, int64_t at_s)
{
	struct read_group age = {
		.taken = { b->start_ns + at_s * NS_PER_S + 1 }, .part = 1 };

	b->host.group(b->host.context, 0, handle, &age);
}

static void sample(struct bed *b, enum quantity q, unsigned index,
		   int64_t value)
{
	b->host.sample(b->host.context, q, index, value, QUALITY_GOOD);
}

static void now_is(struct bed *b, int64_t at_s)
{
	test_now.mono.ns = b->start_ns + at_s * NS_PER_S;
	test_now.wall.ns = WALL_NS + at_s * NS_PER_S;
	state_tick(b->state, test_now.mono);
}

/* Ethernet0 alone in cage 1; Ethernet8 and 10 share cage 2; 100 has none. */
static void ports_make(struct bed *b)
{
	static const struct {
		const char *name, *alias, *cage, *first;
	} ports[PORTS] = {
		{ "Ethernet0", "etp1", "1", "1" },
		{ "Ethernet8", "etp2a", "2", "1" },
		{ "Ethernet10", "etp2b", "2", "3" },
		{ "Ethernet100", NULL, NULL, NULL },
	};

	for (unsigned i = 0; i < PORTS; i++) {
		b->port[i] = entity(b, ENTITY_PORT, ENTITY_NONE, ports[i].name,
				    0);
		attribute(b, b->port[i], ATTRIBUTE_ALIAS, ports[i].alias);
		attribute(b, b->port[i], ATTRIBUTE_MODULE, ports[i].cage);
		attribute(b, b->port[i], ATTRIBUTE_FIRST_LANE, ports[i].first);
		attribute(b, b->port[i], ATTRIBUTE_LANE_COUNT, "2");
		for (unsigned q = 0; q < QUEUES; q++) {
			b->queue[i][q] = entity(b, ENTITY_QUEUE, b->port[i],
						"", q);
			b->priority[i][q] = entity(b, ENTITY_PRIORITY,
						   b->port[i], "", q);
		}
	}
}

static void modules_make(struct bed *b)
{
	for (unsigned i = 0; i < 2; i++) {
		b->module[i] = entity(b, ENTITY_MODULE, ENTITY_NONE, "", i + 1);
		for (unsigned l = 0; l < 4; l++)
			b->lane[i][l] = entity(b, ENTITY_LANE, b->module[i],
					       "", l + 1);
	}
	attribute(b, b->module[1], ATTRIBUTE_SERIAL, "S2");
	b->pool = entity(b, ENTITY_POOL, ENTITY_NONE, "ingress_pool", 0);
	b->pg = entity(b, ENTITY_PRIORITY_GROUP, b->port[0], "", 3);
}

static void speeds_set(struct bed *b)
{
	for (unsigned i = 0; i < PORTS; i++) {
		group(b, b->port[i], 0, 0);
		sample(b, Q_SPEED_MBPS, 0, MBPS);
		sample(b, Q_OPER_STATUS, 0, i == 1 ? OPER_DOWN : OPER_UP);
		sample(b, Q_ADMIN_STATUS, 0, i != 3);
		sample(b, Q_DOWN_REASON, 0, DOWN_RX_LOS);
	}
}

static int set_up(void **state)
{
	static const struct state_limits limits = { 256, 4096, 1, 0 };
	static const struct state_observer observer = { .context = NULL };
	struct bed *b = calloc(1, sizeof(*b));
	unsigned first;

	assert_int_equal(state_new(&limits, &observer, &b->state), 0);
	assert_int_equal(state_driver_add(b->state, &driver, &first, &b->host),
			 0);
	state_source_period(b->state, first, NS_PER_S);
	assert_int_equal(answer_new(ARENA, &b->a), 0);
	b->start_ns = clock_mono_now().ns;
	ports_make(b);
	modules_make(b);
	now_is(b, 0);
	speeds_set(b);
	b->host.source(b->host.context, 0, SOURCE_FRESH, 0, NULL);
	b->ctx = (struct query_context){ .switch_name = "leaf1",
					 .version = "1", .state = b->state,
					 .control = &b->control,
					 .clock = clock_test };
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	answer_free(b->a);
	state_free(b->state);
	free(b);
	return 0;
}

/* --- asking -------------------------------------------------------------- */

struct question {
	const char *ports, *more, *sort;
	uint32_t top;
	bool all;
};

static int ask(struct bed *b, const char *verb, const struct question *how)
{
	char *args[2] = { (char *)(uintptr_t)how->ports,
			  (char *)(uintptr_t)how->more };
	Petrel__Request r;

	petrel__request__init(&r);
	r.args = args;
	r.n_args = (how->ports ? 1 : 0) + (how->more ? 1 : 0);
	r.sort = how->sort ? (char *)(uintptr_t)how->sort : r.sort;
	r.top = how->top;
	r.all = how->all;
	answer_clear(b->a);
	return verbs_handle(&b->ctx, verb_find(verb_table, verb), NULL, &r,
			    b->a);
}

static void ask_well(struct bed *b, const char *verb, const char *ports)
{
	const struct question how = { .ports = ports };

	assert_int_equal(ask(b, verb, &how), EXIT_ANSWERED);
}

static const Petrel__Table *table(struct bed *b, const char *name)
{
	const Petrel__Answer *m = answer_message(b->a);

	for (size_t i = 0; i < m->n_tables; i++)
		if (strcmp(m->tables[i]->name, name) == 0)
			return m->tables[i];
	fail_msg("no table %s", name);
	return NULL;
}

/* Good until a few more were asked for. */
static const struct cell *cell(struct bed *b, const char *name, size_t row,
			       const char *key)
{
	static struct cell cells[8];
	static unsigned next;
	const Petrel__Table *t = table(b, name);

	assert_true(row < t->rows);
	for (size_t i = 0; i < t->n_columns; i++) {
		if (strcmp(t->columns[i]->key, key) != 0)
			continue;
		next = (next + 1) % 8;
		cells[next] = table_cell(t, row, i);
		return &cells[next];
	}
	fail_msg("no column %s", key);
	return NULL;
}

/* The ports of a table's rows, with blanks between. */
static void assert_ports(struct bed *b, const char *name, const char *wanted)
{
	char text[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < table(b, name)->rows; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
					len ? " " : "",
					cell(b, name, i, "port")->text);
	assert_string_equal(text, wanted);
}

/* --- which ports, in which order ----------------------------------------- */

/* By mark and by word: critical is above warn, and warn above watch. */
static void test_rows_go_by_severity(void **state)
{
	static const char *const sorts[] = { "-!", "-worst_severity" };
	static const enum severity bad[] = { SEVERITY_WATCH, SEVERITY_CRITICAL,
					     SEVERITY_WARN };
	static const char *const names[] = { "Ethernet0", "Ethernet8",
					     "Ethernet10" };
	struct finding f[3] = { { .subject = "" } };
	struct bed *b = *state;

	for (unsigned i = 0; i < 3; i++) {
		f[i].severity = bad[i];
		f[i].kind = SUBJECT_PORT;
		(void)snprintf(f[i].subject, sizeof(f[i].subject), "%s",
			       names[i]);
		finding_port_add(&f[i], names[i]);
	}
	b->ctx.findings = f;
	b->ctx.finding_count = 3;
	for (unsigned i = 0; i < 2; i++) {
		struct question how = { .sort = sorts[i], .top = 3 };

		assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
		assert_ports(b, "ports", "Ethernet8 Ethernet10 Ethernet0");
		how.sort++;
		assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
		assert_ports(b, "ports", "Ethernet0 Ethernet10 Ethernet8");
	}
}

static void test_ports_are_chosen_by_name_alias_range_and_case(void **state)
{
	static const char *const cases[][2] = {
		{ "Ethernet8", "Ethernet8" },
		{ "ETP2B", "Ethernet10" },
		{ "ethernet0-10/2,100",
		  "Ethernet0 Ethernet8 Ethernet10 Ethernet100" },
		{ "etp1,Ethernet0", "Ethernet0" },
		{ "all", "Ethernet0 Ethernet8 Ethernet10 Ethernet100" },
		{ "", "Ethernet0 Ethernet8 Ethernet10 Ethernet100" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ask_well(b, "ports", cases[i][0]);
		assert_ports(b, "ports", cases[i][1]);
	}
}

static void test_choice_of_an_unknown_port_tells_the_nearest(void **state)
{
	static const struct {
		const char *ports, *told;
		int code;
	} cases[] = {
		{ "Ethernet9", "nearest: Ethernet0, Ethernet8", EXIT_NO_SUCH },
		{ "Ethernet8,etp3", "nearest: etp1", EXIT_NO_SUCH },
		{ "Ethernet200-300", "no port 'Ethernet200-300'",
		  EXIT_NO_SUCH },
		{ "Ethernet8-4", "'Ethernet8-4' names no ports", EXIT_USAGE },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct question how = { .ports = cases[i].ports };

		assert_int_equal(ask(b, "links", &how), cases[i].code);
		assert_non_null(strstr(answer_message(b->a)->error,
				       cases[i].told));
	}
}

static void rx_set(struct bed *b, unsigned module, unsigned lane, int64_t pw)
{
	group_again(b, b->lane[module][lane]);
	sample(b, Q_LANE_RX_POWER_PW, 0, pw);
}

static void test_rows_sort_both_ways_and_the_unknown_is_last(void **state)
{
	struct bed *b = *state;
	struct question how = { .sort = "rx" };

	rx_set(b, 0, 0, 500);
	rx_set(b, 1, 0, 900);
	rx_set(b, 1, 2, 100);
	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
	assert_ports(b, "ports", "Ethernet10 Ethernet0 Ethernet8 Ethernet100");
	how.sort = "-RXmin";
	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
	assert_ports(b, "ports", "Ethernet8 Ethernet0 Ethernet10 Ethernet100");
	how.sort = "-port";
	how.top = 2;
	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
	assert_ports(b, "ports", "Ethernet100 Ethernet10");
	how.sort = "st";	/* equal ones stay in their order */
	how.top = 0;
	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
	assert_ports(b, "ports", "Ethernet100 Ethernet8 Ethernet0 Ethernet10");
}

/* As typed at a shell, where show takes them too. */
static void test_cage_and_its_number_may_be_two_words(void **state)
{
	struct bed *b = *state;
	const struct question how = { .ports = "Ethernet0,Cage", .more = "2" };

	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
	assert_int_equal(table(b, "ports")->rows, 3);
}

static void test_sorting_by_no_column_tells_the_nearest(void **state)
{
	struct bed *b = *state;
	struct question how = { .sort = "-margn" };

	assert_int_equal(ask(b, "ports", &how), EXIT_USAGE);
	assert_non_null(strstr(answer_message(b->a)->error,
			       "nearest is margin"));
	how.sort = "-";
	assert_int_equal(ask(b, "ports", &how), EXIT_USAGE);
}

/* A heading of several columns, or the beginning of several. */
static void test_sorting_by_several_columns_is_refused(void **state)
{
	struct bed *b = *state;
	struct question how = { .sort = "-m" };

	assert_int_equal(ask(b, "ports", &how), EXIT_USAGE);
	assert_string_equal(answer_message(b->a)->error,
			    "'m' may mean one of 3 columns: media, margin, "
			    "mark");
	how.sort = "Room";
	assert_int_equal(ask(b, "lanes", &how), EXIT_USAGE);
	assert_non_null(strstr(answer_message(b->a)->error,
			       "3 columns: rx_headroom, tx_headroom, "
			       "bias_headroom"));
	how.sort = "drop";	/* a heading is no beginning of a key */
	assert_int_equal(ask(b, "ports", &how), EXIT_ANSWERED);
}

/* --- queues and buffers -------------------------------------------------- */

/* Queue 1 of Ethernet0 carries 10 Gb/s and drops 2 frames a second; queue 0 is
 * read and idle; queue 2 was never read.
 */
static void queues_run(struct bed *b)
{
	for (int64_t s = 1; s <= 2; s++) {
		now_is(b, s);
		group(b, b->queue[0][1], s, 60);
		sample(b, Q_QUEUE_WATERMARK_OCTETS, 0, 4096);
		/* another table of the same source, of no window */
		group_of_now(b, b->queue[0][1], s);
		sample(b, Q_QUEUE_OCTETS, 0, s * 1250000000);
		sample(b, Q_QUEUE_DROPPED_FRAMES, 0, 2 * s);
		sample(b, Q_QUEUE_DELAY_P99_NS, 0, 1500);
		group(b, b->queue[0][0], s, 0);
		sample(b, Q_QUEUE_OCTETS, 0, 77);
		sample(b, Q_QUEUE_OCCUPANCY_OCTETS, 0, 0);
		group(b, b->priority[0][1], s, 0);
		sample(b, Q_PFC_RX_FRAMES, 0, 5 * s);
	}
}

static void test_queues_tell_rates_and_the_window_of_the_peak(void **state)
{
	struct bed *b = *state;

	queues_run(b);
	now_is(b, 5);
	ask_well(b, "queues", NULL);
	assert_int_equal(table(b, "queues")->rows, 1);
	assert_int_equal(cell(b, "queues", 0, "queue")->value, 1);
	assert_int_equal(cell(b, "queues", 0, "rate")->value, 10000000000);
	assert_int_equal(cell(b, "queues", 0, "util")->value, 100000);
	assert_int_equal(cell(b, "queues", 0, "drops_per_s")->value, 2);
	assert_int_equal(cell(b, "queues", 0, "drop_rate")->value, 2000);
	assert_int_equal(cell(b, "queues", 0, "dropped_frames")->value, 4);
	assert_int_equal(cell(b, "queues", 0, "pause_rx_per_s")->value, 5);
	assert_int_equal(cell(b, "queues", 0, "peak")->value, 4096);
	assert_int_equal(cell(b, "queues", 0, "peak_window")->value,
			 60 * NS_PER_S);
	assert_int_equal(cell(b, "queues", 0, "delay_p99")->value, 1500);
	assert_int_equal(cell(b, "queues", 0, "age")->value, 3 * NS_PER_S);
	assert_true(cell(b, "queues", 0, "occupancy")->absent);
	assert_true(cell(b, "queues", 0, "ecn_marked_per_s")->absent);
}

static void test_queues_that_are_idle_are_counted_and_not_shown(void **state)
{
	struct bed *b = *state;
	const struct question all = { .all = true };

	queues_run(b);
	ask_well(b, "queues", "Ethernet0");
	assert_int_equal(cell(b, "folded", 0, "idle")->value, 1);
	assert_int_equal(cell(b, "folded", 0, "never_read")->value, 1);
	assert_non_null(strstr(table(b, "folded")->note, "1 idle queues, and 1 "
			       "without a reading"));
	assert_int_equal(ask(b, "queues", &all), EXIT_ANSWERED);
	assert_int_equal(table(b, "queues")->rows, PORTS * QUEUES);
	assert_int_equal(cell(b, "folded", 0, "idle")->value, 0);
}

static void test_queue_of_one_reading_is_not_idle(void **state)
{
	struct bed *b = *state;

	now_is(b, 1);
	group(b, b->queue[0][0], 1, 0);
	sample(b, Q_QUEUE_OCTETS, 0, 77);
	group(b, b->queue[0][1], 1, 0);
	sample(b, Q_QUEUE_OCTETS, 0, 0);
	ask_well(b, "queues", NULL);
	assert_int_equal(table(b, "queues")->rows, 1);
	assert_true(cell(b, "queues", 0, "rate")->absent);
	assert_int_equal(cell(b, "folded", 0, "idle")->value, 1);
}

static void test_queue_with_nothing_but_pauses_is_not_idle(void **state)
{
	struct bed *b = *state;

	for (int64_t s = 1; s <= 2; s++) {
		now_is(b, s);
		group(b, b->priority[1][2], s, 0);
		sample(b, Q_PFC_TX_FRAMES, 0, s);
	}
	ask_well(b, "queues", "Ethernet8");
	assert_int_equal(table(b, "queues")->rows, 1);
	assert_int_equal(cell(b, "queues", 0, "queue")->value, 2);
	assert_int_equal(cell(b, "queues", 0, "pause_tx_per_s")->value, 1);
}

static void test_multicast_queue_has_no_pause(void **state)
{
	struct bed *b = *state;

	queues_run(b);
	attribute(b, b->queue[0][1], ATTRIBUTE_QUEUE_TYPE, "multicast");
	ask_well(b, "queues", "Ethernet0");
	assert_string_equal(cell(b, "queues", 0, "type")->text, "mc");
	assert_true(cell(b, "queues", 0, "pause_rx_per_s")->absent);
}

static void test_buffers_tell_peaks_of_groups_and_pools(void **state)
{
	struct bed *b = *state;

	now_is(b, 1);
	group(b, b->pg, 1, 60);
	sample(b, Q_PG_SHARED_WATERMARK_OCTETS, 0, 8192);
	sample(b, Q_PG_XOFF_WATERMARK_OCTETS, 0, 0);
	group(b, b->pool, 1, 60);
	sample(b, Q_POOL_WATERMARK_OCTETS, 0, 1 << 20);
	sample(b, Q_POOL_SIZE_OCTETS, 0, 4 << 20);
	ask_well(b, "buffers", NULL);
	assert_ports(b, "groups", "Ethernet0");
	assert_int_equal(cell(b, "groups", 0, "group")->value, 3);
	assert_int_equal(cell(b, "groups", 0, "headroom_peak")->value, 0);
	assert_false(cell(b, "groups", 0, "headroom_peak")->absent);
	assert_string_equal(cell(b, "pools", 0, "pool")->text, "ingress_pool");
	assert_int_equal(cell(b, "pools", 0, "peak")->value, 1 << 20);
	assert_int_equal(cell(b, "pools", 0, "peak_share")->value, 250000);
	assert_true(cell(b, "pools", 0, "headroom_peak")->absent);
	ask_well(b, "buffers", "Ethernet8");
	assert_int_equal(table(b, "groups")->rows, 0);
}

static void test_buffers_tell_pools_of_one_name_apart(void **state)
{
	struct bed *b = *state;

	now_is(b, 1);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t asic = entity(b, ENTITY_ASIC, ENTITY_NONE,
				       i ? "asic1" : "asic0", 0);

		group(b, entity(b, ENTITY_POOL, asic, "lossless", 0), 1, 60);
		sample(b, Q_POOL_WATERMARK_OCTETS, 0, 1 + i);
	}
	ask_well(b, "buffers", NULL);
	assert_string_equal(cell(b, "pools", 1, "pool")->text,
			    "asic0:lossless");
	assert_string_equal(cell(b, "pools", 2, "pool")->text,
			    "asic1:lossless");
	assert_string_equal(cell(b, "pools", 2, "asic")->text, "asic1");
}

/* --- modules and lanes --------------------------------------------------- */

static void thresholds_set(struct bed *b, unsigned module, enum quantity q,
			   const int64_t edge[4])
{
	group_again(b, b->module[module]);
	for (unsigned i = 0; i < 4; i++)
		sample(b, q, i, edge[i]);
}

static const int64_t heat[4] = { 75000, -5000, 70000, 0 };

static void temp_set(struct bed *b, unsigned module, int64_t mc)
{
	group_again(b, b->module[module]);
	sample(b, Q_MODULE_TEMP_MC, 0, mc);
}

static void test_module_of_a_breakout_stands_once_with_its_ports(void **state)
{
	struct bed *b = *state;

	group_again(b, b->module[1]);
	sample(b, Q_MODULE_STATE, 0, MODULE_READY);
	ask_well(b, "modules", NULL);
	assert_int_equal(table(b, "modules")->rows, 2);
	assert_int_equal(cell(b, "modules", 1, "cage")->value, 2);
	assert_string_equal(cell(b, "modules", 1, "ports")->text,
			    "Ethernet8,10");
	assert_string_equal(cell(b, "modules", 1, "serial")->text, "S2");
	assert_string_equal(cell(b, "modules", 1, "state")->text, "ready");
	assert_true(cell(b, "modules", 0, "state")->absent);
	assert_non_null(strstr(table(b, "modules")->note, "1 port without"));
	ask_well(b, "modules", "Ethernet10");
	assert_int_equal(table(b, "modules")->rows, 1);
}

static void test_modules_say_what_is_not_as_the_host_wants_it(void **state)
{
	struct bed *b = *state;

	for (unsigned l = 0; l < 3; l++) {
		group_again(b, b->lane[0][l]);
		sample(b, Q_LANE_CONFIG_STATUS, 0, l ?
		       LANE_CONFIG_REJECTED_INVALID_SI : LANE_CONFIG_SUCCESS);
		sample(b, Q_LANE_TX_DISABLED, 0, l != 1);
		/* lane 3 leaks what its laser cannot hold back */
		sample(b, Q_LANE_TX_POWER_PW, 0, l == 2 ?
		       LANE_LIT_LEAST_PW - 1 : 1000000000);
	}
	ask_well(b, "modules", "Ethernet0");
	assert_string_equal(cell(b, "modules", 0, "rejected_lanes")->text,
			    "2,3");
	assert_string_equal(cell(b, "modules", 0, "lit_disabled_lanes")->text,
			    "1");
	assert_non_null(strstr(table(b, "modules")->note, "cage 1: the module "
			       "rejected the configuration of host lanes 2,3"));
	assert_non_null(strstr(table(b, "modules")->note, "Tx is disabled, on "
			       "lanes 1"));
	ask_well(b, "modules", "Ethernet10");
	assert_true(cell(b, "modules", 0, "rejected_lanes")->absent);
}

/* What a data path counts stands for each of its lanes, and says so; a lane's
 * own goes before it.
 */
static void test_lanes_show_the_errors_of_their_data_path(void **state)
{
	struct bed *b = *state;
	uint32_t path = entity(b, ENTITY_DATA_PATH, b->module[0], "", 1);

	for (unsigned l = 0; l < 2; l++) {
		group_again(b, b->lane[0][l]);
		sample(b, Q_LANE_DATA_PATH, 0, 1);
		if (l)
			sample(b, Q_LANE_PRE_FEC_BER_E18, 0, 5000);
	}
	group_again(b, path);
	sample(b, Q_LANE_PRE_FEC_BER_E18, 0, 7000);
	ask_well(b, "lanes", "Ethernet0");
	assert_int_equal(cell(b, "lanes", 0, "pre_fec_ber")->value, 7000);
	assert_int_equal(cell(b, "lanes", 0, "pre_fec_ber_data_path")->value,
			 1);
	assert_int_equal(cell(b, "lanes", 1, "pre_fec_ber")->value, 5000);
	assert_true(cell(b, "lanes", 1, "pre_fec_ber_data_path")->absent);
}

/* 8 host lanes and 4 media lanes: the lane that is farthest from traffic
 * speaks for all of its data path.
 */
static void test_lanes_show_the_data_path_behind_them(void **state)
{
	static const int64_t states[] = {
		DATA_PATH_ACTIVATED, DATA_PATH_ACTIVATED, DATA_PATH_ACTIVATED,
		DATA_PATH_ACTIVATED, DATA_PATH_INIT, DATA_PATH_TX_TURN_ON,
		DATA_PATH_DEINIT, DATA_PATH_INITIALIZED,
	};
	struct bed *b = *state;
	uint32_t path = entity(b, ENTITY_DATA_PATH, b->module[0], "", 5);

	for (unsigned l = 0; l < 8; l++) {
		group_again(b, l < 4 ? b->lane[0][l] :
			    entity(b, ENTITY_LANE, b->module[0], "", l + 1));
		sample(b, Q_LANE_DATA_PATH_STATE, 0, states[l]);
		sample(b, Q_LANE_DATA_PATH, 0, l < 4 ? 1 : 5);
		sample(b, Q_LANE_APPLICATION, 0, l < 4 ? 1 : 2);
		if (l < 2)
			sample(b, Q_LANE_HOST_LANES, 0, l ? 0xf0 : 0x0f);
	}
	group_again(b, path);
	sample(b, Q_LANE_PRE_FEC_BER_E18, 0, 7000);
	ask_well(b, "lanes", "Ethernet0");
	assert_string_equal(cell(b, "lanes", 0, "data_path")->text,
			    "activated");
	assert_string_equal(cell(b, "lanes", 1, "data_path")->text, "deinit");
	assert_int_equal(cell(b, "lanes", 0, "application")->value, 1);
	assert_int_equal(cell(b, "lanes", 1, "application")->value, 2);
	assert_int_equal(cell(b, "lanes", 1, "pre_fec_ber_data_path")->value,
			 5);
	assert_true(cell(b, "lanes", 0, "pre_fec_ber_data_path")->absent);
}

/* Two ports of four host lanes and two media lanes each: what the module says
 * of host lane 7 is the second one's, of its third lane.
 */
static void test_flags_of_host_lanes_are_of_their_port(void **state)
{
	struct bed *b = *state;
	const char *ports[] = { "Ethernet8", "Ethernet10" };

	for (unsigned l = 0; l < 8; l++) {
		group_again(b, l < 4 ? b->lane[1][l] :
			    entity(b, ENTITY_LANE, b->module[1], "", l + 1));
		sample(b, Q_LANE_HOST_LOS_FLAG, 0, l == 6);
		sample(b, Q_LANE_RX_LOS, 0, l == 2);
		if (l < 4)
			sample(b, Q_LANE_HOST_LANES, 0, l < 2 ? 0x0f : 0xf0);
	}
	for (unsigned i = 0; i < 2; i++) {
		ask_well(b, "lanes", ports[i]);
		assert_int_equal(table(b, "flags")->rows, 2 * i);
	}
	for (unsigned row = 0; row < 2; row++) {
		bool host = strcmp(cell(b, "flags", row, "flag")->text,
				   "lane_host_los_flag") == 0;

		assert_string_equal(cell(b, "flags", row, "lanes")->text,
				    host ? "3" : "1");
	}
}

/* The application in use of the host lanes behind two ports of one module, and
 * not of the lanes of the medium: host lanes 5 to 8 have another one.
 */
static void test_compare_names_the_application_of_host_lanes(void **state)
{
	struct bed *b = *state;
	char first[] = "Ethernet8", second[] = "Ethernet10";
	char *args[] = { first, second };
	Petrel__Request r;
	unsigned rows = 0;

	for (unsigned l = 0; l < 8; l++) {
		group_again(b, l < 4 ? b->lane[1][l] :
			    entity(b, ENTITY_LANE, b->module[1], "", l + 1));
		sample(b, Q_LANE_APPLICATION, 0, l < 4 ? 1 : 2);
		if (l < 4)
			sample(b, Q_LANE_HOST_LANES, 0, l < 2 ? 0x0f : 0xf0);
	}
	petrel__request__init(&r);
	r.args = args;
	r.n_args = 2;
	answer_clear(b->a);
	assert_int_equal(verbs_handle(&b->ctx,
				      verb_find(verb_table, "compare"), NULL,
				      &r, b->a), 1);
	for (size_t i = 0; i < table(b, "compare")->rows; i++) {
		if (strcmp(cell(b, "compare", i, "what")->text,
			   "application of the host lane") != 0)
			continue;
		assert_int_equal(cell(b, "compare", i, "lane")->value, ++rows);
		assert_string_equal(cell(b, "compare", i, "first")->text, "1");
		assert_string_equal(cell(b, "compare", i, "second")->text,
				    "2");
	}
	assert_int_equal(rows, 4);
}

/* A database tells only how many of both there are. */
static void test_lanes_are_divided_where_counts_are_all_that_is_known(
	void **state)
{
	struct bed *b = *state;

	group_again(b, b->module[0]);
	sample(b, Q_MODULE_HOST_LANES, 0, 8);
	sample(b, Q_MODULE_MEDIA_LANES, 0, 4);
	for (unsigned l = 0; l < 8; l++) {
		group_again(b, l < 4 ? b->lane[0][l] :
			    entity(b, ENTITY_LANE, b->module[0], "", l + 1));
		sample(b, Q_LANE_DATA_PATH_STATE, 0, l < 2 ?
		       DATA_PATH_ACTIVATED : DATA_PATH_DEACTIVATED);
	}
	ask_well(b, "lanes", "Ethernet0");
	assert_string_equal(cell(b, "lanes", 0, "data_path")->text,
			    "activated");
	assert_string_equal(cell(b, "lanes", 1, "data_path")->text,
			    "deactivated");
}

static void test_headroom_is_to_the_nearest_threshold(void **state)
{
	static const struct {
		int64_t mc, room;
		const char *edge;
	} cases[] = {
		{ 60000, 10000, "high warning" },
		{ 72000, -2000, "high warning" },
		{ 10000, 10000, "low warning" },
		{ -1000, -1000, "low warning" },
	};
	struct bed *b = *state;

	thresholds_set(b, 0, Q_MODULE_TEMP_THRESHOLD_MC, heat);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		temp_set(b, 0, cases[i].mc);
		ask_well(b, "modules", "Ethernet0");
		assert_int_equal(cell(b, "modules", 0, "temp_headroom")->value,
				 cases[i].room);
		assert_string_equal(cell(b, "modules", 0,
					 "temp_nearest_threshold")->text,
				    cases[i].edge);
	}
}

static void test_thresholds_that_were_never_set_give_no_headroom(void **state)
{
	static const int64_t zero[4] = { 0, 0, 0, 0 };
	static const int64_t alarms[4] = { 75000, -5000, 0, 0 };
	struct bed *b = *state;

	temp_set(b, 0, 40000);
	ask_well(b, "modules", "Ethernet0");
	assert_true(cell(b, "modules", 0, "temp_headroom")->absent);
	thresholds_set(b, 0, Q_MODULE_TEMP_THRESHOLD_MC, zero);
	ask_well(b, "modules", "Ethernet0");
	assert_true(cell(b, "modules", 0, "temp_headroom")->absent);
	thresholds_set(b, 0, Q_MODULE_TEMP_THRESHOLD_MC, alarms);
	ask_well(b, "modules", "Ethernet0");
	assert_int_equal(cell(b, "modules", 0, "temp_headroom")->value, 35000);
}

static void test_lanes_of_a_sub_port_are_its_own(void **state)
{
	static const int64_t light[4] = { 4000000000, 100000000, 2000000000,
					  200000000 };
	struct bed *b = *state;

	thresholds_set(b, 1, Q_MODULE_RX_POWER_THRESHOLD_PW, light);
	rx_set(b, 1, 2, 400000000);
	rx_set(b, 1, 3, 0);
	ask_well(b, "lanes", "Ethernet10");
	assert_int_equal(table(b, "lanes")->rows, 2);
	assert_int_equal(cell(b, "lanes", 0, "lane")->value, 1);
	assert_int_equal(cell(b, "lanes", 0, "module_lane")->value, 3);
	assert_int_equal(cell(b, "lanes", 0, "rx")->value, 400000000);
	assert_int_equal(cell(b, "lanes", 0, "rx_headroom")->value, 3010);
	assert_int_equal(cell(b, "lanes", 1, "rx")->value, 0);
	assert_true(cell(b, "lanes", 1, "rx_headroom")->absent);
}

/* The row with those words, on those lanes, shown to people or not. */
static void assert_flag(struct bed *b, const char *words, const char *lanes,
			bool is_shown)
{
	const Petrel__Table *t = table(b, "flags");
	size_t i = 0;

	while (i < t->rows &&
	       strcmp(cell(b, "flags", i, "words")->text, words) != 0)
		i++;
	assert_true(i < t->rows);
	assert_int_equal(table_row_is_json_only(t, i), !is_shown);
	assert_int_equal(cell(b, "flags", i, "lanes")->absent, lanes == NULL);
	if (lanes)
		assert_string_equal(cell(b, "flags", i, "lanes")->text, lanes);
}

static void test_flags_are_spelled_out(void **state)
{
	struct bed *b = *state;

	group_again(b, b->lane[1][0]);
	sample(b, Q_LANE_TX_DISABLED, 0, 0);
	ask_well(b, "lanes", "Ethernet8");
	assert_non_null(strstr(table(b, "flags")->note, "are not read here"));
	group_again(b, b->lane[1][0]);
	sample(b, Q_LANE_RX_LOS, 0, 0);
	ask_well(b, "lanes", "Ethernet8");
	/* Of faults and alarms nothing was read. */
	assert_non_null(strstr(table(b, "flags")->note,
			       "none raised of those that were read"));
	group_again(b, b->lane[1][0]);
	sample(b, Q_LANE_RX_POWER_FLAG, 1, 1);
	sample(b, Q_LANE_RX_POWER_FLAG, 3, 1);
	sample(b, Q_VDM_SNR_FLAG, 3, 1);
	sample(b, Q_LANE_TX_OUTPUT_VALID, 0, 1);
	group_again(b, b->lane[1][1]);
	sample(b, Q_LANE_RX_POWER_FLAG, 1, 0);
	sample(b, Q_VDM_SNR_FLAG, 3, 1);
	group_again(b, b->module[1]);
	sample(b, Q_MODULE_TEMP_FLAG, 0, 1);
	ask_well(b, "lanes", "Ethernet8");
	assert_int_equal(table(b, "flags")->rows, 4);
	assert_flag(b, "Temperature beyond a threshold: high alarm", NULL,
		    true);
	assert_flag(b, "Received power beyond a threshold: low alarm", "1",
		    true);
	assert_flag(b, "Received power beyond a threshold: low warning", "1",
		    false);	/* the alarm says it */
	assert_flag(b, "eSNR of the media input: low warning", "1,2", true);
	ask_well(b, "lanes", "Ethernet0");
	assert_int_equal(table(b, "flags")->rows, 0);
}

/* --- links and the overview ---------------------------------------------- */

static void test_links_say_why_only_where_one_is_down(void **state)
{
	struct bed *b = *state;

	ask_well(b, "links", NULL);
	assert_true(cell(b, "links", 0, "down_reason")->absent);
	assert_string_equal(cell(b, "links", 1, "st")->text, "dn");
	assert_string_equal(cell(b, "links", 1, "down_reason")->text,
			    "rx_los");
	assert_string_equal(cell(b, "links", 1, "note")->text, "rx_los");
	assert_string_equal(cell(b, "links", 3, "st")->text, "ad");
}

static void test_links_say_who_was_expected_where_it_is_another(void **state)
{
	static const struct {
		const char *name, *port, *note;
	} cases[] = {
		{ "leaf2.example.net", "Ethernet4", NULL },
		{ "LEAF2", "ethernet4", NULL },
		{ "leaf2", "Ethernet8", "expected leaf2:Ethernet8" },
		{ "leaf22", "Ethernet4", "expected leaf22:Ethernet4" },
	};
	struct bed *b = *state;

	attribute(b, b->port[0], ATTRIBUTE_PEER_SWITCH, "leaf2");
	attribute(b, b->port[0], ATTRIBUTE_PEER_PORT, "Ethernet4");
	ask_well(b, "links", "Ethernet0");
	assert_true(cell(b, "links", 0, "note")->absent);
	assert_true(cell(b, "links", 0, "peer_is_expected")->absent);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		attribute(b, b->port[0], ATTRIBUTE_EXPECTED_PEER_SWITCH,
			  cases[i].name);
		attribute(b, b->port[0], ATTRIBUTE_EXPECTED_PEER_PORT,
			  cases[i].port);
		ask_well(b, "links", "Ethernet0");
		assert_int_equal(cell(b, "links", 0, "peer_is_expected")->value,
				 cases[i].note == NULL);
		if (cases[i].note)
			assert_string_equal(cell(b, "links", 0, "note")->text,
					    cases[i].note);
		else
			assert_true(cell(b, "links", 0, "note")->absent);
	}
}

static void findings_open(struct bed *b, struct finding *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		f[i] = (struct finding){
			.signature = SIGNATURE_LINK_DOWN,
			.severity = i ? SEVERITY_WATCH : SEVERITY_CRITICAL,
			.state = FINDING_RAISED, .end = END_PATH,
			.action = ACTION_CHECK_PEER, .drain = DRAIN_NONE,
			.cause = "no light", .subject = "Ethernet8",
			.onset_wall = { WALL_NS - (i + 1) * NS_PER_S } };
		(void)snprintf(f[i].id, sizeof(f[i].id), "aaaaa%uaaaaaa", i);
	}
	b->ctx.findings = f;
	b->ctx.finding_count = n;
}

static void test_overview_is_short_and_names_the_next_command(void **state)
{
	struct finding f[6];
	struct bed *b = *state;

	findings_open(b, f, 6);
	ask_well(b, "overview", NULL);
	assert_string_equal(cell(b, "overview", 0, "words")->text,
			    "critical: leaf1 has 1 critical, 5 watch");
	assert_string_equal(cell(b, "overview", 0, "links")->text,
			    "2 of 4 up, 1 down, 1 shut by configuration");
	assert_int_equal(cell(b, "overview", 0, "since")->value,
			 WALL_NS - NS_PER_S);
	assert_int_equal(table(b, "wrong")->rows, 6);
	assert_false(table_row_is_json_only(table(b, "wrong"), 3));
	assert_true(table_row_is_json_only(table(b, "wrong"), 4));
	assert_string_equal(table(b, "wrong")->note,
			    "and 2 more: petrel findings");
	/* so much of the id that no other finding has it */
	assert_string_equal(cell(b, "next", 0, "next")->text,
			    "petrel findings aaaaa0");
}

static void test_overview_of_silence_is_no_health(void **state)
{
	struct bed *b = *state;

	ask_well(b, "overview", NULL);
	assert_string_equal(cell(b, "overview", 0, "words")->text,
			    "fine: leaf1");
	assert_string_equal(cell(b, "overview", 0, "watched")->text,
			    "nothing, while the agent is down");
	assert_non_null(strstr(cell(b, "overview", 0, "agent")->text,
			       "degraded: supervisor: not running; "));
	assert_string_equal(cell(b, "next", 0, "next")->text, "petrel status");
	now_is(b, 600);		/* nothing was read for long */
	ask_well(b, "overview", NULL);
	assert_string_equal(cell(b, "overview", 0, "words")->text,
			    "unknown: leaf1, no source delivers any more");
	b->ctx.control = NULL;
	ask_well(b, "overview", NULL);
	assert_string_equal(cell(b, "overview", 0, "words")->text,
			    "unknown: leaf1, the agent is down");
	assert_string_equal(cell(b, "overview", 0, "agent")->text, "down");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_ports_are_chosen_by_name_alias_range_and_case),
		TEST(test_choice_of_an_unknown_port_tells_the_nearest),
		TEST(test_rows_sort_both_ways_and_the_unknown_is_last),
		TEST(test_rows_go_by_severity),
		TEST(test_cage_and_its_number_may_be_two_words),
		TEST(test_sorting_by_no_column_tells_the_nearest),
		TEST(test_sorting_by_several_columns_is_refused),
		TEST(test_queues_tell_rates_and_the_window_of_the_peak),
		TEST(test_queues_that_are_idle_are_counted_and_not_shown),
		TEST(test_queue_of_one_reading_is_not_idle),
		TEST(test_queue_with_nothing_but_pauses_is_not_idle),
		TEST(test_multicast_queue_has_no_pause),
		TEST(test_buffers_tell_peaks_of_groups_and_pools),
		TEST(test_buffers_tell_pools_of_one_name_apart),
		TEST(test_module_of_a_breakout_stands_once_with_its_ports),
		TEST(test_modules_say_what_is_not_as_the_host_wants_it),
		TEST(test_lanes_show_the_errors_of_their_data_path),
		TEST(test_lanes_show_the_data_path_behind_them),
		TEST(test_flags_of_host_lanes_are_of_their_port),
		TEST(test_compare_names_the_application_of_host_lanes),
		TEST(test_lanes_are_divided_where_counts_are_all_that_is_known),
		TEST(test_headroom_is_to_the_nearest_threshold),
		TEST(test_thresholds_that_were_never_set_give_no_headroom),
		TEST(test_lanes_of_a_sub_port_are_its_own),
		TEST(test_flags_are_spelled_out),
		TEST(test_links_say_why_only_where_one_is_down),
		TEST(test_links_say_who_was_expected_where_it_is_another),
		TEST(test_overview_is_short_and_names_the_next_command),
		TEST(test_overview_of_silence_is_no_health),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

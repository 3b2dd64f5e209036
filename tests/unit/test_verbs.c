/* The answers, from a real state, engine and rings. */
#include "agent/query/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/follow.h"
#include "agent/query/message.h"
#include "agent/query/server.h"
#include "agent/record/encode.h"
#include "agent/signature/engine.h"
#include "agent/state/port_reading.h"
#include "agent/state/state.h"
#include "petrel/link.h"
#include "petrel/local.h"

#define PORTS 3			/* Ethernet0, 8, 16; the last without module */
#define LANES 2
#define OCTETS_A_SECOND 25000000000	/* half of 400G */
#define ARENA (1u << 20)
#define WALL_NS (INT64_C(1700000000) * NS_PER_S)

/* --- the bed ------------------------------------------------------------- */

struct bed {
	char dir[64];
	int dir_fd;
	struct loop *loop;
	struct state *state;
	struct platform_host host;
	uint32_t port[PORTS], module[PORTS], lane[PORTS][LANES]; /* ids */
	struct port_reading *reading;
	struct engine *engine;
	uint32_t number[PORTS];
	struct control control;
	struct ring_set rings;
	struct encoder *encoder;
	struct query_context ctx;
	struct answer *a;
	int reload_fd;
};

static struct clock_reading test_now;	/* tests own the clock */
static int64_t start_ns;		/* near the real one: the state's is */

static void clock_test(struct clock_reading *ret)
{
	*ret = test_now;
}

static const struct platform_source counters = {
	.abi = PLATFORM_ABI, .size = sizeof(counters), .name = "counters",
	.period_ms = 1000,
};
static const struct platform_source dom = {
	.abi = PLATFORM_ABI, .size = sizeof(dom), .name = "dom",
	.period_ms = 1000,
};
static const struct platform_source *const sources[] = { &counters, &dom,
							  NULL };
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
	.open = never_opened, .sources = sources,
};

static void observe_event(void *context, uint32_t entity,
			  enum platform_event what, int64_t value,
			  struct mono when, const char *text)
{
	(void)context;
	(void)entity;
	(void)what;
	(void)value;
	(void)when;
	(void)text;
}

static void observe_source(void *context, unsigned source,
			   enum source_state was)
{
	(void)context;
	(void)source;
	(void)was;
}

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

static void port_make(struct bed *b, unsigned n)
{
	char name[32], cage[8];

	(void)snprintf(name, sizeof(name), "Ethernet%u", 8 * n);
	b->port[n] = entity(b, ENTITY_PORT, ENTITY_NONE, name, 0);
	attribute(b, b->port[n], ATTRIBUTE_PEER_SWITCH, "leaf2\033[2J");
	attribute(b, b->port[n], ATTRIBUTE_PEER_PORT, "Ethernet4");
	if (n == PORTS - 1)
		return;
	(void)snprintf(cage, sizeof(cage), "%u", n + 1);
	attribute(b, b->port[n], ATTRIBUTE_ALIAS, n ? "etp2" : "etp1");
	attribute(b, b->port[n], ATTRIBUTE_MEDIA, "DR4");
	attribute(b, b->port[n], ATTRIBUTE_MODULE, cage);
	attribute(b, b->port[n], ATTRIBUTE_FIRST_LANE, "1");
	attribute(b, b->port[n], ATTRIBUTE_LANE_COUNT, "2");
	b->module[n] = entity(b, ENTITY_MODULE, ENTITY_NONE, "", n + 1);
	for (unsigned i = 0; i < LANES; i++)
		b->lane[n][i] = entity(b, ENTITY_LANE, b->module[n], "", i + 1);
}

static void group(struct bed *b, unsigned source, uint32_t handle,
		  int64_t taken_ns)
{
	struct read_group age = { .taken = { taken_ns } };

	b->host.group(b->host.context, source, handle, &age);
}

static void sample(struct bed *b, enum quantity q, int64_t value)
{
	b->host.sample(b->host.context, q, 0, value, QUALITY_GOOD);
}

/* One tick of counters; at: seconds since the start. */
static void tick(struct bed *b, int64_t at)
{
	struct mono now = { start_ns + at * NS_PER_S };

	state_tick(b->state, now);
	for (unsigned n = 0; n < PORTS; n++) {
		group(b, 0, b->port[n], now.ns);
		sample(b, Q_OPER_STATUS, n == 1 ? OPER_DOWN : OPER_UP);
		sample(b, Q_ADMIN_STATUS, 1);
		sample(b, Q_SPEED_MBPS, 400000);
		sample(b, Q_IF_IN_OCTETS, OCTETS_A_SECOND * at);
		sample(b, Q_IF_OUT_OCTETS, 0);
		sample(b, Q_IF_OUT_DISCARDS, at);
	}
	b->host.source(b->host.context, 0, SOURCE_FRESH, 0, NULL);
	test_now.mono = now;
	test_now.wall.ns = WALL_NS + at * NS_PER_S;
}

/* Transceivers, read 20 s before the start. */
static void dom_read(struct bed *b)
{
	int64_t taken_ns = start_ns - 20 * NS_PER_S;

	for (unsigned n = 0; n < PORTS - 1; n++) {
		group(b, 1, b->module[n], taken_ns);
		sample(b, Q_MODULE_TEMP_MC, 48249);
		for (unsigned i = 0; i < LANES; i++) {
			group(b, 1, b->lane[n][i], taken_ns);
			sample(b, Q_LANE_RX_POWER_PW,
			       n == 1 ? 0 : 500000000 + 1000000 * i);
		}
	}
	b->host.source(b->host.context, 1, SOURCE_FRESH, 60 * NS_PER_S, NULL);
}

static void engine_said(void *context, const struct finding *f)
{
	(void)context;
	(void)f;
}

static bool port_number(void *core, uint32_t id, uint32_t *ret)
{
	const struct bed *b = core;

	for (size_t n = 0; n < state_port_count(b->state); n++)
		if (state_port(b->state, n) == id) {
			*ret = b->number[n];
			return true;
		}
	return false;
}

static int sink_put(void *context, enum stream stream, enum record_kind kind,
		    uint16_t flags, const void *payload, size_t len)
{
	struct bed *b = context;

	return ring_append(b->rings.ring[stream], kind, flags, payload, len);
}

static uint64_t sink_sequence(void *context, enum stream stream)
{
	const struct bed *b = context;

	return ring_next(b->rings.ring[stream]);
}

static void rings_make(struct bed *b)
{
	static const size_t octets[STREAM_COUNT] = { RING_BYTES_MIN,
						      RING_BYTES_MIN,
						      RING_BYTES_MIN };
	static const struct encoder_limits limits = { 64, 16, 16, 64 };
	struct record_sink sink = { b, sink_put, sink_sequence };
	struct diag d;

	assert_int_equal(ring_set_open(b->dir_fd, octets, 0xabc, &b->rings,
				       &d), 0);
	assert_int_equal(encoder_new(&limits, &sink, &b->encoder), 0);
}

static void state_make(struct bed *b)
{
	static const struct state_limits limits = { 256, 4096, 1, 0 };
	static const struct state_observer observer = {
		NULL, observe_event, observe_source };
	unsigned first;

	assert_int_equal(state_new(&limits, &observer, &b->state), 0);
	assert_int_equal(state_driver_add(b->state, &driver, &first, &b->host),
			 0);
	state_source_period(b->state, first, NS_PER_S);
	state_source_period(b->state, first + 1, NS_PER_S);
}

static void ports_make(struct bed *b)
{
	struct port_facts facts;

	for (unsigned n = 0; n < PORTS; n++)
		port_make(b, n);
	assert_int_equal(port_reading_new(b->state, &b->reading), 0);
	assert_int_equal(engine_new(8, "leaf1", engine_said, b, &b->engine), 0);
	for (unsigned n = 0; n < PORTS; n++) {
		port_reading_facts(b->state, state_port(b->state, n), &facts);
		assert_int_equal(engine_port(b->engine, &facts,
					     &b->number[n]), 0);
	}
}

static void processes_run(struct bed *b)
{
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		b->control.process[r].pid = 1000 + (int)r;
		b->control.process[r].started_ns = start_ns - NS_PER_S;
		b->control.process[r].heartbeat_ns = start_ns;
	}
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)snprintf(b->dir, sizeof(b->dir), "/tmp/test_verbs.XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	b->dir_fd = open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	start_ns = clock_mono_now().ns;
	test_now = (struct clock_reading){ .mono = { start_ns },
					   .wall = { WALL_NS } };
	state_make(b);
	ports_make(b);
	rings_make(b);
	processes_run(b);
	b->reload_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->ctx = (struct query_context){
		.switch_name = "leaf1", .version = "1", .state = b->state,
		.reading = b->reading, .engine = b->engine,
		.control = &b->control, .rings = &b->rings,
		.reload_event_fd = b->reload_fd, .port_number = port_number,
		.core = b, .clock = clock_test };
	assert_int_equal(follow_init(&b->ctx), 0);
	assert_int_equal(answer_new(ARENA, &b->a), 0);
	*state = b;
	return 0;
}

static void dir_remove(struct bed *b)
{
	static const char *const names[] = { "findings.ring", "states.ring",
					     "samples.ring" };

	for (size_t i = 0; i < 3; i++)
		(void)unlinkat(b->dir_fd, names[i], 0);
	(void)close(b->dir_fd);
	(void)rmdir(b->dir);
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	query_server_free(b->ctx.server);
	loop_free(b->loop);
	follow_fini(&b->ctx);
	answer_free(b->a);
	encoder_free(b->encoder);
	ring_set_close(&b->rings);
	engine_free(b->engine);
	port_reading_free(b->reading);
	state_free(b->state);
	(void)close(b->reload_fd);
	dir_remove(b);
	free(b);
	return 0;
}

/* Asks a verb; returns its code. */
static int ask_words(struct bed *b, const char *verb, char **args, size_t n)
{
	Petrel__Request r;

	petrel__request__init(&r);
	r.args = args;
	r.n_args = n;
	answer_clear(b->a);
	return verbs_handle(&b->ctx, verb_find(verb_table, verb), NULL, &r,
			    b->a);
}

static int ask(struct bed *b, const char *verb, const char *arg)
{
	char text[64], *args[1] = { text };

	(void)snprintf(text, sizeof(text), "%s", arg ? arg : "");
	return ask_words(b, verb, args, arg ? 1 : 0);
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

static struct finding finding_of(const char *id, const char *subject,
				 enum severity severity)
{
	struct finding f = {
		.signature = SIGNATURE_FLAP_BURST, .severity = severity,
		.state = FINDING_RAISED, .end = END_PATH,
		.action = ACTION_CHECK_PEER, .drain = DRAIN_NONE,
		.cause = "the link falls", .onset = { start_ns },
		.when = { start_ns }, .onset_wall = { WALL_NS },
		.when_wall = { WALL_NS } };

	(void)snprintf(f.id, sizeof(f.id), "%s", id);
	(void)snprintf(f.subject, sizeof(f.subject), "%s", subject);
	return f;
}

static void raise_finding(struct bed *b, const char *id, const char *subject,
			  enum severity severity)
{
	struct finding f = finding_of(id, subject, severity);

	assert_int_equal(engine_restore(b->engine, &f), 0);
}

/* --- ports --------------------------------------------------------------- */

static void test_ports_show_what_was_read(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	tick(b, 1);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet8", SEVERITY_WARN);
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_int_equal(table(b, "ports")->rows, PORTS);
	assert_string_equal(cell(b, "ports", 0, "port")->text, "Ethernet0");
	assert_string_equal(cell(b, "ports", 0, "st")->text, "up");
	assert_string_equal(cell(b, "ports", 1, "st")->text, "dn");
	assert_int_equal(cell(b, "ports", 0, "speed")->value, 400000);
	assert_int_equal(cell(b, "ports", 0, "util")->value, 500000);
	assert_int_equal(cell(b, "ports", 0, "rx_min")->value, 500000000);
	assert_int_equal(cell(b, "ports", 0, "temp")->value, 48249);
	assert_int_equal(cell(b, "ports", 0, "drops_per_s")->value, 1);
	assert_int_equal(cell(b, "ports", 0, "drop_rate")->value, 1000);
	assert_int_equal(cell(b, "ports", 0, "dropped_frames")->value, 1);
	assert_string_equal(cell(b, "ports", 1, "mark")->text, "W");
	assert_true(cell(b, "ports", 0, "mark")->absent);
	group(b, 0, b->port[1], start_ns + 2 * NS_PER_S);
	sample(b, Q_OPER_STATUS, OPER_UNKNOWN);	/* the switch does not know */
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_true(cell(b, "ports", 1, "st")->absent);
}

/* Of a finding of another port, of a group or of a sensor. */
static void test_ports_mark_what_a_finding_is_of(void **state)
{
	struct bed *b = *state;
	struct finding f = finding_of("aaaaaaaaaaaa", "Ethernet8",
				      SEVERITY_WARN);

	dom_read(b);
	tick(b, 0);
	tick(b, 1);
	finding_port_add(&f, "Ethernet8");
	finding_port_add(&f, "Ethernet0");
	assert_int_equal(engine_restore(b->engine, &f), 0);
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_string_equal(cell(b, "ports", 1, "mark")->text, "W");
	assert_string_equal(cell(b, "ports", 0, "mark")->text, "W");
	assert_int_equal(ask(b, "port", "Ethernet0"), 0);
	assert_int_equal(answer_message(b->a)->n_findings, 1);
}

/* What the engine is told of a port's link, so many seconds after the start. */
static void link_is(struct bed *b, unsigned n, enum oper_status oper,
		    int64_t at_s)
{
	struct inputs t = { .t = { start_ns + at_s * NS_PER_S },
			       .counters_new = true };

	inputs_set(&t, INPUT_OPER, oper);
	engine_reading(b->engine, b->number[n], &t,
		       (struct wall){ WALL_NS + at_s * NS_PER_S });
}

static void test_links_count_from_the_turn_that_was_seen(void **state)
{
	struct bed *b = *state;

	tick(b, 1);
	assert_int_equal(ask(b, "links", NULL), 0);
	assert_true(cell(b, "links", 0, "since")->absent);
	link_is(b, 0, OPER_UP, 1);
	link_is(b, 0, OPER_DOWN, 3);
	link_is(b, 0, OPER_DOWN, 4);
	tick(b, 10);
	assert_int_equal(ask(b, "links", NULL), 0);
	assert_int_equal(cell(b, "links", 0, "since")->value, 7 * NS_PER_S);
	assert_true(cell(b, "links", 1, "since")->absent);
}

/* The row is as old as the oldest value in it. */
static void test_c04_ports_tell_the_oldest_age(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_int_equal(cell(b, "ports", 0, "temp")->age_ns, 20 * NS_PER_S);
	assert_int_equal(cell(b, "ports", 0, "age")->value, 20 * NS_PER_S);
	assert_int_equal(cell(b, "ports", 2, "age")->value, 0);
}

static void test_c03_ports_tell_dark_from_absent(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_false(cell(b, "ports", 1, "rx_min")->absent);
	assert_int_equal(cell(b, "ports", 1, "rx_min")->value, 0);
	assert_true(cell(b, "ports", 2, "rx_min")->absent);
	assert_true(cell(b, "ports", 0, "util")->absent);
	assert_true(cell(b, "ports", 0, "drops_per_s")->absent);
}

static void test_port_is_found_by_name_and_alias(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	tick(b, 1);
	assert_int_equal(ask(b, "port", "Ethernet8"), 0);
	assert_int_equal(table(b, "lanes")->rows, LANES);
	assert_int_equal(ask(b, "port", "etp1"), 0);
	assert_string_equal(cell(b, "port", 0, "port")->text, "Ethernet0");
	assert_int_equal(cell(b, "lanes", 1, "rx")->value, 501000000);
	assert_int_equal(cell(b, "lanes", 1, "age")->value, 21 * NS_PER_S);
	assert_int_equal(table(b, "watched")->rows, SIGNATURE_COUNT - 1);
}

static void test_port_unknown_tells_the_nearest(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "port", "Ethernet18"), EXIT_NO_SUCH);
	assert_string_equal(answer_message(b->a)->error, "no port 'Ethernet18'; "
			    "nearest: Ethernet8, Ethernet16, Ethernet0");
}

/* A blank does not join names, as a name may have one; beside a comma it is
 * nothing.
 */
static void test_ports_are_joined_by_commas(void **state)
{
	static char first[] = "Ethernet0", comma[] = ",",
		    both[] = "Ethernet0,", second[] = " Ethernet8 ";
	char *words[][3] = { { both, second }, { first, comma, second } };
	struct bed *b = *state;

	assert_int_equal(ask(b, "ports", "Ethernet0, Ethernet8"), 0);
	assert_int_equal(table(b, "ports")->rows, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ask_words(b, "ports", words[i], i + 2), 0);
		assert_int_equal(table(b, "ports")->rows, 2);
	}
	assert_int_equal(ask(b, "ports", "Ethernet0 Ethernet8"), EXIT_NO_SUCH);
	assert_string_equal(answer_message(b->a)->error, "no port 'Ethernet0 "
			    "Ethernet8'; join several by commas");
	assert_int_equal(ask(b, "ports", "Ethernet0\nEthernet8"), EXIT_NO_SUCH);
	assert_non_null(strstr(answer_message(b->a)->error, "by commas"));
}

static void test_show_unknown_part_is_told(void **state)
{
	static const struct {
		char words[3][16];
		size_t n;
		int code;
		const char *told;
	} cases[] = {
		{ { "Ethernet8", "queue", "99" }, 3, EXIT_NO_SUCH,
		  "Ethernet8 has no queue 99" },
		{ { "Ethernet8", "queue" }, 2, EXIT_USAGE,
		  "'queue' needs a number, as in queue 3" },
		{ { "Ethernet8", "queu", "3" }, 3, EXIT_NO_SUCH,
		  "Ethernet8 has no 'queu'; nearest is queue; expected a kind "
		  "and a number, as in queue 3" },
		{ { "Ethernet8", "3" }, 2, EXIT_NO_SUCH, "Ethernet8 has no '3'; "
		  "expected a kind and a number, as in queue 3" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[3][16], *args[3] = { words[0], words[1], words[2] };

		memcpy(words, cases[i].words, sizeof(words));
		assert_int_equal(ask_words(b, "show", args, cases[i].n),
				 cases[i].code);
		assert_string_equal(answer_message(b->a)->error,
				    cases[i].told);
	}
}

/* The lanes table's last note. */
static const char *flags_said(struct bed *b)
{
	assert_int_equal(ask(b, "lanes", "all"), 0);
	return table(b, "flags")->note;
}

/* One module of two that has flags makes no "none" of the other's. */
static void test_flags_are_known_for_each_module(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	assert_non_null(strstr(flags_said(b), "are not read here"));
	group(b, 1, b->lane[0][0], start_ns);
	sample(b, Q_LANE_RX_LOS, 0);
	sample(b, Q_LANE_TX_FAULT, 0);
	assert_string_equal(flags_said(b),
		"flags: none raised of those that were read\n"
		"flags: not known for Ethernet0: alarms were not read\n"
		"flags: not known for Ethernet8: loss of signal, faults, alarms "
		"were not read");
	for (unsigned n = 0; n < 2; n++) {
		group(b, 1, b->lane[n][0], start_ns);
		sample(b, Q_LANE_RX_LOS, 0);
		sample(b, Q_LANE_TX_FAULT, 0);
		sample(b, Q_LANE_RX_POWER_FLAG, 0);
	}
	assert_string_equal(flags_said(b), "flags: none raised");
}

/* A bin is one of several, whether or not the others are known. */
static void test_a_counter_that_has_an_index_shows_it(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	b->host.sample(b->host.context, Q_FEC_CODEWORD_ERRORS, 3, 17,
		       QUALITY_GOOD);
	tick(b, 1);
	b->host.sample(b->host.context, Q_FEC_CODEWORD_ERRORS, 3, 17,
		       QUALITY_GOOD);
	assert_int_equal(ask(b, "port", "Ethernet16"), 0);
	for (size_t i = 0; i < table(b, "counters")->rows; i++)
		if (cell(b, "counters", i, "value")->value == 17)
			assert_string_equal(
				cell(b, "counters", i, "name")->text,
				"fec_codeword_errors[3]");
	assert_int_equal(table(b, "counters")->rows, 4);
}

static void test_c03_a_counter_is_never_negative(void **state)
{
	struct bed *b = *state;
	const Petrel__Table *t;
	size_t large = 0;

	tick(b, 0);
	b->host.sample(b->host.context, Q_FEC_CODEWORD_ERRORS, 3,
		       INT64_MIN + 7, QUALITY_ESTIMATED);
	b->host.sample(b->host.context, Q_IF_OUT_QLEN_FRAMES, 0, -7,
		       QUALITY_GOOD);
	assert_int_equal(ask(b, "show", "Ethernet16"), 0);
	t = table(b, "values");
	for (size_t i = 0; i < t->rows; i++) {
		const struct cell *c = cell(b, "values", i, "value");

		large += c->is_pattern;
		assert_int_equal(c->is_pattern, c->value == INT64_MIN + 7);
		assert_int_equal(c->quality, QUALITY_GOOD);
	}
	assert_int_equal(large, 1);
}

static void test_counters_at_zero_are_for_json_only(void **state)
{
	struct bed *b = *state;
	const Petrel__Table *t;
	size_t zero = 0;

	tick(b, 0);
	tick(b, 1);
	assert_int_equal(ask(b, "port", "Ethernet0"), 0);
	t = table(b, "counters");
	assert_int_equal(t->rows, 3);
	for (size_t i = 0; i < t->rows; i++) {
		assert_int_equal(table_row_is_json_only(t, i),
				 table_cell(t, i, 1).value == 0);
		zero += table_row_is_json_only(t, i);
	}
	assert_int_equal(zero, 1);
	assert_int_equal(cell(b, "counters", 0, "rate_per_s")->value,
			 OCTETS_A_SECOND);
}

/* --- findings and coverage ----------------------------------------------- */

/* C8: silence must never pass for health. */
static void test_c08_no_findings_stands_beside_what_is_blind(void **state)
{
	struct bed *b = *state;
	const char *note;

	assert_int_equal(ask(b, "findings", NULL), 0);
	assert_int_equal(answer_message(b->a)->n_findings, 0);
	note = table(b, "watched")->note;
	assert_int_equal(strncmp(note, "no findings; ", 13), 0);
	assert_non_null(strstr(note, "of 24 signatures armed"));
	assert_non_null(strstr(note, "blind: "));
	assert_non_null(strstr(note, "microburst"));
	assert_non_null(strstr(note, "see petrel coverage"));
}

static void test_findings_come_worst_first(void **state)
{
	struct bed *b = *state;
	const Petrel__Answer *m = answer_message(b->a);

	raise_finding(b, "bbbbbbbbbbbb", "Ethernet0", SEVERITY_WATCH);
	raise_finding(b, "cccccccccccc", "Ethernet8", SEVERITY_CRITICAL);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet16", SEVERITY_WARN);
	assert_int_equal(ask(b, "findings", NULL), 0);
	assert_int_equal(m->n_findings, 3);
	assert_string_equal(m->findings[0]->id, "cccccccccccc");
	assert_string_equal(m->findings[1]->id, "aaaaaaaaaaaa");
	assert_string_equal(m->findings[2]->id, "bbbbbbbbbbbb");
}

static void test_findings_by_a_unique_prefix(void **state)
{
	struct bed *b = *state;

	raise_finding(b, "abcaaaaaaaaa", "Ethernet0", SEVERITY_WATCH);
	raise_finding(b, "abdaaaaaaaaa", "Ethernet8", SEVERITY_WARN);
	assert_int_equal(ask(b, "findings", "abc"), 0);
	assert_int_equal(answer_message(b->a)->n_findings, 1);
	assert_int_equal(ask(b, "findings", "ab"), EXIT_NO_SUCH);
	assert_non_null(strstr(answer_message(b->a)->error, "of 2 findings"));
	assert_int_equal(ask(b, "findings", "zz"), EXIT_NO_SUCH);
}

static int ask_benign(struct bed *b)
{
	Petrel__Request r;

	petrel__request__init(&r);
	r.benign = true;
	answer_clear(b->a);
	return verbs_handle(&b->ctx, verb_find(verb_table, "findings"), NULL,
			    &r, b->a);
}

/* Of the last hour, the newest first; of a dead agent nobody knows. */
static void test_what_is_no_fault_is_listed_for_an_hour(void **state)
{
	static const int64_t ago_s[] = { 3700, 600, 1700 };
	struct bed *b = *state;

	assert_int_equal(ask_benign(b), EXIT_ANSWERED);
	assert_string_equal(table(b, "benign")->note,
			    "nothing benign was seen in the last hour");
	for (unsigned i = 0; i < 3; i++) {
		struct mono at = { start_ns - ago_s[i] * NS_PER_S };

		engine_event(b->engine, i == 1 ? ENGINE_ALL_PORTS :
			     b->number[i], ENGINE_COUNTERS_CLEARED, at,
			     (struct wall){ 1 });
		at.ns += 10 * NS_PER_S;		/* so long it may go on */
		engine_tick(b->engine, at, (struct wall){ 1 });
	}
	assert_int_equal(ask_benign(b), EXIT_ANSWERED);
	assert_int_equal(answer_message(b->a)->n_findings, 0);
	assert_int_equal(table(b, "benign")->rows, 2);
	assert_string_equal(cell(b, "benign", 0, "subject")->text, "leaf1");
	assert_string_equal(cell(b, "benign", 0, "benign")->text,
			    "counters_cleared");
	assert_string_equal(cell(b, "benign", 0, "symptom")->text,
			    "counters_restarted");
	assert_true(cell(b, "benign", 0, "since")->value ==
		    WALL_NS - 600 * NS_PER_S);
	assert_int_equal(cell(b, "benign", 1, "size")->value, 1000);
	b->ctx.engine = NULL;
	assert_int_equal(ask_benign(b), EXIT_UNREACHABLE);
}

static void test_c08_coverage_has_a_row_for_each_signature(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	assert_int_equal(ask(b, "coverage", NULL), 0);
	assert_int_equal(table(b, "coverage")->rows, 24);
	for (size_t i = 0; i < 24; i++) {
		bool armed = strcmp(cell(b, "coverage", i, "state")->text,
				    "armed") == 0;
		int64_t ports = 0;

		assert_string_equal(cell(b, "coverage", i, "signature")->text,
				    signature_name((enum signature)(i + 1)));
		ports += cell(b, "coverage", i, "armed_ports")->value;
		ports += cell(b, "coverage", i, "limited_ports")->value;
		ports += cell(b, "coverage", i, "blind_ports")->value;
		ports += cell(b, "coverage", i, "na_ports")->value;
		assert_int_equal(ports, PORTS);
		assert_int_equal(cell(b, "coverage", i, "why")->absent, armed);
	}
}

/* --- health and status --------------------------------------------------- */

static void test_health_is_unknown_until_a_source_delivers(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
	assert_int_equal(ask(b, "health", "agent"), EXIT_AGENT_DOWN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "no source has delivered yet");
}

static void test_health_of_links_is_the_worst_findings(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	assert_int_equal(ask(b, "health", NULL), 0);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet0", SEVERITY_WATCH);
	assert_int_equal(ask(b, "health", "links"), 0);
	raise_finding(b, "bbbbbbbbbbbb", "Ethernet8", SEVERITY_WARN);
	assert_int_equal(ask(b, "health", "links"), EXIT_HEALTH_WARN);
	raise_finding(b, "cccccccccccc", "Ethernet16", SEVERITY_CRITICAL);
	assert_int_equal(ask(b, "health", "links"), EXIT_HEALTH_CRITICAL);
}

static void opers(struct bed *b, int64_t at,
		  const enum oper_status oper[PORTS])
{
	tick(b, at);
	for (unsigned n = 0; n < PORTS; n++) {
		group(b, 0, b->port[n], start_ns + at * NS_PER_S + 1);
		sample(b, Q_OPER_STATUS, oper[n]);
	}
}

/* A database that is down is not a switch without sensors. */
static void test_what_is_not_known_is_told_alike(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "sensors", NULL), 0);
	assert_string_equal(table(b, "sensors")->note, "no sensor is known: "
			    "petrel status shows what the sources report");
	b->ctx.control = NULL;		/* no agent: it has no status */
	assert_int_equal(ask(b, "sensors", NULL), 0);
	assert_string_equal(table(b, "sensors")->note, "no sensor is known");
}

/* It names the key that would help. */
static void test_status_says_why_history_lacks_series(void **state)
{
	static const struct control_tiers_kept kept = {
		.folder = "/var/lib/petrel/history", .left_out = 3,
		.is_short = true };
	struct bed *b = *state;

	tick(b, 0);
	control_tiers_set(&b->control, &kept);
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "tiers", 0, "fault")->text,
			    "not all series are kept: [History] per_day is too "
			    "small");
}

/* The clock was set back after the onset. */
static void test_overview_has_no_time_below_zero(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet8", SEVERITY_WARN);
	test_now.wall.ns = WALL_NS + NS_PER_S;
	assert_int_equal(ask(b, "overview", NULL), 0);
	assert_int_equal(cell(b, "wrong", 0, "for")->value, NS_PER_S);
	test_now.wall.ns = WALL_NS - NS_PER_S;
	assert_int_equal(ask(b, "overview", NULL), 0);
	assert_true(cell(b, "wrong", 0, "for")->absent);
}

/* No finding tells of links that were down before anybody looked. */
static void test_health_is_not_fine_with_most_ports_down(void **state)
{
	struct bed *b = *state;

	opers(b, 0, (enum oper_status[PORTS]){ OPER_DOWN, OPER_DOWN,
					       OPER_UP });
	assert_int_equal(ask(b, "health", "links"), EXIT_HEALTH_WARN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "2 of 3 enabled ports are down");
	assert_int_equal(cell(b, "health", 0, "ports_wanted_down")->value, 2);
	assert_non_null(strstr(cell(b, "health", 0, "words")->text,
			       "warn (3 of 3 ports watched, "));
	assert_int_equal(ask(b, "overview", NULL), 0);
	assert_string_equal(table(b, "wrong")->note,
			    "no findings on what is watched");
	/* An empty cage that is enabled wants no link. */
	opers(b, 1, (enum oper_status[PORTS]){ OPER_UP, OPER_DOWN,
					       OPER_DOWN });
	assert_int_equal(ask(b, "health", "links"), 0);
	assert_int_equal(cell(b, "health", 0, "ports_wanted")->value, 2);
}

/* What a dead database told last is not the state of links, and that it is
 * dead is a limit.
 */
static void test_health_of_links_is_unknown_when_no_port_is_read(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	test_now.mono.ns += 60 * NS_PER_S;
	state_tick(b->state, test_now.mono);
	dom_read(b);
	b->host.source(b->host.context, 0, SOURCE_ABSENT, 0, "refused");
	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "no port is read any more: the state of links is "
			    "60 s old");
	assert_int_equal(cell(b, "health", 0, "findings")->value, 0);
	assert_int_equal(ask(b, "coverage", NULL), 0);
	assert_int_equal(table(b, "limits")->rows, 1);
	assert_string_equal(cell(b, "limits", 0, "limit")->text, "refused");
}

static void test_health_of_the_agent_is_not_the_cables(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	raise_finding(b, "cccccccccccc", "Ethernet16", SEVERITY_CRITICAL);
	assert_int_equal(ask(b, "health", "agent"), 0);
}

static void test_health_of_the_agent_sees_a_source_go_stale(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	b->host.source(b->host.context, 1, SOURCE_BROKEN, 0, "a bus hangs");
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_WARN);
	assert_non_null(strstr(cell(b, "health", 0, "because")->text,
			       "test.dom: a bus hangs"));
	test_now.mono.ns += 60 * NS_PER_S;	/* and nothing comes any more */
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		b->control.process[r].heartbeat_ns = test_now.mono.ns;
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_CRITICAL);
	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
}

static void test_health_of_the_agent_sees_a_process_hang_or_die(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	b->control.process[ROLE_READER].heartbeat_ns -= 20 * NS_PER_S;
	b->control.process[ROLE_READER].started_ns -= 20 * NS_PER_S;
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_WARN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "reader: hangs");
	processes_run(b);
	b->control.process[ROLE_SENDER].pid = 0;
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_WARN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "sender: not running");
}

static void test_c18_health_of_the_agent_sees_no_delivery(void **state)
{
	struct bed *b = *state;
	struct finding f = finding_of("aaaaaaaaaaaa", "Ethernet0",
				      SEVERITY_WARN);

	dom_read(b);
	tick(b, 0);
	(void)snprintf(b->control.push.reason.text, DIAG_MAX,
		       "no connection: Connection refused");
	b->control.push.progress_ns = test_now.mono.ns - 61 * NS_PER_S;
	(void)snprintf(b->control.config.collector[0], CONFIG_TEXT_MAX,
		       "tcp://c:1");
	assert_int_equal(ask(b, "health", "agent"), 0);	/* none owed */
	assert_int_equal(encoder_finding(b->encoder, &f, false), 0);
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_WARN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "nothing was delivered to tcp://c:1 for 61 s: "
			    "no connection: Connection refused");
	b->control.push.progress_ns += 2 * NS_PER_S;
	assert_int_equal(ask(b, "health", "agent"), 0);
	b->control.push.progress_ns -= 2 * NS_PER_S;
	b->control.config.collector[0][0] = '\0';
	assert_int_equal(ask(b, "health", "agent"), 0);
	assert_int_equal(ask(b, "health", "links"), 0);
}

/* They stay open while no port is read: unknown must not hide them. */
static void test_unknown_health_names_the_open_findings(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet0", SEVERITY_WARN);
	raise_finding(b, "cccccccccccc", "Ethernet8", SEVERITY_CRITICAL);
	test_now.mono.ns += 60 * NS_PER_S;
	state_tick(b->state, test_now.mono);
	dom_read(b);
	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
	assert_non_null(strstr(cell(b, "health", 0, "words")->text,
			       " 60 s old; 2 open findings; Ethernet8: "));
	assert_int_equal(cell(b, "health", 0, "findings")->value, 2);
	assert_string_equal(cell(b, "health", 0, "worst")->text, "critical");
	(void)ask(b, "health", "agent");
	assert_null(strstr(cell(b, "health", 0, "words")->text, "finding"));
}

/* Modules are read, and no port is: a source that is fresh is no link. */
static void test_health_of_links_is_unknown_where_no_port_was_read(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
	assert_non_null(strstr(cell(b, "health", 0, "because")->text,
			       "no port was read"));
	tick(b, 0);
	assert_int_equal(ask(b, "health", "links"), 0);
}

static void test_health_of_the_agent_sees_readings_that_had_no_room(
	void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	assert_int_equal(ask(b, "health", "agent"), 0);
	group(b, 1, b->module[0], start_ns);
	for (unsigned i = 0; i < 8192; i++)	/* the bed has room for 4096 */
		b->host.sample(b->host.context, Q_MODULE_TEMP_MC, i, 1,
			       QUALITY_GOOD);
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_WARN);
	assert_non_null(strstr(cell(b, "health", 0, "because")->text,
			       "no room for "));
}

static void test_health_of_anything_else_is_a_mistake(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "health", "cables"), EXIT_USAGE);
}

static void test_status_tells_processes_and_their_deaths(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	b->control.process[ROLE_READER].restarts = 2;
	b->control.process[ROLE_READER].last_status = 9;
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_int_equal(table(b, "processes")->rows, ROLE_COUNT);
	assert_int_equal(cell(b, "processes", 1, "restarts")->value, 2);
	assert_string_equal(cell(b, "processes", 1, "last_death")->text,
			    "killed by signal 9 (Killed)");
	assert_true(cell(b, "processes", 2, "last_death")->absent);
	assert_int_equal(cell(b, "processes", 2, "uptime")->value, NS_PER_S);
}

static void test_status_tells_when_baselines_were_kept(void **state)
{
	struct bed *b = *state;
	struct control_memory *m = &b->control.memory;
	int64_t now;

	tick(b, 0);
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "agent", 0, "baselines")->text,
			    "not yet (run), not yet (/var/lib/petrel)");
	assert_true(cell(b, "agent", 0, "baselines_run")->absent);
	now = b->control.process[2].started_ns +
	      cell(b, "processes", 2, "uptime")->value;
	m->run.written_ns = now - 12 * NS_PER_S;
	m->state.written_ns = now - 34 * 60 * NS_PER_S;
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "agent", 0, "baselines")->text,
			    "12 s ago (run), 34 min ago (/var/lib/petrel)");
	assert_int_equal(cell(b, "agent", 0, "baselines_run")->value,
			 12 * NS_PER_S);
	assert_int_equal(cell(b, "agent", 0, "baselines_state")->value,
			 34 * 60 * NS_PER_S);
	m->run = (struct control_copy){ .fault = ENOSPC };
	m->state.fault = EROFS;
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "agent", 0, "baselines")->text,
			    "not yet (run: No space left on device), 34 min ago "
			    "(/var/lib/petrel: Read-only file system)");
}

static void test_status_says_where_the_spool_cannot_be_kept(void **state)
{
	struct bed *b = *state;
	struct config *c = &b->control.config;

	(void)strcpy(c->collector[0], "tcp://[::1]:4717");
	c->spool_octets = 1 << 20;
	b->control.spool.fault = ENOSPC;
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "spool", 0, "fault")->text,
			    "/var/lib/petrel/spool: No space left on device");
}

static void test_c11_insecure_shows_in_every_status(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "status", NULL), 0);
	assert_int_equal(cell(b, "agent", 0, "insecure")->value, 0);
	assert_string_equal(table(b, "agent")->note, "");
	b->control.config.insecure = true;
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_int_equal(cell(b, "agent", 0, "insecure")->value, 1);
	assert_non_null(strstr(table(b, "agent")->note, "insecure = yes"));
}

static const char *agent_words(struct bed *b)
{
	assert_int_equal(ask(b, "overview", NULL), 0);
	return cell(b, "overview", 0, "agent")->text;
}

static void test_c11_what_is_not_sealed_is_said_first(void **state)
{
	struct bed *b = *state;
	struct config *c = &b->control.config;

	assert_null(strstr(agent_words(b), "sealed"));
	(void)strcpy(c->collector[0], "tcp://[::1]:4717");
	assert_non_null(strstr(agent_words(b), "collector not connected, not "
			       "sealed"));
	b->control.push.connected = 1;
	assert_non_null(strstr(agent_words(b), "connected, not sealed"));
	(void)strcpy(c->collector_key[0], "key of the collector");
	assert_null(strstr(agent_words(b), "not sealed"));
	b->control.push.sealed = 1;
	(void)strcpy(b->control.push.own_key.text, "our own");
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_int_equal(cell(b, "collector", 0, "sealed")->value, 1);
	assert_string_equal(cell(b, "collector", 0, "collector_key")->text,
			    "key of the collector");
	assert_string_equal(cell(b, "collector", 0, "own_key")->text,
			    "our own");
}

static void test_status_tells_why_nothing_is_delivered(void **state)
{
	struct bed *b = *state;
	struct finding f = finding_of("aaaaaaaaaaaa", "Ethernet0",
				      SEVERITY_WARN);

	(void)snprintf(b->control.config.collector[0], CONFIG_TEXT_MAX,
		       "tcp://c:1");
	(void)snprintf(b->control.push.reason.text, DIAG_MAX,
		       "no route");
	assert_int_equal(encoder_finding(b->encoder, &f, false), 0);
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "collector", 0, "reason")->text,
			    "no route");
	assert_int_equal(cell(b, "streams", 0, "queued")->value, 1);
	assert_int_equal(cell(b, "streams", 1, "queued")->value, 0);
}

static void test_status_tells_a_source_that_says_why(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	b->host.source(b->host.context, 1, SOURCE_ABSENT, 0, "no such table");
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "sources", 0, "state")->text, "fresh");
	assert_string_equal(cell(b, "sources", 1, "state")->text, "absent");
	assert_string_equal(cell(b, "sources", 1, "reason")->text,
			    "no such table");
	assert_true(cell(b, "sources", 1, "age")->absent);
}

static void test_health_says_one_reason_once(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < 2; i++)
		b->host.source(b->host.context, i, SOURCE_ABSENT, 0,
			       i ? "no ports (for 7 s)" : "no ports (for 6 s)");
	assert_int_equal(ask(b, "health", "agent"), EXIT_AGENT_DOWN);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "no source has delivered yet; 2 of 2: no ports "
			    "(for 6 s)");
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "sources", 0, "words")->text,
			    "no ports (for 6 s)");
	assert_string_equal(cell(b, "sources", 1, "words")->text,
			    "as test.counters");
	assert_string_equal(cell(b, "sources", 1, "reason")->text,
			    "no ports (for 7 s)");
	b->host.source(b->host.context, 1, SOURCE_ABSENT, 0, "no rows");
	assert_int_equal(ask(b, "status", NULL), 0);
	assert_string_equal(cell(b, "sources", 1, "words")->text, "no rows");
}

static void test_health_says_why_all_sources_fell_silent(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	for (unsigned i = 0; i < 2; i++)
		b->host.source(b->host.context, i, SOURCE_ABSENT, 0,
			       "Redis wants a password");
	assert_int_equal(ask(b, "health", "agent"), EXIT_HEALTH_CRITICAL);
	assert_string_equal(cell(b, "health", 0, "because")->text,
			    "no source delivers any more; 2 of 2: Redis wants "
			    "a password");
	assert_int_equal(ask(b, "health", "links"), EXIT_AGENT_DOWN);
	assert_non_null(strstr(cell(b, "health", 0, "because")->text,
			       "; 2 of 2: Redis wants a password"));
}

/* --- those who wait ------------------------------------------------------ */

static void serve(struct bed *b)
{
	struct query_env env = { .dir_fd = b->dir_fd, .socket_name = "s",
				 .switch_name = "leaf1",
				 .read_all = true, .verbs = verb_table,
				 .answer = verbs_handle,
				 .context = &b->ctx };

	assert_int_equal(loop_new(8, 8, &b->loop), 0);
	env.loop = b->loop;
	assert_int_equal(query_server_new(&env, &b->ctx.server, NULL), 0);
}

/* Connects and sends a request. */
static int client(struct bed *b, const char *verb, const char *arg,
		  const char *after)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[32], text[64], cursor[64], *args[1] = { text };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	Petrel__Request r;
	uint8_t *data;
	size_t len;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/s",
		       b->dir);
	assert_int_equal(connect(fd, (struct sockaddr *)&address,
				 sizeof(address)), 0);
	petrel__request__init(&r);
	(void)snprintf(name, sizeof(name), "%s", verb);
	(void)snprintf(text, sizeof(text), "%s", arg);
	(void)snprintf(cursor, sizeof(cursor), "%s", after);
	r.version = LOCAL_VERSION;
	r.verb = name;
	r.args = args;
	r.n_args = arg[0] ? 1 : 0;
	r.after = cursor;
	r.follow = true;
	assert_int_equal(message_pack(&r.base, LOCAL_REQUEST_MAX, &data, &len),
			 0);
	assert_int_equal(write(fd, data, len), len);
	free(data);
	for (int i = 0; i < 20; i++)
		assert_int_equal(loop_once(b->loop, 0), 0);
	return fd;
}

/* The next answer, which must be there; NULL when it is not. */
static Petrel__Answer *answer(int fd)
{
	static uint8_t body[ARENA];
	uint8_t head[MESSAGE_HEAD_LEN];
	Petrel__Answer *a;
	uint32_t len;

	if (recv(fd, head, sizeof(head), MSG_DONTWAIT) != sizeof(head))
		return NULL;
	len = message_length(head);
	assert_true(len <= sizeof(body));
	assert_int_equal(recv(fd, body, len, MSG_WAITALL), len);
	assert_int_equal(answer_unpack(body, len, &a), 0);
	return a;
}

static void emit(struct bed *b, const char *id, bool repeated)
{
	struct finding f = finding_of(id, "Ethernet0", SEVERITY_WARN);

	assert_int_equal(encoder_finding(b->encoder, &f, repeated), 0);
	verbs_findings_changed(&b->ctx);
}

static void test_follow_gets_what_is_open_then_each_change(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	int fd;

	serve(b);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet0", SEVERITY_WARN);
	emit(b, "aaaaaaaaaaaa", false);
	fd = client(b, "findings", "", "");
	a = answer(fd);
	assert_non_null(a);
	assert_true(a->more);
	assert_int_equal(a->n_findings, 1);
	assert_string_equal(a->cursor, "0000000000000abc-1");
	answer_unpacked_free(a);
	assert_null(answer(fd));
	emit(b, "aaaaaaaaaaaa", true);		/* said again: no change */
	assert_null(answer(fd));
	emit(b, "bbbbbbbbbbbb", false);
	a = answer(fd);
	assert_non_null(a);
	assert_string_equal(a->findings[0]->id, "bbbbbbbbbbbb");
	assert_string_equal(a->cursor, "0000000000000abc-3");
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_follow_goes_on_behind_a_cursor(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	int fd;

	serve(b);
	emit(b, "aaaaaaaaaaaa", false);
	emit(b, "bbbbbbbbbbbb", false);
	fd = client(b, "findings", "", "0000000000000abc-1");
	answer_unpacked_free(answer(fd));
	a = answer(fd);
	assert_non_null(a);
	assert_true(a->complete);
	assert_int_equal(a->n_findings, 1);
	assert_string_equal(a->findings[0]->id, "bbbbbbbbbbbb");
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_follow_tells_what_is_missing(void **state)
{
	static const char *const cursors[] = {
		"0000000000000def-1",		/* another run */
		"0000000000000abc-99",		/* not yet there */
	};
	struct bed *b = *state;

	serve(b);
	emit(b, "aaaaaaaaaaaa", false);
	for (size_t i = 0; i < 2; i++) {
		int fd = client(b, "findings", "", cursors[i]);
		Petrel__Answer *a = answer(fd);

		assert_false(a->complete);
		answer_unpacked_free(a);
		a = answer(fd);
		assert_int_equal(a->n_findings, 1);
		answer_unpacked_free(a);
		(void)close(fd);
	}
}

static void test_follow_refuses_what_is_no_cursor(void **state)
{
	static const char *const cursors[] = { "x", "1", "0000000000000abc-",
					       "000000000000zabc-1",
					       "0000000000000abc-x" };
	struct bed *b = *state;

	serve(b);
	for (size_t i = 0; i < 5; i++) {
		int fd = client(b, "findings", "", cursors[i]);
		Petrel__Answer *a = answer(fd);

		assert_int_equal(a->code, EXIT_USAGE);
		answer_unpacked_free(a);
		(void)close(fd);
	}
}

/* A ring that dropped what the cursor wants next. */
static void test_follow_tells_what_the_ring_dropped(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	int fd;

	serve(b);
	while (ring_first(b->rings.ring[STREAM_FINDINGS]) < 3)
		emit(b, "aaaaaaaaaaaa", false);
	fd = client(b, "findings", "", "0000000000000abc-1");
	answer_unpacked_free(answer(fd));
	a = answer(fd);
	assert_non_null(a);
	assert_false(a->complete);
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_trace_sends_ports_then_each_tick(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	int fd;

	attribute(b, b->port[0], ATTRIBUTE_PEER_TYPE, "LeafRouter");
	attribute(b, b->port[1], ATTRIBUTE_PEER_TYPE, "Server");
	serve(b);
	dom_read(b);
	tick(b, 0);
	fd = client(b, "record", "Ethernet0-8/8", "");
	a = answer(fd);
	assert_string_equal(a->cursor, "ports");
	assert_int_equal(a->n_lines, 2);
	assert_non_null(strstr(a->lines[0], "\"port\":\"Ethernet0\""));
	assert_non_null(strstr(a->lines[0], "\"media\":\"DR4\""));
	assert_non_null(strstr(a->lines[0], "\"role\":\"uplink\""));
	assert_non_null(strstr(a->lines[1], "\"role\":\"downlink\""));
	answer_unpacked_free(a);
	verbs_tick(&b->ctx);
	answer_unpacked_free(answer(fd));
	tick(b, 1);
	verbs_tick(&b->ctx);
	a = answer(fd);
	assert_string_equal(a->cursor, "samples");
	assert_int_equal(a->n_lines, 2);
	assert_non_null(strstr(a->lines[0], "\"ts_ns\":1700000001000000000"));
	assert_non_null(strstr(a->lines[0], "\"in_octets\":25000000000"));
	assert_non_null(strstr(a->lines[1], "\"port\":\"Ethernet8\""));
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_trace_of_no_port_is_told(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, "record", "eth7"), EXIT_NO_SUCH);
	assert_int_equal(ask(b, "record", "eth9-1"), EXIT_USAGE);
}

static void test_reload_waits_for_the_supervisor(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	uint64_t asked = 0;
	int fd;

	serve(b);
	fd = client(b, "reload", "", "");
	assert_int_equal(b->control.reload_asked, 1);
	assert_int_equal(read(b->reload_fd, &asked, sizeof(asked)),
			 sizeof(asked));
	verbs_reload_done(&b->ctx);
	assert_null(answer(fd));
	b->control.reload_done = 1;
	verbs_reload_done(&b->ctx);
	a = answer(fd);
	assert_non_null(a);
	assert_int_equal(a->code, 0);
	assert_false(a->more);
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_c14_reload_fails_with_file_and_line(void **state)
{
	struct bed *b = *state;
	Petrel__Answer *a;
	int fd;

	serve(b);
	fd = client(b, "reload", "", "");
	b->control.reload_result = -EINVAL;
	(void)snprintf(b->control.reload_diag.text, DIAG_MAX,
		       "petrel.conf:3: unknown key");
	b->control.reload_done = 1;
	verbs_reload_done(&b->ctx);
	a = answer(fd);
	assert_int_equal(a->code, EXIT_USAGE);
	assert_string_equal(a->error, "petrel.conf:3: unknown key; the "
			    "previous configuration stays in force");
	answer_unpacked_free(a);
	(void)close(fd);
}

/* --- metrics -------------------------------------------------------------- */

static void test_metrics_are_those_of_the_profile(void **state)
{
	struct bed *b = *state;

	dom_read(b);
	tick(b, 0);
	raise_finding(b, "aaaaaaaaaaaa", "Ethernet8", SEVERITY_WARN);
	assert_int_equal(ask(b, "metrics", "links"), 0);
	assert_string_equal(cell(b, "port", 0, "port")->text, "Ethernet0");
	assert_int_equal(cell(b, "port", 0, "oper_status")->value, 1);
	assert_string_equal(cell(b, "lane", 3, "port")->text, "Ethernet8");
	assert_string_equal(cell(b, "lane", 3, "cage")->text, "2");
	assert_string_equal(cell(b, "lane", 3, "lane")->text, "2");
	assert_int_equal(cell(b, "lane", 0, "lane_rx_power_pw")->value,
			 500000000);
	assert_string_equal(cell(b, "open", 0, "finding_id")->text,
			    "aaaaaaaaaaaa");
	assert_int_equal(cell(b, "severities", 1, "findings")->value, 1);
	assert_int_equal(ask(b, "metrics", "findings"), 0);
	for (size_t i = 0; i < answer_message(b->a)->n_tables; i++)
		assert_string_not_equal(answer_message(b->a)->tables[i]->name,
					"lane");
	assert_int_equal(ask(b, "metrics", "none"), EXIT_USAGE);
	assert_int_equal(ask(b, "metrics", NULL), EXIT_USAGE);
}

/* A sample without a timestamp would make it look new. */
static void test_metrics_leave_out_what_is_old_or_implausible(void **state)
{
	struct bed *b = *state;

	tick(b, 0);
	group(b, 0, b->port[0], start_ns);
	b->host.sample(b->host.context, Q_IF_IN_ERRORS, 0, 5,
		       QUALITY_IMPLAUSIBLE);
	assert_int_equal(ask(b, "metrics", "links"), 0);
	assert_int_equal(cell(b, "port", 0, "if_in_octets")->value, 0);
	assert_false(cell(b, "port", 0, "if_in_octets")->absent);
	assert_true(cell(b, "port", 0, "if_in_errors")->absent);
	state_tick(b->state, (struct mono){ start_ns + 60 * NS_PER_S });
	assert_int_equal(ask(b, "metrics", "links"), 0);
	assert_true(cell(b, "port", 0, "if_in_octets")->absent);
}

/* A minute of readings with a bit error each, to at_s. */
static void errors_are_counted(struct bed *b, unsigned n, int64_t at_s)
{
	struct port_facts facts;

	port_reading_facts(b->state, state_port(b->state, n), &facts);
	facts.fec = FEC_RS544;
	facts.speed_mbps = 400000;
	assert_int_equal(engine_port(b->engine, &facts, &b->number[n]), 0);
	for (int64_t s = at_s - 60; s <= at_s; s++) {
		struct inputs t = { .t = { start_ns + s * NS_PER_S },
				    .counters_new = true };

		inputs_set(&t, INPUT_OPER, OPER_UP);
		inputs_set(&t, INPUT_FEC_CORRECTED_BITS, s);
		inputs_set(&t, INPUT_FEC_CORRECTED_CW, s);
		inputs_set(&t, INPUT_FEC_UNCORRECTABLE_CW, 0);
		engine_reading(b->engine, b->number[n], &t,
			       (struct wall){ WALL_NS + s * NS_PER_S });
	}
}

/* Errors are no longer read: what was computed last is not what is now. */
static void test_old_margin_is_stale_everywhere(void **state)
{
	struct bed *b = *state;
	char name[] = "Ethernet0", *both[2] = { name, name };

	tick(b, 0);
	errors_are_counted(b, 0, 100);
	test_now.mono.ns = start_ns + 101 * NS_PER_S;
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_int_equal(cell(b, "ports", 0, "margin")->quality,
			 QUALITY_ESTIMATED);
	assert_int_equal(cell(b, "ports", 0, "age")->value, 101 * NS_PER_S);
	assert_int_equal(ask(b, "metrics", "links"), 0);
	assert_false(cell(b, "port", 0, "margin_milli_db")->absent);
	assert_false(cell(b, "port", 0, "pre_fec_ber_e18")->absent);
	test_now.mono.ns += 600 * NS_PER_S;
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_int_equal(cell(b, "ports", 0, "margin")->quality, QUALITY_STALE);
	/* Read again: the margin is now the oldest in the row. */
	tick(b, 700);
	assert_int_equal(ask(b, "ports", NULL), 0);
	assert_true(cell(b, "ports", 0, "age")->value >= 600 * NS_PER_S);
	assert_int_equal(ask(b, "metrics", "links"), 0);
	assert_true(cell(b, "port", 0, "margin_milli_db")->absent);
	assert_true(cell(b, "port", 0, "pre_fec_ber_e18")->absent);
	assert_int_equal(ask_words(b, "compare", both, 2), 0);
	for (size_t i = 0; i < table(b, "compare")->rows; i++)
		if (strstr(cell(b, "compare", i, "what")->text, "margin"))
			assert_int_equal(cell(b, "compare", i, "first")->quality,
					 QUALITY_STALE);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_ports_show_what_was_read),
		BED(test_links_count_from_the_turn_that_was_seen),
		BED(test_old_margin_is_stale_everywhere),
		BED(test_overview_has_no_time_below_zero),
		BED(test_what_is_not_known_is_told_alike),
		BED(test_status_says_why_history_lacks_series),
		BED(test_c04_ports_tell_the_oldest_age),
		BED(test_c03_ports_tell_dark_from_absent),
		BED(test_port_is_found_by_name_and_alias),
		BED(test_port_unknown_tells_the_nearest),
		BED(test_ports_are_joined_by_commas),
		BED(test_show_unknown_part_is_told),
		BED(test_flags_are_known_for_each_module),
		BED(test_a_counter_that_has_an_index_shows_it),
		BED(test_c03_a_counter_is_never_negative),
		BED(test_counters_at_zero_are_for_json_only),
		BED(test_c08_no_findings_stands_beside_what_is_blind),
		BED(test_ports_mark_what_a_finding_is_of),
		BED(test_findings_come_worst_first),
		BED(test_findings_by_a_unique_prefix),
		BED(test_what_is_no_fault_is_listed_for_an_hour),
		BED(test_c08_coverage_has_a_row_for_each_signature),
		BED(test_health_is_unknown_until_a_source_delivers),
		BED(test_health_of_links_is_the_worst_findings),
		BED(test_health_is_not_fine_with_most_ports_down),
		BED(test_health_of_links_is_unknown_when_no_port_is_read),
		BED(test_unknown_health_names_the_open_findings),
		BED(test_health_of_the_agent_is_not_the_cables),
		BED(test_health_of_the_agent_sees_a_source_go_stale),
		BED(test_health_of_the_agent_sees_a_process_hang_or_die),
		BED(test_c18_health_of_the_agent_sees_no_delivery),
		BED(test_health_of_links_is_unknown_where_no_port_was_read),
		BED(test_health_of_the_agent_sees_readings_that_had_no_room),
		BED(test_health_of_anything_else_is_a_mistake),
		BED(test_status_tells_processes_and_their_deaths),
		BED(test_status_tells_when_baselines_were_kept),
		BED(test_status_says_where_the_spool_cannot_be_kept),
		BED(test_c11_insecure_shows_in_every_status),
		BED(test_c11_what_is_not_sealed_is_said_first),
		BED(test_status_tells_why_nothing_is_delivered),
		BED(test_status_tells_a_source_that_says_why),
		BED(test_health_says_one_reason_once),
		BED(test_health_says_why_all_sources_fell_silent),
		BED(test_follow_gets_what_is_open_then_each_change),
		BED(test_follow_goes_on_behind_a_cursor),
		BED(test_follow_tells_what_is_missing),
		BED(test_follow_refuses_what_is_no_cursor),
		BED(test_follow_tells_what_the_ring_dropped),
		BED(test_trace_sends_ports_then_each_tick),
		BED(test_trace_of_no_port_is_told),
		BED(test_reload_waits_for_the_supervisor),
		BED(test_c14_reload_fails_with_file_and_line),
		BED(test_metrics_are_those_of_the_profile),
		BED(test_metrics_leave_out_what_is_old_or_implausible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

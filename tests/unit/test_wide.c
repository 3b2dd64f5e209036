/* petrel-test: no-valgrind IT PLAYS HOURS OF MANY PORTS; ASAN RUNS IT TOO */
/* What more than one port shares: a component that fails, the air of a zone,
 * and what all ports do together, which is nothing of any one of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/engine.h"

#define PORTS 16
#define LINE_BPS 4.25e11
#define SAID_MAX 256

/* A switch of 16 ports: four groups of four, two zones of eight. */
struct box {
	struct engine *engine;
	uint32_t number[PORTS], fan, supply;
	double t_s, log_ber[PORTS], temp_c[PORTS], rx_dbm[PORTS];
	double bits[PORTS], lag_s;	/* of the modules' readings */
	double step_s;			/* from one reading to the next */
	uint64_t downs[PORTS], lost[PORTS];
	bool down[PORTS], silent[PORTS];	/* the link; the module */
	bool shut[PORTS];
	bool failing[PORTS];		/* two readings of the module in five */
	bool moving[PORTS];		/* readings of the module, by noise */
	bool has_sensors;
	struct sensor_reading fan_shows, supply_shows;
	unsigned count;
	struct finding said[SAID_MAX];
};

static void on_finding(void *context, const struct finding *f)
{
	struct box *b = context;

	if (b->count < SAID_MAX)
		b->said[b->count++] = *f;
}

static unsigned core_ports = 4;		/* of each core */
static unsigned cage_ports = 1;		/* of each cage */
static unsigned zone_ports = 8;		/* of each zone */
static unsigned peer_links = 1;		/* to each peer */
static bool has_zones = true, has_cages = true;

static void facts_make(struct port_facts *f, unsigned i, bool one_peer)
{
	memset(f, 0, sizeof(*f));
	(void)snprintf(f->name, sizeof(f->name), "Ethernet%u", 8 * i);
	(void)snprintf(f->group, sizeof(f->group), "core%u", i / core_ports);
	if (has_zones)
		(void)snprintf(f->zone, sizeof(f->zone), "zone%u",
			       i / zone_ports);
	if (has_cages)
		(void)snprintf(f->cage, sizeof(f->cage), "%u",
			       i / cage_ports + 1);
	(void)snprintf(f->peer_switch, sizeof(f->peer_switch), "spine%u",
		       one_peer ? 0 : i / peer_links);
	f->lanes = 4;
	f->speed_mbps = 400000;
	f->fec = FEC_RS544;
	f->optical = f->media_known = true;
	f->counter_bits = 64;
}

static void box_start(struct box *b, bool one_peer)
{
	const struct sensor_facts fan = { .name = "fan3", .zone = "zone1",
					  .kind = SENSOR_FAN };
	const struct sensor_facts supply = { .name = "psu1",
					     .kind = SENSOR_SUPPLY };
	struct port_facts facts;

	memset(b, 0, sizeof(*b));
	b->t_s = 10000;
	b->step_s = 2;
	assert_int_equal(engine_new(PORTS, "leaf1", on_finding, b,
				    &b->engine), 0);
	for (unsigned i = 0; i < PORTS; i++) {
		facts_make(&facts, i, one_peer);
		assert_int_equal(engine_port(b->engine, &facts, &b->number[i]),
				 0);
		b->log_ber[i] = -7;
		b->temp_c[i] = 50;
	}
	assert_int_equal(engine_sensor(b->engine, &fan, &b->fan), 0);
	assert_int_equal(engine_sensor(b->engine, &supply, &b->supply), 0);
	b->fan_shows = (struct sensor_reading){ 9000, 3000, 22000, 0, 0, 0 };
	b->supply_shows = (struct sensor_reading){ 12, 11.4, 12.6, 0, 0, 0 };
}

static void box_init(struct box *b)
{
	box_start(b, false);
}

static void module_set(const struct box *b, unsigned i, struct inputs *k)
{
	k->dom_new = true;
	inputs_set(k, INPUT_TEMP_MC, lround(b->temp_c[i] * 1000));
	inputs_set(k, INPUT_VCC_UV, 3300000 + (b->moving[i] ?
		   lround(b->t_s * 17) % 311 * 100 : 0));
	for (unsigned n = 0; n < 4; n++)
		inputs_set(k, INPUT_RX_PW + n,
			   llround(1e9 * pow(10, b->rx_dbm[i] / 10)));
}

static void port_read(struct box *b, unsigned i, struct mono t, struct wall w)
{
	struct inputs k;

	memset(&k, 0, sizeof(k));
	k.t = k.dom_t = t;
	k.dom_t.ns -= (int64_t)(b->lag_s * 1e9);
	k.counters_new = true;
	inputs_set(&k, INPUT_OPER, b->down[i] ? OPER_DOWN : OPER_UP);
	inputs_set(&k, INPUT_ADMIN, !b->shut[i]);
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, (int64_t)b->downs[i]);
	if (!b->down[i])
		b->bits[i] += floor(pow(10, b->log_ber[i]) * LINE_BPS *
				    b->step_s);
	inputs_set(&k, INPUT_FEC_CORRECTED_BITS, (int64_t)b->bits[i]);
	inputs_set(&k, INPUT_FEC_UNCORRECTABLE_CW, (int64_t)b->lost[i]);
	if (b->failing[i] && lround(b->t_s / b->step_s) % 5 < 2)
		k.dom_failed = true;
	else if (!b->silent[i])
		module_set(b, i, &k);
	engine_reading(b->engine, b->number[i], &k, w);
}

/* Readings of all, one in two seconds, or in step_s. */
static void run(struct box *b, double seconds)
{
	for (double end_s = b->t_s + seconds; b->t_s < end_s;
	     b->t_s += b->step_s) {
		struct mono t = { (int64_t)(b->t_s * 1e9) };
		struct wall w = { (int64_t)((1.79e9 + b->t_s) * 1e9) };

		for (unsigned i = 0; i < PORTS; i++)
			port_read(b, i, t, w);
		if (b->has_sensors && (int)b->t_s % 10 == 0) {
			engine_sensor_reading(b->engine, b->fan, &b->fan_shows,
					      t);
			engine_sensor_reading(b->engine, b->supply,
					      &b->supply_shows, t);
		}
		engine_tick(b->engine, t, w);
	}
}

/* Modules from that port on warm, step by step, and their errors with them. */
static void warm(struct box *b, unsigned first, int steps, double k,
		 double decades)
{
	for (int n = 0; n < steps; n++) {
		for (unsigned i = first; i < PORTS; i++) {
			b->temp_c[i] += k;
			b->log_ber[i] += decades;
		}
		run(b, 10);
	}
}

static void box_fini(struct box *b)
{
	engine_free(b->engine);
}

static size_t open_of(const struct box *b, enum signature signature,
		      const struct finding **ret)
{
	const struct finding *all;
	size_t n = engine_findings(b->engine, &all), found = 0;

	for (size_t i = 0; i < n; i++)
		if (!signature || all[i].signature == signature) {
			found++;
			if (ret)
				*ret = &all[i];
		}
	return found;
}

static double evidence_of(const struct finding *f, const char *name)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	return NAN;
}

/* A core fails: errors of its ports step up together. One fault, one finding,
 * with the id of the oldest.
 */
static void test_shared_component_speaks_for_its_ports(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 4; i < 8; i++)
		b.log_ber[i] = -5.5;
	run(&b, 300);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_string_equal(f->subject, "core1");
	assert_int_equal(f->kind, SUBJECT_GROUP);
	assert_int_equal(f->cause_id, CAUSE_SHARED_ERRORS);
	assert_int_equal(f->port_count, 4);
	assert_string_equal(finding_port(f, NULL), "Ethernet32");
	assert_true(finding_has_port(f, "Ethernet56"));
	assert_false(finding_has_port(f, "Ethernet64"));
	assert_int_equal(f->action, ACTION_REPLACE_NEAR);
	assert_true(fabs(evidence_of(f, "ports_hit") - 4) < 0.5);
	assert_string_equal(f->id, b.said[0].id);
	for (unsigned i = 4; i < 8; i++)
		b.log_ber[i] = -7;
	run(&b, 900);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
}

/* A core of half the ports, or of most of them: the others are well, so that it
 * is nothing that the switch has in common, for as long as it lasts. Each port
 * has as many more errors as its own margin allows.
 */
static void test_shared_component_of_many_ports(void **state)
{
	(void)state;
	for (unsigned ports = 8; ports <= 12; ports += 4) {
		const struct finding *f = NULL;
		struct box b;

		core_ports = ports;
		box_init(&b);
		core_ports = 4;
		run(&b, 900);
		for (unsigned i = 0; i < ports; i++)
			b.log_ber[i] += 0.8 + 0.1 * i;
		run(&b, 2400);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 1);
		assert_int_equal(open_of(&b, 0, NULL), 1);
		assert_string_equal(f->subject, "core0");
		assert_int_equal(f->port_count, ports);
		assert_true(f->severity >= SEVERITY_WATCH);
		box_fini(&b);
	}
}

/* Half of the ports get worse in the same hours, each at its own pace: that is
 * more than one thing, even if most of them are of one core.
 */
static void test_shared_component_is_not_what_half_do(void **state)
{
	struct box b;

	(void)state;
	core_ports = 12;
	box_init(&b);
	core_ports = 4;
	run(&b, 900);
	for (unsigned n = 0; n < 600; n++) {
		for (unsigned i = 0; i < 8; i++)
			b.log_ber[i] += n < 40 * i ? 0 : i % 2 ? 0.003 : 0.001;
		run(&b, 10);
	}
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	box_fini(&b);
}

/* Two of them were told of before: the oldest goes on as it, the other ends in
 * it.
 */
static void test_shared_component_takes_over_what_was_told(void **state)
{
	const struct finding *f = NULL;
	struct box b;
	unsigned parts = 0;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (int n = 0; n < 35; n++) {
		b.log_ber[4] += 0.05;
		b.log_ber[5] += 0.05;
		run(&b, 2);
	}
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 2);
	b.log_ber[6] = b.log_ber[7] = -5.5;
	run(&b, 120);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->was, SIGNATURE_FEC_TREND);
	assert_string_equal(f->id, b.said[0].id);
	for (unsigned i = 0; i < b.count; i++)
		parts += b.said[i].state == FINDING_CLEARED &&
			 strstr(b.said[i].cause, "part of shared_component") &&
			 strcmp(b.said[i].into, f->id) == 0;
	assert_int_equal(parts, 1);
	box_fini(&b);
}

/* Updates that differ in nothing that is told from the message before. */
static unsigned repeats_of(const struct box *b, const char *id)
{
	const struct finding *old = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < b->count; i++) {
		const struct finding *f = &b->said[i];

		if (strcmp(f->id, id) != 0)
			continue;
		n += old && old->severity == f->severity &&
		     old->signature == f->signature &&
		     !old->cliff.foreseeable && !f->cliff.foreseeable &&
		     strcmp(old->cause, f->cause) == 0;
		old = f;
	}
	return n;
}

/* The ports of one module of a big core get worse: it is that module. One that
 * is not of it, and it is what they share. The date is that of the first to
 * reach the cliff.
 */
static void test_shared_component_of_one_module(void **state)
{
	(void)state;
	core_ports = 16;
	cage_ports = 4;
	for (unsigned more = 0; more < 2; more++) {
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		run(&b, 900);
		for (int n = 0; n < 300; n++) {
			for (unsigned i = 4; i < 8 + more; i++)
				b.log_ber[i] += 0.004 + 0.0002 * i;
			run(&b, 2);
		}
		assert_int_equal(open_of(&b, 0, NULL), 1);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 1);
		assert_string_equal(f->subject, "core0");
		assert_int_equal(f->port_count, 4 + more);
		assert_true(f->cliff.foreseeable && f->cliff.mid_s > 0);
		assert_int_equal(f->cause_id, more ? CAUSE_SHARED_ERRORS :
						     CAUSE_SHARED_MODULE);
		assert_int_equal(f->action, more ? ACTION_REPLACE_NEAR :
						   ACTION_RESEAT_NEAR);
		assert_non_null(strstr(f->cause, more ?
				       "5 of the 16 ports of core0" :
				       "all 4 ports of one module"));
		assert_int_equal(f->actions[!more], ACTION_REPLACE_NEAR);
		assert_true(!strstr(action_words(f, ACTION_REPLACE_NEAR),
				    "line card") == !more);
		box_fini(&b);
	}
	core_ports = 4;
	cage_ports = 1;
}

/* What is critical is drained at once, and that errors of its ports are part of
 * it is no news.
 */
static void test_shared_component_is_told_once(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 4; i < 8; i++)
		b.log_ber[i] = -3.5;
	run(&b, 600);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_int_equal(f->drain, DRAIN_ADVISE);
	assert_true(evidence_of(f, "with_fec_trend") > 0);
	assert_int_equal(repeats_of(&b, f->id), 0);
	box_fini(&b);
}

/* Half a switch is empty, and most of its ports are of the core that fails: two
 * others show that it is nothing that all have.
 */
static void test_shared_component_of_most_ports(void **state)
{
	(void)state;
	for (unsigned others = 1; others <= 2; others++) {
		struct box b;

		box_init(&b);
		for (unsigned i = 4 + others; i < PORTS; i++)
			engine_port_gone(b.engine, b.number[i],
					 (struct mono){ 1 },
					 (struct wall){ 1 });
		run(&b, 900);
		for (unsigned i = 0; i < 4; i++)
			b.log_ber[i] = -5.5;
		run(&b, 600);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 others > 1);
		box_fini(&b);
	}
}

/* What grows slowly shows later on a port that had more errors before. */
static void test_shared_component_takes_in_who_follows(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (int n = 0; n < 300; n++) {
		for (unsigned i = 4; i < 7; i++)
			b.log_ber[i] += 0.006;
		b.log_ber[7] += n < 150 ? 0 : 0.006;
		run(&b, 2);
	}
	run(&b, 300);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->port_count, 4);
	box_fini(&b);
}

/* The last thing that was told of it. */
static const struct finding *last_of(const struct box *b,
				     enum signature signature)
{
	const struct finding *f = NULL;

	for (unsigned i = 0; i < b->count; i++)
		if (b->said[i].signature == signature)
			f = &b->said[i];
	return f;
}

/* … and be it hours later. The port's own finding ends in that of the core,
 * which tells the port then.
 */
static void test_shared_component_takes_in_who_is_late(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 4; i < 7; i++)
		b.log_ber[i] = -5.5;
	run(&b, 3 * 3600);
	b.log_ber[7] = -5.5;
	run(&b, 600);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->port_count, 4);
	f = last_of(&b, SIGNATURE_SHARED_COMPONENT);
	assert_true(finding_has_port(f, "Ethernet56"));
	assert_non_null(strstr(f->cause, "errors of all 4 ports"));
	b.log_ber[7] = -7;
	run(&b, 3600);			/* better, and still told */
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_non_null(strstr(f->cause, "errors of all 4 ports"));
	box_fini(&b);
}

/* A few ports of a large core fail at once. Another one that fails an hour
 * later has a fault of its own; when the core's fault grows, others follow.
 */
static void test_shared_component_leaves_others_their_faults(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	core_ports = 12;
	box_init(&b);
	core_ports = 4;
	run(&b, 900);
	for (unsigned i = 0; i < 3; i++)
		b.log_ber[i] = -5.5;
	run(&b, 3600);
	b.log_ber[5] = -5.5;
	run(&b, 600);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, &f), 1);
	assert_string_equal(f->subject, "Ethernet40");
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->port_count, 3);
	for (unsigned i = 0; i < 3; i++)
		b.log_ber[i] = -4.9;
	run(&b, 600);
	b.log_ber[7] = -5.9;
	run(&b, 600);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_true(f->port_count >= 4);
	assert_int_equal(open_of(&b, 0, NULL), 2 - (f->port_count == 5));
	box_fini(&b);
}

/* A port of a failing core is plugged later, comes up with less light, and has
 * more errors than before: that dirt is told beside it. Where errors are as
 * before, less light is what a plug loses.
 */
static void test_shared_component_leaves_dirt_to_its_port(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		run(&b, 900);
		for (unsigned i = 4; i < 8; i++)
			b.log_ber[i] = -5.5;
		run(&b, 1200);
		b.down[5] = true;
		b.downs[5]++;
		run(&b, 60);
		b.down[5] = false;
		b.rx_dbm[5] = -0.9;
		b.log_ber[5] += 0.6 * more;
		run(&b, 1200);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 1);
		assert_int_equal(f->port_count, 4);
		assert_int_equal(open_of(&b, SIGNATURE_CONTAMINATION, &f),
				 more);
		if (more)
			assert_string_equal(f->subject, "Ethernet40");
		assert_int_equal(open_of(&b, 0, NULL), 1 + more);
		box_fini(&b);
	}
}

/* A link of a failing core goes down. While light comes, that is the core's;
 * where it went out, it is a fault beside it.
 */
static void test_shared_component_puts_out_no_light(void **state)
{
	(void)state;
	for (unsigned dark = 0; dark < 2; dark++) {
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		run(&b, 900);
		for (unsigned i = 4; i < 8; i++)
			b.log_ber[i] = -5.5;
		run(&b, 1200);
		b.down[5] = true;
		b.downs[5]++;
		b.rx_dbm[5] = dark ? -40 : 0;
		run(&b, 600);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 1);
		assert_int_equal(open_of(&b, SIGNATURE_LINK_DOWN, &f), dark);
		if (dark)
			assert_string_equal(f->subject, "Ethernet40");
		box_fini(&b);
	}
}

/* Its links are down for long, while it is replaced: it ends once, when they
 * are up and well, and is told as before until then.
 */
static void test_shared_component_is_replaced(void **state)
{
	unsigned raised = 0, cleared = 0;
	const struct finding *open = NULL;
	struct box b;

	(void)state;
	cage_ports = 4;
	box_init(&b);
	cage_ports = 1;
	run(&b, 900);
	for (unsigned i = 4; i < 8; i++)
		b.log_ber[i] = -4.5;
	run(&b, 1200);
	for (unsigned i = 4; i < 8; i++) {
		b.down[i] = true;
		b.downs[i]++;
		run(&b, 60);
	}
	run(&b, 1200);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &open), 1);
	assert_string_equal(finding_port(open, NULL), "Ethernet32");
	for (unsigned i = 4; i < 8; i++) {
		b.down[i] = false;
		b.log_ber[i] = -7;
	}
	run(&b, 1200);
	for (unsigned i = 0; i < b.count; i++) {
		const struct finding *f = &b.said[i];

		raised += f->state == FINDING_RAISED &&
			  f->signature == SIGNATURE_FEC_TREND;
		cleared += f->state == FINDING_CLEARED &&
			   f->signature == SIGNATURE_SHARED_COMPONENT;
		assert_true(f->signature != SIGNATURE_SHARED_COMPONENT ||
			    f->cause_id == CAUSE_SHARED_MODULE);
	}
	assert_int_equal(raised, 0);
	assert_int_equal(cleared, 1);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
}

/* Each of its ports loses codewords now and then, too few to show in the mean:
 * one gearbox slips. Ports of as many groups share none.
 */
static void test_shared_component_of_bursts(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	for (unsigned step = 1; step <= 4; step += 3) {
		struct box b;

		box_init(&b);
		run(&b, 900);
		for (unsigned n = 0; n < 12; n++) {
			b.lost[step == 1 ? 4 + n % 4 : step * (n % 4)] += 2;
			run(&b, 30);
		}
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 step == 1);
		assert_int_equal(open_of(&b, 0, NULL), step == 1 ? 1 : 4);
		if (step == 1) {
			assert_int_equal(f->port_count, 4);
			assert_int_equal(f->severity, SEVERITY_WARN);
		}
		box_fini(&b);
	}
}

/* All ports lose codewords at the same moments, again and again: one finding,
 * and no bad contact of each. If they are of one module, it may be its contact.
 */
static void test_bursts_of_all_ports_are_one(void **state)
{
	(void)state;
	for (unsigned of_cage = 1; of_cage <= PORTS; of_cage *= PORTS) {
		const struct finding *f = NULL;
		unsigned contacts = 0, raised = 0;
		struct box b;

		cage_ports = of_cage;
		box_init(&b);
		cage_ports = 1;
		b.step_s = 10;
		run(&b, 3000);
		for (unsigned n = 0; n < 4; n++) {
			for (unsigned i = 0; i < PORTS; i++)
				b.lost[i] += 40000;
			run(&b, 1200);
			assert_int_equal(open_of(&b, 0, &f),
					 of_cage == 1 ? 1 : PORTS);
			if (of_cage > 1)
				break;
			raised = n == 0 ? b.count : raised;
			assert_int_equal(f->signature,
					 SIGNATURE_FEC_UNCORRECTABLE);
			assert_int_equal(f->port_count, PORTS);
			assert_int_equal(f->cause_id, CAUSE_BURSTS_TOGETHER);
			assert_int_equal(f->action, ACTION_OBSERVE);
		}
		for (unsigned i = 0; i < b.count; i++) {
			contacts += b.said[i].signature ==
				    SIGNATURE_LOOSE_MODULE;
			if (i >= raised && of_cage == 1) /* it goes on */
				assert_string_equal(b.said[i].subject,
						    f->subject);
		}
		assert_int_equal(contacts, 0);
		box_fini(&b);
	}
}

/* Half of the ports lose codewords each minute, each by itself, so that some do
 * it at the same moments: that is no one thing.
 */
static void test_bursts_that_come_often_are_many(void **state)
{
	struct box b;

	(void)state;
	core_ports = 1;
	box_init(&b);
	core_ports = 4;
	b.step_s = 10;
	run(&b, 3000);
	for (unsigned n = 0; n < 200; n++) {
		for (unsigned i = 0; i < 8; i++)
			if (n % (5 + i % 2) == i / 4)
				b.lost[i] += 20;
		run(&b, 10);
	}
	for (unsigned i = 0; i < b.count; i++)
		if (b.said[i].when.ns > 14000 * INT64_C(1000000000))
			assert_int_not_equal(b.said[i].cause_id,
					     CAUSE_BURSTS_TOGETHER);
	assert_int_equal(open_of(&b, 0, NULL), 8);
	box_fini(&b);
}

/* What both cores have at the same moment is not of one, though it is more on
 * one; nor when it is over sooner on the other.
 */
static void test_shared_component_is_not_what_all_have(void **state)
{
	(void)state;
	for (unsigned bursts = 0; bursts < 2; bursts++) {
		struct box b;

		core_ports = 8;
		box_init(&b);
		core_ports = 4;
		b.step_s = 10;
		run(&b, 3000);
		for (unsigned i = 0; i < PORTS && !bursts; i++)
			b.log_ber[i] += i < 8 ? 1.3 : 0.9;
		for (unsigned n = 0; n < 4 && bursts; n++) {
			for (unsigned i = 0; i < 8; i++)
				b.lost[n % 2 ? 8 + i : i] += 200;
			run(&b, n % 2 ? 1200 : 10);
		}
		run(&b, 4000);
		for (unsigned i = 0; i < b.count; i++)
			assert_int_not_equal(b.said[i].signature,
					     SIGNATURE_SHARED_COMPONENT);
		box_fini(&b);
	}
}

/* Errors of its ports jump at the same moments and end by themselves: a rail
 * dips. That is no bad contact of each. Ports of as many groups share none.
 */
static void test_shared_component_of_jumps(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	for (unsigned step = 1; step <= 4; step += 3) {
		struct box b;

		box_init(&b);
		b.step_s = 60;
		run(&b, 7200);
		for (unsigned n = 0; n < 12; n++) {
			unsigned first = step == 1 ? 4 : 0;

			for (unsigned i = 0; i < 4; i++) {
				b.log_ber[first + step * i] = n % 3 ? -7 : -5.5;
				b.lost[first + step * i] +=
					step == 1 || n % 3 ? 0 : 2;
			}
			run(&b, n % 3 ? 840 : 60);
		}
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 step == 1);
		assert_int_equal(open_of(&b, 0, NULL), step == 1 ? 1 : 4);
		if (step == 1) {
			assert_int_equal(f->port_count, 4);
			assert_string_equal(f->subject, "core1");
		}
		box_fini(&b);
	}
}

/* All links of a group fall at the same moments, again and again, and come up
 * by themselves. Nobody knows their peers: so often no far ends fail together.
 * Where all lead to one switch it may be that one.
 */
static void test_shared_component_of_falls_again(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		struct box b;

		box_start(&b, true);
		b.step_s = 10;
		for (unsigned i = 0; i < PORTS && !known; i++) {
			struct port_facts facts;

			facts_make(&facts, i, true);
			facts.peer_switch[0] = '\0';
			assert_int_equal(engine_port(b.engine, &facts,
						     &b.number[i]), 0);
		}
		run(&b, 900);
		for (unsigned n = 0; n < 5; n++) {
			for (unsigned i = 4; i < 8; i++)
				b.downs[i]++;
			run(&b, 1200);
		}
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 !known);
		if (!known) {
			assert_int_equal(open_of(&b, 0, NULL), 1);
			assert_int_equal(f->cause_id, CAUSE_SHARED_FALLS);
			assert_int_equal(f->severity, SEVERITY_WARN);
			assert_int_equal(f->port_count, 4);
		}
		box_fini(&b);
	}
}

/* The same of five of the eight links of a core, each to another peer: so often
 * they fall at one moment by what they share. Not where each falls for itself.
 */
static void test_shared_component_of_most_that_fall_again(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	core_ports = 8;
	for (int at_once = 0; at_once < 2; at_once++) {
		struct box b;

		box_init(&b);
		b.step_s = 10;
		run(&b, 900);
		for (unsigned n = 0; n < 8; n++) {
			for (unsigned i = 1; i < 6; i++) {
				b.downs[i]++;
				run(&b, at_once ? 0 : 120);
			}
			run(&b, at_once ? 600 : 10);
		}
		for (unsigned i = 1; i < 6; i++)
			b.downs[i]++;
		run(&b, 60);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 at_once);
		if (at_once) {
			assert_int_equal(open_of(&b, 0, NULL), 1);
			assert_int_equal(f->port_count, 5);
		}
		box_fini(&b);
	}
	core_ports = 4;
}

/* A step has its moment: errors of others that grow since an hour before have
 * nothing to do with it.
 */
static void test_shared_component_of_a_step_is_at_once(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 10;
	run(&b, 7200);
	for (unsigned n = 0; n < 900; n++) {
		b.log_ber[4] += 0.002;
		b.log_ber[6] += n < 120 ? 0 : 0.002;
		b.log_ber[5] += n == 300 ? 1.5 : 0;
		run(&b, 10);
	}
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 3);
	box_fini(&b);
}

/* … but those of one module are one finding, and of this end. */
static void test_flap_burst_of_a_cage_is_one(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	cage_ports = 4;
	box_init(&b);
	cage_ports = 1;
	b.step_s = 10;
	run(&b, 900);
	for (unsigned n = 0; n < 5; n++) {
		for (unsigned i = 4; i < 8; i++)
			b.downs[i]++;
		run(&b, 1200);
	}
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_FLAP_BURST, &f), 1);
	assert_int_equal(f->action, ACTION_RESEAT_NEAR);
	assert_int_equal(f->end, END_NEAR);
	assert_int_equal(f->port_count, 4);
	box_fini(&b);
}

/* The first port of a round falls before the others are seen to: that is no
 * module which slips, though readings of it fail.
 */
static void test_loose_module_is_none_of_falls_of_all(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 10;
	run(&b, 1800);
	for (unsigned n = 0; n < 12; n++) {
		for (unsigned i = 0; i < PORTS; i++)
			b.down[i] = true;
		run(&b, 30);
		for (unsigned i = 0; i < PORTS; i++) {
			b.down[i] = false;
			b.downs[i]++;
		}
		for (unsigned k = 0; k < 17; k++) {
			b.silent[0] = k % 2 == 1;
			run(&b, 10);
		}
	}
	assert_int_equal(open_of(&b, SIGNATURE_LOOSE_MODULE, NULL), 0);
	box_fini(&b);
}

/* As many ports, of as many groups, share nothing. */
static void test_shared_component_needs_one_group(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 0; i < PORTS; i += 4)
		b.log_ber[i] = -5.5;
	run(&b, 300);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 4);
	box_fini(&b);
}

/* Ports whose light fell have a cause of their own. */
static void test_shared_component_leaves_lost_light_alone(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 4; i < 8; i++) {
		b.log_ber[i] = -5.5;
		b.rx_dbm[i] = -1.2;
	}
	run(&b, 300);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	box_fini(&b);
}

/* A core's errors step up while its modules are not read for so long. */
static void core_unread(struct box *b, double log_ber, double dbm,
			double seconds)
{
	box_init(b);
	run(b, 900);
	for (unsigned i = 4; i < 8; i++) {
		b->log_ber[i] = log_ber;
		b->rx_dbm[i] = dbm;
		b->silent[i] = true;
	}
	run(b, seconds);
}

/* What their light does shows when the modules are read next. They are not
 * waited for for long.
 */
static void test_shared_component_waits_for_light(void **state)
{
	(void)state;
	for (unsigned lost = 0; lost < 2; lost++) {
		struct box b;

		core_unread(&b, -5.5, lost ? -1.2 : 0, 60);
		assert_null(last_of(&b, SIGNATURE_SHARED_COMPONENT));
		for (unsigned i = 4; i < 8; i++)
			b.silent[i] = false;
		run(&b, 300);
		assert_true(lost ==
			    !last_of(&b, SIGNATURE_SHARED_COMPONENT));
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 !lost);
		box_fini(&b);
		core_unread(&b, -5.5, 0, 300);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 1);
		box_fini(&b);
	}
}

/* Two cores have errors since the same moment: that is in neither, whichever is
 * read first.
 */
static void test_shared_component_counts_the_unread(void **state)
{
	struct box b;

	(void)state;
	core_unread(&b, -5.5, 0, 0);
	for (unsigned i = 4; i < 12; i++) {
		b.log_ber[i] = -5.5;
		b.silent[i] = i >= 8;
	}
	run(&b, 100);
	for (unsigned i = 8; i < 12; i++)
		b.silent[i] = false;
	run(&b, 600);
	assert_null(last_of(&b, SIGNATURE_SHARED_COMPONENT));
	box_fini(&b);
}

/* Light that is read late, and explains the errors, takes it back at once. What
 * fell later is another fault, and so little light is none.
 */
static void test_shared_component_is_taken_back(void **state)
{
	static const struct {
		double log_ber, dbm;
		bool later;
	} cases[] = { { -5.5, -1.2, false }, { -5.5, -1.2, true },
		      { -3.9, -0.6, false } };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		bool stays = i > 0;
		struct box b;

		core_unread(&b, cases[i].log_ber,
			    cases[i].later ? 0 : cases[i].dbm, 300);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 1);
		for (unsigned k = 4; k < 8; k++)
			b.silent[k] = false;
		run(&b, 60);
		for (unsigned k = 4; k < 8; k++)
			b.rx_dbm[k] = cases[i].dbm;
		run(&b, 60);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 stays);
		run(&b, 600);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 stays);
		assert_true(stays || open_of(&b, 0, NULL) == 1);
		box_fini(&b);
	}
}

/* Light that falls on several ports at once was lost by what their fibres
 * share; of two ports that may be chance.
 */
static void test_light_that_falls_together_is_told(void **state)
{
	static const struct {
		unsigned ports, cage;
		double apart_s;
		const char *words;
	} cases[] = { { 4, 1, 0, "fell on 4 ports at once (trunk or patch" },
		      { 4, 4, 0, "fell on 4 ports at once (plug or trunk)" },
		      { 2, 2, 0, "fell on 2 ports at once (plug or trunk)" },
		      { 2, 1, 0, NULL }, { 4, 1, 60, NULL } };

	(void)state;
	for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const struct finding *all;
		size_t count;
		struct box b;

		cage_ports = cases[n].cage;
		box_init(&b);
		cage_ports = 1;
		run(&b, 900);
		for (unsigned i = 4; i < 4 + cases[n].ports; i++) {
			b.log_ber[i] = -5.5;
			b.rx_dbm[i] = -1.2;
			run(&b, cases[n].apart_s);
		}
		run(&b, 300);
		count = engine_findings(b.engine, &all);
		assert_int_equal(count, cases[n].words ? 1 : cases[n].ports);
		for (unsigned i = 0; i < count; i++) {
			assert_int_equal(!!strstr(all[i].cause, "ports"),
					 !!cases[n].words);
			assert_int_equal(all[i].port_count,
					 cases[n].words ? cases[n].ports : 1);
			assert_true(!cases[n].words ||
				    strstr(all[i].cause, cases[n].words));
			assert_true(!cases[n].words ||
				    evidence_of(&all[i], "ports_dimmed") ==
				    cases[n].ports);
		}
		box_fini(&b);
	}
}

/* Light that comes and goes falls with that of others by chance. */
static void test_light_that_comes_and_goes_falls_alone(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned k = 0; k < 3; k++) {
		b.rx_dbm[4] = -1.2;
		run(&b, 120);
		b.rx_dbm[4] = 0;
		run(&b, 120);
	}
	for (unsigned i = 4; i < 7; i++) {
		b.log_ber[i] = -5.5;
		b.rx_dbm[i] = -1.2;
	}
	run(&b, 300);
	assert_int_equal(open_of(&b, 0, NULL), 3);
	box_fini(&b);
}

/* It is as bad as on the worst port, and goes on while one of them has it. */
static void test_light_that_falls_together_is_one_fault(void **state)
{
	static const unsigned order[] = { 6, 4, 5, 7 };
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	for (unsigned i = 0; i < 4; i++) {
		b.silent[order[i]] = true;
		b.log_ber[order[i]] = -6.2;
		b.rx_dbm[order[i]] = -1.2;
		run(&b, i ? 0 : 30);
	}
	run(&b, 90);
	assert_int_equal(open_of(&b, 0, NULL), 4);
	for (unsigned i = 0; i < 4; i++)
		b.silent[order[i]] = false;
	run(&b, 600);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_string_equal(f->subject, "Ethernet48");	/* the oldest */
	assert_int_equal(f->severity, SEVERITY_WARN);
	b.log_ber[5] = -3;
	run(&b, 300);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	b.log_ber[6] = -7;
	b.rx_dbm[6] = 0;
	run(&b, 1500);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_string_not_equal(f->subject, "Ethernet48");
	assert_int_equal(f->port_count, 3);
	for (unsigned i = 4; i < 8; i++) {
		b.log_ber[i] = -7;
		b.rx_dbm[i] = 0;
	}
	run(&b, 1500);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
}

/* One of the ports had errors before, by a fault of its own. */
static void test_light_that_falls_together_is_as_bad_as_it_is(void **state)
{
	const struct finding *all;
	size_t count, alike = 0;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 900);
	b.log_ber[7] = -3;
	run(&b, 900);
	for (unsigned i = 4; i < 8; i++) {
		b.log_ber[i] = i == 7 ? -3 : -6.2;
		b.rx_dbm[i] = -1.2;
	}
	run(&b, 600);
	count = engine_findings(b.engine, &all);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		alike += all[i].severity == (all[i].port_count > 1 ?
					     SEVERITY_WARN : SEVERITY_CRITICAL);
	assert_int_equal(alike, 2);
	box_fini(&b);
}

static void core_falls(struct box *b, bool one_peer, double gap_s)
{
	box_start(b, one_peer);
	run(b, 300);
	b->t_s += gap_s;
	for (unsigned i = 4; i < 8; i++) {
		b->down[i] = true;
		b->downs[i]++;
	}
	run(b, 60);
}

/* All links of a core fall, to as many peers. */
static void test_shared_component_tells_of_falls(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	core_falls(&b, false, 0);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(f->cause, "within 2 s,"));
	run(&b, 3600);			/* and it stays that */
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 1);
	box_fini(&b);
}

/* All links of a core fall and are up again in seconds, as no far end is that
 * lost its power; a count may tell it alone. One peer may do that, a reload, or
 * what takes other links as well; somebody who shuts the ports; and a trunk of
 * fibres that is plugged, where no light comes meanwhile. What is down for
 * longer may be a restart.
 */
static void test_shared_component_of_short_falls(void **state)
{
	static const struct {
		double down_s;		/* 0: counted, not seen */
		bool one_peer, all, dark, reload, shut;
		size_t told;
	} cases[] = {
		{ .down_s = 0, .told = 1 },
		{ .down_s = 2, .told = 1 },
		{ .down_s = 8, .told = 1 },
		{ .down_s = 40, .told = 0 },
		{ .down_s = 2, .one_peer = true },
		{ .down_s = 2, .all = true },
		{ .down_s = 4, .dark = true },
		{ .down_s = 0, .reload = true },
		{ .down_s = 4, .shut = true },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const struct finding *f = NULL;
		unsigned first = cases[n].all ? 0 : 4;
		unsigned end = cases[n].all ? PORTS : 8;
		struct box b;

		box_start(&b, cases[n].one_peer);
		run(&b, 900);
		if (cases[n].reload)
			engine_event(b.engine, ENGINE_ALL_PORTS, ENGINE_RELOAD,
				(struct mono){ (int64_t)(b.t_s * 1e9) },
				(struct wall){ (int64_t)((1.79e9 + b.t_s) *
							 1e9) });
		for (unsigned i = first; i < end; i++) {
			b.downs[i]++;
			b.down[i] = cases[n].down_s > 0;
			b.shut[i] = cases[n].shut;
			b.silent[i] = true;
		}
		run(&b, cases[n].dark ? 2 : cases[n].down_s);
		for (unsigned i = first; i < end && cases[n].dark; i++) {
			b.silent[i] = false;
			b.rx_dbm[i] = -40;
		}
		run(&b, cases[n].dark ? cases[n].down_s - 2 : 0);
		for (unsigned i = first; i < end; i++) {
			b.down[i] = b.silent[i] = b.shut[i] = false;
			b.rx_dbm[i] = 0;
		}
		run(&b, 2);		/* at once */
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 cases[n].told);
		run(&b, 20);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 cases[n].told);
		if (cases[n].told) {
			assert_int_equal(open_of(&b, 0, NULL), 1);
			assert_int_equal(f->cause_id, CAUSE_SHARED_FALLS);
			assert_int_equal(f->severity, SEVERITY_WARN);
			assert_int_equal(f->port_count, 4);
		}
		box_fini(&b);
	}
}

/* Links of a core fall at the same moments, a few times in minutes, and seldom
 * is a port looked at: nobody knows how long they were down.
 */
static void test_shared_component_of_a_burst_of_falls(void **state)
{
	(void)state;
	for (int one_peer = 0; one_peer < 2; one_peer++) {
		const struct finding *f = NULL;
		struct box b;

		box_start(&b, one_peer);
		b.step_s = 60;
		run(&b, 3600);
		for (unsigned n = 0; n < 3; n++) {
			assert_int_equal(open_of(&b, 0, NULL), 0);
			for (unsigned i = 4; i < 8; i++)
				b.downs[i]++;
			run(&b, 240);
		}
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f),
				 !one_peer);
		if (!one_peer)
			assert_int_equal(f->port_count, 4);
		box_fini(&b);
	}
}

/* … and nobody knows when, if no reading came for a while. */
static void test_shared_component_of_falls_in_a_gap(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	core_falls(&b, false, 120);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, &f), 1);
	assert_non_null(strstr(f->cause, "within 122 s,"));
	box_fini(&b);
}

/* … also where nobody says which cages they have. */
static void test_shared_component_needs_no_cages(void **state)
{
	struct box b;

	(void)state;
	has_cages = false;
	core_falls(&b, false, 0);
	has_cages = true;
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 1);
	box_fini(&b);
}

/* … and configuration was loaded, which takes links down. */
static void test_shared_component_is_no_reload(void **state)
{
	struct box b;

	(void)state;
	box_start(&b, false);
	run(&b, 300);
	engine_event(b.engine, ENGINE_ALL_PORTS, ENGINE_RELOAD,
		     (struct mono){ (int64_t)(b.t_s * 1e9) },
		     (struct wall){ (int64_t)((1.79e9 + b.t_s) * 1e9) });
	for (unsigned i = 4; i < 8; i++) {
		b.down[i] = true;
		b.downs[i]++;
	}
	run(&b, 60);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	box_fini(&b);
}

/* A switch restarts, and its second core comes up last: all links fell with it,
 * though others are up again. In a gap between readings they may have fallen
 * and risen; counters that all begin anew tell that the switch restarted.
 */
static void test_shared_component_is_no_restart(void **state)
{
	static const struct {
		double gap_s;
		bool rose_in_gap, anew;
	} cases[] = {
		{ .gap_s = 0 },
		{ .gap_s = 300, .rose_in_gap = true },
		{ .gap_s = 300, .rose_in_gap = true, .anew = true },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct box b;

		core_ports = 8;
		box_init(&b);
		core_ports = 4;
		run(&b, 900);
		b.t_s += cases[n].gap_s;
		for (unsigned i = 0; i < PORTS; i++) {
			b.down[i] = i >= 8 || !cases[n].rose_in_gap;
			b.downs[i] += !cases[n].anew;
			b.bits[i] *= !cases[n].anew;
		}
		run(&b, 30);
		for (unsigned i = 0; i < 8; i++)
			b.down[i] = false;
		run(&b, 60);
		for (unsigned i = 8; i < PORTS; i++)
			b.down[i] = false;
		run(&b, 60);
		for (unsigned i = 0; i < b.count; i++) {
			assert_int_equal(b.said[i].signature,
					 SIGNATURE_LINK_DOWN);
			assert_int_equal(b.said[i].severity, SEVERITY_WATCH);
		}
		box_fini(&b);
	}
}

/* All links to a peer fall: the peer is down. Those of all peers do: it is not
 * each of them.
 */
static void test_link_down_of_more_than_one_peer(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	for (unsigned fallen = 2; fallen <= PORTS; fallen *= 8) {
		peer_links = 2;
		box_init(&b);
		peer_links = 1;
		run(&b, 300);
		for (unsigned i = 0; i < fallen; i++) {
			b.down[i] = true;
			b.downs[i]++;
		}
		run(&b, 60);
		assert_int_equal(open_of(&b, 0, NULL), 1);
		assert_int_equal(open_of(&b, SIGNATURE_LINK_DOWN, &f), 1);
		assert_int_equal(f->port_count, fallen);
		assert_int_equal(f->cause_id, fallen == 2 ? CAUSE_PEER_DOWN :
				 CAUSE_LIGHT_AS_USUAL);
		assert_int_equal(!strstr(f->cause, "; 16 links fell at once"),
				 fallen == 2);
		box_fini(&b);
	}
}

/* … and no light comes, or nobody tells: it may be the power of their peers. */
static void test_shared_component_leaves_dark_links_alone(void **state)
{
	struct box b;

	(void)state;
	for (unsigned unread = 0; unread < 2; unread++) {
		box_start(&b, false);
		run(&b, 300);
		for (unsigned i = 4; i < 8; i++) {
			b.down[i] = true;
			b.downs[i]++;
			b.rx_dbm[i] = -40;
			b.silent[i] = unread;
		}
		run(&b, 300);
		assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL),
				 0);
		assert_int_not_equal(open_of(&b, SIGNATURE_LINK_DOWN, NULL),
				     0);
		box_fini(&b);
	}
}

/* … but to one peer it may as well be that. */
static void test_shared_component_leaves_a_peer_alone(void **state)
{
	struct box b;

	(void)state;
	core_falls(&b, true, 0);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	box_fini(&b);
}

/* A fan dies: what warms behind it is part of it. */
static void test_environment_tells_the_fan(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 1200);
	b.fan_shows.value = 0;
	warm(&b, 8, 60, 0.2, 0.02);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_string_equal(f->subject, "fan3");
	assert_int_equal(f->kind, SUBJECT_SENSOR);
	assert_int_equal(f->cause_id, CAUSE_FAN);
	assert_int_equal(f->port_count, 8);
	assert_string_equal(finding_port(f, NULL), "Ethernet64");
	assert_false(finding_has_port(f, "Ethernet56"));
	assert_ptr_equal(engine_part_of(b.engine, b.number[9]), f);
	assert_null(engine_part_of(b.engine, b.number[7]));
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_int_equal(f->action, ACTION_FIX_AIRFLOW);
	assert_true(fabs(evidence_of(f, "modules_warm") - 8) < 0.5);
	assert_non_null(strstr(f->cause, "is below its limit"));
	b.fan_shows.value = 9000;
	for (unsigned i = 8; i < PORTS; i++) {
		b.temp_c[i] = 50;
		b.log_ber[i] = -7;
	}
	run(&b, 900);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
}

/* It tells the errors of a port, and not that its link falls by them. */
static void test_environment_hides_no_falls(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 1200);
	b.fan_shows.value = 0;
	warm(&b, 8, 60, 0.2, 0.02);
	b.log_ber[12] = -4;
	run(&b, 600);
	for (unsigned n = 0; n < 6; n++) {
		b.downs[12]++;
		run(&b, 60);
	}
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 0);
	assert_int_equal(open_of(&b, SIGNATURE_FLAP_BURST, NULL), 1);
	box_fini(&b);
}

/* The fan turns again: what it warmed was by it, and how warm that was stays
 * told until the end.
 */
static void test_environment_still_tells_a_mended_fan(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 1200);
	b.fan_shows.value = 0;
	warm(&b, 8, 60, 0.2, 0);
	b.fan_shows.value = 9000;
	run(&b, 120);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_string_equal(f->subject, "fan3");
	assert_non_null(strstr(f->cause, "or was until lately; 8 modules"));
	warm(&b, 8, 60, -0.2, 0);
	run(&b, 900);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	f = &b.said[b.count - 1];
	assert_int_equal(f->state, FINDING_CLEARED);
	assert_string_equal(f->subject, "fan3");
	assert_non_null(strstr(f->cause, "8 modules"));
	box_fini(&b);
}

/* … and so is a port that has no thermometer; of another air it is not. */
static void test_environment_heats_what_has_no_thermometer(void **state)
{
	(void)state;
	for (unsigned port = 7; port <= 15; port += 8) {
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		b.has_sensors = b.silent[port] = true;
		run(&b, 1200);
		b.fan_shows.value = 0;
		for (unsigned n = 0; n < 60; n++) {
			b.log_ber[7] += port == 7 ? 0.02 : 0;
			warm(&b, 8, 1, 0.2, 0.02);
		}
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
		assert_int_equal(f->port_count, 8);
		assert_int_equal(open_of(&b, 0, NULL), port == 7 ? 2 : 1);
		box_fini(&b);
	}
}

/* What a fan heated once is no part of what it does the next time. */
static void test_environment_forgets_what_was_part_of_it(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 1200);
	b.fan_shows.value = 0;
	warm(&b, 8, 30, 0.2, 0);
	b.fan_shows.value = 9000;
	for (unsigned i = 8; i < PORTS; i++)
		b.temp_c[i] = 50;
	run(&b, 900);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	b.fan_shows.value = 0;
	run(&b, 60);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_int_equal(f->port_count, 0);
	box_fini(&b);
}

/* A fan without limits, of which the platform says nothing: it turned. */
static void test_environment_tells_a_fan_that_stands_still(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	b.fan_shows = (struct sensor_reading){ 0, NAN, NAN, 0, 0, 0 };
	run(&b, 100);		/* it never turned: there is none */
	assert_int_equal(b.count, 0);
	b.fan_shows.value = 9000;
	run(&b, 60);
	b.fan_shows.value = 0;
	run(&b, 40);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 1);
	assert_non_null(strstr(b.said[0].cause, "fan fan3 has stopped"));
	box_fini(&b);
}

/* A fan of the first zone fails, which nobody else reads. */
static void fan_fails(struct box *b, const char *name)
{
	struct sensor_facts other = { .zone = "zone1", .kind = SENSOR_FAN };
	const struct sensor_reading fails = { 9000, NAN, NAN, 0, 1, 0 };
	uint32_t n;

	(void)snprintf(other.name, sizeof(other.name), "%s", name);
	assert_int_equal(engine_sensor(b->engine, &other, &n), 0);
	for (int i = 0; i < 3; i++) {
		engine_sensor_reading(b->engine, n, &fails, (struct mono){
				      (int64_t)(b->t_s * 1e9) });
		run(b, 20);
	}
}

/* Of one air: the first speaks, and names the other, or says how many. */
static void test_environment_names_the_other_sensor(void **state)
{
	struct box b;
	const struct finding *f = b.said;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 100);
	b.fan_shows.failed = true;
	run(&b, 60);
	fan_fails(&b, "fan4");
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_string_equal(f->subject, "fan3");
	assert_non_null(strstr(f->cause, "; fan fan4 reports a fault too"));
	assert_true(fabs(evidence_of(f, "sensors_wrong") - 2) < 0.5);
	fan_fails(&b, "fan5");
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_non_null(strstr(f->cause, "; 2 other sensors are bad too, the "
			       "last of them fan5"));
	box_fini(&b);
}

/* While the fan is dead, what heat does not do is another fault. */
static void test_environment_explains_heat_alone(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 1200);
	b.fan_shows.value = 0;
	warm(&b, 8, 30, 0.2, 0.02);
	run(&b, 300);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	b.down[9] = true;
	b.downs[9]++;
	b.log_ber[12] += 2;
	run(&b, 300);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_LINK_DOWN, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 1);
	box_fini(&b);
}

/* A module that is hot for long is taken by the air for good: it is not raised,
 * folded, and raised again. Its slope was learned, and explains little.
 */
static void test_environment_takes_heat_for_good(void **state)
{
	unsigned raised = 0;
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	b.step_s = 10;
	for (unsigned n = 0; n < 240; n++) {
		b.temp_c[9] = 50 + 4 * sin(n * .2);
		b.log_ber[9] = -7 + .1 * sin(n * .2);
		run(&b, 60);
	}
	for (unsigned n = 0; n < 60; n++) {
		b.temp_c[9] += .35;
		b.log_ber[9] += .07;
		run(&b, 10);
	}
	run(&b, 300);
	assert_int_equal(open_of(&b, SIGNATURE_THERMAL_FEC, NULL), 1);
	b.fan_shows.value = 0;
	run(&b, 3600);
	for (unsigned i = 0; i < b.count; i++)
		raised += b.said[i].state == FINDING_RAISED &&
			  finding_has_port(&b.said[i], "Ethernet72");
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_in_range(raised, 1, 4);
	box_fini(&b);
}

/* Port 9 stands in air that is too warm, and its errors follow that. */
static void air_heats(struct box *b, double k)
{
	box_init(b);
	b->has_sensors = true;
	b->step_s = 10;
	run(b, 7200);
	b->fan_shows.value = 0;
	warm(b, 8, 60, k / 60, 0.01);
	run(b, 600);
}

/* A module that was as warm with errors as usual does not make more of them by
 * heat, however warm it is: neither are they part of bad air, nor are they
 * named after it.
 */
static void test_environment_leaves_what_heat_does_not(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	air_heats(&b, 20);
	run(&b, 7200);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	b.log_ber[9] += 3;
	run(&b, 900);
	assert_int_equal(open_of(&b, 0, NULL), 2);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, &f), 1);
	assert_string_equal(f->subject, "Ethernet72");
	box_fini(&b);
}

/* Errors that began hours before the fan failed are no part of it, though heat
 * could explain them; those that it made are.
 */
static void test_environment_leaves_what_was_before(void **state)
{
	(void)state;
	for (int hours = 0; hours < 3; hours += 2) {
		bool into = false;
		struct box b;

		box_init(&b);
		b.has_sensors = true;
		b.step_s = 10;
		run(&b, 7200);
		b.log_ber[9] += 0.6;
		run(&b, 900 + 3600 * hours);
		assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 1);
		b.fan_shows.value = 0;
		warm(&b, 8, 60, 0.33, 0.01);
		run(&b, 600);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 1);
		for (unsigned i = 0; i < b.count; i++)
			into |= b.said[i].into[0] != '\0';
		assert_int_equal(into, hours == 0);
		box_fini(&b);
	}
}

/* What heat was seen not to make stays a fault of its own while it is open,
 * also where there is less of it: it does not come and go with that.
 */
static void test_environment_does_not_take_it_back(void **state)
{
	unsigned raised = 0;
	struct box b;

	(void)state;
	air_heats(&b, 10);
	b.log_ber[9] += 3.3;
	run(&b, 900);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), 1);
	for (unsigned n = 0; n < 6; n++) {
		b.temp_c[9] += n % 2 ? -6 : 6;
		b.log_ber[9] += n % 2 ? 1.1 : -1.1;
		run(&b, 300);
	}
	for (unsigned i = 0; i < b.count; i++)
		raised += b.said[i].state == FINDING_RAISED &&
			  strcmp(b.said[i].subject, "Ethernet72") == 0;
	assert_int_equal(raised, 1);
	box_fini(&b);
}

/* Bad air is as bad as what it does: a link at the cliff by heat is no matter
 * for the next shift.
 */
static void test_environment_is_as_bad_as_its_errors(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	air_heats(&b, 20);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_int_equal(f->severity, SEVERITY_WARN);
	for (unsigned n = 0; n < 120; n++) {
		b.temp_c[9] += 0.15;
		b.log_ber[9] += 0.024;
		run(&b, 10);
	}
	run(&b, 120);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_ENVIRONMENT);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	box_fini(&b);
}

/* One reading beyond the limit is no fault, nor is a bay that was empty. */
static void test_environment_wants_two_readings(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	b.supply_shows.absent = true;
	run(&b, 100);
	for (int n = 0; n < 4; n++) {		/* every other one */
		b.fan_shows.failed = true;
		run(&b, 10);
		b.fan_shows.failed = false;
		run(&b, 10);
	}
	assert_int_equal(b.count, 0);
	b.supply_shows.absent = false;
	run(&b, 100);
	b.supply_shows.absent = true;
	run(&b, 40);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 1);
	assert_int_equal(b.said[0].action, ACTION_REPLACE_NEAR);
	assert_string_equal(b.said[0].subject, "psu1");
	box_fini(&b);
}

/* A supply takes a fan along: one finding. */
static void test_environment_a_supply_takes_others_along(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.has_sensors = true;
	run(&b, 100);
	b.supply_shows.value = 10.5;
	b.fan_shows.value = 0;
	run(&b, 60);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_string_equal(b.said[0].subject, "psu1");
	box_fini(&b);
}

/* The power of a zone sags, and errors of its ports grow: one fault, though the
 * findings of ports and of their core are older than the sensor's reading. Of
 * few ports it is not.
 */
static void test_environment_power_takes_ports_along(void **state)
{
	static const struct sensor_facts rail = { .name = "rail1",
						  .zone = "zone1",
						  .kind = SENSOR_VOLTAGE };

	(void)state;
	for (unsigned hit = 2; hit <= 4; hit += 2) {
		const struct finding *f = NULL;
		struct sensor_reading shows = { 11.9, 11.4, 12.6, 0, 0, 0 };
		uint32_t sensor;
		struct box b;

		box_init(&b);
		assert_int_equal(engine_sensor(b.engine, &rail, &sensor), 0);
		run(&b, 900);
		for (unsigned i = 0; i < hit; i++)
			b.log_ber[8 + i * (hit > 2 ? 1 : 4)] = -5.5;
		run(&b, 120);
		assert_true(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL) ==
			    (hit > 2 ? 1 : 0));
		shows.value = 10.7;
		for (int i = 0; i < 8; i++) {
			engine_sensor_reading(b.engine, sensor, &shows,
				(struct mono){ (int64_t)(b.t_s * 1e9) });
			run(&b, 30);
		}
		assert_int_equal(open_of(&b, 0, NULL), hit > 2 ? 1 : 1 + hit);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
		assert_string_equal(f->subject, "rail1");
		assert_int_equal(f->action, ACTION_REPLACE_NEAR);
		assert_int_equal(f->port_count, hit > 2 ? 4 : 0);
		assert_true(!strstr(f->cause, "4 ports grew with it") ==
			    (hit == 2));
		box_fini(&b);
	}
}

/* No sensor shows it: the modules of a zone do. */
static void test_environment_shows_in_modules(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 1200);
	warm(&b, 8, 30, 0.3, 0);
	run(&b, 60);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f), 1);
	assert_string_equal(f->subject, "zone1");
	box_fini(&b);
}

/* Air warms all that stand in it, not half of them. */
static void test_environment_warms_most_of_a_zone(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 1200);
	warm(&b, 12, 30, 0.3, 0);
	run(&b, 60);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 0);
	box_fini(&b);
}

/* All three of a small zone, each a module of its own; a few others that are
 * warm as well speak against it.
 */
static void test_environment_of_a_small_zone(void **state)
{
	static const struct {
		unsigned zone_ports, cage_ports, first, end, other;
		int shows;
	} cases[] = {
		{ 3, 1, 3, 6, PORTS, 1 },
		{ 3, 1, 3, 5, PORTS, 0 },
		{ 3, 3, 3, 6, PORTS, 0 },
		{ 13, 1, 0, 13, PORTS, 1 },
		{ 13, 1, 0, 13, 14, 0 },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct box b;

		zone_ports = cases[n].zone_ports;
		cage_ports = cases[n].cage_ports;
		box_init(&b);
		run(&b, 1200);
		for (unsigned i = cases[n].first; i < cases[n].end; i++)
			b.temp_c[i] += 7;
		if (cases[n].other < PORTS)
			b.temp_c[cases[n].other] += 7;
		run(&b, 120);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL),
				 cases[n].shows);
		box_fini(&b);
	}
	zone_ports = 8;
	cage_ports = 1;
}

/* Where no zone is known: modules that warm together show the air; one that
 * was warm before has a fault of its own, and so have those that warm one by
 * one.
 */
static void test_environment_is_not_one_after_the_other(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	has_zones = false;
	for (int together = 0; together < 2; together++) {
		struct box b;

		box_init(&b);
		b.step_s = 60;
		run(&b, 40000);
		b.temp_c[3] += 12;
		run(&b, 4500);
		for (unsigned i = 12; i < PORTS; i++) {
			run(&b, together ? 60 : 4500);
			b.temp_c[i] += 12;
		}
		run(&b, 600);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f),
				 together);
		if (together) {
			assert_non_null(strstr(f->cause, "4 of 16 modules"));
			assert_int_equal(f->port_count, 4);
		}
		box_fini(&b);
	}
	has_zones = true;
}

/* Where no zone is known, the ports of one module that warms are no air; all
 * modules are, when no load makes them so hot.
 */
static void test_environment_counts_modules(void **state)
{
	const struct finding *f = NULL;

	(void)state;
	has_zones = false;
	cage_ports = 4;
	for (unsigned first = 12; first < PORTS; first -= 12) {
		struct box b;

		box_init(&b);
		b.step_s = 60;
		run(&b, 40000);
		for (unsigned i = first; i < PORTS; i++)
			b.temp_c[i] += 14;
		run(&b, 1200);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f),
				 first == 0);
		assert_int_equal(open_of(&b, 0, NULL), first == 0);
		if (first == 0)
			assert_non_null(strstr(f->cause, "16 of 16 modules"));
		box_fini(&b);
	}
	has_zones = true;
	cage_ports = 1;
}

/* Sensors besides those of every box, a reading of each in 60 seconds: the air
 * that comes in, and fans that are like fan3.
 */
static void run_inlet(struct box *b, double seconds, double inlet_c,
		      const double *fan_rpm)
{
	static const struct sensor_facts facts[] = {
		{ .name = "board", .kind = SENSOR_TEMP },
		{ .name = "inlet", .kind = SENSOR_TEMP },
		{ .name = "fan0", .zone = "zone0", .kind = SENSOR_FAN },
		{ .name = "fan1", .zone = "zone0", .kind = SENSOR_FAN },
		{ .name = "fan2", .zone = "zone1", .kind = SENSOR_FAN },
		{ .name = "fan4", .zone = "zone1", .kind = SENSOR_FAN },
	};
	uint32_t sensor;

	b->step_s = 60;
	for (double end_s = b->t_s + seconds; b->t_s < end_s;) {
		run(b, 60);
		for (unsigned i = 0; i < 6; i++) {
			struct sensor_reading r = {
				i == 0 ? 33 : i == 1 ? inlet_c :
				fan_rpm ? fan_rpm[i - 2] : 9000,
				NAN, NAN, 0, 0, 0 };

			assert_int_equal(engine_sensor(b->engine, &facts[i],
						       &sensor), 0);
			engine_sensor_reading(b->engine, sensor, &r,
				(struct mono){ (int64_t)(b->t_s * 1e9) });
		}
	}
}

/* Air of all zones is told once, of the switch: when no load makes modules so
 * hot, or when the air that comes in is as warm.
 */
static void test_environment_of_all_zones(void **state)
{
	static const struct {
		double k, inlet_k, inlet_c;
		const char *words;
	} cases[] = {
		{ 14, 0, 22, "Ethernet0 first: the air; no sensor shows it" },
		{ 10, 0, 22, NULL },
		{ 10, 10, 36, NULL },	/* none is as warm */
		{ 10, 10, 22, "the air; inlet showed up to " },
	};
	const struct finding *f = NULL;

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct box b;

		box_init(&b);
		run_inlet(&b, 40000, cases[n].inlet_c, NULL);
		for (unsigned i = 0; i < PORTS; i++)
			b.temp_c[i] += cases[n].k;
		run_inlet(&b, 600, cases[n].inlet_c + cases[n].inlet_k,
			  NULL);
		assert_int_equal(open_of(&b, 0, &f), cases[n].words != NULL);
		if (cases[n].words) {
			assert_string_equal(f->subject, "leaf1");
			assert_int_equal(f->kind, SUBJECT_SWITCH);
			assert_int_equal(f->port_count, PORTS);
			assert_non_null(strstr(f->cause, cases[n].words));
		}
		box_fini(&b);
	}
}

/* One zone that has all modules has no others to compare with: a day that warms
 * them by 6 K is no fault, air that is 14 K too warm is, and is told once, also
 * where a sensor shows it. A module that is hotter by far has its own fault.
 */
static void test_environment_of_the_only_zone(void **state)
{
	static const struct {
		double k, own_k;
		bool fan_stands;
		size_t airs, own;
	} cases[] = {
		{ 6, 0, false, 0, 0 },
		{ 6, 25, false, 0, 1 },
		{ 14, 0, false, 1, 0 },
		{ 14, 0, true, 1, 0 },
		{ 7, 25, true, 1, 1 },
	};
	const struct finding *f = NULL;

	(void)state;
	zone_ports = PORTS;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		double rpm[] = { 9000, 9000, 9000, 9000 };
		struct box b;

		box_init(&b);
		run_inlet(&b, 40000, 22, rpm);
		for (unsigned i = 0; i < PORTS; i++)
			b.temp_c[i] += cases[n].k;
		b.temp_c[9] += cases[n].own_k;
		rpm[0] = cases[n].fan_stands ? 0 : 9000;
		run_inlet(&b, 3600, 22, rpm);
		assert_int_equal(open_of(&b, SIGNATURE_THERMAL_FEC, &f),
				 cases[n].own);
		if (cases[n].own)
			assert_string_equal(f->subject, "Ethernet72");
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f),
				 cases[n].airs);
		if (cases[n].airs) {
			assert_string_not_equal(f->subject, "leaf1");
			assert_true(evidence_of(f, "module_heat_k") < 15);
			assert_int_equal(f->port_count, PORTS - cases[n].own);
		}
		box_fini(&b);
	}
	zone_ports = 8;
}

/* Errors of a core's ports that step up in such air are not the core's. */
static void test_environment_of_all_zones_heats(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run_inlet(&b, 40000, 22, NULL);
	for (unsigned i = 0; i < PORTS; i++)
		b.temp_c[i] += 14;
	run_inlet(&b, 600, 22, NULL);
	for (unsigned i = 4; i < 8; i++)
		b.log_ber[i] += 2.5;
	run_inlet(&b, 1200, 22, NULL);
	assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), 1);
	assert_int_equal(open_of(&b, SIGNATURE_SHARED_COMPONENT, NULL), 0);
	box_fini(&b);
}

/* Heat of a zone becomes the heat of all: it was told already. */
static void test_environment_of_a_zone_first(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 60;
	run(&b, 40000);
	for (unsigned i = 8; i < PORTS; i++)
		b.temp_c[i] += 24;
	run(&b, 600);
	for (unsigned i = 0; i < 8; i++)
		b.temp_c[i] += 14;
	run(&b, 240);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_string_equal(f->subject, "zone1");
	box_fini(&b);
}

/* A fan that slows while others like it do not, though it is above its limit:
 * not where all slow, nor where it was always slow, nor by a little.
 */
static void test_environment_tells_a_slow_fan(void **state)
{
	static const struct {
		double before, rpm, others;
		int shows;
	} cases[] = {
		{ 9000, 3150, 9000, 1 },
		{ 9000, 3150, 3150, 0 },
		{ 9000, 5000, 9000, 0 },
		{ 9000, 9000, 20000, 0 },
		{ 4000, 4000, 9000, 0 },
		{ 4000, 1900, 9000, 0 },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		double rpm[] = { cases[n].before, 9000, 9000, 9000 };
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		run_inlet(&b, 1200, 22, rpm);
		rpm[0] = cases[n].rpm;
		rpm[1] = rpm[2] = rpm[3] = cases[n].others;
		run_inlet(&b, 36000, 22, rpm);
		assert_int_equal(open_of(&b, 0, &f), cases[n].shows);
		if (cases[n].shows) {
			assert_string_equal(f->subject, "fan0");
			assert_int_equal(f->cause_id, CAUSE_FAN);
			assert_non_null(strstr(f->cause, "turns far slower"));
		}
		box_fini(&b);
	}
}

/* Modules that have always been above their own limits stand in bad air. */
static void test_environment_of_modules_above_their_limits(void **state)
{
	const struct finding *f = NULL;
	struct port_facts facts;
	struct box b;

	(void)state;
	for (unsigned hot = 6; hot <= PORTS; hot += 10) {
		has_zones = false;
		box_init(&b);
		b.step_s = 20;
		for (unsigned i = 0; i < PORTS; i++) {
			uint32_t port;

			facts_make(&facts, i, false);
			facts.thresholds.known = true;
			facts.thresholds.temp_mc[HIGH_ALARM] = 75000;
			assert_int_equal(engine_port(b.engine, &facts, &port),
					 0);
			b.temp_c[i] = i < hot ? 78 : 60;
		}
		run(&b, 3600);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, &f),
				 hot == PORTS);
		assert_int_equal(open_of(&b, 0, NULL), hot == PORTS ? 1 : hot);
		has_zones = true;
		if (hot < PORTS) {
			box_fini(&b);
			continue;
		}
		assert_non_null(strstr(f->cause, "16 of 16 modules got above"));
		assert_int_equal(f->severity, SEVERITY_WATCH);
		for (unsigned i = 0; i < PORTS; i++)
			b.temp_c[i] = 70;
		run(&b, 1800);
		assert_int_equal(open_of(&b, 0, NULL), 0);
		box_fini(&b);
	}
}

/* Ports that each lost their light do not explain one another. */
static void test_site_lost_light_is_each_ports_own(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 20;
	run(&b, 7200);
	for (unsigned i = 0; i < PORTS; i += 2) {
		b.rx_dbm[i] -= 3;
		b.log_ber[i] += 3;
		run(&b, 1800);
	}
	run(&b, 7200);
	assert_int_equal(open_of(&b, 0, NULL), PORTS / 2);
	for (unsigned i = 0; i < b.count; i++)
		assert_int_not_equal(b.said[i].state, FINDING_CLEARED);
	box_fini(&b);
}

/* A hot day, and what it does to all of them, is no fault of any. */
static void test_site_a_hot_day_is_none(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 1200);
	warm(&b, 0, 60, 0.15, 0.015);
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* All warm for so long, those of the other zone by more: another kind. */
static void warm_zones(struct box *b, double seconds, double k, double more_k)
{
	for (double s = 0; s < seconds; s += 20) {
		for (unsigned i = 0; i < PORTS; i++)
			b->temp_c[i] += (i < 8 ? k : more_k) * 20 / seconds;
		run(b, 20);
	}
}

/* Switched on: modules that draw more power warm more, all within a quarter of
 * an hour. What they were when cold was never usual.
 */
static void test_site_a_warm_up_is_not_usual(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 10;
	warm_zones(&b, 840, 8, 16);
	run(&b, 3600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* A job warms all, one kind more; hours later a hot day does. Both together are
 * no more of a fault than each.
 */
static void test_site_what_most_do_becomes_usual(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 10;
	run(&b, 3600);
	warm_zones(&b, 600, 6, 9.5);
	run(&b, 4 * 3600);
	warm_zones(&b, 600, 6, 9.5);
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* A job warms all, and modules of a zone by twice as much, which draw more
 * power: that is no bad air, but what goes far beyond it is.
 */
static void test_environment_is_more_than_a_job_does(void **state)
{
	(void)state;
	for (int bad = 0; bad < 2; bad++) {
		struct box b;

		box_init(&b);
		run(&b, 4 * 3600);
		warm_zones(&b, 600, 6, bad ? 17 : 12);
		run(&b, 120);
		assert_int_equal(open_of(&b, SIGNATURE_ENVIRONMENT, NULL), bad);
		box_fini(&b);
	}
}

/* … nor is it that the job ends, and the others cool first. */
static void test_environment_is_not_that_others_cool(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.step_s = 10;
	run(&b, 4 * 3600);
	warm_zones(&b, 600, 6, 12);
	run(&b, 600);
	warm_zones(&b, 600, -4, -1);
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* All warm, and the errors of one bend upwards with it, for it is warmest: that
 * is worth a look. In a cool room as many more are an alarm. What draws twice
 * as much power warms by twice as much, and few errors bend the more.
 */
static void test_site_a_warm_room_is_no_alarm(void **state)
{
	(void)state;
	for (int cool = 0; cool < 3; cool++) {
		const struct finding *f = NULL;
		struct box b;

		box_init(&b);
		b.log_ber[5] = cool == 2 ? -9 : -7;
		run(&b, cool == 2 ? 4 * 3600 : 3600);
		for (unsigned n = 0; n < 60; n++) {
			b.log_ber[5] += cool == 1 ? 0.015 :
					cool == 2 ? 0.042 : 0.03;
			b.temp_c[5] += cool == 2 ? 0.1 : 0;
			warm(&b, 0, 1, cool == 1 ? 0 : cool ? 0.1 : 0.15, 0);
		}
		run(&b, 300);
		assert_int_equal(open_of(&b, 0, &f), 1);
		assert_int_equal(f->severity >= SEVERITY_WARN, cool == 1);
		box_fini(&b);
	}
}

/* The same while no module is read: it is nothing of one port all the same. */
static void test_site_what_all_ports_do_is_none(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 1200);
	for (unsigned i = 0; i < PORTS; i++)
		b.silent[i] = true;
	warm(&b, 0, 60, 0, 0.015);
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* Near the cliff it is a fault all the same, of each of them; a little is none
 * there either.
 */
static void test_site_excuses_nothing_near_the_cliff(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	for (unsigned i = 0; i < PORTS; i++)
		b.log_ber[i] = -4.6;
	run(&b, 1200);
	for (unsigned i = 0; i < PORTS; i++)
		b.silent[i] = true;
	warm(&b, 0, 60, 0, 0.005);	/* twice as many */
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
	box_init(&b);
	run(&b, 1200);
	for (unsigned i = 0; i < PORTS; i++)
		b.silent[i] = true;
	warm(&b, 0, 60, 0, 0.03);	/* to 6e-6 */
	run(&b, 600);
	assert_int_equal(b.count, 0);
	warm(&b, 0, 60, 0, 0.016);	/* to 6e-5 */
	run(&b, 600);
	assert_int_equal(open_of(&b, SIGNATURE_FEC_TREND, NULL), PORTS);
	box_fini(&b);
}

/* A module that is silent while others are read; a source that stalls. */
static void test_sensor_fault_tells_one_that_is_silent(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 200);
	for (unsigned i = 0; i < PORTS; i++)
		b.silent[i] = true;
	run(&b, 300);
	for (unsigned i = 0; i < PORTS; i++)
		b.silent[i] = i == 5;
	run(&b, 20);
	assert_int_equal(b.count, 0);
	run(&b, 400);
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(b.said[0].signature, SIGNATURE_SENSOR_FAULT);
	assert_string_equal(b.said[0].subject, "Ethernet40");
	assert_non_null(strstr(b.said[0].cause, "failed, while others"));
	b.silent[5] = false;		/* it is over, not two hours later */
	run(&b, 1500);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
}

/* Readings that were taken and gave nothing: of one module; of all, as when
 * their daemon starts; of a link that is down, whose module may be off.
 */
static void test_sensor_fault_tells_readings_that_fail(void **state)
{
	struct box b;

	(void)state;
	for (int i = 0; i < 3; i++) {
		box_init(&b);
		run(&b, 200);
		for (unsigned n = 0; n < PORTS; n++)
			b.failing[n] = i == 1 || n == 5;
		b.down[5] = i == 2;
		run(&b, 300);
		if (i == 0) {
			assert_int_equal(open_of(&b, 0, NULL), 1);
			assert_int_equal(b.said[0].cause_id,
					 CAUSE_READINGS_MISSED);
			assert_string_equal(b.said[0].subject, "Ethernet40");
		}
		for (unsigned n = 0; n < b.count && i > 0; n++)
			assert_int_not_equal(b.said[n].signature,
					     SIGNATURE_SENSOR_FAULT);
		box_fini(&b);
	}
}

/* All modules move for 200 s; then some stand still, and the others are read
 * on, or not.
 */
static void still_play(struct box *b, unsigned first, unsigned count, bool read)
{
	box_init(b);
	for (unsigned i = 0; i < PORTS; i++)
		b->moving[i] = true;
	run(b, 200);
	for (unsigned i = 0; i < PORTS; i++) {
		b->moving[i] = i < first || i >= first + count;
		b->silent[i] = b->moving[i] && !read;
	}
	run(b, 40);
	assert_int_equal(b->count, 0);
	run(b, 300);
}

/* One that repeats its last readings, while those of others change; a source
 * that repeats all of them; modules whose readings never change.
 */
static void test_sensor_fault_tells_one_that_stands_still(void **state)
{
	const struct finding *f = NULL;
	struct box b;

	(void)state;
	still_play(&b, 5, 1, true);
	assert_int_equal(open_of(&b, 0, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_SENSOR_FAULT);
	assert_int_equal(f->cause_id, CAUSE_READINGS_STILL);
	assert_string_equal(f->subject, "Ethernet40");
	assert_true(fabs((double)f->onset.ns / 1e9 - 10200) < 10);
	b.moving[5] = true;
	run(&b, 700);
	assert_int_equal(open_of(&b, 0, NULL), 0);
	box_fini(&b);
	still_play(&b, 0, PORTS, true);
	assert_int_equal(b.count, 0);
	box_fini(&b);
	still_play(&b, 5, 3, false);
	assert_int_equal(b.count, 0);
	box_fini(&b);
	box_init(&b);
	b.moving[0] = b.moving[1] = true;
	run(&b, 600);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* A source that tells readings late hides no gap between them, nor is one. */
static void test_sensor_fault_shows_in_readings_that_are_late(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	b.lag_s = 60;
	run(&b, 400);
	for (int n = 0; n < 20; n++) {
		b.silent[5] = true;
		run(&b, 16);
		b.silent[5] = false;
		run(&b, 8);
	}
	assert_int_equal(open_of(&b, 0, NULL), 1);
	assert_int_equal(b.said[0].signature, SIGNATURE_SENSOR_FAULT);
	assert_string_equal(b.said[0].subject, "Ethernet40");
	box_fini(&b);
}

/* … and no fault of theirs when it begins to. */
static void test_sensor_fault_is_not_a_source_that_slows(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	run(&b, 400);
	for (int n = 0; n < 40; n++) {
		for (unsigned i = 0; i < PORTS; i++)
			b.silent[i] = true;
		run(&b, 12);
		for (unsigned i = 0; i < PORTS; i++)
			b.silent[i] = false;
		run(&b, 2);
	}
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* Nobody looks for a while, or the clock is set forward: none was due then. */
static void test_sensor_fault_is_no_pause_of_all(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	for (unsigned n = 0; n < 3; n++) {
		run(&b, 400);
		b.t_s += 600;
	}
	run(&b, 400);
	assert_int_equal(b.count, 0);
	box_fini(&b);
}

/* A restarted core takes both kinds up, and ends what is over. */
static void test_wide_findings_are_taken_up(void **state)
{
	const struct finding *open;
	struct finding left[2];
	struct box b;

	(void)state;
	core_falls(&b, false, 0);
	b.has_sensors = true;
	run(&b, 20);
	b.fan_shows.value = 0;
	run(&b, 30);
	assert_int_equal(engine_findings(b.engine, &open), 2);
	memcpy(left, open, sizeof(left));
	box_fini(&b);
	box_init(&b);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(engine_restore(b.engine, &left[i]), 0);
	(void)snprintf(left[0].subject, sizeof(left[0].subject), "nobody");
	assert_int_equal(engine_restore(b.engine, &left[0]), -2);
	assert_int_equal(engine_findings(b.engine, &open), 2);
	run(&b, 900);
	assert_int_equal(engine_findings(b.engine, &open), 0);
	assert_int_equal(b.count, 2);
	box_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_component_speaks_for_its_ports),
		cmocka_unit_test(test_shared_component_of_many_ports),
		cmocka_unit_test(test_shared_component_is_not_what_half_do),
		cmocka_unit_test(
			test_shared_component_takes_over_what_was_told),
		cmocka_unit_test(test_shared_component_takes_in_who_follows),
		cmocka_unit_test(test_shared_component_of_most_ports),
		cmocka_unit_test(test_shared_component_of_one_module),
		cmocka_unit_test(test_shared_component_is_told_once),
		cmocka_unit_test(test_shared_component_takes_in_who_is_late),
		cmocka_unit_test(
			test_shared_component_leaves_others_their_faults),
		cmocka_unit_test(test_shared_component_leaves_dirt_to_its_port),
		cmocka_unit_test(test_shared_component_puts_out_no_light),
		cmocka_unit_test(test_shared_component_of_bursts),
		cmocka_unit_test(test_bursts_of_all_ports_are_one),
		cmocka_unit_test(test_bursts_that_come_often_are_many),
		cmocka_unit_test(test_shared_component_is_not_what_all_have),
		cmocka_unit_test(test_shared_component_of_jumps),
		cmocka_unit_test(test_shared_component_of_falls_again),
		cmocka_unit_test(test_shared_component_of_most_that_fall_again),
		cmocka_unit_test(test_shared_component_of_a_step_is_at_once),
		cmocka_unit_test(test_flap_burst_of_a_cage_is_one),
		cmocka_unit_test(test_loose_module_is_none_of_falls_of_all),
		cmocka_unit_test(test_shared_component_needs_one_group),
		cmocka_unit_test(test_shared_component_leaves_lost_light_alone),
		cmocka_unit_test(test_shared_component_waits_for_light),
		cmocka_unit_test(test_shared_component_counts_the_unread),
		cmocka_unit_test(test_shared_component_is_taken_back),
		cmocka_unit_test(test_shared_component_is_replaced),
		cmocka_unit_test(test_light_that_falls_together_is_told),
		cmocka_unit_test(test_light_that_comes_and_goes_falls_alone),
		cmocka_unit_test(test_light_that_falls_together_is_one_fault),
		cmocka_unit_test(
			test_light_that_falls_together_is_as_bad_as_it_is),
		cmocka_unit_test(test_shared_component_tells_of_falls),
		cmocka_unit_test(test_shared_component_of_short_falls),
		cmocka_unit_test(test_shared_component_of_a_burst_of_falls),
		cmocka_unit_test(test_shared_component_of_falls_in_a_gap),
		cmocka_unit_test(test_shared_component_needs_no_cages),
		cmocka_unit_test(test_shared_component_is_no_reload),
		cmocka_unit_test(test_shared_component_is_no_restart),
		cmocka_unit_test(test_link_down_of_more_than_one_peer),
		cmocka_unit_test(test_shared_component_leaves_dark_links_alone),
		cmocka_unit_test(test_shared_component_leaves_a_peer_alone),
		cmocka_unit_test(test_environment_hides_no_falls),
		cmocka_unit_test(test_environment_tells_the_fan),
		cmocka_unit_test(test_environment_still_tells_a_mended_fan),
		cmocka_unit_test(
			test_environment_heats_what_has_no_thermometer),
		cmocka_unit_test(
			test_environment_forgets_what_was_part_of_it),
		cmocka_unit_test(
			test_environment_tells_a_fan_that_stands_still),
		cmocka_unit_test(test_environment_names_the_other_sensor),
		cmocka_unit_test(test_environment_explains_heat_alone),
		cmocka_unit_test(test_environment_leaves_what_heat_does_not),
		cmocka_unit_test(test_environment_leaves_what_was_before),
		cmocka_unit_test(test_environment_does_not_take_it_back),
		cmocka_unit_test(test_environment_is_as_bad_as_its_errors),
		cmocka_unit_test(test_environment_takes_heat_for_good),
		cmocka_unit_test(test_environment_wants_two_readings),
		cmocka_unit_test(test_environment_power_takes_ports_along),
		cmocka_unit_test(test_environment_a_supply_takes_others_along),
		cmocka_unit_test(test_environment_shows_in_modules),
		cmocka_unit_test(test_environment_warms_most_of_a_zone),
		cmocka_unit_test(test_environment_of_a_small_zone),
		cmocka_unit_test(test_environment_is_not_one_after_the_other),
		cmocka_unit_test(test_environment_counts_modules),
		cmocka_unit_test(test_environment_of_all_zones),
		cmocka_unit_test(test_environment_of_the_only_zone),
		cmocka_unit_test(test_environment_of_all_zones_heats),
		cmocka_unit_test(test_environment_of_a_zone_first),
		cmocka_unit_test(test_environment_tells_a_slow_fan),
		cmocka_unit_test(
		test_environment_of_modules_above_their_limits),
		cmocka_unit_test(test_site_lost_light_is_each_ports_own),
		cmocka_unit_test(test_site_a_hot_day_is_none),
		cmocka_unit_test(test_site_a_warm_up_is_not_usual),
		cmocka_unit_test(test_site_what_most_do_becomes_usual),
		cmocka_unit_test(test_environment_is_more_than_a_job_does),
		cmocka_unit_test(test_environment_is_not_that_others_cool),
		cmocka_unit_test(test_site_a_warm_room_is_no_alarm),
		cmocka_unit_test(test_site_what_all_ports_do_is_none),
		cmocka_unit_test(test_site_excuses_nothing_near_the_cliff),
		cmocka_unit_test(test_sensor_fault_tells_one_that_is_silent),
		cmocka_unit_test(test_sensor_fault_tells_readings_that_fail),
		cmocka_unit_test(test_sensor_fault_tells_one_that_stands_still),
		cmocka_unit_test(
			test_sensor_fault_shows_in_readings_that_are_late),
		cmocka_unit_test(test_sensor_fault_is_not_a_source_that_slows),
		cmocka_unit_test(test_sensor_fault_is_no_pause_of_all),
		cmocka_unit_test(test_wide_findings_are_taken_up),
	};

	return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}

#include "tests/judge/feed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/engine.h"
#include "agent/signature/memory.h"
#include "agent/signature/port.h"

#define WALL_BEGIN_NS (1790000000 * NS_PER_S)
#define MONO_BEGIN_NS (3600 * NS_PER_S)	/* a switch that runs already */
#define BOOT_NS (90 * NS_PER_S)		/* … and one that just started */
#define MW_PW 1e9
#define E18 1e18

struct feed {
	struct engine *engine;
	unsigned ports;
	const struct world_port *port;	/* borrowed */
	enum world_pace pace;
	feed_said_fn *said;
	void *context;
	int64_t begin_ns;		/* its monotonic clock at the world's */
	/* The switch's clock minus the world's, and the newest reading seen. */
	int64_t offset_ns, newest_ns;
	bool started, sensed;
	int64_t sensors_ns, sensors_every_ns;
	int64_t dom_ns[WORLD_PORTS_MAX];	/* of the last one */
	bool has_dom[WORLD_PORTS_MAX];
	uint32_t number[WORLD_PORTS_MAX];	/* in the engine */
	unsigned lanes[WORLD_PORTS_MAX];
	struct inputs tick;
};

static int64_t scaled(double value, double scale)
{
	return isnan(value) ? 0 : llround(value * scale);
}

/* A limit that is not known is as if there were none. */
static void limits_set(int64_t ret[static THRESHOLD_EDGE_COUNT],
		       const double limit[static WORLD_EDGE_COUNT],
		       double scale, bool is_dbm)
{
	static const enum threshold_edge edge[WORLD_EDGE_COUNT] = {
		[WORLD_HIGH_ALARM] = HIGH_ALARM, [WORLD_LOW_ALARM] = LOW_ALARM,
		[WORLD_HIGH_WARN] = HIGH_WARN, [WORLD_LOW_WARN] = LOW_WARN,
	};

	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++)
		ret[edge[i]] = scaled(is_dbm ? pow(10, limit[i] / 10)
					     : limit[i], scale);
}

static void text_set(char *ret, size_t cap, const char *text)
{
	size_t n = strlen(text);

	n = n < cap ? n : cap - 1;
	memcpy(ret, text, n);
	ret[n] = '\0';
}

static void facts_set(struct port_facts *f, const struct world_port *p,
		      enum world_pace pace)
{
	const struct world_limits *l = &p->limits;

	memset(f, 0, sizeof(*f));
	text_set(f->name, sizeof(f->name), p->name);
	text_set(f->media, sizeof(f->media), p->media);
	text_set(f->group, sizeof(f->group), p->group);
	text_set(f->zone, sizeof(f->zone), p->zone);
	text_set(f->cage, sizeof(f->cage), p->cage);
	text_set(f->peer_switch, sizeof(f->peer_switch), p->peer_switch);
	text_set(f->peer_port, sizeof(f->peer_port), p->peer_port);
	f->lanes = p->lanes;
	f->speed_mbps = p->speed_mbps;
	f->fec = p->fec;
	f->optical = p->optical;
	f->media_known = p->media[0] != '\0';
	f->counter_bits = p->counter_bits;
	f->dom_period_ns = p->dom_period_ns ? p->dom_period_ns :
			   (pace == PACE_FAST ? 10 : 60) * NS_PER_S;
	f->thresholds.known = l->known;
	if (!l->known)
		return;
	limits_set(f->thresholds.temp_mc, l->temp_c, 1e3, false);
	limits_set(f->thresholds.vcc_uv, l->vcc_v, 1e6, false);
	limits_set(f->thresholds.rx_pw, l->rx_dbm, MW_PW, true);
	limits_set(f->thresholds.tx_pw, l->tx_dbm, MW_PW, true);
	limits_set(f->thresholds.bias_ua, l->bias_ma, 1e3, false);
}

static int engine_begin(struct feed *f)
{
	return engine_new(f->ports, "judge", f->said, f->context, &f->engine);
}

static int ports_tell(struct feed *f)
{
	struct port_facts facts;
	int rc = 0;

	for (unsigned i = 0; i < f->ports && rc == 0; i++) {
		facts_set(&facts, &f->port[i], f->pace);
		f->lanes[i] = f->port[i].lanes < PORT_LANES_MAX ?
			      f->port[i].lanes : PORT_LANES_MAX;
		rc = engine_port(f->engine, &facts, &f->number[i]);
	}
	return rc;
}

int feed_open(const struct world_port *ports, unsigned count,
	      enum world_pace pace, feed_said_fn *said, void *context,
	      struct feed **ret)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->ports = count;
	f->port = ports;
	f->pace = pace;
	f->said = said;
	f->context = context;
	f->begin_ns = MONO_BEGIN_NS;
	f->sensors_every_ns = (pace == PACE_FAST ? 10 : 60) * NS_PER_S;
	if (engine_begin(f) < 0 || ports_tell(f) < 0) {
		feed_close(f);
		return -ENOMEM;
	}
	*ret = f;
	return 0;
}

void feed_close(struct feed *f)
{
	if (f)
		engine_free(f->engine);
	free(f);
}

void feed_leave_out(struct world_reading *r, unsigned without)
{
	if (without & WITHOUT_HISTOGRAM)
		r->has_bins = false;
	if (without & WITHOUT_TEMPERATURE)
		r->temp_c = NAN;
	if (!(without & WITHOUT_LIGHT))
		return;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		r->rx_dbm[i] = r->tx_dbm[i] = r->bias_ma[i] = NAN;
}

/* The driver knows the switch's clock; here it shows in the newest reading of
 * all ports. Back: the clock was set back. Ahead of what it can be: forward.
 */
static void clock_follow(struct feed *f, int64_t now_ns,
			 const struct world_reading *r, uint64_t has)
{
	int64_t newest_ns = INT64_MIN;

	for (unsigned i = 0; i < f->ports; i++)
		if (has >> i & 1 && r[i].t_ns > newest_ns)
			newest_ns = r[i].t_ns;
	/* Few of the ports may all be late. */
	if (!has || (f->started &&
		     (unsigned)__builtin_popcountll(has) * 2 < f->ports))
		return;
	if (!f->started || newest_ns < f->newest_ns ||
	    newest_ns - now_ns > f->offset_ns)
		f->offset_ns = newest_ns - now_ns;
	f->newest_ns = newest_ns;
	f->started = true;
}

/* Values side by side: counters of 64 bits are taken over as they lie. */
static void run_set(struct inputs *k, enum input first,
		    const uint64_t *value, unsigned count)
{
	uint64_t bits = UINT64_MAX >> (64 - count);
	unsigned word = first / 64, bit = first % 64;

	memcpy(&k->value[first], value, count * sizeof(*value));
	k->valid[word] |= bits << bit;
	if (bit + count > 64)
		k->valid[word + 1] |= bits >> (64 - bit);
}

static void counters_set(struct inputs *k, const struct world_reading *r)
{
	const uint64_t fec[] = {
		r->fec_corrected_codewords, r->fec_uncorrectable_codewords,
		r->fec_symbol_errors, r->fec_corrected_bits,
	};
	const uint64_t traffic[] = {
		r->in_octets, r->out_octets, r->in_frames, r->out_frames,
		r->in_errors, r->in_discards, r->out_discards,
		r->ecn_marked_frames,
	};

	_Static_assert(INPUT_FEC_CORRECTED_BITS == INPUT_FEC_CORRECTED_CW + 3 &&
		       INPUT_ECN_MARKED == INPUT_IN_OCTETS + 7, "in this order");
	run_set(k, INPUT_FEC_CORRECTED_CW, fec, 4);
	run_set(k, INPUT_IN_OCTETS, traffic, 8);
	run_set(k, INPUT_PFC_RX, r->pfc_rx_frames, WORLD_PRIORITIES);
	run_set(k, INPUT_PFC_TX, r->pfc_tx_frames, WORLD_PRIORITIES);
	run_set(k, INPUT_QUEUE_PEAK, r->queue_peak_octets, WORLD_QUEUES);
	if (r->has_bins)
		run_set(k, INPUT_FEC_BIN, r->fec_bins, WORLD_BINS);
}

/* 10^(dbm / 10) mW in pW, to 1e-7: 2^n by the exponent, the rest by its
 * series. A call of libm for each lane would cost more than all else here.
 */
static double power_pw(double dbm)
{
	double x = dbm * 0.33219280948873623, f, sum;
	int n;
	union { uint64_t bits; double value; } power;

	if (!(x > -100 && x < 100))
		return 0;
	n = (int)(x + (x < 0 ? -0.5 : 0.5));
	f = (x - n) * 0.69314718055994531;
	sum = 1 + f * (1 + f * (1 / 2. + f * (1 / 6. + f * (1 / 24. + f *
	      (1 / 120. + f * (1 / 720.))))));
	power.bits = (uint64_t)(1023 + n) << 52;
	return sum * power.value * MW_PW;
}

/* One feature of all lanes; NAN is left out. */
static void lanes_set(struct inputs *k, enum input feature,
		      const double *value, unsigned lanes, double scale)
{
	for (unsigned i = 0; i < lanes; i++)
		if (value[i] == value[i])
			inputs_set(k, feature + i,
				   (int64_t)(value[i] * scale + 0.5));
}

static void power_set(struct inputs *k, enum input feature,
		      const double *dbm, unsigned lanes)
{
	double pw[WORLD_LANES_MAX];

	for (unsigned i = 0; i < lanes; i++)
		pw[i] = dbm[i] == dbm[i] ? power_pw(dbm[i]) : dbm[i];
	lanes_set(k, feature, pw, lanes, 1);
}

static void flags_set(struct inputs *k, enum input feature,
		      unsigned flags, unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++)
		inputs_set(k, feature + i, flags >> i & 1);
}

static void module_set(struct feed *f, unsigned port,
		       const struct world_reading *r)
{
	struct inputs *k = &f->tick;
	unsigned lanes = f->lanes[port];

	k->dom_new = !f->has_dom[port] || f->dom_ns[port] != r->dom_t_ns;
	k->dom_t.ns = f->begin_ns + r->dom_t_ns - f->offset_ns;
	if (k->dom_t.ns > k->t.ns)	/* the clock stepped in between */
		k->dom_t = k->t;
	f->has_dom[port] = true;
	f->dom_ns[port] = r->dom_t_ns;
	if (!isnan(r->temp_c))
		inputs_set(k, INPUT_TEMP_MC, scaled(r->temp_c, 1e3));
	if (!isnan(r->vcc_v))
		inputs_set(k, INPUT_VCC_UV, scaled(r->vcc_v, 1e6));
	if (!isnan(r->ber))
		inputs_set(k, INPUT_VDM_BER_E18, scaled(r->ber, E18));
	power_set(k, INPUT_RX_PW, r->rx_dbm, lanes);
	power_set(k, INPUT_TX_PW, r->tx_dbm, lanes);
	lanes_set(k, INPUT_BIAS_UA, r->bias_ma, lanes, 1e3);
	lanes_set(k, INPUT_LANE_BER_E18, r->lane_ber, lanes, E18);
	lanes_set(k, INPUT_SNR_MDB, r->snr_db, lanes, 1e3);
	flags_set(k, INPUT_RX_LOS, r->rx_los, lanes);
	flags_set(k, INPUT_TX_FAULT, r->tx_fault, lanes);
}

static void reading_take(struct feed *f, unsigned port,
			 const struct world_reading *r)
{
	struct inputs *k = &f->tick;

	memset(k->valid, 0, sizeof(k->valid));
	k->t.ns = f->begin_ns + r->t_ns - f->offset_ns;
	k->counters_new = r->has_counters;
	k->dom_new = false;
	inputs_set(k, INPUT_OPER, r->oper_up ? OPER_UP : OPER_DOWN);
	inputs_set(k, INPUT_ADMIN, r->admin_up);
	inputs_set(k, INPUT_PRESENT, r->present);
	if (r->down != DOWN_UNKNOWN)
		inputs_set(k, INPUT_DOWN_REASON, r->down);
	inputs_set(k, INPUT_LINK_DOWN_COUNT, (int64_t)r->link_down_count);
	if (r->has_counters)
		counters_set(k, r);
	if (r->has_dom)
		module_set(f, port, r);
	memcpy(k->serial, r->serial, sizeof(k->serial));
	engine_reading(f->engine, f->number[port], k,
		       (struct wall){ WALL_BEGIN_NS + r->t_ns });
}

static void event_take(struct feed *f, const struct world_event *e,
		       struct mono now, struct wall wall)
{
	uint32_t port = e->port < f->ports ? f->number[e->port]
					   : ENGINE_ALL_PORTS;

	switch (e->kind) {
	case WORLD_RELOAD:
		engine_event(f->engine, port, ENGINE_RELOAD, now, wall);
		break;
	case WORLD_COUNTERS_CLEARED:
		engine_event(f->engine, port, ENGINE_COUNTERS_CLEARED, now,
			     wall);
		break;
	case WORLD_TSA:
	case WORLD_TSB:
		engine_context(f->engine, e->kind == WORLD_TSA ? ENGINE_TSA : 0,
			       now);
		break;
	case WORLD_EVENT_KIND_COUNT:
		break;
	}
}

static int sensor_tell(struct feed *f, const struct world_sensor *s,
		       uint32_t *ret)
{
	static const enum sensor_kind kind[WORLD_SENSOR_KIND_COUNT] = {
		[WORLD_FAN] = SENSOR_FAN, [WORLD_TEMP] = SENSOR_TEMP,
		[WORLD_SUPPLY] = SENSOR_SUPPLY,
	};
	struct sensor_facts facts = { .kind = kind[s->kind] };

	text_set(facts.name, sizeof(facts.name), s->name);
	text_set(facts.zone, sizeof(facts.zone), s->zone);
	return engine_sensor(f->engine, &facts, ret);
}

static void sensor_take(struct feed *f, const struct world_sensor *s,
			struct mono now)
{
	const struct sensor_reading r = {
		.value = s->has_value ? s->value : NAN, .low = s->low,
		.high = s->high, .failed = !s->ok };
	uint32_t n;

	if (sensor_tell(f, s, &n) == 0)
		engine_sensor_reading(f->engine, n, &r, now);
}

/* Sensors are read as often as modules are. */
void feed_sensors(struct feed *f, int64_t now_ns, const struct world_sensor *s,
		  size_t count)
{
	struct mono now = { f->begin_ns + now_ns };

	if (f->sensed && now_ns - f->sensors_ns < f->sensors_every_ns)
		return;
	f->sensed = true;
	f->sensors_ns = now_ns;
	for (size_t i = 0; i < count; i++)
		sensor_take(f, &s[i], now);
}

void feed_tick(struct feed *f, int64_t now_ns, const struct world_reading *r,
	       uint64_t has, const struct world_event *event, size_t events)
{
	struct mono now = { f->begin_ns + now_ns };
	struct wall wall;

	clock_follow(f, now_ns, r, has);
	wall.ns = WALL_BEGIN_NS + now_ns + f->offset_ns;
	for (size_t i = 0; i < events; i++)
		event_take(f, &event[i], now, wall);
	for (unsigned i = 0; i < f->ports; i++)
		if (has >> i & 1)
			reading_take(f, i, &r[i]);
	engine_tick(f->engine, now, wall);
}

/* What the engine of before wrote, to the one that begins. */
static int memory_move(struct feed *f, const struct feed_break *b)
{
	size_t most = memory_size(f->engine);
	const char *why;
	char *octets = malloc(most);
	struct mono now = { f->begin_ns + b->now_ns };
	struct wall wall = { WALL_BEGIN_NS + b->now_ns + f->offset_ns };
	ssize_t len = -ENOMEM;
	int rc;

	if (octets)
		len = memory_write(f->engine, now, wall, octets, most);
	engine_free(f->engine);
	f->engine = NULL;
	rc = len < 0 ? (int)len : engine_begin(f);
	wall.ns += b->gap_ns;
	if (b->reboot)
		f->begin_ns = BOOT_NS - b->now_ns - b->gap_ns;
	now.ns = f->begin_ns + b->now_ns + b->gap_ns;
	if (rc == 0)
		rc = engine_recall(f->engine, octets, (size_t)len, now, wall,
				   &why);
	free(octets);
	return rc;
}

int feed_restart(struct feed *f, const struct feed_break *b)
{
	uint32_t n;
	int rc = memory_move(f, b);

	if (rc == 0)
		rc = ports_tell(f);
	for (size_t i = 0; rc == 0 && i < b->sensors; i++)
		rc = sensor_tell(f, &b->sensor[i], &n);
	for (size_t i = 0; rc == 0 && i < b->count; i++)
		(void)engine_restore(f->engine, &b->open[i]);	/* or it ends */
	return rc;
}

double feed_frame_loss(const struct finding *f)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, "frame_loss_log10") == 0)
			return f->evidence[i].value;
	return NAN;
}

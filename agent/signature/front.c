#include "agent/signature/front.h"

#include <math.h>
#include <string.h>

#include "agent/signature/kept.h"

#define DARK_PW 10000000		/* -20 dBm */
#define NEVER INT64_MIN
#define HOUR_NS (3600 * NS_PER_S)
#define PERIOD_MAX_NS (86400 * NS_PER_S)
#define TEMP_FRESH_NS (600 * NS_PER_S)
#define DROP_PERIOD_NS (2 * NS_PER_S)	/* no link drops more often … */
#define DROPS_WRONG 100			/* … and by far not so: no count */
#define TEMP_JUMP_C 8.0f
#define TEMP_LIKE_C 4.0f
#define TEMP_MOST_C 25.0f	/* more is a jump after any time */
#define TEMP_C_PER_S 0.2f	/* physics: 30 W into 150 g of metal; a slower
				 * change is no jump */

/* Values that no working module reports. 0xFFFF of a hung bus is -4 m°C,
 * 6.5535 V, 6.5535 mW, and 131.07 mA or two or four times that: CMIS scales the
 * current up for lasers that need more (page 01h, byte 160), as coherent ones.
 */
#define TEMP_MIN_MC 1000
#define TEMP_MAX_MC 110000
#define VCC_MIN_UV 2000000
#define VCC_MAX_UV 6000000
#define ALL_ONES_UA 131070
#define ALL_ONES_PW INT64_C(6553500000)
#define ALL_ONES_SLACK_PW INT64_C(2000000)
#define LASER_ON_PW INT64_C(100000000)	/* -10 dBm: no laser sends that
					 * without current */
#define NO_LIGHT_PW 110000	/* -40 dBm, the floor of the register */

void front_start(struct front *f)
{
	memset(f, 0, sizeof(*f));
	counter_start(&f->down_count);
	f->temp_c = f->temp_doubted_c = NAN;
	f->absent_at.ns = f->changed_at.ns = f->dom_t.ns = NEVER;
	f->turned_at.ns = NEVER;
	for (unsigned i = 0; i < NEED_COUNT; i++)
		f->seen[i].ns = NEVER;
}

void front_counters_cleared(struct front *f)
{
	counter_start(&f->down_count);
}

void front_restarted(struct front *f)
{
	front_counters_cleared(f);
	if (f->link == LINK_IS_UP)
		f->link = LINK_IS_UNKNOWN;
}

/* The median by small steps: gaps do not move it much. */
static void period_learn(struct front *f)
{
	int64_t most = f->period_ns >> 4, step = f->dt_ns - f->period_ns;
	int64_t period;

	step = step > most ? most : step;
	step = step < -most ? -most : step;
	period = f->period_ns ? f->period_ns + step : f->dt_ns;
	f->period_ns = period < PERIOD_MAX_NS ? period : PERIOD_MAX_NS;
}

static bool time_take(struct front *f, struct mono t)
{
	if (!f->started) {
		f->started = true;
		f->t = t;
		return true;
	}
	f->dt_ns = mono_diff_ns(t, f->t);
	if (f->dt_ns <= 0)
		return false;
	f->t = t;
	period_learn(f);
	return true;
}

static enum link_is link_of(const struct inputs *k)
{
	if (!inputs_has(k, INPUT_OPER))
		return LINK_IS_UNKNOWN;
	switch (k->value[INPUT_OPER]) {
	case OPER_UP:
		return LINK_IS_UP;
	case OPER_DOWN:
	case OPER_NOT_PRESENT:
	case OPER_LOWER_LAYER_DOWN:
		return LINK_IS_DOWN;
	default:
		return LINK_IS_UNKNOWN;
	}
}

/* The driver's count includes falls between two readings. An edge that we saw
 * first is not counted again when the driver's count follows.
 */
static unsigned drops_counted(struct front *f, const struct inputs *k,
			      bool edge)
{
	uint64_t step = 0, most;
	int64_t dt_ns;

	if (!inputs_has(k, INPUT_LINK_DOWN_COUNT)) {
		f->edges_uncounted += edge;
		return edge;
	}
	f->seen[NEED_LINK_COUNT] = k->t;
	if (!counter_stepped(counter_take(&f->down_count,
			(uint64_t)k->value[INPUT_LINK_DOWN_COUNT],
			inputs_taken(k, INPUT_LINK_DOWN_COUNT), &step, &dt_ns)))
		return edge;
	if (step == 0) {
		f->edges_uncounted += edge;
		return edge;
	}
	most = (uint64_t)(f->dt_ns / DROP_PERIOD_NS) + 1;
	if (step / DROPS_WRONG > most) {
		counter_start(&f->down_count);
		return edge;
	}
	if (step > most)
		step = most;
	step -= f->edges_uncounted < step ? f->edges_uncounted : step;
	f->edges_uncounted = 0;
	return step > edge ? (unsigned)step : edge;
}

static __attribute__((noinline)) void drops_remember(struct front *f,
						     struct mono t)
{
	int64_t past = mono_diff_ns(t, f->hour) / HOUR_NS;

	for (int64_t i = FRONT_HOURS - 1; past > 0 && i >= 0; i--)
		f->drops_by_hour[i] = i >= past ? f->drops_by_hour[i - past]
						: 0;
	f->hour.ns += past * HOUR_NS;
	f->drops_by_hour[0] += (uint16_t)f->drops;
}

/* Returns how often the link fell. */
static __attribute__((noinline)) unsigned link_follow(struct front *f,
						      const struct inputs *k,
						      bool was_admin_down)
{
	enum link_is now = link_of(k);
	bool edge, rose;
	unsigned drops;

	if (now == LINK_IS_UNKNOWN && f->link != LINK_IS_UNKNOWN)
		now = f->link;		/* not read: as before */
	else if (now != LINK_IS_UNKNOWN)
		f->seen[NEED_LINK] = k->t;
	edge = f->link == LINK_IS_UP && now == LINK_IS_DOWN;
	rose = f->link == LINK_IS_DOWN && now == LINK_IS_UP;
	drops = drops_counted(f, k, edge);
	if (now == LINK_IS_DOWN && f->link != LINK_IS_DOWN)
		f->down_since = k->t;
	else if (drops && now == LINK_IS_UP && !rose)	/* since the last one */
		f->down_since.ns = k->t.ns - f->dt_ns;
	if (edge || rose || drops)
		f->turned_at = k->t;
	if (now == LINK_IS_DOWN || drops || rose)
		f->quiet_from.ns = k->t.ns + FRONT_SETTLE_NS;
	f->rose = rose;
	f->link = now;
	f->was_up |= now == LINK_IS_UP;
	return f->admin_down || was_admin_down ? 0 : drops;
}

/* It is up as before, and no fall was counted: the usual case. */
static bool link_stays(const struct front *f, const struct inputs *k)
{
	uint64_t count = (uint64_t)k->value[INPUT_LINK_DOWN_COUNT];

	return f->link == LINK_IS_UP && inputs_has(k, INPUT_OPER) &&
	       k->value[INPUT_OPER] == OPER_UP &&
	       inputs_has(k, INPUT_LINK_DOWN_COUNT) && f->down_count.has &&
	       f->down_count.last == count && !counter_may_wrap(count);
}

static void link_take(struct front *f, const struct inputs *k)
{
	bool was_admin_down = f->admin_down;

	if (inputs_has(k, INPUT_ADMIN))
		f->admin_down = k->value[INPUT_ADMIN] == 0;
	if (link_stays(f, k)) {
		f->seen[NEED_LINK] = f->seen[NEED_LINK_COUNT] = k->t;
		f->down_count.t = inputs_taken(k, INPUT_LINK_DOWN_COUNT);
		f->rose = false;
		f->was_up = true;
		f->drops = 0;
	} else {
		f->drops = link_follow(f, k, was_admin_down);
	}
	if (f->drops || mono_diff_ns(k->t, f->hour) >= HOUR_NS)
		drops_remember(f, k->t);
}

/* It may have been out since the reading before it was missing, and until the
 * next one.
 */
static void presence_take(struct front *f, const struct inputs *k)
{
	bool was_absent = f->module_absent;

	f->blinked = false;
	if (!inputs_has(k, INPUT_PRESENT))
		return;
	f->module_absent = k->value[INPUT_PRESENT] == 0;
	f->blinked = was_absent && !f->module_absent &&
		     f->absent_at.ns < f->out_from.ns;
	if (!f->module_absent)
		return;
	if (!was_absent)
		f->out_from.ns = k->t.ns - f->dt_ns;
	if (mono_diff_ns(k->t, f->out_from) + f->period_ns >= FRONT_RESEAT_NS)
		f->absent_at = k->t;
}

void front_swapped(struct front *f)
{
	memset(f->serial, 0, sizeof(f->serial));
	f->temp_c = NAN;
	f->has_bias = f->has_sent = false;
	f->awaits_new = true;
}

static void module_take(struct front *f, const struct inputs *k)
{
	bool other;

	f->module_changed = false;
	presence_take(f, k);
	if (!k->serial[0])
		return;
	f->seen[NEED_SERIAL] = k->t;
	other = memcmp(k->serial, f->serial, sizeof(f->serial)) != 0 &&
		strncmp(k->serial, f->serial, sizeof(f->serial)) != 0;
	f->module_changed = other && f->serial[0];
	if (f->module_changed)
		f->changed_at = k->t;
	if (other)
		memcpy(f->serial, k->serial, sizeof(f->serial));
}

static bool is_all_ones_pw(int64_t pw)
{
	return pw > ALL_ONES_PW - ALL_ONES_SLACK_PW &&
	       pw < ALL_ONES_PW + ALL_ONES_SLACK_PW;
}

static bool is_all_ones_ua(int64_t ua)
{
	return ua == ALL_ONES_UA || ua == 2 * ALL_ONES_UA ||
	       ua >= 4 * ALL_ONES_UA;
}

/* has_bias: the module has reported a current before; some never do. */
static bool bias_believable(const struct inputs *k, unsigned lane,
			    bool has_bias)
{
	int64_t ua = k->value[INPUT_BIAS_UA + lane];

	if (!inputs_has(k, INPUT_BIAS_UA + lane))
		return true;
	return !is_all_ones_ua(ua) &&
	       !(ua == 0 && has_bias && inputs_has(k, INPUT_TX_PW + lane) &&
		 k->value[INPUT_TX_PW + lane] > LASER_ON_PW);
}

/* lit: light must come, as the link is up. */
static bool lanes_believable(const struct inputs *k, bool lit, bool has_bias)
{
	unsigned sent = inputs_lanes(k, INPUT_TX_PW);
	unsigned got = inputs_lanes(k, INPUT_RX_PW);
	unsigned left = sent | got | inputs_lanes(k, INPUT_BIAS_UA);

	for (; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (!bias_believable(k, i, has_bias))
			return false;
		if (sent >> i & 1 && is_all_ones_pw(k->value[INPUT_TX_PW + i]))
			return false;
		if (!(got >> i & 1))
			continue;
		if (is_all_ones_pw(k->value[INPUT_RX_PW + i]) ||
		    (lit && k->value[INPUT_RX_PW + i] < NO_LIGHT_PW))
			return false;
	}
	return true;
}

static bool dom_believable(const struct front *f, const struct inputs *k)
{
	if (inputs_has(k, INPUT_TEMP_MC) &&
	    (k->value[INPUT_TEMP_MC] < TEMP_MIN_MC ||
	     k->value[INPUT_TEMP_MC] > TEMP_MAX_MC))
		return false;
	if (inputs_has(k, INPUT_VCC_UV) &&
	    (k->value[INPUT_VCC_UV] < VCC_MIN_UV ||
	     k->value[INPUT_VCC_UV] > VCC_MAX_UV))
		return false;
	return lanes_believable(k, f->link == LINK_IS_UP && !f->unlit,
				f->has_bias);
}

/* A jump of the temperature is believed when the next reading confirms it. */
static bool temp_take(struct front *f, const struct inputs *k)
{
	float temp = (float)k->value[INPUT_TEMP_MC] / 1000;
	float since_s = f->dom_t.ns == NEVER ? 0 :
			(float)mono_diff_ns(k->dom_t, f->dom_t) / 1e9f;
	float most = fminf(fmaxf(TEMP_JUMP_C, TEMP_C_PER_S * since_s),
			   TEMP_MOST_C);
	bool jumps = fabsf(temp - f->temp_c) > most;

	if (jumps && !(fabsf(temp - f->temp_doubted_c) < TEMP_LIKE_C)) {
		f->temp_doubted_c = temp;
		return false;
	}
	f->temp_c = temp;
	f->temp_doubted_c = NAN;
	f->seen[NEED_TEMP] = k->dom_t;
	return true;
}

static uint32_t mixed(uint32_t sum, int64_t value)
{
	return (sum ^ (uint32_t)value) * 16777619u;
}

/* A sum over all monitors: no two readings are alike to the last bit. */
static uint16_t dom_sum(const struct inputs *k)
{
	uint32_t sum = 2166136261u;

	for (unsigned i = INPUT_TEMP_MC; i <= INPUT_RX_PW_LAST; i++)
		sum = mixed(sum, inputs_has(k, i) ? k->value[i] : -1);
	return (uint16_t)(sum ^ sum >> 16);
}

/* The source may hang while a module is swapped, and repeat the readings of the
 * old one for a while.
 */
static bool is_of_former(struct front *f, const struct inputs *k)
{
	uint16_t sum = dom_sum(k);

	f->dom_same = sum == f->dom_sum;
	f->awaits_new &= f->dom_same;
	f->dom_sum = sum;
	return f->awaits_new;
}

static bool sends(const struct inputs *k)
{
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (inputs_has(k, INPUT_TX_PW + i) &&
		    k->value[INPUT_TX_PW + i] > LASER_ON_PW)
			return true;
	return false;
}

/* A new reading of the module. */
static __attribute__((noinline)) void dom_take(struct front *f,
					       const struct inputs *k)
{
	if (f->module_absent || is_of_former(f, k))
		return;
	if (!dom_believable(f, k) ||
	    (inputs_has(k, INPUT_TEMP_MC) && !temp_take(f, k))) {
		f->dom_bad++;
		return;
	}
	f->dom_good = true;
	f->dom_t = k->dom_t;
	f->has_bias |= inputs_has(k, INPUT_BIAS_UA) &&
		       k->value[INPUT_BIAS_UA] > 0;
	f->has_sent = f->has_sent || sends(k);
	if (inputs_lanes(k, INPUT_RX_PW))
		f->seen[NEED_LIGHT] = k->dom_t;
	if (inputs_lanes(k, INPUT_BIAS_UA) && inputs_lanes(k, INPUT_TX_PW))
		f->seen[NEED_BIAS] = k->dom_t;
	if (inputs_lanes(k, INPUT_RX_LOS))
		f->seen[NEED_DOWN_CAUSE] = k->dom_t;
}

bool front_take(struct front *f, const struct inputs *k)
{
	if (!time_take(f, k->t))
		return false;
	link_take(f, k);
	module_take(f, k);
	if (f->module_changed) {
		f->temp_c = NAN;
		f->has_bias = f->has_sent = false;
		f->awaits_new = true;
	}
	f->dom_good = false;
	if (k->dom_new)
		dom_take(f, k);
	if (inputs_has(k, INPUT_DOWN_REASON))
		f->seen[NEED_DOWN_CAUSE] = k->t;
	if (inputs_has(k, INPUT_FEC_UNCORRECTABLE_CW))
		f->seen[NEED_LOST] = k->t;
	return true;
}

double front_temp_c(const struct front *f)
{
	if (f->seen[NEED_TEMP].ns == NEVER ||
	    mono_diff_ns(f->t, f->seen[NEED_TEMP]) > TEMP_FRESH_NS)
		return NAN;
	return f->temp_c;
}

unsigned front_drops_in(const struct front *f, unsigned hours)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < hours; i++)
		sum += f->drops_by_hour[i];
	return sum;
}

unsigned front_lanes_dark(const struct port_facts *facts,
			  const struct inputs *k)
{
	const struct port_thresholds *limits = &facts->thresholds;
	int64_t dark = DARK_PW;
	unsigned lanes = 0;

	if (port_has_light_limits(limits))
		dark = limits->rx_pw[LOW_ALARM] / 4;	/* 6 dB below */
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (inputs_has(k, INPUT_RX_PW + i) &&
		    k->value[INPUT_RX_PW + i] < dark)
			lanes |= 1u << i;
	return lanes;
}

void front_light_read(struct front *f, const struct port_facts *facts,
		      const struct inputs *k)
{
	if (f->dom_good && f->dom_t.ns >= f->down_since.ns &&
	    inputs_lanes(k, INPUT_RX_PW))
		f->far_light = front_lanes_dark(facts, k) ? FAR_LIGHT_NONE :
							    FAR_LIGHT_THERE;
}

static const struct kept_field counter_fields[] = {
	KEEP(struct counter, last),
	KEEP(struct counter, t),
	KEEP_TO(struct counter, rate_per_s, 1e15),
	KEEP(struct counter, has),
};

const struct kept counter_kept =
	KEPT_TABLE(struct counter, "counter", counter_fields);

static const struct kept_field front_fields[] = {
	KEEP(struct front, t),
	KEEP(struct front, dt_ns),
	KEEP(struct front, drops),
	KEEP(struct front, rose),
	KEEP(struct front, module_changed),
	KEEP_NOT(struct front, blinked, "of one reading"),
	KEEP(struct front, dom_good),
	KEEP(struct front, started),
	KEEP(struct front, was_up),
	KEEP(struct front, admin_down),
	KEEP(struct front, module_absent),
	KEEP(struct front, errors_counted),
	KEEP_NOT(struct front, unlit, "the facts say it"),
	KEEP(struct front, has_bias),
	KEEP(struct front, has_sent),
	KEEP_TO(struct front, link, LINK_IS_UP),
	KEEP_TO(struct front, far_light, FAR_LIGHT_THERE),
	KEEP(struct front, down_since),
	KEEP(struct front, quiet_from),
	KEEP_OPT(struct front, turned_at),
	KEEP(struct front, out_from),
	KEEP_OPT(struct front, absent_at),
	KEEP_OPT(struct front, changed_at),
	KEEP(struct front, period_ns),
	KEEP_PART(struct front, down_count, counter_kept),
	KEEP(struct front, edges_uncounted),
	KEEP_OPT(struct front, temp_c),
	KEEP_OPT(struct front, temp_doubted_c),
	KEEP_OPT(struct front, dom_t),
	KEEP(struct front, dom_bad),
	KEEP(struct front, dom_sum),
	KEEP(struct front, awaits_new),
	KEEP_NOT(struct front, dom_same, "of one reading"),
	KEEP_TEXT(struct front, serial),
	KEEP_ALL(struct front, seen),
	KEEP(struct front, hour),
	KEEP_ALL(struct front, drops_by_hour),
};

const struct kept front_kept =
	KEPT_TABLE(struct front, "front", front_fields);

/* tx_decay: a laser of this module ages. Its bias current, less the part that
 * temperature explains, or its output power differs from its usual value of the
 * last two weeks.
 *
 * At constant power the bias of a laser grows as exp(T / T1), T1 60 to 95 K;
 * silicon photonics runs at constant current, and the power falls instead. It
 * is not known how this laser is driven: what heat does either way is no wear.
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/base/extreme.h"
#include "agent/signature/kept.h"

#define T1_LEAST_K 60.0f
#define BIAS_WARN 0.113f	/* ln 1.12 */
#define BIAS_LANE_WARN 0.095f	/* one lane above its siblings */
#define POWER_WARN_DB 0.9f
#define POWER_LANE_DB 0.4f	/* one lane below its siblings: to be watched;
				 * a tenth, as of the bias */
#define POWER_DB_PER_K 0.03f
#define READINGS_LEAST 20u	/* until what is usual is known */
#define READINGS_WARN 3u	/* in a row */
#define SPREADS 5.0f		/* nearly four standard deviations */
#define SPREAD_SHARE (1.0f / 64)
#define MEMORY_S (14 * 86400.0f)
#define LEAVES 0.4f		/* of a warning: wear began; hardly learned */
#define LEARN_LESS 16.0f
#define BIAS_END 0.405f		/* ln 1.5: end of life … */
#define POWER_END_DB 2.0f
#define BIAS_MORE 0.2f		/* … and twice a warning */
#define BACK_SHARE 0.8f		/* with less than this of it, told as before */
#define FAILED_SHARE 0.55f	/* of the loss, in one reading: no wear */
#define OVER_SHARE 0.2f		/* of a warning: as usual again */
#define ALIKE 0.5f		/* times the worst lane: what all have in common
				 * is most of it */

enum tells {
	TELLS_AGES, TELLS_MORE, TELLS_END, TELLS_FAILED, TELLS_COUNT
};

struct laser {
	float bias, power;	/* usual ln(µA), usual dBm */
	float bias_over, power_under;	/* difference from them, smoothed */
};

struct tx_decay {
	struct laser lane[PORT_LANES_MAX];
	float learned_s, usual_c;	/* temperature, in the mean */
	float bias_spread, power_spread;	/* of lanes about their median,
						 * in the mean */
	uint16_t readings;
	uint8_t above;
	uint8_t known, lanes;	/* bits; lanes: those that left */
	uint8_t severity;
	uint8_t tells;		/* enum tells */
	bool of_bias;		/* bias is what left, not power */
	struct mono t;		/* of the last reading; ns 0 */
	struct mono since;	/* they began to leave; ns 0: no */
	/* The most of any lane, unsmoothed: by the last reading, and the lesser
	 * of the last two.
	 */
	float last_bias, last_power;
	float worst_bias, worst_power;
};

/* Smooths; one reading counts for a warning's worth at most, so that a few
 * wrong ones are not taken for wear. What is mended is so at once.
 */
static float smoothed(float before, float now, float warn)
{
	if (now < before)
		return (before + now) / 2;
	return before + float_least(now - before, warn) / 4;
}

/* What is told: smoothed numbers would lag an hour behind an abrupt fall. */
static void raw_take(struct tx_decay *d, float bias, float power)
{
	float before = d->worst_power;

	d->worst_bias = float_least(bias, d->last_bias);
	d->worst_power = float_least(power, d->last_power);
	d->last_bias = bias;
	d->last_power = power;
	if (d->worst_power > POWER_END_DB &&
	    d->worst_power - before > FAILED_SHARE * d->worst_power)
		d->tells = TELLS_FAILED;
	else if (d->tells < TELLS_END && (d->worst_bias > BIAS_END ||
					  d->worst_power > POWER_END_DB))
		d->tells = TELLS_END;
	else if (d->tells == TELLS_AGES && d->worst_bias > BIAS_MORE)
		d->tells = TELLS_MORE;
	else if (bias < BACK_SHARE * BIAS_MORE &&
		 power < BACK_SHARE * POWER_END_DB)
		d->tells = TELLS_AGES;
}

/* heat_k: above the usual temperature, which the usual bias belongs to. Raw:
 * the most that any lane differs.
 */
static void laser_take(struct tx_decay *d, unsigned n, float bias, float power,
		       float heat_k, float share, struct laser *raw)
{
	struct laser *l = &d->lane[n];
	float by_heat = float_most(heat_k, 0) / T1_LEAST_K, mine = share;

	if (!(d->known >> n & 1)) {
		*l = (struct laser){ .bias = bias, .power = power };
		d->known |= (uint8_t)(1u << n);
		return;
	}
	raw->bias_over = float_most(raw->bias_over, bias - by_heat - l->bias);
	raw->power_under = float_most(raw->power_under, l->power - power);
	l->bias_over = smoothed(l->bias_over, bias - by_heat - l->bias,
				BIAS_LANE_WARN);
	l->power_under = smoothed(l->power_under, l->power - power,
				  POWER_WARN_DB);
	/* The first readings after a swap may still be of the old module: until
	 * enough are read, no difference counts.
	 */
	if (d->readings > READINGS_LEAST &&
	    (l->bias_over > LEAVES * BIAS_WARN ||
	     l->power_under > LEAVES * POWER_WARN_DB))
		mine *= d->learned_s / MEMORY_S / LEARN_LESS;
	l->bias += mine * (bias - l->bias);
	l->power += mine * (power - l->power);
}

/* The smallest difference of any lane, which all have in common. It is not
 * below 0, so a lane that fell does not make the others look worn.
 */
static struct laser common_of(const struct tx_decay *d)
{
	struct laser c = { .bias_over = INFINITY, .power_under = INFINITY };

	for (unsigned left = d->known; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		c.bias_over = float_least(c.bias_over, d->lane[i].bias_over);
		c.power_under = float_least(c.power_under,
					    d->lane[i].power_under);
	}
	c.bias_over = float_most(c.bias_over, 0);
	c.power_under = float_most(c.power_under, 0);
	return c;
}

/* The median, of two the lower; sorts them. */
static float median_of(float *of, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k > 0 && of[k - 1] > of[k]; k--) {
			float up = of[k - 1];

			of[k - 1] = of[k];
			of[k] = up;
		}
	return n > 0 ? of[n > 2 ? n / 2 : 0] : 0;
}

/* The usual distance from the median of all, which one lane that wears does not
 * move.
 */
static float spread_of(float *of, unsigned n)
{
	float middle = median_of(of, n);

	for (unsigned i = 0; i < n; i++)
		of[i] = fabsf(of[i] - middle);
	return median_of(of, n);
}

/* Monitors of some makes wander by tenths of a dB, each lane's by itself. */
static void spread_learn(struct tx_decay *d)
{
	float bias[PORT_LANES_MAX], power[PORT_LANES_MAX];
	unsigned n = 0;

	for (unsigned left = d->known; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		bias[n] = d->lane[i].bias_over;
		power[n++] = d->lane[i].power_under;
	}
	d->bias_spread += SPREAD_SHARE * (spread_of(bias, n) - d->bias_spread);
	d->power_spread += SPREAD_SHARE *
			   (spread_of(power, n) - d->power_spread);
}

/* How far a lane is on its way to a warning; 1: it is there. */
static float way_of(const struct tx_decay *d, unsigned n, float heat_k,
		    const struct laser *common)
{
	const struct laser *l = &d->lane[n];
	float bias = l->bias_over / BIAS_WARN;
	float alone = float_most((l->bias_over - common->bias_over) /
			    float_most(BIAS_LANE_WARN,
				       SPREADS * d->bias_spread),
			    (l->power_under - common->power_under) /
			    float_most(POWER_LANE_DB,
				       SPREADS * d->power_spread));
	float power = (l->power_under - POWER_DB_PER_K * fabsf(heat_k)) /
		      POWER_WARN_DB;
	bool siblings = (d->known & (d->known - 1)) != 0;

	/* More current and less light: heat makes one of them, if any. */
	if (bias > LEAVES && power > LEAVES)
		bias += power;
	return float_most(float_most(bias, power), siblings ? alone : 0);
}

/* The last readings were as usual: it was mended. */
static bool is_over(const struct tx_decay *d)
{
	return d->worst_bias < OVER_SHARE * BIAS_WARN &&
	       d->worst_power < OVER_SHARE * POWER_WARN_DB;
}

static void lasers_judge(struct tx_decay *d, const struct front *f,
			 float heat_k)
{
	struct laser common = common_of(d);
	float most = 0, bias = 0, power = 0;

	d->lanes = 0;
	for (unsigned left = d->known; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		float way = way_of(d, i, heat_k, &common);

		most = float_most(most, way);
		if (way < 1)
			continue;
		d->lanes |= (uint8_t)(1u << i);
		bias = float_most(bias, d->lane[i].bias_over);
		power = float_most(power, d->lane[i].power_under);
	}
	d->of_bias = bias > BIAS_LANE_WARN;
	if (most < LEAVES)
		d->since.ns = 0;
	else if (d->since.ns == 0)
		d->since = f->t;
	d->above = d->lanes && !is_over(d) ?
		   (uint8_t)(d->above + (d->above < UINT8_MAX)) : 0;
	d->severity = d->above < READINGS_WARN ? SEVERITY_NONE :
		      d->of_bias || power > POWER_WARN_DB ? SEVERITY_WARN :
							    SEVERITY_WATCH;
}

/* One believable reading of the module. */
static void reading_take(struct tx_decay *d, const struct port_view *v,
			 double temp_c)
{
	const struct inputs *k = v->tick;
	float dt_s = d->t.ns ? (float)mono_diff_ns(k->dom_t, d->t) / 1e9f : 0;
	unsigned read = inputs_lanes(k, INPUT_BIAS_UA) &
			inputs_lanes(k, INPUT_TX_PW);
	float share;
	struct laser raw = { 0 };

	d->t = k->dom_t;
	d->readings += d->readings < UINT16_MAX;
	d->learned_s = float_least(d->learned_s + dt_s, MEMORY_S);
	share = d->learned_s > 0 ? float_most(dt_s / d->learned_s,
					      1.0f / d->readings) : 1;
	share = d->readings > READINGS_LEAST ? dt_s / d->learned_s : share;
	share = float_least(share, 1);	/* the clock may have stepped far */
	d->usual_c += share * ((float)temp_c - d->usual_c);
	for (; read; read &= read - 1) {
		unsigned i = (unsigned)__builtin_ctz(read);
		int64_t ua = k->value[INPUT_BIAS_UA + i];
		int64_t pw = k->value[INPUT_TX_PW + i];

		if (ua <= 0 || pw <= 0)
			continue;
		laser_take(d, i, (float)(fec_log10((double)ua) * M_LN10),
			   (float)light_dbm(pw),
			   (float)temp_c - d->usual_c, share, &raw);
	}
	raw_take(d, raw.bias_over, raw.power_under);
	if (d->readings <= READINGS_LEAST)
		return;
	spread_learn(d);
	lasers_judge(d, v->front, (float)temp_c - d->usual_c);
}

/* The link was down by it, and is up, or the module is out: what is read next
 * tells.
 */
static void decay_told(void *mine)
{
	struct tx_decay *d = mine;

	d->above = 0;
	d->severity = SEVERITY_NONE;
}

static enum severity decay_judge(void *mine, const struct port_view *v)
{
	struct tx_decay *d = mine;
	double temp_c = front_temp_c(v->front);

	if (v->front->module_absent)
		decay_told(d);
	if (!v->front->dom_good || v->cadence->unsound || isnan(temp_c) ||
	    v->front->admin_down)
		return d->severity;
	reading_take(d, v, temp_c);
	return d->severity;
}

/* All lanes differ about alike, which lasers that age do not. */
static bool lanes_alike(const struct tx_decay *d, bool of_bias)
{
	struct laser common = common_of(d);
	float worst = 0;

	for (unsigned left = d->known; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		worst = float_most(worst, of_bias ? d->lane[i].bias_over :
						    d->lane[i].power_under);
	}
	return (d->known & (d->known - 1)) &&
	       (of_bias ? common.bias_over : common.power_under) >
	       ALIKE * worst;
}

#define SHARED_FAILS "on all lanes alike: the cooler, supply or laser that " \
	"they share fails; tell the peer"

static void shared_tell(const struct tx_decay *d, bool of_bias, char *ret,
			size_t cap)
{
	if (of_bias)
		(void)snprintf(ret, cap, "laser bias is %.0f %% above what its "
			       "temperature explains, " SHARED_FAILS,
			       100 * (exp((double)d->worst_bias) - 1));
	else
		(void)snprintf(ret, cap, "%.1f dB less than usual is sent, "
			       SHARED_FAILS, (double)d->worst_power);
}

static void words_tell(const struct tx_decay *d, bool of_bias, char *ret,
		       size_t cap)
{
	static const char *const tells[] = {
		[TELLS_AGES] = "ages",
		[TELLS_MORE] = "goes on ageing",
		[TELLS_END] = "is at its end of life",
		[TELLS_FAILED] = "failed",
	};

	if (of_bias)
		(void)snprintf(ret, cap, "laser bias is %.0f %% above what its "
			       "temperature explains: the laser %s; tell the "
			       "peer", 100 * (exp((double)d->worst_bias) - 1),
			       tells[d->tells]);
	else if (d->tells == TELLS_FAILED)
		(void)snprintf(ret, cap, "the laser sends %.1f dB less since "
			       "one reading: it or its driver failed; tell the "
			       "peer", (double)d->worst_power);
	else
		(void)snprintf(ret, cap, "the laser sends %.1f dB less than "
			       "usual: it %s; tell the peer",
			       (double)d->worst_power, tells[d->tells]);
}

static void decay_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct tx_decay *d = mine;
	bool of_bias = d->of_bias && d->tells != TELLS_FAILED;

	f->end = END_NEAR;
	f->action = ACTION_REPLACE_NEAR;
	f->cause_id = of_bias ? CAUSE_LASER_BIAS_RISES :
				CAUSE_LASER_POWER_FALLS;
	f->drain = DRAIN_NONE;
	f->lanes = d->lanes;
	f->confidence = 0.9f;
	f->onset = d->since.ns ? d->since : v->front->t;
	if (d->tells != TELLS_FAILED && lanes_alike(d, of_bias))
		shared_tell(d, of_bias, f->cause, sizeof(f->cause));
	else
		words_tell(d, of_bias, f->cause, sizeof(f->cause));
	evidence_add(f, "bias_over_percent",
		     100 * (exp((double)d->worst_bias) - 1));
	evidence_add(f, "tx_drop_db", d->worst_power);
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no laser";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_BIAS, true, "bias current and sent power are not read",
	  "a module with DOM" },
	{ NEED_TEMP, true, "module temperature is not read",
	  "a module with DOM" },
};

static const struct kept_field laser_fields[] = {
	KEEP(struct laser, bias),
	KEEP(struct laser, power),
	KEEP(struct laser, bias_over),
	KEEP(struct laser, power_under),
};

static const struct kept laser_kept =
	KEPT_TABLE(struct laser, "laser", laser_fields);

static const struct kept_field tx_decay_fields[] = {
	KEEP_PARTS(struct tx_decay, lane, laser_kept),
	KEEP(struct tx_decay, learned_s),
	KEEP(struct tx_decay, usual_c),
	KEEP(struct tx_decay, bias_spread),
	KEEP(struct tx_decay, power_spread),
	KEEP(struct tx_decay, readings),
	KEEP(struct tx_decay, above),
	KEEP(struct tx_decay, known),
	KEEP(struct tx_decay, lanes),
	KEEP(struct tx_decay, t),
	KEEP(struct tx_decay, since),
	KEEP(struct tx_decay, of_bias),
	KEEP_TO(struct tx_decay, tells, TELLS_COUNT - 1),
	KEEP(struct tx_decay, last_bias),
	KEEP(struct tx_decay, last_power),
	KEEP(struct tx_decay, worst_bias),
	KEEP(struct tx_decay, worst_power),
	KEEP_TO(struct tx_decay, severity, SEVERITY_COUNT - 1),
};

static const struct kept tx_decay_kept =
	KEPT_TABLE(struct tx_decay, "tx_decay", tx_decay_fields);

const struct detector tx_decay_detector = {
	.signature = SIGNATURE_TX_DECAY,
	.state_size = sizeof(struct tx_decay),
	.kept = &tx_decay_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_module = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.judge = decay_judge,
	.describe = decay_describe,
	.told = decay_told,
};

#include "agent/ctl/chart.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "petrel/clock.h"

#define GAP_SPANS 2.5		/* points further apart are not joined */
#define DIGITS_MAX 6
#define PAD 0.05		/* margin above and below the data */
#define ALL_ZERO_DECADE (-18)
#define SHORT_STEP_S 60		/* shorter steps show seconds */
#define SHORT_STEP_TICKS 0.7

/* --- values --------------------------------------------------------------- */

static double value_on(const struct axis *a, double value)
{
	return a->is_log ? log10(value) : value;
}

/* Widens the axis to a value; one without a logarithm only sets has_zero. */
static void axis_take(struct axis *a, double value)
{
	if (isnan(value))
		return;
	if (a->is_log && value <= 0) {
		a->has_zero = true;
		return;
	}
	a->low = fmin(a->low, value_on(a, value));
	a->high = fmax(a->high, value_on(a, value));
}

bool chart_has_point(const struct chart *p, const struct chart_point *at)
{
	return at->wall_ns >= p->from_ns && at->wall_ns <= p->to_ns;
}

static void axis_of_curves(const struct chart *p, struct axis *a)
{
	for (size_t c = 0; c < p->curve_count; c++)
		for (size_t i = 0; i < p->curves[c].count; i++) {
			const struct chart_point *at = &p->curves[c].points[i];

			if (!chart_has_point(p, at))
				continue;
			axis_take(a, at->low);
			axis_take(a, at->high);
		}
}

/* Shows a rule that is no further from the data than the data's height. */
static void axis_of_rules(const struct chart *p, struct axis *a)
{
	const struct axis data = *a;
	double reach = fmax(data.high - data.low, p->least_span);

	for (size_t i = 0; i < p->rule_count; i++) {
		double v = value_on(a, p->rules[i].value);

		if (v >= data.low - reach && v <= data.high + reach)
			axis_take(a, p->rules[i].value);
	}
}

/* The next of 1, 2, 5, 10, ... */
static double step_next(double step)
{
	double head = step / pow(10, floor(log10(step) + 1e-9));

	return head < 1.5 || head > 3 ? step * 2 : step * 2.5;
}

/* The finest round step with at most this many ticks. */
static void axis_step(struct axis *a, double ticks_max)
{
	double least = (a->high - a->low) / fmax(ticks_max, 1);

	a->step = a->is_log ? 1 : pow(10, floor(log10(least)));
	while (a->step < least)
		a->step = a->is_log ? a->step + 1 : step_next(a->step);
}

/* Adds a margin around the data; a logarithmic axis ends at whole decades. */
static void axis_fit(const struct chart *p, struct axis *a)
{
	double lack, pad;

	if (a->is_log) {
		a->low = floor(a->low) - (a->has_zero ? 1 : 0);
		a->high = fmax(ceil(a->high), a->low + 1);
		return;
	}
	lack = p->least_span - (a->high - a->low);
	pad = lack > 0 ? lack / 2 : (a->high - a->low) * PAD;
	a->low -= pad;
	a->high += pad;
	if (p->is_from_zero) {
		a->low = fmin(a->low + pad, 0);
		a->high = fmax(a->high, a->low + p->least_span);
	}
}

bool chart_axis(const struct chart *p, double ticks_max, struct axis *ret)
{
	struct axis a = { .low = INFINITY, .high = -INFINITY,
			  .is_log = p->is_log };

	axis_of_curves(p, &a);
	if (!isfinite(a.low) && a.has_zero)
		a.low = a.high = ALL_ZERO_DECADE;
	if (!isfinite(a.low))
		return false;
	axis_of_rules(p, &a);
	axis_fit(p, &a);
	axis_step(&a, ticks_max);
	*ret = a;
	return true;
}

double chart_part(const struct axis *a, double value)
{
	double v = a->is_log && value <= 0 ? a->low : value_on(a, value);

	return fmin(fmax((a->high - v) / (a->high - a->low), 0), 1);
}

const char *chart_beyond(const struct axis *a, double value)
{
	double v = value_on(a, value);

	return v > a->high ? "above" : v >= a->low ? NULL : "below";
}

unsigned chart_ticks(const struct axis *a, double ret[static CHART_TICKS_MAX])
{
	double first = ceil(a->low / a->step - 1e-6);
	unsigned n = 0;

	while (n < CHART_TICKS_MAX &&
	       (first + n) * a->step <= a->high + 1e-6 * a->step) {
		ret[n] = (first + n) * a->step;
		if (a->is_log)
			ret[n] = pow(10, ret[n]);
		n++;
	}
	return n;
}

void chart_value_text(double value, double step, char *ret, size_t cap)
{
	static const char units[] = "\0KMGTPE";
	unsigned i = 0;
	int digits;

	for (; fabs(value) >= 999.5 && i < sizeof(units) - 2; i++) {
		value /= 1000;
		step /= 1000;
	}
	digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
	digits = digits > DIGITS_MAX ? DIGITS_MAX : digits;
	if (fabs(value) < 0.5 * pow(10, -digits))
		value = 0;	/* no -0 */
	(void)snprintf(ret, cap, "%.*f%.1s", digits, value, units + i);
}

void chart_tick_text(const struct axis *a, double tick, char *ret, size_t cap)
{
	if (!a->is_log)
		chart_value_text(tick, a->step, ret, cap);
	else if (a->has_zero && log10(tick) < a->low + 0.5)
		(void)snprintf(ret, cap, "0");
	else
		(void)snprintf(ret, cap, "1e%.0f", log10(tick));
}

/* --- time ----------------------------------------------------------------- */

double chart_time_part(const struct chart *p, int64_t wall_ns)
{
	return (double)(wall_ns - p->from_ns) /
	       fmax((double)(p->to_ns - p->from_ns), 1);
}

/* As finely as the step needs. */
static void time_text(const struct tm *t, int64_t step_s, char *ret,
		      size_t cap)
{
	if (step_s < 60)
		(void)snprintf(ret, cap, "%02d:%02d:%02d", t->tm_hour,
			       t->tm_min, t->tm_sec);
	else if (step_s < 43200)
		(void)snprintf(ret, cap, "%02d:%02d", t->tm_hour, t->tm_min);
	else
		(void)snprintf(ret, cap, "%02d-%02d", t->tm_mon + 1,
			       t->tm_mday);
}

int64_t chart_time_step(const struct chart *p, double ticks_max)
{
	static const int64_t steps[] = {
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
		10800, 21600, 86400, 172800, 604800,
	};
	double span_s = fmax((double)(p->to_ns - p->from_ns) / NS_PER_S, 1);
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) &&
	       span_s / (double)steps[i] >
		       ticks_max * (steps[i] < SHORT_STEP_S ?
				    SHORT_STEP_TICKS : 1))
		i++;
	return steps[i];
}

bool chart_time_tick(int64_t step_s, int64_t from_s, int64_t *ret_s,
		    char ret[static CHART_TEXT_MAX])
{
	time_t at = (time_t)from_s;
	struct tm tm;
	int64_t s;

	if (!localtime_r(&at, &tm))
		return false;
	s = from_s + tm.tm_gmtoff + step_s - 1;
	s -= s % step_s;
	at = (time_t)(s - tm.tm_gmtoff);
	if (!localtime_r(&at, &tm))
		return false;
	time_text(&tm, step_s, ret, CHART_TEXT_MAX);
	*ret_s = (int64_t)at;
	return true;
}

bool chart_is_joined(const struct chart_point *before,
		    const struct chart_point *at)
{
	int64_t span = before->span_ns > at->span_ns ? before->span_ns :
						       at->span_ns;

	return !isnan(before->value) &&
	       (double)(at->wall_ns - before->wall_ns) <=
		       GAP_SPANS * (double)span;
}

#include "agent/ctl/scale.h"

#include <math.h>
#include <stdio.h>

#include "agent/base/number.h"
#include "agent/ctl/chart.h"
#include "petrel/link.h"

#define DARK_DBM (-40.0)	/* 0.1 uW: one step of SFF and CMIS */
#define BITS_OF_OCTET 8

/* Units that are shown in another one; parts: how many make one of it. */
static const struct {
	const char *unit;
	double parts;
	double least_span;
} units[UNIT_COUNT] = {
	[UNIT_MBPS] = { "bit/s", 1e-6, 1 },
	[UNIT_PW] = { "dBm", 1, 2 },
	[UNIT_UA] = { "mA", 1e3, 5 },
	[UNIT_UV] = { "V", 1e6, 0.1 },
	[UNIT_MC] = { "°C", 1e3, 5 },
	[UNIT_MDB] = { "dB", 1e3, 1 },
	[UNIT_E18] = { "", 1e18, 1 },
	[UNIT_NS] = { "s", 1e9, 1e-6 },
	[UNIT_US] = { "s", 1e6, 1e-3 },
	[UNIT_MS] = { "s", 1e3, 0.1 },
	[UNIT_UW] = { "W", 1e6, 1 },
	[UNIT_PPM] = { "%", 1e4, 1 },
	[UNIT_LOG10_MILLI] = { "decades", 1e3, 1 },
	[UNIT_OCTETS_PER_S] = { "bit/s", 1.0 / BITS_OF_OCTET, 1e6 },
	[UNIT_FRAMES_PER_S] = { "frames/s", 1, 10 },
	[UNIT_BOOL] = { "", 1, 1 },
	[UNIT_ENUM] = { "", 1, 1 },
	[UNIT_NONE] = { "", 1, 1 },
	[UNIT_RPM] = { "rpm", 1, 500 },
	[UNIT_OCTETS] = { "octets", 1, 1000 },
};

/* The unit of a counter's rate. */
static const char *const rate_units[UNIT_COUNT] = {
	[UNIT_OCTETS] = "bit/s",	 [UNIT_FRAMES] = "frames/s",
	[UNIT_BITS] = "bits/s",		 [UNIT_CODEWORDS] = "codewords/s",
	[UNIT_SYMBOLS] = "symbols/s",	 [UNIT_EVENTS] = "events/s",
	[UNIT_CELLS] = "cells/s",
};

#define TEXT_PARTS 500		/* about three digits */
#define RATE_PARTS 1e3		/* look_back.h has thousandths */

struct scale scale_of(const struct quantity_info *q)
{
	struct scale s = { .unit = units[q->unit].unit,
			   .least_span = units[q->unit].least_span,
			   .is_log = q->unit == UNIT_E18,
			   .is_whole = q->unit == UNIT_BOOL ||
				       q->unit == UNIT_ENUM,
			   .is_from_zero = q->unit == UNIT_BOOL ||
					   q->id == Q_OPER_STATUS };

	if (q->kind == KIND_COUNTER) {
		s.unit = rate_units[q->unit] ? rate_units[q->unit] : "/s";
		s.least_span = 1;
		s.is_from_zero = true;
	}
	if (!s.unit)
		s.unit = quantity_unit_name((enum quantity_unit)q->unit);
	if (s.least_span <= 0)
		s.least_span = 1;
	return s;
}

double scale_value(const struct quantity_info *q, int64_t value)
{
	double parts = units[q->unit].parts > 0 ? units[q->unit].parts : 1;

	if (q->kind == KIND_COUNTER)
		return (double)value / RATE_PARTS *
		       (q->unit == UNIT_OCTETS ? BITS_OF_OCTET : 1);
	if (q->unit == UNIT_PW)
		return value > 0 ? number_dbm(value) : DARK_DBM;
	if (q->id == Q_OPER_STATUS)
		return value == OPER_UP;
	return (double)value / parts;
}

void scale_text(const struct scale *s, double value, char *ret, size_t cap)
{
	if (s->is_log)
		(void)snprintf(ret, cap, "%.1e", value);
	else if (s->is_whole)
		chart_value_text(value, 1, ret, cap);
	else
		chart_value_text(value, fmax(s->least_span / 50, fabs(value) /
				TEXT_PARTS), ret, cap);
}

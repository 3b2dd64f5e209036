#include "agent/base/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"

/* The suffix of a quantity's name, and what replaces it. Units that are not
 * listed are counts, and keep their name.
 */
static const struct unit_ending {
	const char *end, *unit;
	struct metric_scale scale;
} units[UNIT_COUNT] = {
	[UNIT_OCTETS] = { "octets", "bytes", { 1, 0 } },
	[UNIT_BITS] = { "bits", "bit_errors", { 1, 0 } },
	[UNIT_BITS_SET] = { "bits", "mask", { 1, 0 } },
	[UNIT_MBPS] = { "mbps", "bytes_per_second", { 125, 3 } },
	[UNIT_OCTETS_PER_S] = { "octets_per_s", "bytes_per_second", { 1, 0 } },
	[UNIT_FRAMES_PER_S] = { "frames_per_s", "frames_per_second",
				{ 1, 0 } },
	[UNIT_PW] = { "pw", "watts", { 1, -12 } },
	[UNIT_UW] = { "uw", "watts", { 1, -6 } },
	[UNIT_UA] = { "ua", "amperes", { 1, -6 } },
	[UNIT_UV] = { "uv", "volts", { 1, -6 } },
	[UNIT_MC] = { "mc", "celsius", { 1, -3 } },
	[UNIT_MDB] = { "mdb", "decibels", { 1, -3 } },
	[UNIT_E18] = { "e18", "ratio", { 1, -18 } },
	[UNIT_PPM] = { "ppm", "ratio", { 1, -6 } },
	[UNIT_LOG10_MILLI] = { "log10_milli", "log10", { 1, -3 } },
	[UNIT_NS] = { "ns", "seconds", { 1, -9 } },
	[UNIT_US] = { "us", "seconds", { 1, -6 } },
	[UNIT_MS] = { "ms", "seconds", { 1, -3 } },
	[UNIT_FS] = { "fs", "seconds", { 1, -15 } },
	[UNIT_FS2] = { "fs2", "seconds_squared", { 1, -30 } },
	[UNIT_PM] = { "pm", "meters", { 1, -12 } },
	[UNIT_M] = { "m", "meters", { 1, 0 } },
	[UNIT_MHZ] = { "mhz", "hertz", { 1, 6 } },
	[UNIT_GHZ] = { "ghz", "hertz", { 1, 9 } },
	[UNIT_PS_PER_NM] = { "ps_per_nm", "seconds_per_meter", { 1, -3 } },
	[UNIT_KRAD_PER_S] = { "krad_per_s", "radians_per_second", { 1, 3 } },
};

/* Length of the name without the suffix and the _ before it; the full length if
 * it has another suffix.
 */
static size_t before(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0 &&
	       name[n - m - 1] == '_' ? n - m - 1 : n;
}

void metric_of(const struct quantity_info *q, struct metric *ret)
{
	const struct unit_ending *u = &units[q->unit];
	bool has_unit = u->end != NULL;
	size_t all = strlen(q->name), n = all;
	bool is_count;

	if (has_unit)
		n = before(q->name, u->end);
	if (n == all && q->unit == UNIT_MDB)
		n = before(q->name, "milli_db");
	if (n == all && q->unit == UNIT_BITS_SET)	/* ..._faults */
		has_unit = false;
	is_count = !has_unit && before(q->name, "count") < all;
	if (is_count)
		n = before(q->name, "count");
	ret->is_counter = q->kind == KIND_COUNTER;
	ret->is_unsigned = quantity_is_unsigned(q);
	ret->unit = has_unit ? u->unit : "";
	ret->scale = has_unit ? u->scale : (struct metric_scale){ 1, 0 };
	(void)snprintf(ret->name, sizeof(ret->name), METRIC_PREFIX "%.*s%s%s%s",
		       (int)n, q->name, has_unit ? "_" : "", ret->unit,
		       ret->is_counter ? "_total" : is_count ? "s" : "");
}

/* --- values -------------------------------------------------------------- */

#define FRACTION_MAX 9		/* digits; smaller values get an exponent */

/* Sets the point before the last digits, and drops trailing zeros of the
 * fraction. Returns the new end.
 */
static char *point_put(char *end, unsigned digits)
{
	char *point = end - digits;

	memmove(point + 1, point, digits);
	*point = '.';
	end++;
	while (end[-1] == '0')
		end--;
	return end[-1] == '.' ? end - 1 : end;
}

size_t metric_text(struct metric_scale scale, int64_t raw, bool is_unsigned,
		   char ret[static METRIC_VALUE_MAX])
{
	bool is_negative = raw < 0 && !is_unsigned;
	uint64_t n = is_negative ? -(uint64_t)raw : (uint64_t)raw;
	int exponent = scale.exponent;
	char *at = ret;

	if (is_negative)
		*at++ = '-';
	n = n > UINT64_MAX / scale.factor ? UINT64_MAX : n * scale.factor;
	if (n == 0)
		exponent = 0;
	for (; exponent > 0 && n <= UINT64_MAX / 10; exponent--)
		n *= 10;
	if (exponent < 0 && exponent >= -FRACTION_MAX) {
		at = number_digits(at, n, (unsigned)-exponent + 1);
		at = point_put(at, (unsigned)-exponent);
	} else {
		at = number_digits(at, n, 1);
		if (exponent)
			at += sprintf(at, "e%d", exponent);
	}
	*at = '\0';
	return (size_t)(at - ret);
}

double metric_value(const struct metric *m, int64_t raw)
{
	double n = m->is_unsigned ? (double)(uint64_t)raw : (double)raw;
	double ten = pow(10, abs(m->scale.exponent));

	n *= m->scale.factor;
	return m->scale.exponent < 0 ? n / ten : n * ten;
}

/* --- labels -------------------------------------------------------------- */

void metric_index(const struct quantity_info *q, unsigned index,
		  char ret[static METRIC_LABEL_MAX])
{
	char *to = ret;

	quantity_index_words(q, index, ret, METRIC_LABEL_MAX);
	for (const char *from = ret; *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from == ' ' ? '_' : *from;
	*to = '\0';
}

const char *metric_index_label(const struct quantity_info *q)
{
	if (q->id == Q_SELF_CPU_NS || q->id == Q_SELF_MEMORY_OCTETS)
		return "process";
	if (q->id == Q_SELF_DROPPED_RECORDS || q->id == Q_SELF_QUEUED_RECORDS)
		return "stream";
	if (q->id == Q_FEC_CODEWORD_ERRORS)
		return "bin";
	return strstr(q->name, "_threshold") ? "threshold" : "index";
}

const char *metric_label(enum entity_kind kind)
{
	if (kind == ENTITY_SWITCH)
		return NULL;
	return kind == ENTITY_MODULE ? "cage" : entity_kind_name(kind);
}

/* --- profiles ------------------------------------------------------------ */

const char *const metric_profiles[PROFILE_COUNT + 1] = {
	[PROFILE_FINDINGS] = "findings", [PROFILE_LINKS] = "links",
	[PROFILE_QUEUES] = "queues", [PROFILE_ALL] = "all",
};

#define IN(profile) (1u << PROFILE_##profile)

/* Ranges of quantity ids, inclusive; an id in none of them is shown only by the
 * profile all.
 */
static const struct {
	uint16_t first, last;
	unsigned profiles;
} shown[] = {
	{ Q_OPER_STATUS, Q_SPEED_MBPS, IN(LINKS) | IN(QUEUES) },
	{ Q_FEC_MODE, Q_LINK_TRANSITIONS, IN(LINKS) },
	{ Q_MODULE_PRESENT, Q_MODULE_PRESENT, IN(LINKS) },
	{ Q_TSA, Q_WARM_REBOOT, IN(FINDINGS) | IN(LINKS) | IN(QUEUES) },
	{ Q_IF_IN_OCTETS, Q_IF_IN_OCTETS, IN(LINKS) | IN(QUEUES) },
	{ Q_IF_IN_DISCARDS, Q_IF_IN_DISCARDS, IN(LINKS) | IN(QUEUES) },
	{ Q_IF_IN_ERRORS, Q_IF_IN_ERRORS, IN(LINKS) },
	{ Q_IF_OUT_OCTETS, Q_IF_OUT_OCTETS, IN(LINKS) | IN(QUEUES) },
	{ Q_IF_OUT_DISCARDS, Q_IF_OUT_DISCARDS, IN(LINKS) | IN(QUEUES) },
	{ Q_IF_OUT_ERRORS, Q_IF_OUT_ERRORS, IN(LINKS) },
	{ Q_PAUSE_RX_FRAMES, Q_PAUSE_TX_FRAMES, IN(QUEUES) },
	{ Q_ECN_MARKED_FRAMES, Q_WRED_DROPPED_FRAMES, IN(QUEUES) },
	{ Q_DOT3_FCS_ERRORS, Q_DOT3_FCS_ERRORS, IN(LINKS) },
	{ Q_FEC_CORRECTED_CODEWORDS, Q_FEC_SYMBOL_ERRORS, IN(LINKS) },
	{ Q_PRE_FEC_BER_E18, Q_MARGIN_MILLI_DB, IN(LINKS) },
	{ Q_PFC_RX_FRAMES, Q_PFC_TX_PAUSE_US, IN(QUEUES) },
	{ Q_QUEUE_FRAMES, Q_QUEUE_DROPPED_OCTETS, IN(QUEUES) },
	{ Q_QUEUE_ECN_MARKED_FRAMES, Q_QUEUE_ECN_MARKED_FRAMES, IN(QUEUES) },
	{ Q_QUEUE_WRED_DROPPED_FRAMES, Q_QUEUE_WRED_DROPPED_FRAMES,
	  IN(QUEUES) },
	{ Q_QUEUE_STORM, Q_QUEUE_STORMS_DETECTED, IN(QUEUES) },
	{ Q_QUEUE_OCCUPANCY_OCTETS, Q_QUEUE_DELAY_MAX_NS, IN(QUEUES) },
	{ Q_PG_DROPPED_FRAMES, Q_PG_XOFF_WATERMARK_OCTETS, IN(QUEUES) },
	{ Q_POOL_WATERMARK_OCTETS, Q_POOL_XOFF_WATERMARK_OCTETS, IN(QUEUES) },
	{ Q_POOL_SIZE_OCTETS, Q_POOL_XOFF_SIZE_OCTETS, IN(QUEUES) },
	{ Q_PG_OCCUPANCY_OCTETS, Q_PG_OCCUPANCY_OCTETS, IN(QUEUES) },
	{ Q_POOL_OCCUPANCY_OCTETS, Q_POOL_DROPPED_FRAMES, IN(QUEUES) },
	{ Q_MODULE_TEMP_MC, Q_MODULE_LASER_TEMP_MC, IN(LINKS) },
	{ Q_MODULE_STATE, Q_MODULE_LOW_POWER, IN(LINKS) },
	{ Q_LANE_RX_POWER_PW, Q_LANE_SNR_MDB, IN(LINKS) },
	{ Q_LANE_RX_LOS, Q_LANE_TX_DISABLED, IN(LINKS) },
	{ Q_SENSOR_TEMP_MC, Q_SENSOR_POWER_UW, IN(LINKS) },
	{ Q_SENSOR_WARNING, Q_FAN_SPEED_PPM, IN(LINKS) },
	{ Q_SELF_CPU_NS, Q_SELF_HFT_RECORDS,
	  IN(FINDINGS) | IN(LINKS) | IN(QUEUES) },
};

bool metric_is_shown(enum metric_profile profile,
		     const struct quantity_info *q)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (q->id >= shown[i].first && q->id <= shown[i].last &&
		    shown[i].profiles & 1u << profile)
			return true;
	return profile == PROFILE_ALL;
}

unsigned metric_bound(enum metric_profile profile)
{
	static const unsigned bounds[PROFILE_COUNT] = {
		[PROFILE_FINDINGS] = 10000, [PROFILE_LINKS] = 50000,
		[PROFILE_QUEUES] = 100000, [PROFILE_ALL] = 300000,
	};

	return bounds[profile];
}

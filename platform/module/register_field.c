#include "platform/module/register_field.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/cursor.h"
#include "platform/module/application.h"
#include "platform/module/coherent.h"
#include "platform/module/laser.h"
#include "platform/module/vdm_type.h"

#define OCTET_BITS 8u
#define RX_CONSTANTS 56		/* five floats, the highest power first */
#define RX_CONSTANT_COUNT 5
#define SLOPE_ONE 256
#define CHECKER_HOST 160	/* of 13h: a bit per lane */
#define CHECKER_MEDIA 168
#define CMIS_5_3 0x53		/* in 00h:1 */
#define REACH_FAR 137		/* of 01h */

struct form {
	uint8_t octets;
	bool is_signed;
};

static const struct form forms[FIELD_FORM_COUNT] = {
	[FIELD_U8] = { 1, false },
	[FIELD_S8] = { 1, true },
	[FIELD_REACH] = { 1, false },
	[FIELD_U16] = { 2, false },
	[FIELD_S16] = { 2, true },
	[FIELD_U32] = { 4, false },
	[FIELD_S32] = { 4, true },
	[FIELD_BITS] = { 0, false },
	[FIELD_BITS_ANY] = { 0, false },
	[FIELD_BITS_DOWN] = { 0, false },
	[FIELD_CENTI_DBM] = { 2, true },
	[FIELD_CHANNEL] = { 2, true },
	[FIELD_GRID] = { 1, false },
	[FIELD_GRIDS_END] = { 2, true },
	[FIELD_POWER_CLASS] = { 1, false },
	[FIELD_POWER_LEVEL] = { 1, false },
	[FIELD_SFP_CHANNEL] = { 2, false },
	[FIELD_SFP_END] = { 4, false },
	[FIELD_LOW_POWER] = { 1, false },
	[FIELD_F16] = { 2, false },
	[FIELD_U16_LOW] = { 2, false },
	[FIELD_HOSTS] = { 1, false },
	[FIELD_BANKS] = { 1, false },
};

static unsigned field_width(const struct register_field *f)
{
	if (forms[f->form].octets)
		return forms[f->form].octets * OCTET_BITS;
	return f->width ? f->width : 1;
}

static inline struct field_place place_of(const struct register_field *f,
					  unsigned lane, unsigned index)
{
	unsigned width = field_width(f), down = f->form == FIELD_BITS_DOWN;
	unsigned first = down ? OCTET_BITS - 1 - f->bit : f->bit;
	unsigned bit = f->byte * OCTET_BITS + first +
		       lane * (f->lane_step ? f->lane_step : width) +
		       index * (f->index_step ? f->index_step : width);
	unsigned octets = forms[f->form].octets;

	return (struct field_place){
		.octet = bit / OCTET_BITS,
		.shift = down ? OCTET_BITS - 1 - bit % OCTET_BITS :
				bit % OCTET_BITS,
		.octets = octets ? octets : 1,
	};
}

struct field_place field_place(const struct register_field *f, unsigned lane,
			       unsigned index)
{
	return place_of(f, lane, index);
}

/* Reads the raw number in its form. */
static int64_t raw_read(const struct register_field *f, const uint8_t *octets,
			const struct field_place *p)
{
	bool is_signed = forms[f->form].is_signed;
	struct cursor c;
	uint32_t raw;

	switch (p->octets) {
	case 4:
		c = cursor_of(octets, 4);
		raw = cursor_be32(&c);
		return is_signed ? (int32_t)raw : (int64_t)raw;
	case 2:
		raw = view_be16(octets);
		if (f->form == FIELD_U16_LOW)
			raw = (raw & 0xff) << 8 | raw >> 8;
		return is_signed ? (int16_t)raw : (int64_t)raw;
	default:
		raw = octets[0];
		if (forms[f->form].octets)
			return is_signed ? (int8_t)raw : (int64_t)raw;
		return raw >> p->shift & ((1u << field_width(f)) - 1);
	}
}

static bool octets_are(const uint8_t *octets, unsigned n, uint8_t what)
{
	for (unsigned i = 0; octets && i < n; i++) {
		if (octets[i] != what)
			return false;
	}
	return octets;
}

/* Why the raw value is implausible; READING_FAULT_COUNT: it is not. */
static enum reading_fault raw_judge(const struct register_field *f,
				    const struct view *v,
				    const uint8_t *octets, unsigned n,
				    int64_t raw)
{
	if ((f->judge & JUDGE_ONES) && octets_are(octets, n, 0xff))
		return FAULT_ALL_ONES;
	if ((f->judge & JUDGE_LEAST) && raw == INT16_MIN)
		return FAULT_LEAST;
	if (((f->judge & JUDGE_ZERO) && raw == 0) ||
	    ((f->judge & JUDGE_BLANK) &&
	     octets_are(view_octets(v, f->place, f->byte, f->blank), f->blank,
			0)))
		return FAULT_ZERO;
	if ((f->judge & JUDGE_CODE) &&
	    (raw < 0 || raw > 15 || !(f->codes >> raw & 1)))
		return FAULT_CODE;
	return READING_FAULT_COUNT;
}

static const char *const fault_words[READING_FAULT_COUNT] = {
	[FAULT_ALL_ONES] = "all ones, as on an undriven bus",
	[FAULT_LEAST] = "the least value of the register",
	[FAULT_ZERO] = "zero, which is impossible",
	[FAULT_CODE] = "a code that the standard does not have",
	[FAULT_RANGE] = "beyond what is possible",
	[FAULT_NOT_FINITE] = "not a number with these constants",
};

/* SFF-8636 00h:129: classes 1 to 4 in the top two bits, 5 to 7 in the lowest
 * two, 8 in bit 5.
 */
static int64_t power_class(int64_t raw)
{
	if (raw >> 5 & 1)
		return 8;
	return raw & 3 ? (raw & 3) + 4 : (raw >> 6) + 1;
}

/* SFF-8472 A0h:64: bits 6, 5 and 1 ask for levels 4, 3 and 2. */
static int64_t power_level(int64_t raw)
{
	if (raw >> 6 & 1)
		return 4;
	return raw >> 5 & 1 ? 3 : (raw >> 1 & 1) + 1;
}

int field_grid_octet(const struct register_field *f, unsigned octet)
{
	return f->form == FIELD_CHANNEL ? 128 + ((int)octet - f->byte) / 2 :
					  -ENOENT;
}

/* Slope u8.8, then offset s16. */
static const uint8_t lines[] = {
	[CALIBRATION_TX_BIAS] = 76,
	[CALIBRATION_TX_POWER] = 80,
	[CALIBRATION_TEMP] = 84,
	[CALIBRATION_VCC] = 88,
};

/* A big-endian float of IEEE 754, which C has on all machines of Petrel. */
static double float_read(struct cursor *c)
{
	uint32_t bits = cursor_be32(c);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

/* Below 0 it is dark: the polynomial is accurate only near measured values. */
static int rx_power(const uint8_t *constants, int64_t raw, int64_t mul,
		    int64_t *ret)
{
	struct cursor c = cursor_of(constants, RX_CONSTANT_COUNT * 4);
	double sum = 0;

	for (unsigned i = 0; i < RX_CONSTANT_COUNT; i++)
		sum = sum * (double)raw + float_read(&c);
	sum *= (double)mul;
	if (!isfinite(sum))
		return -EDOM;
	if (sum > (double)MODULE_LIGHT_MOST_PW)
		return -ERANGE;
	*ret = sum < 0 ? 0 : llround(sum);
	return 0;
}

/* Constants that are all zero were never written. */
static bool is_unset(const uint8_t *constants, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum |= constants[i];
	return !sum;
}

/* External calibration of SFPs: raw A/D counts and the module's constants give
 * the value. SFF-8472, A2h:56 to 91 (clause unread; ethtool sfpdiag.c). mul and
 * div scale the calibrated number to the quantity's unit. Rx power is the sum
 * of c[n] times the nth power of the count; the others are slope times count
 * plus offset, where the slope counts 1/256. A value below 0 becomes 0, except
 * for a temperature. Returns 0; -ENODATA: the constants were not read; -ERANGE:
 * they were never written, or the value is implausible; -EDOM: they are not
 * numbers.
 */
static int calibration_apply(const struct view *v, unsigned which, int64_t raw,
		      int64_t mul, int64_t div, int64_t *ret)
{
	bool is_rx = which == CALIBRATION_RX_POWER;
	unsigned len = is_rx ? RX_CONSTANT_COUNT * 4 : 4;
	const uint8_t *constants =
		view_octets(v, A2_LOWER, is_rx ? RX_CONSTANTS : lines[which],
			    len);
	struct cursor c;
	int64_t slope, offset, value;

	if (!constants || view_is_doubted(v, A2_LOWER, RX_CONSTANTS))
		return -ENODATA;
	if (is_unset(constants, is_rx ? len : 2))
		return -ERANGE;
	if (is_rx)
		return rx_power(constants, raw, mul, ret);
	c = cursor_of(constants, len);
	slope = cursor_be16(&c);
	offset = (int16_t)cursor_be16(&c);
	value = number_scale(raw * slope + offset * SLOPE_ONE, mul,
			     (div ? div : 1) * SLOPE_ONE);
	if (which == CALIBRATION_TX_POWER && value > MODULE_LIGHT_MOST_PW)
		return -ERANGE;
	*ret = value < 0 && which != CALIBRATION_TEMP ? 0 : value;
	return 0;
}

/* CMIS 01h:132, in metres by its top two bits. Their fourth code has no meaning
 * before CMIS 5.3; from then on the next bits are those of 01h:137.
 */
static int reach(const struct view *v, int64_t raw, int64_t *ret)
{
	static const int32_t units[] = { 100, 1000, 10000 };
	static const int32_t far_units[] = { 50000, 100000, 200000, 500000 };
	unsigned code = (unsigned)raw >> 6 & 3;
	int far = view_octet(v, LOWER, 1) < CMIS_5_3 ? -ENODATA :
		  view_octet(v, PAGE(0x01), REACH_FAR);

	if (code >= TABLE_COUNT(units) && far < 0)
		return -ENODATA;
	*ret = (raw & 0x3f) * (code < TABLE_COUNT(units) ?
			       units[code] : far_units[far >> 6 & 3]);
	return *ret ? 0 : -ENODATA;
}

/* The value; or -ENODATA, -ERANGE and -EDOM as calibration_apply(). */
static int raw_convert(const struct register_field *f, const struct view *v,
		       int grid, int64_t raw, int64_t *ret)
{
	int64_t mul = (f->mul ? f->mul : 1) *
		      (int64_t)(f->is_multiplied ? v->bias_multiplier : 1);

	switch (f->form) {
	case FIELD_CENTI_DBM:
		*ret = number_pw(raw * 10);
		return *ret > MODULE_LIGHT_MOST_PW ? -ERANGE : 0;
	case FIELD_CHANNEL:
		*ret = laser_channel_mhz((unsigned)grid >> 4, raw);
		return 0;
	case FIELD_GRID:
		if (raw >> 4 >= LASER_GRIDS)
			return -ENODATA;
		*ret = laser_grid_mhz((unsigned)raw >> 4);
		return 0;
	case FIELD_GRIDS_END:
		return laser_grids_end(v, f, ret);
	case FIELD_POWER_CLASS:
		*ret = power_class(raw);
		return 0;
	case FIELD_POWER_LEVEL:
		*ret = power_level(raw);
		return 0;
	case FIELD_SFP_CHANNEL:
		return laser_sfp_channel(v, f, raw, ret);
	case FIELD_SFP_END:
		return laser_sfp_end(v, f, ret);
	case FIELD_REACH:
		return reach(v, raw, ret);
	case FIELD_BITS_ANY:
		*ret = raw != 0;
		return 0;
	case FIELD_LOW_POWER:
		*ret = (raw & 3) == 3;
		return 0;
	case FIELD_BANKS:
		*ret = v->banks_unread;
		return *ret ? 0 : -ENODATA;
	case FIELD_F16:
		return vdm_f16_e18((unsigned)raw, ret) == QUALITY_IMPLAUSIBLE ?
		       -ERANGE : 0;
	default:
		break;
	}
	if (f->calibration != CALIBRATION_NONE && v->gates & GATE_EXTERNAL)
		return calibration_apply(v, f->calibration, raw, mul, f->div,
					 ret);
	*ret = f->is_inverted ? !raw : number_scale(raw + f->add, mul, f->div);
	return 0;
}

/* The fault of a value; READING_FAULT_COUNT: it is plausible. */
static enum reading_fault value_judge(const struct register_field *f,
				      int converted, int64_t value)
{
	if (converted == -EDOM)
		return FAULT_NOT_FINITE;
	if (converted < 0 ||
	    ((f->least || f->most) && (value < f->least || value > f->most)))
		return FAULT_RANGE;
	return READING_FAULT_COUNT;
}

static enum sample_quality quality_of(const struct register_field *f,
				      const struct view *v)
{
	if ((f->needs | f->unless) & (v->untold | v->doubted))
		return QUALITY_ESTIMATED;
	if (f->part == MODULE_MONITORS && v->standard != MODULE_CMIS &&
	    !(v->gates & GATE_READY))
		return QUALITY_STALE;
	return QUALITY_GOOD;
}

/* Are all indices of a lane 0? */
static bool is_blank(const struct register_field *f, const struct view *v,
		     unsigned place, unsigned lane)
{
	for (unsigned i = 0; f->count > 1 && i < f->count; i++) {
		struct field_place p = field_place(f, lane, i);

		if (!octets_are(view_octets(v, place, p.octet, p.octets),
				p.octets, 0))
			return false;
	}
	return true;
}

/* A field in one bank. */
struct bank_walk {
	const struct register_field *f;
	const struct view *v;
	const struct module_sink *sink;
	unsigned place;
	const uint8_t *page;	/* its octets, if all of them were read */
	bool is_guessed;
	unsigned told;		/* its first lane, as reported; 0: the module */
	enum sample_quality quality;
};

/* lane: as reported, 0 for the module. */
static void tell_implausible(const struct bank_walk *w,
			     const struct field_place *p, unsigned lane,
			     int64_t raw, enum reading_fault fault)
{
	const struct quantity_info *q = quantity_find(w->f->quantity);
	uint32_t mask = p->octets < 4 ? (1u << 8 * p->octets) - 1 : UINT32_MAX;
	char where[32], what[160], of[24] = "";

	view_where(w->v, w->place, p->octet, where, sizeof(where));
	if (lane)
		(void)snprintf(of, sizeof(of), " of lane %u", lane);
	(void)snprintf(what, sizeof(what), "%s%s reads 0x%0*x: %s",
		       q ? q->name : "register", of, (int)p->octets * 2,
		       (uint32_t)raw & mask, fault_words[fault]);
	w->sink->implausible(w->sink->context, &(struct module_doubt){
		fault, w->f->part, lane, where, what });
}

/* One element of a field: raw, converted, and its fault. */
struct element {
	struct field_place at;
	int64_t raw, value;
	enum reading_fault fault;	/* READING_FAULT_COUNT: none */
};

/* No errors were counted because nobody counted. Index 0 is the host's side. */
static bool is_unchecked(const struct bank_walk *w, unsigned lane)
{
	int on = view_octet(w->v, PLACE(place_bank(w->place), 0x13),
			    w->f->first ? CHECKER_MEDIA : CHECKER_HOST);

	return w->f->judge & JUDGE_CHECKER_OFF && (on < 0 || !(on >> lane & 1));
}

/* Lanes of the module, of which each bank has eight. */
static int64_t hosts_read(const struct bank_walk *w, unsigned lane)
{
	unsigned bank = place_bank(w->place);

	return (int64_t)application_hosts(w->v, bank, lane)
	       << bank * MODULE_BANK_LANES;
}

/* False: there is nothing to report. */
static bool element_read(const struct bank_walk *w, unsigned lane,
			 unsigned index, struct element *e)
{
	const struct register_field *f = w->f;
	struct field_place p = place_of(f, lane, index);
	const uint8_t *octets = w->page ?
		w->page + p.octet % MODULE_PAGE_LEN :
		view_octets(w->v, w->place, p.octet, p.octets);
	int grid = 0, rc = 0;

	if (f->told && !coherent_is_told(w->v, f->told, f->told_bit - index))
		return false;
	if (f->form == FIELD_CHANNEL)
		grid = view_octet(w->v, w->place,
				  (unsigned)field_grid_octet(f, p.octet));
	if (!octets || grid < 0 || grid >> 4 >= LASER_GRIDS ||
	    (w->v->has_doubt && view_is_doubted(w->v, w->place, p.octet)))
		return false;	/* a later CMIS has more grids */
	e->at = p;
	e->raw = f->form == FIELD_HOSTS ? hosts_read(w, lane) :
					  raw_read(f, octets, &p);
	if ((f->judge & JUDGE_ABSENT_ZERO || w->is_guessed) && e->raw == 0 &&
	    is_blank(f, w->v, w->place, lane))
		return false;
	if (e->raw == 0 && is_unchecked(w, lane))
		return false;
	e->fault = raw_judge(f, w->v, octets, p.octets, e->raw);
	if (e->fault == READING_FAULT_COUNT) {
		rc = raw_convert(f, w->v, grid, e->raw, &e->value);
		if (rc == -ENODATA)	/* its constants were not read */
			return false;
		e->fault = value_judge(f, rc, e->value);
	}
	return true;
}

static inline void element_tell(const struct bank_walk *w, unsigned lane,
				unsigned index, const struct element *e)
{
	if (e->fault != READING_FAULT_COUNT)
		tell_implausible(w, &e->at, w->told + lane, e->raw, e->fault);
	else
		w->sink->value(w->sink->context,
			       (enum quantity)w->f->quantity, w->told + lane,
			       w->f->first + index, e->value, w->quality);
}

enum { HIGH_ALARM, LOW_ALARM, HIGH_WARNING, LOW_WARNING };

/* True if both are present, and this one is above that one. */
static bool is_beyond(const int64_t *edge, unsigned have, unsigned this,
		      unsigned that)
{
	return have >> this & have >> that & 1 && edge[this] > edge[that];
}

/* True if both are present, and the high one is not above the low one. */
static bool is_swapped(const int64_t *edge, unsigned have, unsigned high)
{
	unsigned both = 3u << high;

	return (have & both) == both && edge[high] <= edge[high + 1];
}

unsigned edges_judge(const int64_t edge[static EDGES_COUNT], unsigned have,
		     const char **ret_why)
{
	*ret_why = NULL;
	/* ignore a pair that was not set */
	for (unsigned high = 0; high < EDGES_COUNT; high += 2) {
		if ((have >> high & 3) == 3 && !edge[high] && !edge[high + 1])
			have &= ~(3u << high);
	}
	if (is_swapped(edge, have, HIGH_ALARM)) {
		*ret_why = "the high alarm is not above the low one";
		return 0;
	}
	if (is_swapped(edge, have, HIGH_WARNING))
		*ret_why = "the high warning is not above the low one";
	else if (is_beyond(edge, have, HIGH_WARNING, HIGH_ALARM) ||
		 is_beyond(edge, have, LOW_ALARM, LOW_WARNING))
		*ret_why = "a warning is beyond its alarm";
	return *ret_why ? have & EDGES_ALARMS : have;
}

static void edges_doubt(const struct bank_walk *w, const struct element *e,
			const char *why)
{
	const struct quantity_info *q = quantity_find(w->f->quantity);
	char where[32], what[160];

	view_where(w->v, w->place, e->at.octet, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "%s: %s: not used", q ? q->name :
		       "thresholds", why);
	w->sink->implausible(w->sink->context, &(struct module_doubt){
		FAULT_RANGE, w->f->part, 0, where, what });
}

/* Four thresholds, each judged by the others. */
static void edges_decode(const struct bank_walk *w)
{
	struct element e[EDGES_COUNT];
	int64_t edge[EDGES_COUNT] = { 0 };
	unsigned read = 0, have = 0, good;
	const char *why;

	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		if (!element_read(w, 0, i, &e[i]))
			continue;
		read |= 1u << i;
		have |= (unsigned)(e[i].fault == READING_FAULT_COUNT) << i;
		edge[i] = e[i].value;
	}
	good = edges_judge(edge, have, &why);
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		if (read & ~have & 1u << i || good & 1u << i)
			element_tell(w, 0, i, &e[i]);
	}
	if (why)
		edges_doubt(w, &e[have & EDGES_ALARMS & good ? HIGH_WARNING :
							    HIGH_ALARM], why);
}

/* Most of a module's registers are bits of which any value is valid. */
static bool is_plain(const struct bank_walk *w)
{
	const struct register_field *f = w->f;

	return f->form == FIELD_BITS && !f->judge && !f->mul && w->page &&
	       !w->is_guessed && !w->v->has_doubt;
}

static void plain_decode(const struct bank_walk *w, uint32_t lanes)
{
	const struct register_field *f = w->f;
	unsigned width = f->width ? f->width : 1;
	unsigned count = f->count ? f->count : 1;
	unsigned lane_step = f->lane_step ? f->lane_step : width;
	unsigned index_step = f->index_step ? f->index_step : width;
	unsigned mask = (1u << width) - 1;

	for (unsigned lane = 0; lanes >> lane; lane++) {
		unsigned bit = f->byte % MODULE_PAGE_LEN * OCTET_BITS +
			       f->bit + lane * lane_step;

		if (!(lanes >> lane & 1))
			continue;
		for (unsigned i = 0; i < count; i++, bit += index_step) {
			unsigned raw = w->page[bit / OCTET_BITS] >>
				       bit % OCTET_BITS & mask;

			w->sink->value(w->sink->context,
				       (enum quantity)f->quantity,
				       w->told + lane, f->first + i,
				       f->is_inverted ? !raw :
				       (int64_t)raw + f->add, w->quality);
		}
	}
}

static void bank_decode(const struct bank_walk *w)
{
	const struct register_field *f = w->f;
	uint32_t lanes = f->is_host_lane ? w->v->host_lanes :
					   w->v->media_lanes;
	unsigned count = f->lanes ? f->lanes : 1;
	struct element e;

	if (f->part == MODULE_THRESHOLDS && f->count == EDGES_COUNT) {
		edges_decode(w);
		return;
	}
	if (is_plain(w)) {
		plain_decode(w, f->lanes ? lanes & ((1u << f->lanes) - 1) : 1);
		return;
	}
	for (unsigned lane = 0; lane < count; lane++) {
		if (f->lanes && !(lanes >> lane & 1))
			continue;
		for (unsigned i = 0; i < (f->count ? f->count : 1); i++)
			if (element_read(w, lane, i, &e))
				element_tell(w, lane, i, &e);
	}
}

void field_decode(const struct register_field *f, const struct view *v,
		  const struct module_sink *sink)
{
	unsigned banks = f->lanes && v->standard == MODULE_CMIS ? v->banks : 1;
	struct bank_walk w = { .f = f, .v = v, .sink = sink };

	if (!field_is_open(f, v)) {
		w.is_guessed = v->untold && field_is_guessed(f, v);
		if (!w.is_guessed)
			return;
	}
	w.quality = quality_of(f, v);
	for (unsigned bank = 0; bank < banks; bank++) {
		w.place = f->place + PLACE(bank, 0);
		w.told = f->lanes ? bank * MODULE_BANK_LANES + 1 : 0;
		w.page = view_octets(v, w.place, 0, MODULE_PAGE_LEN);
		bank_decode(&w);
	}
}

enum field_presence field_presence(const struct register_field *f,
				   const struct view *v)
{
	uint32_t lanes = f->is_host_lane ? v->host_lanes : v->media_lanes;
	bool is_open = field_is_open(f, v);
	struct field_place p;

	if (!is_open && (v->gates & f->unless ||
			 f->needs & ~v->gates & ~v->untold))
		return FIELD_UNSUPPORTED;
	if (f->told && !coherent_is_told(v, f->told, f->told_bit))
		return FIELD_UNSUPPORTED;
	if (view_is_flat(v) && f->place != LOWER && f->place != PAGE(0x00))
		return FIELD_UNSUPPORTED;
	p = field_place(f, f->lanes && lanes ?
			(unsigned)__builtin_ctz(lanes) : 0, 0);
	if (view_is_lost(v, f->place, p.octet) ||
	    view_is_doubted(v, f->place, p.octet))
		return FIELD_DOUBTED;
	if (!view_octets(v, f->place, p.octet, p.octets))
		return FIELD_UNREAD;
	return is_open ? FIELD_PRESENT : FIELD_UNTOLD;
}

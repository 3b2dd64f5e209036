#include "platform/sonic/meaning/field.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/hash.h"
#include "petrel/module.h"
#include "platform/sonic/meaning/text.h"

#define FAN_PERCENT_MAX 200
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SHARE_MAX INT64_C(1000000000000000000)	/* of frames */
#define EDGES 4		/* of a flag: high alarm, low alarm, and warnings */
#define RATIO_MAX (SHARE_MAX / 2)		/* of wrong bits */
#define HEAT_LEAST_MC (-100000)	/* beyond these a sensor is not read: -127, */
#define HEAT_MOST_MC 250000	/* 255 and 65535 degrees are codes */

/* The last octets of a name distinguish best; SAI's names begin alike. */
static unsigned name_slot(const char *name, size_t len)
{
	uint64_t head = 0, tail = 0, hash;

	if (len >= sizeof(head)) {
		memcpy(&tail, name + len - sizeof(tail), sizeof(tail));
		memcpy(&head, name + (len - sizeof(head)) / 2, sizeof(head));
	} else {
		memcpy(&head, name, len);
	}
	hash = (head ^ len) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ (hash >> 29) ^ tail) * UINT64_C(0xbf58476d1ce4e5b9);
	return (unsigned)(hash >> 40);
}

/* The index + 1 of an earlier field for the same quantity, with the name of
 * another release; 0 if there is none.
 */
static unsigned other_name(const struct field_index *x, unsigned which)
{
	const struct field *f = &x->fields[which];
	uint16_t quantity = field_quantity(x, f);

	for (unsigned i = which; quantity != 0 && i-- > 0;) {
		const struct field *o = &x->fields[i];

		if (o->part == f->part && field_quantity(x, o) == quantity &&
		    field_number(x, o) == field_number(x, f))
			return i + 1;
	}
	return 0;
}

/* One block of memory, as large as the table needs. A reply has more fields
 * than the table.
 */
static int index_take(struct field_index *x)
{
	size_t octets;

	x->places = 4 * x->count + 32 < FIELDS_MAX ? 4 * x->count + 32 :
						     FIELDS_MAX;
	x->slots = 16;
	while (x->slots < 2 * x->count)
		x->slots *= 2;
	octets = (x->slots + x->places + x->count) * sizeof(*x->slot) +
		 x->count * sizeof(*x->len);
	x->slot = calloc(1, octets);
	if (!x->slot)
		return -ENOMEM;
	x->seen = x->slot + x->slots;
	x->other = x->seen + x->places;
	x->len = (uint8_t *)(x->other + x->count);
	return 0;
}

int field_index_init(struct field_index *x, const struct fields *fields)
{
	assert(fields->count <= FIELDS_MAX);
	memset(x, 0, sizeof(*x));
	x->fields = fields->list;
	x->count = fields->count;
	x->facet = fields->facet;
	x->edge = fields->edge;
	x->shift = fields->shift;
	if (index_take(x) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < x->count; i++) {
		size_t len = strlen(x->fields[i].name);
		unsigned slot = name_slot(x->fields[i].name, len) &
				(x->slots - 1);

		assert(len <= UINT8_MAX);
		x->len[i] = (uint8_t)len;
		x->other[i] = (uint16_t)other_name(x, i);
		if (len == 0)
			continue;
		while (x->slot[slot])
			slot = (slot + 1) & (x->slots - 1);
		x->slot[slot] = (uint16_t)(i + 1);
	}
	return 0;
}

void field_index_fini(struct field_index *x)
{
	free(x->slot);
	memset(x, 0, sizeof(*x));
}

static bool field_is(const struct field_index *x, unsigned which,
		     const char *name, size_t len)
{
	return x->len[which] == len &&
	       memcmp(x->fields[which].name, name, len) == 0;
}

int field_find(struct field_index *x, const char *name, size_t len,
	       unsigned position)
{
	unsigned slot;

	if (position < x->places && x->seen[position] &&
	    field_is(x, x->seen[position] - 1u, name, len))
		return x->seen[position] - 1;
	slot = name_slot(name, len) & (x->slots - 1);
	for (; x->slot[slot]; slot = (slot + 1) & (x->slots - 1)) {
		unsigned which = x->slot[slot] - 1u;

		if (!field_is(x, which, name, len))
			continue;
		if (position < x->places)
			x->seen[position] = (uint16_t)(which + 1);
		return (int)which;
	}
	return -1;
}

/* What a facet changes in the fields. */
static const struct {
	int shift;		/* of quantities, in the same order */
	uint8_t form;		/* replaces the field's own if has_form */
	bool has_form, has_edge;	/* the index is the table's edge */
	uint8_t first;		/* added to the index */
} facets[] = {
	[FACET_CHANGES] = { Q_MODULE_TEMP_FLAG_CHANGES - Q_MODULE_TEMP_FLAG,
			    FIELD_COUNTER, true },
	[FACET_SET_TIMES] = { Q_MODULE_TEMP_FLAG_TIME_MS - Q_MODULE_TEMP_FLAG,
			      FIELD_UTC, true },
	[FACET_CLEAR_TIMES] = { Q_MODULE_TEMP_FLAG_TIME_MS - Q_MODULE_TEMP_FLAG,
				FIELD_UTC, true, .first = EDGES },
	[FACET_VDM_VALUES] = { Q_VDM_LASER_AGE_PPM - Q_VDM_LASER_AGE_FLAG },
	[FACET_VDM_THRESHOLDS] = { Q_VDM_LASER_AGE_THRESHOLD_PPM -
				   Q_VDM_LASER_AGE_FLAG, .has_edge = true },
	[FACET_VDM_FLAGS] = { 0, FIELD_BOOL, true, true },
	[FACET_VDM_CHANGES] = { Q_VDM_LASER_AGE_FLAG_CHANGES -
				Q_VDM_LASER_AGE_FLAG,
				FIELD_COUNTER, true, true },
	[FACET_VDM_SET_TIMES] = { 0, FIELD_UTC, true, true },
	[FACET_VDM_CLEAR_TIMES] = { 0, FIELD_UTC, true, true, EDGES },
};

/* Quantities older than that order. */
static const struct {
	uint16_t quantity, is;
	uint8_t facet;
} elders[] = {
	{ Q_LANE_RX_LOS, Q_LANE_RX_LOS_CHANGES, FACET_CHANGES },
	{ Q_LANE_RX_LOS, Q_LANE_RX_LOS_TIME_MS, FACET_SET_TIMES },
	{ Q_LANE_RX_LOS, Q_LANE_RX_LOS_TIME_MS, FACET_CLEAR_TIMES },
	{ Q_LANE_TX_FAULT, Q_LANE_TX_FAULT_CHANGES, FACET_CHANGES },
	{ Q_LANE_TX_FAULT, Q_LANE_TX_FAULT_TIME_MS, FACET_SET_TIMES },
	{ Q_LANE_TX_FAULT, Q_LANE_TX_FAULT_TIME_MS, FACET_CLEAR_TIMES },
	{ Q_VDM_SNR_FLAG, Q_LANE_SNR_MDB, FACET_VDM_VALUES },
	{ Q_VDM_PRE_FEC_BER_FLAG, Q_LANE_PRE_FEC_BER_E18, FACET_VDM_VALUES },
};

/* The times of all VDM observables are indices of one quantity. */
static bool is_of_vdm_times(const struct field_index *x)
{
	return x->facet == FACET_VDM_SET_TIMES ||
	       x->facet == FACET_VDM_CLEAR_TIMES;
}

uint16_t field_quantity(const struct field_index *x, const struct field *f)
{
	if (is_of_vdm_times(x))
		return Q_VDM_FLAG_TIME_MS;
	for (size_t i = 0; x->facet && i < COUNT(elders); i++)
		if (elders[i].facet == x->facet &&
		    elders[i].quantity == f->quantity)
			return elders[i].is;
	return (uint16_t)(f->quantity + facets[x->facet].shift + x->shift);
}

unsigned field_number(const struct field_index *x, const struct field *f)
{
	unsigned type = f->quantity - (unsigned)Q_VDM_LASER_AGE_FLAG + 1;
	unsigned first = facets[x->facet].first;

	if (is_of_vdm_times(x))
		first += 2 * EDGES * type;
	return first + (facets[x->facet].has_edge ? x->edge : f->index);
}

/* The form of the text: counts of changes, flags and times replace that of the
 * fields.
 */
static enum field_form form_of(const struct field_index *x,
			       const struct field *f)
{
	return (enum field_form)(f->form != FIELD_TEXT &&
				 facets[x->facet].has_form ?
				 facets[x->facet].form : f->form);
}

void row_clear(struct row *r)
{
	memset(r->present, 0, sizeof(r->present));
	memset(r->doubted, 0, sizeof(r->doubted));
	memset(r->fault, 0, sizeof(r->fault));
	if (r->texts)
		for (unsigned i = 0; i < FIELD_TEXTS_MAX; i++)
			r->text[i][0] = '\0';
	r->long_text[0] = '\0';
	r->values = r->texts = r->bad = 0;
	r->bad_field = NULL;
}

static int utc_parse(const char *text, size_t len, int64_t *ret_ms)
{
	int64_t at_s;
	int rc = text_utc(text, len, &at_s);

	if (rc == 0)
		*ret_ms = 1000 * at_s;
	return rc;
}

static int value_parse(const struct field *f, enum field_form form,
		       const char *text, size_t len, int64_t *ret)
{
	switch (form) {
	case FIELD_COUNTER:
		return text_counter(text, len, ret);
	case FIELD_SCALED:
	case FIELD_RATIO:
	case FIELD_SHARE:
	case FIELD_HEAT:
	case FIELD_FAN:
		return text_number(text, len, f->scale, ret);
	case FIELD_DBM:
		return text_dbm(text, len, ret);
	case FIELD_BOOL:
		return text_bool(text, len, ret);
	case FIELD_UTC:
		return utc_parse(text, len, ret);
	case FIELD_WORD:
		return words_parse((enum words)f->scale, text, len, ret);
	case FIELD_LANES:
	case FIELD_SENTENCE:
	case FIELD_TEXT:
	case FIELD_LONG_TEXT:
		break;
	}
	return -EINVAL;
}

int field_parse(const struct field *f, const char *text, int64_t *ret)
{
	return value_parse(f, (enum field_form)f->form, text, strlen(text),
			   ret);
}

static void row_take_text(struct row *r, char *to, size_t cap,
			  const char *text, size_t len)
{
	text_copy(to, cap, text, len);
	r->texts += to[0] != '\0';
}

void row_set(struct row *r, unsigned which, int64_t value)
{
	r->values += !row_has(r, which);
	r->present[which / 64] |= UINT64_C(1) << (which % 64);
	r->value[which] = value;
}

/* A list fills its own field and the nameless ones after it: LANES_MAX values,
 * then as many counts.
 */
static int row_take_lanes(struct row *r, const struct field_index *x,
			  unsigned which, const char *text, size_t len)
{
	struct lanes lanes;
	int rc = lanes_parse((enum lanes_kind)x->fields[which].scale, text,
			     len, &lanes);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < LANES_MAX; i++) {
		if (!(lanes.present >> i & 1))
			continue;
		row_set(r, which + i, lanes.value[i]);
		if (lanes.counts)
			row_set(r, which + LANES_MAX + i,
				       lanes.count[i]);
	}
	return 0;
}

/* Some platforms give revolutions a minute where SONiC has percent: no fan
 * turns more than twice as fast as it can, and none at less than 200 a minute.
 */
static int row_take_fan(struct row *r, const struct field_index *x,
			unsigned which, int64_t value)
{
	int64_t percent = (int64_t)x->fields[which].scale;
	bool has_next = which + 1 < x->count && !x->fields[which + 1].name[0];

	if (value < 0)
		return -ERANGE;		/* what drivers return for an error */
	if (value <= FAN_PERCENT_MAX * percent)
		row_set(r, which, value);
	else if (has_next)
		row_set(r, which + 1, value / percent);
	return 0;
}

/* Judges a text that is not the expected number or word. */
static void row_doubt(struct row *r, unsigned which, const struct field *f,
		      int rc, const char *text, size_t len)
{
	enum reading_fault fault = FAULT_CODE;

	if (f->part >= ROW_PARTS_MAX)
		return;
	if (rc == -EINVAL && f->form == FIELD_WORD)
		return;		/* of a later release: not known here */
	if (rc == -ENODATA) {
		if (!text_is_not_finite(text, len))
			return;		/* stated to be absent */
		fault = FAULT_NOT_FINITE;
	} else if (rc == -ERANGE) {
		fault = FAULT_RANGE;
	}
	r->doubted[which / 64] |= UINT64_C(1) << (which % 64);
	r->fault[f->part] |= (uint16_t)(1u << fault);
}

void row_complain(struct row *r, const struct field *f, const char *text,
		  size_t len)
{
	if (r->bad++ > 0)
		return;
	r->bad_field = f;
	clean_octets(r->bad_text, sizeof(r->bad_text), text, len);
}

void row_take(struct row *r, const struct field_index *x, unsigned which,
	      const char *text, size_t len)
{
	const struct field *f = &x->fields[which];
	enum field_form form = form_of(x, f);
	int64_t value;
	int rc;

	if (form == FIELD_LONG_TEXT) {
		row_take_text(r, r->long_text, sizeof(r->long_text), text, len);
		return;
	}
	if (form == FIELD_TEXT || form == FIELD_SENTENCE) {
		char *to = r->text[form == FIELD_TEXT ? f->index : f->scale];

		row_take_text(r, to, sizeof(r->text[0]), text, len);
		if (form == FIELD_SENTENCE)
			row_set(r, which, to[0] != '\0');
		return;
	}
	if (form == FIELD_LANES) {
		rc = row_take_lanes(r, x, which, text, len);
	} else {
		rc = value_parse(f, form, text, len, &value);
		if (rc == 0 && form == FIELD_FAN)
			rc = row_take_fan(r, x, which, value);
		else if (rc == 0)
			row_set(r, which, value);
	}
	if (rc < 0)
		row_doubt(r, which, f, rc, text, len);
	if (rc < 0 && rc != -ENODATA)
		row_complain(r, f, text, len);
}

void row_drop(struct row *r, unsigned which)
{
	r->values--;
	r->present[which / 64] &= ~(UINT64_C(1) << (which % 64));
}

void row_refuse(struct row *r, unsigned which, const struct field *why,
		const char *text)
{
	row_drop(r, which);
	row_complain(r, why, text, strlen(text));
}

bool row_value(const struct row *r, const struct field_index *x,
	       enum quantity quantity, int64_t *ret)
{
	for (unsigned i = 0; i < x->count && x->fields[i].part == 0; i++) {
		if (!row_has(r, i) ||
		    field_quantity(x, &x->fields[i]) != quantity)
			continue;
		*ret = r->value[i];
		return true;
	}
	return false;
}

void row_attributes(const struct row *r, const struct field_index *x,
		    const struct platform_host *host, uint32_t handle,
		    bool even_empty)
{
	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];

		if (f->form == FIELD_TEXT && f->scale > 0 &&
		    (even_empty || r->text[f->index][0]))
			host->attribute(host->context, handle,
					(enum attribute)(f->scale - 1),
					r->text[f->index]);
	}
}

uint64_t row_hash(const struct row *r, const struct field_index *x)
{
	uint64_t hash = hash_octets(0, r->present, sizeof(r->present));

	for (unsigned i = 0; i < x->count; i++)
		if (row_has(r, i))
			hash = hash_octets(hash, &r->value[i],
					 sizeof(r->value[i]));
	return hash;
}

/* A ratio of wrong bits is at most one half, one of frames at most 1; 1e18 and
 * half of it are exact.
 */
bool field_is_beyond(const struct field *f, int64_t value)
{
	if (f->form == FIELD_HEAT)
		return value < HEAT_LEAST_MC || value > HEAT_MOST_MC;
	if (f->form != FIELD_RATIO && f->form != FIELD_SHARE)
		return false;
	return value < 0 ||
	       value > (f->form == FIELD_RATIO ? RATIO_MAX : SHARE_MAX);
}

/* Light and ratios have a resolution limit: 0 means below it. */
static enum sample_quality value_quality(const struct row_target *to,
					 const struct field *f,
					 enum field_form form, int64_t value)
{
	if (to->quality != QUALITY_GOOD ||
	    (form != FIELD_DBM && form != FIELD_RATIO && form != FIELD_SHARE &&
	     form != FIELD_HEAT))
		return to->quality;
	if (value == 0 && form != FIELD_HEAT)
		return QUALITY_BELOW_RESOLUTION;
	return field_is_beyond(f, value) ? QUALITY_IMPLAUSIBLE : QUALITY_GOOD;
}

/* The next field with a value or fault, from i on; count if there is none. */
static unsigned row_next(const struct row *r, const struct row_target *to,
			 unsigned i, unsigned count)
{
	while (i < count) {
		uint64_t all = r->present[i / 64] |
			       (to->judged ? r->doubted[i / 64] : 0);
		uint64_t rest = all >> (i % 64);

		if (rest)
			return i + (unsigned)__builtin_ctzll(rest);
		i = (i / 64 + 1) * 64;
	}
	return count;
}

/* Was it given under another of its names? */
static bool is_said(const struct row *r, const struct field_index *x,
		    unsigned which)
{
	for (unsigned i = x->other[which]; i > 0; i = x->other[i - 1])
		if (row_has(r, i - 1))
			return true;
	return false;
}

/* The faults of a part come before its values. */
static void faults_emit(const struct row_target *to, unsigned part)
{
	if (to->judged && part < ROW_PARTS_MAX)
		to->host->sample(to->host->context, part ?
				 Q_LANE_READING_FAULTS :
				 Q_MODULE_READING_FAULTS, to->judged_index,
				 to->judged->fault[part], QUALITY_GOOD);
}

static bool is_left_out(const struct row *r, const struct row_target *to,
			unsigned which)
{
	return !row_has(r, which) ||
	       (to->judged &&
		to->judged->without[which / 64] >> (which % 64) & 1);
}

static uint32_t part_open(const struct row_target *to, unsigned part)
{
	uint32_t entity = to->entity(to->context, part);

	if (entity == ENTITY_NONE)
		return entity;
	to->host->group(to->host->context, to->source, entity, &to->age);
	faults_emit(to, part);
	return entity;
}

/* A part that had values before and has none now gets an empty reading. */
static void parts_end(const struct row_target *to, uint64_t now)
{
	uint64_t went = to->parts ? *to->parts & ~now : 0;

	for (; went; went &= went - 1)
		(void)part_open(to, (unsigned)__builtin_ctzll(went));
	if (to->parts)
		*to->parts = now;
}

unsigned row_emit(const struct row *r, const struct field_index *x,
		  const struct row_target *to)
{
	unsigned part = UINT8_MAX + 1, given = 0;
	uint32_t entity = ENTITY_NONE;
	uint64_t parts = 0;

	for (unsigned i = row_next(r, to, 0, x->count); i < x->count;
	     i = row_next(r, to, i + 1, x->count)) {
		const struct field *f = &x->fields[i];

		if (f->part != part) {
			part = f->part;
			entity = part_open(to, part);
			parts |= UINT64_C(1) << part % 64;
		}
		if (entity == ENTITY_NONE || is_left_out(r, to, i) ||
		    is_said(r, x, i))
			continue;
		to->host->sample(to->host->context,
				 (enum quantity)field_quantity(x, f),
				 field_number(x, f), r->value[i],
				 value_quality(to, f, form_of(x, f),
					       r->value[i]));
		given++;
	}
	parts_end(to, parts);
	return given;
}

/* --- implausible values --------------------------------------------------- */

/* Values that xcvrd prints for registers whose octets are all ones or 0x8000,
 * rounded as it rounds them; and limits that no working module exceeds. The
 * first matching row counts.
 */
static const struct limit {
	uint16_t quantity;
	uint8_t fault;
	int64_t from, to;
} limits[] = {
	/* 0xffff is -1/256 degrees; 0x8000 is -128 */
	{ Q_MODULE_TEMP_MC, FAULT_ALL_ONES, -4, -3 },
	{ Q_MODULE_TEMP_MC, FAULT_LEAST, -128000, -128000 },
	{ Q_MODULE_TEMP_MC, FAULT_RANGE, INT64_MIN, MODULE_HEAT_LEAST_MC - 1 },
	{ Q_MODULE_TEMP_MC, FAULT_RANGE, MODULE_HEAT_MOST_MC + 1, INT64_MAX },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_ALL_ONES, -4, -3 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_LEAST, -128000, -128000 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_RANGE, INT64_MIN,
	  MODULE_HEAT_LEAST_MC - 1 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_RANGE, MODULE_HEAT_MOST_MC + 1,
	  INT64_MAX },
	/* 6.5535 V, with any number of digits */
	{ Q_MODULE_VCC_UV, FAULT_ALL_ONES, 6553000, 6554000 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, INT64_MIN, -1 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, 1, MODULE_SUPPLY_LEAST_UV - 1 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, MODULE_SUPPLY_MOST_UV + 1, INT64_MAX },
	/* 6.5535 mW, which is 8.165 dBm */
	{ Q_LANE_RX_POWER_PW, FAULT_ALL_ONES, 6552000000, 6555000000 },
	{ Q_LANE_TX_POWER_PW, FAULT_ALL_ONES, 6552000000, 6555000000 },
	/* 131.07 mA, once, twice and four times */
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 131070, 131070 },
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 262140, 262140 },
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 524280, 524280 },
	/* 0xffff / 256 dB */
	{ Q_LANE_SNR_MDB, FAULT_ALL_ONES, 255996, 255996 },
	{ Q_VDM_HOST_SNR_MDB, FAULT_ALL_ONES, 255996, 255996 },
};

static enum reading_fault value_judge(const struct field *f,
				      uint16_t quantity, int64_t value)
{
	if (field_is_beyond(f, value))
		return FAULT_RANGE;
	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i].quantity == quantity &&
		    value >= limits[i].from && value <= limits[i].to)
			return (enum reading_fault)limits[i].fault;
	return READING_FAULT_COUNT;
}

void judge_row(const struct row *r, const struct field_index *x,
	       bool is_reading, struct judged *ret)
{
	memset(ret->without, 0, sizeof(ret->without));
	memcpy(ret->fault, r->fault, sizeof(ret->fault));
	for (unsigned i = 0; is_reading && i < x->count; i++) {
		const struct field *f = &x->fields[i];
		enum reading_fault fault;

		if (!row_has(r, i) || f->part >= ROW_PARTS_MAX)
			continue;
		fault = value_judge(f, field_quantity(x, f), r->value[i]);
		if (fault == READING_FAULT_COUNT)
			continue;
		ret->fault[f->part] |= (uint16_t)(1u << fault);
		ret->without[i / 64] |= UINT64_C(1) << (i % 64);
	}
	if (!is_reading)
		for (unsigned part = 0; part < ROW_PARTS_MAX; part++)
			ret->fault[part] &= (uint16_t)~(1u << FAULT_RANGE);
	for (unsigned part = 1; part < ROW_PARTS_MAX; part++)
		ret->fault[0] |= ret->fault[part];
}

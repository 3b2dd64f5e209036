#include "agent/signature/kept.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define VARINT_MOST 10
#define SPAN_MOST_NS 1e15	/* eleven days */
#define REAL_MOST 1e7		/* of what has no bound of its own */
#define ROUNDED 1e-6		/* a float may be off by so much */
#define AGE_MOST_NS (INT64_C(1) << 61)
#define AHEAD_MOST_NS (86400 * NS_PER_S)	/* times in the future */
#define COUNT_MOST 4096u
#define TIME_NEVER 0		/* as it is written */
#define TIME_ZERO 1
#define TIME_AGES 2

static void each(const struct kept *t, const struct kept_at *of,
		 kept_each_fn *fn, void *context)
{
	for (size_t i = 0; i < t->fields; i++) {
		const struct kept_field *f = &t->field[i];
		struct kept_at at = { .field = f, .of = of, .count = f->count,
				      .offset = f->offset, .stride = f->width };

		if (f->kind == KEPT_NOT)
			continue;
		if (of) {
			/* A shape can describe one array in a path. */
			assert(of->count == 1 || f->count == 1);
			at.offset += of->offset;
			at.count *= of->count;
			at.stride = of->count > 1 ? of->stride : f->width;
		}
		if (f->kind == KEPT_PART)
			each(f->part, &at, fn, context);
		else
			fn(context, &at);
	}
}

void kept_each(const struct kept *t, kept_each_fn *fn, void *context)
{
	each(t, NULL, fn, context);
}

void kept_path(const struct kept_at *at, char ret[static KEPT_PATH_MAX])
{
	size_t at_char = KEPT_PATH_MAX - 1;

	ret[at_char] = '\0';
	for (; at; at = at->of) {
		size_t len = strlen(at->field->name);

		assert(len < at_char);
		if (ret[at_char])
			ret[--at_char] = '.';
		at_char -= len;
		memcpy(ret + at_char, at->field->name, len);
	}
	memmove(ret, ret + at_char, KEPT_PATH_MAX - at_char);
}

static void shape_most_add(void *context, const struct kept_at *at)
{
	char path[KEPT_PATH_MAX];
	size_t *most = context;

	kept_path(at, path);
	*most += 1 + strlen(path) + 1 + VARINT_MOST;
}

size_t kept_shape_most(const struct kept *t)
{
	size_t most = VARINT_MOST;

	kept_each(t, shape_most_add, &most);
	return most;
}

static void row_most_add(void *context, const struct kept_at *at)
{
	size_t one = at->field->kind == KEPT_TEXT ? 1u + at->field->width
						  : VARINT_MOST;

	*(size_t *)context += at->count * one;
}

size_t kept_row_most(const struct kept *t)
{
	size_t most = 0;

	kept_each(t, row_most_add, &most);
	return most;
}

static void count_one(void *context, const struct kept_at *at)
{
	(void)at;
	++*(size_t *)context;
}

static void shape_write_one(void *context, const struct kept_at *at)
{
	struct writer *w = context;
	char path[KEPT_PATH_MAX];

	kept_path(at, path);
	writer_u8(w, (uint8_t)strlen(path));
	writer_bytes(w, path, strlen(path));
	writer_u8(w, (uint8_t)at->field->kind);
	writer_varint(w, at->count);
}

void kept_shape_write(struct writer *w, const struct kept *t)
{
	size_t n = 0;

	kept_each(t, count_one, &n);
	writer_varint(w, n);
	kept_each(t, shape_write_one, w);
}

static uint64_t unsigned_get(const char *at, unsigned width)
{
	uint64_t value = 0;
	uint32_t four;
	uint16_t two;

	switch (width) {
	case 1:
		return (uint8_t)*at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return two;
	case 4:
		memcpy(&four, at, sizeof(four));
		return four;
	default:
		assert(width == sizeof(value));
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

static void unsigned_put(char *at, unsigned width, uint64_t value)
{
	uint8_t one = (uint8_t)value;
	uint16_t two = (uint16_t)value;
	uint32_t four = (uint32_t)value;

	switch (width) {
	case 1:
		memcpy(at, &one, sizeof(one));
		break;
	case 2:
		memcpy(at, &two, sizeof(two));
		break;
	case 4:
		memcpy(at, &four, sizeof(four));
		break;
	default:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

static void age_write(struct writer *w, int64_t t, struct mono now)
{
	int64_t age = AGE_MOST_NS;

	if (t == INT64_MIN) {
		writer_varint(w, TIME_NEVER);
		return;
	}
	if (t == 0) {
		writer_varint(w, TIME_ZERO);
		return;
	}
	if (t > now.ns - AGE_MOST_NS)
		age = now.ns - t;
	writer_varint(w, ((uint64_t)age << 1 ^ -(uint64_t)(age < 0)) +
			 TIME_AGES);
}

/* Clamps a value to its bounds, so that it can be read back. */
static double real_held(const struct kept_field *f, double value)
{
	double most = f->most > 0 ? f->most : REAL_MOST;

	if (isnan(value))
		return f->may_lack ? value : 0;
	return fmax(fmin(value, most), -most);
}

static void float_write(struct writer *w, const struct kept_field *f,
			const char *from)
{
	uint32_t bits;
	float value;

	memcpy(&value, from, sizeof(value));
	value = (float)real_held(f, (double)value);
	memcpy(&bits, &value, sizeof(bits));
	writer_be32(w, bits);
}

static void number_write(struct writer *w, const struct kept_field *f,
			 const char *from)
{
	uint64_t bits;
	double value;

	memcpy(&value, from, sizeof(value));
	value = real_held(f, value);
	memcpy(&bits, &value, sizeof(bits));
	writer_be64(w, bits);
}

static void span_write(struct writer *w, const struct kept_field *f,
		       int64_t ns)
{
	int64_t most = f->kind == KEPT_WALL ? AGE_MOST_NS :
		       f->most > 0 ? INT64_MAX : (int64_t)SPAN_MOST_NS;

	writer_varint(w, (uint64_t)(ns < 0 ? 0 : ns < most ? ns : most));
}

static void value_write(struct writer *w, const struct kept_field *f,
			const char *from, struct mono now)
{
	int64_t ns = 0;
	size_t len;

	switch (f->kind) {
	case KEPT_UNSIGNED:
		writer_varint(w, unsigned_get(from, f->width));
		break;
	case KEPT_FLOAT:
		float_write(w, f, from);
		break;
	case KEPT_NUMBER:
		number_write(w, f, from);
		break;
	case KEPT_TEXT:
		len = strnlen(from, f->width - 1u);
		writer_u8(w, (uint8_t)len);
		writer_bytes(w, from, len);
		break;
	default:
		memcpy(&ns, from, sizeof(ns));
		if (f->kind == KEPT_TIME || f->kind == KEPT_LOOK)
			age_write(w, ns, now);
		else
			span_write(w, f, ns);
	}
}

struct row_writer {
	struct writer *w;
	const char *from;
	struct mono now;
};

static void row_write_one(void *context, const struct kept_at *at)
{
	const struct row_writer *r = context;

	for (unsigned i = 0; i < at->count; i++)
		value_write(r->w, at->field,
			    r->from + at->offset + i * at->stride, r->now);
}

void kept_row_write(struct writer *w, const struct kept *t, const void *from,
		    struct mono now)
{
	struct row_writer row = { .w = w, .from = from, .now = now };

	kept_each(t, row_write_one, &row);
}

struct column_search {
	const char *path;
	size_t len;
	struct kept_column *ret;
};

/* A field matches by name, kind and count. */
static void column_find(void *context, const struct kept_at *at)
{
	const struct column_search *s = context;
	char path[KEPT_PATH_MAX];

	if (at->field->kind != s->ret->kind || at->count != s->ret->count)
		return;
	kept_path(at, path);
	if (strlen(path) != s->len || memcmp(path, s->path, s->len) != 0)
		return;
	s->ret->field = at->field;
	s->ret->offset = at->offset;
	s->ret->stride = at->stride;
}

void kept_column_read(struct cursor *c, const struct kept *t,
		      struct kept_column *ret)
{
	size_t len = cursor_u8(c);
	const uint8_t *path = cursor_bytes(c, len);
	unsigned kind = cursor_u8(c);
	uint64_t count = cursor_varint(c);
	struct column_search s = { (const char *)path, len, ret };

	if (kind == 0 || kind >= KEPT_KIND_COUNT || count > COUNT_MOST)
		cursor_fail(c);
	if (!cursor_ok(c))
		return;
	*ret = (struct kept_column){ .kind = (enum kept_kind)kind,
				     .count = (unsigned)count };
	if (t)
		kept_each(t, column_find, &s);
}

/* Without a bound, any value that fits the field is good. */
static bool unsigned_is_good(const struct kept_field *f, uint64_t value)
{
	if (f->most > 0)
		return (double)value <= f->most;
	return f->width >= sizeof(value) || value >> 8 * f->width == 0;
}

static bool real_is_good(const struct kept_field *f, double value)
{
	double most = (f->most > 0 ? f->most : REAL_MOST) * (1 + ROUNDED);

	return isnan(value) ? f->may_lack : value <= most && value >= -most;
}

static bool time_put(const struct kept_field *f, uint64_t raw,
		     const struct kept_clock *clock, char *to)
{
	uint64_t zigzag = raw - TIME_AGES;
	int64_t age = (int64_t)(zigzag >> 1 ^ (~(zigzag & 1) + 1));
	int64_t ns = raw == TIME_NEVER ? INT64_MIN : 0;

	if (raw == TIME_NEVER && !f->may_lack)
		return false;
	if (raw >= TIME_AGES) {
		if (age > AGE_MOST_NS || age < -AHEAD_MOST_NS)
			return false;
		ns = clock->then.ns - age;
		if (f->kind == KEPT_LOOK)
			ns += clock->gap_ns;
		ns += ns == 0;		/* 0 has a special meaning */
	}
	if (to)
		memcpy(to, &ns, sizeof(ns));
	return true;
}

static bool span_put(const struct kept_field *f, uint64_t raw, char *to)
{
	double most = f->kind == KEPT_WALL ? (double)AGE_MOST_NS :
		      f->most > 0 ? f->most : SPAN_MOST_NS;
	int64_t ns = (int64_t)raw;

	if (raw > INT64_MAX || (double)raw > most)
		return false;
	if (to)
		memcpy(to, &ns, sizeof(ns));
	return true;
}

static bool float_put(struct cursor *c, const struct kept_field *f, char *to)
{
	uint32_t bits = cursor_be32(c);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (!f)
		return true;
	if (to)
		memcpy(to, &value, sizeof(value));
	return real_is_good(f, (double)value);
}

static bool number_put(struct cursor *c, const struct kept_field *f, char *to)
{
	uint64_t bits = cursor_be64(c);
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!f)
		return true;
	if (to)
		memcpy(to, &value, sizeof(value));
	return real_is_good(f, value);
}

static bool text_put(struct cursor *c, const struct kept_field *f, char *to)
{
	size_t len = cursor_u8(c);
	const uint8_t *text = cursor_bytes(c, len);

	if (!f || !text)
		return true;
	if (len >= f->width)
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] == 0x7f)
			return false;
	if (to) {
		memset(to, 0, f->width);
		memcpy(to, text, len);
	}
	return true;
}

/* f NULL: the value is skipped. */
static bool value_read(struct cursor *c, enum kept_kind kind,
		       const struct kept_field *f,
		       const struct kept_clock *clock, char *to)
{
	uint64_t raw;

	switch (kind) {
	case KEPT_FLOAT:
		return float_put(c, f, to);
	case KEPT_NUMBER:
		return number_put(c, f, to);
	case KEPT_TEXT:
		return text_put(c, f, to);
	default:
		raw = cursor_varint(c);
	}
	if (!f)
		return true;
	if (kind == KEPT_TIME || kind == KEPT_LOOK)
		return time_put(f, raw, clock, to);
	if (kind != KEPT_UNSIGNED)
		return span_put(f, raw, to);
	if (!unsigned_is_good(f, raw))
		return false;
	if (to)
		unsigned_put(to, f->width, raw);
	return true;
}

bool kept_row_read(struct cursor *c, const struct kept_column *column,
		   size_t columns, const struct kept_clock *clock, void *to)
{
	for (size_t n = 0; n < columns; n++) {
		const struct kept_column *k = &column[n];

		for (unsigned i = 0; i < k->count; i++) {
			char *at = to && k->field ? (char *)to + k->offset +
						    i * k->stride : NULL;

			if (!value_read(c, k->kind, k->field, clock, at) ||
			    !cursor_ok(c))
				return false;
		}
	}
	return cursor_ok(c);
}

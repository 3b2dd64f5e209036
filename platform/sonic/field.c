#include "platform/sonic/field.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "platform/sonic/text.h"

/* The last octets of a name tell most; SAI's begin all alike. */
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
	return (unsigned)(hash >> 40) % FIELD_SLOTS;
}

void field_index_init(struct field_index *x, const struct field *fields,
		      unsigned count)
{
	assert(count <= FIELDS_MAX);
	memset(x, 0, sizeof(*x));
	x->fields = fields;
	x->count = count;
	for (unsigned i = 0; i < count; i++) {
		size_t len = strlen(fields[i].name);
		unsigned slot = name_slot(fields[i].name, len);

		assert(len <= UINT8_MAX);
		x->len[i] = (uint8_t)len;
		while (x->slot[slot])
			slot = (slot + 1) % FIELD_SLOTS;
		x->slot[slot] = (uint16_t)(i + 1);
	}
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

	if (position < FIELDS_MAX && x->seen[position] &&
	    field_is(x, x->seen[position] - 1u, name, len))
		return x->seen[position] - 1;
	slot = name_slot(name, len);
	for (; x->slot[slot]; slot = (slot + 1) % FIELD_SLOTS) {
		unsigned which = x->slot[slot] - 1u;

		if (!field_is(x, which, name, len))
			continue;
		if (position < FIELDS_MAX)
			x->seen[position] = (uint16_t)(which + 1);
		return (int)which;
	}
	return -1;
}

void row_clear(struct row *r)
{
	memset(r->present, 0, sizeof(r->present));
	if (r->texts)
		for (unsigned i = 0; i < FIELD_TEXTS_MAX; i++)
			r->text[i][0] = '\0';
	r->values = r->texts = r->bad = 0;
	r->bad_field = NULL;
}

static int value_parse(const struct field *f, const char *text, size_t len,
		       int64_t *ret)
{
	switch ((enum field_form)f->form) {
	case FIELD_COUNTER:
		return text_counter(text, len, ret);
	case FIELD_SCALED:
		return text_number(text, len, f->scale, ret);
	case FIELD_DBM:
		return text_dbm(text, len, ret);
	case FIELD_BOOL:
		return text_bool(text, len, ret);
	case FIELD_TEXT:
		break;
	}
	return -EINVAL;
}

static void row_take_text(struct row *r, unsigned slot, const char *text,
			  size_t len)
{
	text_copy(r->text[slot], sizeof(r->text[slot]), text, len);
	if (r->text[slot][0])
		r->texts++;
}

void row_take(struct row *r, const struct field_index *x, unsigned which,
	      const char *text, size_t len)
{
	const struct field *f = &x->fields[which];
	int rc;

	if (f->form == FIELD_TEXT) {
		row_take_text(r, f->index, text, len);
		return;
	}
	rc = value_parse(f, text, len, &r->value[which]);
	if (rc == 0) {
		r->values += !row_has(r, which);
		r->present[which / 64] |= UINT64_C(1) << (which % 64);
	} else if (rc != -ENODATA && r->bad++ == 0) {
		r->bad_field = f;
		text_show(r->bad_text, sizeof(r->bad_text), text, len);
	}
}

bool row_value(const struct row *r, const struct field_index *x,
	       enum quantity quantity, int64_t *ret)
{
	for (unsigned i = 0; i < x->count && x->fields[i].part == 0; i++) {
		if (x->fields[i].quantity != quantity || !row_has(r, i))
			continue;
		*ret = r->value[i];
		return true;
	}
	return false;
}

uint64_t row_hash(const struct row *r, const struct field_index *x)
{
	uint64_t hash = text_hash(0, r->present, sizeof(r->present));

	for (unsigned i = 0; i < x->count; i++)
		if (row_has(r, i))
			hash = text_hash(hash, &r->value[i],
					 sizeof(r->value[i]));
	return hash;
}

unsigned row_emit(const struct row *r, const struct field_index *x,
		  const struct row_target *to)
{
	unsigned part = UINT8_MAX + 1, given = 0;
	uint32_t entity = ENTITY_NONE;

	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];
		enum sample_quality quality = to->quality;

		if (!row_has(r, i))
			continue;
		if (f->part != part) {
			part = f->part;
			entity = to->entity(to->context, part);
			if (entity != ENTITY_NONE)
				to->host->group(to->host->context, to->source,
						entity, &to->age);
		}
		if (entity == ENTITY_NONE)
			continue;
		if (f->form == FIELD_DBM && r->value[i] == 0 &&
		    quality == QUALITY_GOOD)
			quality = QUALITY_BELOW_RESOLUTION;
		to->host->sample(to->host->context,
				 (enum quantity)f->quantity, f->index,
				 r->value[i], quality);
		given++;
	}
	return given;
}

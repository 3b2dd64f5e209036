#include "platform/sonic/hft/hft_template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"

/* --- labels --------------------------------------------------------------- */

#define LABELS_MAX UINT16_MAX

/* The next item of a comma-separated list, without blanks; false at the end. */
static bool item_next(const char **at, const char *end, const char **ret,
		      size_t *ret_len)
{
	const char *stop;

	if (*at > end)
		return false;
	stop = memchr(*at, ',', (size_t)(end - *at));
	if (!stop)
		stop = end;
	*ret = *at;
	*at = stop + 1;
	while (*ret < stop && **ret == ' ')
		(*ret)++;
	while (stop > *ret && stop[-1] == ' ')
		stop--;
	*ret_len = (size_t)(stop - *ret);
	return true;
}

static size_t items_count(const struct hft_octets *o)
{
	size_t n = o->len > 0;

	for (size_t i = 0; i < o->len; i++)
		n += o->data[i] == ',';
	return n;
}

static int label_order(const void *a, const void *b)
{
	const struct hft_label *x = a, *y = b;

	return x->label < y->label ? -1 : x->label > y->label;
}

/* One name with its id, or with its index if there are no ids. */
static int label_parse(struct hft_label *to, const char *name, size_t name_len,
		       const char *id, size_t id_len)
{
	uint64_t label = to->label;

	if (name_len == 0 || name_len >= sizeof(to->name) ||
	    memchr(name, '\0', name_len) ||
	    (id && number_parse_n(id, id_len, 0, LABELS_MAX, &label) < 0))
		return -EINVAL;
	memcpy(to->name, name, name_len);
	to->label = (uint16_t)label;
	return 0;
}

static int labels_fill(const struct hft_octets *names,
		       const struct hft_octets *ids, struct hft_labels *l)
{
	const char *name = names->data, *id = ids->data, *at, *id_at = NULL;
	size_t len, id_len = 0;

	while (item_next(&name, names->data + names->len, &at, &len)) {
		struct hft_label *to = &l->list[l->count];

		if (ids->len > 0 &&
		    !item_next(&id, ids->data + ids->len, &id_at, &id_len))
			return -EINVAL;
		to->label = (uint16_t)(l->count + 1);
		if (label_parse(to, at, len, id_at, id_len) < 0)
			return -EINVAL;
		l->count++;
	}
	qsort(l->list, l->count, sizeof(*l->list), label_order);
	for (size_t i = 1; i < l->count; i++)
		if (l->list[i].label == l->list[i - 1].label)
			return -EINVAL;
	return 0;
}

int hft_labels_parse(const struct hft_octets *names,
		     const struct hft_octets *ids, struct hft_labels *ret,
		     struct diag *d)
{
	size_t count = items_count(names);
	struct hft_labels l = { 0 };
	int rc = -EINVAL;

	if (count == 0 && ids->len == 0) {
		*ret = l;
		return 0;
	}
	l.list = calloc(count ? count : 1, sizeof(*l.list));
	if (!l.list)
		return diag_set(d, -ENOMEM, "no memory for object_names");
	if (count > 0 && count <= LABELS_MAX &&
	    (ids->len == 0 || items_count(ids) == count))
		rc = labels_fill(names, ids, &l);
	if (rc < 0) {
		free(l.list);
		return diag_set(d, rc, "object_names has %zu names, object_ids "
				"%zu; expected as many",
				count, items_count(ids));
	}
	*ret = l;
	return 0;
}

/* --- templates ------------------------------------------------------------ */

#define VALUE_OCTETS_MAX 8u
#define TYPE_SHIFT 16
#define EXTENSION_BIT 0x8000u
#define EXTENSION_BASE UINT32_C(0x20000000)	/* SAI: EXTENSIONS_RANGE */

/* ---- compiling ---- */

/* 15 bits of a SAI number, and the bit for an extension. */
static uint32_t sai_number(uint32_t half)
{
	uint32_t number = half & (EXTENSION_BIT - 1);

	return half & EXTENSION_BIT ? number + EXTENSION_BASE : number;
}

static const struct hft_label *label_find(const struct hft_labels *labels,
					  uint16_t label)
{
	const struct hft_label key = { .label = label };

	if (labels->count == 0)
		return NULL;
	return bsearch(&key, labels->list, labels->count, sizeof(key),
		       label_order);
}

/* The object's index; added if new. Templates name few objects at a time. */
static unsigned object_place(struct hft_template *t, enum object_kind kind,
			     const struct hft_label *label)
{
	struct hft_object *o = t->objects;

	/* Fields of one object are mostly adjacent: newest first. */
	for (unsigned i = t->object_count; i-- > 0;)
		if (o[i].label.label == label->label && o[i].kind == kind)
			return i;
	o[t->object_count] = (struct hft_object){ .label = *label,
						  .kind = kind,
						  .handle = ENTITY_NONE };
	return t->object_count++;
}

/* A value with the index of its object, for sorting. */
struct draft {
	struct hft_value value;
	unsigned object;
};

/* One field, if it is a value of a named object. */
static void field_compile(struct hft_template *t, const struct ipfix_field *f,
			  unsigned offset, const struct hft_labels *labels,
			  const struct hft_ids *ids, struct draft *to)
{
	const struct hft_label *label = label_find(labels, f->element);
	const struct field *field = NULL;
	enum object_kind kind;

	if (hft_object_kind(sai_number(f->enterprise >> TYPE_SHIFT), &kind))
		field = hft_ids_find(ids, kind,
				     sai_number(f->enterprise & UINT16_MAX));
	if (!field) {
		t->unknown_numbers++;
	} else if (!label) {
		t->unknown_labels++;
	} else {
		const struct quantity_info *q = quantity_find(field->quantity);

		to[t->value_count++] = (struct draft){
			.value = { .field = field, .offset = (uint16_t)offset,
				   .length = (uint8_t)f->length,
				   .keeps_largest = q &&
						    q->kind != KIND_COUNTER },
			.object = object_place(t, kind, label),
		};
	}
}

/* Keeps parts together; 0: the same sample. */
static int field_order(const struct field *a, const struct field *b)
{
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->quantity != b->quantity)
		return a->quantity < b->quantity ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int draft_order(const void *a, const void *b)
{
	const struct draft *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return field_order(x->value.field, y->value.field);
}

/* Sorts drafts; a duplicate in a template counts once. */
static unsigned drafts_sort(struct draft *drafts, unsigned count)
{
	unsigned kept = 0;

	if (count > 0)
		qsort(drafts, count, sizeof(*drafts), draft_order);
	for (unsigned i = 0; i < count; i++)
		if (kept == 0 || draft_order(&drafts[kept - 1], &drafts[i]))
			drafts[kept++] = drafts[i];
	return kept;
}

static void program_make(struct hft_template *t, struct draft *drafts)
{
	t->value_count = drafts_sort(drafts, t->value_count);
	t->wide = true;
	for (unsigned i = 0; i < t->value_count; i++) {
		struct hft_object *o = &t->objects[drafts[i].object];

		t->values[i] = drafts[i].value;
		t->wide &= t->values[i].length == VALUE_OCTETS_MAX;
		if (t->values[i].keeps_largest)
			t->largest[t->largest_count++] = (uint16_t)i;
		if (o->count++ == 0)
			o->first = i;
	}
}

static int fields_read(struct hft_template *t, struct cursor c, struct diag *d)
{
	unsigned offset = 0;

	for (unsigned i = 0; i < t->field_count; i++) {
		struct ipfix_field f = ipfix_field_read(&c);

		t->fields[i] = f;
		if (f.length == 0 || (f.length > VALUE_OCTETS_MAX &&
				      f.enterprise != 0) ||
		    f.length == IPFIX_FIELD_VARIABLE)
			return diag_set(d, -EINVAL, "template %u: field %u is "
					"%u octets long; expected 1 to %u",
					t->id, i + 1, f.length,
					VALUE_OCTETS_MAX);
		offset += f.length;
		if (offset > UINT16_MAX - IPFIX_HEADER_LEN)
			return diag_set(d, -EINVAL, "template %u: its records "
					"would be longer than a message",
					t->id);
	}
	t->record_len = offset;
	return 0;
}

/* There was room for one object per field. */
static void objects_fit(struct hft_template *t)
{
	size_t count = t->object_count ? t->object_count : 1;
	struct hft_object *fit = realloc(t->objects, count * sizeof(*fit));

	if (fit)
		t->objects = fit;
}

static int template_compile(struct hft_template *t,
			    const struct hft_labels *labels,
			    const struct hft_ids *ids)
{
	struct draft *drafts = calloc(t->field_count, sizeof(*drafts));
	unsigned offset = 0;

	if (!drafts)
		return -ENOMEM;
	for (unsigned i = 0; i < t->field_count; i++) {
		const struct ipfix_field *f = &t->fields[i];

		if (!hft_time_field(&t->time, f, offset))
			field_compile(t, f, offset, labels, ids, drafts);
		offset += f->length;
	}
	program_make(t, drafts);
	objects_fit(t);
	free(drafts);
	return 0;
}

static bool template_room(struct hft_template *t, unsigned count)
{
	t->fields = calloc(count, sizeof(*t->fields));
	t->objects = calloc(count, sizeof(*t->objects));
	t->values = calloc(count, sizeof(*t->values));
	t->largest = calloc(count, sizeof(*t->largest));
	t->last = calloc(count, sizeof(*t->last));
	t->peak = calloc(count, sizeof(*t->peak));
	return t->fields && t->objects && t->values && t->largest && t->last &&
	       t->peak;
}

int hft_template_new(const struct ipfix_template *from,
		     const struct hft_labels *labels,
		     const struct hft_ids *ids, struct hft_template **ret,
		     struct diag *d)
{
	struct hft_template *t;
	int rc;

	if (from->count == 0)
		return diag_set(d, -EINVAL, "template %u has no field",
				from->id);
	t = calloc(1, sizeof(*t));
	if (!t)
		return diag_set(d, -ENOMEM, "no memory for a template");
	t->domain = from->domain;
	t->id = from->id;
	t->field_count = from->count;
	rc = template_room(t, from->count) ? fields_read(t, from->fields, d) :
	     diag_set(d, -ENOMEM, "no memory for a template");
	if (rc == 0)
		rc = template_compile(t, labels, ids);
	if (rc < 0) {
		hft_template_free(t);
		return rc;
	}
	*ret = t;
	return 0;
}

void hft_template_free(struct hft_template *t)
{
	while (t) {
		struct hft_template *next = t->next;

		free(t->fields);
		free(t->objects);
		free(t->values);
		free(t->largest);
		free(t->last);
		free(t->peak);
		free(t);
		t = next;
	}
}

bool hft_template_is_same(const struct hft_template *a,
			  const struct hft_template *b)
{
	if (a->field_count != b->field_count ||
	    a->object_count != b->object_count ||
	    memcmp(a->fields, b->fields,
		   a->field_count * sizeof(*a->fields)) != 0)
		return false;
	for (unsigned i = 0; i < a->object_count; i++)
		if (a->objects[i].label.label != b->objects[i].label.label ||
		    strcmp(a->objects[i].label.name,
			   b->objects[i].label.name) != 0)
			return false;
	return true;
}

/* ---- objects ---- */

unsigned hft_template_resolve(struct hft_template *t,
			      const struct topology *topology)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < t->object_count; i++) {
		struct hft_object *o = &t->objects[i];
		char name[OBJECT_NAME_MAX];
		const struct object *found;
		char *bar;

		memcpy(name, o->label.name, sizeof(name));
		bar = strchr(name, '|');	/* COUNTERS_DB writes ':' */
		if (bar)
			*bar = ':';
		found = topology_find(topology, o->kind, name);
		o->delay = NULL;
		o->handle = found ? found->handle : ENTITY_NONE;
		o->port = o->handle != ENTITY_NONE ? found->port : NULL;
		missing += o->handle == ENTITY_NONE;
	}
	return missing;
}

/* ---- records ---- */

static void values_take(struct hft_template *t, const uint8_t *record)
{
	const struct hft_value *v = t->values;

	if (t->wide)
		for (unsigned i = 0; i < t->value_count; i++)
			t->last[i] = hft_load8(record + v[i].offset);
	else
		for (unsigned i = 0; i < t->value_count; i++)
			t->last[i] = hft_load(record + v[i].offset,
					      v[i].length);
	for (unsigned n = 0; n < t->largest_count; n++) {
		unsigned i = t->largest[n];
		uint64_t above = t->last[i] + 1;	/* all ones: 0 */

		if (above > t->peak[i] && t->last[i] <= INT64_MAX)
			t->peak[i] = above;
	}
}

static void record_take(struct hft_template *t, const uint8_t *record,
			const struct hft_now *now, const struct hft_watcher *w)
{
	struct mono taken = hft_time_of(&t->time, &t->clock, record, now);

	if (taken.ns > t->taken.ns)
		t->taken = taken;	/* never backwards */
	if (t->records++ == 0)
		t->first_taken = t->taken;
	values_take(t, record);
	if (w)
		w->record(w->context, t);
}

static bool is_padding(const uint8_t *octets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (octets[i] != 0)
			return false;
	return true;
}

int hft_template_take(struct hft_template *t, const struct ipfix_set *s,
		      const struct hft_now *now, const struct hft_watcher *w)
{
	size_t records = s->len / t->record_len;
	struct cursor c = cursor_of(s->data, s->len);

	if (!is_padding(s->data + records * t->record_len,
			s->len % t->record_len) ||
	    (records == 0 && s->len > 0))
		return -EBADMSG;
	for (size_t i = 0; i < records; i++)
		record_take(t, cursor_bytes(&c, t->record_len), now, w);
	return (int)records;
}

bool hft_template_last(const struct hft_template *t, unsigned place,
		       int64_t *ret)
{
	if (t->last[place] == SAMPLE_COUNTER_ABSENT)
		return false;
	*ret = (int64_t)t->last[place];
	return true;
}

bool hft_template_value(const struct hft_template *t, unsigned place,
			int64_t *ret)
{
	if (!t->values[place].keeps_largest)
		return hft_template_last(t, place, ret);
	if (t->peak[place] == 0)
		return false;
	*ret = (int64_t)(t->peak[place] - 1);
	return true;
}

void hft_template_clear(struct hft_template *t)
{
	t->told = t->taken;
	t->records = 0;
	memset(t->peak, 0, t->value_count * sizeof(*t->peak));
}

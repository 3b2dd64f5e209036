#include "agent/query/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/pack.h"

/* Fields of local.proto. */
enum { ANSWER_TABLES = 7 };
enum { TABLE_ROWS = 3 };
enum { ROW_CELLS = 1, ROW_JSON_ONLY };
enum { CELL_ABSENT = 1, CELL_VALUE, CELL_TEXT_FIELD, CELL_AGE_NS_FIELD,
       CELL_QUALITY };

/* Wire types. Source: protobuf's encoding guide. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

#define TAG(field, type) ((uint8_t)((field) << 3 | (type)))
#define NUMBER_OCTETS_MAX 11u	/* a tag and a varint */

/* --- packing ------------------------------------------------------------- */

/* What protobuf-c packs as it is: m without its rows or tables. */
static void general_pack(const ProtobufCMessage *m, struct writer *w)
{
	size_t len = protobuf_c_message_get_packed_size(m);

	if (w->overflow || len > w->cap - w->pos) {
		w->overflow = true;
		return;
	}
	w->pos += protobuf_c_message_pack(m, w->data + w->pos);
}

/* A field that is 0 is left out. */
static uint8_t *number_put(uint8_t *p, uint8_t tag, uint64_t value)
{
	if (value == 0)
		return p;
	*p++ = tag;
	return pack_varint(p, value);
}

static size_t number_len(uint64_t value)
{
	return value ? 1 + pack_varint_len(value) : 0;
}

static void cell_pack(const Petrel__Cell *c, struct writer *w)
{
	size_t text = strlen(c->text), len;
	uint8_t *p = w->data + w->pos;

	len = number_len(c->absent) + number_len(pack_zigzag(c->value)) +
	      number_len(pack_zigzag(c->age_ns)) + number_len(c->quality);
	len += text ? number_len(text) + text : 0;
	if (w->overflow || len + NUMBER_OCTETS_MAX > w->cap - w->pos) {
		w->overflow = true;
		return;
	}
	*p++ = TAG(ROW_CELLS, WIRE_LENGTH);
	p = pack_varint(p, len);
	p = number_put(p, TAG(CELL_ABSENT, WIRE_VARINT), c->absent);
	p = number_put(p, TAG(CELL_VALUE, WIRE_VARINT), pack_zigzag(c->value));
	p = number_put(p, TAG(CELL_TEXT_FIELD, WIRE_LENGTH), text);
	if (text)
		p = mempcpy(p, c->text, text);
	p = number_put(p, TAG(CELL_AGE_NS_FIELD, WIRE_VARINT),
		       pack_zigzag(c->age_ns));
	p = number_put(p, TAG(CELL_QUALITY, WIRE_VARINT), c->quality);
	w->pos = (size_t)(p - w->data);
}

static void table_pack(Petrel__Table *t, struct writer *w)
{
	size_t rows = t->n_rows, table = pack_open(w, ANSWER_TABLES);

	t->n_rows = 0;
	general_pack(&t->base, w);
	t->n_rows = rows;
	for (size_t i = 0; i < rows && writer_ok(w); i++) {
		size_t row = pack_open(w, TABLE_ROWS);

		for (size_t n = 0; n < t->rows[i]->n_cells; n++)
			cell_pack(t->rows[i]->cells[n], w);
		pack_uint(w, ROW_JSON_ONLY, t->rows[i]->json_only);
		pack_close(w, row);
	}
	pack_close(w, table);
}

void rows_pack(Petrel__Answer *a, struct writer *w)
{
	size_t tables = a->n_tables;

	a->n_tables = 0;
	general_pack(&a->base, w);
	a->n_tables = tables;
	for (size_t i = 0; i < tables; i++)
		table_pack(a->tables[i], w);
}

/* --- unpacking ----------------------------------------------------------- */

/* A field as it comes. */
struct field {
	uint32_t number;
	unsigned type;
	uint64_t value;			/* of a varint */
	struct cursor body;		/* of a length; it sticks when wrong */
	const uint8_t *octets;		/* all of it, with its tag */
	size_t len;
};

/* Nearly all are of one octet. */
static inline uint64_t varint(struct cursor *c)
{
	if (c->pos < c->len && c->data[c->pos] < 0x80 && !c->failed)
		return c->data[c->pos++];
	return cursor_varint(c);
}

/* False at the end, and where c is no message. */
static bool field_next(struct cursor *c, struct field *f)
{
	size_t start = c->pos;
	uint64_t tag;

	if (c->pos == c->len || c->failed)
		return false;
	tag = varint(c);
	f->number = (uint32_t)(tag >> 3);
	f->type = tag & 7;
	if (f->type == WIRE_LENGTH) {
		uint64_t len = varint(c);

		f->body = cursor_sub(c, len > SIZE_MAX ? SIZE_MAX : len);
	} else if (f->type == WIRE_VARINT) {
		f->value = varint(c);
	} else if (f->type == WIRE_FIXED64 || f->type == WIRE_FIXED32) {
		(void)cursor_bytes(c, f->type == WIRE_FIXED64 ? 8 : 4);
	} else {
		c->failed = true;	/* groups: nobody writes them */
	}
	f->octets = c->data + start;
	f->len = c->pos - start;
	return cursor_ok(c);
}

/* An answer on its way in. */
struct reading {
	ProtobufCAllocator *memory;
	uint8_t *rest;			/* what is no row: room for all */
};

static void *take(const struct reading *r, size_t octets)
{
	return r->memory->alloc(r->memory->allocator_data, octets);
}

/* All fields but those of that number, which are counted, by protobuf-c. NULL:
 * no such message.
 */
static void *general_unpack(const struct reading *r,
			    const ProtobufCMessageDescriptor *what,
			    struct cursor c, uint32_t number,
			    size_t *ret_count)
{
	struct field f;
	size_t len = 0, count = 0;

	while (field_next(&c, &f)) {
		if (f.number == number && f.type == WIRE_LENGTH) {
			count++;
			continue;
		}
		memcpy(r->rest + len, f.octets, f.len);
		len += f.len;
	}
	*ret_count = count;
	if (!cursor_ok(&c))
		return NULL;
	return protobuf_c_message_unpack(what, r->memory, len, r->rest);
}

static char *text_unpack(const struct reading *r, struct cursor *c)
{
	size_t n = cursor_left(c);
	char *text = take(r, n + 1);

	if (text)
		*(char *)mempcpy(text, cursor_bytes(c, n), n) = '\0';
	return text;
}

static int64_t zigzag(uint64_t z)
{
	return (int64_t)(z >> 1 ^ (~(z & 1) + 1));
}

static bool cell_unpack(const struct reading *r, struct cursor c,
			Petrel__Cell *ret)
{
	struct field f;

	petrel__cell__init(ret);
	while (field_next(&c, &f)) {
		bool is_text = f.number == CELL_TEXT_FIELD;

		if (f.number < CELL_ABSENT || f.number > CELL_QUALITY)
			continue;	/* of a later agent */
		if (f.type != (is_text ? WIRE_LENGTH : WIRE_VARINT))
			return false;
		if (is_text)
			ret->text = text_unpack(r, &f.body);
		else if (f.number == CELL_ABSENT)
			ret->absent = f.value != 0;
		else if (f.number == CELL_VALUE)
			ret->value = zigzag(f.value);
		else if (f.number == CELL_AGE_NS_FIELD)
			ret->age_ns = zigzag(f.value);
		else
			ret->quality = (uint32_t)f.value;
	}
	return cursor_ok(&c) && ret->text;
}

/* A row with its cells behind it. */
struct row {
	Petrel__Row row;
	Petrel__Cell cell[];
};

/* NULL: no row of a table of so many columns. */
static Petrel__Row *row_unpack(const struct reading *r, struct cursor c,
			       size_t columns)
{
	struct row *row = take(r, sizeof(*row) + columns * sizeof(*row->cell));
	Petrel__Cell **list = take(r, (columns + 1) * sizeof(Petrel__Cell *));
	struct field f;
	size_t n = 0;

	if (!row || !list)
		return NULL;
	petrel__row__init(&row->row);
	row->row.cells = list;
	while (field_next(&c, &f)) {
		if (f.number == ROW_JSON_ONLY && f.type == WIRE_VARINT)
			row->row.json_only = f.value != 0;
		if (f.number != ROW_CELLS)
			continue;
		if (f.type != WIRE_LENGTH || n == columns ||
		    !cell_unpack(r, f.body, &row->cell[n]))
			return NULL;
		list[n] = &row->cell[n];
		n++;
	}
	row->row.n_cells = n;
	return cursor_ok(&c) ? &row->row : NULL;
}

static Petrel__Table *table_unpack(const struct reading *r, struct cursor c)
{
	size_t rows;
	Petrel__Table *t = general_unpack(r, &petrel__table__descriptor, c,
					  TABLE_ROWS, &rows);
	struct field f;

	if (!t)
		return NULL;
	t->rows = take(r, (rows + 1) * sizeof(Petrel__Row *));
	while (t->rows && field_next(&c, &f)) {
		if (f.number != TABLE_ROWS || f.type != WIRE_LENGTH)
			continue;
		t->rows[t->n_rows] = row_unpack(r, f.body, t->n_head);
		if (!t->rows[t->n_rows])
			return NULL;
		t->n_rows++;
	}
	return t->rows ? t : NULL;
}

static Petrel__Answer *answer_read(const struct reading *r, struct cursor c)
{
	size_t tables;
	Petrel__Answer *a = general_unpack(r, &petrel__answer__descriptor, c,
					   ANSWER_TABLES, &tables);
	struct field f;

	if (!a)
		return NULL;
	a->tables = take(r, (tables + 1) * sizeof(Petrel__Table *));
	while (a->tables && field_next(&c, &f)) {
		if (f.number != ANSWER_TABLES || f.type != WIRE_LENGTH)
			continue;
		a->tables[a->n_tables] = table_unpack(r, f.body);
		if (!a->tables[a->n_tables])
			return NULL;
		a->n_tables++;
	}
	return a->tables ? a : NULL;
}

int rows_unpack(const uint8_t *data, size_t len, ProtobufCAllocator *memory,
		Petrel__Answer **ret)
{
	struct reading r = { .memory = memory, .rest = malloc(len + 1) };
	Petrel__Answer *a = NULL;

	if (r.rest)
		a = answer_read(&r, cursor_of(data, len));
	free(r.rest);
	if (!a)
		return -EBADMSG;
	*ret = a;
	return 0;
}

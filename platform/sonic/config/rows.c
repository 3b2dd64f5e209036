#include "platform/sonic/config/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/hash.h"
#include "platform/sonic/meaning/text.h"

/* --- keys ----------------------------------------------------------------- */

void key_list_clear(struct key_list *l)
{
	l->len = 0;
	l->count = 0;
}

void key_list_free(struct key_list *l)
{
	free(l->data);
	free(l->at);
	memset(l, 0, sizeof(*l));
}

static bool key_list_room(struct key_list *l, size_t len)
{
	uint32_t *at = array_room(l->at, &l->room, l->count + 1, sizeof(*at));
	char *data = array_room(l->data, &l->cap, l->len + len, 1);

	if (at)
		l->at = at;
	if (data)
		l->data = data;
	return at && data;
}

void key_list_add(struct key_list *l, const char *key, size_t len)
{
	if (len == 0 || len > KEY_OCTETS_MAX || memchr(key, '\0', len) ||
	    l->count == KEYS_MAX || !key_list_room(l, len + 1))
		return;
	l->at[l->count++] = (uint32_t)l->len;
	memcpy(l->data + l->len, key, len);
	l->data[l->len + len] = '\0';
	l->len += len + 1;
}

void key_list_add_once(struct key_list *l, const char *key, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(key_list_get(l, i)) == len &&
		    memcmp(key_list_get(l, i), key, len) == 0)
			return;
	key_list_add(l, key, len);
}

/* --- rows ----------------------------------------------------------------- */

#define SUMMARY_MAX 160

/* --- a row being read ----------------------------------------------------- */

void row_text_clear(struct row_text *t)
{
	t->len = 0;
	t->digest = 0;
	t->cut = false;
	t->name[0] = '\0';
}

void row_text_name(struct row_text *t, const char *text, size_t len)
{
	text_copy(t->name, sizeof(t->name), text, len);
}

/* Appends text with its NUL; NULs in it become blanks. */
static void octets_put(struct row_text *t, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		t->data[t->len++] = text[i] ? text[i] : ' ';
	t->data[t->len++] = '\0';
}

void row_text_value(struct row_text *t, const char *text, size_t len)
{
	size_t name_len = strlen(t->name);
	uint64_t hash = hash_octets(0, t->name, name_len + 1);

	if (name_len == 0 || strcmp(t->name, "NULL") == 0)
		return;		/* means "no fields" in SONiC */
	t->digest += hash_octets(hash, text, len);
	if (t->len + name_len + len + 2 > sizeof(t->data)) {
		t->cut = true;
		return;
	}
	octets_put(t, t->name, name_len);
	octets_put(t, text, len);
	t->name[0] = '\0';
}

/* --- fields --------------------------------------------------------------- */

struct row_fields {
	const char *data;
	size_t len;
};

static struct row_fields fields_of(const struct kept_row *row)
{
	return (struct row_fields){ row->key + strlen(row->key) + 1, row->len };
}

/* The pair at *at; false at the end. */
static bool field_next(const struct row_fields *f, size_t *at,
		       const char **ret_name, const char **ret_value)
{
	if (*at >= f->len)
		return false;
	*ret_name = f->data + *at;
	*ret_value = *ret_name + strlen(*ret_name) + 1;
	*at = (size_t)(*ret_value - f->data) + strlen(*ret_value) + 1;
	return true;
}

static const char *field_get(const struct row_fields *f, const char *name)
{
	const char *n, *value;
	size_t at = 0;

	while (field_next(f, &at, &n, &value))
		if (strcmp(n, name) == 0)
			return value;
	return NULL;
}

const char *row_text_get(const struct row_text *t, const char *field)
{
	struct row_fields f = { t->data, t->len };
	const char *value = field_get(&f, field);

	return value ? value : "";
}

/* "name=value name=value", as many as fit. */
static const char *fields_summary(const struct row_fields *f,
				  char text[SUMMARY_MAX])
{
	const char *name, *value;
	size_t at = 0, len = 0;

	text[0] = '\0';
	while (len < SUMMARY_MAX && field_next(f, &at, &name, &value)) {
		int n = snprintf(text + len, SUMMARY_MAX - len, "%s%s=%s",
				 len ? " " : "", name, value);

		len += n > 0 ? (size_t)n : 0;
	}
	return text[0] ? text : "(no fields)";
}

/* --- differences ---------------------------------------------------------- */

static void whole_tell(const struct rows *r, const struct kept_row *row,
		       bool came)
{
	const struct row_fields f = fields_of(row);
	char text[SUMMARY_MAX];
	const char *summary = fields_summary(&f, text);

	if (r->changed)
		r->changed(r->context, row, NULL, came ? "" : summary,
			   came ? summary : "");
}

static void fields_tell(const struct rows *r, const struct kept_row *row,
			const struct row_text *t)
{
	const struct row_fields was = fields_of(row), is = { t->data, t->len };
	const char *name, *value;
	size_t at = 0;

	while (r->changed && field_next(&is, &at, &name, &value)) {
		const char *before = field_get(&was, name);

		if (strcmp(before ? before : "", value) != 0)
			r->changed(r->context, row, name, before ? before : "",
				   value);
	}
	at = 0;
	while (r->changed && field_next(&was, &at, &name, &value))
		if (!field_get(&is, name) && value[0])
			r->changed(r->context, row, name, value, "");
}

/* --- the rows ------------------------------------------------------------- */

void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->list[i].key);
	free(r->list);
	memset(r, 0, sizeof(*r));
}

/* The index of a key, or where to insert it. */
static size_t row_place(const struct rows *r, const char *key, bool *ret_found)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(r->list[middle].key, key);

		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_found = false;
	return low;
}

const struct kept_row *rows_find(const struct rows *r, const char *key)
{
	bool found;
	size_t at = row_place(r, key, &found);

	return found ? &r->list[at] : NULL;
}

const char *rows_field(const struct rows *r, const char *key,
		       const char *field)
{
	const struct kept_row *row = rows_find(r, key);
	struct row_fields f = { "", 0 };
	const char *value;

	if (row)
		f = fields_of(row);
	value = field_get(&f, field);
	return value ? value : "";
}

/* Copies key and fields into one block; NULL if there is no room. */
static char *row_copy(struct rows *r, const char *key,
		      const struct row_text *t)
{
	size_t key_len = strlen(key) + 1;
	char *copy = NULL;

	if (r->octets + key_len + t->len <= ROWS_OCTETS_MAX)
		copy = malloc(key_len + t->len);
	if (!copy) {
		r->refused++;
		return NULL;
	}
	memcpy(copy, key, key_len);
	memcpy(copy + key_len, t->data, t->len);
	r->octets += key_len + t->len;
	return copy;
}

static void row_add(struct rows *r, size_t at, const char *key, unsigned table,
		    const struct row_text *t)
{
	struct kept_row *list =
		r->count == ROWS_MAX ? NULL :
		array_room(r->list, &r->cap, r->count + 1, sizeof(*list));
	char *copy = list ? row_copy(r, key, t) : NULL;

	r->refused += !list;
	if (list)
		r->list = list;
	if (!copy)
		return;
	memmove(&list[at + 1], &list[at], (r->count++ - at) * sizeof(*list));
	list[at] = (struct kept_row){ .key = copy, .len = (uint32_t)t->len,
				      .digest = t->digest, .table = table };
	whole_tell(r, &list[at], true);
}

static void row_replace(struct rows *r, struct kept_row *row,
			const struct row_text *t)
{
	char *copy = row_copy(r, row->key, t);

	if (!copy)
		return;
	fields_tell(r, row, t);
	r->octets -= strlen(row->key) + 1 + row->len;
	free(row->key);
	row->key = copy;
	row->len = (uint32_t)t->len;
	row->digest = t->digest;
}

static void row_leave(struct rows *r, size_t at)
{
	whole_tell(r, &r->list[at], false);
	r->octets -= r->list[at].len + strlen(r->list[at].key) + 1;
	free(r->list[at].key);
	memmove(&r->list[at], &r->list[at + 1],
		(--r->count - at) * sizeof(*r->list));
}

void rows_take(struct rows *r, const char *key, unsigned table, uint32_t seen,
	       const struct row_text *t)
{
	bool found, empty = t->len == 0 && !t->cut;
	size_t at = row_place(r, key, &found);

	if (found && empty)
		row_leave(r, at);
	else if (found && r->list[at].digest != t->digest)
		row_replace(r, &r->list[at], t);
	else if (!found && !empty)
		row_add(r, at, key, table, t);
	at = row_place(r, key, &found);
	if (found)
		r->list[at].seen = seen;
}

void rows_sweep(struct rows *r, unsigned table, uint32_t seen)
{
	for (size_t i = r->count; i-- > 0;)
		if (r->list[i].table == table && r->list[i].seen != seen)
			row_leave(r, i);
}

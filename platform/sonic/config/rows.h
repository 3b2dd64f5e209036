/* Rows of a database as last read, and the differences when they are read
 * again. A row is its fields as text; following_read.c knows which rows there
 * are and what a change means.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_OCTETS_MAX 1024	/* of one; longer ones are skipped */
#define KEYS_MAX 16384		/* of one list */

/* Keys of a database, from KEYS, to ask for their rows. */
struct key_list {
	char *data;		/* one after another, each with its NUL */
	size_t len, cap;
	uint32_t *at;		/* where each begins */
	size_t count, room;
};

/* Empty again; the memory is kept. */
void key_list_clear(struct key_list *l);
/* Releases the memory too. */
void key_list_free(struct key_list *l);

/* Adds a key that is not empty, not too long, and has no NUL. */
void key_list_add(struct key_list *l, const char *key, size_t len);
/* The same, unless it is in the list. */
void key_list_add_once(struct key_list *l, const char *key, size_t len);

static inline const char *key_list_get(const struct key_list *l, size_t n)
{
	return l->data + l->at[n];
}

#define ROWS_MAX 16384
#define ROWS_OCTETS_MAX (4u << 20)	/* of all rows; more are not followed */
#define ROW_OCTETS_MAX 8192		/* of one; the rest is cut off */

/* A row being read: "field\0value\0" and so on. */
struct row_text {
	char data[ROW_OCTETS_MAX];
	size_t len;
	uint64_t digest;		/* of all fields, in any order */
	bool cut;			/* fields did not fit */
	char name[128];			/* of the field whose value is next */
};

struct kept_row {
	char *key;			/* followed by its fields */
	uint32_t len;			/* of the fields */
	uint32_t seen;			/* when last read */
	uint64_t digest;
	unsigned table;			/* for the caller */
};

/* Reports a difference, before it is taken over. field NULL: the whole row
 * appeared (from "") or disappeared (to ""), its fields written as "name=value
 * name=value".
 */
typedef void row_changed_fn(void *context, const struct kept_row *row,
			    const char *field, const char *from,
			    const char *to);

struct rows {
	struct kept_row *list;		/* sorted by key */
	size_t count, cap;
	size_t octets;
	unsigned refused;		/* for lack of room */
	row_changed_fn *changed;	/* set by the caller; NULL: nobody */
	void *context;			/* for changed() */
};

/* Empties it: the next pair is the first. */
void row_text_clear(struct row_text *t);
/* The name of the pair, then its value. */
void row_text_name(struct row_text *t, const char *text, size_t len);
/* A value without a name is ignored. */
void row_text_value(struct row_text *t, const char *text, size_t len);

/* A field's value, "" if there is none. */
const char *row_text_get(const struct row_text *t, const char *field);

/* Releases all rows. */
void rows_free(struct rows *r);
/* NULL if it does not exist. */
const struct kept_row *rows_find(const struct rows *r, const char *key);
/* A field of a row as text; "" if there is none. */
const char *rows_field(const struct rows *r, const char *key,
		       const char *field);

/* Takes over a row as read; empty: it no longer exists. */
void rows_take(struct rows *r, const char *key, unsigned table, uint32_t seen,
	       const struct row_text *t);
/* Removes rows of a table that were not seen at that time. */
void rows_sweep(struct rows *r, unsigned table, uint32_t seen);

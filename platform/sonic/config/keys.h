/* Keys of a database, as KEYS answers them and rows are asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_OCTETS_MAX 1024	/* of one; longer ones are left out */
#define KEYS_MAX 16384		/* of one list */

struct key_list {
	char *data;		/* one behind the other, each with its NUL */
	size_t len, cap;
	uint32_t *at;		/* where each begins */
	size_t count, room;
	unsigned refused;	/* too long, too many, or no memory */
};

/* Empty again; the memory is kept. */
void key_list_clear(struct key_list *l);
/* Releases the memory too. */
void key_list_free(struct key_list *l);

/* Adds a key that is not empty and has no NUL. */
void key_list_add(struct key_list *l, const char *key, size_t len);
/* The same, unless it is there. */
void key_list_add_once(struct key_list *l, const char *key, size_t len);

static inline const char *key_list_get(const struct key_list *l, size_t n)
{
	return l->data + l->at[n];
}

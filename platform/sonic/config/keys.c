#include "platform/sonic/config/keys.h"

#include <stdlib.h>
#include <string.h>

void key_list_clear(struct key_list *l)
{
	l->len = 0;
	l->count = 0;
	l->refused = 0;
}

void key_list_free(struct key_list *l)
{
	free(l->data);
	free(l->at);
	memset(l, 0, sizeof(*l));
}

static bool list_grow(struct key_list *l, size_t len)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		uint32_t *at = realloc(l->at, room * sizeof(*at));

		if (!at)
			return false;
		l->at = at;
		l->room = room;
	}
	if (l->len + len > l->cap) {
		size_t cap = 2 * (l->len + len) + 1024;
		char *data = realloc(l->data, cap);

		if (!data)
			return false;
		l->data = data;
		l->cap = cap;
	}
	return true;
}

void key_list_add(struct key_list *l, const char *key, size_t len)
{
	if (len == 0 || len > KEY_OCTETS_MAX || memchr(key, '\0', len) ||
	    l->count == KEYS_MAX || !list_grow(l, len + 1)) {
		l->refused++;
		return;
	}
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

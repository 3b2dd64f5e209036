#include "platform/sonic/switchdb/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/base/sort.h"

#define OID_TEXT_MAX 24

void name_list_clear(struct name_list *l)
{
	l->count = 0;
	l->bad = 0;
}

void name_list_free(struct name_list *l)
{
	free(l->list);
	memset(l, 0, sizeof(*l));
}

static bool name_list_room(struct name_list *l)
{
	size_t cap = l->cap ? 2 * l->cap : 64;
	struct named *list;

	if (l->count < l->cap)
		return true;
	if (l->count >= OBJECTS_MAX)
		return false;
	list = realloc(l->list, cap * sizeof(*list));
	if (!list)
		return false;
	l->list = list;
	l->cap = cap;
	return true;
}

void name_list_add(struct name_list *l, const char *name, size_t len,
		   uint64_t oid)
{
	struct named *n;

	if (len == 0 || len >= OBJECT_NAME_MAX || memchr(name, '\0', len) ||
	    !name_list_room(l)) {
		l->bad++;
		return;
	}
	n = &l->list[l->count++];
	memcpy(n->name, name, len);
	n->name[len] = '\0';
	n->oid = oid;
}

static int named_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->oid < y->oid ? -1 : x->oid > y->oid;
}

void name_list_sort(struct name_list *l)
{
	size_t kept = 0;

	if (l->count == 0)
		return;
	sort_in_place(l->list, l->count, sizeof(*l->list), named_order);
	for (size_t i = 1; i < l->count; i++) {
		if (strcmp(l->list[i].name, l->list[kept].name) != 0)
			l->list[++kept] = l->list[i];
		else if (l->list[kept].oid == 0)
			l->list[kept].oid = l->list[i].oid;
	}
	l->count = kept + 1;
}

static int oid_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->oid != y->oid)
		return x->oid < y->oid ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool name_list_twins(struct name_list *l, const char **ret_one,
		     const char **ret_other)
{
	if (l->count > 0)
		qsort(l->list, l->count, sizeof(*l->list), oid_order);
	for (size_t i = 1; i < l->count; i++) {
		if (l->list[i].oid == 0 || l->list[i].oid != l->list[i - 1].oid)
			continue;
		*ret_one = l->list[i - 1].name;
		*ret_other = l->list[i].name;
		return true;
	}
	return false;
}

bool name_is_port(const char *name, size_t len)
{
	static const char prefix[] = "Ethernet";

	return len > strlen(prefix) && !memchr(name, '\0', len) &&
	       memcmp(name, prefix, strlen(prefix)) == 0;
}

/* The key is written anew from the number, so only the canonical form will
 * do: sai_serialize_object_id() writes "oid:0x" and hex without zeros before.
 */
int oid_parse(const char *text, size_t len, uint64_t *ret)
{
	char again[OID_TEXT_MAX];
	uint64_t oid;
	int n;

	if (len < 7 || len >= sizeof(again) || memcmp(text, "oid:", 4) != 0 ||
	    number_parse_n(text + 4, len - 4, 1, UINT64_MAX, &oid) < 0)
		return -EINVAL;
	n = snprintf(again, sizeof(again), "oid:0x%" PRIx64, oid);
	if ((size_t)n != len || memcmp(again, text, len) != 0)
		return -EINVAL;
	*ret = oid;
	return 0;
}

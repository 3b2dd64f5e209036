/* Lists of names with object ids. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBJECT_NAME_MAX 48
#define OBJECTS_MAX 65536		/* of one kind */

/* What a map of names holds: the answer of one HGETALL or KEYS. */
struct name_list {
	struct named {
		char name[OBJECT_NAME_MAX];
		uint64_t oid;
	} *list;
	size_t count, cap;
	unsigned bad;			/* entries that are no names or ids */
};

/* Empty again; the memory is kept. */
void name_list_clear(struct name_list *l);
/* Releases the memory too. */
void name_list_free(struct name_list *l);
/* Names that are too long are counted as bad. */
void name_list_add(struct name_list *l, const char *name, size_t len,
		   uint64_t oid);
/* In order of names, each once, with the id of whichever has one. */
void name_list_sort(struct name_list *l);

/* Two names of one id; false when each has its own. Changes the order. */
bool name_list_twins(struct name_list *l, const char **ret_one,
		     const char **ret_other);

/* A port's: Ethernet0, Ethernet-BP4; not the CPU's, not a LAG's. */
bool name_is_port(const char *name, size_t len);

/* "oid:0x1000000000012" as a number; -EINVAL when it is not written so. */
int oid_parse(const char *text, size_t len, uint64_t *ret);

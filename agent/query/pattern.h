/* Port patterns: "Ethernet8,16-32/4" names Ethernet8, and every fourth from
 * Ethernet16 to Ethernet32. Items are joined by commas; blanks around an item
 * count for nothing, those within it are part of it. An item of digits alone
 * takes the prefix of the one before it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/entity.h"

#define PATTERN_ITEMS_MAX 32
#define PATTERN_NUMBER_MAX 999999u

struct pattern_item {
	char name[ENTITY_NAME_MAX];	/* whole, or the prefix of a range */
	bool is_range;
	uint32_t first, last, step;
};

/* count 0: an empty text, which matches no name by itself. */
struct pattern {
	unsigned count;
	struct pattern_item item[PATTERN_ITEMS_MAX];
};

/* Returns -EINVAL with d. */
int pattern_parse(const char *text, struct pattern *ret, struct diag *d);
/* Whether the item matches the name, in any case. */
bool pattern_item_matches(const struct pattern_item *item, const char *name);
/* Whether an item of the pattern matches the name. */
bool pattern_matches(const struct pattern *p, const char *name);

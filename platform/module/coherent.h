/* Performance monitoring of coherent modules (C-CMIS), pages 34h and 35h:
 * average, minimum and maximum over the module's interval. The pages hold
 * together only while they are frozen, which the module's owner alone may do.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "platform/module/tables.h"

/* 34h: a ratio of two counters. Index 0 average, 1 minimum, 2 maximum. */
struct coherent_ratio {
	uint16_t quantity;
	uint8_t octets;		/* of each counter */
	uint8_t part[3], whole[3];	/* where they stand */
};

/* All rows of 34h. */
const struct coherent_ratio *coherent_ratios(size_t *ret_count);
/* All rows of 35h. */
const struct field *coherent_fields(size_t *ret_count);

/* Hands over what is there. */
void coherent_decode(const struct view *v, const struct module_sink *sink);

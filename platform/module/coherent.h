/* Performance monitoring of coherent modules (C-CMIS), page 34h: average,
 * minimum and maximum of ratios over the module's interval; page 35h is in the
 * register table. The pages are consistent only while frozen, and only the
 * module's owner may freeze them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "platform/module/module.h"

struct view;

/* 34h: a ratio of two counters. Index 0 average, 1 minimum, 2 maximum. */
struct coherent_ratio {
	uint16_t quantity;
	uint8_t octets;		/* of each counter */
	uint8_t part[3], whole[3];	/* their first octets */
};

/* The table of ratios. */
const struct coherent_ratio *coherent_ratios(size_t *ret_count);

/* Passes on those that are present. */
void coherent_decode(const struct view *v, const struct module_sink *sink);

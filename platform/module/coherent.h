/* Performance monitoring of coherent modules (C-CMIS), page 34h: average,
 * minimum and maximum of ratios over the module's interval; page 35h is in the
 * register table. The pages hold together only while they are frozen, which the
 * module's owner alone may do.
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
	uint8_t part[3], whole[3];	/* where they stand */
};

/* All of them. */
const struct coherent_ratio *coherent_ratios(size_t *ret_count);

/* Hands over those that are there. */
void coherent_decode(const struct view *v, const struct module_sink *sink);

/* Coherent modules (C-CMIS): ratios of performance monitoring over the module's
 * interval (pages 34h and 3Ah), which of it the module has (42h), and flags
 * (33h). Page 35h is in the register table. The pages are consistent only while
 * frozen, and only the module's owner may freeze them. Of a module only 34h and
 * 35h are read; the others are taken from an image that has them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/module/module.h"

#define COHERENT_FLAGS 0x33u	/* pages */
#define COHERENT_RATIOS 0x34u
#define COHERENT_AVERAGES 0x35u
#define COHERENT_HOST_RATIOS 0x3au
#define COHERENT_TOLD 0x42u
#define COHERENT_TOLD_FIRST 128u
#define COHERENT_TOLD_LEN 13u

struct view;

/* A ratio of two counters. Index 0 average, 1 minimum, 2 maximum. */
struct coherent_ratio {
	uint16_t quantity;
	uint8_t page;
	uint8_t octets;		/* of each counter */
	uint8_t part[3], whole[3];	/* their first octets */
};

/* The table of ratios. */
const struct coherent_ratio *coherent_ratios(size_t *ret_count);

/* An octet of flags. */
struct coherent_flags {
	uint16_t quantity;
	uint8_t byte, count;	/* from bit 0 */
};

/* The table of flags. */
const struct coherent_flags *coherent_flags(size_t *ret_count);

/* Does the module have the value of 35h that a bit of 42h stands for? Also if
 * the page was not read, or is blank.
 */
bool coherent_is_told(const struct view *v, unsigned octet, unsigned bit);

/* Passes on what is present of ratios and flags. */
void coherent_decode(const struct view *v, unsigned parts,
		     const struct module_sink *sink);

/* CMIS versatile diagnostics, pages 20h to 2Fh: which observables a module
 * has, their values, thresholds and flags.
 *
 *   20h + group   64 descriptors: threshold set and lane, type
 *   24h + group   64 samples in the same order
 *   28h + group   16 sets of thresholds, in the format of their type
 *   2Ch           flags, a nibble each: reading clears them
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "platform/module/module.h"

struct view;

#define VDM_GROUPS_MAX 4u
#define VDM_GROUP_SLOTS 64u

enum vdm_form { VDM_U16, VDM_S16, VDM_F16, VDM_CENTI_DBM };

/* A type of observable: how its 16 bits are to be read. */
struct vdm_type {
	uint8_t type;
	uint8_t form;
	int32_t mul, div;
	uint16_t value, threshold, flag;	/* quantities */
};

/* The row of a type; NULL: none that Petrel knows. */
const struct vdm_type *vdm_type_find(unsigned type);
/* All rows. */
const struct vdm_type *vdm_types(size_t *ret_count);

/* Mantissa of 11 bits, exponent of 5 with a bias of 24, in units of 1e-18:
 * exact, but what lies below one unit is cut off. Returns QUALITY_GOOD,
 * QUALITY_BELOW_RESOLUTION, or QUALITY_IMPLAUSIBLE above a ratio of 1.
 */
enum sample_quality vdm_f16_e18(unsigned raw, int64_t *ret_e18);

/* Hands over what parts ask for. */
void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink);

/* The observables of CMIS versatile diagnostics by type: how to read their 16
 * bits, and their quantities.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/module.h"
#include "petrel/sample.h"

#define VDM_GROUPS_MAX 4u
#define VDM_GROUP_SLOTS 64u

/* First page of each kind, a page per group; flags have one for all. */
#define VDM_DESCRIPTORS 0x20u
#define VDM_SAMPLES 0x24u
#define VDM_SETS 0x28u
#define VDM_FLAGS 0x2cu
#define VDM_CONTROL 0x2fu

enum vdm_form {
	VDM_U16,
	VDM_S16,
	VDM_BER,	/* F16, of bits */
	VDM_FERC,	/* F16, of frames */
	VDM_MILLI,	/* F16, in thousandths */
	VDM_CENTI_DBM,
};

/* What it is counted for. Even numbers of VDM_PATH are the host's side. CMIS
 * 5.3 table 8-170 (unread; from qsfp-decode tools and SONiC's CPO design).
 */
enum vdm_scope { VDM_LANE, VDM_PATH, VDM_MODULE };

/* A type of observable: how to read its 16 bits. */
struct vdm_type {
	uint8_t type;
	uint8_t form;
	int32_t mul, div;
	uint16_t value, threshold, flag;	/* quantities */
	uint8_t of;		/* enum vdm_scope */
	bool is_never_0;	/* if the module measures it */
};

/* The row of a type; NULL if Petrel does not know it. */
const struct vdm_type *vdm_type_find(unsigned type);
/* All rows. */
const struct vdm_type *vdm_types(size_t *ret_count);

/* Mantissa of 11 bits, exponent of 5 with a bias of 24, in units of 1e-18:
 * exact, but truncated below one unit. Returns QUALITY_GOOD,
 * QUALITY_BELOW_RESOLUTION, or QUALITY_IMPLAUSIBLE above a ratio of 1.
 */
enum sample_quality vdm_f16_e18(unsigned raw, int64_t *ret_e18);

/* The value in the quantity's unit, and its quality: QUALITY_IMPLAUSIBLE at the
 * limits of its format, above half of all bits, and above what a laser sends.
 */
enum sample_quality vdm_type_convert(const struct vdm_type *t, unsigned raw,
				     int64_t *ret);

/* Why vdm_type_convert() found it implausible. */
enum reading_fault vdm_type_fault(const struct vdm_type *t, unsigned raw);

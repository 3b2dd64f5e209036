/* Observables of a module: their types, values, thresholds and flags.
 *
 * CMIS versatile diagnostics, pages 20h to 2Fh:
 *
 *   20h + group   64 descriptors: threshold set and lane, type
 *   24h + group   64 samples in the same order
 *   28h + group   16 sets of thresholds, in the format of their type
 *   2Ch           flags, a nibble each: reading clears them
 *
 * and the parameters of a QSFP (SFF-8636 pages 20h and 21h) that CMIS adopted:
 * SNR, level transition, bit and frame errors of each lane.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define PARAMS 24u
#define PARAMS_PAGE 0x20u
#define PARAMS_SETS_PAGE 0x21u
#define PARAMS_FLAGS 128u	/* of two each: reading clears them */
#define PARAMS_VALUES 152u	/* two octets each, by type */
#define PARAMS_KINDS 200u
#define PARAMS_SETS 128u	/* of thresholds, on their own page */

struct vdm_slot {
	const struct vdm_type *type;
	uint8_t nibble;			/* of its descriptor: the lane from 0; 8
					 * and above: none */
	uint8_t offset;			/* of its descriptor and its sample */
	uint8_t set_offset, flag_offset;
	uint8_t flag_shift;		/* of the first flag: the high alarm */
	bool is_downwards;		/* the others are below it */
};

/* A bank's data paths, and the lanes in its descriptors. */
struct vdm_bank {
	unsigned bank;
	uint8_t of_type[256];		/* bit n: a descriptor has nibble n */
	uint8_t first[MODULE_BANK_LANES];	/* host lane from 0 of a lane's
						 * data path */
	uint8_t host[MODULE_BANK_LANES], media[MODULE_BANK_LANES]; /* lanes */
	/* Media lane from 0 of the path that begins there, and the others on
	 * it by a bit each: two paths may share a wavelength.
	 */
	uint8_t carrier[MODULE_BANK_LANES], sharers[MODULE_BANK_LANES];
	uint8_t starts;			/* bit n: a data path begins there */
	uint8_t between;		/* bit n: none begins, or would begin,
					 * there */
};

/* Surveys a bank. */
void vdm_bank_survey(const struct view *v, unsigned bank,
		     struct vdm_bank *ret);

/* For slots that are neither a lane's nor counted by lane. */
unsigned vdm_slot_wider(const struct vdm_bank *b, const struct vdm_slot *s);

/* The owner, as a sink counts: a lane, MODULE_PATH and above, or 0. Some
 * modules count by lane what the standard counts by data path, or once: they
 * have an observable for a lane that does not begin a data path, or for another
 * lane than the first.
 */
static inline unsigned vdm_slot_owner(const struct vdm_bank *b,
				      const struct vdm_slot *s)
{
	unsigned others = s->type->of == VDM_MODULE ? 0xfe : b->between;
	bool is_by_lane = s->type->of == VDM_LANE ||
			  b->of_type[s->type->type] & others;

	return is_by_lane && s->nibble < MODULE_BANK_LANES ?
	       b->bank * MODULE_BANK_LANES + s->nibble + 1 :
	       vdm_slot_wider(b, s);
}

/* The slots of a group of a bank with a type that Petrel knows, as far as they
 * were read. Returns their number.
 */
unsigned vdm_group_slots(const struct view *v, unsigned bank, unsigned group,
			 struct vdm_slot ret[static VDM_GROUP_SLOTS]);

/* The same of a QSFP's parameters; nibble is the lane from 0. */
unsigned params_slots(const struct view *v,
		      struct vdm_slot ret[static PARAMS]);
/* The type of a CMIS observable there; 0: none. */
unsigned params_type(unsigned observable);

/* True if the module has observables, but its pages of them were not read. */
bool vdm_is_unread(const struct view *v);

/* Passes on what parts ask for: MODULE_VDM, MODULE_VDM_THRESHOLDS,
 * MODULE_FLAGS.
 */
void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink);

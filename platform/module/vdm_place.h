/* Where an observable's descriptor, sample, thresholds and flags stand, and
 * whose it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define VDM_ACTIVE_SET 206	/* 11h: application and data path of each lane */

struct vdm_slot {
	const struct vdm_type *type;
	uint8_t nibble;			/* of its descriptor: the lane from 0,
					 * from 8 on none */
	uint16_t sample_place, set_place, flag_place;
	uint8_t sample_offset, set_offset, flag_offset, flag_shift;
};

/* A bank's data paths, and what its descriptors count by lane. */
struct vdm_bank {
	unsigned bank;
	uint8_t of_type[256];		/* bit n: there is one for nibble n */
	uint8_t first[MODULE_BANK_LANES];	/* host lane from 0 of a lane's
						 * data path */
	uint8_t host[MODULE_BANK_LANES], media[MODULE_BANK_LANES]; /* lanes */
	uint8_t starts;			/* bit n: a data path begins there */
	uint8_t between;		/* bit n: one is there, begun before */
};

/* What is there in a bank. */
void vdm_bank_survey(const struct view *v, unsigned bank,
		     struct vdm_bank *ret);

/* Of what is neither a lane's nor counted by lane. */
unsigned vdm_slot_wider(const struct vdm_bank *b, const struct vdm_slot *s);

/* Whose it is, as a sink counts: a lane, MODULE_PATH and on, or 0. Modules may
 * count by lane what the standard counts by data path: then there is one for a
 * lane with which no data path begins.
 */
static inline unsigned vdm_slot_owner(const struct vdm_bank *b,
				      const struct vdm_slot *s)
{
	bool is_by_lane = s->type->of == VDM_LANE ||
			  b->of_type[s->type->type] & b->between;

	return is_by_lane && s->nibble < MODULE_BANK_LANES ?
	       b->bank * MODULE_BANK_LANES + s->nibble + 1 :
	       vdm_slot_wider(b, s);
}

/* A slot of a group of a bank. False when it holds nothing that Petrel knows,
 * or was not read.
 */
bool vdm_slot_get(const struct view *v, unsigned bank, unsigned group,
		  unsigned slot, struct vdm_slot *ret);

/* Its two octets, or NULL when they were not read. */
const uint8_t *vdm_slot_sample(const struct view *v,
			       const struct vdm_slot *s);

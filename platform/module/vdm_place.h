/* Where an observable's descriptor, sample, thresholds and flags stand. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vdm_type;
struct view;

struct vdm_slot {
	const struct vdm_type *type;
	unsigned lane;			/* from 1, over all banks */
	uint16_t sample_place, set_place, flag_place;
	uint8_t sample_offset, set_offset, flag_offset, flag_shift;
};

/* A slot of a group of a bank. False when it holds nothing that Petrel knows,
 * or was not read.
 */
bool vdm_slot_get(const struct view *v, unsigned bank, unsigned group,
		  unsigned slot, struct vdm_slot *ret);

/* Its two octets, or NULL when they were not read. */
const uint8_t *vdm_slot_sample(const struct view *v,
			       const struct vdm_slot *s);

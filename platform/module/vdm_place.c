#include "platform/module/vdm_place.h"

#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN
#define SET_LEN 8u
#define CUSTOM_FIRST 100u
#define CUSTOM_LAST 127u

/* The lane's nibble counts from 0; from 8 on it stands for the module or its
 * data path, which is given to the bank's first lane.
 */
static unsigned lane_of(unsigned nibble, unsigned bank)
{
	return bank * MODULE_BANK_LANES +
	       (nibble < MODULE_BANK_LANES ? nibble : 0) + 1;
}

/* Types that each vendor may give a meaning are those of PAM4 only where there
 * is PAM4: a coherent module has others under the same numbers.
 */
static const struct vdm_type *type_of(const struct view *v, unsigned number)
{
	if (number >= CUSTOM_FIRST && number <= CUSTOM_LAST &&
	    v->gates & GATE_COHERENT)
		return NULL;
	return vdm_type_find(number);
}

bool vdm_slot_get(const struct view *v, unsigned bank, unsigned group,
		  unsigned slot, struct vdm_slot *ret)
{
	const uint8_t *descriptor =
		view_octets(v, PLACE(bank, VDM_DESCRIPTORS + group),
			    HALF + 2 * slot, 2);
	const struct vdm_type *type =
		descriptor ? type_of(v, descriptor[1]) : NULL;

	if (!type)
		return false;
	*ret = (struct vdm_slot){
		.type = type,
		.lane = lane_of(descriptor[0] & 0xf, bank),
		.sample_place = PLACE(bank, VDM_SAMPLES + group),
		.sample_offset = (uint8_t)(HALF + 2 * slot),
		.set_place = PLACE(bank, VDM_SETS + group),
		.set_offset = (uint8_t)(HALF +
					(descriptor[0] >> 4) * SET_LEN),
		.flag_place = PLACE(bank, VDM_FLAGS),
		.flag_offset = (uint8_t)(HALF + 32 * group + slot / 2),
		.flag_shift = slot % 2 ? 4 : 0,
	};
	return true;
}

const uint8_t *vdm_slot_sample(const struct view *v, const struct vdm_slot *s)
{
	return view_octets(v, s->sample_place, s->sample_offset, 2);
}

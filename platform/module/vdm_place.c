#include "platform/module/vdm_place.h"

#include <errno.h>
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN
#define SET_LEN 8u
#define CUSTOM_FIRST 100u
#define CUSTOM_LAST 127u

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
		.nibble = descriptor[0] & 0xf,
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

/* --- whose it is ---------------------------------------------------------- */

/* A host lane's data path: its first lane, from 0, which is the path's number;
 * -ENODATA: it is in none, or nobody read it.
 */
static int path_of(const struct view *v, unsigned bank, unsigned lane,
		   unsigned *ret_application)
{
	int octet = view_octet(v, PLACE(bank, 0x11), VDM_ACTIVE_SET + lane);

	if (octet < 0 || !(octet >> 4))
		return -ENODATA;
	*ret_application = (unsigned)octet >> 4;
	return octet >> 1 & 7;
}

static void paths_find(const struct view *v, unsigned bank,
		       struct vdm_bank *ret)
{
	for (unsigned lane = 0; lane < MODULE_BANK_LANES; lane++) {
		struct application a = { .media_lanes = 0 };
		unsigned number = 1, found;
		int first = path_of(v, bank, lane, &number);

		found = number - 1;
		if (!application_next(v, &found, &a) || found != number)
			a.host_lanes = a.media_lanes = 0;
		if (first < 0) {	/* as the default application has it */
			ret->first[lane] = (uint8_t)lane;
			ret->host[lane] += a.host_lanes;
		} else {
			ret->first[lane] = (uint8_t)first;
			ret->starts |= (uint8_t)(1u << first);
			ret->host[first]++;
		}
		ret->media[ret->first[lane]] = a.media_lanes;
	}
	if (ret->starts)
		ret->between = (uint8_t)~ret->starts;
}

void vdm_bank_survey(const struct view *v, unsigned bank, struct vdm_bank *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->bank = bank;
	paths_find(v, bank, ret);
	for (unsigned group = 0; group < v->vdm_groups; group++) {
		const uint8_t *d =
			view_octets(v, PLACE(bank, VDM_DESCRIPTORS + group),
				    HALF, 2 * VDM_GROUP_SLOTS);

		for (unsigned i = 0; d && i < VDM_GROUP_SLOTS; i++) {
			unsigned nibble = d[2 * i] & 0xf;

			ret->of_type[d[2 * i + 1]] |=
				(uint8_t)(1u << (nibble & 7) &
					  (nibble > 7 ? 0 : 0xff));
		}
	}
}

static unsigned path_owner(const struct vdm_bank *b, const struct vdm_slot *s)
{
	unsigned base = b->bank * MODULE_BANK_LANES, first;
	uint8_t lanes = b->of_type[s->type->type];
	bool is_host = s->type->type % 2 == 0;

	if (s->nibble >= MODULE_BANK_LANES) {
		if (!b->starts || b->starts & (b->starts - 1))
			return 0;	/* which of them it does not say */
		first = (unsigned)__builtin_ctz(b->starts);
		return MODULE_PATH + base + first + 1;
	}
	first = b->first[s->nibble];
	if ((!b->starts && lanes & (lanes - 1)) ||
	    (is_host ? b->host[first] : b->media[first]) <= 1)
		return base + s->nibble + 1;
	return MODULE_PATH + base + first + 1;
}

unsigned vdm_slot_wider(const struct vdm_bank *b, const struct vdm_slot *s)
{
	return s->type->of == VDM_PATH ? path_owner(b, s) : 0;
}

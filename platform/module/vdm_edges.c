#include "platform/module/vdm_edges.h"

#include <stdio.h>
#include <string.h>

#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

/* One at the end of its range is never crossed, and none. */
static unsigned edges_convert(struct vdm_edges *e, const char **ret_why)
{
	static const uint8_t unset[VDM_SET_LEN];
	unsigned have = 0;

	*ret_why = NULL;
	if (memcmp(e->octets, unset, VDM_SET_LEN) == 0)
		return 0;
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		e->quality[i] = vdm_type_convert(e->type,
						 view_be16(e->octets + 2 * i),
						 &e->value[i]);
		have |= (unsigned)(e->quality[i] != QUALITY_IMPLAUSIBLE) << i;
	}
	/* zero is a high one that was not set, where nothing is below it */
	for (unsigned i = 0; i < EDGES_COUNT; i += 2)
		if (e->type->form != VDM_S16 && !e->value[i])
			have &= ~(1u << i);
	return edges_judge(e->value, have, ret_why);
}

static void edges_doubt(const struct view *v, unsigned place, unsigned offset,
			const struct vdm_type *t, const char *why,
			const struct module_sink *sink)
{
	const struct quantity_info *q = quantity_find(t->threshold);
	char where[32], what[160];

	view_where(v, place, offset, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "%s: %s: not used", q ? q->name :
		       "thresholds", why);
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_RANGE, MODULE_VDM_THRESHOLDS, 0, where, what });
}

bool vdm_edges_read(struct vdm_edges *e, const struct view *v, unsigned place,
		    unsigned offset, const struct vdm_type *t,
		    const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, place, offset, VDM_SET_LEN);
	const char *why;

	if (!octets)
		return false;
	if (e->octets == octets && e->type == t)
		return true;
	e->octets = octets;
	e->type = t;
	e->good = edges_convert(e, &why);
	if (why)
		edges_doubt(v, place, offset, t, why, sink);
	return true;
}

void vdm_edges_tell(const struct vdm_edges *e, unsigned lane, bool is_guessed,
		    const struct module_sink *sink)
{
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		if (e->good >> i & 1)
			sink->value(sink->context,
				    (enum quantity)e->type->threshold, lane, i,
				    e->value[i], is_guessed ?
				    QUALITY_ESTIMATED : e->quality[i]);
	}
}

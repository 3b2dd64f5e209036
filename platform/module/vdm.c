#include "platform/module/vdm.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/field.h"
#include "platform/module/vdm_place.h"
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define SET_LEN 8u

static void tell_implausible(const struct view *v, const struct vdm_slot *s,
			     unsigned lane, unsigned raw,
			     const struct module_sink *sink)
{
	const struct quantity_info *q = quantity_find(s->type->value);
	enum reading_fault fault = vdm_type_fault(s->type, raw);
	char where[32], what[160], of[32] = "";

	view_where(v, s->sample_place, s->sample_offset, where, sizeof(where));
	if (lane)
		(void)snprintf(of, sizeof(of), " of %s %u",
			       lane > MODULE_PATH ? "data path" : "lane",
			       lane % MODULE_PATH);
	(void)snprintf(what, sizeof(what), "%s%s reads 0x%04x: %s",
		       q ? q->name : "VDM", of, raw,
		       fault == FAULT_RANGE ? "more than can be" :
					      "the limit of the register");
	sink->implausible(sink->context, &(struct module_doubt){
		fault, MODULE_VDM, lane, where, what });
}

/* Nobody read whether the module has VDM: it may be something else. */
static enum sample_quality quality_of(const struct view *v,
				      enum sample_quality quality)
{
	return v->untold & GATE_VDM ? QUALITY_ESTIMATED : quality;
}

static void value_decode(const struct view *v, const struct vdm_slot *s,
			 unsigned lane, const struct module_sink *sink)
{
	const uint8_t *octets = vdm_slot_sample(v, s);
	enum sample_quality quality;
	int64_t value = 0;
	unsigned raw;

	if (!octets)
		return;
	raw = view_be16(octets);
	quality = vdm_type_convert(s->type, raw, &value);
	if (quality == QUALITY_IMPLAUSIBLE)
		tell_implausible(v, s, lane, raw, sink);
	else
		sink->value(sink->context, (enum quantity)s->type->value,
			    lane, 0, value, quality_of(v, quality));
}

/* Thresholds of one set in the format of one type; lanes share them. */
struct edges {
	const uint8_t *octets;
	const struct vdm_type *type;
	unsigned good;			/* bit n: edge n can be so */
	int64_t value[EDGES_COUNT];
	enum sample_quality quality[EDGES_COUNT];
};

static unsigned edges_convert(struct edges *e, const char **ret_why)
{
	static const uint8_t unset[SET_LEN];
	unsigned have = 0;

	*ret_why = NULL;
	if (memcmp(e->octets, unset, SET_LEN) == 0)
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

static void edges_doubt(const struct view *v, const struct vdm_slot *s,
			const char *why, const struct module_sink *sink)
{
	const struct quantity_info *q = quantity_find(s->type->threshold);
	char where[32], what[160];

	view_where(v, s->set_place, s->set_offset, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "%s: %s: not used", q ? q->name :
		       "thresholds", why);
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_RANGE, MODULE_VDM_THRESHOLDS, 0, where, what });
}

/* One at the end of its range is never crossed, and none. */
static void thresholds_decode(const struct view *v, const struct vdm_slot *s,
			      unsigned lane, struct edges *e,
			      const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, s->set_place, s->set_offset,
					    SET_LEN);
	const char *why;

	if (!octets)
		return;
	if (e->octets != octets || e->type != s->type) {
		e->octets = octets;
		e->type = s->type;
		e->good = edges_convert(e, &why);
		if (why)
			edges_doubt(v, s, why, sink);
	}
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		if (e->good >> i & 1)
			sink->value(sink->context,
				    (enum quantity)s->type->threshold,
				    lane, i, e->value[i],
				    quality_of(v, e->quality[i]));
	}
}

static void flags_decode(const struct view *v, const struct vdm_slot *s,
			 unsigned lane, const struct module_sink *sink)
{
	int octet = view_octet(v, s->flag_place, s->flag_offset);

	for (unsigned i = 0; octet >= 0 && i < EDGES_COUNT; i++)
		sink->value(sink->context, (enum quantity)s->type->flag,
			    lane, i, octet >> (s->flag_shift + i) & 1,
			    QUALITY_GOOD);
}

static void group_decode(const struct view *v, const struct vdm_bank *b,
			 unsigned group, unsigned parts,
			 const struct module_sink *sink)
{
	struct edges edges = { .octets = NULL };
	struct vdm_slot s;

	for (unsigned slot = 0; slot < VDM_GROUP_SLOTS; slot++) {
		unsigned lane;

		if (!vdm_slot_get(v, b->bank, group, slot, &s))
			continue;
		lane = vdm_slot_owner(b, &s);
		if (!lane && b->bank)	/* the first bank's */
			continue;
		if (parts & MODULE_VDM)
			value_decode(v, &s, lane, sink);
		if (parts & MODULE_VDM_THRESHOLDS)
			thresholds_decode(v, &s, lane, &edges, sink);
		if (parts & MODULE_FLAGS)
			flags_decode(v, &s, lane, sink);
	}
}

void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink)
{
	struct vdm_bank b;

	if (!((v->gates | v->untold) & GATE_VDM) ||
	    !(parts & (MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS)))
		return;
	for (unsigned bank = 0; bank < v->banks; bank++) {
		vdm_bank_survey(v, bank, &b);
		for (unsigned group = 0; group < v->vdm_groups; group++)
			group_decode(v, &b, group, parts, sink);
	}
}

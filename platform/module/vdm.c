#include "platform/module/vdm.h"

#include <stdbool.h>
#include <stdio.h>

#include "platform/module/vdm_edges.h"
#include "platform/module/vdm_place.h"
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

/* One group of one bank. */
struct group {
	const struct view *v;
	const struct vdm_bank *bank;
	const struct module_sink *sink;
	unsigned samples, sets, flags;	/* places */
	bool is_guessed;	/* nobody read whether the module has VDM */
};

static void tell_implausible(const struct group *g, const struct vdm_slot *s,
			     unsigned lane, unsigned raw)
{
	const struct quantity_info *q = quantity_find(s->type->value);
	enum reading_fault fault = vdm_type_fault(s->type, raw);
	char where[32], what[160], of[32] = "";

	view_where(g->v, g->samples, s->offset, where, sizeof(where));
	if (lane)
		(void)snprintf(of, sizeof(of), " of %s %u",
			       lane > MODULE_PATH ? "data path" : "lane",
			       lane % MODULE_PATH);
	(void)snprintf(what, sizeof(what), "%s%s reads 0x%04x: %s",
		       q ? q->name : "VDM", of, raw,
		       fault == FAULT_RANGE ? "more than can be" :
					      "the limit of the register");
	g->sink->implausible(g->sink->context, &(struct module_doubt){
		fault, MODULE_VDM, lane, where, what });
}

static void value_decode(const struct group *g, const struct vdm_slot *s,
			 unsigned lane)
{
	const uint8_t *octets = view_octets(g->v, g->samples, s->offset, 2);
	enum sample_quality quality;
	int64_t value = 0;
	unsigned raw;

	if (!octets)
		return;
	raw = view_be16(octets);
	quality = vdm_type_convert(s->type, raw, &value);
	if (quality == QUALITY_IMPLAUSIBLE)
		tell_implausible(g, s, lane, raw);
	else
		g->sink->value(g->sink->context,
			       (enum quantity)s->type->value, lane, 0, value,
			       g->is_guessed ? QUALITY_ESTIMATED : quality);
}

static void flags_decode(const struct group *g, const struct vdm_slot *s,
			 unsigned lane)
{
	const uint8_t *octet = view_octets(g->v, g->flags, s->flag_offset, 1);

	for (unsigned i = 0; octet && i < EDGES_COUNT; i++)
		g->sink->value(g->sink->context, (enum quantity)s->type->flag,
			       lane, i, *octet >> (s->flag_shift + i) & 1,
			       QUALITY_GOOD);
}

static void group_decode(const struct group *g, unsigned group, unsigned parts)
{
	struct vdm_edges edges = { .octets = NULL };
	struct vdm_slot slots[VDM_GROUP_SLOTS];
	unsigned n = vdm_group_slots(g->v, g->bank->bank, group, slots);

	for (unsigned i = 0; i < n; i++) {
		unsigned lane = vdm_slot_owner(g->bank, &slots[i]);

		if (!lane && g->bank->bank)	/* the first bank's */
			continue;
		if (parts & MODULE_VDM)
			value_decode(g, &slots[i], lane);
		if (parts & MODULE_VDM_THRESHOLDS &&
		    vdm_edges_read(&edges, g->v, g->sets, slots[i].set_offset,
				   slots[i].type, g->sink))
			vdm_edges_tell(&edges, lane, g->is_guessed, g->sink);
		if (parts & MODULE_FLAGS)
			flags_decode(g, &slots[i], lane);
	}
}

static void bank_decode(const struct view *v, unsigned bank, unsigned parts,
			const struct module_sink *sink)
{
	struct vdm_bank b;
	struct group g = { .v = v, .bank = &b, .sink = sink,
			   .flags = PLACE(bank, VDM_FLAGS),
			   .is_guessed = v->untold & GATE_VDM };

	vdm_bank_survey(v, bank, &b);
	for (unsigned group = 0; group < v->vdm_groups; group++) {
		g.samples = PLACE(bank, VDM_SAMPLES + group);
		g.sets = PLACE(bank, VDM_SETS + group);
		group_decode(&g, group, parts);
	}
}

void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink)
{
	if (!((v->gates | v->untold) & GATE_VDM) ||
	    !(parts & (MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS)))
		return;
	for (unsigned bank = 0; bank < v->banks; bank++)
		bank_decode(v, bank, parts, sink);
}

#include "platform/module/register_tables.h"

#include "platform/module/vdm_type.h"

#define GUESSED_PARTS (MODULE_MONITORS | MODULE_THRESHOLDS | MODULE_STATUS)

static const struct module_tables no_tables = { .name = "" };

const struct module_tables *tables_of(enum module_standard standard)
{
	switch (standard) {
	case MODULE_CMIS:
		return &cmis_tables;
	case MODULE_SFF8636:
		return &sff8636_tables;
	case MODULE_SFF8472:
		return &sff8472_tables;
	default:
		return &no_tables;
	}
}

/* Is it in doubt what a register means, or by what it is multiplied? That of
 * bias is told beside it.
 */
static bool meaning_is_doubted(const struct register_field *f,
			       const struct view *v)
{
	uint64_t deciding = tables_of(v->standard)->meanings |
			    (f->is_multiplied ? GATE_TX_BIAS : 0);

	return (f->needs | f->unless) & v->doubted & deciding;
}

bool field_is_open(const struct register_field *f, const struct view *v)
{
	return (v->gates & f->needs) == f->needs && !(v->gates & f->unless) &&
	       !(v->doubted && meaning_is_doubted(f, v)) &&
	       (!f->is_multiplied || v->bias_multiplier);
}

bool field_is_guessed(const struct register_field *f, const struct view *v)
{
	uint64_t missing = f->needs & ~v->gates;

	return missing && !(missing & ~v->untold) && !(v->gates & f->unless) &&
	       !((f->needs | f->unless) & v->untold &
		 tables_of(v->standard)->meanings) &&
	       !f->is_multiplied && f->part & GUESSED_PARTS;
}

/* The parts that need a page of VDM; none if the module does not have the
 * group.
 */
static unsigned vdm_parts(const struct view *v, unsigned page)
{
	bool is_of_group = page < VDM_FLAGS &&
			   (page - VDM_DESCRIPTORS) % VDM_GROUPS_MAX <
			   v->vdm_groups;

	if (page == VDM_FLAGS)
		return MODULE_FLAGS;
	if (page >= VDM_SETS && is_of_group)
		return MODULE_VDM_THRESHOLDS;
	if (page >= VDM_SAMPLES && is_of_group)
		return MODULE_VDM;
	return is_of_group || page == VDM_CONTROL ?
	       MODULE_VDM | MODULE_VDM_THRESHOLDS : 0;
}

/* VDM and coherent pages have tables of their own. */
static unsigned special_parts(const struct view *v, unsigned page)
{
	if (page >= VDM_DESCRIPTORS && page <= VDM_CONTROL)
		return v->gates & GATE_VDM ? vdm_parts(v, page) : 0;
	if (page == 0x34 || page == 0x35)
		return v->gates & GATE_COHERENT ? MODULE_PM : 0;
	return 0;
}

bool place_is(unsigned row, unsigned place)
{
	unsigned page = place_page(place);

	return row == place || (page >= 0x10 && page != MODULE_LOWER &&
				place_page(row) == page);
}

unsigned tables_use(const struct module_tables *t, const struct view *v,
		    unsigned place, unsigned from, unsigned to, unsigned parts)
{
	unsigned used = 0;

	if (v->standard == MODULE_CMIS && place_bank(place) >= v->banks)
		return 0;
	if (v->standard == MODULE_CMIS)
		used = special_parts(v, place_page(place)) & parts;
	for (size_t i = 0; i < t->field_count; i++) {
		const struct register_field *f = &t->fields[i];

		if ((f->part & parts & ~used) && place_is(f->place, place) &&
		    f->byte >= from && f->byte <= to && field_is_open(f, v))
			used |= f->part;
	}
	return used;
}

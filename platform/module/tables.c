#include "platform/module/tables.h"

#include "platform/module/vdm_type.h"

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

/* VDM and coherent pages stand in tables of their own. */
static unsigned special_parts(const struct view *v, unsigned page)
{
	if (page >= VDM_DESCRIPTORS && page <= VDM_CONTROL)
		return v->gates & GATE_VDM ?
		       MODULE_VDM | MODULE_VDM_THRESHOLDS : 0;
	if (page == 0x34 || page == 0x35)
		return v->gates & GATE_COHERENT ? MODULE_PM : 0;
	return 0;
}

bool place_is(unsigned row, unsigned place)
{
	unsigned page = place & 0xff;

	return row == place || (page >= 0x10 && page != MODULE_LOWER &&
				(row & 0xff) == page);
}

unsigned tables_use(const struct module_tables *t, const struct view *v,
		    unsigned place, unsigned parts)
{
	unsigned used = 0;

	if (v->standard == MODULE_CMIS)
		used = special_parts(v, place & 0xff) & parts;
	for (size_t i = 0; i < t->field_count; i++) {
		const struct field *f = &t->fields[i];

		if ((f->part & parts & ~used) && place_is(f->place, place) &&
		    field_is_open(f, v))
			used |= f->part;
	}
	return used;
}

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
static bool page_is_special(const struct view *v, unsigned page,
			    unsigned parts)
{
	if (page >= VDM_DESCRIPTORS && page <= VDM_CONTROL)
		return (v->gates & GATE_VDM) &&
		       (parts & (MODULE_VDM | MODULE_VDM_THRESHOLDS));
	if (page == 0x34 || page == 0x35)
		return (v->gates & GATE_COHERENT) && (parts & MODULE_PM);
	return false;
}

bool place_is(unsigned row, unsigned place)
{
	unsigned page = place & 0xff;

	return row == place || (page >= 0x10 && page != MODULE_LOWER &&
				(row & 0xff) == page);
}

bool tables_use(const struct module_tables *t, const struct view *v,
		unsigned place, unsigned parts)
{
	unsigned page = place & 0xff;

	if (v->standard == MODULE_CMIS && page_is_special(v, page, parts))
		return true;
	for (size_t i = 0; i < t->field_count; i++) {
		const struct field *f = &t->fields[i];

		if (place_is(f->place, place) && (f->part & parts) &&
		    field_is_open(f, v))
			return true;
	}
	return false;
}

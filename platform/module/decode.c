#include <errno.h>

#include "platform/module/coherent.h"
#include "platform/module/field.h"
#include "platform/module/module.h"
#include "platform/module/params.h"
#include "platform/module/survey.h"
#include "platform/module/text.h"
#include "platform/module/vdm.h"

int module_decode(const struct module_image *m, unsigned parts,
		  const struct module_sink *sink, struct diag *d)
{
	const struct module_tables *t;
	uint8_t identifier;
	struct view v;

	if (module_image_get(m, 0, MODULE_LOWER, 0, &identifier, 1) < 0)
		return diag_set(d, -ENODATA, "octet 0 of the lower memory, "
				"which tells the type, was not read");
	if (module_standard_of(m) == MODULE_UNKNOWN)
		return diag_set(d, -EOPNOTSUPP, "00h:0 is 0x%02x, a type that "
				"is none of SFP (0x03), QSFP (0x0c, 0x0d, "
				"0x11) or CMIS (0x18 to 0x1b, 0x1e to 0x25, "
				"0x80)", identifier);
	survey(&v, m);
	t = tables_of(v.standard);
	survey_check(&v, parts, sink);
	for (size_t i = 0; parts & MODULE_IDENTITY && i < t->text_count; i++)
		text_decode(&t->texts[i], &v, sink);
	for (size_t i = 0; i < t->field_count; i++) {
		if (t->fields[i].part & parts)
			field_decode(&t->fields[i], &v, sink);
	}
	if (v.standard == MODULE_SFF8636)
		params_decode(&v, parts, sink);
	if (v.standard != MODULE_CMIS)
		return 0;
	vdm_decode(&v, parts, sink);
	if (parts & MODULE_PM)
		coherent_decode(&v, sink);
	return 0;
}

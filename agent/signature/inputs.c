#include "agent/signature/inputs.h"

const struct input_row *input_rows(size_t *ret_count)
{
	static const struct input_row rows[] = {
#define INPUT(name, many, quantity, index, owner, key, form)		\
	{ INPUT_##name, many, quantity, index, OWNER_##owner,		\
	  FORM_##form, 0, key },
#define INPUT_ALSO(name, many, quantity, owner, shift)			\
	{ INPUT_##name, many, quantity, 0, OWNER_##owner, FORM_COUNT,	\
	  shift, NULL },
#include "agent/signature/inputs.def"
#undef INPUT
#undef INPUT_ALSO
	};

	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

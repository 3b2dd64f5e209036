#include "tests/support/cell_object.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "agent/ctl/json_out.h"

struct json_object *cell_object(const char *key, uint32_t unit,
				const struct cell *cell)
{
	struct json_out j = { .has_before = false };
	struct json_object *o;
	char *text = NULL;
	size_t len;

	j.buffer.out = open_memstream(&text, &len);
	json_out_begin(&j, NULL, '{');
	json_out_cell(&j, key, unit, cell);
	json_out_end(&j, '}');
	out_buffer_flush(&j.buffer);
	(void)fclose(j.buffer.out);
	o = json_tokener_parse(text);
	free(text);
	return o;
}

/* Text of SONiC's database_config.json. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "platform/sonic/switchdb/database.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct databases d;
	struct diag why = { "" };

	if (databases_parse((const char *)data, size, &d, &why) < 0) {
		assert(why.text[0]);
		return 0;
	}
	for (unsigned i = 0; i < DATABASE_COUNT; i++)
		if (d.of[i].known)
			assert(d.of[i].socket[0] == '/' &&
			       strnlen(d.of[i].socket, DATABASE_PATH_MAX) <
			       DATABASE_PATH_MAX);
	return 0;
}

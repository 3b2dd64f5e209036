/* Text of SONiC's database_global.json. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "platform/sonic/switchdb/database.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct database_global n;
	struct diag why = { "" };

	if (database_global_parse((const char *)data, size, "/a/b.json", &n,
			     &why) < 0) {
		assert(why.text[0]);
		return 0;
	}
	assert(n.count <= DATABASE_GLOBAL_MAX);
	for (size_t i = 0; i < n.count; i++)
		assert(n.of[i].name[0] && n.of[i].config[0] &&
		       strnlen(n.of[i].name, NAMESPACE_NAME_MAX) <
			       NAMESPACE_NAME_MAX &&
		       strnlen(n.of[i].config, DATABASE_PATH_MAX) <
			       DATABASE_PATH_MAX);
	return 0;
}

/* Text of SONiC's database_global.json. */
#include <assert.h>
#include <string.h>

#include "platform/sonic/switchdb/namespaces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct namespaces n;
	struct diag why = { "" };

	if (namespaces_parse((const char *)data, size, "/a/b.json", &n,
			     &why) < 0) {
		assert(why.text[0]);
		return 0;
	}
	assert(n.count <= NAMESPACES_MAX);
	for (size_t i = 0; i < n.count; i++)
		assert(n.of[i].name[0] && n.of[i].config[0] &&
		       strnlen(n.of[i].name, SPACE_NAME_MAX) < SPACE_NAME_MAX &&
		       strnlen(n.of[i].config, DATABASE_PATH_MAX) <
			       DATABASE_PATH_MAX);
	return 0;
}

/* NAME.driver files: any octets are read or refused. */
#include <stddef.h>
#include <stdint.h>

#include "platform/driver_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct driver_file *f = NULL;
	struct diag d;

	if (driver_file_new("fuzz.driver", 4, (const char *)data, len, &f,
			    &d) == 0)
		driver_file_free(f);
	return 0;
}

/* SFF-8472: any octets in any page are decoded and planned for. */
#include "tests/support/fuzz_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_module(0x03, data, len);
	return 0;
}

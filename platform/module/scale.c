#include "platform/module/scale.h"

int64_t scale_number(int64_t raw, int64_t mul, int64_t div)
{
	int64_t product = raw * (mul ? mul : 1);
	uint64_t size = (uint64_t)(product < 0 ? -product : product);

	if (div <= 1)
		return product;
	size += (uint64_t)div / 2;
	if (size <= UINT32_MAX)		/* thrice as fast as 64 bits */
		size = (uint32_t)size / (uint32_t)div;
	else
		size /= (uint64_t)div;
	return product < 0 ? -(int64_t)size : (int64_t)size;
}

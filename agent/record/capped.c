#include "agent/record/capped.h"

#include <stdlib.h>

#define OVERHEAD 16u	/* of an allocation, about */

static void *capped_alloc(void *data, size_t size)
{
	struct capped *c = data;

	if (size > c->left || c->left - size < OVERHEAD) {
		c->refused = true;
		return NULL;
	}
	c->left -= size + OVERHEAD;
	return malloc(size);
}

static void capped_free(void *data, void *pointer)
{
	(void)data;
	free(pointer);
}

void capped_init(struct capped *c, size_t octets)
{
	*c = (struct capped){ .left = octets };
	c->allocator.alloc = capped_alloc;
	c->allocator.free = capped_free;
	c->allocator.allocator_data = c;
}

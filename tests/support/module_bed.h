/* A module's memory and what its decoder said, for tests by cmocka: what those
 * of the decoder begin with.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/module_twin.h"

struct bed {
	struct module_image image;
	struct said said;
};

static int bed_new(void **state)
{
	*state = calloc(1, sizeof(struct bed));
	return *state ? 0 : -1;
}

static int bed_free(void **state)
{
	free(*state);
	return 0;
}

static inline void expect(const struct bed *b, enum quantity q, unsigned lane,
			  unsigned index, int64_t value)
{
	const struct said_value *v = said_find(&b->said, q, lane, index);

	if (!v)
		fail_msg("nothing said of %s, lane %u, index %u",
			 quantity_find((uint16_t)q)->name, lane, index);
	assert_int_equal(v->value, value);
	assert_int_equal(v->quality, QUALITY_GOOD);
}

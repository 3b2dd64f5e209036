/* Lists of lanes as SONiC writes them into one field of PORT_PHY_ATTR:
 *
 *   {"0": ["T*", 1678886400000, 10], "1": ["F", 0, 0]}	a state, when it
 *		changed last (ms since 1970), how often; * where it changed
 *		since the last look
 *   {"0": 36697, "1": 35200}				a number
 *
 * Nothing is allocated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANES_MAX 16	/* of a port */

enum lanes_kind {
	LANES_STATE,
	LANES_NUMBER,
	LANES_SNR,	/* 1/256 dB, to thousandths of a dB */
};

struct lanes {
	uint32_t present;	/* bit n: lane n */
	bool counts;		/* count[] is filled too */
	int64_t value[LANES_MAX], count[LANES_MAX];
};

/* Lanes beyond LANES_MAX are left out. Returns -EINVAL when it is not
 * written so, -ENODATA when no lane is in it.
 */
int lanes_parse(enum lanes_kind kind, const char *text, size_t len,
		struct lanes *ret);

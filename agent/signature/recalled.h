/* What became of the ports' memory (memory.h), in numbers. */
#pragma once

#include <stddef.h>

struct recalled {
	size_t ports;		/* in the octets */
	size_t waiting;		/* not known yet, or without FEC and speed, for
				 * up to ten minutes. Octets written meanwhile
				 * lack these ports. */
	size_t taken;		/* their state goes on */
	size_t other_module;	/* learned anew: another serial */
	size_t not_sane;	/* learned anew: impossible values */
};

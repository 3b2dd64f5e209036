/* The laws by which plant C's faults grow. */
#pragma once

#include <stdint.h>

enum c_law { C_DIFFUSES, C_WEARS_OUT, C_CREEPS, C_SATURATES, C_JUMPS, C_CYCLES,
	     C_PAUSES, C_RELAPSES, C_STOPS, C_AVALANCHES, C_LAW_COUNT };

extern const char *const c_law_names[];

/* How far it has grown at a share of its span: 0 at 0, about 1 at 1. */
double c_law_growth(enum c_law law, double share, uint64_t mark);

/* The quick form of a long test. Under valgrind (PETREL_SLOW), which takes 50
 * times as long, it plays less of the same through the same code; all of it
 * runs without valgrind, and with the sanitizers.
 */
#pragma once

#include <stdlib.h>

/* A count, a span or a step. */
static inline unsigned quick(unsigned whole, unsigned less)
{
	return getenv("PETREL_SLOW") ? less : whole;
}

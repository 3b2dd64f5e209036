/* Sorting that takes no memory: qsort() of glibc does, from a kilobyte on. */
#pragma once

#include <stddef.h>

/* As qsort(); equal members may change places. */
void sort_in_place(void *base, size_t n, size_t size,
		   int (*order)(const void *a, const void *b));

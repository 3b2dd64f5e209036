/* Sorting without allocation: qsort() of glibc allocates from a kilobyte on. */
#pragma once

#include <stddef.h>

/* As qsort(); not stable. */
void sort_in_place(void *base, size_t n, size_t size,
		   int (*order)(const void *a, const void *b));

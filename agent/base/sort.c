#include "agent/base/sort.h"

#include <stdint.h>

/* A heap: no member is below its two children, 2i+1 and 2i+2. */
struct heap {
	uint8_t *base;
	size_t size;
	int (*order)(const void *a, const void *b);
};

static uint8_t *member(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

static void swap(const struct heap *h, size_t i, size_t j)
{
	uint8_t *a = member(h, i), *b = member(h, j);

	for (size_t n = 0; n < h->size; n++) {
		uint8_t octet = a[n];

		a[n] = b[n];
		b[n] = octet;
	}
}

/* Sifts down member i, which may be below its children, of n in all. */
static void sink(const struct heap *h, size_t i, size_t n)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n &&
		    h->order(member(h, child), member(h, child + 1)) < 0)
			child++;
		if (h->order(member(h, i), member(h, child)) >= 0)
			return;
		swap(h, i, child);
		i = child;
	}
}

void sort_in_place(void *base, size_t n, size_t size,
		   int (*order)(const void *a, const void *b))
{
	struct heap h = { base, size, order };

	for (size_t i = n / 2; i-- > 0;)
		sink(&h, i, n);
	while (n > 1) {
		swap(&h, 0, --n);
		sink(&h, 0, n);
	}
}

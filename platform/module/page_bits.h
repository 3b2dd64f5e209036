/* A set of octets of a page: a bit each, as in struct module_page. Ranges end
 * within the page.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct page_bits {
	uint64_t word[2];
};

/* The lowest n bits; all if n is 64 or more. */
static inline uint64_t page_bits_lowest(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* n octets, beginning with from. */
static inline struct page_bits page_bits_range(unsigned from, unsigned n)
{
	unsigned to = from + n;

	return (struct page_bits){ {
		page_bits_lowest(to) & ~page_bits_lowest(from),
		page_bits_lowest(to > 64 ? to - 64 : 0) &
			~page_bits_lowest(from > 64 ? from - 64 : 0),
	} };
}

static inline void page_bits_add(uint64_t bits[static 2], struct page_bits add)
{
	bits[0] |= add.word[0];
	bits[1] |= add.word[1];
}

static inline bool page_bits_have(const uint64_t bits[static 2],
				  struct page_bits all)
{
	return (bits[0] & all.word[0]) == all.word[0] &&
	       (bits[1] & all.word[1]) == all.word[1];
}

static inline bool page_bits_meet(const uint64_t bits[static 2],
				  struct page_bits some)
{
	return (bits[0] & some.word[0]) || (bits[1] & some.word[1]);
}

static inline bool page_bits_at(const uint64_t bits[static 2], unsigned octet)
{
	return bits[octet / 64] >> octet % 64 & 1;
}

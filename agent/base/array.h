/* Arrays that grow. */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Ensures room for want members of size octets; *cap: the current room. Returns
 * the array, which may have moved; NULL: no memory, nothing changed. The room
 * doubles, from 16 on.
 */
static inline void *array_room(void *list, size_t *cap, size_t want,
			       size_t size)
{
	size_t more = *cap ? *cap : 16;
	void *moved;

	if (want <= *cap)
		return list;
	while (more < want)
		more *= 2;
	moved = reallocarray(list, more, size);
	if (moved)
		*cap = more;
	return moved;
}

/* Arrays that grow. */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Room for want members of size octets; *cap: how many there is room for now.
 * Returns the array, which may have moved; NULL: no memory, and all is as it
 * was. Twice as much at a time, from 16 on.
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

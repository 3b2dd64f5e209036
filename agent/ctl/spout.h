/* Small pieces of text gathered on their way to a stream: a table of queues has
 * forty thousand of them, and stdio asks a lot about each.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SPOUT_OCTETS 32768u	/* a table in a few writes */

struct spout {
	FILE *out;
	size_t used;
	char room[SPOUT_OCTETS];
};

/* Gives the stream what was gathered. */
static inline void spout_flush(struct spout *s)
{
	(void)fwrite_unlocked(s->room, 1, s->used, s->out);
	s->used = 0;
}

/* Adds len octets. */
static inline void spout_put(struct spout *s, const char *text, size_t len)
{
	if (len > sizeof(s->room) - s->used)
		spout_flush(s);
	if (len > sizeof(s->room)) {
		(void)fwrite_unlocked(text, 1, len, s->out);
		return;
	}
	memcpy(s->room + s->used, text, len);
	s->used += len;
}

/* Adds one octet, n times. */
static inline void spout_fill(struct spout *s, char octet, size_t n)
{
	for (; n > sizeof(s->room); n--)
		spout_put(s, &octet, 1);
	if (n > sizeof(s->room) - s->used)
		spout_flush(s);
	memset(s->room + s->used, octet, n);
	s->used += n;
}

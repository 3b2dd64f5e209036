/* A buffer for output in small pieces: a table of queues has forty thousand of
 * them, and stdio does too much work for each.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OUT_BUFFER_OCTETS 32768u	/* a table takes few writes */

struct out_buffer {
	FILE *out;
	size_t used;
	char room[OUT_BUFFER_OCTETS];
};

/* Writes what it holds. */
static inline void out_buffer_flush(struct out_buffer *s)
{
	(void)fwrite_unlocked(s->room, 1, s->used, s->out);
	s->used = 0;
}

/* Adds len octets. */
static inline void out_buffer_put(struct out_buffer *s, const char *text,
				  size_t len)
{
	if (len > sizeof(s->room) - s->used)
		out_buffer_flush(s);
	if (len > sizeof(s->room)) {
		(void)fwrite_unlocked(text, 1, len, s->out);
		return;
	}
	memcpy(s->room + s->used, text, len);
	s->used += len;
}

/* Room for n octets, at most OUT_BUFFER_OCTETS, to be written there... */
static inline char *out_buffer_room(struct out_buffer *s, size_t n)
{
	if (n > sizeof(s->room) - s->used)
		out_buffer_flush(s);
	return s->room + s->used;
}

/* ... up to end. */
static inline void out_buffer_ends(struct out_buffer *s, const char *end)
{
	s->used = (size_t)(end - s->room);
}

/* Adds one octet, n times. */
static inline void out_buffer_fill(struct out_buffer *s, char octet, size_t n)
{
	for (; n > sizeof(s->room); n--)
		out_buffer_put(s, &octet, 1);
	memset(out_buffer_room(s, n), octet, n);
	s->used += n;
}

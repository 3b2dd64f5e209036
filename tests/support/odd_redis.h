/* A Redis inside the test's own process: non-blocking, no threads, one unix
 * socket. It answers as SONiC's would, for a switch of two ports, or, where it
 * is told to, with any other shape of reply.
 *
 * A tape of octets says which: from ODD_FROM on it is the number of a shape,
 * which may take more octets of the tape; below, some right answers come: 1 to
 * 8, and from FAR_FROM on up to 249. When the tape has run out all are right.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ODD_FROM 0x80u
#define FAR_FROM 0x60u
#define ODD_CONNECTIONS 64
#define ODD_IN_OCTETS 32768u
#define ODD_OUT_OCTETS (1u << 20)

struct odd_connection {
	int fd;				/* -1: free */
	unsigned database;
	bool deaf;			/* it answers nothing more */
	bool close;			/* when what is owed is sent */
	char *in, *out;
	size_t in_len, out_len, out_pos;
};

struct odd_redis {
	int listener;
	struct odd_connection of[ODD_CONNECTIONS];
	const uint8_t *tape;
	size_t tape_len, tape_pos;
	unsigned right;			/* answers left before the next odd */
	bool empty;			/* no database has a key */
	const char *without;		/* nor is there this one; NULL */
	const char *counted;		/* the value of all SAI's counters;
					 * NULL: as odd_switch.c has it */
	uint64_t replies, odd;		/* given, and how many were odd */
};

/* Listens at path. Ends the process where that fails: it is a test's. */
void odd_redis_init(struct odd_redis *r, const char *path);
void odd_redis_fini(struct odd_redis *r);

/* A new tape; connections of before are closed. */
void odd_redis_wind(struct odd_redis *r, const uint8_t *tape, size_t len);
/* The tape has run out: from here on all is right. */
bool odd_redis_is_right(const struct odd_redis *r);

/* Takes who connects, reads what is asked, answers. False: nothing to do. */
bool odd_redis_serve(struct odd_redis *r);

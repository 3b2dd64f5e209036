/* The connections that nanomsg took in for this process, seen from outside of
 * it: it tells nothing of them, but they are descriptors like any other.
 * peers_tend() shuts down the idle ones and, where room runs short, those of
 * the addresses that have most; nanomsg then sees them end, and cleans up. It
 * bounds what the kernel keeps unread for each.
 *
 * Of tcp:// alone: a local socket says neither who nor how long idle.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"

struct peers;

struct peers_limits {
	uint32_t room;		/* connections there can be */
	uint32_t idle_ms;	/* without an octet: closed */
	uint32_t idle_full_ms;	/* the same above three quarters of room */
};

struct peers_count {
	uint32_t connections;		/* at the last look */
	uint64_t idle, excess;		/* closed, since the start */
};

/* room: what the limit of descriptors leaves when the process has what it needs
 * itself.
 */
int peers_new(const char *url, struct peers **ret, struct diag *d);

/* The connections stay as they are. */
void peers_free(struct peers *p);

/* Once a second or so; NULL: as peers_new() found it right, and of very many
 * in much room it looks at all only every few times: 2,000 take 5 ms.
 */
void peers_tend(struct peers *p, const struct peers_limits *limits);

/* The counts so far. */
void peers_count(const struct peers *p, struct peers_count *ret);

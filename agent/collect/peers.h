/* The connections that nanomsg accepted for this process, managed from outside:
 * it does not report them, but they are ordinary descriptors. peers_tend()
 * shuts down the idle ones and, if room runs short, those of the addresses that
 * have most; nanomsg then sees them end, and cleans up. It limits what the
 * kernel buffers unread for each.
 *
 * Only for tcp://: a local socket shows neither peer nor idle time.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"

struct peers;

struct peers_limits {
	uint32_t room;		/* connections there can be */
	uint32_t idle_ms;	/* silent this long: closed */
	uint32_t idle_full_ms;	/* the same above three quarters of room */
};

struct peers_count {
	uint32_t connections;		/* at the last look */
	uint64_t idle, excess;		/* closed, since the start */
};

/* room: the limit of descriptors less those that the process needs itself. */
int peers_new(const char *url, struct peers **ret, struct diag *d);

/* Leaves the connections open. */
void peers_free(struct peers *p);

/* Once a second or so; NULL: the limits of peers_new(). With very many
 * connections it skips most calls: a look at 2,000 takes 5 ms.
 */
void peers_tend(struct peers *p, const struct peers_limits *limits);

/* The counts so far. */
void peers_count(const struct peers *p, struct peers_count *ret);

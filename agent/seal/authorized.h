/* C11: the key of each switch, from the collector's file authorized_switches. A
 * line per key:
 *
 *	KEY ID [until=YYYY-MM-DD]
 *
 * KEY is the public key in base64, ID the stable id of the switch (C9). A
 * switch that changes its key has two lines for a while. until: the first day
 * (UTC) on which the key is refused. # begins a comment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/seal/noise.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

#define AUTHORIZED_MAX 40000u	/* keys: two for each run of a full ledger */

struct authorized_key {
	uint8_t key[NOISE_KEY_LEN];
	char switch_id[SWITCH_NAME_MAX];
	struct wall until;	/* INT64_MAX: for ever */
};

/* Sorted by key; in ids the same by id. */
struct authorized {
	size_t count;
	struct authorized_key *keys;
	const struct authorized_key **ids;	/* into keys */
};

/* file is for messages: "FILE:LINE: ...". Returns -EINVAL (also: a duplicate
 * key), -E2BIG, -ENOMEM.
 */
int authorized_parse(const char *text, size_t len, const char *file,
		     struct authorized *ret, struct diag *d);
/* The same for a file. A missing file counts as empty. Also returns -EPERM:
 * others may write it.
 */
int authorized_load(const char *path, struct authorized *ret, struct diag *d);
/* Releases what it holds. */
void authorized_fini(struct authorized *a);

/* NULL: unknown key. Does not check its time. */
const struct authorized_key *
authorized_find(const struct authorized *a,
		const uint8_t key[static NOISE_KEY_LEN]);
/* The switch with this id has a key: it must not be named unsealed. */
bool authorized_has_id(const struct authorized *a, const char *switch_id);

/* Appends a line, and syncs it. Returns a negative errno. */
int authorized_append(const char *path, const uint8_t key[static NOISE_KEY_LEN],
		      const char *switch_id);

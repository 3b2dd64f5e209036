/* What others ship, on the same readings: one row a rule.
 *
 * A rule looks at one port and says how bad it is. None of them names a cause.
 * Where a rule is kinder here than where it ships, its row says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/finding.h"
#include "tests/judge/rows.h"
#include "tests/judge/world.h"

struct peer {
	const char *name;
	const char *rule;		/* for people */
	bool names_cause;
	size_t state_size;		/* octets a port */
	/* mine is zeroed before. NULL: that is enough. */
	void (*start)(void *mine, const struct world_port *port,
		      enum world_pace pace);
	/* One reading: how bad, 0 for not at all. ret_loss_log10: the share
	 * of frames lost that it foretells now; left alone when it does not.
	 */
	enum severity (*step)(void *mine, const struct world_port *port,
			      const struct world_reading *r,
			      double *ret_loss_log10);
};

#define PEERS_STATE_MAX (128 * 1024)

extern const struct peer peer_xcvrd, peer_ufm, peer_flr, peer_kmeans;

/* All peers; peer n is teller n + 1. At most TELLERS_MAX - 1. */
size_t peers_list(const struct peer *const **ret);

/* The step of a counter, or 0 when it went back without a wrap that its width
 * explains: UINT64_MAX stands for "no reading before".
 */
uint64_t peers_step(uint64_t before, uint64_t now, unsigned bits);

/* What a push is given, and its status. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/ring.h"
#include "agent/spool/spool_view.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

struct initiator;

struct push_env {
	struct ring_set *rings;		/* NULL: the run is over */
	unsigned reader;		/* its number in the rings */
	struct spool_view *spool;	/* NULL: there is none */
	struct spool_run run;		/* if there are no rings */
	const char *switch_name;
	const char *switch_id;		/* stable (C9); not empty */
	uint64_t window_octets;		/* sent, not acknowledged */
	uint64_t rate_octets;		/* of records, a second; 0: any */
	int64_t heartbeat_ns;
	struct initiator *sealed;	/* NULL: in the clear */
	void *context;
	/* Sends a frame: 0, -EAGAIN (later), or the connection is gone. */
	int (*send)(void *context, const void *frame, size_t len);
	/* Makes the connection anew, with a new socket: what the old one read
	 * and held back is lost with it.
	 */
	void (*reconnect)(void *context);
	/* Why there is no connection, as the network reports it; NULL: unknown.
	 * The pointer itself may be NULL.
	 */
	const char *(*network_words)(void *context, struct mono now);
	uint64_t (*random)(void *context);
};

struct push_status {
	bool connected;			/* a session is open */
	bool sealed;			/* and sealed */
	bool owes;			/* something is not acknowledged */
	struct positions acked;		/* in this session */
	struct mono last_ack;
	struct mono progress;	/* when positions moved, or nothing was owed */
	uint64_t sent_records, sent_octets, gap_records;
	uint64_t in_flight_octets;
	uint64_t renewals;	/* of the connection, with its socket */
	uint64_t damaged;	/* frames whose check or seal was wrong */
	char reason[160];	/* why nothing is sent; empty: it is */
};

/* What an intake is given, and its counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/ledger.h"

#define INTAKE_FAULT_MAX 96

struct responder;

struct intake_env {
	struct ledger *ledger;
	void *context;
	/* Puts one entry into the spool. Returns 0, or a negative errno; then
	 * the spool is unchanged.
	 */
	int (*append)(void *context, const void *entry, size_t len,
		      struct place *ret_at);
	/* Sends an answer to a peer; may be lost. */
	void (*answer)(void *context, const struct transport_peer *peer,
		       const void *frame, size_t len);
	/* Reports a fault of a peer: who (a switch, or a connection's number)
	 * and what.
	 */
	void (*complain)(void *context, const char *who, const char *what);
	uint64_t (*random)(void *context);
	struct responder *sealed;	/* NULL: accepts no sealed frames */
	bool takes_clear;		/* accepts unsealed frames */
};

/* All since the start. */
struct intake_count {
	uint64_t frames, records, octets;	/* kept */
	uint64_t repeats, holes, need_states, gaps;
	uint64_t unknown;	/* of kinds of later agents; kept */
	uint64_t garbage, refused, unknown_sessions;
	uint64_t damaged;	/* check or seal is wrong: no answer */
	uint64_t same_id;	/* of a switch whose id another agent has too */
};

/* A frame on its way through the intake, and the answers to it. Only for the
 * three files that handle it: intake.c, greeting.c, arrival.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/intake_env.h"
#include "agent/seal/keys.h"
#include "petrel/cursor.h"
#include "petrel/wire.h"

#define INTAKE_BEGUN_SLOTS 1024u

/* How many runs a connection has begun, by its number; another connection in
 * the same slot starts from 0.
 */
struct begun {
	uint32_t connection;
	unsigned runs;
};

struct intake {
	struct intake_env env;
	struct intake_count count;
	struct run *dirty;	/* waiting for an ACK, since the last sync */
	struct run *syncing;	/* covered by the present sync */
	bool appended;		/* since the last sync began */
	char fault[INTAKE_FAULT_MAX];	/* why nothing is taken; or empty */
	struct begun begun[INTAKE_BEGUN_SLOTS];
	uint8_t body[ENTRY_BODY_MAX];	/* what is kept of a frame */
	uint8_t entry[ENTRY_MAX];
};

/* The frame being processed. */
struct arrival {
	struct intake *intake;
	const struct transport_peer *peer;
	struct envelope envelope;
	struct cursor body;
	struct run *run;	/* of the session; NULL: none, or unknown */
	const char *switch_id;	/* whose key sealed it; NULL: nobody's */
	char key[KEY_TEXT_SIZE];	/* of a HANDSHAKE; empty: unknown */
	char why[2 * SWITCH_NAME_MAX + 64];	/* a reason with names in it */
	struct mono now;
};

/* The connection's number, which the transport puts first. */
uint32_t connection_number(const struct transport_peer *peer);

/* Sends an answer to it, in a session. */
void arrival_reply(struct arrival *a, enum frame_kind kind, uint64_t session,
		   const void *body, size_t len);
/* Sends a run's positions to its session; nothing if it has none. */
void arrival_acknowledge(struct intake *i, const struct run *r,
			 enum ack_reason why);

/* Logs whose frame it is, and what else is wrong. */
void arrival_warn(struct arrival *a, const char *what);
/* Logs whose frame it is, and why it is refused. */
void arrival_complain(struct arrival *a, const char *what);
/* The same, and sends a refusal. */
void arrival_refuse(struct arrival *a, const char *why);
/* The same, for a frame that no agent sends. */
void arrival_garbage(struct arrival *a, const char *what);

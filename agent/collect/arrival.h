/* A frame on its way through the intake, and what is answered to it. For the
 * three files that it goes through alone: intake.c, greeting.c, arrival.c.
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

/* How many runs a connection has begun; by its number, another one in the same
 * slot begins anew.
 */
struct begun {
	uint32_t connection;
	unsigned runs;
};

struct intake {
	struct intake_env env;
	struct intake_count count;
	struct run *dirty;	/* wait for an ACK, since the last sync */
	struct run *syncing;	/* covered by the sync under way */
	bool appended;		/* since the last sync began */
	char fault[INTAKE_FAULT_MAX];	/* why nothing is taken; empty: it is */
	struct begun begun[INTAKE_BEGUN_SLOTS];
	uint8_t body[ENTRY_BODY_MAX];	/* what is kept of a frame */
	uint8_t entry[ENTRY_MAX];
};

/* One frame on its way through. */
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

/* The connection's number, which the transport put first. */
uint32_t arrival_connection(const struct arrival *a);

/* An answer to it, of a session. */
void arrival_reply(struct arrival *a, enum frame_kind kind, uint64_t session,
		   const void *body, size_t len);
/* What a run has, to its session; nothing where there is none. */
void arrival_acknowledge(struct intake *i, const struct run *r,
			 enum ack_reason why);

/* Tells the operator whose frame it is, and what is wrong with it. */
void arrival_complain(struct arrival *a, const char *what);
/* The same, and answers it. */
void arrival_refuse(struct arrival *a, const char *why);
/* The same, of what no agent says. */
void arrival_garbage(struct arrival *a, const char *what);

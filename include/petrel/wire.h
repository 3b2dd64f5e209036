/* C9, C10: the bytes between agent and collector, and in the rings.
 *
 * A record is a header and a payload of record.proto. Its identity is
 * (switch, run, stream, sequence); sequences of a stream begin at 1 and have
 * no holes: a gap record stands in the place of the range that it replaces.
 *
 * Record header, RECORD_HEADER_LEN octets, big endian, the same in a ring, on
 * the wire, and in the collector's spool:
 *
 *	u32 length of the payload	u8 stream	u8 kind	  u16 flags
 *	u64 sequence			u64 last: = sequence, but for a gap the
 *					last sequence of its range
 *	u32 CRC-32 (IEEE 802.3) of the header before it and the payload
 *	u32 0
 *
 * A kind that a program does not know comes from a later agent: rings, spool,
 * push and collector carry such a record, and acknowledge it, like any other;
 * readers skip it.
 *
 * Frame: ENVELOPE_LEN octets in the clear, then the body.
 *
 *	u32 magic	u8 version	u8 kind (enum frame_kind)	u16 0
 *	u64 session	u32 length of the body	u32 check
 *
 * check: version 1: 0. Version 2: the CRC-32 (as above) of the envelope before
 * it and of the body; a frame whose check is wrong is discarded and counted,
 * but not answered. A collector accepts both versions and answers in the same
 * one. An agent begins with 2; if the answer is a REFUSED of version 1 it falls
 * back to 1 for that connection, and tries 2 again with the next one. Version 4
 * is a sealed frame (C11): its body is sealed and followed by a tag of
 * WIRE_TAG_LEN, and instead of the check it has the low 32 bits of its number,
 * which begins at 0 for each direction of a session and grows by one.
 *
 * What an agent and a collector say:
 *
 *	HELLO     a->c	run u64, switch name (u8 length, octets), then
 *			previous run u64; never a record. Version 2: behind it
 *			the switch's stable id (u8 length, octets), which is
 *			the identity (C9); of version 1 it is the name
 *	WELCOME   c->a	in the envelope the new session; body: position x 3
 *			(u64 last durable sequence of each stream)
 *	DATA      a->c	records, back to back
 *	ACK       c->a	position x 3, u8 why (enum ack_reason)
 *	PING      a->c	u64 of the agent's choice;  PONG c->a the same
 *	SESSION_UNKNOWN  c->a	empty: say HELLO again
 *	REFUSED   c->a	text: why, for the status
 *
 * Sealing (C11): Noise_IK_25519_ChaChaPoly_BLAKE2b, prologue WIRE_PROLOGUE. The
 * agent begins; both messages travel in frames of version 2. All frames of the
 * session after them are of version 4, under the session that the answer named,
 * HELLO and WELCOME too.
 *
 *	HANDSHAKE         a->c	message 1; its payload is nothing, or the token
 *				of an enrolment
 *	HANDSHAKE_ANSWER  c->a	in the envelope the new session; message 2, with
 *				no payload
 *
 * The nonce of a sealed frame is its number, its additional data the envelope.
 * The receiver takes the lowest number with these low bits that is above the
 * previous frame's, so that a repeated or late frame does not open. A frame
 * that does not open is discarded and counted, and not answered. A collector
 * sends SESSION_UNKNOWN and REFUSED in the clear if it has no keys to seal
 * them with; an agent accepts such a REFUSED only as the answer to a HANDSHAKE.
 */
#pragma once

#include <stdint.h>
#include "petrel/cursor.h"

#define WIRE_MAGIC 0x5054524cu		/* PTRL */
#define WIRE_VERSION 2u
#define WIRE_VERSION_OLDEST 1u	/* the oldest that is accepted */
#define WIRE_VERSION_SEALED 4u	/* 3 is one flipped bit away from 2 */
#define WIRE_PROLOGUE "petrel 4"
#define ENVELOPE_LEN 24u
#define WIRE_TAG_LEN 16u		/* of a sealed body (C11) */
#define WIRE_FRAME_MAX 65536u		/* envelope, body and tag */
#define WIRE_BODY_MAX (WIRE_FRAME_MAX - ENVELOPE_LEN - WIRE_TAG_LEN)
#define RECORD_HEADER_LEN 32u
#define RECORD_PAYLOAD_MAX (WIRE_BODY_MAX - RECORD_HEADER_LEN)
#define RECORD_MAX (RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX)
#define SWITCH_NAME_MAX 64u		/* with its NUL; the id's as well */

enum stream { STREAM_FINDINGS, STREAM_STATES, STREAM_SAMPLES, STREAM_COUNT };

enum record_kind {
	RECORD_RUN = 1,		/* states, first of a run */
	RECORD_DICTIONARY,	/* states */
	RECORD_EVENT,		/* states */
	RECORD_CLOCK,		/* states */
	RECORD_FINDING,		/* findings */
	RECORD_BATCH,		/* samples */
	RECORD_CAPSULE,		/* findings */
	RECORD_GAP,		/* any: covers sequence to last */
	RECORD_CONGESTION,	/* findings */
	RECORD_KIND_COUNT,
};

enum gap_reason {
	GAP_DROPPED = 1,	/* by a ring that was full */
};

/* Why a capsule is incomplete, a bit each. */
enum capsule_missing {
	CAPSULE_BEGINS_LATE = 1,
	CAPSULE_HAS_HOLES = 2,
	CAPSULE_ENDS_EARLY = 4,
	CAPSULE_NO_ROOM = 8,	/* not all readings, or not all ports */
};

#define RECORD_FLAG_REFERENCE 0x0001u	/* a group begins here: what follows
					 * does not need earlier records */

enum frame_kind {
	FRAME_HELLO = 1, FRAME_WELCOME, FRAME_DATA, FRAME_ACK, FRAME_PING,
	FRAME_PONG, FRAME_SESSION_UNKNOWN, FRAME_REFUSED, FRAME_HANDSHAKE,
	FRAME_HANDSHAKE_ANSWER, FRAME_KIND_COUNT,
};

enum ack_reason {
	ACK_DURABLE,		/* positions are durable */
	ACK_NEED_STATES,	/* samples wait for their dictionary */
	ACK_OUT_OF_ORDER,	/* send again from the positions */
};

struct record_header {
	uint32_t length;
	uint8_t stream;
	uint8_t kind;
	uint16_t flags;
	uint64_t sequence;
	uint64_t last;
};

struct envelope {
	uint8_t version;
	uint8_t kind;
	uint64_t session;
	uint32_t length;
	uint32_t number;	/* of version 4: its low bits */
};

struct hello {
	uint64_t run, previous_run;
	char switch_name[SWITCH_NAME_MAX];
	char switch_id[SWITCH_NAME_MAX];	/* empty in version 1 */
};

struct positions {
	uint64_t last[STREAM_COUNT];	/* 0: nothing yet */
};

/* Writes the header (with the CRC over header and payload) and the payload. */
void record_write(struct writer *w, const struct record_header *h,
		  const void *payload);

/* Reads one record, of any kind but 0; *ret_payload is borrowed from the input.
 * Returns -EBADMSG: short, bad CRC, unknown stream, or last before sequence.
 */
int record_read(struct cursor *c, struct record_header *ret,
		const uint8_t **ret_payload);

/* Writes ENVELOPE_LEN octets. body, of e->length octets, must follow; the check
 * covers it. Version 4 does not read it.
 */
void envelope_write(struct writer *w, const struct envelope *e,
		    const void *body);
/* Returns -EBADMSG: no magic, or length is not that of the rest;
 * -EPROTONOSUPPORT; -EILSEQ: the check is wrong, a bit flipped on the way.
 */
int envelope_read(struct cursor *c, struct envelope *ret);

/* The body of a HELLO, in either version. */
void hello_write(struct writer *w, unsigned version, const struct hello *h);
/* Texts may hold anything. Returns -EBADMSG: too short, or trailing octets. */
int hello_read(struct cursor *c, unsigned version, struct hello *ret);

/* The last sequence of each stream, in the order of enum stream. */
void positions_write(struct writer *w, const struct positions *p);
/* Returns -EBADMSG if they are truncated. */
int positions_read(struct cursor *c, struct positions *ret);

/* Lower-case word, as in file names and JSON; NULL outside. */
const char *stream_name(enum stream stream);
/* The same for a kind. */
const char *record_kind_name(enum record_kind kind);

/* Messages of C13 as octets: the length prefix, unpacking of untrusted messages
 * within a memory limit; and the cells of an answer's tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "local.pb-c.h"
#include "petrel/local.h"

#define MESSAGE_HEAD_LEN 4u	/* u32 length, big endian */
#define REQUEST_MEMORY_MAX (256u << 10)
#define ANSWER_MEMORY_MAX (96u << 20)

/* Packs with a length prefix into memory that the caller frees. Returns
 * -EMSGSIZE: the message has more than max octets; -ENOMEM.
 */
int message_pack(const ProtobufCMessage *m, size_t max, uint8_t **ret,
		 size_t *ret_len);

/* The length that a head of MESSAGE_HEAD_LEN octets gives. */
uint32_t message_length(const uint8_t head[static MESSAGE_HEAD_LEN]);

/* Unpacks a request within REQUEST_MEMORY_MAX. Returns -EBADMSG: not a request,
 * or one that needs more.
 */
int request_unpack(const uint8_t *data, size_t len, Petrel__Request **ret);
/* r may be NULL. */
void request_free(Petrel__Request *r);
/* The same for an answer, within ANSWER_MEMORY_MAX. */
int answer_unpack(const uint8_t *data, size_t len, Petrel__Answer **ret);
/* a may be NULL. */
void answer_unpacked_free(Petrel__Answer *a);

#define TABLE_COLUMNS_MAX 64u

/* Whether all lists of all columns fit the rows; an agent's always do. */
bool table_is_sound(const Petrel__Table *t);

/* One cell of a table. */
struct cell {
	bool absent;			/* if so, the rest is 0 */
	int64_t value;
	const char *text;		/* for a text; borrowed */
	int64_t age_ns;			/* 0: unknown */
	uint32_t quality;		/* enum sample_quality */
	bool is_pattern;		/* the value is 2^63 or more */
};

/* For a sound table, or one that is being built. */
struct cell table_cell(const Petrel__Table *t, size_t row, size_t column);
bool table_row_is_json_only(const Petrel__Table *t, size_t row);
/* Whether its cells are words; so are those of a newer agent's units. */
bool unit_is_text(uint32_t unit);

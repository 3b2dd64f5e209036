/* Messages of C13 as octets: the length in front, and unpacking of what a
 * stranger sent within a bound of memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "local.pb-c.h"

#define MESSAGE_HEAD_LEN 4u	/* u32 length, big endian */
#define REQUEST_MEMORY_MAX (256u << 10)
#define ANSWER_MEMORY_MAX (96u << 20)

/* Packs with the length in front into memory that the caller frees. Returns
 * -EMSGSIZE: more than max octets of message; -ENOMEM.
 */
int message_pack(const ProtobufCMessage *m, size_t max, uint8_t **ret,
		 size_t *ret_len);

/* The same of an answer, whose many rows are packed quickly. max: octets of
 * message; as much memory is taken, of which the message touches its part.
 */
int answer_pack(Petrel__Answer *a, size_t max, uint8_t **ret, size_t *ret_len);

/* The length that a head of MESSAGE_HEAD_LEN octets tells. */
uint32_t message_length(const uint8_t head[static MESSAGE_HEAD_LEN]);

/* Unpacks a request within REQUEST_MEMORY_MAX. Returns -EBADMSG: none, or one
 * that would take more.
 */
int request_unpack(const uint8_t *data, size_t len, Petrel__Request **ret);
/* r may be NULL. */
void request_free(Petrel__Request *r);
/* The same of an answer, within ANSWER_MEMORY_MAX. */
int answer_unpack(const uint8_t *data, size_t len, Petrel__Answer **ret);
/* a may be NULL. */
void answer_unpacked_free(Petrel__Answer *a);

/* IPFIX messages as high-frequency telemetry sends them: header, template
 * sets, data sets, several messages back to back. Knows the frame (RFC 7011),
 * not what the values are.
 *
 * A length that lies ends what it belongs to and no more: a bad set the rest
 * of its message, a bad message the rest of these octets. Each is counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"

#define IPFIX_HEADER_LEN 16u
#define IPFIX_DATA_ID_MIN 256u		/* ids below are kinds of sets */
#define IPFIX_FIELD_VARIABLE 65535u	/* a length that each record tells */

/* A field of a template. */
struct ipfix_field {
	uint32_t enterprise;	/* 0: the element is IANA's */
	uint16_t element;	/* without the enterprise bit */
	uint16_t length;
};

struct ipfix_template {
	uint32_t domain;	/* observation domain */
	uint16_t id;
	uint16_t count;		/* of fields; 0: the id is withdrawn */
	struct cursor fields;	/* all there, for ipfix_field_read() */
};

struct ipfix_set {
	uint32_t domain;
	uint16_t id;		/* of its template */
	const uint8_t *data;	/* records and padding; borrowed */
	size_t len;
};

struct ipfix_counts {
	uint64_t messages, data_sets, templates;	/* well formed */
	uint64_t bad_messages;	/* not version 10, or a length that lies */
	uint64_t bad_sets;
	uint64_t skipped_sets;	/* of options or of reserved kinds */
};

struct ipfix_taker {
	void *context;
	/* Either may be NULL. */
	void (*template)(void *context, const struct ipfix_template *t);
	void (*data)(void *context, const struct ipfix_set *s);
};

/* Walks all messages in these octets; counts are added to. */
void ipfix_walk(const void *octets, size_t len, const struct ipfix_taker *to,
		struct ipfix_counts *counts);

/* The next field of a template. */
struct ipfix_field ipfix_field_read(struct cursor *c);

/* IPFIX messages made octet by octet, for tests that play the chip. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define IPFIX_BYTES_MAX 65536u

struct ipfix_bytes {
	uint8_t octet[IPFIX_BYTES_MAX];
	size_t len;
	size_t message, set;	/* where the newest of each begins */
};

/* Empties it. */
void ipfix_bytes_clear(struct ipfix_bytes *b);
/* Begins a message; lengths follow what is put into it. */
void ipfix_bytes_message(struct ipfix_bytes *b, uint32_t domain);
/* Begins a set: 2 for templates, else the template's id. */
void ipfix_bytes_set(struct ipfix_bytes *b, uint16_t id);
/* Begins a template of so many fields, in a set of its own. */
void ipfix_bytes_template(struct ipfix_bytes *b, uint16_t id, uint16_t fields);
/* A field of a template: IANA's element, or a statistic of a label. */
void ipfix_bytes_element(struct ipfix_bytes *b, uint16_t element,
			 uint16_t length);
void ipfix_bytes_stat(struct ipfix_bytes *b, uint16_t label, uint32_t type,
		      uint32_t stat, uint16_t length);
/* A number of so many octets, 1 to 8. */
void ipfix_bytes_number(struct ipfix_bytes *b, uint64_t value,
			unsigned octets);
/* Writes over two octets, to make a length lie. */
void ipfix_bytes_poke(struct ipfix_bytes *b, size_t at, uint16_t value);

/* The blocks of a file of hex dumps; see tests/data/hft. */
struct hex_block {
	char name[96];
	uint8_t octet[1024];
	size_t len;
};

/* Returns how many there are, -ENOENT where there is no file. */
int hex_blocks_read(const char *path, struct hex_block *ret, size_t max);

#include "tests/support/ipfix_bytes.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_AT 2u

void ipfix_bytes_clear(struct ipfix_bytes *b)
{
	b->len = b->set = 0;
	b->message = SIZE_MAX;		/* none yet */
}

void ipfix_bytes_poke(struct ipfix_bytes *b, size_t at, uint16_t value)
{
	b->octet[at] = (uint8_t)(value >> 8);
	b->octet[at + 1] = (uint8_t)value;
}

/* Appends, and lets the lengths of the message and the set follow. */
void ipfix_bytes_number(struct ipfix_bytes *b, uint64_t value, unsigned octets)
{
	assert(b->len + octets <= sizeof(b->octet));
	for (unsigned i = octets; i-- > 0;)
		b->octet[b->len++] = (uint8_t)(value >> (8 * i));
	if (b->message == SIZE_MAX)
		return;
	if (b->len >= b->message + 4)
		ipfix_bytes_poke(b, b->message + LENGTH_AT,
				 (uint16_t)(b->len - b->message));
	if (b->set > b->message && b->len >= b->set + 4)
		ipfix_bytes_poke(b, b->set + LENGTH_AT,
				 (uint16_t)(b->len - b->set));
}

void ipfix_bytes_message(struct ipfix_bytes *b, uint32_t domain)
{
	b->message = b->set = b->len;
	ipfix_bytes_number(b, 10, 2);
	ipfix_bytes_number(b, 16, 2);
	ipfix_bytes_number(b, 0, 4);
	ipfix_bytes_number(b, 1, 4);
	ipfix_bytes_number(b, domain, 4);
}

void ipfix_bytes_set(struct ipfix_bytes *b, uint16_t id)
{
	b->set = b->len;
	ipfix_bytes_number(b, id, 2);
	ipfix_bytes_number(b, 4, 2);
}

void ipfix_bytes_template(struct ipfix_bytes *b, uint16_t id, uint16_t fields)
{
	ipfix_bytes_set(b, 2);
	ipfix_bytes_number(b, id, 2);
	ipfix_bytes_number(b, fields, 2);
}

void ipfix_bytes_element(struct ipfix_bytes *b, uint16_t element,
			 uint16_t length)
{
	ipfix_bytes_number(b, element, 2);
	ipfix_bytes_number(b, length, 2);
}

/* A number of SAI's in 16 bits: the top one for its extensions. */
static uint16_t half_of(uint32_t number)
{
	return (uint16_t)(number >= UINT32_C(0x20000000) ? number | 0x8000 :
							   number);
}

void ipfix_bytes_stat(struct ipfix_bytes *b, uint16_t label, uint32_t type,
		      uint32_t stat, uint16_t length)
{
	ipfix_bytes_number(b, label | 0x8000u, 2);
	ipfix_bytes_number(b, length, 2);
	ipfix_bytes_number(b, half_of(type), 2);
	ipfix_bytes_number(b, half_of(stat), 2);
}

static void line_take(const char *line, struct hex_block *to)
{
	const char *at = strchr(line, ':');
	char *end;

	if (!at)
		return;
	for (at++; to->len < sizeof(to->octet); at = end) {
		unsigned long octet = strtoul(at, &end, 16);

		if (end == at)
			return;
		to->octet[to->len++] = (uint8_t)octet;
	}
}

int hex_blocks_read(const char *path, struct hex_block *ret, size_t max)
{
	FILE *f = fopen(path, "r");
	char line[256];
	int n = 0;

	if (!f)
		return -ENOENT;
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '[' && (size_t)n < max) {
			ret[n].len = 0;
			(void)snprintf(ret[n].name, sizeof(ret[n].name), "%.*s",
				       (int)strcspn(line + 1, "]\n"), line + 1);
			n++;
		} else if (n > 0 && line[0] != '#') {
			line_take(line, &ret[n - 1]);
		}
	}
	(void)fclose(f);
	return n;
}

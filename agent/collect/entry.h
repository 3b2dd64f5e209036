/* One entry of the collector's spool: what was kept of one frame, with the
 * switch and the run that it belongs to. Big endian:
 *
 *	u32 magic	u8 kind		u8 length of the name	u16 0
 *	u64 run		u32 length of the body
 *	u32 CRC-32 over all of this before it, the name and the body
 *	name, body
 *
 * Body of ENTRY_RECORDS: records as they were on the wire, back to back. Of
 * ENTRY_POSITIONS: what was kept of that run when the segment began
 * (ledger.h), so that a segment needs none of the ones before it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"
#include "petrel/wire.h"

#define ENTRY_HEADER_LEN 24u
#define ENTRY_BODY_MAX (2 * WIRE_BODY_MAX)
#define ENTRY_MAX (ENTRY_HEADER_LEN + SWITCH_NAME_MAX + ENTRY_BODY_MAX)

enum entry_kind { ENTRY_RECORDS = 1, ENTRY_POSITIONS, ENTRY_KIND_COUNT };

struct entry {
	enum entry_kind kind;
	uint64_t run;
	char switch_name[SWITCH_NAME_MAX];
	const uint8_t *body;	/* borrowed */
	size_t len;
};

/* Octets of the whole entry. */
size_t entry_size(const struct entry *e);

/* Writes the whole entry; it overflows w or is there with its CRC. */
void entry_write(struct writer *w, const struct entry *e);

/* Octets of the whole entry that begins with these ENTRY_HEADER_LEN octets.
 * Returns -EBADMSG: no header of an entry.
 */
int entry_length(const uint8_t header[static ENTRY_HEADER_LEN],
		 size_t *ret_len);

/* Reads one entry; body is borrowed from the input.
 * Returns -EBADMSG: short, or another CRC.
 */
int entry_read(struct cursor *c, struct entry *ret);

/* True for a name that is fit to be printed and stored: 1 to
 * SWITCH_NAME_MAX - 1 visible ASCII characters.
 */
bool entry_name_is_good(const uint8_t *name, size_t len);

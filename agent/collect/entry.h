/* One entry of the collector's spool: what was kept of one frame, with the
 * switch and the run that it belongs to. Big endian:
 *
 *	u32 magic	u8 kind		u8 length of the id	u16 0
 *	u64 run		u32 length of the body
 *	u32 CRC-32 over all of this before it, the id and the body
 *	the switch's stable id (of an agent of version 1: its name), body
 *
 * Body of ENTRY_RECORDS: records as they were on the wire, back to back. Body
 * of ENTRY_POSITIONS: what was kept of that run when the segment began, so that
 * a segment needs none of the earlier ones, or when its switch changed its
 * name: ENTRY_POSITIONS_LEN octets (ledger.h), followed, if they differ from
 * the id and empty, by the switch's name and its former id (u8 length and
 * octets each). All that is known under (former id, run) belongs to (id, run)
 * from there on.
 *
 * Body of ENTRY_OWN: as ENTRY_RECORDS; records of the collector itself about
 * that switch, in a run of its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"
#include "petrel/wire.h"

#define ENTRY_HEADER_LEN 24u
#define ENTRY_POSITIONS_LEN 41u
#define ENTRY_POSITIONS_MAX (ENTRY_POSITIONS_LEN + 2 * SWITCH_NAME_MAX)
#define ENTRY_POSITIONS_OCTETS \
	(ENTRY_HEADER_LEN + SWITCH_NAME_MAX + ENTRY_POSITIONS_MAX)
#define ENTRY_BODY_MAX (2 * WIRE_BODY_MAX)
#define ENTRY_MAX (ENTRY_HEADER_LEN + SWITCH_NAME_MAX + ENTRY_BODY_MAX)

enum entry_kind { ENTRY_RECORDS = 1, ENTRY_POSITIONS, ENTRY_OWN,
		  ENTRY_KIND_COUNT };

struct entry {
	enum entry_kind kind;
	uint64_t run;
	char switch_id[SWITCH_NAME_MAX];
	const uint8_t *body;	/* borrowed */
	size_t len;
};

/* The identity of an entry's switch besides its id. */
struct entry_identity {
	char name[SWITCH_NAME_MAX];
	char former_id[SWITCH_NAME_MAX];	/* empty: none */
};

/* Octets of the whole entry. */
size_t entry_size(const struct entry *e);

/* Writes the whole entry with its CRC, or w overflows. */
void entry_write(struct writer *w, const struct entry *e);

/* Octets of the whole entry that begins with these ENTRY_HEADER_LEN octets.
 * Returns -EBADMSG: not an entry's header.
 */
int entry_length(const uint8_t header[static ENTRY_HEADER_LEN],
		 size_t *ret_len);

/* Reads one entry; body is borrowed from the input. Returns -EBADMSG: short, or
 * wrong CRC.
 */
int entry_read(struct cursor *c, struct entry *ret);

/* The switch's identity in an ENTRY_POSITIONS. Returns -ENODATA: none, or
 * another kind of entry; -EBADMSG.
 */
int entry_identity_read(const struct entry *e, struct entry_identity *ret);
/* Writes it after the positions. */
void entry_identity_write(struct writer *w,
			  const struct entry_identity *identity);

/* Takes one record of an entry. A nonzero result ends the walk. */
typedef int entry_record_fn(void *context, const struct record_header *h,
			    const uint8_t *payload);

/* Passes on each record of an entry that has some. Returns the last result. */
int entry_records(const struct entry *e, entry_record_fn *fn, void *context);

/* True for a name that is fit to be printed and stored: 1 to
 * SWITCH_NAME_MAX - 1 visible ASCII characters.
 */
bool entry_name_is_good(const uint8_t *name, size_t len);

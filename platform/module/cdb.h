/* What the reply of CDB command 0100h, Get Firmware Info, says of a module's
 * firmware. The command is somebody else's, as a rule xcvrd's: Petrel only
 * looks at what was left on page 9Fh, of the first of two instances.
 */
#pragma once

#include "platform/module/view.h"

#define CDB_STATUS 37u		/* of lower memory: of the first instance */

enum cdb_slot {
	CDB_A,
	CDB_B,
	CDB_FACTORY,
	CDB_SLOT_COUNT,
};

struct cdb_image {
	bool is_told;		/* else nothing is known of it */
	bool is_empty;		/* then it has no version */
	bool is_running, is_committed;
	uint8_t major, minor;
	uint16_t build;
};

/* What the slot is called. */
const char *cdb_slot_name(enum cdb_slot slot);

/* False when there is no whole reply of this command, or one from before
 * another version ran.
 */
bool cdb_images(const struct view *v,
		struct cdb_image ret[static CDB_SLOT_COUNT]);

/* The module has CDB, but there is no such reply. */
bool cdb_is_silent(const struct view *v);

/* "A 2.11.3 running committed, B empty, factory 1.0.7"; "" when there is none.
 */
void cdb_text(const struct view *v, char *ret, size_t cap);

/* 2.11.3, or nothing of an empty one. */
void cdb_version(const struct cdb_image *image, char ret[static 16]);

/* What the reply to CDB command 0100h, Get Firmware Info, says about a module's
 * firmware. Another program, usually xcvrd, sends the command: Petrel only
 * reads what is left on page 9Fh, of the first of two instances.
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
	bool is_told;		/* else nothing is known about it */
	bool is_empty;		/* then it has no version */
	bool is_running, is_committed;
	uint8_t major, minor;
	uint16_t build;
};

/* The name of the slot. */
const char *cdb_slot_name(enum cdb_slot slot);

/* False if there is no complete reply to this command, or only one from before
 * another version ran.
 */
bool cdb_images(const struct view *v,
		struct cdb_image ret[static CDB_SLOT_COUNT]);

/* True if the module has CDB, but there is no such reply. */
bool cdb_is_silent(const struct view *v);

/* "A 2.11.3 running committed, B empty, factory 1.0.7"; "" if there is none. */
void cdb_text(const struct view *v, char *ret, size_t cap);

/* 2.11.3, or "" for an empty slot. */
void cdb_version(const struct cdb_image *image, char ret[static 16]);

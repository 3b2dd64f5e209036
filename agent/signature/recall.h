/* Taking up what an earlier run learned (memory.h), as ports, groups and
 * sensors become known. For the engine's own files.
 *
 * The octets: magic (8), version (4), wall and mono (8 each) of the writing;
 * the shapes of the tables: how many, then name and shape of each (kept.h), in
 * the order of enum recall_table, then the detectors'; how many parts, then the
 * parts: kind (1), name, length (4), body; CRC-32 of all that (4).
 *
 *   engine, group, air, sensor   one row of its table
 *   port   FEC, speed and what it was part of; its row; then for each detector
 *          in the shapes a row of slot and one of its own
 */
#pragma once

#include "agent/signature/inside.h"
#include "agent/signature/kept.h"

#define MEMORY_MAGIC UINT64_C(0x5054524c4d454d4f)	/* PTRLMEMO */
#define MEMORY_VERSION 1u
#define MEMORY_NAME_MAX 64		/* of tables and parts */

enum recall_table { RECALL_ENGINE, RECALL_PORT, RECALL_SLOT, RECALL_WIDE,
		    RECALL_SENSOR, RECALL_DETECTORS };
#define RECALL_TABLES_MAX (RECALL_DETECTORS + DETECTORS_MAX)

/* On disk. */
enum recall_kind { PART_ENGINE = 1, PART_PORT, PART_GROUP, PART_AIR,
		   PART_SENSOR, PART_KIND_COUNT };
enum recall_share { SHARE_NONE, SHARE_GROUP, SHARE_AIR, SHARE_SWITCH,
		    SHARE_COUNT };

/* The tables of this build by number; NULL after the last. */
const struct kept *recall_kept(size_t n);

/* Takes a copy of octets that were checked. Returns -ENOMEM. */
int recall_new(const struct engine *e, const void *from, size_t len,
	       struct mono now, struct wall wall, struct recall **ret);
/* NULL is allowed. */
void recall_free(struct recall *r);
/* Are the shapes and parts complete? c: from after the header to the CRC. */
bool recall_is_whole(struct cursor *c);

/* Takes the state of the whole engine; counts the ports. */
void recall_engine(struct engine *e);
/* Takes a port's memory once its FEC and speed are as before, or known to be
 * different.
 */
void recall_port(struct engine *e, uint32_t port);
/* A reading of the port came: is it still the same module? */
void recall_reading(struct engine *e, uint32_t port);
/* Takes a group's memory (PART_GROUP), or that of air (PART_AIR). */
void recall_wide(struct engine *e, struct wide *w, enum recall_kind kind);
void recall_sensor(struct engine *e, struct sensor *s);
/* Converts the times of a finding from before a reboot to this clock. */
void recall_finding(const struct engine *e, struct finding *f);
/* Forgets after a while what nothing took. */
void recall_tick(struct engine *e, struct mono now);

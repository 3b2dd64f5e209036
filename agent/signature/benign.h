/* What was seen and is no fault: links that a peer's restart took down, errors
 * that heat made. Whoever decides so adds it to this list; no finding is
 * raised. When the list is full the oldest entry goes, entries of heat first.
 */
#pragma once

#include <stddef.h>
#include "petrel/cause.h"
#include "petrel/clock.h"
#include "petrel/entity.h"

struct kept;

#define BENIGN_MAX 256
#define BENIGN_KEPT_NS (3600 * NS_PER_S)	/* not shown when older */

struct benign {
	enum benign_id id;
	enum symptom symptom;
	char subject[ENTITY_NAME_MAX];	/* a port, a switch; "": this one */
	struct mono since, until;	/* first and last seen */
	float size;		/* the largest: decades, links or ports */
};

struct benigns {
	struct benign list[BENIGN_MAX];
	size_t count;
};

/* What is kept over a restart (kept.h). */
extern const struct kept benigns_kept;

/* Adds an entry, or updates it when seen again. subject: see struct benign. */
void benign_note(struct benigns *b, const char *subject,
		 const struct benign *seen);

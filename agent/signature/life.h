/* The life of findings: turns what a detector says at each reading into
 * findings that are raised, updated and cleared.
 *
 *   (none) --says--> RAISED --worse, other cause, other date--> UPDATED
 *   RAISED, UPDATED --quiet for the hold time--> CLEARED --> (none)
 *   (none) --says again soon after----> RAISED, with the same id; each
 *            time the hold doubles, so that a finding does not flap; soon is
 *            24 times its hold, 15 minutes at least
 *   a cause is open: its symptom is not raised, or is cleared into it
 *
 * Findings lie in one dense array taken at life_init().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/signature/changes.h"
#include "agent/signature/detector.h"

struct engine;
struct kept;
struct life_owner;

/* Called for each change of a finding; f is borrowed for the call. */
typedef void life_emit_fn(void *context, const struct finding *f);

struct life {
	struct finding *pool;		/* open ones, dense */
	struct life_owner *owner;	/* of each */
	size_t count, cap;
	char switch_name[ENTITY_NAME_MAX];
	life_emit_fn *emit;
	void *context;
	uint64_t refused;		/* no room; 0 by construction */
};

/* What one detector says of one port. */
struct life_slot {
	uint32_t open;			/* place in the pool plus one */
	uint32_t folded;		/* signatures that are part of it */
	struct mono seen;		/* last time the detector said so */
	struct mono as_bad;		/* … at least as bad as was told */
	struct mono looked;		/* last comparison with what was told */
	/* Of the last finding, to take it up again. */
	struct mono cleared;		/* ns INT64_MIN: never */
	struct mono onset;
	struct wall onset_wall;
	char id[FINDING_ID_LEN + 1];
	uint8_t again;			/* times in a row, each soon */
	bool was_open;			/* that one, when memory was written */
	bool apart;			/* the open one is no part of what hits
					 * its port (wide.h) */
};

/* The subject of findings. slots: for a port one for each detector, else one;
 * the engine's memory.
 */
struct life_subject {
	uint32_t port;		/* number; else that of all (engine.h) */
	bool is_port;
	struct life_slot *slots;
};

/* Takes memory for cap findings. Returns -ENOMEM; life_fini() all the same. */
int life_init(struct life *l, size_t cap, const char *switch_name,
	      life_emit_fn *emit, void *context);
/* Releases the findings' memory. */
void life_fini(struct life *l);
/* No finding so far. */
void life_slot_start(struct life_slot *s);

/* What is said of a subject now; all borrowed. */
struct verdict {
	const char *name;		/* the subject's */
	enum subject_kind kind;
	uint32_t entity;		/* id; 0 in a replay */
	enum signature signature;
	enum severity severity;
	int64_t hold_ns;		/* quiet for so long until it clears */
	struct mono now;
	struct wall wall;
	const struct changes *changes;
	/* As of struct detector; held may be NULL. */
	void (*describe)(const struct verdict *w, struct finding *f);
	void (*held)(struct finding *f);
	const void *detector, *mine, *view;	/* for describe() */
	size_t n;			/* the detector's place */
	const struct engine *engine;
	uint32_t port;			/* number, where it is of one … */
	const struct port_facts *facts;	/* … else NULL */
};

/* The verdict for slot n. */
void life_take(struct life *l, const struct life_subject *p, size_t n,
	       const struct verdict *w);

/* Ends a finding now, with the reason as its cause. */
void life_end(struct life *l, const struct life_subject *p, size_t n,
	      struct mono now, struct wall wall, const char *why);

/* Ends a finding now: it is part of whole from here on. */
void life_into(struct life *l, const struct life_subject *p, size_t n,
	       struct mono now, struct wall wall, const struct finding *whole);

/* A symptom shows while its cause is open: the cause tells it, once, and is as
 * bad as that; severity 0: it is no matter of the cause how bad that is.
 */
void life_fold(struct life *l, struct life_slot *cause, enum signature symptom,
	       enum severity severity, struct mono now, struct wall wall);

/* Moves the open finding of from to to: id and onset stay; the next verdict on
 * to fills in the rest. w: what begins on to with it; NULL: to goes on.
 */
void life_adopt(struct life *l, struct life_slot *from, struct life_slot *to,
		const struct verdict *w);

/* Ends a finding of an earlier run that nothing can take up any more. */
void life_lost(struct life *l, const struct finding *f, struct mono now,
	       struct wall wall, const char *why);

/* Takes up a finding of an earlier run as it was. Returns -EEXIST when another
 * one is open there, -ENOSPC.
 */
int life_restore(struct life *l, const struct life_subject *p, size_t n,
		 const struct finding *f);

/* Was this finding open when the slot was written to memory, and not yet taken
 * up?
 */
bool life_is_remembered(const struct life_slot *s, const struct finding *f);
/* Takes a slot from memory; if its open is set to a place of this run, its
 * finding goes on as it was.
 */
void life_remember(struct life_slot *s, const struct life_slot *was);
/* The slot as it is written to memory: with the id of the open finding. */
void life_slot_write(const struct life *l, const struct life_slot *s,
		     struct life_slot *ret);

static inline bool life_is_open(const struct life_slot *s)
{
	return s->open != 0;
}

/* What is kept over a restart (kept.h). */
extern const struct kept life_slot_kept;

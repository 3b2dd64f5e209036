/* Subjects of more than one port: a group of ports that share a component, the
 * air of a zone. While a finding of one is open, its effects on ports are part
 * of that finding.
 */
#pragma once

#include "agent/signature/inside.h"

struct kept;

/* The one of that name, made when there is none. Returns -ENOMEM. */
int wide_get(struct wides *w, const char *name, struct wide **ret);
/* NULL when there is none. */
struct wide *wide_find(const struct wides *w, const char *name);
void wides_free(struct wides *w);

/* The verdict on it now. entity: its id, or 0. */
struct wide_word {
	const char *subject;
	enum subject_kind kind;
	uint32_t entity;
	enum signature signature;
	enum severity severity;
	int64_t hold_ns;
	void (*describe)(const struct verdict *w, struct finding *f);
	const void *view;
};

/* Takes the verdict; its finding is raised, goes on, is held or ends. */
void wide_say(struct engine *e, struct wide *w, const struct wide_word *word,
	      struct mono now, struct wall wall);

/* Its finding ends now, with the reason as its cause. */
void wide_end(struct engine *e, struct wide *w, const char *why,
	      struct mono now, struct wall wall);

/* No port is part of it. */
void wide_forget(const struct engine *e, const struct wide *w);
/* Writes its ports into the finding; the one hit first comes first. */
void wide_ports(const struct engine *e, const struct wide *w,
		struct finding *f);

/* Before it is first reported: the oldest finding of its ports (part_of) that
 * would be part of that cause becomes its own, with id and onset.
 */
void wide_adopt(struct engine *e, struct wide *w, const struct wide_word *word,
		struct mono now);

/* True when the verdict of detector n on the port is part of the finding of
 * what hits the port (part_of): it was folded there, and the port's own finding
 * has ended. name: what the port's finding is called, or would be. Bad air is
 * as bad as what it does; what it was once seen not to do stays apart.
 */
bool wide_folds(struct engine *e, const struct life_subject *s, size_t n,
		enum signature name, enum severity severity, struct mono now,
		struct wall wall);

/* Takes up a finding of an earlier run. w may be NULL. Returns -ENOENT,
 * -ENOSPC.
 */
int wide_restore(struct engine *e, struct wide *w, const struct finding *f);

/* Did the errors of the port begin when power went bad? */
bool wide_power_hits(const struct engine_port *p, struct mono bad);

/* Is the finding open that the port is part of? */
static inline bool wide_is_over(const struct engine_port *p)
{
	return p->part_of && life_is_open(&p->part_of->slot);
}

/* What is kept over a restart (kept.h). */
extern const struct kept wide_kept;

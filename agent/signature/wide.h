/* Subjects of more than one port: a group of ports that share a component, the
 * air of a zone. While a finding of one is open, what follows from it on its
 * ports is part of that finding.
 */
#pragma once

#include "agent/signature/inside.h"

struct kept;

/* The one of that name, made when there is none. Returns -ENOMEM. */
int wide_get(struct wides *w, const char *name, struct wide **ret);
/* NULL when there is none. */
struct wide *wide_find(const struct wides *w, const char *name);
void wides_free(struct wides *w);

/* What is said of it now. entity: its id, or 0. */
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

/* Takes the word; its finding is raised, goes on, holds or ends. */
void wide_say(struct engine *e, struct wide *w, const struct wide_word *word,
	      struct mono now, struct wall wall);

/* No port is part of it. */
void wide_forget(const struct engine *e, const struct wide *w);
/* Those that are, into its finding; its first one first. */
void wide_ports(const struct engine *e, const struct wide *w,
		struct finding *f);

/* Before it is first said: the oldest finding of its ports (part_of) that would
 * be part of that cause becomes its own, with id and onset.
 */
void wide_adopt(struct engine *e, struct wide *w, enum signature cause);

/* Detector n says something of the port that is part of a finding of what hits
 * it (part_of): true when so; it was folded there, and what was open of the
 * port has ended in it.
 */
bool wide_folds(struct engine *e, const struct life_subject *s, size_t n,
		struct mono now, struct wall wall);

/* Takes up a finding of an earlier run. w may be NULL. Returns -ENOENT,
 * -ENOSPC.
 */
int wide_restore(struct engine *e, struct wide *w, const struct finding *f);

/* Is a finding open whose part the port is? */
bool wide_is_over(const struct engine_port *p);

/* What of it lasts (kept.h). */
extern const struct kept wide_kept;

/* Why errors grew: hypotheses that compete, a row each (causes.c).
 *
 * Each says how much more likely it makes what was measured than it is when
 * the cause has no name (nats), or that it cannot be. Absent measures say
 * nothing. With the shares that causes have in the field this gives how likely
 * each is. A name is given at NAME_AT, and another one only when it is
 * RENAME_ODDS times as likely, twice in a row; one that is not likely any more
 * (DROP_AT) is taken back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/signature/measures.h"

struct kept;

#define HYPOTHESES_MAX 8

struct hypothesis {
	enum signature signature;
	double share;			/* of the causes, in the field */
	enum fault_end end;
	enum action action;
	enum cause_id cause_id;
	const char *words;		/* what is at fault, and how it shows
					 * beside errors … */
	const char *what;		/* … and where there are none; NULL */
	/* What it needs beside the errors; NULL: nothing. */
	const struct need_row *needs;
	size_t need_count;
	bool (*applies)(const struct port_facts *facts, const char **ret_why);
	/* False: it cannot be. h: this row. */
	bool (*weigh)(const struct hypothesis *h, const struct measures *m,
		      double *ret_nats);
	const struct loss_shares *loss;	/* NULL: it takes no light */
	bool of_lanes;			/* its finding names the lanes */
};

/* Each in turn, NULL after the last. That the cause has no name is none of
 * them: fec_trend says so itself.
 */
const struct hypothesis *hypothesis_at(size_t n);
/* NULL when none is called so. */
const struct hypothesis *hypothesis_find(enum signature signature);

/* How likely each is; [0] that it has no name, [n] hypothesis n - 1. */
struct odds {
	uint8_t count;
	float p[HYPOTHESES_MAX];
};

void hypotheses_weigh(const struct measures *m, struct odds *ret);

/* What the cause is called, from one look to the next. One look is as noisy as
 * a reading: the name follows the mean of the last few.
 */
struct naming {
	uint8_t looks;			/* to LOOKS_MOST */
	enum signature name;		/* 0: it has none yet */
	enum signature wanted;		/* another one, once */
	struct mono looked;		/* at a reading of the module */
	struct odds odds;
};

void naming_start(struct naming *n);
/* m was measured; fresh: when the newest reading in it was taken. A reading
 * counts once.
 */
void naming_take(struct naming *n, const struct measures *m,
		 struct mono fresh);
/* Is a cause named? */
bool naming_has(const struct naming *n);
/* How likely the name that stands is. */
double naming_sure(const struct naming *n);
/* The likeliest other one, and how likely; 0: none is. */
enum signature naming_other(const struct naming *n, double *ret_p);
/* The likeliest cause but the one that is named, in brackets, where it is worth
 * a word; or "".
 */
void naming_other_tell(const struct naming *n, char *ret, size_t cap);
/* How likely both are, as evidence. */
void naming_evidence(const struct naming *n, struct finding *f);

/* What of it lasts (kept.h). */
extern const struct kept naming_kept;

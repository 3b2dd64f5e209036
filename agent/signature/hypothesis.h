/* Why errors grew: hypotheses that compete, a row each (causes.c).
 *
 * Each says how much more likely it makes the measures than they are when the
 * cause has no name (nats), or that it is impossible. Absent measures say
 * nothing. With the shares of causes in the field this gives the probability of
 * each. A name is given at NAME_AT, and another one only when it is RENAME_ODDS
 * times as likely, twice in a row; a name that is no longer likely (DROP_AT) is
 * taken back.
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
	/* False: it is impossible. h: this row. */
	bool (*weigh)(const struct hypothesis *h, const struct measures *m,
		      double *ret_nats);
	/* How it is told where no light was lost; NULL: the same way. Only
	 * end, action, cause_id and words are used.
	 */
	const struct hypothesis *unlit;
	const struct loss_shares *loss;	/* NULL: it takes no light */
	bool of_lanes;			/* its finding names the lanes */
};

/* Each in turn, NULL after the last. "No name" is not among them: fec_trend
 * itself stands for that.
 */
const struct hypothesis *hypothesis_at(size_t n);
/* NULL when none has that name. */
const struct hypothesis *hypothesis_find(enum signature signature);

/* Probabilities; [0] that the cause has no name, [n] of hypothesis n - 1. */
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
	uint8_t other;			/* another signature, told beside; 0 */
	enum signature name;		/* 0: it has none yet */
	enum signature wanted;		/* another one, by the last look */
	struct mono looked;		/* at a reading of the module */
	struct odds odds;
};

void naming_start(struct naming *n);
/* Takes the measures m; fresh: when the newest reading in them was taken. A
 * reading counts once.
 */
void naming_take(struct naming *n, const struct measures *m,
		 struct mono fresh);
/* Is a cause named? */
bool naming_has(const struct naming *n);
/* How likely a name is, and the present one. */
double naming_of(const struct naming *n, enum signature name);
double naming_sure(const struct naming *n);
/* The likeliest other one, and how likely; 0: none is. */
enum signature naming_other(const struct naming *n, double *ret_p);
/* The same, where first is told instead of the present name. */
enum signature naming_after(const struct naming *n, enum signature first,
			    double *ret_p);
/* The likeliest cause other than the named one, in brackets, when it is likely
 * enough; else "".
 */
void naming_other_tell(const struct naming *n, char *ret, size_t cap);
/* How likely both are, as evidence. */
void naming_evidence(const struct naming *n, struct finding *f);

/* What is kept over a restart (kept.h). */
extern const struct kept naming_kept;

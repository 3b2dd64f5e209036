/* Counts over rows: which rows, and what they come to. A figure of nothing is
 * NAN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/judge/rows.h"

#define TALLY_ANY (-1)
#define TALLY_BINS 10
#define TALLY_POOL 200			/* bins under so many are pooled */

/* Which rows: TALLY_ANY or a value; NULL or a word. */
struct tally_filter {
	int teller, plant, pace, mix, hard, signature;
	const char *law, *media;
	bool law_other;		/* all laws but that one */
	bool no_queues;		/* not what is of queues and jobs: those have
				 * no detector yet */
};

#define TALLY_ALL { TALLY_ANY, TALLY_ANY, TALLY_ANY, TALLY_ANY, TALLY_ANY, \
		    TALLY_ANY, NULL, NULL, false, false }

/* Of faults: what was found, named, foretold. */
struct tally_faults {
	double n, effects;		/* all; those with an effect */
	double found, found_warn, found_effect;
	double first_right, last_right;
	double end_asked, end_right, action_asked, action_right;
	double delay_s, delay_p90_s, delay_warn_s, delay_warn_p90_s;
	double cliffs, sudden, warned_before, foretold, lead_share;
	double answered, covered, error, width;	/* at half life; medians */
	double pairs, both_named, third_named;
	double strange, strange_right;	/* no wrong name; and not silent */
	double strange_found;
};

/* Of findings, by the name that they had last. */
struct tally_findings {
	double n, at_warn, name_right, fits;	/* of those at warn */
	double renames;				/* mean, of all */
	double words;				/* a port and day */
	double alarms, port_years, rate, low, high;	/* false ones */
	double foretold, due_missed, later_missed;	/* cliffs that never
							 * came */
};

/* confidence as the probability that the name is right. */
struct tally_trust {
	double n, base_rate;
	double log_loss, brier, error;	/* error: expected, of calibration */
	double base_log_loss, base_brier;
};

/* Of what somebody foretold against the truth: medians. */
struct tally_guess {
	double n, covered, error, width, foreseen, foreseen_share;
};

struct tally_loss {
	double n, error_decades, within_3;
};

/* What faults of the filter come to. */
void tally_faults(const struct rows *r, const struct tally_filter *f,
		  struct tally_faults *ret);
/* What findings of the filter come to; signature is their last name, law is
 * not looked at.
 */
void tally_findings(const struct rows *r, const struct tally_filter *f,
		    struct tally_findings *ret);
/* How far confidence can be believed; of the engine's findings. */
void tally_trust(const struct rows *r, const struct tally_filter *f,
		 struct tally_trust *ret);
/* The oracle's guesses at half life; f->teller is not looked at. */
void tally_oracle(const struct rows *r, const struct tally_filter *f,
		  struct tally_guess *ret);
/* Foretold shares of frames lost, of those whose true one is 1e-10 or more. */
void tally_loss(const struct rows *r, const struct tally_filter *f,
		struct tally_loss *ret);

/* Probabilities with what came of them: the arithmetic of tally_trust(). */
void tally_trust_of(const double *told, const bool *right, size_t count,
		    struct tally_trust *ret);

/* a of b; NAN of nothing. */
double tally_share(double a, double b);
/* Of a fault without a name: it got no name but those of symptoms. */
bool tally_names_are_right(const struct fault_row *r);

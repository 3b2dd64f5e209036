/* Truths against what was told: the rules of what counts as found, as rightly
 * named, and as a false alarm. Event based; nothing is adjusted point by point.
 *
 * - A finding fits a fault when it is of one of its ports and begins between
 *   the onset and MATCH_AFTER_NS past the end. Benign truths never fit.
 * - A fault is found when a finding fits it; found at warn when a fitting word
 *   of severity warn or above does.
 * - Its first name is the first word's of the first finding that fits; its
 *   last name the last word's before the cliff, or before the case ends where
 *   there is no cliff, or a sudden one. Words that clear name nothing; a watch
 *   of a link that fell with a benign event of the port tells of that event.
 * - A cliff is sudden when the oracle, or where that was not asked a law of
 *   growth, says that nobody could foresee it. Lead and time to the cliff are
 *   asked for where it is not.
 * - A finding that was at warn and fits nothing is a false alarm; at most one a
 *   port, teller and MATCH_FOLD_NS is counted.
 * - module_changed is rightly named of a healthy module that came, which is no
 *   fault: nothing else of what is benign has a name.
 * - fec_trend, fec_uncorrectable and link_down name no cause: where a cause
 *   without a name is at work, or a third is asked for, they are not wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/judge/rows.h"
#include "tests/judge/told.h"
#include "tests/judge/world.h"

#define MATCH_AFTER_NS (900 * INT64_C(1000000000))
#define MATCH_FOLD_NS (600 * INT64_C(1000000000))
/* A benign thing is nearby while it lasts, and so long after. */
#define MATCH_NEAR_NS (1800 * INT64_C(1000000000))

struct match {
	struct setting at;
	const struct truth *truth;
	size_t truths;
	const struct told *told;	/* whole */
	const bool *foreseeable;	/* each truth's cliff; NULL: by law */
	int64_t length_ns;		/* of the case */
};

/* Does a signature say what happens and not why? */
bool match_is_symptom(unsigned signature);

/* Does a thing that is told of these ports at that time fit the truth? */
bool match_fits(const struct truth *t, uint64_t ports, int64_t begin_ns);

/* Adds a row a fault and teller, one a finding and one a benign thing.
 * tellers: how many.
 */
void match_case(const struct match *m, unsigned tellers, struct rows *rows);

/* Which tables the judge prints, and what stands in their columns.
 *
 * Faults: recall, warn: found at all, at warn or above; prec: of the findings
 * at warn with that name, rightly named; first, dx1: of all faults, those whose
 * first name, and whose last before the cliff, is right; end, act: which end,
 * and the first action, right where they were told; delay_s, p90_s: from the
 * effect to the finding, median and nine of ten.
 *
 * Cliffs: before: warned of before the cliff; told: foretold; left: share of
 * the life left at the warning, median; answ, err, cover, hi/lo: at half life,
 * answered, error of the middle over what is left (median), share of the 90 %
 * intervals that hold the truth, their high over their low end (median); could,
 * o.err, o.h/l: the oracle's share, error and width.
 *
 * Oracle: could: share of the cliffs that it foresaw, high over low at most 3,
 * by nine tenths of the life; left_first: share of life left when it first
 * could, median; the rest at half life.
 *
 * Peers: names: can the rule name a cause; fits: share of its alarms at warn
 * that fit a fault; a_year, low, high: false alarms a port-year, 95 % interval;
 * words_a_day: raised, updated and cleared, of all findings, a port and day.
 */
#pragma once

#include <stdbool.h>
#include "tests/judge/report.h"
#include "tests/judge/rows.h"

/* All tables of one plant in one condition. */
void tables_write(struct report *r, const struct rows *rows, unsigned plant,
		  const char *plant_name, bool hard);

/* The first false alarms of a plant, one a line: where, and what went on. */
void tables_show(struct report *r, const struct rows *rows, unsigned plant,
		 const char *plant_name, unsigned most);

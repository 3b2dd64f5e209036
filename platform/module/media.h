/* Cable or optics, and the common name of the medium: DR4, FR4, DAC, AEC. */
#pragma once

#include <stddef.h>

struct view;

enum cable {
	CABLE_UNKNOWN,
	CABLE_OPTICS,
	CABLE_PASSIVE_COPPER,
	CABLE_ACTIVE_COPPER,
	CABLE_ACTIVE_OPTICAL,
	CABLE_BASE_T,
	CABLE_COUNT,
};

/* The kind of cable or module that is plugged in. */
enum cable media_cable(const struct view *v);
/* "optics", "passive copper" …; NULL for CABLE_UNKNOWN. */
const char *cable_word(enum cable cable);

/* DR4, FR4, LR4, SR4 …, DAC, AEC, AOC, BASE-T; empty if unknown. */
void media_name(const struct view *v, char *ret, size_t cap);

/* The compliance codes of an SFF module as words, separated by commas. */
void media_compliance(const struct view *v, char *ret, size_t cap);

/* The plants that this build has. */
#pragma once

#include <stddef.h>
#include "tests/judge/world.h"

#define PLANTS_MAX 8

/* The judge's own, to try the judge: three laws and simple noise. */
extern const struct plant_model plant_tiny;

/* The plant of that number; NULL where this build does not have it. All
 * numbers below PLANTS_MAX may be asked for.
 */
const struct plant_model *plants_get(size_t number);

/* The word by which a plant is asked for: a b c d e f g tiny; NULL beyond. */
const char *plants_word(size_t number);

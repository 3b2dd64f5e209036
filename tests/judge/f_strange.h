/* Faults that have no name among the signatures. */
#pragma once

#include "tests/judge/f_world.h"

/* Ended by a row without a word. */
extern const struct f_row f_strange_rows[];

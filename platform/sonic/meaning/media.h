/* What kind of link a module makes, guessed from the words of its table. */
#pragma once

#include "petrel/entity.h"
#include "platform/sonic/meaning/tables.h"

/* DR4, FR4, SR4 …, DAC, AEC, AOC, BASE-T; "" when the words do not tell.
 *
 * text: by enum module_text
 */
const char *media_guess(const char text[][ATTRIBUTE_TEXT_MAX]);

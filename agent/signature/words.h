/* What each signature means: the words that all else relies on.
 *
 * A row says what is wrong when the name is given, what is seen of it, what
 * has to be read for that, which names it takes precedence over where both
 * fit, and which it cannot be told from by what one switch sees, with what
 * would separate them. petrel-signatures(7) is printed from it.
 */
#pragma once

#include "petrel/finding.h"

#define WORDS_OVER_MAX 8
#define WORDS_ALIKE_MAX 3

/* What may be at fault. */
enum about { ABOUT_LINK, ABOUT_MODULE, ABOUT_QUEUE, ABOUT_SWITCH, ABOUT_GROUP,
	     ABOUT_COUNT };

/* A name that local evidence may not tell from this one. A pair stands in one
 * of its two rows.
 */
struct alike {
	enum signature other;		/* 0: the row ends */
	const char *separates;		/* what would */
};

struct signature_words {
	enum signature signature;
	enum about about;
	const char *means;		/* a sentence: what is wrong */
	const char *shows;		/* what is seen of it */
	const char *needs;		/* what has to be read */
	const char *without;		/* what is not seen, and when */
	enum signature over[WORDS_OVER_MAX];	/* up to the first 0 */
	const char *over_why;
	struct alike alike[WORDS_ALIKE_MAX];	/* up to the first 0 */
};

/* The row of a signature; NULL outside the enumeration. */
const struct signature_words *signature_words(enum signature signature);

/* link module queue switch group; NULL outside the enumeration. */
const char *about_name(enum about about);

/* What changed lately, so that a finding can name what came before it. The
 * last CHANGES_MAX are kept; the oldest go first.
 */
#pragma once

#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/finding.h"

#define CHANGES_MAX 64
#define CHANGES_BEFORE_NS (900 * NS_PER_S)

enum change {
	CHANGE_RELOAD, CHANGE_COUNTERS_CLEARED, CHANGE_MODULE_SWAPPED,
	CHANGE_MUTE, CHANGE_ANNOTATE, CHANGE_LINK_FELL, CHANGE_LINK_ROSE,
	CHANGE_OTHER,			/* in the words of its source */
	CHANGE_COUNT,
};

#define CHANGE_WORDS_MAX 64
#define CHANGES_EVERYWHERE UINT32_MAX	/* for a port: the whole switch */

struct change_seen {
	struct mono t;
	uint32_t port;
	enum change what;
	char words[CHANGE_WORDS_MAX];	/* of CHANGE_OTHER */
};

struct changes {
	uint32_t next;			/* number of the next one */
	struct change_seen at[CHANGES_MAX];	/* oldest first */
};

/* port: its number, or CHANGES_EVERYWHERE. */
void changes_add(struct changes *c, uint32_t port, enum change what,
		 struct mono t);

/* A change in words, which are cut to fit. */
void changes_add_words(struct changes *c, uint32_t port, const char *words,
		       struct mono t);

/* Writes the changes of the port and the switch in the 15 minutes before the
 * onset into the finding, newest last; if there are too many, the newest.
 */
void changes_before(const struct changes *c, uint32_t port,
		    struct finding *f);

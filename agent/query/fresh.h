/* Is a source fresh? What it says of itself, and how long ago it said it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/state/state.h"

struct sources_count {
	size_t enabled;			/* all but the unsupported */
	size_t fresh;
	size_t limited;			/* they deliver a part */
	bool delivered;			/* one of them, ever */
	const struct state_source *first_stale;	/* enabled; NULL: none */
	size_t same;			/* not fresh, for the same reason */
};

/* They fail for one reason: it is said once. For how long already is left out
 * of the comparison.
 */
bool source_reason_is_same(const struct state_source *a,
			   const struct state_source *b);

/* True when it answered within three of its periods and a little. A source
 * that only tells events is fresh while it says so.
 */
bool source_is_fresh(const struct state_source *s, struct mono now);

/* Over all sources of the platform; Petrel's own do not count. */
struct sources_count sources_count(const struct state *s, struct mono now);

/* The state in one word; "stale" for one that stopped answering. */
const char *source_words(const struct state_source *s, struct mono now);

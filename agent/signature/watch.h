/* Whether a detector can see a port: its table of needs against what the
 * readings have shown. Silence must never pass for health.
 */
#pragma once

#include "agent/signature/detector.h"

/* What is asked of, of a detector or a hypothesis. */
struct watched {
	const struct need_row *needs;
	size_t need_count;
	bool (*applies)(const struct port_facts *facts, const char **ret_why);
};

/* As engine_watch(). */
enum watch watch_of(const struct watched *w, const struct port_facts *facts,
		    const struct front *f, const char **ret_why,
		    const char **ret_arm);

/* Whether a detector can see a port: its table of needs against what the
 * readings have shown. Silence must never pass for health.
 */
#pragma once

#include "agent/signature/detector.h"

/* As engine_watch(). */
enum watch watch_of(const struct detector *d, const struct port_facts *facts,
		    const struct front *f, const char **ret_why,
		    const char **ret_arm);

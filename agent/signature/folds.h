/* Which findings of a port are part of another open one. */
#pragma once

#include "agent/signature/detector.h"

/* Does the cause explain the symptom, by the present readings? If not, the
 * symptom is a finding of its own.
 */
bool folds_into(enum signature symptom, enum signature cause,
		const struct port_view *v);

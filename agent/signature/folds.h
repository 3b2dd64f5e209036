/* What on a port is part of something else that is open there. */
#pragma once

#include "agent/signature/detector.h"

/* Is the symptom explained by the cause, by what is seen now? What it leaves
 * unexplained is a finding of its own.
 */
bool folds_into(enum signature symptom, enum signature cause,
		const struct port_view *v);

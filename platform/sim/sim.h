/* The `sim` platform: a switch that the plant plays from a scenario file.
 *
 * Options: scenario (a path as the process sees it, not below root), speed
 * (simulated seconds in a real one, 1). Times stay those of the real clock, so
 * with another speed all rates look that much higher.
 *
 * Time 0 of the scenario: when the parent process of the same program began
 * (petreld's supervisor, whose core and reader are its children), else when
 * the instance was opened; rounded down to a whole second of CLOCK_MONOTONIC.
 * So core and reader agree, and a child that was restarted finds the switch
 * where it would be by now, its counters gone on.
 */
#pragma once

#include "petrel/platform.h"

extern const struct platform_driver sim_driver;

/* CMIS versatile diagnostics, pages 20h to 2Fh: which observables a module
 * has, their values, thresholds and flags.
 *
 *   20h + group   64 descriptors: threshold set and lane, type
 *   24h + group   64 samples in the same order
 *   28h + group   16 sets of thresholds, in the format of their type
 *   2Ch           flags, a nibble each: reading clears them
 */
#pragma once

#include "platform/module/module.h"

struct view;

/* Hands over what parts ask for. */
void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink);

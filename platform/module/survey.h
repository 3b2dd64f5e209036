/* What a module advertises, and which parts of its memory are implausible:
 * fills the view that everything else reads.
 */
#pragma once

#include "platform/module/view.h"

/* The place of each page, wrong checksums, open gates, number of lanes and
 * banks.
 */
void survey(struct view *v, const struct module_image *m);

/* Reports the wrong checksums of parts, and pages that were not switched. */
void survey_check(const struct view *v, unsigned parts,
		  const struct module_sink *sink);

/* What a module says that it has, and what of its memory is not to be
 * believed: fills the view that all else reads.
 */
#pragma once

#include "platform/module/view.h"

/* Where each page is, which gates are open, how many lanes and banks. */
void survey(struct view *v, const struct module_image *m);

/* Compares the checksums that parts ask for, marks what is wrong and tells;
 * tells of pages that were not switched.
 */
void survey_check(struct view *v, unsigned parts,
		  const struct module_sink *sink);

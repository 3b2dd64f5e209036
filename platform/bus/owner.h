/* C6: whether Petrel may select pages and clear latched flags. */
#pragma once

#include <stdbool.h>
#include "petrel/diag.h"

/* option: [Module] owner as written, NULL if unset. If it asks for ownership
 * while another process, SONiC's xcvrd, owns the modules, *ret stays false, d
 * has a sentence, and -EBUSY is returned.
 */
int owner_find(int root_fd, const char *option, bool *ret, struct diag *d);

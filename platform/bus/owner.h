/* C6: whether Petrel may select pages and clear what is latched. */
#pragma once

#include <stdbool.h>
#include "petrel/diag.h"

/* option: [Module] owner as written, NULL unset. *ret stays false, with a
 * sentence in d, where it is asked for while somebody else has the modules:
 * SONiC's xcvrd. Returns -EBUSY then.
 */
int owner_find(int root_fd, const char *option, bool *ret, struct diag *d);

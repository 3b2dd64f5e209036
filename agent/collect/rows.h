/* One record as rows of the SQLite sink. */
#pragma once

#include <stdint.h>
#include "agent/collect/statement.h"
#include "petrel/wire.h"

/* run: the key of the run in table runs. Batches and capsules make no row.
 * Returns -EBADMSG or -ENOMEM: the payload cannot be read, and nothing was
 * written; -EILSEQ: it was, but its number is not its sequence; -EIO with d.
 */
int rows_apply(struct statement_set *s, int64_t run,
	       const struct record_header *h, const uint8_t *payload,
	       struct diag *d);


/* Which statistic of which kind of object a number of SAI's is, as a field of
 * the tables that also read the databases: there is one mapping of SAI's names
 * to quantities.
 *
 * The built-in numbers are those of hft_ids.def. They are positional in SAI
 * and shift between its releases, so a file may replace them: lines
 * "NAME,NUMBER" and more columns that are not read, as a spreadsheet of SAI's
 * headers has them; an object's numbers are replaced as a whole by the first
 * line that names one of its statistics.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/meaning/table.h"

struct hft_ids;

/* path: of the file, below root_fd; NULL: the built-in numbers.
 * Returns -ENOMEM, or -EINVAL and what path_read() does with d.
 */
int hft_ids_new(int root_fd, const char *path, struct hft_ids **ret,
		struct diag *d);
/* NULL is allowed. */
void hft_ids_free(struct hft_ids *ids);

/* Takes lines of a file. Returns -EINVAL with d, which names the line. */
int hft_ids_parse(struct hft_ids *ids, const char *text, size_t len,
		  struct diag *d);

/* The object of an object type of SAI's; false for those that SONiC does not
 * stream.
 */
bool hft_object_kind(uint32_t type, enum object_kind *ret);

/* The field, NULL when no quantity is known for that number. */
const struct field *hft_ids_find(const struct hft_ids *ids,
				 enum object_kind object, uint32_t number);

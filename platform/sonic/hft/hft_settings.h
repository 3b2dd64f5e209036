/* How high-frequency telemetry is set up here. Each key from the first that
 * names it: the driver's options, SONiC's constants.yml, what SONiC uses
 * without either.
 *
 *   option     constants.high_frequency_telemetry   without
 *   hft_family genl_family                          sonic_stel
 *   hft_group  genl_multicast_group                 ipfix
 *   hft_ids    -                                    the built-in numbers
 *   hft_test_port -                                 0: the kernel's family
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/hft/hft_netlink.h"
#include "platform/sonic/meaning/table.h"

#define HFT_CONSTANTS_PATH "/etc/sonic/constants.yml"

struct hft_settings {
	char family[HFT_NAME_MAX], group[HFT_NAME_MAX];
	const char *ids_path;		/* the option's text, or NULL */
	uint32_t test_port;
};

typedef const char *hft_option_fn(void *context, const char *key);

/* Returns -EINVAL with d: an option or the file is wrong; *ret is what can be
 * had of the rest even then.
 */
int hft_settings_read(int root_fd, hft_option_fn *option, void *context,
		      struct hft_settings *ret, struct diag *d);

/* Takes the names that a constants.yml gives. Returns -EINVAL with d when it
 * is no YAML, or a name is none that netlink can have.
 */
int hft_constants_parse(const char *yaml, size_t len, struct hft_settings *to,
			struct diag *d);

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

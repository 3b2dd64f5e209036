/* Settings of high-frequency telemetry. Each key is from the first that has it:
 * the driver's options, SONiC's constants.yml, SONiC's default.
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

/* Returns -EINVAL with d: an option or the file is wrong; *ret has the other
 * settings even then.
 */
int hft_settings_read(int root_fd, hft_option_fn *option, void *context,
		      struct hft_settings *ret, struct diag *d);

/* Takes the names in a constants.yml. Returns -EINVAL with d if it is not YAML,
 * or if netlink cannot have such a name.
 */
int hft_constants_parse(const char *yaml, size_t len, struct hft_settings *to,
			struct diag *d);

/* Maps SAI's numbers to statistics of a kind of object, as fields of the tables
 * that also read the databases: there is one mapping of SAI's names to
 * quantities.
 *
 * The built-in numbers are those of hft_ids.def. They are positional in SAI
 * and shift between its releases, so a file may replace them: lines
 * "NAME,NUMBER", and more columns that are ignored, as in a spreadsheet of
 * SAI's headers; an object's numbers are replaced as a whole by the first line
 * that names one of its statistics.
 */

struct hft_ids;

/* path: of the file, below root_fd; NULL: the built-in numbers. Returns
 * -ENOMEM, or -EINVAL and the errors of path_read() with d.
 */
int hft_ids_new(int root_fd, const char *path, struct hft_ids **ret,
		struct diag *d);
/* NULL is allowed. */
void hft_ids_free(struct hft_ids *ids);

/* Takes lines of a file. Returns -EINVAL with d, which names the line. */
int hft_ids_parse(struct hft_ids *ids, const char *text, size_t len,
		  struct diag *d);

/* The object of a SAI object type; false for types that SONiC does not stream.
 */
bool hft_object_kind(uint32_t type, enum object_kind *ret);

/* The field, NULL if no quantity is known for that number. */
const struct field *hft_ids_find(const struct hft_ids *ids,
				 enum object_kind object, uint32_t number);

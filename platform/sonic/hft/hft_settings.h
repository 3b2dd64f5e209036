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

#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/hft/hft_netlink.h"

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

/* Source sensors, of the reader: temperatures, fans, voltages, currents and
 * powers of hwmon, by libsensors, with its labels and corrections.
 *
 * libsensors keeps its state in the process: only one may be open at a time. It
 * reads this machine's /sys and no other.
 */
#pragma once

#include "petrel/platform.h"

struct sensor_source;

/* root_fd: the switch's "/"; if it is not the process' own, the source is
 * unsupported, with that reason. Reads nothing yet.
 */
int sensor_source_new(int root_fd, const struct platform_host *host,
		      struct sensor_source **ret, struct diag *d);

/* Closes libsensors, too. */
void sensor_source_free(struct sensor_source *s);

/* Looks for chips and reports their sensors, and those that have gone. Returns
 * -EOPNOTSUPP (not the process' root), -ENODATA (no chip).
 */
int sensor_source_scan(struct sensor_source *s, struct mono now,
		       struct diag *d);

/* Does the read hook's work; scans again once a minute. */
int sensor_source_read(struct sensor_source *s, struct mono now,
		       struct diag *d);

/* The label of this machine, below the root: the serial number from its
 * firmware (SMBIOS), and a permanent MAC.
 */
#pragma once

struct platform_host;

/* Reports them to the host as attributes of the switch. */
void chassis_label_tell(int root_fd, const struct platform_host *host);

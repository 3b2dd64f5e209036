/* What stands on the label of this machine, below the root: the serial number
 * that its firmware gives (SMBIOS), and a MAC that stays.
 */
#pragma once

struct platform_host;

/* Tells the host what there is, as attributes of the switch. */
void chassis_label_tell(int root_fd, const struct platform_host *host);

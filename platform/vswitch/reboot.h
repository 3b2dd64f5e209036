/* Why the switch was started, and when: in STATE_DB, and in the file that
 * determine-reboot-cause leaves. They are of one boot, which a reload of the
 * configuration is not.
 */
#pragma once

#include <stdint.h>

struct box;

/* The switch boots now: its file is written, where it has a root. A failure is
 * told in the log.
 */
void reboot_note(struct box *b, int64_t unix_s);
/* REBOOT_CAUSE of that boot. */
void reboot_row(struct box *b);

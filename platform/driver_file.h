/* What petreld must know about an external driver without running it (C7):
 *
 *	[Source pulse]
 *	help = Beats of the heart
 *	period = 1s
 *	rights = net_admin
 *
 *	[Option level]
 *	form = number
 *	min = 1
 *	max = 100
 *	value = 7
 *	help = How much is too much.
 *
 * Forms are bool, duration, size, number, factor, word, list, path, name, url,
 * file, file_below_root; without a form any text will do. words = a,b are for
 * word and list; at_start = no if a reload is enough.
 */
#pragma once

#include "petrel/platform.h"

struct driver_file {
	struct platform_driver driver;	/* name, sources, options; functions do
					 * nothing */
	struct driver_lists *lists;	/* what driver points to */
};

/* Reads the text of file, whose first name_len octets name the driver.
 * Returns -EINVAL with d (file, line, what would be right), -ENOMEM.
 */
int driver_file_new(const char *file, size_t name_len, const char *text,
		    size_t len, struct driver_file **ret, struct diag *d);
/* NULL is allowed. */
void driver_file_free(struct driver_file *f);

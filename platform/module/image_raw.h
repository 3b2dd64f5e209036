/* A module's memory in one piece, as in sysfs or from the kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

struct module_image;

#define IMAGE_FILE_MAX (256u * 1024)	/* four banks of all pages, twice */

/* Puts it into an image, which is emptied first; the first octet decides the
 * layout. ret_note: what is missing if it ends within a page; else empty.
 * Returns -EBADMSG, -E2BIG with d.
 */
int image_raw_parse(const uint8_t *octets, size_t n,
		    struct module_image *ret, struct diag *ret_note,
		    struct diag *d);

/* The bank and page of the upper half of 256 octets as they are on the bus:
 * those that were selected (octets 126 and 127), unless it is page 00h.
 */
void image_raw_selected(const uint8_t octets[static 256], unsigned *ret_bank,
			unsigned *ret_page);

/* Removes the octet at that offset: it was not read after all. */
void image_raw_forget(struct module_image *m, size_t at);

/* Does a table use the page? An image has no room for all pages, and takes no
 * others.
 */
bool image_page_is_known(unsigned bank, unsigned page);

/* A module's memory from a file: what sysfs gives (optoe's layout), what
 * `ethtool -m DEV raw on` and `hex on` write, what `sfputil show
 * eeprom-hexdump` prints, hexdump, xxd, od, i2cdump, and hex in blocks:
 *
 *   # comment
 *   [lower]                  octets 0 to 127; an SFP: [a0 lower], [a2 lower]
 *   00: 19 40 00 07 ...
 *   [page 11]                octets 128 to 255 of page 11h, bank 0
 *   [page 11 bank 1]
 *
 * The content decides which format it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/module/image_raw.h"

struct module_image;

#define IMAGE_PART_NAME_MAX 64

/* Puts the octets of a file into an image, which is emptied first.
 *
 * ret_note: what is missing if the file ends within a page; else empty
 * Returns -EBADMSG with d if it has none of the formats, -E2BIG.
 */
int image_file_parse(const uint8_t *octets, size_t n,
		     struct module_image *ret, struct diag *ret_note,
		     struct diag *d);

/* The length of the part that begins at octet from: one module, in a text with
 * those of several ports, as sfputil writes them into a tech-support file, or
 * each behind the command that printed it; else the rest. Dumps of several
 * pages of a port are one part.
 *
 * ret_name: sfputil's name for it ("port Ethernet4"), or ""
 */
size_t image_file_part(const uint8_t *octets, size_t n, size_t from,
		       char ret_name[static IMAGE_PART_NAME_MAX]);

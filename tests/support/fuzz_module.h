/* What the fuzz targets of module memories share: octets into pages, then what
 * is done with an image.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The first octet becomes the type; 129 octets a page follow: place, content.
 * The last octet says which: even, the image is decoded; odd, it is planned
 * for and forgotten, by the owner where bit 1 is set. Aborts when a plan leaves
 * its page, reads what clears without being the owner, or never ends.
 */
void fuzz_module(uint8_t type, const uint8_t *data, size_t len);

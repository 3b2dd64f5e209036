/* What the fuzz targets of module memories share: octets into pages, then all
 * that is done with an image.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The first octet becomes the type; 129 octets a page follow: place, content.
 * Decodes, plans and forgets, as owner if the last octet is odd; aborts when a
 * plan leaves its page, reads what clears without being the owner, or never
 * ends.
 */
void fuzz_module(uint8_t type, const uint8_t *data, size_t len);

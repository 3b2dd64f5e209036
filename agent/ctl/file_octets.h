/* The whole of a file that somebody names, or of standard input. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* path: "-" is standard input. *ret is the caller's to free. Returns -errno;
 * -EFBIG: more than max octets.
 */
int file_octets(const char *path, size_t max, uint8_t **ret, size_t *ret_len);

/* A whole file that the user names, or all of standard input. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* path: "-" is standard input. The caller frees *ret. Returns -errno; -EFBIG:
 * more than max octets.
 */
int file_octets(const char *path, size_t max, uint8_t **ret, size_t *ret_len);
/* How a message names it: the path, or "standard input". */
const char *file_label(const char *path);

/* The program that compressed a file with this beginning, which the user has to
 * unpack first; NULL: none known.
 */
const char *file_packed_by(const void *begin, size_t len);

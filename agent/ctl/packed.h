/* Files that were compressed, and that the user has to unpack first. */
#pragma once

#include <stddef.h>

/* The program that compressed a file with this beginning; NULL: none known. */
const char *packed_by(const void *begin, size_t len);

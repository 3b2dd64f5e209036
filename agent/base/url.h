/* URLs in messages. */
#pragma once

#include <stddef.h>

#define URL_SHOWN_MAX 512

/* A URL as it may be told to anyone: without its user and password. Cut to
 * what fits.
 */
const char *url_shown(const char *url, char ret[static URL_SHOWN_MAX]);

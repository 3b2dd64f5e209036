/* What a text of the configuration must look like (C14): a text that a driver
 * or a library takes later is refused here, where its line is known.
 */
#pragma once

#include "agent/config/key.h"

/* yes or no. */
config_form form_bool;
/* A time with its unit, min to max ns. */
config_form form_duration;
/* A whole number, min to max. */
config_form form_number;
/* A decimal above 0, up to max. */
config_form form_factor;
/* One or more of words, joined by commas. */
config_form form_list;
/* The word auto alone, or such a list. */
config_form form_auto_or_list;
/* A path that begins with /. */
config_form form_absolute;
/* A name of a file, without /. */
config_form form_name;
/* tcp://HOST:PORT, HOST a name, an address, [an IPv6 address] or *; or
 * ipc://PATH.
 */
config_form form_url;

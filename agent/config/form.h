/* What a text of the configuration must look like (C14): a text that a driver
 * or a library takes later is refused here, where its line is known.
 */
#pragma once

#include "agent/config/key.h"

/* A time in its largest unit that is whole, as a person would write it. */
void form_time_text(int64_t ns, char ret[static CONFIG_TEXT_MAX]);
/* The same of a size. */
void form_size_text(uint64_t octets, char ret[static CONFIG_TEXT_MAX]);

/* yes or no. */
config_form form_bool;
/* A time with its unit, min to max ns. */
config_form form_duration;
/* A size, min to max octets. */
config_form form_size;
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

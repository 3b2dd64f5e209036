/* Validates the values of keys (petrel/option.h), and formats them for people.
 */
#pragma once

#include "petrel/diag.h"
#include "petrel/option.h"

/* SONiC's word for no VRF, given as a device's name. */
#define OPTION_DEVICE_NONE "default"

/* Returns -EINVAL with d: the key, the value, what is valid. */
int option_judge(const struct option_key *k, const char *value,
		 struct diag *d);

/* Index of the word among the key's; -ENOENT: none of them. */
int option_word(const struct option_key *k, const char *value);

/* AF_INET or AF_INET6, of an address or of the one in tcp://HOST:PORT; 0: not
 * an address, such as a host name.
 */
int option_family(const char *text);

/* A time in the largest unit that divides it. */
void option_time_text(int64_t ns, char ret[static OPTION_TEXT_MAX]);
/* The same for a size. */
void option_size_text(int64_t octets, char ret[static OPTION_TEXT_MAX]);

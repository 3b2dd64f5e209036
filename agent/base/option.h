/* Judges the values of keys (petrel/option.h), and writes them as a person
 * would.
 */
#pragma once

#include "petrel/diag.h"
#include "petrel/option.h"

/* SONiC's word for no VRF, as a device's name. */
#define OPTION_DEVICE_NONE "default"

/* Returns -EINVAL with d: the key, the value, what would be right. */
int option_judge(const struct option_key *k, const char *value,
		 struct diag *d);

/* Number of the word among the key's; -ENOENT: it is none of them. */
int option_word(const struct option_key *k, const char *value);

/* AF_INET or AF_INET6, of an address or of the one in tcp://HOST:PORT; 0: it is
 * no address, as a host's name.
 */
int option_family(const char *text);

/* A time in its largest unit that is whole. */
void option_time_text(int64_t ns, char ret[static OPTION_TEXT_MAX]);
/* The same of a size. */
void option_size_text(int64_t octets, char ret[static OPTION_TEXT_MAX]);

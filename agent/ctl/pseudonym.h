/* Names of switches and addresses, each by a word that is the same wherever it
 * stands: host-1, address-2.
 *
 * Bounded: behind the last of PSEUDONYMS_MAX all are called "other".
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define PSEUDONYMS_MAX 4096

struct pseudonyms;

/* Returns -ENOMEM. */
int pseudonyms_new(struct pseudonyms **ret);
/* p may be NULL. */
void pseudonyms_free(struct pseudonyms *p);

/* A name that is to be hidden from now on; names of one letter are not. */
void pseudonyms_hide(struct pseudonyms *p, const char *name);
/* Writes a text with its names, IPv4, IPv6 and MAC addresses replaced. */
int pseudonyms_put(struct pseudonyms *p, const char *text, size_t len,
		   FILE *out);
/* How many different ones were replaced. */
size_t pseudonyms_count(const struct pseudonyms *p);

/* Removes from a text what must not leave the switch: private keys, passwords
 * and the like, SNMP communities; on request also replaces the names of
 * switches and addresses, each always by the same word.
 *
 * It removes too much rather than too little, and counts what it removes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct history;
struct redact;
struct state;

/* anonymise: names and addresses, too. Returns -ENOMEM. */
int redact_new(bool anonymise, struct redact **ret);
/* r may be NULL. */
void redact_free(struct redact *r);

/* A name that anonymise must hide; without anonymise does nothing. */
void redact_name(struct redact *r, const char *name);

/* The same for all that identifies a switch: its name, those of its peers,
 * descriptions of ports, and serial numbers of modules; also those in events.
 * state and history may be NULL.
 */
void redact_inventory(struct redact *r, const char *switch_name,
		      const struct state *state, const struct history *history);

/* Writes a whole text without its secrets. Returns a negative errno. */
int redact_text(struct redact *r, const char *text, size_t len, FILE *out);

/* The number of secrets removed so far. */
size_t redact_secrets(const struct redact *r);
/* The number of different names and addresses. */
size_t redact_names(const struct redact *r);

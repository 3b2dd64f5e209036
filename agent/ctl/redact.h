/* Takes out of a text what must not leave the switch: private keys, passwords
 * and their like, SNMP communities; on request also the names of switches and
 * addresses, each by a word that is the same wherever it stands.
 *
 * It rather takes too much than too little, and counts what it took.
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

/* A name that anonymise is to hide; without it nothing happens. */
void redact_name(struct redact *r, const char *name);

/* The same of all that tells whose a switch is: its name, those of its peers,
 * what the ports are described as, and the modules' serial numbers; those of
 * events as well. state and history may be NULL.
 */
void redact_inventory(struct redact *r, const char *switch_name,
		      const struct state *state, const struct history *history);

/* Writes a whole text without its secrets. Returns a negative errno. */
int redact_text(struct redact *r, const char *text, size_t len, FILE *out);

/* How many secrets were taken out so far. */
size_t redact_secrets(const struct redact *r);
/* How many different names and addresses. */
size_t redact_names(const struct redact *r);

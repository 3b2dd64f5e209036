/* C11: which switches may connect. The collector's own key, the list of
 * authorised switches and the tokens of enrolment, from their files; and the
 * responder that enforces them.
 */
#pragma once

#include <stdbool.h>
#include "agent/config/config.h"
#include "agent/seal/keys.h"
#include "agent/seal/responder.h"

struct admission;

/* Creates a key in the state folder if there is none. With insecure = yes it
 * may be missing: then nothing is sealed. Returns a negative errno with d.
 */
int admission_open(const struct collector_config *config,
		   struct admission **ret, struct diag *d);
/* Frees the responder too. */
void admission_close(struct admission *a);

/* Reads the files again. On failure nothing changes. */
int admission_reload(struct admission *a, const struct collector_config *config,
		     struct diag *d);

/* Ends sessions of expired keys. */
void admission_tend(struct admission *a);

/* A random number, of the kernel's. */
uint64_t admission_random(void *context);

/* NULL: nothing is sealed. */
struct responder *admission_responder(const struct admission *a);

/* The key for --key and --check; if there is none and makes is set, creates
 * one.
 */
int admission_keys(const struct collector_config *config, bool makes,
		   uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN],
		   unsigned *ret_count, struct diag *d);
/* Whether all of them can be read. */
int admission_check(const struct collector_config *config, struct diag *d);

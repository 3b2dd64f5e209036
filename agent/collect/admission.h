/* C11: who is let in. The collector's own key, the list of authorised switches
 * and the tokens of enrolment, from their files; and the responder that goes by
 * them.
 */
#pragma once

#include <stdbool.h>
#include "agent/config/config.h"
#include "agent/seal/keys.h"
#include "agent/seal/responder.h"

struct admission;

/* Where there is no key, one is made in the state folder. With insecure = yes
 * it may be missing: then nothing is sealed. Returns a negative errno with d.
 */
int admission_open(const struct collector_config *config,
		   struct admission **ret, struct diag *d);
/* With the responder. */
void admission_close(struct admission *a);

/* Reads the files again. On failure all is as it was. */
int admission_reload(struct admission *a, const struct collector_config *config,
		     struct diag *d);

/* Ends sessions of keys whose time is over. */
void admission_tend(struct admission *a);

/* NULL: nothing is sealed. */
struct responder *admission_responder(const struct admission *a);

/* The key of --key and --check: what is there, and what is made if there is
 * none and makes says so.
 */
int admission_keys(const struct collector_config *config, bool makes,
		   uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN],
		   unsigned *ret_count, struct diag *d);
/* All of them can be read. */
int admission_check(const struct collector_config *config, struct diag *d);

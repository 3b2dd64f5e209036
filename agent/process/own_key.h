/* C11: where a switch has its secret key and the token of its enrolment: the
 * places that [Push] names, and the default ones.
 */
#pragma once

#include "agent/config/config.h"
#include "agent/seal/keys.h"

struct own_key {
	struct noise_pair pair;
	char token[TOKEN_TEXT_SIZE];	/* empty: none */
};

/* Reads both. makes: creates a key in the state folder if there is none.
 * Returns a negative errno with d: file, line, and what is wrong.
 */
int own_key_load(int root_fd, const struct config *c, bool makes,
		 struct own_key *ret, struct diag *d);

/* Asks a collector over HTTP: the same question, the same answer. libcurl is
 * loaded on use; petrel is not linked with it.
 */
#pragma once

#include "local.pb-c.h"
#include "petrel/diag.h"

/* Which collector, and which of its switches. NULL: not given. */
struct remote_place {
	const char *url;	/* http://127.0.0.1:9817, https://… */
	const char *switch_name, *token_file;
};

/* The answer, freed with answer_unpacked_free(). Returns -EINVAL (no such URL),
 * -EOPNOTSUPP (no libcurl), -ENOENT (no token file), -ECONNREFUSED (nobody
 * answers), -EACCES (the token is not valid), -EBADMSG (not an answer of a
 * collector), with d.
 */
int remote_ask(const struct remote_place *place,
	       const Petrel__Request *request, Petrel__Answer **ret,
	       struct diag *d);

/* Whether certificates in PEM can be used now: what a check of the
 * configuration can tell before anybody connects.
 */
#pragma once

#include "petrel/clock.h"
#include "petrel/diag.h"

/* The first certificate of a text, which a server shows. Returns -EINVAL with
 * d: there is none, it cannot be read, it has expired, or is not valid yet.
 */
int certificate_check(const char *pem, struct wall now, struct diag *d);
/* Certificates of authorities: at least one must be valid. The same otherwise.
 */
int certificates_check(const char *pem, struct wall now, struct diag *d);

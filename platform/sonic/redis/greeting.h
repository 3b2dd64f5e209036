/* What a connection says first: the password, where the switch has one, and
 * which database is meant.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"
#include "platform/sonic/switchdb/database.h"

#define GREETING_PASSWORD_MAX 512	/* octets; SONiC's has 44 */
#define GREETING_MAX (GREETING_PASSWORD_MAX + 96)

struct greeting {
	char text[GREETING_MAX];	/* commands; holds the password */
	size_t len;
	unsigned count;			/* of commands; SELECT is the last */
};

/* Writes the commands for a database. The file with the password is read anew,
 * as each start of the switch draws another.
 * Returns a negative errno with d: the password cannot be read.
 */
int greeting_write(int root_fd, const struct database *database,
		   struct greeting *ret, struct diag *d);

/* Forgets the password. */
void greeting_forget(struct greeting *g);

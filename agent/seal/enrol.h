/* C11: enrolment with a token that is valid once. The collector's operator
 * creates one for a switch's id; the switch sends it, sealed to the collector's
 * key, with its own key, which is then authorised for that id.
 *
 * A token is a file in a folder, named by the token's hash, so that a reader of
 * the folder has no token; it holds the id and the time until which the token
 * is valid. A token is used by removing its file, which can succeed only once.
 */
#pragma once

#include "agent/seal/keys.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

/* Creates a token for a switch, and the folder if missing. Root gives folder
 * and file to the owner of the folder that each is in. Returns a negative
 * errno.
 */
int enrol_issue(const char *folder, const char *switch_id, struct wall until,
		char ret_token[static TOKEN_TEXT_SIZE], struct diag *d);

/* Uses a token up. Returns -ENOENT: unknown, or used; -ETIME: expired; another
 * negative errno.
 */
int enrol_take(const char *folder, const char *token, size_t len,
	       struct wall now, char ret_id[static SWITCH_NAME_MAX]);

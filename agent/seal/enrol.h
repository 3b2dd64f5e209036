/* C11: enrolment with a token that is good once. The collector's operator has
 * one made for a switch's id; the switch sends it, sealed to the collector's
 * key, with its own key, which is then authorised for that id.
 *
 * A token lies in a folder as a file whose name is the token's hash, so that
 * who reads the folder has no token; it holds the id and the time until which
 * the token is good. A token is used by removing its file, which one alone
 * can do.
 */
#pragma once

#include "agent/seal/keys.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

/* Makes a token for a switch. The folder is made where there is none. Root
 * gives folder and file to the owner of the folder that each lies in. Returns
 * a negative errno.
 */
int enrol_issue(const char *folder, const char *switch_id, struct wall until,
		char ret_token[static TOKEN_TEXT_SIZE], struct diag *d);

/* Uses a token up. Returns -ENOENT: never made, or used; -ETIME: too late;
 * another negative errno.
 */
int enrol_take(const char *folder, const char *token, size_t len,
	       struct wall now, char ret_id[static SWITCH_NAME_MAX]);

/* petrel keygen: a secret key into a new file, its public key on the screen.
 * libsodium is loaded here alone, so that no other command waits for it.
 */
#pragma once

struct invocation;

/* Handler of the command; returns an exit code. */
int keygen_run(const struct invocation *inv);

/* How a session begins: with a HANDSHAKE, where it is sealed, and a HELLO, that
 * says whose run it is. Nobody speaks for a switch that has a key but itself.
 */
#pragma once

struct arrival;

/* Takes a HANDSHAKE, and answers it. */
void greeting_handshake(struct arrival *a);
/* Takes a HELLO: finds its run, or begins it, and answers with what is held. */
void greeting_hello(struct arrival *a);

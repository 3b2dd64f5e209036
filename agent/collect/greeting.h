/* The begin of a session: a HANDSHAKE, if it is sealed, and a HELLO, which says
 * whose run it is. Only its own key may speak for a switch that has one.
 */
#pragma once

struct arrival;

/* Handles a HANDSHAKE, and answers it. */
void greeting_handshake(struct arrival *a);
/* Handles a HELLO: finds or begins its run, and answers with its positions. */
void greeting_hello(struct arrival *a);

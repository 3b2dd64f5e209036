/* Modules as xcvrd shows them in STATE_DB: what they are, for every sub-port;
 * what they measure, for the first sub-port of a cage only. And their memory,
 * as files below the switch's root where SONiC's optoe driver would have them:
 * what these and STATE_DB say is of one moment.
 */
#pragma once

#include <stddef.h>

struct box;
struct box_port;

/* Looks at every cage: modules that came or went are told of at once. */
void xcvrd_presence(struct box *b);
/* What xcvrd's loop reads of one cage; p: any port, does nothing where it is
 * not the first of its cage. This is where a module is looked at, so all that
 * shows its memory belongs here.
 */
void xcvrd_read(struct box *b, size_t port);
/* xcvrd's short cut for who cools the switch: temperatures alone. */
void xcvrd_heat(struct box *b);
/* Between two readings: what the module itself keeps minima and maxima of. */
void xcvrd_watch(struct box *b);
/* As after a start of xcvrd: all is posted anew. */
void xcvrd_forget(struct box *b);
/* Takes the rows of a port out. */
void xcvrd_delete(const struct box_port *p);

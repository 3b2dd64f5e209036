/* How a process of petreld gives up what it need not have (C21): user and
 * groups of its start, capabilities, new privileges by exec, and the system
 * calls that only somebody who took it over would make.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"

struct rights;

/* The supervisor: becomes the user of these rights where it was root, keeps the
 * reader's capabilities for it, none of them in effect, and empties its
 * bounding set where it may.
 * Returns a negative errno with d: petreld must end.
 */
int confine_supervisor(const struct rights *r, struct diag *d);

/* A child: these capabilities (1 << CAP_...), of those that it has.
 * Returns a negative errno with d: it must end.
 */
int confine_child(uint64_t keep, struct diag *d);

/* Fewer of them, later. The same. */
int confine_more(uint64_t keep, struct diag *d);

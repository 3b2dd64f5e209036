/* What all ports of the switch do together: a hot day, a load on all of them.
 * It is no fault of any one port.
 */
#pragma once

#include "agent/signature/inside.h"

struct kept;

/* What is asked of each port. */
struct site_asks {
	struct mono now;
	const struct wide *air, *group;
	const struct engine_port *like;
};

/* A value of a port; NAN: it has none. */
typedef float site_value_fn(const struct engine_port *p,
			    const struct site_asks *a);

/* Its median over all ports; NAN: too few have it. */
float site_middle(struct engine *e, site_value_fn *of,
		  const struct site_asks *a);

/* The median of the first n of e->values, which are put in another order. */
float site_middle_of(struct engine *e, size_t n);

/* Decades that errors of most ports are above normal, but for those of the
 * group, where others are known: what it does at once is not common. Of a few
 * others the one that has most errors tells it.
 */
float site_excess_elsewhere(struct engine *e, const struct wide *group);

/* Puts what most ports show into e->site. */
void site_look(struct engine *e, struct mono now);

/* Is what the detector finds the effect of what is done to the switch? */
bool site_silences(const struct engine *e, const struct detector *d);

/* How bad a fault of a link is: watch at most if it is found while traffic is
 * shifted away.
 */
enum severity site_severity(const struct engine *e, const struct life_slot *s,
			    enum severity said);

/* What is kept over a restart (kept.h). */
extern const struct kept site_kept;

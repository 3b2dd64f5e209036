/* Links that fall together: those of one module, all that lead to one switch,
 * or a good part of all.
 */
#pragma once

#include "agent/signature/inside.h"

/* Who fell with this port a moment ago: into the view. */
void together_look(const struct engine *e, const struct engine_port *p,
		   struct port_view *v);

/* One fault, one finding: true when another port, of the cage or of many that
 * fell at once, says what detector n says of this one, and what this one said
 * before has ended.
 */
bool together_folds(struct engine *e, const struct life_subject *s, size_t n,
		    struct mono now, struct wall wall);

/* Ports of its cage that are down since the same moment, and itself. */
unsigned together_in_cage(const struct engine *e, const struct engine_port *p);

/* Which ports they are, the port's own first, into its finding of detector n.
 */
void together_ports(const struct engine *e, uint32_t port, size_t n,
		    struct finding *f);

/* When a good part of the switch falls at once it is a restart, its peer's or
 * its own: no link of it is at fault.
 */
void together_shaken(struct engine *e, struct mono now);

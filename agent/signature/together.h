/* Links that fall together: those of one module, all that lead to one switch,
 * or a good part of all.
 */
#pragma once

#include <string.h>

#include "agent/signature/inside.h"

/* Of two ports: a cage, a group or a peer. An empty name is not known, and is
 * shared with none.
 */
static inline bool is_other(const char *a, const char *b)
{
	return !a[0] || strcmp(a, b) != 0;
}

/* New facts of p: while its link is down the peer is not heard, and stays who
 * it was.
 */
void together_peer_keep(const struct engine_port *p, struct port_facts *facts);

/* Notes in the view which links fell with this port a moment ago. */
void together_look(const struct engine *e, struct engine_port *p,
		   struct port_view *v);

/* One fault, one finding: true when another port, of the same module or of many
 * that fell or lost codewords at once, has the finding of detector n for this
 * port too; this port's own has then ended.
 */
bool together_folds(struct engine *e, const struct life_subject *s, size_t n,
		    struct mono now, struct wall wall);

/* Did both last lose codewords in bursts at the same moment? Each shows it at
 * the end of a window.
 */
bool together_burst(const struct engine_port *q, const struct engine_port *p);

/* Ports whose light fell at once when that of p did, and itself: what their
 * fibres share lost it. 0: that is not so, or f tells of no lost light.
 * one_cage: they are of one module.
 */
unsigned together_dimmed(const struct engine *e, const struct engine_port *p,
			 const struct finding *f, bool *ret_one_cage);

/* Has q the same trouble as p: their light fell at once; or, not of light, they
 * share a module? Of light it is one for all only where it is of enough ports.
 */
bool together_has(const struct engine_port *q, const struct engine_port *p,
		  bool light);
bool together_is_one(const struct engine *e, const struct engine_port *p,
		     bool light);

/* The oldest open finding of that name (0: of light that was lost) among the
 * ports that have the same; NULL: none has one, or this port's is.
 */
const struct finding *together_oldest(const struct engine *e, uint32_t port,
				      enum signature name);

/* Ports of its cage that are down since the same moment, and itself. */
unsigned together_in_cage(const struct engine *e, const struct engine_port *p);

/* Writes which ports they are into the finding of detector n, this one first.
 */
void together_ports(const struct engine *e, uint32_t port, size_t n,
		    struct finding *f);

/* Counts the moments at which most links of the group fell. */
void together_group(const struct engine *e, struct wide *g, struct mono now);

/* When a good part of the switch falls at once it is a restart, of its peer or
 * its own: no link is at fault.
 */
void together_shaken(struct engine *e, struct mono now);

/* Counters of ports restarted (engine's restarts): of most of them, while links
 * are down, by a restart of this switch.
 */
void together_restarted(struct engine *e, struct mono now);

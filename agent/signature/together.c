#include "agent/signature/together.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/extreme.h"

#define SHAKEN_PORTS 3			/* at least so many fell together … */
#define SHAKEN_SHARE 2			/* … and one in so many of those used */
#define TOGETHER_NS (120 * NS_PER_S)
#define SHAKEN_NS (900 * NS_PER_S)
#define STAYS_NS (900 * NS_PER_S)	/* up so long: a restart is over */
#define CAGE_NS (10 * NS_PER_S)		/* ports of one module fall within */
#define LOOKS_LATE 2	/* readings until others show it too */
#define BURST_SHOWN_NS (1800 * NS_PER_S)	/* all have shown theirs */
#define DIMMED_LEAST 3u	/* ports whose light falls at once: not by chance … */
#define DIMMED_CAGE 2u	/* … where they are of one module */
#define GROUP_PORTS 3u	/* of one component; of fewer it may be chance … */
#define GROUP_NS (3600 * NS_PER_S)	/* … and after so long, too */
#define BURST_OTHERS 3u	/* ports of other modules: not by chance … */
#define BURST_SHARE 2u	/* … and one in so many of all */

/* Two links of one cage that fell together: what they share is at fault. One
 * of them may be up again.
 */
static bool cage_fell(const struct engine_port *a, const struct engine_port *b)
{
	int64_t apart_ns = mono_diff_ns(a->front.down_since,
					b->front.down_since);

	return a->facts.cage[0] && !a->gone && !b->gone &&
	       a->front.down_since.ns && apart_ns < CAGE_NS &&
	       apart_ns > -CAGE_NS && strcmp(a->facts.cage, b->facts.cage) == 0;
}

/* Is q down since p's cage fell, and wanted up? */
static bool is_with(const struct engine_port *q, const struct engine_port *p)
{
	return q == p || (q->front.link == LINK_IS_DOWN &&
			  !q->front.admin_down && cage_fell(q, p));
}

/* … whether it is up again or not. */
static unsigned cage_fallen(const struct engine *e, const struct engine_port *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->count; i++)
		n += e->ports[i] == p || cage_fell(e->ports[i], p);
	return n;
}

/* Light was lost: by dirt, a bend, or either. */
static bool is_of_light(const struct finding *f)
{
	return f->cause_id == CAUSE_DIRTY_CONNECTOR ||
	       f->cause_id == CAUSE_BENT_FIBRE ||
	       f->cause_id == CAUSE_MORE_THAN_ONE_FITS;
}

/* Light that comes and goes falls with that of others by chance. */
static bool is_dimmed(const struct engine_port *p)
{
	return !p->gone && p->light.fell_at.ns && !p->light.returns &&
	       p->light.lost_db > LIGHT_DROP_DB;
}

/* Did the light of q and p fall at once? Each shows it at the next reading of
 * its module.
 */
static bool dimmed_with(const struct engine_port *q,
			const struct engine_port *p)
{
	float usual_s = float_most(q->cadence.usual_s, p->cadence.usual_s);
	int64_t near = CAGE_NS + (int64_t)(usual_s * (float)NS_PER_S);
	int64_t apart = mono_diff_ns(q->light.fell_at, p->light.fell_at);

	return is_dimmed(q) && apart <= near && apart >= -near;
}

/* Ports whose light fell at once when that of p did, and itself; 0: too few. */
static unsigned dimmed_count(const struct engine *e,
			     const struct engine_port *p, bool *ret_one_cage)
{
	unsigned n = 0;

	*ret_one_cage = true;
	for (size_t i = 0; is_dimmed(p) && i < e->count; i++) {
		const struct engine_port *q = e->ports[i];

		if (!dimmed_with(q, p))
			continue;
		n++;
		*ret_one_cage &= !is_other(q->facts.cage, p->facts.cage);
	}
	return n < (*ret_one_cage ? DIMMED_CAGE : DIMMED_LEAST) ? 0 : n;
}

unsigned together_dimmed(const struct engine *e, const struct engine_port *p,
			 const struct finding *f, bool *ret_one_cage)
{
	return is_of_light(f) ? dimmed_count(e, p, ret_one_cage) : 0;
}

unsigned together_in_cage(const struct engine *e, const struct engine_port *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->count; i++)
		n += is_with(e->ports[i], p);
	return n;
}

/* Links that fall with p show it within this time, before or after. */
static int64_t near_ns(const struct engine_port *p)
{
	return 2 * p->front.period_ns + CAGE_NS;
}

/* Did it fall with p, but for the time between two readings? It may be up
 * again.
 */
static bool fell_near(const struct engine_port *q, const struct engine_port *p)
{
	int64_t apart_ns = mono_diff_ns(q->front.down_since,
					p->front.down_since);

	return apart_ns <= near_ns(p) && apart_ns >= -near_ns(p);
}

static bool fell_with(const struct engine_port *q, const struct engine_port *p)
{
	return q->front.link == LINK_IS_DOWN && fell_near(q, p);
}

/* It shares a component with p, and did not fall with it. */
static bool group_stands(const struct engine_port *q,
			 const struct engine_port *p)
{
	return q->group && q->group == p->group &&
	       q->front.link == LINK_IS_UP &&
	       mono_diff_ns(q->front.t, p->front.down_since) > near_ns(p);
}

/* Both see the same module. */
static bool shares_module(const struct engine_port *q,
			  const struct engine_port *p)
{
	return !q->gone && !is_other(p->facts.cage, q->facts.cage);
}

bool together_burst(const struct engine_port *q, const struct engine_port *p)
{
	int64_t window_ns = q->ber.window_ns > p->ber.window_ns ?
			    q->ber.window_ns : p->ber.window_ns;
	int64_t apart_ns = mono_diff_ns(q->cadence.burst, p->cadence.burst);

	return q->cadence.burst.ns && p->cadence.burst.ns &&
	       2 * apart_ns <= 3 * window_ns && 2 * -apart_ns <= 3 * window_ns;
}

static enum company company_of(const struct engine *e, struct engine_port *p,
			       size_t n)
{
	const struct detector *d = e->table[n];

	return d->company ? d->company(state_of(e, p, n)) : COMPANY_NONE;
}

/* What befalls ports of many modules at once is no contact of one. */
static unsigned bursts_together(const struct engine *e,
				struct engine_port *p)
{
	unsigned all = 0, used = 0, others = 0;

	if (!p->cadence.burst.ns ||
	    mono_diff_ns(p->front.t, p->cadence.burst) > BURST_SHOWN_NS ||
	    company_of(e, p, e->bursts) == COMPANY_NONE)
		return 0;
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		bool with = q == p || (together_burst(q, p) &&
				       company_of(e, q, e->bursts) !=
					       COMPANY_NONE);

		if (q->gone || q->front.link != LINK_IS_UP ||
		    q->ber.t.ns == INT64_MIN)
			continue;
		used++;
		all += with;
		others += with && q != p &&
			  is_other(q->facts.cage, p->facts.cage);
	}
	return others >= BURST_OTHERS && all * BURST_SHARE >= used ? all : 0;
}

/* In its newest reading: others may not have shown theirs yet. */
static bool bursts_now(const struct engine_port *p)
{
	return p->cadence.burst.ns == p->front.t.ns;
}

/* Do they lose codewords by one cause? */
static bool bursts_of_one(const struct engine *e, struct engine_port *q,
			  struct engine_port *p, size_t n)
{
	return !q->gone && company_of(e, q, n) == COMPANY_MANY &&
	       company_of(e, p, n) == COMPANY_MANY &&
	       (together_burst(q, p) || bursts_now(p) || bursts_now(q));
}

/* Did they fall by one cause, as either of them sees it? Links that a restart
 * took come back one after the other.
 */
static bool is_one_cause(const struct engine *e, struct engine_port *q,
			 struct engine_port *p, size_t n)
{
	enum company its = company_of(e, q, n);
	enum company mine = company_of(e, p, n);

	if (q->gone || !q->front.was_up || q->front.admin_down ||
	    its == COMPANY_NONE || mine == COMPANY_NONE || !fell_near(q, p))
		return false;
	if (its == COMPANY_MANY || mine == COMPANY_MANY)
		return true;
	return (its == COMPANY_PEER || mine == COMPANY_PEER) &&
	       !is_other(p->facts.peer_switch, q->facts.peer_switch);
}

/* … and is q down? */
static bool fell_of_one(const struct engine *e, struct engine_port *q,
			struct engine_port *p, size_t n)
{
	return fell_with(q, p) && is_one_cause(e, q, p, n);
}

/* The finding of what made links of q's cage fall, if p fell with q. */
static const struct life_slot *cause_in_cage(const struct engine *e,
					     const struct engine_port *q,
					     const struct engine_port *p,
					     size_t n)
{
	for (size_t i = 0; i < n && cage_fell(q, p); i++)
		if (e->table[i]->of_falls && life_is_open(&q->slots[i]))
			return &q->slots[i];
	return NULL;
}

/* The finding that tells it for all of them: that of the first port which has
 * one open; NULL when this port does.
 */
static const struct life_slot *whole_of(const struct engine *e, uint32_t port,
					size_t n)
{
	struct engine_port *p = e->ports[port];
	size_t until = life_is_open(&p->slots[n]) ? port : e->count;
	const struct detector *d = e->table[n];

	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		const struct life_slot *cause = q == p || !d->of_falls ? NULL :
						cause_in_cage(e, q, p, n);

		if (cause)
			return cause;
		if (q != p && i < until && life_is_open(&q->slots[n]) &&
		    (d->of_bursts ? bursts_of_one(e, q, p, n) :
		     d->of_cage ? shares_module(q, p) :
		     cage_fell(q, p) || is_one_cause(e, q, p, n)))
			return &q->slots[n];
	}
	return NULL;
}

/* The open finding of that name of a port; 0: of light that was lost. NULL: it
 * has none.
 */
static const struct finding *named_of(const struct engine *e,
				      const struct engine_port *p,
				      enum signature name)
{
	for (size_t n = 0; n < e->detectors; n++) {
		const struct life_slot *s = &p->slots[n];
		const struct finding *f;

		if (!life_is_open(s))
			continue;
		f = &e->life.pool[s->open - 1];
		if (name ? f->signature == name : is_of_light(f))
			return f;
	}
	return NULL;
}

bool together_has(const struct engine_port *q, const struct engine_port *p,
		  bool light)
{
	return light ? dimmed_with(q, p) : shares_module(q, p);
}

bool together_is_one(const struct engine *e, const struct engine_port *p,
		     bool light)
{
	bool one_cage;

	return !light || dimmed_count(e, p, &one_cage);
}

const struct finding *together_oldest(const struct engine *e, uint32_t port,
				      enum signature name)
{
	const struct engine_port *p = e->ports[port];
	const struct finding *own = named_of(e, p, name), *oldest = own, *f;

	if (!together_is_one(e, p, !name))
		return NULL;
	for (size_t i = 0; i < e->count; i++) {
		if (i == port || !together_has(e->ports[i], p, !name))
			continue;
		f = named_of(e, e->ports[i], name);
		if (f && (!oldest || f->onset.ns < oldest->onset.ns ||
			  (oldest == own && i < port &&
			   f->onset.ns == own->onset.ns)))
			oldest = f;
	}
	return oldest == own ? NULL : oldest;
}

/* The finding of its module has just ended at another port: each of them sees
 * the end at its own reading.
 */
static bool has_just_ended(const struct engine *e, const struct engine_port *p,
			   size_t n, struct mono now)
{
	for (size_t i = 0; e->table[n]->of_cage && i < e->count; i++) {
		const struct engine_port *q = e->ports[i];
		const struct life_slot *s = &q->slots[n];

		if (q != p && shares_module(q, p) &&
		    s->cleared.ns != INT64_MIN &&
		    mono_diff_ns(now, s->cleared) <= near_ns(p))
			return true;
	}
	return false;
}

bool together_folds(struct engine *e, const struct life_subject *s, size_t n,
		    struct mono now, struct wall wall)
{
	const struct life_slot *whole = whole_of(e, s->port, n);

	if (!whole)
		return !life_is_open(&s->slots[n]) &&
		       has_just_ended(e, e->ports[s->port], n, now);
	life_into(&e->life, s, n, now, wall, &e->life.pool[whole->open - 1]);
	return true;
}

static bool is_dark(const struct engine_port *p)
{
	return p->front.far_light == FAR_LIGHT_NONE;
}

/* Which links fell with the port a moment ago. If all links to the peer fell,
 * two or more, the peer is at fault and no link; but links of one cage may have
 * fallen by their module. Links fall together when a rack loses power, or when
 * a component fails that they share: that takes all of its links down, but not
 * the light that comes in.
 */
static void fall_follow(const struct engine *e, const struct engine_port *p,
			struct port_view *v)
{
	bool peer_is_up = !p->facts.peer_switch[0], cages = false;
	bool apart = false, others = false;
	bool group_fell = false, group_is_up = false;
	unsigned of_peer = 0, all = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *q = e->ports[i];
		bool fell = fell_with(q, p);

		if (q->gone || !q->front.was_up || q->front.admin_down)
			continue;
		if (!is_other(p->facts.peer_switch, q->facts.peer_switch)) {
			peer_is_up |= !fell;
			of_peer += fell;
			cages |= q != p && is_other(p->facts.cage,
						    q->facts.cage);
		}
		all += fell;
		v->shares_fell |= fell && q != p &&
				  !is_other(p->facts.cage, q->facts.cage);
		group_fell |= fell && q != p &&
			      !is_other(p->facts.group, q->facts.group);
		group_is_up |= group_stands(q, p);
		if (!fell || q == p ||
		    !is_other(p->facts.cage, q->facts.cage))
			continue;
		others = true;
		apart |= is_other(p->facts.group, q->facts.group) ||
			 (is_dark(p) && is_dark(q));
	}
	v->shares_fell |= group_fell && !group_is_up && !is_dark(p);
	v->fell_known = true;
	v->peer_ports = cages && !peer_is_up ? of_peer : 0;
	v->fell_together = apart || (others && group_is_up) ? all : 0;
}

/* Is q up since before p fell, or again for longer than the links of a switch
 * take to come up one after the other?
 */
static bool outlasts(const struct engine_port *q, const struct engine_port *p)
{
	struct mono up = q->front.turned_at, fell = p->front.down_since;

	if (q->gone || q->front.link != LINK_IS_UP ||
	    mono_diff_ns(q->front.t, fell) <= near_ns(p))
		return false;
	return up.ns == INT64_MIN || mono_diff_ns(fell, up) > near_ns(p) ||
	       mono_diff_ns(q->front.t, up) > STAYS_NS;
}

/* The peer of p is there: it neither restarts nor is off. */
static bool peer_stays(const struct engine *e, const struct engine_port *p)
{
	for (size_t i = 0; p->facts.peer_switch[0] && i < e->count; i++)
		if (outlasts(e->ports[i], p) &&
		    !is_other(p->facts.peer_switch,
			      e->ports[i]->facts.peer_switch))
			return true;
	return false;
}

void together_peer_keep(const struct engine_port *p, struct port_facts *facts)
{
	if (facts->peer_switch[0] || p->front.link != LINK_IS_DOWN)
		return;
	memcpy(facts->peer_switch, p->facts.peer_switch,
	       sizeof(facts->peer_switch));
	memcpy(facts->peer_port, p->facts.peer_port,
	       sizeof(facts->peer_port));
	facts->peer = facts->peer ? facts->peer : p->facts.peer;
}

void together_ports(const struct engine *e, uint32_t port, size_t n,
		    struct finding *f)
{
	struct engine_port *p = e->ports[port];
	const struct detector *d = e->table[n];
	bool of_module = d->of_cage || f->signature == SIGNATURE_THERMAL_FEC;
	bool one_cage, of_light = together_dimmed(e, p, f, &one_cage);

	finding_port_add(f, p->facts.name);
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		bool hit = of_light ? dimmed_with(q, p) :
			   d->of_bursts ? bursts_of_one(e, q, p, n) :
			   of_module ? shares_module(q, p) :
			   is_with(q, p) || fell_of_one(e, q, p, n) ||
			   (!d->company && cage_fell(q, p)); /* up again */

		if (q != p && hit)
			finding_port_add(f, q->facts.name);
	}
}

void together_look(const struct engine *e, struct engine_port *p,
		   struct port_view *v)
{
	int64_t past_ns = mono_diff_ns(p->front.t, p->front.down_since);

	if (p->facts.cage[0] && p->front.down_since.ns &&
	    past_ns < CAGE_NS + LOOKS_LATE * p->front.period_ns)
		v->cage_fell = cage_fallen(e, p);
	v->bursts_together = bursts_together(e, p);
	if (p->front.link == LINK_IS_DOWN)
		v->peer_stays = peer_stays(e, p);
	if (p->front.link == LINK_IS_DOWN &&
	    (p->front.dom_good ||	/* its light tells */
	     past_ns < TOGETHER_NS + LOOKS_LATE * p->front.period_ns))
		fall_follow(e, p, v);
}

void together_group(const struct engine *e, struct wide *g, struct mono now)
{
	unsigned fell = 0, used = 0;
	int64_t near = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *p = e->ports[i];
		const struct front *f = &p->front;

		if (p->gone || p->group != g || !f->was_up || f->admin_down)
			continue;
		near = near_ns(p);
		used++;
		fell += f->drops_by_hour[0] + f->drops_by_hour[1] > 0 &&
			mono_diff_ns(now, f->down_since) <= near;
	}
	if (fell < GROUP_PORTS || 2 * fell < used ||
	    mono_diff_ns(now, g->fell) <= near)
		return;
	g->falls = mono_diff_ns(now, g->fell) < GROUP_NS ? g->falls + 1 : 1;
	g->fell = now;
}

static bool fell_lately(const struct front *f, struct mono now)
{
	return f->link == LINK_IS_DOWN && f->was_up && !f->admin_down &&
	       mono_diff_ns(now, f->down_since) < TOGETHER_NS;
}

void together_shaken(struct engine *e, struct mono now)
{
	size_t fallen = 0, used = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct front *f = &e->ports[i]->front;

		if (e->ports[i]->gone)
			continue;
		used += f->was_up;
		fallen += fell_lately(f, now);
	}
	if (fallen >= SHAKEN_PORTS && fallen * SHAKEN_SHARE >= used)
		e->site.shaken_until.ns = now.ns + SHAKEN_NS;
}

/* Counters of most ports restart while links are down: that is a restart of
 * the switch that nobody told of, and what it took down comes back little by
 * little.
 */
void together_restarted(struct engine *e, struct mono now)
{
	struct site *s = &e->site;
	size_t used = 0, down = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct front *f = &e->ports[i]->front;

		used += !e->ports[i]->gone && f->was_up;
		down += !e->ports[i]->gone && fell_lately(f, now);
	}
	if (e->restarts.ports < SHAKEN_PORTS || !down ||
	    e->restarts.ports * SHAKEN_SHARE <= used)
		return;
	s->reload_until.ns = now.ns + TOGETHER_NS;
	if (s->shaken_until.ns < s->reload_until.ns)
		s->shaken_until = s->reload_until;
}

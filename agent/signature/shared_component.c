/* shared_component: ports of one group got worse together, and no loss of
 * light, no heat and no peer that they have in common explains it.
 */
#include "agent/signature/shared_component.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/signature/fec_trend.h"
#include "agent/signature/measures.h"
#include "agent/signature/site.h"
#include "agent/signature/together.h"
#include "agent/signature/wide.h"

#define PORTS_LEAST 3
#define HIT_SHARE 0.25		/* of those that are watched */
#define HIT_SHARE_LOOSE 0.5	/* where they began minutes apart */
#define FALLEN_SHARE 0.9
#define APART_TIMES 3		/* share that is hit in the group, divided by
				 * that outside */
#define HIT_DECADES 0.25
#define HIT_SDS 3.0
#define STILL_DECADES 0.12
#define LIGHT_LOST_DB 0.5f	/* the port has a cause of its own */
#define LIGHT_FELL_DB 1.0f	/* … as it turns out; well above that, or ports
				 * come and go by their noise */
#define LIGHT_LATE_NS (180 * NS_PER_S)	/* the module is not read any more */
#define TOGETHER_NS (60 * NS_PER_S)
#define AGE_PARTS 2		/* slow growth shows at different times … */
#define AGE_PARTS_BURSTS 4	/* … bursts are rare, and begin at once */
#define AGE_MOST_NS (14400 * NS_PER_S)
#define FELL_NS (10 * NS_PER_S)
#define FELL_LATELY_NS (120 * NS_PER_S)
#define FALLS_OFTEN 4u		/* most of its ports at once: no chance */
#define SOON_NS (12 * NS_PER_S)	/* up again: what lost power has to start,
				 * and its module, before a link trains */
#define GROWN_DECADES 0.3f	/* since it began … */
#define BEGUN_NS (300 * NS_PER_S)	/* … which it has by then */
#define HOLD_NS (600 * NS_PER_S)

static bool lost_light(const struct engine_port *p, float least_db)
{
	struct light_drop drop;

	light_drop(&p->light, &drop);
	return drop.known && drop.worst_db > least_db;
}

static struct mono errors_since(const struct engine_port *p)
{
	return p->ber.cusum.sum > 0 ? p->ber.since : p->ber.t;
}

/* Its light fell at once when its errors came, so far as readings tell. */
static bool light_explains(const struct engine_port *p)
{
	const struct port_view v = { .light = &p->light, .ber = &p->ber,
				     .cadence = &p->cadence };

	return p->light.fell_at.ns && lost_light(p, LIGHT_FELL_DB) &&
	       !measures_light_is_another(&v);
}

/* The module is read, but was not since the first window of its errors: what
 * its light did is not known yet.
 */
static bool awaits_light(const struct engine_port *p, struct mono now)
{
	struct mono since = errors_since(p);

	return p->light.readings &&
	       p->light.t.ns < since.ns + p->ber.window_ns &&
	       mono_diff_ns(now, since) < LIGHT_LATE_NS;
}

/* Errors of the port are above normal, and neither heat nor what others have in
 * common explains them.
 */
static bool errors_hit(const struct engine_port *p, float common, bool already)
{
	const struct ber *b = &p->ber;
	double over;

	if (b->t.ns == INT64_MIN || !ber_learned(b) ||
	    p->front.link != LINK_IS_UP)
		return false;
	over = ber_excess_over(b, (double)common);
	if (already)
		return over > STILL_DECADES;
	return (b->loud || b->stepped) &&
	       over > fmax(HIT_DECADES,
			   HIT_SDS * (double)b->baseline.spread) &&
	       !lost_light(p, LIGHT_LOST_DB);
}

/* It fell, as its count may tell alone, and was up again soon. */
static bool is_back_soon(const struct front *f)
{
	return f->link == LINK_IS_UP && f->turned_at.ns >= f->down_since.ns &&
	       mono_diff_ns(f->turned_at, f->down_since) <= SOON_NS;
}

/* Its last fall was one lately, while it was wanted up: who shuts a port takes
 * it down as well, and that is no fall.
 */
static bool fell_lately(const struct front *f, struct mono now)
{
	return f->drops_by_hour[0] + f->drops_by_hour[1] > 0 &&
	       mono_diff_ns(now, f->down_since) < FELL_LATELY_NS;
}

/* already: it fell with the others, and is down since. */
static bool fell_hit(const struct engine_port *p, struct mono now, bool already)
{
	const struct front *f = &p->front;
	bool lately = fell_lately(f, now);

	return f->was_up && !f->admin_down && !f->module_absent &&
	       (f->link == LINK_IS_DOWN ? already || lately :
		lately && is_back_soon(f));
}

/* What to look for: errors, bursts of them, or falls. */
struct sought {
	bool falls, bursts, already;
	bool again;			/* falls, more than once … */
	bool often;			/* … of most of them at one moment */
	bool stepped;			/* the first port's errors did */
	bool tight;			/* they began at once */
	bool unread;			/* whatever light may show yet */
	struct mono now;
	float common;			/* excess of most ports */
};

static bool has_spells(const struct engine *e, struct engine_port *p,
		       enum signature of, struct mono now,
		       struct mono *ret_last)
{
	for (size_t i = 0; i < e->detectors; i++)
		if (e->table[i]->signature == of && e->table[i]->spells)
			return e->table[i]->spells(state_of(e, p, i), &p->ber,
						   now, ret_last);
	return false;
}

/* Its errors came and went: codewords were lost in bursts, or it jumped. */
static bool errors_come_and_go(const struct engine *e, struct engine_port *p,
			       struct mono now, struct mono *ret_since)
{
	*ret_since = p->cadence.burst_first;
	return p->front.link == LINK_IS_UP &&
	       (cadence_bursts(&p->cadence, p->front.t) ||
		has_spells(e, p, SIGNATURE_LOOSE_MODULE, now, ret_since));
}

/* A reload takes all links down, and some come up sooner than others. */
static bool is_by_itself(const struct engine *e, struct mono fell)
{
	return fell.ns >= e->site.reload_until.ns;
}

static bool is_hit(const struct engine *e, struct engine_port *p,
		   const struct sought *s, struct mono *ret_since)
{
	bool already = s->already && p->part_of == p->group;

	if (s->falls && (s->again || s->already) &&
	    has_spells(e, p, SIGNATURE_FLAP_BURST, s->now, ret_since))
		return s->already || is_by_itself(e, *ret_since);
	if (s->falls) {
		*ret_since = p->front.down_since;
		return !s->again && fell_hit(p, s->now, already) &&
		       (already || is_by_itself(e, *ret_since));
	}
	if ((s->bursts || s->already) &&
	    errors_come_and_go(e, p, s->now, ret_since))
		return true;
	*ret_since = errors_since(p);
	return !s->bursts && errors_hit(p, s->common, already) &&
	       (already || s->unread || !awaits_light(p, s->now));
}

static bool is_watched(const struct engine_port *p, const struct sought *s)
{
	if (p->gone || p->front.admin_down || p->front.module_absent)
		return false;
	return s->falls ? p->front.was_up :
	       p->front.link == LINK_IS_UP && ber_learned(&p->ber);
}

static int64_t apart_ns(struct mono a, struct mono b)
{
	int64_t d = mono_diff_ns(a, b);

	return d < 0 ? -d : d;
}

/* Its errors came in one window, and it is known which. */
static bool has_stepped(const struct engine_port *p, const struct sought *s)
{
	return !s->bursts && p->ber.since.ns == p->ber.rise_from.ns;
}

/* How far apart the onsets of two ports may be: the same growth does not show
 * at the same time on all ports, a step does.
 */
static int64_t near_ns(const struct engine_port *p, const struct sought *s,
		       struct mono since)
{
	int64_t age = mono_diff_ns(s->now, since) /
		      (s->bursts ? AGE_PARTS_BURSTS : AGE_PARTS);

	if (s->falls)
		return s->already ? TOGETHER_NS :
				    FELL_NS + 2 * p->front.period_ns;
	if (s->tight || s->stepped || has_stepped(p, s))
		age = 0;
	return TOGETHER_NS + 2 * p->ber.window_ns +
	       (age < AGE_MOST_NS ? age : AGE_MOST_NS);
}

/* It fell when others did, whether it is up again or not: what it shares with
 * them made all of them fall, and a switch that starts brings up its cores one
 * after the other. Where no reading came for a while, it fell between two.
 */
static bool fell_too(const struct engine_port *q, struct mono since,
		     int64_t near)
{
	const struct front *f = &q->front;
	struct mono until = f->link == LINK_IS_UP ? f->turned_at :
						    f->down_since;

	return f->drops_by_hour[0] + f->drops_by_hour[1] > 0 &&
	       mono_diff_ns(f->down_since, since) <= near &&
	       mono_diff_ns(since, until) <= near;
}

/* It lost codewords when p first did, or last; perhaps only once so far, or it
 * is over sooner.
 */
static bool burst_too(const struct engine_port *q, const struct engine_port *p)
{
	const struct cadence *a = &q->cadence, *b = &p->cadence;

	return together_burst(q, p) ||
	       (a->burst.ns && b->burst.ns &&
		apart_ns(a->burst_first, b->burst_first) <=
		TOGETHER_NS + 2 * p->ber.window_ns);
}

struct count {
	unsigned in, in_hit, out, out_hit;
};

/* Those that were hit with p. */
static struct count count_with(const struct engine *e,
			       const struct engine_port *p,
			       const struct sought *s, struct mono since)
{
	int64_t near;
	struct sought of_others = *s;
	struct count n = { 0 };

	of_others.unread = true;
	if (s->tight)
		of_others.common = 0;	/* it would be their own */

	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		struct mono its;
		bool hit;

		if (!is_watched(q, s))
			continue;
		near = near_ns(q, s, since);
		hit = is_hit(e, q, q->group == p->group ? s : &of_others,
			     &its) && apart_ns(its, since) <= near;
		n.in += q->group == p->group;
		n.in_hit += q->group == p->group && hit;
		n.out += q->group != p->group;
		n.out_hit += q->group != p->group &&
			     (hit || (s->falls && fell_too(q, since, near)) ||
			      (s->bursts && burst_too(q, p)));
	}
	return n;
}

static bool stands_out(const struct count *n, const struct sought *s)
{
	double in = n->in ? (double)n->in_hit / n->in : 0;
	double out = n->out ? (double)n->out_hit / n->out : 0;

	return n->in_hit >= PORTS_LEAST && in > APART_TIMES * out &&
	       in >= (s->falls && !s->often ? FALLEN_SHARE :
		      s->tight ? HIT_SHARE : HIT_SHARE_LOOSE);
}

/* Does the far end have power? 1: yes; -1: no; 0: nothing shows it. */
static int sign_of_light(const struct front *f)
{
	if (f->link != LINK_IS_DOWN)
		return is_back_soon(f);
	return (f->far_light == FAR_LIGHT_THERE) -
	       (f->far_light == FAR_LIGHT_NONE);
}

/* Links that are up again do not show any more that no light came. */
static bool was_dark(const struct wide *g, struct mono now)
{
	return g->dark.ns && mono_diff_ns(now, g->dark) < FELL_LATELY_NS;
}

/* Links that fall together may be of one module, or lead to one switch. Or
 * their far ends lost power: then no light comes in, while it does when the
 * component that they share here fails; and they do not come back in seconds.
 * Where nothing shows this, nothing is reported. Far ends do not lose power
 * again and again: repeated falls are of the shared component, unless all links
 * are known to lead to one switch.
 */
static bool falls_are_ours(const struct engine *e, struct wide *g,
			   const struct sought *s)
{
	const struct engine_port *first = NULL;
	bool cages = false, peers = false;
	int lit = 0;

	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		struct mono since;

		if (q->group != g || !is_watched(q, s) ||
		    !is_hit(e, q, s, &since))
			continue;
		if (!q->facts.peer_switch[0] && !s->again)
			return false;
		cages |= first && is_other(q->facts.cage, first->facts.cage);
		first = first ? first : q;
		lit += sign_of_light(&q->front);
		peers |= strcmp(q->facts.peer_switch,
				first->facts.peer_switch) != 0;
	}
	if (lit < 0)
		g->dark = s->now;
	if (s->again && first && !first->facts.peer_switch[0])
		return cages && lit >= 0;
	return cages && peers && ((lit > 0 && !was_dark(g, s->now)) ||
				  s->again);
}

/* It hits most ports of the group, or still grows: others will follow. */
static bool spreads(const struct wide *g)
{
	return !g->tight || g->hit >= HIT_SHARE_LOOSE * g->watched ||
	       g->most > g->begun + GROWN_DECADES;
}

/* A port of a failing group gets worse later by the same fault if that spreads:
 * it had fewer errors before. What hits a few ports at once hits no other; one
 * that gets worse long after has a fault of its own.
 */
static bool is_late(const struct engine_port *q, const struct wide *was,
		    const struct sought *s, struct mono since)
{
	return s->already && (q->part_of == q->group ||
			      (!s->falls && spreads(was) &&
			       since.ns >= was->onset.ns));
}

/* Notes the members that are hit in the group. */
static void members_note(const struct engine *e, struct wide *g,
			 const struct sought *s, struct mono ref)
{
	const struct wide was = *g;

	g->hit = g->watched = 0;
	g->most = 0;
	g->onset = g->last = ref;
	g->severity = s->falls ? SEVERITY_WARN : SEVERITY_WATCH;
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		struct mono since;

		if (q->group != g)
			continue;
		g->watched += is_watched(q, s);
		if (!is_watched(q, s) || !is_hit(e, q, s, &since) ||
		    (apart_ns(since, ref) > near_ns(q, s, ref) &&
		     !is_late(q, &was, s, since)))
			continue;
		q->part_of = g;
		if (g->hit++ == 0 || since.ns < g->onset.ns) {
			g->onset = since;
			g->first = (uint32_t)i;
		}
		g->last = since.ns > g->last.ns ? since : g->last;
		g->most = fmaxf(g->most, (float)q->ber.residual.excess);
		if (s->falls && q->front.link == LINK_IS_DOWN)
			g->severity = SEVERITY_CRITICAL;
		if (q->errors > g->severity)
			g->severity = q->errors;
		if (!s->falls && g->severity < SEVERITY_WARN &&
		    cadence_bursts(&q->cadence, s->now))
			g->severity = SEVERITY_WARN;
	}
}

/* Air that heats them is a cause of its own. */
static bool is_heated(const struct engine_port *p)
{
	return (p->air && life_is_open(&p->air->slot)) ||
	       (wide_is_over(p) && p->part_of->whole);
}

static bool group_begins(const struct engine *e, struct wide *g,
			 struct sought *s)
{
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *p = e->ports[i];
		struct mono since;
		struct count n;

		if (p->group != g || !is_watched(p, s) || is_heated(p) ||
		    !is_hit(e, p, s, &since))
			continue;
		s->stepped = has_stepped(p, s);
		n = count_with(e, p, s, since);
		if (!stands_out(&n, s) ||
		    (s->falls && !falls_are_ours(e, g, s)))
			continue;
		g->of_falls = s->falls;
		g->tight = s->tight;
		members_note(e, g, s, since);
		g->begun = g->most;
		return true;
	}
	return false;
}

/* What began at once in a group is its own, however many ports it has; what
 * grew in the same hours on half of all ports is more than one thing.
 */
static float common_excess(struct engine *e, const struct wide *g, bool tight)
{
	return tight ? site_excess_elsewhere(e, g) : e->site.excess;
}

/* Its ports that are down, and wanted up: their errors are not counted. */
static unsigned down_of(const struct engine *e, const struct wide *g)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->count && !g->of_falls; i++) {
		const struct engine_port *q = e->ports[i];

		n += q->part_of == g && q->front.link == LINK_IS_DOWN &&
		     !q->front.admin_down;
	}
	return n;
}

/* It goes on while some members are still hit, or that is not known. */
static bool group_goes_on(struct engine *e, struct wide *g, struct mono now)
{
	struct sought s = { .falls = g->of_falls, .already = true,
			    .tight = g->tight, .now = now,
			    .common = common_excess(e, g, g->tight) };
	struct mono onset = g->onset, last = g->last;
	uint32_t first = g->first;
	bool was_hit = e->ports[first]->part_of == g;

	members_note(e, g, &s, last);
	g->first = was_hit ? first : g->first;
	if (mono_diff_ns(now, onset) < BEGUN_NS && g->most > g->begun)
		g->begun = g->most;
	g->onset = onset;
	g->last = last;
	return g->hit + down_of(e, g) >= PORTS_LEAST - 1;
}

/* Links fell between two readings: nobody knows when. */
static void falls_note(const struct engine *e, struct wide *g)
{
	bool is_first = true;

	for (size_t i = 0; i < e->count; i++) {
		const struct front *f = &e->ports[i]->front;

		if (e->ports[i]->group != g || !f->drops)
			continue;
		if (is_first || f->dt_ns > g->blind_ns)
			g->blind_ns = f->dt_ns;
		is_first = false;
	}
}

/* From the first port to the last, as well as readings can tell; seconds. */
static int within_s(const struct engine *e, const struct wide *g)
{
	int64_t ns = mono_diff_ns(g->last, g->onset);
	int64_t least = g->of_falls ? g->blind_ns :
				      e->ports[g->first]->ber.window_ns;

	ns = ns > least ? ns : least;
	return ns > NS_PER_S ? (int)((ns + NS_PER_S / 2) / NS_PER_S) : 1;
}

/* The ports of the one module whose ports are all that it has hit, as many as
 * are watched or hit; 0: they are of more than one, or that is not known.
 */
static unsigned of_module(const struct engine *e, const struct wide *g)
{
	const struct sought errors = { .falls = false };
	const char *cage = e->ports[g->first]->facts.cage;
	unsigned all = 0;

	for (size_t i = 0; i < e->count && !g->of_falls; i++) {
		const struct engine_port *q = e->ports[i];
		bool other = is_other(cage, q->facts.cage);

		if (other && q->part_of == g)
			return 0;
		all += !other &&
		       (q->part_of == g || is_watched(q, &errors));
	}
	return all;
}

/* When errors take down the first of its ports. */
static void date_tell(const struct engine *e, const struct wide *g,
		      struct finding *f)
{
	for (size_t i = 0; i < e->count; i++) {
		struct engine_port *q = e->ports[i];
		const struct fec_trend *t = state_of(e, q, e->errors);
		const struct port_view v = { .front = &q->front,
					     .ber = &q->ber };
		struct cliff c;

		if (q->part_of != g || !t->speaking ||
		    q->front.link != LINK_IS_UP)
			continue;
		fec_trend_cliff(t, &v, &c);
		if (c.foreseeable && (!f->cliff.foreseeable ||
				      c.mid_s < f->cliff.mid_s))
			f->cliff = c;
	}
}

static void cause_tell(const struct engine *e, const struct wide *g,
		       bool module, unsigned watched, struct finding *f)
{
	unsigned short hit = (unsigned short)f->port_count;
	char many[20];

	if (hit == watched)
		(void)snprintf(many, sizeof(many), "all %hu", hit);
	else
		(void)snprintf(many, sizeof(many), "%hu of the %hu", hit,
			       (unsigned short)watched);
	(void)snprintf(f->cause, sizeof(f->cause), "%s of %s ports of %.32s %s "
		       "within %d s, %.32s first: %s",
		       g->of_falls ? "links" : "errors", many,
		       module ? "one module" : g->name,
		       g->of_falls ? "fell" : "grew", within_s(e, g),
		       e->ports[g->first]->facts.name,
		       module ? "that module fails" : "what they share fails");
}

/* All that it has hit are told, so that none vanishes whose own finding has
 * ended in this one.
 */
static void describe(const struct verdict *w, struct finding *f)
{
	const struct wide *g = w->mine;
	const struct engine *e = w->view;
	unsigned module = of_module(e, g), hit, watched;

	f->end = END_NEAR;
	f->action = module ? ACTION_RESEAT_NEAR : ACTION_REPLACE_NEAR;
	f->cause_id = g->of_falls ? CAUSE_SHARED_FALLS :
		      module ? CAUSE_SHARED_MODULE : CAUSE_SHARED_ERRORS;
	wide_ports(e, g, f);
	hit = f->port_count;
	watched = module ? module : g->watched;
	watched = hit > watched ? hit : watched;
	f->drain = w->severity == SEVERITY_CRITICAL ? DRAIN_ADVISE : DRAIN_NONE;
	f->confidence = hit * 5 >= watched * 4 ? 0.95f : 0.85f;
	f->onset = g->onset;
	cause_tell(e, g, module, watched, f);
	if (!g->of_falls)
		date_tell(e, g, f);
	evidence_add(f, "ports_hit", hit);
	evidence_add(f, "ports_watched", watched);
	if (!g->of_falls)
		evidence_add(f, "excess_decades", g->most);
}

static void group_say(struct engine *e, struct wide *g, struct mono now,
		      struct wall wall)
{
	const struct wide_word word = {
		.subject = g->name, .kind = SUBJECT_GROUP,
		.signature = SIGNATURE_SHARED_COMPONENT,
		.severity = !g->speaking ? SEVERITY_NONE :
			    site_severity(e, &g->slot, g->severity),
		.hold_ns = HOLD_NS, .describe = describe, .view = e };

	if (g->speaking && !life_is_open(&g->slot))
		wide_adopt(e, g, &word, now);
	wide_say(e, g, &word, now, wall);
}

/* Does it begin now, by errors, by bursts or by falls? */
static bool group_seen(struct engine *e, struct wide *g, struct mono now)
{
	struct sought s = { .tight = true, .now = now,
			    .common = common_excess(e, g, true) };

	if (group_begins(e, g, &s))
		return true;
	s.tight = false;
	s.common = common_excess(e, g, false);
	if (group_begins(e, g, &s))
		return true;
	s.bursts = true;
	if (group_begins(e, g, &s))
		return true;
	s.bursts = false;
	s.falls = true;
	if (e->site.context)
		return false;
	if (group_begins(e, g, &s))
		return true;
	s.again = true;
	s.often = g->falls >= FALLS_OFTEN;
	return group_begins(e, g, &s);
}

/* Light was read since, and explains the errors of a port: it is no part. Are
 * too few left?
 */
static bool withdraws(const struct engine *e, const struct wide *g)
{
	unsigned left = 0;
	bool some = false;

	for (size_t i = 0; i < e->count && !g->of_falls; i++) {
		struct engine_port *q = e->ports[i];

		if (q->part_of != g)
			continue;
		if (light_explains(q)) {
			q->part_of = NULL;
			some = true;
		} else {
			left++;
		}
	}
	return some && left < PORTS_LEAST - 1;
}

static void group_look(struct engine *e, struct wide *g, struct mono now,
		       struct wall wall)
{
	bool open = life_is_open(&g->slot);

	together_group(e, g, now);
	if (open && withdraws(e, g)) {
		wide_end(e, g, "light was lost on its ports: each has a fault "
			 "of its own, or their fibres share it", now, wall);
		open = false;
	}
	if (!open) {
		wide_forget(e, g);
		falls_note(e, g);
	}
	g->speaking = (open && group_goes_on(e, g, now)) ||
		      group_seen(e, g, now);
	if (open || g->speaking)
		group_say(e, g, now, wall);
}

void shared_component_look(struct engine *e, struct mono now, struct wall wall)
{
	for (size_t i = 0; i < e->groups.count; i++)
		group_look(e, e->groups.at[i], now, wall);
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "errors are not counted", "FEC counters of the "
	  "port" },
	{ NEED_LIGHT, false, "received light is not read: when many links fall "
	  "at once, their far ends may be down", "a module with DOM" },
};

const struct watched shared_component_watched = {
	needs, sizeof(needs) / sizeof(needs[0]), NULL };

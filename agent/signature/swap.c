#include "agent/signature/swap.h"

#include "agent/signature/ask.h"
#include "agent/signature/hypothesis.h"

static bool goes_on(const struct engine *e, size_t n)
{
	return e->table[n]->swapped != NULL;
}

/* A finding of light that the fibre may have lost, or of errors that began with
 * it, before their cause was known. Light that fell while the link was down may
 * be the new module's: its serial number is read late.
 */
static bool is_of_fibre(const struct finding *f, const struct front *front)
{
	const struct hypothesis *h = hypothesis_find(f->signature);

	return f->cause_id != CAUSE_PREEXISTING && (!h || h->loss) &&
	       (front->link != LINK_IS_DOWN ||
		f->onset.ns < front->down_since.ns);
}

static bool fibre_has_fault(const struct engine *e,
			    const struct engine_port *p)
{
	for (size_t n = 0; n < e->detectors; n++) {
		uint32_t open = p->slots[n].open;

		if (goes_on(e, n) && open &&
		    is_of_fibre(&e->life.pool[open - 1], &p->front))
			return light_may_stay(&p->light);
	}
	return false;
}

static void findings_end(struct engine *e, uint32_t port, bool carried,
			 struct mono now, struct wall wall)
{
	struct engine_port *p = e->ports[port];
	struct life_subject lp = subject_of(p, port);

	for (size_t n = 0; n < e->detectors; n++) {
		if (!e->table[n]->of_module)
			continue;
		if (carried && goes_on(e, n)) {
			e->table[n]->swapped(state_of(e, p, n));
			continue;
		}
		if (life_is_open(&p->slots[n]))
			ask_told_end(e, p, n, 0, NULL);
		life_end(&e->life, &lp, n, now, wall,
			 "another module was inserted");
		life_slot_start(&p->slots[n]);
		detector_start(e, p, n);
	}
}

/* What was normal for the old module is what the errors of the new one are
 * measured against: it has never been without the fault.
 */
static void errors_carry(struct ber *b)
{
	double normal = b->baseline.mean;
	uint32_t windows = b->windows;

	ber_relearn(b);
	b->windows = windows;
	if (ber_learned(b))
		baseline_seed(&b->baseline, normal);
}

static void all_forget(struct engine *e, uint32_t port, struct mono now,
		       struct wall wall)
{
	struct engine_port *p = e->ports[port];

	ber_relearn(&p->ber);
	light_start(&p->light);
	findings_end(e, port, false, now, wall);
}

void swap_begin(struct engine *e, uint32_t port, struct mono now,
		struct wall wall)
{
	struct engine_port *p = e->ports[port];

	lane_usual_start(&p->lanes);
	load_start(&p->traffic);
	heat_start(&p->heat);
	cadence_swapped(&p->cadence);
	p->awake = ask_all(e);
	p->front.changed_at = now;
	p->front.seen[NEED_BASELINE].ns = INT64_MIN;
	if (fibre_has_fault(e, p)) {
		errors_carry(&p->ber);
		light_swapped(&p->light);
		findings_end(e, port, true, now, wall);
	} else {
		all_forget(e, port, now, wall);
	}
	changes_add(&e->changes, port, CHANGE_MODULE_SWAPPED, now);
}

void swap_compared(struct engine *e, uint32_t port, struct mono now,
		   struct wall wall)
{
	if (!light_may_stay(&e->ports[port]->light))
		all_forget(e, port, now, wall);
}

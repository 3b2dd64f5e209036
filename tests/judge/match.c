#include "tests/judge/match.h"

#include <math.h>
#include <string.h>

#define NS 1e-9
#define WIDE_PARTS 4	/* a finding's ports: one in so many is struck … */
#define WIDE_LEAST 6	/* … or so many in all */

bool match_is_symptom(unsigned signature)
{
	return signature == 0 || signature == SIGNATURE_FEC_TREND ||
	       signature == SIGNATURE_FEC_UNCORRECTABLE ||
	       signature == SIGNATURE_LINK_DOWN;
}

static bool lasts(const struct truth *t, int64_t after_ns, int64_t at_ns)
{
	return at_ns >= t->onset_ns &&
	       (t->end_ns >= INT64_MAX - after_ns ||
		at_ns <= t->end_ns + after_ns);
}

/* What is said of many ports is not said of a fault of one of them. A supply
 * is the switch's, whatever it strikes.
 */
static bool is_about(const struct truth *t, uint64_t ports)
{
	int both = __builtin_popcountll(t->ports & ports);

	return both && (both * WIDE_PARTS >= __builtin_popcountll(ports) ||
			__builtin_popcountll(t->ports) >= WIDE_LEAST);
}

bool match_fits(const struct truth *t, uint64_t ports, int64_t begin_ns)
{
	return !t->benign && is_about(t, ports) &&
	       lasts(t, MATCH_AFTER_NS, begin_ns);
}

static const struct told_word *first_of(const struct match *m,
					const struct told_finding *f)
{
	return told_next(m->told, f, NULL);
}

/* Its first word at warn or above; NULL. */
static const struct told_word *warn_of(const struct match *m,
				       const struct told_finding *f)
{
	const struct told_word *w = first_of(m, f);

	while (w && w->severity < SEVERITY_WARN)
		w = told_next(m->told, f, w);
	return w;
}

/* The last word that names something, not later than that; NULL. */
static const struct told_word *last_of(const struct match *m,
				       const struct told_finding *f,
				       int64_t until_ns)
{
	const struct told_word *last = NULL;

	for (const struct told_word *w = first_of(m, f);
	     w && w->t_ns <= until_ns; w = told_next(m->told, f, w))
		if (w->state != FINDING_CLEARED)
			last = w;
	return last;
}

static bool finding_fits(const struct match *m, const struct truth *t,
			 const struct told_finding *f)
{
	return match_fits(t, f->ports, first_of(m, f)->t_ns);
}

/* By its beginning, or by the word that made it loud. */
static bool loud_fits(const struct match *m, const struct truth *t,
		      const struct told_finding *f)
{
	const struct told_word *w = warn_of(m, f);

	return finding_fits(m, t, f) ||
	       (w && match_fits(t, f->ports, w->t_ns));
}

static uint32_t names_of(const struct match *m, const struct told_finding *f)
{
	uint32_t names = 0;

	for (const struct told_word *w = first_of(m, f); w;
	     w = told_next(m->told, f, w))
		if (w->state != FINDING_CLEARED && w->signature)
			names |= UINT32_C(1) << w->signature;
	return names;
}

/* --- one fault ----------------------------------------------------------- */

static bool has_cliff(const struct match *m, const struct truth *t)
{
	return t->cliff_ns < m->length_ns;
}

static bool is_foreseeable(const struct match *m, const struct truth *t)
{
	if (m->foreseeable)
		return m->foreseeable[t - m->truth];
	return t->law && t->law[0];
}

static int64_t named_until_ns(const struct match *m, const struct truth *t)
{
	int64_t until = has_cliff(m, t) && is_foreseeable(m, t) ?
			t->cliff_ns : m->length_ns;

	if (t->end_ns < until - MATCH_AFTER_NS)
		until = t->end_ns + MATCH_AFTER_NS;
	return until;
}

/* What the finding that first named an action would have had done. */
static void action_judge(const struct match *m, const struct truth *t,
			 const struct told_finding *f, struct fault_row *row)
{
	for (const struct told_word *w = first_of(m, f); w;
	     w = told_next(m->told, f, w)) {
		if (w->action <= ACTION_OBSERVE || row->action_asked)
			continue;
		row->action_asked = true;
		row->action_right = w->action == t->action;
	}
}

/* Foretells a cliff, by a word of a finding that lives. */
static bool foretells(const struct told_word *w)
{
	return w->state != FINDING_CLEARED && w->cliff.foreseeable;
}

static void lead_judge(const struct match *m, const struct truth *t,
		       const struct told_finding *f, struct fault_row *row)
{
	const struct told_word *warn = warn_of(m, f);
	double life = (double)(t->cliff_ns - t->onset_ns), lead;

	for (const struct told_word *w = first_of(m, f); w;
	     w = told_next(m->told, f, w))
		row->foretold |= w->t_ns < t->cliff_ns && foretells(w);
	if (!warn || life <= 0)
		return;
	lead = (double)(t->cliff_ns - warn->t_ns) / life;
	if (isnan(row->lead_share) || lead > row->lead_share)
		row->lead_share = (float)lead;
}

static float seconds_from(int64_t from_ns, int64_t word_ns, int64_t s)
{
	if (s == FINDING_NO_UPPER_BOUND)
		return INFINITY;
	return (float)((double)s + (double)(word_ns - from_ns) / 1e9);
}

/* What stood at half life: of the findings that fit, the newest word then that
 * foretells; one that cleared before stands no more.
 */
static void half_judge(const struct match *m, const struct truth *t,
		       const struct told_finding *f, int64_t *newest_ns,
		       struct fault_row *row)
{
	int64_t half = t->onset_ns + (t->cliff_ns - t->onset_ns) / 2;
	const struct told_word *last = NULL;

	for (const struct told_word *w = first_of(m, f); w && w->t_ns <= half;
	     w = told_next(m->told, f, w))
		last = w;
	if (!last || !foretells(last) || last->t_ns < *newest_ns)
		return;
	*newest_ns = last->t_ns;
	row->answered = true;
	row->low_s = seconds_from(half, last->t_ns, last->cliff.low_s);
	row->mid_s = seconds_from(half, last->t_ns, last->cliff.mid_s);
	row->high_s = seconds_from(half, last->t_ns, last->cliff.high_s);
}

static void cliff_judge(const struct match *m, const struct truth *t,
			unsigned teller, struct fault_row *row)
{
	int64_t newest_ns = INT64_MIN;

	row->has_cliff = has_cliff(m, t) && is_foreseeable(m, t);
	row->is_sudden = has_cliff(m, t) && !row->has_cliff;
	row->lead_share = NAN;
	if (!row->has_cliff)
		return;
	row->left_s = (float)((double)(t->cliff_ns - t->onset_ns) / 2 * NS);
	for (size_t i = 0; i < m->told->findings; i++) {
		const struct told_finding *f = &m->told->finding[i];

		if (f->teller != teller || !loud_fits(m, t, f))
			continue;
		lead_judge(m, t, f, row);
		half_judge(m, t, f, &newest_ns, row);
	}
}

static void found_judge(const struct match *m, const struct truth *t,
			const struct told_finding *f, struct fault_row *row)
{
	int64_t from = row->has_effect ? t->effect_ns : t->onset_ns;
	const struct told_word *first = first_of(m, f), *warn = warn_of(m, f);

	if (finding_fits(m, t, f) && !row->found) {	/* in order of time */
		row->found = true;
		row->delay_s = (float)((double)(first->t_ns - from) * NS);
		row->first_name = (uint8_t)first->signature;
	}
	if (!warn || !match_fits(t, f->ports, warn->t_ns))
		return;
	if (!row->found_warn ||
	    (double)(warn->t_ns - from) * NS < (double)row->delay_warn_s)
		row->delay_warn_s = (float)((double)(warn->t_ns - from) * NS);
	row->found_warn = true;
}

/* A watch of a link that fell with a benign event of the port tells of that. */
static bool tells_of_benign(const struct match *m, const struct told_finding *f)
{
	const struct told_word *w = first_of(m, f);

	for (size_t i = 0; w->signature == SIGNATURE_LINK_DOWN &&
			   !warn_of(m, f) && i < m->truths; i++)
		if (m->truth[i].benign && m->truth[i].ports & f->ports &&
		    lasts(&m->truth[i], MATCH_NEAR_NS, w->t_ns))
			return true;
	return false;
}

/* The later one, but of two findings the one that tells of the fault. */
static bool is_last(const struct told_word *w, bool benign,
		    const struct told_word *last, bool last_benign)
{
	if (!w || !last)
		return w;
	return benign == last_benign ? w->t_ns >= last->t_ns : last_benign;
}

static void fault_words(const struct match *m, const struct truth *t,
			unsigned teller, struct fault_row *row)
{
	const struct told_word *last = NULL;
	bool last_benign = false;

	for (size_t i = 0; i < m->told->findings; i++) {
		const struct told_finding *f = &m->told->finding[i];
		const struct told_word *w;
		bool benign;

		if (f->teller != teller || !loud_fits(m, t, f))
			continue;
		found_judge(m, t, f, row);
		if (!finding_fits(m, t, f))
			continue;
		row->names |= names_of(m, f);
		action_judge(m, t, f, row);
		w = last_of(m, f, named_until_ns(m, t));
		benign = tells_of_benign(m, f);
		if (!is_last(w, benign, last, last_benign))
			continue;
		last = w;
		last_benign = benign;
	}
	if (!last)
		return;
	row->last_name = (uint8_t)last->signature;
	row->end_asked = t->end && last->end;
	row->end_right = row->end_asked && last->end == t->end;
}

/* Names that are neither fault's and name a cause. */
static uint32_t third_names(uint32_t names, const struct truth *a,
			    const struct truth *b)
{
	uint32_t third = 0;

	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		if (names >> i & 1 && i != a->signature && i != b->signature &&
		    !match_is_symptom(i))
			third |= UINT32_C(1) << i;
	return third;
}

/* The second of two faults of a port says what was made of both. */
static void pair_judge(const struct match *m, const struct truth *t,
		       unsigned teller, struct fault_row *row)
{
	const struct truth *a = NULL;
	uint32_t names = 0, both;

	for (size_t i = 0; i < m->truths; i++) {
		const struct truth *o = &m->truth[i];

		if (o != t && !o->benign && (o->ports & t->ports) &&
		    (o->onset_ns < t->onset_ns ||
		     (o->onset_ns == t->onset_ns && o < t)))
			a = o;
	}
	if (!a)
		return;
	for (size_t i = 0; i < m->told->findings; i++) {
		const struct told_finding *f = &m->told->finding[i];

		if (f->teller == teller &&
		    (finding_fits(m, a, f) || finding_fits(m, t, f)))
			names |= names_of(m, f);
	}
	both = UINT32_C(1) << a->signature | UINT32_C(1) << t->signature;
	row->is_pair = true;
	row->pair_with = a->signature;
	row->both_named = (names & both) == both;
	row->third_named = third_names(names, a, t) != 0;
}

static const char *media_of(const struct match *m, uint64_t ports)
{
	return ports ? m->told->port[__builtin_ctzll(ports)].media : "";
}

static void fault_judge(const struct match *m, const struct truth *t,
			unsigned teller, struct rows *rows)
{
	struct fault_row *row = rows_add(rows, ROW_FAULT);

	row->at = m->at;
	row->teller = (uint8_t)teller;
	rows_word(row->what, t->what);
	rows_word(row->law, t->law ? t->law : "");
	rows_word(row->media, media_of(m, t->ports));
	rows_word(row->port_name, t->ports ?
		  m->told->port[__builtin_ctzll(t->ports)].name : "");
	row->signature = (uint8_t)t->signature;
	row->has_effect = t->effect_ns != INT64_MAX;
	row->delay_s = row->delay_warn_s = NAN;
	fault_words(m, t, teller, row);
	row->action_asked &= t->action != 0;
	cliff_judge(m, t, teller, row);
	pair_judge(m, t, teller, row);
}

/* --- one finding --------------------------------------------------------- */

static bool shares_parts(const struct world_port *a, const struct world_port *b)
{
	return (a->group[0] && strcmp(a->group, b->group) == 0) ||
	       (a->cage[0] && strcmp(a->cage, b->cage) == 0) ||
	       (a->zone[0] && strcmp(a->zone, b->zone) == 0);
}

/* A fault of a port that shares a core, a cage or the air with these. */
static const struct truth *fault_beside(const struct match *m, uint64_t ports,
					int64_t at_ns)
{
	const struct world_port *list = m->told->port;

	for (size_t i = 0; ports && i < m->truths; i++) {
		const struct truth *t = &m->truth[i];

		if (t->benign || !t->ports || !lasts(t, MATCH_NEAR_NS, at_ns))
			continue;
		if (shares_parts(&list[__builtin_ctzll(t->ports)],
				 &list[__builtin_ctzll(ports)]))
			return t;
	}
	return NULL;
}

static void nearby_judge(const struct match *m, uint64_t ports, int64_t at_ns,
			 struct finding_row *row)
{
	const struct truth *near = NULL;

	for (size_t i = 0; i < m->truths; i++) {
		const struct truth *t = &m->truth[i];

		if (t->benign && t->ports & ports &&
		    lasts(t, MATCH_NEAR_NS, at_ns) &&
		    (!near || t->onset_ns > near->onset_ns))
			near = t;
	}
	if (near) {
		rows_word(row->nearby, near->what);
		row->nearby_s = (float)((double)(at_ns - near->onset_ns) * NS);
		return;
	}
	near = fault_beside(m, ports, at_ns);
	rows_word(row->nearby, near ? "a fault beside" : "nothing");
}

static bool is_due(const struct told_word *w, int64_t by_ns)
{
	return foretells(w) &&	/* no upper bound lies behind any time */
	       (double)w->t_ns * NS + (double)w->cliff.high_s <
	       (double)by_ns * NS;
}

static void finding_words(const struct match *m, const struct told_finding *f,
			  struct finding_row *row)
{
	unsigned name = first_of(m, f)->signature;

	for (const struct told_word *w = first_of(m, f); w;
	     w = told_next(m->told, f, w)) {
		if (w->severity > row->severity)
			row->severity = (uint8_t)w->severity;
		row->words++;
		row->foretold |= foretells(w);
		row->due |= is_due(w, m->length_ns);
		row->due_later |= is_due(w, 2 * m->length_ns);
		if (w->state == FINDING_CLEARED)
			continue;
		row->renames += w->signature != name;
		name = w->signature;
		row->confidence = w->confidence;
		memcpy(row->cause, w->cause, sizeof(row->cause));
	}
	row->last_name = (uint8_t)name;
}

/* Another module came, and nothing is wrong with it: the name is right all the
 * same.
 */
static bool names_swap(const struct match *m, const struct truth *t,
		       const struct told_finding *f, unsigned name)
{
	return t->benign && strstr(t->what, "swap") &&
	       name == SIGNATURE_MODULE_CHANGED && t->ports & f->ports &&
	       lasts(t, MATCH_NEAR_NS, first_of(m, f)->t_ns);
}

static void finding_truths(const struct match *m, const struct told_finding *f,
			   struct finding_row *row)
{
	for (size_t i = 0; i < m->truths; i++) {
		const struct truth *t = &m->truth[i];

		row->name_right |= names_swap(m, t, f, row->last_name);
		if (!loud_fits(m, t, f))
			continue;
		row->fits = true;
		row->name_right |= t->signature ?
				   row->last_name == t->signature :
				   match_is_symptom(row->last_name);
		row->came |= has_cliff(m, t);
		row->came_later |= t->cliff_ns != INT64_MAX ||
				   t->cliff_later_ns != INT64_MAX;
	}
}

/* One that was counted on the port is so near that this is the same. */
static bool folds(int64_t counted_ns, int64_t at_ns)
{
	return counted_ns != INT64_MIN &&
	       at_ns - counted_ns < MATCH_FOLD_NS &&
	       counted_ns - at_ns < MATCH_FOLD_NS;
}

static void finding_judge(const struct match *m, const struct told_finding *f,
			  int64_t *counted_ns, struct rows *rows)
{
	const struct told_word *first = first_of(m, f), *warn = warn_of(m, f);
	struct finding_row *row = rows_add(rows, ROW_FINDING);
	unsigned port = f->ports ? (unsigned)__builtin_ctzll(f->ports) : 0;
	int64_t at_ns = warn ? warn->t_ns : first->t_ns;

	row->at = m->at;
	row->teller = (uint8_t)f->teller;
	row->port = (uint8_t)port;
	rows_word(row->port_name, m->told->port[port].name);
	rows_word(row->media, m->told->port[port].media);
	row->begin_s = (double)at_ns * NS;
	row->first_name = (uint8_t)first->signature;
	finding_words(m, f, row);
	finding_truths(m, f, row);
	nearby_judge(m, f->ports, at_ns, row);
	row->is_false = warn && !row->fits && !folds(counted_ns[port], at_ns);
	if (row->is_false)
		counted_ns[port] = at_ns;
}

static void benign_tell(const struct match *m, const struct truth *t,
			struct rows *rows)
{
	struct benign_row *row = rows_add(rows, ROW_BENIGN);

	row->at = m->at;
	rows_word(row->what, t->what);
	row->ports = (uint8_t)__builtin_popcountll(t->ports);
}

void match_case(const struct match *m, unsigned tellers, struct rows *rows)
{
	int64_t counted_ns[TELLERS_MAX][WORLD_PORTS_MAX];

	for (unsigned i = 0; i < TELLERS_MAX; i++)
		for (unsigned k = 0; k < WORLD_PORTS_MAX; k++)
			counted_ns[i][k] = INT64_MIN;
	for (size_t i = 0; i < m->truths; i++) {
		if (m->truth[i].benign)
			benign_tell(m, &m->truth[i], rows);
		for (unsigned k = 0; k < tellers && !m->truth[i].benign; k++)
			fault_judge(m, &m->truth[i], k, rows);
	}
	for (size_t i = 0; i < m->told->findings; i++)
		finding_judge(m, &m->told->finding[i],
			      counted_ns[m->told->finding[i].teller], rows);
}

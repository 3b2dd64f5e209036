#include "agent/signature/life.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/signature/cliff.h"
#include "agent/signature/folds.h"
#include "agent/signature/kept.h"
#include "agent/signature/measures.h"

#define AGAIN_NS (900 * NS_PER_S)	/* soon: within this, or … */
#define AGAIN_HOLDS 24			/* … so many times its hold */
#define AGAIN_MAX 4			/* doublings of the hold */
#define LOOK_NS (10 * NS_PER_S)		/* between checks for an update */
#define VIEW_NS (2 * NS_PER_S)		/* most age of a view */
#define CLIFF_SAID_NS (60 * NS_PER_S)
#define CLIFF_GONE_NS (600 * NS_PER_S)
#define LANES_SAID_NS (600 * NS_PER_S)
#define WORDS_SAID 4			/* 1/4 of its age later: other words */
#define GROWN_SAID_NS (600 * NS_PER_S)
#define LOWER_NS (1800 * NS_PER_S)	/* less bad for so long: tell it */

/* Evidence that is told again once it is so many times what was told, or the
 * least that counts; or that is told when it comes to a finding.
 */
static const struct grows {
	const char *name;
	double times, least;
	bool comes;
} grows[] = {
	{ "flaps", 2, 1, true },
	{ "bias_over_percent", 1.5, 10, false },
	{ "tx_drop_db", 1.5, 0.5, false },
};
#define GROWS (sizeof(grows) / sizeof(grows[0]))

/* The last update of a finding, to compare its present view with. */
struct said {
	enum signature signature;
	enum severity severity;
	enum fault_end end;
	enum action action;
	enum drain drain;
	enum cause_id cause_id, before;	/* … and what it was until then */
	uint8_t lanes;
	unsigned ports;
	double grown[GROWS];		/* 0: none is told */
	struct cliff cliff;
	char cause[sizeof(((struct finding *)0)->cause)];
};

struct life_owner {
	struct life_slot *slot;
	struct said said;
	struct mono viewed;		/* last time the view was renewed */
	struct mono drained;		/* last time a drain as told was due */
	uint8_t lowered;		/* times that its severity fell */
};

int life_init(struct life *l, size_t cap, const char *switch_name,
	      life_emit_fn *emit, void *context)
{
	memset(l, 0, sizeof(*l));
	l->emit = emit;
	l->context = context;
	l->cap = cap;
	(void)snprintf(l->switch_name, sizeof(l->switch_name), "%s",
		       switch_name);
	l->pool = calloc(cap, sizeof(*l->pool));
	l->owner = calloc(cap, sizeof(*l->owner));
	return l->pool && l->owner ? 0 : -ENOMEM;
}

void life_fini(struct life *l)
{
	free(l->pool);
	free(l->owner);
}

void life_slot_start(struct life_slot *s)
{
	memset(s, 0, sizeof(*s));
	s->cleared.ns = INT64_MIN;
}

static struct finding *open_finding(struct life *l, const struct life_slot *s)
{
	return &l->pool[s->open - 1];
}

/* The slot of an open finding that is the cause of this verdict, or NULL. */
static struct life_slot *cause_open(const struct life_subject *p,
				    const struct verdict *w)
{
	const struct detector *const *table;
	size_t count = detectors(&table);

	for (size_t i = 0; i < count; i++)
		if (life_is_open(&p->slots[i]) &&
		    folds_into(w->signature, table[i]->signature, w->view))
			return &p->slots[i];
	return NULL;
}

static void grown_take(const struct finding *f, double ret[static GROWS])
{
	memset(ret, 0, GROWS * sizeof(*ret));
	for (unsigned i = 0; i < f->evidence_count; i++)
		for (size_t k = 0; k < GROWS; k++)
			if (strcmp(f->evidence[i].name, grows[k].name) == 0)
				ret[k] = f->evidence[i].value;
}

static bool has_grown(const struct said *old, const struct finding *new)
{
	double grown[GROWS];
	bool has = false;

	grown_take(new, grown);
	for (size_t k = 0; k < GROWS; k++)
		has |= (old->grown[k] > 0 || grows[k].comes) &&
		       grown[k] >= grows[k].times *
				   fmax(old->grown[k], grows[k].least);
	return has;
}

static void said_note(struct said *s, const struct finding *f)
{
	enum cause_id before = s->cause_id == f->cause_id ? s->before :
							    s->cause_id;

	*s = (struct said){ .signature = f->signature, .severity = f->severity,
			    .end = f->end, .action = f->action,
			    .drain = f->drain, .cause_id = f->cause_id,
			    .before = before,
			    .lanes = f->lanes, .ports = f->port_count,
			    .cliff = f->cliff };
	grown_take(f, s->grown);
	memcpy(s->cause, f->cause, sizeof(s->cause));
}

static void say(struct life *l, struct life_slot *s, enum finding_state state,
		struct mono now, struct wall wall)
{
	struct finding *f = open_finding(l, s);

	f->state = state;
	f->when = now;
	f->when_wall = wall;
	said_note(&l->owner[s->open - 1].said, f);
	l->emit(l->context, f);
}

static void fold_evidence(struct finding *f, uint32_t folded)
{
	char name[sizeof(f->evidence[0].name)];

	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		if (!(folded >> i & 1))
			continue;
		(void)snprintf(name, sizeof(name), "with_%s",
			       signature_name((enum signature)i));
		evidence_add(f, name, 1);
	}
}

static struct wall wall_at(struct mono t, struct mono now, struct wall wall)
{
	return (struct wall){ wall.ns - mono_diff_ns(now, t) };
}

static enum connector connector_of(const struct port_facts *facts)
{
	enum connector c = port_connector(facts);

	return c == CONNECTOR_FIBRE && measures_is_wdm(facts) ?
	       CONNECTOR_ONE_FIBRE : c;
}

/* Fills in everything that is known now. */
static void describe(const struct verdict *w, const struct life_slot *s,
		     struct finding *f)
{
	f->signature = w->signature;
	f->drain = DRAIN_NONE;
	f->confidence = 0;
	f->lanes = 0;
	f->evidence_count = 0;
	f->cliff.foreseeable = false;
	f->cause_id = 0;
	f->port_count = f->ports_kept = 0;
	f->kind = w->kind;
	f->entity = w->entity;
	clean_text(f->subject, sizeof(f->subject), w->name);
	f->onset.ns = 0;
	w->describe(w, f);
	clean_in_place(f->cause);	/* a name may be cut in a character */
	if (f->kind == SUBJECT_PORT)
		finding_port_add(f, f->subject);
	finding_actions(f, w->facts ? connector_of(w->facts) :
				      CONNECTOR_UNKNOWN);
	if (f->onset.ns == 0)
		f->onset = w->now;
	fold_evidence(f, s->folded);
}

static int64_t hold_ns(const struct life_slot *s, const struct verdict *w)
{
	return w->hold_ns << s->again;
}

static bool is_soon(const struct life_slot *s, const struct verdict *w)
{
	int64_t soon = AGAIN_HOLDS * hold_ns(s, w);

	return s->cleared.ns != INT64_MIN &&
	       mono_diff_ns(w->now, s->cleared) <
	       (soon > AGAIN_NS ? soon : AGAIN_NS);
}

/* Counts that it comes again; true when that is soon. */
static bool comes_again(struct life_slot *s, const struct verdict *w)
{
	bool soon = is_soon(s, w);

	s->again = !soon ? 0 : s->again < AGAIN_MAX ? s->again + 1 : AGAIN_MAX;
	return soon;
}

/* The same trouble again soon keeps its id and onset. */
static void identify(struct life *l, struct life_slot *s, struct finding *f,
		     const struct verdict *w)
{
	if (comes_again(s, w)) {
		f->onset = s->onset;
		f->onset_wall = s->onset_wall;
		memcpy(f->id, s->id, sizeof(f->id));
		return;
	}
	f->onset_wall = wall_at(f->onset, w->now, w->wall);
	finding_id_make(l->switch_name, f->subject, f->signature,
			f->onset_wall, f->id);
}

static struct finding *open_new(struct life *l, struct life_slot *s)
{
	struct finding *f;

	if (l->count == l->cap) {
		l->refused++;
		return NULL;
	}
	f = &l->pool[l->count];
	memset(f, 0, sizeof(*f));
	l->owner[l->count] = (struct life_owner){ .slot = s };
	s->open = (uint32_t)++l->count;
	s->folded = 0;
	s->was_open = s->apart = false;
	return f;
}

/* The last one moves into the hole. */
static void close_slot(struct life *l, struct life_slot *s)
{
	size_t hole = s->open - 1, last = --l->count;

	if (hole != last) {
		l->pool[hole] = l->pool[last];
		l->owner[hole] = l->owner[last];
		l->owner[hole].slot->open = (uint32_t)hole + 1;
	}
	s->open = 0;
}

static void end_slot(struct life *l, struct life_slot *s, struct mono now,
		     struct wall wall, const char *why)
{
	struct finding *f = open_finding(l, s);

	if (why)
		(void)snprintf(f->cause, sizeof(f->cause), "%s", why);
	s->cleared = now;
	s->onset = f->onset;
	s->onset_wall = f->onset_wall;
	memcpy(s->id, f->id, sizeof(s->id));
	say(l, s, FINDING_CLEARED, now, wall);
	close_slot(l, s);
}

void life_end(struct life *l, const struct life_subject *p, size_t n,
	      struct mono now, struct wall wall, const char *why)
{
	if (life_is_open(&p->slots[n]))
		end_slot(l, &p->slots[n], now, wall, why);
}

void life_into(struct life *l, const struct life_subject *p, size_t n,
	       struct mono now, struct wall wall, const struct finding *whole)
{
	struct life_slot *s = &p->slots[n];
	char why[96];

	if (!life_is_open(s))
		return;
	(void)snprintf(why, sizeof(why), "part of %s %s",
		       signature_name(whole->signature), whole->id);
	memcpy(open_finding(l, s)->into, whole->id, sizeof(whole->id));
	end_slot(l, s, now, wall, why);
}

/* The oldest open symptom of a cause that is raised now; NULL: none is. */
static struct life_slot *symptom_open(struct life *l,
				      const struct life_subject *p,
				      const struct verdict *w)
{
	const struct detector *const *table;
	size_t count = detectors(&table);
	struct life_slot *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct life_slot *s = &p->slots[i];

		if (life_is_open(s) &&
		    folds_into(table[i]->signature, w->signature, w->view) &&
		    (!best || open_finding(l, s)->onset.ns <
		     open_finding(l, best)->onset.ns))
			best = s;
	}
	return best;
}

/* A fault is as bad as its worst symptom, but for those that it denies. Returns
 * true when it is worse than was told.
 */
static bool weigh(struct life *l, struct life_slot *cause,
		  enum severity severity, struct mono now)
{
	struct finding *f = open_finding(l, cause);

	if (severity < f->severity || f->signature == SIGNATURE_SENSOR_FAULT)
		return false;
	cause->as_bad = now;
	f->severity = severity;
	return severity > l->owner[cause->open - 1].said.severity;
}

/* Open symptoms of a cause that was just raised become part of it. */
static void fold_symptoms(struct life *l, const struct life_subject *p,
			  struct life_slot *cause, const struct verdict *w)
{
	const struct detector *const *table;
	size_t count = detectors(&table);

	for (size_t i = 0; i < count; i++) {
		if (!life_is_open(&p->slots[i]) ||
		    !folds_into(table[i]->signature, w->signature, w->view))
			continue;
		cause->folded |= 1u << table[i]->signature;
		(void)weigh(l, cause, open_finding(l, &p->slots[i])->severity,
			    w->now);
		life_into(l, p, i, w->now, w->wall, open_finding(l, cause));
	}
}

void life_fold(struct life *l, struct life_slot *cause, enum signature symptom,
	       enum severity severity, struct mono now, struct wall wall)
{
	struct finding *f = open_finding(l, cause);
	bool is_news = weigh(l, cause, severity, now);

	if (!(cause->folded >> symptom & 1)) {
		cause->folded |= 1u << symptom;
		fold_evidence(f, 1u << symptom);
		is_news |= mono_diff_ns(now, f->when) > 0;
	}
	if (is_news)
		say(l, cause, FINDING_UPDATED, now, wall);
}

static void raise_new(struct life *l, struct life_slot *s,
		      const struct verdict *w, uint32_t port)
{
	struct finding *f = open_new(l, s);
	struct mono now = w->now;

	if (!f)
		return;
	f->severity = w->severity;
	describe(w, s, f);
	identify(l, s, f, w);
	l->owner[s->open - 1].viewed = l->owner[s->open - 1].drained = now;
	changes_before(w->changes, port, f);
	s->as_bad = s->looked = now;
	say(l, s, FINDING_RAISED, now, w->wall);
}

/* Do the texts differ in more than their numbers? */
static bool words_differ(const char *a, const char *b)
{
	static const char numbers[] = "0123456789.+-";

	for (;; a++, b++) {
		a += strspn(a, numbers);
		b += strspn(b, numbers);
		if (*a != *b)
			return true;
		if (!*a)
			return false;
	}
}

static bool cause_moved(const struct said *old, const struct finding *new)
{
	return new->action != old->action || new->end != old->end ||
	       new->cause_id != old->cause_id;
}

/* The same fault told otherwise: a lane more, a runner-up less, or the cause as
 * it was before. The older the finding, the rarer is that news; the repeat
 * carries it all the same.
 */
static bool words_moved(const struct said *old, const struct finding *new,
			int64_t since_ns)
{
	int64_t age_ns = mono_diff_ns(new->when, new->onset);

	if (since_ns < LOOK_NS || since_ns < age_ns / WORDS_SAID)
		return false;
	return cause_moved(old, new) || words_differ(new->cause, old->cause) ||
	       (since_ns >= LANES_SAID_NS && new->lanes != old->lanes);
}

/* Is the present view worth an update? */
static bool worth_saying(const struct said *old, const struct finding *new,
			 int64_t since_ns)
{
	if (new->severity != old->severity || new->signature != old->signature)
		return true;
	if (since_ns >= LOOK_NS &&
	    ((cause_moved(old, new) && new->cause_id != old->before) ||
	     new->drain > old->drain ||
	     new->port_count > old->ports))	/* their own end in it */
		return true;
	if (words_moved(old, new, since_ns) ||
	    (since_ns >= CLIFF_SAID_NS && new->cliff.foreseeable &&
	     cliff_is_news(&old->cliff, &new->cliff, since_ns)))
		return true;
	if (since_ns >= CLIFF_GONE_NS && old->cliff.foreseeable &&
	    !new->cliff.foreseeable)
		return true;
	return since_ns >= GROWN_SAID_NS && has_grown(old, new);
}

/* What was lowered and rose again is lowered ever later. */
static int64_t lower_ns(const struct life_owner *o)
{
	return LOWER_NS << o->lowered;
}

/* Worse is said at once, better when it has lasted. */
static enum severity severity_now(struct life_owner *o, const struct finding *f,
				  enum severity severity, struct mono now)
{
	struct life_slot *s = o->slot;

	if (severity >= f->severity) {
		s->as_bad = now;
		return severity;
	}
	if (severity == SEVERITY_NONE ||
	    mono_diff_ns(now, s->as_bad) <= lower_ns(o))
		return f->severity;
	o->lowered += o->lowered < AGAIN_MAX;
	return severity;
}

/* The same for the drain; was: as it was before the view. */
static void drain_hold(struct life_owner *o, struct finding *f,
		       enum drain was, struct mono now)
{
	if (f->drain >= was)
		o->drained = now;
	else if (mono_diff_ns(now, o->drained) <= lower_ns(o))
		f->drain = was;
}

/* A finding is a view: it shows the present state, told or not (C8). */
static void look_again(struct life *l, struct life_slot *s,
		       const struct verdict *w)
{
	struct finding *f = open_finding(l, s);
	struct life_owner *owner = &l->owner[s->open - 1];
	const struct said *said = &owner->said;
	struct mono now = w->now, onset = f->onset;
	enum severity severity = severity_now(owner, f, w->severity, now);
	/* what is less bad now needs no more drain than it asks for */
	enum drain drain = severity < f->severity ? DRAIN_NONE : f->drain;
	bool look = severity != f->severity ||
		    mono_diff_ns(now, s->looked) >= LOOK_NS;

	if (!look && mono_diff_ns(now, owner->viewed) < VIEW_NS)
		return;
	owner->viewed = now;
	f->severity = severity;
	describe(w, s, f);
	f->onset = onset;
	drain_hold(owner, f, drain, now);
	if (f->signature != said->signature)
		f->was = said->signature;
	if (!look)
		return;
	s->looked = now;
	if (worth_saying(said, f, mono_diff_ns(now, f->when)))
		say(l, s, FINDING_UPDATED, now, w->wall);
}

/* A symptom that was seen later than its cause, and was told with it; NULL:
 * there is none, or what is over with its cause.
 */
static struct life_slot *symptom_left(const struct life_subject *p,
				      const struct life_slot *cause)
{
	const struct detector *const *table;
	size_t count = p->is_port ? detectors(&table) : 0;

	for (size_t i = 0; i < count; i++)
		if (cause->folded >> table[i]->signature & 1 &&
		    !table[i]->told && !life_is_open(&p->slots[i]) &&
		    p->slots[i].seen.ns > cause->seen.ns)
			return &p->slots[i];
	return NULL;
}

/* Nothing is seen; the finding ends when that has lasted, or goes on with what
 * was told as part of it.
 */
static void quiet(struct life *l, const struct life_subject *p,
		  struct life_slot *s, const struct verdict *w)
{
	struct mono now = w->now;
	struct life_slot *left;

	if (w->held)
		w->held(open_finding(l, s));
	if (s->seen.ns == INT64_MIN)	/* restored: hold from here */
		s->seen = now;
	if (mono_diff_ns(now, s->seen) < hold_ns(s, w))
		return;
	left = symptom_left(p, s);
	if (left)
		life_adopt(l, s, left, NULL);
	else
		end_slot(l, s, now, w->wall, NULL);
}

void life_take(struct life *l, const struct life_subject *p, size_t n,
	       const struct verdict *w)
{
	struct life_slot *s = &p->slots[n], *cause, *symptom;

	if (w->severity == SEVERITY_NONE) {
		if (life_is_open(s))
			quiet(l, p, s, w);
		return;
	}
	s->seen = w->now;
	if (life_is_open(s)) {
		look_again(l, s, w);
		return;
	}
	cause = p->is_port ? cause_open(p, w) : NULL;
	symptom = p->is_port ? symptom_open(l, p, w) : NULL;
	if (cause) {
		life_fold(l, cause, w->signature, w->severity, s->seen,
			  w->wall);
	} else if (symptom) {
		life_adopt(l, symptom, s, w);
		look_again(l, s, w);
	} else {
		raise_new(l, s, w, p->port);
	}
	if (p->is_port && life_is_open(s))
		fold_symptoms(l, p, s, w);
}

void life_adopt(struct life *l, struct life_slot *from, struct life_slot *to,
		const struct verdict *w)
{
	if (w)
		(void)comes_again(to, w);
	to->open = from->open;
	to->apart = from->apart;
	to->folded = from->folded;
	to->seen = from->seen;
	to->as_bad = from->as_bad;
	to->looked = (struct mono){ INT64_MIN / 2 };
	l->owner[to->open - 1].viewed = to->looked;
	l->owner[to->open - 1].slot = to;
	from->open = 0;
}

void life_lost(struct life *l, const struct finding *f, struct mono now,
	       struct wall wall, const char *why)
{
	struct finding gone = *f;

	gone.state = FINDING_CLEARED;
	gone.when = now;
	gone.when_wall = wall;
	(void)snprintf(gone.cause, sizeof(gone.cause), "%s", why);
	l->emit(l->context, &gone);
}

int life_restore(struct life *l, const struct life_subject *p, size_t n,
		 const struct finding *f)
{
	struct life_slot *s = &p->slots[n], was = *s;
	bool goes_on = life_is_remembered(s, f);
	struct finding *mine;

	if (life_is_open(s))
		return strcmp(l->pool[s->open - 1].id, f->id) ? -EEXIST : 0;
	mine = open_new(l, s);
	if (!mine)
		return -ENOSPC;
	*mine = *f;
	said_note(&l->owner[s->open - 1].said, f);
	l->owner[s->open - 1].viewed = l->owner[s->open - 1].drained = f->when;
	if (goes_on) {
		was.open = s->open;
		life_remember(s, &was);
		return 0;
	}
	s->seen.ns = INT64_MIN;
	s->as_bad = s->looked = f->when;
	return 0;
}

bool life_is_remembered(const struct life_slot *s, const struct finding *f)
{
	return s->was_open && strcmp(s->id, f->id) == 0;
}

void life_remember(struct life_slot *s, const struct life_slot *was)
{
	*s = *was;
	s->was_open = s->was_open && !life_is_open(s);
}

void life_slot_write(const struct life *l, const struct life_slot *s,
		     struct life_slot *ret)
{
	*ret = *s;
	if (life_is_open(s)) {
		ret->was_open = true;
		memcpy(ret->id, l->pool[s->open - 1].id, sizeof(ret->id));
	}
}

static const struct kept_field life_slot_fields[] = {
	KEEP_NOT(struct life_slot, open, "a place in this run's pool"),
	KEEP(struct life_slot, was_open),
	KEEP_TO(struct life_slot, folded, (1u << SIGNATURE_COUNT) - 1),
	KEEP_LOOK(struct life_slot, seen, true),
	KEEP_LOOK(struct life_slot, as_bad, false),
	KEEP(struct life_slot, looked),
	KEEP_OPT(struct life_slot, cleared),
	KEEP(struct life_slot, onset),
	KEEP(struct life_slot, onset_wall),
	KEEP_TEXT(struct life_slot, id),
	KEEP_TO(struct life_slot, again, AGAIN_MAX),
	KEEP(struct life_slot, apart),
};

const struct kept life_slot_kept =
	KEPT_TABLE(struct life_slot, "slot", life_slot_fields);

/* Light fell, and stays low: named after its cause, where one is likely. When
 * errors follow, fec_trend goes on with the same finding.
 *
 * Where errors are measured and grew far less than such a loss makes, the
 * monitor drifts.
 *
 * Light that was low when the port was first seen, or faded so slowly that it
 * was learned, has not fallen: it is compared with the module's own limit, and
 * reported at watch.
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/folds.h"
#include "agent/signature/hypothesis.h"
#include "agent/signature/kept.h"

#define LOST_DB 1.0f
#define HIDDEN_DB 0.5f		/* … where errors of another cause hide its own;
				 * below, no cause is sure */
#define LOST_WARN_DB 2.5f
#define STILL_DB 0.4f
#define READINGS 4		/* after the loss, until it is told */
#define MISSED_DECADES 1.2	/* of errors expected that did not come */
#define NAME_LEAST 0.5		/* how likely a cause must be, to be told … */
#define HARM_LEAST 0.3		/* … where frames are lost: a single lane cannot
				 * tell dirt from a bend */
#define OTHER_LEAST 0.2		/* … and a second one, beside it */
#define OTHER_SURE 0.8		/* … and to take its place: as one named */
#define PLUGGED_NS (30 * NS_PER_S)
#define AFTER_NS (600 * NS_PER_S)
#define SLOW_OR_NOT 0.5		/* share of a step that means neither */
#define ADDED_DECADES 0.3	/* of errors, by light that fell later */
#define NEAR_DECADES 1.0	/* below the last safe level: warn */
#define WINDOWS_DUE 3		/* without errors: they are not measured */
#define LOW_STILL_DB 0.5f	/* above the limit, until light is not low */
#define LOW_SURE 0.4f		/* dirt, of what makes light low from the first:
				 * a long fibre or a splitter too; chosen */

struct light_loss {
	struct naming naming;
	enum signature name;		/* 0: none is likely */
	double sure;
	float worst_db;
	uint8_t lanes;
	bool frames;			/* were lost since, without FEC */
	bool second;			/* lanes that fade beside a loss that
					 * stands and has its finding */
	uint16_t seen;			/* readings in a row */
	struct mono onset;
	enum severity severity;
};

static void loss_start(void *mine, const struct port_facts *facts)
{
	struct light_loss *l = mine;

	(void)facts;
	naming_start(&l->naming);
}

static bool errors_known(const struct port_view *v)
{
	return v->ber->t.ns != INT64_MIN && ber_learned(v->ber);
}

/* Errors were measured since the loss: while a link falls again and again, no
 * window closes.
 */
static bool errors_seen(const struct light_loss *l, const struct port_view *v)
{
	return errors_known(v) &&
	       mono_diff_ns(v->ber->t, l->onset) > v->ber->window_ns;
}

static bool is_told(const struct light_loss *l)
{
	return l->severity && l->name;
}

/* No FEC is counted, and the loss costs frames; no other finding says so. */
static enum severity frames_judge(const struct ber *b)
{
	if (!b->is_bare || b->lost_codewords <= 0)
		return SEVERITY_NONE;
	return b->lost_codewords >= BER_FRAMES_SURE &&
	       b->lost_codewords > BER_FRAMES_MANY * b->codewords ?
	       SEVERITY_CRITICAL : SEVERITY_WARN;
}

/* The likeliest cause that takes light, where the odds do not name one. While
 * light stays away, what was told stands until another cause is as sure as one
 * that is named.
 */
static void name_choose(struct light_loss *l, const struct port_view *v)
{
	double least = frames_judge(v->ber) ? HARM_LEAST : NAME_LEAST;
	enum signature name = l->naming.name, other;
	double p = naming_sure(&l->naming), p_other = 0;

	other = naming_other(&l->naming, &p_other);
	if (name == SIGNATURE_FEC_TREND || (p < least && p_other >= least &&
					    other != SIGNATURE_FEC_TREND)) {
		name = other;
		p = p_other;
	}
	if (is_told(l) && (name != l->name || p < least)) {
		l->sure = naming_of(&l->naming, l->name);
		if (p < OTHER_SURE)
			return;
	}
	l->name = p < least ? 0 : name;
	l->sure = p;
}

/* A coherent line is limited by the noise of its amplifiers: its light may
 * swing by a decibel, while errors stay as they are.
 */
static bool is_noise_limited(const struct port_view *v)
{
	return !v->ber->code->symbols && measures_errors_are_old(v);
}

static void loss_measure(struct light_loss *l, const struct port_view *v,
			 const struct light_drop *drop)
{
	/* Where no other detector would report it, its age is not asked. */
	struct error_growth g = { .since = l->onset,
				  .second = l->second,
				  .named = naming_has(&l->naming) ||
					   v->front->link == LINK_IS_DOWN ||
					   !errors_known(v) };
	struct measures m;

	if (errors_seen(l, v))
		g.raw = fmax(v->ber->residual.excess, 0);
	measures_take(v, &g, &m);
	if (errors_seen(l, v) &&
	    (m.explained_least - m.raw > MISSED_DECADES ||
	     is_noise_limited(v))) {
		l->name = 0;
		return;
	}
	m.raw = m.explained;
	m.step_share = drop->fall == FALL_AT_ONCE ? 1 :
		       drop->fall == FALL_SLOWLY ? 0 : SLOW_OR_NOT;
	naming_take(&l->naming, &m, v->light->t);
	name_choose(l, v);
}

/* The port had errors by another fault, and has more since light fell: that
 * other fault tells none of these.
 */
static bool adds_errors(const struct light_loss *l, const struct port_view *v)
{
	return measures_light_is_another(v) && errors_seen(l, v) &&
	       v->ber->residual.excess > (double)v->light->errors_before +
					 ADDED_DECADES;
}

/* After a link was down for a while its light cannot be compared: somebody
 * plugged. Only errors tell then whether it is worse. Light that was lost while
 * the link was down, or before, took it down.
 */
static bool was_plugged(const struct light_loss *l, const struct port_view *v)
{
	const struct front *f = v->front;
	int64_t after_ns = mono_diff_ns(l->onset, f->turned_at);

	if (l->worst_db > LIGHT_WORSE_DB && measures_light_is_another(v))
		return false;		/* errors of another cause hide its */
	return f->turned_at.ns > f->down_since.ns &&
	       mono_diff_ns(f->turned_at, f->down_since) > PLUGGED_NS &&
	       after_ns > -PLUGGED_NS && after_ns < AFTER_NS;
}

/* While the link is down, only a loss that takes it down is reported. */
static bool is_enough(const struct port_view *v)
{
	return v->front->link != LINK_IS_DOWN ||
	       folds_into(SIGNATURE_LINK_DOWN, SIGNATURE_CONTAMINATION, v);
}

static bool is_lost(const struct light_loss *l, const struct port_view *v,
		    const struct light_drop *d)
{
	float least = measures_light_is_another(v) ? HIDDEN_DB : LOST_DB;

	return d->known && d->worst_db > (is_told(l) ? STILL_DB : least);
}

/* Lanes whose light is below the module's low warning, as it usually is; none
 * that is dark, as an unused one. *ret_least: the least of them.
 */
static uint8_t lanes_low(const struct light_loss *l, const struct port_view *v,
			 float *ret_least)
{
	const struct port_thresholds *t = &v->facts->thresholds;
	unsigned dark = front_lanes_dark(v->facts, v->tick);
	uint8_t lanes = 0;
	float limit;

	*ret_least = INFINITY;
	if (!port_has_light_limits(t) || v->front->link != LINK_IS_UP ||
	    !front_settled(v->front) || v->light->readings < READINGS)
		return 0;
	limit = (float)light_dbm(t->rx_pw[LOW_WARN]) +
		(l->severity && !l->name ? LOW_STILL_DB : 0);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		const struct light_lane *lane = &v->light->lane[i];

		if (dark >> i & 1 || !(lane->usual_dbm < limit) ||
		    !(lane->now_dbm < limit))
			continue;
		lanes |= (uint8_t)(1u << i);
		*ret_least = fminf(*ret_least, lane->now_dbm);
	}
	return lanes;
}

static enum severity low_judge(const struct light_loss *l,
			       const struct port_view *v)
{
	float least;

	return lanes_low(l, v, &least) ? SEVERITY_WATCH : SEVERITY_NONE;
}

static enum severity how_bad(const struct light_loss *l,
			     const struct port_view *v)
{
	enum severity frames = frames_judge(v->ber);
	bool near = errors_known(v) && v->ber->log_ber >
		    v->ber->code->safe_log_ber - NEAR_DECADES;

	if (!l->name || l->seen < READINGS || !is_enough(v))
		return SEVERITY_NONE;
	if (frames)
		return frames;
	if (was_plugged(l, v) && !adds_errors(l, v))
		return SEVERITY_NONE;
	return near || l->worst_db > LOST_WARN_DB ? SEVERITY_WARN
						  : SEVERITY_WATCH;
}

static enum severity loss_judge(void *mine, const struct port_view *v)
{
	struct light_loss *l = mine;
	struct light_drop drop;
	enum severity bad;
	bool second;

	if (v->cadence->unsound &&
	    measures_light_is_denied(v->light, v->ber)) {
		l->seen = 0;		/* sensor_fault tells it */
		l->severity = SEVERITY_NONE;
		l->name = 0;
	}
	l->frames |= l->seen > 0 && frames_judge(v->ber);
	if (!v->front->dom_good || v->cadence->unsound ||
	    v->light->t.ns != v->tick->dom_t.ns)
		return l->severity;
	second = measures_light_is_second(v);
	if (second)
		(void)light_drop_since(v->light, &drop);
	else
		light_drop(v->light, &drop);
	if (second != l->second) {
		l->seen = 0;
		l->name = 0;
	}
	l->second = second;
	if (!is_lost(l, v, &drop)) {
		l->seen = 0;
		l->severity = low_judge(l, v);
		l->name = 0;
		return l->severity;
	}
	if (l->seen == 0) {
		l->onset = v->light->t;
		l->frames = false;
		naming_start(&l->naming);
	}
	l->seen += l->seen < UINT16_MAX;
	l->worst_db = drop.worst_db;
	l->lanes = drop.lanes;
	if (l->seen >= READINGS)
		loss_measure(l, v, &drop);
	bad = how_bad(l, v);
	l->severity = bad ? bad : low_judge(l, v);
	return l->severity;
}

/* A window of errors is to end soon. */
static bool errors_come(const struct port_view *v)
{
	return mono_diff_ns(v->front->t, v->ber->t) <
	       WINDOWS_DUE * v->ber->window_ns;
}

static const char *errors_words(const struct light_loss *l,
				const struct port_view *v)
{
	if (l->frames)			/* a few a minute, not in each window */
		return "frames are lost";
	if (v->ber->is_bare && v->ber->codewords > 0)
		return "no frames were lost so far";
	if (front_stays_down(v->front))
		return "the link is down";
	if (errors_seen(l, v))
		return measures_errors_are_old(v) ? "errors hardly grew" :
						    "errors grew too";
	if (errors_known(v))
		return errors_come(v) ? "errors since then are not known yet" :
					"errors were not measured since then";
	return v->ber->t.ns != INT64_MIN ? "the usual error level is not known"
					 : "errors are not measured";
}

/* Neither cause nor start are known. */
static void low_describe(const struct light_loss *l, const struct port_view *v,
			 struct finding *f)
{
	const int64_t *limits = v->facts->thresholds.rx_pw;
	float least, alarm = (float)light_dbm(limits[LOW_ALARM]);
	uint8_t lanes = lanes_low(l, v, &least);
	bool is_alarm = least < alarm;
	float limit = is_alarm ? alarm : (float)light_dbm(limits[LOW_WARN]);

	f->end = END_PATH;
	f->action = ACTION_CLEAN_NEAR;
	f->cause_id = CAUSE_PREEXISTING;
	f->confidence = LOW_SURE;
	f->onset = v->light->t;
	if (!lanes)
		return;
	f->lanes = lanes;
	(void)snprintf(f->cause, sizeof(f->cause), "received light is at %.1f "
		       "dBm, and the module's own low %s is %.1f dBm; when it "
		       "fell is not known",
		       (double)least, is_alarm ? "alarm" : "warning",
		       (double)limit);
	evidence_add(f, "rx_dbm", (double)least);
	evidence_add(f, is_alarm ? "rx_low_alarm_dbm" : "rx_low_warning_dbm",
		     (double)limit);
}

/* The other cause that takes light, where it is likely too. */
static void other_tell(const struct light_loss *l, char *ret, size_t cap,
		       struct finding *f)
{
	double p = 0;
	enum signature other = naming_after(&l->naming, l->name, &p);
	char name[sizeof(f->evidence[0].name)];

	ret[0] = '\0';
	if (p < OTHER_LEAST || other == SIGNATURE_FEC_TREND)
		return;
	(void)snprintf(ret, cap, " (or %s, %.0f %%)", signature_name(other),
		       100 * p);
	(void)snprintf(name, sizeof(name), "p_%s", signature_name(other));
	evidence_add(f, name, p);
}

static void loss_describe(const void *mine, const struct port_view *v,
			  struct finding *f)
{
	const struct light_loss *l = mine;
	const struct hypothesis *h = hypothesis_find(l->name);
	char name[sizeof(f->evidence[0].name)], other[64];

	if (!h || !h->what ||
	    (how_bad(l, v) == SEVERITY_NONE && low_judge(l, v))) {
		low_describe(l, v, f);
		return;
	}
	f->signature = h->signature;
	f->end = h->end;
	f->action = h->action;
	f->cause_id = h->cause_id;
	f->lanes = l->lanes;
	f->confidence = (float)l->sure;
	f->onset = l->onset;
	evidence_add(f, "rx_drop_db", l->worst_db);
	(void)snprintf(name, sizeof(name), "p_%s", signature_name(l->name));
	evidence_add(f, name, l->sure);
	other_tell(l, other, sizeof(other), f);
	(void)snprintf(f->cause, sizeof(f->cause), "received light fell by "
		       "%.1f dB, %s: %s%s", (double)l->worst_db,
		       errors_words(l, v), h->what, other);
}

static void loss_swapped(void *mine)
{
	((struct light_loss *)mine)->frames = false;
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no light";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_LIGHT, true, "received light is not read", "a module with DOM" },
};

static const struct kept_field light_loss_fields[] = {
	KEEP_PART(struct light_loss, naming, naming_kept),
	KEEP_TO(struct light_loss, name, SIGNATURE_COUNT - 1),
	KEEP(struct light_loss, sure),
	KEEP(struct light_loss, worst_db),
	KEEP(struct light_loss, lanes),
	KEEP(struct light_loss, frames),
	KEEP(struct light_loss, second),
	KEEP(struct light_loss, seen),
	KEEP(struct light_loss, onset),
	KEEP_TO(struct light_loss, severity, SEVERITY_COUNT - 1),
};

static const struct kept light_loss_kept =
	KEPT_TABLE(struct light_loss, "light_loss", light_loss_fields);

/* Findings are named after a cause; this one stands for all that take light. */
const struct detector light_loss_detector = {
	.signature = SIGNATURE_CONTAMINATION,
	.state_size = sizeof(struct light_loss),
	.kept = &light_loss_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_link = true,
	.of_errors = true,
	.of_module = true,
	.is_early = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.start = loss_start,
	.judge = loss_judge,
	.describe = loss_describe,
	.swapped = loss_swapped,
};

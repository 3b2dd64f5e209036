#include "agent/signature/fec_trend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/signature/folds.h"
#include "agent/signature/kept.h"

#define ROSE_DB 1.0
#define LEVEL_MOST 40		/* log10; evidence beyond is no level */
#define TIMES_MOST 3.0		/* decades that anybody counts */
#define SMALL_TIMES 2.0		/* a small loss is known no better */
#define RETURNS_LEAST 2u	/* of light, by itself: more are to come */

enum sight_kind { SIGHT_FLAT, SIGHT_NOT_SINCE, SIGHT_NO_LIGHT_READ,
		  SIGHT_UNSURE, SIGHT_YOUNG, SIGHT_COPPER, SIGHT_COPPER_BAD,
		  SIGHT_TRAFFIC, SIGHT_NOT_BEFORE, SIGHT_ROSE, SIGHT_LATER,
		  SIGHT_RETURNS, SIGHT_MARGIN, SIGHT_LOSS, SIGHT_SMALL };

static const char *const rises[] = {
	[RISE_NONE] = "are at",
	[RISE_GREW] = "grew to",
	[RISE_STEPPED] = "stepped up to",
};

/* The words for errors that grew while their cause has no name. */
static const struct unnamed_cause {
	const char *words;
	enum fault_end end;
	enum action action;
	enum cause_id cause_id;
} sights[] = {
	[SIGHT_FLAT] = { "received light is steady: receiver, far transmitter "
			 "or reflections, not loss", END_NEAR,
			 ACTION_RESEAT_NEAR, CAUSE_NOT_LOSS },
	[SIGHT_NOT_SINCE] = { "light was not read since then: the cause is not "
			      "known yet", END_PATH, ACTION_OBSERVE,
			      CAUSE_LIGHT_NOT_READ_SINCE },
	[SIGHT_NO_LIGHT_READ] = { "received light is not read: loss and "
				  "electronics cannot be told apart", END_PATH,
				  ACTION_CHECK_PEER, CAUSE_LIGHT_NOT_READ },
	[SIGHT_UNSURE] = { "received light fell too: more than one cause fits",
			   END_PATH, ACTION_CLEAN_NEAR,
			   CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_YOUNG] = { "received light fell too, or comes and goes: more "
			  "readings will tell", END_PATH, ACTION_CLEAN_NEAR,
			  CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_COPPER] = { "on copper: it is too early to say whether they "
			   "stay",
			   END_PATH, ACTION_OBSERVE, CAUSE_COPPER_WORN },
	[SIGHT_COPPER_BAD] = { "on copper: whether they stay is not known yet, "
			       "but they are too many to wait", END_PATH,
			       ACTION_REPLACE_CABLE, CAUSE_COPPER_WORN },
	[SIGHT_TRAFFIC] = { "they come and go with the port's traffic: "
			    "crosstalk or a noisy supply, not wear or loss",
			    END_PATH, ACTION_RESEAT_NEAR,
			    CAUSE_FOLLOWS_TRAFFIC },
	[SIGHT_NOT_BEFORE] = { "light before is not known: loss and "
			       "electronics cannot be told apart", END_PATH,
			       ACTION_CLEAN_NEAR, CAUSE_LIGHT_NOT_READ },
	[SIGHT_ROSE] = { "received light rose: too much light, or another far "
			 "end", END_PATH, ACTION_CHECK_PEER, CAUSE_NOT_LOSS },
	[SIGHT_RETURNS] = { "received light falls and comes back by itself: a "
			    "contact, or a fibre that moves or warms", END_PATH,
			    ACTION_CLEAN_NEAR, CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_LATER] = { "received light was steady then, and fell later: "
			  "receiver, far transmitter or reflections, not loss",
			  END_NEAR, ACTION_RESEAT_NEAR, CAUSE_NOT_LOSS },
	[SIGHT_LOSS] = { "received light fell, which explains them: dirt, a "
			 "bend or the far laser", END_PATH, ACTION_CLEAN_NEAR,
			 CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_SMALL] = { "a loss of light too small to be seen could make so "
			  "few: more readings will tell",
			  END_PATH, ACTION_OBSERVE, CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_MARGIN] = { "they hardly grew and received light is steady: the "
			   "link has little margin", END_PATH,
			   ACTION_CLEAN_NEAR, CAUSE_NOT_LOSS },
};

/* dB that the light of a lane rose above its usual, at most. */
static double rise_db(const struct light *l)
{
	double most = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		most = fmax(most, (double)(l->lane[i].now_dbm -
					   l->lane[i].usual_dbm));
	return most;
}

/* A loss of so many dB makes the errors, or more. */
static bool loss_makes(const struct ber *b, double db)
{
	return b->residual.excess > 0 &&
	       fec_log_ber_shifted(b->log_ber - b->residual.excess, -db,
				   b->code->pam4) > b->log_ber;
}

bool fec_trend_may_be_small(const struct fec_trend *t,
			    const struct port_view *v,
			    const struct light_drop *drop)
{
	return loss_makes(v->ber, (double)LIGHT_DROP_DB) &&
	       (!fec_trend_looked(t) ||
		loss_makes(v->ber, SMALL_TIMES * (double)drop->worst_db));
}

/* Light fell at once when errors rose, or since; it may be back. */
static bool jumped_with(const struct fec_trend *t, const struct port_view *v)
{
	int64_t near_ns = 2 * (v->ber->window_ns +
			       (int64_t)(v->cadence->usual_s *
					 (float)NS_PER_S));

	return v->light->fell_at.ns && mono_diff_ns(v->light->fell_at,
						    t->named_from) > -near_ns;
}

/* By what the light has done since a name is sought. bad: it is critical, as
 * was told, though the last window may have fewer errors.
 */
static enum sight_kind sight_of(const struct fec_trend *t,
			       const struct port_view *v,
			       const struct light_drop *drop, bool later,
			       bool bad)
{
	bool fell = drop->lanes || t->fell || drop->returns >= RETURNS_LEAST ||
		    jumped_with(t, v);

	if (load_is_followed(v->traffic) && !fell)
		return SIGHT_TRAFFIC;
	if (port_is_copper(v->facts))
		return bad ? SIGHT_COPPER_BAD : SIGHT_COPPER;
	if (!drop->known)
		return SIGHT_NO_LIGHT_READ;
	if (!fell && fec_trend_hardly_grew(t, v))
		return SIGHT_MARGIN;
	if (!fell && !(t->lit && t->rise != RISE_NONE))
		return SIGHT_NOT_BEFORE;
	if (v->light->t.ns < t->named_from.ns)
		return SIGHT_NOT_SINCE;
	if (later)
		return SIGHT_LATER;
	if (!fell && rise_db(v->light) > ROSE_DB)
		return SIGHT_ROSE;
	if (!fell)
		return t->steady ? SIGHT_FLAT : SIGHT_SMALL;
	if (drop->returns >= RETURNS_LEAST)
		return SIGHT_RETURNS;
	if (t->by_light && !drop->returns)
		return SIGHT_LOSS;
	return drop->stood < LOSS_STANDS || drop->returns ? SIGHT_YOUNG :
							       SIGHT_UNSURE;
}

/* The finding is only about a level that was accepted. */
static bool is_accepted(const struct fec_trend *t)
{
	return !t->speaking && settled_stands(&t->settled);
}

/* The normal level that the finding compares with. */
static double normal_level(const struct fec_trend *t,
			   const struct port_view *v, enum cause_id cause)
{
	if (is_accepted(t))
		return (double)t->settled.before;
	if (cause == CAUSE_PREEXISTING && !isnan(v->siblings_log_ber))
		return (double)v->siblings_log_ber;
	return v->ber->log_ber - v->ber->residual.excess;
}

static void trend_evidence(const struct fec_trend *t,
			   const struct port_view *v,
			   const struct light_drop *drop, struct finding *f)
{
	const struct ber *b = v->ber;
	double normal = normal_level(t, v, f->cause_id);
	struct loss_share lost;

	evidence_add(f, "pre_fec_ber_log10", b->log_ber);
	evidence_add(f, "baseline_ber_log10", normal);
	if (is_accepted(t))
		evidence_add(f, SETTLED_EVIDENCE, (double)t->settled.mean);
	evidence_add(f, "excess_decades", is_accepted(t) ?
		     (double)t->settled.mean - normal : b->residual.excess);
	evidence_add(f, "margin_db", fec_margin_db(b->log_ber, b->code));
	if (b->code->symbols) {
		histogram_loss(&b->histogram, b->code, b->log_ber,
			       fec_interleave(v->facts->speed_mbps), &lost);
		evidence_add(f, "frame_loss_log10", lost.mid);
		evidence_add(f, "frame_loss_low_log10", lost.low);
		evidence_add(f, "frame_loss_high_log10", lost.high);
	}
	if (drop->known)
		evidence_add(f, "rx_drop_db", drop->worst_db);
	if (rise_db(v->light) > ROSE_DB)
		evidence_add(f, "rx_rise_db", rise_db(v->light));
	if (v->ber->baseline.temp_s > 0)
		evidence_add(f, "module_heat_k", b->residual.heat_k);
	if (t->drift_rise > 0)
		evidence_add(f, "drift_decades", t->drift_rise);
}

/* Errors did not grow: neither cause nor start are known. */
static void preexisting_tell(const struct port_view *v, const char *lost,
			     struct finding *f)
{
	bool copper = port_is_copper(v->facts);
	double above = v->ber->log_ber - (double)v->siblings_log_ber;
	char than[64] = "";

	if (above > 0)
		(void)snprintf(than, sizeof(than),
			       ", %s%.0f times those of ports of its kind",
			       above > TIMES_MOST ? "more than " : "",
			       pow(10, fmin(above, TIMES_MOST)));
	f->end = END_PATH;
	f->action = copper ? ACTION_REPLACE_CABLE : ACTION_CLEAN_NEAR;
	f->cause_id = CAUSE_PREEXISTING;
	(void)snprintf(f->cause, sizeof(f->cause), "errors were at %.1e when "
		       "the port was first seen%s%s; their start is not known",
		       pow(10, v->ber->log_ber), than, lost);
}

/* Which lanes make the errors, where the module shows it. */
static uint8_t lanes_tell(const struct port_view *v, char *ret, size_t cap)
{
	uint8_t lanes = lanes_with_errors(v->tick);
	size_t len = 0;

	if (!lanes)
		lanes = lane_usual_left(v->lanes, v->tick, v->ber);

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (lanes >> i & 1 && len < cap)
			len += (size_t)snprintf(ret + len, cap - len, "%s%u",
						len ? ", " :
						lanes & (lanes - 1) ?
						" on lanes " : " on lane ",
						i + 1);
	return lanes;
}

static const char *lost_tell(const struct fec_trend *t,
			     const struct port_view *v)
{
	if (front_stays_down(v->front))
		return ", the link is down";
	return t->severity == SEVERITY_CRITICAL && fec_trend_has_lost(t, v) ?
	       ", codewords are lost" : "";
}

bool fec_trend_took_down(const struct port_view *v)
{
	return front_stays_down(v->front) &&
	       folds_into(SIGNATURE_LINK_DOWN, SIGNATURE_FEC_TREND, v);
}

void fec_trend_cliff(const struct fec_trend *t, const struct port_view *v,
		     struct cliff *ret)
{
	if (front_stays_down(v->front)) {
		*ret = (struct cliff){ .foreseeable = fec_trend_took_down(v) };
		return;
	}
	*ret = t->cliff;
	if (fec_trend_is_over_cliff(t, v))
		*ret = (struct cliff){ .foreseeable = true };
	cliff_later(ret, mono_diff_ns(v->front->t, t->cliff_t) / NS_PER_S);
}

void fec_trend_tell(const struct fec_trend *t, const struct port_view *v,
		    struct finding *f)
{
	const struct hypothesis *h = hypothesis_find(t->naming.name), *told;
	const struct unnamed_cause *sight;
	struct light_drop drop;
	const char *lost = lost_tell(t, v);
	char other[64], on[48] = "", hot[80];
	bool later;

	light_drop(v->light, &drop);
	later = drop.lanes && t->naming.name && !t->fell &&
		measures_light_is_another(v);
	if (later)
		drop.lanes = 0;		/* another finding tells it */
	sight = &sights[sight_of(t, v, &drop, later,
				 t->severity == SEVERITY_CRITICAL ||
				 f->severity == SEVERITY_CRITICAL)];
	if (h)
		f->signature = h->signature;
	told = h && h->unlit && !drop.lanes ? h->unlit : h;
	f->end = h ? told->end : sight->end;
	f->action = h ? told->action : sight->action;
	f->cause_id = h ? told->cause_id : sight->cause_id;
	f->lanes = h && !h->of_lanes ? 0 : drop.lanes;
	if (!f->lanes && (!h || h->unlit))
		f->lanes = lanes_tell(v, on, sizeof(on));
	naming_other_tell(&t->naming, other, sizeof(other));
	(void)snprintf(f->cause, sizeof(f->cause),
		       "errors %s %.1e%s%s; %s%s%s", rises[t->rise],
		       pow(10, v->ber->log_ber), on, lost,
		       f->cause_id == CAUSE_MODULE_HOT ?
		       overheat_words(v, hot, sizeof(hot)) :
		       h ? told->words : sight->words,
		       fec_trend_is_over(t, v, HEAT_NEAR_C) ?
		       "; it is at its own alarm limit" : "", other);
	if (is_accepted(t))
		settled_describe(&t->settled, h ? told->words : sight->words,
				 f);
	else if (t->preexisting && (t->severity == SEVERITY_WATCH ||
				    t->rise == RISE_NONE))
		preexisting_tell(v, lost, f);
	trend_evidence(t, v, &drop, f);
	naming_evidence(&t->naming, f);
}

/* NULL also when the value cannot be a level. */
static const double *level_find(const struct finding *f, const char *name)
{
	const double *level = evidence_find(f, name);

	return level && fabs(*level) < LEVEL_MOST ? level : NULL;
}

void fec_trend_recall(void *mine, struct ber *ber, const struct finding *f)
{
	struct fec_trend *t = mine;
	const double *normal = level_find(f, "baseline_ber_log10");
	const double *accepted = level_find(f, SETTLED_EVIDENCE);

	for (unsigned i = RISE_GREW; i <= RISE_STEPPED; i++)
		if (strstr(f->cause, rises[i]))
			t->rise = (uint8_t)i;
	t->lit |= f->cause_id == CAUSE_NOT_LOSS;
	t->was_safe |= accepted || f->cause_id != CAUSE_PREEXISTING;
	if (!normal)
		return;
	if (accepted)
		t->settled.before = (float)*normal;
	if (!ber_learned(ber))	/* else it is remembered */
		baseline_seed(&ber->baseline, accepted ? *accepted : *normal);
	ber->windows = BER_LEARN_WINDOWS;
	t->speaking = !accepted;
	t->severity = f->severity;
	t->naming.name = f->signature;
}

void fec_trend_swapped(void *mine)
{
	struct fec_trend *t = mine;

	course_start(&t->course, t->spoke, t->course.slot_ns);
	trend_ring_start(&t->drift);
	settled_start(&t->settled);
	t->cliff.foreseeable = false;
	t->drift_rise = 0;
	t->hot = 0;
	t->lost.ns = 0;
}

static const struct kept_field fec_trend_fields[] = {
	KEEP_PART(struct fec_trend, course, course_kept),
	KEEP_PART(struct fec_trend, drift, trend_ring_kept),
	KEEP_PART(struct fec_trend, settled, settled_kept),
	KEEP_PART(struct fec_trend, cliff, cliff_kept),
	KEEP(struct fec_trend, cliff_t),
	KEEP(struct fec_trend, above_since),
	KEEP(struct fec_trend, onset),
	KEEP_LOOK(struct fec_trend, spoke, false),
	KEEP(struct fec_trend, above),
	KEEP(struct fec_trend, unsafe),
	KEEP(struct fec_trend, before),
	KEEP(struct fec_trend, jump),
	KEEP(struct fec_trend, drift_rise),
	KEEP(struct fec_trend, hot),
	KEEP(struct fec_trend, peak),
	KEEP(struct fec_trend, swing_peak),
	KEEP(struct fec_trend, swings),
	KEEP(struct fec_trend, low),
	KEEP(struct fec_trend, was_learned),
	KEEP(struct fec_trend, was_safe),
	KEEP(struct fec_trend, preexisting),
	KEEP_TO(struct fec_trend, rise, RISE_STEPPED),
	KEEP(struct fec_trend, lit),
	KEEP(struct fec_trend, lost_again),
	KEEP(struct fec_trend, lost),
	KEEP(struct fec_trend, speaking),
	KEEP(struct fec_trend, fell),
	KEEP(struct fec_trend, by_light),
	KEEP(struct fec_trend, steady),
	KEEP(struct fec_trend, no_heat),
	KEEP_TO(struct fec_trend, severity, SEVERITY_COUNT - 1),
	KEEP_PART(struct fec_trend, naming, naming_kept),
	KEEP(struct fec_trend, named_from),
};

const struct kept fec_trend_kept =
	KEPT_TABLE(struct fec_trend, "fec_trend", fec_trend_fields);

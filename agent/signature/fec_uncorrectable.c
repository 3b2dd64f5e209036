/* fec_uncorrectable: codewords are lost although the mean errors are far below
 * what the code can correct: they come in bursts. Random errors at this level
 * would lose none in years.
 *
 * On a port that is known to have no FEC each bit error loses a frame, and
 * FC-FEC counts none that it corrects: there it counts received frames with
 * errors, and asks for more of them.
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/kept.h"

#define WINDOWS_LEAST 2u	/* with losses, in the last hour … */
#define WINDOWS_AGAIN 3u	/* … so many: more will come in the next hour */
#define LOST_WARN 10.0		/* codewords in the hour: warn */
#define WITHIN_NS (3600 * NS_PER_S)
#define KEPT 4u
#define OFTEN_WINDOWS 60	/* with KEPT in them: often; chosen */
/* The frame loss ratio that IEEE 802.3 allows a complete Physical Layer, of
 * frames of 64 octets: on NRZ lanes (95.1.1), and on PAM4 lanes (138.1.1).
 */
#define LOSS_NRZ 6.2e-10
#define LOSS_PAM4 6.2e-11

/* Without FEC: frames lost for each bit. The bit error ratio that IEEE 802.3
 * allows a link without FEC (52.1.1 and others); some 1e-8 of frames, where
 * CorrOpt (SIGCOMM 2017) begins to count a link as lossy.
 */
#define FRAMES_ALLOWED 1e-12
#define FRAME_WINDOWS 3u	/* with losses, in the last hour */
#define FRAMES_CRITICAL 100.0	/* in the hour, where they are many */
#define MENDED_TIMES 6		/* the usual time between windows with losses,
				 * and none: by chance one of 400 */

struct fec_uncorrectable {
	struct mono lost[KEPT];		/* windows with losses; INT64_MIN */
	double count;			/* codewords lost since the first */
	double sent;			/* codewords sent since then; of a bare
					 * port frames, and bits */
	enum severity severity;
	uint16_t together;		/* ports that lost some with it, itself
					 * included; 0: it is alone */
	bool often;			/* so often that others have some at the
					 * same moments by chance */
};

static void bursts_start(void *mine, const struct port_facts *facts)
{
	struct fec_uncorrectable *u = mine;

	(void)facts;
	for (unsigned i = 0; i < KEPT; i++)
		u->lost[i].ns = INT64_MIN;
}

static unsigned windows_of_late(const struct fec_uncorrectable *u,
				struct mono now)
{
	unsigned n = 0;

	if (u->lost[KEPT - 1].ns == INT64_MIN)
		return 0;	/* the last is there if any is */
	for (unsigned i = 0; i < KEPT; i++)
		n += u->lost[i].ns != INT64_MIN &&
		     mono_diff_ns(now, u->lost[i]) < WITHIN_NS;
	return n;
}

/* t: its end. */
static void window_take(struct fec_uncorrectable *u, const struct ber *b,
			struct mono t, bool has_lost)
{
	bool line = ber_is_of_line(b);

	if (windows_of_late(u, t) == 0)
		u->count = u->sent = 0;
	u->sent += line ? b->sum_codewords : b->codewords;
	if (!has_lost)
		return;
	for (unsigned i = 1; i < KEPT; i++)
		u->lost[i - 1] = u->lost[i];
	u->lost[KEPT - 1] = t;
	u->count += line ? b->sum_lost : b->lost_codewords;
}

/* No more was lost than the standard allows, over an hour at least. */
static bool is_allowed(const struct fec_uncorrectable *u,
		       const struct port_view *v)
{
	const struct ber *b = v->ber;
	double hour = b->codewords_per_s * (double)WITHIN_NS / NS_PER_S;
	double frames = u->count * fec_frames_of_codeword(
				fec_interleave(v->facts->speed_mbps));

	return b->code && frames <= (b->code->pam4 ? LOSS_PAM4 : LOSS_NRZ) *
					    fmax(u->sent, hour);
}

/* Frames lost for each bit, over an hour at least. */
static double frames_share(const struct fec_uncorrectable *u,
			   const struct ber *b)
{
	double hours = (double)b->window_ns / (double)WITHIN_NS;

	return u->count / fmax(fmax(u->sent, b->codewords / hours), 1);
}

/* The link came up anew, and what was lost again and again is lost no more. */
static bool is_mended(const struct fec_uncorrectable *u, const struct front *f)
{
	struct mono last = u->lost[KEPT - 1];

	return u->lost[0].ns != INT64_MIN && f->link == LINK_IS_UP &&
	       f->turned_at.ns > last.ns && mono_diff_ns(f->t, f->turned_at) >
	       MENDED_TIMES * (mono_diff_ns(last, u->lost[0]) / (KEPT - 1));
}

static enum severity frames_judge(struct fec_uncorrectable *u,
				  const struct port_view *v)
{
	const struct ber *b = v->ber;
	struct mono now = v->front->t;
	double share;

	if (is_mended(u, v->front))
		bursts_start(u, v->facts);
	if (b->frames_closed)
		window_take(u, b, now, b->lost_codewords > 0);
	u->severity = SEVERITY_NONE;
	if (b->window_ns <= 0 || windows_of_late(u, now) < FRAME_WINDOWS)
		return SEVERITY_NONE;
	share = frames_share(u, b);
	if (share > BER_FRAMES_MANY && u->count >= FRAMES_CRITICAL)
		u->severity = SEVERITY_CRITICAL;
	else if (share > FRAMES_ALLOWED)
		u->severity = u->count >= BER_FRAMES_SURE ? SEVERITY_WARN :
							SEVERITY_WATCH;
	return u->severity;
}

/* Ports that are read later in the same tick show only at this port's next
 * reading what they lost: so long it is as the last time.
 */
static void together_follow(struct fec_uncorrectable *u,
			    const struct port_view *v)
{
	bool is_new = v->cadence->burst.ns == v->front->t.ns;

	u->often = u->lost[0].ns != INT64_MIN &&
		   mono_diff_ns(u->lost[KEPT - 1], u->lost[0]) <
		   OFTEN_WINDOWS * v->ber->window_ns;
	if (!is_new || v->bursts_together > u->together)
		u->together = (uint16_t)v->bursts_together;
}

static enum company bursts_company(const void *mine)
{
	const struct fec_uncorrectable *u = mine;

	if (u->often)
		return COMPANY_NONE;
	return u->together ? COMPANY_MANY : COMPANY_PERHAPS;
}

static enum severity bursts_judge(void *mine, const struct port_view *v)
{
	struct fec_uncorrectable *u = mine;
	unsigned n;

	/* What a former contact lost says nothing of this one. */
	if (front_reseated(v->front))
		bursts_start(u, v->facts);
	if (v->ber->is_bare)
		return frames_judge(u, v);
	if (v->ber->closed)
		window_take(u, v->ber, v->ber->t, ber_is_of_line(v->ber) ?
			    ber_host_lost(v->ber) : ber_lost_in_bursts(v->ber));
	together_follow(u, v);
	n = windows_of_late(u, v->front->t);
	u->severity = n >= WINDOWS_LEAST ? SEVERITY_WATCH : SEVERITY_NONE;
	if (n > 0 && is_allowed(u, v))
		return u->severity;
	if (n >= WINDOWS_AGAIN)
		u->severity = SEVERITY_CRITICAL;
	else if (n > 0 && u->count >= LOST_WARN)
		u->severity = SEVERITY_WARN;
	return u->severity;
}

/* A checksum may also be wrong because a switch passed on a frame before it
 * had checked it.
 */
static void frames_describe(const struct fec_uncorrectable *u,
			    const struct port_view *v, struct finding *f)
{
	bool checksums = ber_counts_checksums(v->ber);

	f->action = ACTION_CLEAN_NEAR;
	f->cause_id = CAUSE_FRAME_CHECKSUMS;
	f->drain = u->severity >= SEVERITY_WARN ? DRAIN_ADVISE : DRAIN_NONE;
	f->confidence = checksums ? 0.8f : 0.6f;
	(void)snprintf(f->cause, sizeof(f->cause), "%.0f received frames had "
		       "errors (wrong checksum%s); %s", u->count,
		       checksums ? "" : " or length",
		       v->facts->fec == FEC_FC ?
		       "FC-FEC could not correct them" :
		       "the port has no FEC, so each bit error loses a frame");
	evidence_add(f, "frame_errors", u->count);
	if (u->sent > 0)
		evidence_add(f, "frame_errors_per_bit_log10",
			     log10((u->count + .5) / u->sent));
}

/* One module's contact does not do that, nor one link. */
static void together_describe(const struct fec_uncorrectable *u,
			      struct finding *f)
{
	f->end = END_NEAR;
	f->action = ACTION_OBSERVE;
	f->cause_id = CAUSE_BURSTS_TOGETHER;
	(void)snprintf(f->cause, sizeof(f->cause), "%u ports lost codewords in "
		       "bursts at the same moments, this one %.0f: power, a "
		       "clock or a disturbance that they share",
		       u->together, u->count);
	evidence_add(f, "ports_together", u->together);
}

static void bursts_describe(const void *mine, const struct port_view *v,
			    struct finding *f)
{
	const struct fec_uncorrectable *u = mine;
	unsigned n = windows_of_late(u, v->front->t);
	struct loss_share lost;

	f->end = END_PATH;
	f->onset = n > 0 ? u->lost[KEPT - n] : v->front->t;
	if (v->ber->is_bare) {
		frames_describe(u, v, f);
		return;
	}
	f->action = ACTION_RESEAT_NEAR;
	f->cause_id = CAUSE_ERROR_BURSTS;
	f->drain = DRAIN_ADVISE;
	f->confidence = 0.8f;
	(void)snprintf(f->cause, sizeof(f->cause), "%.0f codewords were lost%s",
		       u->count, ber_is_of_line(v->ber) ? " between the switch "
		       "and the module, whose line has no part in it" :
		       ", although the error ratio is far too low for that: "
		       "bursts");
	if (u->together && !ber_is_of_line(v->ber))
		together_describe(u, f);
	evidence_add(f, "uncorrectable_codewords", u->count);
	if (u->sent > 0)
		evidence_add(f, "codeword_loss_log10",
			     log10((u->count + .5) / u->sent));
	if (ber_is_of_line(v->ber)) {
		f->end = END_NEAR;
		return;
	}
	evidence_add(f, "pre_fec_ber_log10", v->ber->log_ber);
	histogram_loss(&v->ber->histogram, v->ber->code, v->ber->log_ber,
		       fec_interleave(v->facts->speed_mbps), &lost);
	evidence_add(f, "frame_loss_log10", lost.mid);
	evidence_add(f, "frame_loss_low_log10", lost.low);
	evidence_add(f, "frame_loss_high_log10", lost.high);
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (fec_code_find(facts->fec) || facts->fec == FEC_AUTO ||
	    ber_is_bare(facts))
		return true;
	*ret_why = "no Reed-Solomon FEC on this port: no errors are counted";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "no counter of corrected bits, symbols or codewords "
	  "at a known line rate was read", "FEC counters of the port",
	  NEED_OF_FEC },
	{ NEED_LOST, true, "uncorrectable codewords are not read",
	  "FEC counters of the port", NEED_OF_FEC },
	{ NEED_LOST, true, "the port has no Reed-Solomon FEC, and received "
	  "frames with errors are not read", "counters of the port's frames, octets and "
	  "errors", NEED_OF_BARE },
	/* It never is, without FEC. */
	{ NEED_BER, false, "the port has no Reed-Solomon FEC: errors are seen "
	  "only in received frames that they damage", "FEC at both ends",
	  NEED_OF_BARE },
};

static const struct kept_field fec_uncorrectable_fields[] = {
	KEEP_ALL(struct fec_uncorrectable, lost),
	KEEP_TO(struct fec_uncorrectable, count, 1e20),
	KEEP_TO(struct fec_uncorrectable, sent, 1e20),
	KEEP_TO(struct fec_uncorrectable, severity, SEVERITY_COUNT - 1),
	KEEP(struct fec_uncorrectable, together),
	KEEP(struct fec_uncorrectable, often),
};

static const struct kept fec_uncorrectable_kept =
	KEPT_TABLE(struct fec_uncorrectable, "fec_uncorrectable",
		   fec_uncorrectable_fields);

const struct detector fec_uncorrectable_detector = {
	.signature = SIGNATURE_FEC_UNCORRECTABLE,
	.state_size = sizeof(struct fec_uncorrectable),
	.kept = &fec_uncorrectable_kept,
	.hold_ns = 1800 * NS_PER_S,
	.of_link = true,
	.of_module = true,
	.of_bursts = true,
	.wakes = WAKE_WINDOW | WAKE_LINK,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.start = bursts_start,
	.judge = bursts_judge,
	.describe = bursts_describe,
	.company = bursts_company,
};

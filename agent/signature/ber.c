#include "agent/signature/ber.h"

#include <math.h>
#include <string.h>

#include "agent/signature/kept.h"

#define SOURCE_MISSED_MAX 30	/* readings without the source: take another */
#define BER_MAX 0.02		/* above, the counter is wrong */
#define GAUGE_MAX 0.05		/* coherent codes correct 0.02 */
#define BER_MIN 1e-18
#define COUNTED_MOST 1e20	/* in a window; more in memory is refused */
#define CLIP 0.5		/* decades: one window moves no further */
#define LEARN_SUSPECT 0.125	/* of the usual speed while something is up */
#define LEARN_PATIENCE_NS (21600 * NS_PER_S)
#define ANCHOR_OUTAGE_NS (60 * NS_PER_S)
#define ANCHOR_WINDOWS 6
#define ANCHOR_MAX 1.0		/* decades */
#define ANCHOR_LITTLE 0.35	/* so few are no harm nearer to that level */
#define ANCHOR_LEAST 0.4
#define STEP_DECADES 0.5f	/* in one window: a step */
#define REFUSED_LEAST 0.3f	/* decades; with light that is worse too */
#define ANCHOR_MARGIN 1.5	/* decades below the last safe level */
#define CODEWORD_RATIO_MIN 0.2	/* of the line's; below, a wrong histogram */
#define CODEWORD_RATIO_MAX 1.5
#define SHAKEN_FALLS 3		/* and no settled window: more will come */

/* Alarms on a shift of three sd for eight windows; see trend.h. */
static const struct cusum_rule cusum_rule = { .drift = 1.5f, .level = 12,
					      .low = -3, .high = 6 };

/* One false alarm a port-year at 1 Hz over 512 ports (ln). */
#define ECOUNT_LEVEL 23.5
#define ECOUNT_ADMIT 0.3	/* decades of shift that are benign */
#define ECOUNT_SURE 0.001	/* decades; more than rounding */
#define ECOUNT_SHAPE 20.0	/* counts spread by 1/f: negative binomial */

/* Each reading runs these: they are not worth a call. */
#define INLINED static inline __attribute__((always_inline))

/* Bits wrong in a symbol, with random errors: slightly over one. */
#define BITS_PER_SYMBOL 1.05

static void change_forget(struct ber *b)
{
	memset(&b->cusum, 0, sizeof(b->cusum));
	memset(&b->ecount, 0, sizeof(b->ecount));
	b->cusum.since.ns = b->since.ns = INT64_MIN;
	b->loud = b->stepped = false;
}

void ber_relearn(struct ber *b)
{
	baseline_start(&b->baseline);
	histogram_start(&b->histogram);
	change_forget(b);
	b->proven_c = NAN;
	b->windows = 0;
	b->anchor_left = 0;
	b->sum_errors = b->sum_codewords = b->sum_lost = 0;
	b->sum_ns = 0;
	b->sum_shaken = false;
}

void ber_accept(struct ber *b, double log_ber)
{
	b->baseline.mean = (float)log_ber;
	change_forget(b);
}

void ber_counters_cleared(struct ber *b)
{
	b->stood = 0;
	b->stood_ns = 0;
	counter_start(&b->errors);
	counter_start(&b->lost);
	counter_start(&b->clean);
	counter_start(&b->corrected);
	histogram_restart(&b->histogram);
}

void ber_start(struct ber *b, const struct port_facts *facts)
{
	memset(b, 0, sizeof(*b));
	b->host = fec_code_find(facts->fec);
	if (b->host || facts->fec == FEC_NONE)
		b->line = fec_code_of_line(facts->media);
	b->code = b->host ? b->host : b->line;
	b->is_bare = ber_is_bare(facts);
	if (b->host)
		b->codewords_per_s = (double)facts->speed_mbps * 1e6 *
				     b->host->line_ratio /
				     fec_codeword_bits(b->host);
	b->t.ns = INT64_MIN;
	b->source = BER_SOURCE_COUNT;
	b->gap = BER_NEVER_MOVED;
	ber_counters_cleared(b);
	ber_relearn(b);
}

bool ber_loss_is_of_bursts(const struct ber *b)
{
	double most = fec_log_ber_most(b->log_ber, b->code);

	return !b->by_chance &&
	       (most <= b->code->safe_log_ber ||
		!fec_explains(b->code, most, b->codewords,
			      b->lost_codewords));
}

static bool source_there(enum ber_source s, const struct inputs *k)
{
	static const enum input feature[BER_SOURCE_COUNT] = {
		[BER_FROM_BITS] = INPUT_FEC_CORRECTED_BITS,
		[BER_FROM_SYMBOLS] = INPUT_FEC_SYMBOL_ERRORS,
		[BER_FROM_CODEWORDS] = INPUT_FEC_CORRECTED_CW,
		[BER_FROM_MODULE] = INPUT_VDM_BER_E18,
	};

	return inputs_has(k, feature[s]);
}

/* The gauge of a coherent line comes with the module's readings. */
static bool has_line(const struct ber *b, const struct inputs *k)
{
	return b->line && (source_there(BER_FROM_MODULE, k) ||
			   (b->source == BER_FROM_MODULE && !k->dom_new));
}

/* Best first. */
static int rank_of(const struct ber *b, enum ber_source s)
{
	return s == BER_FROM_MODULE && b->line ? -1 : (int)s;
}

static const struct fec_code *code_of(const struct ber *b, enum ber_source s)
{
	return s == BER_FROM_MODULE && b->line ? b->line : b->host;
}

/* s: the best source that may be there. */
static __attribute__((noinline)) bool source_change(struct ber *b,
						    const struct inputs *k,
						    enum ber_source s)
{
	while (s < BER_SOURCE_COUNT && !source_there(s, k))
		s++;
	if (s == BER_SOURCE_COUNT)
		return false;
	if (rank_of(b, s) > rank_of(b, b->source) &&
	    ++b->source_missed < SOURCE_MISSED_MAX)
		return false;
	b->code = code_of(b, s);
	if (s != b->source) {
		ber_counters_cleared(b);
		if (b->source != BER_SOURCE_COUNT)
			ber_relearn(b);
		b->source = s;
	}
	b->source_missed = 0;
	return true;
}

/* Keeps to one source: another counts a little differently. A better one is
 * taken at once, a worse one only when the present one is gone for good.
 */
static bool source_choose(struct ber *b, const struct inputs *k)
{
	enum ber_source s = b->host && !has_line(b, k) ? BER_FROM_BITS :
							 BER_FROM_MODULE;

	if (s != b->source || !source_there(s, k))
		return source_change(b, k, s);
	b->code = code_of(b, s);
	b->source_missed = 0;
	return true;
}

/* All counters were read at one time and went on, as before. */
INLINED bool all_go_on(const struct ber *b, const struct inputs *k)
{
	const int64_t *at = k->taken_ns, *value = k->value;
	int64_t apart_ns = (at[INPUT_FEC_CORRECTED_CW] ^
			    at[INPUT_FEC_UNCORRECTABLE_CW]) |
			   (at[INPUT_FEC_CORRECTED_CW] ^
			    at[INPUT_FEC_CORRECTED_BITS]) |
			   (at[INPUT_FEC_CORRECTED_CW] ^ at[INPUT_FEC_BIN]);

	return b->source == BER_FROM_BITS && apart_ns == 0 &&
	       !(b->stood | b->alike | b->unsure) &&
	       (uint64_t)value[INPUT_FEC_BIN] > b->clean.last &&
	       inputs_has_all(k, INPUT_FEC_CORRECTED_CW, 2) &&
	       inputs_has_all(k, INPUT_FEC_CORRECTED_BITS, 2) &&
	       counter_goes_on(&b->errors, value[INPUT_FEC_CORRECTED_BITS]) &&
	       counter_goes_on(&b->lost, value[INPUT_FEC_UNCORRECTABLE_CW]) &&
	       counter_goes_on(&b->clean, value[INPUT_FEC_BIN]) &&
	       counter_goes_on(&b->corrected, value[INPUT_FEC_CORRECTED_CW]);
}

/* The usual case: the source is the best one and was there before, nothing is
 * unusual, and no codeword was lost.
 */
INLINED bool is_usual(const struct ber *b, const struct front *f,
		      const struct inputs *k)
{
	uint64_t lost = (uint64_t)k->value[INPUT_FEC_UNCORRECTABLE_CW];

	return b->code && b->code == b->host && !b->line &&
	       !(b->stalled | b->source_missed | b->is_bare | f->rose) &&
	       !f->drops &&
	       lost == b->lost.last && all_go_on(b, k);
}

/* loses: codewords may have been lost. */
INLINED struct steps steps_of_all(struct ber *b, const struct inputs *k,
				  bool loses)
{
	const int64_t *value = k->value;
	struct mono t = inputs_taken(k, INPUT_FEC_CORRECTED_BITS);
	struct steps s = { .stepped = true, .has_clean = true };

	s.dt_ns = mono_diff_ns(t, b->errors.t);
	s.errors = counter_step_to(&b->errors,
				   value[INPUT_FEC_CORRECTED_BITS], t);
	s.lost = counter_step_to(&b->lost,
				 value[INPUT_FEC_UNCORRECTABLE_CW], t);
	if (!loses)
		s.lost = 0;
	s.clean = counter_step_to(&b->clean, value[INPUT_FEC_BIN], t);
	s.corrected = counter_step_to(&b->corrected,
				      value[INPUT_FEC_CORRECTED_CW], t);
	return s;
}

/* Codewords in the interval: counted where the histogram is plausible, else
 * from time and the line's rate; 0 when neither is known.
 */
INLINED double codewords_of(const struct ber *b, const struct front *f,
			    struct steps s)
{
	double line = steps_of_line(b, s.dt_ns);
	double own = s.stood_ns ? steps_of_line(b, s.dt_ns - s.stood_ns) :
				  line;
	double sum = s.clean + s.corrected;

	if (s.has_clean && sum > 0 &&
	    (line <= 0 || (sum < CODEWORD_RATIO_MAX * line &&
			   sum > CODEWORD_RATIO_MIN * own)))
		return sum;
	return steps_time_is_sound(f) && !s.unsure ? line : 0;
}

/* Errors as bits; from codewords with errors by Poisson's law. */
static double bits_of(enum ber_source source, double errors, double codewords)
{
	double share;

	switch (source) {
	case BER_FROM_BITS:
		return errors;
	case BER_FROM_SYMBOLS:
		return errors * BITS_PER_SYMBOL;
	default:
		share = errors / codewords;
		return share < 0.999 ? -log(1 - share) * codewords
				     : 7 * codewords;
	}
}

/* A link that falls before any window is settled has no other measure than what
 * it counts around the falls. No window has such intervals and settled ones.
 * Returns whether this one is of any.
 */
static __attribute__((noinline)) bool shaken_take(struct ber *b,
						  const struct front *f,
						  bool settled)
{
	if (b->sum_shaken == settled) {
		steps_restart(b);
		b->sum_shaken = !settled;
	}
	return settled || (b->falls > 0 && f->link == LINK_IS_UP);
}

/* Adds the interval of a reading to the window; false when it is unusable. The
 * errors in what was corrected may make as many losses by chance: the mean of
 * the window says less where they stepped up in it.
 */
INLINED bool steps_add(struct ber *b, enum ber_source source,
		       const struct front *f, struct steps s)
{
	double codewords = codewords_of(b, f, s), bits;
	bool settled = front_settled_for(f, s.dt_ns);

	if (!s.stepped || b->stalled || codewords <= 0 ||
	    ((!settled || b->sum_shaken) && !shaken_take(b, f, settled))) {
		b->stalled = false;
		return false;
	}
	codewords += s.lost;
	bits = bits_of(source, s.errors, codewords);
	if (s.lost > 0) {
		b->sum_bursty |= !fec_explains(b->code,
			fec_log_ber_most(fec_log10(bits / (codewords *
				fec_codeword_bits(b->code))), b->code),
			codewords, s.lost);
		bits += s.lost * (b->code->correctable + 1);
	}
	if (bits > BER_MAX * codewords * fec_codeword_bits(b->code))
		return false;
	b->sum_errors += bits;
	b->sum_codewords += codewords;
	b->sum_lost += s.lost;
	b->sum_ns += s.dt_ns;
	return true;
}

static bool window_add(struct ber *b, const struct front *f,
		       const struct inputs *k)
{
	struct steps s;

	if (all_go_on(b, k))
		return steps_add(b, b->source, f, steps_of_all(b, k, true));
	if (!steps_take(b, f, k, &s))
		return true;
	if (s.anew)
		ber_relearn(b);
	return steps_add(b, b->source, f, s);
}

static void window_close(struct ber *b, struct mono t)
{
	double sent = b->sum_codewords * fec_codeword_bits(b->code);

	b->t = t;
	b->bits = b->sum_errors;
	b->log_ber = fec_log10((b->sum_errors + 0.5) / sent);
	b->window_ns = b->sum_ns;
	b->codewords = b->sum_codewords;
	b->lost_codewords = b->sum_lost;
	b->by_chance = b->sum_lost > 0 && !b->sum_bursty;
	steps_restart(b);
}

/* The histogram takes the same window. */
static void histogram_follow(struct ber *b, const struct inputs *k,
			     bool wanted)
{
	struct fec_counts w;	/* of which it takes no bins */

	w.seconds = (double)b->window_ns / 1e9;
	w.sent = b->codewords;
	w.lost = b->lost_codewords;
	w.bits = b->bits;
	histogram_take(&b->histogram, b->code, &w, k, wanted);
}

/* A gauge shows 0 until it has measured; a line that has errors at all has some
 * always, so no baseline begins from it.
 */
static bool gauge_is_read(const struct ber *b, double ber)
{
	return ber > 0 || (ber_learned(b) && ber >= 0);
}

/* Where the line ends in the module, the switch's own FEC is that of the way
 * between the two: of its codewords those that are lost are counted.
 */
static void host_add(struct ber *b, const struct front *f,
		     const struct inputs *k)
{
	struct mono before = b->lost.t;
	bool sound = !b->stalled && front_settled(f);
	double lost;

	b->stalled = false;
	if (!b->host || !steps_of(b, &b->lost, k, INPUT_FEC_UNCORRECTABLE_CW,
				 &lost) || !sound)
		return;
	b->sum_lost += lost;
	b->sum_codewords += b->codewords_per_s *
			    (double)mono_diff_ns(b->lost.t, before) / 1e9;
}

/* The module's gauge: each reading is a window. */
static bool window_gauge(struct ber *b, const struct front *f,
			 const struct inputs *k)
{
	double ber = (double)k->value[INPUT_VDM_BER_E18] * 1e-18;

	host_add(b, f, k);
	if (!f->dom_good || !front_settled(f) || ber > GAUGE_MAX ||
	    !gauge_is_read(b, ber))
		return false;
	b->window_ns = b->t.ns == INT64_MIN ? BER_WINDOW_NS
					    : mono_diff_ns(k->t, b->t);
	b->t = k->t;
	b->log_ber = fec_log10(ber > BER_MIN ? ber : BER_MIN);
	b->bits = 100;		/* the gauge's noise is not known */
	b->codewords = b->lost_codewords = 0;
	return true;
}

/* What was corrected around the falls has as many errors as take a link down.
 * Fewer say nothing: those of a fall are among them.
 */
static bool shaken_tells(const struct ber *b)
{
	double sent = b->sum_codewords * fec_codeword_bits(b->code);
	double corrected = b->sum_errors -
			   b->sum_lost * (b->code->correctable + 1);

	return fec_log10(corrected / sent) >
	       b->code->safe_log_ber - BER_QUIET_DECADES;
}

/* added: the interval was usable. Returns true when the window is full. */
static bool window_goes_on(struct ber *b, bool added)
{
	if (!added) {
		steps_restart(b);
		histogram_restart(&b->histogram);
	}
	if (b->sum_ns < BER_WINDOW_NS - BER_WINDOW_NS / 20)
		return false;
	b->calm = b->sum_shaken && !shaken_tells(b);
	if (!b->calm && (!b->sum_shaken || b->falls >= SHAKEN_FALLS))
		return true;
	steps_restart(b);
	return false;
}

/* Returns true when a window is full, or a reading is one. */
static bool window_take(struct ber *b, const struct front *f,
			const struct inputs *k)
{
	return b->source == BER_FROM_MODULE ? window_gauge(b, f, k) :
	       window_goes_on(b, window_add(b, f, k));
}

/* Tests the counts against normal at this temperature plus 0.3 decades. */
static void ecount_judge(struct ber *b)
{
	double normal = b->log_ber - b->residual.excess, expected;
	double over = normal + b->residual.slack + ECOUNT_ADMIT - b->log_ber;

	/* The usual window: no more than expected, and no evidence yet. */
	b->stepped = false;
	if (over > ECOUNT_SURE && ecount_is_empty(&b->ecount))
		return;
	expected = (b->bits + 0.5) * fec_exp10(over);
	b->stepped = ecount_take(&b->ecount, b->bits, expected,
				 ECOUNT_SHAPE) > ECOUNT_LEVEL;
}

/* The errors grew while the link was down, when no window closed. */
static void anchor_refuse(struct ber *b, const struct front *f, float shift)
{
	b->rise_from = f->turned_at;
	b->rise = shift;
	if (b->cusum.sum <= 0)
		b->cusum.since = f->turned_at;
}

/* After an outage another plug or another far end may have moved the level a
 * little. More errors are accepted when they stay far from harm; else it is a
 * change like any other, and the residual shows it. Fewer errors are learned
 * slowly as always: expecting them at once would make the old level a fault.
 */
static void anchor(struct ber *b, const struct front *f)
{
	double left = b->code->safe_log_ber - b->log_ber, shift;

	b->anchor_sum += (float)b->residual.excess;
	if (--b->anchor_left > 0)
		return;
	shift = b->anchor_sum / ANCHOR_WINDOWS;
	b->accepted = shift <= 0 ||
		      (shift < ANCHOR_MAX && left > ANCHOR_MARGIN) ||
		      (shift < ANCHOR_LITTLE && left > ANCHOR_LEAST);
	if (b->accepted && shift > 0) {
		b->baseline.mean += (float)shift;
		b->anchored = (float)shift;
	}
	if (!b->accepted)
		anchor_refuse(b, f, (float)shift);
}

void ber_refuse(struct ber *b, const struct front *f)
{
	if (b->anchored < REFUSED_LEAST)
		return;
	b->baseline.mean -= b->anchored;
	anchor_refuse(b, f, b->anchored);
	b->anchored = 0;
	b->accepted = false;
}

void ber_mended(struct ber *b)
{
	b->anchor_left = ber_learned(b) ? ANCHOR_WINDOWS : 0;
	b->anchor_sum = 0;
}

static void anchor_begin(struct ber *b, const struct front *f, bool frozen)
{
	/* The link fell some time after the reading before down_since. */
	int64_t most_ns = mono_diff_ns(f->t, f->down_since) + f->period_ns;

	if (frozen || !ber_learned(b) || b->loud ||
	    most_ns < ANCHOR_OUTAGE_NS)
		return;
	ber_mended(b);
}

/* Noise may keep the CUSUM above 0 for long before a step. */
static void since_follow(struct ber *b, double before)
{
	float excess = (float)b->residual.excess;
	float rise = excess - (float)before;

	if (b->cusum.sum <= 0)
		b->rise = 0;
	if (rise > b->rise) {
		b->rise = rise;
		b->rise_from.ns = b->t.ns - b->window_ns;
	}
	b->since = b->rise > STEP_DECADES && 2 * b->rise > excess ?
		   b->rise_from : b->cusum.since;
}

/* before: the excess of the last window. */
static void judge(struct ber *b, double before)
{
	b->loud = cusum_take(&b->cusum, &cusum_rule,
			     b->residual.excess / b->residual.sd, b->t);
	since_follow(b, before);
	ecount_judge(b);
}

static void learn(struct ber *b, double temp_c, bool frozen)
{
	double rate = 1, seconds = (double)b->window_ns / 1e9;

	if (frozen)
		return;
	if (b->cusum.sum > cusum_rule.level / 3 && ber_learned(b))
		rate = b->since.ns != INT64_MIN &&
		       b->t.ns - b->since.ns > LEARN_PATIENCE_NS ?
		       LEARN_SUSPECT : 0;
	if (rate > 0)
		baseline_learn(&b->baseline, b->log_ber, temp_c,
			       seconds < 600 ? seconds : 600, CLIP, rate);
	b->windows += b->windows < BER_LEARN_WINDOWS;
}

/* A window around falls is no measure of what is normal, nor of bursts. */
static void window_close_shaken(struct ber *b, struct mono t)
{
	window_close(b, t);
	b->by_chance = true;
	histogram_restart(&b->histogram);
}

/* The module was read in the window, too. */
static void proven_note(struct ber *b, const struct front *f, double temp_c)
{
	if (b->residual.excess < BER_PROVEN &&
	    mono_diff_ns(b->t, f->dom_t) < b->window_ns)
		b->proven_c = fmaxf(b->proven_c, (float)temp_c);
}

/* The window that this reading ends, against what is normal. */
static __attribute__((noinline)) void window_end(struct ber *b,
						 const struct front *f,
						 const struct inputs *k,
						 bool frozen)
{
	double before = b->residual.excess, temp_c = front_temp_c(f);

	if (b->sum_shaken) {
		window_close_shaken(b, k->t);
		frozen = true;
	} else if (b->source != BER_FROM_MODULE) {
		window_close(b, k->t);
		histogram_follow(b, k, frozen);
	}
	b->falls = b->sum_shaken ? b->falls : 0;
	b->closed = true;
	baseline_residual(&b->baseline, b->log_ber, temp_c, b->bits,
			  &b->residual);
	if (b->anchor_left > 0) {
		anchor(b, f);
		return;
	}
	proven_note(b, f, temp_c);
	if (ber_learned(b))
		judge(b, before);
	learn(b, temp_c, frozen);
	if (!frozen && front_warms_up(f))
		baseline_shorten(&b->baseline);
}

/* Any reading; apart from the usual ones, which make no call. */
static __attribute__((noinline)) void ber_take_any(struct ber *b,
						   const struct front *f,
						   const struct inputs *k,
						   bool frozen)
{
	if (b->is_bare)
		steps_take_frames(b, f, k);
	if (f->drops)
		b->falls = (uint8_t)((int)f->drops < SHAKEN_FALLS - b->falls ?
				     b->falls + f->drops : SHAKEN_FALLS);
	if (f->rose)
		anchor_begin(b, f, frozen);
	if (b->code && source_choose(b, k) && window_take(b, f, k))
		window_end(b, f, k, frozen);
}

void ber_take(struct ber *b, const struct front *f, const struct inputs *k,
	      bool frozen)
{
	if (b->closed && b->source == BER_FROM_MODULE)
		steps_restart(b);
	b->closed = b->restarted = b->accepted = b->frames_closed = false;
	b->anchored = 0;
	b->stalled |= k->time_unknown;
	if (!is_usual(b, f, k))
		ber_take_any(b, f, k, frozen);
	else if (window_goes_on(b, steps_add(b, BER_FROM_BITS, f,
					     steps_of_all(b, k, false))))
		window_end(b, f, k, frozen);
}

static const struct kept_field ber_fields[] = {
	KEEP_NOT(struct ber, code, "the source says it"),
	KEEP_NOT(struct ber, host, "the facts say it"),
	KEEP_NOT(struct ber, line, "the facts say it"),
	KEEP_NOT(struct ber, codewords_per_s, "the facts say it"),
	KEEP(struct ber, closed),
	KEEP_OPT(struct ber, t),
	KEEP_TO(struct ber, log_ber, 40),
	KEEP_TO(struct ber, bits, COUNTED_MOST),
	KEEP_TO(struct ber, codewords, COUNTED_MOST),
	KEEP_TO(struct ber, lost_codewords, COUNTED_MOST),
	KEEP(struct ber, window_ns),
	KEEP_PART(struct ber, residual, residual_kept),
	KEEP(struct ber, loud),
	KEEP(struct ber, stepped),
	KEEP_NOT(struct ber, restarted, "of the last reading alone"),
	KEEP_NOT(struct ber, anchored, "of the last window alone"),
	KEEP_NOT(struct ber, accepted, "of the last window alone"),
	KEEP_OPT(struct ber, since),
	KEEP_TO(struct ber, source, BER_SOURCE_COUNT),
	KEEP(struct ber, source_missed),
	KEEP_TO(struct ber, windows, BER_LEARN_WINDOWS),
	KEEP_PART(struct ber, errors, counter_kept),
	KEEP_PART(struct ber, lost, counter_kept),
	KEEP_PART(struct ber, clean, counter_kept),
	KEEP_PART(struct ber, corrected, counter_kept),
	KEEP(struct ber, stalled),
	KEEP_TO(struct ber, sum_errors, COUNTED_MOST),
	KEEP_TO(struct ber, sum_codewords, COUNTED_MOST),
	KEEP_TO(struct ber, sum_lost, COUNTED_MOST),
	KEEP(struct ber, sum_ns),
	KEEP(struct ber, stood_ns),
	KEEP(struct ber, stood),
	KEEP(struct ber, gap),
	KEEP_TO(struct ber, alike, STEPS_ALIKE),
	KEEP(struct ber, unsure),
	KEEP_PART(struct ber, baseline, baseline_kept),
	KEEP_NOT(struct ber, histogram, "its intervals are short"),
	KEEP_PART(struct ber, cusum, cusum_kept),
	KEEP(struct ber, rise),
	KEEP_OPT(struct ber, proven_c),
	KEEP(struct ber, rise_from),
	KEEP_PART(struct ber, ecount, ecount_kept),
	KEEP_TO(struct ber, anchor_left, ANCHOR_WINDOWS),
	KEEP(struct ber, anchor_sum),
	KEEP_NOT(struct ber, is_bare, "the facts say it"),
	KEEP_NOT(struct ber, frames_closed, "of the last reading alone"),
	KEEP(struct ber, sum_bursty),
	KEEP(struct ber, by_chance),
	KEEP(struct ber, sum_shaken),
	KEEP(struct ber, calm),
	KEEP_TO(struct ber, falls, SHAKEN_FALLS),
};

const struct kept ber_kept =
	KEPT_TABLE(struct ber, "ber", ber_fields);

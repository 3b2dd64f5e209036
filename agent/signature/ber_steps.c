/* What the error counters of a port counted in an interval: from one change of
 * them to the next, however often their source is read in between; and windows
 * of frames, where no FEC counts.
 *
 * A source that reads its counters less often than it is polled shows the same
 * again and again, and then the errors of all that time. Counters that stand
 * are no reading of zero errors where codewords, or that many errors, must have
 * come; the interval goes on until they move.
 */
#include "agent/signature/ber.h"

#define STANDS_MOST 32	/* readings; a source is polled so much faster than it
			 * reads its counters, at most */
#define MANY 20.0	/* errors; none instead is no chance: 1 in 10^6, where
			 * their spread is that of ECOUNT_SHAPE in ber.c */

bool steps_of(struct ber *b, struct counter *c, const struct inputs *k,
	      enum input f, double *ret)
{
	enum counter_change change;
	uint64_t step;
	int64_t dt_ns;

	*ret = 0;
	if (!inputs_has(k, f))
		return false;
	change = counter_take(c, (uint64_t)k->value[f], inputs_taken(k, f),
			      &step, &dt_ns);
	b->restarted |= change == COUNTER_RESTART;
	if (!counter_stepped(change))
		return false;
	*ret = (double)step;
	return true;
}

/* Counters that did not move were not read since, where so many errors come in
 * that time, or codewords: a link that is up has those, with errors or without.
 */
static bool is_unread(const struct ber *b, const struct steps *s)
{
	double sent = steps_of_line(b, s->dt_ns) * fec_codeword_bits(b->code);

	if (s->has_clean && b->clean.last > 0)
		return true;
	return b->gap != BER_NEVER_MOVED && b->stood < STANDS_MOST &&
	       (b->alike == STEPS_ALIKE ||
		fec_exp10(b->baseline.mean) * sent > MANY);	/* 0 at first */
}

/* No counter moved: true where they were not read, as the interval goes on.
 * While the link is down they stand anyway.
 */
static bool stands_on(struct ber *b, const struct front *f, bool unread,
		      struct steps *s)
{
	b->stood += front_settled(f) && b->stood < BER_NEVER_MOVED - 1;
	if (unread) {
		b->stood_ns += s->dt_ns;
		b->stalled |= !steps_time_is_sound(f);
		return true;
	}
	s->dt_ns += b->stood_ns;
	b->stood_ns = 0;
	return false;
}

/* The first reading, or they began anew. */
static void begin(struct ber *b)
{
	b->unsure |= b->gap && !b->restarted;
	b->stood_ns = 0;
}

/* They move, and the interval ends that began when they last did. Where that is
 * not known, as at first, it may be longer than it seems.
 */
static void move(struct ber *b, struct steps *s)
{
	bool many = s->errors >= MANY, is_first = b->gap == BER_NEVER_MOVED;
	bool lately = b->stood <= STANDS_MOST;
	int more = b->stood - b->gap;

	s->anew = is_first && many && b->stood && lately;
	s->unsure = b->unsure && lately;
	s->stood_ns = b->stood_ns;
	s->dt_ns += b->stood_ns;
	if (is_first || many) {
		if (!b->stood || more < -1 || more > 1)
			b->alike = 0;
		else
			b->alike += b->alike < STEPS_ALIKE;
		b->gap = b->stood;
	}
	b->stood_ns = 0;
	b->stood = 0;
	b->unsure = false;
}

bool steps_take(struct ber *b, const struct front *f, const struct inputs *k,
		struct steps *s)
{
	static const enum input feature[] = {
		[BER_FROM_BITS] = INPUT_FEC_CORRECTED_BITS,
		[BER_FROM_SYMBOLS] = INPUT_FEC_SYMBOL_ERRORS,
		[BER_FROM_CODEWORDS] = INPUT_FEC_CORRECTED_CW,
	};
	struct mono before = b->errors.t;

	*s = (struct steps){ .dt_ns = 0 };
	s->stepped = steps_of(b, &b->errors, k, feature[b->source],
			      &s->errors);
	s->dt_ns = mono_diff_ns(inputs_taken(k, feature[b->source]), before);
	/* Uncorrectable codewords have more wrong symbols than the code can
	 * correct: without them, the worst windows would look the best.
	 */
	(void)steps_of(b, &b->lost, k, INPUT_FEC_UNCORRECTABLE_CW, &s->lost);
	s->has_clean = steps_of(b, &b->clean, k, INPUT_FEC_BIN, &s->clean);
	if (b->source != BER_FROM_CODEWORDS)
		(void)steps_of(b, &b->corrected, k, INPUT_FEC_CORRECTED_CW,
			       &s->corrected);	/* absent: nothing to add */
	/* When one counter restarts all do: the restart of a counter that is
	 * half full may look like a wrap.
	 */
	s->stepped &= !b->restarted;
	if (!s->stepped)
		begin(b);
	else if (s->errors + s->lost + s->clean + s->corrected > 0)
		move(b, s);
	else
		return !stands_on(b, f, is_unread(b, s), s);
	return true;
}

/* Steps of frames: octets are in clean. False while the interval goes on. */
static bool steps_of_frames(struct ber *b, const struct front *f,
			    const struct inputs *k, struct steps *s)
{
	struct mono before = b->clean.t;

	*s = (struct steps){ .dt_ns = 0 };
	s->stepped = steps_of(b, &b->lost, k, INPUT_FCS_ERRORS, &s->lost);
	s->stepped |= steps_of(b, &b->errors, k, INPUT_IN_ERRORS, &s->errors);
	s->stepped &= steps_of(b, &b->clean, k, INPUT_IN_OCTETS, &s->clean);
	s->stepped &= !b->restarted;
	s->dt_ns = mono_diff_ns(inputs_taken(k, INPUT_IN_OCTETS), before);
	if (!s->stepped)
		begin(b);
	else if (s->clean + s->lost + s->errors > 0)
		move(b, s);
	else
		return !stands_on(b, f, b->stood < STANDS_MOST, s);
	return true;
}

/* Adds the interval of a reading to a window of frames; false when it is
 * unusable: a link that came up a moment ago has some errors.
 */
static bool frames_add(struct ber *b, const struct front *f,
		       const struct inputs *k)
{
	struct steps s;

	if (!steps_of_frames(b, f, k, &s))
		return true;
	if (!s.stepped || b->stalled || !front_settled_for(f, s.dt_ns)) {
		b->stalled = false;
		return false;
	}
	b->sum_lost += s.lost;
	b->sum_errors += s.errors;
	b->sum_codewords += 8 * s.clean;
	b->sum_ns += s.dt_ns;
	return true;
}

void steps_take_frames(struct ber *b, const struct front *f,
		       const struct inputs *k)
{
	if (!inputs_has(k, INPUT_IN_OCTETS))
		return;
	if (!frames_add(b, f, k))
		steps_restart(b);
	if (b->sum_ns < BER_WINDOW_NS - BER_WINDOW_NS / 20)
		return;
	b->window_ns = b->sum_ns;
	b->codewords = b->sum_codewords;
	b->lost_codewords = ber_counts_checksums(b) ? b->sum_lost :
						      b->sum_errors;
	steps_restart(b);
	b->frames_closed = true;
}

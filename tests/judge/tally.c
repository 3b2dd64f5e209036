#include "tests/judge/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/finding.h"
#include "tests/judge/interval.h"
#include "tests/judge/match.h"

#define LOSS_LEAST_LOG10 (-10)
#define YEAR_DAYS 365.25
#define TRUST_LEAST 0.001		/* log loss of a certain error */

double tally_share(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* A list that a median is taken of; ends the program without memory. */
struct list {
	double *value;
	size_t count;
};

static struct list list_new(size_t cap)
{
	struct list l = { malloc((cap + 1) * sizeof(double)), 0 };

	if (!l.value)
		abort();
	return l;
}

static void list_add(struct list *l, double value)
{
	if (!isnan(value))
		l->value[l->count++] = value;
}

static double list_end(struct list *l, double p)
{
	double q = interval_quantile(l->value, l->count, p);

	free(l->value);
	return q;
}

/* How many times the low end the high one is; an end at 0 has no such. */
static double width_of(float low_s, float high_s)
{
	return low_s > 0 ? (double)(high_s / low_s) : INFINITY;
}

static bool is_one(int wanted, int value)
{
	return wanted == TALLY_ANY || wanted == value;
}

static bool at_fits(const struct tally_filter *f, const struct setting *at)
{
	return is_one(f->plant, at->plant) && is_one(f->pace, at->pace) &&
	       is_one(f->mix, at->mix) && is_one(f->hard, at->hard);
}

static bool word_fits(const char *wanted, const char *word)
{
	return !wanted || strcmp(wanted, word) == 0;
}

static bool law_fits(const struct tally_filter *f, const char *law)
{
	return f->law_other ? law[0] && !word_fits(f->law, law)
			    : word_fits(f->law, law);
}

/* Of queues, of jobs, or of what a switch is set to. */
static bool is_of_queues(unsigned signature)
{
	return signature >= SIGNATURE_MICROBURST &&
	       signature <= SIGNATURE_CONFIG_MISMATCH;
}

static bool fault_fits(const struct tally_filter *f, const struct fault_row *r)
{
	return at_fits(f, &r->at) && is_one(f->teller, r->teller) &&
	       is_one(f->signature, r->signature) && law_fits(f, r->law) &&
	       !(f->no_queues && (is_of_queues(r->signature) ||
				  is_of_queues(r->pair_with))) &&
	       word_fits(f->media, r->media);
}

bool tally_names_are_right(const struct fault_row *r)
{
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		if (r->names >> i & 1 && !match_is_symptom(i))
			return false;
	return true;
}

static void fault_count(const struct fault_row *r, struct tally_faults *t)
{
	bool named = r->signature != 0;

	t->n++;
	t->effects += r->has_effect;
	t->found += r->found;
	t->found_effect += r->found && r->has_effect;
	t->found_warn += r->found_warn;
	t->first_right += r->found && named && r->first_name == r->signature;
	t->last_right += r->found && named && r->last_name == r->signature;
	t->end_asked += r->end_asked;
	t->end_right += r->end_right;
	t->action_asked += r->action_asked;
	t->action_right += r->action_asked && r->action_right;
	t->cliffs += r->has_cliff;
	t->sudden += r->is_sudden;
	t->warned_before += r->has_cliff && r->lead_share > 0;
	t->foretold += r->has_cliff && r->foretold;
	t->answered += r->answered;
	t->covered += r->answered && r->low_s <= r->left_s &&
		      r->left_s <= r->high_s;
	t->pairs += r->is_pair;
	t->both_named += r->is_pair && r->both_named;
	t->third_named += r->is_pair && r->third_named;
	t->strange += !named;
	t->strange_found += !named && r->found;
	t->strange_right += !named && tally_names_are_right(r);
}

void tally_faults(const struct rows *r, const struct tally_filter *f,
		  struct tally_faults *ret)
{
	size_t cap = r->of[ROW_FAULT].count;
	struct list delay = list_new(cap), delay90 = list_new(cap);
	struct list warn = list_new(cap), warn90 = list_new(cap);
	struct list lead = list_new(cap), error = list_new(cap);
	struct list width = list_new(cap);
	const struct fault_row *row;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; (row = rows_get(r, ROW_FAULT, i)); i++) {
		if (!fault_fits(f, row))
			continue;
		fault_count(row, ret);
		list_add(&delay, (double)row->delay_s);
		list_add(&delay90, (double)row->delay_s);
		list_add(&warn, (double)row->delay_warn_s);
		list_add(&warn90, (double)row->delay_warn_s);
		if (row->has_cliff)	/* no warning: no life left */
			list_add(&lead, isnan(row->lead_share) ? 0 :
				 fmax(0, (double)row->lead_share));
		if (!row->answered)
			continue;
		list_add(&error, fabs((double)(row->mid_s - row->left_s)) /
			 (double)row->left_s);
		list_add(&width, width_of(row->low_s, row->high_s));
	}
	ret->delay_s = list_end(&delay, 0.5);
	ret->delay_p90_s = list_end(&delay90, 0.9);
	ret->delay_warn_s = list_end(&warn, 0.5);
	ret->delay_warn_p90_s = list_end(&warn90, 0.9);
	ret->lead_share = list_end(&lead, 0.5);
	ret->error = list_end(&error, 0.5);
	ret->width = list_end(&width, 0.5);
}

/* --- findings ------------------------------------------------------------ */

static bool finding_fits(const struct tally_filter *f,
			 const struct finding_row *r)
{
	return at_fits(f, &r->at) && is_one(f->teller, r->teller) &&
	       is_one(f->signature, r->last_name) &&
	       word_fits(f->media, r->media);
}

static double port_years(const struct rows *r, const struct tally_filter *f)
{
	const struct exposure_row *row;
	double s = 0;

	for (size_t i = 0; (row = rows_get(r, ROW_EXPOSURE, i)); i++)
		if (at_fits(f, &row->at) && word_fits(f->media, row->media))
			s += row->port_s;
	return s / (86400 * YEAR_DAYS);
}

void tally_findings(const struct rows *r, const struct tally_filter *f,
		    struct tally_findings *ret)
{
	const struct finding_row *row;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; (row = rows_get(r, ROW_FINDING, i)); i++) {
		bool warn = row->severity >= SEVERITY_WARN;

		if (!finding_fits(f, row))
			continue;
		ret->n++;
		ret->at_warn += warn;
		ret->name_right += warn && row->name_right;
		ret->fits += warn && row->fits;
		ret->renames += row->renames;
		ret->words += row->words;
		ret->alarms += row->is_false;
		ret->foretold += row->foretold;
		ret->due_missed += row->due && !row->came;
		ret->later_missed += row->due_later && !row->came_later;
	}
	ret->renames = tally_share(ret->renames, ret->n);
	ret->port_years = port_years(r, f);
	ret->words = tally_share(ret->words, ret->port_years * YEAR_DAYS);
	interval_poisson(ret->alarms, &ret->low, &ret->high);
	ret->rate = tally_share(ret->alarms, ret->port_years);
	ret->low = tally_share(ret->low, ret->port_years);
	ret->high = tally_share(ret->high, ret->port_years);
}

/* --- confidence ---------------------------------------------------------- */

struct bin {
	double n, told, right;
};

/* Neighbours are put together until each holds TALLY_POOL; what is left over
 * goes to the last.
 */
static unsigned bins_pool(struct bin bin[static TALLY_BINS])
{
	unsigned used = 0;

	for (unsigned i = 1; i < TALLY_BINS; i++) {
		if (bin[used].n >= TALLY_POOL)
			used++;
		if (used == i)
			continue;
		bin[used].n += bin[i].n;
		bin[used].told += bin[i].told;
		bin[used].right += bin[i].right;
		bin[i] = (struct bin){ 0 };
	}
	if (used && bin[used].n < TALLY_POOL) {
		bin[used - 1].n += bin[used].n;
		bin[used - 1].told += bin[used].told;
		bin[used - 1].right += bin[used].right;
		used--;
	}
	return used + 1;
}

static double log_loss_of(double p, bool right)
{
	return -log(right ? p : 1 - p);
}

void tally_trust_of(const double *told, const bool *right, size_t count,
		    struct tally_trust *ret)
{
	struct bin bin[TALLY_BINS] = { 0 };
	unsigned used;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < count; i++) {
		double p = fmin(fmax(told[i], TRUST_LEAST), 1 - TRUST_LEAST);
		struct bin *b = &bin[(int)(p * TALLY_BINS)];

		b->n++;
		b->told += told[i];
		b->right += right[i];
		ret->base_rate += right[i];
		ret->log_loss += log_loss_of(p, right[i]);
		ret->brier += (told[i] - right[i]) * (told[i] - right[i]);
	}
	used = bins_pool(bin);
	for (unsigned i = 0; i < used; i++)
		ret->error += fabs(bin[i].told - bin[i].right);
	ret->n = (double)count;
	ret->base_rate = tally_share(ret->base_rate, ret->n);
	ret->log_loss = tally_share(ret->log_loss, ret->n);
	ret->brier = tally_share(ret->brier, ret->n);
	ret->error = tally_share(ret->error, ret->n);
	ret->base_brier = ret->base_rate * (1 - ret->base_rate);
	ret->base_log_loss = ret->base_brier > 0 ?
		-ret->base_rate * log(ret->base_rate) -
		(1 - ret->base_rate) * log(1 - ret->base_rate) :
		ret->n > 0 ? 0 : NAN;
}

void tally_trust(const struct rows *r, const struct tally_filter *f,
		 struct tally_trust *ret)
{
	size_t cap = r->of[ROW_FINDING].count, count = 0;
	double *told = malloc((cap + 1) * sizeof(double));
	bool *right = malloc(cap + 1);
	const struct finding_row *row;

	if (!told || !right)
		abort();
	for (size_t i = 0; (row = rows_get(r, ROW_FINDING, i)); i++) {
		if (!finding_fits(f, row) || row->teller != TELLER_ENGINE)
			continue;
		told[count] = (double)row->confidence;
		right[count++] = row->name_right;
	}
	tally_trust_of(told, right, count, ret);
	free(told);
	free(right);
}

/* --- guesses ------------------------------------------------------------- */

void tally_oracle(const struct rows *r, const struct tally_filter *f,
		  struct tally_guess *ret)
{
	size_t cap = r->of[ROW_ORACLE].count;
	struct list error = list_new(cap), width = list_new(cap);
	struct list share = list_new(cap);
	const struct oracle_row *row;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; (row = rows_get(r, ROW_ORACLE, i)); i++) {
		if (!at_fits(f, &row->at) ||
		    !is_one(f->signature, row->signature) ||
		    !law_fits(f, row->law) || !word_fits(f->media, row->media))
			continue;
		ret->n++;
		ret->covered += row->low_s <= row->left_s &&
				row->left_s <= row->high_s;
		ret->foreseen += !isnan(row->foreseen_share);
		list_add(&share, (double)row->foreseen_share);
		list_add(&error, fabs((double)(row->mid_s - row->left_s)) /
			 (double)row->left_s);
		list_add(&width, width_of(row->low_s, row->high_s));
	}
	ret->error = list_end(&error, 0.5);
	ret->width = list_end(&width, 0.5);
	ret->foreseen_share = list_end(&share, 0.5);
}

void tally_loss(const struct rows *r, const struct tally_filter *f,
		struct tally_loss *ret)
{
	struct list error = list_new(r->of[ROW_LOSS].count);
	const struct loss_row *row;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; (row = rows_get(r, ROW_LOSS, i)); i++) {
		double off = fabs((double)(row->told_log10 - row->true_log10));

		if (!at_fits(f, &row->at) || !is_one(f->teller, row->teller) ||
		    row->true_log10 < LOSS_LEAST_LOG10)
			continue;
		ret->n++;
		ret->within_3 += off <= log10(3);
		list_add(&error, off);
	}
	ret->error_decades = list_end(&error, 0.5);
}

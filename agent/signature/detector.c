#include "agent/signature/detector.h"

#include <stdio.h>
#include <string.h>

#define FRESH_NS (600 * NS_PER_S)
#define COUNTED_NS (180 * NS_PER_S)	/* counters: syncd's, each 60 s at
					 * most as SONiC is shipped */
#define READ_NS (60 * NS_PER_S)		/* the port, whatever of it */
#define FRESH_PERIODS 5

size_t detectors(const struct detector *const **ret)
{
	static const struct detector *const table[] = {
		&loose_module_detector,
		&fec_trend_detector,
		&light_loss_detector,
		&overheat_detector,
		&fec_uncorrectable_detector,
		&tx_decay_detector,
		&lane_apart_detector,
		&sensor_fault_detector,
		&module_changed_detector,
		&flap_burst_detector,
		&link_down_detector,
	};

	*ret = table;
	return sizeof(table) / sizeof(table[0]);
}

void evidence_add(struct finding *f, const char *name, double value)
{
	struct evidence *e;

	if (f->evidence_count == FINDING_EVIDENCE_MAX)
		return;
	e = &f->evidence[f->evidence_count++];
	(void)snprintf(e->name, sizeof(e->name), "%s", name);
	e->value = value;
}

const double *evidence_find(const struct finding *f, const char *name)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return &f->evidence[i].value;
	return NULL;
}

/* --- what can be seen ---------------------------------------------------- */

enum sight { SIGHT_NOW, SIGHT_EARLIER, SIGHT_NOT_YET, SIGHT_NEVER };

static bool is_within(const struct front *f, int64_t age_ns, int64_t least_ns)
{
	int64_t most_ns = FRESH_PERIODS * f->period_ns;

	return age_ns <= (most_ns < least_ns ? least_ns : most_ns);
}

static enum sight sight_of(const struct front *f, enum need need)
{
	if (f->seen[need].ns == INT64_MIN)
		return need == NEED_BER && f->errors_counted ? SIGHT_NOT_YET :
							       SIGHT_NEVER;
	return is_within(f, mono_diff_ns(f->t, f->seen[need]),
			 need == NEED_BER || need == NEED_LOST ? COUNTED_NS :
								 FRESH_NS) ?
	       SIGHT_NOW : SIGHT_EARLIER;
}

/* Needs that only optical modules meet. */
static bool is_optical(enum need need)
{
	return need == NEED_TEMP || need == NEED_LIGHT || need == NEED_BIAS;
}

/* Does the port meet the need in any case, or does it not have it? */
static bool is_idle(const struct need_row *row, const struct port_facts *facts)
{
	if (row->of != NEED_OF_ANY &&
	    (row->of == NEED_OF_BARE) != ber_is_bare(facts))
		return true;
	return is_optical(row->need) && port_is_copper(facts);
}

/* Why a need is not met, and what would meet it. */
struct lack {
	const char *why, *arm;
};

static struct lack row_lack(const struct need_row *row, const struct front *f,
			    enum sight sight)
{
	if (sight == SIGHT_NEVER)
		return (struct lack){ row->why, row->arm };
	if (f->link == LINK_IS_DOWN && row->need != NEED_LINK)
		return (struct lack){
			"the link is down: there is nothing to measure",
			"a link that is up" };
	if (sight == SIGHT_NOT_YET)
		return (struct lack){
			"errors are counted, but there is no error ratio yet",
			"some time without a drop" };
	return (struct lack){ "required readings stopped", row->arm };
}

enum watch watch_of(const struct watched *w, const struct port_facts *facts,
		    const struct front *f, struct mono now,
		    const char **ret_why, const char **ret_arm)
{
	enum watch watch = WATCH_ARMED;

	*ret_why = *ret_arm = NULL;
	if (w->applies && !w->applies(facts, ret_why))
		return WATCH_NA;
	if (f->started && !is_within(f, mono_diff_ns(now, f->t), READ_NS)) {
		*ret_why = "the port is no longer read";
		*ret_arm = "a source that answers (petrel health)";
		return WATCH_BLIND;
	}
	for (size_t i = 0; i < w->need_count; i++) {
		const struct need_row *row = &w->needs[i];
		enum sight sight = sight_of(f, row->need);
		struct lack lack;

		if (sight == SIGHT_NOW || is_idle(row, facts))
			continue;
		if (!row->required && watch != WATCH_ARMED)
			continue;
		lack = row_lack(row, f, sight);
		*ret_why = lack.why;
		*ret_arm = lack.arm;
		watch = WATCH_LIMITED;
		if (row->required && sight == SIGHT_NEVER)
			return WATCH_BLIND;
	}
	return watch;
}

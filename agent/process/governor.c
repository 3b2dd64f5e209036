#include "agent/process/governor.h"

#include <stdio.h>

#include "agent/config/config.h"
#include "agent/process/control.h"
#include "agent/query/server.h"
#include "agent/sample/sampler.h"
#include "agent/state/series.h"
#include "petrel/log.h"

/* --- number of steps ------------------------------------------------------ */

/* Judges CPU time over whole seconds: processes report theirs in steps. */
static bool is_dear(struct governor_time *b,
		    const struct governor_time_use *use)
{
	int64_t used_ns = use->cpu_ns - b->cpu_ns;

	b->span_ns += use->interval_ns * (1 + (int64_t)use->skipped);
	b->is_weighed = b->span_ns >= NS_PER_S;
	if (!b->is_weighed)
		return b->is_dear;
	b->is_dear = b->cpu_ns > 0 && use->cpu_limit_ns > 0 &&
		     used_ns / 1000 >
		     use->cpu_limit_ns / 1000 * b->span_ns / NS_PER_S;
	b->cpu_ns = use->cpu_ns;
	b->span_ns = 0;
	return b->is_dear;
}

static enum governor_cause judge(struct governor_time *b,
				 const struct governor_time_use *use)
{
	bool dear = is_dear(b, use);

	if (use->skipped > 0 || use->took_ns > use->interval_ns / 4 * 3)
		return GOVERNOR_LATE;
	return dear ? GOVERNOR_CPU : GOVERNOR_KEPT;
}

unsigned governor_time_take(struct governor_time *b,
			    const struct governor_time_use *use)
{
	enum governor_cause cause = judge(b, use);
	bool is_over = cause != GOVERNOR_KEPT;

	if (cause == GOVERNOR_CPU && !b->is_weighed)
		return b->steps;	/* this span is already judged */
	b->over = is_over ? b->over + 1 : 0;
	b->good = is_over ? 0 : b->good + 1;
	if (b->over >= GOVERNOR_OVER_TICKS && b->steps < GOVERNOR_STEPS_MAX) {
		b->steps++;
		b->over = 0;
		b->cause = cause;
	} else if (b->good >= GOVERNOR_GOOD_TICKS && b->steps > 0) {
		b->steps--;
		b->good = 0;
	}
	return b->steps;
}

unsigned governor_memory_take(struct governor_memory *b,
			    const struct governor_memory_use *use)
{
	int64_t limit = use->limit_octets;
	bool fits = limit <= 0 || use->octets + use->back_octets <= limit;

	b->is_over = limit > 0 && use->octets > limit;
	b->over = b->is_over ? b->over + 1 : 0;
	b->good = fits && !b->is_over ? b->good + 1 : 0;
	if (b->over >= GOVERNOR_OVER_TICKS &&
	    b->steps < GOVERNOR_MEMORY_STEPS_MAX) {
		b->steps++;
		b->over = 0;
	} else if (b->good >= GOVERNOR_GOOD_TICKS && b->steps > 0) {
		b->steps--;
		b->good = 0;
	}
	return b->steps;
}

unsigned governor_history_steps(unsigned memory_steps)
{
	return memory_steps < GOVERNOR_HISTORY_STEPS ? memory_steps :
						     GOVERNOR_HISTORY_STEPS;
}

unsigned governor_source_steps(unsigned memory_steps)
{
	return memory_steps - governor_history_steps(memory_steps);
}

/* --- effect of the steps -------------------------------------------------- */

void governor_init(struct governor *t, const struct governor_env *env)
{
	*t = (struct governor){ .env = *env };
}

/* Excludes the cost of queries, which slower sampling cannot reduce. */
static int64_t cpu_of_all(const struct governor_env *env)
{
	const struct control *c = env->control;
	int64_t ns = env->server ? -query_server_cpu_ns(env->server) : 0;

	for (unsigned r = 0; r < ROLE_COUNT; r++)
		ns += atomic_load(&c->process[r].cpu_ns);
	return ns;
}

static int64_t memory_of_all(const struct control *c)
{
	int64_t octets = 0;

	for (unsigned r = 0; r < ROLE_COUNT; r++)
		octets += atomic_load(&c->process[r].memory_octets);
	return octets;
}

/* The configured value, halved for each step. */
static void history_fit(struct governor *t)
{
	const struct config *c = t->env.config;
	size_t depth = (size_t)(c->history_ns / c->interval_ns);

	depth >>= governor_history_steps(t->memory.steps);
	if (series_resize(t->env.series, depth) < 0)
		log_warn("core", "no memory for a history of %zu ticks", depth);
}

static unsigned slowed_by(const struct governor *t)
{
	unsigned memory = governor_source_steps(t->memory.steps);

	return memory > t->budget.steps ? memory : t->budget.steps;
}

/* Names the exceeded budget, for a sentence. */
static const char *const cause_words[GOVERNOR_CAUSE_COUNT] = {
	[GOVERNOR_KEPT] = "within budget",
	[GOVERNOR_LATE] = "ticks run late",
	[GOVERNOR_CPU] = "cpu_budget is exceeded",
};

static size_t sources_tell(const struct governor *t, char *ret, size_t cap)
{
	const char *why = t->slowed > t->budget.steps ?
			  "memory_budget is exceeded" :
			  cause_words[t->budget.cause];

	if (t->slowed == 0)
		return 0;
	return (size_t)snprintf(ret, cap, "%s: slow sources are read 1/%u as "
				"often", why, 1u << t->slowed);
}

static void history_tell(const struct governor *t, char *ret, size_t cap)
{
	const struct config *c = t->env.config;
	int64_t depth = (int64_t)series_depth(t->env.series);

	if (governor_history_steps(t->memory.steps) == 0)
		return;
	(void)snprintf(ret, cap, "memory_budget is exceeded: the history "
		       "reaches back %lld s instead of %lld s",
		       (long long)(depth * c->interval_ns / NS_PER_S),
		       (long long)(c->history_ns / NS_PER_S));
}

/* Applies the present steps, and logs the change once. */
static void apply(struct governor *t)
{
	char *text = t->told.text;
	size_t n;

	t->slowed = slowed_by(t);
	sampler_slow(t->env.sampler, t->slowed);
	history_fit(t);
	text[0] = '\0';
	n = sources_tell(t, text, sizeof(t->told.text));
	if (n > 0 && governor_history_steps(t->memory.steps) > 0)
		n += (size_t)snprintf(text + n, sizeof(t->told.text) - n, "; ");
	history_tell(t, text + n, sizeof(t->told.text) - n);
	log_warn("core", "%s", text[0] ? text : "within all budgets again");
}

void governor_tick(struct governor *t, struct mono due, uint64_t skipped)
{
	struct governor_time_use use = {
		.interval_ns = t->env.config->interval_ns,
		.took_ns = mono_diff_ns(clock_mono_now(), due),
		.skipped = skipped,
		.cpu_ns = cpu_of_all(&t->env),
		.cpu_limit_ns = t->env.config->cpu_budget_ns,
	};
	unsigned before = t->budget.steps;

	if (governor_time_take(&t->budget, &use) != before)
		apply(t);
}

void governor_beat(struct governor *t)
{
	struct governor_memory_use use = {
		.octets = memory_of_all(t->env.control),
		.limit_octets = (int64_t)t->env.config->memory_budget_octets,
		.back_octets = (int64_t)series_octets(t->env.series),
	};
	unsigned before = t->memory.steps;

	if (governor_source_steps(before) > 0)
		use.back_octets = 0;	/* slower sources free no memory */
	if (governor_memory_take(&t->memory, &use) != before)
		apply(t);
	t->told.is_lost = t->memory.is_over &&
			  t->memory.steps == GOVERNOR_MEMORY_STEPS_MAX;
}

void governor_reload(struct governor *t)
{
	history_fit(t);
}

#include "agent/process/thrift.h"

#include <stdio.h>
#include <string.h>

#include "agent/config/config.h"
#include "agent/process/control.h"
#include "agent/query/server.h"
#include "agent/sample/sampler.h"
#include "agent/state/series.h"
#include "petrel/log.h"

void thrift_init(struct thrift *t, const struct thrift_env *env)
{
	*t = (struct thrift){ .env = *env };
}

/* Less what answers took, which nobody could make sampling pay for. */
static int64_t cpu_of_all(const struct thrift_env *env)
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

/* What is configured, halved for each step. */
static void history_fit(struct thrift *t)
{
	const struct config *c = t->env.config;
	size_t depth = (size_t)(c->history_ns / c->interval_ns);

	depth >>= budget_history_steps(t->memory.steps);
	if (series_resize(t->env.series, depth) < 0)
		log_warn("core", "no memory for a history of %zu ticks", depth);
}

static unsigned slowed_by(const struct thrift *t)
{
	unsigned memory = budget_source_steps(t->memory.steps);

	return memory > t->budget.steps ? memory : t->budget.steps;
}

static size_t sources_tell(const struct thrift *t, char *ret, size_t cap)
{
	const char *why = t->slowed > t->budget.steps ?
			  "memory_budget is passed" :
			  budget_cause_words(t->budget.cause);

	if (t->slowed == 0)
		return 0;
	return (size_t)snprintf(ret, cap, "%s: slow sources are read 1/%u as "
				"often", why, 1u << t->slowed);
}

static void history_tell(const struct thrift *t, char *ret, size_t cap)
{
	const struct config *c = t->env.config;
	int64_t depth = (int64_t)series_depth(t->env.series);

	if (budget_history_steps(t->memory.steps) == 0)
		return;
	(void)snprintf(ret, cap, "memory_budget is passed: the history reaches "
		       "back %lld s instead of %lld s",
		       (long long)(depth * c->interval_ns / NS_PER_S),
		       (long long)(c->history_ns / NS_PER_S));
}

/* Does what holds from now on, and says so once. */
static void apply(struct thrift *t)
{
	char *text = t->told.text;
	size_t n;

	t->slowed = slowed_by(t);
	sampler_slow(t->env.sampler, t->slowed);
	history_fit(t);
	text[0] = '\0';
	n = sources_tell(t, text, sizeof(t->told.text));
	if (n > 0 && budget_history_steps(t->memory.steps) > 0)
		n += (size_t)snprintf(text + n, sizeof(t->told.text) - n, "; ");
	history_tell(t, text + n, sizeof(t->told.text) - n);
	log_warn("core", "%s", text[0] ? text : "all budgets are kept again");
}

void thrift_tick(struct thrift *t, struct mono due, uint64_t skipped)
{
	struct budget_use use = {
		.interval_ns = t->env.config->interval_ns,
		.took_ns = mono_diff_ns(clock_mono_now(), due),
		.skipped = skipped,
		.cpu_ns = cpu_of_all(&t->env),
		.cpu_limit_ns = t->env.config->cpu_budget_ns,
	};
	unsigned before = t->budget.steps;

	if (budget_tick(&t->budget, &use) != before)
		apply(t);
}

void thrift_beat(struct thrift *t)
{
	struct budget_memory_use use = {
		.octets = memory_of_all(t->env.control),
		.limit_octets = (int64_t)t->env.config->memory_budget_octets,
		.back_octets = (int64_t)series_octets(t->env.series),
	};
	unsigned before = t->memory.steps;

	if (budget_source_steps(before) > 0)
		use.back_octets = 0;	/* slow sources gave no memory back */
	if (budget_memory_take(&t->memory, &use) != before)
		apply(t);
	t->told.is_lost = t->memory.is_over &&
			  t->memory.steps == BUDGET_MEMORY_STEPS_MAX;
}

void thrift_reload(struct thrift *t)
{
	history_fit(t);
}

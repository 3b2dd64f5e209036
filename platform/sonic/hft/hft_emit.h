/* Passes data since the last tick to the host: one read group per entity,
 * however many templates refer to it.
 */
#pragma once

#include "platform/sonic/hft/hft_template.h"
#include "platform/sonic/hft/hft_templates.h"
#include "platform/sonic/switchdb/namespace.h"

/* Values of one template that belong to one entity. */
struct hft_run {
	uint32_t entity;
	struct hft_template *template;
	const struct hft_object *object;
	unsigned first, count;		/* indices of the template's values */
};

/* All runs, ordered by entity; those of current templates first. */
struct hft_plan {
	struct hft_run *list;
	size_t count, cap;
};

/* Rebuilds the plan after templates or objects changed. False: no memory, and
 * the plan is empty.
 */
bool hft_plan_make(struct hft_plan *plan, const struct hft_templates *all,
		   struct namespace *namespace);
/* Releases it. */
void hft_plan_free(struct hft_plan *plan);

/* Passes on what arrived, and clears it. Returns the number of values. */
unsigned hft_plan_emit(const struct hft_plan *plan,
		       const struct hft_templates *all,
		       const struct platform_host *host);

/* Adds each record's occupancies to the queues' delays: delay.h. */

/* Finds the values for the delays of the template's queues, after its objects
 * were resolved.
 */
void hft_delay_resolve(struct hft_template *t, struct delays *all,
		       struct mono now);

/* A watcher's function: takes the newest record of a template. */
void hft_delay_record(void *context, const struct hft_template *t);

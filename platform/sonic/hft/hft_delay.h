/* Each record's occupancies into the queues' delays: delay.h. */
#pragma once

#include "platform/sonic/hft/hft_template.h"

/* Finds what the template's queues have to go by, after its objects were
 * resolved.
 */
void hft_delay_resolve(struct hft_template *t, struct delays *all,
		       struct mono now);

/* A watcher's function: the newest record of a template. */
void hft_delay_record(void *context, const struct hft_template *t);

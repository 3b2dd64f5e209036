/* Which detectors a reading asks, and what becomes of what they say. Most
 * readings bring no news: no window of errors closed, the module was not read,
 * the link stays up. A detector is asked when the kind of news comes that its
 * row names, and at each reading while it reports a fault, has a finding open,
 * or waits for time to pass.
 */
#pragma once

#include "agent/signature/inside.h"

/* Which detectors each kind of news asks. */
void ask_init(struct engine *e);

/* All detectors, for when it is not known what they would say. */
static inline uint32_t ask_all(const struct engine *e)
{
	return e->asked_by[WAKE_COUNT - 1];
}

/* A bit for each detector that is to be asked. news: bits of enum wake. */
static inline uint32_t ask_whom(const struct engine *e,
				const struct engine_port *p, unsigned news)
{
	return p->awake | e->asked_by[news];
}

/* Finding n of that name is over, and with it what it told of other detectors,
 * or would have told. v may be NULL.
 */
void ask_told_end(const struct engine *e, struct engine_port *p, size_t n,
		  enum signature name, const struct port_view *v);

/* Asks these detectors about a reading that was taken in. */
void ask(struct engine *e, uint32_t port, uint32_t asked,
	 const struct inputs *tick, struct wall wall);

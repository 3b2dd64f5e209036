#include "agent/collect/complaints.h"

#include <stdbool.h>
#include <string.h>

#include "petrel/log.h"

#define TOLD_PER_S 5u
#define TOLD_AGAIN_S (24 * 3600)

/* A hash of both, so that no list of peers is needed. If another pair took the
 * slot, the complaint is logged again.
 */
static bool was_told(struct complaints *c, const char *who, const char *what)
{
	uint64_t h = UINT64_C(14695981039346656037);	/* FNV-1a */
	uint64_t *slot;

	for (const char *t = who; *t; t++)
		h = (h ^ (uint8_t)*t) * UINT64_C(1099511628211);
	for (const char *t = what; *t; t++)
		h = (h ^ (uint8_t)*t) * UINT64_C(1099511628211);
	slot = &c->told[(h ^ h >> 32) % COMPLAINTS_SLOTS];
	if (*slot == h)
		return true;
	*slot = h;
	return false;
}

void complaints_add(struct complaints *c, const char *who, const char *what)
{
	if (!was_told(c, who, what) && c->count++ < TOLD_PER_S)
		log_warn("collector", "%s refused: %s", who, what);
}

void complaints_second(struct complaints *c)
{
	if (c->count > TOLD_PER_S)
		log_warn("collector", "%u more were refused",
			 c->count - TOLD_PER_S);
	c->count = 0;
	if (c->seconds++ % TOLD_AGAIN_S == 0)
		memset(c->told, 0, sizeof(c->told));
}

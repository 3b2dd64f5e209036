#include "agent/collect/complaints.h"

#include <stdbool.h>
#include <string.h>

#include "agent/base/hash.h"
#include "petrel/log.h"

#define TOLD_PER_S 5u
#define TOLD_AGAIN_S (24 * 3600)

/* A hash of both, so that no list of peers is needed. If another pair took the
 * slot, the complaint is logged again.
 */
static bool was_told(struct complaints *c, const char *who, const char *what)
{
	uint64_t h = hash_octets(0, who, strlen(who));
	uint64_t *slot;

	h = hash_octets(h, what, strlen(what));
	slot = &c->told[(h ^ h >> 32) % COMPLAINTS_SLOTS];
	if (*slot == h)
		return true;
	*slot = h;
	return false;
}

void complaints_add(struct complaints *c, const char *who, const char *what)
{
	if (!was_told(c, who, what) && c->count++ < TOLD_PER_S)
		log_warn("collector", "%s: %s", who, what);
}

void complaints_second(struct complaints *c)
{
	if (c->count > TOLD_PER_S)
		log_warn("collector", "%u more lines like these were left out",
			 c->count - TOLD_PER_S);
	c->count = 0;
	if (c->seconds++ % TOLD_AGAIN_S == 0)
		memset(c->told, 0, sizeof(c->told));
}

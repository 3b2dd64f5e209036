#include "platform/sim/words.h"

#include "agent/base/nearest.h"

void words_offer(struct words_nearest *n, const char *candidate)
{
	unsigned distance = nearest_distance(n->word, candidate);

	if (distance < n->distance) {
		n->best = candidate;
		n->distance = distance;
	}
}

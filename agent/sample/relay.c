#include "agent/sample/relay.h"

#include <string.h>

#include "agent/sample/relay_ring.h"

size_t relay_memory_size(void)
{
	return sizeof(struct relay_memory);
}

void relay_memory_init(struct relay_memory *m)
{
	/* Half a megabyte behind them stays untouched until it is needed. */
	memset(m, 0, offsetof(struct relay_memory, data));
}

uint64_t relay_dropped(const struct relay_memory *m)
{
	return atomic_load_explicit(&m->dropped, memory_order_relaxed);
}

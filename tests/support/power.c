#include "tests/support/power.h"

#include <errno.h>
#include <stdlib.h>

int power_init(struct power *p)
{
	index_map_init(&p->seen, UINT32_MAX, 0);
	p->disk = calloc(1, sizeof(*p->disk));
	p->cut = calloc(1, sizeof(*p->cut));
	p->spare = calloc(1, sizeof(*p->spare));
	return p->disk && p->cut && p->spare ? 0 : -ENOMEM;
}

void power_fini(struct power *p)
{
	free(p->disk);
	free(p->cut);
	free(p->spare);
	index_map_fini(&p->seen);
}

uint64_t power_draw(struct power *p)
{
	uint64_t z = p->seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* False: it was seen before. */
static bool is_new(struct power *p, uint64_t hash)
{
	uint32_t *at = index_map_at(&p->seen, hash);

	if (at && *at != INDEX_NONE)
		return false;
	if (at)
		*at = 0;
	return true;
}

static bool leaves_out(const struct power *p)
{
	return p->disk->skipped_sync != SIM_DISK_NEVER;
}

bool power_is_idle(const struct power *p)
{
	return leaves_out(p) && p->disk->syncs > p->disk->skipped_sync &&
	       (!p->disk->was_needed || p->was_for_nothing);
}

void power_look(struct power *p)
{
	if (leaves_out(p) && p->disk->syncs <= p->disk->skipped_sync) {
		p->was_for_nothing = p->promises_nothing;
		return;
	}
	for (unsigned i = 0; !power_is_idle(p) &&
			     i < SIM_DISK_PLAIN_VARIANTS + p->variants; i++) {
		uint64_t variant = i < SIM_DISK_PLAIN_VARIANTS ? i :
				   power_draw(p) | 1u << 16;
		uint64_t hash = sim_disk_cut(p->disk, variant, p->cut);

		if (!leaves_out(p) && !is_new(p, hash))
			continue;
		p->states++;
		p->violations += !p->is_right(p->context, p->cut);
		if (leaves_out(p) && p->violations > 0)
			return;
	}
}

static void before(void *context)
{
	power_look(context);
}

void power_begin(struct power *p, uint64_t seed, unsigned skipped)
{
	p->seed = seed;
	p->violations = 0;
	p->promises_nothing = p->was_for_nothing = false;
	sim_disk_init(p->disk);
	p->disk->skipped_sync = skipped;
	p->disk->before = before;
	p->disk->before_context = p;
}

void power_cut(struct power *p)
{
	struct sim_disk *was = p->disk;

	(void)sim_disk_cut(was, power_draw(p) | 1u << 16, p->spare);
	p->spare->before = before;
	p->spare->before_context = p;
	p->spare->syncs = was->syncs;
	p->spare->skipped_sync = was->skipped_sync;
	p->spare->was_needed = was->was_needed;
	p->disk = p->spare;
	p->spare = was;
}

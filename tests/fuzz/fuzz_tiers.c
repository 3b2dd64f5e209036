/* A file of the history's tiers may hold any octets: what is sound in it is
 * read as it stands, within bounds.
 */
#include <assert.h>
#include <stdlib.h>

#include "agent/ctl/look_tiers.h"
#include "petrel/quantity.h"

/* A port of the switch, as the octets may name it. */
static struct state *state_with(uint32_t *ret_port)
{
	static const struct platform_source *const none[] = { NULL };
	static const struct platform_driver driver = {
		.abi = PLATFORM_ABI, .size = sizeof(driver), .name = "fuzz",
		.sources = none };
	static const struct state_limits limits = { .entities = 16,
						    .slots = 16 };
	static const struct state_observer observer = { .context = NULL };
	struct entity_key key = { .kind = ENTITY_PORT, .name = "Ethernet0" };
	struct platform_host host;
	struct state *s;
	unsigned first;

	if (state_new(&limits, &observer, &s) < 0 ||
	    state_driver_add(s, &driver, &first, &host) < 0 ||
	    host.entity(host.context, &key, ret_port) < 0)
		abort();
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wall end = { INT64_MAX };
	struct gather g;
	uint32_t port;
	struct look_tiers_env env = { .gather = &g, .run = 1 };
	struct state *s = state_with(&port);
	struct tier_walk w = tier_walk_of(data, size);
	struct look_tiers *l;

	if (gather_init(&g, 1) < 0)
		abort();
	gather_want(&g, 0, port, Q_IF_IN_OCTETS, 0);
	env.state = s;
	if (look_tiers_new(&env, &l) < 0)
		abort();
	(void)look_tiers_file(l, &g, &w, (struct wall){ 0 }, end);
	assert(w.damaged <= size);
	for (size_t i = 0; i < g.series[0].place.count; i++)
		assert(g.series[0].reading[i].wall.ns > 0);
	look_tiers_free(l);
	gather_fini(&g);
	state_free(s);
	return 0;
}

#include "tests/support/played.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/control.h"
#include "platform/driver.h"
#include "platform/sim/sim_clock.h"

#define QUARTER_NS (900 * NS_PER_S)
/* Between two ticks: the clocks are read one after the other. */
#define PLAYED_AT_NS (27 * NS_PER_S + NS_PER_S / 2)

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "played: %s\n", what);
	abort();
}

static int folder_make(const struct played_root *r, const char *path)
{
	char all[128];

	(void)snprintf(all, sizeof(all), "%s/%s", r->path, path);
	must(mkdir(all, 0755) == 0, all);
	return open(all, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void played_root_make(struct played_root *r)
{
	(void)snprintf(r->path, sizeof(r->path), "/tmp/petrel-XXXXXX");
	must(mkdtemp(r->path) != NULL, r->path);
	(void)snprintf(r->run_dir, sizeof(r->run_dir), "%s/run/petrel",
		       r->path);
	(void)close(folder_make(r, "run"));
	r->run_fd = folder_make(r, "run/petrel");
	(void)close(folder_make(r, "var"));
	(void)close(folder_make(r, "var/lib"));
	(void)close(folder_make(r, "var/lib/petrel"));
	r->tiers_fd = folder_make(r, "var/lib/petrel/history");
}

void played_root_remove(struct played_root *r)
{
	char command[80];

	(void)close(r->run_fd);
	(void)close(r->tiers_fd);
	(void)snprintf(command, sizeof(command), "rm -r %s", r->path);
	must(system(command) == 0, command);
}

void played_root_reboot(const struct played_root *r)
{
	(void)unlinkat(r->run_fd, "samples.ring", 0);
	(void)unlinkat(r->run_fd, "states.ring", 0);
	(void)unlinkat(r->run_fd, "findings.ring", 0);
}

static const char *option(void *context, const char *key)
{
	return strcmp(key, "scenario") == 0 ? context : NULL;
}

static size_t findings_none(void *context, const struct finding **ret)
{
	(void)context;
	*ret = NULL;
	return 0;
}

void played_make(struct played *p, const char *scenario, int dir_fd,
		 size_t ring_octets, bool bounded)
{
	static const struct control_identity identity = { .id = "test" };
	const size_t bytes[STREAM_COUNT] = { 256u << 10, 4u << 20,
					     ring_octets };
	struct state_limits limits = { .entities = 65536, .slots = 1u << 19 };
	struct state_observer observer = { 0 };
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .root_fd = -1, .option = option,
				    .option_context =
					    (void *)(uintptr_t)scenario,
				    .host = &p->host };
	struct journal_env journal = { .rings = &p->rings,
				       .identity = &identity,
				       .slots = limits.slots,
				       .entities = limits.entities,
				       .findings = findings_none };
	struct diag d = { "" };
	int64_t ahead_ns;
	unsigned first;

	*p = (struct played){ .ticks = 0 };
	must(ring_set_open(dir_fd, bytes, (uint64_t)clock_mono_now().ns,
			   &p->rings, &d) == 0, d.text);
	must(state_new(&limits, &observer, &p->state) == 0 &&
	     state_driver_add(p->state, &sim_driver, &first, &p->host) == 0,
	     "no state");
	must(sim_driver.open(&env, &p->sim, &d) == 0 &&
	     sim_driver.inventory(p->sim, &d) == 0, d.text);
	journal.state = p->state;
	journal.event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	must(journal_new(&journal, &p->journal) == 0, "no journal");
	journal_settle(p->journal, bounded,
		       (const int64_t[CLASS_COUNT]){ 0 });
	clock_read(&p->began);
	/* Always at the same place of a quarter of an hour: what is in a row
	 * or a file depends on it. Both clocks move, as the records tell how
	 * far apart they are; and the plant's, so that its scenario begins now.
	 */
	ahead_ns = QUARTER_NS - p->began.wall.ns % QUARTER_NS + PLAYED_AT_NS;
	p->began.wall.ns += ahead_ns;
	p->began.mono.ns += ahead_ns;
	((struct sim *)p->sim)->start.ns += ahead_ns;
	p->now = p->began.mono;
}

void played_free(struct played *p)
{
	journal_free(p->journal);
	sim_driver.close(p->sim);
	state_free(p->state);
	ring_set_close(&p->rings);
}

void played_tick(struct played *p, int64_t ms)
{
	struct diag d;

	state_tick(p->state, p->now);
	for (unsigned i = 0; sim_driver.sources[i]; i++) {
		const struct platform_source *s = sim_driver.sources[i];

		if (!s->blocks && s->read && s->period_ms > 0 &&
		    p->ticks * ms % s->period_ms < ms)
			while (s->read(p->sim, p->now, &d) == -ENODATA)
				;
	}
	journal_tick(p->journal, p->now);
	p->ticks++;
	p->now.ns += ms * NS_PER_MS;
}

struct clock_reading played_clock(const struct played *p)
{
	struct clock_reading c = p->began;

	c.wall.ns += mono_diff_ns(p->now, c.mono);
	c.mono = p->now;
	return c;
}

uint32_t played_entity(const struct played *p, enum entity_kind kind,
		       size_t n)
{
	const struct inventory_entity *e;
	size_t count = state_entities(p->state, &e);

	for (size_t i = 0; i < count; i++)
		if (e[i].id && e[i].key.kind == kind && --n == 0)
			return e[i].id;
	return ENTITY_NONE;
}



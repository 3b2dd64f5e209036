/* The `module` platform: the memory of pluggable modules, where no daemon of
 * the switch reads it for us. Opened along with linux by default; on SONiC,
 * where xcvrd owns the modules and STATE_DB has its readings, only by `driver =
 * sonic,module`.
 *
 * Options: map (see map.h), owner (C6), budget (bus time a round).
 */
#include "platform/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "agent/base/number.h"
#include "platform/bus/bus.h"
#include "platform/bus/fetch_pool.h"
#include "platform/bus/map.h"
#include "platform/bus/owner.h"

#define SCAN_NS (60 * NS_PER_S)		/* new cages, another owner */
#define SETTLE_NS (120 * NS_PER_S)	/* for a switch to load drivers */
#define RIGHT(cap) (UINT64_C(1) << (cap))

struct module_instance {
	const struct platform_host *host;	/* borrowed */
	bool blocking;				/* the reader's; else idle */
	int root_fd;				/* borrowed */
	const char *map_file, *owner_option;	/* of the environment */
	int64_t budget_ns;
	struct access_log *log;
	struct bus_env env;
	struct map map;
	struct module_cage *cage;
	struct fetch_pool *pool;
	struct mono opened, scan_due;
	struct diag scan;			/* why there are no cages */
	struct diag owner;			/* why not Petrel */
};

/* A server's network card is also an interface of a device, but not a switch:
 * there must be a kind of cage that only switches have, or a map file.
 */
static bool is_of_a_switch(const struct map *map, const char *map_file)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->cage[i].place.kind != BUS_ETHTOOL)
			return true;
	return map_file != NULL;
}

/* The lowest score, and after linux in the list: it knows only modules. */
static int module_probe(const struct platform_env *env, struct diag *d)
{
	const char *map_file = driver_option(&module_driver, env, "map");
	struct diag why;
	struct map map;
	int score;

	if (map_read(env->root_fd, map_file, &map, &why) < 0)
		return diag_set(d, 0, "%s", why.text);
	score = is_of_a_switch(&map, map_file);
	map_fini(&map);
	return score ? score : diag_set(d, 0, "only network cards have "
					"modules ([Platform] driver = module "
					"reads them)");
}

static void cages_drop(struct module_instance *m, struct mono now)
{
	fetch_pool_free(m->pool);
	m->pool = NULL;
	for (size_t i = 0; i < m->map.count; i++)
		cage_leave(&m->cage[i], now);
	free(m->cage);
	m->cage = NULL;
	map_fini(&m->map);
}

static void module_close(void *instance)
{
	struct module_instance *m = instance;

	fetch_pool_free(m->pool);
	free(m->cage);
	map_fini(&m->map);
	access_log_close(m->log);
	free(m);
}

static int module_open(const struct platform_env *env, void **ret_instance,
		       struct diag *d)
{
	struct module_instance *m;
	void *memory;
	bool owner;
	int rc = driver_instance_new(&module_driver, env, sizeof(*m), &memory,
				     d);

	if (rc < 0)
		return rc;
	m = memory;
	m->host = env->host;
	m->blocking = env->blocking;
	m->opened = clock_mono_now();
	m->root_fd = env->root_fd;
	m->map_file = driver_option(&module_driver, env, "map");
	m->owner_option = driver_option(&module_driver, env, "owner");
	rc = number_parse_duration(driver_option(&module_driver, env, "budget"),
				   &m->budget_ns);
	if (rc == 0)
		rc = owner_find(m->root_fd, m->owner_option, &owner, d);
	if (rc < 0 && rc != -EBUSY) {
		free(m);
		return rc;
	}
	m->log = access_log_open();
	m->env = (struct bus_env){ .root_fd = env->root_fd, .log = m->log };
	*ret_instance = m;
	return 0;
}

/* The same cages by the same ways. */
static bool is_same_map(const struct map *a, const struct map *b)
{
	return a->count == b->count &&
		(a->count == 0 ||
		 memcmp(a->cage, b->cage, a->count * sizeof(*a->cage)) == 0);
}

static int cages_make(struct module_instance *m, struct diag *d)
{
	int rc;

	m->cage = calloc(m->map.count, sizeof(*m->cage));
	if (!m->cage)
		return diag_set(d, -ENOMEM, "no memory for %zu cages",
				m->map.count);
	for (size_t i = 0; i < m->map.count; i++)
		cage_begin(&m->cage[i], &m->map.cage[i], m->host);
	rc = fetch_pool_new(&m->env, m->cage, m->map.count, m->budget_ns,
			    &m->pool);
	return rc < 0 ? diag_set(d, rc, "modules cannot be read: %s",
				 strerror(-rc)) : 0;
}

/* Looks for cages and for another owner; starts over if these changed. */
static int scan(struct module_instance *m, struct mono now, struct diag *d)
{
	struct map map = { 0 };
	bool owner, known = m->pool != NULL;
	int rc;

	m->owner.text[0] = '\0';
	(void)owner_find(m->root_fd, m->owner_option, &owner, &m->owner);
	rc = map_read(m->root_fd, m->map_file, &map, d);
	m->scan_due.ns = now.ns + SCAN_NS;
	if (known && rc == 0 && owner == m->env.owner &&
	    is_same_map(&map, &m->map)) {
		map_fini(&map);
		return 0;
	}
	if (known)
		cages_drop(m, now);
	m->env.owner = owner;
	m->map = map;
	return rc < 0 ? rc : cages_make(m, d);
}

static int module_inventory(void *instance, struct diag *d)
{
	struct module_instance *m = instance;

	if (!m->blocking)
		return 0;	/* the reader knows them */
	(void)scan(m, clock_mono_now(), &m->scan);	/* a read reports it */
	return diag_set(d, -ENODATA, "modules are being read");
}

static int module_event_fd(void *instance, uint32_t *ret_want)
{
	const struct module_instance *m = instance;

	*ret_want = EPOLLIN;
	return m->pool ? fetch_pool_fd(m->pool) : -1;
}

static void module_event(void *instance, struct mono now)
{
	struct module_instance *m = instance;

	if (m->pool)
		fetch_pool_event(m->pool, now);
}

static struct mono module_deadline(void *instance)
{
	const struct module_instance *m = instance;

	return m->pool ? fetch_pool_deadline(m->pool)
		       : (struct mono){ INT64_MAX };
}

/* One sentence for all problems, empty if there are none. The state says
 * whether values are missing: a wrong checksum does not count, a module that
 * does not answer or is of an unknown type does.
 */
static enum source_state trouble_tell(const struct module_instance *m,
				      struct diag *ret)
{
	struct fetch_pool_cost cost = fetch_pool_cost(m->pool);
	const struct module_cage *first = NULL;
	unsigned n = 0, silent = 0;

	(void)snprintf(ret->text, sizeof(ret->text), "%s", m->owner.text);
	for (size_t i = 0; i < m->map.count; i++) {
		if (m->cage[i].reason[0] == '\0')
			continue;
		if (n++ == 0)
			first = &m->cage[i];
		silent += m->cage[i].failures > 0 || !m->cage[i].is_known;
	}
	if (cost.waiting > 0)
		diag_set(ret, 0,
			 "[Module] budget is used up: %u of %zu modules "
			 "had to wait",
			 cost.waiting, m->map.count);
	if (n > 0)
		diag_set(ret, 0, "%u of %zu modules: cage %u first: %s", n,
			 m->map.count, first->place->number, first->reason);
	if (cost.lost == FETCH_POOL_LOST_MAX) {
		diag_set(ret, 0, "%u processes hang on a bus; %u of %zu "
			 "modules fail", cost.lost, n, m->map.count);
		return SOURCE_QUARANTINED;
	}
	return silent + cost.waiting > 0 ? SOURCE_LIMITED : SOURCE_FRESH;
}

/* Marks parts as due; the pool fetches them for a later event. */
static void parts_mark(struct module_instance *m, unsigned parts,
		       struct mono now)
{
	for (size_t i = 0; i < m->map.count; i++) {
		struct module_cage *c = &m->cage[i];

		if (c->module != ENTITY_NONE && c->is_known)
			c->due |= parts;
		if (mono_diff_ns(now, c->identity_due) >= 0)
			c->due |= MODULE_IDENTITY;
	}
}

/* A machine without cages stays without; a wrong map is reported. */
static int scan_result(const struct module_instance *m, int rc, struct mono now)
{
	if (rc == -ENODATA && !m->map_file &&
	    mono_diff_ns(now, m->opened) > SETTLE_NS)
		return -EOPNOTSUPP;
	return rc == -ENODATA || rc == -ENOENT ? -ENODATA : -EIO;
}

static int source_read(struct module_instance *m, enum bus_source source,
		       unsigned parts, struct mono now, struct diag *d)
{
	enum source_state state;
	struct diag trouble = { "" };
	int rc = 0;

	if (!m->pool || mono_diff_ns(now, m->scan_due) >= 0)
		rc = scan(m, now, d);
	if (rc < 0)
		return scan_result(m, rc, now);
	if (source == BUS_SOURCE_DOM)
		fetch_pool_round(m->pool, now);
	parts_mark(m, parts, now);
	fetch_pool_event(m->pool, now);
	state = trouble_tell(m, &trouble);
	m->host->source(m->host->context, source, state, 0,
			trouble.text[0] ? trouble.text : NULL);
	return 1;
}

static int modules_read(void *instance, struct mono now, struct diag *d)
{
	return source_read(instance, BUS_SOURCE_MODULES, MODULE_CONTROLS, now,
			   d);
}

static int dom_read(void *instance, struct mono now, struct diag *d)
{
	return source_read(instance, BUS_SOURCE_DOM,
			   MODULE_MONITORS | MODULE_STATUS, now, d);
}

static int vdm_read(void *instance, struct mono now, struct diag *d)
{
	return source_read(instance, BUS_SOURCE_VDM, MODULE_VDM | MODULE_PM,
			   now, d);
}

static int flags_read(void *instance, struct mono now, struct diag *d)
{
	struct module_instance *m = instance;
	bool owner;
	struct diag why = { "" };

	(void)owner_find(m->root_fd, m->owner_option, &owner, &why);
	if (!owner)
		return diag_set(d, -EOPNOTSUPP, "%s", why.text[0] ?
				why.text : "reading clears latched flags: they "
				"are read with [Module] owner = yes only");
	return source_read(m, BUS_SOURCE_FLAGS, MODULE_FLAGS, now, d);
}

static void module_needs(const struct platform_env *env, void *context,
			 void (*path)(void *context, const char *path,
				      int want, bool blocks))
{
	const char *map_file = driver_option(&module_driver, env, "map");
	char file[BUS_FILE_PATH_MAX];
	struct map map;

	if (map_file)
		path(context, map_file, R_OK, true);
	if (map_read(env->root_fd, map_file, &map, NULL) < 0)
		return;
	for (size_t i = 0; i < map.count; i++) {
		int want = bus_file_of(&map.cage[i].place, file);

		if (want)
			path(context, file, want, true);
	}
	map_fini(&map);
}

/* ETHTOOL_MSG_MODULE_EEPROM_GET needs CAP_NET_ADMIN. */
#define SOURCE(name, period_ms, hook, text)				\
	DRIVER_SOURCE(name, period_ms, hook, .help = (text),		\
		      .blocks = true, .rights = RIGHT(CAP_NET_ADMIN))

static const struct platform_source *const sources[BUS_SOURCE_COUNT + 1] = {
	[BUS_SOURCE_MODULES] = SOURCE("modules", 10000, modules_read,
		"Modules in their cages: identity, thresholds, controls"),
	[BUS_SOURCE_DOM] = SOURCE("dom", 1000, dom_read,
		"Modules' memory: temperature, supply, light, bias, state"),
	[BUS_SOURCE_VDM] = SOURCE("vdm", 10000, vdm_read,
		"Modules' memory: VDM, such as BER and SNR of each lane"),
	[BUS_SOURCE_FLAGS] = SOURCE("flags", 1000, flags_read,
		"Modules' latched flags; only for the owner"),
};

static const struct option_key options[] = {
	{ "map", OPTION_FILE_BELOW_ROOT,
	  .help = "File that says how each cage is reached and which ports it "
		  "has, below --root; lines CAGE KIND WHERE [PORT ...]. Empty: "
		  "what sx_core, S3IP, optoe or ethtool offer.",
	  .at_start = true },
	{ "owner", OPTION_BOOL, .value = "no",
	  .help = "yes: only Petrel reads the modules: it may select pages, "
		  "and read flags that reading clears. Refused while SONiC's "
		  "xcvrd runs. no: nothing is changed.",
	  .at_start = true },
	{ "budget", OPTION_DURATION, 10 * NS_PER_MS, 60 * NS_PER_S, "500ms",
	  .help = "How long a round of reading modules may keep the buses "
		  "busy; the rest waits for the next.",
	  .at_start = true },
	{ NULL },
};

const struct platform_driver module_driver = {
	.abi = PLATFORM_ABI,
	.size = sizeof(struct platform_driver),
	.name = "module",
	.probe = module_probe,
	.open = module_open,
	.close = module_close,
	.inventory = module_inventory,
	.sources = sources,
	.event_fd = module_event_fd,
	.event = module_event,
	.deadline = module_deadline,
	.needs = module_needs,
	.options = options,
};

/* The sonic driver with a server behind it that answers anything: the input is
 * the tape of tests/support/odd_redis.h. All sources, the settings, what is
 * published and Petrel's own rows of CONFIG_DB are asked, in played time.
 *
 * What holds: nothing ends the process, what the host is told is sound, and
 * when the answers are right again the driver finds back by itself.
 *
 * PETREL_FUZZ_REPLIES=N: says at the end how many replies were tried.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "petrel/finding.h"
#include "platform/driver.h"
#include "platform/sonic/config/config_db.h"
#include "platform/sonic/meaning/table.h"
#include "tests/support/deaf_host.h"
#include "tests/support/odd_redis.h"

#define STEPS_MAX 200		/* readings with odd answers */
#define STEP_NS (16 * NS_PER_S)	/* longer than any back-off */
#define ROUNDS_MAX 200		/* of one reading */
#define BACK_S 150		/* a barred row is tried again by then */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* One server for all inputs: its folder, and what it was asked. */
struct bed {
	char root[64];
	int root_fd;
	struct odd_redis redis;
	uint64_t inputs;
};

static struct bed bed;

struct asked {
	struct platform_host host;
	uint32_t handles;
	bool told[SONIC_SOURCE_COUNT];
	enum source_state state[SONIC_SOURCE_COUNT];
	char reason[SONIC_SOURCE_COUNT][SOURCE_REASON_MAX];
	bool own_done;			/* Petrel's own rows came, whole */
};

/* ---- the host ---- */

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	struct asked *a = context;

	assert(memchr(key->name, '\0', sizeof(key->name)));
	*ret = a->handles++ % 4096;
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	(void)context;
	(void)handle;
	assert(attribute_name(which));
	assert(!text || strlen(text) < ATTRIBUTE_TEXT_MAX);
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	(void)context;
	(void)index;
	(void)value;
	(void)quality;
	assert(quantity_find((uint16_t)quantity));
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct asked *a = context;

	assert(source < SONIC_SOURCE_COUNT && interval_ns >= 0);
	assert(!reason || strlen(reason) < SOURCE_REASON_MAX);
	a->told[source] = true;
	a->state[source] = state;
	(void)snprintf(a->reason[source], SOURCE_REASON_MAX, "%s",
		       reason ? reason : "");
}

static void own_field(void *context, const char *section, const char *key,
		      const char *value)
{
	(void)context;
	assert(strlen(section) < 32 && strlen(key) < 64 && strlen(value) < 256);
}

static void own_done(void *context)
{
	((struct asked *)context)->own_done = true;
}

static void own_failed(void *context, const char *reason)
{
	(void)context;
	assert(!reason || strlen(reason) < SOURCE_REASON_MAX);
}

static const char *option(void *context, const char *key)
{
	(void)context;
	return strcmp(key, "publish") == 0 ? "state_db" : NULL;
}

/* ---- one reading of all ---- */

static void reading(void *driver, struct config_db *own, struct mono now)
{
	const struct platform_driver *d = &sonic_driver;
	struct finding f = { .id = "abcdefghijkl", .when = now,
			     .subject = "Ethernet0" };

	for (unsigned i = 0; d->sources[i]; i++) {
		struct diag why = { "" };

		if (d->sources[i]->read)
			(void)d->sources[i]->read(driver, now, &why);
		assert(strlen(why.text) < sizeof(why.text));
	}
	d->findings(driver, &f, now.ns / NS_PER_S % 3 > 0, now);
	config_db_event(own, now);
	for (unsigned i = 0; i < ROUNDS_MAX; i++) {
		bool any = odd_redis_serve(&bed.redis);

		d->event(driver, now);
		config_db_event(own, now);
		if (!any && !odd_redis_serve(&bed.redis))
			break;
	}
}

/* What has rows in the right answers. */
static bool is_well(const struct asked *a)
{
	static const enum sonic_source all[] = { SONIC_COUNTERS, SONIC_PORTS,
						 SONIC_CHANGES };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!a->told[all[i]] || a->state[all[i]] != SOURCE_FRESH)
			return false;
	if (a->state[SONIC_PUBLISH] != SOURCE_FRESH)	/* changes are told */
		return false;
	return a->own_done;
}

static void all_ask(void *driver, struct config_db *own, struct asked *a)
{
	struct mono now = { 1000 * NS_PER_S };

	for (unsigned i = 0; i < STEPS_MAX; i++, now.ns += STEP_NS) {
		if (odd_redis_is_right(&bed.redis))
			break;
		reading(driver, own, now);
	}
	/* The tape is over; what was fresh before does not count. */
	bed.redis.tape_len = bed.redis.tape_pos = 0;
	bed.redis.right = 0;
	memset(a->told, 0, sizeof(a->told));
	a->own_done = false;
	for (unsigned i = 0; i < BACK_S && !is_well(a); i++) {
		now.ns += NS_PER_S;
		reading(driver, own, now);
	}
	if (!is_well(a))
		for (unsigned i = 0; i < SONIC_SOURCE_COUNT; i++)
			(void)fprintf(stderr, "source %u: state %u: %s\n", i,
				      a->state[i], a->reason[i]);
	assert(is_well(a));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sections[] = { "agent", "push", NULL };
	struct asked a = { .host = deaf_host(&a) };
	struct config_db_env own_env = {
		.root_fd = bed.root_fd, .sections = sections, .context = &a,
		.field = own_field, .done = own_done, .failed = own_failed };
	struct platform_env env = {
		.abi = PLATFORM_ABI, .size = sizeof(env),
		.root_fd = bed.root_fd, .option = option, .host = &a.host };
	struct config_db *own;
	void *driver;

	a.host.entity = on_entity;
	a.host.attribute = on_attribute;
	a.host.sample = on_sample;
	a.host.source = on_source;
	odd_redis_wind(&bed.redis, data, size);
	assert(sonic_driver.open(&env, &driver, NULL) == 0);
	assert(config_db_open(&own_env, &own) == 0);
	all_ask(driver, own, &a);
	config_db_close(own);
	sonic_driver.close(driver);
	bed.inputs++;
	return 0;
}

/* ---- the bed ---- */

static void bed_fini(void)
{
	static const char *const below[] = { "/var/run/redis/redis.sock",
		"/var/run/redis", "/var/run", "/var", "" };
	char path[128];

	if (getenv("PETREL_FUZZ_REPLIES"))
		(void)fprintf(stderr, "replies: %" PRIu64 " of the wrong shape"
			      " among %" PRIu64 ", in %" PRIu64 " inputs\n",
			      bed.redis.odd, bed.redis.replies, bed.inputs);
	odd_redis_fini(&bed.redis);
	(void)close(bed.root_fd);
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", bed.root, below[i]);
		(void)remove(path);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const below[] = { "/var", "/var/run",
					     "/var/run/redis" };
	char path[128];

	(void)argc;
	(void)argv;
	(void)strcpy(bed.root, "/tmp/petrel-fuzz-XXXXXX");
	assert(mkdtemp(bed.root));
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", bed.root, below[i]);
		assert(mkdir(path, 0700) == 0);
	}
	(void)snprintf(path, sizeof(path), "%s/var/run/redis/redis.sock",
		       bed.root);
	odd_redis_init(&bed.redis, path);
	bed.root_fd = open(bed.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(bed.root_fd >= 0);
	return atexit(bed_fini);
}

/* The sonic driver against a bare pipelined fetch of the same fields, in
 * turns, on a real redis that petrel-vswitch plays into each second: CPU of the
 * client and of the server, and how long the burst lasts.
 *
 *   fetch_sonic ROOT SOCKET SERVER_PID PERIOD_MS PAIRS SOURCE...
 *
 * Bare: hiredis as it comes, the very commands for rows of counters and modules
 * that the driver was seen to send (MONITOR, before anything is measured), in
 * one pipeline a database, each reply freed and not looked at. The driver does
 * the same, and looks for new ids, finds, parses and hands over each value.
 * Both take their turn in each second, once vswitch has played; which is first
 * changes from second to second.
 */
#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/platform.h"
#include "platform/driver.h"
#include "tests/support/deaf_host.h"

#define PAIRS_MAX 200
#define WARM_UP 4		/* periods, for maps and buffers */
#define DATABASES 16
#define SOURCES_MAX 32
/* Of a period: vswitch plays counters at its begin, modules each quarter. */
#define PLAYED_PART 0.37
#define TURN_PART 0.25
#define PERIOD_MIN_MS 100
#define SENTINEL "fetch-sonic-has-seen-enough"

/* wait_us: both wanted a processor and had none. */
struct cost { double client_us, server_us, wall_us, wait_us; };


/* Counts what the program and its libraries allocate. glibc's own names lie
 * below; the sanitizers bring their own malloc, and nothing is counted.
 */
struct allocations { uint64_t count; };
static struct allocations allocations;
#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations.count++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations.count++;
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	allocations.count++;
	return __libc_realloc(old, size);
}
#endif

struct bench {
	void *instance;
	unsigned told;			/* sources that ended their read */
	uint64_t values, bad;
	uint64_t allocated;		/* by all driver cycles but the first */
	uint32_t entities;
	const struct platform_source *source[SOURCES_MAX];
	unsigned source_count;
	const char *socket;
	struct fetch {			/* of a database */
		redisContext *redis;
		char *commands;
		size_t len;
		unsigned count;
	} bare[DATABASES];
	unsigned count;			/* rows of all */
	int64_t played_ns;		/* when vswitch played once */
	int64_t period_ns;
	char schedstat[64];
};

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	(void)key;
	*ret = ++((struct bench *)context)->entities;
	return 0;
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	(void)quantity;
	(void)index;
	(void)value;
	(void)quality;
	((struct bench *)context)->values++;
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct bench *b = context;

	(void)interval_ns;
	b->told++;
	if (state == SOURCE_FRESH)
		return;
	b->bad++;
	fprintf(stderr, "%s not fresh: %s\n",
		sonic_driver.sources[source]->name, reason ? reason : "-");
}

static const char *no_option(void *context, const char *key)
{
	(void)context;
	(void)key;
	return NULL;
}

static double cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The first two numbers of /proc/PID/schedstat: ns on a processor, and ns that
 * were waited for one.
 */
struct schedule { double ran_us, waited_us; };

static struct schedule schedule_of(const char *path)
{
	char text[128] = "", *second;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t ran = 0, waited = 0;

	if (fd < 0)
		return (struct schedule){ 0, 0 };
	if (read(fd, text, sizeof(text) - 1) > 0)
		(void)number_parse_n(text, strcspn(text, " "), 0, UINT64_MAX,
				     &ran);
	second = strchr(text, ' ');
	if (second)
		(void)number_parse_n(second + 1, strcspn(second + 1, " "), 0,
				     UINT64_MAX, &waited);
	close(fd);
	return (struct schedule){ (double)ran / 1e3, (double)waited / 1e3 };
}

static void driver_cycle(struct bench *b)
{
	uint32_t want;
	unsigned waiting = 0;

	b->told = 0;
	for (unsigned i = 0; i < b->source_count; i++) {
		struct diag d = { "" };
		int rc = b->source[i]->read(b->instance, clock_mono_now(), &d);

		waiting += rc == -EINPROGRESS;
		if (rc < 0 && rc != -EINPROGRESS) {
			fprintf(stderr, "%s: %s\n", b->source[i]->name,
				d.text);
			b->bad++;
		}
	}
	while (b->told < waiting) {
		struct pollfd p = { .events = POLLIN };

		p.fd = sonic_driver.event_fd(b->instance, &want);
		(void)poll(&p, 1, 1000);
		sonic_driver.event(b->instance, clock_mono_now());
	}
}

static void bare_cycle(struct bench *b)
{
	for (unsigned n = 0; n < DATABASES; n++) {
		struct fetch *f = &b->bare[n];

		if (f->count > 0 &&
		    redisAppendFormattedCommand(f->redis, f->commands,
						f->len) != REDIS_OK)
			b->bad++;
		for (unsigned i = 0; i < f->count; i++) {
			void *reply;

			if (redisGetReply(f->redis, &reply) != REDIS_OK) {
				b->bad++;
				return;
			}
			freeReplyObject(reply);
		}
	}
}

static struct cost cost_of(struct bench *b, void (*cycle)(struct bench *))
{
	const struct timespec settle = { .tv_nsec = 20000000 };
	struct schedule server, own, server_after;
	double client, waited;
	int64_t begin;

	(void)nanosleep(&settle, NULL);
	server = schedule_of(b->schedstat);
	own = schedule_of("/proc/self/schedstat");
	client = cpu_us();
	begin = clock_mono_now().ns;
	cycle(b);
	begin = clock_mono_now().ns - begin;
	client = cpu_us() - client;
	waited = schedule_of("/proc/self/schedstat").waited_us - own.waited_us;
	(void)nanosleep(&settle, NULL);	/* its last write is counted too */
	server_after = schedule_of(b->schedstat);
	waited += server_after.waited_us - server.waited_us;
	return (struct cost){ client, server_after.ran_us - server.ran_us,
			      (double)begin / 1e3, waited };
}

static redisContext *connect_to(const char *socket, unsigned database)
{
	redisContext *c = redisConnectUnix(socket);

	if (!c || c->err)
		exit(EXIT_FAILURE);
	freeReplyObject(redisCommand(c, "SELECT %u", database));
	return c;
}

static void bare_add(struct bench *b, unsigned database, size_t count,
		     const char **words)
{
	struct fetch *f = &b->bare[database];
	sds command;
	long long n = redisFormatSdsCommandArgv(&command, (int)count, words,
						NULL);
	char *all = realloc(f->commands, f->len + (size_t)n);

	if (!all)
		exit(EXIT_FAILURE);
	memcpy(all + f->len, command, (size_t)n);
	f->commands = all;
	f->len += (size_t)n;
	f->count++;
	b->count++;
	redisFreeSdsCommand(command);
}

/* '1700000000.1 [2 unix:…] "HMGET" "COUNTERS:oid:0x1" "FIELD"'; rows of
 * objects and modules are kept, what finds them is not.
 */
static void seen(struct bench *b, char *line)
{
	char *at = strchr(line, '['), *save = NULL;
	const char *words[PAIRS_MAX];
	uint64_t database;
	size_t count = 0;

	if (!at || number_parse_n(at + 1, strcspn(at + 1, " "), 0,
				  DATABASES - 1, &database) < 0)
		return;
	at = strchr(at, '"');
	for (char *w = strtok_r(at, "\"", &save); w && count < PAIRS_MAX;
	     w = strtok_r(NULL, "\"", &save))
		if (w[0] != ' ')
			words[count++] = w;
	if (count > 1 && (strstr(words[1], ":oid:") || strchr(words[1], '|')))
		bare_add(b, (unsigned)database, count, words);
}

/* Lets the driver read once and notes what it asks for. */
static void bare_learn(struct bench *b)
{
	redisContext *monitor = connect_to(b->socket, 0);
	redisContext *other = connect_to(b->socket, 0);
	redisReply *r;
	bool more = true;

	freeReplyObject(redisCommand(monitor, "MONITOR"));
	driver_cycle(b);
	freeReplyObject(redisCommand(other, "ECHO " SENTINEL));
	while (more && redisGetReply(monitor, (void **)&r) == REDIS_OK) {
		more = !strstr(r->str, SENTINEL);
		if (!strstr(r->str, "HSET"))	/* vswitch's own */
			seen(b, r->str);
		freeReplyObject(r);
	}
	redisFree(monitor);
	redisFree(other);
	for (unsigned i = 0; i < DATABASES; i++)
		if (b->bare[i].count > 0)
			b->bare[i].redis = connect_to(b->socket, i);
}

/* When vswitch played last, by its own stamp. */
static int64_t stamp_read(const struct bench *b)
{
	redisContext *c = connect_to(b->socket, 2);
	redisReply *r = redisCommand(c, "HGET COUNTERS:TIME_STAMP "
				     "PORT_STAT_COUNTER_Port_Counter_"
				     "time_stamp");
	uint64_t ns = 0;

	if (r && r->type == REDIS_REPLY_STRING)
		(void)number_parse(r->str, 1, INT64_MAX, &ns);
	freeReplyObject(r);
	redisFree(c);
	return (int64_t)ns;
}

/* Until a turn after vswitch's next play. */
static void turn_wait(const struct bench *b, unsigned turn)
{
	double part = PLAYED_PART + turn * TURN_PART;
	int64_t now = clock_mono_now().ns;
	int64_t due = b->played_ns + (int64_t)(part * (double)b->period_ns);
	struct timespec t;

	if (due <= now)
		due += ((now - due) / b->period_ns + 1) * b->period_ns;
	t.tv_sec = due / NS_PER_S;
	t.tv_nsec = due % NS_PER_S;
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int double_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *list, size_t n)
{
	qsort(list, n, sizeof(*list), double_order);
	return n % 2 ? list[n / 2] : (list[n / 2 - 1] + list[n / 2]) / 2;
}

enum row { DRIVER_CLIENT, BARE_CLIENT, DRIVER_SERVER, BARE_SERVER,
	   DRIVER_WALL, BARE_WALL, DRIVER_WAIT, ROW_COUNT };

static void ratio_print(const char *what, double driver, double most,
			double bare, double reach)
{
	printf("sonic %s CPU a cycle: driver %.0f us (most %.0f), bare "
	       "pipelined fetch %.0f us, ratio %.2f (reach %.2f)\n", what,
	       driver, most, bare, driver / bare, reach);
}

static size_t longest_of(const double *list, size_t n)
{
	size_t longest = 0;

	for (size_t i = 1; i < n; i++)
		if (list[i] > list[longest])
			longest = i;
	return longest;
}

static void report(double cost[ROW_COUNT][PAIRS_MAX], size_t pairs,
		   const struct bench *b)
{
	double middle[ROW_COUNT];
	size_t longest = longest_of(cost[DRIVER_WALL], pairs);
	struct cost worst = { cost[DRIVER_CLIENT][longest],
			      cost[DRIVER_SERVER][longest],
			      cost[DRIVER_WALL][longest],
			      cost[DRIVER_WAIT][longest] };

	for (unsigned i = 0; i < ROW_COUNT; i++)
		middle[i] = median(cost[i], pairs);
	printf("sonic:");
	for (unsigned i = 0; i < b->source_count; i++)
		printf(" %s", b->source[i]->name);
	printf(" of petrel-vswitch each %" PRId64 " ms, %u rows and %" PRIu64
	       " values a cycle, %zu interleaved pairs\n",
	       b->period_ns / NS_PER_MS, b->count, b->values / pairs, pairs);
	ratio_print("client", middle[DRIVER_CLIENT],
		    cost[DRIVER_CLIENT][pairs - 1], middle[BARE_CLIENT], 1.5);
	ratio_print("server", middle[DRIVER_SERVER],
		    cost[DRIVER_SERVER][pairs - 1], middle[BARE_SERVER], 1.05);
	printf("sonic burst: one a cycle, median %.1f ms, longest %.1f ms; "
	       "the bare fetch's %.1f ms (reach 10 ms)\n",
	       middle[DRIVER_WALL] / 1e3, worst.wall_us / 1e3,
	       middle[BARE_WALL] / 1e3);
	printf("sonic burst: the longest is cycle %zu: client's CPU %.1f ms, "
	       "server's %.1f ms, both waited %.1f ms for a processor; median "
	       "of that wait %.1f ms\n", longest + 1, worst.client_us / 1e3,
	       worst.server_us / 1e3, worst.wait_us / 1e3,
	       middle[DRIVER_WAIT] / 1e3);
	printf("sonic allocations in the driver: %" PRIu64 " in %zu cycles "
	       "(reach 0)\n", b->allocated, pairs);
}

/* What redis-server counted of scripts, over its whole life. */
static void lua_print(const struct bench *b)
{
	static const char *const calls[] = { "eval", "fcall", "script",
					     "function" };
	redisContext *c = connect_to(b->socket, 0);
	redisReply *r = redisCommand(c, "INFO commandstats");
	unsigned found = 0;

	for (size_t i = 0; r && i < sizeof(calls) / sizeof(calls[0]); i++) {
		char stat[32];

		(void)snprintf(stat, sizeof(stat), "cmdstat_%s", calls[i]);
		found += r->str && strstr(r->str, stat);
	}
	printf("sonic Lua in the server: %u kinds of script calls in its "
	       "commandstats (reach 0)\n", found);
	freeReplyObject(r);
	redisFree(c);
}

/* False: the driver has no such source. */
static bool source_add(struct bench *b, const char *name)
{
	for (size_t i = 0; sonic_driver.sources[i]; i++)
		if (b->source_count < SOURCES_MAX &&
		    strcmp(sonic_driver.sources[i]->name, name) == 0) {
			b->source[b->source_count++] = sonic_driver.sources[i];
			return true;
		}
	fprintf(stderr, "'%s' is no source of the sonic driver\n", name);
	return false;
}

static int bench_open(struct bench *b, char **argv, struct platform_host *host)
{
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .option = no_option, .host = host };

	*host = deaf_host(b);
	host->entity = on_entity;
	host->sample = on_sample;
	host->source = on_source;
	(void)snprintf(b->schedstat, sizeof(b->schedstat),
		       "/proc/%.20s/schedstat", argv[3]);
	b->socket = argv[2];
	b->played_ns = stamp_read(b);
	env.root_fd = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	return sonic_driver.open(&env, &b->instance, NULL);
}

/* Modules must be known before their readings are: all sources once. */
static void warm_up(struct bench *b)
{
	struct bench asked = *b;

	b->source_count = 0;
	for (size_t i = 0; sonic_driver.sources[i]; i++)
		if (sonic_driver.sources[i]->read &&
		    b->source_count < SOURCES_MAX)
			b->source[b->source_count++] = sonic_driver.sources[i];
	turn_wait(b, 1);
	driver_cycle(b);
	memcpy(b->source, asked.source, sizeof(b->source));
	b->source_count = asked.source_count;
	for (int i = 0; i < WARM_UP; i++) {
		turn_wait(b, 1);
		driver_cycle(b);
	}
}

/* The driver reads at the same place in each second, as it would by itself:
 * what comes sooner than its source's interval it does not ask for. The bare
 * fetch comes before it or behind it.
 */
static void pair_take(struct bench *b, bool bare_first, struct cost *driver,
		      struct cost *bare)
{
	uint64_t before;

	if (bare_first) {
		turn_wait(b, 0);
		*bare = cost_of(b, bare_cycle);
	}
	turn_wait(b, 1);
	before = allocations.count;
	*driver = cost_of(b, driver_cycle);
	b->allocated += allocations.count - before;
	if (!bare_first) {
		turn_wait(b, 2);
		*bare = cost_of(b, bare_cycle);
	}
}

static void pairs_take(struct bench *b, size_t pairs,
		       double cost[ROW_COUNT][PAIRS_MAX])
{
	for (size_t i = 0; i < pairs; i++) {
		struct cost d, f;

		pair_take(b, i % 2 == 0, &d, &f);
		cost[DRIVER_CLIENT][i] = d.client_us;
		cost[BARE_CLIENT][i] = f.client_us;
		cost[DRIVER_SERVER][i] = d.server_us;
		cost[BARE_SERVER][i] = f.server_us;
		cost[DRIVER_WALL][i] = d.wall_us;
		cost[BARE_WALL][i] = f.wall_us;
		cost[DRIVER_WAIT][i] = d.wait_us;
	}
}

int main(int argc, char **argv)
{
	double cost[ROW_COUNT][PAIRS_MAX];
	struct platform_host host;
	struct bench b = { 0 };
	uint64_t pairs, period_ms;

	if (argc < 7 ||
	    number_parse(argv[4], PERIOD_MIN_MS, 60000, &period_ms) < 0 ||
	    number_parse(argv[5], 10, PAIRS_MAX, &pairs) < 0) {
		fprintf(stderr, "usage: fetch_sonic ROOT SOCKET SERVER_PID "
			"PERIOD_MS PAIRS SOURCE...\n  PAIRS from 10 on\n");
		return 64;
	}
	b.period_ns = (int64_t)period_ms * NS_PER_MS;
	for (int i = 6; i < argc; i++)
		if (!source_add(&b, argv[i]))
			return 64;
	if (bench_open(&b, argv, &host) != 0)
		return EXIT_FAILURE;
	warm_up(&b);
	turn_wait(&b, 1);
	bare_learn(&b);
	bare_cycle(&b);
	b.values = b.bad = 0;
	pairs_take(&b, pairs, cost);
	report(cost, pairs, &b);
	lua_print(&b);
	sonic_driver.close(b.instance);
	for (unsigned i = 0; i < DATABASES; i++) {
		redisFree(b.bare[i].redis);
		free(b.bare[i].commands);
	}
	return b.bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

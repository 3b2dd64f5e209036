/* The sonic driver against a bare pipelined fetch of the same rows, in turns,
 * on one real redis: CPU of the client and of the server, a cycle.
 *
 *   bench_sonic ROOT SOCKET SERVER_PID [PAIRS]
 *
 * Bare: hiredis as it comes, all HGETALLs of COUNTERS:oid:* that the name maps
 * name in one pipeline, each reply freed and not looked at. The driver does
 * the same, and finds, parses and hands over each value.
 */
#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/platform.h"
#include "platform/sonic/sonic.h"
#include "platform/sonic/tables.h"

#define PAIRS_DEFAULT 20
#define PAIRS_MAX 200
#define CYCLES 10		/* a sample; the mean of them counts */

struct cost { double client_us, server_us; };

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
	redisContext *bare;
	char *commands;			/* of the bare fetch */
	size_t len;
	unsigned count;
	char schedstat[64];
};

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	(void)key;
	*ret = ++((struct bench *)context)->entities;
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	(void)context;
	(void)handle;
	(void)which;
	(void)text;
}

static void on_gone(void *context, uint32_t handle)
{
	(void)context;
	(void)handle;
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	(void)context;
	(void)source;
	(void)handle;
	(void)age;
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

static void on_event(void *context, uint32_t handle, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	(void)context;
	(void)handle;
	(void)what;
	(void)value;
	(void)when;
	(void)text;
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct bench *b = context;

	(void)source;
	(void)interval_ns;
	(void)reason;
	b->told++;
	b->bad += state != SOURCE_FRESH;
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

/* The first number of /proc/PID/schedstat: ns on a processor. */
static double server_us(const struct bench *b)
{
	char text[128] = "";
	int fd = open(b->schedstat, O_RDONLY | O_CLOEXEC);
	uint64_t ns = 0;

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0)
		(void)number_parse_n(text, strcspn(text, " "), 0, UINT64_MAX,
				     &ns);
	close(fd);
	return (double)ns / 1e3;
}

static void driver_cycle(struct bench *b)
{
	static const enum sonic_source sources[] = { SONIC_COUNTERS,
						     SONIC_QUEUES };
	uint32_t want;
	unsigned waiting = 0;

	b->told = 0;
	for (size_t i = 0; i < 2; i++) {
		struct diag d = { "" };
		int rc = sonic_driver.sources[sources[i]]->read(
			b->instance, clock_mono_now(), &d);

		waiting += rc == -EINPROGRESS;
		if (rc < 0 && rc != -EINPROGRESS) {
			fprintf(stderr, "%s\n", d.text);
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
	if (redisAppendFormattedCommand(b->bare, b->commands, b->len) !=
	    REDIS_OK)
		b->bad++;
	for (unsigned i = 0; i < b->count; i++) {
		void *reply;

		if (redisGetReply(b->bare, &reply) != REDIS_OK) {
			b->bad++;
			return;
		}
		freeReplyObject(reply);
	}
}

static struct cost cost_of(struct bench *b, void (*cycle)(struct bench *))
{
	const struct timespec settle = { .tv_nsec = 2000000 };
	double server, client;

	(void)nanosleep(&settle, NULL);
	server = server_us(b);
	client = cpu_us();
	for (int i = 0; i < CYCLES; i++)
		cycle(b);
	client = cpu_us() - client;
	(void)nanosleep(&settle, NULL);	/* its last write is counted too */
	server = server_us(b) - server;
	return (struct cost){ client / CYCLES, server / CYCLES };
}

static void bare_add(struct bench *b, const char *map)
{
	redisReply *names = redisCommand(b->bare, "HGETALL %s", map);

	for (size_t i = 1; names && i < names->elements; i += 2) {
		char *command, *all;
		int n = redisFormatCommand(&command, "HGETALL COUNTERS:%s",
					   names->element[i]->str);

		all = realloc(b->commands, b->len + (size_t)n);
		if (!all)
			exit(EXIT_FAILURE);
		memcpy(all + b->len, command, (size_t)n);
		b->commands = all;
		b->len += (size_t)n;
		b->count++;
		redisFreeCommand(command);
	}
	freeReplyObject(names);
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

static void report(double cost[4][PAIRS_MAX], size_t pairs,
		   const struct bench *b)
{
	double driver = median(cost[0], pairs), bare = median(cost[1], pairs);
	double driver_server = median(cost[2], pairs);
	double bare_server = median(cost[3], pairs);

	printf("sonic: %u rows a cycle, %" PRIu64 " values handed over a "
	       "cycle, %zu interleaved pairs\n", b->count,
	       b->values / (CYCLES * (pairs + 1)), pairs);
	printf("sonic client CPU a cycle: driver %.0f us, bare pipelined "
	       "fetch %.0f us, ratio %.2f (reach 1.50)\n", driver, bare,
	       driver / bare);
	printf("sonic server CPU a cycle: driver %.0f us, bare %.0f us, ratio "
	       "%.2f (reach 1.05)\n", driver_server, bare_server,
	       driver_server / bare_server);
	printf("sonic allocations in the driver: %" PRIu64 " in %zu cycles "
	       "(reach 0)\n", b->allocated, CYCLES * pairs);
}

static int bench_open(struct bench *b, char **argv, struct platform_host *host)
{
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .option = no_option, .host = host };

	*host = (struct platform_host){
		.abi = PLATFORM_ABI, .size = sizeof(*host), .context = b,
		.entity = on_entity, .attribute = on_attribute,
		.gone = on_gone, .group = on_group, .sample = on_sample,
		.event = on_event, .source = on_source,
	};
	(void)snprintf(b->schedstat, sizeof(b->schedstat),
		       "/proc/%.20s/schedstat", argv[3]);
	b->bare = redisConnectUnix(argv[2]);
	if (!b->bare || b->bare->err)
		return -1;
	freeReplyObject(redisCommand(b->bare, "SELECT 2"));
	bare_add(b, "COUNTERS_PORT_NAME_MAP");
	bare_add(b, "COUNTERS_QUEUE_NAME_MAP");
	env.root_fd = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	return sonic_driver.open(&env, &b->instance, NULL);
}

int main(int argc, char **argv)
{
	double cost[4][PAIRS_MAX];
	struct platform_host host;
	struct bench b = { 0 };
	uint64_t pairs = PAIRS_DEFAULT;

	if (argc < 4 || (argc > 4 && number_parse(argv[4], 10, PAIRS_MAX,
						  &pairs) < 0)) {
		fprintf(stderr, "usage: bench_sonic ROOT SOCKET SERVER_PID "
			"[PAIRS from 10]\n");
		return 64;
	}
	if (bench_open(&b, argv, &host) != 0)
		return EXIT_FAILURE;
	(void)cost_of(&b, driver_cycle);	/* maps, buffers */
	(void)cost_of(&b, bare_cycle);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t before = allocations.count;
		struct cost f, d = cost_of(&b, driver_cycle);

		b.allocated += allocations.count - before;
		f = cost_of(&b, bare_cycle);

		cost[0][i] = d.client_us;
		cost[1][i] = f.client_us;
		cost[2][i] = d.server_us;
		cost[3][i] = f.server_us;
	}
	report(cost, pairs, &b);
	sonic_driver.close(b.instance);
	redisFree(b.bare);
	free(b.commands);
	return b.bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

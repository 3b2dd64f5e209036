/* Samples a second into VictoriaMetrics: the remote-write sink, from entries of
 * the spool in memory on, against a bare generator that writes requests of as
 * many samples of series whose labels it has. Interleaved pairs; one switch,
 * 64 ports, each value another at each tick.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/collect/database.h"
#include "agent/collect/http_client.h"
#include "agent/collect/remote_batch.h"
#include "petrel/log.h"
#include "petrel/quantity.h"
#include "tests/support/spool_load.h"

#define PAIRS 10
#define TICKS 60u
#define PORTS 64u
#define PER_REQUEST 10000u

static void die(const char *what)
{
	fprintf(stderr, "bench_remote: %s\n", what);
	exit(1);
}

static bool counters(const struct quantity_info *q)
{
	return q->scope == ENTITY_PORT && q->kind == KIND_COUNTER &&
	       !quantity_is_indexed(q);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double ours_run(void *sink, struct spool_load *l, struct place *at)
{
	const struct sink_driver *driver = &remote_write_driver;
	struct diag d = { "" };
	struct place kept;
	double start = seconds();

	for (unsigned i = 0; i < l->entries; i++) {
		int rc = driver->entry(sink, &l->entry[i], *at, &d);

		at->offset += l->entry[i].len;
		if (rc < 0 || (rc == 1 && driver->commit(sink, *at, &kept,
							  &d) < 0))
			die(d.text);
	}
	if (driver->commit(sink, *at, &kept, &d) < 0)
		die(d.text);
	return seconds() - start;
}

static double bare_run(struct http_client *http, uint64_t samples,
		       uint32_t series, struct mono from)
{
	static const char *const headers[] = {
		"Content-Type: application/x-protobuf",
		"Content-Encoding: snappy", NULL };
	static uint8_t labels[8192][160];
	static size_t len[8192];
	static struct remote_batch batch;
	struct http_answer a;
	struct diag d = { "" };
	double start;

	for (uint32_t s = 0; s < series && !len[s]; s++) {
		char name[96], port[24];
		struct remote_label label[] = { { "__name__", name },
			{ "port", port }, { "switch", "bare" } };

		snprintf(name, sizeof(name), "petrel_a_counter_%u_total",
			 s / PORTS);
		snprintf(port, sizeof(port), "Ethernet%u", s % PORTS * 8);
		len[s] = remote_labels_write(label, 3, labels[s], 160);
	}
	start = seconds();
	for (uint64_t n = 0; n < samples; n++) {
		int64_t ms = clock_wall_now().ns / 1000000 - 86400000 +
			     from.ns / 1000000 + (int64_t)(n / series) * 1000;
		size_t packed;
		const char *body;

		remote_batch_add(&batch, labels[n % series], len[n % series],
				 (double)(n * 1000 + ((uint64_t)rand() &
						      0xffff)), ms);
		if (batch.count < PER_REQUEST && n + 1 < samples)
			continue;
		body = remote_batch_pack(&batch, 0, batch.count, &packed);
		if (http_post(http, headers, body, packed, &a, &d) < 0 ||
		    a.status / 100 != 2)
			die(d.text);
		remote_batch_empty(&batch);
	}
	return seconds() - start;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static pid_t engine_start(const char *dir, unsigned port)
{
	char data[96], listen[64];
	pid_t pid;

	snprintf(data, sizeof(data), "-storageDataPath=%s/vm", dir);
	snprintf(listen, sizeof(listen), "-httpListenAddr=127.0.0.1:%u", port);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)dup2(null, 1);
		(void)dup2(null, 2);
		execlp("victoria-metrics", "victoria-metrics", data, listen,
		       "-retentionPeriod=1y", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* False: there is no engine. */
static bool engine_wait(struct http_client *http, pid_t pid)
{
	struct http_answer a;

	for (unsigned i = 0; i < 300; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return false;
		if (http_get(http, "/health", &a, NULL) == 0 && a.status == 200)
			return true;
		usleep(100000);
	}
	return false;
}

static void pairs_run(struct spool_load *l, const struct sink_env *env,
		      struct http_client *http)
{
	double ours[PAIRS], bare[PAIRS], ratio[PAIRS];
	struct place at = { 1, 16 };
	struct diag d = { "" };
	void *sink;

	if (remote_write_driver.open(env, &sink, &d) < 0)
		die(d.text);
	(void)remote_write_driver.begin(sink);
	for (int i = -1; i < PAIRS; i++) {	/* the first makes the series */
		struct mono from = l->now;
		struct wall wall = { clock_wall_now().ns - 86400 * NS_PER_S +
				     l->now.ns };
		uint64_t samples = spool_load_ticks(l, TICKS, NS_PER_S, wall);
		double a = ours_run(sink, l, &at);
		double b = bare_run(http, samples, l->columns * PORTS, from);

		spool_load_forget(l);
		if (i < 0)
			continue;
		ours[i] = (double)samples / a;
		bare[i] = (double)samples / b;
		ratio[i] = b / a;
	}
	qsort(ours, PAIRS, sizeof(*ours), compare);
	qsort(bare, PAIRS, sizeof(*bare), compare);
	qsort(ratio, PAIRS, sizeof(*ratio), compare);
	printf("remote: %.0f samples a second into VictoriaMetrics, a bare "
	       "generator %.0f: %.2f x (reach: 0.8)\n", ours[PAIRS / 2],
	       bare[PAIRS / 2], ratio[PAIRS / 2]);
	remote_write_driver.close(sink);
}

int main(void)
{
	static struct collector_config config;
	static struct spool_load l;
	char dir[] = "/tmp/bench-remote-XXXXXX", command[64];
	unsigned port = 20000 + (unsigned)getpid() % 20000;
	struct http_engine engine = { config.remote.url, "", "",
				      10 * NS_PER_S };
	struct sink_env env = { .config = &config };
	struct http_client *http;
	struct diag d = { "" };
	pid_t pid;

	if (!mkdtemp(dir))
		die("no folder");
	snprintf(config.database, sizeof(config.database), "%s/db", dir);
	snprintf(config.remote.refused_file, CONFIG_TEXT_MAX, "%s/no", dir);
	snprintf(config.remote.url, CONFIG_TEXT_MAX,
		 "http://127.0.0.1:%u/api/v1/write", port);
	config.remote.timeout_ns = 10 * NS_PER_S;
	config.remote.replay_ns = 60 * NS_PER_S;
	config.remote.max_series = 1000000;
	env.spool_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (database_open(config.database, &env.database, &d) < 0 ||
	    http_client_open(&engine, &http, &d) < 0)
		die(d.text);
	if (!spool_load_init(&l, PORTS, counters))
		die("out of memory");
	l.growth = 65536;
	pid = engine_start(dir, port);
	if (engine_wait(http, pid))
		pairs_run(&l, &env, http);
	else
		printf("remote: not measured: no victoria-metrics here\n");
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	http_client_close(http);
	database_close(env.database);
	spool_load_fini(&l);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) != 0;
}

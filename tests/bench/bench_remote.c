/* Samples a second into VictoriaMetrics: the remote-write sink, from entries of
 * the spool in memory on, against a bare generator that writes requests as
 * large, of series named and valued alike, whose labels it has. One switch, 64
 * ports, each value another at each tick.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/metric.h"
#include "agent/collect/database.h"
#include "agent/collect/http_client.h"
#include "agent/collect/remote_batch.h"
#include "petrel/log.h"
#include "petrel/quantity.h"
#include "tests/support/spool_load.h"

#define MINUTES 31u
#define TICKS 60u
#define PORTS 64u
#define PER_REQUEST 10000u
#define SERIES_MAX 8192u
#define LABELS_MAX 160u

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

/* One entry of the spool; a full batch is sent. */
static void ours_entry(void *sink, const struct entry *e, struct place *at)
{
	const struct sink_driver *driver = &remote_write_driver;
	struct diag d = { "" };
	struct place kept;
	int rc = driver->entry(sink, e, *at, &d);

	at->offset += e->len;
	if (rc < 0 || (rc == 1 && driver->commit(sink, *at, &kept, &d) < 0))
		die(d.text);
}

/* What the bare generator writes: series named and valued as ours. */
struct bare {
	struct http_client *http;
	struct remote_batch batch;
	uint32_t series, growth;
	uint8_t labels[SERIES_MAX][LABELS_MAX];
	size_t len[SERIES_MAX];
	int64_t value[SERIES_MAX];
};

static void bare_init(struct bare *b, const struct spool_load *l)
{
	b->series = l->columns * l->ports;
	b->growth = l->growth;
	if (b->series > SERIES_MAX)
		die("more series than room for them");
	for (uint32_t s = 0; s < b->series; s++) {
		struct metric m;
		char port[24];
		struct remote_label label[] = { { "__name__", m.name },
			{ "port", port }, { "switch", "bare" } };

		metric_of(quantity_find(l->column[s / l->ports].quantity), &m);
		snprintf(port, sizeof(port), "Ethernet%u", s % l->ports * 8);
		b->len[s] = remote_labels_write(label, 3, b->labels[s],
						LABELS_MAX);
	}
}

static void bare_send(struct bare *b)
{
	static const char *const headers[] = {
		"Content-Type: application/x-protobuf",
		"Content-Encoding: snappy", NULL };
	struct http_answer a;
	struct diag d = { "" };
	size_t packed;
	const char *body = remote_batch_pack(&b->batch, 0, b->batch.count,
					     &packed);

	if (http_post(b->http, headers, body, packed, &a, &d) < 0 ||
	    a.status / 100 != 2)
		die(d.text);
	remote_batch_empty(&b->batch);
}

/* One tick; a batch as full as one of the sink's is sent. */
static void bare_tick(struct bare *b, int64_t ms)
{
	for (uint32_t s = 0; s < b->series; s++) {
		b->value[s] += 1000 + rand() % b->growth;
		remote_batch_add(&b->batch, b->labels[s], b->len[s],
				 (double)b->value[s], ms);
	}
	if (b->batch.count >= PER_REQUEST)
		bare_send(b);
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

struct taken {
	double ours_s, bare_s;
};

/* The entries that a minute made, and as many ticks of the bare generator, in
 * turns. Who is first is drawn: else the engine's own work, as regular as the
 * requests, would fall on the same one each time.
 */
static void minute_run(struct spool_load *l, void *sink, struct place *at,
		       struct bare *bare, int64_t ms, struct taken *t)
{
	unsigned before = l->entries - TICKS;	/* dictionary and clock */

	for (unsigned i = 0; i < l->entries; i++) {
		bool is_tick = i >= before, first = rand() & 1;
		double begin = seconds(), end;

		if (is_tick && first)
			bare_tick(bare, ms + (i - before) * 1000);
		end = seconds();
		t->bare_s += end - begin;
		ours_entry(sink, &l->entry[i], at);
		begin = seconds();
		t->ours_s += begin - end;
		if (is_tick && !first)
			bare_tick(bare, ms + (i - before) * 1000);
		t->bare_s += seconds() - begin;
	}
}

static void minutes_run(struct spool_load *l, const struct sink_env *env,
			struct bare *bare)
{
	struct taken t = { 0 };
	uint64_t samples = 0;
	struct place at = { 1, 16 };
	struct diag d = { "" };
	void *sink;

	if (remote_write_driver.open(env, &sink, &d) < 0)
		die(d.text);
	(void)remote_write_driver.begin(sink);
	for (unsigned i = 0; i < MINUTES; i++) {
		struct wall wall = { clock_wall_now().ns - 86400 * NS_PER_S +
				     l->now.ns };

		if (i == 1) {		/* the first one makes the series */
			t = (struct taken){ 0 };
			samples = 0;
		}
		samples += spool_load_ticks(l, TICKS, NS_PER_S, wall);
		minute_run(l, sink, &at, bare, wall.ns / NS_PER_MS, &t);
		spool_load_forget(l);
	}
	printf("remote: %.0f samples a second into VictoriaMetrics, a bare "
	       "generator %.0f: %.2f x (reach: 0.8)\n",
	       (double)samples / t.ours_s, (double)samples / t.bare_s,
	       t.bare_s / t.ours_s);
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
	static struct bare bare;
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
	    http_client_open(&engine, &bare.http, &d) < 0)
		die(d.text);
	if (!spool_load_init(&l, PORTS, counters))
		die("out of memory");
	l.growth = 65536;
	bare_init(&bare, &l);
	pid = engine_start(dir, port);
	if (engine_wait(bare.http, pid))
		minutes_run(&l, &env, &bare);
	else
		printf("remote: not measured: no victoria-metrics here\n");
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	http_client_close(bare.http);
	database_close(env.database);
	spool_load_fini(&l);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) != 0;
}

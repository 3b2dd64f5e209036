/* What the history costs and how fast it answers, on the busy scenario: 15
 * minutes of everything in the ring of samples; a day in the tiers on disk.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/ctl/look_back.h"
#include "agent/ctl/spark.h"
#include "agent/history/tier_file.h"
#include "agent/history/tiers.h"
#include "petrel/quantity.h"
#include "tests/support/played.h"

#define PLAYED_LARGE "tests/bench/large.scenario"
#define QUARTER_TICKS 900u
#define DAY_TICK_MS 10000
#define ROUNDS 5u
#define MIB 1048576.0
#define HELD (96u << 20)
#define DAY (32u << 20)

static const struct {
	enum entity_kind kind;
	enum quantity quantity;
} asked[] = {
	{ ENTITY_PORT, Q_IF_IN_OCTETS },
	{ ENTITY_PORT, Q_FEC_CORRECTED_CODEWORDS },
	{ ENTITY_LANE, Q_LANE_RX_POWER_PW },
	{ ENTITY_QUEUE, Q_QUEUE_WATERMARK_OCTETS },
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The process ends on what it cannot do. */
static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "bench_history: %s\n", what);
	exit(1);
}

/* What something took, in ms: until it was there, and of all processors. */
struct spent {
	double wall, cpu;
};

static struct spent spent_begin(void)
{
	return (struct spent){ (double)clock_ns(CLOCK_MONOTONIC) / 1e6,
			       (double)cpu_ns() / 1e6 };
}

/* The least of some rounds. */
static void spent_end(const struct spent *begin, struct spent *least)
{
	struct spent now = spent_begin();

	least->wall = fmin(least->wall, now.wall - begin->wall);
	least->cpu = fmin(least->cpu, now.cpu - begin->cpu);
}

/* To open, read and close. */
static void answer_spend(const struct played *p, const struct played_root *root,
			 struct look_back_series *series, int64_t since_ns,
			 struct spent *least)
{
	struct wall to = played_clock(p).wall;
	struct wall from = { to.ns - since_ns };
	struct spent begin = spent_begin();
	struct look_back *l;
	struct diag d;

	must(look_back_open(root->run_dir, false, &l, &d) == 0, d.text);
	must(look_back_read(l, from, to, series, 1, &d) == 0, d.text);
	look_back_close(l);
	spent_end(&begin, least);
}

static void answer_time(const struct played *p,
			const struct played_root *root, const char *span,
			int64_t since_ns, unsigned reach)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		/* the same keys in the same order have the same ids */
		struct look_back_series s = {
			.entity = played_entity(p, asked[i].kind, 7),
			.quantity = asked[i].quantity };
		struct spent least = { INFINITY, INFINITY };

		for (unsigned round = 0; round < ROUNDS; round++)
			answer_spend(p, root, &s, since_ns, &least);
		printf("history: %-24s over %s: %zu readings in %.1f ms "
		       "(reach %u), %.1f of CPU\n",
		       quantity_find(asked[i].quantity)->name, span, s.count,
		       least.wall, reach, least.cpu);
	}
}

static uint64_t files_octets(int dir_fd, enum tier tier)
{
	uint64_t *began_s = NULL, octets = 0;
	int n = tier_list(&disk_durable, dir_fd, tier, &began_s);

	for (int i = 0; i < n; i++) {
		char name[TIER_NAME_MAX];
		struct stat st = { .st_size = 0 };

		tier_file_name(tier, began_s[i], name);
		(void)fstatat(dir_fd, name, &st, 0);
		octets += (uint64_t)st.st_size;
	}
	free(began_s);
	return octets;
}

static void quarter_measure(const struct played_root *root)
{
	struct encoder_count c;
	struct played p;

	played_make(&p, PLAYED_BUSY, root->run_fd, 16u << 20, true);
	for (unsigned t = 0; t < QUARTER_TICKS; t++)
		played_tick(&p, 1000);
	encoder_count(journal_encoder(p.journal), &c);
	printf("history: 15 minutes are %ju values, %.2f MiB: %.3f octets a "
	       "value, bounded, %s\n", (uintmax_t)c.values,
	       (double)c.octets / MIB, (double)c.octets / (double)c.values,
	       "reach 0.5");
	answer_time(&p, root, "15 minutes", 900 * NS_PER_S, 5);
	played_free(&p);
}

static const struct {
	const char *name, *scenario;
	unsigned hours;			/* played; scaled to a day */
	bool is_asked;
} days[] = {
	{ "64 ports", PLAYED_BUSY, 24, true },
	{ "512 ports", PLAYED_WIDE, 5, false },
};

/* Plays on; returns the CPU time of the tiers. */
static int64_t hours_play(struct played *p, struct tiers *tiers,
			  unsigned hours)
{
	int64_t spent_ns = 0, begin_ns;

	for (unsigned t = 0; t < hours * 3600000 / DAY_TICK_MS; t++) {
		struct clock_reading now;

		played_tick(p, DAY_TICK_MS);
		if (t % 6 != 5)
			continue;
		now = played_clock(p);
		begin_ns = cpu_ns();
		if (tiers_run(tiers, &now) < 0)
			printf("history: no room for the tiers at %u s\n",
			       t * DAY_TICK_MS / 1000);
		spent_ns += cpu_ns() - begin_ns;
	}
	return spent_ns;
}

static void day_measure(const struct played_root *root, size_t n)
{
	double minutes, quarters, of_day = 24.0 / days[n].hours;
	struct clock_reading now;
	struct tiers_count c;
	struct tiers *tiers;
	struct played p;
	int64_t spent_ns;

	played_make(&p, days[n].scenario, root->run_fd, 8u << 20, true);
	now = played_clock(&p);
	must(tiers_new(&(struct tiers_env){
		       .disk = &disk_durable,
		       .dir_fd = root->tiers_fd, .mode = 0644,
		       .held_octets = HELD, .day_octets = DAY,
		       .rings = &p.rings, .switch_id = "bench",
		       .switch_name = "bench", .version = "bench" },
		       &now, &tiers) == 0, "no tiers");
	spent_ns = hours_play(&p, tiers, days[n].hours);
	must(tiers_count(tiers, &c) == 0, "no count");
	tiers_free(tiers);
	minutes = of_day * (double)files_octets(root->tiers_fd, TIER_MINUTE) /
		  MIB;
	quarters = of_day * (double)files_octets(root->tiers_fd,
						 TIER_QUARTER) / MIB;
	printf("history: %s: %zu series in the tiers (%zu without room): "
	       "%.1f MiB written a day (reach 32), %.1f held after 30 "
	       "(reach 96); %.1f ms a minute\n", days[n].name, c.series,
	       c.left_out, minutes + quarters, fmin(minutes * 28 / 24, 32) +
	       fmin(quarters * 32, 64),
	       (double)spent_ns / 1e6 / (days[n].hours * 60));
	if (days[n].is_asked)
		answer_time(&p, root, "24 hours", 86400 * NS_PER_S, 20);
	played_free(&p);
}

/* All ports' lines in one pass. */
static void sparks_measure(const struct played_root *root)
{
	struct spent least = { INFINITY, INFINITY };
	struct played p;

	played_make(&p, PLAYED_LARGE, root->run_fd, 16u << 20, true);
	for (unsigned t = 0; t < QUARTER_TICKS; t++)
		played_tick(&p, 1000);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct spent begin = spent_begin();
		struct sparks *s;

		must(sparks_read(root->run_dir, &s) == 0, "no sparklines");
		sparks_free(s);
		spent_end(&begin, &least);
	}
	printf("history: sparklines of %zu ports over 15 minutes in %.1f ms "
	       "(reach 20), %.1f of CPU\n",
	       state_port_count(p.state), least.wall, least.cpu);
	played_free(&p);
}

int main(void)
{
	struct played_root root;

	played_root_make(&root);
	sparks_measure(&root);
	played_root_reboot(&root);
	quarter_measure(&root);
	for (size_t n = 0; n < sizeof(days) / sizeof(days[0]); n++) {
		played_root_remove(&root);
		played_root_make(&root);
		day_measure(&root, n);
	}
	played_root_remove(&root);
	return 0;
}

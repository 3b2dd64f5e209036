/* The roll-ups of switches of 64 and 512 ports, a reading of each kept quantity
 * a second: what a minute of one costs, from entries of the spool in memory on,
 * and how much it takes of the disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "agent/collect/database.h"
#include "agent/collect/rollup_file.h"
#include "petrel/quantity.h"
#include "tests/support/spool_load.h"

#define MINUTES 20u

static struct spool_load load;

static bool is_kept(const struct quantity_info *q)
{
	return quantity_is_kept(q->id);
}

static void die(const char *what)
{
	fprintf(stderr, "bench_rollup: %s\n", what);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t number(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t value = 0;

	if (sqlite3_open(path, &db) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
	return value;
}

/* Returns the thread's seconds. */
static double minute_take(void *sink, uint64_t *offset, int64_t wall_s)
{
	const struct sink_driver *driver = &rollup_driver;
	struct diag d = { "" };
	struct place kept;
	double begin;

	(void)spool_load_ticks(&load, 60, NS_PER_S,
			       (struct wall){ wall_s * NS_PER_S });
	begin = cpu_seconds();
	for (unsigned i = 0; i < load.entries; i++) {
		struct place at = { 1, (*offset)++ };

		if (driver->entry(sink, &load.entry[i], at, &d) < 0)
			die(d.text);
	}
	if (driver->commit(sink, (struct place){ 1, *offset }, &kept, &d) < 0)
		die(d.text);
	begin = cpu_seconds() - begin;
	spool_load_forget(&load);
	return begin;
}

static void measure(uint32_t ports)
{
	static struct collector_config config;
	char dir[] = "/tmp/bench-rollup-XXXXXX", path[ROLLUP_PATH_MAX];
	char command[64];
	struct sink_env env = { .config = &config };
	int64_t wall_s = clock_wall_now().ns / NS_PER_S / 900 * 900 - 3600;
	double seconds = 0;
	uint64_t offset = 1;
	int64_t rows, octets;
	struct diag d = { "" };
	void *sink;

	if (!mkdtemp(dir))
		die("no folder");
	snprintf(config.database, sizeof(config.database), "%s/db", dir);
	config.rollups = true;
	config.rollup_minutes_ns = config.rollup_quarters_ns =
		86400 * NS_PER_S;
	config.rollup_octets = UINT64_C(1) << 40;
	if (database_open(config.database, &env.database, &d) < 0 ||
	    rollup_driver.open(&env, &sink, &d) < 0 ||
	    !spool_load_init(&load, ports, is_kept))
		die(d.text);
	load.growth = 65536;
	(void)rollup_driver.begin(sink);
	for (unsigned i = 0; i < MINUTES; i++)
		seconds += minute_take(sink, &offset, wall_s + 60 * i);
	rollup_driver.close(sink);
	database_close(env.database);
	spool_load_fini(&load);
	rollup_path(config.database, path);
	rows = number(path, "select (select count(*) from minutes) +"
			    " (select count(*) from quarters)");
	octets = number(path, "select page_count * page_size from"
			      " pragma_page_count, pragma_page_size");
	printf("rollup: %u ports, %u series: %.0f ms of CPU a minute "
	       "(%.2f %% of a core), %.1f octets a row, %.1f MB a day\n", ports,
	       ports * load.columns, 1e3 * seconds / MINUTES,
	       100 * seconds / MINUTES / 60, (double)octets / (double)rows,
	       (double)octets / (double)rows * ports * load.columns *
	       (1440 + 96) / 1e6);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command) != 0)
		die("the folder stays");
}

int main(void)
{
	measure(64);
	measure(512);
	return 0;
}

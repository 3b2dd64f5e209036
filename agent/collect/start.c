#include "agent/collect/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/log.h"

/* How the scan of the spool goes. */
struct scan {
	struct ledger *ledger;
	struct mono now;
	uint64_t bad;		/* entries whose content was not understood */
};

static void entry_scan(void *context, const struct entry *e, struct place at)
{
	struct scan *scan = context;

	if (ledger_entry(scan->ledger, e, at, scan->now) < 0)
		scan->bad++;
}

static int run_compare(const void *a, const void *b)
{
	const struct run *x, *y;
	int order;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	order = strcmp(x->switch_id, y->switch_id);
	if (order != 0)
		return order;
	return place_is_before(&x->reference, &y->reference) ? -1 :
	       place_is_before(&y->reference, &x->reference);
}

/* Where the newest values begin: the oldest of the last reference batches of
 * the switches' last runs; end when there is none.
 */
static int newest_begin(const struct ledger *l, struct place end,
			struct place *ret)
{
	const struct run **runs = calloc(ledger_count(l) + 1, sizeof(*runs));
	struct place from = end;
	size_t n = 0;

	if (!runs)
		return -ENOMEM;
	for (const struct run *r = ledger_next(l, NULL); r;
	     r = ledger_next(l, r))
		if (r->reference.segment > 0)
			runs[n++] = r;
	if (n > 0)
		qsort(runs, n, sizeof(*runs), run_compare);
	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n ||
			       strcmp(runs[i]->switch_id,
				      runs[i + 1]->switch_id) != 0;

		if (is_last && place_is_before(&runs[i]->reference, &from))
			from = runs[i]->reference;
	}
	free(runs);
	*ret = from;
	return 0;
}

int start_positions_append(struct store *store, const struct ledger *ledger)
{
	uint8_t octets[ENTRY_POSITIONS_OCTETS];
	struct place at;
	int err = 0;

	for (const struct run *r = ledger_next(ledger, NULL); r && err == 0;
	     r = ledger_next(ledger, r)) {
		struct writer w = writer_of(octets, sizeof(octets));

		ledger_positions_write(&w, r);
		err = store_append(store, octets, w.pos, &at);
	}
	return err;
}

static void found_tell(const struct store_found *found, uint64_t bad,
		       const char *path)
{
	log_info("collector", "spool=%s segments=%llu entries=%llu", path,
		 (unsigned long long)found->segments,
		 (unsigned long long)found->entries);
	if (found->torn_octets > 0)
		log_warn("collector", "spool=%s torn tail: %llu octets cut "
			 "off, never acknowledged", path,
			 (unsigned long long)found->torn_octets);
	if (found->rotten > 0 || bad > 0)
		log_err("collector", "spool=%s rotten in %llu places: what "
			"stood there is lost", path,
			(unsigned long long)(found->rotten + bad));
}

int start_store_open(struct start_env *env, struct store **ret,
		     struct diag *d)
{
	struct scan scan = { .ledger = env->ledger, .now = clock_mono_now() };
	const struct collector_config *config = env->config;
	struct store_found found;
	struct store *store;
	struct place end;
	int err = sink_cursor(env->sink, &env->sink_from, d);

	if (err < 0)
		return err;
	err = store_open(config->spool, config->spool_octets,
			 env->sink_from.segment + 1, entry_scan, &scan, &found,
			 &store, d);
	if (err < 0)
		return err;
	found_tell(&found, scan.bad, config->spool);
	end = store_end(store);
	if (place_is_before(&end, &env->sink_from)) {
		log_warn("collector", "spool=%s ends before the database's "
			 "cursor: it was cut or replaced", config->spool);
		env->sink_from = end;
	}
	err = newest_begin(env->ledger, end, &env->newest_from);
	if (err == 0 && found.torn_octets > 0)
		err = start_positions_append(store, env->ledger);
	if (err < 0) {
		store_close(store);
		return diag_set(d, err, "spool %s: %s", config->spool,
				strerror(-err));
	}
	*ret = store;
	return 0;
}

#include "agent/ctl/look_back.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "agent/base/ring.h"
#include "agent/ctl/gather.h"
#include "agent/ctl/look_ring.h"
#include "agent/ctl/look_tiers.h"
#include "agent/record/capsule.h"
#include "agent/record/decode.h"
#include "petrel/local.h"

#define RUN_DIR "/run/petrel"

struct look_back {
	struct past past;
	struct look_ring *samples;
	struct ring *findings;
	int tiers_fd;			/* below 0: there are none */
	struct gather gather;
	struct history_reach reach;
};

/* --- all of it ----------------------------------------------------------- */

/* Where petreld says; else in the usual folder under the same root as the run
 * folder; else in the host's folder, which a container uses instead. Below 0:
 * none.
 */
static int tiers_open(const char *run_dir, int dir_fd)
{
	static const char *const folders[] = { "var/lib/petrel",
					       "host/petrel" };
	size_t len = strlen(run_dir);
	char path[PATH_MAX];
	int fd = -1;

	if (path_line(dir_fd, LOCAL_TIERS, path, sizeof(path)))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (len > 0 && run_dir[len - 1] == '/')
		len--;
	if (len < strlen(RUN_DIR) ||
	    strncmp(run_dir + len - strlen(RUN_DIR), RUN_DIR,
		    strlen(RUN_DIR)) != 0)
		return fd;
	for (unsigned i = 0; fd < 0 && i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%.*s/%s/" TIER_FOLDER,
			       (int)(len - strlen(RUN_DIR)), run_dir,
			       folders[i]);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return fd;
}

int look_back_open(const char *run_dir, bool values, struct look_back **ret,
		   struct diag *d)
{
	struct look_back *l = calloc(1, sizeof(*l));
	int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = dir_fd < 0 ? diag_set(d, -errno, "%s", strerror(errno)) : 0;

	if (!l && rc == 0)
		rc = diag_set(d, -ENOMEM, "no memory");
	if (l)
		l->tiers_fd = rc < 0 ? rc : tiers_open(run_dir, dir_fd);
	if (rc == 0)
		rc = past_read(dir_fd, values, &l->past, d);
	if (rc == 0)
		rc = look_ring_new(dir_fd, &l->samples, d);
	if (rc == 0)
		rc = ring_look(dir_fd, STREAM_FINDINGS, &l->findings, d);
	if (dir_fd >= 0)
		(void)close(dir_fd);	/* only read */
	if (rc < 0 || !l) {
		look_back_close(l);
		return diag_prefix(d, rc, "no rings in %s", run_dir);
	}
	l->past.last = look_ring_last(l->samples);
	*ret = l;
	return 0;
}

void look_back_close(struct look_back *l)
{
	if (!l)
		return;
	gather_fini(&l->gather);
	if (l->tiers_fd >= 0)
		(void)close(l->tiers_fd);	/* only read */
	look_ring_free(l->samples);
	ring_close(l->findings);
	past_fini(&l->past);
	free(l);
}

const struct past *look_back_past(const struct look_back *l)
{
	return &l->past;
}

const struct history_reach *look_back_reach(const struct look_back *l)
{
	return &l->reach;
}

/* Finds the ids of the entities in the records of this run. */
static void ids_find(struct look_back *l)
{
	for (uint32_t id = 0; id < l->past.ids; id++) {
		uint32_t entity = past_entity(&l->past, id);

		for (size_t i = 0; entity && i < l->gather.count; i++)
			if (l->gather.series[i].entity == entity)
				gather_id(&l->gather.series[i], id);
	}
}

static int ring_read_all(struct look_back *l, struct mono from)
{
	uint8_t *ids = malloc(l->past.ids / 8 + 1);
	int rc = ids ? 0 : -ENOMEM;

	gather_run(&l->gather, &l->past.clock, false);
	ids_find(l);
	if (ids) {
		gather_ids(&l->gather, ids, l->past.ids);
		rc = look_ring_read(l->samples, from, &l->gather, ids,
				    l->past.ids);
	}
	free(ids);
	return rc;
}

int look_back_columns(struct look_back *l, struct mono from,
		      const uint16_t *quantities, size_t n, decoded_fn *fn,
		      void *context)
{
	return look_ring_columns(l->samples, from, quantities, n, fn, context);
}

/* Reads what is older than the rings. */
static int tiers_read_all(struct look_back *l, struct wall until)
{
	const struct look_tiers_env env = { .gather = &l->gather,
					    .state = l->past.state,
					    .run = l->past.run };
	struct diag why = { "" };
	int rc = look_tiers_read(&env, l->tiers_fd, until, &l->reach.tiers,
				 &why);

	memcpy(l->reach.why, why.text, sizeof(l->reach.why));
	return rc;
}

/* Oldest first: the tiers up to where the ring begins, then the ring. */
static int all_read(struct look_back *l)
{
	struct mono from = { l->past.clock.mono.ns +
			     (l->gather.from.ns - l->past.clock.wall.ns) };
	struct mono first = look_ring_first(l->samples);
	struct wall full = { 0 };
	int rc = 0;

	if (first.ns)
		full = l->reach.full = past_wall(&l->past, first);
	if (!full.ns || full.ns > l->gather.to.ns)
		full = l->gather.to;
	if (l->tiers_fd >= 0)
		rc = tiers_read_all(l, full);
	return rc < 0 ? rc : ring_read_all(l, from);
}

/* Starts to gather n series, without readings. */
static int gather_begin(struct look_back *l, struct wall from, struct wall to,
			const struct look_back_series *series, size_t n)
{
	int rc = n > LOOK_BACK_SERIES_MAX ? -E2BIG : 0;

	gather_fini(&l->gather);
	l->reach = (struct history_reach){ .why = "" };
	if (rc == 0)
		rc = gather_init(&l->gather, n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		gather_want(&l->gather, i, series[i].entity, series[i].quantity,
			    series[i].index);
	l->gather.from = from;
	l->gather.to = to;
	return rc;
}

/* Lends the gathered readings; rc: the result of gathering. */
static int gather_lend(struct look_back *l, struct look_back_series *series,
		       size_t n, int rc, struct diag *d)
{
	for (size_t i = 0; rc == 0 && i < n; i++) {
		series[i].reading = l->gather.series[i].reading;
		series[i].count = l->gather.series[i].place.count;
	}
	return rc == -E2BIG ? diag_set(d, rc, "more than %u series, or %u "
				       "readings of one",
				       LOOK_BACK_SERIES_MAX,
				       LOOK_BACK_READINGS_MAX) :
	       rc == -ENOMEM ? diag_set(d, rc, "out of memory") :
	       rc < 0 ? diag_set(d, rc, "the history cannot be read: %s",
				 strerror(-rc)) : rc;
}

int look_back_read(struct look_back *l, struct wall from, struct wall to,
		   struct look_back_series *series, size_t n, struct diag *d)
{
	int rc = gather_begin(l, from, to, series, n);

	if (rc == 0)
		rc = all_read(l);
	return gather_lend(l, series, n, rc, d);
}

/* --- a capsule ------------------------------------------------------------ */

/* A series of a capsule, and the gathered series that takes its readings. */
struct capsule_way {
	struct gather *gather;
	struct gather_series *series;
	int rc;
};

static void capsule_reading(void *context, struct mono taken, int64_t value,
			    enum sample_quality quality)
{
	struct capsule_way *w = context;

	if (w->rc == 0)
		w->rc = gather_take(w->gather, w->series,
				    &(struct history_value){
					.mono = taken, .value = value,
					.quality = (uint8_t)quality });
}

/* Compares names: the id may be from an earlier run. */
static bool is_series(const struct look_back *l, const struct gather_series *g,
		      const Petrel__CapsuleSeries *s)
{
	char room[STATE_SERIES_NAME_MAX];

	return g->quantity == s->quantity && g->index == s->index &&
	       strcmp(state_series_name(l->past.state, g->entity, room),
		      s->name) == 0;
}

/* Takes the wanted series of a part. */
static int part_take(struct look_back *l, const Petrel__Capsule *m)
{
	struct capsule_way w = { .gather = &l->gather };

	for (size_t i = 0; w.rc == 0 && i < m->n_series; i++) {
		const Petrel__CapsuleSeries *s = m->series[i];
		size_t n = 0;

		while (n < l->gather.count &&
		       !is_series(l, &l->gather.series[n], s))
			n++;
		if (n == l->gather.count)
			continue;
		w.series = &l->gather.series[n];
		/* take what can be read of a damaged one */
		(void)capsule_series_read(m, s, capsule_reading, &w);
	}
	return w.rc;
}

/* Takes a record if it is a part of the finding's capsule. */
static int capsule_record(struct look_back *l, const char *id,
			  const struct record_header *h, const uint8_t *payload,
			  struct look_back_capsule *ret)
{
	const Petrel__Capsule *m;
	ProtobufCMessage *base;
	int rc = 0;

	if (h->kind != RECORD_CAPSULE ||
	    record_unpack(RECORD_CAPSULE, payload, h->length, &base) < 0)
		return 0;
	m = (const Petrel__Capsule *)base;
	if (strcmp(m->id, id) == 0) {
		ret->from = past_wall(&l->past,
				      (struct mono){ m->from_mono_ns });
		ret->to = past_wall(&l->past, (struct mono){ m->to_mono_ns });
		rc = part_take(l, m);
	}
	record_unpacked_free(base);
	return rc;
}

int look_back_capsule(struct look_back *l, const char *id,
		      struct look_back_series *series, size_t n,
		      struct look_back_capsule *ret, struct diag *d)
{
	struct ring_walk w = ring_walk_of(l->findings, 0, UINT64_MAX);
	struct record_header h;
	uint8_t record[RECORD_MAX];
	const uint8_t *payload;
	int rc = gather_begin(l, (struct wall){ 0 },
			      (struct wall){ INT64_MAX }, series, n);

	*ret = (struct look_back_capsule){ .to = { 0 } };
	if (rc == 0)
		gather_run(&l->gather, &l->past.clock, false);
	while (rc == 0 && ring_walk_record(&w, record, &h, &payload))
		rc = capsule_record(l, id, &h, payload, ret);
	if (rc == 0 && !ret->to.ns)
		return diag_set(d, -ENOENT, "no capsule of the finding %.*s",
				FINDING_ID_LEN, id);
	return gather_lend(l, series, n, rc, d);
}

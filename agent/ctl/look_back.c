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
#include "agent/ctl/look_tiers.h"
#include "agent/record/decode.h"
#include "petrel/cursor.h"
#include "petrel/local.h"

#define RUN_DIR "/run/petrel"

struct look_back {
	struct past past;
	struct ring *samples;
	int tiers_fd;			/* below 0: none */
	struct gather gather;
	struct look_back_reach reach;
};

/* --- the samples ring ---------------------------------------------------- */

/* When a batch was made, which it begins with; ns 0: it does not say. */
static struct mono batch_mono(const uint8_t *payload, size_t len)
{
	struct cursor c = cursor_of(payload, len);
	uint64_t key = cursor_varint(&c), ns = cursor_varint(&c);

	return (struct mono){ cursor_ok(&c) && key == 1u << 3 ? (int64_t)ns :
								0 };
}

/* The last reference batch that was made by a time; else the oldest record.
 * What a source took after that time no batch before it has.
 */
static uint64_t reference_find(struct look_back *l, struct mono from)
{
	struct ring_walk w = ring_walk_of(l->samples, 0, UINT64_MAX);
	uint64_t found = w.next;
	struct record_header h;
	const uint8_t *payload;

	l->past.last.ns = 0;
	l->reach.full.ns = 0;
	while (ring_walk_borrow(&w, &h, &payload)) {
		struct mono made = batch_mono(payload, h.length);

		if (!made.ns || h.kind != RECORD_BATCH ||
		    !ring_walk_is_whole(&w))
			continue;
		if (!l->reach.full.ns)
			l->reach.full = past_wall(&l->past, made);
		l->past.last = made;
		if (h.flags & RECORD_FLAG_REFERENCE && made.ns <= from.ns)
			found = h.sequence;
	}
	return found;
}

/* Records from one reference to before the next. *ret_next: that one's
 * sequence, or that of the end.
 */
static int group_read(struct look_back *l, struct decoder *d, uint64_t first,
		      uint64_t *ret_next)
{
	struct ring_walk w = ring_walk_of(l->samples, first, UINT64_MAX);
	struct record_header h;
	const uint8_t *payload;
	int rc = 0;

	*ret_next = w.end;
	while (rc >= 0 && ring_walk_borrow(&w, &h, &payload)) {
		if (h.flags & RECORD_FLAG_REFERENCE && h.sequence > first) {
			*ret_next = h.sequence;
			break;
		}
		rc = h.kind != RECORD_BATCH ? -EAGAIN :
		     decoder_batch(d, h.flags, payload, h.length,
				   gather_column, &l->gather, NULL);
		if (rc == -EAGAIN || rc == -EBADMSG) {
			decoder_lost(d);
			rc = 0;
		}
	}
	return rc;
}

/* Each group is read until all that tells the wanted columns was read as well.
 * One that a writer took away meanwhile is gone.
 */
static int ring_gather(struct look_back *l, struct decoder *d, uint64_t next)
{
	uint64_t end = ring_next(l->samples);
	int rc = 0;

	while (rc >= 0 && next < end) {
		uint64_t first = next;
		bool again;

		gather_mark(&l->gather);
		do {
			rc = group_read(l, d, first, &next);
			again = rc >= 0 && decoder_wants_more(d);
			if (again || ring_first(l->samples) > first)
				gather_back(&l->gather);
		} while (again);
		if (next <= first)
			break;
	}
	return rc;
}

/* --- all of it ----------------------------------------------------------- */

/* Where petreld says; else below the root that the run folder is below, where
 * it has its usual name; in the host's folder where a container has the other.
 * Below 0: none.
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

int look_back_open(const char *run_dir, struct look_back **ret,
		   struct diag *d)
{
	struct look_back *l = calloc(1, sizeof(*l));
	int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = dir_fd < 0 ? diag_set(d, -errno, "%s: %s", run_dir,
				       strerror(errno)) : 0;

	if (!l && rc == 0)
		rc = diag_set(d, -ENOMEM, "no memory");
	if (l)
		l->tiers_fd = rc < 0 ? rc : tiers_open(run_dir, dir_fd);
	if (rc == 0)
		rc = past_read(dir_fd, false, &l->past, d);
	if (rc == 0)
		rc = ring_look(dir_fd, STREAM_SAMPLES, &l->samples, d);
	if (dir_fd >= 0)
		(void)close(dir_fd);	/* only looked at */
	if (rc < 0 || !l) {
		look_back_close(l);
		return rc;
	}
	(void)reference_find(l, (struct mono){ 0 });	/* past.last */
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
	ring_close(l->samples);
	past_fini(&l->past);
	free(l);
}

const struct past *look_back_past(const struct look_back *l)
{
	return &l->past;
}

const struct look_back_reach *look_back_reach(const struct look_back *l)
{
	return &l->reach;
}

/* The ids that the records of this run have for the entities. */
static void ids_find(struct look_back *l, const struct look_back_series *series)
{
	for (uint32_t id = 0; id < l->past.ids; id++) {
		uint32_t entity = past_entity(&l->past, id);

		for (size_t i = 0; entity && i < l->gather.count; i++)
			if (series[i].entity == entity)
				l->gather.series[i].id = id;
	}
}

static int ring_read_all(struct look_back *l,
			 const struct look_back_series *series, uint64_t first)
{
	struct decoder *d;
	int rc = decoder_new(&d);

	if (rc < 0)
		return rc;
	gather_run(&l->gather, &l->past.clock, false);
	ids_find(l, series);
	for (size_t i = 0; i < l->gather.count; i++)
		decoder_want(d, series[i].quantity);
	rc = ring_gather(l, d, first);
	decoder_free(d);
	return rc;
}

/* What is older than the rings. */
static int tiers_read_all(struct look_back *l,
			  const struct look_back_series *series, size_t n,
			  struct wall until)
{
	struct look_tiers_env env = { .gather = &l->gather,
				      .state = l->past.state,
				      .run = l->past.run };
	uint32_t *entity = calloc(n + 1, sizeof(*entity));
	struct diag why = { "" };
	struct look_tiers *t;
	int rc = entity ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++)
		entity[i] = series[i].entity;
	env.entity = entity;
	if (rc == 0)
		rc = look_tiers_new(&env, &t);
	if (rc == 0) {
		rc = look_tiers_read(t, l->tiers_fd, until, &l->reach.tiers,
				     &why);
		look_tiers_free(t);
	}
	free(entity);
	memcpy(l->reach.why, why.text, sizeof(l->reach.why));
	return rc;
}

/* Oldest first: the tiers up to where the ring begins, then the ring. */
static int all_read(struct look_back *l, struct look_back_series *series,
		    size_t n)
{
	struct mono from = { l->past.clock.mono.ns +
			     (l->gather.from.ns - l->past.clock.wall.ns) };
	uint64_t first = reference_find(l, from);
	struct wall full = l->reach.full;
	int rc = 0;

	if (!full.ns || full.ns > l->gather.to.ns)
		full = l->gather.to;
	if (l->tiers_fd >= 0)
		rc = tiers_read_all(l, series, n, full);
	return rc < 0 ? rc : ring_read_all(l, series, first);
}

int look_back_read(struct look_back *l, struct wall from, struct wall to,
		   struct look_back_series *series, size_t n, struct diag *d)
{
	int rc = n > LOOK_BACK_SERIES_MAX ? -E2BIG : 0;

	gather_fini(&l->gather);
	l->reach = (struct look_back_reach){ .why = "" };
	if (rc == 0)
		rc = gather_init(&l->gather, n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		gather_want(&l->gather, i, series[i].quantity, series[i].index);
	l->gather.from = from;
	l->gather.to = to;
	if (rc == 0)
		rc = all_read(l, series, n);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		series[i].reading = l->gather.series[i].reading;
		series[i].count = l->gather.series[i].place.count;
	}
	return rc == -E2BIG ? diag_set(d, rc, "more than %u series, or %u "
				       "readings of one",
				       LOOK_BACK_SERIES_MAX,
				       LOOK_BACK_READINGS_MAX) :
	       rc < 0 ? diag_set(d, rc, "no memory to look back") : 0;
}

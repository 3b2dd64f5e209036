#include "agent/collect/remote_sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/metric.h"
#include "agent/collect/remote_series.h"
#include "agent/state/state.h"

#define LABELS_OCTETS_MAX 512u
#define NONE UINT8_MAX
#define OWN "petrel."		/* sources that are no source of the switch */
/* What goes with values of all kinds, those that seldom change as well. */
#define JUDGED Q_MODULE_READING_FAULTS

struct remote_source {
	char name[2 * SOURCE_NAME_MAX];
	int64_t pace_ns;
	uint16_t quantity;	/* its quickest; 0: it has not given any */
	bool is_kept;		/* the quantity, by the database */
	int64_t taken_ns;	/* of its newest reading; 0: none yet */
	int64_t told_ms;	/* wall; 0: never */
	bool is_fresh;		/* as told */
};

struct remote_sources {
	struct remote_source *of;
	size_t count, cap;
	uint8_t place[STATE_NUMBERS_MAX + 1];	/* by number; or NONE */
	struct mono first, batch;	/* the first and the newest seen */
};

int remote_sources_new(struct remote_sources **ret)
{
	struct remote_sources *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	memset(s->place, NONE, sizeof(s->place));
	*ret = s;
	return 0;
}

void remote_sources_free(struct remote_sources *s)
{
	if (s)
		free(s->of);
	free(s);
}

static struct remote_source *source_of(struct remote_sources *s,
				       const char *name)
{
	struct remote_source *list;

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->of[i].name, name) == 0)
			return &s->of[i];
	list = s->count < NONE ? array_room(s->of, &s->cap, s->count + 1,
					    sizeof(*list)) : NULL;
	if (!list)
		return NULL;
	s->of = list;
	list += s->count++;
	*list = (struct remote_source){ .pace_ns = 0 };
	(void)snprintf(list->name, sizeof(list->name), "%s", name);
	return list;
}

void remote_source_set(struct remote_sources *s, unsigned number,
		       const char *name, int64_t pace_ns)
{
	char text[sizeof(s->of->name)];
	struct remote_source *source;

	(void)snprintf(text, sizeof(text), "%s", name);
	if (number >= sizeof(s->place) || !text[0] ||
	    strncmp(text, OWN, strlen(OWN)) == 0)
		return;
	source = source_of(s, text);
	if (!source)
		return;
	source->pace_ns = pace_ns;
	s->place[number] = (uint8_t)(source - s->of);
}

void remote_source_gave(struct remote_sources *s, const char *name,
			uint16_t quantity)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->of[i].quantity == 0 &&
		    strcmp(s->of[i].name, name) == 0) {
			s->of[i].quantity = quantity;
			s->of[i].is_kept = true;
		}
}

bool remote_source_next(const struct remote_sources *s, size_t *i,
			struct remote_source_kept *ret)
{
	for (; *i < s->count; (*i)++) {
		const struct remote_source *source = &s->of[*i];

		if (source->quantity == 0 || source->is_kept)
			continue;
		ret->name = source->name;
		ret->quantity = source->quantity;
		(*i)++;
		return true;
	}
	return false;
}

void remote_sources_kept(struct remote_sources *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->of[i].is_kept = s->of[i].quantity != 0;
}

void remote_sources_take(struct remote_sources *s, const Petrel__Dictionary *m)
{
	for (size_t i = 0; i < m->n_sources; i++)
		remote_source_set(s, m->sources[i]->number,
				  m->sources[i]->name,
				  m->sources[i]->interval_ns);
}

/* How old its newest reading may be; INT64_MAX: any age. */
static int64_t stale_after_ns(const struct remote_source *source,
			      uint16_t quantity)
{
	return quantity == 0 ? INT64_MAX :
	       state_stale_after_ns(&(struct state_source){
			.interval_ns = source->pace_ns },
			quantity_find(quantity));
}

void remote_sources_column(struct remote_sources *s,
			   const struct decoded_column *c)
{
	unsigned place = s->place[c->source];
	struct remote_source *source = place < s->count ? &s->of[place] : NULL;
	int64_t stale_ns;

	s->batch = c->batch;
	if (s->first.ns == 0)
		s->first = c->batch;
	if (!source || c->quantity == JUDGED)
		return;
	stale_ns = stale_after_ns(source, c->quantity);
	if (stale_ns == INT64_MAX)
		return;
	if (stale_ns < stale_after_ns(source, source->quantity)) {
		source->quantity = c->quantity;
		source->is_kept = false;
	}
	for (uint32_t row = 0; row < c->count; row++)
		if (c->taken_ns[row] > source->taken_ns)
			source->taken_ns = c->taken_ns[row];
}

static int source_tell(struct remote_source *source, struct known_run *names,
		       int64_t ms, struct remote_batch *to)
{
	struct remote_label label[] = {
		{ "__name__", METRIC_PREFIX "source_fresh" },
		{ "source", source->name },
		{ "switch", known_switch_shown(names) },
	};
	uint8_t labels[LABELS_OCTETS_MAX];
	size_t len;

	source->told_ms = ms;
	if (!to)
		return 0;
	len = remote_labels_write(label, sizeof(label) / sizeof(label[0]),
				  labels, sizeof(labels));
	return len ? remote_batch_add(to, labels, len, source->is_fresh, ms) :
		     0;
}

/* One that gave nothing since the first batch may be as old as that. */
static bool is_fresh(const struct remote_sources *s,
		     const struct remote_source *source)
{
	int64_t taken_ns = source->taken_ns ? source->taken_ns : s->first.ns;

	return s->batch.ns - taken_ns <=
	       stale_after_ns(source, source->quantity);
}

int remote_sources_tell(struct remote_sources *s, struct known_run *names,
			struct remote_batch *to)
{
	struct wall wall;
	int64_t ms;
	int err = 0;

	if (s->batch.ns == 0 ||
	    run_clock_wall(known_clock(names), s->batch, &wall) < 0)
		return 0;
	ms = wall.ns / NS_PER_MS;
	for (size_t i = 0; i < s->count && err == 0; i++) {
		struct remote_source *source = &s->of[i];
		bool fresh = is_fresh(s, source);

		if ((source->taken_ns == 0 && fresh) || ms <= source->told_ms ||
		    (source->told_ms && fresh == source->is_fresh &&
		     ms - source->told_ms < REMOTE_REPEAT_MS))
			continue;
		source->is_fresh = fresh;
		err = source_tell(source, names, ms, to);
	}
	return err;
}

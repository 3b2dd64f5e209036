#include "agent/collect/standing.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

struct standing {
	pthread_mutex_t mutex;
	/* Under it: */
	struct standing_switch *list;	/* by id */
	size_t count;
	/* Only for the calling thread: */
	standing_expected_fn *is_expected;
	void *context;
	struct standing_switch *next;
	size_t next_cap, list_cap;
};

int standing_new(struct standing **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(void)pthread_mutex_init(&(*ret)->mutex, NULL);
	return 0;
}

void standing_free(struct standing *s)
{
	if (!s)
		return;
	(void)pthread_mutex_destroy(&s->mutex);
	free(s->list);
	free(s->next);
	free(s);
}

void standing_expect(struct standing *s, standing_expected_fn *fn,
		     void *context)
{
	s->is_expected = fn;
	s->context = context;
}

/* Within one switch, the run that was heard last comes first. */
static int run_order(const void *left, const void *right)
{
	const struct standing_switch *a = left, *b = right;
	int order = strcmp(a->switch_id, b->switch_id);

	if (order)
		return order;
	return (a->heard.ns < b->heard.ns) - (a->heard.ns > b->heard.ns);
}

/* Records read from the spool at the start do not count as heard. */
static struct standing_switch standing_of(const struct run *r, struct mono now,
					  int64_t silent_ns)
{
	struct standing_switch s = { .run = r->run, .recorded = r->recorded };

	(void)strcpy(s.switch_id, r->switch_id);
	(void)strcpy(s.name, r->identity.name);
	if (r->session)
		s.heard = r->heard;
	s.is_up = mono_diff_ns(now, r->heard) < silent_ns;
	s.is_told = !ledger_run_is_empty(r);
	return s;
}

/* Keeps the first run of each switch of which anything was kept. */
static size_t once(const struct standing *of, struct standing_switch *list,
		   size_t count)
{
	size_t kept = 0, next;

	for (size_t i = 0; i < count; i = next) {
		struct standing_switch s = list[i];

		for (next = i + 1; next < count && strcmp(list[next].switch_id,
					s.switch_id) == 0; next++)
			s.is_told |= list[next].is_told;
		if (s.is_told && (s.is_up || !of->is_expected ||
				  of->is_expected(of->context, s.switch_id)))
			list[kept++] = s;
	}
	return kept;
}

void standing_look(struct standing *s, const struct ledger *l, struct mono now,
		   int64_t silent_ns)
{
	struct standing_switch *list = s->next;
	size_t count = 0, cap;

	for (struct run *r = ledger_next(l, NULL); r; r = ledger_next(l, r)) {
		list = array_room(s->next, &s->next_cap, count + 1,
				  sizeof(*list));
		if (!list)
			return;
		s->next = list;
		list[count++] = standing_of(r, now, silent_ns);
	}
	if (count)
		qsort(list, count, sizeof(*list), run_order);
	count = once(s, list, count);
	cap = s->next_cap;
	(void)pthread_mutex_lock(&s->mutex);
	s->next = s->list;
	s->next_cap = s->list_cap;
	s->list = list;
	s->list_cap = cap;
	s->count = count;
	(void)pthread_mutex_unlock(&s->mutex);
}

static int id_order(const void *id, const void *member)
{
	return strcmp(id, ((const struct standing_switch *)member)->switch_id);
}

bool standing_get(struct standing *s, const char *switch_id,
		  struct standing_switch *ret)
{
	const struct standing_switch *found = NULL;

	(void)pthread_mutex_lock(&s->mutex);
	if (s->count)
		found = bsearch(switch_id, s->list, s->count,
				sizeof(*s->list), id_order);
	if (found)
		*ret = *found;
	(void)pthread_mutex_unlock(&s->mutex);
	return found != NULL;
}

struct standing_switch *standing_all(struct standing *s, size_t *ret_count)
{
	struct standing_switch *copy;

	(void)pthread_mutex_lock(&s->mutex);
	copy = calloc(s->count + 1, sizeof(*copy));
	if (copy && s->count)
		memcpy(copy, s->list, s->count * sizeof(*copy));
	*ret_count = copy ? s->count : 0;
	(void)pthread_mutex_unlock(&s->mutex);
	return copy;
}

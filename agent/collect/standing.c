#include "agent/collect/standing.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
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
	/* Before the start, by id; does not change any more: */
	struct standing_switch *past;
	size_t past_count, past_cap;
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
	free(s->past);
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
static struct standing_switch standing_of(const struct run *r,
					  const struct clock_reading *now,
					  int64_t silent_ns)
{
	struct standing_switch s = { .run = r->run, .recorded = r->recorded };
	int64_t ago_ns = mono_diff_ns(now->mono, r->heard);

	(void)strcpy(s.switch_id, r->switch_id);
	(void)strcpy(s.name, r->identity.name);
	if (r->session) {
		s.heard = r->heard;
		s.heard_wall.ns = now->wall.ns - ago_ns;
	}
	s.is_up = ago_ns < silent_ns;
	s.is_told = !ledger_run_is_empty(r);
	return s;
}

static int id_order(const void *id, const void *member)
{
	return strcmp(id, ((const struct standing_switch *)member)->switch_id);
}

static const struct standing_switch *
id_find(const struct standing_switch *list, size_t count, const char *id)
{
	return count ? bsearch(id, list, count, sizeof(*list), id_order) : NULL;
}

void standing_restore(struct standing *s, const char *switch_id,
		      struct wall heard, struct wall recorded)
{
	struct standing_switch *list = array_room(s->past, &s->past_cap,
						  s->past_count + 1,
						  sizeof(*list));

	if (!list)
		return;
	s->past = list;
	list += s->past_count++;
	*list = (struct standing_switch){ .heard_wall = heard,
					  .recorded = recorded };
	(void)snprintf(list->switch_id, sizeof(list->switch_id), "%s",
		       switch_id);
}

struct wall standing_before(const struct standing *s, const char *switch_id)
{
	const struct standing_switch *past =
		id_find(s->past, s->past_count, switch_id);

	return past ? past->recorded : (struct wall){ 0 };
}

/* Takes over what the ledger no longer knows: it began anew with this program,
 * or with a spool that was mended. A time that did not change keeps its wall
 * time, even if the clock was set.
 */
static void former_take(struct standing_switch *s,
			const struct standing_switch *former)
{
	if (!former)
		return;
	if (s->heard.ns == 0 || s->heard.ns == former->heard.ns) {
		s->heard = former->heard;
		s->heard_wall = former->heard_wall;
	}
	if (s->recorded.ns == 0)
		s->recorded = former->recorded;
}

/* Keeps the first run of each switch of which anything was kept. */
static size_t once(const struct standing *of, struct standing_switch *list,
		   size_t count)
{
	size_t kept = 0, next;

	for (size_t i = 0; i < count; i = next) {
		struct standing_switch s = list[i];

		for (next = i + 1; next < count && strcmp(list[next].switch_id,
					s.switch_id) == 0; next++) {
			s.is_told |= list[next].is_told;
			if (s.recorded.ns < list[next].recorded.ns)
				s.recorded = list[next].recorded;
		}
		former_take(&s, id_find(of->list, of->count, s.switch_id));
		former_take(&s, id_find(of->past, of->past_count,
					s.switch_id));
		if (s.is_told && (s.is_up || !of->is_expected ||
				  of->is_expected(of->context, s.switch_id)))
			list[kept++] = s;
	}
	return kept;
}

void standing_look(struct standing *s, const struct ledger *l,
		   const struct clock_reading *now, int64_t silent_ns)
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

bool standing_get(struct standing *s, const char *switch_id,
		  struct standing_switch *ret)
{
	const struct standing_switch *found;

	(void)pthread_mutex_lock(&s->mutex);
	found = id_find(s->list, s->count, switch_id);
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

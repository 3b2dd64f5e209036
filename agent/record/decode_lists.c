/* Entity lists of a batch, and its read groups: when values were taken.
 */
#include "agent/record/decoder.h"

#include <errno.h>
#include <string.h>

/* Fields of record.proto. */
enum { LIST_ID = 1, LIST_ENTITIES };
enum { GROUP_SOURCE = 1, GROUP_LIST, GROUP_TAKEN, GROUP_UNCERTAINTY_NS,
       GROUP_WINDOW_NS, GROUP_WINDOWS };

static int list_entities(struct decoder *d, uint32_t id, struct cursor c,
			 uint32_t *ret_count, struct diag *diag)
{
	int64_t entity = 0, step;
	uint32_t count = 0;

	for (; cursor_left(&c) > 0; count++) {
		uint32_t at = array_add(&d->entities, 1);

		if (at == INDEX_NONE || count == DECODE_LIST_ENTITIES_MAX)
			return decoder_full(diag, "entities in lists",
					    d->entities.max);
		step = cursor_zigzag(&c);
		if (__builtin_add_overflow(entity, step, &entity) ||
		    !cursor_ok(&c) || entity <= 0 || entity > UINT32_MAX)
			return diag_set(diag, -EBADMSG, "list %u: no entity "
					"at %u", id, count);
		*array_u32(&d->entities, at) = (uint32_t)entity;
	}
	*ret_count = count;
	return 0;
}

/* Groups followed rows next to each other into runs. False: no room. */
static bool runs_find(struct decoder *d, struct known_list *list)
{
	bool is_open = false;

	for (uint32_t i = 0; i < list->rows.count; i++) {
		bool was_open = is_open;

		is_open = decoder_follows(d, *array_u32(&d->entities,
							list->rows.at + i));
		if (is_open && !was_open) {
			uint32_t at = array_add(&d->runs, 1);

			if (at == INDEX_NONE)
				return false;
			*piece_at(&d->runs, at) = (struct piece){ i, 0 };
			list->runs.count++;
		}
		if (is_open)
			piece_at(&d->runs, d->runs.count - 1)->count++;
	}
	return true;
}

int decoder_list_take(struct decoder *d, struct cursor c, struct diag *diag)
{
	struct known_list list = { .rows.at = d->entities.count,
				   .runs.at = d->runs.count };
	struct proto_field f[LIST_ENTITIES + 1];
	uint32_t id, more, at;
	int rc;

	if (!proto_fields(c, 1u << LIST_ENTITIES, LIST_ENTITIES + 1, f))
		return diag_set(diag, -EBADMSG, "not a list");
	id = (uint32_t)f[LIST_ID].value;
	if (id >= DECODE_LISTS_MAX)
		return decoder_full(diag, "lists", DECODE_LISTS_MAX);
	if (id >= d->lists.count) {
		more = id + 1 - d->lists.count;
		at = array_add(&d->lists, more);
		if (at == INDEX_NONE)
			return decoder_full(diag, "lists", DECODE_LISTS_MAX);
		memset(list_at(&d->lists, at), 0, more * sizeof(list));
	}
	if (list_at(&d->lists, id)->rows.count > 0)
		return diag_set(diag, -EBADMSG, "list %u is given twice", id);
	rc = list_entities(d, id, f[LIST_ENTITIES].octets, &list.rows.count,
			   diag);
	if (rc < 0)
		return rc;
	if (list.rows.count == 0)
		return diag_set(diag, -EBADMSG, "list %u is empty", id);
	if (!runs_find(d, &list))
		return decoder_full(diag, "runs of entities", d->runs.max);
	*list_at(&d->lists, id) = list;
	return 0;
}

const struct known_list *decoder_list(const struct decoder *d, uint32_t id,
				      struct diag *diag)
{
	if (id < d->lists.count && list_at(&d->lists, id)->rows.count > 0)
		return list_at(&d->lists, id);
	(void)diag_set(diag, -EBADMSG, "list %u is not known", id);
	return NULL;
}

int decoder_group_read(struct decoder *d, struct staged_group *g,
		      struct diag *diag)
{
	uint32_t n = list_at(&d->lists, g->list)->rows.count, window;
	int64_t *windows;

	g->is_read = true;
	g->ages = (struct piece){ array_add(&d->taken, n), n };
	window = array_add(&d->window, n);
	if (g->ages.at == INDEX_NONE || window == INDEX_NONE)
		return decoder_full(diag, "ages", d->taken.max);
	windows = array_i64(&d->window, window);
	if (!values_spatial(g->taken, d->now.ns,
			    array_i64(&d->taken, g->ages.at), n) ||
	    (g->windows.len > 0 && !values_spatial(g->windows, 0, windows, n)))
		return diag_set(diag, -EBADMSG, "source %u: ages do not fit "
				"list %u", g->source, g->list);
	for (uint32_t i = 0; g->windows.len == 0 && i < n; i++)
		windows[i] = g->window_ns;
	return 0;
}

static void group_field(struct staged_group *g, const struct proto_field *f)
{
	if (f->number == GROUP_SOURCE)
		g->source = (uint32_t)f->value;
	else if (f->number == GROUP_LIST)
		g->list = (uint32_t)f->value;
	else if (f->number == GROUP_TAKEN)
		g->taken = f->octets;
	else if (f->number == GROUP_UNCERTAINTY_NS)
		g->uncertainty_ns = (int64_t)f->value;
	else if (f->number == GROUP_WINDOW_NS)
		g->window_ns = (int64_t)f->value;
	else if (f->number == GROUP_WINDOWS)
		g->windows = f->octets;
}

/* There are many, and most are not read: takes field by field, without room for
 * all of them.
 */
int decoder_group_take(struct decoder *d, struct cursor c, struct diag *diag)
{
	struct proto_field f = { .value = 0 };
	struct staged_group g = { .source = 0 };
	uint32_t at;

	while (proto_next(&c, &f)) {
		bool wants_octets = f.number == GROUP_TAKEN ||
				    f.number == GROUP_WINDOWS;

		if (f.number <= GROUP_WINDOWS && f.has_octets != wants_octets)
			cursor_fail(&c);
		group_field(&g, &f);
	}
	if (!cursor_ok(&c))
		return diag_set(diag, -EBADMSG, "not a read group");
	if (!decoder_list(d, g.list, diag))
		return -EBADMSG;
	at = array_add(&d->groups, 1);
	if (at == INDEX_NONE)
		return decoder_full(diag, "ages", d->taken.max);
	*group_at(&d->groups, at) = g;
	return d->wants_all ?
	       decoder_group_read(d, group_at(&d->groups, at), diag) : 0;
}

uint32_t decoder_group_find(const struct decoder *d, uint32_t source,
			   uint32_t list)
{
	for (uint32_t i = 0; i < d->groups.count; i++)
		if (group_at(&d->groups, i)->source == source &&
		    group_at(&d->groups, i)->list == list)
			return i;
	return INDEX_NONE;
}

#include "agent/record/pace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pace_init(struct pace *p, uint32_t columns, uint32_t slots)
{
	*p = (struct pace){ .told_max = sample_words(slots) + columns,
			    .wanted_max = sample_words(slots) };
	p->told = calloc(p->told_max, sizeof(*p->told));
	p->wanted = calloc(p->wanted_max, sizeof(*p->wanted));
	return p->told && p->wanted ? 0 : -ENOMEM;
}

void pace_fini(struct pace *p)
{
	free(p->told);
	free(p->wanted);
}

void pace_begin(struct pace *p, struct mono now)
{
	p->now = now;
	p->told_at = 0;
	p->is_on = false;
	for (unsigned i = 0; i < CLASS_COUNT; i++) {
		int64_t span_ns = p->span_ns[i];
		int64_t span = span_ns > 0 ? now.ns / span_ns : 0;

		p->is_on |= span_ns > 0;
		p->begins[i] = span != p->span[i];
		p->span[i] = span;
	}
}

static bool is_told_at_once(const struct quantity_info *q)
{
	return q->kind == KIND_FLAG || q->speed == CLASS_STATIC;
}

/* Must the row be recorded although its series was in this span? */
static bool row_matters(const struct columns *known,
			const struct column_memory *m,
			const struct sample_column *c, uint32_t row,
			bool at_once)
{
	struct known_series s;

	if (c->quality[row] != QUALITY_GOOD)
		return true;
	if (!at_once)
		return false;
	s = columns_get(known, m, row);
	return !s.seen || s.last != c->value[row];
}

/* After columns came or went, some bits belong to other rows until the span
 * ends: a reading more, or less.
 */
static uint64_t *told_of(struct pace *p, uint32_t words)
{
	uint64_t *told = p->told + p->told_at;

	if (words > p->told_max - p->told_at || words > p->wanted_max)
		return NULL;
	p->told_at += words;
	return told;
}

const struct sample_column *pace_column(struct pace *p,
					const struct columns *known,
					const struct column_memory *m,
					const struct sample_column *c,
					uint32_t tick, bool is_reference,
					struct sample_column *room)
{
	const struct quantity_info *q = p->is_on ? quantity_find(c->quantity) :
						   NULL;
	uint32_t words = sample_words(c->count);
	uint64_t *told = q ? told_of(p, words) : NULL;

	if (!told || p->span_ns[q->speed] == 0 || q->kind == KIND_PEAK)
		return c;
	if (p->begins[q->speed])
		memset(told, 0, words * sizeof(*told));
	if (c->tick != tick)
		return c;
	for (uint32_t i = 0; i < words; i++) {
		uint64_t again = is_reference ? 0 : c->is_new[i] & told[i];

		p->wanted[i] = c->is_new[i] & ~again;
		for (; again; again &= again - 1) {
			uint32_t row = i * SAMPLE_BITS +
				       (uint32_t)__builtin_ctzll(again);

			if (row_matters(known, m, c, row, is_told_at_once(q)))
				sample_mark(p->wanted, row, true);
		}
		told[i] |= c->is_new[i];
	}
	*room = *c;
	room->is_new = p->wanted;
	return room;
}

#include "agent/query/faults.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/state/state.h"
#include "petrel/module.h"

#define WORDS_MAX 128

static enum quantity quantity_of(const struct cells *c, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(c->ctx->state, entity);

	return e && e->key.kind == ENTITY_LANE ? Q_LANE_READING_FAULTS :
						 Q_MODULE_READING_FAULTS;
}

/* What was found of one part of the memory; false: it was not judged. */
static bool part_get(const struct cells *c, uint32_t entity, unsigned part,
		     int64_t *ret)
{
	struct state_value v;

	if (!state_value(c->ctx->state, entity, quantity_of(c, entity), part,
			 &v))
		return false;
	*ret = v.value;
	return true;
}

void faults_cell(struct cells *c, uint32_t entity)
{
	char words[WORDS_MAX];
	bool is_judged = false;
	int64_t all = 0, bits;

	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		if (!part_get(c, entity, i, &bits))
			continue;
		is_judged = true;
		all |= bits;
	}
	reading_faults_text(all, words, sizeof(words));
	answer_text(c->a, is_judged ? words : NULL);
}

void faults_note(struct cells *c, const char *who, uint32_t entity,
		 struct fault_notes *n)
{
	char words[WORDS_MAX];
	int64_t bits;

	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		if (!part_get(c, entity, i, &bits) || !bits)
			continue;
		if (n->told++ >= FAULT_NOTES_MAX) {
			n->left_out++;
			continue;
		}
		reading_faults_text(bits, words, sizeof(words));
		answer_note(c->a, "%s: %s cannot be so: %s", who,
			    reading_of_name((enum reading_of)i), words);
	}
}

void faults_note_rest(struct answer *a, const struct fault_notes *n)
{
	if (n->left_out)
		answer_note(a, "%zu more that cannot be so: see --json",
			    n->left_out);
}

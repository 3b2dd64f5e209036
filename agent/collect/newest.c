#include "agent/collect/newest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"

#define CHAINS 4096u
#define SLOTS_MIN 1024u		/* a power of two */

struct slot {
	uint64_t key;		/* entity, quantity, index; 0: free */
	struct newest_value value;
};

struct switch_values {
	char id[SWITCH_NAME_MAX];
	uint64_t run;
	struct decoder *decoder;
	struct slot *slots;	/* open addressing, at most half full */
	size_t slot_count, used;
	uint64_t left_out;
	uint64_t entered;	/* newest's entries by then */
	struct switch_values *next;
};

struct newest {
	struct newest_count count;
	uint64_t entries;
	struct switch_values *chain[CHAINS];
};

int newest_new(struct newest **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

static void switch_free(struct switch_values *s)
{
	decoder_free(s->decoder);
	free(s->slots);
	free(s);
}

void newest_free(struct newest *n)
{
	for (unsigned i = 0; n && i < CHAINS; i++) {
		struct switch_values *next;

		for (struct switch_values *s = n->chain[i]; s; s = next) {
			next = s->next;
			switch_free(s);
		}
	}
	free(n);
}

static unsigned chain_of(const char *id)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (; *id; id++)
		h = (h ^ (uint8_t)*id) * 16777619u;
	return (h ^ h >> 16) % CHAINS;
}

static struct switch_values *switch_find(const struct newest *n,
					 const char *id)
{
	struct switch_values *s = n->chain[chain_of(id)];

	while (s && strcmp(s->id, id) != 0)
		s = s->next;
	return s;
}

/* The slot of a key, or the free one where it belongs. */
static size_t slot_find(const struct slot *slots, size_t count, uint64_t key)
{
	size_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (count - 1);

	while (slots[at].key != 0 && slots[at].key != key)
		at = (at + 1) & (count - 1);
	return at;
}

static bool slots_grow(struct switch_values *s)
{
	size_t count = s->slot_count ? 2 * s->slot_count : SLOTS_MIN;
	struct slot *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->slot_count; i++)
		if (s->slots[i].key)
			slots[slot_find(slots, count, s->slots[i].key)] =
				s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->slot_count = count;
	return true;
}

static uint64_t key_of(uint32_t entity, uint16_t quantity, uint16_t index)
{
	return (uint64_t)entity << 32 | (uint32_t)quantity << 16 | index;
}

static void value_take(struct switch_values *s, const struct decoded_column *c,
		       uint32_t row)
{
	uint64_t key = key_of(c->entity[row], c->quantity, c->index);
	size_t at;

	if (key == 0)
		return;		/* no entity, no quantity */
	if (2 * s->used >= s->slot_count &&
	    (s->used >= NEWEST_VALUES_MAX || !slots_grow(s))) {
		s->left_out++;
		return;
	}
	at = slot_find(s->slots, s->slot_count, key);
	s->used += s->slots[at].key == 0;
	s->slots[at].key = key;
	s->slots[at].value = (struct newest_value){
		.value = c->value[row], .taken = { c->taken_ns[row] },
		.quality = c->quality[row] };
}

static int column_take(void *context, const struct decoded_column *c)
{
	for (uint32_t row = 0; row < c->count; row++)
		value_take(context, c, row);
	return 0;
}

/* Nothing is known of it, from the first record of a run on. */
static int switch_begin(struct switch_values *s, uint64_t run)
{
	decoder_free(s->decoder);
	s->decoder = NULL;
	free(s->slots);
	s->slots = NULL;
	s->slot_count = s->used = 0;
	s->run = run;
	return decoder_new(&s->decoder);
}

static void chain_leave(struct newest *n, struct switch_values *s)
{
	struct switch_values **at = &n->chain[chain_of(s->id)];

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

static void chain_join(struct newest *n, struct switch_values *s,
		       const char *id)
{
	struct switch_values **chain = &n->chain[chain_of(id)];

	(void)strcpy(s->id, id);
	s->next = *chain;
	*chain = s;
}

/* What was known under another id is this switch's from here on. */
static void switch_rename(struct newest *n, const struct entry *e)
{
	struct entry_identity identity;
	struct switch_values *s;

	if (entry_identity_read(e, &identity) < 0 || !identity.former_id[0] ||
	    switch_find(n, e->switch_id))
		return;
	s = switch_find(n, identity.former_id);
	if (!s || s->run != e->run)
		return;
	chain_leave(n, s);
	chain_join(n, s, e->switch_id);
}

/* The one that said nothing for longest makes room. */
static void switch_forget(struct newest *n)
{
	struct switch_values *least = NULL;

	for (unsigned i = 0; i < CHAINS; i++)
		for (struct switch_values *s = n->chain[i]; s; s = s->next)
			if (!least || s->entered < least->entered)
				least = s;
	if (!least)
		return;
	chain_leave(n, least);
	switch_free(least);
	n->count.switches--;
}

static int switch_enter(struct newest *n, const struct entry *e,
			struct switch_values **ret)
{
	struct switch_values *s = switch_find(n, e->switch_id);
	int err = 0;

	if (!s) {
		if (n->count.switches >= NEWEST_SWITCHES_MAX)
			switch_forget(n);
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		chain_join(n, s, e->switch_id);
		n->count.switches++;
	}
	s->entered = ++n->entries;
	if (s->run != e->run || !s->decoder)
		err = switch_begin(s, e->run);
	*ret = s;
	return err;
}

static void record_take(struct newest *n, struct switch_values *s,
			const struct record_header *h, const uint8_t *payload)
{
	int err;

	if (h->stream != STREAM_SAMPLES)
		return;
	if (h->kind == RECORD_GAP) {
		decoder_lost(s->decoder);
		return;
	}
	if (h->kind != RECORD_BATCH)
		return;
	err = decoder_batch(s->decoder, h->flags, payload, h->length,
			    column_take, s, NULL);
	n->count.unreadable += err < 0 && err != -EAGAIN;
}

int newest_entry(struct newest *n, const struct entry *e)
{
	struct cursor c = cursor_of(e->body, e->len);
	struct switch_values *s;
	int err;

	switch_rename(n, e);
	if (e->kind != ENTRY_RECORDS)
		return 0;
	err = switch_enter(n, e, &s);
	while (err == 0 && cursor_left(&c) > 0) {
		struct record_header h;
		const uint8_t *payload;

		if (record_read(&c, &h, &payload) < 0)
			break;		/* the entry's CRC was good */
		record_take(n, s, &h, payload);
	}
	return err;
}

int newest_get(const struct newest *n, const char *switch_id,
	       uint32_t entity, uint16_t quantity, uint16_t index,
	       struct newest_value *ret)
{
	const struct switch_values *s = switch_find(n, switch_id);
	uint64_t key = key_of(entity, quantity, index);
	size_t at;

	if (!s || s->slot_count == 0)
		return -ENODATA;
	at = slot_find(s->slots, s->slot_count, key);
	if (key == 0 || s->slots[at].key != key)
		return -ENODATA;
	*ret = s->slots[at].value;
	return 0;
}

void newest_count(const struct newest *n, struct newest_count *ret)
{
	*ret = n->count;
	for (unsigned i = 0; i < CHAINS; i++)
		for (const struct switch_values *s = n->chain[i]; s;
		     s = s->next) {
			ret->values += s->used;
			ret->left_out += s->left_out;
		}
}

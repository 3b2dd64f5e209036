#include "agent/collect/dictionary_version.h"

#include "agent/record/proto.h"

/* Field numbers of record.proto. */
enum { DICTIONARY_VERSION = 1, DICTIONARY_SNAPSHOT = 2, DICTIONARY_PART = 3 };
enum { PART_NUMBER = 1, PART_COUNT = 2 };
enum { BATCH_DICTIONARY = 2 };

struct dictionary_part {
	uint32_t version, part, parts;
	bool snapshot;
};

static void part_read(struct cursor c, struct dictionary_part *g)
{
	struct proto_field f = { .value = 0 };

	while (proto_next(&c, &f)) {
		if (f.number == PART_NUMBER)
			g->part = (uint32_t)f.value;
		else if (f.number == PART_COUNT)
			g->parts = (uint32_t)f.value;
	}
}

/* Stops at the first field after the wanted ones. */
static struct dictionary_part dictionary_part_of(const void *payload,
						 size_t len)
{
	struct cursor c = cursor_of(payload, len);
	struct dictionary_part g = { .parts = 1 };
	struct proto_field f = { .value = 0 };

	while (proto_next(&c, &f) && f.number <= DICTIONARY_PART) {
		if (f.number == DICTIONARY_VERSION)
			g.version = (uint32_t)f.value;
		else if (f.number == DICTIONARY_SNAPSHOT)
			g.snapshot = f.value != 0;
		else if (f.number == DICTIONARY_PART)
			part_read(f.octets, &g);
	}
	if (g.parts == 0)
		g.parts = 1;
	return g;
}

static void snapshot_part(struct dictionary *d, const struct dictionary_part *g)
{
	bool follows = g->part == d->next_part &&
		       (g->part == 0 || g->version == d->next_version);

	if (g->part == 0) {
		follows = true;
		d->next_version = g->version;
	}
	d->next_part = follows ? g->part + 1 : 0;
	if (!follows || d->next_part < g->parts)
		return;
	d->is_known = true;
	d->version = g->version;
	d->next_part = 0;
}

void dictionary_take(struct dictionary *d, const void *payload, size_t len)
{
	struct dictionary_part g = dictionary_part_of(payload, len);

	if (g.snapshot)
		snapshot_part(d, &g);
	else if (d->is_known && g.part + 1 >= g.parts)
		d->version = g.version;
}

void dictionary_lost(struct dictionary *d)
{
	*d = (struct dictionary){ .is_known = false };
}

bool dictionary_serves(const struct dictionary *d, const void *batch,
		       size_t len)
{
	struct cursor c = cursor_of(batch, len);
	uint32_t wanted = 0;
	struct proto_field f = { .value = 0 };

	while (proto_next(&c, &f) && f.number <= BATCH_DICTIONARY)
		if (f.number == BATCH_DICTIONARY)
			wanted = (uint32_t)f.value;
	return wanted == 0 || (d->is_known && d->version >= wanted);
}

/* The dictionary (C2) to records, in parts where it is large. It is packed
 * twice: to count the parts, and to write them.
 */
#include "agent/record/encode.h"

#include <errno.h>

#include "agent/record/encoder.h"

/* Fields of record.proto. */
enum { DICTIONARY_VERSION = 1, DICTIONARY_SNAPSHOT, DICTIONARY_PART,
       DICTIONARY_ENTITIES, DICTIONARY_SOURCES, DICTIONARY_NUMBER };
enum { PART_NUMBER = 1, PART_COUNT };
enum { ITEM_ID = 1, ITEM_KIND, ITEM_PARENT, ITEM_NAME, ITEM_NUMBER,
       ITEM_ATTRIBUTES, ITEM_GONE };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_TEXT };
enum { SOURCE_NUMBER = 1, SOURCE_NAME, SOURCE_INTERVAL_NS };

struct packing {
	struct encoder *e;
	uint32_t version;
	bool snapshot;
	uint32_t parts;		/* of the pass before; 0: this one counts */
	uint32_t part;
	size_t first;		/* where the part's first item begins */
	struct writer w;
};

static void entity_pack(struct writer *w, const struct encoder_entity *entity)
{
	size_t message = pack_open(w, DICTIONARY_ENTITIES);

	pack_uint(w, ITEM_ID, entity->id);
	pack_uint(w, ITEM_KIND, entity->key->kind);
	pack_uint(w, ITEM_PARENT, entity->key->parent);
	pack_text(w, ITEM_NAME, entity->key->name);
	pack_uint(w, ITEM_NUMBER, entity->key->number);
	for (unsigned i = 0; entity->attribute && i < ATTRIBUTE_COUNT; i++) {
		size_t attribute;

		if (!entity->attribute[i])
			continue;
		attribute = pack_open(w, ITEM_ATTRIBUTES);
		pack_uint(w, ATTRIBUTE_KEY, i);
		pack_text(w, ATTRIBUTE_TEXT, entity->attribute[i]);
		pack_close(w, attribute);
	}
	pack_uint(w, ITEM_GONE, entity->gone);
	pack_close(w, message);
}

static void source_pack(struct writer *w, const struct encoder_source *source)
{
	size_t message = pack_open(w, DICTIONARY_SOURCES);

	pack_uint(w, SOURCE_NUMBER, source->number);
	pack_text(w, SOURCE_NAME, source->name);
	pack_int(w, SOURCE_INTERVAL_NS, source->interval_ns);
	pack_close(w, message);
}

static void part_open(struct packing *p)
{
	p->w = writer_of(p->e->octets, RECORD_PAYLOAD_MAX - PART_TAIL_MAX);
	pack_uint(&p->w, DICTIONARY_VERSION, p->version);
	pack_uint(&p->w, DICTIONARY_SNAPSHOT, p->snapshot);
	p->first = p->w.pos;
}

static int part_close(struct packing *p)
{
	uint32_t number = p->part++;

	if (p->parts == 0)
		return 0;
	p->w.cap = RECORD_PAYLOAD_MAX;
	if (p->parts > 1) {
		size_t part = pack_open(&p->w, DICTIONARY_PART);

		pack_uint(&p->w, PART_NUMBER, number);
		pack_uint(&p->w, PART_COUNT, p->parts);
		pack_close(&p->w, part);
	}
	pack_uint(&p->w, DICTIONARY_NUMBER,
		  encoder_sequence(p->e, STREAM_STATES));
	return encoder_put(p->e, STREAM_STATES, RECORD_DICTIONARY,
			   p->snapshot && number == 0 ? RECORD_FLAG_REFERENCE
						      : 0, &p->w);
}

/* *ret_again is true when the last item did not fit: the part ends before it,
 * at pos, and the item goes into the next one.
 */
static int part_turn(struct packing *p, size_t pos, bool *ret_again)
{
	int rc;

	*ret_again = !writer_ok(&p->w);
	if (!*ret_again)
		return 0;
	if (pos == p->first)
		return -EMSGSIZE;
	p->w.pos = pos;
	p->w.overflow = false;
	rc = part_close(p);
	part_open(p);
	return rc;
}

static int pass(struct packing *p, const struct encoder_entity *entities,
		size_t n, const struct encoder_source *sources,
		size_t n_sources)
{
	bool again;
	int rc = 0;

	p->part = 0;
	part_open(p);
	for (size_t i = 0; rc == 0 && i < n_sources; i += !again) {
		size_t pos = p->w.pos;

		source_pack(&p->w, &sources[i]);
		rc = part_turn(p, pos, &again);
	}
	for (size_t i = 0; rc == 0 && i < n; i += !again) {
		size_t pos = p->w.pos;

		entity_pack(&p->w, &entities[i]);
		rc = part_turn(p, pos, &again);
	}
	return rc < 0 ? rc : part_close(p);
}

int encoder_dictionary(struct encoder *e, uint32_t version, bool snapshot,
		       const struct encoder_entity *entities, size_t n,
		       const struct encoder_source *sources, size_t n_sources)
{
	struct packing p = { .e = e, .version = version,
			     .snapshot = snapshot };
	int rc = pass(&p, entities, n, sources, n_sources);

	if (rc < 0)
		return rc;
	p.parts = p.part;
	return pass(&p, entities, n, sources, n_sources);
}

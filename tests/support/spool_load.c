#include "tests/support/spool_load.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "petrel/quantity.h"

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct spool_load *l = context;
	struct entry *e = &l->entry[l->entries++];
	uint8_t *octets = malloc(RECORD_HEADER_LEN + len);
	struct writer w = writer_of(octets, RECORD_HEADER_LEN + len);
	uint64_t sequence = ++l->sequence[stream];

	assert(l->entries < SPOOL_LOAD_ENTRIES_MAX && octets);
	record_write(&w, &(struct record_header){
			.length = (uint32_t)len, .stream = (uint8_t)stream,
			.kind = (uint8_t)kind, .flags = flags,
			.sequence = sequence, .last = sequence }, payload);
	*e = (struct entry){ .kind = ENTRY_RECORDS, .run = 1,
			     .switch_id = "ours", .body = octets,
			     .len = w.pos };
	return 0;
}

static uint64_t next_sequence(void *context, enum stream stream)
{
	return ((struct spool_load *)context)->sequence[stream] + 1;
}

bool spool_load_init(struct spool_load *l, uint32_t ports,
		     bool (*is_wanted)(const struct quantity_info *q))
{
	static const struct encoder_limits limits = {
		.slots = 262144, .columns = 1024, .lists = 64,
		.entities = 4096 };
	struct record_sink sink = { l, put, next_sequence };
	size_t count;
	const struct quantity_info *q = quantity_table(&count);

	assert(ports <= SPOOL_LOAD_PORTS_MAX);
	memset(l, 0, sizeof(*l));
	l->ports = ports;
	for (uint32_t i = 0; i < ports; i++)
		l->entity[i] = SPOOL_LOAD_PORT_ID + i;
	l->group = (struct group_column){ 0, ports, l->entity, l->age, NULL };
	for (size_t i = 0; i < count && l->columns < SPOOL_LOAD_COLUMNS_MAX;
	     i++) {
		uint32_t c = l->columns;

		if (!is_wanted(&q[i]))
			continue;
		l->column[c] = (struct sample_column){
			q[i].id, 0, 0, ports, l->entity, l->value[c],
			l->quality, 0, l->is_new[c] };
		l->columns++;
	}
	l->now.ns = NS_PER_S;
	return encoder_new(&limits, &sink, &l->encoder) == 0;
}

void spool_load_forget(struct spool_load *l)
{
	for (unsigned i = 0; i < l->entries; i++)
		free((void *)(uintptr_t)l->entry[i].body);
	l->entries = 0;
}

void spool_load_fini(struct spool_load *l)
{
	spool_load_forget(l);
	encoder_free(l->encoder);
}

/* Who its ports are, as the collector's database would get it. */
static void dictionary_put(struct spool_load *l)
{
	Petrel__Dictionary m;
	uint32_t n = l->ports + 1;
	Petrel__Entity *e = calloc(n, sizeof(*e));
	Petrel__Entity **list = calloc(n, sizeof(Petrel__Entity *));
	char (*name)[24] = calloc(n, sizeof(*name));
	uint8_t *octets = malloc(65536);

	assert(e && list && name && octets);
	petrel__dictionary__init(&m);
	for (uint32_t i = 0; i < n; i++) {
		petrel__entity__init(&e[i]);
		list[i] = &e[i];
		e[i].id = i == l->ports ? 1 : SPOOL_LOAD_PORT_ID + i;
		e[i].kind = i == l->ports ? ENTITY_SWITCH : ENTITY_PORT;
		e[i].parent = i == l->ports ? 0 : 1;
		(void)snprintf(name[i], sizeof(name[i]), "Ethernet%u", 8 * i);
		e[i].name = name[i];
	}
	m.snapshot = true;
	m.entities = list;
	m.n_entities = n;
	(void)put(l, STREAM_STATES, RECORD_DICTIONARY, 0, octets,
		  petrel__dictionary__pack(&m, octets));
	free(octets);
	free(name);
	free(list);
	free(e);
}

static void tick_make(struct spool_load *l)
{
	l->tick++;
	for (uint32_t c = 0; c < l->columns; c++) {
		l->column[c].tick = l->tick;
		for (uint32_t i = 0; i < l->ports; i++) {
			l->age[i].taken = l->now;
			l->value[c][i] += l->growth ?
				1000 + rand() % l->growth : 1;
			sample_mark(l->is_new[c], i, true);
		}
	}
}

uint64_t spool_load_ticks(struct spool_load *l, unsigned ticks,
			  int64_t step_ns, struct wall wall)
{
	struct clock_reading clock = { .mono = l->now, .wall = wall,
				       .is_set = true };
	int err = 0;

	encoder_want_reference(l->encoder);
	dictionary_put(l);
	(void)encoder_clock(l->encoder, &clock);
	for (unsigned t = 0; t < ticks; t++, l->now.ns += step_ns) {
		tick_make(l);
		err |= encoder_batch(l->encoder, l->now, l->tick, 1, l->column,
				     l->columns, &l->group, 1);
	}
	assert(err == 0);
	return (uint64_t)ticks * l->columns * l->ports;
}

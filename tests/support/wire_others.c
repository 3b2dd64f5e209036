#include "tests/support/wire_others.h"

#include <errno.h>
#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/pack.h"
#include "petrel/quantity.h"

#define REQUEST_SERIES 2000u	/* Prometheus' max_samples_per_send */
#define REQUEST_MAX (1u << 20)
#define ENTITIES_MAX 65536u
#define SWITCH "leaf1"
/* sFlow version 5: a datagram's head (with UDP and IPv4) for each 1,400 octets,
 * a counters_sample with one record for each entity, 8 octets a counter.
 */
#define SFLOW_DATAGRAM 1400
#define SFLOW_HEAD (28 + 28)
#define SFLOW_ENTITY (5 * 4 + 2 * 4)
#define SFLOW_COUNTER 8

/* Field numbers of prometheus.WriteRequest. */
enum { REQUEST_TIMESERIES = 1, SERIES_LABELS = 1, SERIES_SAMPLES = 2,
       LABEL_NAME = 1, LABEL_VALUE = 2, SAMPLE_VALUE = 1, SAMPLE_TIME = 2 };

int wire_others_init(struct wire_others *o)
{
	*o = (struct wire_others){ .request = malloc(REQUEST_MAX) };
	o->packed = malloc(snappy_max_compressed_length(REQUEST_MAX));
	o->seen = calloc(ENTITIES_MAX, sizeof(*o->seen));
	return o->request && o->packed && o->seen ? 0 : -ENOMEM;
}

static void request_send(struct wire_others *o)
{
	size_t n = snappy_max_compressed_length(REQUEST_MAX);

	if (o->series > 0 &&
	    snappy_compress((const char *)o->request, o->request_len,
			    (char *)o->packed, &n) == SNAPPY_OK)
		o->octets[OTHER_REMOTE_WRITE] += n;
	o->request_len = 0;
	o->series = 0;
}

void wire_others_fini(struct wire_others *o)
{
	request_send(o);
	free(o->request);
	free(o->packed);
	free(o->seen);
	o->octets[OTHER_SFLOW] += o->octets[OTHER_SFLOW] /
				  (SFLOW_DATAGRAM - SFLOW_HEAD) * SFLOW_HEAD;
}

static void label(struct writer *w, const char *name, const char *value)
{
	size_t mark = pack_open(w, SERIES_LABELS);

	pack_text(w, LABEL_NAME, name);
	pack_text(w, LABEL_VALUE, value);
	pack_close(w, mark);
}

static void remote_write_add(struct wire_others *o, const char *name,
			     const char *metric, const char *index,
			     int64_t value, struct wall wall)
{
	struct writer w = writer_of(o->request + o->request_len,
				    REQUEST_MAX - o->request_len);
	size_t series = pack_open(&w, REQUEST_TIMESERIES), sample;

	label(&w, "__name__", metric);
	label(&w, "entity", name);
	label(&w, "index", index);
	label(&w, "switch", SWITCH);
	sample = pack_open(&w, SERIES_SAMPLES);
	pack_double(&w, SAMPLE_VALUE, (double)value);
	pack_int(&w, SAMPLE_TIME, wall.ns / NS_PER_MS);
	pack_close(&w, sample);
	pack_close(&w, series);
	if (!writer_ok(&w))
		abort();
	o->request_len += w.pos;
	if (++o->series == REQUEST_SERIES)
		request_send(o);
}

/* A message a sample, all of it numbers, behind its length. */
static size_t protobuf_size(const struct decoded_value *v, struct wall wall)
{
	size_t n = 1 + pack_varint_len((uint64_t)wall.ns) +
		   1 + pack_varint_len(v->entity) +
		   1 + pack_varint_len(v->quantity) +
		   1 + pack_varint_len(pack_zigzag(v->value)) +
		   (v->index ? 1 + pack_varint_len(v->index) : 0);

	return n + 1 + pack_varint_len(n);
}

void wire_others_add(struct wire_others *o, const char *name,
		     const struct decoded_value *v, struct wall wall,
		     uint32_t tick)
{
	const struct quantity_info *q = quantity_find(v->quantity);
	const char *metric = q ? q->name : "?";
	char text[512], index[8];
	unsigned sflow = SFLOW_COUNTER;

	(void)snprintf(index, sizeof(index), "%u", v->index);
	o->values++;
	o->octets[OTHER_JSON] += (uint64_t)snprintf(text, sizeof(text),
		"{\"ts_ms\":%" PRId64 ",\"switch\":\"" SWITCH "\",\"entity\":"
		"\"%s\",\"name\":\"%s\",\"index\":%u,\"value\":%" PRId64 "}\n",
		wall.ns / NS_PER_MS, name, metric, v->index, v->value);
	o->octets[OTHER_PROTOBUF] += protobuf_size(v, wall);
	if (v->entity < ENTITIES_MAX && o->seen[v->entity] != tick) {
		o->seen[v->entity] = tick;
		sflow += SFLOW_ENTITY;
	}
	o->octets[OTHER_SFLOW] += sflow;
	remote_write_add(o, name, metric, index, v->value, wall);
}

const char *wire_other_name(enum wire_other which)
{
	static const char *const names[OTHER_COUNT] = {
		[OTHER_JSON] = "JSON lines",
		[OTHER_PROTOBUF] = "protobuf, a message a sample",
		[OTHER_SFLOW] = "sFlow counters",
		[OTHER_REMOTE_WRITE] = "remote-write + snappy",
	};

	return names[which];
}

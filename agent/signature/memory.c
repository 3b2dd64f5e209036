#include "agent/signature/memory.h"

#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "agent/signature/switch_sensor.h"
#include "agent/signature/recall.h"

#define HEADER_LEN 28		/* magic, version, wall, mono: recall.h */
#define CRC_LEN 4
#define COUNT_LEN 10		/* a number at most */
#define PART_LEN (1 + 1 + MEMORY_NAME_MAX + 4)
#define PORT_LEN 21		/* FEC, speed, share */

/* A part being written; its length is filled in at the end. */
struct open_part {
	struct writer *w;
	size_t at;			/* of the length */
};

static size_t wides_most(const struct wides *w)
{
	return w->count *
	       (PART_LEN + kept_row_most(recall_kept(RECALL_WIDE)));
}

static size_t detectors_most(void)
{
	size_t most = 0, slot = kept_row_most(recall_kept(RECALL_SLOT));
	const struct kept *k;

	for (size_t n = RECALL_DETECTORS; (k = recall_kept(n)); n++)
		most += slot + kept_row_most(k);
	return most;
}

size_t memory_size(const struct engine *e)
{
	size_t most = HEADER_LEN + 2 * COUNT_LEN + CRC_LEN;
	const struct kept *k;

	for (size_t n = 0; (k = recall_kept(n)); n++)
		most += 1 + MEMORY_NAME_MAX + kept_shape_most(k);
	most += PART_LEN + kept_row_most(recall_kept(RECALL_ENGINE));
	most += wides_most(&e->groups) + wides_most(&e->airs);
	most += e->sensor_count *
		(PART_LEN + kept_row_most(recall_kept(RECALL_SENSOR)));
	most += e->count * (PART_LEN + PORT_LEN + detectors_most() +
			    kept_row_most(recall_kept(RECALL_PORT)));
	return most;
}

static void name_write(struct writer *w, const char *name)
{
	size_t len = strnlen(name, MEMORY_NAME_MAX - 1);

	writer_u8(w, (uint8_t)len);
	writer_bytes(w, name, len);
}

static struct open_part part_begin(struct writer *w, enum recall_kind kind,
				   const char *name)
{
	struct open_part p = { .w = w };

	writer_u8(w, (uint8_t)kind);
	name_write(w, name);
	p.at = w->pos;
	writer_be32(w, 0);
	return p;
}

static void part_end(const struct open_part *p)
{
	struct writer len;

	if (!writer_ok(p->w))
		return;
	len = writer_of(p->w->data + p->at, 4);
	writer_be32(&len, (uint32_t)(p->w->pos - p->at - 4));
}

static void shapes_write(struct writer *w)
{
	const struct kept *k;
	size_t n = 0;

	while (recall_kept(n))
		n++;
	writer_varint(w, n);
	for (n = 0; (k = recall_kept(n)); n++) {
		name_write(w, k->name);
		kept_shape_write(w, k);
	}
}

static void wides_write(struct writer *w, const struct engine *e,
			const struct wides *wides, enum recall_kind kind,
			struct mono now)
{
	for (size_t i = 0; i < wides->count; i++) {
		struct wide was = *wides->at[i];
		struct open_part part = part_begin(w, kind, was.name);

		life_slot_write(&e->life, &wides->at[i]->slot, &was.slot);
		kept_row_write(w, recall_kept(RECALL_WIDE), &was, now);
		part_end(&part);
	}
}

static void sensors_write(struct writer *w, const struct engine *e,
			  struct mono now)
{
	for (size_t i = 0; i < e->sensor_count; i++) {
		const struct sensor *s = e->sensors[i];
		struct open_part part = part_begin(w, PART_SENSOR,
						   s->facts.name);

		kept_row_write(w, recall_kept(RECALL_SENSOR), s, now);
		part_end(&part);
	}
}

static enum recall_share share_of(const struct engine_port *p)
{
	if (!p->part_of)
		return SHARE_NONE;
	return p->part_of == p->group ? SHARE_GROUP :
	       p->part_of == p->air ? SHARE_AIR : SHARE_SWITCH;
}

static void port_write(struct writer *w, const struct engine *e,
		       const struct engine_port *p, struct mono now)
{
	struct open_part part = part_begin(w, PART_PORT, p->facts.name);

	writer_varint(w, (uint64_t)p->facts.fec);
	writer_varint(w, p->facts.speed_mbps);
	writer_u8(w, (uint8_t)share_of(p));
	kept_row_write(w, recall_kept(RECALL_PORT), p, now);
	for (size_t n = 0; n < e->detectors; n++) {
		struct life_slot slot;

		life_slot_write(&e->life, &p->slots[n], &slot);
		kept_row_write(w, recall_kept(RECALL_SLOT), &slot, now);
		kept_row_write(w, recall_kept(RECALL_DETECTORS + n),
			       (const char *)p->state + e->offset[n], now);
	}
	part_end(&part);
}

static bool is_worth_it(const struct engine_port *p)
{
	return !p->gone && p->front.started;
}

static void parts_write(struct writer *w, const struct engine *e,
			struct mono now)
{
	size_t parts = 1 + e->groups.count + e->airs.count + e->sensor_count;
	struct open_part part;

	for (size_t i = 0; i < e->count; i++)
		parts += is_worth_it(e->ports[i]);
	writer_varint(w, parts);
	part = part_begin(w, PART_ENGINE, "");
	kept_row_write(w, recall_kept(RECALL_ENGINE), e, now);
	part_end(&part);
	wides_write(w, e, &e->groups, PART_GROUP, now);
	wides_write(w, e, &e->airs, PART_AIR, now);
	sensors_write(w, e, now);
	for (size_t i = 0; i < e->count; i++)
		if (is_worth_it(e->ports[i]))
			port_write(w, e, e->ports[i], now);
}

ssize_t memory_write(const struct engine *e, struct mono now, struct wall wall,
		     void *to, size_t size)
{
	struct writer w = writer_of(to, size);

	writer_be64(&w, MEMORY_MAGIC);
	writer_be32(&w, MEMORY_VERSION);
	writer_be64(&w, (uint64_t)wall.ns);
	writer_be64(&w, (uint64_t)now.ns);
	shapes_write(&w);
	parts_write(&w, e, now);
	writer_be32(&w, libdeflate_crc32(0, to, w.pos));
	return writer_ok(&w) ? (ssize_t)w.pos : -ENOSPC;
}

static int refuse(int err, const char *why, const char **ret_why)
{
	*ret_why = why;
	return err;
}

int memory_check(const void *from, size_t len, struct wall *ret_wall,
		 const char **ret_why)
{
	struct cursor c = cursor_of(from, len), crc;
	uint64_t magic = cursor_be64(&c);
	uint32_t version = cursor_be32(&c);
	struct wall wall = { (int64_t)cursor_be64(&c) };

	(void)cursor_be64(&c);		/* the monotonic clock's moment */
	if (!cursor_ok(&c) || magic != MEMORY_MAGIC)
		return refuse(-EBADMSG, "no baselines (wrong magic)",
			      ret_why);
	if (version != MEMORY_VERSION)
		return refuse(-EPROTONOSUPPORT, "another version",
			      ret_why);
	if (len < HEADER_LEN + CRC_LEN)
		return refuse(-EBADMSG, "cut short", ret_why);
	crc = cursor_of((const uint8_t *)from + len - CRC_LEN, CRC_LEN);
	if (cursor_be32(&crc) != libdeflate_crc32(0, from, len - CRC_LEN))
		return refuse(-EBADMSG, "damaged (wrong checksum)",
			      ret_why);
	c.len -= CRC_LEN;
	if (!recall_is_whole(&c))
		return refuse(-EBADMSG, "wrong lengths", ret_why);
	*ret_wall = wall;
	return 0;
}

int engine_recall(struct engine *e, const void *from, size_t len,
		  struct mono now, struct wall wall, const char **ret_why)
{
	struct wall written;
	int rc = memory_check(from, len, &written, ret_why);

	if (rc < 0)
		return rc;
	recall_free(e->recall);
	e->recall = NULL;
	e->recalled = (struct recalled){ .ports = 0 };
	if (recall_new(e, from, len, now, wall, &e->recall) < 0)
		return refuse(-ENOMEM, "out of memory", ret_why);
	recall_engine(e);
	return 0;
}

void engine_recalled(const struct engine *e, struct recalled *ret)
{
	*ret = e->recalled;
}

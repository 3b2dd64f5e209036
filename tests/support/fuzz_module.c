#include "tests/support/fuzz_module.h"

#include <stdbool.h>
#include <stdlib.h>

#include "petrel/module.h"
#include "platform/module/register_tables.h"

#define INDEX_MAX 9	/* edges are four; a laser has ten grids */
#define LANES_MAX 32	/* as many data paths, at most */
#define READS_MAX 40
#define ROUNDS_MAX 64

/* Bits of the input's last octet: what is done with the image. */
#define WAY_PLAN 1u
#define WAY_OWNER 2u

static void on_text(void *context, enum attribute which, const char *text)
{
	(void)context;
	if (which < 1 || which >= ATTRIBUTE_COUNT || !text[0])
		abort();
}

static bool lane_is_one(unsigned lane)
{
	return lane <= LANES_MAX ||
	       (lane > MODULE_PATH && lane <= MODULE_PATH + LANES_MAX);
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	const struct quantity_info *q = quantity_find((uint16_t)quantity);

	(void)context;
	if (!q || !lane_is_one(lane) || index > INDEX_MAX ||
	    quality >= SAMPLE_QUALITY_COUNT)
		abort();
	if (q->unit == UNIT_PW && (value < 0 || value > MODULE_LIGHT_MOST_PW))
		abort();
}

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	(void)context;
	if (!doubt->where[0] || !doubt->what[0] || !doubt->parts ||
	    !lane_is_one(doubt->lane) || !reading_fault_name(doubt->fault))
		abort();
}

static bool is_latched(const struct module_image *m,
		       const struct module_read *r)
{
	const struct module_tables *t = tables_of(module_standard_of(m));

	for (size_t i = 0; i < t->latched_count; i++) {
		const struct latched_row *l = &t->latched[i];

		if (place_is(l->place, PLACE(r->bank, r->page)) &&
		    r->offset <= l->to && r->offset + r->len - 1u >= l->from)
			return true;
	}
	return false;
}

/* Reads what is asked for from the same octets; a page that does not exist is
 * all ones.
 */
static void plan_follow(const struct module_image *module, bool owner)
{
	static const uint8_t ones[MODULE_PAGE_LEN] = { 0xff, 0xff };
	struct module_image image;
	struct module_read read[READS_MAX];
	uint8_t octets[MODULE_PAGE_LEN];
	unsigned rounds = 0;
	size_t n;

	image.count = 0;
	while ((n = module_plan(&image, MODULE_ALL_PARTS, owner, read,
				READS_MAX))) {
		if (n > READS_MAX || rounds++ > ROUNDS_MAX)
			abort();
		for (size_t i = 0; i < n; i++) {
			const struct module_read *r = &read[i];
			bool is_there = module_image_get(
				module, r->bank, r->page, r->offset, octets,
				r->len) == 0;

			if (!owner && is_latched(module, r))
				abort();
			if (module_image_put(&image, r->bank, r->page,
					     r->offset, is_there ? octets :
					     ones, r->len) < 0)
				abort();
		}
	}
	module_image_forget(&image, MODULE_MONITORS | MODULE_VDM);
}

void fuzz_module(uint8_t type, const uint8_t *data, size_t len)
{
	struct module_image image;
	struct module_sink sink = { NULL, on_text, on_value, on_implausible };
	unsigned way = len ? data[len - 1] : 0;
	uint8_t lower[MODULE_PAGE_LEN] = { type, (uint8_t)way };
	struct diag d;

	image.count = 0;
	(void)module_image_put(&image, 0, MODULE_LOWER, 0, lower,
			       sizeof(lower));
	while (len > 1) {
		unsigned place = data[0], n = len - 1 > 128 ? 128 :
				 (unsigned)(len - 1);
		bool is_lower = place >= 0xe0;
		unsigned bank = is_lower ? place & 1 : place >> 6 & 3;
		unsigned page = is_lower ? MODULE_LOWER : place & 0x3f;

		if (page == 0x3f)
			page = 0x9f;	/* CDB's */
		(void)module_image_put(&image, bank, page, is_lower ? 0 : 128,
				       data + 1, n);
		data += n + 1;
		len -= n + 1;
	}
	(void)module_image_put(&image, 0, MODULE_LOWER, 0, &type, 1);
	if (way & WAY_PLAN)
		plan_follow(&image, way & WAY_OWNER);
	else
		(void)module_decode(&image, MODULE_ALL_PARTS, &sink, &d);
}

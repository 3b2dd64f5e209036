#include "platform/module/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/page_bits.h"

/* Fewer equal octets prove nothing. */
#define REPEAT_OCTETS_MIN 16

const uint8_t *view_octets_partial(const struct view *v, unsigned place,
				   unsigned offset, unsigned n)
{
	unsigned at = offset % MODULE_PAGE_LEN;
	const struct view_page *p =
		&v->page[view_index(v, place) - 1];

	if (p->is_hidden || p->is_unswitched || at + n > MODULE_PAGE_LEN ||
	    !page_bits_have(p->page->have, page_bits_range(at, n)) ||
	    (p->void_row && page_bits_meet(p->lost, page_bits_range(at, n))))
		return NULL;
	return p->page->octets + at;
}

/* Most pages are read completely: then no octet needs a check. */
static void page_settle(struct view_page *p)
{
	bool is_whole = (p->page->have[0] & p->page->have[1]) == UINT64_MAX;

	p->whole = is_whole && !p->is_hidden && !p->is_unswitched &&
		   !p->void_row ? p->page->octets : NULL;
}

int view_octet(const struct view *v, unsigned place, unsigned offset)
{
	const uint8_t *octet = view_octets(v, place, offset, 1);

	return octet ? *octet : -ENODATA;
}

bool view_is_lost(const struct view *v, unsigned place, unsigned offset)
{
	unsigned index = view_index(v, place);
	const struct view_page *p = &v->page[index ? index - 1 : 0];

	return index && (p->is_unswitched ||
			 (p->void_row && page_bits_at(p->lost, offset %
						      MODULE_PAGE_LEN)));
}

bool view_is_doubted(const struct view *v, unsigned place, unsigned offset)
{
	const struct view_page *p;
	unsigned index = view_index(v, place);

	if (!v->has_doubt || !index)
		return false;
	p = &v->page[index - 1];
	return p->doubt_to && offset >= p->doubt_from && offset <= p->doubt_to;
}

void view_where(const struct view *v, unsigned place, unsigned offset,
		char *ret, size_t cap)
{
	unsigned bank = place_bank(place), page = place_page(place);

	if (v->standard == MODULE_SFF8472)
		(void)snprintf(ret, cap, "%s:%u", bank ? "A2h" : "A0h", offset);
	else if (bank)
		(void)snprintf(ret, cap, "bank %u, %02Xh:%u", bank, page,
			       offset);
	else
		(void)snprintf(ret, cap, "%02Xh:%u",
			       page == MODULE_LOWER ? 0 : page, offset);
}

/* Is one word of eight octets the same, and not blank? A cheap test that rules
 * out nearly every page.
 */
static bool words_agree(const uint8_t *a, const uint8_t *b)
{
	uint64_t x, y;

	for (unsigned i = 0; i < MODULE_PAGE_LEN; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x && x == y)
			return true;
	}
	return false;
}

/* Not written, or not driven. */
static bool is_blank(uint8_t octet)
{
	return octet == 0 || octet == 0xff;
}

/* A module or a driver that did not switch pages answers with page 0, and one
 * that decodes seven bits of an address with its lower memory. More than half
 * of the octets that are not blank must be the same: the module may have
 * changed them since, and two blank pages prove nothing.
 */
static bool page_repeats(const struct module_page *zero,
			 const struct module_page *p)
{
	unsigned written = 0, same = 0;

	if (!zero || zero == p || !words_agree(zero->octets, p->octets))
		return false;
	for (unsigned i = 0; i < MODULE_PAGE_LEN; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;

		if (!(p->have[i / 64] & zero->have[i / 64] & bit))
			continue;
		written += !is_blank(p->octets[i]) ||
			   !is_blank(zero->octets[i]);
		same += !is_blank(p->octets[i]) &&
			p->octets[i] == zero->octets[i];
	}
	return same >= REPEAT_OCTETS_MIN && 2 * same > written;
}

/* A module without diagnostics, or one that decodes only part of the address,
 * answers at A2h with the contents of A0h.
 */
static bool page_mirrors(const struct module_page *a0,
			 const struct module_page *p)
{
	unsigned same = 0;

	for (unsigned i = 0; i < MODULE_PAGE_LEN; i++) {
		if (!(p->have[i / 64] & a0->have[i / 64] &
		      UINT64_C(1) << i % 64))
			continue;
		if (p->octets[i] != a0->octets[i])
			return false;
		same += p->octets[i] != 0;
	}
	return same >= REPEAT_OCTETS_MIN;
}

void view_pages(struct view *v, const struct module_image *m)
{
	const struct module_page *zero = NULL, *lower = NULL;
	unsigned a0, a2;

	v->gates = v->untold = v->doubted = 0;
	v->banks = v->bias_multiplier = 1;
	v->banks_unread = 0;
	v->vdm_groups = 0;
	v->has_doubt = false;
	v->media_lanes = v->host_lanes = 0;
	memset(v->index, 0, sizeof(v->index));
	v->standard = module_standard_of(m);
	v->page_count = m->count < MODULE_PAGES_MAX ? m->count :
						      MODULE_PAGES_MAX;
	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = &m->page[i];

		v->page[i] = (struct view_page){ .page = p };
		if (p->bank < MODULE_BANKS_MAX)
			v->index[p->bank][p->page] = (uint8_t)(i + 1);
		if (!p->bank && !p->page)
			zero = p;
		if (!p->bank && p->page == MODULE_LOWER)
			lower = p;
	}
	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = &m->page[i];
		struct view_page *of = &v->page[i];

		if (p->page == MODULE_LOWER)
			continue;
		of->is_of_lower = page_repeats(lower, p);
		of->is_unswitched = of->is_of_lower || page_repeats(zero, p);
	}
	a0 = v->index[0][MODULE_LOWER];
	a2 = v->index[1][MODULE_LOWER];
	if (a0 && a2)
		v->page[a2 - 1].is_unswitched =
			page_mirrors(v->page[a0 - 1].page,
				     v->page[a2 - 1].page);
	for (unsigned i = 0; i < v->page_count; i++)
		page_settle(&v->page[i]);
}

void view_void(struct view *v, unsigned place, const struct void_row *row,
	       enum reading_fault fault)
{
	struct view_page *p = &v->page[view_index(v, place) - 1];

	p->void_row = row;
	p->void_fault = (uint8_t)fault;
	page_bits_add(p->lost, page_bits_range(row->from % MODULE_PAGE_LEN,
					       row->to - row->from + 1u));
	page_settle(p);
}

void view_hide_pages(struct view *v)
{
	for (unsigned i = 0; i < v->page_count; i++) {
		unsigned page = v->page[i].page->page;

		v->page[i].is_hidden = page && page != MODULE_LOWER;
		page_settle(&v->page[i]);
	}
}

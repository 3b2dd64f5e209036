#include "platform/module/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/tables.h"

/* Fewer octets that page 0 has as well prove nothing. */
#define REPEAT_OCTETS_MIN 16

const uint8_t *view_octets(const struct view *v, unsigned place,
			   unsigned offset, unsigned n)
{
	unsigned bank = place >> 8, page = place & 0xff;
	unsigned at = offset & (MODULE_PAGE_LEN - 1);
	const struct view_page *p;
	uint64_t want;

	if (bank >= MODULE_BANKS_MAX || !v->index[bank][page])
		return NULL;
	p = &v->page[v->index[bank][page] - 1];
	if (p->is_unswitched || at + n > MODULE_PAGE_LEN)
		return NULL;
	for (unsigned i = at; i < at + n; i = (i | 63) + 1) {
		unsigned last = (i | 63) < at + n - 1 ? (i | 63) : at + n - 1;

		want = (UINT64_MAX >> (63 - (last - i))) << i % 64;
		if ((p->page->have[i / 64] & want) != want)
			return NULL;
	}
	return p->page->octets + at;
}

int view_octet(const struct view *v, unsigned place, unsigned offset)
{
	const uint8_t *octet = view_octets(v, place, offset, 1);

	return octet ? *octet : -ENODATA;
}

bool view_is_doubted(const struct view *v, unsigned place, unsigned offset)
{
	const struct view_page *p;
	unsigned bank = place >> 8;

	if (bank >= MODULE_BANKS_MAX || !v->index[bank][place & 0xff])
		return false;
	p = &v->page[v->index[bank][place & 0xff] - 1];
	return p->doubt_to && offset >= p->doubt_from && offset <= p->doubt_to;
}

void view_where(const struct view *v, unsigned place, unsigned offset,
		char *ret, size_t cap)
{
	unsigned bank = place >> 8, page = place & 0xff;

	if (v->standard == MODULE_SFF8472)
		(void)snprintf(ret, cap, "%s:%u", bank ? "A2h" : "A0h", offset);
	else if (bank)
		(void)snprintf(ret, cap, "bank %u, %02Xh:%u", bank, page,
			       offset);
	else
		(void)snprintf(ret, cap, "%02Xh:%u",
			       page == MODULE_LOWER ? 0 : page, offset);
}

/* A module or a driver that did not switch pages answers with page 0. More
 * than half of what is not blank must be the same: the module may have changed
 * its page 0 since, and two pages that are both blank prove nothing.
 */
static bool page_repeats(const struct module_page *zero,
			 const struct module_page *p)
{
	unsigned written = 0, same = 0;

	for (unsigned i = 0; i < MODULE_PAGE_LEN; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;

		if (!(p->have[i / 64] & zero->have[i / 64] & bit))
			continue;
		written += p->octets[i] || zero->octets[i];
		same += p->octets[i] && p->octets[i] == zero->octets[i];
	}
	return same >= REPEAT_OCTETS_MIN && 2 * same > written;
}

static void pages_index(struct view *v, const struct module_image *m)
{
	const struct module_page *zero = NULL;

	v->page_count = m->count < MODULE_PAGES_MAX ? m->count :
						      MODULE_PAGES_MAX;
	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = &m->page[i];

		v->page[i] = (struct view_page){ .page = p };
		if (p->bank < MODULE_BANKS_MAX)
			v->index[p->bank][p->page] = (uint8_t)(i + 1);
		if (!p->bank && !p->page)
			zero = p;
	}
	for (unsigned i = 0; zero && i < v->page_count; i++) {
		const struct module_page *p = &m->page[i];

		if (p->page && p->page != MODULE_LOWER)
			v->page[i].is_unswitched = page_repeats(zero, p);
	}
}

static void gates_open(struct view *v)
{
	const struct module_tables *t = tables_of(v->standard);

	for (size_t i = 0; i < t->gate_count; i++) {
		const struct gate_row *g = &t->gates[i];
		int octet = view_octet(v, g->place, g->byte);

		if (octet >= 0 && (octet & g->mask) >= g->low &&
		    (octet & g->mask) <= g->high)
			v->gates |= g->gate;
	}
}

/* Numbers of CMIS that shape the walk. */
static void cmis_shape(struct view *v)
{
	static const uint8_t banks[] = { 1, 2, 4, 1 };
	static const uint8_t multipliers[] = { 1, 2, 4, 1 };
	int pages = view_octet(v, PAGE(0x01), 142);
	int monitors = view_octet(v, PAGE(0x01), 160);
	int groups = view_octet(v, PAGE(0x2f), 128);

	v->banks = pages < 0 ? 1 : banks[pages & 3];
	v->bias_multiplier = monitors < 0 ? 1 : multipliers[monitors >> 3 & 3];
	v->vdm_groups = groups < 0 ? 0 : (unsigned)(groups & 3) + 1;
	if (!(v->gates & GATE_PAGED))
		v->gates &= ~(uint32_t)GATE_VDM;
	application_lanes(v, &v->host_lanes, &v->media_lanes);
}

void view_init(struct view *v, const struct module_image *m)
{
	static const uint8_t lanes[] = {
		[MODULE_SFF8472] = 0x1, [MODULE_SFF8636] = 0xf,
	};

	v->standard = module_standard_of(m);
	v->gates = 0;
	v->banks = 1;
	v->bias_multiplier = 1;
	v->vdm_groups = 0;
	memset(v->index, 0, sizeof(v->index));
	pages_index(v, m);
	gates_open(v);
	if (v->standard == MODULE_CMIS)
		cmis_shape(v);
	else
		v->host_lanes = v->media_lanes = lanes[v->standard];
}

static void checksum_compare(struct view *v, const struct checksum_row *row,
			     const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, row->place, row->from,
					    row->to - row->from + 1u);
	int told = view_octet(v, row->place, row->at);
	struct view_page *p;
	char where[32], what[128];
	uint8_t sum = 0;

	if (!octets || told < 0)
		return;
	for (unsigned i = 0; i <= (unsigned)(row->to - row->from); i++)
		sum = (uint8_t)(sum + octets[i]);
	if (sum == told)
		return;
	p = &v->page[v->index[row->place >> 8][row->place & 0xff] - 1];
	p->doubt_from = p->doubt_to ? p->doubt_from : row->from;
	p->doubt_to = row->to;
	view_where(v, row->place, row->at, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "the checksum is 0x%02x, but octets "
		       "%u to %u sum up to 0x%02x", (unsigned)told, row->from,
		       row->to, sum);
	sink->implausible(sink->context, where, what);
}

void view_check(struct view *v, unsigned parts, const struct module_sink *sink)
{
	const struct module_tables *t = tables_of(v->standard);
	char where[32];

	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = v->page[i].page;

		if (!v->page[i].is_unswitched ||
		    !tables_use(t, v, PLACE(p->bank, p->page), parts))
			continue;
		view_where(v, PLACE(p->bank, p->page), MODULE_PAGE_LEN, where,
			   sizeof(where));
		sink->implausible(sink->context, where, "the page repeats page "
				  "00h: it was not switched, or the module "
				  "does not have it");
	}
	for (size_t i = 0; i < t->checksum_count; i++) {
		if (t->checksums[i].parts & parts)
			checksum_compare(v, &t->checksums[i], sink);
	}
}

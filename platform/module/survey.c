#include "platform/module/survey.h"

#include <stdio.h>

#include "platform/module/application.h"
#include "platform/module/tables.h"

static void gates_open(struct view *v, uint64_t which)
{
	const struct module_tables *t = tables_of(v->standard);

	for (size_t i = 0; i < t->gate_count; i++) {
		const struct gate_row *g = &t->gates[i];
		int octet = view_octet(v, g->place, g->byte);

		if ((g->gate & which) && octet >= 0 &&
		    (octet & g->mask) >= g->low &&
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
		v->gates &= ~(uint64_t)GATE_VDM;
	application_lanes(v, &v->host_lanes, &v->media_lanes);
}

void survey(struct view *v, const struct module_image *m)
{
	static const uint8_t lanes[] = {
		[MODULE_SFF8472] = 0x1, [MODULE_SFF8636] = 0xf,
	};

	view_pages(v, m);
	gates_open(v, GATE_PAGED);
	if (v->standard != MODULE_SFF8472 && !(v->gates & GATE_PAGED))
		view_hide_pages(v);
	gates_open(v, ~(uint64_t)GATE_PAGED);
	if (v->standard == MODULE_CMIS)
		cmis_shape(v);
	else if (v->standard != MODULE_UNKNOWN)
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
	p = &v->page[view_index(v, row->place) - 1];
	p->doubt_from = p->doubt_to ? p->doubt_from : row->from;
	p->doubt_to = row->to;
	v->has_doubt = true;
	view_where(v, row->place, row->at, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "the checksum is 0x%02x, but octets "
		       "%u to %u sum up to 0x%02x", (unsigned)told, row->from,
		       row->to, sum);
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_CHECKSUM, row->parts, 0, where, what });
}

/* A page that says nothing, and which parts of the memory it takes along. */
static void repeat_tell(const struct view *v, const struct module_page *p,
			unsigned parts, const struct module_sink *sink)
{
	bool is_a2 = p->page == MODULE_LOWER;
	char where[32] = "A2h:0";

	if (!is_a2)
		view_where(v, PLACE(p->bank, p->page), MODULE_PAGE_LEN, where,
			   sizeof(where));
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_NOT_SWITCHED, parts, 0, where, is_a2 ?
		"A2h repeats A0h: there are no diagnostics at that address" :
		"the page repeats page 00h: it was not switched, or the "
		"module does not have it" });
}

void survey_check(struct view *v, unsigned parts,
		  const struct module_sink *sink)
{
	const struct module_tables *t = tables_of(v->standard);

	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = v->page[i].page;
		unsigned lost;

		if (!v->page[i].is_unswitched || v->page[i].is_hidden)
			continue;
		lost = tables_use(t, v, PLACE(p->bank, p->page), parts);
		if (lost)
			repeat_tell(v, p, lost, sink);
	}
	for (size_t i = 0; i < t->checksum_count; i++) {
		if (t->checksums[i].parts & parts)
			checksum_compare(v, &t->checksums[i], sink);
	}
}

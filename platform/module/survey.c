#include "platform/module/survey.h"

#include <errno.h>
#include <stdio.h>

#include "platform/module/application.h"
#include "platform/module/page_bits.h"
#include "platform/module/register_tables.h"
#include "platform/module/vdm.h"
#include "platform/module/vdm_type.h"

#define BANKS_ELSEWHERE 3		/* in 01h:142 */
#define CMIS_5_4 0x54			/* in 00h:1 */
/* Bit n: compliance code n is of 100 Gb/s on one wavelength, and of nothing
 * else; 25h to 28h, 2Bh to 2Fh, 34h, 35h.
 */
#define QSFPS_OF_ONE_WAVELENGTH UINT64_C(0x0030f9e000000000)
/* Fewer octets can all be ones legitimately. */
#define ONES_OCTETS_MIN 8

/* A flat module has registers only on the first two pages: a gate elsewhere
 * stays shut.
 */
static void gates_open(struct view *v, uint64_t which)
{
	const struct module_tables *t = tables_of(v->standard);
	bool flat = view_is_flat(v);

	for (size_t i = 0; i < t->gate_count; i++) {
		const struct gate_row *g = &t->gates[i];
		int octet = view_octet(v, g->place, g->byte);
		uint64_t shut = g->needs & ~v->gates;

		if (!(g->gate & which) || shut & ~v->untold)
			continue;
		octet = shut ? -ENODATA : octet;
		if (octet < 0 && !(flat && place_page(g->place) &&
				   g->place != LOWER))
			v->untold |= g->gate;
		else if (octet >= 0 && (octet & g->mask) >= g->low &&
			 (octet & g->mask) <= g->high)
			v->gates |= g->gate;
		if (view_is_doubted(v, g->place, g->byte))
			v->doubted |= g->gate;
	}
	v->untold = (v->untold | v->doubted) & ~v->gates;
}

/* The number of banks read, if the module's own number was not. */
static unsigned banks_read(const struct view *v)
{
	unsigned banks = 1;

	for (unsigned bank = 1; bank < MODULE_BANKS_MAX; bank++)
		if (view_index(v, PLACE(bank, 0x11)))
			banks = bank + 1;
	return banks;
}

/* 01h:142 says 1, 2 or 4. From CMIS 5.4 on its fourth code means that 01h:174
 * has the number, less one; before, it has no meaning.
 */
static unsigned banks_told(const struct view *v)
{
	int pages = view_octet(v, PAGE(0x01), 142), more;

	if (pages < 0)
		return banks_read(v);
	if ((pages & 3) != BANKS_ELSEWHERE)
		return 1u << (pages & 3);
	if (view_octet(v, LOWER, 1) < CMIS_5_4)
		return 1;
	more = view_octet(v, PAGE(0x01), 174);
	if (more < 0)
		return banks_read(v);
	return ((unsigned)more & (MODULE_BANKS_TOLD_MAX - 1)) + 1;
}

/* Groups whose descriptors were read, if their number was not. */
static unsigned groups_read(const struct view *v)
{
	unsigned groups = 0;

	for (unsigned group = 0; group < VDM_GROUPS_MAX; group++)
		if (view_index(v, PAGE(VDM_DESCRIPTORS + group)))
			groups = group + 1;
	return groups;
}

/* The numbers that the walk depends on, for CMIS. */
static void cmis_shape(struct view *v)
{
	static const uint8_t multipliers[] = { 1, 2, 4, 0 };
	int monitors = view_octet(v, PAGE(0x01), 160);
	int groups = view_octet(v, PAGE(0x2f), 128);
	unsigned told = banks_told(v);

	v->banks = told < MODULE_BANKS_MAX ? told : MODULE_BANKS_MAX;
	v->banks_unread = told - v->banks;
	v->bias_multiplier = monitors < 0 ? 1 : multipliers[monitors >> 3 & 3];
	v->vdm_groups = groups < 0 ? groups_read(v) :
				      (unsigned)(groups & 3) + 1;
	if (view_is_flat(v)) {
		v->gates &= ~(uint64_t)GATE_VDM;
		v->untold &= ~(uint64_t)GATE_VDM;
	}
	application_lanes(v, &v->host_lanes, &v->media_lanes);
}

/* --- implausible pages --------------------------------------------------- */

/* Octets of a page, plausible or not. */
struct stretch {
	const uint8_t *octets;		/* the page's */
	const uint64_t *have;
	unsigned from, to;		/* within it */
};

/* True if all octets that were read are the same, and there are enough. */
static bool stretch_is(const struct stretch *s, uint8_t what, unsigned least)
{
	unsigned n = 0;

	for (unsigned i = s->from; i <= s->to; i++) {
		if (!page_bits_at(s->have, i))
			continue;
		if (s->octets[i] != what)
			return false;
		n++;
	}
	return n >= least;
}

static bool stretch_is_read(const struct stretch *s)
{
	return page_bits_have(s->have, page_bits_range(s->from,
						       s->to - s->from + 1));
}

/* Is there any state that the standard has? */
static bool stretch_has_code(const struct stretch *s, const struct void_row *r)
{
	for (unsigned i = s->from; i <= s->to; i++) {
		for (unsigned bit = r->shift; bit < 8; bit += r->step) {
			if (r->codes >> (s->octets[i] >> bit & r->mask) & 1)
				return true;
		}
	}
	return false;
}

/* Does a page of samples have a value that is never 0? */
static bool vdm_cannot_be_silent(const struct view *v, unsigned place)
{
	struct vdm_slot s[VDM_GROUP_SLOTS];
	unsigned n = vdm_group_slots(v, place_bank(place),
				     place_page(place) - VDM_SAMPLES, s);

	for (unsigned i = 0; i < n; i++)
		if (s[i].type->is_never_0)
			return true;
	return false;
}

/* READING_FAULT_COUNT: nothing is wrong with it. */
static enum reading_fault void_judge(const struct view *v, unsigned place,
				     const struct void_row *r)
{
	const struct module_page *p =
		v->page[view_index(v, place) - 1].page;
	struct stretch s = { p->octets, p->have,
			     r->test_from % MODULE_PAGE_LEN,
			     r->test_to % MODULE_PAGE_LEN };
	bool is_read = stretch_is_read(&s);

	if ((r->kinds & VOID_ONES) && stretch_is(&s, 0xff, ONES_OCTETS_MIN))
		return FAULT_ALL_ONES;
	if ((r->kinds & (VOID_ZERO | VOID_SILENT)) && is_read &&
	    stretch_is(&s, 0, 1) && (r->kinds & VOID_ZERO ||
				     vdm_cannot_be_silent(v, place)))
		return FAULT_ZERO;
	return r->kinds & VOID_CODES && is_read && !stretch_has_code(&s, r) ?
	       FAULT_CODE : READING_FAULT_COUNT;
}

/* True if octets are lost. */
static bool voids_find(struct view *v)
{
	const struct module_tables *t = tables_of(v->standard);
	bool any = false;

	for (size_t i = 0; i < t->void_count; i++) {
		const struct void_row *r = &t->voids[i];
		unsigned banks = place_page(r->place) >= 0x10 &&
				 place_page(r->place) != MODULE_LOWER ?
				 MODULE_BANKS_MAX : 1;

		if ((v->gates & r->needs) != r->needs || v->gates & r->unless)
			continue;
		for (unsigned bank = 0; bank < banks; bank++) {
			unsigned place = r->place + PLACE(bank, 0);
			unsigned at = view_index(v, place);
			enum reading_fault fault;

			if (!at || v->page[at - 1].void_row ||
			    v->page[at - 1].is_hidden ||
			    v->page[at - 1].is_unswitched)
				continue;
			fault = void_judge(v, place, r);
			if (fault == READING_FAULT_COUNT)
				continue;
			view_void(v, place, r, fault);
			any = true;
		}
	}
	return any;
}

/* A QSFP with one wavelength has one lane of light behind four of the host: its
 * other lanes read as dark. 00h:113 is no help: decoders disagree on what its
 * bits mean, and such modules leave them zero.
 */
static bool is_of_one_wavelength(const struct view *v)
{
	int code = view_octet(v, PAGE(0x00), 192);

	return code >= 0 && code < 64 &&
	       QSFPS_OF_ONE_WAVELENGTH >> code & 1;
}

static void shape(struct view *v)
{
	gates_open(v, ~(uint64_t)GATE_PAGED);
	if (v->standard == MODULE_CMIS)
		cmis_shape(v);
	else if (v->standard == MODULE_SFF8472)
		v->host_lanes = v->media_lanes = 0x1;
	else if (v->standard == MODULE_SFF8636)
		v->host_lanes = v->media_lanes = 0xf;
	if (v->standard == MODULE_SFF8636 && is_of_one_wavelength(v))
		v->media_lanes = 0x1;
}

/* True if the octets were read and sum up to another number than is told. */
static bool checksum_is_wrong(const struct view *v,
			      const struct checksum_row *row, int *ret_told,
			      uint8_t *ret_sum)
{
	const uint8_t *octets = view_octets(v, row->place, row->from,
					    row->to - row->from + 1u);

	*ret_told = view_octet(v, row->place, row->at);
	*ret_sum = 0;
	if (!octets || *ret_told < 0)
		return false;
	for (unsigned i = 0; i <= (unsigned)(row->to - row->from); i++)
		*ret_sum = (uint8_t)(*ret_sum + octets[i]);
	return *ret_sum != *ret_told;
}

static void checksums_doubt(struct view *v)
{
	const struct module_tables *t = tables_of(v->standard);

	for (size_t i = 0; i < t->checksum_count; i++) {
		const struct checksum_row *row = &t->checksums[i];
		struct view_page *p;
		uint8_t sum;
		int told;

		if (!checksum_is_wrong(v, row, &told, &sum))
			continue;
		p = &v->page[view_index(v, row->place) - 1];
		p->doubt_from = p->doubt_to ? p->doubt_from : row->from;
		p->doubt_to = row->to;
		v->has_doubt = true;
	}
}

void survey(struct view *v, const struct module_image *m)
{
	view_pages(v, m);
	gates_open(v, GATE_PAGED);
	if (view_is_flat(v))
		view_hide_pages(v);
	checksums_doubt(v);
	shape(v);
	if (voids_find(v)) {	/* a gate may be from a lost octet */
		v->gates &= GATE_PAGED;
		v->untold &= GATE_PAGED;
		v->doubted = 0;
		shape(v);
	}
}

static void checksum_tell(const struct view *v, const struct checksum_row *row,
			  const struct module_sink *sink)
{
	char where[32], what[128];
	uint8_t sum;
	int told;

	if (!checksum_is_wrong(v, row, &told, &sum))
		return;
	view_where(v, row->place, row->at, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "the checksum is 0x%02x, but octets "
		       "%u to %u sum up to 0x%02x", (unsigned)told, row->from,
		       row->to, sum);
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_CHECKSUM, row->parts, 0, where, what });
}

/* Reports a page that repeats another, and the parts that it affects. */
static void repeat_tell(const struct view *v, const struct view_page *of,
			unsigned parts, const struct module_sink *sink)
{
	const struct module_page *p = of->page;
	bool is_a2 = p->page == MODULE_LOWER;
	char where[32] = "A2h:0";

	if (!is_a2)
		view_where(v, PLACE(p->bank, p->page), MODULE_PAGE_LEN, where,
			   sizeof(where));
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_NOT_SWITCHED, parts, 0, where, is_a2 ?
		"A2h repeats A0h: there are no diagnostics at that address" :
		of->is_of_lower ?
		"the page repeats the lower memory: it cannot be read" :
		"the page repeats page 00h: it was not switched, or the "
		"module does not have it" });
}

static void void_tell(const struct view *v, const struct view_page *p,
		      unsigned parts, const struct module_sink *sink)
{
	static const char *const words[READING_FAULT_COUNT] = {
		[FAULT_ALL_ONES] = "are all ones, as on an undriven bus",
		[FAULT_ZERO] = "are all zero",
		[FAULT_CODE] = "hold no state of the standard",
	};
	const struct void_row *r = p->void_row;
	bool is_all = r->test_from == r->from && r->test_to == r->to;
	char where[32], what[128], used[48] = "not used";

	view_where(v, PLACE(p->page->bank, p->page->page), r->test_from, where,
		   sizeof(where));
	if (!is_all)
		(void)snprintf(used, sizeof(used), "octets %u to %u are not "
			       "used", r->from, r->to);
	if (r->test_from == r->test_to)
		(void)snprintf(what, sizeof(what), "holds no state of the "
			       "standard: %s", used);
	else
		(void)snprintf(what, sizeof(what), "octets %u to %u %s: %s",
			       r->test_from, r->test_to, words[p->void_fault],
			       used);
	sink->implausible(sink->context, &(struct module_doubt){
		(enum reading_fault)p->void_fault, parts, 0, where, what });
}

/* Page 00h begins with the first octet of the lower memory; else it is another
 * page, or another module's.
 */
static void copy_compare(const struct view *v, const struct module_sink *sink)
{
	int type = view_octet(v, LOWER, 0);
	int copy = view_octet(v, PAGE(0x00), MODULE_PAGE_LEN);
	char what[128];

	if (v->standard == MODULE_SFF8472 || copy < 0 || copy == type)
		return;
	(void)snprintf(what, sizeof(what), "is 0x%02x, but should equal octet "
		       "0, which is 0x%02x: another page, or another module",
		       (unsigned)copy, (unsigned)type);
	sink->implausible(sink->context, &(struct module_doubt){
		FAULT_NOT_SWITCHED, MODULE_IDENTITY, 0, "00h:128", what });
}

void survey_check(const struct view *v, unsigned parts,
		  const struct module_sink *sink)
{
	const struct module_tables *t = tables_of(v->standard);

	for (unsigned i = 0; i < v->page_count; i++) {
		const struct module_page *p = v->page[i].page;
		const struct void_row *r = v->page[i].void_row;
		unsigned lost;

		if (v->page[i].is_hidden || (!v->page[i].is_unswitched && !r))
			continue;
		lost = tables_use(t, v, PLACE(p->bank, p->page),
				  r ? r->from : 0, r ? r->to : UINT8_MAX,
				  parts);
		if (lost && r)
			void_tell(v, &v->page[i], lost, sink);
		else if (lost)
			repeat_tell(v, &v->page[i], lost, sink);
	}
	if (parts & MODULE_IDENTITY)
		copy_compare(v, sink);
	for (size_t i = 0; i < t->checksum_count; i++) {
		const struct checksum_row *c = &t->checksums[i];

		/* a page that it does not advertise may hold anything */
		if (tables_use(t, v, c->place, 0, UINT8_MAX, c->parts & parts))
			checksum_tell(v, c, sink);
	}
}

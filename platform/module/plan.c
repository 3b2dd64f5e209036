/* What to read next. Each part wants octets; those that reading clears are left
 * out unless they are wanted and Petrel owns the module. The rest becomes
 * ranges that bridge small gaps: a transaction costs more than a few octets.
 */
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/coherent.h"
#include "platform/module/register_field.h"
#include "platform/module/module.h"
#include "platform/module/page_bits.h"
#include "platform/module/vdm.h"
#include "platform/module/survey.h"
#include "platform/module/vdm_type.h"

#define HALF MODULE_PAGE_LEN
/* About the cost of a 400 kHz I2C transaction with its system call. */
#define GAP_OCTETS_MAX 32u
#define FIRST_OCTETS 3u	/* type, revision, flat or paged: never latched */

struct wish {
	uint16_t place;
	uint64_t want[2];
};

struct wishes {
	const struct view *v;
	unsigned count;
	/* 1 + index in list[] */
	uint8_t index[MODULE_BANKS_MAX][MODULE_PAGE_NUMBERS];
	struct wish list[MODULE_PAGES_MAX];
};

static void wish_range(struct wishes *w, unsigned place, unsigned offset,
		       unsigned n)
{
	uint8_t *index = &w->index[place_bank(place) & (MODULE_BANKS_MAX - 1)]
				  [place_page(place)];
	struct wish *wish;

	if (!*index) {
		if (w->count >= MODULE_PAGES_MAX)
			return;
		w->list[w->count++] = (struct wish){ (uint16_t)place, { 0 } };
		*index = (uint8_t)w->count;
	}
	wish = &w->list[*index - 1];
	page_bits_add(wish->want, page_bits_range(offset % HALF, n));
}

static void wish_field(struct wishes *w, const struct register_field *f)
{
	unsigned banks = f->lanes && w->v->standard == MODULE_CMIS ?
			 w->v->banks : 1;
	uint32_t lanes = f->is_host_lane ? w->v->host_lanes :
					   w->v->media_lanes;

	for (unsigned n = 0; n < banks * (f->lanes ? f->lanes : 1); n++) {
		unsigned lane = f->lanes ? n % f->lanes : 0;
		unsigned bank = f->lanes ? n / f->lanes : 0;

		if (f->lanes && !(lanes >> lane & 1))
			continue;
		for (unsigned i = 0; i < (f->count ? f->count : 1); i++) {
			struct field_place p = field_place(f, lane, i);
			int grid = field_grid_octet(f, p.octet);

			wish_range(w, f->place + PLACE(bank, 0), p.octet,
				   p.octets);
			if (grid > 0)
				wish_range(w, f->place + PLACE(bank, 0),
					   (unsigned)grid, 1);
		}
	}
}

/* What the module advertises comes before all that depends on it. */
static bool wish_advertised(struct wishes *w, const struct module_tables *t)
{
	static const struct latched_row cmis[] = {	/* with applications */
		{ LOWER, 85, 117 }, { PAGE(0x01), 128, 255 },
		{ PAGE(0x00), 128, 222 },
	};
	bool is_cmis = w->v->standard == MODULE_CMIS;
	bool is_paged = w->v->gates & GATE_PAGED;

	for (size_t i = 0; i < t->gate_count; i++) {
		unsigned page = place_page(t->gates[i].place);

		if (is_cmis && !is_paged && page && page != MODULE_LOWER)
			continue;
		if (t->gates[i].gate & (GATE_READY | GATE_SELECTED_BER |
					GATE_SELECTED_SNR))
			continue;	/* may change */
		if (t->gates[i].needs & ~w->v->gates)
			continue;
		if (view_octet(w->v, t->gates[i].place, t->gates[i].byte) < 0)
			wish_range(w, t->gates[i].place, t->gates[i].byte, 1);
	}
	for (size_t i = 0; is_cmis && w->count && i < TABLE_COUNT(cmis); i++) {
		if (is_paged || cmis[i].place != PAGE(0x01))
			wish_range(w, cmis[i].place, cmis[i].from,
				   cmis[i].to - cmis[i].from + 1u);
	}
	return w->count > 0;
}

static void wish_slots(struct wishes *w, unsigned bank, unsigned group,
		       unsigned parts)
{
	struct vdm_slot slots[VDM_GROUP_SLOTS], *s;
	unsigned n = vdm_group_slots(w->v, bank, group, slots);

	wish_range(w, PLACE(bank, VDM_DESCRIPTORS + group), HALF, HALF);
	for (s = slots; s < slots + n; s++) {
		if (parts & MODULE_VDM)
			wish_range(w, PLACE(bank, VDM_SAMPLES + group),
				   s->offset, 2);
		if (parts & MODULE_VDM_THRESHOLDS)
			wish_range(w, PLACE(bank, VDM_SETS + group),
				   s->set_offset, 8);
		if (parts & MODULE_FLAGS)
			wish_range(w, PLACE(bank, VDM_FLAGS), s->flag_offset,
				   1);
	}
}

/* The parts of a QSFP's parameters that change. */
static void wish_params(struct wishes *w, unsigned parts)
{
	if (parts & MODULE_VDM)
		wish_range(w, PAGE(PARAMS_PAGE), PARAMS_VALUES, 2 * PARAMS);
	if (parts & MODULE_VDM_THRESHOLDS)
		wish_range(w, PAGE(PARAMS_SETS_PAGE), HALF, HALF);
	if (parts & MODULE_FLAGS)
		wish_range(w, PAGE(PARAMS_PAGE), PARAMS_FLAGS, PARAMS / 2);
}

static void wish_vdm(struct wishes *w, unsigned parts)
{
	if (!(w->v->gates & GATE_VDM))
		return;
	if (w->v->standard == MODULE_SFF8636) {
		wish_range(w, PAGE(PARAMS_PAGE), PARAMS_KINDS, 2 * PARAMS);
		wish_params(w, parts);
		return;
	}
	wish_range(w, PAGE(VDM_CONTROL), HALF, 1);
	for (unsigned bank = 0; bank < w->v->banks; bank++) {
		/* the data paths, which some observables belong to */
		wish_range(w, PLACE(bank, 0x11), APPLICATION_ACTIVE_SET,
			   MODULE_BANK_LANES);
		for (unsigned group = 0; group < w->v->vdm_groups; group++)
			wish_slots(w, bank, group, parts);
	}
}

/* An SFP's calibration constants, whether its readings are valid, and what its
 * channels count in.
 */
static void wish_sfp(struct wishes *w, unsigned parts)
{
	if (w->v->gates & GATE_EXTERNAL &&
	    parts & (MODULE_MONITORS | MODULE_THRESHOLDS))
		wish_range(w, A2_LOWER, 56, 36);
	if (w->v->gates & GATE_CALIBRATED && parts & MODULE_MONITORS)
		wish_range(w, A2_LOWER, 110, 1);
	if (w->v->gates & GATE_TUNING_PAGE && parts & MODULE_CONTROLS)
		wish_range(w, SFP_TUNING, SFP_FIRST, SFP_GRID_LEN);
}

/* States that validate the flags of their page. Those in lower memory are read
 * with the states: here they would cost a transaction.
 */
static void wish_states(struct wishes *w, const struct module_tables *t)
{
	for (size_t i = 0; i < t->void_count; i++) {
		const struct void_row *r = &t->voids[i];

		if (!(r->kinds & VOID_CODES) || r->place == LOWER)
			continue;
		for (unsigned bank = 0; bank < w->v->banks; bank++)
			wish_range(w, r->place + PLACE(bank, 0), r->test_from,
				   r->test_to - r->test_from + 1u);
	}
}

static void wish_parts(struct wishes *w, const struct module_tables *t,
		       unsigned parts)
{
	for (size_t i = 0; i < t->field_count; i++) {
		const struct register_field *f = &t->fields[i];

		if ((f->part & parts) && (field_is_open(f, w->v) ||
					  field_is_guessed(f, w->v)))
			wish_field(w, f);
	}
	for (size_t i = 0; parts & MODULE_IDENTITY && i < t->text_count; i++) {
		if (!(text_gate(&t->texts[i]) & ~w->v->gates))
			wish_range(w, t->texts[i].place, t->texts[i].byte,
				   t->texts[i].len);
	}
	if (parts & MODULE_IDENTITY && w->v->gates & GATE_CDB)
		wish_range(w, LOWER, CDB_STATUS, 1);
	for (size_t i = 0; i < t->checksum_count; i++) {
		const struct checksum_row *c = &t->checksums[i];

		if ((c->parts & parts) &&
		    tables_use(t, w->v, c->place, 0, UINT8_MAX, c->parts))
			wish_range(w, c->place, c->from,
				   c->at - c->from + 1u);
	}
	if (w->v->standard == MODULE_SFF8472)
		wish_sfp(w, parts);
	if (parts & MODULE_FLAGS)
		wish_states(w, t);
	if (parts & (MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS))
		wish_vdm(w, parts);
	/* its other pages are optional: asked for one that it does not have,
	 * many a driver fails, and then nothing is known of the module
	 */
	if (parts & MODULE_PM && w->v->gates & GATE_COHERENT)
		wish_range(w, PAGE(COHERENT_RATIOS), HALF, 60);
}

/* Drops what a flat module does not have, and what was already read. */
static void wishes_trim(struct wishes *w, const struct module_image *m)
{
	bool is_flat = view_is_flat(w->v);

	for (unsigned i = 0; i < w->count; i++) {
		struct wish *wish = &w->list[i];
		unsigned page = place_page(wish->place);

		if (is_flat && page && page != MODULE_LOWER)
			memset(wish->want, 0, sizeof(wish->want));
	}
	for (unsigned k = 0; k < m->count; k++) {
		const struct module_page *p = &m->page[k];
		unsigned index = p->bank < MODULE_BANKS_MAX ?
				 w->index[p->bank][p->page] : 0;

		if (!index)
			continue;
		w->list[index - 1].want[0] &= ~p->have[0];
		w->list[index - 1].want[1] &= ~p->have[1];
	}
}

/* Octets of the page that reading clears. */
static void latched_octets(const struct module_tables *t, unsigned place,
			   uint64_t ret[static 2])
{
	ret[0] = ret[1] = 0;
	for (size_t i = 0; i < t->latched_count; i++) {
		const struct latched_row *l = &t->latched[i];

		if (place_is(l->place, place))
			page_bits_add(ret, page_bits_range(
				l->from % HALF, l->to - l->from + 1u));
	}
}

/* The end of the range that begins at from: the last wanted octet before a gap
 * that is too long or has a latched octet.
 */
static unsigned range_end(const struct wish *wish,
			  const uint64_t latched[static 2], unsigned from,
			  bool owner, bool *ret_clears)
{
	unsigned last = from, i = from;

	*ret_clears = false;
	for (; i < HALF && i - last <= GAP_OCTETS_MAX; i++) {
		bool is_wanted = page_bits_at(wish->want, i);
		bool clears = page_bits_at(latched, i);

		if (clears && (!owner || !is_wanted))
			break;
		*ret_clears |= clears && is_wanted;
		if (is_wanted)
			last = i;
	}
	return last + 1;
}

/* Latched octets are never read to bridge a gap: only if they are wanted, and
 * by the owner.
 */
static size_t wish_plan(const struct module_tables *t,
			const struct wish *wish, bool owner,
			struct module_read *ret, size_t max)
{
	unsigned first = place_page(wish->place) == MODULE_LOWER ? 0 : HALF;
	uint64_t latched[2];
	bool clears;
	size_t n = 0;

	if (!wish->want[0] && !wish->want[1])
		return 0;
	latched_octets(t, wish->place, latched);
	for (unsigned i = 0; i < HALF && n < max; i++) {
		unsigned end;

		if (!page_bits_at(wish->want, i) ||
		    (!owner && page_bits_at(latched, i)))
			continue;
		end = range_end(wish, latched, i, owner, &clears);
		ret[n++] = (struct module_read){
			.bank = (uint8_t)place_bank(wish->place),
			.page = (uint16_t)place_page(wish->place),
			.offset = (uint8_t)(first + i),
			.len = (uint8_t)(end - i),
			.clears = clears,
		};
		i = end - 1;
	}
	return n;
}

size_t module_plan(const struct module_image *m, unsigned parts, bool owner,
		   struct module_read *ret, size_t max)
{
	const struct module_tables *t;
	struct wishes w = { .count = 0 };
	struct view v;
	size_t n = 0;

	survey(&v, m);
	w.v = &v;
	if (view_octet(&v, LOWER, 0) < 0 || view_octet(&v, LOWER, 2) < 0) {
		if (max)
			ret[n++] = (struct module_read){
				.page = MODULE_LOWER, .len = FIRST_OCTETS };
		return n;
	}
	if (v.standard == MODULE_UNKNOWN)
		return 0;
	t = tables_of(v.standard);
	if (!owner)
		parts &= ~(unsigned)MODULE_FLAGS;
	if (!wish_advertised(&w, t))
		wish_parts(&w, t, parts);
	wishes_trim(&w, m);
	for (unsigned i = 0; i < w.count; i++)
		n += wish_plan(t, &w.list[i], owner, ret + n, max - n);
	return n;
}

/* Pages that belong to parts as a whole, such as all samples of VDM. */
static bool page_is_of(unsigned page, unsigned parts)
{
	if (page >= VDM_SAMPLES && page < VDM_SETS)
		return parts & MODULE_VDM;
	if (page >= VDM_SETS && page < VDM_FLAGS)
		return parts & MODULE_VDM_THRESHOLDS;
	if (page == VDM_FLAGS)
		return parts & MODULE_FLAGS;
	return (page == COHERENT_RATIOS || page == COHERENT_AVERAGES) &&
	       (parts & MODULE_PM);
}

void module_image_forget(struct module_image *m, unsigned parts)
{
	struct wishes w = { .count = 0 };
	const struct module_tables *t;
	struct view v;

	survey(&v, m);
	t = tables_of(v.standard);
	w.v = &v;
	for (size_t i = 0; i < t->field_count; i++) {
		if (t->fields[i].part & parts)
			wish_field(&w, &t->fields[i]);
	}
	if (v.standard == MODULE_SFF8636)
		wish_params(&w, parts);
	/* a module that was not ready may be ready now */
	if (v.standard == MODULE_SFF8636 && parts & MODULE_MONITORS &&
	    !(v.gates & GATE_READY))
		wish_range(&w, LOWER, 2, 1);
	for (unsigned k = 0; k < m->count && k < MODULE_PAGES_MAX; k++) {
		struct module_page *p = &m->page[k];
		unsigned index = p->bank < MODULE_BANKS_MAX ?
				 w.index[p->bank][p->page] : 0;

		if (v.standard == MODULE_CMIS && page_is_of(p->page, parts))
			p->have[0] = p->have[1] = 0;
		if (!index)
			continue;
		p->have[0] &= ~w.list[index - 1].want[0];
		p->have[1] &= ~w.list[index - 1].want[1];
	}
}

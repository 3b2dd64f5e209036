/* Observables: CMIS versatile diagnostics (VDM), and the parameters of a QSFP
 * that they come from.
 *
 * Page 20h of a QSFP has 24 parameters: for each two octets of value, two of
 * type, and four flags; page 21h has 16 sets of thresholds for them. SFF-8636
 * 2.10 pages 20h and 21h, from sff-8636-upper-page-20.h and -21.h of a public
 * decoder; the bit that advertises them (00h:195) from sff_8636.py, by 2.11.
 * Parameters with another unit than in CMIS are left out: residual ISI, cooler
 * and laser.
 */
#include "platform/module/vdm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/register_field.h"

#define HALF MODULE_PAGE_LEN
#define SET_LEN 8u
#define CUSTOM_FIRST 100u
#define CUSTOM_LAST 127u
#define IS_OF_CHANNEL 0x04
#define CHANNEL 0x03

/* --- layout -------------------------------------------------------------- */

/* Vendor-specific types are taken as those for PAM4 only on PAM4 modules: a
 * coherent module has others under the same numbers.
 */
static const struct vdm_type *type_of(const struct view *v, unsigned number)
{
	if (number >= CUSTOM_FIRST && number <= CUSTOM_LAST &&
	    v->gates & GATE_COHERENT)
		return NULL;
	return vdm_type_find(number);
}

unsigned vdm_group_slots(const struct view *v, unsigned bank, unsigned group,
			 struct vdm_slot ret[static VDM_GROUP_SLOTS])
{
	unsigned place = PLACE(bank, VDM_DESCRIPTORS + group), n = 0;

	for (unsigned slot = 0; slot < VDM_GROUP_SLOTS; slot++) {
		const uint8_t *descriptor =
			view_octets(v, place, HALF + 2 * slot, 2);
		const struct vdm_type *type = descriptor && descriptor[1] ?
					      type_of(v, descriptor[1]) : NULL;

		if (!type)
			continue;
		ret[n++] = (struct vdm_slot){
			.type = type,
			.nibble = descriptor[0] & 0xf,
			.offset = (uint8_t)(HALF + 2 * slot),
			.set_offset = (uint8_t)(HALF + (descriptor[0] >> 4) *
						SET_LEN),
			.flag_offset = (uint8_t)(HALF + 32 * group + slot / 2),
			.flag_shift = slot % 2 ? 4 : 0,
		};
	}
	return n;
}

/* The CMIS observable for each type; 0: none. */
static const uint8_t observables[] = {
	[1] = 5,			/* SNR */
	[3] = 7,			/* PAM4 level transition */
	[4] = 13, [9] = 9, [10] = 11, [12] = 15,	/* bit errors */
	[5] = 21, [13] = 17, [14] = 19, [16] = 23,	/* frame errors */
};

unsigned params_type(unsigned observable)
{
	unsigned type = 1;

	while (type < sizeof(observables) && observables[type] != observable)
		type++;
	return type < sizeof(observables) ? type : 0;
}

unsigned params_slots(const struct view *v,
		      struct vdm_slot ret[static PARAMS])
{
	unsigned count = 0;

	for (unsigned n = 0; v->gates & GATE_VDM && n < PARAMS; n++) {
		const uint8_t *what = view_octets(v, PAGE(PARAMS_PAGE),
						  PARAMS_KINDS + 2 * n, 2);

		if (!what || !(what[0] & IS_OF_CHANNEL) ||
		    what[1] >= sizeof(observables) || !observables[what[1]])
			continue;
		ret[count++] = (struct vdm_slot){
			.type = vdm_type_find(observables[what[1]]),
			.nibble = what[0] & CHANNEL,
			.offset = (uint8_t)(PARAMS_VALUES + 2 * n),
			.set_offset = (uint8_t)(PARAMS_SETS + SET_LEN *
						(what[0] >> 4)),
			.flag_offset = (uint8_t)(PARAMS_FLAGS + n / 2),
			.flag_shift = n % 2 ? 3 : 7,
			.is_downwards = true,
		};
	}
	return count;
}

/* --- lane or data path ---------------------------------------------------- */

/* A host lane's data path: its first lane, from 0, which is the path's number;
 * -ENODATA: the lane is in none, or it was not read.
 */
static int path_of(const struct view *v, unsigned bank, unsigned lane,
		   unsigned *ret_application)
{
	int octet = view_octet(v, PLACE(bank, 0x11),
			       APPLICATION_ACTIVE_SET + lane);

	if (octet < 0 || !(octet >> 4))
		return -ENODATA;
	*ret_application = (unsigned)octet >> 4;
	return octet >> 1 & 7;
}

static void paths_find(const struct view *v, unsigned bank,
		       struct vdm_bank *ret)
{
	uint8_t idle = 0;	/* bit n: a path could begin at that lane */

	for (unsigned lane = 0; lane < MODULE_BANK_LANES; lane++) {
		struct application a = { .media_lanes = 0 };
		unsigned number = 1;
		int first = path_of(v, bank, lane, &number);

		if (!application_get(v, number, &a))
			a = (struct application){ .media_lanes = 0 };
		if (first < 0) {	/* as in the default application */
			ret->first[lane] = (uint8_t)lane;
			ret->host[lane] += a.host_lanes;
			idle |= a.host_first & (uint8_t)(1u << lane);
		} else {
			ret->first[lane] = (uint8_t)first;
			ret->starts |= (uint8_t)(1u << first);
			ret->host[first]++;
		}
		ret->media[ret->first[lane]] = a.media_lanes;
	}
	if (ret->starts)
		ret->between = (uint8_t)~(ret->starts | idle);
}

/* The only media lane of each active data path, where it has one: a path is
 * counted by its first host lane, and light by media lanes.
 */
static void carriers_find(const struct view *v, struct vdm_bank *ret)
{
	uint32_t alone = 0, on;		/* bit n: a path begins at lane n */

	for (unsigned i = 0; i < MODULE_BANK_LANES; i++) {
		ret->carrier[i] = (uint8_t)i;
		alone |= (uint32_t)(ret->media[i] == 1) << i;
	}
	alone &= ret->starts;
	for (unsigned lane = MODULE_BANK_LANES; alone && lane-- > 0;) {
		on = application_hosts(v, ret->bank, lane) & alone;
		for (unsigned i = 0; i < MODULE_BANK_LANES; i++) {
			if (!(on >> i & 1))
				continue;
			ret->carrier[i] = (uint8_t)lane;
			ret->sharers[i] = (uint8_t)(on & ~(1u << i));
		}
	}
}

void vdm_bank_survey(const struct view *v, unsigned bank, struct vdm_bank *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->bank = bank;
	paths_find(v, bank, ret);
	carriers_find(v, ret);
	for (unsigned group = 0; group < v->vdm_groups; group++) {
		const uint8_t *d =
			view_octets(v, PLACE(bank, VDM_DESCRIPTORS + group),
				    HALF, 2 * VDM_GROUP_SLOTS);

		for (unsigned i = 0; d && i < VDM_GROUP_SLOTS; i++) {
			unsigned nibble = d[2 * i] & 0xf;

			ret->of_type[d[2 * i + 1]] |=
				(uint8_t)(1u << (nibble & 7) &
					  (nibble > 7 ? 0 : 0xff));
		}
	}
}

static unsigned path_owner(const struct vdm_bank *b, const struct vdm_slot *s)
{
	unsigned base = b->bank * MODULE_BANK_LANES, first;
	uint8_t lanes = b->of_type[s->type->type];
	bool is_host = s->type->type % 2 == 0;

	if (s->nibble >= MODULE_BANK_LANES) {
		if (!b->starts || b->starts & (b->starts - 1))
			return 0;	/* it does not say which one */
		first = (unsigned)__builtin_ctz(b->starts);
		return MODULE_PATH + base + first + 1;
	}
	first = b->first[s->nibble];
	if (!b->starts && lanes & (lanes - 1))
		return base + s->nibble + 1;
	if ((is_host ? b->host[first] : b->media[first]) > 1 ||
	    (!is_host && lanes & b->sharers[first]))
		return MODULE_PATH + base + first + 1;
	return base + (is_host ? s->nibble : b->carrier[s->nibble]) + 1;
}

unsigned vdm_slot_wider(const struct vdm_bank *b, const struct vdm_slot *s)
{
	return s->type->of == VDM_PATH ? path_owner(b, s) : 0;
}

/* --- thresholds ---------------------------------------------------------- */

/* Four of an observable, eight octets in the format of its type. Lanes share
 * them: the set is judged once, and its faults are reported once.
 */
struct vdm_edges {
	const uint8_t *octets;
	const struct vdm_type *type;
	unsigned good;			/* bit n: edge n is plausible */
	int64_t value[EDGES_COUNT];
	enum sample_quality quality[EDGES_COUNT];
};

/* Slots of a page, and the places that belong to them. */
struct vdm_pages {
	const struct view *v;
	const struct module_sink *sink;
	unsigned samples, sets, flags;	/* places */
	bool is_guessed;	/* unknown whether the module has VDM */
	struct vdm_edges edges;
};

/* An edge at the end of its range is never crossed: it counts as none. */
static unsigned edges_convert(struct vdm_edges *e, const char **ret_why)
{
	static const uint8_t unset[SET_LEN];
	unsigned have = 0;

	*ret_why = NULL;
	if (memcmp(e->octets, unset, SET_LEN) == 0)
		return 0;
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		e->quality[i] = vdm_type_convert(e->type,
						 view_be16(e->octets + 2 * i),
						 &e->value[i]);
		have |= (unsigned)(e->quality[i] != QUALITY_IMPLAUSIBLE) << i;
	}
	/* a high edge of 0 was not set if values are never negative */
	for (unsigned i = 0; i < EDGES_COUNT; i += 2)
		if (e->type->form != VDM_S16 && !e->value[i])
			have &= ~(1u << i);
	return edges_judge(e->value, have, ret_why);
}

static void edges_doubt(const struct vdm_pages *p, const struct vdm_slot *s,
			const char *why)
{
	const struct quantity_info *q = quantity_find(s->type->threshold);
	char where[32], what[160];

	view_where(p->v, p->sets, s->set_offset, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "%s: %s: not used", q ? q->name :
		       "thresholds", why);
	p->sink->implausible(p->sink->context, &(struct module_doubt){
		FAULT_RANGE, MODULE_VDM_THRESHOLDS, 0, where, what });
}

static void edges_decode(struct vdm_pages *p, const struct vdm_slot *s,
			 unsigned lane)
{
	const uint8_t *octets = view_octets(p->v, p->sets, s->set_offset,
					    SET_LEN);
	struct vdm_edges *e = &p->edges;
	const char *why;

	if (!octets)
		return;
	if (e->octets != octets || e->type != s->type) {
		e->octets = octets;
		e->type = s->type;
		e->good = edges_convert(e, &why);
		if (why)
			edges_doubt(p, s, why);
	}
	for (unsigned i = 0; i < EDGES_COUNT; i++) {
		if (e->good >> i & 1)
			p->sink->value(p->sink->context,
				       (enum quantity)s->type->threshold, lane,
				       i, e->value[i], p->is_guessed ?
				       QUALITY_ESTIMATED : e->quality[i]);
	}
}

/* --- values and flags ---------------------------------------------------- */

static void tell_implausible(const struct vdm_pages *p,
			     const struct vdm_slot *s, unsigned lane,
			     unsigned raw)
{
	const struct quantity_info *q = quantity_find(s->type->value);
	enum reading_fault fault = vdm_type_fault(s->type, raw);
	char where[32], what[160], of[32] = "";

	view_where(p->v, p->samples, s->offset, where, sizeof(where));
	if (lane)
		(void)snprintf(of, sizeof(of), " of %s %u",
			       lane > MODULE_PATH ? "data path" : "lane",
			       lane % MODULE_PATH);
	(void)snprintf(what, sizeof(what), "%s%s reads 0x%04x: %s",
		       q ? q->name : "VDM", of, raw,
		       fault == FAULT_RANGE ? "more than is possible" :
					      "the limit of the register");
	p->sink->implausible(p->sink->context, &(struct module_doubt){
		fault, MODULE_VDM, lane, where, what });
}

static void value_decode(const struct vdm_pages *p,
			 const struct vdm_slot *s, unsigned lane)
{
	const uint8_t *octets = view_octets(p->v, p->samples, s->offset, 2);
	enum sample_quality quality;
	int64_t value = 0;
	unsigned raw;

	if (!octets)
		return;
	raw = view_be16(octets);
	quality = vdm_type_convert(s->type, raw, &value);
	if (quality == QUALITY_IMPLAUSIBLE)
		tell_implausible(p, s, lane, raw);
	else
		p->sink->value(p->sink->context,
			       (enum quantity)s->type->value, lane, 0, value,
			       p->is_guessed ? QUALITY_ESTIMATED : quality);
}

static void flags_decode(const struct vdm_pages *p,
			 const struct vdm_slot *s, unsigned lane)
{
	const uint8_t *octet = view_octets(p->v, p->flags, s->flag_offset, 1);

	for (unsigned i = 0; octet && i < EDGES_COUNT; i++)
		p->sink->value(p->sink->context, (enum quantity)s->type->flag,
			       lane, i, *octet >> (s->is_downwards ?
				       s->flag_shift - i : s->flag_shift + i) &
				       1,
			       QUALITY_GOOD);
}

static void slot_decode(struct vdm_pages *p, const struct vdm_slot *s,
			unsigned lane, unsigned parts)
{
	if (parts & MODULE_VDM)
		value_decode(p, s, lane);
	if (parts & MODULE_VDM_THRESHOLDS)
		edges_decode(p, s, lane);
	if (parts & MODULE_FLAGS)
		flags_decode(p, s, lane);
}

static void bank_decode(const struct view *v, unsigned bank, unsigned parts,
			const struct module_sink *sink)
{
	struct vdm_slot slots[VDM_GROUP_SLOTS];
	struct vdm_bank b;
	struct vdm_pages p = { .v = v, .sink = sink,
			       .flags = PLACE(bank, VDM_FLAGS),
			       .is_guessed = v->untold & GATE_VDM };

	vdm_bank_survey(v, bank, &b);
	for (unsigned group = 0; group < v->vdm_groups; group++) {
		unsigned n = vdm_group_slots(v, bank, group, slots);

		p.samples = PLACE(bank, VDM_SAMPLES + group);
		p.sets = PLACE(bank, VDM_SETS + group);
		p.edges.octets = NULL;
		for (unsigned i = 0; i < n; i++) {
			unsigned lane = vdm_slot_owner(&b, &slots[i]);

			if (lane || !bank)	/* 0: the first bank's */
				slot_decode(&p, &slots[i], lane, parts);
		}
	}
}

static void params_decode(const struct view *v, unsigned parts,
			  const struct module_sink *sink)
{
	struct vdm_pages p = { .v = v, .sink = sink,
			       .samples = PAGE(PARAMS_PAGE),
			       .sets = PAGE(PARAMS_SETS_PAGE),
			       .flags = PAGE(PARAMS_PAGE) };
	struct vdm_slot slots[PARAMS];
	unsigned n = params_slots(v, slots);

	for (unsigned i = 0; i < n; i++)
		slot_decode(&p, &slots[i], slots[i].nibble + 1u, parts);
}

/* The first page of either standard, and of CMIS that with the values. */
bool vdm_is_unread(const struct view *v)
{
	return v->gates & GATE_VDM &&
	       (!view_index(v, PAGE(VDM_DESCRIPTORS)) ||
		(v->standard == MODULE_CMIS &&
		 !view_index(v, PAGE(VDM_SAMPLES))));
}

void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink)
{
	bool is_qsfp = v->standard == MODULE_SFF8636;

	if (!((v->gates | v->untold) & GATE_VDM) ||
	    !(parts & (MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS)))
		return;
	if (is_qsfp)
		params_decode(v, parts, sink);
	for (unsigned bank = 0; !is_qsfp && bank < v->banks; bank++)
		bank_decode(v, bank, parts, sink);
}

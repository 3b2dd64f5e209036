/* Page 20h of a QSFP has 24 parameters: for each two octets of value, two that
 * tell what it is, and four flags; page 21h has 16 sets of thresholds for them.
 * CMIS made its VDM of it, so that each is one of its observables here.
 *
 * SFF-8636 2.10 pages 20h and 21h, as sff-8636-upper-page-20.h and -21.h of a
 * public decoder have them; that they are there (00h:195), as sff_8636.py by
 * 2.11. What has another unit than in CMIS is left out: residual ISI, cooler
 * and laser.
 */
#include "platform/module/params.h"

#include "platform/module/vdm_edges.h"
#include "platform/module/vdm_type.h"
#include "platform/module/view.h"

#define IS_OF_CHANNEL 0x04
#define CHANNEL 0x03

/* The observable of CMIS of each type; 0: none. */
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

struct param {
	const struct vdm_type *type;
	unsigned lane, set;
};

static bool param_get(const struct view *v, unsigned n, struct param *ret)
{
	const uint8_t *what = view_octets(v, PAGE(PARAMS_PAGE),
					  PARAMS_KINDS + 2 * n, 2);

	if (!what || !(what[0] & IS_OF_CHANNEL) ||
	    what[1] >= sizeof(observables) || !observables[what[1]])
		return false;
	*ret = (struct param){
		.type = vdm_type_find(observables[what[1]]),
		.lane = (what[0] & CHANNEL) + 1u, .set = what[0] >> 4u,
	};
	return ret->type != NULL;
}

static void value_decode(const struct view *v, unsigned n,
			 const struct param *p, const struct module_sink *sink)
{
	unsigned at = PARAMS_VALUES + 2 * n;
	const uint8_t *octets = view_octets(v, PAGE(PARAMS_PAGE), at, 2);
	enum sample_quality quality;
	int64_t value = 0;
	char where[32];

	if (!octets)
		return;
	quality = vdm_type_convert(p->type, view_be16(octets), &value);
	if (quality != QUALITY_IMPLAUSIBLE) {
		sink->value(sink->context, (enum quantity)p->type->value,
			    p->lane, 0, value, quality);
		return;
	}
	view_where(v, PAGE(PARAMS_PAGE), at, where, sizeof(where));
	sink->implausible(sink->context, &(struct module_doubt){
		vdm_type_fault(p->type, view_be16(octets)), MODULE_VDM,
		p->lane, where, "a parameter beyond what can be" });
}

/* Two parameters an octet, the first and its high alarm at the top. */
static void flags_decode(const struct view *v, unsigned n,
			 const struct param *p, const struct module_sink *sink)
{
	int octet = view_octet(v, PAGE(PARAMS_PAGE), PARAMS_FLAGS + n / 2);
	unsigned top = n % 2 ? 3 : 7;

	for (unsigned i = 0; octet >= 0 && i < EDGES_COUNT; i++)
		sink->value(sink->context, (enum quantity)p->type->flag,
			    p->lane, i, octet >> (top - i) & 1, QUALITY_GOOD);
}

void params_decode(const struct view *v, unsigned parts,
		   const struct module_sink *sink)
{
	struct vdm_edges edges = { .octets = NULL };
	struct param p;

	for (unsigned n = 0; v->gates & GATE_VDM && n < PARAMS; n++) {
		if (!param_get(v, n, &p))
			continue;
		if (parts & MODULE_VDM)
			value_decode(v, n, &p, sink);
		if (parts & MODULE_VDM_THRESHOLDS &&
		    vdm_edges_read(&edges, v, PAGE(PARAMS_SETS_PAGE),
				   PARAMS_SETS + VDM_SET_LEN * p.set, p.type,
				   sink))
			vdm_edges_tell(&edges, p.lane, false, sink);
		if (parts & MODULE_FLAGS)
			flags_decode(v, n, &p, sink);
	}
}

#include "platform/module/coherent.h"

#include "petrel/cursor.h"
#include "platform/module/field.h"

#define FBOSS "unread; FBOSS CmisTest.cpp, of an 800ZR module"
#define C_SONIC "unread; SONiC mem_maps/public/c_cmis.py"
#define E18_ONE INT64_C(1000000000000000000)
#define INDICES 3

/* Average over the interval; minimum and maximum of its sub-intervals. */
static const struct coherent_ratio ratios[] = {
	{ Q_PM_PRE_FEC_BER_E18, 8, { 144, 152, 160 }, { 128, 136, 136 } },
	{ Q_PM_UNCORRECTABLE_FRAMES_E18, 4, { 176, 180, 184 },
	  { 168, 172, 172 } },
};

#define ROW(at, how, what, ...) \
	{ .place = PAGE(0x35), .byte = (at), .form = (how), \
	  .quantity = (what), .part = MODULE_PM, .count = INDICES, \
	  .needs = GATE_COHERENT, __VA_ARGS__ }

#define EARLY .source = C_SONIC
#define LATER .judge = JUDGE_ABSENT_ZERO, .source = FBOSS
static const struct field fields[] = {
	ROW(128, FIELD_S32, Q_PM_CD_PS_PER_NM, .mul = 1, EARLY),
	ROW(140, FIELD_U16, Q_PM_DGD_FS, .mul = 10, EARLY),
	ROW(146, FIELD_U16, Q_PM_SOPMD_FS2, .mul = 10000, EARLY),
	ROW(152, FIELD_U16, Q_PM_PDL_MDB, .mul = 100, EARLY),
	ROW(158, FIELD_U16, Q_PM_OSNR_MDB, .mul = 100, EARLY),
	ROW(164, FIELD_U16, Q_PM_ESNR_MDB, .mul = 100, EARLY),
	ROW(170, FIELD_S16, Q_PM_CFO_MHZ, .mul = 1, EARLY),
	ROW(176, FIELD_U16, Q_PM_EVM_PPM, .mul = 1000000, .div = 65535, EARLY),
	ROW(182, FIELD_CENTI_DBM, Q_PM_TX_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	ROW(188, FIELD_CENTI_DBM, Q_PM_RX_TOTAL_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	ROW(194, FIELD_CENTI_DBM, Q_PM_RX_SIGNAL_POWER_PW,
	    .judge = JUDGE_LEAST, EARLY),
	ROW(200, FIELD_U16, Q_PM_SOP_ROC_KRAD_PER_S, .mul = 1, EARLY),
	ROW(206, FIELD_U16, Q_PM_MER_MDB, .mul = 100, EARLY),
	/* modules of an earlier C-CMIS leave these blank */
	ROW(212, FIELD_S16, Q_PM_CLOCK_RECOVERY_LOOP_PPM, LATER,
	    .mul = 1000000, .div = 32767),
	ROW(218, FIELD_U16, Q_PM_SOPMD_LOW_FS2, LATER, .mul = 1000000),
	ROW(224, FIELD_S16, Q_PM_SNR_MARGIN_MDB, LATER, .mul = 100),
	ROW(230, FIELD_U16, Q_PM_Q_FACTOR_MDB, LATER, .mul = 100),
	ROW(236, FIELD_S16, Q_PM_Q_MARGIN_MDB, LATER, .mul = 100),
};

const struct coherent_ratio *coherent_ratios(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(ratios);
	return ratios;
}

const struct field *coherent_fields(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(fields);
	return fields;
}

static uint64_t counter_read(const uint8_t *octets, unsigned n)
{
	struct cursor c = cursor_of(octets, n);

	return n == 8 ? cursor_be64(&c) : cursor_be32(&c);
}

static void ratio_decode(const struct view *v, const struct coherent_ratio *r,
			 unsigned index, const struct module_sink *sink)
{
	const uint8_t *part = view_octets(v, PAGE(0x34), r->part[index],
					  r->octets);
	const uint8_t *whole = view_octets(v, PAGE(0x34), r->whole[index],
					   r->octets);
	uint64_t n, of;
	int64_t e18;

	if (!part || !whole)
		return;
	n = counter_read(part, r->octets);
	of = counter_read(whole, r->octets);
	if (!of)	/* nothing was counted: no ratio, not 0 */
		return;
	if (n > of) {
		char where[32];

		view_where(v, PAGE(0x34), r->part[index], where,
			   sizeof(where));
		sink->implausible(sink->context, &(struct module_doubt){
			FAULT_RANGE, MODULE_PM, 0, where, "counts more errors "
			"than there were bits or frames" });
		return;
	}
	e18 = (int64_t)(((unsigned __int128)n * E18_ONE + of / 2) / of);
	sink->value(sink->context, (enum quantity)r->quantity, 0, index, e18,
		    n && !e18 ? QUALITY_BELOW_RESOLUTION : QUALITY_GOOD);
}

void coherent_decode(const struct view *v, const struct module_sink *sink)
{
	if (!(v->gates & GATE_COHERENT))
		return;
	for (size_t i = 0; i < TABLE_COUNT(ratios); i++) {
		for (unsigned k = 0; k < INDICES; k++)
			ratio_decode(v, &ratios[i], k, sink);
	}
	for (size_t i = 0; i < TABLE_COUNT(fields); i++)
		field_decode(&fields[i], v, sink);
}

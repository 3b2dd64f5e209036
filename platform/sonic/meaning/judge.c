#include "platform/sonic/meaning/judge.h"

#include <string.h>

#include "petrel/module.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Values that xcvrd prints of registers whose octets are all ones or 0x8000,
 * rounded as it rounds them; and what no module that answers can be beyond.
 * The first row that holds counts.
 */
static const struct limit {
	uint16_t quantity;
	uint8_t fault;
	int64_t from, to;
} limits[] = {
	/* 0xffff is -1/256 degrees; 0x8000 is -128 */
	{ Q_MODULE_TEMP_MC, FAULT_ALL_ONES, -4, -3 },
	{ Q_MODULE_TEMP_MC, FAULT_LEAST, -128000, -128000 },
	{ Q_MODULE_TEMP_MC, FAULT_RANGE, INT64_MIN, MODULE_HEAT_LEAST_MC - 1 },
	{ Q_MODULE_TEMP_MC, FAULT_RANGE, MODULE_HEAT_MOST_MC + 1, INT64_MAX },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_ALL_ONES, -4, -3 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_LEAST, -128000, -128000 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_RANGE, INT64_MIN,
	  MODULE_HEAT_LEAST_MC - 1 },
	{ Q_MODULE_LASER_TEMP_MC, FAULT_RANGE, MODULE_HEAT_MOST_MC + 1,
	  INT64_MAX },
	/* 6.5535 V, with as many digits as there are */
	{ Q_MODULE_VCC_UV, FAULT_ALL_ONES, 6553000, 6554000 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, INT64_MIN, -1 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, 1, MODULE_SUPPLY_LEAST_UV - 1 },
	{ Q_MODULE_VCC_UV, FAULT_RANGE, MODULE_SUPPLY_MOST_UV + 1, INT64_MAX },
	/* 6.5535 mW, which is 8.165 dBm */
	{ Q_LANE_RX_POWER_PW, FAULT_ALL_ONES, 6552000000, 6555000000 },
	{ Q_LANE_TX_POWER_PW, FAULT_ALL_ONES, 6552000000, 6555000000 },
	/* 131.07 mA, once, twice and four times */
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 131070, 131070 },
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 262140, 262140 },
	{ Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES, 524280, 524280 },
	/* 0xffff / 256 dB */
	{ Q_LANE_SNR_MDB, FAULT_ALL_ONES, 255996, 255996 },
	{ Q_VDM_HOST_SNR_MDB, FAULT_ALL_ONES, 255996, 255996 },
};

static enum reading_fault value_judge(const struct field *f,
				      uint16_t quantity, int64_t value)
{
	if (field_is_beyond(f, value))
		return FAULT_RANGE;
	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i].quantity == quantity &&
		    value >= limits[i].from && value <= limits[i].to)
			return (enum reading_fault)limits[i].fault;
	return READING_FAULT_COUNT;
}

void judge_row(const struct row *r, const struct field_index *x,
	       bool is_reading, struct judged *ret)
{
	memset(ret->without, 0, sizeof(ret->without));
	memcpy(ret->fault, r->fault, sizeof(ret->fault));
	for (unsigned i = 0; is_reading && i < x->count; i++) {
		const struct field *f = &x->fields[i];
		enum reading_fault fault;

		if (!row_has(r, i) || f->part >= ROW_PARTS_MAX)
			continue;
		fault = value_judge(f, field_quantity(x, f), r->value[i]);
		if (fault == READING_FAULT_COUNT)
			continue;
		ret->fault[f->part] |= (uint16_t)(1u << fault);
		ret->without[i / 64] |= UINT64_C(1) << (i % 64);
	}
	if (!is_reading)
		for (unsigned part = 0; part < ROW_PARTS_MAX; part++)
			ret->fault[part] &= (uint16_t)~(1u << FAULT_RANGE);
	for (unsigned part = 1; part < ROW_PARTS_MAX; part++)
		ret->fault[0] |= ret->fault[part];
}

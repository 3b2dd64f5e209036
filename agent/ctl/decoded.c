#include "agent/ctl/decoded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/number.h"
#include "petrel/local.h"
#include "petrel/module.h"
#include "platform/module/register_field.h"
#include "platform/module/survey.h"

#define NOTICES 3u	/* per lane */
#define LANES_MAX 32u	/* one bit each */

static void on_text(void *context, enum attribute which, const char *text)
{
	struct decoded *d = context;

	(void)snprintf(d->text[which], ATTRIBUTE_TEXT_MAX, "%s", text);
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	struct decoded *d = context;
	struct decoded_reading *values = array_room(
		d->values, &d->value_cap, d->value_count + 1, sizeof(*values));

	if (!values) {
		d->is_out_of_memory = true;
		return;
	}
	d->values = values;
	d->values[d->value_count++] = (struct decoded_reading){
		quantity_find((uint16_t)quantity), lane, index, value, quality
	};
	if (lane < MODULE_PATH)
		d->lanes = lane > d->lanes ? lane : d->lanes;
}

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	struct decoded *d = context;
	struct decoded_fault *f, *faults = array_room(
		d->faults, &d->fault_cap, d->fault_count + 1, sizeof(*faults));

	if (!faults) {
		d->is_out_of_memory = true;
		return;
	}
	d->faults = faults;
	f = &d->faults[d->fault_count++];
	f->kind = doubt->fault;
	f->lane = doubt->lane;
	(void)snprintf(f->where, sizeof(f->where), "%s", doubt->where);
	(void)snprintf(f->what, sizeof(f->what), "%s", doubt->what);
}

static int value_compare(const void *a, const void *b)
{
	const struct decoded_reading *x = a, *y = b;

	if (x->quantity->id != y->quantity->id)
		return x->quantity->id < y->quantity->id ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

int decoded_fill(struct decoded *d, struct diag *diag)
{
	struct module_sink sink = { d, on_text, on_value, on_implausible };
	int rc = module_decode(&d->image, MODULE_ALL_PARTS, &sink, diag);

	if (rc < 0)
		return rc;
	if (d->is_out_of_memory)
		return diag_set(diag, -ENOMEM, "out of memory");
	survey(&d->view, &d->image);
	if (d->view.banks_unread && !d->note.text[0])
		diag_write(&d->note, "lanes %u to %u are not shown: Petrel "
			   "reads %u of its %u banks", LANES_MAX + 1,
			   LANES_MAX + d->view.banks_unread *
			   MODULE_BANK_LANES, d->view.banks, d->view.banks +
			   d->view.banks_unread);
	if (d->value_count)
		qsort(d->values, d->value_count, sizeof(*d->values),
		      value_compare);
	return 0;
}

void decoded_fini(struct decoded *d)
{
	free(d->values);
	free(d->faults);
	d->values = NULL;
	d->faults = NULL;
}

const struct decoded_reading *decoded_find(const struct decoded *d,
					   enum quantity q, unsigned lane,
					   unsigned index)
{
	struct decoded_reading key = { .quantity = quantity_find((uint16_t)q),
				     .lane = lane, .index = index };

	if (!d->value_count)
		return NULL;
	return bsearch(&key, d->values, d->value_count, sizeof(key),
		       value_compare);
}

bool decoded_has(const struct decoded *d, unsigned lane)
{
	for (size_t i = 0; i < d->value_count; i++)
		if (d->values[i].lane == lane)
			return true;
	return false;
}

uint32_t decoded_cell_unit(const struct quantity_info *q)
{
	static const uint8_t units[UNIT_COUNT] = {
		[UNIT_PW] = CELL_PW, [UNIT_MC] = CELL_MC, [UNIT_UV] = CELL_UV,
		[UNIT_UA] = CELL_UA, [UNIT_MDB] = CELL_MDB,
		[UNIT_E18] = CELL_E18, [UNIT_BOOL] = CELL_BOOL,
		[UNIT_PPM] = CELL_PPM,
	};

	return units[q->unit] ? units[q->unit] : CELL_INTEGER;
}

bool decoded_is_measured(const struct decoded *d, unsigned lane)
{
	return decoded_find(d, Q_LANE_RX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0);
}

const char *decoded_state_word(const struct decoded *d, enum quantity q,
			       unsigned lane)
{
	const struct decoded_reading *v = decoded_find(d, q, lane, 0);
	const char *word = v ? quantity_word(q, v->value) : NULL;

	return word && strncmp(word, "DataPath", 8) == 0 ? word + 8 : word;
}

uint32_t decoded_hosts(const struct decoded *d, unsigned lane)
{
	const struct decoded_reading *v =
		decoded_find(d, Q_LANE_HOST_LANES, lane, 0);

	return v ? (uint32_t)v->value : UINT32_C(1) << (lane - 1);
}

const char *decoded_path_word(const struct decoded *d, unsigned lane)
{
	uint32_t hosts = decoded_hosts(d, lane);
	const struct decoded_reading *worst = NULL;

	for (unsigned i = 0; i < LANES_MAX; i++) {
		const struct decoded_reading *v = hosts >> i & 1 ?
			decoded_find(d, Q_LANE_DATA_PATH_STATE, i + 1, 0) :
			NULL;

		if (v && (!worst || data_path_distance(v->value) >
				    data_path_distance(worst->value)))
			worst = v;
	}
	return worst ? decoded_state_word(d, Q_LANE_DATA_PATH_STATE,
					  worst->lane) : NULL;
}

/* Two registers may give the same quantity, with one gate closed. */
static bool is_given(const struct decoded *d, uint16_t quantity)
{
	for (size_t i = 0; i < d->value_count; i++) {
		if (d->values[i].quantity->id == quantity)
			return true;
	}
	return false;
}

/* Nobody misses a second laser or cooler. */
static bool is_second(uint16_t quantity)
{
	static const enum quantity seconds[] = {
		Q_MODULE_LASER_2_TEMP_MC, Q_MODULE_LASER_2_TEMP_THRESHOLD_MC,
		Q_MODULE_TEC_2_CURRENT_PPM,
		Q_MODULE_TEC_2_CURRENT_THRESHOLD_PPM,
	};

	for (size_t i = 0; i < TABLE_COUNT(seconds); i++)
		if (seconds[i] == quantity)
			return true;
	return false;
}

const struct quantity_info *decoded_missing(const struct decoded *d,
					    unsigned parts, unsigned presence,
					    size_t *at)
{
	const struct module_tables *t = tables_of(d->view.standard);

	while (*at < t->field_count) {
		const struct register_field *f = &t->fields[(*at)++];

		if ((f->part & parts) && !is_second(f->quantity) &&
		    !is_given(d, f->quantity) &&
		    field_presence(f, &d->view) == presence &&
		    (*at < 2 || f[-1].quantity != f->quantity))
			return quantity_find(f->quantity);
	}
	return NULL;
}

/* The three checks of a lane. */
static bool notice_make(const struct decoded *d, unsigned lane, unsigned which,
			char *ret, size_t cap)
{
	const struct decoded_reading *config =
		decoded_find(d, Q_LANE_CONFIG_STATUS, lane, 0);
	const struct decoded_reading *off =
		decoded_find(d, Q_LANE_TX_DISABLED, lane, 0);
	const struct decoded_reading *tx =
		decoded_find(d, Q_LANE_TX_POWER_PW, lane, 0);
	const struct decoded_reading *staged =
		decoded_find(d, Q_LANE_STAGED_APPLICATION, lane, 0);
	const struct decoded_reading *active =
		decoded_find(d, Q_LANE_APPLICATION, lane, 0);

	if (which == 0 && config && lane_config_is_rejected(config->value)) {
		(void)snprintf(ret, cap, "configuration rejected: %s",
			       quantity_word(Q_LANE_CONFIG_STATUS,
					     config->value));
		return true;
	}
	if (which == 1 && off && off->value && tx &&
	    tx->value >= LANE_LIT_LEAST_PW) {
		(void)snprintf(ret, cap, "sends %.1f dBm with Tx disabled",
			       number_dbm(tx->value));
		return true;
	}
	if (which == 2 && staged && staged->value && active &&
	    staged->value != active->value) {
		(void)snprintf(ret, cap, "application %lld is staged, %lld is "
			       "active", (long long)staged->value,
			       (long long)active->value);
		return true;
	}
	return false;
}

bool decoded_noticed(const struct decoded *d, unsigned *at,
		     unsigned *ret_lane, char *ret, size_t cap)
{
	while (*at < NOTICES * d->lanes) {
		*ret_lane = *at / NOTICES + 1;
		if (notice_make(d, *ret_lane, (*at)++ % NOTICES, ret, cap))
			return true;
	}
	return false;
}

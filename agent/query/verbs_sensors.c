/* Sensors of the switch: temperatures, fans, supplies, voltages, currents,
 * cards and disks, with their limits.
 */
#include "agent/query/verbs.h"

#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

/* The index of each edge. */
enum { TEMP_CRITICAL, TEMP_HIGH, TEMP_LOW, TEMP_CRITICAL_LOW };
enum { LIMIT_CRITICAL_HIGH, LIMIT_HIGH, LIMIT_LOW, LIMIT_CRITICAL_LOW };
enum { SEEN_LOWEST, SEEN_HIGHEST };

/* What a part says of itself, worst first. */
static const struct {
	enum quantity quantity;
	int64_t value;
	const char *word;
} states[] = {
	{ Q_SENSOR_PRESENT, 0, "absent" },
	{ Q_SENSOR_WELL, 0, "failed" },
	{ Q_LEAK_DETECTED, 1, "leak" },
	{ Q_SUPPLY_OVERLOAD, 1, "overload" },
	{ Q_FAN_UNDER_SPEED, 1, "slow" },
	{ Q_FAN_OVER_SPEED, 1, "fast" },
	{ Q_SENSOR_WARNING, 1, "warns" },
};

static void state_column(struct cells *c, const struct answer_column *col)
{
	const char *word = NULL;
	struct state_value v;

	(void)col;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!state_value(c->ctx->state, c->of[OF_ROW],
				 states[i].quantity, 0, &v))
			continue;
		cells_seen(c, v.age.taken);
		if (v.value == states[i].value) {
			word = states[i].word;
			break;
		}
		word = "ok";
	}
	answer_text(c->a, word);
}

static const struct answer_column sensor_columns[] = {
	{ "sensor", "SENSOR", CELL_TEXT, false, false, column_name, OF_ROW },
	{ "temp", "°C", CELL_MC, true, false, column_value, OF_ROW,
	  Q_SENSOR_TEMP_MC },
	{ "temp_high", "HIGH", CELL_MC, true, false, column_value, OF_ROW,
	  Q_SENSOR_TEMP_THRESHOLD_MC, NULL, TEMP_HIGH },
	{ "fan_speed", "FAN%", CELL_PPM, true, false, column_value, OF_ROW,
	  Q_FAN_SPEED_PPM },
	{ "fan_rpm", "RPM", CELL_INTEGER, true, false, column_value, OF_ROW,
	  Q_SENSOR_FAN_RPM },
	{ "voltage", "V", CELL_UV, true, false, column_value, OF_ROW,
	  Q_SENSOR_VOLTAGE_UV },
	{ "current", "mA", CELL_UA, true, false, column_value, OF_ROW,
	  Q_SENSOR_CURRENT_UA },
	{ "power", "W", CELL_UW, true, false, column_value, OF_ROW,
	  Q_SENSOR_POWER_UW },
	{ "state", "STATE", CELL_TEXT, false, false, state_column },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "label", "LABEL", CELL_TEXT, false, true, column_attribute, OF_ROW,
	  ATTRIBUTE_LABEL },
	{ "temp_critical", "CRIT", CELL_MC, true, true, column_value, OF_ROW,
	  Q_SENSOR_TEMP_THRESHOLD_MC, NULL, TEMP_CRITICAL },
	{ "temp_low", "LOW", CELL_MC, true, true, column_value, OF_ROW,
	  Q_SENSOR_TEMP_THRESHOLD_MC, NULL, TEMP_LOW },
	{ "temp_critical_low", "", CELL_MC, true, true, column_value, OF_ROW,
	  Q_SENSOR_TEMP_THRESHOLD_MC, NULL, TEMP_CRITICAL_LOW },
	{ "temp_lowest_seen", "", CELL_MC, true, true, column_value, OF_ROW,
	  Q_SENSOR_TEMP_SEEN_MC, NULL, SEEN_LOWEST },
	{ "temp_highest_seen", "", CELL_MC, true, true, column_value, OF_ROW,
	  Q_SENSOR_TEMP_SEEN_MC, NULL, SEEN_HIGHEST },
	{ "fan_target", "", CELL_PPM, true, true, column_value, OF_ROW,
	  Q_FAN_TARGET_PPM },
	{ "fan_tolerance", "", CELL_PPM, true, true, column_value, OF_ROW,
	  Q_FAN_TOLERANCE_PPM },
	{ "voltage_critical_high", "", CELL_UV, true, true, column_value,
	  OF_ROW, Q_SENSOR_VOLTAGE_THRESHOLD_UV, NULL, LIMIT_CRITICAL_HIGH },
	{ "voltage_high", "", CELL_UV, true, true, column_value, OF_ROW,
	  Q_SENSOR_VOLTAGE_THRESHOLD_UV, NULL, LIMIT_HIGH },
	{ "voltage_low", "", CELL_UV, true, true, column_value, OF_ROW,
	  Q_SENSOR_VOLTAGE_THRESHOLD_UV, NULL, LIMIT_LOW },
	{ "voltage_critical_low", "", CELL_UV, true, true, column_value, OF_ROW,
	  Q_SENSOR_VOLTAGE_THRESHOLD_UV, NULL, LIMIT_CRITICAL_LOW },
	{ "current_critical_high", "", CELL_UA, true, true, column_value,
	  OF_ROW, Q_SENSOR_CURRENT_THRESHOLD_UA, NULL, LIMIT_CRITICAL_HIGH },
	{ "current_high", "", CELL_UA, true, true, column_value, OF_ROW,
	  Q_SENSOR_CURRENT_THRESHOLD_UA, NULL, LIMIT_HIGH },
	{ "power_critical", "", CELL_UW, true, true, column_value, OF_ROW,
	  Q_SENSOR_POWER_THRESHOLD_UW },
	{ "input_voltage", "", CELL_UV, true, true, column_value, OF_ROW,
	  Q_SUPPLY_INPUT_VOLTAGE_UV },
	{ "input_current", "", CELL_UA, true, true, column_value, OF_ROW,
	  Q_SUPPLY_INPUT_CURRENT_UA },
	{ "disk_life_left", "", CELL_PPM, true, true, column_value, OF_ROW,
	  Q_STORAGE_HEALTH_PPM },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_ROW },
	{ .key = NULL },
};
const struct answer_shape shape_sensors = { "sensors", sensor_columns, false };

/* Is a part of the name among the arguments? None: all are meant. */
static bool is_asked(const Petrel__Request *request, const char *name)
{
	for (size_t i = 0; i < request->n_args; i++)
		if (strcasestr(name, request->args[i]))
			return true;
	return request->n_args == 0;
}

int verbs_sensors(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e), all = 0;
	uint32_t asic;
	int code = choice_asic(ctx, request, a, &asic);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_sensors);
	for (size_t i = 0; i < n; i++) {
		if (e[i].id == 0 || e[i].gone ||
		    e[i].key.kind != ENTITY_SENSOR)
			continue;
		all++;
		c.of[OF_ROW] = e[i].id;
		if (is_asked(request, inventory_shown(&e[i])) &&
		    choice_is_of(ctx, e[i].id, asic))
			cells_fill(&c, sensor_columns);
	}
	if (all && request->n_args && answer_rows(a, 0) == 0)
		return answer_error(a, EXIT_NO_SUCH, "no sensor has '%.64s' in "
				    "its name; petrel sensors lists all %zu",
				    request->args[0], all);
	if (all == 0)
		answer_note(a, "no sensor is known: the platform tells of "
			    "none");
	return order_apply_by(request, "sensor", a);
}

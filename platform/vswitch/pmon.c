/* The chassis: sensors, fans and supplies as posted by thermalctld and psud
 * (every 60 s), and the chips' own supplies and temperatures.
 */
#include "platform/vswitch/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"

#define NA "N/A"
#define SUPPLIES 2
#define FAN_RPM_MAX 24000.0
#define SUPPLY_V 12.1
#define SUPPLY_HIGH_C 65.0
#define BOX_W 100.0			/* without chips and modules */
#define MODULE_W 9.0
#define COHERENT_W 18.0
#define UW_PER_W 1e6
#define HIGH_C 75.0
#define CRITICAL_C 90.0
#define ASIC "asic"			/* the plant's name for its sensor */
#define ASIC_SPOTS 4			/* sensors inside the chip */
#define CORE_MV 850.0			/* its supply; load lowers it */
#define CORE_DROOP_MV 12.0
#define CORE_IDLE_MA 90000.0
#define CORE_FULL_MA 260000.0

static void span_take(struct span *s, double value)
{
	s->low = s->known ? fmin(s->low, value) : value;
	s->high = s->known ? fmax(s->high, value) : value;
	s->known = true;
}

/* A value with its minimum and maximum, as thermalctld and sensormond show it,
 * in a row already begun.
 */
static void span_fields(struct out *o, const char *what, double value,
			struct span *seen, unsigned decimals)
{
	char field[40];

	span_take(seen, value);
	out_rounded(o, what, value, decimals);
	(void)snprintf(field, sizeof(field), "minimum_%s", what);
	out_rounded(o, field, seen->low, decimals);
	(void)snprintf(field, sizeof(field), "maximum_%s", what);
	out_rounded(o, field, seen->high, decimals);
	out_text(o, "low_threshold", NA);
	out_text(o, "critical_low_threshold", NA);
	out_text(o, "is_replaceable", "False");
}

static void sensor_row(struct out *o, const struct plant_sensor *s,
		       struct span *seen)
{
	out_row(o, STATE_DB, "TEMPERATURE_INFO", s->name);
	span_fields(o, "temperature", s->temp_c, seen, 3);
	out_repr(o, "high_threshold", HIGH_C);
	out_repr(o, "critical_high_threshold", CRITICAL_C);
	out_bool(o, "warning_status", s->temp_c > HIGH_C);
	out_date(o, "timestamp", DATE_LOCAL, o->now_s);
	out_row_end(o);
}

/* thermalctld shows per cent, not rpm. */
static void fan_row(struct out *o, const struct plant_sensor *s)
{
	static const struct out_pair same[] = {
		{ "drawer_name", "drawer1" }, { "presence", "True" },
		{ "model", NA }, { "serial", NA }, { "direction", "intake" },
		{ "speed_tolerance", "50" }, { "is_over_speed", "False" },
		{ "is_replaceable", "True" }, { NULL, NULL },
	};
	long share = lround(fmin(s->fan_rpm / FAN_RPM_MAX, 1) * 100);
	bool turns = s->fan_rpm > 0;

	out_row(o, STATE_DB, "FAN_INFO", s->name);
	out_fields(o, same);
	out_bool(o, "status", turns);
	out_u64(o, "speed", (uint64_t)share);
	out_u64(o, "speed_target", turns ? (uint64_t)share : 60);
	out_bool(o, "is_under_speed", !turns);
	out_text(o, "led_status", turns ? "green" : "red");
	out_date(o, "timestamp", DATE_LOCAL, o->now_s);
	out_row_end(o);
}

/* The load of the chip as a share of its capacity, from 0 to 1. */
static double load_of(const struct box *b, unsigned asic)
{
	double sum = 0;
	unsigned ports = 0;

	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];

		if (p->asic != asic)
			continue;
		ports++;
		if (p->now.oper_up && p->rates.rounds > 1)
			sum += p->rates.bps[1] * 8 /
			       (double)p->facts.speed_bps;
	}
	return ports ? fmin(sum / ports, 1) : 0;
}

/* The supply of a chip's core. */
struct core_supply {
	double mv, ma;
};

static struct core_supply core_of(const struct box *b, unsigned asic)
{
	double load = load_of(b, asic);

	return (struct core_supply){
		.mv = CORE_MV - CORE_DROOP_MV * load,
		.ma = CORE_IDLE_MA + (CORE_FULL_MA - CORE_IDLE_MA) * load,
	};
}

static double module_w(const struct plant_port_facts *f)
{
	if (!f->optical)
		return 0;
	return f->coherent ? COHERENT_W : MODULE_W;
}

/* The power of each supply. */
static double draw_w(const struct box *b)
{
	double watts = BOX_W;

	for (size_t i = 0; i < b->port_count; i++)
		if (box_is_first(&b->port[i]) && b->port[i].now.present)
			watts += module_w(&b->port[i].facts);
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct core_supply c = core_of(b, a);

		watts += c.mv * c.ma / UW_PER_W;
	}
	return watts / SUPPLIES;
}

/* temp_c: NAN if the plant has no such sensor. */
static void supply_row(struct out *o, unsigned n, double watts, double temp_c)
{
	static const struct out_pair same[] = {
		{ "presence", "true" }, { "status", "true" },
		{ "model", "Petrel-PSU" }, { "revision", "A" },
		{ "voltage_min_threshold", "None" },
		{ "voltage_max_threshold", "None" },
		{ "power_overload", "False" }, { "is_replaceable", "True" },
		{ "led_status", "green" }, { NULL, NULL },
	};
	char name[16];

	(void)snprintf(name, sizeof(name), "PSU %u", n);
	out_row(o, STATE_DB, "PSU_INFO", name);
	out_fields(o, same);
	out_format(o, "serial", "PETREL%04u", n);
	if (isnan(temp_c)) {
		out_text(o, "temp", "None");
		out_text(o, "temp_threshold", "None");
	} else {
		out_rounded(o, "temp", temp_c, 3);
		out_repr(o, "temp_threshold", SUPPLY_HIGH_C);
	}
	out_rounded(o, "voltage", SUPPLY_V, 2);
	out_rounded(o, "current", watts / SUPPLY_V, 2);
	out_rounded(o, "power", watts, 1);
	out_row_end(o);
}

/* Millivolts and milliamperes, as on sensormond's platforms. */
static void power_row(struct out *o, const char *table, const char *what,
		      unsigned asic, double value, struct span *seen)
{
	char name[24];

	(void)snprintf(name, sizeof(name), "ASIC%u core", asic);
	out_row(o, STATE_DB, table, name);
	span_fields(o, what, value, seen, 0);
	out_text(o, "high_threshold", NA);
	out_text(o, "critical_high_threshold", NA);
	out_bool(o, "warning_status", false);
	out_date(o, "timestamp", DATE_LOCAL, o->now_s);
	out_row_end(o);
}

/* From orchagent, for the chip's own sensors. */
static void asic_row(struct out *o, double temp_c)
{
	char field[24];

	if (isnan(temp_c))
		return;
	out_row(o, STATE_DB, "ASIC_TEMPERATURE_INFO", NULL);
	out_u64(o, "maximum_temperature", (uint64_t)lround(temp_c) + 2);
	out_u64(o, "average_temperature", (uint64_t)lround(temp_c));
	for (unsigned i = 0; i < ASIC_SPOTS; i++) {
		(void)snprintf(field, sizeof(field), "temperature_%u", i);
		out_u64(o, field, (uint64_t)lround(temp_c) + i % 3);
	}
	out_row_end(o);
}

static void asics_play(struct box *b, double temp_c)
{
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct core_supply c = core_of(b, a);

		asic_row(&b->asic[a].out, temp_c);
		power_row(b->host, "VOLTAGE_INFO", "voltage", a, c.mv,
			  &b->asic[a].core_mv);
		power_row(b->host, "CURRENT_INFO", "current", a, c.ma,
			  &b->asic[a].core_ma);
	}
}

/* The plant's sensor of that name; NAN if it has none. */
static double temp_of(const struct box *b, const char *name)
{
	struct plant_sensor s;

	for (size_t i = 0; i < plant_sensor_count(b->plant); i++) {
		plant_sensor(b->plant, i, &s);
		if (strcmp(s.name, name) == 0)
			return s.temp_c;
	}
	return (double)NAN;
}

void pmon_play(struct box *b)
{
	double watts = draw_w(b);
	char name[16];

	for (size_t i = 0; i < plant_sensor_count(b->plant) &&
	     i < BOX_SENSORS_MAX; i++) {
		struct plant_sensor s;

		plant_sensor(b->plant, i, &s);
		if (!isnan(s.temp_c))
			sensor_row(b->host, &s, &b->sensor_seen[i]);
		if (!isnan(s.fan_rpm))
			fan_row(b->host, &s);
	}
	for (unsigned n = 1; n <= SUPPLIES; n++) {
		(void)snprintf(name, sizeof(name), "psu%u", n);
		supply_row(b->host, n, watts, temp_of(b, name));
	}
	asics_play(b, temp_of(b, ASIC));
}

void pmon_start(struct box *b)
{
	const struct out_pair chassis[] = {
		{ "psu_num", "2" },
		{ "serial", plant_switch_name(b->plant) },
		{ "model", "Petrel-vswitch" }, { "revision", "A" },
		{ NULL, NULL },
	};

	out_pairs(b->host, STATE_DB, "CHASSIS_INFO", "chassis 1", chassis);
}

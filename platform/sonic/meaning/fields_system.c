/* The switch itself: what it is, its sensors, fans and supplies. */
#include "platform/sonic/meaning/fields.h"

#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/meaning/words.h"

#define VALUE(name, quantity, index, scale)				\
	{ name, quantity, index, 0, FIELD_SCALED, scale }
#define FLAG(name, quantity) { name, quantity, 0, 0, FIELD_BOOL, 1 }
#define LIMITS(quantity, scale)						\
	VALUE("critical_high_threshold", quantity, 0, scale),		\
	VALUE("high_threshold", quantity, 1, scale),			\
	VALUE("low_threshold", quantity, 2, scale),			\
	VALUE("critical_low_threshold", quantity, 3, scale)
#define STAMP FIELD_AS_TEXT("timestamp", SENSOR_TEXT_UPDATED)
#define PART_TEXTS							\
	FIELD_AS_TEXT("model", SENSOR_TEXT_MODEL),			\
	FIELD_AS_TEXT("serial", SENSOR_TEXT_SERIAL),			\
	FIELD_AS_TEXT("revision", SENSOR_TEXT_REVISION)
#define POINT(n) VALUE("temperature_" #n, Q_SENSOR_TEMP_POINT_MC, n, 1000)

_Static_assert(SWITCH_TEXT_COUNT <= FIELD_TEXTS_MAX, "a row has room");

static const struct field metadata[] = {
	FIELD_AS_TEXT("hostname", SWITCH_TEXT_HOSTNAME),
	FIELD_AS_TEXT("hwsku", SWITCH_TEXT_HWSKU),
	FIELD_AS_TEXT("platform", SWITCH_TEXT_PLATFORM),
	FIELD_AS_TEXT("type", SWITCH_TEXT_TYPE),
	FIELD_AS_TEXT("sub_role", SWITCH_TEXT_SUB_ROLE),
	FIELD_AS_TEXT("mac", SWITCH_TEXT_MAC),
	FIELD_AS_TEXT("asic_name", SWITCH_TEXT_ASIC_NAME),
	FIELD_AS_TEXT("asic_id", SWITCH_TEXT_ASIC_ID),
	FIELD_AS_TEXT("switch_type", SWITCH_TEXT_SWITCH_TYPE),
	FIELD_AS_TEXT("region", SWITCH_TEXT_REGION),
	FIELD_AS_TEXT("rack", SWITCH_TEXT_RACK),
	FIELD_AS_TEXT("deployment_id", SWITCH_TEXT_DEPLOYMENT),
	FIELD_AS_TEXT("buffer_model", SWITCH_TEXT_BUFFER_MODEL),
};

/* Names of two generations of pmon; some platforms leave the older empty. */
static const struct field chassis_info[] = {
	FIELD_AS_TEXT("serial", CHASSIS_TEXT_SERIAL),
	FIELD_AS_TEXT("serial_num", CHASSIS_TEXT_SERIAL_OLD),
	FIELD_AS_TEXT("base_mac_addr", CHASSIS_TEXT_MAC),
};

static const struct field eeprom_serial[] = {
	FIELD_AS_TEXT("Value", CHASSIS_TEXT_SERIAL),
};

static const struct field eeprom_mac[] = {
	FIELD_AS_TEXT("Value", CHASSIS_TEXT_MAC),
};

static const struct field temperature[] = {
	STAMP,
	VALUE("temperature", Q_SENSOR_TEMP_MC, 0, 1000),
	LIMITS(Q_SENSOR_TEMP_THRESHOLD_MC, 1000),
	VALUE("minimum_temperature", Q_SENSOR_TEMP_SEEN_MC, 0, 1000),
	VALUE("maximum_temperature", Q_SENSOR_TEMP_SEEN_MC, 1, 1000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

static const struct field fan[] = {
	STAMP,
	VALUE("speed", Q_FAN_SPEED_PPM, 0, 10000),
	VALUE("speed_target", Q_FAN_TARGET_PPM, 0, 10000),
	VALUE("speed_tolerance", Q_FAN_TOLERANCE_PPM, 0, 10000),
	FLAG("is_under_speed", Q_FAN_UNDER_SPEED),
	FLAG("is_over_speed", Q_FAN_OVER_SPEED),
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
	PART_TEXTS,
};

/* Volts, amperes, watts; older platforms write the first three names, newer
 * ones both. Output is what a supply gives.
 */
static const struct field psu[] = {
	STAMP,
	VALUE("voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000000),
	VALUE("current", Q_SENSOR_CURRENT_UA, 0, 1000000),
	VALUE("power", Q_SENSOR_POWER_UW, 0, 1000000),
	VALUE("output_voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000000),
	VALUE("output_current", Q_SENSOR_CURRENT_UA, 0, 1000000),
	VALUE("output_power", Q_SENSOR_POWER_UW, 0, 1000000),
	VALUE("input_voltage", Q_SUPPLY_INPUT_VOLTAGE_UV, 0, 1000000),
	VALUE("input_current", Q_SUPPLY_INPUT_CURRENT_UA, 0, 1000000),
	VALUE("temp", Q_SENSOR_TEMP_MC, 0, 1000),
	VALUE("temp_threshold", Q_SENSOR_TEMP_THRESHOLD_MC, 1, 1000),
	VALUE("voltage_max_threshold", Q_SENSOR_VOLTAGE_THRESHOLD_UV, 1,
	      1000000),
	VALUE("voltage_min_threshold", Q_SENSOR_VOLTAGE_THRESHOLD_UV, 2,
	      1000000),
	VALUE("power_critical_threshold", Q_SENSOR_POWER_THRESHOLD_UW, 0,
	      1000000),
	VALUE("power_warning_suppress_threshold", Q_SENSOR_POWER_THRESHOLD_UW,
	      1, 1000000),
	VALUE("max_power", Q_SENSOR_POWER_THRESHOLD_UW, 2, 1000000),
	FLAG("power_overload", Q_SUPPLY_OVERLOAD),
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
	PART_TEXTS,
};

/* Old platforms keep the fans of supplies apart. */
static const struct field psu_fan[] = {
	VALUE("speed", Q_FAN_SPEED_PPM, 0, 10000),
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
};

/* In the unit that the row names: mV, mA, as all platforms do. */
static const struct field voltage[] = {
	STAMP,
	VALUE("voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000),
	LIMITS(Q_SENSOR_VOLTAGE_THRESHOLD_UV, 1000),
	VALUE("minimum_voltage", Q_SENSOR_VOLTAGE_SEEN_UV, 0, 1000),
	VALUE("maximum_voltage", Q_SENSOR_VOLTAGE_SEEN_UV, 1, 1000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

static const struct field current[] = {
	STAMP,
	VALUE("current", Q_SENSOR_CURRENT_UA, 0, 1000),
	LIMITS(Q_SENSOR_CURRENT_THRESHOLD_UA, 1000),
	VALUE("minimum_current", Q_SENSOR_CURRENT_SEEN_UA, 0, 1000),
	VALUE("maximum_current", Q_SENSOR_CURRENT_SEEN_UA, 1, 1000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

/* A sensor that cannot say whether it is wet is not a dry one. */
static const struct field leak[] = {
	STAMP,
	{ "leak_status", Q_LEAK_DETECTED, 0, 0, FIELD_WORD, WORDS_LEAK },
	{ "leaking", Q_LEAK_DETECTED, 0, 0, FIELD_WORD, WORDS_LEAK },
	{ "leak_sensor_status", Q_SENSOR_WELL, 0, 0, FIELD_WORD,
	  WORDS_LEAK_SENSOR },
};

/* stormond's: percent, and counts since the disk is in use. */
static const struct field storage[] = {
	VALUE("temperature", Q_SENSOR_TEMP_MC, 0, 1000),
	VALUE("health", Q_STORAGE_HEALTH_PPM, 0, 10000),
	{ "disk_io_reads", Q_STORAGE_ACCESSES, 0, 0, FIELD_COUNTER, 1 },
	{ "disk_io_writes", Q_STORAGE_ACCESSES, 1, 0, FIELD_COUNTER, 1 },
	{ "total_fsio_reads", Q_STORAGE_ACCESSES, 2, 0, FIELD_COUNTER, 1 },
	{ "total_fsio_writes", Q_STORAGE_ACCESSES, 3, 0, FIELD_COUNTER, 1 },
	VALUE("reserved_blocks", Q_STORAGE_RESERVED_BLOCKS, 0, 1),
	FIELD_AS_TEXT("device_model", SENSOR_TEXT_MODEL),
	FIELD_AS_TEXT("serial", SENSOR_TEXT_SERIAL),
	FIELD_AS_TEXT("firmware", SENSOR_TEXT_REVISION),
};

static const struct field asic_temperature[] = {
	VALUE("maximum_temperature", Q_SENSOR_TEMP_MC, 0, 1000),
	VALUE("average_temperature", Q_SENSOR_TEMP_AVERAGE_MC, 0, 1000),
	POINT(0), POINT(1), POINT(2), POINT(3), POINT(4), POINT(5), POINT(6),
	POINT(7), POINT(8), POINT(9), POINT(10), POINT(11), POINT(12),
	POINT(13), POINT(14), POINT(15),
};

static const struct field card[] = {
	FIELD_AS_TEXT("desc", CARD_TEXT_DESCRIPTION),
	FIELD_AS_TEXT("slot", CARD_TEXT_SLOT),
	FIELD_AS_TEXT("serial", CARD_TEXT_SERIAL),
	{ "oper_status", Q_CARD_STATE, 0, 0, FIELD_WORD, WORDS_CARD },
	VALUE("num_asics", Q_CARD_CHIPS, 0, 1),
};

static const struct field card_midplane[] = {
	FLAG("access", Q_CARD_REACHABLE),
	FIELD_AS_TEXT("ip_address", CARD_TEXT_ADDRESS),
};

static const struct field card_host[] = {
	FIELD_AS_TEXT("hostname", CARD_TEXT_HOSTNAME),
};

const struct fields fields_switch = FIELDS(metadata);
const struct fields fields_chassis = FIELDS(chassis_info);
const struct fields fields_eeprom_serial = FIELDS(eeprom_serial);
const struct fields fields_eeprom_mac = FIELDS(eeprom_mac);
const struct fields fields_temperature = FIELDS(temperature);
const struct fields fields_fan = FIELDS(fan);
const struct fields fields_psu = FIELDS(psu);
const struct fields fields_psu_fan = FIELDS(psu_fan);
const struct fields fields_voltage = FIELDS(voltage);
const struct fields fields_current = FIELDS(current);
const struct fields fields_leak = FIELDS(leak);
const struct fields fields_storage = FIELDS(storage);
const struct fields fields_asic_temperature = FIELDS(asic_temperature);
const struct fields fields_card = FIELDS(card);
const struct fields fields_card_midplane = FIELDS(card_midplane);
const struct fields fields_card_host = FIELDS(card_host);

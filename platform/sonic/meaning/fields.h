/* The fields of each table of SONiC's databases, by family: which field is
 * which quantity. tables.c says where the tables are and how they are read.
 */
#pragma once

#include "platform/sonic/meaning/field.h"

#define FIELDS_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FIELDS(of) { .list = (of), .count = FIELDS_COUNT(of) }

/* Rows of the tables. */
#define FIELD_AS_TEXT(name, slot) { name, 0, slot, 0, FIELD_TEXT, 1 }
#define FIELD_UPDATED FIELD_AS_TEXT("last_update_time", 0)
#define FIELD_LANES_OF(of)						\
	of(1), of(2), of(3), of(4), of(5), of(6), of(7), of(8)
#define FIELD_EDGES(name, quantity, form, scale, part)			\
	{ name "highalarm", quantity, 0, part, form, scale },		\
	{ name "lowalarm", quantity, 1, part, form, scale },		\
	{ name "highwarning", quantity, 2, part, form, scale },		\
	{ name "lowwarning", quantity, 3, part, form, scale }

/* fields_port.c */
extern const struct fields fields_port_counters, fields_port_drops,
	fields_port_appl, fields_port_state, fields_port_errors,
	fields_port_causes, fields_port_rates, fields_port_phy,
	fields_port_xcvr, fields_port_lldp, fields_port_neighbor,
	fields_lag_appl, fields_lag_state, fields_port_pfcwd, fields_port_qos,
	fields_port_gearbox, fields_gearbox;
/* fields_queue.c */
extern const struct fields fields_queue_counters, fields_queue_watermarks,
	fields_queue_pfcwd, fields_group_drops, fields_group_watermarks,
	fields_pool_watermarks, fields_queue_user, fields_queue_periodic,
	fields_queue_persistent, fields_group_user, fields_group_periodic,
	fields_group_persistent, fields_pool_user, fields_pool_periodic,
	fields_pool_persistent, fields_pool_appl, fields_pool_config;
/* fields_fabric.c */
extern const struct fields fields_fabric_counters, fields_fabric_state,
	fields_switch_drops;
/* fields_streamed.c */
extern const struct fields fields_port_streamed, fields_queue_streamed,
	fields_group_streamed, fields_pool_streamed;
/* fields_module.c */
extern const struct fields fields_module_info, fields_module_firmware,
	fields_module_dom, fields_module_heat, fields_module_thresholds,
	fields_module_flags, fields_module_dom_flags, fields_module_status,
	fields_module_pm;
/* fields_vdm.c */
extern const struct fields fields_vdm;
/* fields_system.c */
extern const struct fields fields_chassis, fields_eeprom_serial,
	fields_eeprom_mac;
extern const struct fields fields_switch, fields_temperature, fields_fan,
	fields_psu, fields_psu_fan, fields_voltage, fields_current,
	fields_leak, fields_storage, fields_asic_temperature, fields_card,
	fields_card_midplane, fields_card_host;

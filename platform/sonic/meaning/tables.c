#include "platform/sonic/meaning/tables.h"

#include <assert.h>

#include "platform/sonic/meaning/counters.h"

/* Tables of one source are read in this order. */
static const struct table_list *const lists[] = {
	&counters_tables, &queues_tables, &ports_tables, &neighbors_tables,
	&system_tables, &modules_tables, &module_values_tables,
	&sensors_tables,
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

unsigned tables_count(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < LISTS; i++)
		count += lists[i]->count;
	return count;
}

const struct table *table_get(unsigned number)
{
	size_t i = 0;

	while (i < LISTS && number >= lists[i]->count)
		number -= lists[i++]->count;
	assert(i < LISTS);
	return &lists[i]->list[number];
}

static const struct source_info infos[SONIC_SOURCE_COUNT] = {
	[SONIC_WATERMARKS] = {
		.absent = "no queue, priority group or pool has a watermark: "
			  "SAI counts none, or no buffer is configured" },
	[SONIC_PORTS] = { .end = ports_end },
	[SONIC_TRANSCEIVERS] = { .unneeded = modules_unneeded,
				 .end = modules_end },
	[SONIC_DOM] = { .unneeded = monitors_unneeded },
	[SONIC_THRESHOLDS] = { .unneeded = monitors_unneeded },
	[SONIC_PFCWD] = {
		.nothing = "no queue is watched for PFC storms: "
			   "`pfcwd start_default` turns it on" },
	[SONIC_CAUSES] = {
		.nothing = "no cause of a link down is recorded "
			   "(PORT_OPERR_TABLE, from release 202505 on)" },
	[SONIC_RATES] = {
		.nothing = "SONiC has no RATES of its ports yet" },
	[SONIC_PHY] = {
		.nothing = "the chip's lanes are not polled: `counterpoll phy "
			   "enable` turns it on, if SAI supports it" },
	[SONIC_GEARBOX] = {
		.nothing = "no port has a gearbox" },
	[SONIC_HEAT] = {
		.nothing = "xcvrd runs no fast thread for temperatures "
			   "(--dom_temperature_poll_interval)" },
	[SONIC_VDM] = {
		.nothing = "no module has VDM, or xcvrd does not read it" },
	[SONIC_FLAG_CHANGES] = {
		.nothing = "xcvrd counts no changes of flags "
			   "(release 202505 and later)" },
	[SONIC_FLAGS] = {
		.nothing = "SONiC has no table of modules' flags "
			   "(release 202505 and later)" },
	[SONIC_STATUS] = {
		.nothing = "xcvrd writes no status of modules "
			   "(release 202211 and later)" },
	[SONIC_PM] = {
		.nothing = "no coherent module is plugged in" },
	[SONIC_SENSORS] = {
		.nothing = "STATE_DB has no sensors: is pmon running?" },
	[SONIC_CHASSIS] = {
		.nothing = "this switch is not a chassis: STATE_DB has no "
			   "CHASSIS_MODULE_TABLE",
		.ask = chassis_ask, .end = chassis_end },
	[SONIC_FABRIC] = {
		.nothing = "no fabric ports, and no chip counts its drops: "
			   "this is not a VOQ or fabric switch" },
	[SONIC_NEIGHBORS] = {
		.nothing = "no peer is known: no LLDP entry, and no "
			   "DEVICE_NEIGHBOR in CONFIG_DB",
		.end = neighbors_end },
	[SONIC_SETTINGS] = {
		.nothing = "CONFIG_DB has no DEVICE_METADATA" },
	[SONIC_KEPT] = {
		.nothing = "SONiC keeps no user, periodic or persistent "
			   "watermarks" },
};

const struct source_info *source_info(enum sonic_source source)
{
	assert(source < SONIC_SOURCE_COUNT);
	return &infos[source];
}

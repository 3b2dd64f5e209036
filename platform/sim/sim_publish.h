/* Passes the plant's state to a host: entities, attributes, read groups. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "petrel/platform.h"
#include "platform/bus/readings.h"

/* Index of a source in the driver's table. */
enum publish_source {
	SOURCE_COUNTERS, SOURCE_QUEUES, SOURCE_DOM, SOURCE_PORTS,
	SOURCE_SENSORS, PUBLISH_SOURCE_COUNT,
};

/* A port as the host knows it; a handle is ENTITY_NONE if the host had no room,
 * and then it is not reported.
 */
struct publish_port {
	struct plant_port_facts facts;
	uint32_t handle, module;
	uint32_t lane[PLANT_LANES_MAX];
	uint32_t queue[PLANT_QUEUES_MAX];
	uint32_t priority[PLANT_PRIORITIES];
	bool first;			/* of its module: reports it */
	int64_t dom_ns;			/* of the last reported; -1 none */
	int64_t all_ns;			/* the same, with fixed values */
	struct readings_given given[2];	/* of these, and of those */
	/* As last reported. */
	bool up, present;
	uint64_t link_downs;
	char serial[17];
	uint64_t peak[PLANT_QUEUES_MAX];	/* since the queues were read */
};

/* Reports the switch. */
void publish_switch(const struct platform_host *h, const struct plant *p);
/* Reports a port, its queues and priorities. */
void publish_port(const struct platform_host *h, struct publish_port *to);

/* A module of that serial was plugged in: reports it and its lanes, the given
 * number per module.
 */
void publish_module(const struct platform_host *h, struct publish_port *to,
		    unsigned lanes);
/* The module was removed. */
void publish_module_gone(const struct platform_host *h,
			 struct publish_port *to);

/* Link state and configuration of a port. */
void publish_status(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age);
/* The counters of a port and its priorities. */
void publish_counters(const struct platform_host *h,
		      const struct publish_port *to,
		      const struct plant_port *p, const struct read_group *age);
/* Queues, with their peaks since the last time. */
void publish_queues(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age);
/* Reports one sensor of the box, and its entity. */
void publish_sensor(const struct platform_host *h,
		    const struct plant_sensor *s, const struct read_group *age);

/* Hands the plant's state to a host: entities, attributes, read groups. */
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

/* A port as the host knows it; a handle is ENTITY_NONE where the host had no
 * room, and then nothing of it is told.
 */
struct publish_port {
	struct plant_port_facts facts;
	uint32_t handle, module;
	uint32_t lane[PLANT_LANES_MAX];
	uint32_t queue[PLANT_QUEUES_MAX];
	uint32_t priority[PLANT_PRIORITIES];
	bool first;			/* of its module: tells of it */
	int64_t dom_ns;			/* of the readings told last; -1 none */
	int64_t all_ns;			/* ... with what stays as it is */
	struct readings_given given[2];	/* of these, and of those */
	/* What was told last. */
	bool up, present;
	uint64_t link_downs;
	char serial[17];
	uint64_t peak[PLANT_QUEUES_MAX];	/* since queues were read */
};

/* Makes the switch known. */
void publish_switch(const struct platform_host *h, const struct plant *p);
/* Makes a port, its queues and priorities known. */
void publish_port(const struct platform_host *h, struct publish_port *to);

/* The module of its serial was plugged: it and its lanes, so many of the
 * module, become known.
 */
void publish_module(const struct platform_host *h, struct publish_port *to,
		    unsigned lanes);
/* It was pulled. */
void publish_module_gone(const struct platform_host *h,
			 struct publish_port *to);

/* Link state and configuration of a port. */
void publish_status(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age);
/* What a port and its priorities counted. */
void publish_counters(const struct platform_host *h,
		      const struct publish_port *to,
		      const struct plant_port *p, const struct read_group *age);
/* With their peaks since the last time. */
void publish_queues(const struct platform_host *h,
		    const struct publish_port *to, const struct plant_port *p,
		    const struct read_group *age);
/* One sensor of the box, which it makes known. */
void publish_sensor(const struct platform_host *h,
		    const struct plant_sensor *s, const struct read_group *age);

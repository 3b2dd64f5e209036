/* The box around the chips: sensors, fans and supplies as thermalctld and psud
 * post them (every 60 s), and the chips' own supplies and heat.
 */
#pragma once

struct box;

/* TEMPERATURE_INFO, FAN_INFO, PSU_INFO, VOLTAGE_INFO, CURRENT_INFO,
 * ASIC_TEMPERATURE_INFO.
 */
void pmon_play(struct box *b);
/* What is known from the start. */
void pmon_start(struct box *b);
